//! Tells which elements a page names elsewhere than at themselves.

use rustc_hash::FxHashMap;
use trommel_html::Element;

/// Names that are looked for in a page, at most.
const MAX_NAMES: usize = 32;

/// The names that a script, a link or a button of the page mentions. Readers can open elements with these names.
#[derive(Debug, Default)]
pub(crate) struct Mentions {
    known: FxHashMap<String, bool>,
}

impl Mentions {
    /// Returns whether an element of the decoded page has such a name.
    pub fn name(&mut self, html: &str, element: &Element) -> bool {
        let names = |attribute: &str| element.attribute(html, attribute).unwrap_or_default();
        let (id, class) = (names("id"), names("class"));
        let mut names = class.split_ascii_whitespace().chain([id.trim()]).filter(|name| !name.is_empty());
        names.any(|name| self.are_of(html, name))
    }

    fn are_of(&mut self, html: &str, name: &str) -> bool {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        // Each name is a search through the page.
        if self.known.len() >= MAX_NAMES {
            return true;
        }
        let is_mention = |at: usize| {
            let (before, behind) = html.split_at_checked(at).unwrap_or_default();
            let behind = behind.get(name.len()..).unwrap_or_default();
            // In quotes as it is or as a selector; its own attributes are no mention.
            let before = before.strip_suffix(['.', '#']).unwrap_or(before);
            let quoted = before.strip_suffix(['"', '\'', '`']).filter(|_| behind.starts_with(['"', '\'', '`']));
            quoted.is_some_and(|before| !before.ends_with("id=") && !before.ends_with("class="))
        };
        let is_mentioned = memchr::memmem::find_iter(html.as_bytes(), name).any(is_mention);
        self.known.insert(name.to_owned(), is_mentioned);
        is_mentioned
    }
}
