//! Lists the names of elements, with their meaning for the block table.
//!
//! Short names of elements and attributes are numbers, so that one comparison distinguishes them.

use bitflags::bitflags;

bitflags! {
    /// Set of traits that an element has by the HTML standard and by the layout of pages, such as inline or void.
    #[derive(Clone, Copy)]
    pub(crate) struct Traits: u32 {
        /// The element is part of a line of text ([`Tag::is_inline`]).
        const INLINE = 1;
        /// The element never has content ([`Tag::is_void`]).
        const VOID = 1 << 1;
        /// The element's content is text without markup ([`Tag::is_raw`]).
        const RAW = 1 << 2;
        /// The element's start ends svg or math around it ([`Tag::ends_foreign`]).
        const ENDS_FOREIGN = 1 << 3;
        /// The element's start ends an open `p` ([`Tag::closes_p`]).
        const CLOSES_P = 1 << 4;
        /// The element limits the scope of end tags inside it ([`Tag::is_scope`]).
        const SCOPE = 1 << 5;
        /// The element is a heading ([`Tag::is_heading`]).
        const HEADING = 1 << 6;
        /// The element preserves white space ([`Tag::keeps_space`]).
        const KEEPS_SPACE = 1 << 7;
        /// The element formats words of a sentence, as `em` does, and rarely is a part of a card or a row of controls.
        const PROSE = 1 << 8;
        /// The element's end tag may be omitted, so start tags and end tags cannot be matched by counting.
        const NO_END = 1 << 9;
        /// The element's start ends other open elements than `p` without an end tag, as a `li` ends the `li` before it.
        const ENDS = 1 << 10;
        /// The element's start tag needs special treatment, as for `br` or `script`; it may get no row in the table.
        const APART = 1 << 11;
        /// The element's end tag needs special treatment, because more than its name decides which element it ends.
        const SLOW_END = 1 << 12;
        /// The element is counted for each block of text, as images and form controls are.
        const COUNTED = 1 << 13;
        /// The element by its name gives its text a special meaning, as `sup` does, or adds signs to it, as `q` does.
        const NOTED = 1 << 14;
    }
}

impl Traits {
    /// Traits of an ordinary block-level element: none of the flags is set.
    const BLOCK: Self = Self::empty();
}

/// Defines `Tag`, its names and its traits from one list, sorted by name.
macro_rules! tags {
    ($($variant:ident $name:literal: $($trait:ident)|+;)*) => {
        /// An element name that HTML knows, or [`Tag::Other`] for every other name.
        ///
        /// Names are matched without regard to ASCII case.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        #[allow(missing_docs)] // one variant a name: the name says it
        pub enum Tag {
            $($variant),*
        }

        /// Names of all tags with their tag, in the order of the tags.
        const NAMES: [(&str, Tag); [$($name),*].len()] = [$(($name, Tag::$variant)),*];

        /// Traits of all tags, in the order of the tags.
        // One look for each tag of a page instead of a comparison with each of these names.
        const TRAITS: [Traits; NAMES.len()] = [$(Traits::empty()$(.union(Traits::$trait))+),*];
    };
}

