//! `trommel wacz`: adds main text to WACZ files.

use std::{collections::HashMap, path::PathBuf};

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use trommel::archive::wacz::{Container, write_texts};
use trommel::record::AtomicFile;
use trommel::run::{Input, Outcome};

use crate::messages::say;
use crate::settings::{DocumentCommands, SettingsArgs};
use crate::{exit::Exit, files, files::Archives};

/// Add main text to WACZ files
#[derive(Debug, Args)]
pub struct WaczArgs {
    #[command(subcommand)]
    command: WaczCommand,
}

#[derive(Debug, Subcommand)]
enum WaczCommand {
    Text(TextArgs),
}

/// Write the main text of each listed page into `text` of pages/*.jsonl, where viewers search
///
/// Archives and indexes are copied byte for byte, and datapackage.json gets the new hashes. Pages without
/// extracted text keep theirs.
#[derive(Debug, Args)]
struct TextArgs {
    /// WACZ file to read
    #[arg(value_name = "WACZ")]
    input: PathBuf,

    /// WACZ file to write
    #[arg(short, long, value_name = "WACZ")]
    output: PathBuf,

    /// Replace an existing output
    #[arg(long)]
    overwrite: bool,

    #[command(flatten)]
    settings: SettingsArgs<DocumentCommands>,
}

/// Runs `trommel wacz`. Returns exit code 0 on success, and 1 if a part of the WACZ file could not be read.
///
/// # Errors
/// Fails, with exit code 2, if the input is not a WACZ file or the output cannot be written.
pub fn run(args: &WaczArgs) -> Result<Exit> {
    match &args.command {
        WaczCommand::Text(args) => text(args),
    }
}

/// Map from each URL to its captures: the time as digits, and the text.
type Texts = HashMap<String, Vec<(String, String)>>;

fn text(args: &TextArgs) -> Result<Exit> {
    let TextArgs { input, output, .. } = args;
    let container = Container::open(input)?;
    files::claim(output, args.overwrite, [input])?;
    let mut texts = Texts::new();
    let mut settings = args.settings.settings()?;
    // Captures that repeat another have its content.
    settings.archive.resolve_revisits = true;
    let archives = Archives::new(vec![Input::File(input.clone())], settings)?;
    let summary = archives.documents(|document| {
        if let (Some(url), false) = (document.url, document.text.is_empty()) {
            let date = digits(document.date.as_deref().unwrap_or_default());
            texts.entry(without_fragment(&url).to_owned()).or_default().push((date, document.text));
        }
        Ok(())
    })?;
    if summary.outcome() == Outcome::Nothing {
        return Ok(Exit::Fatal);
    }
    let named = || output.display().to_string();
    let mut file = AtomicFile::create(output).with_context(named)?;
    let (_, written) = write_texts(&container, &mut file, &mut |url, ts| {
        nearest(texts.get(without_fragment(url))?, &digits(ts)).map(str::to_owned)
    })?;
    file.finish().with_context(named)?;
    say(&summary.to_string());
    say(&format!("{} of {} listed pages have an extracted text", written.texts, written.pages));
    if written.unsigned {
        say("the signature of the input is left out: it is not one of this file");
    }
    Ok(Exit::of_run(&summary))
}

fn without_fragment(url: &str) -> &str {
    url.split('#').next().unwrap_or(url)
}

/// Returns the digits of a time, down to seconds (14 digits).
fn digits(time: &str) -> String {
    time.chars().filter(char::is_ascii_digit).take(14).collect()
}

/// Returns the text whose capture is nearest to `time`, given texts with their times as digits.
fn nearest<'a>(texts: &'a [(String, String)], time: &str) -> Option<&'a str> {
    let wanted = seconds(time);
    let best = texts.iter().min_by_key(|(date, _)| (seconds(date) - wanted).abs());
    best.map(|(_, text)| text.as_str())
}

/// Converts a time in digits to seconds since year 0, as if all months had 31 days; precise enough to find the nearest.
fn seconds(digits: &str) -> i64 {
    let field = |at: usize, length: usize| {
        let field = digits.get(at..at + length);
        field.and_then(|field| field.parse().ok()).unwrap_or(0)
    };
    let days = (field(0, 4) * 12 + field(4, 2)) * 31 + field(6, 2);
    ((days * 24 + field(8, 2)) * 60 + field(10, 2)) * 60 + field(12, 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_capture_counts() {
        let texts =
            [("20240501120000", "a"), ("20240601000000", "b")].map(|(date, text)| (date.to_owned(), text.to_owned()));
        assert_eq!(nearest(&texts, &digits("2024-05-01T12:00:00.5Z")), Some("a"));
        assert_eq!(nearest(&texts, &digits("2024-05-31T00:00:00Z")), Some("b"));
        assert_eq!(nearest(&texts, ""), Some("a"));
        assert_eq!(nearest(&[], "1"), None);
    }
}
