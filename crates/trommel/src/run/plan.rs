//! The plan of a run: its inputs, its outputs and its settings.
//!
//! It knows files that settings name by their content, the inputs that are followed while they grow, and the
//! records that are copied for other tools: those that are not pages, and pages that are hard to extract. It
//! describes itself in words.

pub(crate) mod existing;
pub(crate) mod output;
pub(crate) mod prepared;
pub(crate) mod request;

use std::path::{Path, PathBuf};
use std::{collections::BTreeMap, fmt, fs, num::NonZeroUsize, str::FromStr, sync::Arc, thread, time::Duration};

use trommel_extract::Document;
use trommel_record::{Assemble, Format, filters::Filters};
use trommel_sources::{is_url, redacted};

use crate::run::plan::output::{Encoding, Output};
use crate::{Error, Result, Settings, run::inputs::Input, run::inputs::pieces::PIECE_BYTES};

/// The state of a run in the folder of its outputs, and that of a finished one.
// Readers of the folder pass over both.
const FOLDER_STATE: &str = ".run.checkpoint";
pub(crate) const FINISHED_STATE: &str = "_STATE";

/// The plan of a run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The archives, in order.
    pub inputs: Vec<Input>,
    /// The destination of the documents.
    pub output: Output,
    /// All settings. A run can be continued only with the same values of those that change the output.
    pub settings: Settings,
    /// Checksums of the files that the settings name.
    pub files: NamedFiles,
    /// Last step of outputs in formats that cannot be written as they come.
    pub assemble: BTreeMap<Format, Arc<dyn Assemble>>,
    /// WARC file for the records that fail.
    pub quarantine: Option<PathBuf>,
    /// Files for records that are not pages, by their kind.
    pub set_aside: Vec<SetAside>,
    /// File for pages of low confidence.
    pub hard: Option<HardPages>,
    /// File that lists the records that are dropped, a JSON line each.
    pub dropped: Option<PathBuf>,
    /// The inputs to follow while they grow, instead of reading the inputs once. Then the inputs serve only to
    /// find existing outputs.
    pub follow: Option<Follow>,
    /// Seconds since 1970 that stand for the time of the run in WET files (`SOURCE_DATE_EPOCH`).
    pub epoch: Option<i64>,
    /// Stored bytes of a piece, of which an archive that is read in pieces has more than four.
    // Tests have small archives.
    #[doc(hidden)]
    pub piece_bytes: u64,
}

impl Plan {
    /// A plan to write the documents of `inputs` to `output` under the default settings, without a quarantine.
    pub fn new(inputs: Vec<Input>, output: Output) -> Self {
        Self {
            inputs,
            output,
            settings: Settings::default(),
            files: NamedFiles::default(),
            assemble: BTreeMap::new(),
            quarantine: None,
            set_aside: Vec::new(),
            hard: None,
            dropped: None,
            follow: None,
            epoch: None,
            piece_bytes: PIECE_BYTES,
        }
    }

    /// Replaces the settings.
    #[must_use]
    pub fn with_settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Number of worker threads. It has no influence on the output.
    pub(crate) fn jobs(&self) -> NonZeroUsize {
        let all = || thread::available_parallelism().ok();
        // All processors that the system grants, which in a container may be fewer than the machine has.
        self.settings.limits.jobs.or_else(all).unwrap_or(NonZeroUsize::MIN)
    }

    /// Maximum bytes kept of one record's block; the rest is skipped and the document notes it.
    pub(crate) fn max_record(&self) -> u64 {
        self.settings.max_record_and_payload().0
    }

    /// Maximum bytes kept of one decoded payload; the rest is skipped and the document notes it.
    pub(crate) fn max_payload(&self) -> u64 {
        self.settings.max_record_and_payload().1
    }

    /// The file in which a run has its state until it is finished: `.run.checkpoint` in the folder of its outputs, or
    /// `.NAME.checkpoint` beside its one output. None if the run cannot be continued: standard input and
    /// output can't be read or written again.
    pub fn state_file(&self) -> Option<PathBuf> {
        let pipe = |follow: &Follow| follow.arguments.iter().any(|argument| argument == "-");
        // What came through a pipe cannot be read again, so there is nothing to continue from.
        if self.inputs.contains(&Input::Stdin) || self.follow.as_ref().is_some_and(pipe) {
            return None;
        }
        self.output.destination.beside(FOLDER_STATE, |name| format!(".{name}.checkpoint"))
    }

    /// The file in which a finished run leaves its state, should more inputs come: `_STATE` in the folder of its outputs,
    /// or `_NAME.state` beside its one output. None if there is no [`Plan::state_file`].
    pub fn finished_file(&self) -> Option<PathBuf> {
        self.state_file()?;
        self.output.destination.beside(FINISHED_STATE, |name| format!("_{name}.state"))
    }

