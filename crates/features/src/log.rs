//! How counts and truths become numbers.

use std::sync::LazyLock;

/// Logarithms of 1 + each count that is common.
static LOGS: LazyLock<Vec<f32>> =
    LazyLock::new(|| (0..4096u32).map(|n| f64::from(n).ln_1p() as f32).collect());

/// Natural logarithm of 1 + `value`, which is not negative.
#[inline]
pub(crate) fn log(value: impl Into<f64>) -> f32 {
    let value = value.into();
    // Nearly all values are small counts.
    let count = value as u32;
    match LOGS.get(count as usize) {
        Some(log) if f64::from(count) == value => *log,
        _ => value.ln_1p() as f32,
    }
}

/// 1 if true, else 0.
pub(crate) fn flag(value: bool) -> f32 {
    f32::from(u8::from(value))
}
