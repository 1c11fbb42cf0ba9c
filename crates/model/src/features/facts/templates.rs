//! Finds groups of repeated elements: siblings that come from one template, such as cards, rows, posts or menu items.

use trommel_html::{Element, NONE, Page, Tag};

use crate::features::scratch::{Scratch, count_work};
use crate::features::{facts::paths::Paths, facts::shape::Sums, hashes::HashTable, log::log};

/// Names of the facts about each group of repeated elements.
pub(crate) const TEMPLATE_PARTS: [&str; 8] = [
    "log_items", "log_words_per_item", "link_density", "word_share", "prose_density", "images_per_item", "place",
    "uneven",
];

/// Index in [`TEMPLATE_PARTS`] of the rank of the item in its group, as a share of the group's items.
const PLACE: usize = 6;

/// Minimum number of siblings with the same names and classes that count as a group of repeated elements.
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

/// Groups of sibling elements with the same names and classes, such as the cards of a list.
#[derive(Debug, Default)]
pub(crate) struct Templates {
    /// Maps a hash of the parent element and of the items' names and classes to the number of their group, from 1.
    by_template: HashTable<u32>,
    groups: Scratch<Template>,
    /// Features that all items of a group share, one row per group; the column for an item's rank is 0.
    parts: Scratch<[f32; TEMPLATE_PARTS.len()]>,
    /// Indices in [`Paths`] of the outermost and innermost repeated item around each element with text, or [`NONE`].
    items: Scratch<(u32, u32)>,
    /// Index in `groups` of the group of each element with text ([`NONE`] if it is in none), and its rank there from 0.
    places: Scratch<(u32, u32)>,
}

/// Returns whether elements with this tag can be repeated items, unlike paragraphs, cells, headings or inline elements.
fn is_item(tag: Tag) -> bool {
    !tag.is_inline() && !tag.is_heading() && !matches!(tag, Tag::P | Tag::Td | Tag::Th | Tag::Br | Tag::Hr)
}

impl Templates {
    /// Creates empty groups of repeated elements for a page.
    pub fn new(page: &Page) -> Self {
        let mut by_template = HashTable::default();
        by_template.reserve(page.elements.len());
        Self { by_template, places: Scratch::with_capacity(page.elements.len()), ..Self::default() }
    }

    /// Assigns the next element to its group; `parent` is the index in [`Paths`] of the element around it.
    #[inline(always)]
    pub fn visit(&mut self, element: &Element, parent: u32) {
        // Paragraphs repeat in every text: as items they would make each article look like a list.
        if !is_item(element.tag) {
            self.places.push((NONE, 0));
            return;
        }
        count_work(1);
        let around = u64::from(parent).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let Some(number) = self.by_template.entry(element.signature ^ around) else { return };
        if *number == 0 {
            self.groups.push(Template::default());
            *number = self.groups.len() as u32;
        }
        let index = *number - 1;
        if let Some(group) = self.groups.get_mut(index as usize) {
            self.places.push((index, group.items));
            group.items += 1;
        }
    }

    /// Adds the sums of the element at index `place` in [`Paths`] to the sums of its group.
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

    /// Finds the repeated items around each element, once all elements have been visited and added.
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

    /// Returns the features of the outermost and the innermost repeated item around the element at index `place` of
    /// [`Paths`], and last whether both are the same.
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
    /// Returns the features of the group; the column for an item's rank is left 0.
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
    use crate::features::facts::{Fact, PageFacts};
    use crate::features::lexicon::Lexicon;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn groups_are_of_one_element_and_one_signature() {
        let html = "<ul><li>a<li>b<li>c<li class=x>d</ul><ol><li>e<li>f</ol><ul><li>g</ul>";
        let page = ScanEngine.read(html, &Limits::default());
        let lexicon = Lexicon::new(&[], &[], &[]);
        let facts = PageFacts::new(&page, None, &lexicon, &[Fact::Templates]);
        let items: Vec<u32> = facts.elements.templates.groups.iter().map(|group| group.items).collect();
        // Both unordered lists, the items of the first, of the ordered one, and of the last.
        assert_eq!(items, [2, 3, 1, 1, 2, 1]);
    }
}
