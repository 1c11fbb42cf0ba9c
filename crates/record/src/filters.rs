//! Keeps or drops documents, and gives a [`Reason`] for each drop.
//!
//! [`Filters`] apply the rules that [`FilterSettings`] choose. Most need only one page and have no state, so workers
//! apply them in any order. [`Duplicates`] compare a page with earlier ones. They are applied in the order of the
//! records, to a [`Fingerprint`] that a worker computed.

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

/// Facts about a captured page that filters judge before its text is extracted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Capture<'a> {
    /// HTTP status code; `None` without an HTTP response.
    pub status: Option<u16>,
    /// Media type of the page in lower case without parameters (`text/html`).
    pub media_type: &'a str,
    /// Values of the `X-Robots-Tag` headers.
    pub robots: &'a [&'a str],
    /// Reservations of rights, such as against text mining, in the HTTP headers.
    pub rights: Option<&'a Rights>,
}

trommel_text::named! {
    /// Reason why a filter dropped a document.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    #[non_exhaustive]
    pub enum Reason {
        /// The URL matches none of the wanted patterns.
        Url = "url",
        /// The host is not among the wanted hosts, or is excluded.
        Host = "host",
        /// The HTTP status is not among the wanted ones.
        HttpStatus = "http-status",
        /// The media type is not among the wanted ones.
        MediaType = "media-type",
        /// The page asks not to be indexed.
        RobotsNoindex = "robots-noindex",
        /// The page asks not to be used for machine learning.
        RobotsNoai = "robots-noai",
        /// The page reserves the right to mine its text or to learn from it.
        RightsReserved = "rights-reserved",
        /// The text has fewer words or characters than the minimum.
        TooShort = "too-short",
        /// The text has more words or characters than the maximum.
        TooLong = "too-long",
        /// The language is excluded, is not among the wanted ones, or is unknown while some are wanted.
        Language = "language",
        /// The page type is excluded, is not among the wanted ones, or is unknown while some are wanted.
        PageType = "page-type",
        /// The confidence is below the minimum.
        Confidence = "confidence",
        /// The page is a block page (captcha, log-in form, error page) instead of the requested page.
        BlockPage = "block-page",
        /// C4: the text has a curly bracket.
        C4CurlyBracket = "c4-curly-bracket",
        /// C4: the text has "lorem ipsum".
        C4LoremIpsum = "c4-lorem-ipsum",
        /// C4: the text has too few sentences in whole lines.
        C4FewSentences = "c4-few-sentences",
        /// Gopher: the text has too few or too many words.
        GopherWords = "gopher-words",
        /// Gopher: the mean length of the words is too small or too large.
        GopherWordLength = "gopher-word-length",
        /// Gopher: the text has too many hashes or ellipses for its number of words.
        GopherSymbols = "gopher-symbols",
        /// Gopher: too many lines begin with a bullet.
        GopherBullets = "gopher-bullets",
        /// Gopher: too many lines end with an ellipsis.
        GopherEllipses = "gopher-ellipses",
        /// Gopher: too many words have no letter.
        GopherLetters = "gopher-letters",
        /// Gopher: an English text has too few English stop words.
        GopherStopWords = "gopher-stop-words",
        /// Gopher: too many lines repeat an earlier line.
        GopherLines = "gopher-lines",
        /// Gopher: too many paragraphs repeat an earlier paragraph.
        GopherParagraphs = "gopher-paragraphs",
        /// Gopher: the most frequent phrase makes up too much of the text.
        GopherTopPhrase = "gopher-top-phrase",
        /// Gopher: repeated phrases make up too much of the text.
        GopherPhrases = "gopher-phrases",
        /// The document has the same words as an earlier document.
        ExactDuplicate = "exact-duplicate",
        /// The document has nearly the same words as an earlier document.
        NearDuplicate = "near-duplicate",
        /// The record is the crawler's copy of a page, and the page already gave a document.
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
