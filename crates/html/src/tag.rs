//! Element names and what each means for the block table.

use crate::name::ShortName;

/// An element name known to HTML, or [`Tag::Other`] for every other name.
///
/// Names are matched without regard to ASCII case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[allow(missing_docs)] // one variant a name: the name says it
pub enum Tag {
    Other,
    A,
    Abbr,
    Acronym,
    Address,
    Applet,
    Area,
    Article,
    Aside,
    Audio,
    B,
    Base,
    Basefont,
    Bdi,
    Bdo,
    Bgsound,
    Big,
    Blockquote,
    Body,
    Br,
    Button,
    Canvas,
    Caption,
    Center,
    Cite,
    Code,
    Col,
    Colgroup,
    Data,
    Datalist,
    Dd,
    Del,
    Details,
    Dfn,
    Dialog,
    Dir,
    Div,
    Dl,
    Dt,
    Em,
    Embed,
    Fieldset,
    Figcaption,
    Figure,
    Font,
    Footer,
    Form,
    Frame,
    Frameset,
    H1,
    H2,
    H3,
    H4,
    H5,
    H6,
    Head,
    Header,
    Hgroup,
    Hr,
    Html,
    I,
    Iframe,
    Img,
    Input,
    Ins,
    Kbd,
    Keygen,
    Label,
    Legend,
    Li,
    Link,
    Listing,
    Main,
    Map,
    Mark,
    Marquee,
    Math,
    Menu,
    Menuitem,
    Meta,
    Meter,
    Nav,
    Nobr,
    Noembed,
    Noframes,
    Noscript,
    Object,
    Ol,
    Optgroup,
    Option,
    Output,
    P,
    Param,
    Picture,
    Plaintext,
    Pre,
    Progress,
    Q,
    Rp,
    Rt,
    Ruby,
    S,
    Samp,
    Script,
    Search,
    Section,
    Select,
    Slot,
    Small,
    Source,
    Span,
    Strike,
    Strong,
    Style,
    Sub,
    Summary,
    Sup,
    Svg,
    Table,
    Tbody,
    Td,
    Template,
    Textarea,
    Tfoot,
    Th,
    Thead,
    Time,
    Title,
    Tr,
    Track,
    Tt,
    U,
    Ul,
    Var,
    Video,
    Wbr,
    Xmp,
}

/// Names in the order of the variants of [`Tag`].
const NAMES: [&str; Tag::COUNT] = [
    "",
    "a",
    "abbr",
    "acronym",
    "address",
    "applet",
    "area",
    "article",
    "aside",
    "audio",
    "b",
    "base",
    "basefont",
    "bdi",
    "bdo",
    "bgsound",
    "big",
    "blockquote",
    "body",
    "br",
    "button",
    "canvas",
    "caption",
    "center",
    "cite",
    "code",
    "col",
    "colgroup",
    "data",
    "datalist",
    "dd",
    "del",
    "details",
    "dfn",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "em",
    "embed",
    "fieldset",
    "figcaption",
    "figure",
    "font",
    "footer",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hgroup",
    "hr",
    "html",
    "i",
    "iframe",
    "img",
    "input",
    "ins",
    "kbd",
    "keygen",
    "label",
    "legend",
    "li",
    "link",
    "listing",
    "main",
    "map",
    "mark",
    "marquee",
    "math",
    "menu",
    "menuitem",
    "meta",
    "meter",
    "nav",
    "nobr",
    "noembed",
    "noframes",
    "noscript",
    "object",
    "ol",
    "optgroup",
    "option",
    "output",
    "p",
    "param",
    "picture",
    "plaintext",
    "pre",
    "progress",
    "q",
    "rp",
    "rt",
    "ruby",
    "s",
    "samp",
    "script",
    "search",
    "section",
    "select",
    "slot",
    "small",
    "source",
    "span",
    "strike",
    "strong",
    "style",
    "sub",
    "summary",
    "sup",
    "svg",
    "table",
    "tbody",
    "td",
    "template",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "time",
    "title",
    "tr",
    "track",
    "tt",
    "u",
    "ul",
    "var",
    "video",
    "wbr",
    "xmp",
];