tags! {
    Other "": APART | SLOW_END;
    A "a": INLINE | NOTED;
    Abbr "abbr": INLINE | PROSE;
    Acronym "acronym": INLINE;
    Address "address": CLOSES_P;
    Applet "applet": INLINE | SCOPE;
    Area "area": INLINE | VOID;
    Article "article": CLOSES_P;
    Aside "aside": CLOSES_P;
    Audio "audio": INLINE;
    B "b": INLINE | ENDS_FOREIGN | PROSE;
    Base "base": INLINE | VOID | APART;
    Basefont "basefont": INLINE | VOID | APART;
    Bdi "bdi": INLINE;
    Bdo "bdo": INLINE;
    Bgsound "bgsound": INLINE | VOID | APART;
    Big "big": INLINE | ENDS_FOREIGN;
    Blockquote "blockquote": ENDS_FOREIGN | CLOSES_P;
    Body "body": ENDS_FOREIGN | APART | SLOW_END;
    Br "br": INLINE | VOID | ENDS_FOREIGN | APART;
    Button "button": INLINE | ENDS | COUNTED | NOTED;
    Canvas "canvas": INLINE;
    Caption "caption": SCOPE | ENDS;
    Center "center": ENDS_FOREIGN | CLOSES_P;
    Cite "cite": INLINE | PROSE;
    Code "code": INLINE | ENDS_FOREIGN | PROSE | APART | SLOW_END;
    Col "col": VOID;
    Colgroup "colgroup": ENDS;
    Data "data": INLINE;
    Datalist "datalist": INLINE | APART;
    Dd "dd": ENDS_FOREIGN | CLOSES_P | NO_END | ENDS;
    Del "del": INLINE | PROSE | NOTED;
    Details "details": CLOSES_P;
    Dfn "dfn": INLINE | PROSE;
    Dialog "dialog": CLOSES_P;
    Dir "dir": CLOSES_P;
    Div "div": ENDS_FOREIGN | CLOSES_P;
    Dl "dl": ENDS_FOREIGN | CLOSES_P;
    Dt "dt": ENDS_FOREIGN | CLOSES_P | NO_END | ENDS;
    Em "em": INLINE | ENDS_FOREIGN | PROSE;
    Embed "embed": INLINE | VOID | ENDS_FOREIGN;
    Fieldset "fieldset": CLOSES_P;
    Figcaption "figcaption": CLOSES_P;
    Figure "figure": CLOSES_P;
    Font "font": INLINE;
    Footer "footer": CLOSES_P;
    Form "form": CLOSES_P;
    Frame "frame": VOID | APART;
    Frameset "frameset": APART;
    H1 "h1": ENDS_FOREIGN | CLOSES_P | HEADING | ENDS;
    H2 "h2": ENDS_FOREIGN | CLOSES_P | HEADING | ENDS;
    H3 "h3": ENDS_FOREIGN | CLOSES_P | HEADING | ENDS;
    H4 "h4": ENDS_FOREIGN | CLOSES_P | HEADING | ENDS;
    H5 "h5": ENDS_FOREIGN | CLOSES_P | HEADING | ENDS;
    H6 "h6": ENDS_FOREIGN | CLOSES_P | HEADING | ENDS;
    Head "head": ENDS_FOREIGN | APART;
    Header "header": CLOSES_P;
    Hgroup "hgroup": CLOSES_P;
    Hr "hr": VOID | ENDS_FOREIGN | CLOSES_P;
    Html "html": SCOPE | APART | SLOW_END;
    I "i": INLINE | ENDS_FOREIGN | PROSE;
    Iframe "iframe": INLINE | RAW | APART;
    Img "img": INLINE | VOID | ENDS_FOREIGN | COUNTED;
    Input "input": INLINE | VOID | COUNTED;
    Ins "ins": INLINE | PROSE;
    Kbd "kbd": INLINE | PROSE;
    Keygen "keygen": INLINE | VOID;
    Label "label": INLINE;
    Legend "legend": BLOCK;
    Li "li": ENDS_FOREIGN | CLOSES_P | NO_END | ENDS;
    Link "link": INLINE | VOID | APART;
    Listing "listing": ENDS_FOREIGN | CLOSES_P | KEEPS_SPACE;
    Main "main": CLOSES_P;
    Map "map": INLINE;
    Mark "mark": INLINE | PROSE;
    Marquee "marquee": SCOPE;
    Math "math": INLINE | APART;
    Menu "menu": ENDS_FOREIGN | CLOSES_P;
    Menuitem "menuitem": BLOCK;
    Meta "meta": INLINE | VOID | ENDS_FOREIGN | APART;
    Meter "meter": INLINE;
    MjxContainer "mjx-container": INLINE | APART;
    Nav "nav": CLOSES_P;
    Nobr "nobr": INLINE | ENDS_FOREIGN;
    Noembed "noembed": INLINE | RAW | APART;
    Noframes "noframes": INLINE | RAW | APART;
    Noscript "noscript": BLOCK;
    Object "object": INLINE | SCOPE;
    Ol "ol": ENDS_FOREIGN | CLOSES_P;
    Optgroup "optgroup": NO_END;
    Option "option": NO_END;
    Output "output": INLINE;
    P "p": ENDS_FOREIGN | CLOSES_P | NO_END;
    Param "param": INLINE | VOID;
    Picture "picture": INLINE;
    Plaintext "plaintext": CLOSES_P | KEEPS_SPACE;
    Pre "pre": ENDS_FOREIGN | CLOSES_P | KEEPS_SPACE;
    Progress "progress": INLINE;
    Q "q": INLINE | PROSE | NOTED;
    Rp "rp": INLINE | NO_END | ENDS;
    Rt "rt": INLINE | NO_END | ENDS | NOTED;
    Ruby "ruby": INLINE | ENDS_FOREIGN | PROSE;
    S "s": INLINE | ENDS_FOREIGN | PROSE | NOTED;
    Samp "samp": INLINE | PROSE;
    Script "script": INLINE | RAW | APART;
    Search "search": CLOSES_P;
    Section "section": CLOSES_P;
    Select "select": INLINE | APART;
    Slot "slot": INLINE;
    Small "small": INLINE | ENDS_FOREIGN | PROSE;
    Source "source": INLINE | VOID;
    Span "span": INLINE | ENDS_FOREIGN;
    Strike "strike": INLINE | ENDS_FOREIGN | NOTED;
    Strong "strong": INLINE | ENDS_FOREIGN | PROSE;
    Style "style": INLINE | RAW | APART;
    Sub "sub": INLINE | ENDS_FOREIGN | PROSE | NOTED;
    Summary "summary": CLOSES_P;
    Sup "sup": INLINE | ENDS_FOREIGN | PROSE | NOTED;
    Svg "svg": INLINE | APART;
    Table "table": ENDS_FOREIGN | CLOSES_P | SCOPE;
    Tbody "tbody": NO_END | ENDS;
    Td "td": SCOPE | NO_END | ENDS;
    Template "template": INLINE | APART | SLOW_END;
    Textarea "textarea": INLINE | RAW | APART;
    Tfoot "tfoot": NO_END | ENDS;
    Th "th": SCOPE | NO_END | ENDS;
    Thead "thead": NO_END | ENDS;
    Time "time": INLINE;
    Title "title": APART;
    Tr "tr": NO_END | ENDS;
    Track "track": INLINE | VOID;
    Tt "tt": INLINE | ENDS_FOREIGN | PROSE;
    U "u": INLINE | ENDS_FOREIGN | PROSE;
    Ul "ul": ENDS_FOREIGN | CLOSES_P;
    Var "var": INLINE | ENDS_FOREIGN | PROSE;
    Video "video": INLINE;
    Wbr "wbr": INLINE | VOID | PROSE;
    Xmp "xmp": CLOSES_P | KEEPS_SPACE;
}

