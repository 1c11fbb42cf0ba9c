//! Reads the pages that arguments name (files, folders, URLs, standard input), and writes the files that options name.
//!
//! Never is anything written over what a command reads; `-` stands for standard output.

use std::ffi::OsStr;
use std::fs;
use std::fs::File;
use std::io::{Read, stdin};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use flate2::bufread::MultiGzDecoder;
use trommel::archive::{FileSignature, PayloadOptions, binary_type, http_body};
use trommel::record::{AtomicFile, open_plain};
use trommel::run::{NetworkOptions, is_url};
use trommel::{Extraction, Role};

/// Tells the user if a product page has reviews that the text leaves out.
pub fn note_reviews(extraction: &Extraction<'_>, name: &str) {
    let judgement = &extraction.verdicts().judgement;
    let page_type = judgement.page_type.as_ref();
    if page_type.is_none_or(|page_type| page_type.name != "product") {
        return;
    }
    let roles = extraction.roles();
    let kept = judgement.choice.kept.iter().zip(&roles);
    let reviews = kept.filter(|(kept, role)| **kept && **role == Role::Review);
    let reviews = reviews.count();
    if reviews > 0 {
        tracing::info!("{name}: {reviews} blocks of the text are buyers' reviews; --exclude review leaves them out");
    }
}

/// A page that an argument names, not yet read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageInput {
    /// Name of the file, converted to text; the URL; or `-` for standard input.
    pub name: String,
    /// The file, if it is one.
    file: Option<PathBuf>,
    /// The name of the page in a folder of outputs, without a suffix: its path below the named folder, or the name of
    /// its file.
    pub stem: PathBuf,
}

impl PageInput {
    /// The pages that arguments name; those of a folder in the order of their names.
    ///
    /// # Errors
    /// If a folder cannot be read or holds no page, or a URL is named without `fetch`.
    pub fn expand(arguments: &[impl AsRef<OsStr>], fetch: bool) -> Result<Vec<Self>> {
        let mut pages = Vec::new();
        for argument in arguments {
            let argument = argument.as_ref();
            let path = Path::new(argument);
            if let Some(url) = argument.to_str().filter(|text| is_url(text)) {
                if !fetch {
                    bail!("{url}: a URL is read only with --fetch");
                }
                pages.push(Self { name: url.to_owned(), file: None, stem: without_endings(&from_url(url)) });
            } else if path.is_dir() {
                let before = pages.len();
                let mut found = Vec::new();
                walk(path, &mut found).with_context(|| path.display().to_string())?;
                found.sort();
                let below = |file: &PathBuf| {
                    let name = file.strip_prefix(path).unwrap_or(file);
                    Self::of_file(file, name)
                };
                pages.extend(found.iter().map(below));
                if pages.len() == before {
                    bail!("{}: no page in this folder (.html, .htm, .xhtml; .gz or .zst may follow)", path.display());
                }
            } else {
                pages.push(Self::of_file(path, path.file_name().map_or(path, Path::new)));
            }
        }
        Ok(pages)
    }

    fn of_file(file: &Path, name: &Path) -> Self {
        let is_file = file != Path::new("-");
        Self { name: file.display().to_string(), file: is_file.then(|| file.to_owned()), stem: without_endings(name) }
    }

    /// Reads the page.
    ///
    /// # Errors
    /// As [`read`].
    pub fn read(&self) -> Result<Vec<u8>> {
        match &self.file {
            Some(file) => read_file(file),
            None => read(&self.name),
        }
    }
}

/// Reads a page from a file, a URL or standard input (`-`), and inflates gzip.
///
/// # Errors
/// If it cannot be read, is an archive, or is compressed otherwise.
pub fn read(name: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let name = match name {
        "-" => {
            let read = stdin().lock().read_to_end(&mut bytes);
            read.context("standard input")?;
            "standard input"
        }
        url if is_url(url) => {
            fetch(url, &mut bytes)?;
            url
        }
        file => return read_file(Path::new(file)),
    };
    page(bytes).with_context(|| name.to_owned())
}

