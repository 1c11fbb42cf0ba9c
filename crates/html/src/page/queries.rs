//! Questions about the surroundings of blocks that several rules ask.

use std::ops::Range;

use super::{Block, Element, ElementKinds, NONE, Page};
use crate::markup::Tag;
use crate::page::Attribute;

impl Page {
    /// Returns whether one of these is a word of the attributes of an element.
    #[inline]
    pub fn says(&self, element: &Element, words: &[&str]) -> bool {
        self.attribute_words(element).iter().any(|word| words.contains(&self.word_text(word)))
    }

    /// Returns whether one of these is a word of the attributes that name an element: all but its role.
    #[inline]
    pub fn is_named_as(&self, element: &Element, names: &[&str]) -> bool {
        let mut words = self.attribute_words(element).iter().filter(|word| word.attribute != Attribute::Role);
        words.any(|word| names.contains(&self.word_text(word)))
    }

    /// The elements around a block, from inside out, if one of them is of a kind. Else there are none.
    pub fn path_in(&self, kind: ElementKinds, block: &Block) -> impl Iterator<Item = (u32, &Element)> {
        // Most blocks are in none, and their paths are not climbed.
        self.path(if self.kinds_around(block).contains(kind) { block.element } else { NONE })
    }

    /// The blocks inside an element.
    pub fn blocks_inside(&self, at: u32) -> Range<usize> {
        let Some(element) = self.element(at) else { return 0..0 };
        let first = self.blocks.partition_point(|block| block.span.0 < element.start);
        let behind = self.blocks.get(first..).unwrap_or_default().iter();
        first..first + behind.take_while(|block| (at..element.end).contains(&block.element)).count()
    }

    /// The address of the first link inside a block or among the nearest elements around it.
    pub fn link_address(&self, html: &str, block: &Block, ancestors: usize) -> Option<String> {
        let around = self.path(block.element).take(ancestors).map(|(at, _)| at);
        let mut elements = self.inline(block).iter().copied().chain(around).filter_map(|at| self.element(at));
        elements.find(|element| element.tag == Tag::A)?.attribute(html, "href")
    }
}
