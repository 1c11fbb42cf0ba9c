//! Reads rarely needed details of a page again from the decoded page, on request.
//!
//! Details of an element are its text, and attributes that the tables do not hold. The names by which links refer to
//! places on a page are read, too. So are parts without words, which are no blocks: cells of tables that hold signs
//! alone (a tick, an operator, a dash, an image), and white space and signs between the blocks of laid-out code.

mod code;
mod places;
mod tags;

use crate::build::decode;
use crate::markup::lexer::{Attributes, Markup, RawTag, markup};
use crate::markup::{Tag, strip_markup};
use crate::page::{Element, Page};

pub use code::code_text;
pub use places::{source_range, source_ranges, stands_at};
pub use tags::StartTag;

/// Piece of markup: a tag, or the text between two tags.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Piece<'a> {
    /// Text between tags, undecoded, with the byte offset of its start. A `<` that begins no tag is such a text, too.
    Text(&'a str, usize),
    Tag(TagPiece<'a>),
    /// Tag or comment that is cut off by the end of the markup; it starts at this byte offset.
    Cut(usize),
}

/// Tag in the page with its position, found when the page is read again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TagPiece<'a> {
    pub tag: Tag,
    pub name: &'a str,
    pub raw: RawTag,
    attributes: &'a [u8],
}

impl<'a> TagPiece<'a> {
    /// Returns the tag at byte `at` of a page; `None` if there is none.
    pub fn at(html: &'a str, at: usize) -> Option<Self> {
        let bytes = html.as_bytes();
        if bytes.get(at) != Some(&b'<') {
            return None;
        }
        match markup(bytes, at) {
            Markup::Tag(raw) => Some(Self::new(html, raw)),
            _ => None,
        }
    }

    fn new(html: &'a str, raw: RawTag) -> Self {
        let name = html.get(raw.name.0..raw.name.1).unwrap_or_default();
        let attributes = html.as_bytes().get(raw.attributes.0..raw.attributes.1).unwrap_or_default();
        Self { tag: Tag::from_name(name.as_bytes()), name, raw, attributes }
    }

    /// Iterates over the names and values of the tag's attributes, undecoded.
    pub fn attributes(&self) -> Attributes<'a> {
        Attributes::new(self.attributes)
    }

    /// Returns the value of the tag's first attribute of this name, with its character references decoded.
    pub fn value(&self, name: &str) -> Option<String> {
        let mut attributes = self.attributes().filter(|(known, _)| known.eq_ignore_ascii_case(name.as_bytes()));
        attributes.next().map(|(_, value)| decode(value).into_owned())
    }

    /// Iterates over the names and values in the first `bytes` bytes of the tag's attributes.
    fn first_attributes(&self, bytes: usize) -> Attributes<'a> {
        Attributes::new(self.attributes.get(..bytes).unwrap_or(self.attributes))
    }

    /// Returns whether the tag has the given name, in any case.
    pub fn is_like(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }
}

/// Iterator over the tags and texts of a page in order, without comments and doctypes.
#[derive(Clone, Debug)]
pub(crate) struct Pieces<'a> {
    html: &'a str,
    /// Byte offset in the page of the next tag or text.
    pub at: usize,
}

impl<'a> Pieces<'a> {
    /// Creates an iterator over the tags and texts of a page from byte `at` on.
    pub fn new(html: &'a str, at: usize) -> Self {
        Self { html, at }
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let (html, bytes) = (self.html, self.html.as_bytes());
        loop {
            let at = self.at;
            let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
            let text = memchr::memchr(b'<', rest).unwrap_or(rest.len());
            if text > 0 {
                self.at += text;
                return Some(Piece::Text(html.get(at..at + text)?, at));
            }
            let comment = rest.starts_with(b"<!--").then(|| memchr::memmem::find(rest, b"-->"));
            let found = match comment {
                Some(end) => end.map_or(Markup::Cut { quoted: false }, |end| Markup::Skip(at + end + 3)),
                None => markup(bytes, at),
            };
            self.at = match found {
                Markup::Tag(raw) => {
                    self.at = raw.end;
                    return Some(Piece::Tag(TagPiece::new(html, raw)));
                }
                Markup::Cut { .. } => {
                    self.at = bytes.len();
                    return Some(Piece::Cut(at));
                }
                Markup::Skip(next) => next,
            };
            if self.at == at + 1 {
                return Some(Piece::Text("<", at));
            }
        }
    }
}

