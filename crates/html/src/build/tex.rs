//! Finds the TeX of a formula: in attributes, in text between marks, in addresses of images, in MathML.
//!
//! MathML gives the TeX of its annotation, or else its text, with `a/b` for a fraction and `x^2` for a power.

use memchr::memmem;

use crate::markup::lexer::{Key, TagText};
use crate::reread::{Piece, Pieces, TagPiece};

/// Values of such an attribute that are not a source.
const NO_SOURCE: [&str; 8] = ["true", "false", "inline", "display", "block", "0", "1", "math"];

/// TeX that an attribute of the element gives.
pub(super) fn given_tex(text: &TagText) -> Option<String> {
    let value = text.value(Key::Tex)?;
    let value = htmlize::unescape_attribute(String::from_utf8_lossy(value));
    is_source(&value).then(|| value.into_owned())
}

pub(super) fn has_data(text: &TagText) -> bool {
    memmem::find(text.attribute_bytes(), b"data-").is_some()
}

/// Returns whether a value of an attribute can be the source of a formula.
pub(super) fn is_source(value: &str) -> bool {
    let value = value.trim();
    // A brace at the start is JSON of a widget's settings, `://` an address.
    !value.is_empty() && !NO_SOURCE.contains(&value) && !value.starts_with('{') && !value.contains("://")
}

/// Returns whether a text that could be TeX describes a formula in words instead.
pub(super) fn is_prose(text: &str) -> bool {
    let plain = !text.contains(['\\', '^', '_', '{']);
    // Three words of three letters: alternative texts such as "graph of the function".
    plain && text.split_whitespace().filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 2).count() > 2
}

/// TeX without the marks around it, white space folded.
pub(super) fn plain_tex(source: &str) -> String {
    let mut tex = source.trim();
    // `$$` before `$`, or one dollar sign of each pair would stay.
    for (open, close) in [("\\(", "\\)"), ("\\[", "\\]"), ("$$", "$$"), ("$", "$")] {
        if let Some(inner) = tex.strip_prefix(open).and_then(|inner| inner.strip_suffix(close)) {
            tex = inner.trim();
            break;
        }
    }
    if let Some(inner) = tex.strip_prefix("<![CDATA[") {
        tex = inner.trim_end_matches("]]>").trim_end_matches('%');
    }
    // Wikipedia's wrapper, which says nothing of the formula.
    if let Some(inner) = tex.strip_prefix("{\\displaystyle ").and_then(|inner| inner.strip_suffix('}'))
        // Otherwise the last brace closes another group: `{\displaystyle a} + {b}`.
        && is_balanced(inner)
    {
        tex = inner.trim();
    }
    tex.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_balanced(tex: &str) -> bool {
    let mut depth = 0i32;
    let mut escaped = false;
    for byte in tex.bytes() {
        match byte {
            b'{' if !escaped => depth += 1,
            b'}' if !escaped => depth -= 1,
            _ => {}
        }
        escaped = byte == b'\\' && !escaped;
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

/// The source of a formula in the address of a service that draws it.
pub(super) fn tex_of_address(address: &str) -> Option<String> {
    let (_, query) = address.split_once('?')?;
    let named = query.split('&').find_map(|part| {
        let (name, value) = part.split_once('=')?;
        matches!(name, "latex" | "chl" | "tex" | "formula" | "eq").then_some(value)
    });
    let value = named.unwrap_or(query);
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let mut digit = || {
                    let digit = rest.next().and_then(|byte| char::from(byte).to_digit(16))?;
                    u8::try_from(digit).ok()
                };
                let (Some(high), Some(low)) = (digit(), digit()) else { return None };
                bytes.push(high << 4 | low);
            }
            b'+' => bytes.push(b' '),
            byte => bytes.push(byte),
        }
    }
    let mut tex = String::from_utf8(bytes).ok()?;
    // Settings of the drawing service (resolution, background, font), which are no part of the formula.
    for size in ["\\dpi{", "\\bg_", "\\fn_"] {
        if tex.starts_with(size)
            && let Some((_, rest)) = tex.split_once(' ')
        {
            tex = rest.to_owned();
        }
    }
    (!tex.trim().is_empty()).then_some(tex)
}

/// Maximum nesting of a formula; deeper elements count as the deepest.
// Keeps the work on a formula of many levels in proportion to its length.
const MAX_DEPTH: usize = 96;

