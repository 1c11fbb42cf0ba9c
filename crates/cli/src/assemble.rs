//! The last step of formats that are assembled.

use std::sync::Arc;

use anyhow::Result;
use trommel_sinks::{Assemble, Format};

/// What makes an output of `format` of its spool; none for formats that are written as they come.
///
/// # Errors
/// If the program was built without the format.
pub fn last_step(format: Format) -> Result<Option<Arc<dyn Assemble>>> {
    Ok(match format {
        #[cfg(feature = "parquet")]
        Format::Parquet => Some(Arc::new(trommel_sinks::Parquet)),
        #[cfg(feature = "index")]
        Format::Tantivy => Some(Arc::new(trommel_index::Tantivy)),
        other if other.is_assembled() => {
            anyhow::bail!("this program was built without the format {other}")
        }
        _ => None,
    })
}
