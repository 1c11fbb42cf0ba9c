//! Writes documents into a search index, and defines its fields.
//!
//! Faults of the search library become errors, and damaged files are found before the library reads them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{any::Any, fs, io, io::ErrorKind, path::Path};

use tantivy::schema::{Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions, Value};
use tantivy::{Index, TantivyDocument, TantivyError, Term, directory::MmapDirectory, directory::error::LockError};
use trommel_record::{Document, record_id};
use trommel_text::url_host;

use crate::Result;
use crate::index::{IndexError, ScriptTokenizer};

/// Default memory in bytes for documents that are not on disk yet.
pub const DEFAULT_MEMORY: usize = 256 << 20;
/// Minimum memory in bytes that Tantivy needs to write an index.
const MIN_MEMORY_BYTES: usize = 16 << 20;

/// Writer of documents into a search index. Searches find them once [`commit`](Self::commit) has returned; until then,
/// the index on disk stays unchanged.
pub struct IndexWriter {
    writer: tantivy::IndexWriter,
    fields: Fields,
    /// Number of documents in the index when it was opened.
    before: u64,
    added: u64,
}

/// Numbers of documents that a commit added and replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommittedIndex {
    /// Number of documents that the commit added.
    pub added: u64,
    /// Number of documents, old or added, that were replaced by a later document with the same id.
    pub replaced: u64,
}

impl IndexWriter {
    /// Opens the index in the folder `path`, or creates one if the folder is missing or empty. Documents take up to
    /// about `memory` bytes (at least 16 MiB) before they are written to disk.
    ///
    /// # Errors
    /// Fails if the folder cannot be written, holds anything but an index, or is being written by another program.
    pub fn open(path: &Path, memory: usize) -> Result<Self> {
        Ok(Self::with_threads(path, memory, None)?)
    }

    /// Opens an index as [`open`](Self::open) does, with one writing thread, which keeps the order of documents.
    ///
    /// # Errors
    /// Fails as [`open`](Self::open) does.
    pub fn in_order(path: &Path, memory: usize) -> Result<Self> {
        Ok(Self::with_threads(path, memory, Some(1))?)
    }

    fn with_threads(path: &Path, memory: usize, threads: Option<usize>) -> Result<Self, IndexError> {
        let io = |error| IndexError::at(path, error);
        fs::create_dir_all(path).map_err(io)?;
        let directory = MmapDirectory::open(path).map_err(TantivyError::from)?;
        let exists = Index::exists(&directory).map_err(TantivyError::from)?;
        if !exists && !clear(path).map_err(io)? {
            return Err(IndexError::at(path, "is neither empty nor an index"));
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
            TantivyError::LockFailure(LockError::LockBusy, _) => {
                IndexError::at(path, "the index is being written by another program")
            }
            error => error.into(),
        })?;
        Ok(Self { before: documents(writer.index())?, writer, fields, added: 0 })
    }

    /// Adds a document, which replaces an earlier one with the same id. Returns false if the document has neither text
    /// nor title and is left out.
    ///
    /// # Errors
    /// Fails if the disk is full.
    pub fn add(&mut self, record: &Document) -> Result<bool> {
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
        if let Err(error) = self.writer.add_document(document) {
            // The library says only that a thread has ended; as it is joined, it says why.
            return Err(self.writer.prepare_commit().err().unwrap_or(error).into());
        }
        self.added += 1;
        Ok(true)
    }

    /// Makes all added documents a permanent part of the index, so that searches find them.
    ///
    /// # Errors
    /// Fails if the disk is full; the index is then unchanged.
    pub fn commit(mut self) -> Result<CommittedIndex> {
        self.writer.commit()?;
        let written = self.written()?;
        self.writer.wait_merging_threads()?;
        Ok(written)
    }

    fn written(&self) -> Result<CommittedIndex, IndexError> {
        let after = documents(self.writer.index())?;
        Ok(CommittedIndex { added: self.added, replaced: (self.before + self.added).saturating_sub(after) })
    }

    /// Commits as [`commit`](Self::commit) does, and merges all documents into one segment. This form is the smallest,
    /// and keeps the order of the documents.
    ///
    /// # Errors
    /// Fails as [`commit`](Self::commit) does.
    pub fn commit_merged(mut self) -> Result<CommittedIndex> {
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

/// Removes the files that a killed program left in a folder before an index existed: locks, Tantivy's list of files,
/// temporary files. Returns false, and removes nothing, if the folder holds any other file.
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

/// Returns the number of documents in an index, without replaced ones.
fn documents(index: &Index) -> Result<u64, IndexError> {
    Ok(index.searchable_segment_metas()?.iter().map(|segment| u64::from(segment.num_docs())).sum())
}

/// Opens the index in a folder for searching, after it has compared all files with their checksums.
pub(crate) fn open_index(path: &Path) -> Result<(Index, Fields), IndexError> {
    let none = || IndexError::at(path, "no index here");
    fs::metadata(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => none(),
        _ => IndexError::at(path, error),
    })?;
    let directory = MmapDirectory::open(path).map_err(TantivyError::from)?;
    if !Index::exists(&directory).map_err(TantivyError::from)? {
        return Err(none());
    }
    let index = Index::open(directory)?;
    check(&index, path)?;
    let fields = adopt(&index, path)?;
    Ok((index, fields))
}

