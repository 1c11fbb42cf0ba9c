//! Finds TeX in the places where pages put it: attributes, text between marks, addresses of images.

use memchr::memmem;

use crate::markup::tag_lexer::{Key, TagText};

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
