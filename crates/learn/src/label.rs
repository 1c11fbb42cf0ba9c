//! Labels: derives from the gold text which blocks of a page are content (Peters and Lecocq, WWW 2013,
//! section 3.4).

use rustc_hash::FxHashMap;
use trommel_html::Page;
use trommel_text::words::{Rule, words};

use crate::lcs::on_common_subsequence;

/// Share of a block's words on the common subsequence above which the paper takes it for content.
pub const LABEL_SHARE: f32 = 0.1;

/// Share of each block's words that lies on the longest common subsequence of the words of all blocks
/// and of the gold text, 0..=1.
pub fn shares(page: &Page, gold: &str) -> Vec<f32> {
    let mut numbers: FxHashMap<String, u32> = FxHashMap::default();
    let mut number = |text: &str, into: &mut Vec<u32>| {
        for word in words(&text.to_lowercase(), Rule::Characters) {
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            let number = match numbers.get(word) {
                Some(number) => *number,
                None => *numbers.entry(word.to_owned()).or_insert(next),
            };
            into.push(number);
        }
    };
    let mut page_words = Vec::new();
    let ends: Vec<usize> = page
        .blocks
        .iter()
        .map(|block| {
            number(page.text(block), &mut page_words);
            page_words.len()
        })
        .collect();
    let mut gold_words = Vec::new();
    number(gold, &mut gold_words);
    let hit = on_common_subsequence(&page_words, &gold_words);
    let mut start = 0;
    ends.into_iter()
        .map(|end| {
            let hits = hit.get(start..end).unwrap_or_default();
            start = end;
            hits.iter().filter(|hit| **hit).count() as f32 / hits.len().max(1) as f32
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy;

    #[test]
    fn blocks_of_the_gold_text_are_found_in_order() {
        let page = toy::read("<p>Home news</p><p>The cat sat, here.</p><p>Read more</p><p>On the MAT</p>");
        assert_eq!(shares(&page, "the cat sat\non the mat"), [0.0, 0.75, 0.0, 1.0]);
        assert_eq!(shares(&page, ""), [0.0; 4]);
    }
}
