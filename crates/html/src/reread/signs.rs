//! Cells of tables that hold signs alone: a tick, an operator, a dash. They have no word, and so are no blocks.

use crate::page::Element;

/// Bytes of the page that are looked through for the end of a cell.
const SOURCE: usize = 512;
/// Most characters of a sign.
const CHARS: usize = 8;

/// The signs in a cell of the decoded page that has no word; none if there are none, or more than a few.
pub fn cell_sign(html: &str, cell: &Element) -> Option<String> {
    let rest = html.get(cell.start as usize..)?;
    let mut len = SOURCE.min(rest.len());
    while !rest.is_char_boundary(len) {
        len -= 1;
    }
    let mut rest = rest.get(..len)?.split_once('>')?.1;
    let mut text = String::new();
    loop {
        let (before, tag) = rest.split_once('<')?;
        text.push_str(before);
        let name = tag.trim_start_matches('/');
        let name = name.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        let is_over =
            ["td", "th", "tr", "table", "tbody", "thead", "tfoot"].iter().any(|known| known.eq_ignore_ascii_case(name));
        if is_over {
            break;
        }
        // A comment, a program or a picture: not a sign alone.
        let is_inline = [
            "b", "i", "em", "strong", "span", "code", "kbd", "p", "div", "font", "center", "a", "br", "sup", "sub",
            "abbr",
        ];
        if !is_inline.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            return None;
        }
        rest = tag.split_once('>')?.1;
    }
    let sign = htmlize::unescape(&text);
    let sign: String = sign.split_whitespace().collect::<Vec<_>>().join(" ");
    let says = !sign.is_empty() && sign.chars().count() <= CHARS && !sign.contains(char::is_alphanumeric);
    says.then_some(sign)
}

#[cfg(test)]
mod tests {
    use crate::{Engine, Limits, ScanEngine, Tag};

    fn of(cell: &str) -> Option<String> {
        let html = format!("<table><tr>{cell}<td>x</table>");
        let page = ScanEngine.read(&html, &Limits::default());
        let element = page.elements.iter().find(|element| element.tag == Tag::Td).unwrap();
        super::cell_sign(&html, element)
    }

    #[test]
    fn signs_are_read_from_the_page() {
        assert_eq!(of("<td class=a> <b>✔</b>\u{fe0f} </td>").as_deref(), Some("✔\u{fe0f}"));
        assert_eq!(of("<td>&lt;=").as_deref(), Some("<="));
        for none in ["<td></td>", "<td>&nbsp;</td>", "<td>a</td>", "<td><img src=x></td>", "<td><script>+</script>"] {
            assert_eq!(of(none), None, "{none}");
        }
    }
}
