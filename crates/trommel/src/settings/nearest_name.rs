//! Names the setting that is nearest to an unknown one.

use serde_json::Value;

use super::SettingsError;
use super::names::{DEFAULTS, PATHS, joined, pointed};

/// The longest distance at which a name is taken for a slip of another.
const MAX_SLIP_DISTANCE: usize = 2;

/// The error about a key that nothing has.
pub(super) fn unknown(part: &str, key: &str) -> SettingsError {
    let here = match part {
        "" => Some(&*DEFAULTS),
        part => pointed(&DEFAULTS, part),
    };
    let mut known: Vec<&str> =
        here.and_then(Value::as_object).map(|keys| keys.keys().map(String::as_str).collect()).unwrap_or_default();
    if part.is_empty() {
        known.extend(PATHS.keys().map(String::as_str));
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
    SettingsError::Unknown { key: joined(part, key), hint }
}
