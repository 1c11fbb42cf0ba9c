//! Errors of reading an archive file, and the reason why the plain bytes of a compressed member end.

use std::{io, sync::Arc};

/// Kind of damage in an archive, after which the reader continues with the next record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Damage {
    /// The file ends in the middle of a record or of a compressed member.
    #[error("file is cut")]
    Cut,
    /// Compressed data cannot be decoded.
    #[error("compressed data is damaged")]
    Codec,
    /// The decoded bytes of a gzip member do not match its checksum or length.
    #[error("checksum or length of a compressed member is wrong")]
    Checksum,
    /// Bytes between two records belong to no record.
    #[error("bytes that belong to no record")]
    Junk,
    /// The header of a record has no end, is too long, or has no field.
    #[error("record header can't be read")]
    Header,
    /// The block of an uncompressed record is longer or shorter than its header says, or the header states no length. A
    /// piece of the file is missing, or the writer counted wrong.
    #[error("length of a record is wrong or missing")]
    Length,
    /// Zeros replace compressed data: a part of the file was never written, or was lost.
    #[error("zeros in place of data")]
    Zeros,
    /// The file became shorter while it was read.
    #[error("file became shorter while it was read")]
    Shrunk,
    /// The zstd dictionary at the start of the file cannot be used.
    #[error("zstd dictionary can't be used")]
    Dictionary,
}

/// Error of reading an archive file.
///
/// After [`ArchiveError::Damage`] the reader continues with the next record. All others end the reading.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The bytes of the archive could not be read.
    #[error("{file}{}: {source}", if *offset == 0 { String::new() } else { format!(": offset {offset}") })]
    Io {
        /// Name of the archive.
        file: Arc<str>,
        /// Number of stored (compressed) bytes read before the error.
        offset: u64,
        /// Error that the operating system reported.
        source: io::Error,
    },
    /// The archive is empty, or has only empty members and blank lines.
    #[error("{file}: empty archive")]
    Empty {
        /// Name of the archive.
        file: Arc<str>,
    },
    /// The file is neither a WARC nor an ARC archive.
    #[error("{file}: not a WARC or ARC archive (begins with {hint})")]
    NotAnArchive {
        /// Name of the archive.
        file: Arc<str>,
        /// First decompressed bytes of the file, escaped for a message.
        hint: String,
    },
    /// The file is in a container or compression that is recognised but cannot be read.
    #[error("{file}: {what} files are not supported")]
    Unsupported {
        /// Name of the archive.
        file: Arc<str>,
        /// Name of the compression or container.
        what: &'static str,
    },
    /// Reading cannot continue where it was interrupted, because the file has changed.
    #[error("{file}: changed since its reading was interrupted")]
    Changed {
        /// Name of the archive.
        file: Arc<str>,
    },
    /// A damaged part of the archive was skipped, and reading continues.
    #[error("{file}: offset {offset}: {what}, {lost} bytes lost")]
    Damage {
        /// Name of the archive.
        file: Arc<str>,
        /// Byte offset in the archive file at which the damage begins. That is after the last whole record of the
        /// damaged member, or at the start of the member if no record of it was read.
        offset: u64,
        /// Number of stored (compressed) bytes lost from `offset` on. For junk inside a compressed member: decompressed
        /// bytes. If the file ends in a record: bytes missing of its block. If the length of a record is wrong: the
        /// difference to the stated length, or 0 if none is stated.
        lost: u64,
        /// Kind of the damage.
        what: Damage,
    },
}

impl ArchiveError {
    /// Returns whether reading of the file stops at this error.
    pub fn is_fatal(&self) -> bool {
        !matches!(self, ArchiveError::Damage { .. })
    }

    /// Returns whether the operating system failed to read bytes that exist, for example on a failing disk.
    pub fn is_of_system(&self) -> bool {
        use io::ErrorKind::{
            InvalidData, InvalidInput, IsADirectory, NotADirectory, NotFound, PermissionDenied, UnexpectedEof,
        };
        let ArchiveError::Io { source, .. } = self else { return false };
        let is_not_there = matches!(source.kind(), NotFound | PermissionDenied | IsADirectory | NotADirectory);
        let is_of_content = matches!(source.kind(), InvalidData | InvalidInput | UnexpectedEof);
        !is_not_there && !is_of_content
    }

    /// Returns the byte offset in the archive file at which the error occurred; 0 for errors of the whole file.
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

/// Reason why no payload could be read from a record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PayloadError {
    /// The record is of a type that holds no payload of a capture, such as a request.
    #[error("{0} records have no payload")]
    NoPayload(crate::RecordType),
}

/// Kind of bytes found where the next member of a compressed file should begin.
pub(crate) enum MemberStart {
    /// A member with a valid header begins here.
    Member,
    /// The input ends here.
    End,
    /// The bytes here do not begin a member, because of this damage.
    Broken(Damage),
}

/// Reason why decoding stopped in the current member of a compressed file.
#[derive(Debug)]
pub(crate) enum MemberStop {
    /// The member ended without damage; another one may follow.
    MemberEnd,
    /// The input ended.
    End,
    /// The member is damaged and cannot be decoded further; the next member must be searched for.
    Broken(Damage),
    /// Reading the input failed with this error.
    Failed(io::Error),
}
