//! Synthetic pages on which the growth of time with the page is seen.

use trommel_html::{Engine, Limits, Page, ScanEngine};

/// Numbers of blocks of the synthetic pages.
pub const GROWTH_BLOCKS: [usize; 3] = [12_500, 50_000, 200_000];

/// Sections that a nested page opens before it starts anew.
const NESTED: usize = 400;

/// Shape of a synthetic page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageShape {
    /// Menus, headlines, paragraphs and tables in sections of 40 blocks.
    Mixed,
    /// Paragraphs and links side by side in one element.
    Flat,
    /// Elements inside one another, 400 deep.
    Nested,
}

impl PageShape {
    /// Every shape.
    pub const ALL: [PageShape; 3] = [PageShape::Mixed, PageShape::Flat, PageShape::Nested];
}

/// A page of `blocks` blocks, about 25 bytes of HTML each, and that HTML.
pub fn synthetic(shape: PageShape, blocks: usize) -> (Page, String) {
    let mut html = String::from("<title>Growth</title><body>");
    for at in 0..blocks {
        match shape {
            PageShape::Mixed => mixed(at, &mut html),
            PageShape::Flat if at % 3 == 0 => html.push_str("<p><a href=x>to there</a></p>"),
            PageShape::Flat => html.push_str("<p>the rain, it fell all day.</p>"),
            PageShape::Nested => {
                html.push_str("<div>some more words of it, ");
                if at % NESTED == NESTED - 1 {
                    html.push_str(&"</div>".repeat(NESTED));
                }
            }
        }
    }
    (ScanEngine.read(&html, &Limits::default()), html)
}

fn mixed(at: usize, html: &mut String) {
    match at % 40 {
        0 => html.push_str("<div class='post item'><ul class=menu><li><a href=x>go</a>"),
        1..10 => html.push_str("<li><a href=x>go there</a>"),
        10 => html.push_str("</ul><h2 id=title>Head line</h2>"),
        11..30 => html.push_str("<p>the rain, it fell all day."),
        30 => html.push_str("<table><tr><td>a cell"),
        31..39 => html.push_str("<tr><td>a cell"),
        _ => html.push_str("</table><span class=share>share it</span></div>"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_have_the_blocks_asked_for() {
        for shape in PageShape::ALL {
            let (page, _) = synthetic(shape, 1_200);
            assert_eq!(page.blocks.len(), 1_200, "{shape:?}");
            assert_eq!(page.capped.names().count(), 0, "{shape:?}");
        }
        let deepest = |shape| synthetic(shape, 800).0.elements.iter().map(|e| e.depth).max();
        assert!(deepest(PageShape::Nested) >= Some(400) && deepest(PageShape::Flat) < Some(5));
    }
}
