//! List of all settings: names, documentation, values and defaults. All interfaces and their documentation derive from
//! this list.

use std::sync::LazyLock;

use indexmap::IndexMap;
use schemars::generate::SchemaSettings;
use serde::Deserialize;
use serde_json::Value as Json;

use super::Settings;
use super::names::{joined, name_of};

/// Description of one setting: its path, name, documentation, values and default.
///
/// ```
/// use trommel::{Kind, fields, parts};
///
/// let links = fields().iter().find(|field| field.name == "links").unwrap();
/// assert_eq!((links.path.as_str(), links.part(), &links.kind), ("text.links", "text", &Kind::Switch));
/// assert_eq!(links.doc, "Write links into Markdown.");
/// // The interfaces that have it: of single pages, of documents, of requests, and an option of `run`.
/// assert!(links.is_of_pages() && links.is_of_documents() && links.is_of_requests() && links.is_usual());
/// // It does not choose records of archives, and is not only in configuration files.
/// assert!(!links.is_of_records() && !links.is_rare());
/// assert!(parts().iter().any(|(part, doc)| part == "text" && doc == "Form of the text."));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Field {
    /// Path of the setting in [`Settings`], such as `text.links`.
    pub path: String,
    /// Name of the setting, the same in every interface, such as `links`.
    pub name: String,
    /// Purpose of the setting, from the documentation of its field in [`Settings`].
    pub doc: String,
    /// Kind of the values of the setting.
    pub kind: Kind,
    /// Default of the setting; null if it depends on something else.
    pub default: Json,
}

/// Kind of the values of a setting.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Kind {
    /// Switch, which is true or false.
    Switch,
    /// One value of a fixed list.
    OneOf(Vec<Value>),
    /// Any number of values of a fixed list.
    ListOf(Vec<Value>),
    /// List of texts, each of any content.
    Texts,
    /// Whole number.
    Integer,
    /// Number, which may have decimals.
    Number,
    /// Number of bytes, which may have a unit, such as `64M`.
    Bytes,
    /// Text of any content.
    Text,
}

/// One of the possible values of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Value {
    /// Name of the value.
    pub name: String,
    /// Meaning of the value.
    pub doc: String,
}

impl Field {
    /// Returns whether the setting is about a single page: its main text, the form of the text, and further lists.
    pub fn is_of_pages(&self) -> bool {
        matches!(self.part(), "" | "content" | "text" | "include")
    }

    /// Returns whether `trommel run` has an option for the setting. Other settings are chosen in configuration files,
    /// or by `--set NAME=VALUE`.
    pub fn is_usual(&self) -> bool {
        const USUAL: [&str; 21] = [
            "limit", "url", "host", "not_host", "model", "comments", "text", "links", "images", "blocks", "spans",
            "tables", "chunks", "languages", "min_words", "jobs", "max_memory", "format", "compress", "split_size",
            "base_url",
        ];
        USUAL.contains(&self.name.as_str())
    }

    /// Returns whether no command has an option for the setting, so that it needs a file or `--set NAME=VALUE`.
    pub fn is_rare(&self) -> bool {
        matches!(self.path.as_str(), "content.keep" | "content.drop" | "text.names")
    }

    /// Returns whether the setting selects records of archives by their URLs. A single page needs no such selection.
    pub fn is_of_records(&self) -> bool {
        matches!(self.path.as_str(), "filters.url" | "filters.host" | "filters.not_host")
    }

    /// Returns whether the setting is about single documents: a setting of pages, or a filter.
    pub fn is_of_documents(&self) -> bool {
        self.is_of_pages() || self.part() == "filters"
    }

    /// Returns whether a request over the network may choose the setting. Other settings are the operator's: files of
    /// the machine, memory, outputs.
    pub fn is_of_requests(&self) -> bool {
        let is_of_machine = self.path.starts_with("filters.duplicates") || self.path == "text.tokenizer";
        self.is_of_documents() && !is_of_machine && !self.is_of_records()
    }

    /// Returns the part of the settings that the setting belongs to, such as `text`; empty for none.
    pub fn part(&self) -> &str {
        self.path.split_once('.').map_or("", |(part, _)| part)
    }
}

/// Returns the descriptions of all settings, in the order of [`Settings`] and its parts.
pub fn fields() -> &'static [Field] {
    static FIELDS: LazyLock<Vec<Field>> = LazyLock::new(|| {
        let (schema, defaults) = (schema(), ordered());
        let described = leaves(&defaults, "").into_iter().map(|(path, default)| {
            let value = property(&schema, &path);
            let (name, doc, kind) = (name_of(&path).to_owned(), description(value), kind(value));
            Field { path, name, doc, kind, default: default.clone() }
        });
        described.collect()
    });
    &FIELDS
}

