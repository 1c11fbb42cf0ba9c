//! Lists the archives in a folder or below a prefix.

use std::collections::BTreeMap;

use trommel_archive::name::{self, is_archive, is_wacz};

use super::Input;

/// The contents of a folder or prefix.
pub(super) struct Found<T> {
    pub(super) archives: Vec<T>,
    /// Text of captures; read where there are no archives.
    // Crawls hold WARC and WET side by side; reading both would give each page twice.
    texts: Vec<T>,
    /// The number of other files, by ending or kind.
    pub(super) others: BTreeMap<String, usize>,
}

impl<T> Default for Found<T> {
    fn default() -> Self {
        Self { archives: Vec::new(), texts: Vec::new(), others: BTreeMap::new() }
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
        // State and marks of runs, and what systems hide.
        } else if !name.starts_with(['.', '_']) {
            self.skip(name::ending(name));
        }
    }

    pub(super) fn skip(&mut self, kind: &str) {
        *self.others.entry(kind.to_owned()).or_default() += 1;
    }

    /// Returns the inputs, and names the files that are none in one line.
    pub(super) fn give(mut self, place: &str, reason: &'static str, inputs: &mut Vec<Input>, input: fn(T) -> Input) {
        if self.archives.is_empty() {
            self.archives = std::mem::take(&mut self.texts);
        }
        if !self.texts.is_empty() {
            self.others.insert(".wet".to_owned(), self.texts.len());
        }
        let others = self.others.iter();
        let others: Vec<String> = others.map(|(kind, count)| format!("{count} {}", kind.escape_debug())).collect();
        let others = others.join(", ");
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
