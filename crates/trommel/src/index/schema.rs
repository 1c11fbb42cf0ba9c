//! The fields of an index.

use std::path::Path;

use tantivy::Index;
use tantivy::schema::{Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions, Value};
use trommel_text::url_host;

use crate::index::{IndexError, ScriptTokenizer};

/// Name under which the index knows the tokenizer. Another treatment of text needs another name, so
/// that an older index is not searched with it.
const TOKENIZER: &str = "script-2";

/// The fields of an index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    pub(crate) id: Field,
    pub(crate) title: Field,
    pub(crate) headings: Field,
    pub(crate) body: Field,
    pub(crate) url: Field,
    /// Host of the URL, and each domain that it is in.
    pub(crate) site: Field,
    pub(crate) date: Field,
    pub(crate) lang: Field,
    pub(crate) file: Field,
    pub(crate) offset: Field,
    pub(crate) length: Field,
    pub(crate) inner: Field,
}

impl Fields {
    pub(crate) fn new() -> (Self, Schema) {
        let mut builder = Schema::builder();
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(TOKENIZER)
            .set_index_option(IndexRecordOption::WithFreqsAndPositions);
        let text = TextOptions::default().set_indexing_options(indexing);
        let fields = Self {
            id: builder.add_text_field("id", STRING | STORED),
            title: builder.add_text_field("title", text.clone().set_stored()),
            headings: builder.add_text_field("headings", text.clone()),
            body: builder.add_text_field("body", text.set_stored()),
            url: builder.add_text_field("url", STORED),
            site: builder.add_text_field("site", STRING),
            date: builder.add_text_field("date", STORED),
            lang: builder.add_text_field("lang", STRING | STORED),
            file: builder.add_text_field("file", STORED),
            offset: builder.add_u64_field("offset", STORED),
            length: builder.add_u64_field("length", STORED),
            inner: builder.add_u64_field("inner", STORED),
        };
        (fields, builder.build())
    }
}

/// The host of a URL and each domain that it is in: `www.example.org`, `example.org`, `org`.
pub(crate) fn sites(url: &str) -> Vec<String> {
    let host = url_host(url).unwrap_or_default().trim_end_matches('.').to_lowercase();
    let starts = host.match_indices('.').map(|(at, _)| at + 1);
    [0].into_iter()
        .chain(starts)
        .filter_map(|at| host.get(at..))
        .filter(|site| !site.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Gives an index the tokenizer, after a check that its fields are ours.
pub(crate) fn adopt(index: &Index, path: &Path) -> Result<Fields, IndexError> {
    let (fields, schema) = Fields::new();
    if index.schema() != schema {
        return Err(IndexError::OtherFields(path.to_owned()));
    }
    index.tokenizers().register(TOKENIZER, ScriptTokenizer::DOCUMENT);
    Ok(fields)
}

/// The text of a stored field.
pub(crate) fn text(document: &tantivy::TantivyDocument, field: Field) -> Option<String> {
    document.get_first(field)?.as_str().map(str::to_owned)
}

/// The number of a stored field.
pub(crate) fn number(document: &tantivy::TantivyDocument, field: Field) -> Option<u64> {
    document.get_first(field)?.as_u64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_in_its_domains() {
        let all = ["www.example.org", "example.org", "org"];
        assert_eq!(sites("https://user@WWW.Example.org.:8080/a.b?c"), all);
        assert_eq!(sites("http://localhost"), ["localhost"]);
        for none in ["", "mailto:a@b.c", "http:///x"] {
            assert_eq!(sites(none), [""; 0], "{none}");
        }
    }
}
