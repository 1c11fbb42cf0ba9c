//! The plan of a run: its inputs, its outputs and its settings.
//!
//! It knows files that settings name by their content, the inputs that are followed while they grow, and the
//! records that are copied for other tools: those that are not pages, and pages that are hard to extract. It
//! describes itself in words.

pub(crate) mod existing;
pub(crate) mod output;
pub(crate) mod recipe_and_lanes;
pub(crate) mod request;

use std::path::{Path, PathBuf};
use std::{collections::BTreeMap, fmt, fs, str::FromStr, sync::Arc, time::Duration};

use serde::Serialize;
use trommel_extract::Document;
use trommel_record::{Assemble, Format, filters::Filters};
use trommel_sources::{is_url, redacted};

use crate::run::plan::output::{Encoding, Output};
use crate::{Error, Result, Settings, run::inputs::Input, run::inputs::pieces::PIECE_BYTES};

/// Plan of a run: its inputs, settings and outputs. An interrupted run can be continued only with an equal plan.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Plan {
    /// Inputs of the run, in order.
    // Each has its identity in the saved state.
    #[serde(skip)]
    pub inputs: Vec<Input>,
    /// Destination and encodings of the documents.
    #[serde(flatten)]
    pub output: Output,
    /// Settings of the run. A run can be continued only if those settings that change the output are the same.
    // It is written by itself.
    #[serde(skip)]
    pub settings: Settings,
    /// Names and checksums of the files that the settings name.
    #[serde(skip)]
    pub files: NamedFiles,
    /// Functions that assemble the final file from all documents at the end, for formats such as Parquet.
    // Made of the formats and of what a document holds.
    #[serde(skip)]
    pub assemble: BTreeMap<Format, Arc<dyn Assemble>>,
    /// WARC file for records that fail; none to leave them out.
    pub quarantine: Option<PathBuf>,
    /// WARC files for records that are not pages, one for each kind of payload.
    #[serde(rename = "set aside")]
    pub set_aside: Vec<SetAside>,
    /// File for copies of pages whose documents have a low confidence; none to copy no pages.
    #[serde(rename = "hard pages")]
    pub hard: Option<HardPages>,
    /// File that lists the dropped records, one JSON line for each; none to list no records.
    pub dropped: Option<PathBuf>,
    /// Inputs to read repeatedly while they grow; none to read `inputs` once. If set, `inputs` serve only to find
    /// existing outputs.
    pub follow: Option<Follow>,
    /// Time that WET files state for the run, in seconds since 1970 (`SOURCE_DATE_EPOCH`); none to state no time.
    #[serde(rename = "SOURCE_DATE_EPOCH")]
    pub epoch: Option<i64>,
    /// Size of a piece of a large archive in stored bytes. Archives of up to four pieces are read as a whole.
    // Tests have small archives.
    #[doc(hidden)]
    #[serde(rename = "piece size")]
    pub piece_bytes: u64,
}

impl Plan {
    /// Creates a plan to write the documents of `inputs` to `output` under the default settings, without a quarantine.
    pub fn new(inputs: Vec<Input>, output: Output) -> Self {
        Self { inputs, output, piece_bytes: PIECE_BYTES, ..Self::default() }
    }

    /// Replaces the settings of the plan.
    #[must_use]
    pub fn with_settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Returns the maximum number of bytes kept of a record's block. The rest is skipped, and the document notes it.
    pub(crate) fn max_record(&self) -> u64 {
        self.settings.max_record_and_payload().0
    }

    /// Returns the maximum number of bytes kept of a decoded payload. The rest is skipped, and the document notes it.
    pub(crate) fn max_payload(&self) -> u64 {
        self.settings.max_record_and_payload().1
    }

