//! Gathers the data of the report about one page.

use std::borrow::Cow;

use trommel::extract::{Decider, Document, DocumentOptions, Extraction, MarkdownOptions, Role};
use trommel_html::{Attribute, Element, Page};
use trommel_model::Model;

use crate::viewer::reasons::{BLOCKS, Reasons, explained, reasons};

/// Maximum number of steps by which a row of the report is indented; deeper blocks are indented no further.
const INDENTS: u16 = 10;

/// Row of the report: one block or embedded text of the page, with the reasons for the block's probability.
#[derive(Debug, Default)]
pub struct Row<'a> {
    /// Text of the block.
    pub text: Cow<'a, str>,
    /// Role of the block in the page (headline, body, comment and so on), if it is known.
    pub role: Option<&'a str>,
    /// Elements around the block, outermost first, such as `article.post › p`.
    pub path: String,
    /// Number of steps by which the row is indented (0 to 10), by the depth of the block's container.
    pub indent: u16,
    /// Number of words of the block.
    pub words: u32,
    /// Share of the block's words that are in links (0 to 1).
    pub link_density: f32,
    /// Byte range of the block in the decoded page: its first byte, and one past its last.
    pub span: (u32, u32),
    /// True if the page hides the block.
    pub hidden: bool,
    /// Probability that the block is content (0 to 1).
    pub probability: f32,
    /// True if the block is part of the extracted text.
    pub kept: bool,
    /// Part of the extractor that decided to keep or drop the block.
    pub by: Decider,
    /// Reasons for the block's probability; `None` if the report leaves them out.
    pub reasons: Option<Reasons>,
}

/// Data of the report on a page: its metadata, blocks and extracted text.
#[derive(Debug, Default)]
pub struct View<'a> {
    /// Title of the page.
    pub title: Option<String>,
    /// URL of the page.
    pub url: Option<&'a str>,
    /// Language of the page's text.
    pub lang: Option<String>,
    /// Facts at the head of the report, as pairs of name and value.
    pub facts: Vec<(&'static str, String)>,
    /// Sentence that says how many blocks have reasons, if some are left out.
    pub left_out: Option<String>,
    /// Blocks of the page in order, then its embedded (JSON-LD) texts, each as a row of the report.
    pub rows: Vec<Row<'a>>,
    /// Extracted text of the page, as plain text.
    pub plain: String,
    /// Extracted text of the page, as Markdown.
    pub markdown: String,
}

impl Row<'_> {
    /// Returns the block's word count with its unit, such as `3 words`.
    pub(crate) fn word_count(&self) -> String {
        word_count(self.words.into())
    }
}

impl<'a> View<'a> {
    /// Gathers the data of the report on a page that `model` judged, with the reasons for the blocks' probabilities.
    pub fn new(extraction: &'a Extraction<'_>, url: Option<&'a str>, model: &Model) -> Self {
        let (page, verdicts) = (extraction.page(), extraction.verdicts());
        let document = extraction.document(&DocumentOptions::default());
        let (probabilities, choice) = (&verdicts.judgement.probabilities, &verdicts.judgement.choice);
        let words: Vec<u32> = page.blocks.iter().map(|block| block.words).collect();
        let with_reasons = explained(&words, BLOCKS);
        let reasons = reasons(model, page, url, &with_reasons);
        let depths: Vec<u16> =
            page.blocks.iter().map(|block| page.container(block).map_or(0, |(_, element)| element.depth)).collect();
        let outermost = depths.iter().copied().min().unwrap_or(0);
        let mut rows: Vec<Row> = page
            .blocks
            .iter()
            .zip(probabilities)
            .zip(&choice.kept)
            .zip(reasons.into_iter().zip(depths))
            .zip(extraction.roles())
            .zip(&verdicts.by)
            .map(|(((((block, probability), kept), (reasons, depth)), role), by)| Row {
                text: page.text(block).into(),
                role: Some(role.name()),
                path: path(page, block.element),
                indent: (depth - outermost).min(INDENTS),
                words: block.words,
                link_density: block.link_density(),
                span: block.span,
                hidden: page.element(block.element).is_some_and(|element| element.hidden),
                probability: *probability,
                kept: *kept,
                by: *by,
                reasons,
            })
            .collect();
        let explained = rows.iter().filter(|row| row.reasons.is_some()).count() as u64;
        let with_words = rows.iter().filter(|row| row.words > 0).count() as u64;
        let left_out = (explained < with_words).then(|| {
            let (explained, with_words) = (grouped(explained), grouped(with_words));
            format!("Reasons are shown for the {explained} blocks with most words, of {with_words}.")
        });
        // Going through all blocks for them takes as long as judging the page.
        if !verdicts.judgement.embedded.is_empty() {
            rows.extend(extraction.blocks().skip(page.blocks.len()).map(|row| Row {
                text: row.text.into(),
                role: row.role.map(Role::name),
                path: format!("JSON-LD {}", row.path),
                words: row.words,
                span: (row.start, row.end),
                probability: row.probability,
                kept: row.kept,
                ..Row::default()
            }));
        }
        let kind = verdicts.judgement.page_type.as_ref().map(|kind| format!("{} ({:.3})", kind.name, kind.probability));
        Self {
            facts: facts(&document, &rows, kind, model),
            left_out,
            plain: document.text,
            markdown: extraction.markdown(&MarkdownOptions::default()),
            title: document.title,
            url,
            lang: document.lang,
            rows,
        }
    }
}

