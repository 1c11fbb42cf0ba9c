//! Every choice of a user about text, archives and outputs, in one struct.
//!
//! The command line, the configuration file, Python, the service and the C library take these settings. A
//! choice is declared here once, with its name, its values and its default. The interfaces are generated from
//! the list.

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
mod tokenizer;
mod toml_value;

use std::num::{NonZeroU32, NonZeroUsize};

use serde::{Deserialize, Serialize};
use trommel_extract::{
    AddressForm, ArticlePolicy, ChunkSize, ChunkUnit, CommentPolicy, Favor, HeadlinePolicy, MathForm, NoteForm,
    RoleSet, ScriptForm,
};
use trommel_filters::FilterSettings;
use trommel_model::{Model, ModelError};
use trommel_output::{Compression, Format};
use trommel_text::{ByteSize, Share};

pub use bounds::MAX_JOBS;
pub use error::SettingsError;
#[cfg(feature = "schema")]
pub use field::{Field, Kind, Value, fields, parts};
pub use partial::{PartialSettings, SettingsFileError};
pub use tokenizer::TokenizerFile;

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
    /// Bounds on bytes and memory.
    pub limits: LimitSettings,
    /// Encoding of outputs.
    pub output: OutputSettings,
}

/// Choice of main text, where conventions differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ContentSettings {
    /// Treatment of readers' comments; posts of a forum are main text.
    pub comments: CommentPolicy,
    /// Treatment of the main headline, which is always a source of the title.
    pub headline: HeadlinePolicy,
    /// Treatment of further articles below the first, which endless pages append.
    pub articles: ArticlePolicy,
    /// Less text that is not content, or less content that is missing.
    pub favor: Favor,
    /// Roles whose blocks are always part of the text.
    pub include: RoleSet,
    /// Roles whose blocks are never part of the text.
    pub exclude: RoleSet,
}

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
    /// Write images outside of lines of text into Markdown, with their alternative text.
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
    /// Most tokens of the text. A longer text ends at a paragraph, and `capped` says `max-tokens`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<u32>"))]
    pub max_tokens: Option<NonZeroU32>,
    /// Tokenizer that counts the tokens of texts and chunks: a file tokenizer.json, as models on the Hugging Face Hub
    /// have one. Without it a token is taken for four bytes. It needs a build with the feature `tokenizer`.
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

/// Lists beside the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct IncludeSettings {
    /// List all blocks of the page with text, probability, role, bytes in the decoded page, and whether each is kept.
    pub blocks: bool,
    /// List the source bytes of each part of the text: first character of the text, number of
    /// characters, first byte of the page, number of bytes.
    pub spans: bool,
    /// List the tables in the text as rows of cells.
    pub tables: bool,
    /// List the posts of a thread with author and time, if the markup states them. In Markdown, write author and
    /// time above each post.
    pub posts: bool,
    /// The text in chunks for retrieval, of at most so many words or tokens each: words=400, or tokens=512,overlap=64.
    /// No chunk cuts code, a table row, a list item or a sentence.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub chunks: Option<ChunkSize>,
}

/// Correction of the model by other pages of a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct SiteSettings {
    /// Correct the model by other pages of the same site.
    pub memory: SiteMode,
    /// Site memory from `trommel sites build`, in place of site_memory.
    pub file: Option<String>,
    /// Most memory for counts of sites, at least 1M. Beyond it an even sample of the blocks is kept.
    pub size: ByteSize,
}

impl Default for SiteSettings {
    fn default() -> Self {
        Self { memory: SiteMode::Off, file: None, size: ByteSize(1 << 30) }
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
    /// Count all inputs in a first pass, and extract in a second.
    TwoPass,
    /// Learn from earlier pages. The output depends on their order and on the workers.
    Online,
}

/// Reading of archives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ArchiveSettings {
    /// Take only the pages that a WACZ file lists (pages/*.jsonl).
    pub pages_only: bool,
    /// Compare the contents of WACZ files with the hashes that they state. Differences count as damage, but the
    /// contents are still read.
    pub check_hashes: bool,
    /// Give revisits the content of the captures they refer to, if the inputs contain them. The inputs are read
    /// twice.
    pub resolve_revisits: bool,
    /// URL or folder to resolve names in manifests and indexes against, instead of their own folder.
    pub base_url: Option<String>,
    /// Allow names in an index outside of the base URL: `..`, absolute paths, other hosts, and buckets, which are
    /// read with the keys of the environment.
    pub select_anywhere: bool,
    /// Read only those records of an index whose row meets this condition, as in SQL: confidence < 0.6 and language =
    /// 'en'. Columns are those of a Parquet file or the keys of CDXJ.
    pub select_where: Option<String>,
    /// Take all records in each range of an index instead of the first.
    pub whole_ranges: bool,
}

