//! Finds the TeX of a formula: in attributes, in text between marks, in addresses of images, in MathML.

use memchr::memmem;
use percent_encoding::percent_decode_str;

use super::stated_facts::decode;
use crate::markup::lexer::{Key, TagText};
use crate::reread::{Piece, Pieces, TagPiece};

/// Values of attributes for formulas, such as `data-math`, that are settings and not TeX source.
const NO_SOURCE: [&str; 8] = ["true", "false", "inline", "display", "block", "0", "1", "math"];

/// Returns the TeX in the `data-tex`, `data-latex` or `data-math` attribute of a tag, if it has any.
pub(super) fn given_tex(text: &TagText) -> Option<String> {
    let value = text.value(Key::Tex)?;
    let value = decode(value);
    is_source(&value).then(|| value.into_owned())
}

pub(super) fn has_data(text: &TagText) -> bool {
    memmem::find(text.attribute_bytes(), b"data-").is_some()
}

/// Returns whether the value of an attribute can be the TeX source of a formula.
pub(super) fn is_source(value: &str) -> bool {
    let value = value.trim();
    // A brace at the start is JSON of a widget's settings, `://` an address.
    !value.is_empty() && !NO_SOURCE.contains(&value) && !value.starts_with('{') && !value.contains("://")
}

/// Returns whether a text describes a formula in words instead of TeX.
pub(super) fn is_prose(text: &str) -> bool {
    let plain = !text.contains(['\\', '^', '_', '{']);
    // Three words of three letters: alternative texts such as "graph of the function".
    plain && text.split_whitespace().filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 2).count() > 2
}

/// Returns TeX without the marks around it (`$`, `\(`, CDATA), with white space folded.
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
    if let Some(inner) = tex.strip_prefix("{\\displaystyle ").and_then(|inner| inner.strip_suffix('}')) {
        tex = inner.trim();
    }
    tex.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the TeX in the address of an image from a service that draws formulas.
pub(super) fn tex_of_address(address: &str) -> Option<String> {
    let (_, query) = address.split_once('?')?;
    let named = query.split('&').find_map(|part| {
        let (name, value) = part.split_once('=')?;
        matches!(name, "latex" | "chl" | "tex" | "formula" | "eq").then_some(value)
    });
    let value = named.unwrap_or(query).replace('+', " ");
    let mut tex = percent_decode_str(&value).decode_utf8().ok()?.into_owned();
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

/// Returns the TeX annotation of a MathML formula, or else the formula's text, which may be empty.
pub(super) fn text_of_mathml(source: &str) -> String {
    let mut text = String::new();
    // The sign behind the first element of each open one, if it has one, and the elements in it.
    let mut open: Vec<(&str, u32)> = Vec::new();
    // In an annotation, another form of the same formula; true if it is TeX.
    let mut annotation = None;
    for piece in Pieces::new(source, 0) {
        match piece {
            Piece::Text(part, _) => {
                let part = htmlize::unescape(part.trim());
                match annotation {
                    None => push_part(&mut text, &part),
                    Some(true) if !part.is_empty() => return part.into_owned(),
                    _ => {}
                }
            }
            Piece::Tag(tag) if tag.raw.is_end => {
                open.pop();
                if is_annotation(&tag) {
                    annotation = None;
                }
            }
            Piece::Tag(tag) if is_annotation(&tag) => {
                let is_tex = |value: &[u8]| String::from_utf8_lossy(value).to_ascii_lowercase().contains("tex");
                let mut attributes = tag.attributes();
                annotation =
                    Some(attributes.any(|(name, value)| name.eq_ignore_ascii_case(b"encoding") && is_tex(value)));
            }
            Piece::Tag(tag) if !tag.raw.self_closing => {
                if let Some((sign, count)) = open.last_mut() {
                    *count += 1;
                    push_part(&mut text, if *count == 2 { sign } else { "" });
                }
                open.push((
                    if tag.is_like("mfrac") {
                        "/"
                    } else if tag.is_like("msup") {
                        "^"
                    } else {
                        ""
                    },
                    0,
                ));
            }
            Piece::Tag(_) => {}
            Piece::Cut(_) => break,
        }
    }
    text
}

fn is_annotation(tag: &TagPiece) -> bool {
    tag.is_like("annotation") || tag.is_like("annotation-xml")
}

/// Appends a part of a formula's text, after a space unless a bracket or sign makes it unnecessary.
fn push_part(text: &mut String, part: &str) {
    let is_close = text.is_empty()
        || text.ends_with(['(', '[', '{', '/', '^'])
        || part.starts_with([')', ']', '}', ',', '!', '/', '^']);
    if !part.is_empty() && !is_close {
        text.push(' ');
    }
    text.push_str(part);
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
            ("<mfrac><mn>1</mn><mrow><mi>n</mi><mo>+</mo><mn>1</mn></mrow></mfrac>", "1/n + 1"),
            ("<msup><mi>x</mi><mn>2</mn></msup>", "x^2"),
            ("<msubsup><mi>σ</mi><mi>i</mi><mn>2</mn></msubsup>", "σ i 2"),
            ("<mi>N</mi><mo>(</mo><mi>s</mi><mo>,</mo><mi>t</mi><mo>)</mo>", "N (s, t)"),
            ("<mtable><mtr><mtd>a</mtd><mtd>b</mtd></mtr><mtr><mtd>c</mtd></mtr></mtable>", "a b c"),
            ("<m:mi>f</m:mi> <mspace/><mi>x</mi>", "f x"),
            ("<msqrt><mi>a</mi><mo>+</mo><mi>b</mi>", "a + b"),
            ("<msup><mi>z</mi></msup></mrow><mn>5</mn>", "z 5"),
        ] {
            assert_eq!(text_of_mathml(&format!("<math>{source}</math>")), text, "{source}");
        }
        assert_eq!(text_of_mathml(&"<mrow>".repeat(100_000)), "");
    }
}
