//! Compares the words of parts of a page: drops parts behind the text that share hardly a word with it.

use std::{hash::Hasher as _, sync::LazyLock};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use trommel_html::{Element, Page, Tag};
use trommel_text::words::is_unspaced;

use crate::kept::{KeptBlocks as _, kept_words_inside};

/// Kept words of a page, and different long words of its text, from which on a part of it can be foreign, and those
/// from which on a single paragraph can.
// At 100 for both, dragnet-test loses three of 49 last paragraphs.
const MIN_TEXT_WORDS: u32 = 150;
const MIN_TEXT_TERMS: usize = 100;
const MIN_TEXT_TERMS_OF_ONE: usize = 140;
/// Different long words of a foreign part, at least, and those of the rest of the text for each of them.
const MIN_TERMS: usize = 5;
const MIN_TIMES: usize = 2;
/// Kept words of a foreign part, at least.
const MIN_PART_WORDS: u32 = 15;
/// Share of the kept words in a foreign part, and behind it, at most.
// Sections in the middle of a text may change the subject: without the second bound wcxb-dev loses .0005.
const MAX_PART: f32 = 0.6;
const MAX_BEHIND: f32 = 0.1;
/// A part is foreign if it shares less than `SHARED_PER_LN * ln(n) - FOREIGN` of its long words with the rest, which has
/// n of them; it is on the topic if it shares more than `SHARED_PER_LN * ln(n) - ON_TOPIC`.
// A long text has more words of any other by chance. Of the last three paragraphs of 493 articles of four sets 1.5 %
// are foreign, and so are 85 % of those of other articles; with common words and without the logarithm it were 55 %.
const SHARED_PER_LN: f32 = 0.07;
const FOREIGN: f32 = 0.25;
const ON_TOPIC: f32 = 0.15;
/// A part of a word that is added to those shared, so that few words say less than many.
const PRIOR: f32 = 0.3;
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
        let has_several = blocks.clone().filter(|at| kept.has(*at)).nth(1).is_some();
        let least = if has_several { MIN_TEXT_TERMS } else { MIN_TEXT_TERMS_OF_ONE };
        let of_part = counted(terms.get(place(blocks.start)..place(blocks.end)).unwrap_or_default());
        let shared = of_part.iter().filter(|(term, times)| of_text.get(term).is_some_and(|all| all > times)).count();
        if is_foreign(shared, of_part.len(), of_text.len() + shared - of_part.len(), least) {
            kept.leave_out(blocks);
            end = page.element(at).map_or(end, |element| element.end);
        }
    }
}

/// Long words of a paragraph on the topic that stand in the text as well, at least.
const MIN_SHARED_TERMS: usize = 2;

/// The long words of a text, which tell whether another paragraph belongs to it.
pub(super) struct Topic(FxHashMap<u64, u32>);

impl Topic {
    /// The topic of the kept blocks.
    pub(super) fn of(page: &Page, kept: &[bool]) -> Self {
        let mut terms = Vec::new();
        for (block, _) in page.blocks.iter().zip(kept).filter(|(_, kept)| **kept) {
            push_long_words(page.text(block), &mut terms);
        }
        Self(counted(&terms))
    }

    /// Returns whether a paragraph shares enough long words with the text.
    pub(super) fn has(&self, paragraph: &str) -> bool {
        let (shared, all) = self.shared(paragraph);
        shared >= MIN_SHARED_TERMS && !shares_less(shared, all, self.0.len(), ON_TOPIC)
    }

    /// Returns whether a paragraph shares hardly a long word with the text.
    pub(super) fn is_foreign(&self, paragraph: &str) -> bool {
        let (shared, all) = self.shared(paragraph);
        is_foreign(shared, all, self.0.len(), MIN_TEXT_TERMS_OF_ONE)
    }

    /// The different long words of a paragraph that stand in the text, and all of them.
    fn shared(&self, paragraph: &str) -> (usize, usize) {
        let mut terms = Vec::new();
        push_long_words(paragraph, &mut terms);
        let own = counted(&terms);
        (own.keys().filter(|term| self.0.contains_key(term)).count(), own.len())
    }
}

/// Returns whether a part is foreign to a text of a least length, by the different long words of both and those that
/// both have.
fn is_foreign(shared: usize, part: usize, text: usize, least: usize) -> bool {
    part >= MIN_TERMS && text >= least.max(MIN_TIMES * part) && shares_less(shared, part, text, FOREIGN)
}

/// Returns whether a part shares fewer long words with a text than parts of one text do, less some share.
fn shares_less(shared: usize, part: usize, text: usize, less: f32) -> bool {
    let bound = SHARED_PER_LN * (text.max(1) as f32).ln() - less;
    shared as f32 + PRIOR < bound * (part + 1) as f32
}

