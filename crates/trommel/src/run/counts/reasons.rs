//! Names the reasons why a record gave no document.

use std::fmt;

use serde::{Deserialize, Serialize};
use strum::{Display, IntoStaticStr};
use trommel_record::filters::Reason;

/// Reason why a record was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
#[non_exhaustive]
pub enum DropReason {
    /// A record that describes the archive.
    Warcinfo,
    /// A request that the crawler sent.
    Request,
    /// The crawler's notes about another record.
    Metadata,
    /// A record that the crawler made itself: a log, its arguments, a copy of a page.
    CrawlerRecord,
    /// A capture equal to an earlier one, stored without its content.
    Revisit,
    /// Another form of a capture, such as its text.
    Conversion,
    /// A later part of a capture stored in several records.
    Continuation,
    /// A record type outside the standard.
    UnknownType,
    /// A capture without content.
    NoPayload,
    /// A capture of something else than HTML.
    NotHtml,
    /// A capture that the WACZ file does not list as a page, where only pages are wanted.
    NotListed,
    /// A page without text, in a format that has no place for one.
    NoText,
    /// A page that a filter dropped.
    // In files a filter's reason is a name like all others.
    #[serde(untagged)]
    Filtered(Reason),
}

/// Reason why a record that should have given a document gave none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr, Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
#[non_exhaustive]
pub enum FailureKind {
    /// The payload of the record cannot be decoded.
    Payload,
    /// The output format refused the document.
    Encode,
    /// The program met a fault of its own on this record.
    Panic,
}

impl DropReason {
    /// The name used in summaries.
    pub fn name(self) -> &'static str {
        match self {
            Self::Filtered(reason) => reason.name(),
            other => other.into(),
        }
    }
}

impl FailureKind {
    /// The name used in summaries.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl fmt::Display for DropReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
