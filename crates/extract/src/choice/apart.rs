//! Keeps text that stands apart from the rest, or alone.
//!
//! Endless pages append further articles when a reader comes to the end. If the model chose nothing, a page may be a
//! single table, piece of code or heading, and else its likeliest part is kept.

use std::ops::Range;

use trommel_html::{Element, NONE, Page, Tag};

use crate::kept::sums_inside;

/// Minimum kept words of an article; a shorter one is a teaser or a post.
const MIN_ARTICLE_WORDS: u32 = 40;
/// Attributes of the element around an article that state its own address.
// Attributes by which scripts of news sites change the address while a reader scrolls.
const ADDRESSES: [&str; 12] = [
    "data-url", "data-href", "data-permalink", "data-article-url", "data-page-url", "data-post-url", "data-story-url",
    "data-canonical", "data-canonical-url", "data-share-url", "data-path", "itemid",
];
/// Words in the attributes of elements that hold an article.
const ARTICLES: [&str; 6] = ["article", "story", "post", "entry", "hentry", "artikel"];
/// Articles of a page that are looked at; a page with more is a listing.
// It also bounds the work: each of them is compared with the others.
const MAX_ARTICLES: usize = 100;

/// The elements of the articles that follow the first; none if there are none. They are elements of one
/// kind side by side (at one depth) with text of their own. Each has its own headline of the first level,
/// or an address of its own that differs from the others in more than its query or fragment. Entries of a
/// live blog and posts of a forum have neither. One flag a block in `kept`.
pub(crate) fn follow_ups(page: &Page, html: &str, kept: &[bool]) -> Option<Range<u32>> {
    // Headlines first, because addresses in attributes also belong to share buttons.
    let by_headline = || side_by_side(page, kept, with_headlines(page)?);
    let by_address = || side_by_side(page, kept, with_addresses(page, html)?);
    by_headline().or_else(by_address)
}

/// For each heading of the first level, the outermost element around it that may hold an article and has no
/// other such heading.
fn with_headlines(page: &Page) -> Option<Vec<u32>> {
    let headlines = (0u32..).zip(&page.elements);
    let headlines = headlines.filter(|(_, element)| element.tag == Tag::H1 && !element.hidden);
    let headlines: Vec<u32> = headlines.map(|(at, _)| at).take(MAX_ARTICLES + 1).collect();
    if headlines.len() > MAX_ARTICLES {
        return None;
    }
    let is_alone = |at: u32, end: u32| {
        let before = headlines.partition_point(|headline| *headline < at);
        headlines.get(before + 1).is_none_or(|headline| *headline >= end)
    };
    let around = headlines.iter().filter_map(|headline| {
        let path = page.path(*headline);
        let alone = path.take_while(|(at, element)| is_alone(*at, element.end));
        alone.filter(|(_, element)| may_hold(page, element)).last()
    });
    Some(around.map(|(at, _)| at).collect())
}

/// The outermost elements that may hold an article and state an address, each another one.
fn with_addresses(page: &Page, html: &str) -> Option<Vec<u32>> {
    let mut found: Vec<(u32, String)> = Vec::new();
    let mut end = 0;
    for (at, element) in (0u32..).zip(&page.elements) {
        if at < end || !may_hold(page, element) {
            continue;
        }
        if let Some(address) = address(element, html) {
            end = element.end;
            found.push((at, address));
        }
        if found.len() > MAX_ARTICLES {
            return None;
        }
    }
    let mut addresses: Vec<&String> = found.iter().map(|(_, address)| address).collect();
    addresses.sort_unstable();
    addresses.dedup();
    let is_each_another = addresses.len() == found.len();
    is_each_another.then(|| found.iter().map(|(at, _)| *at).collect())
}

/// Range from the second to the last of the elements with text that are siblings, if there are at least two. The
/// elements come in order and do not overlap.
fn side_by_side(page: &Page, kept: &[bool], mut found: Vec<u32>) -> Option<Range<u32>> {
    if found.len() < 2 {
        return None;
    }
    let mut words = vec![0u32; found.len()];
    for (block, kept) in page.blocks.iter().zip(kept) {
        // A list of teasers has links for text, and must not look like articles.
        if !*kept || block.element == NONE || block.link_density() >= 0.5 {
            continue;
        }
        let next = found.partition_point(|article| *article <= block.element);
        let article = next.checked_sub(1).and_then(|at| found.get(at));
        let holds = article.and_then(|article| page.element(*article));
        if holds.is_some_and(|element| block.element < element.end)
            && let Some(words) = words.get_mut(next - 1)
        {
            *words = words.saturating_add(block.words);
        }
    }
    let mut words = words.into_iter();
    found.retain(|_| words.next().is_some_and(|words| words >= MIN_ARTICLE_WORDS));
    let first = page.element(*found.first()?)?;
    found.retain(|article| {
        let element = page.element(*article);
        // One template puts its articles at one depth; a related article deeper down is part of the first.
        element.is_some_and(|element| element.tag == first.tag && element.depth == first.depth)
    });
    let last = page.element(*found.last()?)?;
    Some(*found.get(1)?..last.end)
}

/// Leaves out the articles that follow the first.
pub(crate) fn drop_follow_ups(page: &Page, html: &str, kept: &mut [bool]) {
    let Some(range) = follow_ups(page, html, kept) else { return };
    for (block, kept) in page.blocks.iter().zip(kept) {
        *kept &= block.element == NONE || !range.contains(&block.element);
    }
}

fn may_hold(page: &Page, element: &Element) -> bool {
    element.tag == Tag::Article || matches!(element.tag, Tag::Div | Tag::Section) && page.says(element, &ARTICLES)
}

/// The address that an element states, without its query and fragment.
fn address(element: &Element, html: &str) -> Option<String> {
    // Entries of a live blog have addresses that differ by fragment, posts of a forum by query.
    let stated = ADDRESSES.iter().find_map(|name| element.attribute(html, name))?;
    let address = stated.split(['?', '#']).next().unwrap_or_default().trim();
    (!address.is_empty()).then(|| address.to_owned())
}

/// The part of an element or block in a page of which nothing was chosen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Text,
    /// Parts around texts: navigation, controls, links.
    Furniture,
    /// Text that the page does not show.
    Unseen,
}

/// Words of a paragraph for which a page is not left empty, at least.
const MIN_WORDS: u32 = 10;
/// Share of the likely words that the likeliest part holds.
const PART_SHARE: f32 = 0.8;
/// Share of the highest probability of its paragraphs below which a block of that part is left out.
const LEAST_OF_BEST: f32 = 0.25;

/// Keeps everything that a page shows if nothing of it was chosen and nothing on it is navigation, a
/// control or a link: then nothing distinguishes its text. Of other pages it keeps the likeliest part, if that has
/// paragraphs.
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

/// Keeps the likely blocks of the smallest element that holds most of the likely words.
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

/// The part of each block.
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

#[cfg(test)]
mod tests {
    use super::keep_lone_text;
    use crate::{DocumentOptions, Extractor, Hints};
    use std::sync::Arc;
    use trommel_html::{Engine, Limits, ScanEngine};
    use trommel_model::Model;

    /// Pages that are one thing, and what their text has to say.
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
