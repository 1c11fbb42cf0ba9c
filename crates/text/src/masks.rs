//! Classifies the characters of a text, 64 bytes at once.

use std::{hint::black_box, ops::Range};

use crate::vectors::{ByteTask, Compare, Vectors};

/// Kinds of 64 bytes of a text, one mask per kind: bit `n` of a mask is set if byte `n` is of the kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Masks {
    /// Mask of ASCII letters, digits and underscores.
    word: u64,
    digit: u64,
    /// Mask of ASCII capital letters.
    upper: u64,
    comma: u64,
    /// Mask of `.`, `!` and `?`.
    sentence: u64,
    /// Mask of bytes beyond ASCII.
    wide: u64,
}

/// Kinds of the bytes of a text, such as digits, and the text with its ASCII letters in lower case. They are computed
/// once for all functions that count its characters or read its words.
#[derive(Clone, Debug, Default)]
pub struct TextMasks {
    masks: Vec<Masks>,
    /// Bytes of the text with ASCII letters in lower case, followed by [`PADDING`] zeros.
    lower: Vec<u8>,
}

/// Number of zero bytes after the text, so that eight bytes can be read at each of its places.
const PADDING: usize = 8;

/// Numbers of ASCII characters of some kinds in a part of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AsciiCounts {
    /// Number of digits.
    pub digits: u32,
    /// Number of capital letters.
    pub upper: u32,
    /// Number of commas.
    pub commas: u32,
    /// Number of `.`, `!` and `?`.
    pub sentence_marks: u32,
}

/// A run of letters, digits, underscores and characters beyond ASCII.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Byte range of the run in the text.
    pub range: Range<usize>,
    /// True if the run is all ASCII, which makes it one word.
    pub is_ascii: bool,
}

impl TextMasks {
    /// Computes the masks of a text, which tell the kind of each byte, such as digit or capital letter.
    pub fn of(text: &str) -> Self {
        let mut text_masks = Self::default();
        text_masks.read(text);
        text_masks
    }

    /// Replaces the masks by those of another text, reusing their memory.
    pub fn read(&mut self, text: &str) {
        self.masks.clear();
        self.lower.clear();
        self.masks.reserve(text.len() / 64 + 1);
        self.lower.reserve(text.len() + 64 + PADDING);
        Vectors::default().run(Read { text: text.as_bytes(), text_masks: self });
        self.lower.truncate(text.len());
        self.lower.resize(text.len() + PADDING, 0);
    }

    /// Returns whether a byte range of the text is all ASCII.
    #[inline(always)]
    pub fn is_ascii(&self, part: Range<usize>) -> bool {
        let mut at = part.start;
        let mut wide = 0;
        while at < part.end
            && let Some(masks) = self.masks.get(at / 64)
        {
            wide |= masks.wide & own_bits(at, part.end);
            at = (at | 63) + 1;
        }
        wide == 0
    }

    /// Iterates over the offsets of the bytes beyond ASCII in a byte range of the text.
    #[inline(always)]
    pub fn wide(&self, part: Range<usize>) -> impl Iterator<Item = usize> {
        let Range { start: mut at, end } = part;
        let mut bits = 0u64;
        let mut from = 0;
        std::iter::from_fn(move || {
            while bits == 0 {
                if at >= end {
                    return None;
                }
                bits = self.masks.get(at / 64)?.wide & own_bits(at, end);
                from = at & !63;
                at = from + 64;
            }
            let place = from + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            Some(place)
        })
    }

    /// Returns the numbers of ASCII characters by kind in a byte range of the text.
    #[inline(always)]
    pub fn counts(&self, part: Range<usize>) -> AsciiCounts {
        let mut counts = AsciiCounts::default();
        let mut at = part.start;
        while at < part.end
            && let Some(masks) = self.masks.get(at / 64)
        {
            let bits = own_bits(at, part.end);
            counts.digits += (masks.digit & bits).count_ones();
            counts.upper += (masks.upper & bits).count_ones();
            counts.commas += (masks.comma & bits).count_ones();
            counts.sentence_marks += (masks.sentence & bits).count_ones();
            at = (at | 63) + 1;
        }
        counts
    }

