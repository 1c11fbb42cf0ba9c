//! The outline of a page: its main headline, the heading above each block, and the place of the block
//! relative to both.

use trommel_html::{NONE, Page, Tag};

use super::paths::{Meeting, Paths};
use super::terms::{Terms, WordSet};
use crate::features::log::{flag, log};
use crate::features::scratch::{Scratch, count_work};

/// Names of the features about a block's headline and heading that [`Outline::features`] returns.
pub(crate) const OUTLINE_NAMES: [&str; 17] = [
    "outline.is_headline", "outline.after_headline", "outline.log_blocks_after", "outline.log_blocks_before",
    "outline.words_after", "outline.up_to_headline", "outline.down_to_headline", "outline.headline_title_share",
    "outline.has_headline", "outline.heading_level", "outline.log_since_heading", "outline.heading_linked",
    "outline.up_to_heading", "outline.log_headings", "outline.log_main_headings", "outline.log_section_words",
    "outline.section_link_density",
];

/// Returns the level of a heading `h1` to `h6`; 0 for every other element.
pub(crate) fn heading_level(tag: Tag) -> u8 {
    match tag {
        Tag::H1 => 1,
        Tag::H2 => 2,
        Tag::H3 => 3,
        Tag::H4 => 4,
        Tag::H5 => 5,
        Tag::H6 => 6,
        _ => 0,
    }
}

/// Section of a page: everything from a heading up to the next one.
#[derive(Clone, Copy, Debug, Default)]
struct Section {
    heading: Option<usize>,
    level: u8,
    words: u32,
    link_words: u32,
    /// True if more than half of the words of the heading are in links.
    is_linked: bool,
}

/// Section without heading and words, which stands for that of a block index out of range.
const NO_SECTION: Section = Section { heading: None, level: 0, words: 0, link_words: 0, is_linked: false };

/// Maximum number of levels that are counted from a block up to the element that also holds its heading.
const MAX_LEVELS: u8 = 12;

/// Headings of a page, including its main headline.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// Index of the block with the main headline; `None` if the page has none.
    pub headline: Option<usize>,
    title_share: f32,
    meetings: Scratch<Meeting>,
    /// Number of elements around the element of the main headline's block; 0 without a headline.
    depth: u16,
    /// Levels from each block up to the element that also holds the heading of its section, at most [`MAX_LEVELS`].
    up_to_heading: Scratch<u8>,
    /// Index in `sections` of the section of each block.
    section: Scratch<u32>,
    sections: Scratch<Section>,
    headings: u32,
    main_headings: u32,
    words_before: Scratch<u32>,
    words_before_headline: u32,
    words: u32,
}

impl Outline {
    pub fn new(page: &Page, paths: &Paths, terms: &Terms) -> Self {
        let title = WordSet::of(&page.head.title);
        let mut best: Option<(f32, usize)> = None;
        let mut outline = Self {
            up_to_heading: Scratch::with_capacity(page.blocks.len()),
            section: Scratch::with_capacity(page.blocks.len()),
            // What comes before the first heading has a section, too, so every block has one.
            sections: Scratch::filled(1, Section::default()),
            words_before: Scratch::with_capacity(page.blocks.len()),
            ..Self::default()
        };
        let mut holder = NONE;
        for (at, block) in page.blocks.iter().enumerate() {
            let level = page.container(block).map_or(0, |(_, element)| heading_level(element.tag));
            outline.words_before.push(outline.words);
            outline.words += block.words;
            if level > 0 {
                outline.headings += 1;
                outline.main_headings += u32::from(level == 1);
                let is_linked = block.link_density() > 0.5;
                outline.sections.push(Section { heading: Some(at), level, is_linked, ..Section::default() });
                holder = block.element;
                // The best title is the heading that shares most with the page's own; of equal ones
                // the higher, then the first.
                // Longer headings are paragraphs set as headings; they share words with any title by their length
                // alone.
                let shared = if block.words <= 40 && !title.is_empty() {
                    let (heading_words, common) = terms.overlap(at, &title);
                    2.0 * common as f32 / (heading_words + title.len()) as f32
                } else {
                    0.0
                };
                // An `h1` gains .3 only: sites set their own name as `h1`, too, and a better match must win.
                let score = shared + if level == 1 { 0.3 } else { 0.02 * f32::from(6 - level) };
                if (level == 1 || shared >= 0.3) && best.is_none_or(|(known, _)| score > known) {
                    best = Some((score, at));
                    outline.title_share = shared;
                }
            }
            if let Some(section) = outline.sections.last_mut() {
                section.words += block.words;
                section.link_words += block.link_words;
            }
            outline.section.push(outline.sections.len() as u32 - 1);
            // What holds the heading and a block of its section holds the blocks between as well, so the holder of
            // the block before is where the climb begins.
            while let Some(element) = page.element(holder)
                && !(holder..element.end).contains(&block.element)
            {
                count_work(1);
                holder = element.parent;
            }
            let depth_of = |at: u32| page.element(at).map_or(0, |element| element.depth.saturating_add(1));
            let levels = depth_of(block.element).saturating_sub(depth_of(holder));
            let has_heading = outline.sections.len() > 1;
            outline.up_to_heading.push(if has_heading { levels.min(u16::from(MAX_LEVELS)) as u8 } else { 0 });
        }
        outline.headline = best.map(|(_, at)| at);
        let place = outline.headline.map_or(NONE, |at| paths.of_block(at));
        outline.depth = paths.depth(page, place);
        let before = outline.headline.and_then(|at| outline.words_before.get(at));
        outline.words_before_headline = before.copied().unwrap_or(0);
        outline.meetings = paths.meetings(page, place);
        outline
    }

