//! Groups of repeated elements: siblings that come from one template, such as cards, rows, posts or menu items.

use rustc_hash::FxHashMap;
use trommel_html::{Element, NONE, Page, Tag};

use crate::features::scratch::{Scratch, count_work};
use crate::features::{facts::paths::Paths, facts::shape::Sums, log::log};

/// Names of the facts about each group.
pub(crate) const TEMPLATE_PARTS: [&str; 8] = [
    "log_items", "log_words_per_item", "link_density", "word_share", "prose_density", "images_per_item", "place",
    "uneven",
];

/// The column with the item's place in its group.
const PLACE: usize = 6;

/// Siblings needed for a group.
// Two siblings alike are common by chance (two columns, two buttons); three are a template.
const MIN_SIBLINGS: u32 = 3;

#[derive(Clone, Copy, Debug, Default)]
struct Template {
    items: u32,
    words: u32,
    squares: f64,
    link_words: u32,
    prose: u32,
    images: u32,
}

/// The groups of repeated siblings of a page, each made by one template.
#[derive(Debug, Default)]
pub(crate) struct Templates {
    by_template: ByTemplate,
    groups: Scratch<Template>,
    /// For each group, the features that all of its items share; the place of an item is not among them.
    parts: Scratch<[f32; TEMPLATE_PARTS.len()]>,
    /// Outermost and innermost item around each element on a path, by places, or [`NONE`].
    items: Scratch<(u32, u32)>,
    /// Template of each element on a path ([`NONE`] if it is in none) and its rank there.
    places: Scratch<(u32, u32)>,
}

/// Groups by the element around them and the signature of their items. Most elements hold items of few
/// templates, which are looked through; further ones are found by their hash.
#[derive(Debug, Default)]
struct ByTemplate {
    /// The group of each element that came last, or [`NONE`]; of the page, behind them.
    last: Scratch<u32>,
    /// Signature of each group, and the group that came before it in the same element; [`NONE`] for none,
    /// and for the groups in `further`.
    groups: Scratch<(u64, u32)>,
    further: FxHashMap<(u32, u64), u32>,
}

/// Groups of an element that are looked through.
// Comparing eight signatures side by side is cheaper than a hash; without the bound a hostile page would be quadratic.
const MAX_GROUPS_SEARCHED: usize = 8;

impl ByTemplate {
    fn new(elements: usize) -> Self {
        Self {
            last: Scratch::filled(elements + 1, NONE),
            groups: Scratch::with_capacity(0),
            further: FxHashMap::default(),
        }
    }

    fn slot(&self, parent: u32) -> usize {
        (parent as usize).min(self.last.len() - 1)
    }

    /// The groups of an element that are looked through.
    fn listed(&self, parent: u32) -> impl Iterator<Item = (u32, u64)> {
        let mut next = self.last.get(self.slot(parent)).copied().unwrap_or(NONE);
        std::iter::from_fn(move || {
            let at = next;
            let (signature, before) = self.groups.get(at as usize)?;
            next = *before;
            Some((at, *signature))
        })
    }

    #[inline]
    fn get(&self, parent: u32, signature: u64) -> Option<u32> {
        // Most elements are like the one before beside them.
        let last = self.last.get(self.slot(parent)).copied().unwrap_or(NONE);
        if self.groups.get(last as usize).is_some_and(|(listed, _)| *listed == signature) {
            return Some(last);
        }
        self.search(parent, signature)
    }

    fn search(&self, parent: u32, signature: u64) -> Option<u32> {
        let mut known = 0;
        for (group, listed) in self.listed(parent) {
            if listed == signature {
                return Some(group);
            }
            known += 1;
        }
        if known < MAX_GROUPS_SEARCHED {
            return None;
        }
        self.further.get(&(parent, signature)).copied()
    }

    /// Adds a group, and gives its number.
    fn insert(&mut self, parent: u32, signature: u64) -> u32 {
        let group = self.groups.len() as u32;
        let slot = self.slot(parent);
        if self.listed(parent).count() == MAX_GROUPS_SEARCHED {
            self.further.insert((parent, signature), group);
            self.groups.push((signature, NONE));
        } else if let Some(last) = self.last.get_mut(slot) {
            self.groups.push((signature, *last));
            *last = group;
        }
        group
    }
}

/// Elements that repeat as paragraphs and cells do, not as items.
fn is_item(tag: Tag) -> bool {
    !tag.is_inline() && !tag.is_heading() && !matches!(tag, Tag::P | Tag::Td | Tag::Th | Tag::Br | Tag::Hr)
}

impl Templates {
    /// The groups of the elements of a page, before any has been visited.
    pub fn new(page: &Page) -> Self {
        Self {
            by_template: ByTemplate::new(page.elements.len()),
            places: Scratch::with_capacity(page.elements.len()),
            ..Self::default()
        }
    }

