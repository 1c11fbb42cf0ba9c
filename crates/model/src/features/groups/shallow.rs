//! Shallow text features: text density and link density of the block and its two neighbours (Kohlschütter,
//! Fankhauser and Nejdl, WSDM 2010; Peters and Lecocq, WWW 2013, section 3.1).

use trommel_html::Page;
use trommel_text::words;

use crate::features::group::{Group, owned, rows};
use crate::features::scratch::Scratch;

/// Characters of the line that text density is measured in.
// The width of Kohlschütter, Fankhauser and Nejdl, kept so that figures can be compared with theirs.
const LINE_CHARS: usize = 80;

const NAMES: [&str; 6] = [
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

/// Words a line of 80 characters: those of a one-line text; else of its full lines, the last left out.
pub fn text_density(text: &str, words: u32, chars: u32) -> f32 {
    let (words, lines) = full_lines(text, words, chars);
    words as f32 / lines as f32
}

pub(crate) const GROUP: Group = Group {
    needs: &[],
    columns: |_| owned(&NAMES),
    on: |facts, _| {
        let densities = densities(facts.page);
        rows(move |at| features(&densities, at))
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
fn features(densities: &[[f32; 2]], at: usize) -> [f32; 6] {
    let of = |at: Option<usize>| at.and_then(|at| densities.get(at)).copied().unwrap_or_default();
    let [previous, current, next] = [of(at.checked_sub(1)), of(Some(at)), of(at.checked_add(1))];
    [previous[0], previous[1], current[0], current[1], next[0], next[1]]
}

#[cfg(test)]
mod tests {
    use super::*;
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
        assert_eq!(features(&densities, 0), [0.0, 0.0, 2.0, 0.0, 2.0, 0.5]);
        assert_eq!(features(&densities, 1), [2.0, 0.0, 2.0, 0.5, 0.0, 0.0]);
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
}
