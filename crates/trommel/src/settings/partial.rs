//! A part of the settings, from a file, a command line or a request. It is merged with others.
//!
//! TOML is read as JSON, noting where each value starts for error messages.

use std::path::{Path, PathBuf};
use std::{collections::BTreeMap, fs};

use serde_json::{Map, Value};
use toml::de::{DeTable, DeValue};

use super::names::{DEFAULTS, PATHS, joined, leaves, name_of, pointed, unknown};
use super::{Settings, SettingsError};
use crate::{Error, Result};

/// Pairs of settings that exclude each other: the one that is set later replaces the other.
const EXCLUSIVE: [(&str, &str); 2] = [("sites.memory", "sites.file"), ("sites.file", "sites.memory")];

/// Settings that have an effect in Markdown only: setting one selects Markdown.
const IN_MARKDOWN: [&str; 3] = ["text.links", "text.images", "text.sections"];

/// Some of the settings, read from JSON or TOML: parts as tables (`[text]`), or single settings by their names
/// (`links = true` for `text.links`). Where a part and a setting share a name (`text`, `include`, `sites`), a table
/// is the part, and any other value is the setting.
///
/// ```
/// use trommel::{PartialSettings, TextForm};
///
/// let file = PartialSettings::from_toml("text = 'markdown'\n[filters]\nmin_words = 50")?;
/// let request = PartialSettings::from_json(r#"{"links": true, "min_words": 10}"#)?;
/// let settings = request.over(file).settings()?;
/// assert!(settings.text.links && settings.text.form == TextForm::Markdown);
/// assert_eq!(settings.filters.min_words, Some(10));
///
/// let error = PartialSettings::from_json(r#"{"link": true}"#).unwrap_err();
/// assert_eq!(error.to_string(), "unknown key \"link\", did you mean \"links\"?");
/// # trommel::Result::<()>::Ok(())
/// ```
///
/// Settings one by one, as a command line or a form has them:
///
/// ```
/// use trommel::PartialSettings;
///
/// # fn main() -> trommel::Result<()> {
/// let mut chosen = PartialSettings::default();
/// assert!(chosen.is_empty());
/// chosen.set("min_words", 50)?;
/// chosen.set_text("languages", "en, de")?;
/// assert_eq!(chosen.get("filters.languages"), Some(&serde_json::json!(["en", "de"])));
/// let names: Vec<String> = chosen.choices().into_iter().map(|(name, _)| name).collect();
/// assert_eq!(names, ["languages", "min_words"]);
/// // One layer of several may be read before it is complete.
/// chosen.set("sections", true)?;
/// chosen.set("posts", true)?;
/// assert!(chosen.unchecked()?.text.sections && chosen.settings().is_err());
///
/// // From an object, and from a file.
/// let object = serde_json::json!({"filters": {"min_words": 50}});
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("own.toml");
/// std::fs::write(&path, "[filters]\nmin_words = 50\n")?;
/// assert_eq!(PartialSettings::load(&path)?, PartialSettings::from_value(object)?);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PartialSettings {
    /// Tables of settings, as in [`Settings`].
    chosen: Map<String, Value>,
}

impl PartialSettings {
    /// Reads an object in JSON.
    ///
    /// # Errors
    /// If the text is no object, or has an unknown key or an invalid value.
    pub fn from_json(text: &str) -> Result<Self> {
        let value = serde_json::from_str(text).map_err(|error| SettingsError::Syntax(format!("settings: {error}")))?;
        Self::from_value(value)
    }

    /// Like [`PartialSettings::from_json`], from an object that is already parsed.
    ///
    /// # Errors
    /// Like [`PartialSettings::from_json`].
    pub fn from_value(value: Value) -> Result<Self> {
        Ok(Self::of_value(value)?)
    }

