//! Settings of the correction of the model by other pages of a site, with their defaults.

use serde::{Deserialize, Serialize};
use trommel_text::ByteSize;

/// Correction of the model by other pages of a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct SiteSettings {
    /// Correct the model by other pages of the same site.
    pub memory: SiteMode,
    /// Use the site memory in this file (from `trommel sites build`) instead of `site_memory`.
    pub file: Option<String>,
    /// Maximum memory for counts of sites, at least 1M. Beyond it an even sample of the blocks is kept.
    pub size: ByteSize,
}

impl Default for SiteSettings {
    fn default() -> Self {
        Self { memory: SiteMode::Off, file: None, size: ByteSize(1 << 30) }
    }
}

/// The source of knowledge about other pages of a site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SiteMode {
    /// Judge every page by itself.
    #[default]
    Off,
    /// Count all inputs in a first pass, and extract in a second.
    TwoPass,
}