/// Returns the part of a page that begins at byte `start` and has at most `max_bytes` bytes.
pub(crate) fn part(html: &str, start: u32, max_bytes: usize) -> Option<&str> {
    let rest = html.get(start as usize..)?;
    rest.get(..rest.floor_char_boundary(max_bytes))
}

/// Returns the first byte offset, from `from` on, at which `tag` (such as `</script`) begins, in any case.
fn find_ignoring_case(html: &str, from: usize, tag: &str) -> Option<usize> {
    let bytes = html.as_bytes();
    let is_it =
        |at: &usize| bytes.get(*at..at + tag.len()).is_some_and(|part| part.eq_ignore_ascii_case(tag.as_bytes()));
    memchr::memchr_iter(b'<', bytes.get(from..)?).map(|at| from + at).find(is_it)
}

impl Element {
    /// Returns the decoded value of the element's first attribute with the lower-case name `name`.
    /// `html` is the decoded page that the element was read from; another text gives `None` or a wrong attribute.
    pub fn attribute(&self, html: &str, name: &str) -> Option<String> {
        self.first_attribute(html, &[name])
    }

    /// Returns the decoded value of the first attribute in `names` that the element has.
    pub fn first_attribute(&self, html: &str, names: &[&str]) -> Option<String> {
        // Tables and text could be of different pages; then no tag stands there.
        let tag = TagPiece::at(html, self.start as usize)?;
        let mut found: Option<&[u8]> = None;
        let mut wanted = names;
        for (key, value) in tag.attributes() {
            // From here on only an attribute named before this one replaces it.
            if let Some(at) = wanted.iter().position(|name| key.eq_ignore_ascii_case(name.as_bytes())) {
                found = Some(value);
                wanted = wanted.get(..at).unwrap_or_default();
            }
            if wanted.is_empty() {
                break;
            }
        }
        let value = found?;
        Some(decode(value).into_owned())
    }

    /// Returns the byte offset after the element's start tag in `html`, the decoded page that the element was read
    /// from.
    pub fn start_tag_end(&self, html: &str) -> Option<u32> {
        u32::try_from(TagPiece::at(html, self.start as usize)?.raw.end).ok()
    }
}

/// Returns the plain text ([`strip_markup`]) of the element whose start tag is at byte `start` of a decoded page.
/// At most `max_bytes` bytes of the page are read. The text is empty if there is no element with content at `start`.
pub fn element_text(html: &str, start: u32, max_bytes: usize) -> String {
    let rest = part(html, start, max_bytes).unwrap_or_default();
    let first = TagPiece::at(rest, 0).filter(|first| !first.raw.is_end && !first.tag.is_void());
    let Some(first) = first else { return String::new() };
    let mut depth = 1u32;
    let end = Pieces::new(rest, first.raw.end).find_map(|piece| match piece {
        Piece::Tag(found) if found.is_like(first.name) => {
            depth = if found.raw.is_end { depth - 1 } else { depth + 1 };
            (depth == 0).then_some(found.raw.start)
        }
        Piece::Cut(at) => Some(at),
        _ => None,
    });
    let end = end.unwrap_or(rest.len());
    strip_markup(rest.get(first.raw.end..end).unwrap_or_default())
}

