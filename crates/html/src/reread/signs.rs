//! Cells of tables that hold signs alone: a tick, an operator, a dash. They have no word, and so are no blocks.

use super::pieces::{Piece, Pieces, TagPiece, part};
use crate::page::Element;

/// Bytes of the page that are searched for the end of a cell.
const MAX_CELL_BYTES: usize = 512;
/// Characters of a sign.
const MAX_SIGN_CHARS: usize = 8;

/// Tags at which a cell ends.
const END: [&str; 7] = ["td", "th", "tr", "table", "tbody", "thead", "tfoot"];
/// Tags that may stand around a sign. Others show something: a picture, a form, a program.
const INLINE: [&str; 16] =
    ["b", "i", "em", "strong", "span", "code", "kbd", "p", "div", "font", "center", "a", "br", "sup", "sub", "abbr"];

/// The signs in a cell of the decoded page that has no word; none if there are none, or more than a few.
pub fn cell_sign(html: &str, cell: &Element) -> Option<String> {
    let rest = part(html, cell.start, MAX_CELL_BYTES)?;
    let mut text = String::new();
    let mut has_end = false;
    for piece in Pieces::new(rest, TagPiece::at(rest, 0)?.raw.end) {
        match piece {
            Piece::Text(shown, _) => text.push_str(shown),
            Piece::Tag(found) if END.iter().any(|name| found.is_like(name)) => {
                has_end = true;
                break;
            }
            Piece::Tag(found) if INLINE.iter().any(|name| found.is_like(name)) => {}
            _ => return None,
        }
    }
    let sign = htmlize::unescape(&text);
    let sign: String = sign.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_sign =
        has_end && !sign.is_empty() && sign.chars().count() <= MAX_SIGN_CHARS && !sign.contains(char::is_alphanumeric);
    is_sign.then_some(sign)
}

#[cfg(test)]
mod tests {
    use crate::{Engine, Limits, ScanEngine, Tag};

    fn of(cell: &str) -> Option<String> {
        let html = format!("<table><tr>{cell}<td>x</table>");
        let page = ScanEngine.read(&html, &Limits::default());
        let cell = page.elements.iter().find(|element| element.tag == Tag::Td).unwrap();
        super::cell_sign(&html, cell)
    }

    #[test]
    fn signs_are_read_from_the_page() {
        assert_eq!(of("<td class=a> <b>✔</b>\u{fe0f} </td>").as_deref(), Some("✔\u{fe0f}"));
        assert_eq!(of("<td>&lt;=").as_deref(), Some("<="));
        assert_eq!(of("<td title='a>b' data-sort=\"->\"><b class='>'>✔</b></td>").as_deref(), Some("✔"));
        for none in ["<td></td>", "<td>&nbsp;</td>", "<td>a</td>", "<td><img src=x></td>", "<td><script>+</script>"] {
            assert_eq!(of(none), None, "{none}");
        }
    }
}
