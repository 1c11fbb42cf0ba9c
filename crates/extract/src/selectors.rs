//! Keeps and drops parts of pages that a user selects by names, classes, ids and attributes of elements.

mod matching;
mod selector;

use trommel_html::{Caps, Page};
use trommel_text::url_host;

use matching::Ways;

pub use selector::{Selector, SelectorError};

/// Maximum number of selectors that a user may give.
pub const MAX_SELECTORS: usize = 1000;

/// Selectors of the parts of pages to keep and to drop. If selected elements contain each other, the innermost decides;
/// an element selected by both kinds is dropped.
#[derive(Clone, Debug)]
pub struct Selectors {
    /// Selectors, each with true if the selected parts are kept, and false if they are dropped.
    all: Vec<(Selector, bool)>,
    ways: Ways,
}

impl Selectors {
    /// Creates the selectors of parts of pages to keep and of parts to drop.
    pub fn new(keep: Vec<Selector>, drop: Vec<Selector>) -> Self {
        let keep = keep.into_iter().map(|selector| (selector, true));
        let all: Vec<(Selector, bool)> = keep.chain(drop.into_iter().map(|selector| (selector, false))).collect();
        let ways = Ways::new(all.iter().map(|(selector, is_kept)| (selector.ways.as_slice(), *is_kept)));
        Self { all, ways }
    }

    /// Returns the choice for each block of a page: true to keep it, false to drop it, `None` if it is in no selected
    /// element. Empty if no selector is for the host of the page. Marks the page as capped if it took too many
    /// comparisons.
    pub(crate) fn choices(&self, page: &mut Page, html: &str, url: Option<&str>) -> Vec<Option<bool>> {
        let host = url.and_then(url_host).map(str::to_lowercase);
        let are_ours: Vec<bool> = self.all.iter().map(|(selector, _)| selector.is_for(host.as_deref())).collect();
        if !are_ours.contains(&true) {
            return Vec::new();
        }
        let choices = self.ways.choices(page, html, &are_ours);
        if choices.are_cut {
            page.capped |= Caps::STEPS;
        }
        let choice = |at: u32| choices.elements.get(at as usize).copied().unwrap_or(choices.outside);
        page.blocks.iter().map(|block| choice(page.element_around(html, block))).collect()
    }
}

/// Sets the flags of kept blocks to the choices; a block whose choice is `None` keeps its flag.
pub(crate) fn follow(choices: &[Option<bool>], kept: &mut [bool]) {
    for (kept, choice) in kept.iter_mut().zip(choices) {
        *kept = choice.unwrap_or(*kept);
    }
}

#[cfg(test)]
mod tests {
    use trommel_html::{Engine, Limits, ScanEngine};

    use super::*;

    const PAGE: &str = "<body><div class='ad top'><p>one two</p></div><article id=main><h1>three</h1>\
        <div class=body><p>four <b class=ad>five</b> six</p><p><span class=ad>seven</span></p>\
        <div data-kind='x y'><p>eight</p></div></div></article><p>nine</p></body>";

    /// Returns the texts of the blocks, with `+` before a block to keep and `-` before a block to drop.
    fn chosen(keep: &[&str], drop: &[&str], url: Option<&str>) -> String {
        let read = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
        let selectors = Selectors::new(read(keep), read(drop));
        let mut page = ScanEngine.read(PAGE, &Limits::default());
        let choices = selectors.choices(&mut page, PAGE, url);
        let texts = page.blocks.iter().zip(&choices).map(|(block, choice)| {
            let sign = choice.map_or("", |is_kept| if is_kept { "+" } else { "-" });
            format!("{sign}{}", page.text(block))
        });
        texts.collect::<Vec<_>>().join("|")
    }

    #[test]
    fn blocks_in_selected_elements_are_chosen() {
        for (keep, drop, expected) in [
            (&["article"][..], &[][..], "one two|+three|+four five six|+seven|+eight|nine"),
            (&[], &["article .body"], "one two|three|-four five six|-seven|-eight|nine"),
            // A part of a line is no block.
            (&[], &[".ad"], "-one two|three|four five six|-seven|eight|nine"),
            (&[], &["body p.top, #main h1"], "one two|-three|four five six|seven|eight|nine"),
            (&[], &["[data-kind]"], "one two|three|four five six|seven|-eight|nine"),
            (&[], &["[data-kind='x y']", "div.top.ad"], "-one two|three|four five six|seven|-eight|nine"),
            // A part of a class or of a value is none.
            (
                &[],
                &["[data-kind=x]", ".bod", "div.ad .ad", "article article"],
                "one two|three|four five six|seven|eight|nine",
            ),
            // The innermost decides, and of one element the drop.
            (&["article", "div div"], &["body", ".body"], "-one two|+three|-four five six|-seven|+eight|-nine"),
            (&["article"], &["#main"], "one two|-three|-four five six|-seven|-eight|nine"),
        ] {
            assert_eq!(chosen(keep, drop, None), expected, "{keep:?} {drop:?}");
        }
    }

    #[test]
    fn selectors_of_other_hosts_say_nothing() {
        let drop = ["a.example##h1", "b.example##p"];
        assert_eq!(chosen(&[], &drop, None), "");
        assert_eq!(chosen(&[], &drop, Some("https://c.example/")), "");
        let expected = "one two|-three|four five six|seven|eight|nine";
        assert_eq!(chosen(&[], &drop, Some("https://www.A.example/x")), expected);
    }

    #[test]
    fn elements_behind_deep_ones_have_their_own_way() {
        let html = format!("<body>{}x{}<p>y</p>", "<div class=a>".repeat(3), "</div>".repeat(3));
        let mut page = ScanEngine.read(&html, &Limits::default());
        let selectors = Selectors::new(Vec::new(), vec![".a .a .a, .a p".parse().unwrap()]);
        assert_eq!(selectors.choices(&mut page, &html, None), [Some(false), None]);
    }

    #[test]
    fn every_page_has_a_body() {
        let html = "x<p>y</p><div class=a>z</div>";
        let mut page = ScanEngine.read(html, &Limits::default());
        let mut choices = |drop: &str| {
            let selectors = Selectors::new(vec![".a".parse().unwrap()], vec![drop.parse().unwrap()]);
            selectors.choices(&mut page, html, None)
        };
        assert_eq!(choices("html body"), [Some(false), Some(false), Some(true)]);
        assert_eq!(choices("body p"), [None, Some(false), Some(true)]);
        assert_eq!(choices("body body"), [None, None, Some(true)]);
    }
}
