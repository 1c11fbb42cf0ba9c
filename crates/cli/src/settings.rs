//! The command-line options for settings. They are generated from the list of settings: one option for each,
//! under a heading for each part.

mod help;

use std::marker::PhantomData;
use std::path::PathBuf;

use anyhow::Result;
use clap::builder::{PossibleValue, PossibleValuesParser, ValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use trommel::run::NetworkOptions;
use trommel::run::load_config;
use trommel::{Field, Kind, PartialSettings, Settings, fields};

pub use help::LATER;
use help::with_help;

/// The settings of a command.
pub trait Scope {
    /// True if it has so many options that `-h` shows the usual ones alone.
    const HAS_MANY: bool = false;
    /// Examples below its help.
    const EXAMPLES: &str = "";

    /// Returns whether the command has this one.
    fn has(field: &Field) -> bool;

    /// Returns whether it has an option of its own, not only `--set`.
    fn is_option(_: &Field) -> bool {
        true
    }
}

/// Commands that run over archives: they take all settings.
#[derive(Clone, Copy, Debug)]
pub struct RunCommands;

/// The run that writes facts about pages and no text.
#[derive(Clone, Copy, Debug)]
pub struct AnnotateCommands;

/// Commands that take single pages.
#[derive(Clone, Copy, Debug)]
pub struct PageCommands;

/// The service, which has its own bounds and its own site memory.
#[cfg(feature = "serve")]
#[derive(Clone, Copy, Debug)]
pub struct ServiceCommands;

/// Commands that read the documents of archives without writing the outputs of a run.
#[derive(Clone, Copy, Debug)]
pub struct DocumentCommands;

/// Commands that list records.
#[derive(Clone, Copy, Debug)]
pub struct ListCommands;

/// Commands that only judge pages of archives.
#[derive(Clone, Copy, Debug)]
pub struct JudgingCommands;

impl Scope for RunCommands {
    const HAS_MANY: bool = true;
    const EXAMPLES: &str = "\
Examples:
  trommel run crawl.warc.gz -o out.jsonl.zst
  trommel run 'crawl/*.warc.gz' -o out/ -f parquet --languages en --min-words 50
  trommel run crawl.warc.gz -o - --limit 10 --markdown --url '*/blog/*'
  trommel run s3://bucket/crawl/ -o out/ --chunks words=400 --resume";

    fn has(_: &Field) -> bool {
        true
    }

    fn is_option(field: &Field) -> bool {
        field.is_usual()
    }
}

impl Scope for AnnotateCommands {
    const HAS_MANY: bool = true;
    const EXAMPLES: &str = "\
Examples:
  trommel annotate crawl.warc.gz -o annotations.parquet
  trommel annotate 'crawl/*.warc.gz' -o out/ --resume
  trommel annotate crawl.warc.gz -o few.parquet --limit 1000 --host example.org
  trommel run --select annotations.parquet -o out.jsonl.zst";

    fn has(field: &Field) -> bool {
        let is_of_texts = matches!(field.part(), "text" | "include");
        !is_of_texts && !matches!(field.path.as_str(), "output.format" | "output.compress")
    }

    fn is_option(field: &Field) -> bool {
        field.is_usual()
    }
}

impl Scope for PageCommands {
    fn has(field: &Field) -> bool {
        field.is_of_pages()
    }
}

#[cfg(feature = "serve")]
impl Scope for ServiceCommands {
    fn has(field: &Field) -> bool {
        (field.is_of_documents() && !field.is_of_records()) || field.name == "jobs"
    }
}

impl Scope for DocumentCommands {
    fn has(field: &Field) -> bool {
        let is_listed = field.part() == "include";
        (field.is_of_documents() && !is_listed) || field.name == "jobs"
    }
}

impl Scope for ListCommands {
    fn has(field: &Field) -> bool {
        field.is_of_records()
    }
}

impl Scope for JudgingCommands {
    fn has(field: &Field) -> bool {
        matches!(field.name.as_str(), "model" | "jobs" | "sites_size")
    }
}

/// Settings as the command line chooses them, and the configuration file below them.
#[derive(Clone, Debug)]
pub struct SettingsArgs<S> {
    /// The settings that the options choose.
    pub chosen: PartialSettings,
    config: Option<PathBuf>,
    scope: PhantomData<S>,
}

impl<S: Scope> SettingsArgs<S> {
    /// The configuration file.
    pub fn config(&self) -> Option<&PathBuf> {
        self.config.as_ref()
    }

    /// The settings in the configuration file.
    pub fn file(&self) -> Result<PartialSettings> {
        Ok(match &self.config {
            Some(path) => load_config(path, &NetworkOptions::default())?,
            None => PartialSettings::default(),
        })
    }

    /// The settings: the options win over the file.
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
                    .display_order(if S::HAS_MANY { 8 } else { 0 })
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
                let markdown = with_help(markdown, field, S::HAS_MANY)
                    .help("Write the text as Markdown")
                    .long_help("Write the text as Markdown");
                command = command.arg(if S::is_option(field) { markdown.conflicts_with("text") } else { markdown });
            }
            if S::is_option(field) {
                command = command.arg(with_help(option(field), field, S::HAS_MANY));
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
                let (name, value) = given.split_once('=').unwrap_or((given, ""));
                let field = fields().iter().find(|field| field.name == name && S::has(field));
                let field = field.ok_or_else(|| wrong(&format!("--set {given}: expected NAME=VALUE of a setting")))?;
                self.set(field, value)?;
            }
        }
        for field in fields().iter().filter(|field| S::has(field) && S::is_option(field)) {
            let Some(values) = matches.get_many::<String>(&field.name) else { continue };
            let values: Vec<&str> = values.map(String::as_str).collect();
            match field.kind {
                // One by one: a URL has commas of its own.
                Kind::Texts => self.chosen.set(&field.path, values).map_err(|error| wrong(&error.to_string()))?,
                _ => self.set(field, &values.join(","))?,
            }
        }
        if matches!(matches.try_get_one("markdown"), Ok(Some(true))) {
            self.chosen.set("text.form", "markdown").map_err(|error| wrong(&error.to_string()))?;
        }
        Ok(())
    }
}

impl<S> SettingsArgs<S> {
    fn set(&mut self, field: &Field, text: &str) -> Result<(), Error> {
        self.chosen.set_text(&field.path, text).map_err(|error| wrong(&error.to_string()))
    }
}

fn wrong(message: &str) -> Error {
    Error::raw(clap::error::ErrorKind::ValueValidation, format!("{message}\n"))
}

/// The option of a choice.
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

/// Takes a text that is a value of the choice.
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