    /// The files beside the outputs as the user named them, and the options that name them.
    pub(crate) fn side_files(&self) -> Vec<(PathBuf, &'static str)> {
        let options = ["--quarantine", "--dropped"].into_iter();
        let options = options.chain(self.set_aside.iter().flat_map(|_| ["--set-aside"; 2])).chain(["--hard-to"; 2]);
        self.numbered_sides().into_iter().zip(options).filter_map(|(path, option)| Some((path?, option))).collect()
    }

    /// The same by the numbers that records name them by; each copy has its index behind it.
    pub(crate) fn numbered_sides(&self) -> Vec<Option<PathBuf>> {
        let copies = self.copies().into_iter().flat_map(|path| [path.to_owned(), index_of(path)]);
        [self.quarantine.clone(), self.dropped.clone()].into_iter().chain(copies.map(Some)).collect()
    }

    /// The files for copies of records, without their indexes: first those of `set_aside`, then that of `hard`.
    pub(crate) fn copies(&self) -> Vec<&Path> {
        let asides = self.set_aside.iter().map(|aside| aside.path.as_path());
        asides.chain(self.hard.as_ref().map(|hard| hard.path.as_path())).collect()
    }

    /// The files and folders that documents are written to, without repetition; of parts the first.
    pub fn outputs(&self) -> Vec<PathBuf> {
        self.output.paths(&self.inputs)
    }
}

/// Names and checksums of the files that settings name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedFiles {
    /// Name of the model and its SHA-256.
    pub model: String,
    /// SHA-256 of the memory of sites; empty without one.
    pub sites: String,
    /// SHA-256 of the tokenizer; empty without one.
    pub tokenizer: String,
    /// SHA-256 checksums of the files of `host` and `not_host`, separated by commas; empty without such files.
    pub hosts: String,
}

/// The inputs to follow, and the time limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Follow {
    /// Files, which need not be there yet, folders, globs, named pipes, and `-` for standard input.
    pub arguments: Vec<String>,
    /// Time without new data after which everything is written out.
    pub idle: Duration,
    /// Maximum time without new data before the run ends; `None` continues until it is stopped.
    pub until_idle: Option<Duration>,
}

impl Follow {
    /// Usual value of [`Follow::idle`].
    // A compromise: outputs are not cut at each pause of a crawler, and readers do not wait long for what came.
    pub const IDLE: Duration = Duration::from_secs(2);

    /// Follows the arguments until the run is stopped.
    ///
    /// # Errors
    /// If an argument is a URL or a manifest.
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

/// Lists what the run would read, do and write, in order: inputs with their stored bytes, stages with their
/// settings, outputs.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "inputs: {}", self.inputs.len())?;
        for input in &self.inputs {
            let size = match input {
                Input::File(path) => match fs::metadata(path) {
                    Ok(file) => format!("{} bytes", file.len()),
                    Err(error) => error.to_string(),
                },
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
        writeln!(f, "workers: {}", self.jobs())?;
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

/// A kind of payload whose records are kept in a file of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetAside {
    /// A media type (`application/pdf`), its second part (`pdf`) or its first (`image`).
    pub kind: String,
    /// WARC file for the records, each in a gzip member.
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

impl fmt::Display for SetAside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.kind, self.path.display())
    }
}

impl SetAside {
    /// Returns whether records of this media type are kept here.
    pub(crate) fn keeps(&self, media_type: &str) -> bool {
        let (first, second) = media_type.split_once('/').unwrap_or((media_type, ""));
        [media_type, first, second].contains(&self.kind.as_str())
    }
}

/// The file for pages of low confidence.
#[derive(Clone, Debug, PartialEq)]
pub struct HardPages {
    /// WARC file for the records, each in a gzip member.
    pub path: PathBuf,
    /// Documents with a lower confidence (0..=1) are copied.
    pub below: f32,
}

impl HardPages {
    /// Returns whether another extractor may do better on the page of a document. It would find nothing on a block
    /// page, such as a captcha.
    pub(crate) fn takes(&self, document: &Document) -> bool {
        document.confidence < self.below && document.blocked.is_none()
    }
}

impl fmt::Display for HardPages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "confidence below {} to {}", self.below, self.path.display())
    }
}

/// The index of where the records of a file were, beside it: CDXJ.
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
        assert_eq!(kept.to_string(), "pdf=x/pdfs.warc.gz");
        assert!(kept.keeps("application/pdf") && !kept.keeps("image/png"));
        let images: SetAside = "image=i.warc.gz".parse().unwrap();
        assert!(images.keeps("image/png") && !images.keeps("application/pdf"));
        for text in ["pdf", "pdf=", "=x.warc.gz", "pdf=x.pdf"] {
            assert!(text.parse::<SetAside>().is_err(), "{text}");
        }
    }
}
