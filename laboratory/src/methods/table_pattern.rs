//! The table pattern (named without constants by Rai and Chaudhary, Discovering Informative Block
//! Content): content laid out as repeated rows of like structure.
//!
//! Only the name is in the source; this form is ours. A row is one of `div span ul ol li table tr td`
//! with words outside of links; rows are alike if they have one parent, one name and one class. The
//! table is the set of at least three like rows with the most words outside of links, the first of
//! equals; its rows are the content. A page without such a set has no content by this rule.

use rustc_hash::FxHashMap;
use trommel_html::Page;

use crate::methods::home::home;
use crate::methods::method::{About, Method, MethodError};
use crate::methods::rai_chaudhary::STRUCTURAL;

/// Minimum rows of a table.
const ROWS: u32 = 3;

/// Keeps the largest set of like rows.
#[derive(Clone, Copy, Debug, Default)]
pub struct TablePattern;

/// Words outside of links inside each element.
fn free_words(page: &Page) -> Vec<u64> {
    let mut words = vec![0u64; page.elements.len()];
    for block in &page.blocks {
        if let Some(sum) = words.get_mut(home(page, block) as usize) {
            *sum += u64::from(block.words.saturating_sub(block.link_words));
        }
    }
    // Elements stand before their descendants, so backwards each is complete before it is passed up.
    for (at, element) in page.elements.iter().enumerate().rev() {
        let block_words = words.get(at).copied().unwrap_or_default();
        if let Some(parent) = words.get_mut(element.parent as usize) {
            *parent += block_words;
        }
    }
    words
}

impl Method for TablePattern {
    fn about(&self) -> &About {
        &About {
            name: "table-pattern",
            line: "the largest set of like rows under one parent",
            citation: "named in Rai and Chaudhary, Discovering Informative Block Content, without its form: this one is ours",
            learns: false,
        }
    }

    fn extract(&self, page: &Page) -> Result<Vec<bool>, MethodError> {
        // Sets in the order of their first rows: (rows, words outside of links).
        let mut sets: Vec<(u32, u64)> = Vec::new();
        let mut numbers: FxHashMap<(u32, u64), usize> = FxHashMap::default();
        let mut set_of: Vec<Option<usize>> = Vec::with_capacity(page.elements.len());
        for (element, words) in page.elements.iter().zip(free_words(page)) {
            let row = words > 0 && STRUCTURAL.contains(&element.tag);
            set_of.push(row.then(|| {
                let at = *numbers.entry((element.parent, element.signature)).or_insert(sets.len());
                if at == sets.len() {
                    sets.push((0, 0));
                }
                if let Some((rows, sum)) = sets.get_mut(at) {
                    *rows += 1;
                    *sum += words;
                }
                at
            }));
        }
        let tables = sets.iter().map(|(rows, words)| if *rows >= ROWS { *words } else { 0 });
        let most = tables.clone().max().filter(|words| *words > 0);
        let winner = tables.clone().position(|words| Some(words) == most);
        let mut inside: Vec<bool> = Vec::with_capacity(page.elements.len());
        for (element, set) in page.elements.iter().zip(&set_of) {
            let around = inside.get(element.parent as usize).copied().unwrap_or(false);
            inside.push(around || winner.is_some() && *set == winner);
        }
        Ok(page.blocks.iter().map(|block| inside.get(home(page, block) as usize).copied().unwrap_or(false)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    fn kept(html: &str) -> Vec<bool> {
        TablePattern.extract(&ScanEngine.read(html, &Limits::default())).unwrap()
    }

    #[test]
    fn the_rows_with_the_most_free_words_win() {
        // li: three rows of one free word each and many linked ones. div.r: three rows of 2, 1 and 1.
        // div without a class: two rows are no table, however long.
        let html = "<ul><li>a <a href=x>b c d</a><li>e<li>f</ul>\
            <section><div class=r><h2>g</h2>h</div><p>i</p><div class=r>j</div><div class=r>k</div>\
            <div>l m n o p</div><div>q r s t u</div></section>";
        assert_eq!(kept(html), [false, false, false, true, true, false, true, true, false, false]);
    }

    #[test]
    fn without_rows_there_is_no_table() {
        assert_eq!(kept("<div>a</div><p>b</p><p>c</p><p>d</p>"), [false; 4]);
        assert_eq!(kept("a"), [false]);
        assert!(kept("").is_empty());
    }
}
