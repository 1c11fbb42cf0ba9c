//! Holds the tables of a page (blocks, elements, attribute words), and answers questions that several rules ask of
//! them.
//!
//! A field is all blocks whose whole path of names and classes is equal. A template gives the same path to the same
//! kind of thing, so the blocks of a field are content together or not at all.

mod heading_ids;
mod rows;

use std::{ops::Range, sync::OnceLock};

use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::{json_ld::JsonLd, limits::Caps, markup::Tag};
use rows::{PackedStyle, StyleChange};

pub use heading_ids::HeadingIds;
pub use rows::{
    Attribute, AttributeWord, Block, Element, ElementKinds, FactKind, Head, InlineStyle, Notation, NotationKind,
    StatedFact, StyledText,
};
pub(crate) use rows::{StyleRecorder, cut_styles, has_style};

/// Index that means "none" in [`Element::parent`] and [`Block::element`].
pub const NONE: u32 = u32::MAX;

/// Words in `class` or `id` that mark a row of links to numbered pages. The first, `page`, counts only together with
/// another of the words.
pub const PAGE_ROW_WORDS: [&str; 13] = [
    "page", "pagination", "paginate", "paginated", "paginator", "pager", "paging", "pagenav", "pagenavi", "pagelinks",
    "pagebar", "pageturner", "seitenzahlen",
];

/// Tables of a page that was read in one pass: its head, elements, blocks and facts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// Facts that the page states in its head.
    pub head: Head,
    /// Elements of the page in document order, each before its descendants.
    pub elements: Vec<Element>,
    /// Blocks of the page in document order.
    pub blocks: Vec<Block>,
    /// Words in the `class`, `id`, `role` and `itemprop` of all elements. Those of one element are adjacent; elements
    /// with the same class can share them.
    pub attribute_words: Vec<AttributeWord>,
    /// Indices in `elements` of the inline elements that start inside of blocks; those of one block are adjacent.
    pub inline: Vec<u32>,
    /// Facts that elements of the body state, in document order.
    pub facts: Vec<StatedFact>,
    /// Union of the kinds of all elements on the page, such as list, table or code.
    pub kinds: ElementKinds,
    /// Indices of the elements that a style sheet of the page hides, in document order, without their descendants.
    pub hidden_by_sheet: Vec<u32>,
    /// Indices of the elements that `hidden`, their style or a class of common frameworks makes invisible, in document
    /// order, without their descendants.
    pub invisible: Vec<u32>,
    /// Indices of the elements that one of [`PAGE_ROW_WORDS`] marks as a row of page numbers, in document order.
    pub page_rows: Vec<u32>,
    /// Indices of the elements whose class has a word for boxes with a note or warning, in document order.
    pub boxes: Vec<u32>,
    /// Caps that the page exceeded.
    pub capped: Caps,
    /// Number of bytes of the decoded page that were read.
    pub bytes: usize,
    /// Number of start and end tags on the page outside of skipped elements.
    pub tags: u32,
    /// Number of work steps that reading took: bytes, tags, open elements and attribute words examined. It is at most
    /// proportional to `bytes`.
    pub steps: u64,
    pub(crate) text: String,
    /// Changes of inline style (link, code, bold), by their byte in `text`; empty unless the caller asked for styles.
    pub(crate) styles: Vec<StyleChange>,
    /// Texts of all words in attributes such as `class` and `id`, concatenated.
    pub(crate) word_text: String,
    pub(crate) names: Vec<String>,
    /// Parts of blocks with a special meaning, such as formulas, as byte ranges in `text`, in order of their starts.
    pub(crate) notations: Vec<Notation>,
    // Parsed on demand and once, because features and metadata both ask for it.
    pub(crate) json_ld: FoundOnce<JsonLd>,
    fields: FoundOnce<FieldIndex>,
}

/// Value that is computed from a page when it is first needed, and ignored when pages are compared.
#[derive(Debug)]
pub(crate) struct FoundOnce<T>(OnceLock<T>);

impl<T> Default for FoundOnce<T> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