    /// Returns option and path of each side file: for failed records, the list of dropped records, then copies, each
    /// before its index. The path is none for an absent file. The position in the list is the number of the file.
    pub(crate) fn sides(&self) -> Vec<(&'static str, Option<PathBuf>)> {
        let asides = self.set_aside.iter().map(|aside| ("--set-aside", &aside.path));
        let copies = asides.chain(self.hard.iter().map(|hard| ("--hard-to", &hard.path)));
        let copies = copies.flat_map(|(option, path)| [(option, path.clone()), (option, index_of(path))]);
        let others = [("--quarantine", self.quarantine.clone()), ("--dropped", self.dropped.clone())];
        others.into_iter().chain(copies.map(|(option, path)| (option, Some(path)))).collect()
    }

    /// Returns the side files (failed, dropped, copied records) that the plan has, each with its option.
    pub(crate) fn side_files(&self) -> Vec<(PathBuf, &'static str)> {
        self.sides().into_iter().filter_map(|(option, path)| Some((path?, option))).collect()
    }

    /// Returns the files and folders to which documents are written, without repetition; of an output in parts, the
    /// first part.
    pub fn outputs(&self) -> Vec<PathBuf> {
        self.output.paths(&self.inputs)
    }
}

/// Names and checksums of the files that the settings name, by which a resumed run notices changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NamedFiles {
    /// Name of the model and its SHA-256.
    #[serde(rename = "model file")]
    pub model: String,
    /// Path and SHA-256 of the site memory (counts of repeated blocks by site); empty without a file.
    #[serde(rename = "memory of sites")]
    pub sites: String,
    /// Path and SHA-256 of the tokenizer file; empty without a file.
    #[serde(rename = "tokenizer file")]
    pub tokenizer: String,
    /// SHA-256 checksums of the files in the settings `host` and `not_host`, separated by commas; empty without files.
    #[serde(rename = "lists of hosts")]
    pub hosts: String,
}

/// Options of a run that follows its inputs while they grow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Follow {
    /// Names of the followed inputs: files (even if still missing), folders, globs, named pipes, `-` for standard
    /// input.
    // They may become more, as inputs may.
    #[serde(skip)]
    pub arguments: Vec<String>,
    /// Time without new data in an input after which its documents are written out.
    pub idle: Duration,
    /// Maximum time without new data before the run ends; none to continue until the run is stopped.
    #[serde(skip)]
    pub until_idle: Option<Duration>,
}

impl Follow {
    /// Default time without new data in an input after which its documents are written out.
    // A compromise: outputs are not cut at each pause of a crawler, and readers do not wait long for what came.
    pub const IDLE: Duration = Duration::from_secs(2);

    /// Creates options to follow the inputs that `arguments` name, until the run is stopped.
    ///
    /// # Errors
    /// Fails if an argument is a URL or a manifest.
    pub fn new(arguments: &[String]) -> Result<Self> {
        let is_fixed = |argument: &&String| is_url(argument) || argument.starts_with('@');
        match arguments.iter().find(is_fixed) {
            Some(argument) => {
                let reason = "only files, folders, globs and pipes can be followed";
                Err(Error::setting(format!("{}: {reason}", redacted(argument))))
            }
            None => Ok(Self { arguments: arguments.to_vec(), idle: Self::IDLE, until_idle: None }),
        }
    }
}