    /// Returns the index of the last block up to `at` that is a heading; `None` if there is none.
    pub fn heading_of(&self, at: usize) -> Option<usize> {
        let section = *self.section.get(at)?;
        self.sections.get(section as usize)?.heading
    }

    /// Returns the features of the block at index `at` that describe its place relative to the headings.
    #[inline(always)]
    pub fn features(&self, at: usize) -> [f32; OUTLINE_NAMES.len()] {
        let (Some(words_before), Some(meeting), Some(up_to_heading)) =
            (self.words_before.get(at), self.meetings.get(at), self.up_to_heading.get(at))
        else {
            return [0.0; OUTLINE_NAMES.len()];
        };
        let section = self.section.get(at).and_then(|section| self.sections.get(*section as usize));
        let section = section.unwrap_or(&NO_SECTION);
        let (mut after, mut ahead, mut words_after, mut down) = (0, 0, 0.0, 0);
        if let Some(headline) = self.headline {
            after = at.saturating_sub(headline);
            ahead = headline.saturating_sub(at);
            words_after = words_before.saturating_sub(self.words_before_headline) as f32 / self.words.max(1) as f32;
            down = self.depth.saturating_sub(meeting.depth);
        }
        [
            flag(self.headline == Some(at)),
            flag(after > 0),
            log(after),
            log(ahead),
            words_after,
            log(meeting.up),
            log(down),
            self.title_share,
            flag(self.headline.is_some()),
            f32::from(section.level),
            log(section.heading.map_or(0, |heading| at - heading)),
            flag(section.is_linked),
            log(u32::from(*up_to_heading)),
            log(self.headings),
            log(self.main_headings),
            log(section.words),
            section.link_words as f32 / section.words.max(1) as f32,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn the_headline_is_the_heading_of_the_title() {
        let page = ScanEngine.read(
            "<title>Big news of today | Site</title><h1>Site</h1><div><h2>Big news of today</h2><p>one two</p></div>\
             <aside><h3><a href=x>More</a></h3><a href=y>three</a></aside>",
            &Limits::default(),
        );
        let paths = Paths::new(&page);
        let outline = Outline::new(&page, &paths, &Terms::new(&page, &trommel_text::TextMasks::of(page.texts())));
        let value = |block: usize, name: &str| {
            let at = OUTLINE_NAMES.iter().position(|n| *n == name).unwrap();
            outline.features(block)[at]
        };
        assert_eq!(value(1, "outline.is_headline"), 1.0);
        assert_eq!((value(0, "outline.after_headline"), value(2, "outline.after_headline")), (0.0, 1.0));
        assert_eq!(value(2, "outline.up_to_headline"), log(1u32));
        assert_eq!((value(2, "outline.heading_level"), value(4, "outline.heading_level")), (2.0, 3.0));
        assert_eq!((value(2, "outline.heading_linked"), value(4, "outline.heading_linked")), (0.0, 1.0));
        assert_eq!(value(4, "outline.section_link_density"), 1.0);
        assert_eq!(outline.heading_of(2), Some(1));
        assert_eq!(value(4, "outline.log_headings"), log(3u32));
    }
}
