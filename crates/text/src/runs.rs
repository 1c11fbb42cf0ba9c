//! Finds runs of a text that can be copied unchanged.

use std::marker::PhantomData;

use crate::vectors::{ByteTask, Compare, Vectors};

/// Set of ASCII characters that end a run of text that is copied unchanged ([`plain_run`]).
pub trait EndSigns {
    /// Returns a bit mask of the bytes that are in the set of ASCII characters; to be `#[inline(always)]`.
    fn find<C: Compare>(form: C, bytes: C::Bytes) -> u64;
}

/// Empty set of ASCII characters: only white space and ignored characters end a run of text that is copied unchanged.
#[derive(Clone, Copy, Debug)]
pub struct NoSigns;

impl EndSigns for NoSigns {
    #[inline(always)]
    fn find<C: Compare>(_: C, _: C::Bytes) -> u64 {
        0
    }
}

/// Class of a byte in the search for text that is copied unchanged.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Byte {
    /// Printable ASCII character, or part of a longer one that is neither white space nor ignored.
    Plain,
    Space,
    /// First byte of a three-byte character that may be white space or ignored.
    Lead,
    Other,
}

const BYTES: [Byte; 256] = {
    let mut bytes = [Byte::Plain; 256];
    let mut at = 0;
    while at < 0x21 {
        bytes[at] = Byte::Other;
        at += 1;
    }
    bytes[b' ' as usize] = Byte::Space;
    bytes[0x7F] = Byte::Other;
    // U+0080 to U+00BF: control characters, the no-break space, the soft hyphen.
    bytes[0xC2] = Byte::Other;
    bytes[0xE1] = Byte::Lead;
    bytes[0xE2] = Byte::Lead;
    bytes[0xE3] = Byte::Lead;
    bytes[0xEF] = Byte::Lead;
    bytes
};

/// Returns the length in bytes of the longest start of `bytes` (UTF-8) that is copied unchanged. It contains no sign of
/// `S`, no ignored character (controls, soft hyphens, signs without width) and no white space. If `spaces` is true, it
/// may contain single spaces between other characters.
pub fn plain_run<S: EndSigns>(vectors: Vectors, bytes: &[u8], spaces: bool, _: S) -> usize {
    vectors.run(PlainRun::<S> { bytes, spaces, signs: PhantomData })
}

struct PlainRun<'a, S> {
    bytes: &'a [u8],
    spaces: bool,
    signs: PhantomData<S>,
}

impl<S: EndSigns> ByteTask for PlainRun<'_, S> {
    type Output = usize;

    #[inline(always)]
    fn run<C: Compare>(self, form: C) -> usize {
        let mut at = 0;
        // 64 bytes in one step, as it can't be foreseen where words end.
        loop {
            let rest = self.bytes.get(at..).unwrap_or_default();
            // Bytes of 0 behind the end stop the run.
            let chunk = form.load_start(rest);
            let control = form.range(chunk, 0, 0x1F) | form.equal(chunk, 0x7F);
            let space = form.equal(chunk, b' ');
            let wide = form.wide(chunk);
            // A space goes on before what is none. Of the last byte it is not known what follows.
            let last = space & 1 << 63;
            let signs = S::find(form, chunk);
            let (stops, looks) = if self.spaces && (at > 0 || space & 1 == 0) {
                (control | signs | space & ((space | control) >> 1) | last, wide | space & (wide >> 1))
            } else {
                (control | signs | space, wide)
            };
            let len = stops.trailing_zeros() as usize;
            if let Some(end) = first_special(rest, looks & 1_u64.unbounded_shl(len as u32).wrapping_sub(1)) {
                return at + end;
            }
            at += len;
            let goes_on = len == 64 || len == 63 && self.spaces && last != 0;
            if !goes_on {
                return at;
            }
        }
    }
}

/// Byte offsets at which runs of text that can be copied unchanged end: one bit for each byte of the text.
#[derive(Clone, Debug, Default)]
pub struct RunEnds(Vec<u64>);

impl RunEnds {
    /// Finds the ends of runs that can be copied unchanged, for a text whose parts are then examined many times.
    pub fn of<S: EndSigns>(vectors: Vectors, text: &str, _: S) -> Self {
        Self(vectors.run(AllEnds::<S> { bytes: text.as_bytes(), signs: PhantomData }))
    }

    /// Returns the byte offset of the first end of a run between `from` and `to`; `to` if there is none. A space at the
    /// start of a part does not count as an end.
    #[inline]
    pub fn first(&self, from: usize, to: usize) -> usize {
        let mut word = from / 64;
        let mut ends = self.0.get(word).map_or(0, |ends| ends & u64::MAX << (from % 64));
        while ends == 0 {
            word += 1;
            if word * 64 >= to {
                return to;
            }
            ends = self.0.get(word).copied().unwrap_or_default();
        }
        (word * 64 + ends.trailing_zeros() as usize).min(to)
    }
}

/// Task that finds all ends of runs of a text that can be copied unchanged, with single spaces allowed inside.
struct AllEnds<'a, S> {
    bytes: &'a [u8],
    signs: PhantomData<S>,
}

