//! The last step of formats that need all documents first.

use std::{path::Path, sync::Arc};

use trommel::{
    Format, Settings,
    output::{Assemble, OutputError},
};

/// The step that makes an output in this format from its spool, of a run with `settings`; none if the program was
/// built without it.
pub fn last_step(
    format: Format,
    #[cfg_attr(not(feature = "parquet"), allow(unused_variables))] settings: &Settings,
) -> Option<Arc<dyn Assemble>> {
    match format {
        #[cfg(feature = "parquet")]
        Format::Parquet => {
            let options = settings.document_options();
            Some(Arc::new(trommel::output::Parquet { optional: trommel::output::OptionalColumns::of(&options) }))
        }
        #[cfg(feature = "parquet")]
        Format::Annotations => {
            let base = settings.archive.base_url.clone();
            Some(Arc::new(trommel::output::AnnotationTable { base }))
        }
        #[cfg(feature = "index")]
        Format::Tantivy => Some(Arc::new(trommel_pipeline::index::Tantivy)),
        _ => None,
    }
}

/// The step that makes a Parquet file with the columns of this output; none if it is no Parquet file by its name.
///
/// # Errors
/// If its columns cannot be read.
#[cfg(feature = "parquet")]
pub fn like(output: &Path) -> Result<Option<Box<dyn Assemble>>, OutputError> {
    if output.extension().is_none_or(|end| end != "parquet") {
        return Ok(None);
    }
    Ok(Some(Box::new(trommel::output::Parquet::like(output)?)))
}

/// The same of a program that was built without Parquet.
///
/// # Errors
/// None.
#[cfg(not(feature = "parquet"))]
pub fn like(_: &Path) -> Result<Option<Box<dyn Assemble>>, OutputError> {
    Ok(None)
}
