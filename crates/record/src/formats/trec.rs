//! TREC web documents, as in Gov2: `DOCNO`, a `DOCHDR` whose first line is the URL, then HTML.

use std::io::Write as _;

use crate::formats::searched::{URL_LENGTH, document_id, title, url};
use crate::{Encode, OutputError, OutputRecord};

/// Encodes records as TREC web documents. Readers take the body for HTML, so text is escaped; thereby
/// no line of it can end the document. Documents without text are left out.
#[derive(Clone, Copy, Debug)]
pub struct Trec;

impl Encode for Trec {
    fn record(&self, record: &OutputRecord, out: &mut Vec<u8>) -> Result<bool, OutputError> {
        if record.text.is_empty() {
            return Ok(false);
        }
        let id = document_id(record);
        // A URL has neither of them unescaped, but what stands in an archive need not be one.
        let (url, length) = url(record).unwrap_or_default();
        let url = url.replace(['<', '>'], " ");
        write!(out, "<DOC>\n<DOCNO>{id}</DOCNO>\n<DOCHDR>\n{url}\n")?;
        if let Some(length) = length {
            writeln!(out, "{URL_LENGTH}: {length}")?;
        }
        out.extend_from_slice(b"</DOCHDR>\n");
        if let Some(title) = title(record) {
            writeln!(out, "<title>{}</title>", escaped(&title))?;
        }
        writeln!(out, "{}\n</DOC>", escaped(&record.text))?;
        Ok(true)
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record;

    #[test]
    fn a_document_is_that_of_gov2() {
        let record = OutputRecord { text: "a < b & c\n  </DOC>\n<DOCNO>x</DOCNO>".into(), ..record() };
        let mut out = Vec::new();
        assert!(Trec.record(&record, &mut out).unwrap());
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "<DOC>\n\
             <DOCNO>urn:uuid:6a0d5d4e-6b2f-4c7e-8f3a-0c9b0f1a2b3c</DOCNO>\n\
             <DOCHDR>\n\
             http://example.com/\n\
             </DOCHDR>\n\
             <title>Titel</title>\n\
             a &lt; b &amp; c\n  &lt;/DOC&gt;\n&lt;DOCNO&gt;x&lt;/DOCNO&gt;\n\
             </DOC>\n"
        );
    }

    #[test]
    fn a_long_url_is_cut_with_a_note() {
        let record = OutputRecord { url: Some(format!("http://e/{}", "x".repeat(10_000))), ..record() };
        let mut out = Vec::new();
        Trec.record(&record, &mut out).unwrap();
        let out = String::from_utf8(out).unwrap();
        assert!(out.lines().all(|line| line.len() < 8300));
        assert!(out.contains("\nX-URL-Length: 10009\n</DOCHDR>\n"), "{out}");
    }

    #[test]
    fn a_url_stays_on_its_line() {
        let record = OutputRecord { url: Some("http://a/\n</DOCHDR>".into()), ..record() };
        let mut out = Vec::new();
        Trec.record(&record, &mut out).unwrap();
        let out = String::from_utf8(out).unwrap();
        assert!(out.contains("<DOCHDR>\nhttp://a/  /DOCHDR \n</DOCHDR>\n"), "{out}");
    }
}
