//! Every choice that a user can make about text, archives and outputs, as one struct.
//!
//! The command line, the configuration file, Python, the service and the C library take these settings. A choice is
//! declared here once, with its name, its values and its default, and the doors are generated from the list.

mod apply;
mod bounds;
mod error;
#[cfg(feature = "schema")]
mod field;
mod names;
mod partial;
mod recipe;
#[cfg(test)]
mod tests;
mod toml_value;

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};
use trommel_extract::{
    ArticlePolicy, CommentPolicy, HeadlinePolicy, MathForm, NoteForm, RoleSet, ScriptForm,
};
use trommel_filters::FilterSettings;
use trommel_model::{Model, ModelError};
use trommel_output::{Compression, Format};
use trommel_text::ByteSize;

pub use bounds::MAX_JOBS;
pub use error::SettingsError;
#[cfg(feature = "schema")]
pub use field::{Field, Kind, Value, fields, parts};
pub use partial::{PartialSettings, SettingsFileError};

/// Bytes of memory that a page takes for each of its own.
pub const PAGE_FACTOR: u64 = 24;

/// All choices that change what comes out. The defaults are those of `trommel run` without options.
///
/// As TOML or JSON each part is a table: `[text]`, `[filters]`. A choice may also stand by its name alone
/// (`links = true` for `text.links`); see [`PartialSettings`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Settings {
    /// Built-in model or model file [default: the first built-in one].
    pub model: String,
    /// What counts as main text.
    pub content: ContentSettings,
    /// How text is written.
    pub text: TextSettings,
    /// What is listed beside the text.
    pub include: IncludeSettings,
    /// How other pages of a page's site correct the model.
    pub sites: SiteSettings,
    /// Which documents are kept.
    pub filters: FilterSettings,
    /// How archives are read.
    pub archive: ArchiveSettings,
    /// Bounds on bytes and memory.
    pub limits: LimitSettings,
    /// How outputs are encoded.
    pub output: OutputSettings,
}

/// What counts as main text where people differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ContentSettings {
    /// Readers' comments beside a page's own text (posts of a forum are its text).
    pub comments: CommentPolicy,
    /// Whether the main headline is part of the text. It is always a source of the title.
    pub headline: HeadlinePolicy,
    /// Articles that a page shows below its own, as endless pages do.
    pub articles: ArticlePolicy,
    /// Roles of which all blocks are part of the text, whatever the model says of each.
    pub include: RoleSet,
    /// Roles of which no block is part of the text.
    pub exclude: RoleSet,
}

/// How text is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct TextSettings {
    /// Form of the text.
    pub form: TextForm,
    /// Write links into Markdown; relative addresses need the URL of the page, or an absolute base in it.
    pub links: bool,
    /// Write images that stand by themselves into Markdown, with their alternative text.
    pub images: bool,
    /// Put reviews, comments, questions with answers, ingredients, captions and other kept parts of a role of their own
    /// into divisions of the Markdown, `::: ROLE` above and `:::` below.
    pub sections: bool,
    /// How formulas are written.
    pub math: MathForm,
    /// What becomes of footnotes, and of the marks that refer to them.
    pub notes: NoteForm,
    /// How superscripts and subscripts are written that would run together with what is before them.
    pub scripts: ScriptForm,
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

/// What is listed beside the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct IncludeSettings {
    /// All blocks of the page, with text, probability, whether they are kept, role and bytes in the decoded page.
    pub blocks: bool,
    /// Where each part of the text stands in the decoded page: first character of the text, characters, first
    /// byte of the page, bytes.
    pub spans: bool,
    /// The tables among the text as rows of cells.
    pub tables: bool,
    /// What each of several people wrote on the page, with author and time, where its markup says so; in Markdown
    /// author and time stand above each post.
    pub posts: bool,
}

/// How other pages of a page's site correct the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct SiteSettings {
    /// Correct the model by what other pages of the same site say.
    pub memory: SiteMode,
    /// File with a memory of sites, made by `trommel sites build`; excludes site_memory.
    pub file: Option<String>,
    /// Memory that counts of sites take at most, at least 1M; past it an even sample of the blocks is kept.
    pub size: ByteSize,
}

impl Default for SiteSettings {
    fn default() -> Self {
        Self {
            memory: SiteMode::Off,
            file: None,
            size: ByteSize(1 << 30),
        }
    }
}

/// Where knowledge of other pages of a site comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SiteMode {
    /// Judge every page by itself.
    #[default]
    Off,
    /// Read and count all inputs before a second pass extracts.
    TwoPass,
    /// Learn from the pages that came before: the output depends on their order and on the workers.
    Online,
}

/// How archives are read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ArchiveSettings {
    /// Of WACZ files, take only the pages that they list (pages/*.jsonl), not the frames and scripts of those.
    pub pages_only: bool,
    /// Compare what is in WACZ files with the hashes that they state; what differs counts as damage and is read
    /// all the same.
    pub check_hashes: bool,
    /// Give revisits the content of the captures they are equal to, as far as those are in the inputs, which are
    /// read one more time for that.
    pub resolve_revisits: bool,
    /// What the names in manifests and indexes are relative to: a URL or a folder. Without it, their own folder.
    pub base_url: Option<String>,
    /// Let the names in an index leave the base URL (..), be absolute, or name other hosts and s3:// buckets, which are
    /// read with the keys of the environment.
    pub select_anywhere: bool,
    /// Take all records in each range of an index, not only the first.
    pub whole_ranges: bool,
}

