//! The settings by their parts, with their defaults and the bounds of numbers.
//!
//! The parts are the form of the text, the reading of archives, the choice of main text, the lists beside the text,
//! bounds on documents, bytes and memory, the encoding of outputs, and the correction of the model by other pages
//! of a site.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};

use serde::{Deserialize, Serialize};
use trommel_extract::{
    AddressForm, ArticlePolicy, ChunkSize, CommentPolicy, Favor, HeadlinePolicy, MAX_SELECTORS, MathForm,
    MetadataChoice, NoteForm, ReadingForm, RoleSet, ScriptForm, Selector,
};
use trommel_record::{Compression, Format};
use trommel_text::{ByteSize, Share};

use super::{Settings, SettingsError, TokenizerFile};

trommel_text::settings! {
    /// Form of the text.
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
        /// Write the author and the time of each post of a thread above it. In Markdown `posts` does so, too.
        pub names: bool,
        /// Form of formulas.
        pub math: MathForm,
        /// Treatment of footnotes and of the marks that refer to them.
        pub notes: NoteForm,
        /// Form of superscripts and subscripts that follow a letter or digit.
        pub scripts: ScriptForm,
        /// Treatment of ruby readings.
        pub readings: ReadingForm,
        /// Maximum tokens of the text. A longer text ends at a paragraph, and `capped` says `max-tokens`.
        pub max_tokens: Option<NonZeroU32> as "Option<u32>",
        /// File `tokenizer.json` of a model, to count the tokens of texts and chunks exactly. Without it four bytes
        /// count as one token. It needs a build with the feature `tokenizer`.
        pub tokenizer: Option<TokenizerFile> as "Option<String>",
    }

    /// Reading of archives.
    #[non_exhaustive]
    pub struct ArchiveSettings {
        /// Take only the pages that a WACZ file lists (pages/*.jsonl).
        pub pages_only: bool,
        /// Take the copies of pages that a crawler's browser left (urn:text, urn:dom) as documents where the page gave
        /// no text. Only a script writes such pages.
        pub crawler_text: bool,
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
        /// Take all records in each range of an index instead of the first.
        pub whole_ranges: bool,
    }

    /// Choice of main text, where conventions differ.
    #[non_exhaustive]
    pub struct ContentSettings {
        /// Treatment of readers' comments; posts of a forum are main text.
        pub comments: CommentPolicy,
        /// Treatment of the main headline, which is always a source of the title.
        pub headline: HeadlinePolicy,
        /// Treatment of further articles below the first, which endless pages append.
        pub articles: ArticlePolicy,
        /// Preference for precise or for complete text.
        pub favor: Favor,
        /// Roles whose blocks are always part of the text.
        pub include: RoleSet,
        /// Roles whose blocks are never part of the text.
        pub exclude: RoleSet,
        /// Selectors of elements whose blocks are always part of the text: `article .body`, `#main`, `[itemprop=text]`,
        /// on the pages of a host `example.org##.body`.
        pub keep: Vec<Selector> as "Vec<String>",
        /// Selectors of elements whose blocks are never part of the text. Of selected elements inside of each other the
        /// innermost decides.
        pub drop: Vec<Selector> as "Vec<String>",
    }

    /// Lists beside the text.
    #[non_exhaustive]
    pub struct IncludeSettings {
        /// List all blocks of the page with text, probability, role, bytes in the decoded page, and whether each is
        /// kept.
        pub blocks: bool,
        /// List the source bytes of each part of the text: first character of the text, number of
        /// characters, first byte of the page, number of bytes.
        pub spans: bool,
        /// List the tables in the text as rows of cells.
        pub tables: bool,
        /// List the posts of a thread with author and time, if the markup states them. In Markdown, write author and
        /// time above each post.
        pub posts: bool,
        /// Divide the text into chunks for retrieval, each at most this long: words=400, or tokens=512,overlap=64. No
        /// chunk cuts code, a table row, a list item or a sentence.
        pub chunks: Option<ChunkSize> as "Option<String>",
        /// Metadata of documents.
        pub metadata: MetadataChoice,
    }

    /// Bounds on documents, bytes and memory.
    #[non_exhaustive]
    pub struct LimitSettings {
        /// Maximum number of documents. The run ends after the last of them.
        pub limit: Option<NonZeroU64>,
        /// Number of worker threads. It does not change the output [default: processor cores].
        pub jobs: Option<NonZeroUsize> as "Option<u32>",
        /// Maximum bytes of one record; the rest is skipped.
        pub max_record: ByteSize = ByteSize(64 << 20),
        /// Maximum bytes of one decoded page; the rest is skipped.
        pub max_payload: ByteSize = ByteSize(64 << 20),
        /// Maximum memory for records and pages in progress. It lowers max_record to a twenty-fourth and max_payload to
        /// a forty-eighth of it.
        pub max_memory: Option<ByteSize>,
    }

    /// Encoding of outputs.
    #[non_exhaustive]
    pub struct OutputSettings {
        /// Output formats. Several need a folder. Default: by the name of the output, otherwise jsonl.
        pub format: Vec<Format>,
        /// Compression, for the formats that can have one. Default: by the name of the output, otherwise none for
        /// standard output, zst for jsonl and msgpack, and gz for the rest.
        pub compress: Option<Compression>,
        /// Divide each output into parts (NAME-00000.SUFFIX and so on) of at most this size before compression (WET:
        /// after). An index is not divided.
        pub split_size: Option<ByteSize>,
        /// Bytes of documents between saved states. This is also the size of the frames of compressed outputs.
        pub checkpoint: ByteSize = ByteSize(4 << 20),
        /// Share of the pages to copy with `--hard-to`, those of which the model is least sure. It is the share of
        /// labelled pages below the same confidence; that of a crawl differs [default: 5%].
        pub hard_share: Option<Share> as "Option<String>",
    }

    /// Correction of the model by other pages of a site.
    #[non_exhaustive]
    pub struct SiteSettings {
        /// Correct the model by other pages of the same site.
        pub memory: SiteMode,
        /// Use the site memory in this file (from `trommel sites build`) instead of `site_memory`.
        pub file: Option<String>,
        /// Maximum memory for counts of sites, at least 1M. Beyond it an even sample of the blocks is kept.
        pub size: ByteSize = ByteSize(1 << 30),
    }
}

