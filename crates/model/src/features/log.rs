//! Converts counts and booleans to feature values.

/// Number of counts, from 0, whose logarithms are in a table; those of larger counts are computed.
// 16 KB: nearly all counts of a page are smaller, and larger ones take the function.
const COUNTS: usize = 4096;

/// Natural logarithm of 1 + each count below [`COUNTS`], equal to what the standard library computes.
static LOGS: [f32; COUNTS] = {
    let mut logs = [0.0; COUNTS];
    let mut count = 0;
    while count < COUNTS {
        logs[count] = ln((count + 1) as f64) as f32;
        count += 1;
    }
    logs
};

/// Returns the natural logarithm of `value`, to more digits than single precision has. Powers of two are split off, and
/// for the rest m the series of 2 artanh((m - 1) / (m + 1)) is summed.
const fn ln(value: f64) -> f64 {
    let (mut rest, mut halvings) = (value, 0.0);
    // `f64::ln` cannot run while compiling; halving keeps the series short.
    while rest > 1.5 {
        rest /= 2.0;
        halvings += 1.0;
    }
    let z = (rest - 1.0) / (rest + 1.0);
    let mut sum = 0.0;
    // Sixteen terms: the rest is at most 1.5, so z is at most .2, and the series is exact beyond f64.
    let mut power = 31;
    while power > 0 {
        sum = sum * z * z + 1.0 / power as f64;
        power -= 2;
    }
    2.0 * z * sum + halvings * std::f64::consts::LN_2
}

/// A number whose logarithm is used as a feature.
pub(crate) trait Measure {
    /// Returns the natural logarithm of 1 + the value, which must not be negative.
    fn log(self) -> f32;
}

impl Measure for u32 {
    #[inline]
    fn log(self) -> f32 {
        (self as usize).log()
    }
}

impl Measure for u16 {
    #[inline]
    fn log(self) -> f32 {
        usize::from(self).log()
    }
}

impl Measure for usize {
    #[inline]
    fn log(self) -> f32 {
        match LOGS.get(self) {
            Some(log) => *log,
            None => (self as f64).ln_1p() as f32,
        }
    }
}

impl Measure for f64 {
    #[inline]
    fn log(self) -> f32 {
        // Many values are small counts.
        let count = self as u32;
        match LOGS.get(count as usize) {
            Some(log) if f64::from(count) == self => *log,
            _ => self.ln_1p() as f32,
        }
    }
}

/// Returns the natural logarithm of 1 + `value`, which must not be negative.
#[inline]
pub(crate) fn log(value: impl Measure) -> f32 {
    value.log()
}

/// Returns 1 for true and 0 for false.
pub(crate) fn flag(value: bool) -> f32 {
    f32::from(u8::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_logarithms_are_those_of_the_standard_library() {
        for count in 0..COUNTS as u32 + 10 {
            let expected = f64::from(count).ln_1p() as f32;
            assert_eq!(log(count).to_bits(), expected.to_bits(), "{count}");
            assert_eq!(log(count as usize).to_bits(), expected.to_bits());
            assert_eq!(log(f64::from(count)).to_bits(), expected.to_bits());
            let between = f64::from(count) + 0.3;
            assert_eq!(log(between), between.ln_1p() as f32);
        }
        assert_eq!(log(7u16), log(7u32));
    }
}