fn facts(document: &Document, rows: &[Row], kind: Option<String>, model: &Model) -> Vec<(&'static str, String)> {
    let kept = || rows.iter().filter(|row| row.kept);
    let words = |rows: &mut dyn Iterator<Item = &Row>| rows.map(|row| u64::from(row.words)).sum();
    let of = |part, all| format!("{} of {}", grouped(part), grouped(all));
    let file = model.file();
    let mut facts = Vec::new();
    facts.extend(kind.map(|kind| ("page type", kind)));
    facts.extend([
        ("confidence (expected F1)", format!("{:.3}", document.confidence)),
        ("blocks kept", of(kept().count() as u64, rows.len() as u64)),
        ("words kept", of(words(&mut kept()), words(&mut rows.iter()))),
    ]);
    facts.extend(document.lang.clone().map(|lang| ("language", lang)));
    facts.push(("charset", format!("{} ({})", document.charset, document.charset_source)));
    let capped = if document.capped.is_empty() { "none".to_owned() } else { document.capped.join(", ") };
    facts.push(("caps passed", capped));
    facts.push(("model", format!("{} of {}", file.name, file.created)));
    facts
}

/// Maximum number of elements in the path of a block; only the innermost are shown, as pages nest hundreds deep.
const ELEMENTS: usize = 6;
/// Maximum number of `id` and `class` words shown for each element of a path.
const TOKENS: usize = 4;

/// Describes the elements around the element `index`, outermost first: `article.post › div#text › p`. `html` and `body`
/// are left out; `…` stands for outer elements beyond the sixth.
pub fn path(page: &Page, index: u32) -> String {
    let mut around = page.path(index).filter(|(_, element)| !matches!(page.name(element), "html" | "body"));
    let mut names: Vec<String> = around.by_ref().take(ELEMENTS).map(|(_, element)| name(page, element)).collect();
    if around.next().is_some() {
        names.push("…".to_owned());
    }
    names.reverse();
    names.join(" › ")
}

fn name(page: &Page, element: &Element) -> String {
    let mut name = page.name(element).to_owned();
    let shown = page.attribute_words(element).iter().filter_map(|token| match token.attribute {
        Attribute::Id => Some(('#', token)),
        Attribute::Class => Some(('.', token)),
        Attribute::Role | Attribute::Itemprop => None,
    });
    for (mark, token) in shown.take(TOKENS) {
        name.push(mark);
        name.push_str(page.word_text(token));
    }
    name
}

/// Formats a count with commas between thousands.
pub(crate) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Formats a number of words with its unit, such as `3 words`.
pub(crate) fn word_count(words: u64) -> String {
    format!("{} {}", grouped(words), if words == 1 { "word" } else { "words" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn thousands_are_set_off() {
        for (count, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(count), text);
        }
        assert_eq!(word_count(1), "1 word");
        assert_eq!(word_count(1000), "1,000 words");
    }

    fn of_first(html: &str) -> String {
        let page = ScanEngine.read(html, &Limits::default());
        path(&page, page.blocks[0].element)
    }

    #[test]
    fn names_classes_and_ids() {
        let html = "<body><div id=main class='post-body wide odd tall'><p itemprop=text><b>bold</b>";
        assert_eq!(of_first(html), "div#main.post.body.wide › p › b");
        assert_eq!(of_first("bare"), "");
    }

    #[test]
    fn long_paths_keep_their_inner_end() {
        let html = format!("{}<p>deep", "<div>".repeat(400));
        assert_eq!(of_first(&html), "… › div › div › div › div › div › p");
    }
}