/// Hash table of the tags with short names. The factor was found by trial; most slots are free, so that few unknown
/// names are compared.
static TABLE: NameTable<Tag, 1024, 0xD522_34DC_E8EE_0C5B> = NameTable::new(&NAMES, Tag::Other);

/// Tags with names of more than eight bytes.
// So few that a table of strings would not pay.
const LONG_NAME_TAGS: [Tag; 4] = [Tag::Blockquote, Tag::Figcaption, Tag::MjxContainer, Tag::Plaintext];

impl Tag {
    /// Number of tags, including [`Tag::Other`].
    pub const COUNT: usize = NAMES.len();

    /// Returns the tag with a name, in any case; [`Tag::Other`] for unknown names.
    pub fn from_name(name: &[u8]) -> Tag {
        Self::at(name, (0, name.len()))
    }

    /// Returns the tag whose name, in any case, is in the byte range `place` of `bytes`.
    #[inline]
    pub(crate) fn at(bytes: &[u8], place: (usize, usize)) -> Tag {
        match ShortName::at(bytes, place) {
            Some(name) => Self::of_short(name, place.1 - place.0),
            None => Self::at_long(bytes, place),
        }
    }

    /// Returns the tag with a short name of `len` bytes.
    #[inline(always)]
    pub(super) fn of_short(name: ShortName, len: usize) -> Tag {
        TABLE.get(name, len)
    }

    #[cold]
    #[inline(never)]
    pub(super) fn at_long(bytes: &[u8], place: (usize, usize)) -> Tag {
        let long = bytes.get(place.0..place.1).unwrap_or_default();
        let found = LONG_NAME_TAGS.iter().find(|tag| long.eq_ignore_ascii_case(tag.name().as_bytes()));
        found.copied().unwrap_or(Tag::Other)
    }

