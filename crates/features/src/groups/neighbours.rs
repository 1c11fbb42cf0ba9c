//! Features of the three blocks before and after a block.

use trommel_html::Page;

use crate::columns::GroupColumns;
use crate::facts::PageFacts;
use crate::facts::shape::Shape;
use crate::group::{Batch, Fact, Fill, Group, RequestedColumns, crossed};
use crate::lexicon::Lexicon;
use crate::log::log;

// Further than the two neighbours of the paper: a caption or date between paragraphs hides the next paragraph.
const OFFSETS: [isize; 6] = [-3, -2, -1, 1, 2, 3];
const PARTS: [&str; 5] = ["log_words", "link_density", "ends_sentence", "heading", "same_container"];

fn names() -> Vec<String> {
    let neighbours = OFFSETS.iter().map(|offset| format!("neighbour_{offset:+}"));
    crossed(neighbours, &PARTS)
}

/// The facts about a block that its neighbours read.
struct Neighbour {
    parts: [f32; 4],
    /// Element around its container.
    parent: Option<u32>,
}

/// Every block as a neighbour.
fn neighbours(page: &Page, shapes: &[Shape]) -> Vec<Neighbour> {
    let flag = |value: bool| f32::from(u8::from(value));
    let blocks = page.blocks.iter().zip(shapes);
    blocks
        .map(|(block, shape)| {
            let container = page.container(block).map(|(_, element)| element);
            Neighbour {
                parts: [
                    log(block.words),
                    block.link_density(),
                    flag(shape.ends_sentence),
                    flag(container.is_some_and(|element| element.tag.is_heading())),
                ],
                parent: container.map(|element| element.parent),
            }
        })
        .collect()
}

/// All blocks of a page as neighbours; beyond the page's ends there is nothing, and all is zero.
pub(crate) struct Neighbours(Vec<Neighbour>);

impl<'a> Group<'a> for Neighbours {
    const NEEDS: &'static [Fact] = &[Fact::Shapes];

    fn columns(_: &Lexicon) -> Vec<String> {
        names()
    }

    fn new(facts: &'a PageFacts<'a>, _: RequestedColumns) -> Self {
        Self(neighbours(facts.page, &facts.shapes))
    }
}

impl Fill for Neighbours {
    fn fill(&self, _: &Batch, out: &mut GroupColumns) {
        for offset in OFFSETS {
            // Before the first block the sum wraps to an index that no page has.
            let of = |at: usize| self.0.get(at.wrapping_add_signed(offset));
            for part in 0..PARTS.len() - 1 {
                out.put(|at| of(at).map_or(0.0, |neighbour| neighbour.parts[part]));
            }
            out.put(|at| {
                let pair = self.0.get(at).zip(of(at));
                let same = pair.is_some_and(|(current, neighbour)| current.parent == neighbour.parent);
                f32::from(u8::from(same))
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::groups::FeatureGroup;
    use crate::schema::Schema;
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