/// Reads a page from a file, and inflates gzip and zstd.
fn read_file(file: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = File::open(file).and_then(|mut file| file.read_to_end(&mut bytes));
    let named = || file.display().to_string();
    read.with_context(named)?;
    if FileSignature::of(&bytes) == Some(FileSignature::Zstd) {
        bytes.clear();
        let plain = open_plain(file).with_context(named)?;
        let read = plain.take(PayloadOptions::default().max_payload).read_to_end(&mut bytes);
        read.context("damaged zstd").with_context(named)?;
    }
    page(bytes).with_context(named)
}

/// The page in these bytes.
fn page(mut bytes: Vec<u8>) -> Result<Vec<u8>> {
    if FileSignature::of(&bytes) == Some(FileSignature::Gzip) {
        bytes = inflated(&bytes)?;
    }
    refuse_other_files(&bytes)?;
    // Saved with its head, as `curl -i` does.
    let head = bytes.len() - http_body(&bytes).len();
    bytes.drain(..head);
    Ok(bytes)
}

/// The contents of a gzip file, up to the largest size of a page.
fn inflated(stored: &[u8]) -> Result<Vec<u8>> {
    let most = PayloadOptions::default().max_payload;
    let mut bytes = Vec::new();
    MultiGzDecoder::new(stored).take(most).read_to_end(&mut bytes).context("damaged gzip")?;
    Ok(bytes)
}

/// # Errors
/// If these are the bytes of something that is known not to be a page: of an archive, or of what a run passes over
/// as well.
fn refuse_other_files(bytes: &[u8]) -> Result<()> {
    let is_arc = bytes.starts_with(b"filedesc://");
    let signature = FileSignature::of(bytes);
    if !is_arc && signature != Some(FileSignature::Warc) {
        return match (binary_type(bytes), signature) {
            (Some(kind), _) if kind == "multipart/related" => bail!("an MHTML file, not a page: save the page as HTML"),
            (Some(kind), _) => bail!("{kind} data, not a page"),
            (None, Some(other)) => {
                bail!("{} data, not a page", format!("{other:?}").to_lowercase())
            }
            (None, None) => Ok(()),
        };
    }
    bail!(
        "an archive, not a page: `trommel run` reads archives, `trommel cat` and `inspect --record` one \
         record of them"
    )
}

/// Pages below a folder. Links, pipes and devices are passed over.
fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let path = entry.path();
        if kind.is_dir() {
            walk(&path, found)?;
        } else if kind.is_file() && without_endings(&path) != path {
            found.push(path);
        }
    }
    Ok(())
}

/// The path without the ending of a page, if it has one.
fn without_endings(path: &Path) -> PathBuf {
    let Some(name) = path.file_name() else { return path.to_owned() };
    // What is no text in the name does not matter to its ending.
    let name = name.to_string_lossy();
    path.with_file_name(trommel::archive::name::without_page_endings(&name))
}

/// The last part of a URL's path, or its host.
fn from_url(url: &str) -> PathBuf {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let mut parts = rest.split('/').filter(|part| !part.is_empty());
    let name = parts.next_back().unwrap_or("page");
    PathBuf::from(if name == ".." { "page" } else { name })
}

fn fetch(url: &str, bytes: &mut Vec<u8>) -> Result<()> {
    // Bytes come for as long as this is there.
    let remote = trommel::run::Remote::new(NetworkOptions::default());
    remote
        .open(url)
        .with_context(|| url.to_owned())?
        .take(PayloadOptions::default().max_payload)
        .read_to_end(bytes)
        .with_context(|| url.to_owned())?;
    Ok(())
}

/// Refuses an output file that the command also reads.
///
/// # Errors
/// If `path` is one of the files in `read`, by this name or another.
pub fn refuse_inputs<P: AsRef<Path>>(path: &Path, read: impl IntoIterator<Item = P>) -> Result<()> {
    // What is not there yet is no input.
    let Ok(place) = path.canonicalize() else { return Ok(()) };
    if read.into_iter().any(|read| read.as_ref().canonicalize().is_ok_and(|read| read == place)) {
        bail!("{}: is read by the command; name another file to write", path.display());
    }
    Ok(())
}

