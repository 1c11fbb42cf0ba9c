//! Cutting a page into segments at elements of given names.

use rustc_hash::FxHashMap;
use trommel_html::{NONE, Page, Tag};

use crate::methods::home::home;

/// The segments of a page: numbers `0..count`, in document order of what first stands in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Segments {
    /// Segment of each block.
    pub of_block: Vec<u32>,
    /// Segment of each element; a cutting element opens its own.
    pub of_element: Vec<u32>,
    /// Number of segments.
    pub count: usize,
}

/// Cuts a page at the elements of these names.
///
/// A segment is the own text of one such element: what stands in it and in no other inside it, in one
/// piece or several. What stands in none is a segment as well. A void element among the names (`hr`)
/// holds nothing: it divides the segment it stands in. An inline one (`span`) counts where it holds
/// the whole text of a block.
pub(crate) fn segments(page: &Page, cuts: &[Tag]) -> Segments {
    // The owner of what stands outside of every cut comes last.
    let outside = page.elements.len();
    let mut owners: Vec<u32> = Vec::with_capacity(outside);
    let mut divisions = vec![0u32; outside + 1];
    let mut numbers: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    let mut number = |owner: u32, divisions: &[u32]| {
        let division = divisions.get((owner as usize).min(outside)).copied().unwrap_or_default();
        let next = u32::try_from(numbers.len()).unwrap_or(NONE);
        *numbers.entry((owner, division)).or_insert(next)
    };
    let mut of_block = Vec::with_capacity(page.blocks.len());
    let mut of_element = Vec::with_capacity(outside);
    let mut blocks = page.blocks.iter().peekable();
    for (element, at) in page.elements.iter().zip(0u32..) {
        while let Some(block) = blocks.next_if(|block| block.span.0 <= element.start) {
            let owner = owners.get(home(page, block) as usize).copied();
            of_block.push(number(owner.unwrap_or(NONE), &divisions));
        }
        let around = owners.get(element.parent as usize).copied().unwrap_or(NONE);
        let cut = cuts.contains(&element.tag);
        if cut
            && element.tag.is_void()
            && let Some(division) = divisions.get_mut((around as usize).min(outside))
        {
            *division += 1;
        }
        let owner = if cut && !element.tag.is_void() { at } else { around };
        owners.push(owner);
        of_element.push(number(owner, &divisions));
    }
    for block in blocks {
        let owner = owners.get(home(page, block) as usize).copied();
        of_block.push(number(owner.unwrap_or(NONE), &divisions));
    }
    Segments { of_block, of_element, count: numbers.len() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    fn texts(html: &str, cuts: &[Tag]) -> Vec<String> {
        let page = ScanEngine.read(html, &Limits::default());
        let segments = segments(&page, cuts);
        let mut texts = vec![Vec::new(); segments.count];
        for (block, of) in page.blocks.iter().zip(&segments.of_block) {
            texts[*of as usize].push(page.text(block));
        }
        texts.into_iter().map(|texts| texts.join(" ")).filter(|text| !text.is_empty()).collect()
    }

    #[test]
    fn an_element_owns_what_no_other_inside_it_does() {
        // The example of Rai and Chaudhary.
        let html = "<div> Hello <table><tr><td>INDIA</td></tr><tr><td>USA</td></tr></table><div>SMS</div>World</div>";
        let cuts = [Tag::Div, Tag::Table, Tag::Tr, Tag::Td];
        assert_eq!(texts(html, &cuts), ["Hello World", "INDIA", "USA", "SMS"]);
    }

    #[test]
    fn a_void_element_divides() {
        let html = "a<hr>b<div>c<p>d</p><hr>e</div>f";
        assert_eq!(texts(html, &[Tag::Div, Tag::Hr]), ["a", "b f", "c d", "e"]);
        assert_eq!(texts(html, &[]), ["a b c d e f"]);
    }

    #[test]
    fn a_page_without_elements_is_one_segment() {
        assert_eq!(texts("a b", &[Tag::Div]), ["a b"]);
        assert!(texts("", &[Tag::Div]).is_empty());
    }
}
