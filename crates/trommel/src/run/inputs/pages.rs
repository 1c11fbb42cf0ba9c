//! Pages in files, a page in each, which are read as the records of one input.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use data_encoding::HEXLOWER;
use flate2::read::MultiGzDecoder;
use sha2::{Digest as _, Sha256};
use trommel_archive::{
    ArchiveFormat, FileSignature, Headers, Place, Record, RecordBlock, RecordType, http_body,
    name::{common_folder, without_one_of, without_page_endings},
};

use crate::run::inputs::Input;

/// Endings of pages with their images in one file.
const MHTML: [&str; 2] = [".mhtml", ".mht"];
/// Reason why those are not read.
const NO_MHTML: &str = "an MHTML file, not a page: save the page as HTML";

/// Pages in files. The number of a page is that of its record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageFiles {
    name: String,
    files: Vec<PathBuf>,
}

impl PageFiles {
    /// The pages in these files, under the name of the folder or the file that was named.
    pub(crate) fn new(name: String, files: Vec<PathBuf>) -> Self {
        Self { name, files }
    }

    /// The folder or file that was named, or the folder of several.
    pub(crate) fn name(&self) -> String {
        self.name.clone()
    }

    /// The files, in their order.
    pub(crate) fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Keeps the files that are `wanted`, by their names.
    pub(crate) fn retain(&mut self, wanted: impl Fn(&str) -> bool) {
        self.files.retain(|file| wanted(&file.to_string_lossy()));
    }

    /// Stored bytes of all files.
    pub(crate) fn bytes(&self) -> u64 {
        self.files.iter().map(|file| length(file)).fold(0, u64::saturating_add)
    }

    /// The name of the outputs.
    pub(crate) fn stem(&self) -> String {
        let name = Path::new(&self.name).file_name().map(|name| name.to_string_lossy().into_owned());
        match (name, self.files.as_slice()) {
            (Some(name), [_]) if is_page(&name) => without_page_endings(&name).to_owned(),
            (Some(name), _) => name,
            // The folder at hand, or one above it.
            (None, _) => "pages".to_owned(),
        }
    }

    /// SHA-256 of the names and lengths of the files: a run goes on with the same pages alone.
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

/// Returns whether this is the name of a page in a file.
pub(crate) fn is_page(name: &str) -> bool {
    without_page_endings(name).len() < name.len()
}

/// The input that a file is by its name, if it is no archive.
pub(super) fn by_name(path: &Path) -> Option<Input> {
    let name = path.file_name()?.to_string_lossy();
    let shown = path.to_string_lossy().into_owned();
    if without_one_of(&name, &MHTML).len() < name.len() {
        return Some(Input::Nothing { argument: shown, reason: NO_MHTML.to_owned() });
    }
    is_page(&name).then(|| Input::Pages(Arc::new(PageFiles::new(shown, vec![path.to_owned()]))))
}

/// Makes one input of pages that were named file by file, at the place of the first.
pub(super) fn joined(inputs: Vec<Input>) -> Vec<Input> {
    let is_single = |input: &Input| matches!(input, Input::Pages(pages) if is_page_alone(pages));
    let singles = inputs.iter().filter(|input| is_single(input));
    let files: Vec<PathBuf> = singles.filter_map(Input::pages).flat_map(|pages| pages.files.clone()).collect();
    if files.len() < 2 {
        return inputs;
    }
    let folder = common_folder(files.iter().map(PathBuf::as_path));
    let name = if folder.as_os_str().is_empty() { ".".to_owned() } else { folder.to_string_lossy().into_owned() };
    let mut all = Some(Input::Pages(Arc::new(PageFiles::new(name, files))));
    inputs.into_iter().filter_map(|input| if is_single(&input) { all.take() } else { Some(input) }).collect()
}

/// Returns whether it is a page that was named by itself.
fn is_page_alone(pages: &PageFiles) -> bool {
    matches!(pages.files.as_slice(), [file] if file.to_string_lossy() == pages.name)
}

/// The record of the page in a file. A page that was saved with the head of its response has its status, too. Its place
/// is the whole file.
///
/// # Errors
/// If the file cannot be read. Of the decoded page not more than `most` bytes are read.
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
    let (kind, content_type) = match is_response {
        true => (RecordType::Response, "application/http"),
        false => (RecordType::Resource, ""),
    };
    let mut headers = Headers::new();
    headers.push("WARC-Type", kind.as_str());
    if !content_type.is_empty() {
        headers.push("Content-Type", content_type);
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

fn inflated(stored: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    stored.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(joined[0].pages().unwrap().files(), paths(&["s/a.html", "s/t/b.html", "s/a.html"]));
        let stem = |name: &str, files: &[&str]| PageFiles::new(name.to_owned(), paths(files)).stem();
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
}
