//! Labels the blocks of a page as content or not, by its gold text (Peters and Lecocq, WWW 2013, section 3.4).
//!
//! The words of both are aligned by their longest common subsequence, bit-parallel (Crochemore, Iliopoulos, Pinzon
//! and Reid 2001; Hyyrö 2004). If the table would be too large, Hirschberg's method divides it.

use rustc_hash::FxHashMap;
use trommel_html::Page;
use trommel_text::words::{Rule, words};

/// Threshold of labelling: a block is content if more than this share of its words is in the gold text, in the same
/// order.
pub const LABEL_SHARE: f32 = 0.1;

/// Returns for each block the share of its words (0 to 1) on a longest common subsequence with the gold text.
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

/// Maximum size of a table for aligning a page with its gold text, in 64-bit words (128 MiB).
const TABLE: usize = 16 << 20;

/// Returns for each word of `page` (words are numbers) whether it lies on a longest common subsequence with `gold`.
///
/// Takes |page| · |gold| / 64 steps, and up to twice as many for very long inputs.
pub fn on_common_subsequence(page: &[u32], gold: &[u32]) -> Vec<bool> {
    on_common_subsequence_within(page, gold, TABLE)
}

fn on_common_subsequence_within(page: &[u32], gold: &[u32], table: usize) -> Vec<bool> {
    let mut hit = vec![false; page.len()];
    // What stands in one sequence only cannot be on it; pages shrink to a fraction by this.
    let in_gold: FxHashMap<u32, ()> = gold.iter().map(|word| (*word, ())).collect();
    let in_page: FxHashMap<u32, ()> = page.iter().map(|word| (*word, ())).collect();
    let (places, page): (Vec<usize>, Vec<u32>) =
        page.iter().enumerate().filter(|(_, word)| in_gold.contains_key(word)).map(|(at, word)| (at, *word)).unzip();
    let gold: Vec<u32> = gold.iter().copied().filter(|word| in_page.contains_key(word)).collect();
    align(&page, &gold, 0, table, &mut |at| {
        if let Some(slot) = places.get(at).and_then(|place| hit.get_mut(*place)) {
            *slot = true;
        }
    });
    hit
}

/// Calls `give` with `offset` plus the index of each element of `a` that is on a longest common subsequence with `b`.
fn align(a: &[u32], b: &[u32], offset: usize, table: usize, give: &mut impl FnMut(usize)) {
    let prefix = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    (0..prefix).for_each(|at| give(offset + at));
    let (a, b, offset) = (&a[prefix..], &b[prefix..], offset + prefix);
    let suffix = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    (a.len() - suffix..a.len()).for_each(|at| give(offset + at));
    let (a, b) = (&a[..a.len() - suffix], &b[..b.len() - suffix]);
    if a.is_empty() || b.is_empty() {
        return;
    }
    if a.len().div_ceil(64) * b.len() > table && b.len() > 1 {
        let (b_head, b_tail) = b.split_at(b.len() / 2);
        let cut = best_cut(a, b_head, b_tail);
        let (a_head, a_tail) = a.split_at(cut);
        align(a_head, b_head, offset, table, give);
        align(a_tail, b_tail, offset + cut, table, give);
        return;
    }
    trace(a, b, offset, give);
}

/// Maps each word of `a` to a bit set of the positions at which it occurs; also returns a set's length in 64-bit words.
fn masks(a: impl Iterator<Item = u32>, len: usize) -> (FxHashMap<u32, Vec<u64>>, usize) {
    let stride = len.div_ceil(64);
    let mut masks: FxHashMap<u32, Vec<u64>> = FxHashMap::default();
    for (at, word) in a.enumerate() {
        masks.entry(word).or_insert_with(|| vec![0; stride])[at / 64] |= 1 << (at % 64);
    }
    (masks, stride)
}

/// Advances `row` of the longest-common-subsequence table by one word: V' = (V + (V & M)) | (V & !M). A zero bit marks
/// a position at which the subsequence grows.
fn step(row: &mut [u64], mask: &[u64]) {
    let mut carry = false;
    for (v, m) in row.iter_mut().zip(mask) {
        let u = *v & m;
        let (sum, first) = v.overflowing_add(u);
        let (sum, second) = sum.overflowing_add(u64::from(carry));
        carry = first || second;
        *v = sum | (*v & !m);
    }
}

