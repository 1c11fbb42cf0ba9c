//! jusText: Pomikálek, Removing Boilerplate and Duplicate Content from Web Corpora, PhD thesis,
//! Masaryk University, 2011, chapter 3; constants and order of steps as in the program
//! (github.com/miso-belica/jusText).
//!
//! Each block is judged by its length, links and share of stop words; short and doubtful blocks then
//! follow their neighbours, and headings the text after them.
//!
//! Differences: link density is by words, as the tables keep it (the program: by characters);
//! paragraphs are the blocks of the table. The program is told the language. Here it is detected on
//! the longer blocks, else taken from the page's `lang`. Where the program has no stop list (Chinese,
//! Japanese, Thai ...) its language-independent mode is used, which asks for no stop words: every
//! block of 70 characters with few links passes, so precision falls there.

mod language;
mod revise;

use ::justext::get_stoplist;
use rustc_hash::FxHashMap;
use std::collections::HashSet;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use trommel_html::{Page, Tag};

use crate::methods::method::{About, Method, MethodError};
use revise::{Paragraph, ParagraphClass, revise};

/// Characters below which a block is short, and above which it may be good.
const LENGTH_LOW: u32 = 70;
const LENGTH_HIGH: u32 = 200;
/// Shares of stop words.
const STOP_LOW: f32 = 0.30;
const STOP_HIGH: f32 = 0.32;
/// Link density above which a block is bad.
const MOST_LINKED: f32 = 0.2;

/// The jusText algorithm.
#[derive(Clone, Copy, Debug, Default)]
pub struct JusText;

impl Method for JusText {
    fn about(&self) -> &About {
        &About {
            name: "justext",
            line: "length, links and stop words of a block, then its neighbours",
            citation: "Pomikálek, Removing Boilerplate and Duplicate Content from Web Corpora, PhD thesis, Masaryk University, 2011",
            learns: false,
        }
    }

    fn extract(&self, page: &Page) -> Result<Vec<bool>, MethodError> {
        let stop_words = language::language(page, LENGTH_LOW).and_then(stop_list);
        let headings = in_heading(page);
        let mut paragraphs: Vec<Paragraph> = page
            .blocks
            .iter()
            .map(|block| Paragraph {
                class: judge(page.text(block), block.chars, block.link_density(), stop_words.as_deref()),
                chars: block.chars,
                heading: headings.get(block.element as usize).copied().unwrap_or_default(),
            })
            .collect();
        revise(&mut paragraphs);
        Ok(paragraphs.iter().map(|paragraph| paragraph.class == ParagraphClass::Good).collect())
    }
}

/// The stop list of a language by its English name, in lower case; `None` if the program has none.
/// Lists are read once.
fn stop_list(language: &'static str) -> Option<Arc<HashSet<String>>> {
    type Lists = RwLock<FxHashMap<&'static str, Option<Arc<HashSet<String>>>>>;
    static LISTS: OnceLock<Lists> = OnceLock::new();
    let lists = LISTS.get_or_init(Lists::default);
    if let Some(list) = lists.read().unwrap_or_else(PoisonError::into_inner).get(language) {
        return list.clone();
    }
    let list = get_stoplist(language).ok().map(Arc::new);
    lists.write().unwrap_or_else(PoisonError::into_inner).insert(language, list.clone());
    list
}

/// The class of a block by itself. Without a stop list no stop words are asked for.
fn judge(text: &str, chars: u32, link_density: f32, stop_words: Option<&HashSet<String>>) -> ParagraphClass {
    if link_density > MOST_LINKED || text.contains('©') {
        return ParagraphClass::Bad;
    }
    if chars < LENGTH_LOW {
        return if link_density > 0.0 { ParagraphClass::Bad } else { ParagraphClass::Short };
    }
    let share = stop_words.map_or(1.0, |list| share_of(text, list));
    if share >= STOP_HIGH && chars > LENGTH_HIGH {
        ParagraphClass::Good
    } else if share >= STOP_LOW {
        ParagraphClass::NearGood
    } else {
        ParagraphClass::Bad
    }
}

