//! A heading belongs to what it heads: headings of sections above kept text.

use trommel_html::{Block, ElementKinds, Page};

/// Blocks and words of a heading; more are an element that was never closed.
const HEADING_BLOCKS: usize = 3;
const HEADING_WORDS: u32 = 25;
/// Words of the text below, from which on it is more than a label.
const TEXT_WORDS: u32 = 8;

/// Keeps headings, but for the headline (a block), right above kept text that stands beside them, or beside
/// an element with nothing but the heading in it (one entry a block in `kept`).
pub(crate) fn keep_section_headings(page: &Page, headline: Option<usize>, kept: &mut [bool]) {
    let mut at = 0;
    while at < page.blocks.len() {
        let Some(own) = heading(page, at) else {
            at += 1;
            continue;
        };
        let Some(element) = page.element(own) else {
            return;
        };
        let inside: Vec<&Block> = page
            .blocks
            .iter()
            .skip(at)
            .take_while(|block| block.element >= own && block.element < element.end)
            .collect();
        let next = at + inside.len().max(1);
        let is_kept = |at: usize| kept.get(at) == Some(&true);
        let words: u32 = inside.iter().map(|block| block.words).sum();
        let heads = headline.is_none_or(|own| !(at..next).contains(&own))
            && !element.hidden
            && inside.len() <= HEADING_BLOCKS
            && words <= HEADING_WORDS
            && !(at..next).any(is_kept)
            && is_kept(next)
            && is_beside(page, element.parent, next)
            && heading(page, next).is_none()
            && page
                .blocks
                .get(next)
                .is_some_and(|text| text.words >= TEXT_WORDS && text.link_density() < 0.5);
        if heads {
            let own = kept.iter_mut().skip(at).take(next - at);
            own.for_each(|kept| *kept = true);
        }
        at = next;
    }
}

/// The innermost heading around a block.
fn heading(page: &Page, block: usize) -> Option<u32> {
    let block = page.blocks.get(block)?;
    if !page.kinds_around(block).contains(ElementKinds::HEADING) {
        return None;
    }
    let mut path = page.path(block.element);
    path.find(|(_, own)| own.tag.is_heading()).map(|(at, _)| at)
}

/// Whether a block is in the element around a heading, or in the one around that if nothing else is in it.
fn is_beside(page: &Page, around: u32, block: usize) -> bool {
    let Some(block) = page.blocks.get(block) else {
        return false;
    };
    let holds = |around: u32| {
        let element = page.element(around);
        element.is_none_or(|element| block.element < element.end)
    };
    holds(around)
        || page
            .element(around)
            .is_some_and(|wrapper| !wrapper.hidden && holds(wrapper.parent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    fn left(html: &str, headline: Option<usize>) -> Vec<String> {
        let page = ScanEngine.read(html, &Limits::default());
        let texts: Vec<&str> = page.blocks.iter().map(|block| page.text(block)).collect();
        let mut kept: Vec<bool> = texts.iter().map(|text| !text.starts_with('-')).collect();
        keep_section_headings(&page, headline, &mut kept);
        let left = texts.iter().zip(&kept).filter(|(_, kept)| **kept);
        left.map(|(text, _)| (*text).to_owned()).collect()
    }

    #[test]
    fn headings_follow_what_they_head() {
        let text = "some text of a section with more than eight words";
        let heads = |html: &str| left(&html.replace('T', text), None).len() == 2;
        assert!(heads("<h2>-Section</h2><p>T"));
        let html = format!("<h1>-Headline</h1><p>{text}");
        assert_eq!(
            left(&html, Some(0)),
            [text],
            "headlines are decided by themselves"
        );
        assert_eq!(left(&html, Some(1)).len(), 2);
        assert!(heads("<div><h3>-Section</h3></div><p>T"));
        assert!(heads("<section><header><h3>-a</h3></header><p>T</section>"));
        assert!(!heads("<h2 hidden>-Section</h2><p>T"));
        assert!(!heads("<div><div><h2>-Section</h2></div></div><p>T"));
        assert!(!heads("<h2>-Section</h2><p>-label</p><p>T"));
        assert!(!heads("<h2>-Section</h2><p>short"));
        assert!(heads("<h2><a href='#section'>-Section</a></h2><p>T"));
        assert!(!heads("<h2>-Section</h2><p><a href=x>T</a>"));
    }
}
