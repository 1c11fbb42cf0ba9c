//! Errors of reading an archive file, and the reason why the plain bytes of a compressed member end.

use std::{io, sync::Arc};

/// A kind of damage in an archive, after which the reader continues with the next record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Damage {
    /// The file ends in the middle of a record or of a compressed member.
    #[error("file is cut")]
    Cut,
    /// Compressed data that can't be decoded.
    #[error("compressed data is damaged")]
    Codec,
    /// A member that was decoded to its end, but has a wrong checksum or length.
    #[error("checksum or length of a compressed member is wrong")]
    Checksum,
    /// Bytes between records that belong to no record.
    #[error("bytes that belong to no record")]
    Junk,
    /// A record whose header has no end, is too long, or has no field.
    #[error("record header can't be read")]
    Header,
    /// The block of a record in an archive without compression is longer or shorter than its header says, or the header
    /// states no length: a piece of the file is missing, or the writer counted wrong.
    #[error("length of a record is wrong or missing")]
    Length,
    /// Zeros where compressed data should be: a part of the file was never written, or lost.
    #[error("zeros in place of data")]
    Zeros,
    /// The file became shorter while it was read.
    #[error("file became shorter while it was read")]
    Shrunk,
    /// A zstd dictionary at the head of the file that can't be used.
    #[error("zstd dictionary can't be used")]
    Dictionary,
}

/// An error in reading an archive file.
///
/// After [`ArchiveError::Damage`] the reader continues with the next record. All others end the reading.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The bytes could not be read.
    #[error("{file}{}: {source}", if *offset == 0 { String::new() } else { format!(": offset {offset}") })]
    Io {
        /// Name of the archive.
        file: Arc<str>,
        /// Stored bytes read before the error.
        offset: u64,
        /// The error of the system.
        source: io::Error,
    },
    /// The file is empty, or has only empty members and blank lines.
    #[error("{file}: empty archive")]
    Empty {
        /// Name of the archive.
        file: Arc<str>,
    },
    /// Neither WARC nor ARC.
    #[error("{file}: not a WARC or ARC archive (begins with {hint})")]
    NotAnArchive {
        /// Name of the archive.
        file: Arc<str>,
        /// The first plain bytes, escaped.
        hint: String,
    },
    /// A container or compression that is recognised but not read.
    #[error("{file}: {what} files are not supported")]
    Unsupported {
        /// Name of the archive.
        file: Arc<str>,
        /// Name of the compression or container.
        what: &'static str,
    },
    /// Reading cannot continue, because the file has changed.
    #[error("{file}: changed since its reading was interrupted")]
    Changed {
        /// Name of the archive.
        file: Arc<str>,
    },
    /// Damage that has been passed.
    #[error("{file}: offset {offset}: {what}, {lost} bytes lost")]
    Damage {
        /// Name of the archive.
        file: Arc<str>,
        /// Stored offset where the damage begins: after the last whole record that the member gave,
        /// or the start of the member if it gave none.
        offset: u64,
        /// Stored bytes from there on that gave no whole record. Junk inside of a compressed member
        /// counts in plain bytes. Of a record in which the file ends: bytes of its block that are
        /// missing. Of a record whose length is wrong: bytes that it has more or less than stated, 0 if nothing
        /// is.
        lost: u64,
        /// The kind of damage.
        what: Damage,
    },
}

impl ArchiveError {
    /// Returns whether the error ends the reading of the file.
    pub fn is_fatal(&self) -> bool {
        !matches!(self, ArchiveError::Damage { .. })
    }

    /// Returns whether the system failed to read existing bytes, as it does on a failing disk.
    pub fn is_of_system(&self) -> bool {
        use io::ErrorKind::{
            InvalidData, InvalidInput, IsADirectory, NotADirectory, NotFound, PermissionDenied, UnexpectedEof,
        };
        let ArchiveError::Io { source, .. } = self else { return false };
        let is_not_there = matches!(source.kind(), NotFound | PermissionDenied | IsADirectory | NotADirectory);
        let is_of_content = matches!(source.kind(), InvalidData | InvalidInput | UnexpectedEof);
        !is_not_there && !is_of_content
    }

    /// Returns the stored offset of the error; 0 for errors of the whole file.
    pub fn offset(&self) -> u64 {
        match self {
            ArchiveError::Io { offset, .. } | ArchiveError::Damage { offset, .. } => *offset,
            _ => 0,
        }
    }

    /// Returns the name of the archive in which the error occurred.
    pub fn file(&self) -> &str {
        match self {
            ArchiveError::Io { file, .. }
            | ArchiveError::Empty { file }
            | ArchiveError::NotAnArchive { file, .. }
            | ArchiveError::Changed { file }
            | ArchiveError::Unsupported { file, .. }
            | ArchiveError::Damage { file, .. } => file,
        }
    }
}

/// Reason why a record gave no payload.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PayloadError {
    /// Records of this type hold no payload of a capture.
    #[error("{0} records have no payload")]
    NoPayload(crate::RecordType),
}

/// The kind of bytes found at the place where the next member of a compressed file should begin.
pub(crate) enum MemberStart {
    /// A member with a valid header.
    Member,
    /// The end of the input.
    End,
    /// Bytes that are not a member.
    Broken(Damage),
}

/// Reason why a decoder returns no further plain bytes for now.
#[derive(Debug)]
pub(crate) enum MemberStop {
    /// The member has ended well: `advance` opens the next.
    MemberEnd,
    /// The file has ended.
    End,
    /// The member can't be decoded further: `resync` looks for the next.
    Broken(Damage),
    /// The input failed.
    Failed(io::Error),
}
