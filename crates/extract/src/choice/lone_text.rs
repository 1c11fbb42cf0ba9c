//! Keeps text that stands alone: a first or last paragraph in its own container, or a short page's only article. Also
//! keeps text of a page of which the model chose nothing.
//!
//! If the model chose nothing, a page may be a single table, piece of code or heading, and else its likeliest part is
//! kept.

use std::{cell::LazyCell, ops::Range};

use trommel_html::{Element, NONE, Page, Tag};

use super::topic::Topic;
use crate::kept_flags::{KeptBlocks as _, elements_of, kept_words, sums_inside};
use crate::metadata::date_in;

/// Maximum number of words of a page's only `article` element for its dropped blocks to be kept.
const MAX_ARTICLE_WORDS: u32 = 300;
/// Maximum number of kept words, all outside of a page's only `article`, for the article to be kept in their place.
const MAX_NOTE_WORDS: u32 = 150;
/// Maximum number of words of a line with a date that is left out of an article as its byline.
const MAX_BYLINE_WORDS: u32 = 12;

/// Maximum number of elements around a block among which a button or a form is looked for.
const ANCESTORS: usize = 12;

/// Keeps the dropped blocks before and after the kept text of a short page's only `article`, if it holds the only `h1`.
/// Dropped blocks between kept ones stay dropped, because they may be advertisements.
pub(crate) fn keep_article(page: &Page, headline: Option<usize>, kept: &mut [bool]) {
    let Some(article) = short_article(page) else { return };
    let between = kept.iter().position(|kept| *kept).unwrap_or(0)..kept.iter().rposition(|kept| *kept).unwrap_or(0);
    let is_elsewhere = kept.iter().enumerate().any(|(at, kept)| *kept && !article.contains(&at));
    if !is_elsewhere {
        let around = article.filter(|at| Some(*at) != headline && !between.contains(at));
        kept.set(around.filter(|at| is_article_text(page, *at)), true);
    }
}

/// Keeps a short page's only `article` instead of a few kept words that all stand outside of it, such as notes.
pub(crate) fn keep_main_article(page: &Page, kept: &mut [bool]) {
    // First, as most texts are longer.
    if !(1..=MAX_NOTE_WORDS).contains(&kept_words(page, kept)) {
        return;
    }
    let Some(article) = short_article(page) else { return };
    let is_inside = kept.get(article.clone()).is_some_and(|kept| kept.contains(&true));
    if !is_inside {
        kept.fill(false);
        kept.keep(article.filter(|at| is_article_text(page, *at)));
    }
}

/// Returns the blocks of a page's only `article` if it is short and holds the page's only `h1` heading.
fn short_article(page: &Page) -> Option<Range<usize>> {
    let mut articles = (0u32..).zip(&page.elements).filter(|(_, element)| element.tag == Tag::Article);
    let (Some((article, element)), None) = (articles.next(), articles.next()) else { return None };
    let mut headings = (0u32..).zip(&page.elements).filter(|(_, element)| element.tag == Tag::H1);
    let (Some((heading, _)), None) = (headings.next(), headings.next()) else { return None };
    let inside = page.blocks_inside(article);
    let words: u32 = page.blocks.get(inside.clone()).unwrap_or_default().iter().map(|block| block.words).sum();
    ((article..element.end).contains(&heading) && words <= MAX_ARTICLE_WORDS).then_some(inside)
}

/// Returns whether a block of an article is neither in a button or form nor a line with the date.
fn is_article_text(page: &Page, at: usize) -> bool {
    let Some(block) = page.blocks.get(at) else { return false };
    let is_byline = block.words <= MAX_BYLINE_WORDS && date_in(page.text(block), false).is_some();
    !is_byline && !elements_of(page, block, ANCESTORS).any(|element| matches!(element.tag, Tag::Button | Tag::Form))
}

/// Kind of an element or block on a page of which the model chose nothing: text, surroundings of text, or hidden.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Text,
    /// Parts around a text: navigation, controls, links.
    Furniture,
    /// Text that the page does not show.
    Unseen,
}

/// Minimum number of words of a paragraph that is kept on a page where nothing else is kept.
const MIN_WORDS: u32 = 10;
/// Minimum share of the page's words (weighted by probability) in the element that is kept if no block was chosen.
const PART_SHARE: f32 = 0.8;
/// Minimum probability of a block kept where none was chosen, as a share of the most probable paragraph's.
const LEAST_OF_BEST: f32 = 0.25;