/// Bounds on bytes and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct LimitSettings {
    /// Number of worker threads. It does not change the output [default: processor cores].
    #[serde(deserialize_with = "bounds::jobs")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<u32>"))]
    pub jobs: Option<NonZeroUsize>,
    /// Most bytes of one record; the rest is skipped.
    pub max_record: ByteSize,
    /// Most bytes of one decoded page; the rest is skipped.
    pub max_payload: ByteSize,
    /// Most memory for records and pages in progress. It lowers max_record to a twenty-fourth and max_payload to a
    /// forty-eighth of it.
    pub max_memory: Option<ByteSize>,
}

impl Default for LimitSettings {
    fn default() -> Self {
        Self { jobs: None, max_record: ByteSize(64 << 20), max_payload: ByteSize(64 << 20), max_memory: None }
    }
}

/// Encoding of outputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct OutputSettings {
    /// Output formats. Several need a folder. By default the name of the output decides, else jsonl.
    pub format: Vec<Format>,
    /// Compression, for the formats that can have one. By default the name of the output decides, else none for
    /// standard output, zst for jsonl and msgpack, and gz for the rest.
    pub compress: Option<Compression>,
    /// Divide each output into parts (NAME-00000.SUFFIX and so on) of at most this size before compression (WET:
    /// after). An index is not divided.
    pub split_size: Option<ByteSize>,
    /// Bytes of documents between saved states. This is also the size of the frames of compressed outputs.
    pub checkpoint: ByteSize,
    /// Share of the pages that are copied for an expensive extractor: those of which a built-in model is least sure,
    /// by its table of confidences [default: 5%].
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub hard_share: Option<Share>,
}

impl Default for OutputSettings {
    fn default() -> Self {
        Self { format: Vec::new(), compress: None, split_size: None, checkpoint: ByteSize(4 << 20), hard_share: None }
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
                format!("the model knows no page type {name:?}; it knows {}", known.join(", ")),
            )),
        }
    }

    /// Most bytes kept of one record, and of one decoded page: a twenty-fourth and a forty-eighth of the memory
    /// that may be taken, if that is less than what is chosen for each. They depend on nothing else, so that the
    /// output does not depend on the number of workers.
    pub fn max_record_and_payload(&self) -> (u64, u64) {
        let LimitSettings { jobs: _, max_record: ByteSize(record), max_payload: ByteSize(payload), max_memory } =
            self.limits;
        match max_memory {
            None => (record, payload),
            Some(ByteSize(memory)) => (record.min(memory / PAGE_FACTOR), payload.min(memory / 2 / PAGE_FACTOR)),
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
        let Self { content, text, include, sites, .. } = self;
        let is_markdown = text.form == TextForm::Markdown;
        let only_in_markdown = "is for Markdown only: add text = \"markdown\"";
        let is_divided = text.sections || (include.posts && is_markdown);
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
                text.sections && include.posts,
                "sections and posts exclude each other: a text is divided one way or the other",
            ),
            (
                "include.spans",
                include.spans && is_divided,
                "of text that is divided (sections, posts) the places are not known",
            ),
            (
                "text.max_tokens",
                text.max_tokens.is_some() && is_divided,
                "text that is divided (sections, posts) is not ended at a number of tokens",
            ),
            (
                "text.tokenizer",
                text.tokenizer.is_some() && !counts_tokens,
                "counts nothing: add max_tokens, or chunks in tokens",
            ),
            (
                "include.chunks",
                include.chunks.is_some() && is_divided,
                "text that is divided (sections, posts) is in no chunks",
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
