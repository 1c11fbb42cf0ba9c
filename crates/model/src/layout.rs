//! Groups the blocks of a page that belong together, and names those that are judged by themselves.
//!
//! The decision about one block informs the decision about the others of its group. The blocks of a field are rows
//! of one template. Where the model is sure of the longest of them, the others are what it is: half of the blocks
//! need no features of their own.

use trommel_html::{NONE, Page};

use crate::features::Scratch;

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

/// Log odds of the longest block of a field within which the others are judged by themselves.
// With 1 a set of court rulings loses .007 of F1 by `fast`, with 2 it loses .006 by `lite`, and with 2.5 agendas lose .005
// by `best`; with 3 no set loses .0005 (docs/decisions/speed.md).
const DOUBT: f32 = 3.0;

/// The longest block of each field.
pub(crate) struct Representatives<'l> {
    layout: &'l Layout,
    of_field: Vec<u32>,
}

impl<'l> Representatives<'l> {
    pub fn of(layout: &'l Layout) -> Self {
        let mut of_field: Vec<Option<(u32, u32)>> = vec![None; layout.fields as usize];
        for (block, place) in (0..).zip(&layout.blocks) {
            if let Some(longest) = of_field.get_mut(place.field as usize) {
                // Of equal ones the last.
                *longest = (*longest).max(Some((place.words, block)));
            }
        }
        Self { layout, of_field: of_field.into_iter().flatten().map(|(_, block)| block).collect() }
    }

    /// They, and the first block of the page, by rising numbers.
    pub fn list(&self) -> Vec<u32> {
        let mut list = self.of_field.clone();
        list.extend(self.layout.blocks.first().map(|_| 0));
        list.sort_unstable();
        list.dedup();
        list
    }

    /// The other blocks, each with the representative of its field.
    pub fn others(&self) -> impl Iterator<Item = (u32, u32)> {
        let all = (0..).zip(self.layout.fields());
        let all = all.filter_map(|(block, field)| Some((block, *self.of_field.get(field as usize)?)));
        // The first is judged in any case.
        all.filter(|(block, longest)| block != longest && *block != 0)
    }
}

impl Layout {
    /// Gives the blocks whose representative is not in doubt its log odds, as a model does whose fields have a share of
    /// more than 0 in the log odds of their blocks.
    pub fn represent(&self, odds: &mut [f32], share: f32) {
        // The paper judges every block by itself.
        if share == 0.0 {
            return;
        }
        for (block, longest) in Representatives::of(self).others() {
            let of_longest = odds.get(longest as usize).copied().filter(|odds| !is_in_doubt(*odds));
            if let (Some(odds), Some(of_longest)) = (odds.get_mut(block as usize), of_longest) {
                *odds = of_longest;
            }
        }
    }
}

/// Returns whether log odds are in doubt. NaN is.
pub(crate) fn is_in_doubt(odds: f32) -> bool {
    odds.is_nan() || odds.abs() < DOUBT
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

    #[test]
    fn the_longest_of_a_field_stands_for_it() {
        let html = "<p>a b<ul><li>one<li>one two three<li>one two</ul><p>a b c<h2>x</h2>";
        let page = ScanEngine.read(html, &Limits::default());
        let layout = Layout::of(&page);
        let found = Representatives::of(&layout);
        assert_eq!(found.list(), [0, 2, 4, 5]);
        assert_eq!(found.others().collect::<Vec<_>>(), [(1, 2), (3, 2)]);
        let none = Layout::of(&trommel_html::Page::default());
        assert!(Representatives::of(&none).list().is_empty());
        assert!(is_in_doubt(-2.9) && is_in_doubt(f32::NAN) && !is_in_doubt(3.0) && !is_in_doubt(-3.0));
    }
}
