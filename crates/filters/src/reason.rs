//! The reasons why documents are dropped.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a filter dropped a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Reason {
    /// HTTP status outside of those asked for.
    HttpStatus,
    /// Media type outside of those asked for.
    MediaType,
    /// The page asks not to be indexed.
    RobotsNoindex,
    /// The page asks not to be used for machine learning.
    RobotsNoai,
    /// Fewer words or characters than asked for.
    TooShort,
    /// More words or characters than asked for.
    TooLong,
    /// A language that is not wanted, or none known where some are asked for.
    Language,
    /// A page type that is not wanted, or none known where some are asked for.
    PageType,
    /// Less confidence than asked for.
    Confidence,
    /// The page stands in the way of what was asked for.
    BlockPage,
    /// C4: the text has a curly bracket.
    C4CurlyBracket,
    /// C4: the text has "lorem ipsum".
    C4LoremIpsum,
    /// C4: too few sentences in whole lines.
    C4FewSentences,
    /// Gopher: number of words.
    GopherWords,
    /// Gopher: mean length of the words.
    GopherWordLength,
    /// Gopher: too many hashes or ellipses.
    GopherSymbols,
    /// Gopher: too many lines that begin with a bullet.
    GopherBullets,
    /// Gopher: too many lines that end with an ellipsis.
    GopherEllipses,
    /// Gopher: too many words without a letter.
    GopherLetters,
    /// Gopher: too few English stop words in an English text.
    GopherStopWords,
    /// Gopher: too many lines that repeat others.
    GopherLines,
    /// Gopher: too many paragraphs that repeat others.
    GopherParagraphs,
    /// Gopher: too much of the text in its most frequent phrase.
    GopherTopPhrase,
    /// Gopher: too much of the text in phrases that repeat.
    GopherPhrases,
    /// The words of an earlier document.
    ExactDuplicate,
    /// Nearly the words of an earlier document.
    NearDuplicate,
}

/// The names of all reasons, in the order in which the filters ask.
const NAMES: [&str; 26] = [
    "http-status", "media-type", "robots-noindex", "robots-noai", "too-short", "too-long", "language", "page-type",
    "confidence", "block-page", "c4-curly-bracket", "c4-lorem-ipsum", "c4-few-sentences", "gopher-words",
    "gopher-word-length", "gopher-symbols", "gopher-bullets", "gopher-ellipses", "gopher-letters", "gopher-stop-words",
    "gopher-lines", "gopher-paragraphs", "gopher-top-phrase", "gopher-phrases", "exact-duplicate", "near-duplicate",
];

impl Reason {
    /// The name used in summaries.
    pub fn name(self) -> &'static str {
        NAMES.get(self as usize).copied().unwrap_or_default()
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_same_in_words_and_in_json() {
        for name in NAMES {
            let reason: Reason = serde_json::from_value(name.into()).unwrap();
            assert_eq!(reason.to_string(), name);
            assert_eq!(serde_json::to_value(reason).unwrap(), name);
        }
        assert_eq!(Reason::NearDuplicate as usize + 1, NAMES.len());
    }
}
