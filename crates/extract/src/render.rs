//! Renders kept blocks as plain text or Markdown, with options for formulas, raised and lowered text, notes, readings.

pub(crate) mod content;
pub(crate) mod data_table;
pub(crate) mod divisions;
pub(crate) mod markdown;
pub(crate) mod pieces;
pub(crate) mod table_rows;
pub(crate) mod text;
pub(crate) mod traced;

use serde::{Deserialize, Serialize};

pub use markdown::MarkdownOptions;
pub use table_rows::DocumentTable;
pub use traced::TextSpan;

/// The form of formulas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MathForm {
    /// TeX; in Markdown between dollar signs.
    #[default]
    Tex,
    /// TeX without dollar signs, in Markdown too.
    Plain,
    /// Left out.
    Off,
}

/// Treatment of notes and of the marks that refer to them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum NoteForm {
    /// Marks become references, and notes follow the text.
    #[default]
    Keep,
    /// Both are left out.
    Drop,
}

/// The form of superscripts and subscripts that would run together with the text before them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ScriptForm {
    /// With `^` and `_`: `10^2`, `x_i`.
    #[default]
    Caret,
    /// With Unicode characters if all of them exist: `10²`, `xᵢ`.
    Unicode,
}

/// The form of the readings of a ruby, which say how its characters are spoken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ReadingForm {
    /// In brackets behind the characters.
    #[default]
    Keep,
    /// Left out.
    Drop,
}

/// The form of the addresses of links and images in Markdown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AddressForm {
    /// Whole, by the page's `<base>` and URL; where both are unknown, links with relative addresses are text alone.
    #[default]
    Absolute,
    /// As the page has them.
    AsWritten,
}

/// Options for formulas, footnotes, scripts and readings, in plain text and in Markdown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextOptions {
    /// Formulas.
    pub math: MathForm,
    /// Footnotes.
    pub notes: NoteForm,
    /// Superscripts and subscripts.
    pub scripts: ScriptForm,
    /// Readings of a ruby.
    pub readings: ReadingForm,
}

impl TextOptions {
    /// The same options with formulas in that form.
    #[must_use]
    pub fn with_math(mut self, math: MathForm) -> Self {
        self.math = math;
        self
    }

    /// The same options with notes kept or dropped.
    #[must_use]
    pub fn with_notes(mut self, notes: NoteForm) -> Self {
        self.notes = notes;
        self
    }

    /// The same options with scripts in that form.
    #[must_use]
    pub fn with_scripts(mut self, scripts: ScriptForm) -> Self {
        self.scripts = scripts;
        self
    }

    /// The same options with readings kept or dropped.
    #[must_use]
    pub fn with_readings(mut self, readings: ReadingForm) -> Self {
        self.readings = readings;
        self
    }
}