    /// Finds the group of the next element, whose parent is at `parent`.
    #[inline(always)]
    pub fn visit(&mut self, element: &Element, parent: u32) {
        // Paragraphs repeat in every text: as items they would make each article look like a list.
        if !is_item(element.tag) {
            self.places.push((NONE, 0));
            return;
        }
        count_work(1);
        let index = self.by_template.get(parent, element.signature).unwrap_or_else(|| {
            self.groups.push(Template::default());
            self.by_template.insert(parent, element.signature)
        });
        if let Some(group) = self.groups.get_mut(index as usize) {
            self.places.push((index, group.items));
            group.items += 1;
        }
    }

    /// Adds the sums of the element at a place to those of its group.
    #[inline(always)]
    pub fn add(&mut self, place: usize, sums: &Sums) {
        let group = self.places.get(place).and_then(|(group, _)| self.groups.get_mut(*group as usize));
        let Some(group) = group else { return };
        group.words += sums.words;
        group.squares += f64::from(sums.words).powi(2);
        group.link_words += sums.link_words;
        group.prose += sums.prose;
        group.images += sums.images;
    }

    /// Finds the repeated elements around each element, once all have been visited and added.
    pub fn finish(&mut self, paths: &Paths, whole: &Sums) {
        let Self { groups, places, .. } = self;
        let mut items: Scratch<(u32, u32)> = Scratch::with_capacity(paths.len());
        for (at, (parent, (group, _))) in (0u32..).zip(paths.parents.iter().zip(places.iter())) {
            let above = items.get(*parent as usize).copied();
            let (outer, inner) = above.unwrap_or((NONE, NONE));
            let group = groups.get(*group as usize);
            let repeated = group.is_some_and(|group| group.items >= MIN_SIBLINGS);
            // Outermost and innermost: a card in a grid and a label in that card say different things.
            items.push(if repeated { (if outer == NONE { at } else { outer }, at) } else { (outer, inner) });
        }
        // Nobody asks for others, which are most.
        let parts = groups.iter().map(|group| {
            if group.items >= MIN_SIBLINGS { group.parts(whole.words) } else { [0.0; TEMPLATE_PARTS.len()] }
        });
        self.parts = parts.collect();
        self.items = items;
    }

    /// The features of a block in the element at a place.
    pub fn features(&self, place: u32) -> [f32; 2 * TEMPLATE_PARTS.len() + 1] {
        let mut row = [0.0; 2 * TEMPLATE_PARTS.len() + 1];
        let (outer, inner) = self.items.get(place as usize).copied().unwrap_or((NONE, NONE));
        for (item, slots) in [outer, inner].iter().zip(row.chunks_exact_mut(TEMPLATE_PARTS.len())) {
            let place = self.places.get(*item as usize);
            let Some((group, rank)) = place else { continue };
            let (Some(group), Some(parts)) = (self.groups.get(*group as usize), self.parts.get(*group as usize)) else {
                continue;
            };
            slots.copy_from_slice(parts);
            if let Some(place) = slots.get_mut(PLACE) {
                *place = *rank as f32 / f64::from(group.items.max(1)) as f32;
            }
        }
        if let Some(same) = row.last_mut() {
            *same = f32::from(u8::from(outer == inner));
        }
        row
    }
}

impl Template {
    /// Its features; that of an item's place is left 0.
    fn parts(&self, page_words: u32) -> [f32; TEMPLATE_PARTS.len()] {
        let items = f64::from(self.items.max(1));
        let mean = f64::from(self.words) / items;
        let variance = (self.squares / items - mean * mean).max(0.0);
        let words = self.words.max(1) as f32;
        [
            log(self.items),
            log(mean),
            self.link_words as f32 / words,
            words / page_words.max(1) as f32,
            self.prose as f32 / words,
            // More images for one item are a gallery, whatever their number.
            (f64::from(self.images) / items).min(5.0) as f32,
            0.0,
            (variance.sqrt() / mean.max(1.0)) as f32,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_found_by_element_and_signature() {
        let mut groups = ByTemplate::new(5);
        let parents = [NONE, 0, 4];
        for signature in 0..3 * MAX_GROUPS_SEARCHED as u64 {
            for parent in parents {
                assert_eq!(groups.get(parent, signature), None);
                let group = groups.insert(parent, signature);
                assert_eq!(group as usize + 1, groups.groups.len());
            }
        }
        for signature in 0..3 * MAX_GROUPS_SEARCHED as u64 {
            for (at, parent) in (0u64..).zip(parents) {
                let expected = (3 * signature + at) as u32;
                assert_eq!(groups.get(parent, signature), Some(expected));
            }
        }
        assert_eq!(groups.get(1, 0), None);
    }
}
