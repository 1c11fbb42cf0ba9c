//! Measures how alike two short texts are.

use trommel_text::{EMPTY_HASH, hash_step, words};

/// Words of a text that are compared: titles have fewer.
const COMPARED_WORDS: usize = 80;

/// The words of a title, regardless of case, order and repetition. Hundreds of texts of a page may be
/// compared with its title, so they take no memory of their own.
#[derive(Clone, Debug)]
pub(crate) struct TitleWords {
    /// Hashes, the different ones first and in their order.
    // On the stack: hundreds of blocks of a page are compared with its title.
    hashes: [u64; COMPARED_WORDS],
    different: usize,
}

impl TitleWords {
    pub fn of(text: &str) -> Self {
        let mut title_words = Self { hashes: [0; COMPARED_WORDS], different: 0 };
        let mut words = 0;
        let found = words::words(text, words::Rule::Characters).map(hash);
        for (slot, hash) in title_words.hashes.iter_mut().zip(found) {
            *slot = hash;
            words += 1;
        }
        if let Some(all) = title_words.hashes.get_mut(..words) {
            all.sort_unstable();
            let (mut kept, mut before) = (0, None);
            for at in 0..words {
                let hash = all[at];
                if before != Some(hash) {
                    all[kept] = hash;
                    kept += 1;
                }
                before = Some(hash);
            }
            title_words.different = kept;
        }
        title_words
    }

    /// Number of its different words.
    pub fn different_words(&self) -> usize {
        self.different
    }

    fn different(&self) -> &[u64] {
        self.hashes.get(..self.different).unwrap_or_default()
    }

    /// Share of the words of either text that both have, 0..=1.
    pub fn like(&self, other: &Self) -> f32 {
        let all = self.different + other.different;
        if all == 0 {
            return 0.0;
        }
        let (ours, theirs) = (self.different(), other.different());
        let shared = ours.iter().filter(|hash| theirs.binary_search(hash).is_ok());
        let shared = shared.count();
        // Dice's coefficient, so that a title within a long text is not alike to it.
        2.0 * shared as f32 / all as f32
    }
}

/// Hash of a word in lower case, letter by letter.
fn hash(word: &str) -> u64 {
    if word.is_ascii() {
        let lower = word.bytes().map(|byte| byte.to_ascii_lowercase());
        return lower.fold(EMPTY_HASH, hash_step);
    }
    let mut utf8 = [0; 4];
    word.chars().flat_map(char::to_lowercase).fold(EMPTY_HASH, |before, c| {
        let bytes = c.encode_utf8(&mut utf8).bytes();
        bytes.fold(before, hash_step)
    })
}

/// [`TitleWords::like`] of two texts.
pub(crate) fn overlap(one: &str, other: &str) -> f32 {
    TitleWords::of(one).like(&TitleWords::of(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlap_is_of_words() {
        assert_eq!(overlap("Two words", "two WORDS!"), 1.0);
        assert_eq!(overlap("two words", "two things"), 0.5);
        assert_eq!(overlap("日本", "日 x"), 0.5);
        assert_eq!(overlap("", ""), 0.0);
        assert_eq!(overlap("two two two words words", "two"), 2.0 / 3.0);
        let many: String = (0..200).map(|at| format!("w{} ", at % 90)).collect();
        assert_eq!(overlap(&many, "w79 w80"), 2.0 / 82.0);
    }
}
