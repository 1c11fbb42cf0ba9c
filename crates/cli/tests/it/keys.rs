//! Compares the lists of keys in `docs/reference.md` with the declarations of the keys, or writes them.

use std::fs;

use trommel::record::COLUMNS;
use trommel::{BlockVerdict, Chunk, Document, DocumentTable, Post};
use trommel_text::keys::{Keyed, Shape};

use crate::program::workspace;

/// Formats a key with its type and description as an item of a Markdown list.
fn item(name: &str, kind: &str, about: &str) -> String {
    let kind = if kind.is_empty() { String::new() } else { format!(" ({kind})") };
    let about = about.trim().trim_end_matches('.');
    let mut chars = about.chars();
    let about = match (chars.next(), chars.next()) {
        // The first word is no abbreviation.
        (Some(first), Some(second)) if !second.is_uppercase() => first.to_lowercase().to_string() + &about[1..],
        _ => about.to_owned(),
    };
    let colon = if about.is_empty() { "" } else { ": " };
    format!("- {name}{kind}{colon}{about}")
}

fn list_of<T: Keyed>() -> Vec<String> {
    let items = T::fields().into_iter().map(|field| {
        let kind = match field.shape {
            Shape::Text | Shape::Word | Shape::Address | Shape::Date => "",
            Shape::Int | Shape::Long | Shape::Time => "integer",
            Shape::Number => "number",
            Shape::Boolean => "boolean",
            Shape::Texts => "list of strings",
            Shape::Rows => "list of lists of strings",
            Shape::Object => "object",
            Shape::Objects(_) if field.name == "spans" => "list of lists of 4 integers",
            Shape::Objects(_) => "list of objects",
        };
        item(&format!("`{}`", field.name), kind, field.about)
    });
    items.collect()
}

/// Returns a list item for each column, in order. Neighbours with the same type and description share one item.
fn list_of_columns() -> Vec<String> {
    let mut items: Vec<(Vec<String>, &str, &str)> = Vec::new();
    for field in COLUMNS.iter().map(|column| column.field) {
        let kind = match field.shape {
            Shape::Int => "int32",
            Shape::Long => "int64",
            Shape::Time => "timestamp",
            Shape::Number => "float",
            Shape::Texts => "list of strings",
            _ => "string",
        };
        // A key says the same in a column.
        let is_key = Document::KEYS.iter().any(|key| key.field.name == field.name);
        let about = if is_key { "" } else { field.about };
        let name = format!("`{}`", field.name);
        match items.last_mut() {
            Some((names, last_kind, last_about)) if (*last_kind, *last_about) == (kind, about) => names.push(name),
            _ => items.push((vec![name], kind, about)),
        }
    }
    items.iter().map(|(names, kind, about)| item(&names.join(", "), kind, about)).collect()
}

/// Compares the lists of keys in the reference with those of the code, or writes them if `TROMMEL_BLESS` is set.
#[test]
fn golden_lists_of_keys() {
    let path = workspace().join("docs/reference.md");
    let kept = fs::read_to_string(&path).unwrap();
    let mut text = kept.clone();
    for (heading, items) in [
        ("## Keys of a JSON line", list_of::<Document>()),
        ("### Blocks", list_of::<BlockVerdict>()),
        ("### Tables", list_of::<DocumentTable>()),
        ("### Posts", list_of::<Post>()),
        ("### Chunks", list_of::<Chunk>()),
        ("## Columns of a Parquet file", list_of_columns()),
    ] {
        let (before, rest) = text.split_once(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("no {heading}"));
        let (head, list) = rest.split_once("\n- ").unwrap();
        let (_, after) = list.split_once("\n\n").unwrap();
        text = format!("{before}\n{heading}\n{head}\n{}\n\n{after}", items.join("\n"));
    }
    if std::env::var_os("TROMMEL_BLESS").is_some() {
        fs::write(&path, &text).unwrap();
    } else {
        assert!(text == kept, "docs/reference.md is not that of the code: run `make bless`");
    }
}
