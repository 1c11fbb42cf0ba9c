//! Writes documents into an index.

use std::io::{self, ErrorKind};
use std::{fs, path::Path};

use tantivy::directory::MmapDirectory;
use tantivy::directory::error::LockError;
use tantivy::{Index, TantivyDocument, TantivyError, Term};
use trommel_record::{OutputRecord, record_id};

use crate::index::IndexError;
use crate::index::guard::{check, guarded};
use crate::index::schema::{Fields, adopt, sites};

/// Memory for documents that are not yet on disk, in bytes, if nobody says otherwise.
pub const DEFAULT_MEMORY: usize = 256 << 20;
/// The least memory that Tantivy needs for a thread.
const MIN_MEMORY_BYTES: usize = 16 << 20;

/// Writes an index. Documents can be found once [`commit`](Self::commit) has returned; until then, and
/// if the program ends before, the index stays as it was.
pub struct IndexWriter {
    writer: tantivy::IndexWriter,
    fields: Fields,
    /// Documents that were there before.
    before: u64,
    added: u64,
}

/// The result of writing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommittedIndex {
    /// Documents that were added.
    pub added: u64,
    /// Documents of the same id whose place others took, of those that were there and those added.
    pub replaced: u64,
}

impl IndexWriter {
    /// Opens the index in the folder `path`, or makes one if the folder is missing or empty. Documents
    /// take up to about `memory` bytes (at least 16 MiB) before they are written to disk.
    ///
    /// # Errors
    /// If the folder holds something else or cannot be written, or the index is being written.
    pub fn open(path: &Path, memory: usize) -> Result<Self, IndexError> {
        Self::with_threads(path, memory, None)
    }

    /// Like [`open`](Self::open), with one thread, so that the documents keep their order.
    ///
    /// # Errors
    /// Like [`open`](Self::open).
    pub fn in_order(path: &Path, memory: usize) -> Result<Self, IndexError> {
        Self::with_threads(path, memory, Some(1))
    }

    fn with_threads(path: &Path, memory: usize, threads: Option<usize>) -> Result<Self, IndexError> {
        let io = |source| IndexError::Io { path: path.to_owned(), source };
        fs::create_dir_all(path).map_err(io)?;
        let directory = MmapDirectory::open(path).map_err(TantivyError::from)?;
        let exists = Index::exists(&directory).map_err(TantivyError::from)?;
        if !exists && !clear(path).map_err(io)? {
            return Err(IndexError::NotEmpty(path.to_owned()));
        }
        let index = if exists {
            let index = guarded(path, || Ok(Index::open(directory)?))?;
            guarded(path, || check(&index, path))?;
            index
        } else {
            Index::create(directory, Fields::new().1, tantivy::IndexSettings::default())?
        };
        let fields = adopt(&index, path)?;
        let memory = memory.max(MIN_MEMORY_BYTES);
        let writer = match threads {
            Some(threads) => index.writer_with_num_threads(threads, memory),
            None => index.writer(memory),
        };
        let writer = writer.map_err(|error| match error {
            TantivyError::LockFailure(LockError::LockBusy, _) => IndexError::Locked(path.to_owned()),
            error => error.into(),
        })?;
        Ok(Self { before: documents(writer.index())?, writer, fields, added: 0 })
    }

