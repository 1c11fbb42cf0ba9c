//! Facts about each element, for Readability.

use trommel_html::{Attribute, Element, Page, Tag};

use crate::methods::class_words::ClassWords;
use crate::methods::home::home;

/// Words that lower a class weight, from the rules as dragnet restates them.
const NEGATIVE: [&str; 18] = [
    "combx", "comment", "contact", "foot", "masthead", "media", "meta", "outbrain", "promo", "related", "scroll",
    "shoutbox", "sidebar", "sponsor", "shopping", "tags", "tool", "widget",
];
/// Words that raise a class weight, same source.
const POSITIVE: [&str; 10] =
    ["article", "body", "content", "entry", "main", "page", "pagination", "post", "text", "blog"];
/// Words of elements that are never looked at (from memory of Readability.js).
const UNLIKELY: [&str; 25] = [
    "banner", "breadcrumb", "combx", "comment", "community", "disqus", "extra", "footer", "gdpr", "header", "legends",
    "menu", "pager", "pagination", "popup", "related", "remark", "replies", "rss", "shoutbox", "sidebar", "skyscraper",
    "social", "sponsor", "supplemental",
];
/// Words that take an element out of the unlikely ones (from memory of Readability.js).
const MAYBE: [&str; 7] = ["and", "article", "body", "column", "content", "main", "shadow"];
/// Roles of elements that are never looked at (from memory of Readability.js).
const ROLES: [&str; 7] = ["alert", "alertdialog", "complementary", "dialog", "menu", "menubar", "navigation"];

/// Facts of a page that no attempt changes.
pub(super) struct ReadabilityFacts {
    /// Sum of ±25 for `id` and `class` each.
    pub class_weight: Vec<f64>,
    /// True if the class, id or role says that the element holds no content.
    pub unlikely: Vec<bool>,
    /// True if a block-level element stands inside.
    pub holds_blocks: Vec<bool>,
    /// Innermost element that holds all of each block.
    pub homes: Vec<u32>,
    /// Commas of each block.
    pub commas: Vec<u32>,
    /// True if the last text of each element outside of block-level elements in it ends a sentence.
    ends: Vec<bool>,
}

impl ReadabilityFacts {
    pub fn new(page: &Page) -> Self {
        let [mut negative, mut positive] = [ClassWords::new(&NEGATIVE), ClassWords::new(&POSITIVE)];
        let [mut unlikely, mut maybe] = [ClassWords::new(&UNLIKELY), ClassWords::new(&MAYBE)];
        let mut facts = Self {
            class_weight: Vec::with_capacity(page.elements.len()),
            unlikely: Vec::with_capacity(page.elements.len()),
            holds_blocks: vec![false; page.elements.len()],
            homes: page.blocks.iter().map(|block| home(page, block)).collect(),
            commas: page.blocks.iter().map(|block| commas(page.text(block))).collect(),
            ends: vec![false; page.elements.len()],
        };
        for block in &page.blocks {
            if let Some((at, _)) = page.container(block)
                && let Some(ends) = facts.ends.get_mut(at as usize)
            {
                *ends = ends_sentence(page.text(block));
            }
        }
        // Whether the element is a table or code, or stands in one.
        let mut kept_whole: Vec<bool> = Vec::with_capacity(page.elements.len());
        for element in &page.elements {
            let mut weight = 0.0;
            let (mut bad, mut good) = (false, false);
            for attribute in [Attribute::Id, Attribute::Class] {
                let words = || page.attribute_words(element).iter().filter(move |token| token.attribute == attribute);
                if words().any(|token| negative.matches(page, token)) {
                    weight -= 25.0;
                }
                if words().any(|token| positive.matches(page, token)) {
                    weight += 25.0;
                }
                bad |= words().any(|token| unlikely.matches(page, token));
                good |= words().any(|token| maybe.matches(page, token));
            }
            let role = page
                .attribute_words(element)
                .iter()
                .any(|token| token.attribute == Attribute::Role && ROLES.contains(&page.word_text(token)));
            let spared = matches!(element.tag, Tag::Html | Tag::Body | Tag::A);
            let around = kept_whole.get(element.parent as usize).copied().unwrap_or(false);
            kept_whole.push(around || matches!(element.tag, Tag::Table | Tag::Code));
            facts.class_weight.push(weight);
            facts.unlikely.push(role || bad && !good && !spared && !around);
        }
        for (at, element) in page.elements.iter().enumerate().rev() {
            let holds_text = !element.tag.is_inline() || facts.holds_blocks.get(at).copied().unwrap_or(false);
            if let Some(parent) = facts.holds_blocks.get_mut(element.parent as usize) {
                *parent |= holds_text;
            }
        }
        facts
    }

