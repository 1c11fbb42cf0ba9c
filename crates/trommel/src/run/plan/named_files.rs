//! The files that settings name, by their content.

/// Names and checksums of the files that settings name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedFiles {
    /// Name of the model and its SHA-256.
    pub model: String,
    /// SHA-256 of the memory of sites; empty without one.
    pub sites: String,
    /// SHA-256 of the tokenizer; empty without one.
    pub tokenizer: String,
    /// SHA-256 of the lists of hosts, separated by commas; empty without one.
    pub hosts: String,
}