/// An element that is open.
#[derive(Debug, Default)]
struct Open {
    /// Name in lower case, without prefix.
    name: String,
    /// True if it is an annotation in TeX.
    is_tex: bool,
    /// Texts of the elements inside, and its own.
    parts: Vec<String>,
}

/// The TeX of MathML if it has an annotation with it, else its text. Empty if nothing is shown.
pub(crate) fn text_of_mathml(source: &str) -> String {
    // MathJax 3 writes the formula twice: as it lays it out, with glyphs that only its style sheet has, and for
    // readers' aids.
    if let Some(at) = memchr::memmem::find(source.as_bytes(), b"<mjx-assistive-mml")
        && let Some(assistive) = source.get(at..)
        && at > 0
    {
        let text = text_of_mathml(assistive);
        if !text.is_empty() {
            return text;
        }
    }
    let mut open = vec![Open::default()];
    // Elements beyond the greatest depth that are still to be ended.
    let mut beyond = 0usize;
    for piece in Pieces::new(source, 0) {
        let found = match piece {
            Piece::Text(text, _) => {
                if let Some(last) = open.last_mut().filter(|_| !text.trim().is_empty()) {
                    last.parts.push(htmlize::unescape(text.trim()).into_owned());
                }
                continue;
            }
            Piece::Tag(found) => found,
            Piece::Cut(_) => break,
        };
        let name = local(found.name);
        if found.raw.is_end {
            if beyond > 0 {
                beyond -= 1;
            } else if let Some(place) = open.iter().rposition(|open| open.name == name).filter(|place| *place > 0)
                && let Some(tex) = end(&mut open, place)
            {
                return tex;
            }
            continue;
        }
        if open.len() >= MAX_DEPTH {
            beyond += usize::from(!found.raw.self_closing);
            continue;
        }
        let is_glyph = name == "c" && source.as_bytes().get(found.raw.end) == Some(&b'<');
        let glyph = is_glyph.then(|| glyph(&found)).flatten();
        let parts = glyph.map(String::from).into_iter().collect();
        let is_tex = name == "annotation" && value(&found, b"encoding").to_ascii_lowercase().contains("tex");
        open.push(Open { name, is_tex, parts });
        if found.raw.self_closing {
            let last = open.len() - 1;
            end(&mut open, last);
        }
    }
    if let Some(tex) = end(&mut open, 1) {
        return tex;
    }
    open.pop().map(|root| joined(&root.parts)).unwrap_or_default()
}

/// Ends all elements from this one on; returns the TeX of an annotation that is among them.
fn end(open: &mut Vec<Open>, from: usize) -> Option<String> {
    while open.len() > from.max(1) {
        let ended = open.pop()?;
        if ended.is_tex && !ended.parts.is_empty() {
            return Some(ended.parts.join(" "));
        }
        let text = written(&ended);
        if !text.is_empty() {
            open.last_mut()?.parts.push(text);
        }
    }
    None
}

/// An element as text.
fn written(element: &Open) -> String {
    let grouped = |part: &String| if part.contains(' ') { format!("({part})") } else { part.clone() };
    match (element.name.as_str(), element.parts.as_slice()) {
        ("mfrac", [above, below]) => format!("{}/{}", grouped(above), grouped(below)),
        ("msup", [base, above]) if above.starts_with(is_prime) => format!("{}{above}", grouped(base)),
        // A bar or an arrow.
        ("mover", [base, above]) if !above.contains(char::is_alphanumeric) => format!("{base}{above}"),
        ("msup" | "mover", [base, above]) => format!("{}^{}", grouped(base), grouped(above)),
        ("msub" | "munder", [base, below]) => format!("{}_{}", grouped(base), grouped(below)),
        ("msubsup" | "munderover", [base, below, above]) => {
            format!("{}_{}^{}", grouped(base), grouped(below), grouped(above))
        }
        ("mfenced", parts) => format!("({})", parts.join(", ")),
        ("mtable", rows) => rows.join("; "),
        // Other forms of the same formula.
        ("annotation" | "annotation-xml" | "speech", _) => String::new(),
        // The letters of a token are no parts of it.
        ("mi" | "mn" | "mo" | "mtext" | "ms", parts) => {
            parts.concat().chars().filter(|sign| !is_invisible(*sign)).map(plain).collect()
        }
        (_, parts) => joined(parts),
    }
}

