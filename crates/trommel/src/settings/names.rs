//! Names of the settings and their paths, errors about them, and the canonical form of settings.
//!
//! In it every choice has its name and its value. Runs with equal recipes are the same.

use std::{collections::BTreeMap, fmt::Display, sync::LazyLock};

use serde::Serialize;
use serde_json::Value;

use super::Settings;

/// Names of choices that are not the last part of their path.
pub(super) const NAMES: [(&str, &str); 7] = [
    ("text", "text.form"),
    ("site_memory", "sites.memory"),
    ("sites", "sites.file"),
    ("sites_size", "sites.size"),
    ("exact_duplicates", "filters.duplicates.exact"),
    ("near_duplicates", "filters.duplicates.near"),
    ("duplicates_memory", "filters.duplicates.memory"),
];

/// The settings that nobody chose, as JSON: it has every key.
pub(super) static DEFAULTS: LazyLock<Value> =
    LazyLock::new(|| serde_json::to_value(Settings::default()).unwrap_or_default());

/// The path of each choice by its name.
pub(super) static PATHS: LazyLock<BTreeMap<String, String>> =
    LazyLock::new(|| leaves(&DEFAULTS).into_iter().map(|(path, _)| (name_of(&path).to_owned(), path)).collect());

/// The name of the setting at a path, the same in every interface.
pub(crate) fn name_of(path: &str) -> &str {
    let named = NAMES.iter().find(|(_, known)| *known == path);
    named.map_or_else(|| path.rsplit('.').next().unwrap_or(path), |(name, _)| *name)
}

/// Paths and values of all choices in a table, in the order of their names.
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

/// The value at a path of keys divided by points.
pub(super) fn pointed<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(value, |value, key| value.get(key))
}

/// Maximum distance at which a name is taken for a slip of another.
const MAX_SLIP_DISTANCE: usize = 2;
/// Characters of a name that is compared, and repeated in the error. Comparing takes the square of its length.
const MAX_NAME_CHARS: usize = 64;

/// The error about a key that nothing has.
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

/// Reason why settings cannot be used, in one line that names the choice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct SettingsError {
    /// The choice that the error is about, with its parts (`text.math`); none if the text is not JSON or TOML at all.
    pub(super) key: Option<String>,
    message: String,
}

impl SettingsError {
    /// The value of a choice is none of its values, or excludes another choice.
    pub(super) fn of(key: &str, message: impl Display) -> Self {
        Self { key: Some(key.to_owned()), message: format!("{key}: {message}") }
    }

    /// The text cannot be read.
    pub(super) fn syntax(message: String) -> Self {
        Self { key: None, message }
    }
}

/// Choices that change how fast a run is and never what it writes, or whose effect is recorded elsewhere.
///
/// Outputs are the same for any number of workers. `max_memory` lowers `max_record` and `max_payload`, which are
/// recorded as they are then. The last three are recorded with the name of the output, which decides where they are
/// not chosen.
const WITHOUT_EFFECT: [&str; 5] =
    ["limits.jobs", "limits.max_memory", "output.format", "output.compress", "output.split_size"];

impl Settings {
    /// All settings that change the output, by name, with their values as JSON.
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

/// The paths of all that serde writes of a value, with what people write.
pub(crate) fn written(value: &impl Serialize) -> serde_json::Result<Vec<(String, String)>> {
    let all = serde_json::to_value(value)?;
    Ok(leaves(&all).into_iter().map(|(path, value)| (path, shown(value))).collect())
}

/// A value as people write it.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(shown).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}
