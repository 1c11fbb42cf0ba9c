//! Vector instructions that compare 64 bytes or numbers at a time, with one bit for each result.
//!
//! There are two forms with the same results: for AVX2, and a portable one. The form is
//! chosen once for each text ([`Vectors`]), and tasks are compiled for each ([`ByteTask`]).

mod tally;

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m256, __m256i, _CMP_LE_OQ};
pub use tally::Tally;

/// Vector instructions with which texts are read: those of the processor, or portable code.
#[derive(Clone, Copy, Debug)]
pub struct Vectors(Form);

#[derive(Clone, Copy, Debug)]
enum Form {
    #[cfg(target_arch = "x86_64")]
    Avx2(pulp::x86::V3),
    Portable,
}

impl Vectors {
    /// Returns all sets of vector instructions that this processor has, the fastest first and portable code last.
    pub fn available() -> Vec<Self> {
        let mut forms = Vec::new();
        #[cfg(target_arch = "x86_64")]
        forms.extend(pulp::x86::V3::try_new().map(Form::Avx2));
        forms.push(Form::Portable);
        forms.into_iter().map(Self).collect()
    }

    /// Runs a task with the chosen vector instructions.
    #[inline]
    pub fn run<T: ByteTask>(self, task: T) -> T::Output {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Form::Avx2(form) => form.vectorize(TaskOn { form, task }),
            Form::Portable => task.run(Portable),
        }
    }
}

impl Default for Vectors {
    /// Returns the fastest vector instructions that this processor has.
    fn default() -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = pulp::x86::V3::try_new() {
            return Self(Form::Avx2(simd));
        }
        Self(Form::Portable)
    }
}

/// A task on 64 bytes or numbers at a time, compiled for each instruction set; `run` must be `#[inline(always)]`.
pub trait ByteTask {
    /// Result of the task.
    type Output;

    /// Runs the task with the given vector instructions.
    fn run<C: Compare>(self, form: C) -> Self::Output;
}

// A type and no closure: a closure that is not inlined is compiled for the narrowest vectors.
#[cfg(target_arch = "x86_64")]
struct TaskOn<C, T> {
    form: C,
    task: T,
}

#[cfg(target_arch = "x86_64")]
impl<C: Compare, T: ByteTask> pulp::NullaryFnOnce for TaskOn<C, T> {
    type Output = T::Output;

    #[inline(always)]
    fn call(self) -> T::Output {
        self.task.run(self.form)
    }
}

/// Vector instructions that compare 64 bytes at a time with other bytes, with one bit for each result.
pub trait Compare: Tally {
    /// Vector of 64 bytes.
    type Bytes: Copy;

    /// Loads 64 bytes into a vector.
    fn load(self, bytes: &[u8; 64]) -> Self::Bytes;

    /// Loads the first 64 of these bytes into a vector; fewer are padded with 0.
    #[inline(always)]
    fn load_start(self, bytes: &[u8]) -> Self::Bytes {
        match bytes.first_chunk() {
            Some(chunk) => self.load(chunk),
            None => {
                let mut chunk = [0; 64];
                if let Some(part) = chunk.get_mut(..bytes.len()) {
                    part.copy_from_slice(bytes);
                }
                self.load(&chunk)
            }
        }
    }

    /// Converts a vector back to 64 bytes.
    fn store(self, bytes: Self::Bytes) -> [u8; 64];

    /// Returns a bit mask of the bytes that equal `byte`, which must be ASCII.
    fn equal(self, bytes: Self::Bytes, byte: u8) -> u64;

    /// Returns a bit mask of the bytes from `first` to `last`, both included, which must be ASCII.
    fn range(self, bytes: Self::Bytes, first: u8, last: u8) -> u64;

    /// Returns a bit mask of the bytes beyond ASCII.
    fn wide(self, bytes: Self::Bytes) -> u64;

    /// Returns the bytes with ASCII capital letters in lower case.
    fn lower(self, bytes: Self::Bytes) -> Self::Bytes;

    /// Returns a bit mask of the bytes that are white space between attributes of HTML: space, tab, line feed, form
    /// feed, carriage return.
    fn space(self, bytes: Self::Bytes) -> u64;

    /// Returns a bit mask of the bytes that end the name of an HTML attribute: white space, `/`, `>`, `=`.
    fn name_end(self, bytes: Self::Bytes) -> u64;

    /// Returns a bit mask of the bytes that are ASCII letters or digits, or `_`.
    fn word(self, bytes: Self::Bytes) -> u64;

    /// Returns a bit mask of the numbers that are at most `most`; NaN never is.
    fn at_most(self, numbers: &[f32; 32], most: f32) -> u32;
}

