//! Generates command-line options from the list of settings, and help for the options.
//!
//! Each setting has an option, under the heading of its part. Help is one line for `-h`, and the whole text for
//! `--help`.

use std::{fmt::Display, marker::PhantomData, path::PathBuf};

use anyhow::Result;
use clap::builder::{PossibleValue, PossibleValuesParser, ValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use trommel::run::{NetworkOptions, load_config};
use trommel::{ByteSize, Field, Kind, PartialSettings, Settings, Value, fields, parts};

/// Scope: the settings that a kind of command accepts as options.
pub trait Scope {
    /// Examples printed below the help of the command; empty if it has none.
    const EXAMPLES: &str;

    /// Returns whether the command accepts the setting `field`.
    fn has(field: &Field) -> bool;

    /// Returns whether the command has so many options that `-h` shows only the usual ones. This holds for commands
    /// with examples.
    fn has_many() -> bool {
        !Self::EXAMPLES.is_empty()
    }

    /// Returns whether the setting has its own option; other settings are accepted by `--set` only.
    fn is_option(field: &Field) -> bool {
        if Self::has_many() { field.is_usual() } else { !field.is_rare() }
    }
}

/// Declares the kinds of commands, each with the settings that it accepts and its optional examples.
macro_rules! scopes {
    ($($(#[doc = $doc:literal])+ $(#[cfg($condition:meta)])? $kind:ident: $has:expr $(, $examples:literal)?;)+) => {$(
        $(#[doc = $doc])+
        $(#[cfg($condition)])?
        #[derive(Clone, Copy, Debug)]
        pub struct $kind;

        $(#[cfg($condition)])?
        impl Scope for $kind {
            const EXAMPLES: &str = concat!($($examples)?);

            fn has(field: &Field) -> bool {
                let has: fn(&Field) -> bool = $has;
                has(field)
            }
        }
    )+};
}

scopes! {
    /// Settings that commands over archives accept: all.
    RunCommands: |_| true, "\
Examples:
  trommel run crawl.warc.gz -o out.jsonl.zst
  trommel run 'crawl/*.warc.gz' -o out/ -f parquet --languages en --min-words 50
  trommel run crawl.warc.gz -o - --limit 10 --markdown --url '*/blog/*'
  trommel run s3://bucket/crawl/ -o out/ --chunks words=400 --resume";

    /// Settings that `annotate` accepts, which writes facts about pages without text: all but those about text, lists
    /// beside the text, format and compression.
    AnnotateCommands: |field| {
        let is_of_texts = matches!(field.part(), "text" | "include");
        !is_of_texts && !matches!(field.path.as_str(), "output.format" | "output.compress")
    }, "\
Examples:
  trommel annotate crawl.warc.gz -o annotations.parquet
  trommel annotate 'crawl/*.warc.gz' -o out/ --resume
  trommel annotate crawl.warc.gz -o few.parquet --limit 1000 --host example.org
  trommel run --select annotations.parquet -o out.jsonl.zst";

    /// Settings that commands for single pages accept: those about one page, such as the form of its text.
    PageCommands: Field::is_of_pages;

    /// Settings that `serve` accepts: those about pages, filters except those by URL or host, and `jobs`.
    #[cfg(feature = "serve")]
    ServiceCommands: |field| (field.is_of_documents() && !field.is_of_records()) || field.name == "jobs";

    /// Settings for commands that read archives but write no outputs: those about pages except `include`, filters,
    /// `jobs`.
    DocumentCommands: |field| (field.is_of_documents() && field.part() != "include") || field.name == "jobs";

    /// Settings that commands that list records accept: those that select records by URL or host.
    ListCommands: Field::is_of_records;

    /// Settings for commands that only count the blocks of sites: model, number of threads, memory for the counts.
    JudgingCommands: |field| matches!(field.name.as_str(), "model" | "jobs" | "sites_size");
}

/// Settings from the options of the command line, and the configuration file that supplies the others.
#[derive(Clone, Debug)]
pub struct SettingsArgs<S> {
    /// Settings that options of the command line choose.
    pub chosen: PartialSettings,
    /// Path or URL of the configuration file.
    pub config: Option<PathBuf>,
    scope: PhantomData<S>,
}

impl<S: Scope> SettingsArgs<S> {
    /// Reads the settings in the configuration file; none if no file is given.
    pub fn file(&self) -> Result<PartialSettings> {
        Ok(match &self.config {
            Some(path) => load_config(path, &NetworkOptions::default())?,
            None => PartialSettings::default(),
        })
    }

    /// Returns all settings: those of the command line, then those of the configuration file, then defaults.
    pub fn settings(&self) -> Result<Settings> {
        Ok(self.chosen.clone().over(self.file()?).settings()?)
    }
}

impl<S: Scope> Args for SettingsArgs<S> {
    fn augment_args(command: Command) -> Command {
        let mut command = command;
        if fields().iter().filter(|field| S::has(field)).count() > 3 {
            command = command.arg(
                Arg::new("config")
                    .long("config")
                    .value_name("FILE")
                    .value_parser(clap::value_parser!(PathBuf))
                    .display_order(if S::has_many() { 8 } else { 0 })
                    .help("Configuration file (TOML), or its URL; options override it")
                    .long_help("Configuration file (TOML), or its URL, with any of the settings. Options override it"),
            );
        }
        if fields().iter().any(|field| S::has(field) && !S::is_option(field)) {
            command = command.arg(
                Arg::new("set")
                    .long("set")
                    .value_name("NAME=VALUE")
                    .action(ArgAction::Append)
                    .display_order(20)
                    .help("Any other setting (docs/settings.md). Can be repeated"),
            );
        }
        for field in fields().iter().filter(|field| S::has(field)) {
            if field.path == "text.form" {
                let markdown = Arg::new("markdown").long("markdown").action(ArgAction::SetTrue);
                let markdown = with_help(markdown, field, S::has_many())
                    .help("Write the text as Markdown")
                    .long_help("Write the text as Markdown");
                command = command.arg(if S::is_option(field) { markdown.conflicts_with("text") } else { markdown });
            }
            if S::is_option(field) {
                command = command.arg(with_help(option(field), field, S::has_many()));
            }
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<S: Scope> FromArgMatches for SettingsArgs<S> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut args = Self {
            chosen: PartialSettings::default(),
            config: matches.try_get_one("config").ok().flatten().cloned(),
            scope: PhantomData,
        };
        args.update_from_arg_matches(matches)?;
        Ok(args)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        if let Ok(Some(values)) = matches.try_get_many::<String>("set") {
            for given in values {
                let refused = |why: &dyn Display| wrong(format!("--set {given}: {why}"));
                let (name, value) = given.split_once('=').ok_or_else(|| refused(&"expected NAME=VALUE"))?;
                let field = fields().iter().find(|field| (field.name == name || field.path == name) && S::has(field));
                // A name that nothing has is refused here too, with the one that was meant.
                let set = self.chosen.set_text(field.map_or(name, |field| &field.path), value);
                set.map_err(|error| refused(&error))?;
                field.ok_or_else(|| refused(&"not a setting of this command"))?;
            }
        }
        for field in fields().iter().filter(|field| S::has(field) && S::is_option(field)) {
            let Some(values) = matches.get_many::<String>(&field.name) else { continue };
            let values: Vec<&str> = values.map(String::as_str).collect();
            let set = match field.kind {
                // One by one: a URL has commas of its own.
                Kind::Texts => self.chosen.set(&field.path, values),
                _ => self.chosen.set_text(&field.path, &values.join(",")),
            };
            set.map_err(wrong)?;
        }
        if matches!(matches.try_get_one("markdown"), Ok(Some(true))) {
            self.chosen.set("text.form", "markdown").map_err(wrong)?;
        }
        Ok(())
    }
}

fn wrong(message: impl Display) -> Error {
    Error::raw(clap::error::ErrorKind::ValueValidation, format!("{message}\n"))
}

/// Creates the command-line option of a setting.
fn option(field: &'static Field) -> Arg {
    // They are in the long help.
    let arg = Arg::new(field.name.as_str()).long(field.name.replace('_', "-")).hide_possible_values(true);
    let arg = match field.name.as_str() {
        "format" => arg.short('f'),
        "jobs" => arg.short('j'),
        _ => arg,
    };
    match &field.kind {
        Kind::Switch => arg
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true")
            .value_parser(["true", "false"])
            .value_name("BOOL"),
        Kind::OneOf(values) => arg.value_parser(names(values)).value_name("NAME"),
        // Of long lists the names are enough.
        Kind::ListOf(values) => arg
            .value_parser(match values.len() {
                0..=8 => names(values),
                _ => PossibleValuesParser::new(values.iter().map(|value| &*value.name)).into(),
            })
            .value_delimiter(',')
            .action(ArgAction::Append)
            .value_name("NAME,..."),
        Kind::Texts if field.path == "filters.url" => {
            arg.value_parser(value_of(field)).action(ArgAction::Append).value_name("PATTERN")
        }
        Kind::Texts => {
            let arg = arg.value_parser(value_of(field)).value_delimiter(',').action(ArgAction::Append);
            arg.value_name(if field.is_of_records() { "NAME|FILE" } else { "NAME,..." })
        }
        kind => arg.value_parser(value_of(field)).allow_negative_numbers(true).value_name(
            match (kind, field.name.as_str()) {
                (Kind::Bytes, _) => "SIZE",
                (Kind::Text, "model") => "NAME|FILE",
                (Kind::Text, "base_url") => "URL|FOLDER",
                (Kind::Text, "hard_share") => "SHARE",
                (Kind::Text, "chunks") => "SIZE",
                (Kind::Text, _) => "FILE",
                _ => "N",
            },
        ),
    }
}

fn names(values: &'static [trommel::Value]) -> ValueParser {
    let values = values.iter();
    let values = values.map(|value| PossibleValue::new(value.name.as_str()).help(value.doc.trim_end_matches('.')));
    PossibleValuesParser::new(values).into()
}

/// Returns a parser that accepts a text if it is a valid value of the setting.
fn value_of(field: &'static Field) -> ValueParser {
    ValueParser::new(move |text: &str| -> Result<String, String> {
        let set = PartialSettings::default().set_text(&field.path, text);
        set.map(|()| text.to_owned()).map_err(|error| {
            let message = error.to_string();
            // Of a list, each item is read by itself.
            let named = [format!("{}: ", field.path), format!("{}[0]: ", field.path)];
            let unnamed = named.iter().find_map(|named| message.strip_prefix(named));
            unnamed.unwrap_or(&message).to_owned()
        })
    })
}

/// Settings that `-h` shows for `run`, each with its display order among all options and its line of help.
const FIRST: [(&str, usize, &str); 13] = [
    ("format", 2, "jsonl, parquet, wet, msgpack ... [default: by the name of OUT]"),
    ("jobs", 3, "Worker threads, which do not change the output [default: all cores]"),
    ("limit", 6, "End after so many documents"),
    ("url", 7, "Keep URLs like '*/blog/*'. Can be repeated"),
    ("host", 11, "Keep these hosts, or those in a file"),
    ("not_host", 12, "Drop these hosts, or those in a file"),
    ("languages", 13, "Keep texts in these languages: en,de"),
    ("min_words", 14, "Keep texts of at least so many words"),
    ("text", 15, "Write the text as Markdown"),
    ("links", 16, "Write links into Markdown"),
    ("comments", 17, "Readers' comments: exclude, include, separate [default: exclude]"),
    ("chunks", 18, "Divide texts into chunks for retrieval: words=400"),
    ("model", 19, "fast, lite or a model file [default: fast]"),
];

/// Position in the help of options that `-h` leaves out: after all others.
pub const LATER: usize = 100;

/// Adds help to the option of a setting. If the command has `many` options, `-h` shows only the usual ones, and the
/// others are listed under the heading of their part.
pub fn with_help(arg: Arg, field: &Field, many: bool) -> Arg {
    let arg = arg.long_help(long(field));
    if !many {
        return arg.help(short(field)).help_heading(heading(field.part()));
    }
    // `--markdown` says the same.
    let arg = if arg.get_id() == "text" { arg.hide(true) } else { arg };
    match FIRST.iter().find(|(name, ..)| *name == field.name) {
        Some((_, place, line)) => arg.help(*line).display_order(*place),
        None => arg.help(short(field)).help_heading(heading(field.part())).hide_short_help(true),
    }
}

/// Returns the heading above the options of a part of the settings.
fn heading(part: &str) -> &'static str {
    let named = parts().iter().find(|(name, _)| name == part);
    named.map_or("Model", |(_, doc)| doc.trim_end_matches('.'))
}

/// Returns the short help of a setting: the first sentence of its description, and its default.
fn short(field: &Field) -> String {
    let doc = field.doc.split(" [default").next().unwrap_or_default();
    with_default(doc.split(". ").next().unwrap_or_default().trim_end_matches('.'), field)
}

/// Returns the long help of a setting: its description, its default and its possible values.
fn long(field: &Field) -> String {
    let doc = with_default(field.doc.trim_end_matches('.'), field);
    match &field.kind {
        // Of long lists the names are enough.
        Kind::ListOf(values) if values.len() > 8 => {
            let names: Vec<&str> = values.iter().map(|value| value.name.as_str()).collect();
            format!("{doc} [possible values: {}]", names.join(", "))
        }
        Kind::OneOf(values) | Kind::ListOf(values) => format!("{doc}\n\nPossible values:\n{}", listed(values)),
        _ => doc,
    }
}

fn listed(values: &[Value]) -> String {
    let lines = values.iter().map(|value| match value.doc.trim_end_matches('.') {
        "" => format!("- {}", value.name),
        doc => format!("- {}: {doc}", value.name),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Appends the default of a setting to a help text, unless the text states it or the setting has none to show.
fn with_default(text: &str, field: &Field) -> String {
    let default = match (&field.kind, &field.default) {
        (Kind::Bytes, serde_json::Value::Number(bytes)) => bytes.as_u64().map(|bytes| ByteSize(bytes).to_string()),
        (Kind::OneOf(_), serde_json::Value::String(name)) => Some(name.clone()),
        _ => None,
    };
    match default.filter(|_| !text.contains("[default:")) {
        Some(default) => format!("{text} [default: {default}]"),
        None => text.to_owned(),
    }
}

/// Heading above the options for inputs behind URLs, in the help.
const REMOTE: &str = "Inputs behind URLs";

/// Options for inputs behind URLs.
#[derive(Debug, Args)]
pub struct NetworkArgs {
    /// Follow redirects and names in a multi-WACZ to other hosts, including this machine and its network
    #[arg(long, help_heading = REMOTE, hide_short_help = true)]
    follow_hosts: bool,
}

impl NetworkArgs {
    /// Returns the network options: those of the command line, and defaults for the others.
    pub fn options(&self) -> NetworkOptions {
        NetworkOptions { follow_hosts: self.follow_hosts, ..NetworkOptions::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel::fields;

    #[test]
    fn what_a_run_shows_first_has_an_option() {
        for (name, place, line) in FIRST {
            let field = fields().iter().find(|field| field.name == name).unwrap();
            assert!(field.is_usual() || name == "text", "{name}");
            assert!(place < LATER && line.len() < 70, "{name}");
        }
    }

    #[test]
    fn the_short_help_is_the_first_sentence() {
        let help = |name: &str| {
            let field = fields().iter().find(|field| field.name == name).unwrap();
            (short(field), long(field))
        };
        let (one, all) = help("comments");
        assert_eq!(one, "Treatment of readers' comments; posts of a forum are main text [default: exclude]");
        assert!(
            all.contains("[default: exclude]\n\nPossible values:\n- exclude: Comments are left out\n- include"),
            "{all}"
        );
        let (one, all) = help("max_memory");
        assert_eq!(one, "Maximum memory for records and pages in progress");
        assert!(all.contains("It lowers max_record"), "{all}");
        assert!(help("include").1.contains("[possible values: headline, body, "));
    }
}
