//! Features of the three blocks before and after a block.

use trommel_html::{NONE, Page};

use crate::features::columns::{GroupColumns, LANES};
use crate::features::facts::shape::Shape;
use crate::features::group::{Fact, Group, crossed};
use crate::features::log::{flag, log};
use crate::features::scratch::Scratch;

/// The farthest neighbour.
const REACH: usize = 3;
// Further than the two neighbours of the paper: a caption or date between paragraphs hides the next paragraph.
const OFFSETS: [isize; 2 * REACH] = [-3, -2, -1, 1, 2, 3];
const PARTS: [&str; 5] = ["log_words", "link_density", "ends_sentence", "heading", "same_container"];

fn names() -> Vec<String> {
    let neighbours = OFFSETS.iter().map(|offset| format!("neighbour_{offset:+}"));
    crossed(neighbours, &PARTS)
}

/// Placeholders for the element around a container that has none, and for missing blocks. No element has these numbers.
const NO_CONTAINER: u32 = NONE - 1;
const NO_BLOCK: u32 = NONE - 2;

/// The facts about the blocks of a page that their neighbours read, as columns. Beyond the page's ends there is
/// nothing, and all is zero.
pub(crate) struct Neighbours {
    // Columns begin as many places before the first block as neighbours are away, and end a batch behind the last, so
    // that what is at an offset from a batch is one slice.
    parts: [Scratch<f32>; PARTS.len() - 1],
    /// Elements around the containers.
    parents: Scratch<u32>,
}

impl Neighbours {
    fn of(page: &Page, shapes: &[Shape]) -> Self {
        let len = page.blocks.len() + 2 * REACH + LANES;
        let mut parts = [(); PARTS.len() - 1].map(|()| Scratch::filled(len, 0.0));
        let mut parents = Scratch::filled(len, NO_BLOCK);
        let [words, densities, ends, headings] = &mut parts;
        let columns = words.iter_mut().zip(densities.iter_mut()).zip(ends.iter_mut()).zip(headings.iter_mut());
        let columns = columns.zip(parents.iter_mut()).skip(REACH);
        for ((block, shape), ((((words, density), ends), heading), parent)) in
            page.blocks.iter().zip(shapes).zip(columns)
        {
            let container = page.container(block).map(|(_, element)| element);
            *words = log(block.words);
            *density = block.link_density();
            *ends = flag(shape.ends_sentence);
            *heading = flag(container.is_some_and(|element| element.tag.is_heading()));
            *parent = container.map_or(NO_CONTAINER, |element| element.parent);
        }
        Self { parts, parents }
    }

    fn fill(&self, out: &mut GroupColumns) {
        let blocks = out.blocks();
        let first = blocks.first().map_or(0, |first| *first as usize);
        if blocks.last().is_some_and(|last| *last as usize + 1 - first != blocks.len()) {
            // Blocks apart from each other: what is at an offset from them is no slice.
            for offset in OFFSETS {
                let at = |block: usize| (block + REACH).saturating_add_signed(offset);
                for part in &self.parts {
                    out.put(|block| part.get(at(block)).copied().unwrap_or(0.0));
                }
                out.put(|block| flag(self.parents.get(block + REACH) == self.parents.get(at(block))));
            }
            return;
        }
        let parents = self.parents.get(first + REACH..).and_then(|parents| parents.first_chunk::<LANES>());
        for offset in OFFSETS {
            let from = (first + REACH).saturating_add_signed(offset);
            for part in &self.parts {
                out.put_slice(part.get(from..).unwrap_or_default());
            }
            let others = self.parents.get(from..).and_then(|parents| parents.first_chunk::<LANES>());
            match parents.zip(others) {
                Some((parents, others)) => out.put_lanes(|lane| flag(parents[lane] == others[lane])),
                None => out.put_lanes(|_| 0.0),
            }
        }
    }
}

pub(crate) const GROUP: Group = Group {
    needs: &[Fact::Shapes],
    columns: |_| names(),
    on: |facts, _| {
        let neighbours = Neighbours::of(facts.page, &facts.shapes);
        Box::new(move |_, out| neighbours.fill(out))
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::groups::FeatureGroup;
    use crate::features::schema::Schema;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn neighbours_are_described_in_order() {
        let page = ScanEngine.read("<div><h2>a</h2><p>b c.</p></div><p>d</p>", &Limits::default());
        let schema = Schema::new(&[FeatureGroup::Neighbours], &[], &[], &[]);
        let rows = schema.rows(&page, None);
        let values = rows.iter().nth(1).unwrap();
        assert_eq!(values.len(), names().len());
        assert_eq!(values[10..15], [log(1u32), 0.0, 0.0, 1.0, 1.0]);
        assert_eq!(values[15..20], [log(1u32), 0.0, 0.0, 0.0, 0.0]);
        assert!(values[..10].iter().chain(&values[20..]).all(|v| *v == 0.0));
    }
}
