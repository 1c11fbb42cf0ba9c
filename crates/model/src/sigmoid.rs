//! Turns log odds into probabilities.

/// The logistic function.
pub fn sigmoid(log_odds: f32) -> f32 {
    1.0 / (1.0 + (-log_odds).exp())
}
