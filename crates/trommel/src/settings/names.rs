//! Names of the settings and their paths, errors about them, and the canonical form of settings.
//!
//! In it every choice has its name and its value. Runs with equal recipes are the same.

use std::{collections::BTreeMap, fmt::Display, sync::LazyLock};

use serde::Serialize;
use serde_json::Value;

use super::Settings;

/// Names and paths of the settings whose name differs from the last part of their path.
pub(super) const NAMES: [(&str, &str); 7] = [
    ("text", "text.form"),
    ("site_memory", "sites.memory"),
    ("sites", "sites.file"),
    ("sites_size", "sites.size"),
    ("exact_duplicates", "filters.duplicates.exact"),
    ("near_duplicates", "filters.duplicates.near"),
    ("duplicates_memory", "filters.duplicates.memory"),
];

/// Default settings as JSON, with every key.
pub(super) static DEFAULTS: LazyLock<Value> =
    LazyLock::new(|| serde_json::to_value(Settings::default()).unwrap_or_default());

/// Path of each setting, by its name.
pub(super) static PATHS: LazyLock<BTreeMap<String, String>> =
    LazyLock::new(|| leaves(&DEFAULTS).into_iter().map(|(path, _)| (name_of(&path).to_owned(), path)).collect());

/// Returns the name of the setting at a path: `links` for `text.links`.
pub(crate) fn name_of(path: &str) -> &str {
    let named = NAMES.iter().find(|(_, known)| *known == path);
    named.map_or_else(|| path.rsplit('.').next().unwrap_or(path), |(name, _)| *name)
}

/// Returns the paths and values of all settings in a table, in the order of their keys.
pub(super) fn leaves(table: &Value) -> Vec<(String, &Value)> {
    let Value::Object(keys) = table else { return vec![(String::new(), table)] };
    let mut found = Vec::new();
    for (key, value) in keys {
        found.extend(leaves(value).into_iter().map(|(path, value)| (joined(key, &path), value)));
    }
    found
}

pub(super) fn joined(path: &str, key: &str) -> String {
    match (path, key) {
        ("", name) | (name, "") => name.to_owned(),
        _ => format!("{path}.{key}"),
    }
}

/// Returns the value at a path of keys separated by dots; none if a key is missing.
pub(super) fn pointed<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(value, |value, key| value.get(key))
}

/// Maximum edit distance at which an unknown name is taken for a misspelt setting.
const MAX_SLIP_DISTANCE: usize = 2;
/// Maximum number of characters of an unknown name to compare and to show: comparing takes the square of its length.
const MAX_NAME_CHARS: usize = 64;

/// Makes the error about an unknown key, which suggests a similar name or lists the known keys.
pub(super) fn unknown(part: &str, key: &str) -> SettingsError {
    let here = if part.is_empty() { Some(&*DEFAULTS) } else { pointed(&DEFAULTS, part) };
    let keys = here.and_then(Value::as_object).into_iter().flatten();
    let mut known: Vec<&str> = keys.map(|(key, _)| key.as_str()).collect();
    if part.is_empty() {
        known.extend(PATHS.keys().map(String::as_str));
    }
    let unknown = |key: &str, hint: String| {
        let key = joined(part, key);
        SettingsError { message: format!("unknown key {key:?}{hint}"), key: Some(key) }
    };
    if let Some((end, _)) = key.char_indices().nth(MAX_NAME_CHARS) {
        let start = key.get(..end).unwrap_or_default();
        return unknown(&format!("{start}..."), ", longer than all of them".to_owned());
    }
    let nearest = known
        .iter()
        .map(|name| (strsim::damerau_levenshtein(key, name), name))
        .min()
        .filter(|(distance, _)| *distance <= MAX_SLIP_DISTANCE);
    let hint = match nearest {
        Some((0, name)) => format!(", but a group of settings: [{name}]"),
        Some((_, name)) => format!(", did you mean {name:?}?"),
        None => {
            known.sort_unstable();
            known.dedup();
            format!(", expected one of {}", known.join(", "))
        }
    };
    unknown(key, hint)
}

/// Error that settings cannot be used, with a message of one line that names the setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct SettingsError {
    /// Path of the setting that the error is about (`text.math`); none if the text is not JSON or TOML at all.
    pub(super) key: Option<String>,
    message: String,
}

impl SettingsError {
    /// Makes the error that the setting `key` has an invalid value, or excludes another setting.
    pub(super) fn of(key: &str, message: impl Display) -> Self {
        Self { key: Some(key.to_owned()), message: format!("{key}: {message}") }
    }

    /// Makes the error that the text of settings cannot be parsed.
    pub(super) fn syntax(message: String) -> Self {
        Self { key: None, message }
    }
}

/// Paths of the settings that change the speed of a run and never its output, or whose effect is recorded elsewhere.
///
/// The output is the same for any number of workers. `max_memory` lowers `max_record` and `max_payload`, whose lowered
/// values are recorded. The last three settings are recorded with the output, whose name decides about those that are
/// not chosen.
const WITHOUT_EFFECT: [&str; 5] =
    ["limits.jobs", "limits.max_memory", "output.format", "output.compress", "output.split_size"];

impl Settings {
    /// Returns the names and values of all settings that change the output.
    pub fn canonical(&self) -> Vec<(String, String)> {
        let all = written(self).unwrap_or_default().into_iter();
        let counted = all.filter(|(path, _)| !WITHOUT_EFFECT.contains(&path.as_str()));
        counted
            .map(|(path, value)| match path.as_str() {
                "model" => (path, self.model_name().to_owned()),
                path => (name_of(path).to_owned(), value),
            })
            .collect()
    }
}

/// Serialises a value; returns the path of each field (`text.links`) and its value as a user would write it.
pub(crate) fn written(value: &impl Serialize) -> serde_json::Result<Vec<(String, String)>> {
    let all = serde_json::to_value(value)?;
    Ok(leaves(&all).into_iter().map(|(path, value)| (path, shown(value))).collect())
}

/// Formats a JSON value as a user would write it: text without quotes, lists with commas, nothing for null.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(shown).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}