    /// Returns eight bytes of the text from byte `at` on, the first lowest, with ASCII letters in lower case, padded
    /// with 0.
    #[inline(always)]
    pub fn lower_eight(&self, at: usize) -> u64 {
        let rest = self.lower.get(at..).and_then(|rest| rest.first_chunk());
        rest.map_or(0, |eight| u64::from_le_bytes(*eight))
    }

    /// Iterates over the runs of letters, digits, `_` and characters beyond ASCII in a byte range, in order.
    #[inline(always)]
    pub fn runs(&self, part: Range<usize>) -> Runs<'_> {
        let number = part.start / 64;
        let mut runs = Runs {
            masks: self.masks.get(number..).unwrap_or_default(),
            from: 64 * number,
            end: part.end,
            bits: 0,
            wide: 0,
        };
        runs.read_bits(u64::MAX << (part.start % 64));
        runs
    }
}

/// Iterator over the runs of letters, digits, `_` and characters beyond ASCII in a byte range of a text.
#[derive(Clone, Debug)]
pub struct Runs<'a> {
    /// Masks of the text from the current 64 bytes on.
    masks: &'a [Masks],
    /// Byte offset in the text of the current 64 bytes.
    from: usize,
    end: usize,
    /// Bit mask of the bytes, among the current 64, that belong to runs yet to be returned.
    bits: u64,
    wide: u64,
}

impl Runs<'_> {
    /// Finds which of the current 64 bytes are in runs of letters and digits, among the bytes in the mask `bits`.
    #[inline(always)]
    fn read_bits(&mut self, bits: u64) {
        let left = self.end.saturating_sub(self.from);
        let bits = bits & low(left.min(64) as u32);
        if let Some(masks) = self.masks.first() {
            self.bits = (masks.word | masks.wide) & bits;
            self.wide = masks.wide;
        }
    }

    /// Moves on to the next 64 bytes; returns whether there are any.
    #[inline(always)]
    fn next_bits(&mut self) -> bool {
        self.from += 64;
        if self.from >= self.end {
            return false;
        }
        self.masks = self.masks.get(1..).unwrap_or_default();
        self.read_bits(u64::MAX);
        !self.masks.is_empty()
    }
}

impl Iterator for Runs<'_> {
    type Item = Run;

    #[inline(always)]
    fn next(&mut self) -> Option<Run> {
        while self.bits == 0 {
            if !self.next_bits() {
                return None;
            }
        }
        let first = self.bits.trailing_zeros();
        let start = self.from + first as usize;
        // Added to its lowest bit, a run becomes one bit behind it.
        let (sum, goes_on) = self.bits.overflowing_add(self.bits & self.bits.wrapping_neg());
        if !goes_on {
            let behind = sum.trailing_zeros();
            let is_ascii = self.wide == 0 || (self.wide >> first) & low(behind - first) == 0;
            self.bits &= sum;
            return Some(Run { range: start..self.from + behind as usize, is_ascii });
        }
        let mut is_ascii = self.wide >> first == 0;
        let mut behind = 64;
        self.bits = 0;
        // A run up to the last bit may go on.
        while behind == 64 && self.next_bits() {
            let length = (!self.bits).trailing_zeros();
            is_ascii &= self.wide & low(length) == 0;
            self.bits &= !low(length);
            behind = length;
        }
        let end = (self.from + behind as usize).min(self.end);
        Some(Run { range: start..end, is_ascii })
    }
}

/// Returns the mask of the bytes from offset `at` to `end`, within the 64 bytes that contain `at`.
#[inline(always)]
fn own_bits(at: usize, end: usize) -> u64 {
    let left = end - (at & !63);
    (u64::MAX << (at % 64)) & low(left.min(64) as u32)
}

/// Returns a mask of the lowest `bits` bits.
#[inline(always)]
fn low(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

struct Read<'a> {
    text: &'a [u8],
    text_masks: &'a mut TextMasks,
}

