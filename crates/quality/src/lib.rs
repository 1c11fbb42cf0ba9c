//! What the shipped models need beside training: the report on their quality, the roles of blocks and the
//! correction by other pages of a site. Also the Markdown tables and SVG plots that reports are written with.

pub mod markdown;
pub mod quality;
pub mod rules;
pub mod sites;
pub mod svg;