/// Parts one after the other, with spaces that brackets and signs behind a word do without.
fn joined(parts: &[String]) -> String {
    let mut text = String::new();
    for part in parts.iter().filter(|part| !part.is_empty()) {
        let is_close =
            text.is_empty() || text.ends_with(['(', '[', '{']) || part.starts_with([')', ']', '}', ',', '!']);
        if !is_close {
            text.push(' ');
        }
        text.push_str(part);
    }
    text
}

fn is_prime(sign: char) -> bool {
    matches!(sign, '\'' | '\u{2032}'..='\u{2034}')
}

/// Signs for a product, a function or a list that nobody sees.
fn is_invisible(sign: char) -> bool {
    matches!(sign, '\u{2061}'..='\u{2064}')
}

/// A letter of a mathematical alphabet (`𝑥`) as any other.
fn plain(sign: char) -> char {
    const LETTERS: &[u8; 52] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let at = u32::from(sign).checked_sub(0x1D400).filter(|at| *at < 13 * 52);
    at.and_then(|at| LETTERS.get(at as usize % 52)).map_or(sign, |letter| char::from(*letter))
}

fn value(element: &TagPiece, name: &[u8]) -> String {
    let found = element.attributes().find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|(_, value)| String::from_utf8_lossy(value).into_owned()).unwrap_or_default()
}

/// The character of a glyph that has none: its class is its number (`mjx-c1D465`).
fn glyph(element: &TagPiece) -> Option<char> {
    let class = value(element, b"class");
    let number = class.split_ascii_whitespace().find_map(|name| name.strip_prefix("mjx-c"))?;
    char::from_u32(u32::from_str_radix(number, 16).ok()?)
}

/// A name in lower case without its prefix (`m:mi`, `mjx-mi`).
fn local(name: &str) -> String {
    let name = name.rsplit(':').next().unwrap_or_default().to_ascii_lowercase();
    name.strip_prefix("mjx-").map(str::to_owned).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::text_of_mathml;

    #[test]
    fn the_annotation_goes_before_the_elements() {
        let source = "<math><semantics><mi>x</mi><annotation encoding='application/x-tex'>\
                      a &lt; b</annotation></semantics></math>";
        assert_eq!(text_of_mathml(source), "a < b");
        let other = "<math><semantics><mi>x</mi><annotation encoding='StarMath'>a</annotation></semantics></math>";
        assert_eq!(text_of_mathml(other), "x");
    }

    #[test]
    fn elements_become_text() {
        for (source, text) in [
            ("<mi>x</mi><mo>=</mo><mn>1</mn>", "x = 1"),
            ("<mfrac><mn>1</mn><mrow><mi>n</mi><mo>+</mo><mn>1</mn></mrow></mfrac>", "1/(n + 1)"),
            ("<msup><mi>x</mi><mn>2</mn></msup>", "x^2"),
            ("<msup><mi>f</mi><mo>&#x2032;</mo></msup>", "f\u{2032}"),
            ("<msubsup><mi>σ</mi><mi>i</mi><mn>2</mn></msubsup>", "σ_i^2"),
            ("<mi>N</mi><mo>(</mo><mi>s</mi><mo>,</mo><mi>t</mi><mo>)</mo>", "N (s, t)"),
            ("<mfenced><mi>a</mi><mi>b</mi></mfenced>", "(a, b)"),
            ("<mover><mi>x</mi><mo>¯</mo></mover>", "x¯"),
            ("<mtable><mtr><mtd>a</mtd><mtd>b</mtd></mtr><mtr><mtd>c</mtd></mtr></mtable>", "a b; c"),
            ("<m:mi>f</m:mi><mo>&#x2061;</mo><mi>x</mi>", "f x"),
            ("<msqrt><mi>a</mi><mo>+</mo><mi>b</mi>", "a + b"),
            ("<msup><mi>𝑧</mi></msup></mrow><mn>5</mn>", "z 5"),
        ] {
            assert_eq!(text_of_mathml(&format!("<math>{source}</math>")), text, "{source}");
        }
        assert_eq!(text_of_mathml(&"<mrow>".repeat(100_000)), "");
    }
}