/// The containers at the end of the text that hold a part of it and have no like beside them.
fn last_parts(page: &Page, kept: &[bool]) -> Vec<u32> {
    // Kept words before each block.
    let mut before = Vec::with_capacity(kept.len() + 1);
    let mut total = 0;
    for (block, kept) in page.blocks.iter().zip(kept) {
        before.push(total);
        total += if *kept { block.words } else { 0 };
    }
    before.push(total);
    if total < MIN_TEXT_WORDS {
        return Vec::new();
    }
    let inside = kept_words_inside(page, kept);
    let is_part = |at: u32, element: &Element, words: u32| {
        let around = inside.get(element.parent as usize).copied().unwrap_or(total);
        words >= MIN_PART_WORDS
            && words as f32 <= MAX_PART * total as f32
            // Of elements around the same blocks only the outermost is a part.
            && words < around
            && matches!(element.tag, Tag::P | Tag::Div | Tag::Section | Tag::Aside | Tag::Article | Tag::Ul | Tag::Ol)
            && {
                let last = before.get(page.blocks_inside(at).end).copied().unwrap_or(total);
                (total - last) as f32 <= MAX_BEHIND * total as f32
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

/// Hashes of 446 long words that one in ten English texts has, whatever it is about (wcxb-dev, aed424, docs-dev, news).
static COMMON: LazyLock<FxHashSet<u64>> = LazyLock::new(|| {
    let words = include_str!("common_words.txt").split_ascii_whitespace();
    words.map(|word| hash(word.bytes().map(u32::from))).collect()
});

/// Appends the hashes of the long words of a text.
// Of scripts without spaces a run of characters would be one word.
fn push_long_words(text: &str, terms: &mut Vec<u64>) {
    let common = &*COMMON;
    if text.is_ascii() {
        // Bytes are faster than characters, and most paragraphs have no others.
        let words = text.as_bytes().split(|byte| !byte.is_ascii_alphanumeric());
        let long = words.filter(|word| word.len() >= LONG && !word.first().is_some_and(u8::is_ascii_digit));
        // The bit makes letters small; digits have it.
        let hashes = long.map(|word| hash(word.iter().map(|byte| u32::from(byte | 0x20))));
        terms.extend(hashes.filter(|term| !common.contains(term)));
        return;
    }
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().nth(LONG - 1).is_some());
    let long = words.filter(|word| !word.starts_with(|c: char| c.is_ascii_digit() || is_unspaced(c)));
    let hashes = long.map(|word| hash(word.chars().flat_map(char::to_lowercase).map(u32::from)));
    terms.extend(hashes.filter(|term| !common.contains(term)));
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
        let own = format!("<div><p>{}</div>", on("harbour", 0..40));
        assert_eq!(left(&format!("{}{own}", text())).len(), 3);
        let foreign = format!("<div><p>{}<p>{}</div>", on("guitar", 0..20), on("guitar", 20..40));
        assert_eq!(left(&format!("{}{foreign}", text())).len(), 2);
        assert_eq!(left(&format!("{foreign}{}", text())).len(), 4);
        // A like stands beside it.
        let other = format!("<div><p>{}<p>{}</div>", on("orchid", 0..20), on("orchid", 20..40));
        assert_eq!(left(&format!("{}{foreign}{other}", text())).len(), 6);
        let own = format!("<div class=note><p>{}</div>", on("harbour", 0..40));
        assert_eq!(left(&format!("{}{foreign}{own}", text())).len(), 5);
    }

    #[test]
    fn a_single_paragraph_is_compared_with_a_longer_text() {
        let alone = format!("<div><p>{}</div>", on("guitar", 0..40));
        assert_eq!(left(&format!("{}{alone}", text())).len(), 2);
        let shorter = format!("<article><p>{}<p>{}</article>", on("harbour", 0..120), on("harbour", 40..120));
        assert_eq!(left(&format!("{shorter}{alone}")).len(), 3);
    }

    #[test]
    fn common_words_tell_nothing() {
        let common: Vec<&str> = include_str!("common_words.txt").split_ascii_whitespace().take(40).collect();
        let common = common.join(" ");
        let shares = format!("<div><p>{}<p>{common}</div>", on("guitar", 0..20));
        let text = format!("<article><p>{common}<p>{}</article>", on("harbour", 0..200));
        assert_eq!(left(&format!("{text}{shares}")).len(), 2);
        let page = ScanEngine.read(&text, &Limits::default());
        let topic = Topic::of(&page, &[true, true]);
        assert!(topic.is_foreign(&format!("{common} {}", on("guitar", 0..20))) && !topic.has(&common));
        assert!(topic.has(&on("harbour", 0..20)) && !topic.is_foreign(&on("harbour", 0..20)));
    }

    #[test]
    fn a_short_text_is_not_compared() {
        let short = format!("<p>{}", on("harbour", 0..90));
        let foreign = |to| format!("<div><p>{}<p>{}</div>", on("guitar", 0..20), on("guitar", 20..to));
        assert_eq!(left(&format!("<article>{short}{short}</article>{}", foreign(40))).len(), 4);
        // Nor is what is most of the page.
        assert_eq!(left(&format!("{}{}", text(), foreign(300))).len(), 4);
    }
}
