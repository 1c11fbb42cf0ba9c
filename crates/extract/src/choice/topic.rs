//! Compares the words of parts of a page: drops parts behind the text that share hardly a word with it.

use std::hash::Hasher as _;

use rustc_hash::{FxHashMap, FxHasher};
use trommel_html::{Element, Page, Tag};
use trommel_text::words::is_unspaced;

use crate::kept::KeptBlocks as _;

/// Kept words of a page, and different long words of its text, from which on a part of it can be foreign.
const MIN_TEXT_WORDS: u32 = 150;
const MIN_TEXT_TERMS: usize = 150;
/// Different long words of a foreign part, at least.
// Twelve teasers of one sentence have 15 to 30. Of three paragraphs of an article with 25 long words or more, one in a
// hundred shares less than .25 of them with the rest; of lists of other pages three in four share less than .18.
const MIN_TERMS: usize = 15;
/// Kept words of a part that may have as many, at least.
const MIN_PART_WORDS: u32 = 30;
/// Kept blocks of a foreign part, at least: one may be the last paragraph of the text.
const MIN_BLOCKS: usize = 2;
/// Share of its long words that the rest of the text has as well, below which a part is foreign.
// At .25 magic-articles loses .0008, at .22 .0001; lists of other pages are as rare.
const MIN_SHARED: f32 = 0.22;
/// Share of the kept words in a foreign part, and behind it, at most.
// Sections in the middle of a text may change the subject: without the second bound aed424 and news-world-dev lose .004.
const MAX_PART: f32 = 0.5;
const MAX_BEHIND: f32 = 0.1;
/// Long words of the text for each of the part, at least.
const MIN_TIMES: usize = 3;
/// Characters of a long word, at least.
// Shorter ones are in every text.
const LONG: usize = 5;

/// Parts of a page that are looked at, at most.
// They may stand in each other, and each is compared with the whole text.
const MAX_PARTS: usize = 64;

/// Drops containers at the end of the text that share hardly a long word with the rest of it and have no like beside
/// them: teasers of other pages, notes on the site.
pub(super) fn drop_off_topic(page: &Page, kept: &mut [bool]) {
    let parts = last_parts(page, kept);
    if parts.is_empty() {
        return;
    }
    // The long words of all kept blocks, and where those of each block begin.
    let (mut terms, mut starts) = (Vec::new(), Vec::with_capacity(kept.len() + 1));
    for (block, kept) in page.blocks.iter().zip(kept.iter()) {
        starts.push(terms.len());
        if *kept {
            push_long_words(page.text(block), &mut terms);
        }
    }
    starts.push(terms.len());
    let of_text = counted(&terms);
    let mut end = 0;
    for at in parts {
        // Inside a part that was dropped.
        if at < end {
            continue;
        }
        let blocks = page.blocks_inside(at);
        let place = |block: usize| starts.get(block).copied().unwrap_or(terms.len());
        let of_part = counted(terms.get(place(blocks.start)..place(blocks.end)).unwrap_or_default());
        let shared = of_part.iter().filter(|(term, times)| of_text.get(term).is_some_and(|all| all > times)).count();
        if of_part.len() >= MIN_TERMS
            && of_text.len() >= MIN_TEXT_TERMS.max(MIN_TIMES * of_part.len())
            && (shared as f32) < MIN_SHARED * of_part.len() as f32
        {
            kept.leave_out(blocks);
            end = page.element(at).map_or(end, |element| element.end);
        }
    }
}

/// The containers at the end of the text that hold a part of it and have no like beside them.
fn last_parts(page: &Page, kept: &[bool]) -> Vec<u32> {
    // Kept words before each block, and in each element.
    let mut before = Vec::with_capacity(kept.len() + 1);
    let mut inside = vec![0; page.elements.len()];
    let mut total = 0;
    for (block, kept) in page.blocks.iter().zip(kept) {
        before.push(total);
        if *kept {
            total += block.words;
            if let Some(words) = inside.get_mut(block.element as usize) {
                *words += block.words;
            }
        }
    }
    before.push(total);
    if total < MIN_TEXT_WORDS {
        return Vec::new();
    }
    // Elements come before those inside them: from the last to the first, an element has the words of all inside it.
    for (at, element) in page.elements.iter().enumerate().rev() {
        let own = inside.get(at).copied().unwrap_or_default();
        if let Some(around) = inside.get_mut(element.parent as usize) {
            *around += own;
        }
    }
    let is_part = |at: u32, element: &Element, words: u32| {
        let around = inside.get(element.parent as usize).copied().unwrap_or(total);
        words >= MIN_PART_WORDS
            && words as f32 <= MAX_PART * total as f32
            // Of elements around the same blocks only the outermost is a part.
            && words < around
            && matches!(element.tag, Tag::Div | Tag::Section | Tag::Aside | Tag::Article | Tag::Ul | Tag::Ol)
            && {
                let blocks = page.blocks_inside(at);
                let last = before.get(blocks.end).copied().unwrap_or(total);
                (total - last) as f32 <= MAX_BEHIND * total as f32
                    && blocks.filter(|at| kept.get(*at) == Some(&true)).nth(MIN_BLOCKS - 1).is_some()
            }
    };
    let all = || (0..).zip(&page.elements).zip(&inside);
    let parts = all().filter(|((at, element), words)| is_part(*at, element, **words));
    let parts: Vec<(u32, &Element)> = parts.map(|(part, _)| part).take(MAX_PARTS).collect();
    let mut alike: FxHashMap<(u32, u64), u32> = FxHashMap::default();
    if !parts.is_empty() {
        for ((_, element), _) in all().filter(|(_, words)| **words > 0) {
            *alike.entry((element.parent, element.signature)).or_default() += 1;
        }
    }
    let is_alone = |element: &Element| alike.get(&(element.parent, element.signature)) == Some(&1);
    parts.into_iter().filter(|(_, element)| is_alone(element)).map(|(at, _)| at).collect()
}

