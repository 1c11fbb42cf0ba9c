//! Writes the report on the quality of the models, as tables and plots.
//!
//! Training stores the cross-validation result of each page ([`JudgedSet`](trommel_learn::JudgedSet)). The
//! report compares it with the floors, and shows the scores of the models on sets that they were not trained
//! on. The gold includes the comments unless a row says otherwise.

mod calibration;
mod deciles;
mod error;
mod figures;
mod floors;
mod held_out;
mod means;
mod plot;
mod rank;
mod report;
mod run;
#[cfg(test)]
mod samples;
mod tables;

pub use calibration::{BINS, Bin, Calibration};
pub use deciles::{Decile, deciles};
pub use error::QualityError;
pub use held_out::{HELD_OUT, HeldOut, held_out};
pub use means::means;
pub use rank::spearman;
pub use run::{NOTES, write};
