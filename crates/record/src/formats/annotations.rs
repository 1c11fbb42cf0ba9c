//! Annotations: Parquet, a row a page without its text, assembled from a spool of MessagePack maps.

#[cfg(feature = "parquet")]
mod table;

#[cfg(feature = "parquet")]
pub use table::AnnotationTable;

use crate::{Annotation, Encode, OutputError, OutputRecord};

/// Encodes records as MessagePack maps of [`Annotation`]: the spool of a table.
#[derive(Clone, Copy, Debug)]
pub struct Annotations;

impl Encode for Annotations {
    fn record(&self, record: &OutputRecord, out: &mut Vec<u8>) -> Result<bool, OutputError> {
        rmp_serde::encode::write_named(out, &Annotation::from(record))?;
        Ok(true)
    }
}
