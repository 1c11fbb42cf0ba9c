//! Finds the bytes that matter in markup, 64 bytes at a time, with one bit for each byte.
//!
//! The vector instructions are chosen once for each page ([`Vectors`]).

use trommel_text::vectors::{ByteTask, Compare, Vectors};

/// The number of groups of 64 bytes in one step.
// 512 bytes in one call of the vector code, so that several tags share its cost.
const WORDS: usize = 8;

/// The classes of some groups of 64 bytes: bit `n` of each mask is about byte `n`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ByteMasks {
    /// White space as between attributes: space, tab, line feed, form feed, carriage return.
    pub space: [u64; WORDS],
    /// What ends the name of an attribute: white space, `/`, `>`, `=`.
    pub name_end: [u64; WORDS],
    /// `<`
    pub less: [u64; WORDS],
    /// `&`
    pub ampersand: [u64; WORDS],
    /// `"`
    pub double_quote: [u64; WORDS],
}

/// The masks around the place in a text where markup is being read; they move on as reading does.
#[derive(Clone, Debug)]
pub(crate) struct MaskWindow {
    vectors: Vectors,
    /// Number, in the text, of the first 64 bytes whose masks are at hand.
    first: usize,
    masks: ByteMasks,
}

/// A number of no 64 bytes, so far off that none in the window is one either.
// Half of the range, so that the distance from it never wraps into the window.
const NO_BLOCK: usize = usize::MAX / 2;

impl MaskWindow {
    /// A window on no text yet.
    pub fn new(vectors: Vectors) -> Self {
        Self { vectors, first: NO_BLOCK, masks: ByteMasks::default() }
    }

    /// Forgets what was read, as another text comes.
    pub fn forget(&mut self) {
        self.first = NO_BLOCK;
    }

    /// The masks at hand, and the index among them of the 64 bytes with that number. Behind the end of the
    /// text no bit is set.
    #[inline(always)]
    pub fn masks(&mut self, bytes: &[u8], number: usize) -> (&ByteMasks, usize) {
        if number.wrapping_sub(self.first) >= WORDS {
            self.move_to(bytes, number);
        }
        // The remainder is the number itself; it tells the compiler that it is in bounds.
        (&self.masks, number.wrapping_sub(self.first) % WORDS)
    }

    /// Index of the first byte from `at` on that is in the mask that `select` gives, or the length.
    #[inline(always)]
    pub fn find(&mut self, bytes: &[u8], at: usize, select: impl Fn(&ByteMasks) -> &[u64; WORDS]) -> usize {
        let mut at = at;
        loop {
            let (masks, index) = self.masks(bytes, at / 64);
            // Bits of bytes before the place are shifted out, so none of them is found again.
            let found = select(masks)[index] >> (at % 64);
            if found != 0 {
                return at + found.trailing_zeros() as usize;
            }
            at = (at | 63) + 1;
            if at >= bytes.len() {
                return bytes.len();
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn move_to(&mut self, bytes: &[u8], number: usize) {
        self.first = number;
        let bytes = bytes.get(number * 64..).unwrap_or_default();
        let masks = &mut self.masks;
        self.vectors.run(Fill { bytes, masks });
    }
}

struct Fill<'a> {
    bytes: &'a [u8],
    masks: &'a mut ByteMasks,
}

impl ByteTask for Fill<'_> {
    type Output = ();

    #[inline(always)]
    fn run<C: Compare>(self, form: C) {
        fill(form, self.bytes, self.masks);
    }
}

#[inline(always)]
fn fill<C: Compare>(form: C, bytes: &[u8], masks: &mut ByteMasks) {
    let mut rest = bytes;
    for index in 0..WORDS {
        let chunk = if let Some((chunk, after)) = rest.split_first_chunk::<64>() {
            rest = after;
            form.load(chunk)
        } else {
            // Bytes of 0 are in no mask.
            let mut chunk = [0; 64];
            for (to, from) in chunk.iter_mut().zip(rest) {
                *to = *from;
            }
            rest = &[];
            form.load(&chunk)
        };
        masks.space[index] = form.space(chunk);
        masks.name_end[index] = form.name_end(chunk);
        masks.less[index] = form.equal(chunk, b'<');
        masks.ampersand[index] = form.equal(chunk, b'&');
        masks.double_quote[index] = form.equal(chunk, b'"');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The plain loop.
    fn expected(bytes: &[u8]) -> ByteMasks {
        let mask = |is: &dyn Fn(u8) -> bool| {
            std::array::from_fn(|index| {
                let bits = bytes.iter().skip(64 * index).take(64).enumerate();
                bits.fold(0, |mask, (at, &byte)| mask | u64::from(is(byte)) << at)
            })
        };
        ByteMasks {
            space: mask(&|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0C)),
            name_end: mask(&|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0C | b'/' | b'>' | b'=')),
            less: mask(&|byte| byte == b'<'),
            ampersand: mask(&|byte| byte == b'&'),
            double_quote: mask(&|byte| byte == b'"'),
        }
    }

    #[test]
    fn every_form_finds_every_byte_at_every_place() {
        let forms = Vectors::available();
        println!("forms: {}", forms.len());
        for vectors in forms {
            for byte in 0..=255u8 {
                for filler in [0, b'a', b' ', 0xA0] {
                    for at in 0..64 {
                        let mut bytes = [filler; 64];
                        bytes[at] = byte;
                        let mut window = MaskWindow::new(vectors);
                        let masks = *window.masks(&bytes, 0).0;
                        assert_eq!(masks, expected(&bytes), "{vectors:?} {byte} at {at}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_window_moves_with_the_place_and_ends_with_the_text() {
        let text: Vec<u8> = (0..1000u32).map(|at| (at * 7 % 256) as u8).collect();
        for vectors in Vectors::available() {
            for len in [0, 1, 63, 64, 65, 255, 256, 257, 1000] {
                let bytes = &text[..len];
                let mut window = MaskWindow::new(vectors);
                for number in [0, 3, 4, 1, 15, 9, 20] {
                    let rest = bytes.get(number * 64..).unwrap_or_default();
                    let (masks, index) = window.masks(bytes, number);
                    assert_eq!(masks.less[index], expected(rest).less[0], "{len} {number}");
                }
                let found = window.find(bytes, 0, |masks| &masks.less);
                let plain = bytes.iter().position(|&byte| byte == b'<');
                assert_eq!(found, plain.unwrap_or(len), "{len}");
                assert_eq!(window.find(bytes, len, |masks| &masks.space), len);
            }
        }
    }
}