/// Refuses an output file that exists, unless it may be replaced. Devices and pipes (`/dev/null`) are written in any
/// case.
///
/// # Errors
/// If `path` is there and `overwrite` is not set.
pub fn refuse_existing(path: &Path, overwrite: bool) -> Result<()> {
    if path.is_file() && !overwrite && path != Path::new("-") {
        bail!("{}: is there already; replace it with --overwrite", path.display());
    }
    Ok(())
}

/// Makes the folder of an output file and checks that the file can be written, before the work begins.
///
/// # Errors
/// Those of the system, with the name of the file.
pub fn prepare(path: &Path) -> Result<()> {
    AtomicFile::prepare(path).with_context(|| path.display().to_string())
}

/// Writes a text to a file, whose folder is made and which appears when it is whole, or to standard output for `-`.
///
/// # Errors
/// Those of the system, with the name of the file.
pub fn write(path: &Path, text: &str) -> Result<()> {
    if path == Path::new("-") {
        return crate::out(text);
    }
    let write = || {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        AtomicFile::write_all(path, text.as_bytes())
    };
    write().with_context(|| path.display().to_string())
}

/// Takes the name of a file that cannot be standard output.
pub fn file(name: &str) -> Result<PathBuf, String> {
    match name {
        "-" => Err("expected the name of a file; ./- is a file of that name".to_owned()),
        name => Ok(name.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_a_folder_keep_their_paths() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("site");
        fs::create_dir_all(root.join("sub")).unwrap();
        for name in ["b.html", "a.HTM", "sub/c.xhtml.gz", "d.txt", "html"] {
            fs::write(root.join(name), "").unwrap();
        }
        let argument = root.display().to_string();
        let pages = PageInput::expand(std::slice::from_ref(&argument), false).unwrap();
        let stems: Vec<&str> = pages.iter().map(|page| page.stem.to_str().unwrap()).collect();
        assert_eq!(stems, ["a", "b", "sub/c"]);
        assert!(pages[2].name.ends_with("sub/c.xhtml.gz"));
        fs::remove_dir_all(&root).unwrap();
        fs::create_dir(&root).unwrap();
        let error = PageInput::expand(&[argument], false).unwrap_err();
        assert!(error.to_string().contains("no page in this folder"));
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_no_text_are_read() {
        use std::os::unix::ffi::OsStrExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(OsStr::from_bytes(b"caf\xe9.html"));
        fs::write(&path, "<p>one").unwrap();
        for argument in [path.as_os_str(), folder.path().as_os_str()] {
            let pages = PageInput::expand(&[argument], false).unwrap();
            assert_eq!(pages[0].read().unwrap(), b"<p>one");
            assert!(pages[0].name.ends_with("caf\u{fffd}.html"), "{pages:?}");
        }
    }

    #[test]
    fn the_head_of_a_saved_answer_is_no_text() {
        let saved = "HTTP/1.1 100 Continue\r\n\r\nHTTP/2 200\r\nContent-Type: text/html\r\n\r\n<p>one";
        assert_eq!(page(saved.into()).unwrap(), b"<p>one");
        assert_eq!(page("HTTP/1.1 is a protocol\n\n<p>one".into()).unwrap(), b"HTTP/1.1 is a protocol\n\n<p>one");
    }

    #[test]
    fn urls_are_read_on_request_only() {
        let url = ["https://example.org/a/page.html?x#y".to_owned()];
        let error = PageInput::expand(&url, false).unwrap_err();
        assert!(error.to_string().contains("--fetch"), "{error}");
        let page = PageInput::expand(&url, true).unwrap().remove(0);
        assert_eq!(page.stem, Path::new("page"));
        assert_eq!(from_url("https://example.org/"), Path::new("example.org"));
    }
}