impl<T> Clone for FoundOnce<T> {
    /// Returns an empty value: a copied page may be changed, so its value is computed anew.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<T> PartialEq for FoundOnce<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Maximum size in bytes of a table that is kept for the next page.
// Tables of usual pages are smaller; one huge page must not keep its memory for the rest of a run.
const MAX_KEPT_BYTES: usize = 4 << 20;

impl Page {
    /// Returns an empty page that reuses the memory of this one, except for unusually large tables.
    pub(crate) fn emptied(self) -> Self {
        fn emptied<T>(mut table: Vec<T>) -> Vec<T> {
            if table.capacity().saturating_mul(size_of::<T>()) > MAX_KEPT_BYTES {
                return Vec::new();
            }
            table.clear();
            table
        }
        // Empty bytes are text.
        let text = |text: String| String::from_utf8(emptied(text.into_bytes())).unwrap_or_default();
        Self {
            elements: emptied(self.elements),
            blocks: emptied(self.blocks),
            attribute_words: emptied(self.attribute_words),
            inline: emptied(self.inline),
            facts: emptied(self.facts),
            hidden_by_sheet: emptied(self.hidden_by_sheet),
            invisible: emptied(self.invisible),
            page_rows: emptied(self.page_rows),
            boxes: emptied(self.boxes),
            text: text(self.text),
            styles: emptied(self.styles),
            word_text: text(self.word_text),
            notations: emptied(self.notations),
            ..Self::default()
        }
    }
}

impl Page {
    /// Returns the text of a block.
    #[inline]
    pub fn text(&self, block: &Block) -> &str {
        self.text.get(self.text_range(block)).unwrap_or_default()
    }

    /// Returns the texts of all blocks, concatenated without separators.
    pub fn texts(&self) -> &str {
        &self.text
    }

    /// Returns the byte range in [`Page::texts`] of the text of a block.
    pub fn text_range(&self, block: &Block) -> Range<usize> {
        block.text.0 as usize..block.text.1 as usize
    }

    /// Returns the indices of the inline elements that start inside a block.
    pub fn inline(&self, block: &Block) -> &[u32] {
        self.inline.get(block.inline.0 as usize..block.inline.1 as usize).unwrap_or_default()
    }

    /// Returns the words of an element's attributes; no attribute gives a word twice.
    #[inline]
    pub fn attribute_words(&self, element: &Element) -> &[AttributeWord] {
        let (start, len) = (element.words.0 as usize, usize::from(element.words.1));
        self.attribute_words.get(start..start + len).unwrap_or_default()
    }

    /// Returns whether a word in some element's `class`, `id`, `role` or `itemprop` has one of the given hashes.
    pub fn has_attribute_word(&self, hashes: &[u64]) -> bool {
        // One bit a hash: most words are none of them by it.
        let bits = hashes.iter().fold(0u64, |bits, hash| bits | 1 << (hash & 63));
        self.attribute_words.iter().any(|word| bits >> (word.hash & 63) & 1 == 1 && hashes.contains(&word.hash))
    }

    /// Returns the index of the element's first word in the table of attribute words. Elements with the same class can
    /// share their words and thus have the same index.
    #[inline]
    pub fn first_attribute_word(&self, element: &Element) -> usize {
        element.words.0 as usize
    }

    /// Returns the text of a word that comes from an attribute.
    #[inline]
    pub fn word_text(&self, word: &AttributeWord) -> &str {
        let start = word.start as usize;
        let text = self.word_text.get(start..start + usize::from(word.len));
        text.unwrap_or_default()
    }

    /// Returns the page's JSON-LD, which is parsed at the first call only.
    pub fn json_ld(&self) -> &JsonLd {
        self.json_ld.0.get_or_init(|| JsonLd::parse(&self.head.json_ld))
    }

    /// Returns the name of an element's tag ([`Element::tag`]) in lower case.
    #[inline]
    pub fn name(&self, element: &Element) -> &str {
        match element.tag {
            Tag::Other => self.names.get(usize::from(element.name)).map_or("", String::as_str),
            tag => tag.name(),
        }
    }

    /// Returns the element at an index; `None` for [`NONE`].
    #[inline]
    pub fn element(&self, index: u32) -> Option<&Element> {
        self.elements.get(index as usize)
    }

    /// Iterates over the element at `index` and its ancestors, innermost first, with their indices.
    #[inline]
    pub fn path(&self, index: u32) -> impl Iterator<Item = (u32, &Element)> {
        let mut next = index;
        std::iter::from_fn(move || {
            let at = next;
            let element = self.element(at)?;
            next = element.parent;
            Some((at, element))
        })
    }

    /// Returns the kinds of all elements around a block.
    #[inline]
    pub fn kinds_around(&self, block: &Block) -> ElementKinds {
        self.element(block.element).map_or(ElementKinds::empty(), |element| element.within)
    }

