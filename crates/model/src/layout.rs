//! Groups the blocks of a page that belong together, so that the decision about one informs the decision
//! about the others.

use crate::features::Scratch;
use trommel_html::{NONE, Page};

/// The blocks of a page as a choice sees them: their words, and which of them belong together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    pub(crate) blocks: Vec<LayoutBlock>,
    /// Number of fields.
    pub(crate) fields: u32,
}

/// Words of a block and where it belongs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LayoutBlock {
    pub words: u32,
    /// Its field: the blocks whose whole path of (name, class) is equal, numbered as they come.
    pub field: u32,
    /// The element two levels around its container.
    pub section: u32,
}

impl Layout {
    /// The blocks of a page.
    pub fn of(page: &Page) -> Self {
        let index = page.fields();
        let around = |element: u32| page.element(element).map(|element| element.parent);
        let blocks = page.blocks.iter().zip(&index.of_block);
        let blocks = blocks.map(|(block, field)| {
            let container = page.container(block).map(|(at, _)| at);
            // Parts that are content as a whole, such as a card in a grid, begin above the block's own container.
            let section = container.and_then(around).and_then(around);
            LayoutBlock { words: block.words, field: *field, section: section.unwrap_or(NONE) }
        });
        Self { blocks: blocks.collect(), fields: index.fields }
    }

    /// Number of the field of each block.
    pub(crate) fn fields(&self) -> impl Iterator<Item = u32> {
        self.blocks.iter().map(|place| place.field)
    }

    /// Blocks of these numbers of words that have nothing in common.
    pub fn of_words(words: &[u32]) -> Self {
        let mut layout = Self::default();
        layout.push(words);
        layout
    }

    /// Adds blocks that have nothing in common with others.
    pub(crate) fn push(&mut self, words: &[u32]) {
        for words in words {
            // Counted down from the top, where no element of a page has its number.
            self.blocks.push(LayoutBlock { words: *words, field: self.fields, section: NONE - 1 - self.fields });
            self.fields += 1;
        }
    }

    /// Takes `share` of the log odds of each block from the mean over its field, where blocks count by the
    /// square roots of their words.
    pub fn pool(&self, odds: &mut [f32], share: f32) {
        if share == 0.0 {
            return;
        }
        let mut sums = Scratch::filled(self.fields as usize, (0.0f32, 0.0f32));
        for (place, odds) in self.blocks.iter().zip(odds.iter()) {
            if let Some(sum) = sums.get_mut(place.field as usize) {
                // So that fields without words have a mean as well.
                // With the square root, one long block does not outvote all short ones of its field.
                let weight = (place.words as f32).sqrt() + 0.01;
                sum.0 += weight * odds;
                sum.1 += weight;
            }
        }
        for (place, odds) in self.blocks.iter().zip(odds) {
            if let Some((sum, weight)) = sums.get(place.field as usize) {
                *odds += share * (sum / weight - *odds);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn blocks_know_their_section() {
        let page =
            ScanEngine.read("<article><div><p>one</p><p>two three</p></div></article><p>four</p>", &Limits::default());
        let layout = Layout::of(&page);
        let place = |at: usize| layout.blocks[at];
        assert_eq!((place(0).words, place(1).words), (1, 2));
        assert_eq!((place(0).field, place(1).field, place(2).field), (0, 0, 1));
        assert_eq!(page.elements[place(0).section as usize].tag, trommel_html::Tag::Article);
        assert_eq!(place(0).section, place(1).section);
        assert_ne!(place(0).section, place(2).section);
        assert_eq!(Layout::of(&Page::default()), Layout::default());
    }

    #[test]
    fn log_odds_are_drawn_towards_those_of_the_field() {
        let page = ScanEngine.read("<ul><li>one</li><li>one two three four</li></ul><p>five</p>", &Limits::default());
        let layout = Layout::of(&page);
        let mut odds = [3.0, -3.0, 1.0];
        layout.pool(&mut odds, 0.5);
        // Weights 1 and 2.
        let mean = (3.0 * 1.01 - 3.0 * 2.01) / 3.02;
        assert!((odds[0] - (3.0 + mean) / 2.0).abs() < 1e-6, "{odds:?}");
        assert!((odds[1] - (-3.0 + mean) / 2.0).abs() < 1e-6, "{odds:?}");
        assert_eq!(odds[2], 1.0);
        let mut alone = [3.0, -3.0, 1.0];
        layout.pool(&mut alone, 0.0);
        assert_eq!(alone, [3.0, -3.0, 1.0]);
    }
}