/// Returns the link targets of a page that `wanted` accepts (`id`s, and names of `a` elements), each with its element's
/// index, in page order. `html` is the decoded page that the tables were read from.
pub fn anchors(page: &Page, html: &str, wanted: impl Fn(&str) -> bool) -> Vec<(String, u32)> {
    let mut found = Vec::new();
    for (at, element) in page.elements.iter().enumerate() {
        // Few have a name, and only their tags are read again.
        if !element.is_named {
            continue;
        }
        let Some(tag) = TagPiece::at(html, element.start as usize) else { continue };
        for (name, value) in tag.attributes() {
            let is_name =
                name.eq_ignore_ascii_case(b"id") || element.tag == Tag::A && name.eq_ignore_ascii_case(b"name");
            if !is_name {
                continue;
            }
            let value = decode(value);
            if wanted(&value) {
                found.push((value.into_owned(), at as u32));
            }
        }
    }
    found
}

/// Maximum number of bytes of the page that are searched for the end of a table cell.
const MAX_CELL_BYTES: usize = 1024;
/// Maximum number of characters of a table cell's text that has no letters or digits, such as `✓`.
const MAX_SIGN_CHARS: usize = 8;
/// Maximum number of characters of the `alt` of an image that is alone in a table cell and counts as its text.
const MAX_ALT_CHARS: usize = 16;
const MAX_ALT_WORDS: usize = 2;
/// Maximum width and height, in pixels, of an image that is alone in a table cell and counts as its text.
const MAX_ICON_PIXELS: u32 = 64;

/// Names of the tags that end a table cell.
const END: [&str; 7] = ["td", "th", "tr", "table", "tbody", "thead", "tfoot"];
/// Names of tags that are allowed around a sign in a table cell. Other tags show something, such as a form.
const INLINE: [&str; 17] = [
    "b", "i", "em", "strong", "span", "p", "div", "font", "center", "a", "br", "sup", "sub", "abbr", "picture",
    "source", "u",
];

/// Names of tags whose text is inline code.
const CODE: [&str; 4] = ["code", "kbd", "samp", "tt"];

/// Returns the text of a table cell that holds only signs (`✓`), or the `alt` of its image, and true if it is code;
/// `None` for other cells.
pub fn cell_sign(html: &str, cell: &Element) -> Option<(String, bool)> {
    let rest = part(html, cell.start, MAX_CELL_BYTES)?;
    let mut text = String::new();
    let (mut has_end, mut is_code) = (false, false);
    let mut alt = None;
    for piece in Pieces::new(rest, TagPiece::at(rest, 0)?.raw.end) {
        match piece {
            Piece::Text(shown, _) => text.push_str(shown),
            Piece::Tag(found) if END.iter().any(|name| found.is_like(name)) => {
                has_end = true;
                break;
            }
            Piece::Tag(found) if found.tag == Tag::Img && alt.is_none() => alt = Some(icon_text(&found)?),
            Piece::Tag(found) if CODE.iter().any(|name| found.is_like(name)) => is_code = true,
            Piece::Tag(found) if INLINE.iter().any(|name| found.is_like(name)) => {}
            _ => return None,
        }
    }
    let sign = htmlize::unescape(&text);
    let sign: String = sign.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some(alt) = alt {
        return (has_end && sign.is_empty() && !alt.is_empty()).then_some((alt, false));
    }
    let is_sign =
        has_end && !sign.is_empty() && sign.chars().count() <= MAX_SIGN_CHARS && !sign.contains(char::is_alphanumeric);
    is_sign.then_some((sign, is_code))
}

/// Returns the `alt` of an image that may be an icon, possibly empty; `None` if the image or its `alt` is too large.
fn icon_text(image: &TagPiece) -> Option<String> {
    let is_large = |name: &str| image.value(name)?.trim().parse().ok().map(|pixels: u32| pixels > MAX_ICON_PIXELS);
    let alt = image.value("alt").unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    // A name of a file is no text.
    let is_name = alt.contains(['.', '_', '/']) && !alt.contains(' ') && alt.chars().count() > 3;
    let is_picture = is_large("width") == Some(true) || is_large("height") == Some(true);
    let is_short = alt.chars().count() <= MAX_ALT_CHARS && alt.split(' ').count() <= MAX_ALT_WORDS;
    (!is_picture && !is_name && is_short).then_some(alt)
}

