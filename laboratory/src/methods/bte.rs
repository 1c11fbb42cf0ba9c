//! Body Text Extraction: the part of the page with the most words and the fewest tags.
//!
//! Finn, Kushmerick and Smyth, Fact or fiction: content classification for digital libraries, DELOS
//! workshop 2001, section on extraction. The run of tokens is sought that maximises the words inside
//! plus the tags outside; with 1 for a word and -1 for a tag that is the run with the greatest sum, so
//! Kadane's algorithm finds it in linear time. The unit is the block here: a run starts and ends at
//! the edges of blocks, and the tags before its first block are outside.
//!
//! [`BteSegments`] follows Pinto, Branstein, Coleman, Croft, King, Li and Wei, QuASM: a system for
//! question answering using semi-structured data, JCDL 2002, who take several such parts of a page.

use trommel_html::Page;

use crate::methods::method::{About, Method, MethodError};
use crate::methods::span::{best_run, mark, maximal_runs, word_units};

/// Score of a tag.
const TAG: f64 = -1.0;
/// Share of the best segment's score that another must reach. Not from the source.
const SHARE: f64 = 0.1;

/// The one best run of blocks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bte;

impl Method for Bte {
    fn about(&self) -> &About {
        &About {
            name: "bte",
            line: "the run of blocks with the most words inside and the most tags outside",
            citation: "Finn, Kushmerick and Smyth, Fact or fiction: content classification for digital libraries, \
                       DELOS workshop 2001; stated on blocks instead of tokens",
            learns: false,
        }
    }

    fn extract(&self, page: &Page) -> Result<Vec<bool>, MethodError> {
        Ok(mark(page.blocks.len(), best_run(&word_units(page, TAG))))
    }
}

/// Every maximal run of blocks whose score is at least a tenth of the best one's.
///
/// The runs are those of Ruzzo and Tompa (1999): the best one, the best of what is left on both sides,
/// and so on. Neither this reading nor the tenth is from the source, which gives no form of its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct BteSegments;

impl Method for BteSegments {
    fn about(&self) -> &About {
        &About {
            name: "bte-segments",
            line: "every run of blocks with many words and few tags, not only the best",
            citation: "Pinto et al., QuASM: a system for question answering using semi-structured data, JCDL 2002; \
                       that several segments are taken is theirs, but the source at hand does not specify how: \
                       maximal runs (Ruzzo and Tompa, ISMB 1999) of a tenth of the best score are this project's reading",
            learns: false,
        }
    }

    fn extract(&self, page: &Page) -> Result<Vec<bool>, MethodError> {
        let runs = maximal_runs(&word_units(page, TAG));
        let most = runs.iter().map(|(sum, _)| *sum).fold(0.0, f64::max);
        let kept = runs.into_iter().filter(|(sum, _)| *sum >= most * SHARE).map(|(_, run)| run);
        Ok(mark(page.blocks.len(), kept))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    fn kept(method: &dyn Method, html: &str) -> Vec<bool> {
        let page = ScanEngine.read(html, &Limits::default());
        method.extract(&page).unwrap()
    }

    const PAGE: &str =
        "<ul><li>a</li><li>b</li></ul><p>one two three four five</p><p>six seven eight nine</p><ul><li>c</li></ul>";

    #[test]
    fn the_best_run_is_the_prose() {
        // Words 1, 1, 5, 4, 1; tags before each: 2, 2, 3, 2, 3. Sums that end at each block:
        // 1; 1-2<0, so 1; 1-3<0, so 5; 5-2+4 = 7; 7-3+1 = 5. The best is 7: blocks 2 and 3.
        assert_eq!(kept(&Bte, PAGE), [false, false, true, true, false]);
    }

    #[test]
    fn tags_inside_count_against_a_block() {
        // Block 0: 3 words, 4 tags inside: -1. Block 1: 2 words, 2 tags before. Best: block 1 alone.
        let html = "<p>a <b>b</b> <i>c</i></p><p>d e</p>";
        let page = ScanEngine.read(html, &Limits::default());
        // The last </i> comes after the last character, so it stands before the next block.
        assert_eq!((page.blocks[0].tags_inside, page.blocks[1].tags_before), (3, 3));
        // So block 0 scores 0, block 1 scores 2, and bridging would cost 3.
        assert_eq!(kept(&Bte, html), [false, true]);
    }

    #[test]
    fn segments_keep_what_is_near_the_best() {
        let words = |count: usize| vec!["w"; count].join(" ");
        let html =
            format!("<p>{}</p><ul><li>x</li><li></li><li></li><li></li><li></li></ul><p>{}</p>", words(20), words(6),);
        // Words 20, 1, 6. Tags before block 1: /p ul li = 3; before block 2: /li, 8 of the empty
        // items, /ul, p = 11. 20-3+1 = 18 < 20 and 1-11 < 0: three maximal runs of 20, 1 and 6;
        // a tenth of the best is 2.
        assert_eq!(kept(&BteSegments, &html), [true, false, true]);
        assert_eq!(kept(&Bte, &html), [true, false, false]);
    }

    #[test]
    fn edges() {
        for method in [&Bte as &dyn Method, &BteSegments] {
            assert!(kept(method, "").is_empty());
            assert_eq!(kept(method, "<div><p>only"), [true]);
            // One word cut in two by tags: 1 word, 2 tags, no run above zero.
            assert_eq!(kept(method, "<p><b>a</b><i>b</i>"), [false]);
        }
    }
}
