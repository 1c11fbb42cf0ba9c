//! Settings of the form of the text, with their defaults.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};
use trommel_extract::{AddressForm, MathForm, NoteForm, ReadingForm, ScriptForm};

use super::TokenizerFile;

/// Form of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct TextSettings {
    /// Plain text or Markdown.
    pub form: TextForm,
    /// Write links into Markdown.
    pub links: bool,
    /// Write images that stand outside of a line of text into Markdown, with their alternative text.
    pub images: bool,
    /// Addresses of links and images.
    pub addresses: AddressForm,
    /// Mark sections of roles other than headline and body in Markdown, with `::: ROLE` above and `:::` below.
    pub sections: bool,
    /// Form of formulas.
    pub math: MathForm,
    /// Treatment of footnotes and of the marks that refer to them.
    pub notes: NoteForm,
    /// Form of superscripts and subscripts that follow a letter or digit.
    pub scripts: ScriptForm,
    /// Readings of the characters of a ruby.
    pub readings: ReadingForm,
    /// Maximum tokens of the text. A longer text ends at a paragraph, and `capped` says `max-tokens`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<u32>"))]
    pub max_tokens: Option<NonZeroU32>,
    /// File `tokenizer.json` of a model, to count the tokens of texts and chunks exactly. Without it four bytes count
    /// as one token. It needs a build with the feature `tokenizer`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub tokenizer: Option<TokenizerFile>,
}

/// The form of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TextForm {
    /// Lines of plain text.
    #[default]
    Plain,
    /// CommonMark with the tables of GitHub.
    Markdown,
}