    /// Returns the tag's name in lower case; empty for [`Tag::Other`].
    pub const fn name(self) -> &'static str {
        NAMES[self as usize].0
    }

    /// Returns the tag with the given number, which is `tag as usize`.
    pub(crate) const fn numbered(number: usize) -> Tag {
        NAMES[number].1
    }

    pub(crate) const fn traits(self) -> Traits {
        TRAITS[self as usize]
    }

    pub(crate) const fn has(self, traits: Traits) -> bool {
        self.traits().intersects(traits)
    }

    /// Returns whether the element is part of a line of text. All others, unknown elements included, start and end a
    /// block.
    pub const fn is_inline(self) -> bool {
        self.has(Traits::INLINE)
    }

    /// Returns whether the element never has content (HTML standard, 13.1.2 "Void elements", with the obsolete ones).
    pub const fn is_void(self) -> bool {
        self.has(Traits::VOID)
    }

    /// Returns whether the tokenizer reads everything up to the end tag of the same name as text.
    pub const fn is_raw(self) -> bool {
        self.has(Traits::RAW)
    }

    /// Returns whether the start of the element ends foreign content, svg or math, around it (HTML standard, 13.2.6.5).
    pub const fn ends_foreign(self) -> bool {
        self.has(Traits::ENDS_FOREIGN)
    }

    /// Returns whether the start of the element ends an open `p` (HTML standard, 13.2.6.4.7).
    pub const fn closes_p(self) -> bool {
        self.has(Traits::CLOSES_P)
    }

    /// Returns whether an end tag inside the element cannot end an element outside of it (HTML standard, "has an
    /// element in scope").
    pub const fn is_scope(self) -> bool {
        self.has(Traits::SCOPE)
    }

    /// Returns whether the element is a heading, `h1` to `h6`.
    pub const fn is_heading(self) -> bool {
        self.has(Traits::HEADING)
    }

    /// Returns whether white space in the element's text is preserved.
    pub const fn keeps_space(self) -> bool {
        self.has(Traits::KEEPS_SPACE)
    }
}

/// Builds an array at compile time that holds, for each tag, the result of a `const` function.
macro_rules! by_tag {
    ($found_for:path) => {{
        let mut table = [$found_for(Tag::Other); Tag::COUNT];
        let mut at = 0;
        while at < Tag::COUNT {
            table[at] = $found_for(Tag::numbered(at));
            at += 1;
        }
        table
    }};
}
pub(crate) use by_tag;

/// Perfect hash table of values by short names: a multiplication by `FACTOR` gives each name a slot that no other has.
// Names cost 15 million instructions of 85 pages less than with a table in which several share a slot.
pub(super) struct NameTable<T, const SLOTS: usize, const FACTOR: u64> {
    /// Slots, each with a short name, the name's length in bytes, and its value; unused slots have length 0.
    slots: [(ShortName, u8, T); SLOTS],
    none: T,
}

impl<T: Copy, const SLOTS: usize, const FACTOR: u64> NameTable<T, SLOTS, FACTOR> {
    /// Builds the table from the names of at most eight bytes; every other name has the value `none`.
    pub const fn new(names: &[(&str, T)], none: T) -> Self {
        let mut slots = [(ShortName(0), 0, none); SLOTS];
        let mut at = 0;
        while at < names.len() {
            let (text, value) = names[at];
            if text.len() <= ShortName::MAX_BYTES {
                let name = ShortName::of(text.as_bytes());
                // Does not compile where two names share a slot: then another factor is to be found.
                assert!(slots[Self::slot(name)].1 == 0);
                slots[Self::slot(name)] = (name, text.len() as u8, value);
            }
            at += 1;
        }
        Self { slots, none }
    }

    const fn slot(name: ShortName) -> usize {
        (name.0.wrapping_mul(FACTOR) >> (64 - SLOTS.trailing_zeros())) as usize
    }

    /// Returns the value of a name of `len` bytes.
    #[inline(always)]
    pub fn get(&self, name: ShortName, len: usize) -> T {
        let (known, known_len, value) = self.slots[Self::slot(name) % SLOTS];
        // A name may end with bytes of 0, which short ones are filled up with.
        if known == name && usize::from(known_len) == len { value } else { self.none }
    }
}

/// Name of at most [`ShortName::MAX_BYTES`] bytes in lower case, packed into a number: the first byte lowest, padded
/// with 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShortName(pub u64);

/// Masks for the first bytes of a number: element `n` covers its `n + 1` lowest bytes.
const MASKS: [u64; ShortName::MAX_BYTES] = {
    let mut masks = [u64::MAX; ShortName::MAX_BYTES];
    let mut at = 0;
    while at < masks.len() {
        masks[at] >>= 64 - 8 * (at + 1);
        at += 1;
    }
    masks
};

/// Number in which the lowest bit of every byte is set.
const ONES: u64 = 0x0101_0101_0101_0101;

impl ShortName {
    // All but four of the known names fit into a machine word, so comparing a name is one instruction.
    pub const MAX_BYTES: usize = 8;

    /// Packs a name of at most eight bytes in lower case.
    pub const fn of(bytes: &[u8]) -> Self {
        let mut name = 0;
        let mut at = 0;
        while at < bytes.len() {
            name |= (bytes[at] as u64) << (8 * at);
            at += 1;
        }
        Self(name)
    }