/// Appends the hashes of the long words of a text.
// Of scripts without spaces a run of characters would be one word.
fn push_long_words(text: &str, terms: &mut Vec<u64>) {
    if text.is_ascii() {
        // Bytes are faster than characters, and most paragraphs have no others.
        let words = text.as_bytes().split(|byte| !byte.is_ascii_alphanumeric());
        let long = words.filter(|word| word.len() >= LONG && !word.first().is_some_and(u8::is_ascii_digit));
        terms.extend(long.map(|word| hash(word.iter().map(|byte| u32::from(byte.to_ascii_lowercase())))));
        return;
    }
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().nth(LONG - 1).is_some());
    let long = words.filter(|word| !word.starts_with(|c: char| c.is_ascii_digit() || is_unspaced(c)));
    terms.extend(long.map(|word| hash(word.chars().flat_map(char::to_lowercase).map(u32::from))));
}

fn hash(chars: impl Iterator<Item = u32>) -> u64 {
    let mut hasher = FxHasher::default();
    chars.for_each(|c| hasher.write_u32(c));
    hasher.finish()
}

/// The number of times of each word.
fn counted(terms: &[u64]) -> FxHashMap<u64, u32> {
    let mut counts = FxHashMap::default();
    for term in terms {
        *counts.entry(*term).or_default() += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    /// Different long words of one subject.
    fn on(subject: &str, words: std::ops::Range<usize>) -> String {
        words.map(|at| format!("{subject}{at} ")).collect()
    }

    /// The first words of the texts that stay if all are kept.
    fn left(html: &str) -> Vec<String> {
        let page = ScanEngine.read(html, &Limits::default());
        let mut kept = vec![true; page.blocks.len()];
        drop_off_topic(&page, &mut kept);
        let left = page.blocks.iter().zip(&kept).filter(|(_, kept)| **kept);
        left.map(|(block, _)| page.text(block).split(' ').next().unwrap().to_owned()).collect()
    }

    fn text() -> String {
        format!("<article><p>{}<p>{}</article>", on("harbour", 0..160), on("harbour", 80..200))
    }

    #[test]
    fn a_list_on_another_subject_is_dropped() {
        let cards = format!("<div><p>{}<p>{}</div>", on("guitar", 0..20), on("guitar", 20..40));
        assert_eq!(left(&format!("{}{cards}", text())), ["harbour0", "harbour80"]);
        // One word in four is of the text.
        let near = format!("<div><p>{}<p>{}</div>", on("guitar", 0..30), on("harbour", 0..10));
        assert_eq!(left(&format!("{}{near}", text())).len(), 4);
        // A few words say little, and words of scripts without spaces are single characters.
        let few = format!("<div><p>{}<p>{}</div>", on("guitar", 0..7), on("guitar", 7..14));
        assert_eq!(left(&format!("{}{few}", text())).len(), 4);
        let unspaced = "水車は川のほとりに立っている".repeat(3);
        assert_eq!(left(&format!("{}<div><p>{unspaced}<p>{unspaced}</div>", text())).len(), 4);
    }

    #[test]
    fn sections_and_what_text_follows_stay() {
        let alone = format!("<div><p>{}</div>", on("guitar", 0..40));
        assert_eq!(left(&format!("{}{alone}", text())).len(), 3);
        let foreign = format!("<div><p>{}<p>{}</div>", on("guitar", 0..20), on("guitar", 20..40));
        assert_eq!(left(&format!("{}{foreign}", text())).len(), 2);
        assert_eq!(left(&format!("{foreign}{}", text())).len(), 4);
        // The next one is on a subject of its own, or the two would have their words in common.
        let other = format!("<div><p>{}<p>{}</div>", on("orchid", 0..20), on("orchid", 20..40));
        assert_eq!(left(&format!("{}{foreign}{other}", text())).len(), 6);
        let own = format!("<div class=note><p>{}</div>", on("harbour", 0..40));
        assert_eq!(left(&format!("{}{foreign}{own}", text())).len(), 5);
    }

    #[test]
    fn a_short_text_is_not_compared() {
        let short = format!("<p>{}", on("harbour", 0..100));
        let foreign = |to| format!("<div><p>{}<p>{}</div>", on("guitar", 0..20), on("guitar", 20..to));
        assert_eq!(left(&format!("<article>{short}{short}</article>{}", foreign(40))).len(), 4);
        // Nor is what is most of the page.
        assert_eq!(left(&format!("{}{}", text(), foreign(300))).len(), 4);
    }
}
