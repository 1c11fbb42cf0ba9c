//! The bytes that matter in markup, found for 64 bytes at once: one bit a byte.
//!
//! There are three forms of it, which give the same: for AVX-512, for AVX2, and a portable one. Which
//! serves is chosen once a page ([`Vectors`]).

/// Vector instructions that pages are read with.
#[derive(Clone, Copy, Debug)]
pub struct Vectors(Form);

#[derive(Clone, Copy, Debug)]
enum Form {
    #[cfg(target_arch = "x86_64")]
    Avx512(pulp::x86::V4),
    #[cfg(target_arch = "x86_64")]
    Avx2(pulp::x86::V3),
    Portable,
}

impl Vectors {
    /// Every form that this processor has, the fastest first; the last is the portable one.
    pub fn available() -> Vec<Self> {
        let mut forms = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            forms.extend(pulp::x86::V4::try_new().map(Form::Avx512));
            forms.extend(pulp::x86::V3::try_new().map(Form::Avx2));
        }
        forms.push(Form::Portable);
        forms.into_iter().map(Self).collect()
    }
}

impl Default for Vectors {
    /// The fastest form that this processor has.
    fn default() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if let Some(simd) = pulp::x86::V4::try_new() {
                return Self(Form::Avx512(simd));
            }
            if let Some(simd) = pulp::x86::V3::try_new() {
                return Self(Form::Avx2(simd));
            }
        }
        Self(Form::Portable)
    }
}

/// What 64 bytes are: bit `n` of each mask tells of byte `n`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ByteMasks {
    /// White space as between attributes: space, tab, line feed, form feed, carriage return.
    pub space: u64,
    /// `/`
    pub slash: u64,
    /// `=`
    pub equals: u64,
    /// `<`
    pub less: u64,
    /// `>`
    pub greater: u64,
    /// `&`
    pub ampersand: u64,
    /// `"`
    pub double_quote: u64,
    /// `'`
    pub single_quote: u64,
}

/// How many times 64 bytes are looked at in one step.
const WORDS: usize = 4;

/// The masks around the place in a text where markup is being read; they move on as reading does.
#[derive(Clone, Debug)]
pub(crate) struct MaskWindow {
    form: Form,
    /// Number, in the text, of the first 64 bytes whose masks are at hand.
    first: usize,
    masks: [ByteMasks; WORDS],
}

/// A number of no 64 bytes, so far off that none in the window is one either.
const NOWHERE: usize = usize::MAX / 2;

impl MaskWindow {
    /// A window on no text yet.
    pub fn new(vectors: Vectors) -> Self {
        Self {
            form: vectors.0,
            first: NOWHERE,
            masks: [ByteMasks::default(); WORDS],
        }
    }

    /// Forgets what was read, as another text comes.
    #[cfg(feature = "lol")]
    pub fn forget(&mut self) {
        self.first = NOWHERE;
    }

    /// The masks of the 64 bytes with that number. Behind the end of the text no bit is set.
    #[inline]
    pub fn masks(&mut self, bytes: &[u8], number: usize) -> &ByteMasks {
        if number.wrapping_sub(self.first) >= WORDS {
            self.move_to(bytes, number);
        }
        // The remainder is the number itself; it tells the compiler that it is in bounds.
        &self.masks[number.wrapping_sub(self.first) % WORDS]
    }

    /// Index of the first byte from `at` on that is in the masks that `select` gives, or the length.
    #[inline(always)]
    pub fn find(&mut self, bytes: &[u8], at: usize, select: impl Fn(&ByteMasks) -> u64) -> usize {
        let mut at = at;
        while at < bytes.len() {
            let found = select(self.masks(bytes, at / 64)) >> (at % 64);
            if found != 0 {
                return (at + found.trailing_zeros() as usize).min(bytes.len());
            }
            at = (at | 63) + 1;
        }
        bytes.len()
    }

    #[cold]
    #[inline(never)]
    fn move_to(&mut self, bytes: &[u8], number: usize) {
        self.first = number;
        let bytes = bytes.get(number * 64..).unwrap_or_default();
        let masks = &mut self.masks;
        match self.form {
            #[cfg(target_arch = "x86_64")]
            Form::Avx512(form) => form.vectorize(Fill { form, bytes, masks }),
            #[cfg(target_arch = "x86_64")]
            Form::Avx2(form) => form.vectorize(Fill { form, bytes, masks }),
            Form::Portable => fill(Portable, bytes, masks),
        }
    }
}