/// Returns the text of a part of a page with its white space kept, and with line breaks as a browser shows them. Lines
/// break at line breaks, and at block-level tags if the line is not empty. `open` is true if a line is open at the
/// start; the end tag of `until` ends the part.
///
/// `None` if `until` never ends, or if there is an element whose content is not text. Time is linear in `html`.
pub fn code_white_space(html: &str, open: bool, until: Option<Tag>) -> Option<String> {
    let mut out = Lines { text: String::new(), open };
    for piece in Pieces::new(html, 0) {
        match piece {
            Piece::Text(text, _) => out.text(text),
            Piece::Tag(found) if found.raw.is_end && Some(found.tag) == until => return Some(out.text),
            // The caller then keeps the text of the blocks, which is right though its white space is not.
            Piece::Tag(found) if found.tag.is_skipped() || found.tag == Tag::Title => return None,
            Piece::Tag(found) if found.tag == Tag::Br => out.line_break(),
            // Unknown elements run within the lines of code.
            Piece::Tag(found) if !found.tag.is_inline() && found.tag != Tag::Other => out.edge(),
            Piece::Tag(_) => {}
            Piece::Cut(_) => return None,
        }
    }
    until.is_none().then_some(out.text)
}

struct Lines {
    text: String,
    /// True if the current line is not empty.
    open: bool,
}

impl Lines {
    fn text(&mut self, raw: &str) {
        let text = htmlize::unescape(raw).replace('\r', "").replace('\u{a0}', " ");
        if !text.trim().is_empty() {
            self.open = !text.ends_with('\n');
            self.text.push_str(&text);
        } else if text.contains('\n') {
            // Line ends between elements are those of the source, not of the code.
            self.edge();
        } else {
            self.text.push_str(&text);
        }
    }

    fn line_break(&mut self) {
        self.text.push('\n');
        self.open = false;
    }

