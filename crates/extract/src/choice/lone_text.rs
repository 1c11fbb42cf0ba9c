//! Keeps something on pages of which the model chose nothing: all of a page that is a single table, piece of code or
//! heading, and else the likeliest part.

use trommel_html::{Element, Page, Tag};

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
    let mut likely = vec![0.0f32; page.elements.len()];
    let (mut all, mut best) = (0.0, 0.0f32);
    for (block, probability, _) in paragraphs {
        let words = block.words as f32 * probability;
        // A paragraph alone is no part: what stands beside it belongs to it.
        let around = page.container(block).map(|(_, element)| element.parent);
        if let Some(around) = around.and_then(|around| likely.get_mut(around as usize)) {
            *around += words;
        }
        all += words;
        best = best.max(probability);
    }
    // Elements stand before what is in them.
    for (at, element) in page.elements.iter().enumerate().rev() {
        let inside = likely.get(at).copied().unwrap_or_default();
        if let Some(around) = likely.get_mut(element.parent as usize) {
            *around += inside;
        }
    }
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
    use std::sync::Arc;

    use trommel_html::{Engine, Limits, ScanEngine};
    use trommel_model::Model;

    use super::keep_lone_text;
    use crate::{DocumentOptions, Extractor, Hints};

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
