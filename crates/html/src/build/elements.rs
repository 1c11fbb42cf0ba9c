//! Writes the rows of the element table, and their attribute words.

use super::attribute_words;
use super::blocks::narrow;
use super::classes::{self, ClassReading};
use super::code_elements::is_highlighter;
use super::microdata::Microdata;
use super::nesting::has_optional_end;
use super::notes::{Marks, has_class};
use super::{Builder, OpenElement};
use crate::limits::Caps;
use crate::markup::Tag;
use crate::markup::tag_lexer::{Key, TagText};
use crate::page::{Attribute, AttributeWord, Element, ElementKinds, NONE};
use trommel_text::hash;

impl Builder {
    /// Opens an element, which may be `code` that is set as a block.
    pub(super) fn push(&mut self, text: &TagText, offset: usize, link: bool, is_code: bool) {
        let tag = text.tag;
        // What its row says it is.
        let mut row = tag;
        let parent = self.stack.last().map_or(NONE, |open| open.element);
        let index = self.page.elements.len();
        // Beyond the cap tags still open and close blocks: only their rows are missing.
        let full = index >= self.limits.elements;
        if full {
            self.cap(Caps::ELEMENTS);
        }
        let name = if tag == Tag::Other { self.intern(text.name) } else { 0 };
        if !row.is_inline() {
            self.no_heading_around();
        }
        if !full {
            let mut element = self.read_element(text, name, parent, offset);
            // A bit of the class's words first; the names are compared only for the few elements that have it.
            let may_be_code = self.marks.contains(Marks::CODE) && self.keep_space == 0;
            if is_code || may_be_code && is_highlighter(text, &self.page.head.meta) {
                row = Tag::Pre;
                element.tag = row;
                element.within |= ElementKinds::CODE;
                self.page.kinds |= ElementKinds::CODE;
            } else if self.marks.contains(Marks::HEADING) && !tag.is_inline() && !tag.is_heading() {
                element.tag = heading_of_level(text.other_value("aria-level").as_deref());
                element.within |= ElementKinds::HEADING;
                self.page.kinds |= ElementKinds::HEADING;
            }
            self.page.elements.push(element);
            if self.marks.contains(Marks::SHEET) {
                self.page.hidden_by_sheet.push(narrow(index));
            }
            if self.marks.contains(Marks::PAGE_ROW) {
                self.page.page_rows.push(narrow(index));
            }
            if row.is_inline() {
                self.page.inline.push(narrow(index));
            }
        }
        // Void elements have rows, because features count elements: without rows 1,294 of 1,358 pages change.
        if tag.is_void() {
            return;
        }
        if full || self.stack.len() >= self.limits.depth {
            if !full {
                self.cap(Caps::DEPTH);
            }
            // Start and end tags beyond the cap are matched by counting, which needs end tags that cannot be left out.
            if !has_optional_end(tag) {
                self.overflow = self.overflow.saturating_add(1);
            }
            return;
        }
        let container =
            if row.is_inline() { self.stack.last().map_or(NONE, |open| open.container) } else { narrow(index) };
        let is_apart = tag.is_inline() && !full && self.marks.contains(Marks::BLOCK);
        if is_apart {
            // Shown as a block, it cannot continue the word before it.
            self.fold.blank();
        }
        // Docutils writes inline code as `<span class="literal">`.
        let is_literal = tag == Tag::Span && self.marks.contains(Marks::LITERAL) && has_class(text, b"literal");
        let style = if is_literal { Tag::Code } else { tag };
        self.stack.push(OpenElement {
            element: narrow(index),
            container,
            tag,
            name,
            ended: false,
            link,
            keeps_space: row.keeps_space(),
            is_apart,
            style,
        });
        self.open[tag as usize] += 1;
        if link {
            self.link_starts();
        }
        if let Some(styles) = &mut self.styles {
            styles.start(style, narrow(index), link, narrow(self.fold.len()));
        }
        self.keep_space += u32::from(row.keeps_space());
        self.open_notation(text, narrow(index), self.marks);
    }

