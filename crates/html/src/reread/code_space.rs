//! Reads white space and signs between the blocks of laid-out code. They contain no word, so they are not
//! blocks.

use super::pieces::{Piece, Pieces};
use crate::markup::Tag;

/// The white space and signs in a part of a page, with the line breaks of a browser and white space kept.
/// Lines break at line breaks, and at block-level tags if the line is not empty. `open` states whether a
/// line is open at the start; `until` is a tag whose end tag ends the part.
///
/// `None` if `until` never ends, or something stands there whose content is no text. Time is linear
/// in `html`.
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
    /// True if something stands on the current line.
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
    use super::*;

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
