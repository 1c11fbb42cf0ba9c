//! Writes the rows of the element table, one for each start tag, and reads the attributes of the element.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use trommel_text::hash;

use super::attribute_values::{Declarations, Display, hides};
use super::nesting::is_highlighter;
use super::notation::Marks;
use super::tags::Layout;
use super::{Builder, OpenElement, OpenState, blocks::narrow, stated_facts::is_author_page};
use crate::limits::Caps;
use crate::markup::lexer::{Key, TagText};
use crate::markup::{Tag, Traits, by_tag};
use crate::page::{Attribute, Element, ElementKinds, NONE, has_style};

/// Bit set of the attributes that are ignored when an element opens, because later steps read them on demand.
const READ_LATER: u32 = {
    use Key::*;
    let about_text = Color.bit() | Face.bit() | Size.bit() | Lang.bit() | XmlLang.bit() | Title.bit();
    about_text | Content.bit() | Encoding.bit() | HttpEquiv.bit() | Property.bit() | Type.bit()
};

impl Builder {
    /// Opens an element: writes its row, reads its attributes, and pushes it onto the stack of open elements.
    #[inline(always)]
    pub(super) fn push(&mut self, text: &TagText, offset: usize, link: bool, layout: Layout) {
        let tag = text.tag;
        let (parent, container) = self.stack.last().map_or((NONE, NONE), |open| (open.element, open.container));
        let index = self.page.elements.len();
        // Places and numbers of rows are below the length of the page, which has less than 4 GiB.
        let element = index as u32;
        let name = if tag == Tag::Other { self.intern(text.name()) } else { 0 };
        if self.has_stated_headings && layout.is_block {
            self.no_heading_around();
        }
        // Beyond the cap tags still open and close blocks: only their rows are missing.
        if index >= self.limits.elements {
            return self.open_beyond(tag, Caps::ELEMENTS);
        }
        let first = self.page.attribute_words.len();
        // Written before its attributes are read, which few elements have much of.
        let written = self.row_without_attributes(text, name, parent, offset);
        self.page.elements.push(written);
        if text.place.keys & !READ_LATER != 0 {
            self.read_attributes(text, first, offset);
        }
        if self.style_sheets.has_tags {
            self.marks |= self.style_sheets.marks_of_tag(text);
        }
        let is_marked = layout.is_apart || !self.marks.is_empty();
        // What its row says it is.
        let row = if is_marked { self.mark_row(text, index, layout) } else { tag };
        if row.is_inline() {
            self.page.inline.push(element);
        }
        // Void elements have rows, because features count elements: without rows 1,294 of 1,358 pages change.
        if tag.is_void() {
            return;
        }
        if self.stack.len() >= self.limits.depth {
            return self.open_beyond(tag, Caps::DEPTH);
        }
        let container = if row.is_inline() { container } else { element };
        let mut state = if link { OpenState::LINK } else { OpenState::empty() };
        let mut style = tag;
        if row.keeps_space() {
            state |= OpenState::KEEPS_SPACE;
            self.keep_space += 1;
        }
        if is_marked {
            if self.marks.contains(Marks::BLOCK) && row.is_inline() {
                state |= OpenState::APART;
                // Shown as a block, it begins a line.
                self.fold.part_lines();
            }
            if self.marks.contains(Marks::LINES) && self.keep_space == 0 {
                state |= OpenState::KEEPS_LINES;
                self.keep_lines += 1;
            }
            state.set(OpenState::IN_LINE, layout.is_apart && tag == Tag::Other);
            // Docutils writes inline code as `<span class="literal">`.
            if tag == Tag::Span && self.marks.contains(Marks::LITERAL) && text.has_class(b"literal") {
                style = Tag::Code;
            }
        }
        self.stack.push(OpenElement { element, container, tag, name, state, style });
        self.open[tag as usize] += 1;
        if link {
            self.link_starts();
        }
        if let Some(styles) = &mut self.styles
            && (link || has_style(style))
        {
            styles.start(style, element, link);
            styles.write(narrow(self.page.text.len() + self.fold.len()), &mut self.page.styles);
        }
        if is_marked || tag.has(Traits::NOTED) {
            self.open_notation(text, element, self.marks);
        }
    }