/// Table of white space by the lower four bits of a byte: a byte is white space if it equals its entry. No byte equals
/// the 0 of other entries, as 0 itself has the entry of the space. Nor does a byte beyond ASCII, for which the
/// instruction returns 0.
#[cfg(target_arch = "x86_64")]
const SPACE_BY_LOW_BITS: [u8; 16] = [b' ', 0, 0, 0, 0, 0, 0, 0, 0, b'\t', b'\n', 0, 0x0C, b'\r', 0, 0];

/// Table of white space, `>` and `/` by the lower four bits of a byte: a byte is one of these if it equals its entry.
#[cfg(target_arch = "x86_64")]
const TAG_SPACE_BY_LOW_BITS: [u8; 16] = [b' ', 0, 0, 0, 0, 0, 0, 0, 0, b'\t', b'\n', 0, 0x0C, b'\r', b'>', b'/'];

/// Bit that turns an ASCII capital letter into a small one.
const SMALL: u8 = 0x20;

#[cfg(target_arch = "x86_64")]
impl Compare for pulp::x86::V3 {
    type Bytes = [__m256i; 2];

    #[inline(always)]
    fn load(self, bytes: &[u8; 64]) -> Self::Bytes {
        pulp::cast(*bytes)
    }

    #[inline(always)]
    fn store(self, bytes: Self::Bytes) -> [u8; 64] {
        pulp::cast(bytes)
    }

    #[inline(always)]
    fn equal(self, bytes: Self::Bytes, byte: u8) -> u64 {
        let all = self.avx._mm256_set1_epi8(byte as i8);
        let equal = [self.avx2._mm256_cmpeq_epi8(bytes[0], all), self.avx2._mm256_cmpeq_epi8(bytes[1], all)];
        bits(self, equal)
    }

    #[inline(always)]
    fn range(self, bytes: Self::Bytes, first: u8, last: u8) -> u64 {
        let [low, high] = bytes;
        let inside = [in_range(self, low, first, last), in_range(self, high, first, last)];
        bits(self, inside)
    }

    #[inline(always)]
    fn wide(self, bytes: Self::Bytes) -> u64 {
        bits(self, bytes)
    }

    #[inline(always)]
    fn lower(self, bytes: Self::Bytes) -> Self::Bytes {
        [lower_half(self, bytes[0]), lower_half(self, bytes[1])]
    }

    #[inline(always)]
    fn space(self, bytes: Self::Bytes) -> u64 {
        let table: __m256i = pulp::cast([SPACE_BY_LOW_BITS; 2]);
        let candidates =
            [self.avx2._mm256_shuffle_epi8(table, bytes[0]), self.avx2._mm256_shuffle_epi8(table, bytes[1])];
        let equal = [
            self.avx2._mm256_cmpeq_epi8(bytes[0], candidates[0]),
            self.avx2._mm256_cmpeq_epi8(bytes[1], candidates[1]),
        ];
        bits(self, equal)
    }

    #[inline(always)]
    fn name_end(self, bytes: Self::Bytes) -> u64 {
        bits(self, [ends_name(self, bytes[0]), ends_name(self, bytes[1])])
    }

    #[inline(always)]
    fn word(self, bytes: Self::Bytes) -> u64 {
        bits(self, [of_word(self, bytes[0]), of_word(self, bytes[1])])
    }

    #[inline(always)]
    fn at_most(self, numbers: &[f32; 32], most: f32) -> u32 {
        let most = self.avx._mm256_set1_ps(most);
        let [a, b, c, d]: [__m256; 4] = pulp::cast(*numbers);
        let first = at_most_16(self, a, b, most);
        let second = at_most_16(self, c, d, most);
        // Fours of lanes lie as they come out of putting two vectors into one: the first fours of all vectors, then
        // the second.
        let fours = self.avx2._mm256_packs_epi16(first, second);
        let order: __m256i = pulp::cast([0, 4, 1, 5, 2, 6, 3, 7_i32]);
        self.avx2._mm256_movemask_epi8(self.avx2._mm256_permutevar8x32_epi32(fours, order)) as u32
    }
}

// Functions and no closures, as said of [`TaskOn`].

