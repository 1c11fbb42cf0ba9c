//! Cleaning of the article: what stands in it and is no part of it.

use trommel_html::{Page, Tag};

use super::facts::{ReadabilityFacts, TextSums};

/// Commas from which an element is taken for prose, whatever else it holds.
const COMMAS: u32 = 10;
/// Characters under which an element is too short to stand by itself.
const SHORT: u32 = 25;
/// Link density that an element without a good class may have.
const LINKS: f64 = 0.2;
/// Link density that an element with a good class may have.
const LINKS_GOOD: f64 = 0.5;

/// Returns whether an element is to be taken out of the article.
pub(super) fn is_clutter(
    page: &Page,
    facts: &ReadabilityFacts,
    counts: &[TextSums],
    at: u32,
    class_weights: bool,
) -> bool {
    let Some((element, counts)) = page.element(at).zip(counts.get(at as usize)) else {
        return false;
    };
    let weight = facts.weight(at, class_weights);
    match element.tag {
        Tag::Footer | Tag::Aside => true,
        Tag::H1 | Tag::H2 => weight < 0.0,
        Tag::Table if counts.data > 0 => false,
        Tag::Form | Tag::Fieldset | Tag::Table | Tag::Ul | Tag::Div => {
            weight < 0.0 || counts.commas < COMMAS && is_thin(counts, weight, element.tag == Tag::Ul)
        }
        _ => false,
    }
}

/// The rules for elements with few commas.
fn is_thin(counts: &TextSums, weight: f64, list: bool) -> bool {
    let paragraphs = f64::from(counts.paragraphs);
    let images = f64::from(counts.images);
    // The rule allows a hundred list items before they count.
    let items = f64::from(counts.items) - 100.0;
    let density = counts.link_density();
    images > 1.0 && paragraphs / images < 0.5
        || !list && items > paragraphs
        || f64::from(counts.inputs) > (paragraphs / 3.0).floor()
        || !list && counts.chars < SHORT && (counts.images == 0 || counts.images > 2)
        || !list && weight < 25.0 && density > LINKS
        || weight >= 25.0 && density > LINKS_GOOD
}
