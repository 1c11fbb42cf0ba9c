//! Fingerprints of the blocks of a page.

use trommel_html::{Element, Page, Tag};
use trommel_text::{hash, mix};

/// Version of the fingerprints: memories of different versions know nothing of each other's pages.
pub(crate) const VERSION: u32 = 1;

/// Innermost elements whose names and classes say where a block stands. More would tell pages of one template
/// apart by what stands around it.
const MAX_PATH_DEPTH: usize = 3;

/// The fingerprints of a page's blocks: of each its text, and its position, which is the names and classes of
/// the three innermost elements around it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PagePrint {
    pub(crate) texts: Vec<u64>,
    pub(crate) positions: Vec<u64>,
    pub(crate) words: Vec<u32>,
}

impl PagePrint {
    /// The fingerprints of a page, in time linear in it.
    pub fn of(page: &Page) -> Self {
        let mut print = Self {
            texts: Vec::with_capacity(page.blocks.len()),
            positions: Vec::with_capacity(page.blocks.len()),
            words: Vec::with_capacity(page.blocks.len()),
        };
        for block in &page.blocks {
            let around = page.path(block.element).take(MAX_PATH_DEPTH);
            let position = around.fold(1, |before: u64, (_, element)| mix(before.rotate_left(7) ^ look(page, element)));
            print.texts.push(hash(page.text(block).as_bytes()));
            print.positions.push(position);
            print.words.push(block.words);
        }
        print
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Returns whether the page has no blocks.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

/// Hash of an element's name and class. Names that are not of HTML are numbered page by page in the table, so
/// of these the name itself stands for the element.
fn look(page: &Page, element: &Element) -> u64 {
    match element.tag {
        Tag::Other => hash(page.name(element).as_bytes()),
        _ => element.signature,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    fn print(html: &str) -> PagePrint {
        PagePrint::of(&ScanEngine.read(html, &Limits::default()))
    }

    #[test]
    fn prints_tell_texts_and_positions() {
        let page = print("<main><div class=a><p>One</p><p>Two</p></div><div class=b><p>One</p></div></main>");
        assert_eq!(page.len(), 3);
        assert_eq!(page.texts[0], page.texts[2]);
        assert_ne!(page.texts[0], page.texts[1]);
        assert_eq!(page.positions[0], page.positions[1]);
        assert_ne!(page.positions[0], page.positions[2]);
        // What is further out does not count.
        let deeper = print("<div class=x><main><div class=a><p>Six</p></div></main></div>");
        assert_eq!(deeper.positions[0], page.positions[0]);
    }

    #[test]
    fn prints_are_what_files_hold() {
        // Should these change, so must the version: files written before would know no block any more.
        let page = print("<div class=a><p>One</p></div>");
        assert_eq!(VERSION, 1);
        assert_eq!(page.texts[0], hash(b"One"));
        assert_eq!(page.positions[0], PINNED);
    }

    const PINNED: u64 = 6_831_120_198_581_514_990;
}
