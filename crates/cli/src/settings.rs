//! The command line's options for settings, made of the list of choices: one option a choice, under a heading for
//! each part.

use clap::builder::{PossibleValue, PossibleValuesParser, ValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use trommel::{Field, Kind, PartialSettings, fields};

/// Parts that are about archives and their outputs, not about a page.
const OF_RUNS: [&str; 4] = ["archive", "filters", "limits", "output"];

/// Settings of a command that runs over archives.
#[derive(Clone, Debug, Default)]
pub struct RunSettings(pub PartialSettings);

/// Settings of a command that takes single pages.
#[derive(Clone, Debug, Default)]
pub struct PageSettings(pub PartialSettings);

/// The heading of the options of a part.
fn heading(part: &str) -> &'static str {
    match part {
        "content" => "What counts as main text",
        "text" => "How text is written",
        "include" => "What is listed beside the text",
        "sites" => "Other pages of a site",
        "filters" => "Which documents are kept",
        "archive" => "How archives are read",
        "limits" => "Bounds",
        "output" => "How outputs are encoded",
        _ => "Model",
    }
}

/// The option of a choice.
fn option(field: &'static Field) -> Arg {
    let long = field.name.replace('_', "-");
    let mut arg = Arg::new(field.name.as_str())
        .long(long)
        .help(help(field))
        .help_heading(heading(field.part()));
    arg = match field.name.as_str() {
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
            .hide_possible_values(true)
            .value_name("BOOL"),
        Kind::OneOf(values) => arg.value_parser(parser(values)),
        Kind::ListOf(values) => arg
            .value_parser(parser(values))
            .value_delimiter(',')
            .action(ArgAction::Append)
            .hide_possible_values(values.len() > 6),
        Kind::Texts => arg.value_delimiter(',').action(ArgAction::Append).value_name("NAME,..."),
        Kind::Integer | Kind::Number => arg.value_name("N"),
        Kind::Bytes => arg.value_name("SIZE"),
        _ if field.name == "model" => arg.value_name("NAME|FILE"),
        _ => arg.value_name("FILE"),
    }
}

fn parser(values: &'static [trommel::Value]) -> ValueParser {
    let values = values
        .iter()
        .map(|value| PossibleValue::new(value.name.as_str()).help(value.doc.as_str()));
    PossibleValuesParser::new(values).into()
}

/// What a choice is for, and its default where there is one to tell.
fn help(field: &Field) -> String {
    let doc = field.doc.trim_end_matches('.');
    let default = match (&field.kind, &field.default) {
        (Kind::Bytes, serde_json::Value::Number(bytes)) => {
            let size = bytes.as_u64().map(trommel::ByteSize);
            size.map(|size| size.to_string())
        }
        (Kind::OneOf(_), serde_json::Value::String(name)) => Some(name.clone()),
        _ => None,
    };
    match default {
        Some(default) => format!("{doc} [default: {default}]"),
        None => doc.to_owned(),
    }
}
