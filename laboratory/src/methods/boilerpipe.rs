//! Boilerpipe: Kohlschütter, Fankhauser and Nejdl, Boilerplate Detection using Shallow Text Features,
//! WSDM 2010, and the extractors of the library of that name (version 1.2 and the later development
//! line), whose order of filters, limits and oddities are kept.
//!
//! Differences, all from the tables: blocks are those of the table (the library also divides at
//! `br`, `button` and a few other elements); words are those of the table (the library counts runs
//! between white space); a line ends at its 80th character (the library wraps it at a word).

mod article;
mod end_mark;
mod piece;
mod rules;
mod title;

use trommel_html::Page;

use crate::methods::method::{About, Method, MethodError};
use piece::{fuse_equal_density, pieces, verdicts};

/// An extractor of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boilerpipe {
    /// Rules on the numbers of words and the link densities of a block and its neighbours.
    NumWords,
    /// Rules on text and link densities.
    Density,
    /// Rules learned from the Canola corpus.
    Canola,
    /// The chain of filters made for news articles.
    Article,
    /// Blocks of equal text density fused, then the density rules.
    Default,
}

const PAPER: &str = "Kohlschütter, Fankhauser and Nejdl, Boilerplate Detection using Shallow Text Features, WSDM 2010";

impl Boilerpipe {
    /// Every extractor, in the order of tables.
    pub const ALL: [Boilerpipe; 5] =
        [Boilerpipe::NumWords, Boilerpipe::Density, Boilerpipe::Canola, Boilerpipe::Article, Boilerpipe::Default];
}

impl Method for Boilerpipe {
    fn about(&self) -> &About {
        match self {
            Boilerpipe::NumWords => &About {
                name: "boilerpipe-numwords",
                line: "tree of limits on words and link density of a block and its two neighbours",
                citation: PAPER,
                learns: false,
            },
            Boilerpipe::Density => &About {
                name: "boilerpipe-density",
                line: "tree of limits on text and link density of a block and its two neighbours",
                citation: PAPER,
                learns: false,
            },
            Boilerpipe::Canola => &About {
                name: "boilerpipe-canola",
                line: "limits on words and link density learned from the Canola corpus",
                citation: "CanolaExtractor of the Boilerpipe library (Kohlschütter); in no paper",
                learns: false,
            },
            Boilerpipe::Article => &About {
                name: "boilerpipe-article",
                line: "word rules, end marks, title, largest fused block and what stands on its level",
                citation: "ArticleExtractor of the Boilerpipe library (Kohlschütter), on the rules of Kohlschütter, Fankhauser and Nejdl, WSDM 2010",
                learns: false,
            },
            Boilerpipe::Default => &About {
                name: "boilerpipe-default",
                line: "blocks of equal text density fused, then the density rules",
                citation: "DefaultExtractor of the Boilerpipe library (Kohlschütter), on the rules of Kohlschütter, Fankhauser and Nejdl, WSDM 2010",
                learns: false,
            },
        }
    }

    fn extract(&self, page: &Page) -> Result<Vec<bool>, MethodError> {
        let mut pieces = pieces(page);
        let rule = match self {
            Boilerpipe::Article => return Ok(article::extract(page, pieces)),
            Boilerpipe::NumWords => rules::num_words,
            Boilerpipe::Density => rules::density,
            Boilerpipe::Canola => rules::canola,
            Boilerpipe::Default => {
                // The library also fuses neighbours that are content here; none is yet.
                pieces = fuse_equal_density(pieces);
                rules::density
            }
        };
        rules::classify(&mut pieces, rule);
        Ok(verdicts(page, &pieces))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    fn read(html: &str) -> Page {
        ScanEngine.read(html, &Limits::default())
    }

    fn prose(words: usize) -> String {
        vec!["word"; words].join(" ")
    }

    #[test]
    fn word_rules_by_hand() {
        let page = read(&format!(
            "<ul><li><a href=/>Home page</a></ul><h1>A headline</h1><p>{}</p><p>Two words</p><p>{} <a href=/>{}</a></p>",
            prose(20),
            prose(10),
            prose(10),
        ));
        // Home: all linked: no. Headline: after a linked block (1 > 5/9) a block needs 41 words or 18
        // in the next: the next has 20: yes. Prose: 20 > 16: yes. "Two words": next has 20 > 15: yes.
        // Last: half of it linked (> 1/3): no.
        assert_eq!(Boilerpipe::NumWords.extract(&page).unwrap(), [false, true, true, true, false]);
    }

    #[test]
    fn density_rules_by_hand() {
        let page = read(&format!("<p>One two three</p><p>{}</p><p>four five</p>", prose(40)));
        // 40 words of 5 characters are 199 characters: two full lines, 32 words, density 16.
        // First: density 3 <= 9, next 16 > 10: yes. Second: density 16 > 9 and the next is not empty:
        // yes. Third: density 2 <= 9, next 0, previous 16 > 4: yes.
        assert_eq!(Boilerpipe::Density.extract(&page).unwrap(), [true; 3]);
        let page = read(&format!("<p>One two three</p><p>{}</p>", prose(40)));
        // The last block has density 16 > 9 but nothing after it: no.
        assert_eq!(Boilerpipe::Density.extract(&page).unwrap(), [true, false]);
    }

    #[test]
    fn canola_by_hand() {
        let page = read(&format!("<p>a b <a href=/>c</a></p><p>{}</p><p>{}</p><p>x</p>", prose(12), prose(20)));
        // First: some link and 12 > 11 words next: yes. Second: 12 words, next 20 > 6 without links, but
        // links before (1/3): no. Third: 20 > 19: yes. Last: 1 word, nothing next: no.
        assert_eq!(Boilerpipe::Canola.extract(&page).unwrap(), [true, false, true, false]);
    }

    #[test]
    fn equal_densities_are_judged_as_one() {
        // Three blocks of density 4 are one block of density 4 with nothing around it: no. Alone, the
        // density rules keep none of the first (4 <= 9, next 4 <= 10, previous 0 <= 4) either; with
        // five words before, the fused block follows one of density 5 > 4: yes.
        let four = "<p>a b c d</p>".repeat(3);
        assert_eq!(Boilerpipe::Default.extract(&read(&four)).unwrap(), [false; 3]);
        let page = read(&format!("<p>1 2 3 4 5</p>{four}"));
        assert_eq!(Boilerpipe::Default.extract(&page).unwrap(), [false, true, true, true]);
        // Without fusing, the third and fourth follow density 4, which is not above 4.
        assert_eq!(Boilerpipe::Density.extract(&page).unwrap(), [false, true, false, false]);
    }

    #[test]
    fn pages_of_no_block_and_one_block() {
        for method in Boilerpipe::ALL {
            assert!(method.extract(&read("")).unwrap().is_empty());
            assert_eq!(method.extract(&read("<p>short")).unwrap(), [false], "{method:?}");
        }
        let one = read(&format!("<p>{}", prose(30)));
        let kept: Vec<bool> = Boilerpipe::ALL.iter().map(|method| method.extract(&one).unwrap()[0]).collect();
        // The density rules never keep a block of density above 9 with nothing after it.
        assert_eq!(kept, [true, false, true, true, false]);
    }
}
