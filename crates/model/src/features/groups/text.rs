//! Computes features of a block's own text (length, punctuation, case, script), and of the texts before and after it.
//!
//! Shallow features are the text density and link density of the block and its two neighbours (Kohlschütter,
//! Fankhauser and Nejdl, WSDM 2010; Peters and Lecocq, WWW 2013, section 3.1).

use trommel_html::{Block, NONE, Page};
use trommel_text::words;

use crate::features::groups::{Fill, crossed, rows};
use crate::features::log::{flag, log};
use crate::features::{facts::PageFacts, facts::shape::Shape, scratch::Scratch};

pub(super) const NAMES: [&str; 19] = [
    "text.log_words", "text.log_chars", "text.log_link_words", "text.unlinked", "text.all_linked", "text.some_linked",
    "text.words_3", "text.words_8", "text.words_16", "text.words_40", "text.chars_per_word", "text.commas",
    "text.sentence_marks", "text.ends_sentence", "text.upper", "text.digits", "text.unspaced", "text.images",
    "text.inputs",
];

pub(super) fn text<'a>(facts: &'a PageFacts<'a>) -> Fill<'a> {
    rows(|at| match facts.page.blocks.get(at).zip(facts.shapes.get(at)) {
        Some((block, shape)) => features(block, shape),
        None => [0.0; NAMES.len()],
    })
}

fn features(block: &Block, shape: &Shape) -> [f32; NAMES.len()] {
    let words = block.words.max(1) as f32;
    let chars = block.chars.max(1) as f32;
    let density = block.link_density();
    [
        log(block.words),
        log(block.chars),
        log(block.link_words),
        flag(block.link_words == 0),
        flag(density > 0.9),
        flag(density > 0.33),
        // Steps beside the logarithm: a linear model cannot bend it where labels end and sentences begin.
        flag(block.words >= 3),
        flag(block.words >= 8),
        flag(block.words >= 16),
        flag(block.words >= 40),
        // Longer "words" are addresses and data; how long they are says nothing more.
        (chars / words).min(20.0),
        shape.commas as f32 / words,
        shape.sentence_marks as f32 / words,
        flag(shape.ends_sentence),
        shape.upper as f32 / chars,
        shape.digits as f32 / chars,
        shape.unspaced as f32 / chars,
        log(block.images),
        log(block.inputs),
    ]
}

/// Number of characters in the lines by which text density is measured.
// The width of Kohlschütter, Fankhauser and Nejdl, kept so that figures can be compared with theirs.
const LINE_CHARS: usize = 80;

pub(super) const SHALLOW_NAMES: [&str; 6] = [
    "text_density.previous", "link_density.previous", "text_density", "link_density", "text_density.next",
    "link_density.next",
];

