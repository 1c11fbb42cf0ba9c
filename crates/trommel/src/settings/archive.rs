//! Settings of the reading of archives, with their defaults.

use serde::{Deserialize, Serialize};

/// Reading of archives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ArchiveSettings {
    /// Take only the pages that a WACZ file lists (pages/*.jsonl).
    pub pages_only: bool,
    /// Take the copies of pages that a crawler's browser left (urn:text, urn:dom) as documents where the page gave no
    /// text. Only a script writes such pages.
    pub crawler_text: bool,
    /// Compare the contents of WACZ files with the hashes that they state. Differences count as damage, but the
    /// contents are still read.
    pub check_hashes: bool,
    /// Give revisits the content of the captures they refer to, if the inputs contain them. The inputs are read
    /// twice.
    pub resolve_revisits: bool,
    /// URL or folder to resolve names in manifests and indexes against, instead of their own folder.
    pub base_url: Option<String>,
    /// Allow names in an index outside of the base URL: `..`, absolute paths, other hosts, and buckets, which are
    /// read with the keys of the environment.
    pub select_anywhere: bool,
    /// Take all records in each range of an index instead of the first.
    pub whole_ranges: bool,
}
