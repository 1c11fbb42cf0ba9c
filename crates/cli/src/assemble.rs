//! The last step of formats that are assembled.

use std::{collections::BTreeMap, sync::Arc};

use anyhow::{Result, bail};
use trommel_extract::DocumentOptions;
use trommel_output::{Assemble, Format};
use trommel_pipeline::Output;

/// What makes outputs of their spools, for the formats that are not written as they come, of
/// documents made with `options`.
///
/// # Errors
/// If the program was built without one of them.
pub fn last_steps(
    output: &Output,
    #[cfg_attr(not(feature = "parquet"), allow(unused_variables))] options: &DocumentOptions,
) -> Result<BTreeMap<Format, Arc<dyn Assemble>>> {
    let mut steps = BTreeMap::new();
    for encoding in &output.encodings {
        let format = encoding.format;
        let step: Option<Arc<dyn Assemble>> = match format {
            #[cfg(feature = "parquet")]
            Format::Parquet => Some(Arc::new(trommel_output::Parquet {
                optional: trommel_output::OptionalColumns::of(options),
            })),
            #[cfg(feature = "index")]
            Format::Tantivy => Some(Arc::new(trommel_index::Tantivy)),
            other if other.is_assembled() => {
                bail!("this program was built without the format {other}")
            }
            _ => None,
        };
        steps.extend(step.map(|step| (format, step)));
    }
    Ok(steps)
}
