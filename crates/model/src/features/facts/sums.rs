//! Sums over the blocks inside each element.

use trommel_html::{Element, Page, Tag};

use super::paths::Paths;
use super::shape::Shape;

/// Sums over the blocks inside an element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub words: u32,
    pub link_words: u32,
    pub blocks: u32,
    pub paragraph_words: u32,
    pub commas: u32,
    /// Words of prose ([`Shape::prose_words`]).
    pub prose: u32,
    /// `img` elements.
    pub images: u32,
    /// Elements inside. Not summed: it follows from the place of the element.
    // With it a row is two vectors, which are added as such.
    pub descendants: u32,
}

impl Sums {
    /// The sums of an element in which no block has been counted.
    pub fn of(at: u32, element: &Element) -> Self {
        Self { descendants: element.end.saturating_sub(at + 1), ..Self::default() }
    }

    #[inline(always)]
    pub fn add(&mut self, other: &Sums) {
        self.words += other.words;
        self.link_words += other.link_words;
        self.blocks += other.blocks;
        self.paragraph_words += other.paragraph_words;
        self.commas += other.commas;
        self.prose += other.prose;
        self.images += other.images;
    }

    pub fn share(part: u32, whole: u32) -> f32 {
        if whole == 0 { 0.0 } else { part as f32 / whole as f32 }
    }

    pub fn link_density(&self) -> f32 {
        Self::share(self.link_words, self.words)
    }

    pub fn paragraph_share(&self) -> f32 {
        Self::share(self.paragraph_words, self.words)
    }
}

/// Adds the blocks of a page to their elements, and gives the sums of the page, whose images are not counted.
pub(crate) fn add_blocks(sums: &mut [Sums], page: &Page, paths: &Paths, shapes: &[Shape]) -> Sums {
    let mut whole = Sums::default();
    for ((block, shape), place) in page.blocks.iter().zip(shapes).zip(&paths.blocks) {
        // By the container and not the element: a paragraph may hold its words in `span` or `b`.
        let paragraph = page.container(block).is_some_and(|(_, element)| element.tag == Tag::P);
        let element_sums = Sums {
            words: block.words,
            link_words: block.link_words,
            blocks: 1,
            paragraph_words: if paragraph { block.words } else { 0 },
            commas: shape.commas,
            prose: shape.prose_words(block),
            ..Sums::default()
        };
        whole.add(&element_sums);
        if let Some(sum) = sums.get_mut(*place as usize) {
            sum.add(&element_sums);
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::facts::{Fact, PageFacts};
    use crate::features::lexicon::Lexicon;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn sums_go_up_the_path() {
        let page = ScanEngine.read(
            "<div><p>one, two <a href=x>three</a></p><img><ul><li>four</li></ul></div><p>five</p>",
            &Limits::default(),
        );
        let lexicon = Lexicon::new(&[], &[], &[]);
        let PageFacts { sums, whole, .. } = PageFacts::new(&page, None, &lexicon, &[Fact::Sums]);
        assert_eq!(
            whole,
            Sums { words: 5, link_words: 1, blocks: 3, paragraph_words: 4, commas: 1, ..Sums::default() }
        );
        assert_eq!(
            sums[0],
            Sums {
                words: 4,
                link_words: 1,
                blocks: 2,
                paragraph_words: 3,
                commas: 1,
                prose: 0,
                images: 1,
                descendants: 5,
            }
        );
    }
}
