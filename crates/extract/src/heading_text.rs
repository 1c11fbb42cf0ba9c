//! The text of a heading, without controls such as `edit`.

use std::borrow::Cow;

use trommel_html::{Block, Notation, NotationKind, Page};

/// Words and characters beyond which an element that is called a heading is a paragraph. Of scripts
/// without spaces every character is a word.
// By words for spaced scripts, by characters for others: either alone would let one of them through.
const MAX_HEADING: (u32, u32) = (60, 200);
/// Characters of a control between brackets (`edit`, `edit | edit source`).
const MAX_CONTROL_CHARS: usize = 40;

/// Returns whether blocks, given by their words and characters, are more than a heading together.
pub(crate) fn is_too_long(blocks: impl Iterator<Item = (u32, u32)>) -> bool {
    let (words, chars) =
        blocks.fold((0u32, 0u32), |sum, counts| (sum.0.saturating_add(counts.0), sum.1.saturating_add(counts.1)));
    words > MAX_HEADING.0 || chars > MAX_HEADING.1
}

/// The text of a block of a page; of a heading without the links between brackets at its end, by which
/// wikis let their readers edit the section.
#[inline]
pub(crate) fn shown_text<'p>(page: &'p Page, html: &str, block: &Block) -> &'p str {
    let text = page.text(block);
    // By its last byte first, which tells it of nearly every block.
    if text.as_bytes().last() == Some(&b']') { without_controls(page, html, block) } else { text }
}

/// The text of a heading without the parts that the page hides, such as its buttons.
pub(crate) fn visible_text<'p>(page: &'p Page, html: &str, block: &Block) -> Cow<'p, str> {
    let text = shown_text(page, html, block);
    let is_hidden = |notation: &Notation| notation.kind == NotationKind::Hidden;
    let mut hidden = page.notations(block).filter(is_hidden).map(|notation| notation.text).peekable();
    if hidden.peek().is_none() {
        return text.into();
    }
    let mut visible = String::with_capacity(text.len());
    let mut at = 0;
    for (from, to) in hidden {
        visible.push_str(text.get(at..from as usize).unwrap_or_default());
        at = at.max(to as usize);
    }
    visible.push_str(text.get(at..).unwrap_or_default());
    visible.into()
}

/// Returns whether a block stands in a heading.
pub(crate) fn is_heading(page: &Page, block: &Block) -> bool {
    page.container(block).is_some_and(|(_, element)| element.tag.is_heading())
}

fn without_controls<'p>(page: &'p Page, html: &str, block: &Block) -> &'p str {
    let text = page.text(block);
    if !is_heading(page, block) {
        return text;
    }
    let Some((before, control)) = text.rsplit_once('[') else { return text };
    // Only links are controls; "[Updated]" as plain text belongs to the heading.
    let source = html.get(block.span.0 as usize..block.span.1 as usize);
    let is_link = source
        .and_then(|source| source.rsplit_once('['))
        .is_some_and(|(_, source)| ["<a ", "<A ", "<button"].iter().any(|tag| source.contains(tag)));
    if is_link && control.chars().count() <= MAX_CONTROL_CHARS && !before.trim().is_empty() {
        before.trim_end()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn links_that_edit_a_section_are_not_said() {
        let shown = |html: &str| {
            let page = ScanEngine.read(html, &Limits::default());
            shown_text(&page, html, &page.blocks[0]).to_owned()
        };
        let wiki =
            "<h2>History<span><span>[</span><a href=/e>edit</a> | <a href=/s>edit source</a><span>]</span></span></h2>";
        assert_eq!(shown(wiki), "History");
        assert_eq!(shown("<h1>A song [Live]</h1>"), "A song [Live]");
        assert_eq!(shown("<h2>[<a href=x>all</a>]</h2>"), "[all]");
        let paragraph = "<p>As was shown [<a href=x>3</a>]</p>";
        assert_eq!(shown(paragraph), "As was shown [3]");
    }
}
