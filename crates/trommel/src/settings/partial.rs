//! Partial settings, from a file, a command line or a request, which are merged with others.

use std::{fmt::Display, fs, path::Path};

use serde_json::{Map, Value};
use toml::de::{DeTable, DeValue};

use super::names::{DEFAULTS, PATHS, joined, leaves, name_of, pointed, unknown};
use super::{Settings, SettingsError};
use crate::{Error, ErrorKind, Result};

/// Pairs of settings that exclude each other: if the first is set later than the second, the second is unset.
const EXCLUSIVE: [(&str, &str); 2] = [("sites.memory", "sites.file"), ("sites.file", "sites.memory")];

/// Settings that have an effect in Markdown only, so that choosing one selects Markdown.
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
/// Settings may be set one by one, as a command line or a form has them:
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
#[derive(Clone, Debug, PartialEq)]
pub struct PartialSettings {
    /// Tables of the chosen settings, nested as in [`Settings`].
    chosen: Value,
}

impl Default for PartialSettings {
    fn default() -> Self {
        Self { chosen: Value::Object(Map::new()) }
    }
}

impl PartialSettings {
    /// Reads settings from a JSON object.
    ///
    /// # Errors
    /// Fails if the text is no object, or has an unknown key or an invalid value.
    pub fn from_json(text: &str) -> Result<Self> {
        let value = serde_json::from_str(text).map_err(|error| SettingsError::syntax(format!("settings: {error}")))?;
        Self::from_value(value)
    }

    /// Reads settings as [`PartialSettings::from_json`] does, from a JSON object that is already parsed.
    ///
    /// # Errors
    /// Fails as [`PartialSettings::from_json`] does.
    pub fn from_value(value: Value) -> Result<Self> {
        Ok(Self::of_value(value)?)
    }

    fn of_value(value: Value) -> Result<Self, SettingsError> {
        let Value::Object(keys) = value else {
            return Err(SettingsError::syntax("settings: expected an object".to_owned()));
        };
        let mut partial = Self::default();
        for (key, value) in keys {
            partial.place("", &key, value)?;
        }
        partial.checked()
    }

    /// Reads settings from a text in TOML.
    ///
    /// # Errors
    /// Fails as [`PartialSettings::from_json`] does.
    pub fn from_toml(text: &str) -> Result<Self> {
        Self::with_lines(text).map_err(|(error, _)| error.into())
    }

    /// Reads a configuration file in TOML.
    ///
    /// # Errors
    /// Fails if the file cannot be read, is not TOML, or has an unknown key or an invalid value.
    pub fn load(path: &Path) -> Result<Self> {
        Self::of_file(path, &path.display())
    }

    /// Reads a configuration file in TOML, which error messages call `name`.
    pub(crate) fn of_file(path: &Path, name: &dyn Display) -> Result<Self> {
        let failed = |message| Error::new(ErrorKind::Setting, message);
        let text = fs::read_to_string(path).map_err(|error| failed(format!("{name}: {error}")))?;
        Self::with_lines(&text).map_err(|(error, line)| failed(format!("{name}:{line}: {error}")))
    }

    /// Reads settings from a text in TOML; an error comes with its line number, from 1.
    pub(super) fn with_lines(text: &str) -> Result<Self, (SettingsError, usize)> {
        let line_at = |at: usize| 1 + text.get(..at).map_or(0, |before| before.matches('\n').count());
        let syntax = |error: toml::de::Error| {
            let line = line_at(error.span().map_or(0, |span| span.start));
            let message: Vec<&str> = error.message().lines().collect();
            (SettingsError::syntax(message.join("; ")), line)
        };
        let table = DeTable::parse(text).map_err(syntax)?;
        Self::of_value(toml::from_str(text).map_err(syntax)?).map_err(|error| {
            let start = error.key.as_deref().and_then(|key| {
                // Chosen in its part, or by its name alone.
                start_of(table.get_ref(), key).or_else(|| start_of(table.get_ref(), name_of(key)))
            });
            let line = line_at(start.unwrap_or(0));
            (error, line)
        })
    }

