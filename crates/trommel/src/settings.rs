//! All settings of a user about text, archives and outputs, in one struct.
//!
//! The command line, the configuration file, Python, the service and the C library take these settings. Each
//! is declared once, in the struct of its part, with its name, its values and its default. The interfaces are
//! generated from the list.

mod apply;
mod defaults;
#[cfg(feature = "schema")]
mod field;
mod names;
mod partial;
#[cfg(test)]
mod tests;

use std::{num::NonZeroUsize, thread};

use serde::{Deserialize, Serialize};
use trommel_extract::{AddressForm, ChunkUnit};
use trommel_model::Model;
use trommel_record::filters::FilterSettings;

use crate::Result;

pub use apply::TokenizerFile;
pub use defaults::{
    ArchiveSettings, ContentSettings, IncludeSettings, LimitSettings, MAX_JOBS, OutputSettings, SiteMode, SiteSettings,
    TextForm, TextSettings,
};
#[cfg(feature = "schema")]
pub use field::{Field, Kind, Value, fields, parts};
pub(crate) use names::SettingsError;
#[cfg(feature = "run")]
pub(crate) use names::written;
pub use partial::PartialSettings;

/// Estimated bytes of memory that a page takes for each byte of its content.
pub const PAGE_FACTOR: u64 = 24;

/// All settings. The defaults are those of `trommel run` without options. In TOML and JSON each part is a table:
/// `[text]`, `[filters]`. A setting may also appear by its name alone (`links = true` for `text.links`); see
/// [`PartialSettings`].
///
/// ```
/// use trommel::{Settings, TextForm};
///
/// # fn main() -> trommel::Result<()> {
/// let settings = Settings::from_toml("model = 'lite'\nlinks = true\n[filters]\nexclude_page_types = ['forum']")?;
/// assert_eq!(settings.text.form, TextForm::Markdown, "links are for Markdown");
/// assert_eq!(settings, Settings::from_json(r#"{"model": "lite", "links": true, "exclude_page_types": ["forum"]}"#)?);
/// assert_eq!(settings.model_name(), "lite");
/// settings.check_page_types(&settings.model()?)?;
/// assert!(settings.document_options().markdown.is_some());
/// // Every choice that changes the output, as text.
/// assert!(settings.canonical().contains(&("links".to_owned(), "true".to_owned())));
/// assert!(settings.content.selectors().is_none());
///
/// // A twenty-fourth of the memory for a record, a forty-eighth for a page.
/// let mut small = Settings::from_json(r#"{"max_memory": "48M"}"#)?;
/// assert_eq!(small.max_record_and_payload(), (2 << 20, 1 << 20));
/// assert!(small.jobs().get() >= 1);
/// // Fields may be set, too. A check finds those that exclude each other.
/// small.text.links = true;
/// assert_eq!(small.check().unwrap_err().to_string(), "text.links: is for Markdown only: add text = \"markdown\"");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Settings {
    /// Built-in model (`fast` or `lite`) or model file [default: fast].
    pub model: String,
    /// Choice of main text.
    pub content: ContentSettings,
    /// Form of the text.
    pub text: TextSettings,
    /// Lists beside the text.
    pub include: IncludeSettings,
    /// Correction of the model by other pages of a site.
    pub sites: SiteSettings,
    /// Filters of documents.
    pub filters: FilterSettings,
    /// Reading of archives.
    pub archive: ArchiveSettings,
    /// Bounds on documents, bytes and memory.
    pub limits: LimitSettings,
    /// Encoding of outputs.
    pub output: OutputSettings,
}

impl Settings {
    /// Reads settings from JSON, as objects for the parts, or as single settings by their names. A setting that is not
    /// named has its default.
    ///
    /// # Errors
    /// Fails if the text is no object, has an unknown key or an invalid value, or if two settings exclude each other.
    pub fn from_json(text: &str) -> Result<Self> {
        PartialSettings::from_json(text)?.settings()
    }

    /// Reads settings from TOML, in the form of a configuration file.
    ///
    /// # Errors
    /// Fails as [`Settings::from_json`] does.
    pub fn from_toml(text: &str) -> Result<Self> {
        PartialSettings::from_toml(text)?.settings()
    }

