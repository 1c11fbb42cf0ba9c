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

impl Reason {
    /// Every reason, in the order in which the filters ask.
    pub const ALL: [Self; 26] = [
        Self::HttpStatus,
        Self::MediaType,
        Self::RobotsNoindex,
        Self::RobotsNoai,
        Self::TooShort,
        Self::TooLong,
        Self::Language,
        Self::PageType,
        Self::Confidence,
        Self::BlockPage,
        Self::C4CurlyBracket,
        Self::C4LoremIpsum,
        Self::C4FewSentences,
        Self::GopherWords,
        Self::GopherWordLength,
        Self::GopherSymbols,
        Self::GopherBullets,
        Self::GopherEllipses,
        Self::GopherLetters,
        Self::GopherStopWords,
        Self::GopherLines,
        Self::GopherParagraphs,
        Self::GopherTopPhrase,
        Self::GopherPhrases,
        Self::ExactDuplicate,
        Self::NearDuplicate,
    ];

    /// The name used in summaries.
    pub fn name(self) -> &'static str {
        match self {
            Self::HttpStatus => "http-status",
            Self::MediaType => "media-type",
            Self::RobotsNoindex => "robots-noindex",
            Self::RobotsNoai => "robots-noai",
            Self::TooShort => "too-short",
            Self::TooLong => "too-long",
            Self::Language => "language",
            Self::PageType => "page-type",
            Self::Confidence => "confidence",
            Self::BlockPage => "block-page",
            Self::C4CurlyBracket => "c4-curly-bracket",
            Self::C4LoremIpsum => "c4-lorem-ipsum",
            Self::C4FewSentences => "c4-few-sentences",
            Self::GopherWords => "gopher-words",
            Self::GopherWordLength => "gopher-word-length",
            Self::GopherSymbols => "gopher-symbols",
            Self::GopherBullets => "gopher-bullets",
            Self::GopherEllipses => "gopher-ellipses",
            Self::GopherLetters => "gopher-letters",
            Self::GopherStopWords => "gopher-stop-words",
            Self::GopherLines => "gopher-lines",
            Self::GopherParagraphs => "gopher-paragraphs",
            Self::GopherTopPhrase => "gopher-top-phrase",
            Self::GopherPhrases => "gopher-phrases",
            Self::ExactDuplicate => "exact-duplicate",
            Self::NearDuplicate => "near-duplicate",
        }
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
        for (at, reason) in Reason::ALL.into_iter().enumerate() {
            let json = serde_json::to_value(reason).unwrap();
            assert_eq!(json, reason.to_string());
            assert_eq!(serde_json::from_value::<Reason>(json).unwrap(), reason);
            assert_eq!(reason as usize, at);
        }
    }
}