/// Returns the number of words in the full lines of a text, broken into lines of 80 characters, and the number of these
/// lines. The last line is left out, unless it is the only one.
///
/// `words` and `chars` are the numbers of words and characters in the text.
pub fn full_lines(text: &str, words: u32, chars: u32) -> (u32, u32) {
    // One less than the characters: a line that is exactly full is the last line, not one before an empty line.
    let lines = (chars as usize).saturating_sub(1) / LINE_CHARS;
    if lines == 0 {
        return (words, 1);
    }
    // The last line is short: its words are counted and taken off.
    let last = (chars as usize).saturating_sub(lines * LINE_CHARS);
    // In ASCII a character is a byte, so the end of the full lines need not be searched.
    let end = if text.is_ascii() {
        lines * LINE_CHARS
    } else {
        let mut places = text.char_indices().rev();
        places.nth(last.saturating_sub(1)).map_or(text.len(), |(at, _)| at)
    };
    let (full, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    // A word cut by the end of a line counts in both parts.
    let across = u32::from(words::goes_on(full, rest));
    let counted = (words + across).saturating_sub(words::count(rest));
    (counted, u32::try_from(lines).unwrap_or(u32::MAX))
}

/// Returns the mean number of words per line of 80 characters, without the last line if there are several.
pub fn text_density(text: &str, words: u32, chars: u32) -> f32 {
    let (words, lines) = full_lines(text, words, chars);
    words as f32 / lines as f32
}

pub(super) fn shallow<'a>(facts: &PageFacts) -> Fill<'a> {
    let densities = densities(facts.page);
    rows(move |at| shallow_features(&densities, at))
}

/// Returns the text density and the link density of each block.
fn densities(page: &Page) -> Scratch<[f32; 2]> {
    page.blocks
        .iter()
        .map(|block| [text_density(page.text(block), block.words, block.chars), block.link_density()])
        .collect()
}

/// Returns text and link density of the previous block, of block `at` and of the next; 0 beyond the page's ends.
fn shallow_features(densities: &[[f32; 2]], at: usize) -> [f32; 6] {
    let of = |at: Option<usize>| at.and_then(|at| densities.get(at)).copied().unwrap_or_default();
    let [previous, current, next] = [of(at.checked_sub(1)), of(Some(at)), of(at.checked_add(1))];
    [previous[0], previous[1], current[0], current[1], next[0], next[1]]
}

/// Number of blocks before and after a block that the features of neighbours cover.
const REACH: usize = 3;
// Further than the two neighbours of the paper: a caption or date between paragraphs hides the next paragraph.
const OFFSETS: [isize; 2 * REACH] = [-3, -2, -1, 1, 2, 3];
const PARTS: [&str; 5] = ["log_words", "link_density", "ends_sentence", "heading", "same_container"];

pub(super) fn neighbour_names() -> Vec<String> {
    let neighbours = OFFSETS.iter().map(|offset| format!("neighbour_{offset:+}"));
    crossed(neighbours, &PARTS)
}

/// Facts about a block from which the features of its neighbours are computed.
#[derive(Clone, Copy)]
struct Neighbour {
    log_words: f32,
    link_density: f32,
    ends_sentence: f32,
    heading: f32,
    /// Index of the element around the block's container, or [`NO_CONTAINER`].
    parent: u32,
}

/// Value of `Neighbour::parent` for a block without a container; no element has this index.
const NO_CONTAINER: u32 = NONE - 1;

pub(super) fn neighbours<'a>(facts: &PageFacts) -> Fill<'a> {
    let page = facts.page;
    let of_block = |(block, shape): (&Block, &Shape)| {
        let container = page.container(block).map(|(_, element)| element);
        Neighbour {
            log_words: log(block.words),
            link_density: block.link_density(),
            ends_sentence: flag(shape.ends_sentence),
            heading: flag(container.is_some_and(|element| element.tag.is_heading())),
            parent: container.map_or(NO_CONTAINER, |element| element.parent),
        }
    };
    let all: Scratch<Neighbour> = page.blocks.iter().zip(&facts.shapes).map(of_block).collect();
    rows(move |at| {
        let mut row = [0.0; OFFSETS.len() * PARTS.len()];
        let Some(own) = all.get(at) else { return row };
        for (slots, offset) in row.as_chunks_mut().0.iter_mut().zip(OFFSETS) {
            // Beyond the page's ends there is nothing, and all is zero.
            if let Some(other) = at.checked_add_signed(offset).and_then(|at| all.get(at)) {
                let Neighbour { log_words, link_density, ends_sentence, heading, parent } = *other;
                *slots = [log_words, link_density, ends_sentence, heading, flag(parent == own.parent)];
            }
        }
        row
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::groups::FeatureGroup;
    use crate::features::schema::Schema;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn a_short_text_counts_whole_a_long_one_by_full_lines() {
        assert_eq!(text_density("one two three", 3, 13), 3.0);
        let text = "abcd ".repeat(40); // 200 characters: two full lines of 16 words
        let chars = text.trim_end().len() as u32;
        assert_eq!(text_density(text.trim_end(), 40, chars), 16.0);
        let wide = "é日".repeat(81);
        assert_eq!(text_density(&wide, 162, 162), 80.0);
    }

    #[test]
    fn neighbours_are_zero_beyond_the_ends() {
        let page = ScanEngine.read("<p>one two</p><p><a href=x>three</a> four</p>", &Limits::default());
        let densities = densities(&page);
        assert_eq!(shallow_features(&densities, 0), [0.0, 0.0, 2.0, 0.0, 2.0, 0.5]);
        assert_eq!(shallow_features(&densities, 1), [2.0, 0.0, 2.0, 0.5, 0.0, 0.0]);
    }

    #[test]
    fn words_of_full_lines_are_those_counted_from_the_start() {
        let words_of = ["word ", "é", "longer, ", "日本", " ", "ünï ", "x", "— "];
        for start in 0..words_of.len() {
            for length in [20, 60, 80, 81, 130, 160, 161, 400] {
                let all = words_of.iter().cycle().skip(start).map(|word| word.chars());
                let text: String = all.flatten().take(length).collect();
                let (words, chars) = (words::count(&text), text.chars().count() as u32);
                let lines = (length - 1) / LINE_CHARS;
                let expected = match lines {
                    0 => (words, 1),
                    lines => {
                        let full: String = text.chars().take(lines * LINE_CHARS).collect();
                        (words::count(&full), lines as u32)
                    }
                };
                assert_eq!(full_lines(&text, words, chars), expected, "{text:?}");
            }
        }
    }

    #[test]
    fn neighbours_are_described_in_order() {
        let page = ScanEngine.read("<div><h2>a</h2><p>b c.</p></div><p>d</p>", &Limits::default());
        let schema = Schema::new(&[FeatureGroup::Neighbours], &[], &[], &[]);
        let rows = schema.rows(&page, None);
        let values = rows.iter().nth(1).unwrap();
        assert_eq!(values.len(), neighbour_names().len());
        assert_eq!(values[10..15], [log(1u32), 0.0, 0.0, 1.0, 1.0]);
        assert_eq!(values[15..20], [log(1u32), 0.0, 0.0, 0.0, 0.0]);
        assert!(values[..10].iter().chain(&values[20..]).all(|v| *v == 0.0));
    }
}
