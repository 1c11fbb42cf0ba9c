//! Lists the archives and pages in a folder or below a prefix, and detects changes of inputs since they were read.
//!
//! Pages in files, a page in each, are read as the records of one input.

use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{collections::BTreeMap, collections::HashMap, fs::File, io, mem::take, sync::Arc};

use data_encoding::HEXLOWER;
use flate2::read::MultiGzDecoder;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use trommel_archive::file_name::{common_folder, is_archive, is_wacz, without_one_of, without_page_endings};
use trommel_archive::{
    ArchiveError, ArchiveFormat, FileSignature, Headers, Place, Record, RecordBlock, RecordType, file_name, http_body,
};

use super::Input;

/// Possible inputs found in a folder or below a prefix of a bucket, sorted by kind.
#[derive(Default)]
pub(super) struct Found<T> {
    pub(super) archives: Vec<T>,
    /// WET archives (text of captures), which are read only if there are no other archives.
    // Crawls hold WARC and WET side by side; reading both would give each page twice.
    texts: Vec<T>,
    /// Number of files that are not read as inputs, by file ending or kind.
    others: BTreeMap<String, usize>,
    /// HTML pages, which are read only if there are no archives.
    pages: Vec<T>,
}

impl<T: Ord> Found<T> {
    /// Adds an entry to the archives, WET archives, pages or other files, by the file name at the end of `path`.
    pub(super) fn sort(&mut self, entry: T, path: &str) {
        let name = path.rsplit('/').next().unwrap_or(path);
        if is_archive(name) || is_wacz(name) {
            self.archives.push(entry);
        } else if file_name::is_wet(name) {
            self.texts.push(entry);
        } else if is_page(name) && !name.starts_with(['.', '_']) {
            self.pages.push(entry);
        // State and marks of runs, and what systems hide.
        } else if !name.starts_with(['.', '_']) {
            self.skip(file_name::ending(name));
        }
    }

    pub(super) fn skip(&mut self, kind: &str) {
        *self.others.entry(kind.to_owned()).or_default() += 1;
    }

    /// Appends the inputs found at `place` to `inputs`, and logs the other files in one line. Without archives, `pages`
    /// makes one input of all pages; without any input, an `Input::Nothing` with `reason` is appended.
    pub(super) fn give(
        mut self,
        place: &str,
        reason: &'static str,
        inputs: &mut Vec<Input>,
        input: fn(T) -> Input,
        pages: Option<fn(String, Vec<T>) -> Input>,
    ) {
        if self.archives.is_empty() {
            self.archives = take(&mut self.texts);
        }
        // The order of a folder differs between file systems, and the output must not.
        self.archives.sort();
        self.archives.dedup();
        let is_read = self.archives.is_empty() && !self.pages.is_empty();
        let pages = pages.filter(|_| is_read).map(|pages| {
            self.pages.sort();
            pages(place.to_owned(), take(&mut self.pages))
        });
        for (ending, count) in [(".wet", self.texts.len()), (".html", self.pages.len())] {
            self.others.extend((count > 0).then(|| (ending.to_owned(), count)));
        }
        let others = self.others.iter();
        let others: Vec<String> = others.map(|(kind, count)| format!("{count} {}", kind.escape_debug())).collect();
        let (others, before) = (others.join(", "), inputs.len());
        inputs.extend(self.archives.into_iter().map(input).chain(pages));
        match (inputs.len() == before, others.is_empty()) {
            (false, true) => {}
            (false, false) => tracing::info!("{place}: passed over: {others}"),
            // An input all the same, so that the run says so and exits with an error.
            (true, _) => inputs.push(Input::Nothing {
                argument: place.to_owned(),
                reason: if others.is_empty() { reason.to_owned() } else { format!("{reason} (passed over: {others})") },
            }),
        }
    }
}

/// Endings of MHTML files, each of which holds a page together with its images.
const MHTML: [&str; 2] = [".mhtml", ".mht"];
/// Reason in messages why an MHTML file is not read.
const NO_MHTML: &str = "an MHTML file, not a page: save the page as HTML";

/// HTML pages stored in files, one page in each. The position of a page in the list is the number of its record.
#[derive(Clone, Debug)]
pub struct PageFiles {
    pub(crate) name: String,
    pub(crate) files: Vec<PathBuf>,
}

