//! Filters documents by the length of their text.

use trommel_extract::Document;
use trommel_text::TextStats;

use crate::filters::{Filter, Reason};

/// Bounds of the text's length, both ends kept; none is no bound. Words are those of the whole
/// program: runs of letters and digits, and each character of a script without spaces.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Length {
    pub(crate) min_words: Option<u64>,
    pub(crate) max_words: Option<u64>,
    pub(crate) min_chars: Option<u64>,
    pub(crate) max_chars: Option<u64>,
}

impl Length {
    pub(crate) fn is_bounded(&self) -> bool {
        [self.min_words, self.max_words, self.min_chars, self.max_chars].iter().any(Option::is_some)
    }
}

impl Filter for Length {
    fn describe(&self) -> String {
        let part = |name, least: Option<u64>, most: Option<u64>| match (least, most) {
            (Some(least), Some(most)) => Some(format!("{least} to {most} {name}")),
            (Some(least), None) => Some(format!("{least} {name} or more")),
            (None, Some(most)) => Some(format!("{most} {name} at most")),
            (None, None) => None,
        };
        let parts: Vec<String> =
            [part("words", self.min_words, self.max_words), part("characters", self.min_chars, self.max_chars)]
                .into_iter()
                .flatten()
                .collect();
        format!("length: {}", parts.join(", "))
    }

    fn document(&self, document: &Document, stats: &TextStats<'_>) -> Option<Reason> {
        let words = stats.words().len() as u64;
        let chars = document.text.chars().count() as u64;
        let below = |least: Option<u64>, count| least.is_some_and(|least| count < least);
        let above = |most: Option<u64>, count| most.is_some_and(|most| count > most);
        if below(self.min_words, words) || below(self.min_chars, chars) {
            Some(Reason::TooShort)
        } else if above(self.max_words, words) || above(self.max_chars, chars) {
            Some(Reason::TooLong)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(length: Length, text: &str) -> Option<Reason> {
        let document = Document { text: text.to_owned(), ..Document::default() };
        length.document(&document, &TextStats::new(text))
    }

    #[test]
    fn words_and_characters() {
        let words = Length { min_words: Some(2), max_words: Some(3), ..Length::default() };
        assert_eq!(judge(words, "one"), Some(Reason::TooShort));
        assert_eq!(judge(words, "one two"), None);
        assert_eq!(judge(words, "我用Rust"), None);
        assert_eq!(judge(words, "one two three four"), Some(Reason::TooLong));
        let chars = Length { min_chars: Some(3), max_chars: Some(5), ..Length::default() };
        assert_eq!(judge(chars, "äö"), Some(Reason::TooShort));
        assert_eq!(judge(chars, "äöü"), None);
        assert_eq!(judge(chars, "abcdef"), Some(Reason::TooLong));
        assert_eq!(words.describe(), "length: 2 to 3 words");
        assert_eq!(chars.describe(), "length: 3 to 5 characters");
    }
}