/// Share of stop words among the runs between white space, as the program counts them.
fn share_of(text: &str, stop_words: &HashSet<String>) -> f32 {
    let (mut words, mut stops) = (0u32, 0u32);
    for word in text.split_whitespace() {
        words += 1;
        stops += u32::from(stop_words.contains(&word.to_lowercase()));
    }
    stops as f32 / words.max(1) as f32
}

/// Returns whether each element is `h1` to `h6` or inside one.
fn in_heading(page: &Page) -> Vec<bool> {
    let mut inside: Vec<bool> = Vec::with_capacity(page.elements.len());
    for element in &page.elements {
        let around = inside.get(element.parent as usize).copied().unwrap_or_default();
        let tag: Tag = element.tag;
        inside.push(around || tag.is_heading());
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    fn kept(html: &str) -> Vec<bool> {
        JusText.extract(&ScanEngine.read(html, &Limits::default())).unwrap()
    }

    /// 214 characters, 39 words, 23 of them stop words.
    const GOOD: &str = "There was a time when all of the people who lived in this town would go to the river in the evening, and they would stand on the old bridge and talk about what had been said at the market and what was to come next.";
    /// 94 characters of prose.
    const NEAR: &str = "It was not what they had been told, but there was no one in the house who would have said it.";

    #[test]
    fn blocks_by_themselves() {
        let list = get_stoplist("English").unwrap();
        let judge = |text: &str, density| judge(text, text.chars().count() as u32, density, Some(&list));
        assert!(share_of(GOOD, &list) >= STOP_HIGH);
        assert_eq!(judge(GOOD, 0.0), ParagraphClass::Good);
        assert_eq!(judge(GOOD, 0.21), ParagraphClass::Bad);
        assert_eq!(judge(&format!("{GOOD} ©"), 0.0), ParagraphClass::Bad);
        assert_eq!(judge(NEAR, 0.0), ParagraphClass::NearGood);
        assert_eq!(judge("Short text", 0.0), ParagraphClass::Short);
        assert_eq!(judge("Short text", 0.1), ParagraphClass::Bad);
        let names = "Sydney Melbourne Brisbane Perth Adelaide Hobart Darwin Canberra Newcastle Geelong";
        assert_eq!(judge(names, 0.0), ParagraphClass::Bad);
        assert_eq!(super::judge(names, 81, 0.0, None), ParagraphClass::NearGood);
    }

    #[test]
    fn a_page_by_hand() {
        let html = format!(
            "<html lang=en><p><a href=/>Home</a></p><h1>Headline</h1><p>{GOOD}</p><p>Short</p><p>{NEAR}</p><p>{GOOD}</p><p>Last short</p><p>© 2010</p>"
        );
        // Home: linked: bad. Headline: short, a heading, right before a good block: near-good, and one
        // of its neighbours is good: good. "Short": between good and good: good. Near-good beside good:
        // good. "Last short": good before, bad (©) after, neither near-good: bad.
        assert_eq!(kept(&html), [false, true, true, true, true, true, false, false]);
    }

    #[test]
    fn without_a_stop_list_length_decides() {
        let chinese =
            "我在湖南张家界开一个全省教学研究会议。按照惯例，会议安排了一天时间，让与会者去风景点游玩观赏。".repeat(5);
        assert_eq!(kept(&format!("<p>{chinese}</p><p>首页</p>")), [true, false]);
    }

    #[test]
    fn the_list_follows_the_language() {
        let polish = "Nie było to tak, jak im mówiono, ale w domu nie było nikogo, kto by o tym powiedział, bo wszyscy byli już na polu i nikt nie wiedział, co się stało, ani kto to zrobił, a także dlaczego tak się stało i co z tego będzie.";
        // Declared English, detected Polish: by English stop words it would be bad.
        assert_eq!(kept(&format!("<html lang=en><p>{polish}</p>")), [true]);
        let english = get_stoplist("English").unwrap();
        assert_eq!(judge(polish, 220, 0.0, Some(&english)), ParagraphClass::Bad);
    }

    #[test]
    fn pages_of_no_block_and_one_block() {
        assert!(kept("").is_empty());
        assert_eq!(kept("<p>Short"), [false]);
        assert_eq!(kept(&format!("<p>{GOOD}")), [true]);
        // Near-good alone stands between the ends of the page, which are bad.
        assert_eq!(kept(&format!("<p>{NEAR}")), [false]);
    }
}