/// Describes the run in words, in order: inputs with their stored bytes, stages with their settings, outputs.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "inputs: {}", self.inputs.len())?;
        for input in &self.inputs {
            let size = match input {
                Input::File(path) => {
                    fs::metadata(path).map_or_else(|error| error.to_string(), |file| format!("{} bytes", file.len()))
                }
                Input::Selection(selection) => format!(
                    "{} records of {} archives, {} bytes",
                    selection.rows.len(),
                    selection.archives.len(),
                    selection.bytes()
                ),
                Input::Pages(pages) => format!("{} pages, {} bytes", pages.files.len(), pages.bytes()),
                Input::Nothing { reason, .. } => reason.clone(),
                _ => input.size().map_or("size not known".to_owned(), |bytes| format!("{bytes} bytes")),
            };
            writeln!(f, "  {}: {size}", input.name())?;
        }
        writeln!(f, "stages:")?;
        writeln!(f, "  read: {} bytes of a record and {} of a page at most", self.max_record(), self.max_payload())?;
        // In the order of a run: filters of captures come before the page is read, those of documents after.
        let (early, late) = Filters::new(&self.settings.filters).describe_both();
        for stage in early {
            writeln!(f, "  {stage}")?;
        }
        let choices = self.settings.canonical().into_iter();
        let choices = choices.filter(|(_, value)| !matches!(value.as_str(), "" | "[]" | "null"));
        let choices: Vec<String> = choices.map(|(name, value)| format!("{name} {value}")).collect();
        writeln!(f, "  extract: model {}, {}", self.files.model, choices.join(", "))?;
        for stage in late {
            writeln!(f, "  {stage}")?;
        }
        for Encoding { format, compression, by_page } in &self.output.encodings {
            let files = if *by_page { ", a file a page" } else { "" };
            writeln!(f, "  encode: {format}, compression {compression}{files}")?;
        }
        if let Some(size) = self.output.split {
            writeln!(f, "  split: {size} bytes of documents in a part at most")?;
        }
        writeln!(f, "workers: {}", self.settings.jobs())?;
        writeln!(f, "outputs:")?;
        let paths = self.output.paths(&self.inputs);
        if paths.is_empty() {
            writeln!(f, "  standard output")?;
        }
        for path in paths {
            writeln!(f, "  {}", path.display())?;
        }
        Ok(())
    }
}

/// WARC file for the records whose payload is of one kind, such as PDF.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SetAside {
    /// Kind of payload: a media type (`application/pdf`), its second part (`pdf`) or its first (`image`).
    pub kind: String,
    /// Path of the WARC file, in which each record is a gzip member of its own.
    pub path: PathBuf,
}

impl FromStr for SetAside {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        text.split_once('=')
            .filter(|(kind, path)| !kind.is_empty() && path.ends_with(".warc.gz"))
            .map(|(kind, path)| Self { kind: kind.to_ascii_lowercase(), path: path.into() })
            .ok_or_else(|| Error::setting(format!("{text:?}: expected KIND=FILE.warc.gz, such as pdf=pdfs.warc.gz")))
    }
}

impl SetAside {
    /// Returns whether records with a payload of type `media_type` go to the file.
    pub(crate) fn keeps(&self, media_type: &str) -> bool {
        let (first, second) = media_type.split_once('/').unwrap_or((media_type, ""));
        [media_type, first, second].contains(&self.kind.as_str())
    }
}

/// File for copies of pages whose documents have a low confidence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HardPages {
    /// Path of the WARC file, in which each record is a gzip member of its own.
    pub path: PathBuf,
    /// Confidence (0..=1) below which the page of a document is copied.
    #[serde(rename = "confidence below")]
    pub below: f32,
}

impl HardPages {
    /// Returns whether the page of a document is copied, because another extractor may do better. Block pages, such as
    /// a captcha, are left out.
    pub(crate) fn takes(&self, document: &Document) -> bool {
        document.confidence < self.below && document.blocked.is_none()
    }
}

/// Returns the path of the CDXJ index that accompanies a file of copied records: `PATH.cdxj`.
fn index_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".cdxj");
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_types_or_parts_of_them() {
        let kept: SetAside = "PDF=x/pdfs.warc.gz".parse().unwrap();
        assert_eq!(index_of(&kept.path), Path::new("x/pdfs.warc.gz.cdxj"));
        assert_eq!(kept.kind, "pdf");
        assert!(kept.keeps("application/pdf") && !kept.keeps("image/png"));
        let images: SetAside = "image=i.warc.gz".parse().unwrap();
        assert!(images.keeps("image/png") && !images.keeps("application/pdf"));
        for text in ["pdf", "pdf=", "=x.warc.gz", "pdf=x.pdf"] {
            assert!(text.parse::<SetAside>().is_err(), "{text}");
        }
    }
}
