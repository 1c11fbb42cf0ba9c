//! Cells of tables that hold signs alone: a tick, an operator, a dash, an image that says yes or no. They have no word,
//! and so are no blocks.

use super::pieces::{Piece, Pieces, TagPiece, part};
use crate::markup::Tag;
use crate::page::Element;

/// Bytes of the page that are searched for the end of a cell.
const MAX_CELL_BYTES: usize = 1024;
/// Characters of a sign.
const MAX_SIGN_CHARS: usize = 8;
/// Characters and words of the alternative text of an image that is all of a cell. Pictures are described at more length.
const MAX_ALT_CHARS: usize = 16;
const MAX_ALT_WORDS: usize = 2;
/// Pixels of width or height of such an image.
const MAX_ICON_PIXELS: u32 = 64;

/// Tags at which a cell ends.
const END: [&str; 7] = ["td", "th", "tr", "table", "tbody", "thead", "tfoot"];
/// Tags that may stand around a sign. Others show something: a picture, a form, a program.
const INLINE: [&str; 17] = [
    "b", "i", "em", "strong", "span", "p", "div", "font", "center", "a", "br", "sup", "sub", "abbr", "picture",
    "source", "u",
];

/// Tags of code.
const CODE: [&str; 4] = ["code", "kbd", "samp", "tt"];

/// The signs in a cell of the decoded page that has no word, and whether they are code; none if there are none, or more
/// than a few.
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

/// The alternative text of an image that may be a sign.
fn icon_text(image: &TagPiece) -> Option<String> {
    let value = |name: &str| {
        let mut attributes = image.attributes().filter(|(known, _)| known.eq_ignore_ascii_case(name.as_bytes()));
        let (_, value) = attributes.next()?;
        Some(htmlize::unescape_attribute(String::from_utf8_lossy(value)).into_owned())
    };
    let is_large = |name: &str| value(name)?.trim().parse().ok().map(|pixels: u32| pixels > MAX_ICON_PIXELS);
    let alt = value("alt").unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    // A name of a file is no text.
    let is_name = alt.contains(['.', '_', '/']) && !alt.contains(' ') && alt.chars().count() > 3;
    let is_picture = is_large("width") == Some(true) || is_large("height") == Some(true);
    let is_short = alt.chars().count() <= MAX_ALT_CHARS && alt.split(' ').count() <= MAX_ALT_WORDS;
    (!is_picture && !is_name && is_short).then_some(alt)
}

#[cfg(test)]
mod tests {
    use crate::{Engine, Limits, ScanEngine, Tag};

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
}