    /// Packs the name, in any case, in the given byte range of `bytes`; `None` if it is empty or longer than eight
    /// bytes.
    #[inline(always)]
    pub fn at(bytes: &[u8], (start, end): (usize, usize)) -> Option<Self> {
        let len = end.wrapping_sub(start);
        if !(1..=Self::MAX_BYTES).contains(&len) {
            return None;
        }
        // Mostly there are more bytes behind, so that all are to be had in one step.
        let whole = bytes.get(start..).and_then(|rest| rest.first_chunk());
        match whole {
            Some(eight) => Some(Self::of_first(u64::from_le_bytes(*eight), len)),
            None => Some(Self::of_first(Self::of_last(bytes, start, end)?, len)),
        }
    }

    /// Packs the name, in any case, that consists of the first `len` bytes of `eight`.
    #[inline(always)]
    pub fn of_first(eight: u64, len: usize) -> Self {
        // From a table, as shifting the mask into place takes more instructions.
        let mask = MASKS[len.wrapping_sub(1) % Self::MAX_BYTES];
        let name = eight & mask;
        // Where every byte has the bit of lower case, as in most names, none is a capital letter.
        const LOWER: u64 = 0x20 * ONES;
        if !name & LOWER & mask == 0 { Self(name) } else { Self(lower(name)) }
    }

    /// Returns the bytes of a name near the end of `bytes` as a number, the first byte lowest.
    #[cold]
    #[inline(never)]
    fn of_last(bytes: &[u8], start: usize, end: usize) -> Option<u64> {
        Some(Self::of(bytes.get(start..end)?).0)
    }
}

/// Changes the letters A to Z among eight bytes to lower case.
const fn lower(bytes: u64) -> u64 {
    let low = bytes & (0x7F * ONES);
    // The highest bit of each byte tells whether it is at least `A`, and beyond `Z`.
    let from_a = low + (0x80 - b'A' as u64) * ONES;
    let beyond_z = low + (0x7F - b'Z' as u64) * ONES;
    // Bytes beyond ASCII are left as they are: names are compared by ASCII case only.
    let upper = (from_a ^ beyond_z) & !bytes & (0x80 * ONES);
    bytes | upper >> 2
}

/// Tag that the lexer found in the bytes of a page. All positions are indices into these bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RawTag {
    /// Index of the tag's `<`.
    pub start: usize,
    /// Index after the tag's `>`.
    pub end: usize,
    pub name: (usize, usize),
    /// Range of the attributes, from the end of the name to the `>`.
    pub attributes: (usize, usize),
    pub is_end: bool,
    pub self_closing: bool,
    /// True if the tag ends directly after the `=` of an attribute, so that the value is missing (`<p a=>`).
    pub value_missing: bool,
}

/// Result of reading markup at a `<`: a tag, markup to skip, or markup that is cut off at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Markup {
    Tag(RawTag),
    /// Doctype, bogus comment or stray `<`; reading continues at this index.
    Skip(usize),
    /// Markup that the end of the bytes cuts off; `quoted` is true inside of a quoted value.
    Cut {
        quoted: bool,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_round_trip() {
        assert!(NAMES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for (at, (_, tag)) in NAMES.iter().enumerate() {
            assert_eq!(*tag as usize, at);
            if at > 0 {
                assert_eq!(Tag::from_name(tag.name().as_bytes()), *tag);
                assert_eq!(Tag::from_name(tag.name().to_uppercase().as_bytes()), *tag);
            }
        }
    }

    #[test]
    fn unknown_names_are_other() {
        for name in ["", "my-card", "blockquotes", "averyveryverylongname", "h7"] {
            assert_eq!(Tag::from_name(name.as_bytes()), Tag::Other, "{name}");
        }
    }

    #[test]
    fn every_byte_is_lowered_as_the_standard_library_does() {
        for byte in 0..=255u8 {
            for place in 0..8 {
                let mut bytes = *b"AzZa@[`{";
                bytes[place] = byte;
                let expected = ShortName::of(&bytes.to_ascii_lowercase());
                assert_eq!(ShortName::at(&bytes, (0, 8)), Some(expected), "{byte} at {place}");
            }
        }
    }

    #[test]
    fn names_are_the_same_wherever_they_stand() {
        let bytes = b"<Div class=X>";
        assert_eq!(ShortName::at(bytes, (1, 4)), Some(ShortName::of(b"div")));
        // Fewer than eight bytes behind.
        assert_eq!(ShortName::at(bytes, (11, 12)), Some(ShortName::of(b"x")));
        assert_eq!(ShortName::at(bytes, (5, 5)), None);
        assert_eq!(ShortName::at(b"blockquote", (0, 10)), None);
    }
}