    /// Sets one setting, by its name (`links`) or its path (`text.links`).
    ///
    /// # Errors
    /// Fails if there is no such setting, or the value is invalid.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) -> Result<()> {
        let mut changed = self.clone();
        changed.place("", name, value.into())?;
        *self = changed.checked()?;
        Ok(())
    }

    /// Sets one setting as [`PartialSettings::set`] does, to a value as in a query or on a command line: commas
    /// separate the items of lists, and a switch is `true` or `false`.
    ///
    /// # Errors
    /// Fails as [`PartialSettings::set`] does.
    pub fn set_text(&mut self, name: &str, text: &str) -> Result<()> {
        let path = PATHS.get(name).map_or(name, String::as_str);
        let value = match pointed(&DEFAULTS, path) {
            // `markdown` is another name.
            Some(Value::Bool(_)) | None => text.to_ascii_lowercase().parse().map(Value::Bool).ok(),
            // A number, or a text that looks like one.
            Some(Value::Null | Value::Number(_)) => serde_json::from_str(text).ok().filter(Value::is_number),
            Some(_) => None,
        };
        let Some(value) = value else { return self.set(name, text) };
        self.set(name, value).or_else(|error| {
            let as_text = self.set(name, text);
            // Either may say only that the value is of the wrong type.
            let is_of_type = |error: &Error| error.to_string().contains("invalid type");
            as_text.map_err(|as_text| if is_of_type(&as_text) { error } else { as_text })
        })
    }

    /// Returns the chosen settings, completed by those of `below` where nothing was chosen.
    #[must_use]
    pub fn over(self, mut below: Self) -> Self {
        for (made, taken_back) in EXCLUSIVE {
            if self.get(made).is_some() && self.get(taken_back).is_none() {
                below.remove(taken_back);
            }
        }
        lay_over(&mut below.chosen, self.chosen);
        below
    }

    /// Returns the complete settings, with defaults for settings that are not chosen.
    ///
    /// # Errors
    /// Fails if settings exclude each other.
    pub fn settings(&self) -> Result<Settings> {
        let settings = self.unchecked()?;
        settings.check()?;
        Ok(settings)
    }

    /// Returns the complete settings, with defaults for settings that are not chosen. Does not fail if settings exclude
    /// each other, so that settings can be read before they are merged with others.
    ///
    /// # Errors
    /// Fails if a value is invalid.
    pub fn unchecked(&self) -> Result<Settings> {
        Ok(self.typed()?)
    }

    fn typed(&self) -> Result<Settings, SettingsError> {
        serde_path_to_error::deserialize(&self.chosen).map_err(|error| {
            let key = error.path().to_string();
            SettingsError::of(&key, plain(&error.into_inner().to_string()))
        })
    }

    /// Returns whether no setting is chosen.
    pub fn is_empty(&self) -> bool {
        self.chosen.as_object().is_none_or(Map::is_empty)
    }

    /// Returns the name and the value of each chosen setting.
    pub fn choices(&self) -> Vec<(String, Value)> {
        let chosen = leaves(&self.chosen).into_iter();
        chosen.map(|(path, value)| (name_of(&path).to_owned(), value.clone())).collect()
    }

    /// Returns the value of the setting at a path; none if the setting is not chosen.
    pub fn get(&self, path: &str) -> Option<&Value> {
        pointed(&self.chosen, path)
    }

    fn remove(&mut self, path: &str) {
        if let Some((table, key)) = path.rsplit_once('.')
            && let Some(Value::Object(table)) = self.chosen.get_mut(table)
        {
            table.remove(key);
        }
    }

    /// Sets the setting `key` to a value; if `key` is a part of the settings, sets all settings in its table.
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
        let value = match (pointed(&DEFAULTS, path), value) {
            // Commas may separate the names of a list, but URLs and selectors have commas of their own.
            (Some(Value::Array(_)), Value::String(text)) => match path.as_str() {
                "filters.url" | "content.keep" | "content.drop" => vec![text].into(),
                _ => text.split(',').map(str::trim).filter(|name| !name.is_empty()).collect(),
            },
            (_, value) => value,
        };
        self.put(path, value);
        Ok(())
    }

    /// Sets the value of the setting at a path such as `text.links`.
    fn put(&mut self, path: &str, value: Value) {
        let table = path.split('.').fold(&mut self.chosen, |table, key| &mut table[key]);
        *table = value;
    }

    /// Adds settings that the chosen ones imply, such as Markdown for `links`, and checks every value.
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
            return Err(SettingsError::of("output.compress", message));
        }
        Ok(self)
    }
}

/// Returns an error message of serde in plain words, without the names of Rust types.
fn plain(message: &str) -> String {
    let whole = ["u64", "u32", "usize"].map(|name| (name, "a whole number"));
    let above_0 = ["a nonzero u64", "a nonzero u32", "a nonzero usize"].map(|name| (name, "a whole number above 0"));
    let names = whole.into_iter().chain(above_0).chain(["f32", "f64"].map(|name| (name, "a number")));
    names.fold(message.replace("unknown variant", "unknown value"), |message, (name, words)| {
        message.replace(&format!("expected {name}"), &format!("expected {words}"))
    })
}

/// Merges the tables of `above` into those of `below`; a list replaces a list.
fn lay_over(below: &mut Value, above: Value) {
    match (below, above) {
        (Value::Object(below), Value::Object(above)) => {
            for (key, value) in above {
                lay_over(below.entry(key).or_insert(Value::Null), value);
            }
        }
        (below, above) => *below = above,
    }
}

/// Returns the byte offset in a file at which the key at a path begins; none if the file lacks the key.
fn start_of(table: &DeTable<'_>, path: &str) -> Option<usize> {
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    // Of a list, the key.
    let first = first.split('[').next().unwrap_or(first);
    let (key, value) = table.iter().find(|(key, _)| key.get_ref() == first)?;
    match value.get_ref() {
        DeValue::Table(table) if !rest.is_empty() => start_of(table, rest),
        _ => rest.is_empty().then_some(key.span().start),
    }
}
