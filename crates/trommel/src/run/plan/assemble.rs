//! Chooses the assembler of formats that need all documents first.

use std::sync::Arc;

use crate::{Format, Settings};
use trommel_record::{Assemble, PageFolder, Printed};

/// Makes an output in this format from its spool, for a run with `settings`; none if the program was built without
/// the format.
pub(crate) fn assembler(
    format: Format,
    #[cfg_attr(not(feature = "parquet"), allow(unused_variables))] settings: &Settings,
) -> Option<Arc<dyn Assemble>> {
    match format {
        #[cfg(feature = "parquet")]
        Format::Parquet => {
            let options = settings.document_options();
            Some(Arc::new(trommel_record::Parquet { optional: trommel_record::OptionalColumns::of(&options) }))
        }
        #[cfg(feature = "parquet")]
        Format::Annotations => {
            let base = settings.archive.base_url.clone();
            Some(Arc::new(trommel_record::AnnotationTable { base }))
        }
        #[cfg(feature = "index")]
        Format::Tantivy => Some(Arc::new(crate::index::Tantivy)),
        Format::Text => Some(Arc::new(PageFolder(Printed::Text))),
        Format::Markdown => Some(Arc::new(PageFolder(Printed::Markdown))),
        _ => None,
    }
}