    /// Returns whether the text of a paragraph ends a sentence.
    pub fn ends_sentence(&self, at: u32) -> bool {
        self.ends.get(at as usize).copied().unwrap_or(false)
    }

    /// Score that an element starts with: what its name says, and its class weight.
    pub fn base(&self, at: u32, element: &Element, class_weights: bool) -> f64 {
        let name = match element.tag {
            Tag::Div => 5.0,
            Tag::Pre | Tag::Td | Tag::Blockquote => 3.0,
            Tag::Address | Tag::Ol | Tag::Ul | Tag::Dl | Tag::Dd | Tag::Dt | Tag::Li | Tag::Form => -3.0,
            Tag::Th => -5.0,
            tag if tag.is_heading() => -5.0,
            _ => 0.0,
        };
        name + self.weight(at, class_weights)
    }

    /// Class weight of an element; 0 where class weights are off.
    pub fn weight(&self, at: u32, class_weights: bool) -> f64 {
        self.class_weight.get(at as usize).copied().filter(|_| class_weights).unwrap_or_default()
    }
}

/// Returns whether a text ends with a full stop.
pub(super) fn ends_sentence(text: &str) -> bool {
    text.trim_end().ends_with(['.', '。'])
}

fn commas(text: &str) -> u32 {
    let count = text.chars().filter(|c| matches!(c, ',' | '、' | '，' | '،')).count();
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Sums over what stands inside an element and is looked at.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TextSums {
    pub words: u32,
    pub link_words: u32,
    pub chars: u32,
    pub commas: u32,
    pub paragraphs: u32,
    pub images: u32,
    pub items: u32,
    pub inputs: u32,
    /// Parts that only tables of data have.
    pub data: u32,
}

impl TextSums {
    /// Share of the words that stand in links, 0..=1.
    pub fn link_density(&self) -> f64 {
        f64::from(self.link_words) / f64::from(self.words.max(1))
    }

    fn add(&mut self, other: &TextSums) {
        self.words += other.words;
        self.link_words += other.link_words;
        self.chars += other.chars;
        self.commas += other.commas;
        self.paragraphs += other.paragraphs;
        self.images += other.images;
        self.items += other.items;
        self.inputs += other.inputs;
        self.data += other.data;
    }
}

/// The sums of every element over the blocks and elements in `alive`.
pub(super) fn counts(page: &Page, facts: &ReadabilityFacts, alive: &[bool]) -> Vec<TextSums> {
    let mut counts = vec![TextSums::default(); page.elements.len()];
    let lives = |at: u32| alive.get(at as usize).copied().unwrap_or(false);
    for ((block, home), commas) in page.blocks.iter().zip(&facts.homes).zip(&facts.commas) {
        if let Some(sum) = counts.get_mut(*home as usize).filter(|_| lives(*home)) {
            sum.add(&TextSums {
                words: block.words,
                link_words: block.link_words,
                chars: block.chars,
                commas: *commas,
                ..TextSums::default()
            });
        }
    }
    for (at, element) in page.elements.iter().enumerate().rev() {
        if !alive.get(at).copied().unwrap_or(false) {
            continue;
        }
        let mut text_sums = counts.get(at).copied().unwrap_or_default();
        match element.tag {
            Tag::P => text_sums.paragraphs += 1,
            Tag::Img => text_sums.images += 1,
            Tag::Li => text_sums.items += 1,
            Tag::Input => text_sums.inputs += 1,
            Tag::Th | Tag::Thead | Tag::Tfoot | Tag::Caption | Tag::Col | Tag::Colgroup => text_sums.data += 1,
            _ => {}
        }
        if let Some(parent) = counts.get_mut(element.parent as usize) {
            parent.add(&text_sums);
        }
    }
    counts
}
