//! CETD: content extraction via text density (Sun, Song and Liao, DOM Based Content Extraction via
//! Text Density, SIGIR 2011), with composite text density and density sums.
//!
//! Over its subtree an element has C characters, T tags, LC characters in links and LT link tags (`a`,
//! `button`, `select`); a zero counts as 1, and r = LC/C of the body. Its composite density is
//! C/T · ln(C·T / (LC·LT)) / ln ln(C·LC/(C − LC) + r·C + e), and 0 without text. Its density sum adds
//! the densities of its children and, for each own text of L characters, L·ln L / ln ln(r·L + e).
//! The element with the largest density sum is content. The least density on the path from it to
//! the body is the threshold: from the body down, each element that reaches it marks the element with the
//! largest density sum inside of it (or itself) as content, with all it holds.
//!
//! Differences by the tables: a text that runs through inline elements is one own text of the element that holds it as
//! a whole, so its inline elements count as tags but have no density of their own; the characters in links are the
//! block's characters times its share of linked words; `select` leaves no element. Hidden elements are left out first,
//! as in the source.

use trommel_html::{Block, Element, NONE, Page, Tag};

use crate::methods::home::home;
use crate::methods::method::{About, Method, MethodError};

/// Keeps the elements with the largest sums of composite text density.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cetd;

/// Counts over the subtree of an element.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    chars: f64,
    tags: f64,
    link_chars: f64,
    link_tags: f64,
}

impl Counts {
    fn density(&self, ratio: f64) -> f64 {
        if self.chars == 0.0 {
            return 0.0;
        }
        let one = |value: f64| if value <= 0.0 { 1.0 } else { value };
        let (chars, tags) = (self.chars, one(self.tags));
        let (link_chars, link_tags) = (one(self.link_chars), one(self.link_tags));
        let base = (chars * link_chars / one(chars - link_chars) + ratio * chars + std::f64::consts::E).ln().ln();
        chars / tags * (chars * tags / (link_chars * link_tags)).ln() / base
    }
}

/// Summand of an own text of this many characters in a density sum.
fn text_density(chars: f64, ratio: f64) -> f64 {
    chars * chars.ln() / (ratio * chars + std::f64::consts::E).ln().ln()
}

/// Densities that marking needs.
struct Densities {
    /// Density of each element.
    density: Vec<f64>,
    /// For each element the one with the largest density sum in its subtree, and that sum.
    best: Vec<(u32, f64)>,
    /// The body; `None` where the page has none and stands for it.
    body: Option<usize>,
    /// Density and density sum of the page as a whole.
    whole: (f64, f64),
}

fn visible(page: &Page, block: &Block) -> bool {
    page.element(block.element).is_none_or(|element| !element.hidden)
}

fn is_link(element: &Element) -> bool {
    matches!(element.tag, Tag::A | Tag::Button)
}

fn densities(page: &Page) -> Densities {
    let len = page.elements.len();
    let mut counts = vec![Counts::default(); len];
    let mut whole = Counts::default();
    for block in page.blocks.iter().filter(|block| visible(page, block)) {
        let chars = f64::from(block.chars);
        let link_chars = (chars * f64::from(block.link_density())).round();
        for sum in counts.get_mut(home(page, block) as usize).into_iter().chain([&mut whole]) {
            sum.chars += chars;
            sum.link_chars += link_chars;
        }
    }
    for (at, element) in page.elements.iter().enumerate().rev() {
        let block_counts = counts.get(at).copied().unwrap_or_default();
        if let Some(parent) = counts.get_mut(element.parent as usize).filter(|_| !element.hidden) {
            parent.chars += block_counts.chars;
            parent.link_chars += block_counts.link_chars;
            parent.tags += block_counts.tags + 1.0;
            parent.link_tags += block_counts.link_tags + f64::from(u8::from(is_link(element)));
        }
    }
    whole.tags = len as f64;
    whole.link_tags = page.elements.iter().filter(|element| is_link(element)).count() as f64;
    let body = page.elements.iter().position(|element| element.tag == Tag::Body);
    let of_body = body.and_then(|at| counts.get(at)).unwrap_or(&whole);
    let ratio = of_body.link_chars.max(1.0) / of_body.chars.max(1.0);
    let density: Vec<f64> = counts.iter().map(|counts| counts.density(ratio)).collect();
    let mut sums = vec![0.0; len];
    let mut whole_sum = 0.0;
    for block in page.blocks.iter().filter(|block| visible(page, block)) {
        *sums.get_mut(home(page, block) as usize).unwrap_or(&mut whole_sum) +=
            text_density(f64::from(block.chars), ratio);
    }
    for (element, density) in page.elements.iter().zip(&density) {
        *sums.get_mut(element.parent as usize).unwrap_or(&mut whole_sum) += density;
    }
    let mut best: Vec<(u32, f64)> = (0u32..).zip(sums).collect();
    for (at, element) in page.elements.iter().enumerate().rev() {
        // The first of equals: a parent before what it holds, an earlier child (met later) before a later.
        let score = best.get(at).copied().unwrap_or_default();
        if let Some(parent) = best.get_mut(element.parent as usize) {
            let itself = parent.0 == element.parent;
            if score.1 > parent.1 || !itself && score.1 == parent.1 {
                *parent = score;
            }
        }
    }
    Densities { density, best, body, whole: (whole.density(ratio), whole_sum) }
}

