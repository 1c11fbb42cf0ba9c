//! Sums whole numbers in 64 lanes at once; each summand is added only in chosen lanes.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m256, __m256i, _CMP_LT_OQ};

use super::Portable;

/// Vector instructions that add 16-bit numbers in 64 lanes. Between calls of [`Tally::pour`], each sum must stay within
/// 16 bits.
pub trait Tally: Copy {
    /// Set of lanes (places in a vector) that are chosen, for instance by a comparison.
    type Lanes: Copy + 'static;
    /// One 16-bit sum per lane.
    type Sums: Copy;

    /// Returns the lanes (places in the vector) whose number is above `edge`; NaN never is.
    fn above(self, numbers: &[f32; 64], edge: f32) -> Self::Lanes;

    /// Returns the highest of the numbers except NaN; minus infinity if none is left.
    fn highest(self, numbers: &[f32; 64]) -> f32;

    /// Returns sums that are `number` in all lanes.
    fn in_all(self, number: i16) -> Self::Sums;

    /// Adds a number to the sums in the chosen lanes.
    #[inline(always)]
    fn add(self, sums: Self::Sums, lanes: Self::Lanes, number: i16) -> Self::Sums {
        self.add_sums(sums, lanes, self.in_all(number))
    }

    /// Adds other sums to the sums in the chosen lanes.
    fn add_sums(self, sums: Self::Sums, lanes: Self::Lanes, others: Self::Sums) -> Self::Sums;

    /// Adds the 16-bit sums to 32-bit totals.
    fn pour(self, sums: Self::Sums, into: &mut [i32; 64]);
}

#[cfg(target_arch = "x86_64")]
impl Tally for pulp::x86::V3 {
    /// Sixteen bits per lane, all set in chosen lanes. Of each 16 lanes, the second and the third four are swapped, as
    /// they come out of the instruction that joins two vectors; [`Tally::pour`] swaps them back.
    type Lanes = [__m256i; 4];
    type Sums = [__m256i; 4];

    #[inline(always)]
    fn above(self, numbers: &[f32; 64], edge: f32) -> Self::Lanes {
        let edge = self.avx._mm256_set1_ps(edge);
        let mut lanes = self.in_all(0);
        let parts = numbers.as_chunks::<16>().0;
        for (lanes, part) in lanes.iter_mut().zip(parts) {
            let [low, high]: [__m256; 2] = pulp::cast(*part);
            let low = self.avx._mm256_cmp_ps::<_CMP_LT_OQ>(edge, low);
            let high = self.avx._mm256_cmp_ps::<_CMP_LT_OQ>(edge, high);
            *lanes = self.avx2._mm256_packs_epi32(pulp::cast(low), pulp::cast(high));
        }
        lanes
    }

    #[inline(always)]
    fn highest(self, numbers: &[f32; 64]) -> f32 {
        let mut highest = self.avx._mm256_set1_ps(f32::NEG_INFINITY);
        for part in numbers.as_chunks::<8>().0 {
            // Gives the second of two if one is no number.
            highest = self.avx._mm256_max_ps(pulp::cast(*part), highest);
        }
        highest_of::<8>(pulp::cast(highest))
    }

    #[inline(always)]
    fn in_all(self, number: i16) -> Self::Sums {
        [self.avx._mm256_set1_epi16(number); 4]
    }

    #[inline(always)]
    fn add_sums(self, mut sums: Self::Sums, lanes: Self::Lanes, others: Self::Sums) -> Self::Sums {
        for ((sum, lanes), other) in sums.iter_mut().zip(lanes).zip(others) {
            let chosen = self.avx2._mm256_and_si256(lanes, other);
            *sum = self.avx2._mm256_add_epi16(*sum, chosen);
        }
        sums
    }

    #[inline(always)]
    fn pour(self, sums: Self::Sums, into: &mut [i32; 64]) {
        let parts = into.as_chunks_mut::<16>().0.iter_mut().zip(sums);
        for (into, part) in parts {
            let signs = self.avx2._mm256_srai_epi16::<15>(part);
            let wide = [self.avx2._mm256_unpacklo_epi16(part, signs), self.avx2._mm256_unpackhi_epi16(part, signs)];
            for (into, wide) in into.as_chunks_mut::<8>().0.iter_mut().zip(wide) {
                let before: __m256i = pulp::cast(*into);
                *into = pulp::cast(self.avx2._mm256_add_epi32(before, wide));
            }
        }
    }
}

