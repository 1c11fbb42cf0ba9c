//! Repeated elements: the groups of siblings made by one template (cards, rows, posts, menu items)
//! that a block stands in, outermost and innermost.

use rustc_hash::FxHashMap;
use trommel_html::{NONE, Page, Tag};

use crate::containers::Sums;
use crate::prose::{Prose, sum_up};
use crate::text::log;

const PARTS: [&str; 8] = [
    "log_items",
    "log_words_per_item",
    "link_density",
    "word_share",
    "prose_density",
    "images_per_item",
    "place",
    "uneven",
];

pub(crate) fn names() -> Vec<String> {
    ["outer", "inner"]
        .iter()
        .flat_map(|which| {
            PARTS
                .iter()
                .map(move |part| format!("repeats.{which}.{part}"))
        })
        .chain(["repeats.same".to_owned()])
        .collect()
}

/// Siblings needed for a group.
const LEAST: u32 = 3;

#[derive(Clone, Copy, Debug, Default)]
struct Group {
    items: u32,
    words: u32,
    squares: f64,
    link_words: u32,
    prose: u32,
    images: u32,
}

/// The groups of a page.
pub(crate) struct Repeats {
    groups: FxHashMap<(u32, u64), Group>,
    /// Outermost and innermost item around each element, or [`NONE`].
    items: Vec<(u32, u32)>,
    /// Rank of each element in its group.
    rank: Vec<u32>,
    page_words: u32,
}

/// Elements that repeat as paragraphs and cells do, not as items.
fn is_item(tag: Tag) -> bool {
    !tag.is_inline()
        && !tag.is_heading()
        && !matches!(tag, Tag::P | Tag::Td | Tag::Th | Tag::Br | Tag::Hr)
}

impl Repeats {
    pub fn new(page: &Page, sums: &[Sums], whole: &Sums, prose: &Prose) -> Self {
        let mut images: Vec<u32> = page
            .elements
            .iter()
            .map(|element| u32::from(element.tag == Tag::Img))
            .collect();
        sum_up(page, &mut images);
        let mut groups: FxHashMap<(u32, u64), Group> = FxHashMap::default();
        let mut rank = Vec::with_capacity(page.elements.len());
        for (at, element) in (0u32..).zip(&page.elements) {
            let own = sums.get(at as usize).copied().unwrap_or_default();
            if !is_item(element.tag) || own.words == 0 {
                rank.push(0);
                continue;
            }
            let group = groups
                .entry((element.parent, element.signature))
                .or_default();
            rank.push(group.items);
            group.items += 1;
            group.words += own.words;
            group.squares += f64::from(own.words).powi(2);
            group.link_words += own.link_words;
            group.prose += prose.inside(at);
            group.images += images.get(at as usize).copied().unwrap_or(0);
        }
        let mut items: Vec<(u32, u32)> = Vec::with_capacity(page.elements.len());
        for (at, element) in (0u32..).zip(&page.elements) {
            let (outer, inner) = items
                .get(element.parent as usize)
                .copied()
                .unwrap_or((NONE, NONE));
            let repeated = is_item(element.tag)
                && groups
                    .get(&(element.parent, element.signature))
                    .is_some_and(|group| group.items >= LEAST);
            items.push(if repeated {
                (if outer == NONE { at } else { outer }, at)
            } else {
                (outer, inner)
            });
        }
        Self {
            groups,
            items,
            rank,
            page_words: whole.words,
        }
    }

    pub fn features(&self, page: &Page, element: u32, give: &mut impl FnMut(f32)) {
        let (outer, inner) = self
            .items
            .get(element as usize)
            .copied()
            .unwrap_or((NONE, NONE));
        for item in [outer, inner] {
            let group = page
                .element(item)
                .and_then(|own| self.groups.get(&(own.parent, own.signature)));
            let Some(group) = group else {
                PARTS.iter().for_each(|_| give(0.0));
                continue;
            };
            let items = f64::from(group.items.max(1));
            let mean = f64::from(group.words) / items;
            let variance = (group.squares / items - mean * mean).max(0.0);
            let words = group.words.max(1) as f32;
            let rank = self.rank.get(item as usize).copied().unwrap_or(0);
            give(log(group.items));
            give(log(mean));
            give(group.link_words as f32 / words);
            give(words / self.page_words.max(1) as f32);
            give(group.prose as f32 / words);
            give((f64::from(group.images) / items).min(5.0) as f32);
            give(rank as f32 / items as f32);
            give((variance.sqrt() / mean.max(1.0)) as f32);
        }
        give(f32::from(u8::from(outer == inner)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::containers;
    use crate::text::Shape;
    use trommel_html::{Engine, Limits, LolEngine};

    #[test]
    fn items_know_their_group() {
        let card = "<div class=card><img src=x><p>One card with some words.</p></div>";
        let html = format!(
            "<p>Alone it stands.</p><section>{}</section>",
            card.repeat(4)
        );
        let page = LolEngine.read(&html, &Limits::default());
        let shapes: Vec<Shape> = page
            .blocks
            .iter()
            .map(|b| Shape::of(page.text(b)))
            .collect();
        let (sums, whole) = containers::sums(&page, &shapes);
        let prose = Prose::new(&page, &shapes);
        let repeats = Repeats::new(&page, &sums, &whole, &prose);
        let of = |block: usize| {
            let mut values = Vec::new();
            repeats.features(&page, page.blocks[block].element, &mut |v| values.push(v));
            assert_eq!(values.len(), names().len());
            values
        };
        assert!(of(0)[..16].iter().all(|v| *v == 0.0));
        let third = of(3);
        assert_eq!(third[..2], [log(4u32), log(5u32)]);
        assert_eq!(third[3], 20.0 / 23.0);
        assert_eq!(third[4..8], [1.0, 1.0, 0.5, 0.0]);
        assert_eq!(third[16], 1.0);
    }
}
