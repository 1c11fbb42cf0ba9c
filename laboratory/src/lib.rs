//! The laboratory: all that serves papers and floors and no user of the product. The published methods,
//! their results on the labelled sets, the reports on the quality of the models, and what extraction is
//! worth to an index.

pub mod adaptation;
pub mod cluster;
pub mod layout;
pub mod methods;
pub mod paper_variant;
pub mod rendered;
pub mod results;
pub mod retrieval;
pub mod segmentation;
pub mod vips;
pub mod visual_content;