    fn of_value(value: Value) -> Result<Self, SettingsError> {
        let Value::Object(keys) = value else {
            return Err(SettingsError::Syntax("settings: expected an object".to_owned()));
        };
        let mut partial = Self::default();
        for (key, value) in keys {
            partial.place("", &key, value)?;
        }
        partial.checked()
    }

    /// Reads TOML.
    ///
    /// # Errors
    /// Like [`PartialSettings::from_json`].
    pub fn from_toml(text: &str) -> Result<Self> {
        Self::with_lines(text).map_err(|(error, _)| error.into())
    }

    /// Reads a configuration file in TOML.
    ///
    /// # Errors
    /// If it cannot be read, is not TOML, or has an unknown key or an invalid value.
    pub fn load(path: &Path) -> Result<Self> {
        Ok(Self::of_file(path)?)
    }

    pub(crate) fn of_file(path: &Path) -> Result<Self, SettingsFileError> {
        let text =
            fs::read_to_string(path).map_err(|source| SettingsFileError::Io { path: path.to_owned(), source })?;
        Self::with_lines(&text).map_err(|(source, line)| SettingsFileError::Settings {
            path: path.to_owned(),
            line,
            source,
        })
    }

    /// Reads TOML; an error has its line.
    pub(super) fn with_lines(text: &str) -> Result<Self, (SettingsError, usize)> {
        let line_at = |at: usize| 1 + text.get(..at).map_or(0, |before| before.matches('\n').count());
        let table = DeTable::parse(text).map_err(|error| {
            let line = line_at(error.span().map_or(0, |span| span.start));
            let message: Vec<&str> = error.message().lines().collect();
            (SettingsError::Syntax(message.join("; ")), line)
        })?;
        let mut starts = BTreeMap::new();
        let value = table_to_json(table.get_ref(), "", &mut starts);
        Self::of_value(value).map_err(|error| {
            let start = error.key().and_then(|key| {
                // Chosen by its name alone, or in its part.
                let by_name = starts.get(name_of(key));
                starts.get(key).or(by_name)
            });
            let line = line_at(start.copied().unwrap_or(0));
            (error, line)
        })
    }

