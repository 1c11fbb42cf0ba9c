//! An entry of a ZIP file.

use crate::name::is_archive;

/// Bytes of a header before the name.
pub(crate) const LOCAL_HEADER: u64 = 30;
/// The first bytes of a header.
pub(crate) const LOCAL: [u8; 4] = *b"PK\x03\x04";

/// The storage method of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageMethod {
    /// Stored without compression.
    Stored,
    /// Deflated.
    Deflated,
    /// Another compression, by its number, which is not supported.
    Other(u16),
}

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name as it stands.
    pub name: String,
    /// The storage method.
    pub method: StorageMethod,
    /// True if it is encrypted, and so not read.
    pub encrypted: bool,
    /// Bytes that it takes in the container.
    pub stored: u64,
    /// Offset of its header in the container.
    pub header: u64,
}

impl Entry {
    /// Returns whether its name leads to a place below the container's root.
    pub fn is_below_root(&self) -> bool {
        let is_drive = self.name.as_bytes().get(1) == Some(&b':');
        !self.name.starts_with(['/', '\\']) && !is_drive && self.name.split(['/', '\\']).all(|part| part != "..")
    }

    /// Returns whether it may hold captures by its name, but is not read: an archive elsewhere than in `archive/`, or a
    /// file there that is no archive.
    pub fn is_passed_over(&self) -> bool {
        let is_file = !self.name.ends_with('/');
        is_file && !self.is_archive() && (self.name.starts_with("archive/") || is_archive(&self.name))
    }

    /// Returns whether it says to be an archive of the container.
    pub(crate) fn is_archive(&self) -> bool {
        self.name.starts_with("archive/") && is_archive(&self.name)
    }
}
