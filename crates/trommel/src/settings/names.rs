//! Names of the settings, and their paths.

use std::collections::BTreeMap;
use std::sync::LazyLock;

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
pub(super) static PATHS: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let mut paths = Vec::new();
    leaves(&DEFAULTS, "", &mut paths);
    paths.into_iter().map(|path| (name_of(&path).to_owned(), path)).collect()
});

/// The name of the setting at a path, the same in every interface.
pub(crate) fn name_of(path: &str) -> &str {
    let named = NAMES.iter().find(|(_, known)| *known == path);
    named.map_or_else(|| path.rsplit('.').next().unwrap_or(path), |(name, _)| *name)
}

/// Paths of all choices below a table, in the order of their names.
pub(super) fn leaves(table: &Value, path: &str, found: &mut Vec<String>) {
    match table {
        Value::Object(keys) => {
            for (key, value) in keys {
                leaves(value, &joined(path, key), found);
            }
        }
        _ => found.push(path.to_owned()),
    }
}

pub(super) fn joined(path: &str, key: &str) -> String {
    match path {
        "" => key.to_owned(),
        path => format!("{path}.{key}"),
    }
}

/// The value at a path of keys divided by points.
pub(super) fn pointed<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(value, |value, key| value.get(key))
}
