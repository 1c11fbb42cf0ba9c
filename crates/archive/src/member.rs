//! Compressed members: their first bytes, and the reason why their plain bytes end.

use std::io;

use crate::error::Damage;

/// The kind of beginning of the next member.
pub(crate) enum MemberStart {
    /// A member with a valid header.
    Member,
    /// The end of the input.
    End,
    /// Bytes that are not a member.
    Broken(Damage),
}

/// Reason why no further plain bytes come for now.
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