    /// Iterates over the notations of a block (parts with a special meaning, such as formulas), in order of their
    /// starts; outer ones come before inner ones.
    pub fn notations(&self, block: &Block) -> impl Iterator<Item = Notation> {
        self.notations_in(block, (0, block.text.1 - block.text.0))
    }

    /// Iterates over a block's notations (formulas, superscripts) that begin between two bytes of its text, in order.
    pub fn notations_in(&self, block: &Block, (from, to): (u32, u32)) -> impl Iterator<Item = Notation> {
        let start = block.text.0;
        // Searched and not indexed by block: most pages have no notation, and pay nothing for them.
        let first = self.notations.partition_point(|notation| notation.text.0 < start + from);
        let rest = self.notations.get(first..).unwrap_or_default();
        rest.iter()
            .take_while(move |notation| notation.text.0 < start + to)
            .map(move |notation| Notation { text: (notation.text.0 - start, notation.text.1 - start), ..*notation })
    }

    /// Returns the text of a notation, which is a part of a block with a special meaning, such as a formula.
    pub fn noted(&self, block: &Block, notation: &Notation) -> &str {
        let (from, to) = notation.text;
        self.text(block).get(from as usize..to as usize).unwrap_or_default()
    }

    /// Returns whether any block has a part with a special meaning, such as a formula or superscript.
    #[inline]
    pub fn has_notations(&self) -> bool {
        !self.notations.is_empty()
    }

    /// Iterates over the blocks, with their indices, that have a part of one of the given kinds, such as a formula.
    pub fn blocks_with_notation<'a>(&'a self, kinds: &'a [NotationKind]) -> impl Iterator<Item = (usize, &'a Block)> {
        let mut last = None;
        let wanted = self.notations.iter();
        let wanted = wanted.filter(|notation| kinds.contains(&notation.kind));
        wanted.filter_map(move |notation| {
            let start = notation.text.0;
            let behind = self.blocks.partition_point(|block| block.text.0 <= start);
            let at = behind.checked_sub(1)?;
            let block = self.blocks.get(at).filter(|block| start < block.text.1)?;
            (last.replace(at) != Some(at)).then_some((at, block))
        })
    }

    /// Returns the innermost block-level element around a block, with its index.
    #[inline]
    pub fn container(&self, block: &Block) -> Option<(u32, &Element)> {
        let element = self.element(block.container)?;
        Some((block.container, element))
    }

    /// Returns whether no part of a block is a link, code, strong or emphasised; always true if styles were not read.
    pub fn is_unstyled(&self, block: &Block) -> bool {
        let (start, end) = block.text;
        let next = self.styles.partition_point(|(at, _)| *at <= start);
        let before = next.checked_sub(1).and_then(|before| self.styles.get(before));
        let begins_plain = before.is_none_or(|(_, style)| *style == PackedStyle::PLAIN);
        begins_plain && self.styles.get(next).is_none_or(|(at, _)| *at >= end)
    }

    /// Iterates over the parts of a block's text, divided where the inline style (link, code, bold) changes. A page
    /// that was read without styles gives a single part without style.
    pub fn styled(&self, block: &Block) -> impl Iterator<Item = StyledText<'_>> {
        self.styled_from(block, 0)
    }

    /// Iterates over the parts of a block's text from byte `from` on, divided where the inline style changes.
    pub fn styled_from(&self, block: &Block, from: u32) -> impl Iterator<Item = StyledText<'_>> {
        let (start, end) = (block.text.0 + from, block.text.1);
        // The last change before the block says how it begins.
        let mut next = self.styles.partition_point(|(at, _)| *at <= start);
        let mut from = start;
        let mut style = next
            .checked_sub(1)
            .and_then(|before| self.styles.get(before))
            .map_or(PackedStyle::PLAIN, |(_, style)| *style);
        std::iter::from_fn(move || {
            if from >= end {
                return None;
            }
            let change = self.styles.get(next).filter(|(at, _)| *at < end);
            let to = change.map_or(end, |(at, _)| *at);
            let text = self.text.get(from as usize..to as usize)?;
            let part = StyledText { text, style: style.unpacked() };
            from = to;
            if let Some((_, state)) = change {
                style = *state;
                next += 1;
            }
            Some(part)
        })
    }
}

