//! Compares the words of parts of a page, and drops parts after the text that share hardly a word with the text.
//!
//! In scripts without spaces between words, pairs of characters are compared in their place.

use std::{hash::Hasher as _, sync::LazyLock};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use trommel_html::{Element, Page, Tag};
use trommel_text::{word_hash_step, words::is_unspaced};

use crate::kept_flags::{KeptBlocks as _, kept_words_before, kept_words_inside};

/// Minimum number of kept words of a page for parts of it to be dropped as off topic.
// At 100 for both, dragnet-test loses three of 49 last paragraphs.
const MIN_TEXT_WORDS: u32 = 150;
const MIN_TEXT_TERMS: usize = 100;
const MIN_TEXT_TERMS_OF_ONE: usize = 140;
/// Minimum number of different terms (long words or character pairs) in a part that is dropped as off topic.
const MIN_TERMS: usize = 5;
const MIN_TIMES: usize = 2;
/// Minimum number of kept words in a part that is dropped as off topic.
const MIN_PART_WORDS: u32 = 15;
/// Maximum share of the page's kept words in a part that is dropped as off topic.
// Sections in the middle of a text may change the subject: without the second bound wcxb-dev loses .0005.
const MAX_PART: f32 = 0.6;
const MAX_BEHIND: f32 = 0.1;
/// Limits of the share of a part's terms that also occur in the text, to tell whether the part is on or off its topic.
struct Bounds {
    /// Factor that is multiplied by the logarithm of a text's number of terms, to give the expected share of common
    /// terms.
    per_ln: f32,
    /// Amount subtracted from the expected share of common terms. A part below the result is off the topic.
    foreign: f32,
    /// Amount subtracted from the expected share of common terms. A part above the result is on the topic.
    on_topic: f32,
}

/// Limits for texts that are compared by their long words.
// Of the last three paragraphs of 493 articles of four sets 1.5 % are foreign, and so are 85 % of those of other
// articles; with common words and without the logarithm it were 55 %.
static OF_WORDS: Bounds = Bounds { per_ln: 0.07, foreign: 0.25, on_topic: 0.15 };
/// Limits for texts that are compared by pairs of characters, in scripts without spaces.
// Of those of 262 articles in Chinese and Japanese 2 % are foreign, and so are 77 % of those of other articles; 93 %
// are on the topic, and so are 5 %. Triples and pairs without the most common ones tell no more.
static OF_PAIRS: Bounds = Bounds { per_ln: 0.04, foreign: 0.18, on_topic: 0.13 };
/// Number added to the count of shared terms, so that a part with few terms is not called off topic by chance.
const PRIOR: f32 = 0.3;
/// Minimum number of characters of a word that is compared between texts.
// Shorter ones are in every text.
const LONG: usize = 5;

/// Maximum number of parts of a page whose words are compared with those of the whole text.
// They may stand in each other, and each is compared with the whole text.
const MAX_PARTS: usize = 64;

/// Drops containers at the end of the text that share hardly a long word with the rest and have no similar sibling.
/// They are teasers or notes on the site.
pub(super) fn drop_off_topic(page: &Page, kept: &mut [bool]) {
    let parts = last_parts(page, kept);
    if parts.is_empty() {
        return;
    }
    // The terms of all kept blocks, and where those of each block begin.
    let (mut terms, mut starts) = (Vec::new(), Vec::with_capacity(kept.len() + 1));
    for (block, kept) in page.blocks.iter().zip(kept.iter()) {
        starts.push(terms.len());
        if *kept {
            push_terms(page.text(block), &mut terms);
        }
    }
    starts.push(terms.len());
    let topic = Topic::new(&terms);
    let of_text = &topic.terms;
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
        if topic.has_foreign(&of_part, shared, of_text.len() + shared - of_part.len(), least) {
            kept.leave_out(blocks);
            end = page.element(at).map_or(end, |element| element.end);
        }
    }
}

/// Minimum number of a paragraph's terms that must also be in the text for the paragraph to be on the topic.
const MIN_SHARED_TERMS: usize = 2;

/// Terms of a text (long words or pairs of characters), for deciding whether another paragraph belongs to the text.
pub(super) struct Topic {
    terms: FxHashMap<u64, u32>,
    bounds: &'static Bounds,
}

