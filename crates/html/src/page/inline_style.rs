//! The inline style of the parts of a block's text: link, code, strong or emphasis.
//!
//! The builder records the parts while it reads the page. So the parts of a block are slices of its text, and
//! together they give exactly that text.

use super::NONE;
use crate::markup::Tag;

/// The inline style of a part of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InlineStyle {
    /// Innermost open `a` element with `href` around the text.
    pub link: Option<u32>,
    /// Inside `code`, `kbd`, `samp` or `tt`.
    pub code: bool,
    /// Inside `strong` or `b`.
    pub strong: bool,
    /// Inside `em` or `i`.
    pub em: bool,
}

/// A part of a block's text in which the style does not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StyledText<'a> {
    /// The text. White space between two parts stands at the start of the second.
    pub text: &'a str,
    /// The style of the part.
    pub style: InlineStyle,
}

/// An [`InlineStyle`] in one number, as it is compared and written for every link of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PackedStyle(u64);

impl PackedStyle {
    /// The style of most text.
    pub const PLAIN: Self = Self(NONE as u64);
    const CODE: u64 = 1 << 32;
    const STRONG: u64 = 1 << 33;
    const EM: u64 = 1 << 34;

    pub fn unpacked(self) -> InlineStyle {
        let link = self.0 as u32;
        InlineStyle {
            link: (link != NONE).then_some(link),
            code: self.0 & Self::CODE != 0,
            strong: self.0 & Self::STRONG != 0,
            em: self.0 & Self::EM != 0,
        }
    }

    fn set(&mut self, mark: u64, is_set: bool) {
        self.0 = if is_set { self.0 | mark } else { self.0 & !mark };
    }

    fn set_link(&mut self, link: u32) {
        self.0 = self.0 & !u64::from(u32::MAX) | u64::from(link);
    }
}

/// The byte of the page's text from which on a style holds.
pub(crate) type StyleChange = (u32, PackedStyle);

/// Follows the open elements that mark text.
#[derive(Clone, Debug)]
pub(crate) struct StyleRecorder {
    links: Vec<u32>,
    /// Open elements of `code`, `strong` and `em`.
    open: [u32; 3],
    now: PackedStyle,
}

impl Default for StyleRecorder {
    fn default() -> Self {
        Self { links: Vec::new(), open: [0; 3], now: PackedStyle::PLAIN }
    }
}

/// Returns whether an element of a tag sets the style of its text.
// Asked before anything is called: most elements do not.
#[inline]
pub(crate) fn has_style(tag: Tag) -> bool {
    mark(tag).is_some()
}

/// The place of a tag's mark among those counted, and its bit.
#[inline]
fn mark(tag: Tag) -> Option<(usize, u64)> {
    match tag {
        Tag::Code | Tag::Kbd | Tag::Samp | Tag::Tt => Some((0, PackedStyle::CODE)),
        Tag::Strong | Tag::B => Some((1, PackedStyle::STRONG)),
        Tag::Em | Tag::I => Some((2, PackedStyle::EM)),
        _ => None,
    }
}

impl StyleRecorder {
    /// An element starts, `link` if it is an `a` with `href`.
    pub fn start(&mut self, tag: Tag, element: u32, link: bool) {
        if link {
            self.links.push(element);
            self.now.set_link(element);
        }
        if let Some((at, bit)) = mark(tag) {
            self.open[at] += 1;
            self.now.set(bit, true);
        }
    }

    /// An element that started before ends.
    pub fn end(&mut self, tag: Tag, element: u32, link: bool) {
        if link && let Some(open) = self.links.iter().rposition(|open| *open == element) {
            self.links.remove(open);
            self.now.set_link(self.links.last().copied().unwrap_or(NONE));
        }
        if let Some((at, bit)) = mark(tag) {
            self.open[at] = self.open[at].saturating_sub(1);
            self.now.set(bit, self.open[at] > 0);
        }
    }