/// Bounds on bytes and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct LimitSettings {
    /// Number of worker threads, without influence on the output [default: processor cores].
    #[serde(deserialize_with = "bounds::jobs")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<u32>"))]
    pub jobs: Option<NonZeroUsize>,
    /// Most bytes kept of one record.
    pub max_record: ByteSize,
    /// Most bytes kept of one decoded page.
    pub max_payload: ByteSize,
    /// Memory that records and pages in work may take; lowers the two bounds above to a twenty-fourth and a
    /// forty-eighth of it.
    pub max_memory: Option<ByteSize>,
}

impl Default for LimitSettings {
    fn default() -> Self {
        Self {
            jobs: None,
            max_record: ByteSize(64 << 20),
            max_payload: ByteSize(64 << 20),
            max_memory: None,
        }
    }
}

/// How outputs are encoded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct OutputSettings {
    /// Formats; several only into a folder. Empty for the one that the name of the output says, else jsonl.
    pub format: Vec<Format>,
    /// Compression, of several formats for those that can have it. Without it, what the name of the output says,
    /// else none for standard output, zst for jsonl and msgpack, gz for the rest.
    pub compress: Option<Compression>,
    /// Divide each output into parts, NAME-00000.SUFFIX and so on, of at most so many bytes of documents before
    /// compression (WET: after); an index is not divided.
    pub split_size: Option<ByteSize>,
    /// Bytes of documents after which the state of the run is saved; also the size of the frames of compressed
    /// outputs.
    pub checkpoint: ByteSize,
}

impl Default for OutputSettings {
    fn default() -> Self {
        Self {
            format: Vec::new(),
            compress: None,
            split_size: None,
            checkpoint: ByteSize(4 << 20),
        }
    }
}

impl Settings {
    /// Reads settings from JSON: parts as objects, or single choices by their names. What it does not choose has its
    /// default.
    ///
    /// # Errors
    /// If the text is no object, has an unknown key or a value that is none of the key's, or if choices exclude each
    /// other.
    pub fn from_json(text: &str) -> Result<Self, SettingsError> {
        PartialSettings::from_json(text)?.settings()
    }

    /// The same from TOML.
    ///
    /// # Errors
    /// Likewise.
    pub fn from_toml(text: &str) -> Result<Self, SettingsError> {
        PartialSettings::from_toml(text)?.settings()
    }

    /// Refuses filters on page types that the model does not tell: they would drop all pages, or none.
    ///
    /// # Errors
    /// [`SettingsError::Invalid`] naming the type and those that the model tells.
    pub fn check_page_types(&self, model: &Model) -> Result<(), SettingsError> {
        let known = model.file().page_types.iter();
        let known: Vec<&str> = known.map(|page_type| page_type.name.as_str()).collect();
        match self.filters.unknown_page_type(&known) {
            None => Ok(()),
            Some((key, name)) => Err(SettingsError::invalid(
                &format!("filters.{key}"),
                format!(
                    "the model knows no page type {name:?}; it knows {}",
                    known.join(", ")
                ),
            )),
        }
    }

    /// Most bytes kept of one record, and of one decoded page: a twenty-fourth and a forty-eighth of the memory
    /// that may be taken, if that is less than what is chosen for each. They depend on nothing else, so that the
    /// output does not depend on the number of workers.
    pub fn max_record_and_payload(&self) -> (u64, u64) {
        let LimitSettings {
            jobs: _,
            max_record: ByteSize(record),
            max_payload: ByteSize(payload),
            max_memory,
        } = self.limits;
        match max_memory {
            None => (record, payload),
            Some(ByteSize(memory)) => (
                record.min(memory / PAGE_FACTOR),
                payload.min(memory / 2 / PAGE_FACTOR),
            ),
        }
    }

    /// Reads the model that is chosen.
    ///
    /// # Errors
    /// If there is none of that name, or its file cannot be read.
    pub fn model(&self) -> Result<Model, ModelError> {
        match self.model.as_str() {
            "" => Ok(Model::default()),
            name => Model::open(name),
        }
    }

    /// The name of the model that is chosen.
    pub fn model_name(&self) -> &str {
        match self.model.as_str() {
            "" => Model::builtin_names().next().unwrap_or_default(),
            name => name,
        }
    }

    /// Refuses choices that exclude each other or would have no effect.
    ///
    /// # Errors
    /// [`SettingsError::Conflict`] naming the choice.
    pub fn check(&self) -> Result<(), SettingsError> {
        let Self {
            content,
            text,
            include,
            sites,
            ..
        } = self;
        let is_markdown = text.form == TextForm::Markdown;
        let only_in_markdown = "is for Markdown only: add text = \"markdown\"";
        let is_divided = text.sections || (include.posts && is_markdown);
        for (key, is_wrong, message) in [
            ("text.links", text.links && !is_markdown, only_in_markdown),
            ("text.images", text.images && !is_markdown, only_in_markdown),
            (
                "text.sections",
                text.sections && !is_markdown,
                only_in_markdown,
            ),
            (
                "text.sections",
                text.sections && include.posts,
                "sections and posts exclude each other: a text is divided one way or the other",
            ),
            (
                "include.spans",
                include.spans && is_divided,
                "of text that is divided (sections, posts) the places are not known",
            ),
            (
                "sites.file",
                sites.file.is_some() && sites.memory != SiteMode::Off,
                "a file and site_memory exclude each other",
            ),
        ] {
            if is_wrong {
                return Err(SettingsError::conflict(key, message));
            }
        }
        self.check_bounds()?;
        let mut included = content.include.iter();
        if let Some(role) = included.find(|role| content.exclude.contains(*role)) {
            let message = format!("the role {} is both to include and to exclude", role.name());
            return Err(SettingsError::conflict("content.include", &message));
        }
        Ok(())
    }
}