/// Form of text: plain or Markdown.
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

/// Use of other pages of a site to correct the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SiteMode {
    /// Judges every page by itself.
    #[default]
    Off,
    /// Counts all inputs in a first pass, and extracts text in a second.
    TwoPass,
}

const K: u64 = 1 << 10;
const M: u64 = 1 << 20;
const G: u64 = 1 << 30;

/// Maximum number of worker threads; a larger number is probably a typing error.
pub const MAX_JOBS: usize = 1024;

impl Settings {
    /// Refuses numbers in the settings that are out of range or contradict one another.
    ///
    /// # Errors
    /// Fails at the first wrong number.
    pub(super) fn check_bounds(&self) -> Result<(), SettingsError> {
        let (limits, output, filters) = (&self.limits, &self.output, &self.filters);
        if let Some(jobs) = limits.jobs.filter(|jobs| jobs.get() > MAX_JOBS) {
            let message = format!("{jobs} is not between 1 and {MAX_JOBS}");
            return Err(SettingsError::of("limits.jobs", message));
        }
        for (key, selectors) in [("content.keep", &self.content.keep), ("content.drop", &self.content.drop)] {
            let count: usize = selectors.iter().map(Selector::count).sum();
            if count > MAX_SELECTORS {
                return Err(SettingsError::of(key, format!("{count} selectors are more than {MAX_SELECTORS}")));
            }
        }
        let duplicates = &filters.duplicates;
        let memory = (duplicates.exact || duplicates.near).then_some(duplicates.memory);
        // A page takes some dozen times its bytes, so that less memory holds no usual page. Places in a page are
        // numbers of 32 bits. More memory than the most is in no machine.
        for (key, given, least, most) in [
            ("limits.max_memory", limits.max_memory, 16 * M, 512 * G),
            ("limits.max_record", Some(limits.max_record), K, 4 * G),
            ("limits.max_payload", Some(limits.max_payload), K, 4 * G),
            ("output.split_size", output.split_size, K, 1024 * G),
            ("output.checkpoint", Some(output.checkpoint), K, 64 * G),
            ("filters.duplicates.memory", memory, K, 512 * G),
            ("sites.size", Some(self.sites.size), M, 512 * G),
        ] {
            let Some(ByteSize(bytes)) = given else { continue };
            let (bound, relation) = match bytes {
                bytes if bytes < least => (ByteSize(least), "less than the least,"),
                bytes if bytes > most => (ByteSize(most), "more than the most,"),
                _ => continue,
            };
            let unit = if bytes == 1 { "byte" } else { "bytes" };
            let message =
                format!("{bytes} {unit} is {relation} {bound}; sizes are in bytes, or have a unit as in 512M");
            return Err(SettingsError::of(key, message));
        }
        for (counted, least, most) in
            [("words", filters.min_words, filters.max_words), ("chars", filters.min_chars, filters.max_chars)]
        {
            if let (Some(least), Some(most)) = (least, most)
                && least > most
            {
                let message = format!("{least} is more than max_{counted} = {most}: no document could be kept");
                return Err(SettingsError::of(&format!("filters.min_{counted}"), message));
            }
        }
        Ok(())
    }
}