    /// Opens an element beyond a cap: records the cap and counts the element instead of pushing it onto the stack.
    #[cold]
    #[inline(never)]
    fn open_beyond(&mut self, tag: Tag, cap: Caps) {
        self.cap(cap);
        // Start and end tags beyond the cap are matched by counting, which needs end tags that cannot be left out.
        if !tag.has(Traits::VOID | Traits::NO_END) {
            self.overflow = self.overflow.saturating_add(1);
        }
    }

    /// Writes properties such as hidden, code or heading into the latest row of the element table; returns the tag
    /// whose layout the element has.
    #[inline(never)]
    fn mark_row(&mut self, text: &TagText, index: usize, layout: Layout) -> Tag {
        let in_line = layout.is_apart && text.tag == Tag::Other;
        let tag = if in_line { Tag::Span } else { text.tag };
        if self.marks.contains(Marks::OF_TAG) {
            let value = |key: Key| text.value(key).unwrap_or_default();
            self.marks |= self.style_sheets.marks_within_tag(text.name(), value(Key::Class), value(Key::Id));
        }
        let is_code = layout.is_apart && !in_line
            || self.marks.contains(Marks::LISTING) && self.keep_space == 0 && matches!(tag, Tag::Div | Tag::P);
        // A bit of the class's words first; the names are compared only for the few elements that have it.
        let may_be_code = self.marks.contains(Marks::CODE) && self.keep_space == 0;
        let (kind, shown) = if is_code || may_be_code && is_highlighter(text, &self.page.head.meta) {
            (ElementKinds::CODE, Tag::Pre)
        } else if self.marks.contains(Marks::HEADING) && !tag.is_inline() && !tag.is_heading() {
            self.has_stated_headings = true;
            (ElementKinds::HEADING, heading_of_level(text.other_value("aria-level").as_deref()))
        } else {
            (ElementKinds::empty(), tag)
        };
        if let Some(element) = self.page.elements.get_mut(index) {
            element.tag = shown;
            element.within |= kind;
            self.page.kinds |= kind;
        }
        if self.marks.contains(Marks::SHEET) {
            self.page.hidden_by_sheet.push(narrow(index));
        }
        if self.marks.contains(Marks::UNSEEN) {
            self.page.invisible.push(narrow(index));
        }
        if self.marks.contains(Marks::BOX) {
            self.page.boxes.push(narrow(index));
        }
        if self.marks.contains(Marks::PAGE_ROW) {
            self.page.page_rows.push(narrow(index));
        }
        if kind == ElementKinds::CODE { Tag::Pre } else { tag }
    }

    /// Changes an element with `role="heading"` back to its own tag when a block-level element starts inside it.
    fn no_heading_around(&mut self) {
        if let Some(around) = self.stack.last()
            && let Some(element) = self.page.elements.get_mut(around.element as usize)
            && element.tag.is_heading()
            && !around.tag.is_heading()
        {
            element.tag = around.tag;
        }
    }

    #[inline(always)]
    fn row_without_attributes(&mut self, text: &TagText, name: u16, parent: u32, offset: usize) -> Element {
        let tag = text.tag;
        let (depth, hidden, around) = match self.page.element(parent) {
            Some(parent) => (parent.depth.saturating_add(1), parent.hidden, parent.within),
            None => (0, false, ElementKinds::empty()),
        };
        let kinds = ElementKinds::of(tag);
        self.page.kinds |= kinds;
        Element {
            tag,
            name,
            parent,
            depth,
            hidden,
            within: around | kinds,
            end: self.page.elements.len() as u32 + 1,
            words: (self.page.attribute_words.len() as u32, 0),
            // Of what was not read it is not known.
            is_named: text.place.cut,
            // Name and class only: ids are unique, and would make each row of one template another.
            signature: NAME_HASHES[tag as usize] ^ u64::from(name),
            start: offset as u32,
        }
    }