impl<S: EndSigns> ByteTask for AllEnds<'_, S> {
    type Output = Vec<u64>;

    #[inline(always)]
    fn run<C: Compare>(self, form: C) -> Vec<u64> {
        let mut all = Vec::with_capacity(self.bytes.len().div_ceil(64));
        let mut at = 0;
        while let Some(rest) = self.bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let chunk = form.load_start(rest);
            let control = form.range(chunk, 0, 0x1F) | form.equal(chunk, 0x7F);
            let space = form.equal(chunk, b' ');
            let wide = form.wide(chunk);
            let behind = rest.get(64).copied().unwrap_or_default();
            let breaks = (space | control) >> 1 | u64::from(behind <= b' ' || behind == 0x7F) << 63;
            let mut ends = control | S::find(form, chunk) | space & breaks;
            let mut looks = wide | space & (wide >> 1 | u64::from(!behind.is_ascii()) << 63);
            while let Some(end) = first_special(rest, looks) {
                ends |= 1 << end;
                looks &= (u64::MAX - 1) << end;
            }
            all.push(ends);
            at += 64;
        }
        all
    }
}

/// Returns the index of the first byte that ends a run, among those whose bits are set in `looks`.
#[inline(never)]
fn first_special(bytes: &[u8], looks: u64) -> Option<usize> {
    let mut looks = looks;
    while looks != 0 {
        let at = looks.trailing_zeros() as usize;
        looks &= looks - 1;
        let ends = match bytes.get(at).map(|byte| BYTES[usize::from(*byte)]) {
            Some(Byte::Plain) => false,
            // The byte behind it is beyond ASCII.
            Some(Byte::Space) => bytes.get(at + 1).is_none_or(|next| BYTES[usize::from(*next)] != Byte::Plain),
            Some(Byte::Lead) => matches!(
                bytes.get(at..at + 3),
                Some([0xE1, 0x9A, 0x80])
                    | Some([0xE2, 0x80, 0x80..=0x8B | 0xA8 | 0xA9 | 0xAF])
                    | Some([0xE2, 0x81, 0x9F | 0xA0])
                    | Some([0xE3, 0x80, 0x80])
                    | Some([0xEF, 0xBB, 0xBF])
                    | None
            ),
            Some(Byte::Other) | None => true,
        };
        if ends {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Stars;

    impl EndSigns for Stars {
        #[inline(always)]
        fn find<C: Compare>(form: C, bytes: C::Bytes) -> u64 {
            form.equal(bytes, b'*')
        }
    }

    fn is_ignored(c: char) -> bool {
        c.is_control() || matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}')
    }

    #[test]
    fn runs_found_by_masks_are_those_of_the_plain_loop() {
        // A space goes on where the byte behind it is of no special character.
        let slow = |text: &str, spaces: bool, stars: bool| {
            let mut at = 0;
            for c in text.chars() {
                let behind = text.as_bytes().get(at + 1).map(|byte| BYTES[*byte as usize]);
                let goes_on = match c {
                    ' ' => spaces && at > 0 && behind == Some(Byte::Plain),
                    '\u{80}'..='\u{bf}' => false,
                    '*' => !stars,
                    c => !c.is_whitespace() && !is_ignored(c),
                };
                if !goes_on {
                    break;
                }
                at += c.len_utf8();
            }
            at
        };
        let parts = [
            "a", "word", " ", " ", "é", "“", "\u{a0}", "\n", "語", "ア", "\u{3000}", "\u{7f}", "\u{1680}", "\u{200b}",
            "\u{2060}", "\u{2028}", "<", "abcdefg", "ﬁ", "*",
        ];
        let mut state = 1u64;
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..60 {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                // Mostly letters and spaces, so that runs are long.
                let at = (state >> 33) as usize % (parts.len() * 4);
                text.push_str(parts.get(at).unwrap_or(&parts[at % 3]));
            }
            for spaces in [true, false] {
                for vectors in Vectors::available() {
                    let found = plain_run(vectors, text.as_bytes(), spaces, NoSigns);
                    assert_eq!(found, slow(&text, spaces, false), "{vectors:?} {text:?}");
                    let found = plain_run(vectors, text.as_bytes(), spaces, Stars);
                    assert_eq!(found, slow(&text, spaces, true), "{vectors:?} {text:?} *");
                }
            }
            for vectors in Vectors::available() {
                let ends = RunEnds::of(vectors, &text, Stars);
                for (at, c) in text.char_indices().filter(|(_, c)| *c != ' ') {
                    // The last space is an end, behind which nothing stands.
                    let rest = text.get(at..).unwrap_or_default();
                    let found = ends.first(at, text.len()) - at;
                    assert_eq!(found, slow(rest, true, true), "{vectors:?} {text:?} from {at}, {c:?}");
                    assert_eq!(ends.first(at, at + 1), at + found.min(1), "{vectors:?} {text:?} {at}");
                }
            }
        }
    }
}
