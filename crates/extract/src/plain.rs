//! Documents of plain text, from servers or from WET files. Nothing is dropped.

use trommel_html::charset;

use crate::{Document, Hints, confidence::confidence, language::language};

impl Document {
    /// The document of a plain text: the text as it is, decoded, with lines ended by line feeds and
    /// without control characters. It has no title, and no metadata.
    pub fn of_plain_text(bytes: &[u8], hints: &Hints<'_>) -> Self {
        let decoded = charset::decode(bytes, &hints.charset());
        let text = decoded.text.replace("\r\n", "\n").replace('\r', "\n");
        let is_kept = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
        let text: String = text.chars().filter(is_kept).collect();
        let text = text.trim_matches('\n').trim_end();
        Self {
            text: text.to_owned(),
            lang: language(text, || None),
            charset: decoded.encoding.name().to_ascii_lowercase(),
            charset_source: decoded.source.name().to_owned(),
            // Nothing was chosen, so nothing can be wrong but that the text is data.
            confidence: confidence(1.0, std::iter::once(text)),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_taken_as_it_is() {
        let hints = Hints { http_charset: Some("iso-8859-1"), ..Hints::default() };
        let text = b"\r\nDie M\xfchle steht am Flu\xdf,\r\n  <b>und</b> ihr Rad dreht sich\tdort.\x1b[2J\r\n";
        let document = Document::of_plain_text(text, &hints);
        assert_eq!(document.text, "Die Mühle steht am Fluß,\n  <b>und</b> ihr Rad dreht sich\tdort.[2J");
        assert_eq!((document.title, document.confidence), (None, 1.0));
        assert_eq!(document.charset, "windows-1252");
        assert_eq!(document.lang.as_deref(), Some("de"));
        assert_eq!(Document::of_plain_text(b"", &hints).text, "");
    }
}