impl PageFiles {
    /// Returns the total size of the files in stored bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.files.iter().map(|file| length(file)).fold(0, u64::saturating_add)
    }

    /// Returns the name of the outputs for the pages, without folder and suffix.
    pub(crate) fn stem(&self) -> String {
        let name = Path::new(&self.name).file_name().map(|name| name.to_string_lossy().into_owned());
        match (name, self.files.as_slice()) {
            (Some(name), [_]) if is_page(&name) => without_page_endings(&name).to_owned(),
            (Some(name), _) => name,
            // The folder at hand, or one above it.
            (None, _) => "pages".to_owned(),
        }
    }

    /// Returns the SHA-256 of the names and lengths of the files. An interrupted run continues only with the same
    /// pages.
    pub(crate) fn digest(&self) -> String {
        let mut digest = Sha256::new();
        for file in &self.files {
            digest.update(format!("{}\0{}\0", file.display(), length(file)));
        }
        HEXLOWER.encode(&digest.finalize())
    }
}

fn length(file: &Path) -> u64 {
    file.metadata().map_or(0, |found| found.len())
}

/// Returns whether a file name has the ending of an HTML page.
pub(crate) fn is_page(name: &str) -> bool {
    without_page_endings(name).len() < name.len()
}

/// Returns the input for a file whose name ends as that of a page or of MHTML; none for other files, such as archives.
pub(super) fn by_name(path: &Path) -> Option<Input> {
    let name = path.file_name()?.to_string_lossy();
    let shown = path.to_string_lossy().into_owned();
    if without_one_of(&name, &MHTML).len() < name.len() {
        return Some(Input::Nothing { argument: shown, reason: NO_MHTML.to_owned() });
    }
    is_page(&name).then(|| Input::Pages(Arc::new(PageFiles { name: shown, files: vec![path.to_owned()] })))
}

/// Joins all pages that were named file by file into one input, at the position of the first.
pub(super) fn joined(inputs: Vec<Input>) -> Vec<Input> {
    // A page that was named by itself.
    let single = |input: &Input| match input {
        Input::Pages(pages) => pages.files.first().filter(|file| file.to_string_lossy() == pages.name).cloned(),
        _ => None,
    };
    let files: Vec<PathBuf> = inputs.iter().filter_map(single).collect();
    if files.len() < 2 {
        return inputs;
    }
    let folder = common_folder(files.iter().map(PathBuf::as_path));
    let name = if folder.as_os_str().is_empty() { ".".to_owned() } else { folder.to_string_lossy().into_owned() };
    let mut all = Some(Input::Pages(Arc::new(PageFiles { name, files })));
    inputs.into_iter().filter_map(|input| if single(&input).is_some() { all.take() } else { Some(input) }).collect()
}

/// Reads the page in a file as a record whose place is the whole file. A page that was saved with its HTTP headers
/// becomes a response record, with its status.
///
/// # Errors
/// Fails if the file cannot be read. At most about `most` bytes of the decoded page are read.
pub(crate) fn page_record(path: &Path, most: u64) -> io::Result<Record> {
    let mut bytes = Vec::new();
    // One more, so that it shows that there were more.
    let most = most.saturating_add(1);
    File::open(path)?.take(most).read_to_end(&mut bytes)?;
    let stored = length(path);
    let bytes = match FileSignature::of(&bytes) {
        Some(FileSignature::Gzip) => inflated(MultiGzDecoder::new(bytes.as_slice()), most)?,
        Some(FileSignature::Zstd) => inflated(zstd::stream::read::Decoder::new(bytes.as_slice())?, most)?,
        _ => bytes,
    };
    let is_response = http_body(&bytes).len() < bytes.len();
    let kind = if is_response { RecordType::Response } else { RecordType::Resource };
    let mut headers = Headers::new();
    headers.push("WARC-Type", kind.as_str());
    if is_response {
        headers.push("Content-Type", "application/http");
    }
    Ok(Record {
        place: Place { file: path.to_string_lossy().into(), offset: 0, length: stored, inner: 0 },
        format: ArchiveFormat::Warc,
        kind,
        headers,
        block: RecordBlock::from(bytes),
        notes: Vec::new(),
    })
}

/// Reads the HTML page in a file as a record, of at most about `most` bytes; errors are of the type [`ArchiveError`].
pub(crate) fn page_item(path: &Path, most: u64) -> Result<Record, ArchiveError> {
    let failed = |source| ArchiveError::Io { file: path.to_string_lossy().into(), offset: 0, source };
    page_record(path, most).map_err(failed)
}