/// Keeps all visible text if no block is kept and the page has no navigation, control or link block. On other pages
/// without a kept block, keeps the likeliest part, if it has paragraphs.
pub(crate) fn keep_lone_text(page: &Page, probabilities: &[f32], kept: &mut [bool]) {
    if kept.contains(&true) {
        return;
    }
    let parts = parts(page);
    // With navigation on it the page could be an empty article, and its menus would become text.
    if parts.contains(&Part::Furniture) {
        keep_likeliest(page, probabilities, &parts, kept);
    } else {
        kept.iter_mut().zip(parts).for_each(|(kept, part)| *kept = part == Part::Text);
    }
}

/// Keeps the likely blocks of the smallest element that holds most words, weighted by probability.
fn keep_likeliest(page: &Page, probabilities: &[f32], parts: &[Part], kept: &mut [bool]) {
    let blocks = || page.blocks.iter().zip(probabilities).zip(parts).map(|((block, p), part)| (block, *p, *part));
    let paragraphs = blocks().filter(|(block, _, part)| *part == Part::Text && block.words >= MIN_WORDS);
    let (mut all, mut best) = (0.0, 0.0f32);
    let words = paragraphs.map(|(block, probability, _)| {
        let words = block.words as f32 * probability;
        all += words;
        best = best.max(probability);
        // A paragraph alone is no part: what stands beside it belongs to it.
        (page.container(block).map_or(NONE, |(_, element)| element.parent), words)
    });
    let likely = sums_inside(page, words);
    let smallest = likely.iter().rposition(|words| *words > 0.0 && *words >= PART_SHARE * all);
    let Some((at, element)) = smallest.and_then(|at| Some((at, page.elements.get(at)?))) else { return };
    let inside = at..element.end as usize;
    for ((block, probability, part), kept) in blocks().zip(kept) {
        *kept = part == Part::Text && inside.contains(&(block.element as usize)) && probability >= LEAST_OF_BEST * best;
    }
}

/// Returns the kind of each block: text, part around the text (navigation, control, link), or hidden.
fn parts(page: &Page) -> Vec<Part> {
    let mut elements: Vec<Part> = Vec::with_capacity(page.elements.len());
    let of = |elements: &[Part], at: u32| elements.get(at as usize).copied();
    for element in &page.elements {
        let around = of(&elements, element.parent).unwrap_or(Part::Text);
        elements.push(part(element).max(around));
    }
    // Descendants stand behind their element.
    for at in &page.hidden_by_sheet {
        let end = page.element(*at).map_or(0, |element| element.end);
        if let Some(inside) = elements.get_mut(*at as usize..end as usize) {
            inside.fill(Part::Unseen);
        }
    }
    let blocks = page.blocks.iter().map(|block| {
        let around = of(&elements, block.element).unwrap_or(Part::Text);
        let is_text = block.link_density() < 0.5 && block.inputs == 0;
        let part = if is_text { Part::Text } else { Part::Furniture };
        part.max(around)
    });
    blocks.collect()
}

fn part(element: &Element) -> Part {
    match element.tag {
        _ if element.hidden => Part::Unseen,
        // It says that scripts are needed, or counts visits.
        Tag::Noscript => Part::Unseen,
        Tag::Nav | Tag::Aside | Tag::Footer | Tag::Menu | Tag::Button | Tag::Label | Tag::Dialog => Part::Furniture,
        _ => Part::Text,
    }
}

/// Minimum number of words of a paragraph that is kept as the end or beginning of a text.
const MIN_PARAGRAPH_WORDS: u32 = 10;
/// Maximum share of linked words in a paragraph that is kept as the end or beginning of a text.
const MAX_LINKS: f32 = 0.3;
/// Minimum probability of a paragraph that is kept directly after the text, and of one directly before it.
// Of edited articles of four sets .904 keep their last paragraph in a container of its own, with .1 behind the text .880;
// no set falls by more than .0001.
const LEAST: (f32, f32) = (0.03, 0.25);
/// Minimum probability of a paragraph that is kept directly after the text on a page of lists.
const LEAST_BEHIND_LIST: f32 = 0.1;
/// Minimum probability of a paragraph, alone in its container, that is kept near the text whatever its topic.
const LEAST_ALONE: f32 = 0.2;
/// Minimum probability of a paragraph, alone in its container, that is kept near the text because of its topic.
// Notes on a site share few words with a text.
const LEAST_ON_TOPIC: f32 = 0.07;
/// Maximum distance in blocks from the text at which a lone paragraph is kept even if it is not on the topic.
const REACH: usize = 12;
const FAR: usize = 40;
/// Minimum probability of the first or last kept block for a paragraph directly beside it to be kept.
const LEAST_BESIDE: f32 = 0.5;
/// Characters that may end a sentence, in any script, including closing quotation marks and brackets.
const SENTENCE_ENDS: [char; 30] = [
    '.', '!', '?', '…', ':', '"', '\'', ')', '”', '“', '’', '»', '«', '\u{3002}', '\u{ff01}', '\u{ff1f}', '\u{ff1a}',
    '」', '』', '\u{ff09}', '\u{ff0e}', '\u{ff61}', '\u{0589}', '\u{061f}', '\u{06d4}', '\u{0964}', '\u{0965}',
    '\u{104b}', '\u{1362}', '\u{17d4}',
];

