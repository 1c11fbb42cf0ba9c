//! TREC web documents, as in Gov2: `DOCNO`, a `DOCHDR` whose first line is the URL, then HTML.

use std::io::Write as _;

use crate::{
    Encode, Entry, Head, SinkError,
    searched::{document_id, one_line, title},
};

/// Encodes entries as TREC web documents. Readers take the body for HTML, so text is escaped; thereby
/// no line of it can end the document. Documents without text are left out.
#[derive(Clone, Copy, Debug)]
pub struct Trec;

impl Encode for Trec {
    fn head(&self, _: &Head<'_>, _: &mut Vec<u8>) -> Result<(), SinkError> {
        Ok(())
    }

    fn entry(&self, entry: &Entry<'_>, out: &mut Vec<u8>) -> Result<bool, SinkError> {
        if entry.document.text.is_empty() {
            return Ok(false);
        }
        let id = document_id(entry);
        // A URL has neither of them unescaped, but what stands in an archive need not be one.
        let url = one_line(entry.url.unwrap_or_default()).replace(['<', '>'], " ");
        write!(
            out,
            "<DOC>\n<DOCNO>{id}</DOCNO>\n<DOCHDR>\n{url}\n</DOCHDR>\n"
        )?;
        if let Some(title) = title(entry) {
            writeln!(out, "<title>{}</title>", escaped(&title))?;
        }
        writeln!(out, "{}\n</DOC>", escaped(&entry.document.text))?;
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
    use crate::jsonl::tests::{document, entry, source};

    #[test]
    fn a_document_is_that_of_gov2() {
        let (source, mut document) = (source(0), document());
        document.text = "a < b & c\n  </DOC>\n<DOCNO>x</DOCNO>".into();
        let mut out = Vec::new();
        assert!(Trec.entry(&entry(&source, &document), &mut out).unwrap());
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
    fn a_url_stays_on_its_line() {
        let (source, document) = (source(0), document());
        let mut entry = entry(&source, &document);
        entry.url = Some("http://a/\n</DOCHDR>");
        let mut out = Vec::new();
        Trec.entry(&entry, &mut out).unwrap();
        let out = String::from_utf8(out).unwrap();
        assert!(
            out.contains("<DOCHDR>\nhttp://a/  /DOCHDR \n</DOCHDR>\n"),
            "{out}"
        );
    }
}
