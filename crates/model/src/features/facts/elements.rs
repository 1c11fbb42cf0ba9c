//! Gathers what is known of each element with text. Each is visited twice: once down, for what it has from those
//! around it, and once up, for what they have from it.

use trommel_html::{Page, Tag};

use super::around::around_with;
use super::container_parts::ContainerParts;
use super::paths::Paths;
use super::shape::Shape;
use super::sums::{Sums, add_blocks};
use super::templates::Templates;
use super::weights::PathWeights;
use crate::features::lexicon::Lexicon;
use crate::features::scratch::Scratch;

/// The facts of elements that groups need.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    pub sums: bool,
    /// They are made of sums.
    pub containers: bool,
    pub around: bool,
    pub weights: bool,
    /// They are made of sums.
    pub templates: bool,
}

/// The facts of all elements with text of a page, by their places; those that nobody wants are empty.
#[derive(Default)]
pub(crate) struct ElementFacts {
    pub paths: Paths,
    pub sums: Scratch<Sums>,
    /// The sums of the page.
    pub whole: Sums,
    pub containers: ContainerParts,
    /// The kinds of elements that each is or stands in.
    pub around: Scratch<u32>,
    pub weights: PathWeights,
    pub templates: Templates,
}

impl ElementFacts {
    /// The facts of the elements of a page whose blocks have these shapes.
    pub fn new(page: &Page, lexicon: &Lexicon, shapes: &[Shape], wanted: Wanted) -> Self {
        let room = |is_wanted: bool| if is_wanted { page.elements.len() } else { 0 };
        let mut sums: Scratch<Sums> = Scratch::with_capacity(room(wanted.sums));
        let mut around: Scratch<u32> = Scratch::with_capacity(room(wanted.around));
        let mut weights = if wanted.weights { PathWeights::new(page) } else { PathWeights::default() };
        let mut templates = if wanted.templates { Templates::new(page) } else { Templates::default() };
        let mut paths = Paths::visited(page, |at, element, parent, has_text| {
            if !has_text {
                // Images have no place of their own: they count for what is around them.
                if element.tag == Tag::Img
                    && let Some(sum) = sums.get_mut(parent as usize)
                {
                    sum.images += 1;
                }
                return;
            }
            if wanted.sums {
                sums.push(Sums::of(at, element));
            }
            if wanted.around {
                let above = around.get(parent as usize).copied().unwrap_or(0);
                around.push(around_with(above, element.tag));
            }
            if wanted.weights {
                weights.visit(page, lexicon, element, parent);
            }
            if wanted.templates {
                templates.visit(element, parent);
            }
        });
        let whole = if wanted.sums { add_blocks(&mut sums, page, &paths, shapes) } else { Sums::default() };
        let mut containers =
            if wanted.containers { ContainerParts::new(paths.len(), &whole) } else { ContainerParts::default() };
        paths.end(|at, parent| {
            let Some(element_sums) = sums.get(at).copied() else { return };
            if let Some(outer) = sums.get_mut(parent as usize) {
                outer.add(&element_sums);
            }
            if wanted.containers {
                containers.set(at, &element_sums);
            }
            if wanted.templates {
                templates.add(at, &element_sums);
            }
        });
        if wanted.templates {
            templates.finish(&paths, &whole);
        }
        Self { paths, sums, whole, containers, around, weights, templates }
    }
}
