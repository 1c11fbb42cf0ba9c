//! The tables a page is read into: blocks, elements, attribute tokens.

use crate::fact::Fact;
use crate::head::Head;
use crate::limits::Capped;
use crate::marks::Marks;
use crate::tag::Tag;

/// Index that stands for "none" in [`Element::parent`] and [`Block::element`].
pub const NONE: u32 = u32::MAX;

/// A page read in one pass.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// Facts of the page head.
    pub head: Head,
    /// Elements in document order, each before its descendants.
    pub elements: Vec<Element>,
    /// Blocks in document order.
    pub blocks: Vec<Block>,
    /// Attribute tokens, those of an element side by side; elements of one class can share theirs.
    pub tokens: Vec<Token>,
    /// Indices of inline elements, those of a block side by side.
    pub inline: Vec<u32>,
    /// Facts that elements of the body state, in document order.
    pub facts: Vec<Fact>,
    /// Caps that were passed.
    pub capped: Capped,
    /// Bytes of the decoded page that were read.
    pub bytes: usize,
    /// Start and end tags of the page outside of skipped elements.
    pub tags: u32,
    /// Steps of work that reading took: bytes, tags, open elements and tokens looked at. At most
    /// proportional to `bytes`.
    pub steps: u64,
    pub(crate) text: String,
    /// Where in `text` the marks change; empty unless they were asked for.
    pub(crate) marks: Vec<(u32, Marks)>,
    /// Texts of the tokens, one after the other.
    pub(crate) token_text: Vec<u8>,
    pub(crate) names: Vec<String>,
}

/// A run of text between two layout changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub(crate) text: (u32, u32),
    /// First and one past the last byte of the text in the decoded page, markup inside included.
    pub span: (u32, u32),
    /// Innermost element open at the first character ([`NONE`] outside of every element).
    pub element: u32,
    /// Innermost block-level element around that ([`NONE`] if there is none).
    pub(crate) container: u32,
    pub(crate) inline: (u32, u32),
    /// Words ([`crate::words`]).
    pub words: u32,
    /// Words inside links, at most `words`.
    pub link_words: u32,
    /// Characters of the text.
    pub chars: u32,
    /// Tags between the end of the block before (or the page start) and the first character.
    pub tags_before: u32,
    /// Tags between the first and the last character.
    pub tags_inside: u32,
    /// Runs of text, divided by tags, that the block is made of.
    pub pieces: u32,
    /// `img` elements among the tags inside.
    pub images: u32,
    /// `input` and `button` elements among the tags inside.
    pub inputs: u32,
}

/// Bytes of a table that are kept for the next page.
const KEPT: usize = 4 << 20;

impl Page {
    /// An empty page that has the memory of this one, unless that is unusually much.
    pub(crate) fn emptied(self) -> Self {
        fn emptied<T>(mut table: Vec<T>) -> Vec<T> {
            if table.capacity().saturating_mul(size_of::<T>()) > KEPT {
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
            tokens: emptied(self.tokens),
            inline: emptied(self.inline),
            facts: emptied(self.facts),
            text: text(self.text),
            marks: emptied(self.marks),
            token_text: emptied(self.token_text),
            ..Self::default()
        }
    }
}

impl Block {
    /// Share of the words that stand in links, 0..=1.
    pub fn link_density(&self) -> f32 {
        if self.words == 0 {
            0.0
        } else {
            self.link_words as f32 / self.words as f32
        }
    }
}

/// An element of the page's body, `html` and `body` included; head elements and what is never text
/// (script, svg ...) have no row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Its name.
    pub tag: Tag,
    pub(crate) name: u16,
    /// Index of the enclosing element, or [`NONE`].
    pub parent: u32,
    /// Number of enclosing elements.
    pub depth: u16,
    /// Whether the element or one around it is hidden by `hidden`, `aria-hidden="true"` or its style.
    pub hidden: bool,
    /// One past the index of its last descendant: descendants are `index + 1 .. end`.
    pub end: u32,
    pub(crate) tokens: (u32, u16),
    /// Hash of the name and the class attribute; equal for elements made by one template.
    pub signature: u64,
    /// Byte of the `<` of its start tag in the decoded page.
    pub start: u32,
}

/// Attribute a token comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Attribute {
    /// `id`
    Id,
    /// `class`
    Class,
    /// `role`
    Role,
    /// `itemprop`
    Itemprop,
}

impl Attribute {
    /// Every attribute that gives tokens.
    pub const ALL: [Attribute; 4] = [
        Attribute::Id,
        Attribute::Class,
        Attribute::Role,
        Attribute::Itemprop,
    ];

    /// Its name in HTML.
    pub fn name(self) -> &'static str {
        match self {
            Attribute::Id => "id",
            Attribute::Class => "class",
            Attribute::Role => "role",
            Attribute::Itemprop => "itemprop",
        }
    }
}

/// One word of an attribute's value: split at everything that is not a letter (so at `-`, `_` and
/// digits) and where lower case turns to upper; in lower case, two bytes or longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// [`trommel_text::hash()`] of the text, the same on every machine.
    pub hash: u64,
    pub(crate) start: u32,
    pub(crate) len: u16,
    /// Where it stands.
    pub attribute: Attribute,
}

impl Page {
    /// Text of a block.
    pub fn text(&self, block: &Block) -> &str {
        self.text
            .get(block.text.0 as usize..block.text.1 as usize)
            .unwrap_or_default()
    }

    /// Inline elements that start inside a block.
    pub fn inline(&self, block: &Block) -> &[u32] {
        self.inline
            .get(block.inline.0 as usize..block.inline.1 as usize)
            .unwrap_or_default()
    }

    /// Attribute tokens of an element, none twice for one attribute.
    pub fn tokens(&self, element: &Element) -> &[Token] {
        let (start, len) = (element.tokens.0 as usize, usize::from(element.tokens.1));
        self.tokens.get(start..start + len).unwrap_or_default()
    }

    /// Index of the first attribute token of an element; elements that share their tokens have the same.
    pub fn first_token(&self, element: &Element) -> usize {
        element.tokens.0 as usize
    }

    /// Text of a token.
    pub fn token_text(&self, token: &Token) -> &str {
        let start = token.start as usize;
        let text = self.token_text.get(start..start + usize::from(token.len));
        text.and_then(|text| str::from_utf8(text).ok())
            .unwrap_or_default()
    }

    /// Name of an element in lower case.
    pub fn name(&self, element: &Element) -> &str {
        match element.tag {
            Tag::Other => self
                .names
                .get(usize::from(element.name))
                .map_or("", String::as_str),
            tag => tag.name(),
        }
    }

    /// An element by its index; `None` for [`NONE`].
    pub fn element(&self, index: u32) -> Option<&Element> {
        self.elements.get(index as usize)
    }

    /// The element at `index` and the elements around it, innermost first, with their indices.
    pub fn path(&self, index: u32) -> impl Iterator<Item = (u32, &Element)> {
        let mut next = index;
        std::iter::from_fn(move || {
            let at = next;
            let element = self.element(at)?;
            next = element.parent;
            Some((at, element))
        })
    }

    /// The innermost block-level element around a block.
    pub fn container(&self, block: &Block) -> Option<(u32, &Element)> {
        let element = self.element(block.container)?;
        Some((block.container, element))
    }
}
