//! Lists the strengths of the L2 penalty of models that judge blocks.

/// Candidates of cross-validation for a linear model.
pub(super) const OF_LINEAR: [f64; 4] = [1e-5, 1e-4, 1e-3, 1e-2];
/// Penalty of the leaves of an additive model.
pub(super) const OF_ADDITIVE: f64 = 5.0;
/// Candidates of cross-validation for a model that is adapted to own pages.
pub(super) const OF_ADAPTED: [f64; 5] = [1.0, 3e-1, 1e-1, 3e-2, 1e-2];