    /// Sets one setting, by its name (`links`) or its path (`text.links`).
    ///
    /// # Errors
    /// If there is no such setting, or the value is invalid.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) -> Result<()> {
        let mut changed = self.clone();
        changed.place("", name, value.into())?;
        *self = changed.checked()?;
        Ok(())
    }

    /// Like [`PartialSettings::set`], with a value as in a query or on a command line: commas separate the items of
    /// lists, and a switch is `true` or `false`.
    ///
    /// # Errors
    /// Like [`PartialSettings::set`].
    pub fn set_text(&mut self, name: &str, text: &str) -> Result<()> {
        let path = PATHS.get(name).map_or(name, String::as_str);
        if let ("markdown", Ok(is_markdown)) = (name, text.to_ascii_lowercase().parse::<bool>()) {
            return self.set(name, is_markdown);
        }
        let value = match pointed(&DEFAULTS, path) {
            Some(Value::Bool(_)) => {
                let is_set = text.to_ascii_lowercase().parse::<bool>();
                is_set.map_or_else(|_| text.into(), Value::Bool)
            }
            // A number, or a text that looks like one.
            Some(Value::Null | Value::Number(_)) => match serde_json::from_str(text) {
                Ok(number @ Value::Number(_)) => {
                    return self.set(name, number).or_else(|error| {
                        let as_text = self.set(name, text);
                        // Either may say only that the value is of the wrong type.
                        let is_of_type = |error: &Error| error.to_string().contains("invalid type");
                        as_text.map_err(|as_text| if is_of_type(&as_text) { error } else { as_text })
                    });
                }
                _ => text.into(),
            },
            _ => text.into(),
        };
        self.set(name, value)
    }

    /// These settings, completed by those of `below`.
    #[must_use]
    pub fn over(mut self, mut below: Self) -> Self {
        for (made, taken_back) in EXCLUSIVE {
            if self.get(made).is_some() && self.get(taken_back).is_none() {
                below.remove(taken_back);
            }
        }
        lay_over(&mut below.chosen, std::mem::take(&mut self.chosen));
        below
    }

    /// The settings, with defaults where none is set.
    ///
    /// # Errors
    /// If settings exclude each other.
    pub fn settings(&self) -> Result<Settings> {
        let settings = self.unchecked()?;
        settings.check()?;
        Ok(settings)
    }

    /// Like [`PartialSettings::settings`], for one of several layers: settings that exclude each other are not
    /// refused.
    ///
    /// # Errors
    /// If a value is invalid.
    pub fn unchecked(&self) -> Result<Settings> {
        Ok(self.typed()?)
    }

    fn typed(&self) -> Result<Settings, SettingsError> {
        let chosen = Value::Object(self.chosen.clone());
        serde_path_to_error::deserialize(chosen).map_err(|error| SettingsError::Invalid {
            key: error.path().to_string(),
            message: plain(&error.into_inner().to_string()),
        })
    }

    /// Returns whether nothing is set.
    pub fn is_empty(&self) -> bool {
        self.chosen.is_empty()
    }

    /// Every setting that is set, by its name.
    pub fn choices(&self) -> Vec<(String, Value)> {
        let all = Value::Object(self.chosen.clone());
        let mut paths = Vec::new();
        leaves(&all, "", &mut paths);
        let values = paths.iter().map(|path| {
            let value = pointed(&all, path).cloned().unwrap_or_default();
            (name_of(path).to_owned(), value)
        });
        values.collect()
    }

    /// The value at the path of a setting, if it is set.
    pub fn get(&self, path: &str) -> Option<&Value> {
        let mut keys = path.split('.');
        let first = self.chosen.get(keys.next()?)?;
        keys.try_fold(first, |value, key| value.get(key))
    }

    fn remove(&mut self, path: &str) {
        if let Some((table, key)) = path.rsplit_once('.')
            && let Some(Value::Object(table)) = self.chosen.get_mut(table)
        {
            table.remove(key);
        }
    }

    /// Puts a value where it belongs.
    fn place(&mut self, part: &str, key: &str, value: Value) -> Result<(), SettingsError> {
        if let ("", "markdown", Value::Bool(is_markdown)) = (part, key, &value) {
            self.put("text.form", if *is_markdown { "markdown" } else { "plain" }.into());
            return Ok(());
        }
        let below = joined(part, key);
        let path = match (pointed(&DEFAULTS, &below), &value) {
            (Some(Value::Object(_)), Value::Object(keys)) => {
                return keys.iter().try_for_each(|(key, value)| self.place(&below, key, value.clone()));
            }
            (Some(default), _) if !default.is_object() => &below,
            // Parts stand at the top alone; a choice by its name as well.
            _ if part.is_empty() => PATHS.get(key).ok_or_else(|| unknown(part, key))?,
            _ => return Err(unknown(part, key)),
        };
        let value = match value {
            // URLs and selectors have commas of their own.
            Value::String(item) if matches!(path.as_str(), "filters.url" | "content.keep" | "content.drop") => {
                vec![item].into()
            }
            value => split_names(pointed(&DEFAULTS, path).unwrap_or(&Value::Null), value),
        };
        self.put(path, value);
        Ok(())
    }

    /// Sets the value at the path of a setting.
    fn put(&mut self, path: &str, value: Value) {
        let mut table = &mut self.chosen;
        let mut keys = path.split('.').peekable();
        while let Some(key) = keys.next() {
            if keys.peek().is_none() {
                table.insert(key.to_owned(), value);
                return;
            }
            let below = table.entry(key).or_insert_with(|| Map::new().into());
            if !below.is_object() {
                *below = Map::new().into();
            }
            let Value::Object(below) = below else { return };
            table = below;
        }
    }

    /// Adds the settings that these imply, and checks every value.
    fn checked(mut self) -> Result<Self, SettingsError> {
        let is_chosen = |path: &&str| self.get(path) == Some(&Value::Bool(true));
        if self.get("text.form").is_none() && IN_MARKDOWN.iter().any(is_chosen) {
            self.put("text.form", "markdown".into());
        }
        let output = self.typed()?.output;
        let fits = |compress| output.format.iter().any(|format| format.can_be(compress));
        if let (Some(compress), Some(format)) = (output.compress, output.format.first())
            && !fits(compress)
        {
            let message = format!(
                "{format} cannot be compressed as {compress}; leave the key out (it is \"{}\" then)",
                format.usual_compression()
            );
            return Err(SettingsError::conflict("output.compress", &message));
        }
        Ok(self)
    }
}