/// Name of the tokenizer in the index. A changed tokenizer needs a new name, so that older indexes are not searched
/// with it.
const TOKENIZER: &str = "script-2";

/// Fields of a search index, each with one property of a document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    pub(crate) id: Field,
    pub(crate) title: Field,
    pub(crate) headings: Field,
    pub(crate) body: Field,
    pub(crate) url: Field,
    /// Host of the URL, and each of its parent domains.
    pub(crate) site: Field,
    pub(crate) date: Field,
    pub(crate) lang: Field,
    pub(crate) file: Field,
    pub(crate) offset: Field,
    pub(crate) length: Field,
    pub(crate) inner: Field,
}

impl Fields {
    pub(crate) fn new() -> (Self, Schema) {
        let mut builder = Schema::builder();
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(TOKENIZER)
            .set_index_option(IndexRecordOption::WithFreqsAndPositions);
        let text = TextOptions::default().set_indexing_options(indexing);
        let fields = Self {
            id: builder.add_text_field("id", STRING | STORED),
            title: builder.add_text_field("title", text.clone().set_stored()),
            headings: builder.add_text_field("headings", text.clone()),
            body: builder.add_text_field("body", text.set_stored()),
            url: builder.add_text_field("url", STORED),
            site: builder.add_text_field("site", STRING),
            date: builder.add_text_field("date", STORED),
            lang: builder.add_text_field("lang", STRING | STORED),
            file: builder.add_text_field("file", STORED),
            offset: builder.add_u64_field("offset", STORED),
            length: builder.add_u64_field("length", STORED),
            inner: builder.add_u64_field("inner", STORED),
        };
        (fields, builder.build())
    }
}

/// Returns the host of a URL and each of its parent domains: `www.example.org`, `example.org`, `org`.
pub(crate) fn sites(url: &str) -> Vec<String> {
    let host = url_host(url).unwrap_or_default().trim_end_matches('.').to_lowercase();
    let starts = host.match_indices('.').map(|(at, _)| at + 1);
    [0].into_iter()
        .chain(starts)
        .filter_map(|at| host.get(at..))
        .filter(|site| !site.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Registers trommel's tokenizer in an opened index, and returns its fields; fails if they are not those of trommel.
pub(crate) fn adopt(index: &Index, path: &Path) -> Result<Fields, IndexError> {
    let (fields, schema) = Fields::new();
    if index.schema() != schema {
        return Err(IndexError::at(path, "the index has other fields; make it anew"));
    }
    index.tokenizers().register(TOKENIZER, ScriptTokenizer::DOCUMENT);
    Ok(fields)
}

/// Returns the text value of a field of a stored document; none if the field is empty.
pub(crate) fn text(document: &tantivy::TantivyDocument, field: Field) -> Option<String> {
    document.get_first(field)?.as_str().map(str::to_owned)
}

/// Returns the integer value of a field of a stored document; none if the field is empty.
pub(crate) fn number(document: &tantivy::TantivyDocument, field: Field) -> Option<u64> {
    document.get_first(field)?.as_u64()
}

/// Runs `work` on the index at `path`, and turns a panic of Tantivy into an error. Tantivy trusts the bytes on disk,
/// and may panic on damaged ones.
pub(crate) fn guarded<T>(path: &Path, work: impl FnOnce() -> Result<T, IndexError>) -> Result<T, IndexError> {
    // Nothing is changed by searching that could be left half done.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(IndexError::damaged(path, &message(&*panic))))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let words: Vec<&str> = text.unwrap_or("no message").split_whitespace().collect();
    words.join(" ")
}

/// Compares all files of the index in the folder `path` with their stored checksums; fails if one differs.
fn check(index: &Index, path: &Path) -> Result<(), IndexError> {
    match index.validate_checksum()?.into_iter().min() {
        None => Ok(()),
        Some(name) => Err(IndexError::damaged(&path.join(name), "its bytes are not those that were written")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_in_its_domains() {
        let all = ["www.example.org", "example.org", "org"];
        assert_eq!(sites("https://user@WWW.Example.org.:8080/a.b?c"), all);
        assert_eq!(sites("http://localhost"), ["localhost"]);
        for none in ["", "mailto:a@b.c", "http:///x"] {
            assert_eq!(sites(none), [""; 0], "{none}");
        }
    }
}
