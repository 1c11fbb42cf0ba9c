//! Tells which elements stand in a list, a quote or a box.

use trommel_html::{Page, Tag};

use super::callout::Boxes;
use crate::render::content::{is_item, is_list};

/// The elements of which that is known. Most segments stand in nothing, and the elements around them are climbed once.
#[derive(Debug, Default)]
pub(super) struct Surroundings {
    /// By the element's number; elements beyond the end are not known.
    known: Vec<Option<bool>>,
}

impl Surroundings {
    /// Whether an element is or stands in a list, an item, a quote or a box.
    // Asked of every element around a segment, of which most are known.
    #[inline]
    pub fn contain(&mut self, page: &Page, boxes: &Boxes, element: u32) -> bool {
        match self.known.get(element as usize) {
            Some(Some(known)) => *known,
            _ => self.read(page, boxes, element),
        }
    }

    fn read(&mut self, page: &Page, boxes: &Boxes, element: u32) -> bool {
        if self.known.is_empty() {
            self.known.resize(page.elements.len(), None);
        }
        let mut contained = false;
        let mut end = None;
        for (at, element) in page.path(element) {
            if let Some(known) = self.known.get(at as usize).copied().flatten() {
                contained = known;
                end = Some(at);
                break;
            }
            let is_container = element.tag == Tag::Blockquote || is_item(element.tag) || is_list(element.tag);
            if is_container || boxes.kind(page, at).is_some() {
                contained = true;
                // What stands around this one is not known by it.
                end = page.element(at).map(|element| element.parent);
                break;
            }
        }
        for (at, _) in page.path(element).take_while(|(at, _)| Some(*at) != end) {
            if let Some(known) = self.known.get_mut(at as usize) {
                *known = Some(contained);
            }
        }
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