/// The message of a reader of values, without the names of Rust's types.
fn plain(message: &str) -> String {
    let whole = ["u64", "u32", "usize"].map(|name| (name, "a whole number"));
    let replaced = whole.into_iter().chain(["f32", "f64"].map(|name| (name, "a number")));
    replaced.fold(message.replace("unknown variant", "unknown value"), |message, (name, words)| {
        message.replace(&format!("expected {name}"), &format!("expected {words}"))
    })
}

/// The reason why a configuration file cannot be used, in one line that names the file.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SettingsFileError {
    /// The file cannot be read.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// Its settings cannot be used.
    #[error("{path}:{line}: {source}", path = path.display())]
    Settings {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// The fault.
        source: SettingsError,
    },
}

/// A value in the form of its setting: commas may separate the names of a list.
fn split_names(default: &Value, value: Value) -> Value {
    match (default, value) {
        (Value::Array(_), Value::String(names)) => {
            let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
            names.map(Value::from).collect()
        }
        (_, value) => value,
    }
}

/// Lays tables over tables; a list replaces a list.
fn lay_over(below: &mut Map<String, Value>, above: Map<String, Value>) {
    for (key, value) in above {
        match (below.get_mut(&key), value) {
            (Some(Value::Object(below)), Value::Object(above)) => lay_over(below, above),
            (_, value) => {
                below.insert(key, value);
            }
        }
    }
}

/// A table of TOML as JSON; notes where each value starts.
pub(super) fn table_to_json(table: &DeTable<'_>, path: &str, starts: &mut BTreeMap<String, usize>) -> Value {
    let mut keys = Map::new();
    for (key, value) in table {
        let path = joined(path, key.get_ref());
        starts.insert(path.clone(), key.span().start);
        let value = to_json(value.get_ref(), value.span().start, &path, starts);
        keys.insert(key.get_ref().to_string(), value);
    }
    keys.into()
}

fn to_json(value: &DeValue<'_>, start: usize, path: &str, starts: &mut BTreeMap<String, usize>) -> Value {
    match value {
        DeValue::String(text) => text.to_string().into(),
        DeValue::Integer(number) => {
            let digits = number.as_str().replace('_', "");
            i128::from_str_radix(&digits, number.radix())
                .ok()
                .and_then(serde_json::Number::from_i128)
                .map_or_else(|| digits.clone().into(), Value::Number)
        }
        DeValue::Float(number) => {
            let number: Option<f64> = number.as_str().replace('_', "").parse().ok();
            number.and_then(serde_json::Number::from_f64).into()
        }
        DeValue::Boolean(choice) => (*choice).into(),
        DeValue::Datetime(time) => time.to_string().into(),
        DeValue::Array(items) => {
            let items = items.iter().enumerate().map(|(at, item)| {
                let path = format!("{path}[{at}]");
                starts.insert(path.clone(), item.span().start);
                to_json(item.get_ref(), item.span().start, &path, starts)
            });
            Value::Array(items.collect())
        }
        DeValue::Table(table) => {
            starts.entry(path.to_owned()).or_insert(start);
            table_to_json(table, path, starts)
        }
    }
}