/// Compares 64 bytes with one.
trait Compare: Copy {
    type Bytes: Copy;

    fn load(self, bytes: &[u8; 64]) -> Self::Bytes;

    /// One bit for each of the bytes that is `byte`.
    fn equal(self, bytes: Self::Bytes, byte: u8) -> u64;

    /// One bit for each of the bytes that is white space.
    fn space(self, bytes: Self::Bytes) -> u64;
}

/// White space by the lower four bits: a byte is white space if the table holds it at its own place. No
/// byte is the 0 at the other places, as 0 itself has the place of the space; and bytes beyond ASCII,
/// which the instruction gives 0 for, are not either.
#[cfg(target_arch = "x86_64")]
const SPACE_BY_LOW_BITS: [u8; 16] = [
    b' ', 0, 0, 0, 0, 0, 0, 0, 0, b'\t', b'\n', 0, 0x0C, b'\r', 0, 0,
];

// A type and no closure: a closure that is not inlined is compiled for the narrowest vectors.
#[cfg(target_arch = "x86_64")]
struct Fill<'a, C> {
    form: C,
    bytes: &'a [u8],
    masks: &'a mut [ByteMasks; WORDS],
}

#[cfg(target_arch = "x86_64")]
impl<C: Compare> pulp::NullaryFnOnce for Fill<'_, C> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        fill(self.form, self.bytes, self.masks);
    }
}

#[inline(always)]
fn fill<C: Compare>(form: C, bytes: &[u8], masks: &mut [ByteMasks; WORDS]) {
    let mut rest = bytes;
    for masks in masks {
        if let Some((chunk, after)) = rest.split_first_chunk::<64>() {
            *masks = masks_of(form, chunk);
            rest = after;
        } else {
            // Bytes of 0 are in no mask.
            let mut chunk = [0; 64];
            for (to, from) in chunk.iter_mut().zip(rest) {
                *to = *from;
            }
            *masks = masks_of(form, &chunk);
            rest = &[];
        }
    }
}

#[inline(always)]
fn masks_of<C: Compare>(form: C, chunk: &[u8; 64]) -> ByteMasks {
    let bytes = form.load(chunk);
    ByteMasks {
        space: form.space(bytes),
        slash: form.equal(bytes, b'/'),
        equals: form.equal(bytes, b'='),
        less: form.equal(bytes, b'<'),
        greater: form.equal(bytes, b'>'),
        ampersand: form.equal(bytes, b'&'),
        double_quote: form.equal(bytes, b'"'),
        single_quote: form.equal(bytes, b'\''),
    }
}

#[cfg(target_arch = "x86_64")]
impl Compare for pulp::x86::V4 {
    type Bytes = std::arch::x86_64::__m512i;

    #[inline(always)]
    fn load(self, bytes: &[u8; 64]) -> Self::Bytes {
        pulp::cast(*bytes)
    }

    #[inline(always)]
    fn equal(self, bytes: Self::Bytes, byte: u8) -> u64 {
        let all = self.avx512f._mm512_set1_epi8(byte as i8);
        self.avx512bw._mm512_cmpeq_epi8_mask(bytes, all)
    }

    #[inline(always)]
    fn space(self, bytes: Self::Bytes) -> u64 {
        let table: Self::Bytes = pulp::cast([SPACE_BY_LOW_BITS; 4]);
        let candidates = self.avx512bw._mm512_shuffle_epi8(table, bytes);
        self.avx512bw._mm512_cmpeq_epi8_mask(bytes, candidates)
    }
}

#[cfg(target_arch = "x86_64")]
impl Compare for pulp::x86::V3 {
    type Bytes = [std::arch::x86_64::__m256i; 2];

    #[inline(always)]
    fn load(self, bytes: &[u8; 64]) -> Self::Bytes {
        pulp::cast(*bytes)
    }

    #[inline(always)]
    fn equal(self, bytes: Self::Bytes, byte: u8) -> u64 {
        let all = self.avx._mm256_set1_epi8(byte as i8);
        bits(
            self,
            [
                self.avx2._mm256_cmpeq_epi8(bytes[0], all),
                self.avx2._mm256_cmpeq_epi8(bytes[1], all),
            ],
        )
    }

