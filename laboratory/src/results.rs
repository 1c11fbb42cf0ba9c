//! The results of every method on the labelled sets, written as tables and a plot.
//!
//! Learning methods are fitted on `dragnet-train` alone. The gold is the text with the comments, as in
//! Peters and Lecocq (WWW 2013, section 4).

mod cetr;
mod error;
mod figures;
mod growth;
mod kim;
mod measure;
mod paper;
mod plot;
mod report;
mod run;
mod set;
mod speed;
mod stacking;

pub use error::ResultsError;
pub use growth::{GROWTH_BLOCKS, PageShape, synthetic};
pub use run::run;
