//! Writes text and counts into HTML. Text from a page becomes safe between tags and inside quoted attributes.

use std::fmt::{self, Display, Formatter, Write as _};

use askama::filters::Escaper;

/// Escapes the values of templates: every character with a meaning for an HTML parser. Control characters, which HTML
/// cannot hold, become U+FFFD.
#[derive(Clone, Copy, Debug)]
pub struct Html;

impl Escaper for Html {
    fn write_escaped_str<W: fmt::Write>(&self, mut out: W, text: &str) -> fmt::Result {
        let mut written = 0;
        for (at, c) in text.char_indices() {
            let Some(stand_in) = stand_in(c) else { continue };
            out.write_str(text.get(written..at).unwrap_or_default())?;
            out.write_str(stand_in)?;
            written = at + c.len_utf8();
        }
        out.write_str(text.get(written..).unwrap_or_default())
    }
}

fn stand_in(c: char) -> Option<&'static str> {
    match c {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '"' => Some("&quot;"),
        '\'' => Some("&#39;"),
        '\n' | '\t' | '\r' => None,
        c if c.is_control() => Some("\u{fffd}"),
        _ => None,
    }
}

/// Writes a count with a comma between thousands.
pub struct Grouped(pub u64);

impl Display for Grouped {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                f.write_char(',')?;
            }
            f.write_char(digit)?;
        }
        Ok(())
    }
}

/// Writes a number of words.
pub struct WordCount(pub u64);

impl Display for WordCount {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let unit = if self.0 == 1 { "word" } else { "words" };
        write!(f, "{} {unit}", Grouped(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_gets_out_of_text_or_attribute() {
        let hostile = "</p><script>alert('1')</script> \" onload=x & &lt; \0\u{1b}\u{85} é 日本\n\tx";
        let escaped = |text: &str| {
            let mut out = String::new();
            Html.write_escaped_str(&mut out, text).unwrap();
            out
        };
        assert_eq!(
            escaped(hostile),
            "&lt;/p&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &quot; onload=x &amp; &amp;lt; \
             \u{fffd}\u{fffd}\u{fffd} é 日本\n\tx"
        );
        assert_eq!(escaped(""), "");
        assert_eq!(escaped("plain"), "plain");
    }

    #[test]
    fn thousands_are_set_off() {
        for (count, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(Grouped(count).to_string(), text);
        }
        assert_eq!(WordCount(1).to_string(), "1 word");
        assert_eq!(WordCount(1000).to_string(), "1,000 words");
    }
}
