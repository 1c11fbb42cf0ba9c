//! Determines the kind of text after a tag (HTML standard, 13.2.5), as a tree builder would, but without a tree.
//!
//! The rules are those of lol_html's simulation, so that both engines divide every page in the same way.

use crate::build::TextKind;
use crate::markup::lexer::{Key, TagText};
use crate::markup::{Tag, by_tag};

/// Kind of content that follows a start tag: markup, text with or without character references, or a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContentModel {
    Markup,
    /// Text in which character references are decoded, up to the end tag.
    Text,
    /// Text as written, without character references, up to the end tag.
    Raw,
    Script,
    /// Text as written, without character references, up to the end of the page.
    Plain,
}

// Every tag is asked for these.
static MODELS: [ContentModel; Tag::COUNT] = by_tag!(ContentModel::found_for);
static ARE_PLAIN: [bool; Tag::COUNT] = by_tag!(found_plain);

const fn found_plain(tag: Tag) -> bool {
    let is_markup = matches!(ContentModel::found_for(tag), ContentModel::Markup);
    is_markup && !matches!(tag, Tag::Template | Tag::Svg | Tag::Math)
}

/// Returns whether a tag begins an ordinary element, which holds markup that is part of the page, unlike `script`,
/// `template`, svg and math.
#[inline]
pub(super) fn is_plain(tag: Tag) -> bool {
    ARE_PLAIN[tag as usize]
}

impl ContentModel {
    #[inline]
    pub(super) fn of(tag: Tag) -> Self {
        MODELS[tag as usize]
    }

    const fn found_for(tag: Tag) -> Self {
        match tag {
            Tag::Textarea | Tag::Title => ContentModel::Text,
            Tag::Plaintext => ContentModel::Plain,
            Tag::Script => ContentModel::Script,
            Tag::Style | Tag::Iframe | Tag::Xmp | Tag::Noembed | Tag::Noframes | Tag::Noscript => ContentModel::Raw,
            _ => ContentModel::Markup,
        }
    }

    pub(super) fn kind(self) -> TextKind {
        match self {
            ContentModel::Markup | ContentModel::Text => TextKind::Decoded,
            ContentModel::Raw | ContentModel::Script | ContentModel::Plain => TextKind::Raw,
        }
    }
}

/// Namespace of an open element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Namespace {
    Html,
    Svg,
    MathMl,
}

/// Stack of open namespaces (svg, math and HTML in them), outermost first; empty within HTML alone.
#[derive(Clone, Debug, Default)]
// A stack of namespaces is enough: which text follows a tag depends on no other element.
pub(super) struct Namespaces(Vec<Namespace>);

impl Namespaces {
    fn current(&self) -> Namespace {
        self.0.last().copied().unwrap_or(Namespace::Html)
    }

    /// Returns whether `<![CDATA[` begins a CDATA section here, which is so in svg and math only.
    pub fn allow_cdata(&self) -> bool {
        self.current() != Namespace::Html
    }

    /// Updates the stack of namespaces at a start tag, and returns the kind of content after the tag.
    pub fn start(&mut self, text: &TagText) -> ContentModel {
        match (text.tag, self.current()) {
            (Tag::Svg, _) => self.0.push(Namespace::Svg),
            (Tag::Math, _) => self.0.push(Namespace::MathMl),
            (tag, Namespace::Html) => return ContentModel::of(tag),
            (_, around) => self.start_foreign(text, around),
        }
        ContentModel::Markup
    }

    fn start_foreign(&mut self, text: &TagText, around: Namespace) {
        let self_closing = text.place.self_closing;
        if text.tag.ends_foreign() {
            self.0.pop();
        } else if is_integration_point(text.tag, text.name(), around) {
            if !self_closing {
                self.0.push(Namespace::Html);
            }
        } else if text.tag == Tag::Font {
            // The standard's rule for `font`: with one of these attributes it is the element of HTML.
            let ends = text.attributes().any(|(name, _)| matches!(name, Key::Color | Key::Size | Key::Face));
            if ends {
                self.0.pop();
            }
        } else if around == Namespace::MathMl && !self_closing && text.name().eq_ignore_ascii_case(b"annotation-xml") {
            let is_html = text.attributes().any(|(name, value)| {
                name == Key::Encoding
                    && (value.eq_ignore_ascii_case(b"text/html")
                        || value.eq_ignore_ascii_case(b"application/xhtml+xml"))
            });
            if is_html {
                self.0.push(Namespace::Html);
            }
        }
    }

    /// Returns whether no namespace other than HTML is open.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Updates the stack of namespaces at an end tag, which may close one.
    #[inline(never)]
    pub fn end(&mut self, tag: Tag, name: &[u8]) {
        let leaves = match self.current() {
            Namespace::Svg => matches!(tag, Tag::Svg | Tag::P | Tag::Br),
            Namespace::MathMl => matches!(tag, Tag::Math | Tag::P | Tag::Br),
            Namespace::Html => {
                // The island ends that this is; the namespace around HTML that nothing opened is none.
                let around = match self.0.as_slice() {
                    [] => return,
                    [.., around, _] => *around,
                    [_] => Namespace::Html,
                };
                is_integration_point(tag, name, around)
                    || around == Namespace::MathMl && name.eq_ignore_ascii_case(b"annotation-xml")
            }
        };
        if leaves {
            self.0.pop();
        }
    }
}

/// Returns whether an element in the namespace `around`, svg or math, has HTML as its content.
fn is_integration_point(tag: Tag, name: &[u8], around: Namespace) -> bool {
    match around {
        Namespace::Html => false,
        Namespace::Svg => {
            tag == Tag::Title
                || tag == Tag::Other
                    && (name.eq_ignore_ascii_case(b"desc") || name.eq_ignore_ascii_case(b"foreignobject"))
        }
        Namespace::MathMl => {
            tag == Tag::Other
                && [b"mi".as_slice(), b"mo", b"mn", b"ms", b"mtext"]
                    .iter()
                    .any(|known| name.eq_ignore_ascii_case(known))
        }
    }
}
