//! Aggregates of the elements around a block, from its own outwards.

use trommel_html::{NONE, Page, Tag};

use crate::columns::GroupColumns;
use crate::facts::PageFacts;
use crate::group::{Batch, Fact, Fill, Group};
use crate::lexicon::Lexicon;
use crate::text::{Shape, log};
use crate::work::count_work;

/// How many elements up each group of features looks.
pub(crate) const LEVELS: [usize; 7] = [0, 1, 2, 3, 4, 6, 8];
const PARTS: [&str; 6] = [
    "word_share",
    "link_density",
    "log_blocks",
    "paragraph_share",
    "log_words_per_element",
    "commas",
];

fn names() -> Vec<String> {
    LEVELS
        .iter()
        .flat_map(|level| {
            PARTS
                .iter()
                .map(move |part| format!("container_{level}.{part}"))
        })
        .collect()
}

/// Sums over the blocks inside an element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub words: u32,
    pub link_words: u32,
    pub blocks: u32,
    pub paragraph_words: u32,
    pub commas: u32,
}

impl Sums {
    fn add(&mut self, other: &Sums) {
        self.words += other.words;
        self.link_words += other.link_words;
        self.blocks += other.blocks;
        self.paragraph_words += other.paragraph_words;
        self.commas += other.commas;
    }

    fn share(part: u32, whole: u32) -> f32 {
        if whole == 0 {
            0.0
        } else {
            part as f32 / whole as f32
        }
    }

    pub fn link_density(&self) -> f32 {
        Self::share(self.link_words, self.words)
    }

    pub fn paragraph_share(&self) -> f32 {
        Self::share(self.paragraph_words, self.words)
    }
}

/// Sums of every element of the page, and of the page.
pub(crate) fn sums(page: &Page, shapes: &[Shape]) -> (Vec<Sums>, Sums) {
    let mut sums = vec![Sums::default(); page.elements.len()];
    let mut whole = Sums::default();
    for (block, shape) in page.blocks.iter().zip(shapes) {
        let paragraph = page
            .container(block)
            .is_some_and(|(_, element)| element.tag == Tag::P);
        let own = Sums {
            words: block.words,
            link_words: block.link_words,
            blocks: 1,
            paragraph_words: if paragraph { block.words } else { 0 },
            commas: shape.commas,
        };
        whole.add(&own);
        if let Some(sum) = sums.get_mut(block.element as usize) {
            sum.add(&own);
        }
    }
    count_work(page.elements.len());
    // Elements stand before their descendants, so backwards each is complete before it is passed up.
    for at in (0..page.elements.len()).rev() {
        let Some((element, own)) = page.elements.get(at).zip(sums.get(at).copied()) else {
            continue;
        };
        if let Some(parent) = sums.get_mut(element.parent as usize) {
            parent.add(&own);
        }
    }
    (sums, whole)
}

/// The element `levels` levels up, or the outermost one if there are fewer.
fn ancestor(page: &Page, element: u32, levels: usize) -> u32 {
    let mut at = element;
    for _ in 0..levels {
        count_work(1);
        match page.element(at) {
            Some(own) if own.parent != NONE => at = own.parent,
            _ => break,
        }
    }
    at
}

/// An element for each of [`LEVELS`].
pub(crate) type Levels = [u32; LEVELS.len()];

/// The elements at each of [`LEVELS`] around an element; a level above the outermost one repeats it.
pub(crate) fn levels(page: &Page, element: u32) -> Levels {
    let mut at = element;
    let mut level = 0;
    LEVELS.map(|wanted| {
        at = ancestor(page, at, wanted - level);
        level = wanted;
        at
    })
}

/// The parts of every element's features.
pub(crate) struct Containers {
    elements: Vec<[f32; PARTS.len()]>,
    /// What stands outside of all elements.
    whole: [f32; PARTS.len()],
}

impl<'a> Group<'a> for Containers {
    const NEEDS: &'static [Fact] = &[Fact::Sums, Fact::Levels];

    fn columns(_: &Lexicon) -> Vec<String> {
        names()
    }

    fn new(facts: &'a PageFacts<'a>) -> Self {
        Self::of(facts.page, &facts.sums, &facts.whole)
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
    fn of(page: &Page, sums: &[Sums], whole: &Sums) -> Self {
        let parts = |sum: &Sums, descendants: u32| {
            [
                Sums::share(sum.words, whole.words),
                sum.link_density(),
                log(sum.blocks),
                sum.paragraph_share(),
                log(f64::from(sum.words) / f64::from(descendants.max(1))),
                Sums::share(sum.commas, sum.words),
            ]
        };
        let elements = (0u32..).zip(page.elements.iter().zip(sums));
        Self {
            elements: elements
                .map(|(at, (element, sum))| {
                    // Nobody asks for an element without blocks.
                    if sum.blocks == 0 {
                        return [0.0; PARTS.len()];
                    }
                    parts(sum, element.end.saturating_sub(at + 1))
                })
                .collect(),
            whole: parts(whole, 0),
        }
    }

    #[inline]
    fn parts(&self, element: u32) -> &[f32; PARTS.len()] {
        self.elements.get(element as usize).unwrap_or(&self.whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::FeatureGroup;
    use crate::schema::Schema;
    use trommel_html::{Engine, Limits, LolEngine};

    #[test]
    fn sums_go_up_the_path() {
        let page = LolEngine.read(
            "<div><p>one, two <a href=x>three</a></p><ul><li>four</li></ul></div><p>five</p>",
            &Limits::default(),
        );
        let shapes: Vec<Shape> = page
            .blocks
            .iter()
            .map(|b| Shape::of(page.text(b)))
            .collect();
        let (sums, whole) = sums(&page, &shapes);
        assert_eq!(
            whole,
            Sums {
                words: 5,
                link_words: 1,
                blocks: 3,
                paragraph_words: 4,
                commas: 1
            }
        );
        assert_eq!(
            sums[0],
            Sums {
                words: 4,
                link_words: 1,
                blocks: 2,
                paragraph_words: 3,
                commas: 1
            }
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