impl Page {
    /// Returns whether one of the given words is in the element's `class`, `id`, `role` or `itemprop`.
    #[inline]
    pub fn says(&self, element: &Element, words: &[&str]) -> bool {
        self.attribute_words(element).iter().any(|word| words.contains(&self.word_text(word)))
    }

    /// Returns whether one of the given words is in the element's `class`, `id` or `itemprop`.
    #[inline]
    pub fn is_named_as(&self, element: &Element, names: &[&str]) -> bool {
        let mut words = self.attribute_words(element).iter().filter(|word| word.attribute != Attribute::Role);
        words.any(|word| names.contains(&self.word_text(word)))
    }

    /// Iterates over the elements around a block, innermost first; yields nothing unless one of them is of the given
    /// kind.
    pub fn path_in(&self, kind: ElementKinds, block: &Block) -> impl Iterator<Item = (u32, &Element)> {
        // Most blocks are in none, and their paths are not climbed.
        self.path(if self.kinds_around(block).contains(kind) { block.element } else { NONE })
    }

    /// Returns the range of indices of the blocks inside the element with the index `at`.
    pub fn blocks_inside(&self, at: u32) -> Range<usize> {
        let Some(element) = self.element(at) else { return 0..0 };
        let first = self.blocks.partition_point(|block| block.span.0 < element.start);
        let behind = self.blocks.get(first..).unwrap_or_default().iter();
        first..first + behind.take_while(|block| (at..element.end).contains(&block.element)).count()
    }

    /// Returns the address of the first link inside a block, or else of a link among the `ancestors` innermost elements
    /// around it.
    pub fn link_address(&self, html: &str, block: &Block, ancestors: usize) -> Option<String> {
        let around = self.path(block.element).take(ancestors).map(|(at, _)| at);
        let mut elements = self.inline(block).iter().copied().chain(around).filter_map(|at| self.element(at));
        elements.find(|element| element.tag == Tag::A)?.attribute(html, "href")
    }
}

/// Groups of blocks on a page, called fields: blocks whose enclosing elements have the same names and classes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldIndex {
    /// Number of the group that each block belongs to; groups are numbered in the order of their first blocks.
    pub of_block: Vec<u32>,
    /// Number of different groups on the page.
    pub fields: u32,
}

impl FieldIndex {
    /// Groups the blocks of a page by the names and classes of the elements around them, in linear time.
    pub fn of(page: &Page) -> Self {
        // A parent comes before its children, so each path is one step on from a known one.
        let mut paths: Vec<u64> = Vec::with_capacity(page.elements.len());
        for element in &page.elements {
            let around = paths.get(element.parent as usize).copied().unwrap_or(0);
            // A step of Fx: paths are looked up in this page alone.
            let path = (around.rotate_left(5) ^ element.signature).wrapping_mul(0x517c_c1b7_2722_0a95);
            paths.push(path);
        }
        let mut known: FxHashMap<u64, u32> = FxHashMap::with_capacity_and_hasher(page.blocks.len() / 2, FxBuildHasher);
        let mut before = None;
        let mut of_block = Vec::with_capacity(page.blocks.len());
        for block in &page.blocks {
            let path = paths.get(block.element as usize).copied().unwrap_or(0);
            // Neighbours often are of one field.
            let field = match before {
                Some((known, field)) if known == path => field,
                _ => {
                    let next = known.len() as u32;
                    *known.entry(path).or_insert(next)
                }
            };
            before = Some((path, field));
            of_block.push(field);
        }
        Self { of_block, fields: known.len() as u32 }
    }
}

impl Page {
    /// Returns the groups of blocks whose enclosing elements have the same names and classes; they are found at the
    /// first call, in linear time.
    pub fn fields(&self) -> &FieldIndex {
        self.fields.0.get_or_init(|| FieldIndex::of(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Engine, Limits, ScanEngine};

    #[test]
    fn blocks_of_one_path_are_a_field() {
        let page = ScanEngine.read(
            "<ul class=a><li>one</li><li>two</li></ul><ul class=b><li>three</li></ul><p>four five</p>\
             <ul class=a><li>six</li></ul>",
            &Limits::default(),
        );
        let fields = page.fields();
        assert_eq!(fields.of_block, [0, 0, 1, 2, 0]);
        assert_eq!(fields.fields, 3);
        let mut fewer = page.clone();
        fewer.blocks.truncate(2);
        assert_eq!(fewer.fields().of_block, [0, 0]);
        assert_eq!(Page::default().fields(), &FieldIndex::default());
    }
}
