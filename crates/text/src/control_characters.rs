//! Removes control characters and bidi controls from titles and from lines that terminals show.

use std::borrow::Cow;

/// Returns whether a character has Unicode's property `Bidi_Control`. It changes the order in which following text is
/// shown, and can make a name look like another.
fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Removes the control characters (NUL and escapes among them) and bidi controls from a line of text; those that are
/// white space become a space.
///
/// ```
/// use trommel_text::without_controls;
///
/// assert_eq!(without_controls("a\u{1b}[31mb\u{202e}c\0\td"), "a[31mbc d");
/// ```
pub fn without_controls(line: &str) -> Cow<'_, str> {
    if !line.contains(|c: char| c.is_control() || is_bidi_control(c)) {
        return Cow::Borrowed(line);
    }
    let kept = line.chars().filter_map(|c| match c {
        _ if is_bidi_control(c) => None,
        _ if c.is_control() => c.is_whitespace().then_some(' '),
        _ => Some(c),
    });
    Cow::Owned(kept.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_steers_is_taken_out() {
        assert!(matches!(without_controls("naïve 日本"), Cow::Borrowed(_)));
        assert_eq!(without_controls("\u{9b}1m\u{7f}x\u{2066}y\u{2069}"), "1mxy");
        // Joiners are part of words.
        assert_eq!(without_controls("می\u{200c}آیند"), "می\u{200c}آیند");
        assert_eq!(without_controls("a\r\nb"), "a  b");
    }
}
