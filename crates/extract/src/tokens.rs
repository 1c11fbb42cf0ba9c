//! Counts the tokens of texts, with a tokenizer or by an estimate.

use std::{fmt, sync::Arc};

/// UTF-8 bytes of text that count as one token: the average of tokenizers of language models on English prose.
const BYTES_A_TOKEN: usize = 4;

type Count = dyn Fn(&str) -> u32 + Send + Sync;

/// Counts the tokens of a text: those of a tokenizer, or a quarter of the bytes of UTF-8 by default.
#[derive(Clone, Default)]
pub struct TokenCounter(Option<Arc<Count>>);

impl TokenCounter {
    /// A counter by this function, which is that of a tokenizer.
    pub fn new(count: impl Fn(&str) -> u32 + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(count)))
    }

    /// The number of tokens of a text.
    pub fn count(&self, text: &str) -> u32 {
        match &self.0 {
            Some(count) => count(text),
            None => text.len().div_ceil(BYTES_A_TOKEN).try_into().unwrap_or(u32::MAX),
        }
    }
}

impl PartialEq for TokenCounter {
    /// Returns whether both are the estimate, or one and the same tokenizer.
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl Eq for TokenCounter {}

impl fmt::Debug for TokenCounter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "TokenCounter(tokenizer)" } else { "TokenCounter(estimate)" })
    }
}

#[cfg(test)]
mod tests {
    use super::TokenCounter;

    #[test]
    fn tokens_are_estimated_without_a_tokenizer() {
        assert_eq!(
            ["", "a", "abcd", "abcde", "\u{f6}\u{f6}\u{f6}"].map(|text| TokenCounter::default().count(text)),
            [0, 1, 1, 2, 2]
        );
        let words = TokenCounter::new(|text| text.split_whitespace().count() as u32);
        assert_eq!(words.count("a long sentence"), 3);
        assert_eq!((words == words.clone(), words == TokenCounter::default()), (true, false));
    }
}
