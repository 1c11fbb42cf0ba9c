//! The choice of the metadata that documents have.

use serde::{Deserialize, Serialize};

/// Metadata of documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MetadataChoice {
    /// Few with the model `lite`, all with the others.
    #[default]
    Auto,
    /// All that a page states, and the language of the text.
    All,
    /// Title, date of publication and declared language; the language of the text only for a filter that needs it.
    Few,
}