/// Every tag, in the order of its number.
const TAGS: [Tag; Tag::COUNT] = {
    use Tag::*;
    [
        Other, A, Abbr, Acronym, Address, Applet, Area, Article, Aside, Audio, B, Base, Basefont,
        Bdi, Bdo, Bgsound, Big, Blockquote, Body, Br, Button, Canvas, Caption, Center, Cite, Code,
        Col, Colgroup, Data, Datalist, Dd, Del, Details, Dfn, Dialog, Dir, Div, Dl, Dt, Em, Embed,
        Fieldset, Figcaption, Figure, Font, Footer, Form, Frame, Frameset, H1, H2, H3, H4, H5, H6,
        Head, Header, Hgroup, Hr, Html, I, Iframe, Img, Input, Ins, Kbd, Keygen, Label, Legend, Li,
        Link, Listing, Main, Map, Mark, Marquee, Math, Menu, Menuitem, Meta, Meter, Nav, Nobr,
        Noembed, Noframes, Noscript, Object, Ol, Optgroup, Option, Output, P, Param, Picture,
        Plaintext, Pre, Progress, Q, Rp, Rt, Ruby, S, Samp, Script, Search, Section, Select, Slot,
        Small, Source, Span, Strike, Strong, Style, Sub, Summary, Sup, Svg, Table, Tbody, Td,
        Template, Textarea, Tfoot, Th, Thead, Time, Title, Tr, Track, Tt, U, Ul, Var, Video, Wbr,
        Xmp,
    ]
};

/// Slots of the table of names: a power of two, well over twice the number of names.
const SLOTS: usize = 512;

/// Slot of a name of at most eight bytes.
const fn slot(name: ShortName) -> usize {
    (name.0.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - SLOTS.trailing_zeros())) as usize
}

/// The tags of short names with these, at their slots or at the next free one behind.
const TABLE: [(ShortName, Tag); SLOTS] = {
    let mut table = [(ShortName(0), Tag::Other); SLOTS];
    let mut at = 1;
    while at < Tag::COUNT {
        if NAMES[at].len() <= ShortName::LONGEST {
            let name = ShortName::of(NAMES[at].as_bytes());
            let mut slot = slot(name);
            while !matches!(table[slot].1, Tag::Other) {
                slot = (slot + 1) % SLOTS;
            }
            table[slot] = (name, TAGS[at]);
        }
        at += 1;
    }
    table
};

/// The tags of longer names.
const LONG: [Tag; 3] = [Tag::Blockquote, Tag::Figcaption, Tag::Plaintext];

impl Tag {
    /// How many values there are, [`Tag::Other`] included.
    pub const COUNT: usize = Tag::Xmp as usize + 1;

    /// The names in the order of their numbers, the empty one of [`Tag::Other`] first.
    pub(crate) const NAMES: [&str; Tag::COUNT] = NAMES;

    /// The tag of a name in any case.
    pub fn from_name(name: &[u8]) -> Tag {
        Self::at(name, (0, name.len()))
    }

    /// The tag whose name in any case stands between two places in `bytes`.
    pub(crate) fn at(bytes: &[u8], place: (usize, usize)) -> Tag {
        let Some(name) = ShortName::at(bytes, place) else {
            let long = bytes.get(place.0..place.1).unwrap_or_default();
            let found = LONG
                .iter()
                .find(|tag| long.eq_ignore_ascii_case(tag.name().as_bytes()));
            return found.copied().unwrap_or(Tag::Other);
        };
        let mut at = slot(name);
        loop {
            match TABLE[at % SLOTS] {
                (_, Tag::Other) => return Tag::Other,
                // A name may end with bytes of 0, which short ones are filled up with.
                (known, tag) if known == name && tag.name().len() == place.1 - place.0 => {
                    return tag;
                }
                _ => at += 1,
            }
        }
    }

