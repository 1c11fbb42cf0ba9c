//! Copies a WACZ file and adds the text of its pages.

use std::io::{self, Read, Seek, Write};
use std::{borrow::Cow, collections::BTreeMap};

use data_encoding::HEXLOWER;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use zip::{CompressionMethod, ZipWriter, result::ZipError, write::SimpleFileOptions};

use crate::wacz::directory::StorageMethod;
use crate::wacz::hashes::{DESCRIPTION, DIGEST};
use crate::wacz::page_lists::{each_line, is_list};
use crate::wacz::{Container, Entry, WaczError};

/// Result of copying a WACZ container with texts added to its page lists: the numbers of pages and of added texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextsWritten {
    /// Number of pages that the container lists.
    pub pages: u64,
    /// Number of listed pages to which a text was added.
    pub texts: u64,
    /// True if the signature of the old description was left out, because it is not valid for the new one.
    pub unsigned: bool,
}

/// Writes a copy of `container` to `out`, with texts added to its page lists. Each page listed in `pages/` gets the
/// text that the function `text` returns for its URL and time (`ts`); a page without a text stays unchanged. Archives
/// and indexes are copied byte for byte; deflated ones are stored without compression, as the format asks.
/// `datapackage.json` keeps its other contents and gets the hashes of the new files.
///
/// # Errors
/// Fails if an entry cannot be read, if the output cannot be written, or if the container has no list of pages.
pub fn write_texts<W: Write + Seek>(
    container: &Container,
    out: W,
    text: &mut dyn FnMut(&str, &str) -> Option<String>,
) -> Result<(W, TextsWritten), WaczError> {
    let entries = container.entries();
    if !entries.iter().any(|entry| is_list(&entry.name)) {
        return Err(container.of_name("pages/", &"there is no list of pages to write texts into"));
    }
    let mut written = TextsWritten::default();
    let mut resources = Vec::new();
    let mut zip = ZipWriter::new(out);
    for entry in entries {
        if entry.name.ends_with('/') || [DESCRIPTION, DIGEST].contains(&entry.name.as_str()) {
            continue;
        }
        let mut sink = Sink::begin(container, &mut zip, entry)?;
        if is_list(&entry.name) {
            each_line(container, entry, |line| sink.write(&with_text(line, text, &mut written)))?;
        } else {
            sink.copy(container.read(entry)?)?;
        }
        resources.push(sink.resource(&entry.name));
    }
    let description = description(container, resources)?;
    let digest = json!({ "path": DESCRIPTION, "hash": hash(&description) });
    written.unsigned =
        container.description(DIGEST)?.is_some_and(|old| memchr::memmem::find(&old, b"signedData").is_some());
    let digest = pretty(container, DIGEST, &digest)?;
    for (name, bytes) in [(DESCRIPTION, &description), (DIGEST, &digest)] {
        let done = zip.start_file(name, options(bytes.len() as u64));
        done.map_err(|error| container.of_name(name, &error))?;
        zip.write_all(bytes).map_err(|error| container.failed(error))?;
    }
    Ok((zip.finish().map_err(|error| container.of_name(DESCRIPTION, &error))?, written))
}

/// Returns the ZIP options of an entry of `bytes` bytes: no compression, and the earliest possible time, so that the
/// same container gives the same bytes.
fn options(bytes: u64) -> SimpleFileOptions {
    SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .large_file(bytes >= u64::from(u32::MAX))
        .last_modified_time(zip::DateTime::default())
}

/// Writer of one entry to a ZIP file, which also computes the entry's length and hash.
struct Sink<'a, W: Write + Seek> {
    container: &'a Container,
    zip: &'a mut ZipWriter<W>,
    hasher: Sha256,
    bytes: u64,
    name: &'a str,
}

