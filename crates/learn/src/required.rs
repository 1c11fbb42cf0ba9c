//! Required texts: parts of the main text of a page that has no complete gold.

use serde::{Deserialize, Serialize};

/// The number of required texts, and of those that were kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Required {
    /// Number of texts.
    pub all: u32,
    /// The number of them in the kept text.
    pub kept: u32,
}

impl Required {
    /// Finds the texts in the kept text, by their letters and digits in lower case.
    pub fn of(texts: &[String], kept: &str) -> Self {
        let kept = plain(kept);
        let has = |text: &&String| kept.contains(&plain(text));
        Self { all: texts.len() as u32, kept: texts.iter().filter(has).count() as u32 }
    }

    /// Returns whether none is missing.
    pub fn is_whole(&self) -> bool {
        self.kept == self.all
    }
}

/// Words of letters and digits in lower case, a space before and behind each.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len() + 2);
    plain.push(' ');
    for c in text.chars() {
        if c.is_alphanumeric() || c == '_' {
            plain.extend(c.to_lowercase());
        } else if !plain.ends_with(' ') {
            plain.push(' ');
        }
    }
    if !plain.ends_with(' ') {
        plain.push(' ');
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_by_their_words() {
        let texts = ["2 cups flour", "Salt", "Bake."].map(str::to_owned);
        let found = Required::of(&texts, "- 2 cups (flour)\n- salted nuts\nBAKE it");
        assert_eq!(found, Required { all: 3, kept: 2 });
        assert!(!found.is_whole());
        assert!(Required::of(&[], "").is_whole());
    }
}