    /// A block-level element starts: what has the role of a heading and holds it is not a line, and so no heading.
    fn no_heading_around(&mut self) {
        if let Some(around) = self.stack.last()
            && let Some(element) = self.page.elements.get_mut(around.element as usize)
            && element.tag.is_heading()
            && !around.tag.is_heading()
        {
            element.tag = around.tag;
        }
    }

    fn read_element(&mut self, text: &TagText, name: u16, parent: u32, offset: usize) -> Element {
        let tag = text.tag;
        let (depth, mut hidden, around) = match self.page.element(parent) {
            Some(parent) => (parent.depth.saturating_add(1), parent.hidden, parent.within),
            None => (0, false, ElementKinds::empty()),
        };
        let kinds = ElementKinds::of(tag);
        self.page.kinds |= kinds;
        let first = self.page.attribute_words.len();
        self.marks = Marks::empty();
        // Name and class only: ids are unique, and would make each row of one template another.
        let mut signature = NAME_HASHES[tag as usize] ^ u64::from(name);
        let mut microdata = Microdata::default();
        // Of what was not read it is not known.
        let mut is_named = text.cut;
        // Words of an element before, which this one has as well.
        let mut shared = None;
        for (name, value) in text.attributes() {
            microdata.note(name, value);
            let attribute = match name {
                Key::Id => Some(Attribute::Id),
                Key::Class => Some(Attribute::Class),
                Key::Role => Some(Attribute::Role),
                Key::Itemprop => Some(Attribute::Itemprop),
                _ => None,
            };
            if attribute.is_some()
                && let Some(words) = shared.take()
            {
                self.copy_words(words);
            }
            match name {
                Key::Name => is_named = true,
                Key::Class => {
                    let class = self.read_class(value, first);
                    // Rotated, so that a name and a class of equal hash do not cancel each other.
                    signature ^= class.0.rotate_left(17);
                    shared = class.1;
                }
                Key::Hidden => {
                    hidden = true;
                    self.marks |= Marks::HIDDEN;
                }
                // Hidden for readers' aids only: it is seen, so it is a feature and not left out of the text.
                Key::AriaHidden => hidden |= value.eq_ignore_ascii_case(b"true"),
                Key::Style if hides(value) => {
                    hidden = true;
                    self.marks |= Marks::HIDDEN;
                }
                Key::Style if tag.is_inline() && shows_as_block(value) => {
                    self.marks |= Marks::BLOCK;
                }
                Key::Style => {}
                Key::Tex | Key::Mathml => self.marks |= Marks::SOURCE,
                _ => {
                    if name == Key::Id && !self.style_sheets.are_empty() && self.style_sheets.hide_id(value) {
                        self.marks |= Marks::SHEET;
                    }
                    if name == Key::Role && value.eq_ignore_ascii_case(b"heading") {
                        self.marks |= Marks::HEADING;
                    }
                    if let Some(attribute) = attribute {
                        is_named |= attribute == Attribute::Id;
                        self.read_words(attribute, value, first);
                    }
                }
            }
        }
        if microdata.any() {
            self.note_facts(text, &microdata, offset);
        }
        let count = self.page.attribute_words.len() - first;
        // Words of an element lie side by side in one table, so a row needs two numbers and no memory of its own.
        let range = (narrow(first), u16::try_from(count).unwrap_or(u16::MAX));
        Element {
            tag,
            name,
            parent,
            depth,
            hidden,
            within: around | kinds,
            end: narrow(self.page.elements.len() + 1),
            words: shared.unwrap_or(range),
            is_named,
            signature,
            start: narrow(offset),
        }
    }