impl Topic {
    /// Collects the terms of the kept blocks.
    pub(super) fn of(page: &Page, kept: &[bool]) -> Self {
        let mut terms = Vec::new();
        for (block, _) in page.blocks.iter().zip(kept).filter(|(_, kept)| **kept) {
            push_terms(page.text(block), &mut terms);
        }
        Self::new(&terms)
    }

    /// Creates the topic of a text, which is how often each of its terms occurs, from the hashes of the terms.
    fn new(terms: &[u64]) -> Self {
        Self { terms: counted(terms), bounds: bounds(terms.iter()) }
    }

    /// Returns whether a paragraph shares enough terms with the text to be on its topic.
    pub(super) fn has(&self, paragraph: &str) -> bool {
        let (own, shared) = self.shared([paragraph].into_iter());
        shared >= MIN_SHARED_TERMS && !self.shares_less(&own, shared, self.terms.len(), self.bounds.on_topic)
    }

    /// Returns whether a paragraph is off the topic of the text, because they share hardly a term.
    pub(super) fn is_foreign(&self, paragraph: &str) -> bool {
        let (own, shared) = self.shared([paragraph].into_iter());
        self.has_foreign(&own, shared, self.terms.len(), MIN_TEXT_TERMS_OF_ONE)
    }

    /// Returns whether the kept blocks in `part` share hardly a term with all other kept blocks.
    pub(super) fn is_part_foreign(page: &Page, kept: &[bool], part: impl Iterator<Item = usize> + Clone) -> bool {
        let mut rest = kept.to_vec();
        rest.leave_out(part.clone());
        let topic = Self::of(page, &rest);
        let part = part.filter(|at| kept.has(*at)).filter_map(|at| Some(page.text(page.blocks.get(at)?)));
        let (own, shared) = topic.shared(part);
        topic.has_foreign(&own, shared, topic.terms.len(), MIN_TEXT_TERMS)
    }

    /// Returns how often each term is in a part, and the number of different terms that are also in the text.
    fn shared<'a>(&self, part: impl Iterator<Item = &'a str>) -> (FxHashMap<u64, u32>, usize) {
        let mut terms = Vec::new();
        part.for_each(|text| push_terms(text, &mut terms));
        let own = counted(&terms);
        let shared = own.keys().filter(|term| self.terms.contains_key(term)).count();
        (own, shared)
    }

    /// Returns whether a part is off the topic of a text with `text` different terms, of which the part has `shared`.
    /// Returns false if the text has fewer than `least` terms or is in another script.
    fn has_foreign(&self, part: &FxHashMap<u64, u32>, shared: usize, text: usize, least: usize) -> bool {
        part.len() >= MIN_TERMS
            && text >= least.max(MIN_TIMES * part.len())
            && std::ptr::eq(self.bounds, bounds(part.keys()))
            && self.shares_less(part, shared, text, self.bounds.foreign)
    }

    /// Returns whether the share of a part's terms that are in the text is below the expected share minus `less`.
    fn shares_less(&self, part: &FxHashMap<u64, u32>, shared: usize, text: usize, less: f32) -> bool {
        let bound = self.bounds.per_ln * (text.max(1) as f32).ln() - less;
        shared as f32 + PRIOR < bound * (part.len() + 1) as f32
    }
}

/// Returns the limits for comparing texts: those for character pairs if most terms are pairs, otherwise for words.
fn bounds<'a>(terms: impl ExactSizeIterator<Item = &'a u64>) -> &'static Bounds {
    let all = terms.len();
    let pairs = terms.filter(|term| **term & PAIR != 0).count();
    if 2 * pairs > all { &OF_PAIRS } else { &OF_WORDS }
}