    /// Adds a document. One of the same id is replaced, be it in the index or added before. A document
    /// with neither text nor title is left out: false.
    ///
    /// # Errors
    /// If the disk is full.
    pub fn add(&mut self, record: &OutputRecord) -> Result<bool, IndexError> {
        let title = record.title.as_deref().unwrap_or_default();
        if record.text.is_empty() && title.is_empty() {
            return Ok(false);
        }
        let fields = &self.fields;
        let made_id;
        let id = if record.id.is_empty() {
            let (file, offset) = record.source.as_ref().map_or(("", 0), |source| (&*source.file, source.offset));
            let url = record.url.as_deref().unwrap_or_default();
            made_id = record_id(&["indexed", file, &offset.to_string(), url]);
            &made_id
        } else {
            &record.id
        };
        let mut document = TantivyDocument::new();
        document.add_text(fields.id, id);
        document.add_text(fields.title, title);
        for heading in &record.headings {
            document.add_text(fields.headings, heading);
        }
        document.add_text(fields.body, &record.text);
        for (field, value) in [(fields.url, &record.url), (fields.date, &record.date), (fields.lang, &record.lang)] {
            if let Some(value) = value {
                document.add_text(field, value);
            }
        }
        for site in record.url.as_deref().map(sites).unwrap_or_default() {
            document.add_text(fields.site, site);
        }
        if let Some(source) = &record.source {
            document.add_text(fields.file, &*source.file);
            document.add_u64(fields.offset, source.offset);
            document.add_u64(fields.length, source.length);
            if source.inner != 0 {
                document.add_u64(fields.inner, source.inner);
            }
        }
        self.writer.delete_term(Term::from_field_text(fields.id, id));
        self.writer.add_document(document)?;
        self.added += 1;
        Ok(true)
    }

    /// Makes what was added part of the index, for good.
    ///
    /// # Errors
    /// If the disk is full. The index is then as it was.
    pub fn commit(mut self) -> Result<CommittedIndex, IndexError> {
        self.writer.commit()?;
        let written = self.written()?;
        self.writer.wait_merging_threads()?;
        Ok(written)
    }

    fn written(&self) -> Result<CommittedIndex, IndexError> {
        let after = documents(self.writer.index())?;
        Ok(CommittedIndex { added: self.added, replaced: (self.before + self.added).saturating_sub(after) })
    }

    /// Like [`commit`](Self::commit), with all documents in one segment: the smallest form, and the
    /// order of the documents is kept.
    ///
    /// # Errors
    /// Like [`commit`](Self::commit).
    pub fn commit_merged(mut self) -> Result<CommittedIndex, IndexError> {
        self.writer.set_merge_policy(Box::new(tantivy::merge_policy::NoMergePolicy));
        self.writer.commit()?;
        let written = self.written()?;
        let mut segments = self.writer.index().searchable_segment_ids()?;
        segments.sort();
        if segments.len() > 1 {
            self.writer.merge(&segments).wait()?;
        }
        self.writer.garbage_collect_files().wait()?;
        self.writer.wait_merging_threads()?;
        Ok(written)
    }
}

/// Removes what a program left in a folder that was killed before there was an index: locks, the list of files, and
/// files of which these are made. False if there is anything else.
fn clear(folder: &Path) -> io::Result<bool> {
    let mut left = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_lock = name.starts_with(".tantivy-") && name.ends_with(".lock");
        if !entry.file_type()?.is_file() || !(is_lock || name == ".managed.json" || name.starts_with(".tmp")) {
            return Ok(false);
        }
        left.push(entry.path());
    }
    left.into_iter().try_for_each(fs::remove_file)?;
    Ok(true)
}

/// Documents that an index has, without those that are replaced.
fn documents(index: &Index) -> Result<u64, IndexError> {
    Ok(index.searchable_segment_metas()?.iter().map(|segment| u64::from(segment.num_docs())).sum())
}

/// Opens the index of a folder for searching, after a look at all its bytes.
pub(crate) fn open_index(path: &Path) -> Result<(Index, Fields), IndexError> {
    let directory = match fs::metadata(path) {
        Ok(_) => MmapDirectory::open(path).map_err(TantivyError::from)?,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(IndexError::NoIndex(path.to_owned()));
        }
        Err(source) => {
            return Err(IndexError::Io { path: path.to_owned(), source });
        }
    };
    if !Index::exists(&directory).map_err(TantivyError::from)? {
        return Err(IndexError::NoIndex(path.to_owned()));
    }
    let index = Index::open(directory)?;
    check(&index, path)?;
    let fields = adopt(&index, path)?;
    Ok((index, fields))
}