impl ByteTask for Read<'_> {
    type Output = ();

    #[inline(always)]
    fn run<C: Compare>(self, form: C) {
        let (chunks, rest) = self.text.as_chunks::<64>();
        for chunk in chunks {
            read(form, chunk, self.text_masks);
        }
        if !rest.is_empty() {
            // Bytes of 0 are of no kind.
            let mut chunk = [0; 64];
            for (to, from) in chunk.iter_mut().zip(rest) {
                *to = *from;
            }
            read(form, &chunk, self.text_masks);
        }
    }
}

#[inline(always)]
fn read<C: Compare>(form: C, chunk: &[u8; 64], text_masks: &mut TextMasks) {
    let bytes = form.load(chunk);
    let lower = form.lower(bytes);
    let digit = form.range(bytes, b'0', b'9');
    text_masks.masks.push(Masks {
        word: any([form.range(lower, b'a', b'z'), digit, form.equal(bytes, b'_')]),
        digit,
        upper: form.range(bytes, b'A', b'Z'),
        comma: form.equal(bytes, b','),
        sentence: any([form.equal(bytes, b'.'), form.equal(bytes, b'!'), form.equal(bytes, b'?')]),
        wide: form.wide(bytes),
    });
    text_masks.lower.extend_from_slice(&form.store(lower));
}

/// Returns the bits that are set in any of three masks. Each mask is made before they are joined. Otherwise the
/// compiler would join the vectors and, for AVX2, take their mask bit by bit, which is ten times slower.
#[inline(always)]
fn any(masks: [u64; 3]) -> u64 {
    let [a, b, c] = masks;
    black_box(a) | black_box(b) | black_box(c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn counts_and_runs_are_those_of_the_characters(
            text in "([a-zA-Z0-9_]{1,70}|[ ,.!?:;-]{0,3}|[éÄ日’]{0,2}| ){0,30}",
            from in 0usize..300,
            length in 0usize..300,
        ) {
            let masks = TextMasks::of(&text);
            let boundary = |at: usize| (at.min(text.len())..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap();
            let part = boundary(from)..boundary(from + length);
            let slice = &text[part.clone()];
            let count = |is: fn(char) -> bool| slice.chars().filter(|c| is(*c)).count() as u32;
            prop_assert_eq!(masks.counts(part.clone()), AsciiCounts {
                digits: count(|c| c.is_ascii_digit()),
                upper: count(|c| c.is_ascii_uppercase()),
                commas: count(|c| c == ','),
                sentence_marks: count(|c| matches!(c, '.' | '!' | '?')),
            });
            prop_assert_eq!(masks.is_ascii(part.clone()), slice.is_ascii());
            let wide: Vec<usize> = part.clone().filter(|at| !text.as_bytes()[*at].is_ascii()).collect();
            prop_assert_eq!(masks.wide(part.clone()).collect::<Vec<_>>(), wide);
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii();
            let expected: Vec<&str> = slice.split(|c| !is_part(c)).filter(|run| !run.is_empty()).collect();
            let runs: Vec<Run> = masks.runs(part).collect();
            let found: Vec<&str> = runs.iter().map(|run| &text[run.range.clone()]).collect();
            prop_assert_eq!(found, expected);
            for run in runs {
                let slice = &text[run.range.clone()];
                prop_assert_eq!(run.is_ascii, slice.is_ascii());
                let mut eight = [0; 8];
                for (to, from) in eight.iter_mut().zip(text[run.range.start..].bytes()) {
                    *to = from.to_ascii_lowercase();
                }
                prop_assert_eq!(masks.lower_eight(run.range.start), u64::from_le_bytes(eight));
            }
        }
    }

    #[test]
    fn behind_the_text_there_is_nothing() {
        let masks = TextMasks::of("a b c");
        assert_eq!(masks.runs(5..9).next(), None);
        assert_eq!(masks.runs(90..99).next(), None);
        assert_eq!(masks.lower_eight(90), 0);
        assert_eq!(masks.counts(90..99), AsciiCounts::default());
    }
}