/// Keeps paragraphs that begin or end the text: a likely one directly before or after it in another element, and those
/// alone in their containers nearby. A text whose last paragraph has its own container goes on to that paragraph, even
/// after buttons and tags.
pub(super) fn keep_ends(page: &Page, probabilities: &[f32], in_comments: &[bool], is_listing: bool, kept: &mut [bool]) {
    let probability = |at: usize| probabilities.get(at).copied().unwrap_or_default();
    let (Some(first), Some(last)) = (kept.iter().position(|kept| *kept), kept.iter().rposition(|kept| *kept)) else {
        return;
    };
    let is_prose = |at: &usize| in_comments.get(*at) != Some(&true) && is_prose(page, *at);
    let topic = LazyCell::new(|| Topic::of(page, kept));
    // Behind a list stands what is said about its site.
    let least_behind = if is_listing { LEAST_BEHIND_LIST } else { LEAST.0 };
    let is_on_topic = |at: usize| !is_listing && page.blocks.get(at).is_some_and(|block| topic.has(page.text(block)));
    let is_foreign = |at: usize| page.blocks.get(at).is_some_and(|block| topic.is_foreign(page.text(block)));
    let mut ends = Vec::new();
    for (beside, at, least) in [(last, Some(last + 1), least_behind), (first, first.checked_sub(1), LEAST.1)] {
        let Some(at) = at.filter(is_prose) else { continue };
        if probability(beside) >= LEAST_BESIDE
            // Beside the text, the model had its container to go by, and dropped it for what it says.
            && part_of(page, beside).is_some_and(|own| part_of(page, at).is_some_and(|other| other.0 != own.0))
            && probability(at) >= least
            && !is_foreign(at)
        {
            ends.push(at);
        }
    }
    let is_alone = |at: &usize| {
        let mut beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
        paragraph_in(page, *at).is_some_and(|around| page.blocks_inside(around).len() == 1)
            // Several paragraphs, each wrapped in an element, are a part of their own.
            && !beside.any(|beside| is_prose(&beside) && part_of(page, beside) == part_of(page, *at))
    };
    let is_end = |at: &usize| {
        let is_near = at + REACH >= first && *at <= last + REACH;
        let is_likely = probability(*at) >= LEAST_ALONE;
        let may_be = is_likely || is_near && probability(*at) >= LEAST_ON_TOPIC;
        may_be && is_alone(at) && is_prose(at) && (is_likely && is_near && !is_foreign(*at) || is_on_topic(*at))
    };
    ends.extend((last + 1..=last + FAR).filter(is_end));
    ends.extend((first.saturating_sub(FAR)..first).rev().find(is_end));
    kept.keep(ends);
}

/// Returns the index of the parent element of the visible `p` that is the block `at`; `None` for other blocks.
fn paragraph_in(page: &Page, at: usize) -> Option<u32> {
    let (_, element) = page.container(page.blocks.get(at)?)?;
    (element.tag == Tag::P && !element.hidden).then_some(element.parent)
}

/// Returns the index of the innermost element around a block's `p` that is more than a `div` around this `p` alone. The
/// second value is a hash of name and class of the outermost such `div`, or 0 if there is none.
pub(super) fn part_of(page: &Page, at: usize) -> Option<(u32, u64)> {
    let mut part = (paragraph_in(page, at)?, 0);
    while page.blocks_inside(part.0).len() == 1
        && let Some(element) = page.element(part.0).filter(|element| element.tag == Tag::Div && !element.hidden)
    {
        part = (element.parent, element.signature);
    }
    Some(part)
}

/// Returns whether a block consists of sentences without many links.
fn is_prose(page: &Page, at: usize) -> bool {
    page.blocks.get(at).is_some_and(|block| {
        block.words >= MIN_PARAGRAPH_WORDS
            && block.link_density() <= MAX_LINKS
            && block.inputs == 0
            && page.text(block).trim_end().ends_with(SENTENCE_ENDS)
    })
}

#[cfg(test)]
mod tests {
    use super::{keep_ends, keep_lone_text};
    use crate::{DocumentOptions, Extractor, Hints};
    use std::sync::Arc;
    use trommel_html::{Engine, Limits, ScanEngine};
    use trommel_model::Model;