    /// Takes over the words of an element before, as far as there is room.
    fn copy_words(&mut self, (start, count): (u32, u16)) {
        let page = &mut self.page;
        let room = self.limits.words.saturating_sub(page.attribute_words.len());
        let count = usize::from(count);
        if count > room {
            page.capped.insert(Caps::WORDS);
        }
        let start = start as usize;
        page.attribute_words.extend_from_within(start..start + count.min(room));
    }

    /// Reads the words of a class attribute. Gives a hash of its value and, if an element before
    /// has the same and this one no others yet, the place of its words, which are then not written
    /// again.
    fn read_class(&mut self, value: &[u8], first: usize) -> (u64, Option<(u32, u16)>) {
        let element_words = self.page.attribute_words.get(first..).unwrap_or_default();
        let key = classes::key(value);
        let own_hash = key.map_or_else(|| hash(value), |key| key.hash);
        let is_second = element_words.iter().any(|word| word.attribute == Attribute::Class);
        let Some(key) = key.filter(|_| !is_second) else {
            self.read_words(Attribute::Class, value, first);
            return (own_hash, None);
        };
        let before = element_words.len();
        if let Some(class) = self.classes.get(key, value) {
            let room = self.limits.words.saturating_sub(self.page.attribute_words.len());
            let count = usize::from(class.words.1);
            let fits = before + count <= self.limits.element_words && count <= room;
            if before == 0 || fits {
                // As many steps as reading would have taken: the cap on steps must not depend on what is remembered.
                self.steps += u64::from(class.steps) + u64::from(class.given) * before as u64;
                if before == 0 {
                    self.marks |= class.marks;
                    return (class.hash, Some(class.words));
                }
                self.copy_words(class.words);
                self.marks |= class.marks;
                return (class.hash, None);
            }
        }
        let steps = self.steps;
        let start = self.page.attribute_words.len();
        let given = self.read_words(Attribute::Class, value, first);
        if !self.style_sheets.are_empty() && self.style_sheets.hide_class(value) {
            self.marks |= Marks::SHEET;
        }
        let block = if self.style_sheets.show_as_block(value) { Marks::BLOCK } else { Marks::empty() };
        self.marks |= block;
        let class = ClassReading {
            hash: key.hash,
            words: (narrow(start), (self.page.attribute_words.len() - start) as u16),
            given,
            marks: self.marks
                & (Marks::MATH
                    | Marks::NOTE
                    | Marks::HIDDEN
                    | Marks::SHEET
                    | Marks::CODE
                    | Marks::PAGE_ROW
                    | Marks::STRUCK
                    | Marks::LITERAL)
                | block,
            // Without the part that depends on the words before, which the next element may not have.
            steps: (self.steps - steps - u64::from(given) * before as u64) as u16,
        };
        let len = self.page.attribute_words.len();
        // There would have been room for more: none was left out.
        if len - first < self.limits.element_words && len < self.limits.words {
            self.classes.set(key, value, class);
        }
        (class.hash, None)
    }

    /// Reads the words of an attribute, and gives their number before those given twice were left
    /// out.
    fn read_words(&mut self, attribute: Attribute, value: &[u8], first: usize) -> u16 {
        let page = &mut self.page;
        let word_text = &mut self.word_text;
        let limits = &self.limits;
        let steps = &mut self.steps;
        let marks = &mut self.marks;
        let mut given = 0u16;
        // One bit a word by its hash: only words whose bit is set can have been given before.
        let is_second =
            page.attribute_words.get(first..).is_some_and(|words| words.iter().any(|word| word.attribute == attribute));
        let mut seen = if is_second { u64::MAX } else { 0 };
        attribute_words::split(value, |text, hash, short| {
            given = given.saturating_add(1);
            let says = Marks::of_word(hash);
            // Ids are unique: of their words only those of page numbers are marks.
            *marks |= match attribute {
                Attribute::Class => says,
                _ => says & Marks::PAGE_ROW,
            };
            let words = page.attribute_words.get(first..).unwrap_or_default();
            *steps += words.len() as u64;
            let bit = 1 << (hash >> 58);
            if seen & bit != 0 && words.iter().any(|word| word.hash == hash && word.attribute == attribute) {
                return;
            }
            seen |= bit;
            if words.len() >= limits.element_words || page.attribute_words.len() >= limits.words {
                page.capped.insert(Caps::WORDS);
                return;
            }
            page.attribute_words.push(AttributeWord {
                hash,
                start: narrow(word_text.len()),
                len: u16::try_from(text.len()).unwrap_or(u16::MAX),
                attribute,
            });
            match short {
                // Written in one step and cut, as a call for so few bytes costs more.
                Some(short) => {
                    let end = word_text.len() + text.len();
                    word_text.extend_from_slice(&short.to_le_bytes());
                    word_text.truncate(end);
                }
                None => word_text.extend_from_slice(text),
            }
        });
        given
    }