/// Returns the bytes with ASCII capital letters in lower case. Uses sums, because the compiler turns comparisons into
/// one step per byte. The highest bit of an ASCII byte plus a constant tells whether it is at least `A`, or more than
/// `Z`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn lower_half(simd: pulp::x86::V3, bytes: __m256i) -> __m256i {
    let low = simd.avx2._mm256_and_si256(bytes, simd.avx._mm256_set1_epi8(0x7F));
    let to_a = simd.avx._mm256_set1_epi8((0x80 - b'A') as i8);
    let past_z = simd.avx._mm256_set1_epi8((0x7F - b'Z') as i8);
    let from_a = simd.avx2._mm256_add_epi8(low, to_a);
    let past_z = simd.avx2._mm256_add_epi8(low, past_z);
    let capitals = simd.avx2._mm256_andnot_si256(past_z, from_a);
    let capitals = simd.avx2._mm256_andnot_si256(bytes, capitals);
    let highest = simd.avx._mm256_set1_epi8(i8::MIN);
    let capitals = simd.avx2._mm256_and_si256(capitals, highest);
    // From the highest bit to the one that makes a letter small.
    simd.avx2._mm256_or_si256(bytes, simd.avx2._mm256_srli_epi16::<2>(capitals))
}

/// Returns a vector with all bits set in the bytes that end the name of an HTML attribute.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn ends_name(simd: pulp::x86::V3, bytes: __m256i) -> __m256i {
    let table: __m256i = pulp::cast([TAG_SPACE_BY_LOW_BITS; 2]);
    let candidates = simd.avx2._mm256_shuffle_epi8(table, bytes);
    // Apart, as `=` has the lower bits of the carriage return.
    let equals = simd.avx2._mm256_cmpeq_epi8(bytes, simd.avx._mm256_set1_epi8(b'=' as i8));
    simd.avx2._mm256_or_si256(simd.avx2._mm256_cmpeq_epi8(bytes, candidates), equals)
}

/// Returns a vector with all bits set in the bytes that are ASCII letters or digits, or `_`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn of_word(simd: pulp::x86::V3, bytes: __m256i) -> __m256i {
    // The bit of small letters makes no other byte a letter.
    let small = simd.avx2._mm256_or_si256(bytes, simd.avx._mm256_set1_epi8(SMALL as i8));
    let letters = in_range(simd, small, b'a', b'z');
    let digits = in_range(simd, bytes, b'0', b'9');
    let line = simd.avx2._mm256_cmpeq_epi8(bytes, simd.avx._mm256_set1_epi8(b'_' as i8));
    simd.avx2._mm256_or_si256(simd.avx2._mm256_or_si256(letters, digits), line)
}

/// Returns a vector with all bits set in the bytes from `first` to `last`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn in_range(simd: pulp::x86::V3, bytes: __m256i, first: u8, last: u8) -> __m256i {
    let first_of_all = simd.avx._mm256_set1_epi8(first as i8);
    let length = simd.avx._mm256_set1_epi8((last - first) as i8);
    let from_first = simd.avx2._mm256_sub_epi8(bytes, first_of_all);
    let least = simd.avx2._mm256_min_epu8(from_first, length);
    simd.avx2._mm256_cmpeq_epi8(least, from_first)
}

/// Returns 16 bits for each of 16 numbers, all set if it is at most `most`. The second and the third group of four
/// numbers are swapped.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn at_most_16(simd: pulp::x86::V3, low: __m256, high: __m256, most: __m256) -> __m256i {
    let low = simd.avx._mm256_cmp_ps::<_CMP_LE_OQ>(low, most);
    let high = simd.avx._mm256_cmp_ps::<_CMP_LE_OQ>(high, most);
    simd.avx2._mm256_packs_epi32(pulp::cast(low), pulp::cast(high))
}

/// Returns the highest bit of each of 64 bytes, as a mask.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn bits(simd: pulp::x86::V3, bytes: [__m256i; 2]) -> u64 {
    let low = simd.avx2._mm256_movemask_epi8(bytes[0]) as u32;
    let high = simd.avx2._mm256_movemask_epi8(bytes[1]) as u32;
    u64::from(low) | u64::from(high) << 32
}

/// Portable form of vectors: one byte or number after the other, which compilers turn into vectors where they can.
#[derive(Clone, Copy)]
pub(super) struct Portable;

#[inline(always)]
fn mask<T: Copy>(all: &[T; 64], is_one: impl Fn(T) -> bool) -> u64 {
    all.iter().enumerate().fold(0, |mask, (at, one)| mask | u64::from(is_one(*one)) << at)
}

impl Compare for Portable {
    type Bytes = [u8; 64];

    #[inline(always)]
    fn load(self, bytes: &[u8; 64]) -> Self::Bytes {
        *bytes
    }

    #[inline(always)]
    fn store(self, bytes: Self::Bytes) -> [u8; 64] {
        bytes
    }

