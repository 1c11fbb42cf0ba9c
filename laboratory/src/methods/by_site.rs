//! Methods that look at several pages of one site.

mod content_extractor;
mod hosts;
mod info_discoverer;
mod similar_sets;
mod style_tree;
mod x_cex;

use trommel_html::Page;

use crate::methods::method::About;

pub use content_extractor::ContentExtractor;
pub use hosts::{extract_by_host, pages_by_host};
pub use info_discoverer::InfoDiscoverer;
pub use style_tree::SiteStyleTree;
pub use x_cex::{ContentLikeness, XCex};

/// A content-extraction method over the pages of one site.
pub trait SiteMethod: Send + Sync {
    /// Description of the method.
    fn about(&self) -> &About;

    /// Returns whether each block of each page of a site is content. A page that is the only one of its site has
    /// nothing to be compared with: all of it is content.
    fn extract(&self, pages: &[&Page]) -> Vec<Vec<bool>>;
}

/// Every such method.
pub fn all_by_site() -> Vec<Box<dyn SiteMethod>> {
    vec![
        Box::new(ContentExtractor),
        Box::new(XCex::new(ContentLikeness::Cosine)),
        Box::new(XCex::new(ContentLikeness::Hamming)),
        Box::new(SiteStyleTree),
        Box::new(InfoDiscoverer),
    ]
}

/// Numbers for words, the same on all pages of a site.
#[derive(Default)]
struct Vocabulary {
    numbers: rustc_hash::FxHashMap<String, u32>,
}

impl Vocabulary {
    /// The numbers of the words of a text, in order.
    fn numbers(&mut self, text: &str, into: &mut Vec<u32>) {
        use trommel_text::words::{Rule, words};
        for word in words(&text.to_lowercase(), Rule::Characters) {
            let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
            let number = match self.numbers.get(word) {
                Some(number) => *number,
                None => *self.numbers.entry(word.to_owned()).or_insert(next),
            };
            into.push(number);
        }
    }
}

/// Sorts, and leaves each once.
fn as_set(mut numbers: Vec<u32>) -> Vec<u32> {
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

#[cfg(test)]
fn read(html: &str) -> Page {
    use trommel_html::{Engine, Limits, ScanEngine};
    ScanEngine.read(html, &Limits::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pages of a news site: a menu, a notice on every page, a story of its own, a list of teasers that some
    /// pages share.
    fn page(number: usize) -> Page {
        let things = ["mill", "barn", "inn", "tower", "bridge", "harbour", "school", "chapel"];
        let thing = things[number % things.len()];
        let words: Vec<String> = (0..14).map(|at| format!("{thing}word{at}")).collect();
        let story = words.join(" ");
        read(&format!(
            "<div class=menu><ul><li>Home</li><li>News</li></ul></div>\
             <div class=story><p>{story}</p><p>Nobody knows the builder of {thing} {story}</p></div>\
             <div class=legal><p>All rights of this newspaper are reserved by its owners</p></div>"
        ))
    }

    #[test]
    fn every_method_tells_a_template_from_stories() {
        let pages: Vec<Page> = (0..8).map(page).collect();
        let pages: Vec<&Page> = pages.iter().collect();
        for method in all_by_site() {
            let kept = method.extract(&pages);
            for kept in kept {
                assert_eq!(kept, [false, false, true, true, false], "{}", method.about().name);
            }
        }
    }

    #[test]
    fn a_page_by_itself_is_content() {
        let page = page(0);
        let empty = read("");
        for method in all_by_site() {
            assert_eq!(method.extract(&[&page]), [[true; 5]], "{}", method.about().name);
            assert!(method.extract(&[&empty]).concat().is_empty());
            assert!(method.extract(&[]).is_empty());
        }
    }
}
