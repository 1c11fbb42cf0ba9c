//! Reads the lists of pages in a WACZ file, and the description of a collection of WACZ files (Multi-WACZ).

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};

use serde::Deserialize;
use trommel_text::hash;

use crate::wacz::{Container, Entry, WaczError};

/// Maximum number of pages remembered from the page lists of a WACZ container; further pages are ignored.
const MAX_PAGES: usize = 2_000_000;
/// Maximum length in bytes of a page title in memory; a longer title is cut.
const MAX_TITLE_BYTES: usize = 300;
/// Maximum total length in bytes of the page titles in memory; once it is reached, further pages are ignored.
const MAX_TITLES_BYTES: usize = 64 << 20;
/// Maximum length in bytes of a line of a page list, which may contain a page's text; a longer line is an error.
const MAX_LINE_BYTES: u64 = 16 << 20;

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(default, borrow)]
    url: Option<std::borrow::Cow<'a, str>>,
    #[serde(default, borrow)]
    title: Option<std::borrow::Cow<'a, str>>,
}

/// Titles of the pages that a WACZ container lists in `pages/*.jsonl`. Frames, scripts and other parts of pages are not
/// listed.
#[derive(Clone, Debug, Default)]
pub struct PageList {
    /// Maps the hash of a page's URL to the page's title.
    pages: HashMap<u64, Box<str>>,
    titles: usize,
    bad: usize,
    full: bool,
}

impl PageList {
    /// Reads the page lists of a container; the result is empty if there are none.
    ///
    /// # Errors
    /// Fails if a list cannot be read.
    pub fn of(container: &Container) -> Result<Self, WaczError> {
        let mut list = Self::default();
        for entry in container.entries().iter().filter(|entry| is_list(&entry.name)) {
            each_line(container, entry, |line| {
                list.add(line);
                Ok(())
            })?;
        }
        Ok(list)
    }

    fn add(&mut self, line: &[u8]) {
        if line.trim_ascii().is_empty() {
            return;
        }
        let Ok(Line { url, title }) = serde_json::from_slice(line) else {
            self.bad += 1;
            return;
        };
        // The first line describes the list and has none.
        let Some(url) = url else { return };
        if self.pages.len() >= MAX_PAGES || self.titles >= MAX_TITLES_BYTES {
            self.full = true;
            return;
        }
        // Lists that were made without a look into the page have the URL for its title.
        let title = title.filter(|title| *title != url).unwrap_or_default();
        let end = title.floor_char_boundary(MAX_TITLE_BYTES);
        let title = title.get(..end).unwrap_or_default().trim();
        let known = self.pages.entry(key(&url)).or_default();
        if known.is_empty() {
            *known = title.into();
            self.titles += title.len();
        }
    }

    /// Returns whether no page is listed.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// Returns the number of listed pages that are remembered; pages with the same URL count once.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Returns the number of lines in the page lists that are not JSON.
    pub fn bad_lines(&self) -> usize {
        self.bad
    }

    /// Returns whether the lists have more pages than are remembered: two million, or titles of 64 MiB.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// Returns the title of the page at `url`, without regard to the URL's fragment. The title is empty if the page has
    /// none; `None` means that the page is not listed.
    pub fn title(&self, url: &str) -> Option<&str> {
        self.pages.get(&key(url)).map(|title| &**title)
    }
}

/// Calls `give` for each line of a page list, including the line end.
pub(super) fn each_line(
    container: &Container,
    entry: &Entry,
    mut give: impl FnMut(&[u8]) -> Result<(), WaczError>,
) -> Result<(), WaczError> {
    let mut input = BufReader::new(container.read(entry)?);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line);
        if read.map_err(|error| container.of_name(&entry.name, &error))? == 0 {
            return Ok(());
        }
        if line.len() as u64 == MAX_LINE_BYTES {
            return Err(container.of_name(&entry.name, &"has a line of 16 MiB"));
        }
        give(&line)?;
    }
}

/// Returns whether the entry called `name` is a list of pages: a `.jsonl` file in `pages/`.
pub(crate) fn is_list(name: &str) -> bool {
    name.starts_with("pages/") && name.ends_with(".jsonl")
}

fn key(url: &str) -> u64 {
    hash(url.split('#').next().unwrap_or(url).as_bytes())
}

#[derive(Deserialize)]
struct Description {
    profile: String,
    #[serde(default)]
    resources: Vec<Resource>,
}

#[derive(Deserialize)]
struct Resource {
    #[serde(default)]
    path: String,
    #[serde(default)]
    name: String,
}

/// Returns the paths or URLs of the containers that a multi-WACZ description lists, in its order. They are relative to
/// the place of the description. Returns `None` if the bytes are not a multi-WACZ description.
pub fn collection(json: &[u8]) -> Option<Vec<String>> {
    let description: Description = serde_json::from_slice(json).ok()?;
    if !matches!(description.profile.as_str(), "multi-wacz-package" | "wacz-multi") {
        return None;
    }
    let paths = description.resources.into_iter().map(|resource| match resource.path.is_empty() {
        true => resource.name,
        false => resource.path,
    });
    Some(paths.filter(|path| !path.is_empty()).collect())
}