/// Returns the highest of the numbers except NaN; minus infinity if none is left.
#[inline(always)]
fn highest_of<const N: usize>(numbers: [f32; N]) -> f32 {
    numbers.iter().fold(f32::NEG_INFINITY, |highest, number| if *number > highest { *number } else { highest })
}

impl Tally for Portable {
    /// Sixteen bits per lane, all set in chosen lanes.
    type Lanes = [i16; 64];
    type Sums = [i16; 64];

    #[inline(always)]
    fn above(self, numbers: &[f32; 64], edge: f32) -> Self::Lanes {
        let mut lanes = [0; 64];
        for (lane, number) in lanes.iter_mut().zip(numbers) {
            *lane = -i16::from(edge < *number);
        }
        lanes
    }

    #[inline(always)]
    fn highest(self, numbers: &[f32; 64]) -> f32 {
        highest_of(*numbers)
    }

    #[inline(always)]
    fn in_all(self, number: i16) -> Self::Sums {
        [number; 64]
    }

    #[inline(always)]
    fn add_sums(self, mut sums: Self::Sums, lanes: Self::Lanes, others: Self::Sums) -> Self::Sums {
        for ((sum, lane), other) in sums.iter_mut().zip(lanes).zip(others) {
            *sum = sum.wrapping_add(lane & other);
        }
        sums
    }

    #[inline(always)]
    fn pour(self, sums: Self::Sums, into: &mut [i32; 64]) {
        for (into, sum) in into.iter_mut().zip(sums) {
            *into = into.wrapping_add(i32::from(sum));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::vectors::{ByteTask, Compare, Vectors};

    /// Task that sums 3 in all lanes, -20000 where numbers are above the first edge, and 700 where they are above both.
    struct Summed<'a>(&'a [f32; 64], [f32; 2]);

    impl ByteTask for Summed<'_> {
        type Output = [i32; 64];

        #[inline(always)]
        fn run<C: Compare>(self, form: C) -> [i32; 64] {
            let Self(numbers, [first, second]) = self;
            let (first, second) = (form.above(numbers, first), form.above(numbers, second));
            let mut all = std::array::from_fn(|at| at as i32 * 100_000);
            let inner = form.add(form.in_all(-20000), second, 700);
            let sums = form.add_sums(form.in_all(3), first, inner);
            form.pour(sums, &mut all);
            form.pour(sums, &mut all);
            all
        }
    }

    struct Highest<'a>(&'a [f32; 64]);

    impl ByteTask for Highest<'_> {
        type Output = f32;

        #[inline(always)]
        fn run<C: Compare>(self, form: C) -> f32 {
            form.highest(self.0)
        }
    }

    #[test]
    fn every_form_finds_the_highest() {
        let mut numbers: [f32; 64] = std::array::from_fn(|at| if at % 5 == 0 { f32::NAN } else { -1.0 });
        for vectors in Vectors::available() {
            assert_eq!(vectors.run(Highest(&[f32::NAN; 64])), f32::NEG_INFINITY, "{vectors:?}");
            for at in 0..64 {
                let before = std::mem::replace(&mut numbers[at], 2.5);
                assert_eq!(vectors.run(Highest(&numbers)), 2.5, "{vectors:?} {at}");
                numbers[at] = before;
            }
            assert_eq!(vectors.run(Highest(&numbers)), -1.0, "{vectors:?}");
        }
    }

    #[test]
    fn every_form_adds_in_the_chosen_lanes() {
        let numbers: [f32; 64] = std::array::from_fn(|at| match at % 9 {
            8 => f32::NAN,
            7 => f32::NEG_INFINITY,
            6 => f32::INFINITY,
            rest => rest as f32 * (at as f32 - 20.0),
        });
        for edges in [[0.0, 50.0], [-100.0, -0.0], [f32::INFINITY, 0.0], [f32::NAN, 0.0]] {
            let expected: [i32; 64] = std::array::from_fn(|at| {
                let inner = if numbers[at] > edges[1] { -19300 } else { -20000 };
                let sum = if numbers[at] > edges[0] { 3 + inner } else { 3 };
                at as i32 * 100_000 + 2 * sum
            });
            for vectors in Vectors::available() {
                let found = vectors.run(Summed(&numbers, edges));
                assert_eq!(found, expected, "{vectors:?} {edges:?}");
            }
        }
    }
}
