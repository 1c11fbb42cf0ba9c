//! Joins listings in several parts: `code` elements in a row that are laid out as blocks, and the output
//! below the last. Pages of Verso show code in this way.

use trommel_html::{Page, Tag};

use crate::choice::whole_units::outermost_code;

/// Returns whether the code in `element`, whose first block is `block`, continues the listing of the block `last`.
pub(super) fn continues(page: &Page, html: &str, last: u32, element: u32, block: u32) -> bool {
    let Some(before) = outermost_code(page, last as usize) else { return false };
    let (Some(part), Some(next)) = (page.element(before), page.element(element)) else { return false };
    let is_part = |start: u32| {
        let tag = html.get(start as usize + 1..start as usize + 5);
        tag.is_some_and(|name| name.eq_ignore_ascii_case("code"))
    };
    let mut words = page.attribute_words(next).iter();
    last + 1 == block
        && part.parent == next.parent
        // Nothing at all between them: two pieces of code with a sentence between are two.
        && part.end == element
        && is_part(part.start)
        && (is_part(next.start) || next.tag == Tag::Pre && words.any(|word| page.word_text(word) == "output"))
}

/// The elements of a listing with their blocks.
pub(super) fn parts<'b>(page: &Page, blocks: &'b [u32]) -> Vec<(u32, &'b [u32])> {
    let element = |at: &u32| outermost_code(page, *at as usize);
    let (Some(first), Some(last)) = (blocks.first(), blocks.last()) else { return Vec::new() };
    if let Some(only) = element(first)
        && element(last) == Some(only)
    {
        return vec![(only, blocks)];
    }
    let parts = blocks.chunk_by(|block, next| element(block) == element(next));
    parts.filter_map(|part| Some((element(part.first()?)?, part))).collect()
}

/// The line ends between two parts, the first of which ends at a byte of the page: the last line end of a part is
/// the one that its block has anyway.
pub(super) fn line_ends(html: &str, end: u32) -> String {
    let behind = html.get(end as usize..).unwrap_or_default();
    let space = behind.split('<').next().unwrap_or_default();
    let ends = space.matches('\n').count();
    "\n".repeat(ends.max(1))
}

#[cfg(test)]
mod tests {
    use trommel_html::{Engine, Limits, ScanEngine};

    use crate::render::content::{KeptContent, Segment};

    fn code(html: &str) -> Vec<String> {
        let page = ScanEngine.read(html, &Limits::default());
        let content = KeptContent::new(&page, html, &vec![true; page.blocks.len()]);
        let segments = content.segments.iter().map(|segment| match segment {
            Segment::Code { element, blocks } => content.code(*element, blocks).to_string(),
            _ => "-".to_owned(),
        });
        segments.collect()
    }

    #[test]
    fn parts_right_behind_each_other_are_one_listing() {
        let two = "<div><code class=block>let a\n\n</code> <code class=block>  let b\n    c</code>";
        let output = "<pre class=lean-output>1</pre>";
        assert_eq!(code(&format!("{two}{output}</div>")), ["let a\n\nlet b\n  c\n1"]);
        assert_eq!(code(&format!("{two}</div>{output}")), ["let a\n\nlet b\n  c", "1"]);
        assert_eq!(code(&format!("{two}<p>and</p>{output}")).len(), 3);
        assert_eq!(code("<pre>a</pre><pre>b</pre><pre class=output>c</pre>").len(), 3);
    }
}
