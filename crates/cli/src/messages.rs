//! Writes log lines, summaries and errors to standard error.

use std::sync::atomic::{AtomicU8, Ordering};
use std::{env, ffi::OsString, fmt::Display};
use std::{io, io::IsTerminal, io::Write};

use clap::{Args, ValueEnum};
use tracing_subscriber::{EnvFilter, field::MakeExt, fmt::MakeWriter, fmt::format::debug_fn};
use trommel_text::without_controls;

use crate::progress;

/// Heading above the options that every command has, in the help.
const EVERYWHERE: &str = "Options of every command";

/// Amount and form of the messages
#[derive(Clone, Copy, Debug, Args)]
pub struct MessageArgs {
    /// Show only errors
    #[arg(short, long, global = true, help_heading = EVERYWHERE, conflicts_with = "verbose")]
    quiet: bool,
    /// Show more messages; repeat it for all. RUST_LOG selects by module
    #[arg(short, long, global = true, help_heading = EVERYWHERE, action = clap::ArgAction::Count)]
    verbose: u8,
    /// Form of the messages on standard error
    #[arg(long, global = true, help_heading = EVERYWHERE, hide_short_help = true)]
    #[arg(value_enum, value_name = "FORM", default_value_t = LogFormat::Text)]
    log_format: LogFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    /// Lines of text
    Text,
    /// One JSON object a line
    Json,
}

/// Form of messages that are not log lines, such as summaries: `PLAIN` (text), `JSON`, or `QUIET` (none).
static MESSAGE_FORM: AtomicU8 = AtomicU8::new(PLAIN);
const PLAIN: u8 = 0;
const JSON: u8 = 1;
const QUIET: u8 = 2;

/// Sets up the log and the other messages of the program.
pub fn begin(args: MessageArgs) {
    let level = match (args.quiet, args.verbose) {
        (true, _) => "error",
        (_, 0) => "info",
        (_, 1) => "debug",
        _ => "trace",
    };
    let is_chosen = args.quiet || args.verbose > 0;
    let filter = match EnvFilter::try_from_default_env() {
        Ok(filter) if !is_chosen => filter,
        _ => EnvFilter::new(level),
    };
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_target(false)
        .with_ansi(has_colour(&std::io::stderr()))
        .with_writer(Log);
    // An event is a line, whatever names stand in it: with a line end in one, a stranger would write lines of the log.
    let one_line = debug_fn(|line, field, value| match field.name() {
        "message" => write!(line, "{}", without_controls(&format!("{value:?}"))),
        name => write!(line, "{name}={value:?}"),
    });
    match args.log_format {
        LogFormat::Text => log.fmt_fields(one_line.delimited(" ")).init(),
        LogFormat::Json => log.json().flatten_event(true).init(),
    }
    let manner = match (args.quiet, args.log_format) {
        (true, _) => QUIET,
        (_, LogFormat::Text) => PLAIN,
        (_, LogFormat::Json) => JSON,
    };
    MESSAGE_FORM.store(manner, Ordering::Relaxed);
    progress::show(manner == PLAIN && is_smart(&std::io::stderr()));
}

/// Removes characters that control terminals from a text, because names and ids may come from untrusted input.
pub fn shown(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(without_controls).collect();
    lines.join("\n")
}

/// Prints a text that is not an event of the log, such as a summary, on standard error.
pub fn say(text: &str) {
    let text = shown(text);
    match MESSAGE_FORM.load(Ordering::Relaxed) {
        QUIET => {}
        JSON => tracing::info!("{text}"),
        _ => write_line(&text),
    }
}

/// Joins the messages of an error and its causes. Leaves out a cause whose message is already included.
pub fn causes(error: &anyhow::Error) -> String {
    let mut told = String::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        if told.is_empty() {
            told = cause;
        } else if !told.contains(&cause) {
            told = format!("{told}: {cause}");
        }
    }
    told
}

/// Prints the one message that states why the program failed.
pub fn fail(error: &dyn Display) {
    // One line: a line end in a name must not begin another.
    let error = error.to_string();
    let error = without_controls(&error);
    match MESSAGE_FORM.load(Ordering::Relaxed) {
        JSON => tracing::error!("{error}"),
        _ => write_line(&format!("trommel: {error}")),
    }
}

/// Returns whether colours may be written to a stream: a terminal that supports them, without `NO_COLOR` set.
pub fn has_colour(stream: &impl IsTerminal) -> bool {
    is_smart(stream) && wants_colour(env::var_os("NO_COLOR"))
}

/// Returns whether a stream is a terminal that can move the cursor, unlike one with `TERM=dumb`.
fn is_smart(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && can_redraw(env::var_os("TERM"))
}

/// Returns whether the value of the variable `NO_COLOR` allows colours: it is missing or empty.
fn wants_colour(no_color: Option<OsString>) -> bool {
    no_color.is_none_or(|value| value.is_empty())
}

fn can_redraw(term: Option<OsString>) -> bool {
    term.is_none_or(|term| term != "dumb")
}

/// Formats a count with a noun: `1 document`, `2 documents`.
#[cfg(feature = "index")]
pub fn counted(count: u64, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

/// Writes a text and a line end to standard error, above the progress bar if there is one.
fn write_line(text: &str) {
    Log::write_or_drop(format!("{text}\n").as_bytes());
}

/// Writer of log lines to standard error, above the progress bar if there is one. Messages that cannot be written are
/// dropped, so that a full disk or a closed pipe does not end a run or service.
#[derive(Clone, Copy, Debug)]
struct Log;

impl Log {
    fn write_or_drop(line: &[u8]) {
        progress::above_bar(|| drop(io::stderr().write_all(line)));
    }
}

impl Write for Log {
    /// Writes one event of the log as one line. Line ends inside the event are replaced by spaces.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        // The formatter's own colours begin with an escape; those of names it has written in other signs.
        let is_kept = |byte: u8| !byte.is_ascii_control() || matches!(byte, b'\t' | 0x1b);
        let line = event.strip_suffix(b"\n").unwrap_or(event).iter();
        let mut line: Vec<u8> = line.map(|&byte| if is_kept(byte) { byte } else { b' ' }).collect();
        line.push(b'\n');
        Self::write_or_drop(&line);
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        *self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_told_once() {
        /// Write error whose message includes that of its cause, as in `rmp_serde`.
        #[derive(Debug)]
        struct Write(std::io::Error);
        impl Display for Write {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "invalid value write: {}", self.0)
            }
        }
        impl std::error::Error for Write {
            fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
                Some(&self.0)
            }
        }
        let error = anyhow::Error::new(Write(std::io::Error::other("no room")));
        let error = error.context("out.msgpack");
        assert_eq!(format!("{error:#}"), "out.msgpack: invalid value write: no room: no room");
        assert_eq!(causes(&error), "out.msgpack: invalid value write: no room");
    }

    #[test]
    fn the_environment_is_heard() {
        let set = |text: &str| Some(OsString::from(text));
        assert!(wants_colour(None) && wants_colour(set("")));
        assert!(!wants_colour(set("1")) && !wants_colour(set("0")));
        assert!(can_redraw(None) && can_redraw(set("xterm-256color")));
        assert!(!can_redraw(set("dumb")));
    }

    #[test]
    #[cfg(feature = "index")]
    fn one_thing_is_not_several() {
        assert_eq!(counted(1, "document"), "1 document");
        assert_eq!(counted(0, "document"), "0 documents");
        assert_eq!(counted(2, "hit"), "2 hits");
    }
}