    #[inline(always)]
    fn equal(self, bytes: Self::Bytes, byte: u8) -> u64 {
        mask(&bytes, |one| one == byte)
    }

    #[inline(always)]
    fn range(self, bytes: Self::Bytes, first: u8, last: u8) -> u64 {
        mask(&bytes, |one| (first..=last).contains(&one))
    }

    #[inline(always)]
    fn wide(self, bytes: Self::Bytes) -> u64 {
        mask(&bytes, |one| !one.is_ascii())
    }

    #[inline(always)]
    fn lower(self, bytes: Self::Bytes) -> Self::Bytes {
        bytes.map(|one| one.to_ascii_lowercase())
    }

    #[inline(always)]
    fn space(self, bytes: Self::Bytes) -> u64 {
        mask(&bytes, |one| one.is_ascii_whitespace())
    }

    #[inline(always)]
    fn name_end(self, bytes: Self::Bytes) -> u64 {
        mask(&bytes, |one| one.is_ascii_whitespace() || matches!(one, b'/' | b'>' | b'='))
    }

    #[inline(always)]
    fn word(self, bytes: Self::Bytes) -> u64 {
        mask(&bytes, |one| one.is_ascii_alphanumeric() || one == b'_')
    }

    #[inline(always)]
    fn at_most(self, numbers: &[f32; 32], most: f32) -> u32 {
        numbers.iter().enumerate().fold(0, |mask, (at, number)| mask | u32::from(*number <= most) << at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Task that makes all comparisons of 64 bytes.
    struct AllComparisons<'a>(&'a [u8; 64]);

    impl ByteTask for AllComparisons<'_> {
        type Output = ([u64; 8], [u8; 64]);

        #[inline(always)]
        fn run<C: Compare>(self, form: C) -> Self::Output {
            let bytes = form.load(self.0);
            let masks = [
                form.equal(bytes, b'@'),
                form.range(bytes, b'a', b'z'),
                form.range(bytes, 0, 0x7F),
                form.range(bytes, b'0', b'0'),
                form.wide(bytes),
                form.space(bytes),
                form.name_end(bytes),
                form.word(bytes),
            ];
            (masks, form.store(form.lower(bytes)))
        }
    }

    fn expected(bytes: &[u8; 64]) -> ([u64; 8], [u8; 64]) {
        let mask = |is: &dyn Fn(u8) -> bool| {
            let bits = bytes.iter().enumerate();
            bits.fold(0, |mask, (at, &byte)| mask | u64::from(is(byte)) << at)
        };
        let masks = [
            mask(&|byte| byte == b'@'),
            mask(&|byte| byte.is_ascii_lowercase()),
            mask(&|byte| byte.is_ascii()),
            mask(&|byte| byte == b'0'),
            mask(&|byte| !byte.is_ascii()),
            mask(&|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0C)),
            mask(&|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0C | b'/' | b'>' | b'=')),
            mask(&|byte| byte.is_ascii_alphanumeric() || byte == b'_'),
        ];
        (masks, bytes.map(|byte| byte.to_ascii_lowercase()))
    }

    struct AtMost<'a>(&'a [f32; 32], f32);

    impl ByteTask for AtMost<'_> {
        type Output = u32;

        #[inline(always)]
        fn run<C: Compare>(self, form: C) -> u32 {
            form.at_most(self.0, self.1)
        }
    }

    #[test]
    fn every_form_compares_numbers_alike() {
        let numbers: [f32; 32] = std::array::from_fn(|at| match at % 9 {
            8 => f32::NAN,
            7 => f32::NEG_INFINITY,
            rest => rest as f32 * (at as f32 - 20.0),
        });
        for most in [0.0, -0.0, 3.5, -100.0, f32::INFINITY, f32::NAN] {
            let all = numbers.iter().enumerate();
            let expected = all.fold(0, |mask, (at, number)| mask | u32::from(*number <= most) << at);
            for vectors in Vectors::available() {
                assert_eq!(vectors.run(AtMost(&numbers, most)), expected, "{vectors:?} {most}");
            }
        }
    }

    #[test]
    fn every_form_tells_every_byte_at_every_place() {
        let forms = Vectors::available();
        println!("forms: {}", forms.len());
        for vectors in forms {
            for byte in 0..=255u8 {
                for filler in [0, b'a', b'Z', 0xA0] {
                    for at in 0..64 {
                        let mut bytes = [filler; 64];
                        bytes[at] = byte;
                        let found = vectors.run(AllComparisons(&bytes));
                        assert_eq!(found, expected(&bytes), "{vectors:?} {byte} at {at}");
                    }
                }
            }
        }
    }
}
