//! The last step of formats that need all documents first.

use std::sync::Arc;

use trommel::{DocumentOptions, Format, output::Assemble};

/// The step that makes an output in this format from its spool, of documents made with `options`; none if
/// the program was built without it.
pub fn last_step(
    format: Format,
    #[cfg_attr(not(feature = "parquet"), allow(unused_variables))] options: &DocumentOptions,
) -> Option<Arc<dyn Assemble>> {
    match format {
        #[cfg(feature = "parquet")]
        Format::Parquet => {
            Some(Arc::new(trommel::output::Parquet { optional: trommel::output::OptionalColumns::of(options) }))
        }
        #[cfg(feature = "index")]
        Format::Tantivy => Some(Arc::new(trommel_pipeline::index::Tantivy)),
        _ => None,
    }
}