impl<'a, W: Write + Seek> Sink<'a, W> {
    fn begin(container: &'a Container, zip: &'a mut ZipWriter<W>, entry: &'a Entry) -> Result<Self, WaczError> {
        // How much a list or what is deflated will have is not known.
        let bytes =
            if entry.method == StorageMethod::Stored && !is_list(&entry.name) { entry.stored } else { u64::MAX };
        let begun: Result<(), ZipError> = zip.start_file(entry.name.as_str(), options(bytes));
        begun.map_err(|error| container.of_name(&entry.name, &error))?;
        Ok(Self { container, zip, hasher: Sha256::new(), bytes: 0, name: &entry.name })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), WaczError> {
        self.hasher.update(bytes);
        self.bytes += bytes.len() as u64;
        self.zip.write_all(bytes).map_err(|error| self.container.of_name(self.name, &error))
    }

    fn copy(&mut self, mut input: impl Read) -> Result<(), WaczError> {
        let mut block = vec![0; 1 << 16];
        loop {
            match input.read(&mut block) {
                Ok(0) => return Ok(()),
                Ok(read) => self.write(block.get(..read).unwrap_or_default())?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.container.of_name(self.name, &error)),
            }
        }
    }

    fn resource(self, path: &str) -> Value {
        json!({
            "name": path.rsplit('/').next().unwrap_or(path),
            "path": path,
            "hash": format!("sha256:{}", HEXLOWER.encode(&self.hasher.finalize())),
            "bytes": self.bytes,
        })
    }
}

/// Members of a JSON object, by name. The values stay unparsed, as they are not needed and would take much memory.
type Members<'a> = BTreeMap<String, &'a RawValue>;

/// Returns a line of a page list with the text of its page added; counts pages and texts in `written`.
fn with_text<'a>(
    line: &'a [u8],
    text: &mut dyn FnMut(&str, &str) -> Option<String>,
    written: &mut TextsWritten,
) -> Cow<'a, [u8]> {
    let Ok(mut page) = serde_json::from_slice::<Members>(line) else { return line.into() };
    let of = |name: &str| {
        let value = page.get(name)?.get();
        serde_json::from_str::<String>(value).ok()
    };
    let new = match of("url") {
        Some(url) => {
            written.pages += 1;
            let Some(text) = text(&url, &of("ts").unwrap_or_default()) else { return line.into() };
            written.texts += 1;
            ("text", Value::String(text))
        }
        // The line that describes the list.
        None if page.contains_key("format") => ("hasText", Value::Bool(true)),
        None => return line.into(),
    };
    let Ok(value) = to_raw_value(&new.1) else { return line.into() };
    page.insert(new.0.to_owned(), &value);
    let Ok(mut bytes) = serde_json::to_vec(&page) else { return line.into() };
    bytes.push(b'\n');
    bytes.into()
}

/// Returns the `datapackage.json` for a copy of `container`: the old one, if any, with `resources` as list of entries.
fn description(container: &Container, resources: Vec<Value>) -> Result<Vec<u8>, WaczError> {
    let json = |source| container.json(DESCRIPTION, source);
    let old = container.description(DESCRIPTION)?;
    let raw = |value: Value| to_raw_value(&value).map_err(json);
    let profile = raw("data-package".into())?;
    // Hashes were written in another way before.
    let (version, resources) = (raw("1.1.1".into())?, raw(resources.into())?);
    let mut description: Members = match &old {
        Some(old) => serde_json::from_slice(old).map_err(json)?,
        None => Members::new(),
    };
    description.entry("profile".to_owned()).or_insert(&profile);
    description.insert("wacz_version".to_owned(), &version);
    description.insert("resources".to_owned(), &resources);
    serde_json::to_vec_pretty(&description).map_err(json)
}

fn pretty(container: &Container, name: &str, value: &Value) -> Result<Vec<u8>, WaczError> {
    serde_json::to_vec_pretty(value).map_err(|error| container.json(name, error))
}

fn hash(bytes: &[u8]) -> String {
    format!("sha256:{}", HEXLOWER.encode(&Sha256::digest(bytes)))
}
