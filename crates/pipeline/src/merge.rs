//! Merges the texts of another extractor into the outputs of a run.

mod texts;

use std::collections::HashSet;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{fs, io};

use trommel_output::{Assemble, LocalDisk, OutputCopy, OutputError, RecordReader, readable_name};

use crate::error::RunError;
use crate::plan::FOLDER_STATE;
use crate::plan::output::Destination;
use crate::state::lock::OutputLock;
use crate::write::manifest::{self, ManifestFile, size_and_digest};
use texts::Texts;

/// The request to merge texts into outputs.
#[derive(Clone, Debug, Default)]
pub struct MergeRequest {
    /// An output, or a folder of outputs: JSON lines, MessagePack or Parquet.
    pub output: PathBuf,
    /// Files of JSON lines with the texts, plain or in gzip or zstd.
    pub texts: Vec<PathBuf>,
    /// The file or folder for the merged outputs; none replaces the outputs.
    pub target: Option<PathBuf>,
    /// Whether the texts are Markdown: the key `markdown` of a line, and `text` where there is none.
    pub is_markdown: bool,
}

/// The result of a merge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Outputs that have a text of the other extractor.
    pub outputs: u64,
    /// Documents in all outputs.
    pub documents: u64,
    /// Those among them that took a text.
    pub replaced: u64,
    /// Files of the folder that cannot be read back and were passed over.
    pub passed_over: Vec<PathBuf>,
    /// A line for each text that was left out: file, line, reason.
    pub faults: Vec<String>,
}

/// The step that makes a Parquet file of the columns that this one has; none if there is no need of one.
pub type LikeStep<'a> = dyn Fn(&Path) -> Result<Option<Box<dyn Assemble>>, OutputError> + 'a;

/// Why texts cannot be merged; each is one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the system or of its format.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A name that tells no format in which documents are read back.
    #[error("{0}: has no text that can be replaced; only JSON lines, MessagePack and Parquet can be merged")]
    Format(PathBuf),
    /// A name for a merged output that is that of another format or compression.
    #[error("{target}: the name is of another format than {path}")]
    OtherFormat {
        /// The output.
        path: PathBuf,
        /// The name.
        target: PathBuf,
    },
    /// A folder without outputs that can be read back.
    #[error("{0}: holds no output of JSON lines, MessagePack or Parquet")]
    Nothing(PathBuf),
    /// A folder with outputs of an unfinished run.
    #[error("{0}: a run is not finished here; continue it with --resume first")]
    Unfinished(PathBuf),
    /// A URL.
    #[error("{0}: outputs in buckets cannot be merged; copy them to this machine")]
    Url(String),
    /// Something has the name of a merged output.
    #[error("{0}: is there already; name another output")]
    Exists(PathBuf),
    /// A run or a merge is writing there, or its lock cannot be taken.
    #[error(transparent)]
    Lock(#[from] RunError),
}

impl MergeError {
    /// Names the file that an error is about.
    fn of<E: Into<Box<dyn Error + Send + Sync>>>(path: &Path) -> impl Fn(E) -> Self {
        let path = path.to_owned();
        move |source| Self::File { path: path.clone(), source: source.into() }
    }
}

impl MergeRequest {
    /// Puts the texts into the documents of their ids. Documents keep their order and number, and outputs that take no
    /// text keep their bytes. Each output appears when it is whole, so that a merge that was interrupted can be repeated.
    /// `like` makes Parquet files.
    ///
    /// # Errors
    /// If there is no output that can be merged, or a file cannot be read or written. Lines with a text that cannot be
    /// used are left out and listed in the result.
    pub fn merge(&self, like: &LikeStep<'_>) -> Result<Merged, MergeError> {
        for path in [Some(&self.output), self.target.as_ref()].into_iter().flatten() {
            // `--output s3://...` would make folders of that name.
            let name = path.to_string_lossy();
            if name.contains("://") {
                return Err(MergeError::Url(name.into_owned()));
            }
        }
        fs::metadata(&self.output).map_err(MergeError::of(&self.output))?;
        let mut merged = Merged::default();
        let mut texts = Texts::read(&self.texts, self.is_markdown, &mut merged.faults)?;
        if self.output.is_dir() {
            self.merge_folder(&mut texts, like, &mut merged)?;
        } else {
            let target = self.target.as_ref().unwrap_or(&self.output);
            let _lock = OutputLock::acquire(&Destination::File(target.clone()))?;
            self.check_free(target)?;
            merge_output(&self.output, target, &mut texts, like, &mut merged)?;
        }
        merged.faults.extend(texts.unused());
        Ok(merged)
    }

