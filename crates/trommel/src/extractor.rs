//! The extractor: bytes of a page and hints about them in, a document out.

use std::sync::Arc;

use trommel_html::{Engine, Limits, LolEngine, Page, charset};
use trommel_model::{Choice, Model};

use crate::document::{BlockVerdict, Document};
use crate::language::language;
use crate::metadata;

/// What is known about a page from outside its bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hints<'a> {
    /// URL of the page.
    pub url: Option<&'a str>,
    /// `charset` parameter of the HTTP Content-Type header.
    pub http_charset: Option<&'a str>,
    /// `charset-detected` of the crawl's metadata record.
    pub crawl_charset: Option<&'a str>,
    /// Time of the capture: no date of the page is after it.
    pub date: Option<&'a str>,
}

/// Extracts main text with one model. Cheap to clone; has no state between pages, so the same bytes,
/// hints and model give the same document on any thread and in any order.
#[derive(Clone, Debug)]
pub struct Extractor {
    model: Arc<Model>,
    limits: Limits,
}

impl Extractor {
    /// An extractor that scores blocks with `model`.
    pub fn new(model: Arc<Model>) -> Self {
        Self {
            model,
            limits: Limits::default(),
        }
    }

    /// The document of one page. Any bytes are accepted: a page without text gives an empty document.
    pub fn extract(&self, bytes: &[u8], hints: &Hints) -> Document {
        let decoded = charset::decode(bytes, &charset_hints(hints));
        let page = LolEngine.read(&decoded.text, &self.limits);
        let judged = self.model.judge(&page, hints.url, Default::default());
        document(
            &decoded,
            &page,
            hints,
            &judged.probabilities,
            &judged.choice,
        )
    }
}

/// The document of a decoded page whose blocks have been judged: a probability and a choice a block.
pub fn document(
    decoded: &charset::Decoded,
    page: &Page,
    hints: &Hints,
    probabilities: &[f32],
    choice: &Choice,
) -> Document {
    let blocks: Vec<BlockVerdict> = page
        .blocks
        .iter()
        .zip(probabilities)
        .zip(&choice.kept)
        .map(|((block, probability), kept)| BlockVerdict {
            text: page.text(block).to_owned(),
            span: block.span,
            tag: page
                .container(block)
                .map(|(_, element)| page.name(element).to_owned())
                .unwrap_or_default(),
            words: block.words,
            probability: *probability,
            kept: *kept,
        })
        .collect();
    let text = assemble(&blocks);
    let (title, metadata) = metadata::read(&decoded.text, page, hints);
    Document {
        title,
        metadata,
        lang: language(&text, &page.head),
        text,
        charset: decoded.encoding.name().to_ascii_lowercase(),
        charset_source: decoded.source.name().to_owned(),
        confidence: choice.expected_f1,
        blocks,
        capped: page.capped.names().map(str::to_owned).collect(),
    }
}

/// The charset hints among a page's hints.
pub fn charset_hints<'a>(hints: &Hints<'a>) -> charset::Hints<'a> {
    charset::Hints {
        http: hints.http_charset,
        crawl: hints.crawl_charset,
        host: hints.url.and_then(host),
    }
}

/// Host of a URL, without port and user.
fn host(url: &str) -> Option<&str> {
    let rest = url.split_once("://")?.1;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    host.split(':').next().filter(|host| !host.is_empty())
}

/// The kept blocks, one a line.
fn assemble(blocks: &[BlockVerdict]) -> String {
    let mut text = String::new();
    for block in blocks.iter().filter(|block| block.kept) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&block.text);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_of_a_url() {
        assert_eq!(host("http://u:p@example.org:80/a?b"), Some("example.org"));
        assert_eq!(host("https://example.org?x"), Some("example.org"));
        assert_eq!(host("example.org/a"), None);
        assert_eq!(host("http:///x"), None);
    }
}
