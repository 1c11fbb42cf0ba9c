//! Reads the pages and archives that arguments name (files, folders, URLs, standard input), and writes the files that
//! options name.
//!
//! Refuses to write over a file that the command reads; `-` stands for standard output.

use std::io::{Read, stdin};
use std::path::{Path, PathBuf};
use std::{ffi::OsStr, fs, io, sync::Arc};

use anyhow::{Context, Result, bail};
use flate2::bufread::MultiGzDecoder;
use trommel::archive::{FileSignature, PayloadOptions, binary_type, http_body};
use trommel::record::{AtomicFile, open_plain};
use trommel::run::{
    Environment, Input, NetworkOptions, Output, PackedOptions, Plan, Remote, Run, Summary, is_url, unpack,
};
use trommel::{Document, Extractor, Hints, Settings};

use crate::progress::Reporter;

/// Page that an argument names: a file, a URL or standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageInput {
    /// Name of the page: the path as text, the URL, or `-` for standard input.
    pub name: String,
    /// Path of the page; `None` for a URL or standard input.
    file: Option<PathBuf>,
    /// Path below the output folder, without extension, of the file for the page's text: `news/a` for the page
    /// `news/a.html` below a named folder, `a` for a named page `news/a.html`.
    pub stem: PathBuf,
}

impl PageInput {
    /// Returns the pages that arguments name. The pages of a folder are sorted by name.
    ///
    /// # Errors
    /// Fails if a folder cannot be read or holds no page, or if a URL is named without `fetch`.
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
                let mut found = below(path).with_context(|| path.display().to_string())?;
                found.retain(|file| without_endings(file) != *file);
                pages.extend(found.iter().map(|file| Self::of_file(file, file.strip_prefix(path).unwrap_or(file))));
                if found.is_empty() {
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

    /// Reads the bytes of the page, decompressed.
    ///
    /// # Errors
    /// Fails for the same reasons as [`read`].
    pub fn read(&self) -> Result<Vec<u8>> {
        match &self.file {
            Some(file) => read_file(file),
            None => read(&self.name),
        }
    }
}

/// Reads a page from a file, a URL or standard input (`-`). Decompresses gzip, and for files also zstd.
///
/// # Errors
/// Fails if the page cannot be read, is an archive, or has another compression.
pub fn read(name: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match name {
        "-" => {
            stdin().lock().read_to_end(&mut bytes).context("standard input")?;
        }
        url if is_url(url) => {
            // Bytes come for as long as this is there.
            let remote = Remote::new(NetworkOptions::default());
            let object = remote.open(url).with_context(|| url.to_owned())?;
            bytes = bounded(object, url).with_context(|| url.to_owned())?;
        }
        file => return read_file(Path::new(file)),
    }
    let named = if name == "-" { "standard input" } else { name };
    page(bytes, named).with_context(|| named.to_owned())
}

fn read_file(file: &Path) -> Result<Vec<u8>> {
    let named = || file.display().to_string();
    let mut bytes = fs::read(file).with_context(named)?;
    if FileSignature::of(&bytes) == Some(FileSignature::Zstd) {
        let plain = open_plain(file).with_context(named)?;
        bytes = bounded(plain, &named()).context("damaged zstd").with_context(named)?;
    }
    page(bytes, &named()).with_context(named)
}

/// Reads the bytes of the page `name`, at most the maximum of a page; skips the rest with a warning.
fn bounded(reader: impl Read, name: &str) -> std::io::Result<Vec<u8>> {
    let most = PayloadOptions::default().max_payload;
    let mut bytes = Vec::new();
    reader.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        bytes.pop();
        tracing::warn!("{name}: only the first {most} bytes of the page are read");
    }
    Ok(bytes)
}

/// Returns the HTML in the bytes of a file: decompressed if gzip, and without a saved HTTP header.
fn page(mut bytes: Vec<u8>, name: &str) -> Result<Vec<u8>> {
    if FileSignature::of(&bytes) == Some(FileSignature::Gzip) {
        bytes = bounded(MultiGzDecoder::new(&*bytes), name).context("damaged gzip")?;
    }
    refuse_other_files(&bytes)?;
    // Saved with its head, as `curl -i` does.
    let head = bytes.len() - http_body(&bytes).len();
    bytes.drain(..head);
    Ok(bytes)
}

/// Refuses bytes that are known not to be HTML: an archive, or data of another type that a run skips.
fn refuse_other_files(bytes: &[u8]) -> Result<()> {
    let is_arc = bytes.starts_with(b"filedesc://");
    let signature = FileSignature::of(bytes);
    if is_arc || signature == Some(FileSignature::Warc) {
        bail!(
            "an archive, not a page: `trommel run` reads archives, `trommel cat` and `inspect --record` one \
             record of them"
        );
    }
    match (binary_type(bytes), signature) {
        (Some(kind), _) if kind == "multipart/related" => bail!("an MHTML file, not a page: save the page as HTML"),
        (Some(kind), _) => bail!("{kind} data, not a page"),
        (None, Some(other)) => bail!("{} data, not a page", format!("{other:?}").to_lowercase()),
        (None, None) => Ok(()),
    }
}

