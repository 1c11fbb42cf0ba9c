//! Reads the lists of pages in a container.

use std::{
    collections::HashMap,
    io::{BufRead, BufReader, Read},
};

use serde::Deserialize;
use trommel_text::hash;

use crate::{Container, WaczError};

/// Most pages that are remembered.
const MOST: usize = 2_000_000;
/// Most bytes of a title that are remembered.
const TITLE: usize = 300;
/// Most bytes of one line: pages bring the text of their whole page.
const LINE: u64 = 64 << 20;

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(default, borrow)]
    url: Option<std::borrow::Cow<'a, str>>,
    #[serde(default, borrow)]
    title: Option<std::borrow::Cow<'a, str>>,
}

/// The pages that a container lists (`pages/pages.jsonl`, `pages/extraPages.jsonl` and any other list
/// there) with their titles. What a page brought in, such as frames and scripts, is not listed.
#[derive(Clone, Debug, Default)]
pub struct PageList {
    /// Titles by the hash of the URL.
    pages: HashMap<u64, Box<str>>,
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
        for entry in container
            .entries()
            .iter()
            .filter(|entry| is_list(&entry.name))
        {
            let mut lines = BufReader::new(container.read(entry)?);
            let mut line = Vec::new();
            loop {
                line.clear();
                let read = (&mut lines)
                    .take(LINE)
                    .read_until(b'\n', &mut line)
                    .map_err(|error| container.of_name(&entry.name, &error))?;
                if read == 0 {
                    break;
                }
                list.add(&line);
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
        if self.pages.len() >= MOST {
            self.full = true;
            return;
        }
        // Lists that were made without a look into the page have the URL for its title.
        let title = title.filter(|title| *title != url).unwrap_or_default();
        let end = title.floor_char_boundary(TITLE);
        let title = title.get(..end).unwrap_or_default().trim();
        let known = self.pages.entry(key(&url)).or_default();
        if known.is_empty() {
            *known = title.into();
        }
    }

    /// Whether nothing is listed.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// Number of pages.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Lines that are no JSON.
    pub fn bad_lines(&self) -> usize {
        self.bad
    }

    /// Whether there were more pages than are remembered, two millions.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// The title of the page at `url`, empty if none is known; none if it is not listed. Fragments of URLs
    /// do not count.
    pub fn title(&self, url: &str) -> Option<&str> {
        self.pages.get(&key(url)).map(|title| &**title)
    }
}

/// Whether an entry is a list of pages.
pub(crate) fn is_list(name: &str) -> bool {
    name.starts_with("pages/") && name.ends_with(".jsonl")
}

fn key(url: &str) -> u64 {
    hash(url.split('#').next().unwrap_or(url).as_bytes())
}
