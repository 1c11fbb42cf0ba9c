//! Compares structured data (ingredients, steps, questions and answers) with the words of each block. A line
//! of three words is content if the page states that it is an ingredient.

use trommel_html::Page;

use crate::features::facts::terms::{Terms, WordSet};
use crate::features::group::{Fact, Group, constants, owned, rows};
use crate::features::log::log;
use crate::features::word_hash::{hashes, pair_hash};
use crate::features::work::count_work;

const NAMES: [&str; 6] =
    ["stated.same", "stated.pairs", "stated.words", "stated.before", "stated.after", "stated.log_items"];

/// Number of first words by which a line is recognised: as many as are hashed of a block.
const LINE_WORDS: usize = 60;

/// The listed items, as sets of lines, pairs and words.
#[derive(Debug, Default)]
struct Items {
    number: usize,
    lines: WordSet,
    pairs: WordSet,
    words: WordSet,
}

pub(crate) const GROUP: Group = Group {
    needs: &[Fact::Terms],
    columns: |_| owned(&NAMES),
    on: |facts, _| match Items::new(facts.page) {
        // Most pages list nothing, and the columns are then constant.
        items if items.number == 0 => constants([0.0; NAMES.len()]),
        items => rows(move |at| items.features(&facts.terms, at)),
    },
};

/// The hash of a line.
fn line(words: &[u64]) -> u64 {
    let words = words.iter().take(LINE_WORDS);
    // By words: markup and punctuation differ between structured data and the page.
    words.fold(0, |sum: u64, word| pair_hash(sum, *word))
}

impl Items {
    fn new(page: &Page) -> Self {
        let mut items = Self::default();
        for item in page.json_ld().items() {
            let words = hashes(&item);
            count_work(words.len());
            items.number += 1;
            items.lines.extend(std::iter::once(line(&words)));
            let pairs = words.windows(2).map(|pair| match pair {
                [first, second] => pair_hash(*first, *second),
                _ => 0,
            });
            items.pairs.extend(pairs);
            items.words.extend(words.iter().copied());
        }
        items
    }

    /// The listed share of a block: 1 if it is an item, else the share of its pairs.
    fn listed(&self, terms: &Terms, at: usize) -> (f32, f32) {
        let words = terms.words(at);
        if words.is_empty() {
            return (0.0, 0.0);
        }
        let is_same = self.lines.contains(line(words));
        let pairs = terms.pairs(at);
        let known = pairs.iter().filter(|pair| self.pairs.contains(**pair));
        let share = known.count() as f32 / pairs.len().max(1) as f32;
        count_work(words.len() + pairs.len());
        (f32::from(u8::from(is_same)), share)
    }

    fn features(&self, terms: &Terms, at: usize) -> [f32; NAMES.len()] {
        let (same, pairs) = self.listed(terms, at);
        let words = terms.words(at);
        let known = words.iter().filter(|word| self.words.contains(**word));
        // Pages add lines of their own to a list; stated neighbours show that they belong to it.
        let beside = |at: Option<usize>| {
            let (same, pairs) = at.map_or((0.0, 0.0), |at| self.listed(terms, at));
            same.max(pairs)
        };
        [
            same,
            pairs,
            known.count() as f32 / words.len().max(1) as f32,
            beside(at.checked_sub(1)),
            beside(at.checked_add(1)),
            log(self.number as f64),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn listed_items_are_told_from_other_lines() {
        let page = ScanEngine.read(
            r#"<script type=application/ld+json>{"@type":"Recipe","recipeIngredient":["Salt","2 cups of flour"]}</script>
            <ul><li>Home<li>Salt<li>2 cups of flour, sifted<li>Print</ul>"#,
            &Limits::default(),
        );
        let items = Items::new(&page);
        let terms = Terms::new(&page, &trommel_text::TextMasks::of(page.texts()));
        let rows: Vec<_> = (0..4).map(|at| items.features(&terms, at)).collect();
        let column = |name: &str| {
            let at = NAMES.iter().position(|known| *known == name).unwrap();
            rows.iter().map(|row| row[at]).collect::<Vec<f32>>()
        };
        assert_eq!(column("stated.same"), [0.0, 1.0, 0.0, 0.0]);
        assert_eq!(column("stated.pairs"), [0.0, 0.0, 0.75, 0.0]);
        assert_eq!(column("stated.words"), [0.0, 1.0, 0.8, 0.0]);
        assert_eq!(column("stated.before"), [0.0, 0.0, 1.0, 0.75]);
        assert_eq!(column("stated.after"), [1.0, 0.75, 0.0, 0.0]);
        assert_eq!(rows[0][5], log(2u32));
    }

    #[test]
    fn pages_without_items_have_none() {
        let page = ScanEngine.read("<p>2 cups of flour</p>", &Limits::default());
        assert_eq!(Items::new(&page).number, 0);
    }
}