fn inflated(stored: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    stored.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Number of bytes at the start and at the end of an archive from which its checksum is computed.
// Archives have gigabytes: both ends tell a file that was replaced or has grown, in milliseconds.
const END_BYTES: u64 = 1 << 16;

/// Name, size, time and checksum of an input when it was opened, so that a resumed run notices changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Identity {
    /// Name of the input, as the user gave it.
    pub(crate) name: String,
    /// Number of earlier inputs with the same name. An archive that is given twice is two inputs.
    pub(crate) naming: usize,
    /// Size, time and checksum of the input's file or HTML pages; none if it was not a regular file or did not exist.
    pub(crate) stamp: Option<FileStamp>,
}

/// Size, time and partial checksum of a file, to notice changes without reading all its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileStamp {
    size: u64,
    /// Modification time of the file in nanoseconds since 1970; none if the system does not report it.
    modified: Option<u64>,
    /// SHA-256 of the first and last 64 KiB of the file, in hexadecimal; of a record index, SHA-256 of all bytes.
    ends: String,
}

impl Identity {
    /// Returns name, size, time and checksum of an input now; `naming` is the number of earlier inputs of that name.
    pub(crate) fn of(input: &Input, naming: usize) -> Self {
        Self { name: input.name(), naming, stamp: FileStamp::of(input).ok().flatten() }
    }

    /// Describes how `input` has changed since its size, time and checksum were taken; none if it is unchanged. A file
    /// that exists again after it was missing counts as new, not as changed.
    pub(crate) fn change(&self, input: &Input) -> Option<String> {
        self.stamp.as_ref()?.change(input).unwrap_or_else(|error| Some(error.to_string()))
    }

    /// Returns whether an input that could not be read before may be readable now: a file that was missing, or an
    /// object behind a URL.
    pub(crate) fn has_appeared(&self, input: &Input) -> bool {
        self.stamp.is_none()
            && match input {
                Input::File(path) => path.is_file(),
                Input::Url(_) => true,
                // A container of the network: that it is an archive of one says that it came.
                Input::Packed(packed) => packed.path().is_none(),
                Input::Selection(_) | Input::Pages(_) | Input::Stdin | Input::Nothing { .. } => false,
            }
    }
}

/// Returns for each input the number of earlier inputs with the same name.
pub(crate) fn namings(inputs: &[Input]) -> Vec<usize> {
    let mut named: HashMap<String, usize> = HashMap::new();
    let naming = |input: &Input| {
        let count = named.entry(input.name()).or_default();
        *count += 1;
        *count - 1
    };
    inputs.iter().map(naming).collect()
}

impl FileStamp {
    /// Reads size, time and checksum of an input; none if it is not a regular file, as a pipe must not be opened twice.
    fn of(input: &Input) -> io::Result<Option<Self>> {
        let Some((size, modified)) = size_and_time(input)? else { return Ok(None) };
        Ok(Some(Self { size, modified, ends: digest_of(input, size)? }))
    }

    fn change(&self, input: &Input) -> io::Result<Option<String>> {
        let Some((size, modified)) = size_and_time(input)? else { return Ok(Some("it was a file".to_owned())) };
        // The cheap tests first: the file is opened only if size and time leave a doubt.
        if size != self.size {
            return Ok(Some(format!("it had {} bytes, now {size}", self.size)));
        }
        // A copy has another time and the same bytes.
        let is_same = modified.is_some() && modified == self.modified || digest_of(input, size)? == self.ends;
        Ok((!is_same).then(|| "its bytes are others".to_owned()))
    }
}

/// Returns the size in bytes and the modification time in nanoseconds of an input; none if it is no regular file.
fn size_and_time(input: &Input) -> io::Result<Option<(u64, Option<u64>)>> {
    if let Input::Pages(pages) = input {
        return Ok(Some((pages.bytes(), None)));
    }
    let Some(found) = input.path().map(Path::metadata).transpose()? else { return Ok(None) };
    Ok(found.is_file().then(|| (found.len(), found.modified().ok().and_then(nanoseconds))))
}

fn nanoseconds(time: SystemTime) -> Option<u64> {
    u64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_nanos()).ok()
}

