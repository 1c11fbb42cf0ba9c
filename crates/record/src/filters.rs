//! Keeps or drops documents, each drop with its [`Reason`].
//!
//! [`Filters`] are what [`FilterSettings`] ask for. Most need only one page and have no state, so workers apply them in
//! any order. [`Duplicates`] compare a page with earlier ones: they are applied in the order of the records, to a
//! [`Fingerprint`] from the workers.

mod address;
pub(crate) mod duplicates;
mod page_rules;
mod settings;
pub(crate) mod text_rules;

use serde::{Deserialize, Serialize};
use trommel_extract::Rights;

pub use address::{Hosts, UrlPattern};
pub use duplicates::{Duplicates, DuplicatesState, Fingerprint, PageText};
pub use settings::{DuplicateSettings, FilterSettings, Filters, RobotsRule, StatusRange, TextRule, UnknownStatus};

/// Facts about a capture, for filters.
#[derive(Clone, Copy, Debug, Default)]
pub struct Capture<'a> {
    /// HTTP status code; `None` without an HTTP response.
    pub status: Option<u16>,
    /// Media type in lower case without parameters (`text/html`).
    pub media_type: &'a str,
    /// Values of the `X-Robots-Tag` headers.
    pub robots: &'a [&'a str],
    /// Reservations of rights in the headers.
    pub rights: Option<&'a Rights>,
}

trommel_text::named! {
    /// Reason why a filter dropped a document.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    #[non_exhaustive]
    pub enum Reason {
        /// A URL outside of those asked for.
        Url = "url",
        /// A host outside of those asked for, or one that is not wanted.
        Host = "host",
        /// HTTP status outside of those asked for.
        HttpStatus = "http-status",
        /// Media type outside of those asked for.
        MediaType = "media-type",
        /// The page asks not to be indexed.
        RobotsNoindex = "robots-noindex",
        /// The page asks not to be used for machine learning.
        RobotsNoai = "robots-noai",
        /// The page reserves the right to mine its text or to learn from it.
        RightsReserved = "rights-reserved",
        /// Fewer words or characters than asked for.
        TooShort = "too-short",
        /// More words or characters than asked for.
        TooLong = "too-long",
        /// A language that is not wanted, or none known where some are asked for.
        Language = "language",
        /// A page type that is not wanted, or none known where some are asked for.
        PageType = "page-type",
        /// Less confidence than asked for.
        Confidence = "confidence",
        /// The page is a block page, in place of the requested one.
        BlockPage = "block-page",
        /// C4: the text has a curly bracket.
        C4CurlyBracket = "c4-curly-bracket",
        /// C4: the text has "lorem ipsum".
        C4LoremIpsum = "c4-lorem-ipsum",
        /// C4: too few sentences in whole lines.
        C4FewSentences = "c4-few-sentences",
        /// Gopher: number of words.
        GopherWords = "gopher-words",
        /// Gopher: mean length of the words.
        GopherWordLength = "gopher-word-length",
        /// Gopher: too many hashes or ellipses.
        GopherSymbols = "gopher-symbols",
        /// Gopher: too many lines that begin with a bullet.
        GopherBullets = "gopher-bullets",
        /// Gopher: too many lines that end with an ellipsis.
        GopherEllipses = "gopher-ellipses",
        /// Gopher: too many words without a letter.
        GopherLetters = "gopher-letters",
        /// Gopher: too few English stop words in an English text.
        GopherStopWords = "gopher-stop-words",
        /// Gopher: too many lines that repeat others.
        GopherLines = "gopher-lines",
        /// Gopher: too many paragraphs that repeat others.
        GopherParagraphs = "gopher-paragraphs",
        /// Gopher: too much of the text in its most frequent phrase.
        GopherTopPhrase = "gopher-top-phrase",
        /// Gopher: too much of the text in phrases that repeat.
        GopherPhrases = "gopher-phrases",
        /// The words of an earlier document.
        ExactDuplicate = "exact-duplicate",
        /// Nearly the words of an earlier document.
        NearDuplicate = "near-duplicate",
        /// The crawler's copy of a page that gave a document before.
        PageCopy = "page-copy",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_same_in_words_and_in_json() {
        for name in Reason::ALL.map(Reason::name) {
            let reason: Reason = serde_json::from_value(name.into()).unwrap();
            assert_eq!(reason.to_string(), name);
            assert_eq!(serde_json::to_value(reason).unwrap(), name);
        }
    }
}