    /// Writes the style if it has changed, from byte `at` of the page's text on.
    // Written at once, for the page and not for the block, so that blocks without a change cost nothing.
    #[inline]
    pub fn write(&self, at: u32, styles: &mut Vec<StyleChange>) {
        // Several tags at one place make one change, or none, so that no part is empty or has the style of another
        // beside it.
        if styles.last().is_some_and(|(last, _)| *last == at) {
            styles.pop();
        }
        if styles.last().map_or(PackedStyle::PLAIN, |(_, last)| *last) != self.now {
            styles.push((at, self.now));
        }
    }
}

/// Moves the changes behind byte `end` of the page's text there, as text behind it is left out.
pub(crate) fn cut_styles(styles: &mut Vec<StyleChange>, end: u32) {
    let Some((_, last)) = styles.pop_if(|(at, _)| *at > end) else { return };
    while styles.pop_if(|(at, _)| *at >= end).is_some() {}
    if styles.last().map_or(PackedStyle::PLAIN, |(_, before)| *before) != last {
        styles.push((end, last));
    }
}

#[cfg(test)]
mod tests {
    use crate::{Limits, LolEngine, Page};

    fn read(html: &str) -> Page {
        LolEngine.read_styled(html, &Limits::default())
    }

    /// Pieces as `text{marks}`, blocks divided by `|`.
    fn shown(html: &str) -> String {
        let page = read(html);
        let blocks: Vec<String> = page
            .blocks
            .iter()
            .map(|block| {
                page.styled(block)
                    .map(|part| {
                        let style = [
                            (part.style.link.is_some(), 'l'),
                            (part.style.code, 'c'),
                            (part.style.strong, 's'),
                            (part.style.em, 'e'),
                        ];
                        let style: String = style.iter().filter(|m| m.0).map(|m| m.1).collect();
                        format!("{}{{{style}}}", part.text)
                    })
                    .collect()
            })
            .collect();
        blocks.join("|")
    }

    #[test]
    fn pieces_begin_and_end_with_their_elements() {
        assert_eq!(
            shown("<p>a <b>b</b>c &amp;<a href=x> d <i>e</i></a><code>f</code> g"),
            "a{} b{s}c &{} d{l} e{le}f{c} g{}"
        );
        assert_eq!(shown("<p><a name=x>a</a> <b></b>b"), "a b{}");
        assert_eq!(shown("<p>a <span class='docutils literal'>b</span> <i class=literal>c</i>"), "a{} b{c} c{e}");
    }

    #[test]
    fn marks_go_on_through_blocks_until_their_end_tag() {
        assert_eq!(
            shown("<a href=x><h3>A</h3><p>b</p></a><div>c <b>d<div>e</b> f</div>g"),
            "A{l}|b{l}|c{} d{s}|e{s} f{}|g{}"
        );
        assert_eq!(shown("<b><div>a</b>b</div>c"), "a{s}b{}|c{}");
    }

    #[test]
    fn text_that_is_no_block_leaves_no_style_behind() {
        // Signs alone are no text to judge, and styles begin and end in them.
        assert_eq!(shown("<p>a <b>b</b></p><p>- <i>-</i> -</p><p>c <i>d</i>"), "a{} b{s}|c{} d{e}");
        assert_eq!(shown("- <b>-<div>a</div>-</b> -<div>b</div>"), "a{s}|b{}");
    }

    #[test]
    fn links_name_their_element() {
        let page = read("<p><a href=1>a</a> <a href=2>b</a><p>c");
        let links: Vec<Option<u32>> =
            page.blocks.iter().flat_map(|block| page.styled(block).map(|part| part.style.link)).collect();
        let starts: Vec<Option<u32>> =
            links.into_iter().map(|link| link.map(|at| page.elements[at as usize].start)).collect();
        assert_eq!(starts, [Some(3), Some(19), None]);
    }

    #[test]
    fn without_marks_a_block_is_one_piece() {
        use crate::Engine;
        let page = LolEngine.read("<p>a <b>b</b>", &Limits::default());
        let pieces: Vec<&str> = page.styled(&page.blocks[0]).map(|p| p.text).collect();
        assert_eq!(pieces, ["a b"]);
    }
}
