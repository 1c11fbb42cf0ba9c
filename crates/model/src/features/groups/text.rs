//! Features of a block's own text (length, punctuation, case, script), and of the texts before and after it.
//!
//! Shallow features are the text density and link density of the block and its two neighbours (Kohlschütter,
//! Fankhauser and Nejdl, WSDM 2010; Peters and Lecocq, WWW 2013, section 3.1).

use trommel_html::{Block, NONE, Page};
use trommel_text::words;

use crate::features::columns::{GroupColumns, LANES};
use crate::features::groups::{Fact, Group, crossed, owned, rows};
use crate::features::log::{flag, log};
use crate::{features::facts::shape::Shape, features::scratch::Scratch};

const NAMES: [&str; 19] = [
    "text.log_words", "text.log_chars", "text.log_link_words", "text.unlinked", "text.all_linked", "text.some_linked",
    "text.words_3", "text.words_8", "text.words_16", "text.words_40", "text.chars_per_word", "text.commas",
    "text.sentence_marks", "text.ends_sentence", "text.upper", "text.digits", "text.unspaced", "text.images",
    "text.inputs",
];

pub(crate) const TEXT: Group = Group {
    needs: &[Fact::Shapes],
    columns: |_| owned(&NAMES),
    on: |facts, _| {
        rows(|at| match facts.page.blocks.get(at).zip(facts.shapes.get(at)) {
            Some((block, shape)) => features(block, shape),
            None => [0.0; NAMES.len()],
        })
    },
};

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

/// Characters of the line that text density is measured in.
// The width of Kohlschütter, Fankhauser and Nejdl, kept so that figures can be compared with theirs.
const LINE_CHARS: usize = 80;

const SHALLOW_NAMES: [&str; 6] = [
    "text_density.previous", "link_density.previous", "text_density", "link_density", "text_density.next",
    "link_density.next",
];

/// Words in the full lines of 80 characters of a text, and the number of those lines. The last line
/// is left out, unless it is the only one.
///
/// `words` and `chars` are those of the text.
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

/// Words per line of 80 characters, without the last line if there are several.
pub fn text_density(text: &str, words: u32, chars: u32) -> f32 {
    let (words, lines) = full_lines(text, words, chars);
    words as f32 / lines as f32
}

pub(crate) const SHALLOW: Group = Group {
    needs: &[],
    columns: |_| owned(&SHALLOW_NAMES),
    on: |facts, _| {
        let densities = densities(facts.page);
        rows(move |at| shallow_features(&densities, at))
    },
};

/// (text density, link density) of each block.
fn densities(page: &Page) -> Scratch<[f32; 2]> {
    page.blocks
        .iter()
        .map(|block| [text_density(page.text(block), block.words, block.chars), block.link_density()])
        .collect()
}

/// The six features of block `at`; beyond the page's ends they are zero.
fn shallow_features(densities: &[[f32; 2]], at: usize) -> [f32; 6] {
    let of = |at: Option<usize>| at.and_then(|at| densities.get(at)).copied().unwrap_or_default();
    let [previous, current, next] = [of(at.checked_sub(1)), of(Some(at)), of(at.checked_add(1))];
    [previous[0], previous[1], current[0], current[1], next[0], next[1]]
}

/// The farthest neighbour.
const REACH: usize = 3;
// Further than the two neighbours of the paper: a caption or date between paragraphs hides the next paragraph.
const OFFSETS: [isize; 2 * REACH] = [-3, -2, -1, 1, 2, 3];
const PARTS: [&str; 5] = ["log_words", "link_density", "ends_sentence", "heading", "same_container"];

fn names() -> Vec<String> {
    let neighbours = OFFSETS.iter().map(|offset| format!("neighbour_{offset:+}"));
    crossed(neighbours, &PARTS)
}

/// Placeholders for the element around a container that has none, and for missing blocks. No element has these numbers.
const NO_CONTAINER: u32 = NONE - 1;
const NO_BLOCK: u32 = NONE - 2;

/// The facts about the blocks of a page that their neighbours read, as columns. Beyond the page's ends there is
/// nothing, and all is zero.
pub(crate) struct Neighbours {
    // Columns begin as many places before the first block as neighbours are away, and end a batch behind the last, so
    // that what is at an offset from a batch is one slice.
    parts: [Scratch<f32>; PARTS.len() - 1],
    /// Elements around the containers.
    parents: Scratch<u32>,
}

impl Neighbours {
    fn of(page: &Page, shapes: &[Shape]) -> Self {
        let len = page.blocks.len() + 2 * REACH + LANES;
        let mut parts = [(); PARTS.len() - 1].map(|()| Scratch::filled(len, 0.0));
        let mut parents = Scratch::filled(len, NO_BLOCK);
        let [words, densities, ends, headings] = &mut parts;
        let columns = words.iter_mut().zip(densities.iter_mut()).zip(ends.iter_mut()).zip(headings.iter_mut());
        let columns = columns.zip(parents.iter_mut()).skip(REACH);
        for ((block, shape), ((((words, density), ends), heading), parent)) in
            page.blocks.iter().zip(shapes).zip(columns)
        {
            let container = page.container(block).map(|(_, element)| element);
            *words = log(block.words);
            *density = block.link_density();
            *ends = flag(shape.ends_sentence);
            *heading = flag(container.is_some_and(|element| element.tag.is_heading()));
            *parent = container.map_or(NO_CONTAINER, |element| element.parent);
        }
        Self { parts, parents }
    }

    fn fill(&self, out: &mut GroupColumns) {
        let blocks = out.blocks();
        let first = blocks.first().map_or(0, |first| *first as usize);
        if blocks.last().is_some_and(|last| *last as usize + 1 - first != blocks.len()) {
            // Blocks apart from each other: what is at an offset from them is no slice.
            for offset in OFFSETS {
                let at = |block: usize| (block + REACH).saturating_add_signed(offset);
                for part in &self.parts {
                    out.put(|block| part.get(at(block)).copied().unwrap_or(0.0));
                }
                out.put(|block| flag(self.parents.get(block + REACH) == self.parents.get(at(block))));
            }
            return;
        }
        let parents = self.parents.get(first + REACH..).and_then(|parents| parents.first_chunk::<LANES>());
        for offset in OFFSETS {
            let from = (first + REACH).saturating_add_signed(offset);
            for part in &self.parts {
                out.put_slice(part.get(from..).unwrap_or_default());
            }
            let others = self.parents.get(from..).and_then(|parents| parents.first_chunk::<LANES>());
            match parents.zip(others) {
                Some((parents, others)) => out.put_lanes(|lane| flag(parents[lane] == others[lane])),
                None => out.put_lanes(|_| 0.0),
            }
        }
    }
}

pub(crate) const NEIGHBOURS: Group = Group {
    needs: &[Fact::Shapes],
    columns: |_| names(),
    on: |facts, _| {
        let neighbours = Neighbours::of(facts.page, &facts.shapes);
        Box::new(move |_, out| neighbours.fill(out))
    },
};

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
        assert_eq!(values.len(), names().len());
        assert_eq!(values[10..15], [log(1u32), 0.0, 0.0, 1.0, 1.0]);
        assert_eq!(values[15..20], [log(1u32), 0.0, 0.0, 0.0, 0.0]);
        assert!(values[..10].iter().chain(&values[20..]).all(|v| *v == 0.0));
    }
}
