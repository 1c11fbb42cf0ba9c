//! Lists the archives in a folder or below a prefix.

use std::collections::BTreeMap;

use trommel_archive::name::{self, is_archive, is_wacz};

use super::Input;
use super::pages::is_page;

/// The contents of a folder or prefix.
pub(super) struct Found<T> {
    pub(super) archives: Vec<T>,
    /// Text of captures; read where there are no archives.
    // Crawls hold WARC and WET side by side; reading both would give each page twice.
    texts: Vec<T>,
    /// The number of other files, by ending or kind.
    others: BTreeMap<String, usize>,
    /// Pages, which are read where there are no archives.
    pages: Vec<T>,
}

impl<T> Default for Found<T> {
    fn default() -> Self {
        Self { archives: Vec::new(), texts: Vec::new(), others: BTreeMap::new(), pages: Vec::new() }
    }
}

impl<T: Ord> Found<T> {
    /// Adds the inputs that are found under a path, in order.
    pub(super) fn sort(&mut self, entry: T, path: &str) {
        let name = path.rsplit('/').next().unwrap_or(path);
        if is_archive(name) || is_wacz(name) {
            self.archives.push(entry);
        } else if name::is_wet(name) {
            self.texts.push(entry);
        } else if is_page(name) && !name.starts_with(['.', '_']) {
            self.pages.push(entry);
        // State and marks of runs, and what systems hide.
        } else if !name.starts_with(['.', '_']) {
            self.skip(name::ending(name));
        }
    }

    pub(super) fn skip(&mut self, kind: &str) {
        *self.others.entry(kind.to_owned()).or_default() += 1;
    }

    /// The pages, if nothing else is to be read.
    pub(super) fn take_pages(&mut self) -> Option<Vec<T>> {
        let is_all = self.archives.is_empty() && self.texts.is_empty() && !self.pages.is_empty();
        is_all.then(|| std::mem::take(&mut self.pages))
    }

    /// Names in one line what was passed over.
    pub(super) fn tell(&self, place: &str) {
        if !self.others.is_empty() {
            tracing::info!("{place}: passed over: {}", self.passed_over());
        }
    }

    fn passed_over(&self) -> String {
        let others = self.others.iter();
        let others: Vec<String> = others.map(|(kind, count)| format!("{count} {}", kind.escape_debug())).collect();
        others.join(", ")
    }

    /// Returns the inputs, and names the files that are none in one line.
    pub(super) fn give(mut self, place: &str, reason: &'static str, inputs: &mut Vec<Input>, input: fn(T) -> Input) {
        if self.archives.is_empty() {
            self.archives = std::mem::take(&mut self.texts);
        }
        if !self.texts.is_empty() {
            self.others.insert(".wet".to_owned(), self.texts.len());
        }
        if !self.pages.is_empty() {
            self.others.insert(".html".to_owned(), self.pages.len());
        }
        let others = self.passed_over();
        match (self.archives.is_empty(), others.is_empty()) {
            (false, true) => {}
            (false, false) => tracing::info!("{place}: passed over: {others}"),
            // An input all the same, so that the run says so and exits with an error.
            (true, _) => inputs.push(Input::Nothing {
                argument: place.to_owned(),
                reason: if others.is_empty() { reason.to_owned() } else { format!("{reason} (passed over: {others})") },
            }),
        }
        self.archives.sort();
        inputs.extend(self.archives.into_iter().map(input));
    }
}
