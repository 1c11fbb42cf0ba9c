//! Aggregates over the elements around a block, from its own outwards.

use crate::columns::GroupColumns;
use crate::facts::PageFacts;
use crate::facts::levels::LEVELS;
use crate::facts::sums::Sums;
use crate::group::{Batch, Fact, Fill, Group, RequestedColumns, crossed};
use crate::lexicon::Lexicon;
use crate::log::log;
use crate::scratch::Scratch;

const PARTS: [&str; 6] =
    ["word_share", "link_density", "log_blocks", "paragraph_share", "log_words_per_element", "commas"];

fn names() -> Vec<String> {
    let containers = LEVELS.iter().map(|level| format!("container_{level}"));
    crossed(containers, &PARTS)
}

/// The parts of every element's features.
pub(crate) struct Containers {
    elements: Scratch<[f32; PARTS.len()]>,
    /// The aggregates over everything outside of all elements.
    whole: [f32; PARTS.len()],
}

impl<'a> Group<'a> for Containers {
    const NEEDS: &'static [Fact] = &[Fact::Sums, Fact::Levels];

    fn columns(_: &Lexicon) -> Vec<String> {
        names()
    }

    fn new(facts: &'a PageFacts<'a>, _: RequestedColumns) -> Self {
        Self::of(facts)
    }
}

impl Fill for Containers {
    fn fill(&self, batch: &Batch, out: &mut GroupColumns) {
        for level in 0..LEVELS.len() {
            for part in 0..PARTS.len() {
                out.put_lanes(|lane| self.parts(batch.levels[lane][level])[part]);
            }
        }
    }
}

impl Containers {
    fn of(facts: &PageFacts) -> Self {
        let PageFacts { page, paths, sums, whole, .. } = facts;
        // Once an element and not once a block: the blocks of a page share most of the elements around them.
        let parts = |sum: &Sums, descendants: u32| {
            [
                Sums::share(sum.words, whole.words),
                sum.link_density(),
                log(sum.blocks),
                sum.paragraph_share(),
                // Words for each element inside: menus and cards need many elements for few words.
                log(f64::from(sum.words) / f64::from(descendants.max(1))),
                Sums::share(sum.commas, sum.words),
            ]
        };
        let elements = paths.elements.iter().zip(paths.rows(page)).zip(sums);
        Self {
            elements: elements.map(|((at, element), sum)| parts(sum, element.end.saturating_sub(at + 1))).collect(),
            whole: parts(whole, 0),
        }
    }

    #[inline]
    fn parts(&self, place: u32) -> &[f32; PARTS.len()] {
        // Text outside of all elements is held by the page.
        self.elements.get(place as usize).unwrap_or(&self.whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::groups::FeatureGroup;
    use crate::schema::Schema;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn parts_are_those_of_each_level() {
        let page = ScanEngine.read(
            "<div><p>one, two <a href=x>three</a></p><ul><li>four</li></ul></div><p>five</p>",
            &Limits::default(),
        );
        let schema = Schema::new(&[FeatureGroup::Containers], &[], &[], &[]);
        let rows = schema.rows(&page, None);
        let values = rows.iter().next().unwrap();
        assert_eq!(values.len(), names().len());
        assert!((values[0] - 0.6).abs() < 1e-6 && (values[1] - 1.0 / 3.0).abs() < 1e-6);
        assert!((values[6] - 0.8).abs() < 1e-6 && (values[7] - 0.25).abs() < 1e-6);
        // Above the outermost element the outermost is repeated.
        assert_eq!(values[6..12], values[36..42]);
    }
}
