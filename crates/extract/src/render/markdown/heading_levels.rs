//! Chooses the levels of headings beside the title of the page.

use crate::render::content::{KeptContent, Segment};

/// The place of the headline, which alone is a heading of the first level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Headline {
    /// No other heading than those of the first level is known to be it.
    None,
    /// Above the text.
    Above,
    /// A heading in the text, at this element.
    Element(u32),
}

impl Headline {
    /// The level that a heading is given.
    pub fn level(self, level: usize, element: u32, content: &KeptContent) -> usize {
        let is_other = match self {
            Headline::None => false,
            Headline::Above => true,
            Headline::Element(headline) => content.page.path(element).all(|(at, _)| at != headline),
        };
        // A document has one title; other `h1` are its sections.
        if level == 1 && is_other { 2 } else { level }
    }

    /// Other headings of the first level, with some of the second, are the outline of the page itself: one level
    /// lower, they would merge with the latter. A single one below a title above the text may be the same title.
    pub fn beside_outline(self, content: &KeptContent) -> Self {
        let others = content.segments.iter().filter(|segment| {
            matches!(segment, Segment::Heading { level: 1, .. }) && self.level(1, content.ends(segment).0, content) > 1
        });
        let most = usize::from(self == Headline::Above);
        let is_second = |segment: &Segment| matches!(segment, Segment::Heading { level: 2, .. });
        if others.count() > most && content.segments.iter().any(is_second) { Headline::None } else { self }
    }
}