impl Method for Cetd {
    fn about(&self) -> &About {
        &About {
            name: "cetd",
            line: "elements with the largest sums of composite text density",
            citation: "Sun, Song and Liao, DOM Based Content Extraction via Text Density, SIGIR 2011; characters in links are estimated from linked words",
            learns: false,
        }
    }

    fn extract(&self, page: &Page) -> Result<Vec<bool>, MethodError> {
        let Densities { density, best, body, whole } = densities(page);
        let is_top = |at: usize, element: &Element| body.map_or(element.parent == NONE, |body| at == body);
        let mut winner = (None, if body.is_some() { f64::NEG_INFINITY } else { whole.1 });
        for ((at, element), (of, sum)) in page.elements.iter().enumerate().zip(&best) {
            if is_top(at, element) && *sum > winner.1 {
                winner = (Some(*of), *sum);
            }
        }
        let Some(winner) = winner.0 else {
            return Ok(page.blocks.iter().map(|block| visible(page, block)).collect());
        };
        let mut threshold = if body.is_some() { f64::INFINITY } else { whole.0 };
        for (at, element) in page.path(winner) {
            threshold = threshold.min(density.get(at as usize).copied().unwrap_or_default());
            if is_top(at as usize, element) {
                break;
            }
        }
        let mut marked = vec![false; page.elements.len()];
        let mut mark = |at: u32| {
            if let Some(slot) = marked.get_mut(at as usize) {
                *slot = true;
            }
        };
        mark(winner);
        // Whether each element is reached from the body over elements at or above the threshold.
        let mut reached: Vec<bool> = Vec::with_capacity(page.elements.len());
        for (at, element) in page.elements.iter().enumerate() {
            let around = is_top(at, element) || reached.get(element.parent as usize).copied().unwrap_or(false);
            let dense = density.get(at).is_some_and(|density| *density >= threshold) && !element.hidden;
            reached.push(around && dense);
            if around
                && dense
                && let Some((at, _)) = best.get(at)
            {
                mark(*at);
            }
        }
        let mut content: Vec<bool> = Vec::with_capacity(page.elements.len());
        for (at, element) in page.elements.iter().enumerate() {
            let around = content.get(element.parent as usize).copied().unwrap_or(false);
            content.push((around || marked.get(at).copied().unwrap_or(false)) && !element.hidden);
        }
        Ok(page.blocks.iter().map(|block| content.get(home(page, block) as usize).copied().unwrap_or(false)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    fn read(html: &str) -> Page {
        ScanEngine.read(html, &Limits::default())
    }

    fn page() -> Page {
        read(&format!(
            "<body><ul><li><a href=x>home</a></li><li><a href=y>news</a></li></ul><div><p>{}</p><p>{}</p></div></body>",
            "x".repeat(60),
            "x".repeat(50)
        ))
    }

    #[test]
    fn densities_are_those_of_the_formula() {
        // r = 8 / 118. p: 60 ln 60 / ln ln(60 / 60 + 60 r + e) = 341.2, the other 289.8.
        // div: 110 / 2 ln(110 * 2) / ln ln(110 / 110 + 110 r + e) = 336.5; its sum is that of its p, 630.9.
        // ul: 8 / 4 ln(8 * 4 / (8 * 2)) / ln ln(8 * 8 / 1 + 8 r + e) = 0.96.
        // body: 118 / 8 ln(118 * 8 / (8 * 2)) / ln ln(118 * 8 / 110 + 8 + e) = 55.4.
        let page = page();
        let found = densities(&page);
        let tags: Vec<&str> = page.elements.iter().map(|element| page.name(element)).collect();
        assert_eq!(tags, ["body", "ul", "li", "a", "li", "a", "div", "p", "p"]);
        for (at, density) in [(0, 55.420), (1, 0.965), (2, 0.0), (6, 336.518), (7, 341.177), (8, 289.764)] {
            assert!((found.density[at] - density).abs() < 1e-3, "{at}: {}", found.density[at]);
        }
        assert_eq!((found.best[0].0, found.best[1].0, found.best[7].0), (6, 3, 7));
        assert!((found.best[0].1 - 630.941).abs() < 1e-3);
    }

    #[test]
    fn the_dense_part_is_kept() {
        // div has the largest sum; the threshold is 55.4 (the body's); ul does not reach it.
        assert_eq!(Cetd.extract(&page()).unwrap(), [false, false, true, true]);
    }

    #[test]
    fn hidden_text_is_left_out() {
        let html = format!("<body><div hidden>{0}{0}</div><p>{0}</p>", "x".repeat(60));
        assert_eq!(Cetd.extract(&read(&html)).unwrap(), [false, true]);
    }

    #[test]
    fn pages_without_a_body() {
        assert!(Cetd.extract(&read("")).unwrap().is_empty());
        assert_eq!(Cetd.extract(&read("one block")).unwrap(), [true]);
        // The page's own text of 60 characters has the largest sum, so the page is the content.
        let html = format!("{}<p>tail</p>", "x".repeat(60));
        assert_eq!(Cetd.extract(&read(&html)).unwrap(), [true, true]);
    }
}
