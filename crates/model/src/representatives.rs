//! Names the blocks of a page that are judged by themselves: the longest of each field, and the others of fields whose
//! longest block is in doubt.
//!
//! The blocks of a field are rows of one template. Where the model is sure of the longest of them, the others are what it
//! is: half of the blocks need no features of their own.

use crate::layout::Layout;

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
