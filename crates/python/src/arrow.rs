//! Documents as Arrow record batches, and pages from Arrow arrays.

mod batch;
mod capsule;
mod columns;

pub(crate) use batch::PyRecordBatch;
pub(crate) use capsule::arrays;
pub(crate) use columns::ArrowColumns;