/// Returns the name and purpose of each part of the settings.
pub fn parts() -> &'static [(String, String)] {
    static PARTS: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
        let schema = schema();
        let Ordered::Table(keys) = ordered() else { return Vec::new() };
        let tables = keys.into_iter().filter(|(_, value)| matches!(value, Ordered::Table(_)));
        tables.map(|(part, _)| (part.clone(), description(property(&schema, &part)))).collect()
    });
    &PARTS
}

fn schema() -> Json {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<Settings>().to_value()
}

fn ordered() -> Ordered {
    let text = serde_json::to_string(&Settings::default()).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or(Ordered::Value(Json::Null))
}

/// Returns the `description` in a JSON Schema as one line.
fn description(schema: &Json) -> String {
    let text = schema["description"].as_str().unwrap_or_default();
    text.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

/// Returns the part of a JSON Schema that describes the setting at a path such as `text.links`.
fn property<'a>(schema: &'a Json, path: &str) -> &'a Json {
    path.split('.').fold(schema, |schema, key| &schema["properties"][key])
}

fn kind(schema: &Json) -> Kind {
    // Of a choice that may be left open, the schema of its value.
    if let Some(value) = all(schema, "anyOf").find(|value| value["type"] != "null") {
        return kind(value);
    }
    if let Some(values) = values(schema) {
        return Kind::OneOf(values);
    }
    let is = |name: &str| schema["type"] == name || all(schema, "type").any(|value| value == name);
    match () {
        () if schema["format"] == "bytes" => Kind::Bytes,
        () if is("array") => values(&schema["items"]).map_or(Kind::Texts, Kind::ListOf),
        () if is("boolean") => Kind::Switch,
        () if is("integer") => Kind::Integer,
        () if is("number") => Kind::Number,
        () => Kind::Text,
    }
}

/// Returns the values that a JSON Schema allows, with their meanings; none if it does not list them.
fn values(schema: &Json) -> Option<Vec<Value>> {
    let named = |name: &Json, doc| name.as_str().map(|name| Value { name: name.to_owned(), doc });
    let mut found: Vec<Value> = all(schema, "oneOf").filter_map(values).flatten().collect();
    found.extend(named(&schema["const"], description(schema)));
    found.extend(all(schema, "enum").filter_map(|name| named(name, String::new())));
    (!found.is_empty()).then_some(found)
}

/// Returns the items of the list at `key` in a JSON Schema; no items if there is no such list.
fn all<'a>(schema: &'a Json, key: &str) -> impl Iterator<Item = &'a Json> {
    schema[key].as_array().into_iter().flatten()
}

/// Returns the path (`text.links`) and the default value of each setting in nested tables.
fn leaves<'a>(value: &'a Ordered, path: &str) -> Vec<(String, &'a Json)> {
    match value {
        Ordered::Table(keys) => keys.iter().flat_map(|(key, value)| leaves(value, &joined(path, key))).collect(),
        Ordered::Value(value) => vec![(path.to_owned(), value)],
    }
}

/// JSON value whose tables keep the order in which they were written, which is that of the fields of a struct.
#[derive(Deserialize)]
#[serde(untagged)]
enum Ordered {
    Table(IndexMap<String, Ordered>),
    Value(Json),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(name: &str) -> &'static Field {
        fields().iter().find(|field| field.name == name).unwrap()
    }

    #[test]
    fn every_choice_says_what_it_is() {
        for Field { path, doc, kind, .. } in fields() {
            assert!(doc.len() > 5, "{path} has no documentation");
            if let Kind::OneOf(values) = kind {
                for value in values {
                    assert!(!value.doc.is_empty(), "{path}: {} has no documentation", value.name);
                }
            }
        }
        for (part, doc) in parts() {
            assert!(!doc.is_empty(), "{part}");
        }
    }

    #[test]
    fn kinds_and_defaults_are_those_of_the_fields() {
        let names = |kind: &Kind| match kind {
            Kind::OneOf(values) | Kind::ListOf(values) => {
                values.iter().map(|value| value.name.clone()).collect::<Vec<_>>().join(" ")
            }
            other => format!("{other:?}"),
        };
        assert_eq!(names(&field("comments").kind), "exclude include separate");
        assert_eq!(field("comments").default, "exclude");
        assert_eq!(names(&field("text").kind), "plain markdown");
        assert!(names(&field("include").kind).starts_with("headline body comment"));
        assert_eq!(field("links").kind, Kind::Switch);
        assert_eq!(field("max_record").kind, Kind::Bytes);
        assert_eq!(field("max_memory").kind, Kind::Bytes);
        assert_eq!(field("min_words").kind, Kind::Integer);
        assert_eq!(field("min_confidence").kind, Kind::Number);
        assert_eq!(field("languages").kind, Kind::Texts);
        assert_eq!(names(&field("compress").kind), "zst gz none");
        assert_eq!(field("compress").default, Json::Null);
        let order: Vec<&str> = fields().iter().map(|field| field.path.as_str()).take(4).collect();
        assert_eq!(order, ["model", "content.comments", "content.headline", "content.articles"]);
        assert_eq!(parts().first().map(|(part, _)| part.as_str()), Some("content"));
    }
}
