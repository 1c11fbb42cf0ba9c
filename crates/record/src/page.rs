//! Prints one page by itself, not as a record of an archive.

use serde::Serialize;
use trommel_extract::Document;

use crate::OutputRecord;

/// The form in which a page is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageForm {
    /// Its main text, and a line end.
    Text,
    /// Its main text as Markdown, which ends with a line end of its own.
    Markdown,
    /// Its document, one JSON object on a line: a JSON line of a run.
    Json,
}

impl PageForm {
    /// A document in this form. JSON has `url` and, of several pages, `file`.
    ///
    /// # Errors
    /// Only if memory runs out.
    pub fn print(self, document: Document, url: Option<&str>, file: Option<&str>) -> Result<String, serde_json::Error> {
        Ok(match self {
            Self::Text => printable(document.text + "\n"),
            Self::Markdown => printable(document.text),
            Self::Json => {
                let record = OutputRecord { url: url.map(str::to_owned), ..OutputRecord::from(document) };
                page_line(&record, file)?
            }
        })
    }
}

/// A page as one JSON object on a line. It has the keys of a JSON line of a run, in the same order and of
/// the same types. If it is one of several pages, the key `file` with the name of its file follows.
///
/// # Errors
/// Only if memory runs out.
pub fn page_line(record: &OutputRecord, file: Option<&str>) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct FileField<'a> {
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<&'a str>,
    }
    let mut line = serde_json::to_vec(record)?;
    let more = serde_json::to_vec(&FileField { file })?;
    // `{...}` and `{...}` are made one object.
    if let Some(more) = more.get(1..).filter(|more| *more != b"}") {
        line.pop();
        line.push(b',');
        line.extend_from_slice(more);
    }
    line.push(b'\n');
    String::from_utf8(line).map_err(serde::ser::Error::custom)
}

/// The text without control characters; JSON escapes them.
pub(crate) fn printable(text: String) -> String {
    let is_shown = |c: char| !c.is_control() || matches!(c, '\n' | '\t');
    if text.chars().all(is_shown) { text } else { text.chars().filter(|&c| is_shown(c)).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Encode as _, Jsonl, record::tests::full};

    #[test]
    fn every_form_ends_as_it_should() {
        let document = Document { text: "A mill".into(), confidence: 0.924, ..Document::default() };
        let print = |form: PageForm, file| form.print(document.clone(), Some("http://a/"), file);
        assert_eq!(print(PageForm::Text, None).unwrap(), "A mill\n");
        assert_eq!(print(PageForm::Markdown, None).unwrap(), "A mill");
        let json = print(PageForm::Json, Some("a.html")).unwrap();
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!((&value["url"], &value["file"]), (&"http://a/".into(), &"a.html".into()));
        assert!(json.contains("\"confidence\":0.924,"), "{json}");
        assert!(json.ends_with("\"file\":\"a.html\"}\n"), "{json}");
    }

    #[test]
    fn a_page_by_itself_is_a_json_line_of_a_run_and_more() {
        let record = full();
        let mut line = Vec::new();
        Jsonl.record(&record, &mut line).unwrap();
        let line = String::from_utf8(line).unwrap();
        assert_eq!(page_line(&record, None).unwrap(), line);
        let more = page_line(&record, Some("a.html")).unwrap();
        let line = line.strip_suffix("}\n").unwrap();
        assert_eq!(more.strip_prefix(line).unwrap(), ",\"file\":\"a.html\"}\n");
        // What a page says nothing of is there, of its type.
        let empty = page_line(&OutputRecord::default(), None).unwrap();
        let empty: serde_json::Value = serde_json::from_str(&empty).unwrap();
        assert_eq!(empty.as_object().unwrap().len(), 32);
        assert_eq!((&empty["capped"], &empty["title"]), (&"".into(), &"".into()));
    }
}
