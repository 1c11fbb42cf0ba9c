//! Drops strays: the few kept blocks of a field whose other blocks are dropped. Blocks of one template are
//! content together or not at all.

use trommel_html::Page;

/// Blocks of a field (those whose whole path of names and classes is equal) from which on it says something.
// Of three blocks a single kept one would already be a stray.
const MIN_BLOCKS: u32 = 4;
/// Maximum share of a field, by the square roots of its words, whose kept blocks are strays.
// Measured together with the next bound, without which zhweb lost .0141: all of one page.
const MAX_STRAY_SHARE: f32 = 0.35;
/// Maximum share of the kept words that may be dropped as strays, because a page may consist of them.
const MAX_PAGE_SHARE: f32 = 0.25;

/// The kept part of the blocks of a field.
#[derive(Clone, Copy, Default)]
struct Field {
    blocks: u32,
    weight: f32,
    kept_weight: f32,
}

impl Field {
    fn is_left_out(&self) -> bool {
        self.blocks >= MIN_BLOCKS && self.kept_weight <= MAX_STRAY_SHARE * self.weight
    }
}

/// Drops the kept blocks of fields that are mostly left out, unless they are a good part of what is kept. In `kept` and
/// `fields` there is one entry for each block: whether it is kept, and the number of its field.
pub(crate) fn drop_strays(page: &Page, fields: &[u32], kept: &mut [bool]) {
    let mut all = vec![Field::default(); page.blocks.len()];
    for ((block, field), kept) in page.blocks.iter().zip(fields).zip(kept.iter()) {
        // Fields are numbered as they come, so there are no more than blocks.
        let Some(field) = all.get_mut(*field as usize) else { continue };
        // By square roots, so that one long block does not outvote all short ones, as in the model's mean over a field.
        let weight = (block.words as f32).sqrt();
        field.blocks += 1;
        field.weight += weight;
        field.kept_weight += if *kept { weight } else { 0.0 };
    }
    let is_stray = |field: &u32| all.get(*field as usize).is_some_and(Field::is_left_out);
    let (mut words, mut stray_words) = (0.0f32, 0.0f32);
    for ((block, field), kept) in page.blocks.iter().zip(fields).zip(kept.iter()) {
        if *kept {
            words += block.words as f32;
            stray_words += if is_stray(field) { block.words as f32 } else { 0.0 };
        }
    }
    // All or none: the page's text may consist of fields that the model barely kept.
    if stray_words > MAX_PAGE_SHARE * words {
        return;
    }
    for (kept, field) in kept.iter_mut().zip(fields) {
        *kept &= !is_stray(field);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};
    use trommel_model::Model;

    /// The kept texts, where the model keeps blocks whose text does not begin with `-`.
    fn left(html: &str) -> Vec<String> {
        let page = ScanEngine.read(html, &Limits::default());
        let texts: Vec<&str> = page.blocks.iter().map(|block| page.text(block)).collect();
        let fields = Model::builtin("fast").unwrap().judge(&page, None).fields;
        assert_eq!(fields.len(), texts.len());
        let before: Vec<bool> = texts.iter().map(|text| !text.starts_with('-')).collect();
        let mut kept = before.clone();
        drop_strays(&page, &fields, &mut kept);
        let added = before.iter().zip(&kept).any(|(before, kept)| *kept && !before);
        assert!(!added, "nothing is added");
        let again = kept.clone();
        drop_strays(&page, &fields, &mut kept);
        assert_eq!(kept, again, "the same again changes nothing");
        let left = texts.iter().zip(&kept).filter(|(_, kept)| **kept);
        left.map(|(text, _)| (*text).to_owned()).collect()
    }

    const TEXT: &str = "<p>The mill stands by the river and turns as it did a hundred years ago, they say.</p>";

    #[test]
    fn a_card_is_not_kept_alone() {
        let cards = |cards: &str| {
            let card = |text| format!("<div class=card><b>{text}</b></div>");
            let cards: String = cards.split(' ').map(card).collect();
            left(&format!("{TEXT}<section>{cards}</section>")).len()
        };
        assert_eq!(cards("one -two -three -four"), 1);
        assert_eq!(cards("one two -three -four"), 3);
        assert_eq!(cards("one two three -four"), 4);
        assert_eq!(cards("one -two -three"), 2, "three are too few to tell");
    }

    #[test]
    fn other_paths_are_other_fields() {
        let html = format!("{TEXT}<p class=a>one<p class=b>-two<p class=c>-three<p class=d>-four");
        assert_eq!(left(&html).len(), 2);
    }

    #[test]
    fn what_is_most_of_a_text_is_no_stray() {
        let words = "word ".repeat(8);
        let html = format!("<p>{words}<p>-{words}<p>-{words}<p>-{words}");
        assert_eq!(left(&html).len(), 1);
        assert_eq!(left(&format!("<div>{}</div>{html}", TEXT.repeat(3))).len(), 3);
    }
}