    fn edge(&mut self) {
        if self.open {
            self.line_break();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{anchors, element_text, *};
    use crate::{Engine, Limits, LolEngine, ScanEngine, Tag};

    #[test]
    fn the_first_named_attribute_is_found_and_not_the_first_written() {
        let html = "<p b=1 c=2 b=3 a>x";
        let page = LolEngine.read(html, &Limits::default());
        for (names, value) in [(&["c", "b"][..], "2"), (&["b", "c"], "1"), (&["d", "a", "b"], "")] {
            assert_eq!(page.elements[0].first_attribute(html, names).as_deref(), Some(value), "{names:?}");
        }
        assert_eq!(page.elements[0].first_attribute(html, &["d"]), None);
    }

    #[test]
    fn attributes_are_found_at_their_element() {
        let html = "é<p title='a>b'><A HREF=\"?x=1&amp;y\" href=2>t</a>\
                    <noscript><ol start = 7><li>i</ol></noscript>";
        let page = LolEngine.read(html, &Limits::default());
        let read = |name: &str, key: &str| {
            let element = page.elements.iter().find(|e| page.name(e) == name).unwrap();
            element.attribute(html, key)
        };
        assert_eq!(read("p", "title").as_deref(), Some("a>b"));
        assert_eq!(read("a", "href").as_deref(), Some("?x=1&y"));
        assert_eq!(read("ol", "start").as_deref(), Some("7"));
        assert_eq!(read("li", "value"), None);
        assert_eq!(page.elements[0].attribute("x", "title"), None);
        let link = page.elements.iter().find(|e| page.name(e) == "a").unwrap();
        let end = link.start_tag_end(html).unwrap() as usize;
        assert!(html[end..].starts_with("t</a>"), "{}", &html[end..]);
        assert_eq!(link.start_tag_end("x"), None);
    }

    #[test]
    fn an_element_ends_at_its_own_end_tag() {
        let html = "<p>x <span a='>'>By <span>A &amp; <b>B</b></span>, C</span> d</p>";
        assert_eq!(element_text(html, 5, 1000), "By A & B, C");
        assert_eq!(element_text(html, 5, 30), "By A &");
        assert_eq!(element_text(html, 0, 1000), "x By A & B, C d");
        assert_eq!(element_text("<p>é", 0, 4), "");
        assert_eq!(element_text("<br>x", 0, 100), "");
        assert_eq!(element_text("x", 0, 100), "");
        assert_eq!(element_text("x", 9, 100), "");
    }

    #[test]
    fn places_are_found_by_id_and_name() {
        let html = "<p id=a>x<a name='b&amp;c'></a><div id=b name=z>y<span id=z>";
        let page = LolEngine.read(html, &Limits::default());
        let found = anchors(&page, html, |name| name != "b");
        let found: Vec<(&str, &str)> =
            found.iter().map(|(name, at)| (name.as_str(), page.elements[*at as usize].tag.name())).collect();
        assert_eq!(found, [("a", "p"), ("b&c", "a"), ("z", "span")]);
        // Attributes beyond what is read of a tag.
        let long = format!("<p title='{}' id=far>x", "t".repeat(70 << 10));
        let page = LolEngine.read(&long, &Limits::default());
        assert_eq!(anchors(&page, &long, |_| true), [("far".to_owned(), 0)]);
    }

    fn of(cell: &str) -> Option<(String, bool)> {
        let html = format!("<table><tr>{cell}<td>x</table>");
        let page = ScanEngine.read(&html, &Limits::default());
        let cell = page.elements.iter().find(|element| element.tag == Tag::Td).unwrap();
        super::cell_sign(&html, cell)
    }

    #[test]
    fn signs_are_read_from_the_page() {
        let sign = |text: &str, is_code: bool| Some((text.to_owned(), is_code));
        assert_eq!(of("<td class=a> <b>✔</b>\u{fe0f} </td>"), sign("✔\u{fe0f}", false));
        assert_eq!(of("<td>&lt;="), sign("<=", false));
        assert_eq!(of("<td><p><code>||</code>"), sign("||", true));
        assert_eq!(of("<td title='a>b' data-sort=\"->\"><b class='>'>✔</b></td>"), sign("✔", false));
        assert_eq!(of("<td><a href=x><img src=y.gif alt=' Ja&#33; ' width=12></a></td>"), sign("Ja!", false));
        assert_eq!(of("<td><img alt='可'></td>"), sign("可", false));
        for none in [
            "<td><img alt='A view of the mill by night'></td>",
            "<td><img alt='Mill' width=300></td>",
            "<td><img alt='IMG_0012.jpg'></td>",
            "<td><img alt=''></td>",
            "<td><img alt='Add to list'></td>",
            "<td>+ <img alt='Yes'></td>",
        ] {
            assert_eq!(of(none), None, "{none}");
        }
        for none in ["<td></td>", "<td>&nbsp;</td>", "<td>a</td>", "<td><img src=x></td>", "<td><script>+</script>"] {
            assert_eq!(of(none), None, "{none}");
        }
    }

    #[test]
    fn lines_are_those_of_a_browser() {
        for (html, text) in [
            ("", ""),
            ("<br><br>", "\n\n"),
            ("</div><div>", "\n"),
            ("</div>\n<div> }</div><div><br></div>\n<div>  ", "\n }\n\n  "),
            ("</div><!-- x --><div>&lt; <b>)</b>;<div>", "\n< );\n"),
            (" {\n\n}", " {\n\n}"),
            ("<br>< ", "\n< "),
        ] {
            assert_eq!(code_white_space(html, true, None).as_deref(), Some(text), "{html}");
        }
        assert_eq!(code_white_space("<pre><div>{</div>", false, None).as_deref(), Some("{\n"));
    }

    #[test]
    fn a_part_may_end_with_an_end_tag() {
        let until = Some(Tag::Pre);
        assert_eq!(code_white_space("<br>}</pre>x", true, until).as_deref(), Some("\n}"));
        for html in ["<br>}", "<br><script></script></pre>", "<!-- </pre>", "<b </pre"] {
            assert_eq!(code_white_space(html, true, until), None, "{html}");
        }
    }
}