/// Returns the SHA-256 of an input's first and last bytes; of an index, all bytes; of HTML pages, names and lengths.
fn digest_of(input: &Input, size: u64) -> io::Result<String> {
    let covered = match input {
        Input::Pages(pages) => return Ok(pages.digest()),
        // An index names single records, so each of its lines counts.
        Input::Selection(_) => u64::MAX,
        _ => END_BYTES,
    };
    let mut file = File::open(input.path().unwrap_or(Path::new("")))?;
    let mut bytes = Vec::new();
    file.by_ref().take(covered).read_to_end(&mut bytes)?;
    if size > covered {
        file.seek(SeekFrom::Start(size.saturating_sub(covered).max(covered)))?;
        file.take(covered).read_to_end(&mut bytes)?;
    }
    Ok(HEXLOWER.encode(&Sha256::digest(&bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn paths(names: &[&str]) -> Vec<PathBuf> {
        names.iter().map(PathBuf::from).collect()
    }

    #[test]
    fn pages_are_known_by_their_names() {
        for name in ["a.html", "b.HTM", "c.xhtml.gz", "d.html.zst"] {
            assert!(is_page(name), "{name}");
        }
        for name in ["a.warc.gz", "html", "a.html.txt", "a.gz", "a.mhtml"] {
            assert!(!is_page(name), "{name}");
        }
        let of = |name: &str| by_name(Path::new(name)).map(|input| (input.name(), matches!(input, Input::Pages(_))));
        assert_eq!(of("x/a.html"), Some(("x/a.html".to_owned(), true)));
        assert_eq!(of("x/a.MHTML"), Some(("x/a.MHTML".to_owned(), false)));
        assert_eq!(of("a.warc"), None);
    }

    #[test]
    fn pages_that_are_named_one_by_one_are_one_input() {
        let single = |name: &str| by_name(Path::new(name)).unwrap();
        let inputs = vec![single("s/a.html"), Input::Stdin, single("s/t/b.html"), single("s/a.html")];
        let joined = joined(inputs);
        let names: Vec<String> = joined.iter().map(Input::name).collect();
        assert_eq!(names, ["s", "-"]);
        let Input::Pages(pages) = &joined[0] else { panic!("{joined:?}") };
        assert_eq!(pages.files, paths(&["s/a.html", "s/t/b.html", "s/a.html"]));
        let stem = |name: &str, files: &[&str]| PageFiles { name: name.to_owned(), files: paths(files) }.stem();
        assert_eq!(stem("s/a.html", &["s/a.html"]), "a");
        assert_eq!(stem("s.html", &["s.html/a.html", "s.html/b.html"]), "s.html");
        assert_eq!(stem(".", &["a.html", "b.html"]), "pages");
    }

    #[test]
    fn records_are_the_pages_whatever_their_compression() {
        let folder = tempfile::tempdir().unwrap();
        let record = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            page_record(&path, 100).unwrap()
        };
        let page = b"<p>one";
        let plain = record("a.html", page);
        assert_eq!((&plain.block[..], plain.kind, plain.place.length), (&page[..], RecordType::Resource, 6));
        let zst = record("a.html.zst", &zstd::encode_all(&page[..], 1).unwrap());
        assert_eq!(&zst.block[..], page);
        let gz = record("a.html.gz", &trommel_archive::write::gzip_member(page, 1).unwrap());
        assert_eq!(&gz.block[..], page);
        let saved = record("b.html", b"HTTP/1.1 404 Gone\r\nContent-Type: text/html\r\n\r\n<p>one");
        assert_eq!(saved.kind, RecordType::Response);
        assert_eq!(record("c.html", &[b'x'; 500]).block.len(), 101);
        assert!(page_record(&folder.path().join("gone.html"), 9).is_err());
    }

    #[test]
    fn changes_are_seen_and_copies_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.warc");
        let input = Input::File(path.clone());
        assert!(Identity::of(&input, 0).stamp.is_none());
        let mut bytes = vec![b'x'; 300_000];
        fs::write(&path, &bytes).unwrap();
        let identity = Identity::of(&input, 0);
        assert_eq!(identity.change(&input), None);
        let touch = |seconds| {
            let time = UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            File::options().append(true).open(&path).unwrap().set_modified(time).unwrap();
        };
        touch(1000);
        assert_eq!(identity.change(&input), None);
        *bytes.last_mut().unwrap() = b'y';
        fs::write(&path, &bytes).unwrap();
        touch(2000);
        let change = identity.change(&input);
        assert_eq!(change.as_deref(), Some("its bytes are others"));
        fs::write(&path, b"short").unwrap();
        let change = identity.change(&input);
        assert_eq!(change.as_deref(), Some("it had 300000 bytes, now 5"));
        fs::remove_file(&path).unwrap();
        assert!(identity.change(&input).is_some());
    }
}
