//! Memory set aside for what is in work.

/// Memory that is set aside for each byte of a page in work: its decoded text, tables and output.
pub(crate) const PAGE_FACTOR: u64 = 24;