    /// The name in lower case; empty for [`Tag::Other`].
    pub fn name(self) -> &'static str {
        NAMES[self as usize]
    }

    /// Whether the element runs inside a line of text. Every other element, the unknown ones
    /// included, starts and ends a block.
    pub fn is_inline(self) -> bool {
        use Tag::*;
        matches!(
            self,
            A | Abbr
                | Acronym
                | B
                | Bdi
                | Bdo
                | Basefont
                | Big
                | Button
                | Cite
                | Code
                | Data
                | Del
                | Dfn
                | Em
                | Font
                | I
                | Img
                | Input
                | Ins
                | Kbd
                | Keygen
                | Label
                | Mark
                | Meter
                | Nobr
                | Output
                | Picture
                | Progress
                | Q
                | Rp
                | Rt
                | Ruby
                | S
                | Samp
                | Slot
                | Small
                | Source
                | Span
                | Strike
                | Strong
                | Sub
                | Sup
                | Time
                | Track
                | Tt
                | U
                | Var
                | Wbr
                | Br
                | Map
                | Area
                | Embed
                | Param
                | Object
                | Applet
                | Audio
                | Video
                | Canvas
                | Script
                | Style
                | Template
                | Link
                | Meta
                | Base
                | Svg
                | Math
                | Select
                | Textarea
                | Iframe
                | Noembed
                | Noframes
                | Bgsound
                | Datalist
        )
    }

    /// Whether the element never has content (HTML standard, 13.1.2 "Void elements", with the
    /// obsolete ones).
    pub fn is_void(self) -> bool {
        use Tag::*;
        matches!(
            self,
            Area | Base
                | Basefont
                | Bgsound
                | Br
                | Col
                | Embed
                | Frame
                | Hr
                | Img
                | Input
                | Keygen
                | Link
                | Meta
                | Param
                | Source
                | Track
                | Wbr
        )
    }

    /// Whether what stands inside the element is never text of the page.
    pub fn is_skipped(self) -> bool {
        use Tag::*;
        matches!(
            self,
            Script
                | Style
                | Template
                | Svg
                | Math
                | Select
                | Textarea
                | Iframe
                | Noembed
                | Noframes
                | Datalist
        )
    }

    /// Whether everything up to the end tag of the same name is text to the tokenizer.
    pub fn is_raw(self) -> bool {
        use Tag::*;
        matches!(
            self,
            Script | Style | Textarea | Iframe | Noembed | Noframes
        )
    }

    /// Whether the start of the element ends foreign content, svg or math, around it (HTML standard,
    /// 13.2.6.5).
    pub fn ends_foreign(self) -> bool {
        use Tag::*;
        matches!(
            self,
            B | Big
                | Blockquote
                | Body
                | Br
                | Center
                | Code
                | Dd
                | Div
                | Dl
                | Dt
                | Em
                | Embed
                | H1
                | H2
                | H3
                | H4
                | H5
                | H6
                | Head
                | Hr
                | I
                | Img
                | Li
                | Listing
                | Menu
                | Meta
                | Nobr
                | Ol
                | P
                | Pre
                | Ruby
                | S
                | Small
                | Span
                | Strong
                | Strike
                | Sub
                | Sup
                | Table
                | Tt
                | U
                | Ul
                | Var
        )
    }

    /// Whether the start of the element ends an open `p` (HTML standard, 13.2.6.4.7).
    pub fn closes_p(self) -> bool {
        use Tag::*;
        matches!(
            self,
            Address
                | Article
                | Aside
                | Blockquote
                | Center
                | Details
                | Dialog
                | Dir
                | Div
                | Dl
                | Fieldset
                | Figcaption
                | Figure
                | Footer
                | Header
                | Hgroup
                | Main
                | Menu
                | Nav
                | Ol
                | P
                | Search
                | Section
                | Summary
                | Ul
                | H1
                | H2
                | H3
                | H4
                | H5
                | H6
                | Pre
                | Listing
                | Form
                | Table
                | Hr
                | Plaintext
                | Li
                | Dd
                | Dt
                | Xmp
        )
    }

    /// Whether an end tag inside the element cannot end an element outside of it (HTML standard,
    /// "has an element in scope").
    pub fn is_scope(self) -> bool {
        use Tag::*;
        matches!(
            self,
            Applet | Caption | Html | Table | Td | Th | Marquee | Object
        )
    }

    /// `h1` to `h6`.
    pub fn is_heading(self) -> bool {
        use Tag::*;
        matches!(self, H1 | H2 | H3 | H4 | H5 | H6)
    }

    /// Whether white space in the element's text is kept as it stands.
    pub fn keeps_space(self) -> bool {
        use Tag::*;
        matches!(self, Pre | Listing | Xmp | Plaintext)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_round_trip() {
        assert!(NAMES.windows(2).all(|pair| pair[0] < pair[1]));
        for (at, tag) in TAGS.iter().enumerate() {
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
}
