//! Keeps everything on pages that are a single table, piece of code or heading.

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

/// Keeps everything that a page shows if nothing of it was chosen and nothing on it is navigation, a
/// control or a link: then nothing distinguishes its text. Returns whether it did.
pub(crate) fn keep_lone_text(page: &Page, kept: &mut [bool]) -> bool {
    if kept.contains(&true) {
        return false;
    }
    let parts = parts(page);
    // With navigation on it the page could be an empty article, and its menus would become text.
    if parts.contains(&Part::Furniture) || !parts.contains(&Part::Text) {
        return false;
    }
    for (kept, part) in kept.iter_mut().zip(parts) {
        *kept = part == Part::Text;
    }
    true
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
            assert!(!keep_lone_text(&page, &mut kept), "{html}");
            assert!(!kept.contains(&true), "{html}");
        }
        // What was chosen stands as it is.
        let page = ScanEngine.read("<p>one<p>two", &Limits::default());
        let mut kept = [true, false];
        assert!(!keep_lone_text(&page, &mut kept));
        assert_eq!(kept, [true, false]);
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
