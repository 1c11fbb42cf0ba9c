//! The canonical form of settings: every choice by its name with its value. Runs with equal recipes are the
//! same.

use serde_json::Value;

use super::Settings;
use super::names::{leaves, name_of, pointed};

/// Choices that change how fast a run is and never what it writes, or whose effect is recorded elsewhere.
///
/// Outputs are the same for any number of workers. `max_memory` lowers `max_record` and `max_payload`, which are
/// recorded as they are then. The last three are recorded with the name of the output, which decides where they are
/// not chosen.
const WITHOUT_EFFECT: [&str; 5] =
    ["limits.jobs", "limits.max_memory", "output.format", "output.compress", "output.split_size"];

impl Settings {
    /// Every choice that changes the output, by its name, with its value as JSON.
    pub fn canonical(&self) -> Vec<(String, String)> {
        let all = serde_json::to_value(self).unwrap_or_default();
        let mut paths = Vec::new();
        leaves(&all, "", &mut paths);
        let counted = paths.iter().filter(|path| !WITHOUT_EFFECT.contains(&path.as_str()));
        counted
            .map(|path| {
                let value = match pointed(&all, path) {
                    _ if path == "model" => self.model_name().to_owned(),
                    Some(value) => shown(value),
                    None => String::new(),
                };
                (name_of(path).to_owned(), value)
            })
            .collect()
    }
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
