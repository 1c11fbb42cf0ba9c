//! The element that holds the text of a block.

use trommel_html::{Block, Page};

/// The innermost element that is known to hold the whole text of a block, or
/// [`trommel_html::NONE`].
///
/// The tables know the innermost element at a block's first character. A text of one run stands
/// in it as a whole. A longer one may go on past the end of an inline element that starts with it,
/// so these are passed over.
pub(crate) fn home(page: &Page, block: &Block) -> u32 {
    if block.pieces <= 1 {
        return block.element;
    }
    let inside = page.inline(block);
    let outside = page.path(block.element).find(|(at, _)| inside.binary_search(at).is_err());
    outside.map_or(trommel_html::NONE, |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, NONE, ScanEngine};

    #[test]
    fn the_home_holds_all_of_the_text() {
        let html = "<p><b>all</b></p><p><b>some</b> not</p><b><i>one</i><div>two <i>x</i></div></b>";
        let page = ScanEngine.read(html, &Limits::default());
        let names: Vec<&str> =
            page.blocks.iter().map(|block| page.name(page.element(home(&page, block)).unwrap())).collect();
        assert_eq!(names, ["b", "p", "i", "div"]);
        let bare = ScanEngine.read("bare <b>text</b>", &Limits::default());
        assert_eq!(home(&bare, &bare.blocks[0]), NONE);
    }
}