    /// Number of an unknown element's name. All names beyond the first thousand share one number.
    pub(super) fn intern(&mut self, name: &[u8]) -> u16 {
        // Hostile pages invent names; beyond a thousand all share one number, so the table stays small.
        const MAX_NAMES: usize = 1000;
        const MAX_NAME_BYTES: usize = 64;
        let name = name.get(..MAX_NAME_BYTES).unwrap_or(name);
        let name = String::from_utf8_lossy(name).to_ascii_lowercase();
        if let Some(number) = self.name_numbers.get(&name) {
            return *number;
        }
        let names = &mut self.page.names;
        if names.len() < MAX_NAMES {
            let number = u16::try_from(names.len()).unwrap_or(u16::MAX);
            self.name_numbers.insert(name.clone(), number);
            names.push(name);
        }
        u16::try_from(names.len() - 1).unwrap_or(u16::MAX)
    }
}

/// [`hash`] of the name of each tag.
const NAME_HASHES: [u64; Tag::COUNT] = {
    let mut hashes = [0; Tag::COUNT];
    let mut at = 0;
    while at < Tag::COUNT {
        hashes[at] = hash(Tag::NAMES[at].as_bytes());
        at += 1;
    }
    hashes
};

/// The tag of a heading whose level an attribute says; of the second level if it says none (WAI-ARIA 1.2).
fn heading_of_level(level: Option<&str>) -> Tag {
    match level.and_then(|level| level.trim().parse().ok()) {
        // WAI-ARIA allows levels above 6, for which HTML has no element.
        Some(1) => Tag::H1,
        Some(3) => Tag::H3,
        Some(4) => Tag::H4,
        Some(5) => Tag::H5,
        Some(6u32..) => Tag::H6,
        _ => Tag::H2,
    }
}

/// Whether a style attribute takes its element out of sight.
pub(super) fn hides(style: &[u8]) -> bool {
    // Other ways (off-screen positions, zero size) also serve readers' aids, whose text is text.
    declares(style, b"display:none") || declares(style, b"visibility:hidden")
}

/// Whether a style attribute shows its element as a block.
fn shows_as_block(style: &[u8]) -> bool {
    // Without its first letter, which may be a capital: most styles say nothing of `display`.
    memchr::memmem::find(style, b"isplay").is_some() && SHOWN_AS_BLOCKS.iter().any(|rule| declares(style, rule))
}

const SHOWN_AS_BLOCKS: [&[u8]; 5] =
    [b"display:block", b"display:flex", b"display:grid", b"display:table", b"display:list-item"];

/// Whether a rule (in lower case, without white space) stands in a style, white space left out.
pub(super) fn declares(style: &[u8], rule: &[u8]) -> bool {
    let Some((&first, rest)) = rule.split_first() else {
        return true;
    };
    memchr::memchr2_iter(first, first.to_ascii_uppercase(), style).any(|at| {
        let mut following = style.get(at + 1..).unwrap_or_default().iter().filter(|byte| !byte.is_ascii_whitespace());
        rest.iter().all(|wanted| following.next().is_some_and(|byte| byte.eq_ignore_ascii_case(wanted)))
    })
}
