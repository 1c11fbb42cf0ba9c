//! The largest block string (named without constants by Rai and Chaudhary, Discovering Informative
//! Block Content): the longest contiguous run of text between structural tags.
//!
//! Only the name is in the source; this form is ours. A run goes on over paragraphs, headings and
//! line breaks, and ends wherever one of `div ul ol li table tr td` starts or ends, or a `span` around
//! whole blocks. Its length is its characters; the first of equally long runs wins.

use trommel_html::Page;

use crate::methods::method::{About, Method, MethodError};
use crate::methods::rai_chaudhary::STRUCTURAL;
use crate::methods::segments::segments;

/// Keeps the longest run of text between structural tags.
#[derive(Clone, Copy, Debug, Default)]
pub struct LargestBlock;

impl Method for LargestBlock {
    fn about(&self) -> &About {
        &About {
            name: "largest-block",
            line: "the longest run of text between structural tags",
            citation: "named in Rai and Chaudhary, Discovering Informative Block Content, without its form: this one is ours",
            learns: false,
        }
    }

    fn extract(&self, page: &Page) -> Result<Vec<bool>, MethodError> {
        let segments = segments(page, &STRUCTURAL);
        let mut starts = page
            .elements
            .iter()
            .filter(|element| !element.tag.is_inline() && STRUCTURAL.contains(&element.tag))
            .map(|element| element.start)
            .peekable();
        // Run of each block, and characters of each run.
        let mut runs = Vec::with_capacity(page.blocks.len());
        let mut lengths: Vec<u64> = Vec::new();
        let mut last = None;
        for (block, segment) in page.blocks.iter().zip(&segments.of_block) {
            let mut cut = last != Some(*segment);
            while starts.next_if(|start| *start < block.span.0).is_some() {
                cut = true;
            }
            last = Some(*segment);
            if cut {
                lengths.push(0);
            }
            if let Some(length) = lengths.last_mut() {
                *length += u64::from(block.chars);
            }
            runs.push(lengths.len());
        }
        let longest = lengths.iter().max();
        let winner = lengths.iter().position(|length| Some(length) == longest).map(|at| at + 1);
        Ok(runs.into_iter().map(|run| Some(run) == winner).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    fn kept(html: &str) -> Vec<bool> {
        LargestBlock.extract(&ScanEngine.read(html, &Limits::default())).unwrap()
    }

    #[test]
    fn paragraphs_side_by_side_are_one_run() {
        // Runs: 10 characters; 4 + 4 + 3 = 11; 2 (the same div, but after a list); 4.
        let html = "<div>ten chars.</div><div><h1>four</h1><p>more<p>end<ul><li></ul>on</div>tail";
        assert_eq!(kept(html), [false, true, true, true, false, false]);
    }

    #[test]
    fn an_empty_structural_element_ends_a_run() {
        // abc, then (after an empty div) de and f: 3 against 3, the first wins.
        assert_eq!(kept("<p>abc</p><div></div><p>de</p><p>f</p>"), [true, false, false]);
        assert_eq!(kept("a"), [true]);
        assert!(kept("").is_empty());
    }
}
