//! Reads the lists of pages in a WACZ file, and a description that names several WACZ files (Multi-WACZ).

use std::io::{BufRead, BufReader};
use std::{collections::HashMap, io};

use serde::Deserialize;
use trommel_text::hash;

use crate::wacz::{Container, WaczError};

/// Maximum number of pages that are remembered.
const MAX_PAGES: usize = 2_000_000;
/// Maximum bytes of a title that are remembered.
const MAX_TITLE_BYTES: usize = 300;
/// Maximum bytes of all titles that are remembered.
const MAX_TITLES_BYTES: usize = 64 << 20;
/// Maximum bytes of a line, which may contain the text of a whole page.
const MAX_LINE_BYTES: usize = 16 << 20;

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(default, borrow)]
    url: Option<std::borrow::Cow<'a, str>>,
    #[serde(default, borrow)]
    title: Option<std::borrow::Cow<'a, str>>,
}

/// The titles of the pages that a container lists in `pages/*.jsonl`. Frames, scripts and other parts of pages are
/// not listed.
#[derive(Clone, Debug, Default)]
pub struct PageList {
    /// Titles by the hash of the URL.
    pages: HashMap<u64, Box<str>>,
    titles: usize,
    bad: usize,
    full: bool,
}

impl PageList {
    /// The lists of a container; empty if it has none.
    ///
    /// # Errors
    /// If a list cannot be read.
    pub fn of(container: &Container) -> Result<Self, WaczError> {
        let mut list = Self::default();
        for entry in container.entries().iter().filter(|entry| is_list(&entry.name)) {
            let mut lines = Lines::new(BufReader::new(container.read(entry)?));
            let failed = |error: io::Error| container.of_name(&entry.name, &error);
            while let Some(line) = lines.next().map_err(failed)? {
                match line {
                    Piece::Line(line) => list.add(line),
                    Piece::Begin(_) => list.bad += 1,
                    Piece::Rest(_) => {}
                }
            }
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

    /// Returns whether nothing is listed.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// Number of pages.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Lines that are not JSON, or have more than 16 MiB.
    pub fn bad_lines(&self) -> usize {
        self.bad
    }

    /// Returns whether there were more pages than are remembered: two million, or titles of 64 MiB.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// The title of the page at `url`, without regard to its fragment: empty if it has none, `None` if the page is
    /// not listed.
    pub fn title(&self, url: &str) -> Option<&str> {
        self.pages.get(&key(url)).map(|title| &**title)
    }
}

/// Reads the lines of a list, in pieces of at most the maximum length.
pub(crate) struct Lines<R> {
    input: R,
    line: Vec<u8>,
    /// True if the next bytes continue a line whose beginning was returned.
    is_within: bool,
}

/// A line, or a piece of one that is too long to be looked at.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// A whole line, with its end.
    Line(&'a [u8]),
    /// The beginning of a line that is too long.
    Begin(&'a [u8]),
    /// More of it.
    Rest(&'a [u8]),
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input, line: Vec::new(), is_within: false }
    }

    /// The next line or piece; none at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<Piece<'_>>> {
        self.line.clear();
        let mut is_ended = false;
        while !is_ended && self.line.len() < MAX_LINE_BYTES {
            let there = match self.input.fill_buf() {
                Ok([]) => break,
                Ok(there) => there,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let room = there.len().min(MAX_LINE_BYTES - self.line.len());
            let there = there.get(..room).unwrap_or_default();
            let end = memchr::memchr(b'\n', there);
            is_ended = end.is_some();
            let taken = end.map_or(there.len(), |end| end + 1);
            self.line.extend_from_slice(there.get(..taken).unwrap_or_default());
            self.input.consume(taken);
        }
        // Without an end it is one all the same if nothing follows.
        let is_cut = !is_ended && self.line.len() == MAX_LINE_BYTES && !self.input.fill_buf()?.is_empty();
        let was_within = std::mem::replace(&mut self.is_within, is_cut);
        Ok(match (self.line.is_empty(), was_within, is_cut) {
            (true, ..) => None,
            (false, true, _) => Some(Piece::Rest(&self.line)),
            (false, false, true) => Some(Piece::Begin(&self.line)),
            (false, false, false) => Some(Piece::Line(&self.line)),
        })
    }
}

/// Returns whether an entry is a list of pages.
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

/// The paths or URLs of the containers that a multi-WACZ names, in its order, relative to its own place; `None` if
/// the bytes are no multi-WACZ.
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