/// Returns the paths of all files below a folder, sorted. Links, pipes and devices are left out.
pub fn below(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            match entry.file_type()? {
                kind if kind.is_dir() => folders.push(entry.path()),
                kind if kind.is_file() => found.push(entry.path()),
                _ => {}
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Returns a path without the extensions of HTML pages, such as `.html` and `.html.gz`.
fn without_endings(path: &Path) -> PathBuf {
    let Some(name) = path.file_name() else { return path.to_owned() };
    // What is no text in the name does not matter to its ending.
    let name = name.to_string_lossy();
    path.with_file_name(trommel::archive::file_name::without_page_endings(&name))
}

/// Returns the last segment of a URL's path as a file name; the host if the path is empty.
fn from_url(url: &str) -> PathBuf {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let mut parts = rest.split('/').filter(|part| !part.is_empty());
    let name = parts.next_back().unwrap_or("page");
    PathBuf::from(if name == ".." { "page" } else { name })
}

/// Refuses an output file that the command also reads.
///
/// # Errors
/// Fails if `path` is one of the files in `read`, under the same or another name.
pub fn refuse_inputs<P: AsRef<Path>>(path: &Path, read: impl IntoIterator<Item = P>) -> Result<()> {
    // What is not there yet is no input.
    let Ok(place) = path.canonicalize() else { return Ok(()) };
    if read.into_iter().any(|read| read.as_ref().canonicalize().is_ok_and(|read| read == place)) {
        bail!("{}: is read by the command; name another file to write", path.display());
    }
    Ok(())
}

/// Refuses an existing output file, unless `overwrite` is set. Devices and pipes such as `/dev/null` may always be
/// written.
///
/// # Errors
/// Fails if `path` exists and `overwrite` is not set.
pub fn refuse_existing(path: &Path, overwrite: bool) -> Result<()> {
    if path.is_file() && !overwrite && path != Path::new("-") {
        bail!("{}: is there already; replace it with --overwrite", path.display());
    }
    Ok(())
}

/// Checks, before the work begins, that an output file is not read by the command, may be replaced if it exists, and
/// can be written. Creates its folder.
///
/// # Errors
/// Fails for the same reasons as [`refuse_inputs`], [`refuse_existing`] and [`prepare`].
pub fn claim<P: AsRef<Path>>(path: &Path, overwrite: bool, read: impl IntoIterator<Item = P>) -> Result<()> {
    refuse_inputs(path, read)?;
    refuse_existing(path, overwrite)?;
    prepare(path)
}

/// Creates the folder of an output file and checks that the file can be written, before the work begins.
///
/// # Errors
/// Fails if the system refuses the folder or file; the message names the file.
pub fn prepare(path: &Path) -> Result<()> {
    AtomicFile::prepare(path).with_context(|| path.display().to_string())
}

/// Writes a text to a file, or to standard output if `path` is `-`. Creates the folder; the file appears when it is
/// complete.
///
/// # Errors
/// Fails if the system refuses the folder or file; the message names the file.
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

/// Parses an argument that must name a file and not standard output (`-`).
pub fn file(name: &str) -> Result<PathBuf, String> {
    match name {
        "-" => Err("expected the name of a file; ./- is a file of that name".to_owned()),
        name => Ok(name.into()),
    }
}

/// Archives that a command reads without writing outputs. WACZ files are unpacked.
pub struct Archives {
    plan: Plan,
    extractor: Extractor,
}

impl Archives {
    /// Prepares to read the archives of `inputs` with the model that the settings name.
    pub fn new(inputs: Vec<Input>, settings: Settings) -> Result<Self> {
        let inputs = unpack(inputs, PackedOptions::default(), &NetworkOptions::default());
        let model = Arc::new(settings.model()?);
        Ok(Self {
            extractor: Extractor::with_model(&settings, model),
            plan: Plan::new(inputs, Output::caller()).with_settings(settings),
        })
    }

    /// Passes every document of the archives to `take`, in the order in which `run` would write them. Returns the
    /// counts of the run.
    pub fn documents(&self, mut take: impl FnMut(Document) -> Result<()>) -> Result<Summary> {
        let taken = |record| take(record).map_err(io::Error::other);
        let (mut nowhere, mut reporter) = (io::sink(), Reporter::new());
        let extract = |bytes: &[u8], hints: &Hints<'_>| self.extractor.document(bytes, hints);
        let environment = Environment::new(&mut nowhere, &mut reporter);
        Ok(Run::of_plan(&self.plan, &extract).documents(environment, taken)?)
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
    fn a_page_without_end_is_read_to_its_maximum() {
        let most = PayloadOptions::default().max_payload;
        assert_eq!(bounded(std::io::repeat(b'a'), "endless").unwrap().len() as u64, most);
        assert_eq!(bounded(std::io::repeat(b'a').take(most), "whole").unwrap().len() as u64, most);
        assert_eq!(bounded(&b"one"[..], "short").unwrap(), b"one");
    }

    #[test]
    fn the_head_of_a_saved_answer_is_no_text() {
        let saved = "HTTP/1.1 100 Continue\r\n\r\nHTTP/2 200\r\nContent-Type: text/html\r\n\r\n<p>one";
        assert_eq!(page(saved.into(), "saved").unwrap(), b"<p>one");
        assert_eq!(
            page("HTTP/1.1 is a protocol\n\n<p>one".into(), "plain").unwrap(),
            b"HTTP/1.1 is a protocol\n\n<p>one"
        );
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
