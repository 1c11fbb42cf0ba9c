//! Reads the size of chunks, such as `words=400,overlap=50`, and counts the tokens of texts.
//!
//! Tokens are counted with a tokenizer or by an estimate.

use std::{fmt, num::NonZeroU32, str::FromStr, sync::Arc};

use serde::{Deserialize, Serialize};

/// The size of chunks, written as `words=400` or `tokens=512,overlap=64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ChunkSize {
    /// The unit of the size.
    pub unit: ChunkUnit,
    /// Maximum number of units in a chunk.
    pub size: NonZeroU32,
    /// Maximum number of units that a chunk repeats of the one before; at most half of `size`.
    pub overlap: u32,
}

/// The unit in which the size of a chunk is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChunkUnit {
    /// Words; characters in scripts that do not divide words by spaces.
    Words,
    /// Tokens, as a [`TokenCounter`] counts them.
    Tokens,
}

/// Reason why a text does not describe a size of chunks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChunkSizeError {
    /// It has another form.
    #[error("{0:?} is not a size of chunks, which is written like words=400 or tokens=512,overlap=64")]
    Form(String),
    /// Chunks would repeat most of the one before.
    #[error("overlap={0} is more than half of the size of chunks, {1}")]
    Overlap(u32, u32),
}

impl ChunkUnit {
    /// The number of units in a text; `tokens` counts its tokens.
    pub fn count(self, text: &str, tokens: &TokenCounter) -> u32 {
        match self {
            Self::Words => trommel_text::words::count(text),
            Self::Tokens => tokens.count(text),
        }
    }
}

impl FromStr for ChunkSize {
    type Err = ChunkSizeError;

    fn from_str(text: &str) -> Result<Self, ChunkSizeError> {
        let wrong = || ChunkSizeError::Form(text.to_owned());
        let mut parts = text.split(',');
        let (unit, size) = parts.next().and_then(|part| part.split_once('=')).ok_or_else(wrong)?;
        let unit = match unit.trim() {
            "words" => ChunkUnit::Words,
            "tokens" => ChunkUnit::Tokens,
            _ => return Err(wrong()),
        };
        let size: NonZeroU32 = size.trim().parse().map_err(|_| wrong())?;
        let overlap = match parts.next() {
            None => 0,
            Some(part) => match part.split_once('=') {
                Some((name, count)) if name.trim() == "overlap" => count.trim().parse().map_err(|_| wrong())?,
                _ => return Err(wrong()),
            },
        };
        if parts.next().is_some() {
            return Err(wrong());
        }
        // Chunks that repeat nearly all of the ones before are many times as long as their text.
        if overlap > size.get() / 2 {
            return Err(ChunkSizeError::Overlap(overlap, size.get()));
        }
        Ok(Self { unit, size, overlap })
    }
}

impl fmt::Display for ChunkSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = match self.unit {
            ChunkUnit::Words => "words",
            ChunkUnit::Tokens => "tokens",
        };
        write!(f, "{unit}={}", self.size)?;
        match self.overlap {
            0 => Ok(()),
            overlap => write!(f, ",overlap={overlap}"),
        }
    }
}

impl TryFrom<String> for ChunkSize {
    type Error = ChunkSizeError;

    fn try_from(text: String) -> Result<Self, ChunkSizeError> {
        text.parse()
    }
}

impl From<ChunkSize> for String {
    fn from(size: ChunkSize) -> Self {
        size.to_string()
    }
}

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
