//! Keeps and drops parts of pages that a user selects by names, classes, ids and attributes of elements.

mod selector;

use trommel_html::{Page, StartTag, Tag};
use trommel_text::url_host;

use selector::Compound;

pub use selector::{Selector, SelectorError};

/// The parts of pages to keep and to drop. Of selected elements inside of each other the innermost decides; an element
/// that is both to keep and to drop is dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selectors {
    keep: Vec<Selector>,
    drop: Vec<Selector>,
}

impl Selectors {
    /// Selectors of the parts to keep, and of those to drop.
    pub fn new(keep: Vec<Selector>, drop: Vec<Selector>) -> Self {
        Self { keep, drop }
    }

    /// For each block of a page, whether to keep or to drop it, or none if it is in no selected element. Empty if no
    /// selector is for pages of this address.
    pub(crate) fn choices(&self, page: &Page, html: &str, url: Option<&str>) -> Vec<Option<bool>> {
        let host = url.and_then(url_host).map(str::to_lowercase);
        let all = self.keep.iter().map(|selector| (selector, true));
        let all = all.chain(self.drop.iter().map(|selector| (selector, false)));
        let ours = all.filter(|(selector, _)| selector.is_for(host.as_deref()));
        let ways = ours.flat_map(|(selector, is_kept)| selector.ways.iter().map(move |way| (way.as_slice(), is_kept)));
        let ways = Ways(ways.collect());
        if ways.0.is_empty() {
            return Vec::new();
        }
        let (choices, outside) = ways.choices(page, html);
        let choice = |at: u32| choices.get(at as usize).copied().unwrap_or(outside);
        page.blocks.iter().map(|block| choice(page.element_around(html, block))).collect()
    }
}

/// The ways to selected elements, and whether each keeps what it leads to.
struct Ways<'s>(Vec<(&'s [Compound], bool)>);

impl Ways<'_> {
    /// The choice of an element by itself. `around` has the steps of each way, without its last, that lead to the element
    /// around it; those that lead to the element itself are added to `steps`.
    fn enter(&self, tag: &StartTag, around: Option<usize>, steps: &mut Vec<u8>) -> Option<bool> {
        let mut own: Option<bool> = None;
        for (number, (way, is_kept)) in self.0.iter().enumerate() {
            let Some((last, before)) = way.split_last() else { continue };
            let done = around.and_then(|around| steps.get(around + number)).copied().unwrap_or(0);
            match before.get(usize::from(done)) {
                Some(step) => steps.push(done + u8::from(step.matches(tag))),
                None => {
                    steps.push(done);
                    if last.matches(tag) {
                        own = Some(own.unwrap_or(true) && *is_kept);
                    }
                }
            }
        }
        own
    }

    /// The choice for each element: its own, or that of the nearest element around it with one. Then that for what
    /// stands outside of every element.
    fn choices(&self, page: &Page, html: &str) -> (Vec<Option<bool>>, Option<bool>) {
        let mut choices: Vec<Option<bool>> = Vec::with_capacity(page.elements.len());
        // Rows of steps: of `html` and `body`, which every page has even if it does not write them, and of open elements.
        let mut steps: Vec<u8> = Vec::new();
        let mut outside = None;
        for tag in [Tag::Html, Tag::Body] {
            if page.elements.iter().all(|element| element.tag != tag) {
                let tag = StartTag { name: tag.name().to_owned(), ..StartTag::default() };
                let own = self.enter(&tag, steps.len().checked_sub(self.0.len()), &mut steps);
                outside = own.or(outside);
            }
        }
        let root = steps.len();
        let mut open: Vec<u32> = Vec::new();
        for (at, element) in (0..).zip(&page.elements) {
            while open.last().is_some_and(|last| *last != element.parent) {
                open.pop();
            }
            steps.truncate(root + open.len() * self.0.len());
            let tag = element.start_tag(html);
            let tag = tag.unwrap_or_else(|| StartTag { name: page.name(element).to_owned(), ..StartTag::default() });
            let own = self.enter(&tag, steps.len().checked_sub(self.0.len()), &mut steps);
            let around = choices.get(element.parent as usize).copied().unwrap_or(outside);
            choices.push(own.or(around));
            open.push(at);
        }
        (choices, outside)
    }
}

/// Follows the choices for blocks; those without one stay as they are.
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

    /// The texts of the blocks, with `+` and `-` before those that are to keep and to drop.
    fn chosen(keep: &[&str], drop: &[&str], url: Option<&str>) -> String {
        let read = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
        let selectors = Selectors::new(read(keep), read(drop));
        let page = ScanEngine.read(PAGE, &Limits::default());
        let choices = selectors.choices(&page, PAGE, url);
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
        let page = ScanEngine.read(&html, &Limits::default());
        let selectors = Selectors::new(Vec::new(), vec![".a .a .a, .a p".parse().unwrap()]);
        assert_eq!(selectors.choices(&page, &html, None), [Some(false), None]);
    }

    #[test]
    fn every_page_has_a_body() {
        let html = "x<p>y</p><div class=a>z</div>";
        let page = ScanEngine.read(html, &Limits::default());
        let choices = |drop: &str| {
            let selectors = Selectors::new(vec![".a".parse().unwrap()], vec![drop.parse().unwrap()]);
            selectors.choices(&page, html, None)
        };
        assert_eq!(choices("html body"), [Some(false), Some(false), Some(true)]);
        assert_eq!(choices("body p"), [None, Some(false), Some(true)]);
        assert_eq!(choices("body body"), [None, None, Some(true)]);
    }
}