/// Returns the containers at the end of the text that hold a part of it and have no similar sibling.
fn last_parts(page: &Page, kept: &[bool]) -> Vec<u32> {
    let before = kept_words_before(page, kept);
    let total = before.last().copied().unwrap_or_default();
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

/// Hashes of 446 long words that tell no topic: one in ten English texts has them (counted on four sets of pages).
static COMMON: LazyLock<FxHashSet<u64>> = LazyLock::new(|| {
    let words = include_str!("common_words.txt").split_ascii_whitespace();
    words.map(|word| ascii_hash(word.as_bytes())).collect()
});

/// Bit that is set in hashes of character pairs and cleared in hashes of words.
const PAIR: u64 = 1 << 63;

/// Appends the hashes of a text's long words, or of its pairs of characters in scripts without spaces.
fn push_terms(text: &str, terms: &mut Vec<u64>) {
    let common = &*COMMON;
    if text.is_ascii() {
        // Bytes are faster than characters, and most paragraphs have no others.
        let words = text.as_bytes().split(|byte| !byte.is_ascii_alphanumeric());
        let long = words.filter(|word| word.len() >= LONG && !word.first().is_some_and(u8::is_ascii_digit));
        terms.extend(long.map(ascii_hash).filter(|term| !common.contains(term)));
        return;
    }
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        if word.starts_with(is_paired) {
            let next = word.chars().skip(1).take_while(|c| is_paired(*c));
            let pairs = word.chars().zip(next).map(|(one, other)| hash([one.into(), other.into()].into_iter()));
            terms.extend(pairs.map(|pair| pair | PAIR));
        } else if word.chars().nth(LONG - 1).is_some()
            && !word.starts_with(|c: char| c.is_ascii_digit() || is_unspaced(c))
        {
            let term = if word.is_ascii() {
                ascii_hash(word.as_bytes())
            } else {
                hash(word.chars().flat_map(char::to_lowercase).map(u32::from))
            };
            terms.extend(Some(term).filter(|term| !common.contains(term)));
        }
    }
}

/// Returns whether a character is Chinese or Japanese, so that pairs of such characters are compared like words.
fn is_paired(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Returns the hash of a word of ASCII letters and digits, regardless of case.
fn ascii_hash(word: &[u8]) -> u64 {
    // The bit makes letters small; digits have it.
    const SMALL: u64 = 0x2020_2020_2020_2020;
    let (eights, rest) = word.as_chunks::<8>();
    let hash = eights.iter().fold(0, |hash, eight| word_hash_step(hash, u64::from_le_bytes(*eight) | SMALL));
    let last = rest.iter().rev().fold(0, |last, byte| last << 8 | u64::from(*byte));
    word_hash_step(hash, last | SMALL) & !PAIR
}

fn hash(chars: impl Iterator<Item = u32>) -> u64 {
    let mut hasher = FxHasher::default();
    chars.for_each(|c| hasher.write_u32(c));
    hasher.finish() & !PAIR
}

/// Returns the number of occurrences of each term.
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

    /// Returns a text of different long words about one subject, one for each number in `words`.
    fn on(subject: &str, words: std::ops::Range<usize>) -> String {
        words.map(|at| format!("{subject}{at} ")).collect()
    }

    /// Returns the first words of the texts that remain after off-topic parts are dropped, if all blocks were kept.
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
        // A few words say little, and other scripts cannot be compared.
        let few = format!("<div><p>{}<p>{}</div>", on("guitar", 0..7), on("guitar", 7..14));
        assert_eq!(left(&format!("{}{few}", text())).len(), 4);
        let unspaced = "水車は川のほとりに立っている".repeat(3);
        assert_eq!(left(&format!("{}<div><p>{unspaced}<p>{unspaced}</div>", text())).len(), 4);
    }

    #[test]
    fn pairs_of_characters_are_compared_in_chinese_and_japanese() {
        let text = "水車は川のほとりに立っている。粉屋は百年前と同じように小麦を挽き、村の人々は朝早くから袋を担いで坂道を上ってくる。\
            冬になると川は凍り、石臼は春まで止まったままである。粉屋の息子は町へ出て時計職人になったが、祭りの日には必ず帰ってくる。\
            古い橋の下では子供たちが魚を捕り、老人は木陰で昔の洪水について語る。役場は水車を博物館にしたいと考えているが、粉屋は首を縦に振らない。\
            秋の終わりには風が強く、屋根の瓦が何枚も飛ばされたという。郵便配達の女性は雪の日も自転車で谷を渡り、誰よりも早く便りを届けた。";
        let own = "粉屋は今でも水車を回し、村の人々は川のほとりで祭りの日を待っている。";
        let foreign = "会員登録は無料、最新の情報をメールで配信中です。おすすめ商品はこちらから選べます。";
        let page = ScanEngine.read(&format!("<p>{text}"), &Limits::default());
        let topic = Topic::of(&page, &[true]);
        assert!(topic.has(own) && !topic.is_foreign(own));
        assert!(topic.is_foreign(foreign) && !topic.has(foreign));
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
