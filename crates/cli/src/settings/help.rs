//! The help for options of settings: a line for `-h`, and all that there is for `--help`.

use clap::Arg;
use trommel::{ByteSize, Field, Kind, Value, parts};

/// The settings that `-h` of a run shows, each with its line and its place among all options.
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

/// The place of an option that `-h` leaves out.
pub const LATER: usize = 100;

/// The option of a setting with its help. In a command with `many` options, `-h` shows the usual ones alone, and all
/// others stand below the heading of their part.
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

/// The heading of the options of a part.
fn heading(part: &str) -> &'static str {
    match parts().iter().find(|(name, _)| name == part) {
        Some((_, doc)) => doc.trim_end_matches('.'),
        None => "Model",
    }
}

/// The first sentence about a setting, and its default.
fn short(field: &Field) -> String {
    let doc = field.doc.split(" [default").next().unwrap_or_default();
    let sentence = doc.split(". ").next().unwrap_or_default().trim_end_matches('.');
    match default(field) {
        Some(default) => format!("{sentence} [default: {default}]"),
        None => sentence.to_owned(),
    }
}

/// All about a setting: its purpose, its default and its values.
fn long(field: &Field) -> String {
    let doc = field.doc.trim_end_matches('.');
    let doc = match default(field).filter(|_| !doc.contains("[default:")) {
        Some(default) => format!("{doc} [default: {default}]"),
        None => doc.to_owned(),
    };
    match &field.kind {
        Kind::OneOf(values) => format!("{doc}\n\nPossible values:\n{}", listed(values)),
        // Of long lists the names are enough.
        Kind::ListOf(values) if values.len() > 8 => {
            let names: Vec<&str> = values.iter().map(|value| value.name.as_str()).collect();
            format!("{doc} [possible values: {}]", names.join(", "))
        }
        Kind::ListOf(values) => format!("{doc}\n\nPossible values:\n{}", listed(values)),
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

fn default(field: &Field) -> Option<String> {
    match (&field.kind, &field.default) {
        (Kind::Bytes, serde_json::Value::Number(bytes)) => bytes.as_u64().map(|bytes| ByteSize(bytes).to_string()),
        (Kind::OneOf(_), serde_json::Value::String(name)) => Some(name.clone()),
        _ => None,
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
        assert!(all.contains("[default: exclude]\n\nPossible values:\n- exclude: Left out\n- include"), "{all}");
        let (one, all) = help("max_memory");
        assert_eq!(one, "Maximum memory for records and pages in progress");
        assert!(all.contains("It lowers max_record"), "{all}");
        assert!(help("include").1.contains("[possible values: headline, body, "));
    }
}
