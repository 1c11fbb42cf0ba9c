//! Reports and training for the built-in models: their quality, their confidences, the roles of blocks, and the
//! correction by other pages of a site. It also writes the Markdown tables and SVG plots of the reports.

pub mod confidences;
pub mod favor;
pub mod markdown;
pub mod quality;
pub mod rules;
pub mod sites;
pub mod svg;