    #[inline(always)]
    fn space(self, bytes: Self::Bytes) -> u64 {
        let table: std::arch::x86_64::__m256i = pulp::cast([SPACE_BY_LOW_BITS; 2]);
        let candidates = [
            self.avx2._mm256_shuffle_epi8(table, bytes[0]),
            self.avx2._mm256_shuffle_epi8(table, bytes[1]),
        ];
        bits(
            self,
            [
                self.avx2._mm256_cmpeq_epi8(bytes[0], candidates[0]),
                self.avx2._mm256_cmpeq_epi8(bytes[1], candidates[1]),
            ],
        )
    }
}

/// The highest bit of each of 64 bytes.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn bits(simd: pulp::x86::V3, bytes: [std::arch::x86_64::__m256i; 2]) -> u64 {
    let low = simd.avx2._mm256_movemask_epi8(bytes[0]) as u32;
    let high = simd.avx2._mm256_movemask_epi8(bytes[1]) as u32;
    u64::from(low) | u64::from(high) << 32
}

/// Eight bytes a step in an ordinary register.
#[derive(Clone, Copy)]
struct Portable;

impl Portable {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const LOW: u64 = 0x7F * Self::ONES;

    /// The highest bit of each of eight bytes that is `byte`, which is ASCII; the others are 0.
    #[inline(always)]
    fn equal_eight(eight: u64, byte: u8) -> u64 {
        let differs = eight ^ (u64::from(byte) * Self::ONES);
        !(((differs & Self::LOW) + Self::LOW) | differs) & !Self::LOW
    }

    /// Brings the highest bit of each byte together.
    #[inline(always)]
    fn gather(high: u64) -> u64 {
        (high >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
    }

    #[inline(always)]
    fn each(bytes: [u64; 8], find: impl Fn(u64) -> u64) -> u64 {
        let mut mask = 0;
        for (at, eight) in bytes.into_iter().enumerate() {
            mask |= Self::gather(find(eight)) << (8 * at);
        }
        mask
    }
}

impl Compare for Portable {
    type Bytes = [u64; 8];

    #[inline(always)]
    fn load(self, bytes: &[u8; 64]) -> Self::Bytes {
        let mut all = [0; 8];
        for (to, from) in all.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *to = u64::from_le_bytes(*from);
        }
        all
    }

    #[inline(always)]
    fn equal(self, bytes: Self::Bytes, byte: u8) -> u64 {
        Self::each(bytes, |eight| Self::equal_eight(eight, byte))
    }

    #[inline(always)]
    fn space(self, bytes: Self::Bytes) -> u64 {
        Self::each(bytes, |eight| {
            Self::equal_eight(eight, b' ')
                | Self::equal_eight(eight, b'\t')
                | Self::equal_eight(eight, b'\n')
                | Self::equal_eight(eight, 0x0C)
                | Self::equal_eight(eight, b'\r')
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The plain loop.
    fn expected(bytes: &[u8]) -> ByteMasks {
        let mask = |is: &dyn Fn(u8) -> bool| {
            let bits = bytes.iter().take(64).enumerate();
            bits.fold(0, |mask, (at, &byte)| mask | u64::from(is(byte)) << at)
        };
        ByteMasks {
            space: mask(&|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0C)),
            slash: mask(&|byte| byte == b'/'),
            equals: mask(&|byte| byte == b'='),
            less: mask(&|byte| byte == b'<'),
            greater: mask(&|byte| byte == b'>'),
            ampersand: mask(&|byte| byte == b'&'),
            double_quote: mask(&|byte| byte == b'"'),
            single_quote: mask(&|byte| byte == b'\''),
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
                        let masks = *window.masks(&bytes, 0);
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
                    assert_eq!(
                        *window.masks(bytes, number),
                        expected(rest),
                        "{len} {number}"
                    );
                }
                let found = window.find(bytes, 0, |masks| masks.less);
                let plain = bytes.iter().position(|&byte| byte == b'<');
                assert_eq!(found, plain.unwrap_or(len), "{len}");
                assert_eq!(window.find(bytes, len, |masks| !masks.space), len);
            }
        }
    }
}
