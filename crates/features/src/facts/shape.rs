//! Counts over the characters of a block's text.

use trommel_text::words;

/// Counts over the characters of a block's text.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Shape {
    pub commas: u32,
    pub sentence_marks: u32,
    pub upper: u32,
    pub digits: u32,
    pub unspaced: u32,
    pub ends_sentence: bool,
}

/// Which 16 bits of [`COUNTED`] count what.
const DIGIT: u32 = 0;
const UPPER: u32 = 1;
const COMMA: u32 = 2;
const MARK: u32 = 3;

/// What each byte adds to the counts of a shape.
const COUNTED: [u64; 256] = {
    let mut counted = [0; 256];
    let mut at = 0;
    while at < 128 {
        let field = match at as u8 {
            b'0'..=b'9' => DIGIT,
            b'A'..=b'Z' => UPPER,
            b',' => COMMA,
            b'.' | b'!' | b'?' => MARK,
            _ => 4,
        };
        if field < 4 {
            counted[at] = 1 << (16 * field);
        }
        at += 1;
    }
    counted
};

impl Shape {
    pub fn of(text: &str) -> Self {
        let mut shape = Shape::default();
        // Four counts in one number, as long as none of them can run over.
        for part in text.as_bytes().chunks(usize::from(u16::MAX)) {
            let counts = part
                .iter()
                .fold(0, |sum, byte| sum + COUNTED[usize::from(*byte)]);
            let field = |at: u32| u32::from((counts >> (16 * at)) as u16);
            shape.digits += field(DIGIT);
            shape.upper += field(UPPER);
            shape.commas += field(COMMA);
            shape.sentence_marks += field(MARK);
        }
        // Most text is ASCII and has none of these.
        let wide = if text.is_ascii() { "" } else { text };
        for c in wide.chars().filter(|c| !c.is_ascii()) {
            match c {
                '、' | '，' | '،' => shape.commas += 1,
                '。' | '！' | '？' | '।' | '؟' => shape.sentence_marks += 1,
                c => {
                    shape.upper += u32::from(c.is_uppercase());
                    shape.unspaced += u32::from(words::is_unspaced(c));
                }
            }
        }
        let last = text
            .trim_end_matches(['"', '\'', '”', '’', '»', ')', '」', '』'])
            .chars()
            .last();
        shape.ends_sentence = last.is_some_and(|c| {
            matches!(
                c,
                '.' | '!' | '?' | ':' | '…' | '。' | '！' | '？' | '।' | '؟'
            )
        });
        shape
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shape_counts_by_kind() {
        let shape = Shape::of("Él, A1, 日本。 (Done.)");
        assert_eq!(
            shape,
            Shape {
                commas: 2,
                sentence_marks: 2,
                upper: 3,
                digits: 1,
                unspaced: 2,
                ends_sentence: true
            }
        );
        assert!(!Shape::of("Read more").ends_sentence);
        assert!(Shape::of("He said: “no.”").ends_sentence);
    }
}
