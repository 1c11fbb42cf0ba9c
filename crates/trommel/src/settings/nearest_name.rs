//! Names the setting that is nearest to an unknown one.

use serde_json::Value;

use super::SettingsError;
use super::names::{DEFAULTS, PATHS, joined, pointed};

/// The longest distance at which a name is taken for a slip of another.
const MAX_SLIP_DISTANCE: usize = 2;
/// Characters of a name that is compared, and repeated in the error. Comparing takes the square of its length.
const MAX_NAME_CHARS: usize = 64;

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
    if let Some((end, _)) = key.char_indices().nth(MAX_NAME_CHARS) {
        let key = format!("{}...", key.get(..end).unwrap_or_default());
        return SettingsError::Unknown { key: joined(part, &key), hint: ", longer than all of them".to_owned() };
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