    /// Reads the attributes of the element whose row was written last; `first` is the index of its first attribute
    /// word.
    #[inline(never)]
    fn read_attributes(&mut self, text: &TagText, first: usize, offset: usize) {
        let mut signature = 0;
        // Words of an element before, which this one has as well.
        let mut shared = None;
        let (mut is_author, mut states_facts) = (false, false);
        for (name, value) in text.attributes() {
            let attribute = match name {
                Key::Class => {
                    if let Some(words) = shared.take() {
                        self.copy_words(words);
                    }
                    let class = self.read_class(value, first);
                    // Rotated, so that a name and a class of equal hash do not cancel each other.
                    signature ^= class.0.rotate_left(17);
                    shared = class.1;
                    continue;
                }
                Key::Href => {
                    is_author |= is_author_page(value);
                    continue;
                }
                name if name.bit() & READ_LATER != 0 => continue,
                Key::Datetime | Key::Rel => {
                    states_facts = true;
                    continue;
                }
                Key::Id => Attribute::Id,
                Key::Role => Attribute::Role,
                Key::Itemprop => {
                    states_facts = true;
                    Attribute::Itemprop
                }
                _ => {
                    self.read_attribute(text.tag, name, value);
                    continue;
                }
            };
            if let Some(words) = shared.take() {
                self.copy_words(words);
            }
            self.read_named_words(attribute, value, first);
        }
        if states_facts || is_author {
            self.note_facts(text, is_author, offset);
        }
        let count = self.page.attribute_words.len() - first;
        if let Some(element) = self.page.elements.last_mut() {
            element.signature ^= signature;
            // Words of an element lie side by side in one table, so a row needs two numbers and no memory of its own.
            element.words = shared.unwrap_or((element.words.0, u16::try_from(count).unwrap_or(u16::MAX)));
        }
    }

    /// Reads an attribute with words other than `class`: `id`, `role` or `itemprop`.
    fn read_named_words(&mut self, attribute: Attribute, value: &[u8], first: usize) {
        if attribute == Attribute::Id {
            if let Some(element) = self.page.elements.last_mut() {
                element.is_named = true;
            }
            if !self.style_sheets.are_empty() {
                self.marks |= self.style_sheets.marks_of_id(value);
            }
        }
        if attribute == Attribute::Role && value.eq_ignore_ascii_case(b"heading") {
            self.marks |= Marks::HEADING;
        }
        self.read_words(attribute, value, first);
    }

    /// Reads one of the rare attributes: `name`, `hidden`, `aria-hidden`, `style`, or one that holds a formula's
    /// source.
    // Apart from the loop over attributes, which is to keep its values in registers.
    #[inline(never)]
    fn read_attribute(&mut self, tag: Tag, name: Key, value: &[u8]) {
        let Some(element) = self.page.elements.last_mut() else { return };
        match name {
            Key::Name => element.is_named = true,
            Key::Hidden => {
                element.hidden = true;
                self.marks |= Marks::HIDDEN | Marks::UNSEEN;
            }
            // Hidden for readers' aids only: it is seen, so it is a feature and not left out of the text.
            // The base of a ruby is hidden where its reading is to be read aloud alone.
            Key::AriaHidden if self.open[Tag::Ruby as usize] > 0 => {}
            Key::AriaHidden => element.hidden |= value.eq_ignore_ascii_case(b"true"),
            Key::Style if hides(value) => {
                element.hidden = true;
                self.marks |= Marks::HIDDEN | Marks::UNSEEN;
            }
            Key::Style => self.marks |= marks_of_style(tag, value),
            Key::Tex | Key::Mathml => self.marks |= Marks::SOURCE,
            _ => {}
        }
    }

    /// Returns the index in `page.names` of an unknown element's name; all names after the first 1,000 share one index.
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

/// Hash of each tag's name by [`hash`], indexed by `Tag`.
const NAME_HASHES: [u64; Tag::COUNT] = by_tag!(name_hash);

const fn name_hash(tag: Tag) -> u64 {
    hash(tag.name().as_bytes())
}

/// Returns the heading tag for the value of `aria-level`; `h2` if it is missing or invalid (WAI-ARIA 1.2).
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

/// Returns the properties that a `style` attribute gives to an element that it does not hide, such as block or code.
fn marks_of_style(tag: Tag, style: &[u8]) -> Marks {
    /// Searchers for the last letters of `display`, `white-space` and `absolute`, which are rarely capitals.
    static SPOKEN: LazyLock<[Finder; 3]> = LazyLock::new(|| ["isplay", "-space", "bsolute"].map(Finder::new));
    let mut marks = Marks::empty();
    // Most styles say nothing of them.
    if SPOKEN.iter().any(|part| part.find(style).is_some()) {
        let declared = Declarations::of(style);
        let is_inline = tag.is_inline() || tag == Tag::Other;
        marks.set(Marks::BLOCK, is_inline && declared.display == Some(Display::Block));
        marks.set(Marks::LINES, declared.keeps_lines == Some(true));
        marks.set(Marks::LISTING, declared.is_listing());
        marks.set(Marks::UNSEEN, declared.is_out_of_sight());
    }
    marks
}