    /// Refuses to replace what is not what the outputs are made of.
    fn check_free(&self, target: &Path) -> Result<(), MergeError> {
        if self.target.is_some() && target.exists() { Err(MergeError::Exists(target.to_owned())) } else { Ok(()) }
    }

    fn merge_folder(&self, texts: &mut Texts, like: &LikeStep<'_>, merged: &mut Merged) -> Result<(), MergeError> {
        let folder = self.target.as_ref().unwrap_or(&self.output);
        fs::create_dir_all(folder).map_err(MergeError::of(folder))?;
        let _lock = OutputLock::acquire(&Destination::Folder(folder.clone()))?;
        let mut listed = manifest::listed(&self.output).map_err(MergeError::of(&self.output))?;
        let names = self.outputs(&listed, &mut merged.passed_over)?;
        for name in &names {
            self.check_free(&folder.join(name))?;
        }
        let taken: HashSet<&String> = names.iter().collect();
        listed.retain(|file| taken.contains(&file.name));
        // The mark of completeness goes first: outputs and manifest are not of one state before the end.
        manifest::begin(&LocalDisk, folder).map_err(MergeError::of(folder))?;
        for name in &names {
            let target = folder.join(name);
            merge_output(&self.output.join(name), &target, texts, like, merged)?;
            if let Some(file) = listed.iter_mut().find(|file| file.name == *name) {
                (file.bytes, file.sha256) = size_and_digest(&target).map_err(MergeError::of(&target))?;
            }
        }
        match listed.is_empty() {
            true => Ok(()),
            false => manifest::complete(&LocalDisk, folder, &listed).map_err(MergeError::of(folder)),
        }
    }

    /// The names of the outputs in the folder that can be read back: those of the manifest, or without one all, by name.
    fn outputs(&self, listed: &[ManifestFile], passed_over: &mut Vec<PathBuf>) -> Result<Vec<String>, MergeError> {
        let folder = &self.output;
        if listed.is_empty() && folder.join(FOLDER_STATE).exists() {
            return Err(MergeError::Unfinished(folder.clone()));
        }
        let mut names: Vec<String> = listed.iter().map(|file| file.name.clone()).collect();
        for entry in fs::read_dir(folder).map_err(MergeError::of(folder))? {
            let name = entry.map_err(MergeError::of(folder))?.file_name().to_string_lossy().into_owned();
            if listed.is_empty() && !name.starts_with(['.', '_']) {
                names.push(name);
            }
        }
        names.sort();
        names.retain(|name| {
            let path = folder.join(name);
            let is_readable = readable_name(&path).is_some() && path.is_file();
            if !is_readable {
                passed_over.push(path);
            }
            is_readable
        });
        if names.is_empty() { Err(MergeError::Nothing(folder.clone())) } else { Ok(names) }
    }
}

/// Merges texts into one output. One that takes none is left as it is, or copied byte for byte.
fn merge_output(
    output: &Path,
    target: &Path,
    texts: &mut Texts,
    like: &LikeStep<'_>,
    merged: &mut Merged,
) -> Result<(), MergeError> {
    let format = |path| readable_name(path).map(|(_, format, compression)| (format, compression));
    if format(output).is_none() {
        return Err(MergeError::Format(output.to_owned()));
    }
    if format(target) != format(output) {
        return Err(MergeError::OtherFormat { path: output.to_owned(), target: target.to_owned() });
    }
    let unread = MergeError::of(output);
    let mut documents = 0;
    let mut takes_any = false;
    for record in RecordReader::open(output).map_err(&unread)? {
        documents += 1;
        takes_any |= texts.has(&record.map_err(&unread)?.id);
    }
    merged.documents += documents;
    if !takes_any {
        if output != target {
            copy_whole(output, target).map_err(MergeError::of(target))?;
        }
        return Ok(());
    }
    let refused = MergeError::of(target);
    let assemble = like(output).map_err(&refused)?;
    let mut copy = OutputCopy::create(output, target, assemble.as_deref()).map_err(MergeError::of(target))?;
    let mut replaced = 0;
    for record in RecordReader::open(output).map_err(&unread)? {
        let mut record = record.map_err(&unread)?;
        if let Some(text) = texts.take(&record.id) {
            record.replace(text);
            replaced += 1;
        }
        copy.add(&record).map_err(&refused)?;
    }
    copy.finish().map_err(&refused)?;
    merged.replaced += replaced;
    merged.outputs += 1;
    Ok(())
}

/// Copies a file, which appears when it is whole.
fn copy_whole(from: &Path, to: &Path) -> io::Result<()> {
    let mut file = trommel_output::AtomicFile::create(to)?;
    io::copy(&mut fs::File::open(from)?, &mut file)?;
    file.finish()
}
