//! The reasons why a record gave no document, with their names.

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
    /// A warcinfo record, which describes the archive.
    Warcinfo,
    /// A request that the crawler sent.
    Request,
    /// A metadata record: the crawler's notes about another record.
    Metadata,
    /// A record that the crawler made itself, such as a log, its arguments or a copy of a page.
    CrawlerRecord,
    /// A capture equal to an earlier one, stored without its content.
    Revisit,
    /// A conversion other than plain text: another form of a capture, such as an image of the page.
    Conversion,
    /// A later part of a capture stored in several records.
    Continuation,
    /// A record of a type that the WARC standard does not define.
    UnknownType,
    /// A capture without content.
    NoPayload,
    /// A capture of content other than HTML or plain text, or a text for programs, such as robots.txt.
    NotHtml,
    /// A capture that its WACZ file does not list as a page, if only listed pages are wanted.
    NotListed,
    /// A page without text, if no output format can store such a page.
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
    /// The output format cannot encode the document.
    Encode,
    /// The program itself failed on the record (a panic).
    Panic,
}

impl DropReason {
    /// Returns the name of the reason in summaries.
    pub fn name(self) -> &'static str {
        match self {
            Self::Filtered(reason) => reason.name(),
            other => other.into(),
        }
    }
}

impl FailureKind {
    /// Returns the name of the failure kind in summaries.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl fmt::Display for DropReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
