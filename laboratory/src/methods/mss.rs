//! Maximum subsequence segmentation without learning.
//!
//! Pasternack and Roth, Extracting article text from the web with maximum subsequence segmentation,
//! WWW 2009, the baseline: each word scores 1 and each tag -3.25; the article is the contiguous run with
//! the greatest sum, found in linear time. The weight of a tag is from memory. The unit is the block: a
//! run starts and ends at the edges of blocks.

use trommel_html::Page;

use crate::methods::method::{About, Method, MethodError};
use crate::methods::span::{best_run, mark, word_units};

/// Score of a tag. From memory.
const TAG: f64 = -3.25;

/// The run of blocks with the greatest sum of words and weighted tags.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mss;

impl Method for Mss {
    fn about(&self) -> &About {
        &About {
            name: "mss",
            line: "the run of blocks with the greatest sum, a word 1 and a tag -3.25",
            citation: "Pasternack and Roth, Extracting article text from the web with maximum subsequence segmentation, \
                       WWW 2009, the baseline; stated on blocks instead of tokens; the weight of a tag is from memory",
            learns: false,
        }
    }

    fn extract(&self, page: &Page) -> Result<Vec<bool>, MethodError> {
        Ok(mark(page.blocks.len(), best_run(&word_units(page, TAG))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    fn kept(html: &str) -> Vec<bool> {
        Mss.extract(&ScanEngine.read(html, &Limits::default())).unwrap()
    }

    #[test]
    fn a_paragraph_must_outweigh_the_tags_before_it() {
        let words = |count: usize| vec!["w"; count].join(" ");
        // Words 1, 9, 8, 1; tags before: 2, 3 (/li /ul p), 2, 2. Sums that end at each block: 1;
        // 1-9.75 < 0, so 9; 9-6.5+8 = 10.5; 10.5-6.5+1 = 5. The best is 10.5: blocks 1 and 2.
        let html = format!("<ul><li>a</li></ul><p>{}</p><p>{}</p><p>b</p>", words(9), words(8));
        assert_eq!(kept(&html), [false, true, true, false]);
        // With 6 words the bridge of 6.5 does not pay: 9-6.5+6 = 8.5 < 9.
        let html = format!("<ul><li>a</li></ul><p>{}</p><p>{}</p><p>b</p>", words(9), words(6));
        assert_eq!(kept(&html), [false, true, false, false]);
    }

    #[test]
    fn edges() {
        assert!(kept("").is_empty());
        assert_eq!(kept("<p>one block"), [true]);
        // One tag inside (</b> comes after the last character): 4-3.25 > 0, 3-3.25 < 0.
        assert_eq!(kept("<p>a b c <b>x</b>"), [true]);
        assert_eq!(kept("<p>a b <b>x</b>"), [false]);
    }
}
