//! Assembles a Parquet file that replaces another, with the columns of the old one.

use std::path::Path;

use trommel::record::{Assemble, OutputError};

/// The step that makes a Parquet file with the columns of this output; none if it is no Parquet file by its name.
///
/// # Errors
/// If its columns cannot be read.
#[cfg(feature = "parquet")]
pub fn like(output: &Path) -> Result<Option<Box<dyn Assemble>>, OutputError> {
    if output.extension().is_none_or(|end| end != "parquet") {
        return Ok(None);
    }
    Ok(Some(Box::new(trommel::record::Parquet::like(output)?)))
}

/// The same of a program that was built without Parquet.
///
/// # Errors
/// None.
#[cfg(not(feature = "parquet"))]
pub fn like(_: &Path) -> Result<Option<Box<dyn Assemble>>, OutputError> {
    Ok(None)
}
