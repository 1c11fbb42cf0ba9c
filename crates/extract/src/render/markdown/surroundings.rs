//! Tells which elements stand in a list, a quote or a box.

use rustc_hash::FxHashMap;
use trommel_html::{Page, Tag};

use super::callout::Boxes;
use super::transparent::is_list;

/// The elements of which that is known. Most segments stand in nothing, and the elements around them are climbed once.
#[derive(Debug, Default)]
pub(super) struct Surroundings {
    known: FxHashMap<u32, bool>,
}

impl Surroundings {
    /// Whether an element is or stands in a list, an item, a quote or a box.
    pub fn contain(&mut self, page: &Page, boxes: &Boxes, element: u32) -> bool {
        let mut climbed = Vec::new();
        let mut contained = false;
        for (at, element) in page.path(element) {
            if let Some(known) = self.known.get(&at) {
                contained = *known;
                break;
            }
            climbed.push(at);
            let is_container =
                matches!(element.tag, Tag::Blockquote | Tag::Li | Tag::Dt | Tag::Dd) || is_list(element.tag);
            if is_container || boxes.kind(page, at).is_some() {
                contained = true;
                break;
            }
        }
        self.known.extend(climbed.into_iter().map(|at| (at, contained)));
        contained
    }
}

#[cfg(test)]
mod tests {
    use trommel_html::{Engine, Limits, ScanEngine};

    use super::*;
    use crate::render::content::KeptContent;

    #[test]
    fn elements_are_told_by_what_is_around_them() {
        let html = "<div><p>a<p>b</div><div><ul><li><p>c</ul><p>d<blockquote><p>e</blockquote></div>\
                    <div class=admonition><p>f</div><dl><dd><p>g</dl>h";
        let page = ScanEngine.read(html, &Limits::default());
        let content = KeptContent::new(&page, html, &vec![true; page.blocks.len()]);
        let boxes = Boxes::new(&content);
        let mut surroundings = Surroundings::default();
        let mut contained = String::new();
        for block in page.blocks.iter().chain(&page.blocks) {
            if surroundings.contain(&page, &boxes, block.element) {
                contained.push_str(page.text(block));
            }
        }
        assert_eq!(contained, "cefgcefg");
    }
}