    /// Pages that consist of a single element, each with the text that must be kept.
    const PAGES: [(&str, &str); 12] = [
        ("<table><tr><th>Name<th>Age<tr><td>Ann<td>31<tr><td>Bob<td>42</table>", "Name\tAge\nAnn\t31\nBob\t42"),
        ("<title>Prices</title><table><tr><td>Flour<td>2.50<tr><td>Salt<td>1.20</table>", "Flour\t2.50\nSalt\t1.20"),
        ("<pre><code>fn main() {\n    start();\n}</code></pre>", "fn main() {\n    start();\n}"),
        ("<title>Notes</title><pre>a = 1\nb = 2</pre>", "a = 1\nb = 2"),
        ("<h1>The mill is closed</h1>", "The mill is closed"),
        ("<title>Mill</title><header><h1>Closed today</h1></header>", "Closed today"),
        ("<p>The mill is closed.</p>", "The mill is closed."),
        ("The mill is closed.", "The mill is closed."),
        ("<ul><li>flour<li>salt</ul>", "flour\nsalt"),
        ("<dl><dt>mill<dd>a house<dt>weir<dd>a dam</dl>", "mill\na house\nweir\na dam"),
        ("<svg><foreignObject><h1>Slides</h1><ul><li>One<li>Two</ul></foreignObject></svg>", "Slides\n\nOne\nTwo"),
        ("<h2>Usage</h2><pre>make install</pre>", "Usage\n\nmake install"),
    ];

    fn text(model: &str, html: &str) -> String {
        let extractor = Extractor::new(Arc::new(Model::builtin(model).unwrap()));
        let page = extractor.extract(html.as_bytes(), &Hints::default());
        page.document(&DocumentOptions::default()).text
    }

    #[test]
    fn a_page_that_is_one_thing_is_its_text() {
        // `lite` may leave out a headline above a text, as the golds of news do.
        for model in Model::builtin_names().filter(|name| *name != "lite") {
            for (html, wanted) in PAGES {
                assert_eq!(text(model, html), wanted, "{model}: {html}");
            }
        }
    }

    #[test]
    fn what_stands_around_texts_is_none() {
        for html in [
            "<ul><li><a href=/a>Alpha</a><li><a href=/b>Beta</a></ul>",
            "<p hidden>The mill is closed.</p>",
            "<div id=app></div><noscript>You need to enable scripts.</noscript>",
            "<style>.x{display:none}</style><div class=x><p>The mill is closed.</p></div>",
            "<form><label>Name</label><input><button>Send</button></form>",
            "<div>Loading</div><footer>Imprint</footer>",
        ] {
            let page = ScanEngine.read(html, &Limits::default());
            let mut kept = vec![false; page.blocks.len()];
            keep_lone_text(&page, &vec![0.1; kept.len()], &mut kept);
            assert!(!kept.contains(&true), "{html}");
        }
        // What was chosen stands as it is.
        let page = ScanEngine.read("<p>one<p>two", &Limits::default());
        let mut kept = [true, false];
        keep_lone_text(&page, &[0.1; 2], &mut kept);
        assert_eq!(kept, [true, false]);
    }

    #[test]
    fn the_likeliest_part_is_kept_of_a_page_of_which_nothing_was_chosen() {
        let said = "The mill by the weir is closed until the water has gone down.";
        let html = format!(
            "<nav><a href=/a>Alpha</a></nav><div><p>{said}<p>Open on Monday.<p>Share</div><div><p>{said}</div>\
            <footer><p>{said}</footer>"
        );
        let page = ScanEngine.read(&html, &Limits::default());
        let mut kept = vec![false; page.blocks.len()];
        keep_lone_text(&page, &[0.2, 0.3, 0.1, 0.01, 0.02, 0.3], &mut kept);
        assert_eq!(kept, [false, true, true, false, false, false]);
    }

    #[test]
    fn a_paragraph_on_another_subject_is_no_end() {
        let on = |subject: &str, words: usize| (0..words).map(|at| format!("{subject}{at} ")).collect::<String>();
        let last_is_kept = |subject: &str| {
            let html = format!("<main><p>{}.</main><div><p>{}.</div>", on("harbour", 160), on(subject, 12));
            let page = ScanEngine.read(&html, &Limits::default());
            let mut kept = [true, false];
            keep_ends(&page, &[0.9, 0.5], &[], false, &mut kept);
            kept[1]
        };
        assert!(last_is_kept("harbour"));
        assert!(!last_is_kept("guitar"));
    }

    #[test]
    fn the_confidence_is_that_of_the_model() {
        let html = "<table><tr><td>Ann<td>31<tr><td>Bob<td>42</table>";
        for model in Model::builtin_names() {
            let extractor = Extractor::new(Arc::new(Model::builtin(model).unwrap()));
            let page = extractor.extract(html.as_bytes(), &Hints::default());
            let confidence = page.document(&DocumentOptions::default()).confidence;
            assert!(confidence > 0.0 && confidence < 0.9, "{model}: {confidence}");
        }
    }
}