/// Returns the length of the longest common subsequence of `b` with each prefix of `a`, from 0 to `len` words.
fn prefix_lengths(a: impl Iterator<Item = u32>, len: usize, b: impl Iterator<Item = u32>) -> Vec<u32> {
    let (masks, stride) = masks(a, len);
    let mut row = vec![u64::MAX; stride];
    for word in b {
        if let Some(mask) = masks.get(&word) {
            step(&mut row, mask);
        }
    }
    let mut lengths = Vec::with_capacity(len + 1);
    let mut length = 0;
    lengths.push(0);
    for at in 0..len {
        length += u32::from(row[at / 64] >> (at % 64) & 1 == 0);
        lengths.push(length);
    }
    lengths
}

/// Returns the index at which to split `a` so that its parts share the most words with `b_head` and `b_tail`.
fn best_cut(a: &[u32], b_head: &[u32], b_tail: &[u32]) -> usize {
    let head = prefix_lengths(a.iter().copied(), a.len(), b_head.iter().copied());
    let tail = prefix_lengths(a.iter().rev().copied(), a.len(), b_tail.iter().rev().copied());
    let total = |cut: usize| head[cut] + tail[a.len() - cut];
    (0..=a.len()).fold(0, |best, cut| if total(cut) > total(best) { cut } else { best })
}

/// Calls `give` with `offset` plus the index of each element of `a` on a longest common subsequence with `b`.
fn trace(a: &[u32], b: &[u32], offset: usize, give: &mut impl FnMut(usize)) {
    let (masks, stride) = masks(a.iter().copied(), a.len());
    let mut rows = vec![u64::MAX; stride * (b.len() + 1)];
    for (at, word) in b.iter().enumerate() {
        rows.copy_within(at * stride..(at + 1) * stride, (at + 1) * stride);
        if let Some(mask) = masks.get(word) {
            step(&mut rows[(at + 1) * stride..(at + 2) * stride], mask);
        }
    }
    // A zero bit at (row, column) says that the length grows at this column of the row.
    let grows = |row: usize, column: usize| rows[row * stride + column / 64] >> (column % 64) & 1 == 0;
    let (mut row, mut column) = (b.len(), a.len());
    while row > 0 && column > 0 {
        if !grows(row, column - 1) {
            column -= 1;
        } else if grows(row - 1, column - 1) {
            row -= 1;
        } else {
            row -= 1;
            column -= 1;
            give(offset + column);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_pages;
    use proptest::prelude::*;

    #[test]
    fn blocks_of_the_gold_text_are_found_in_order() {
        let page = test_pages::read("<p>Home news</p><p>The cat sat, here.</p><p>Read more</p><p>On the MAT</p>");
        assert_eq!(shares(&page, "the cat sat\non the mat"), [0.0, 0.75, 0.0, 1.0]);
        assert_eq!(shares(&page, ""), [0.0; 4]);
    }

    /// Returns the length of the longest common subsequence, by the textbook method.
    fn length(a: &[u32], b: &[u32]) -> usize {
        let mut row = vec![0; b.len() + 1];
        for x in a {
            let mut diagonal = 0;
            for (at, y) in b.iter().enumerate() {
                let above = row[at + 1];
                row[at + 1] = if x == y { diagonal + 1 } else { above.max(row[at]) };
                diagonal = above;
            }
        }
        row[b.len()]
    }

    fn is_subsequence(part: &[u32], whole: &[u32]) -> bool {
        let mut whole = whole.iter();
        part.iter().all(|x| whole.any(|y| x == y))
    }

    #[test]
    fn a_gold_text_inside_a_page_is_found() {
        let page = [9, 8, 1, 2, 7, 3, 4, 9, 9];
        let hit = on_common_subsequence(&page, &[1, 2, 3, 4]);
        assert_eq!(hit, [false, false, true, true, false, true, true, false, false]);
        assert_eq!(on_common_subsequence(&[1], &[]), [false]);
        assert!(on_common_subsequence(&[], &[1]).is_empty());
    }

    proptest! {
        #[test]
        fn the_subsequence_is_common_and_longest(
            a in prop::collection::vec(0u32..6, 0..200),
            b in prop::collection::vec(0u32..6, 0..200),
            table in prop_oneof![Just(TABLE), 1usize..50],
        ) {
            let hit = on_common_subsequence_within(&a, &b, table);
            let part: Vec<u32> = a.iter().zip(&hit).filter(|(_, hit)| **hit).map(|(x, _)| *x).collect();
            prop_assert!(is_subsequence(&part, &b));
            prop_assert_eq!(part.len(), length(&a, &b));
        }
    }
}