    /// Refuses filters on page types that the model does not know, because they would drop all pages, or none.
    ///
    /// # Errors
    /// Fails if the model does not know a page type; the error names the type, and all types that the model knows.
    pub fn check_page_types(&self, model: &Model) -> Result<()> {
        let known = model.file().page_types.iter();
        let known: Vec<&str> = known.map(|page_type| page_type.name.as_str()).collect();
        let FilterSettings { page_types, exclude_page_types, .. } = &self.filters;
        for (key, wanted) in [("page_types", page_types), ("exclude_page_types", exclude_page_types)] {
            if let Some(name) = wanted.iter().find(|name| !known.contains(&name.as_str())) {
                let message = format!("the model knows no page type {name:?}; it knows {}", known.join(", "));
                return Err(SettingsError::of(&format!("filters.{key}"), message).into());
            }
        }
        Ok(())
    }

    /// Returns the number of worker threads. The output does not depend on it.
    pub fn jobs(&self) -> NonZeroUsize {
        let all = || thread::available_parallelism().ok();
        // All processors that the system grants, which in a container may be fewer than the machine has.
        self.limits.jobs.or_else(all).unwrap_or(NonZeroUsize::MIN)
    }

    /// Returns the maximum bytes of one record and of one decoded page. They are those of the settings, but at most
    /// 1/24 and 1/48 of `max_memory`. The number of workers does not change them.
    pub fn max_record_and_payload(&self) -> (u64, u64) {
        let LimitSettings { max_record, max_payload, max_memory, .. } = &self.limits;
        let memory = max_memory.map_or(u64::MAX, |memory| memory.0);
        (max_record.0.min(memory / PAGE_FACTOR), max_payload.0.min(memory / 2 / PAGE_FACTOR))
    }

    /// Reads the model that the settings choose.
    ///
    /// # Errors
    /// Fails if there is no model of that name, or its file cannot be read.
    pub fn model(&self) -> Result<Model> {
        Ok(Model::open(self.model_name())?)
    }

    /// Returns the name of the chosen model, or else of the default model.
    pub fn model_name(&self) -> &str {
        match self.model.as_str() {
            "" => Model::builtin_names().next().unwrap_or_default(),
            name => name,
        }
    }

    /// Refuses settings that exclude each other or would have no effect.
    ///
    /// # Errors
    /// Fails with an error that names the setting.
    pub fn check(&self) -> Result<()> {
        let Self { content, text, include, sites, .. } = self;
        let is_markdown = text.form == TextForm::Markdown;
        let only_in_markdown = "is for Markdown only: add text = \"markdown\"";
        let is_divided = text.sections || text.names || (include.posts && is_markdown);
        let counts_tokens =
            text.max_tokens.is_some() || include.chunks.is_some_and(|size| size.unit == ChunkUnit::Tokens);
        for (key, is_wrong, message) in [
            ("text.links", text.links && !is_markdown, only_in_markdown),
            ("text.images", text.images && !is_markdown, only_in_markdown),
            (
                "text.addresses",
                text.addresses != AddressForm::default() && !text.links && !text.images,
                "is for links and images: add links or images",
            ),
            ("text.sections", text.sections && !is_markdown, only_in_markdown),
            (
                "text.sections",
                text.sections && (include.posts || text.names),
                "sections and posts exclude each other: a text is divided one way or the other",
            ),
            (
                "include.spans",
                include.spans && is_divided,
                "of text that is divided (sections, posts, names) the places are not known",
            ),
            (
                "text.max_tokens",
                text.max_tokens.is_some() && is_divided,
                "text that is divided (sections, posts, names) is not ended at a number of tokens",
            ),
            (
                "text.tokenizer",
                text.tokenizer.is_some() && !counts_tokens,
                "counts nothing: add max_tokens, or chunks in tokens",
            ),
            (
                "include.chunks",
                include.chunks.is_some() && is_divided,
                "text that is divided (sections, posts, names) is in no chunks",
            ),
            (
                "sites.file",
                sites.file.is_some() && sites.memory != SiteMode::Off,
                "a file and site_memory exclude each other",
            ),
        ] {
            if is_wrong {
                return Err(SettingsError::of(key, message).into());
            }
        }
        self.check_bounds()?;
        let mut included = content.include.iter();
        if let Some(role) = included.find(|role| content.exclude.contains(*role)) {
            let message = format!("the role {} is both to include and to exclude", role.name());
            return Err(SettingsError::of("content.include", message).into());
        }
        Ok(())
    }
}
