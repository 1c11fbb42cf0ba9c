//! Keeps paragraphs beside a flood. A flood is a block so large that it distorts the features of its page.

use trommel_html::{Block, Page};

/// Words from which on a block is not a paragraph.
// Such a block holds most of the words of its page, so that shares of words say nothing about the others.
const MIN_FLOOD_WORDS: u32 = 3000;
/// Words of a paragraph, and the most of them in links.
const MIN_PARAGRAPH_WORDS: u32 = 8;
const MAX_LINK_DENSITY: f32 = 0.3;

/// The kept part of the paragraphs of a field.
#[derive(Clone, Copy, Default)]
struct Field {
    words: u32,
    kept_words: u32,
}

/// On a page with such a block, keeps the paragraphs that are made like others of which at least half of the words
/// are kept. In `kept` and `fields` there is one entry a block: whether it is kept, and the number of its field.
pub(crate) fn keep_beside_floods(page: &Page, fields: &[u32], kept: &mut [bool]) {
    if page.blocks.iter().all(|block| block.words < MIN_FLOOD_WORDS) {
        return;
    }
    let is_paragraph = |block: &Block| {
        let is_hidden = page.element(block.element).is_some_and(|element| element.hidden);
        (MIN_PARAGRAPH_WORDS..MIN_FLOOD_WORDS).contains(&block.words)
            && block.link_density() < MAX_LINK_DENSITY
            && !is_hidden
    };
    let mut all = vec![Field::default(); page.blocks.len()];
    for ((block, field), kept) in page.blocks.iter().zip(fields).zip(kept.iter()) {
        // Fields are numbered as they come, so there are no more than blocks.
        if let Some(field) = all.get_mut(*field as usize)
            && is_paragraph(block)
        {
            field.words = field.words.saturating_add(block.words);
            if *kept {
                field.kept_words = field.kept_words.saturating_add(block.words);
            }
        }
    }
    for ((block, field), kept) in page.blocks.iter().zip(fields).zip(kept.iter_mut()) {
        let field = all.get(*field as usize).copied().unwrap_or_default();
        let mostly = field.kept_words > 0 && field.kept_words >= field.words / 2;
        // By what the model kept of the same field: the flood distorts what it says of single blocks.
        *kept |= mostly && is_paragraph(block);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use trommel_model::Model;

    use crate::{DocumentOptions, Extractor, Hints};

    const SENTENCES: [&str; 5] = [
        "The committee considers the annual report, and nobody objects to it at all today.",
        "In the spring the river rises above its banks and the mill stands still for weeks.",
        "Most of the houses along the old road were built before the railway came to town.",
        "Her brother wrote letters from the coast every month until the war was over.",
        "What the council decided that evening has kept the lawyers busy ever since.",
    ];
    /// What a page is flooded with: a name, what stands around all of it, and one piece by its number.
    type Shape = (&'static str, &'static str, fn(usize) -> String, &'static str);
    const SHAPES: [Shape; 10] = [
        ("links", "", |at| format!("<a href=/{at}>link {at}</a> "), ""),
        ("breaks", "", |_| "text<br>".into(), ""),
        ("items", "<ul>", |at| format!("<li>item {at}</li>"), "</ul>"),
        ("cells", "<table>", |_| "<tr><td></td></tr>".into(), "</table>"),
        (
            "cards",
            "",
            |at| format!("<div class=card><h3>Card {at}</h3><p>price {at}.99</p><a href=/{at}>Buy</a></div>"),
            "",
        ),
        ("json", "<div>{", |at| format!("\"key{at}\":{{\"a\":{at}}},"), "}</div>"),
        ("letters", "<div>", |_| "<span>a</span>".into(), "</div>"),
        (
            "hidden",
            "<div style='display:none'>",
            |at| format!("<p>Words that are hidden here, and that nobody reads, number {at}.</p>"),
            "</div>",
        ),
        ("comments", "", |_| "<!-- a comment that says nothing -->".into(), ""),
        ("base64", "<div>", |_| "aGVsbG8gd29ybGQgdGhpcyBpcyBiYXNlNjQ".into(), "</div>"),
    ];
    /// Markup that is opened first and never closed.
    const OPENERS: [&str; 16] = [
        "", "<svg><foreignObject><div>x", "<svg><title>", "<svg><desc>", "<svg><![CDATA[", "<math><![CDATA[",
        "<math><mtext>", "<noscript>", "<template>", "<textarea>", "<iframe>", "<select><option>", "<script>",
        "<style>", "<!--", "<a title='",
    ];

    fn paragraphs(range: std::ops::Range<usize>) -> String {
        let one = |at: usize| {
            let [a, b, c] = [at, at * 3 + 1, at * 2 + 2].map(|at| SENTENCES[at % 5]);
            format!("<p>Paragraph {at} begins here. {a} {b} {c}</p>")
        };
        range.map(one).collect()
    }

    fn assert_whole(extractor: &Extractor, html: &str, name: &str) {
        let html = format!("<html><head><title>The mill</title></head><body>{html}");
        let text = extractor.extract(html.as_bytes(), &Hints::default()).document(&DocumentOptions::default()).text;
        for at in 0..20 {
            let wanted = format!("Paragraph {at} begins here.");
            assert!(text.contains(&wanted), "{name}: {wanted}");
        }
    }

    /// Every shape, so many pieces of each, in three places of a page with a true text.
    fn floods(sizes: &[usize]) {
        let head = "<article><h1>The mill and the river</h1>";
        for model in Model::builtin_names() {
            let extractor = Extractor::new(Arc::new(Model::builtin(model).unwrap()));
            for (name, before, piece, after) in SHAPES {
                for size in sizes {
                    let pieces: String = (0..*size).map(piece).collect();
                    let flood = format!("{before}{pieces}{after}");
                    for cut in [0, 10, 20] {
                        let (first, rest) = (paragraphs(0..cut), paragraphs(cut..20));
                        let html = format!("{head}{first}{flood}{rest}</article>");
                        let name = format!("{model}, {size} {name} behind {cut} paragraphs");
                        assert_whole(&extractor, &html, &name);
                    }
                    let all = paragraphs(0..20);
                    for html in [format!("{flood}{head}{all}</article>"), format!("{head}{all}</article>{flood}")] {
                        assert_whole(&extractor, &html, &format!("{model}, {size} {name}"));
                    }
                }
            }
        }
    }

    #[test]
    fn floods_drown_no_text() {
        floods(&[20, 1000, 20_000]);
    }

    #[test]
    #[ignore = "takes a minute"]
    fn large_floods_drown_no_text() {
        floods(&[200_000, 1_000_000]);
    }

    #[test]
    fn what_is_never_closed_drowns_no_text() {
        let text = format!("<article><h1>The mill and the river</h1>{}</article></body></html>", paragraphs(0..20));
        for model in Model::builtin_names() {
            let extractor = Extractor::new(Arc::new(Model::builtin(model).unwrap()));
            for opener in OPENERS {
                for times in [1, 3, 300] {
                    let html = format!("{}{text}", opener.repeat(times));
                    assert_whole(&extractor, &html, &format!("{model}, {times} times {opener}"));
                }
            }
        }
    }
}
