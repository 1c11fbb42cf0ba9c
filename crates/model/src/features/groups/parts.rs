//! Computes features of a field (such as a list of ingredients) and of the page, each as a whole.
//!
//! The blocks of a field are short. Their number, their likeness and quantities at their beginnings show what they
//! are. Features of the whole page and of its address are the same for all of its blocks.

use rustc_hash::FxHashSet;
use trommel_html::{FieldIndex, Page, Tag};
use trommel_text::words;

use crate::features::facts::{PageFacts, shape::Shape};
use crate::features::groups::{Fill, constants, rows};
use crate::features::hashes;
use crate::features::log::{flag, log};
use crate::features::scratch::Scratch;

pub(super) const FIELD_NAMES: [&str; 9] = [
    "fields.log_blocks", "fields.log_words_per_block", "fields.word_share", "fields.uneven", "fields.numbers",
    "fields.sentences", "fields.link_density", "fields.inputs", "fields.spread",
];

/// Sums over the blocks of one field: all blocks with the same path of names and classes.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    blocks: u32,
    words: u32,
    // Sums of squares need more digits than f32 has, or the variance of long texts would be noise.
    squares: f64,
    link_words: u32,
    numbers: u32,
    sentences: u32,
    inputs: u32,
    first: usize,
    last: usize,
}

/// Features of the fields of a page (a field is all blocks with the same path of names and classes), one row per field.
struct FieldFeatures<'a> {
    index: &'a FieldIndex,
    rows: Scratch<[f32; FIELD_NAMES.len()]>,
}

pub(super) fn fields<'a>(facts: &'a PageFacts<'a>) -> Fill<'a> {
    let fields = FieldFeatures::of(facts.page, &facts.shapes);
    rows(move |at| fields.row(at))
}

/// Returns whether a text begins with a quantity: a digit of any script, or a fraction.
fn begins_with_number(text: &str) -> bool {
    match text.as_bytes().first() {
        Some(byte) if byte.is_ascii() => byte.is_ascii_digit(),
        _ => text.chars().next().is_some_and(char::is_numeric),
    }
}

impl<'a> FieldFeatures<'a> {
    fn of(page: &'a Page, shapes: &[Shape]) -> Self {
        let index = page.fields();
        let mut sums = Scratch::filled(index.fields as usize, Sum::default());
        let mut words = 0;
        let blocks = page.blocks.iter().zip(shapes).zip(&index.of_block);
        for (at, ((block, shape), field)) in blocks.enumerate() {
            words += block.words;
            let Some(sum) = sums.get_mut(*field as usize) else { continue };
            if sum.blocks == 0 {
                sum.first = at;
            }
            sum.last = at;
            sum.blocks += 1;
            sum.words += block.words;
            sum.squares += f64::from(block.words).powi(2);
            sum.link_words += block.link_words;
            // Ingredients begin with a quantity, which tells their list from a menu of lines as short.
            sum.numbers += u32::from(begins_with_number(page.text(block)));
            sum.sentences += u32::from(shape.ends_sentence);
            sum.inputs += u32::from(block.inputs > 0);
        }
        Self { index, rows: sums.iter().map(|sum| sum.row(words)).collect() }
    }

    fn row(&self, at: usize) -> [f32; FIELD_NAMES.len()] {
        let field = self.index.of_block.get(at);
        let row = field.and_then(|field| self.rows.get(*field as usize));
        row.copied().unwrap_or_default()
    }
}

impl Sum {
    fn row(&self, page_words: u32) -> [f32; FIELD_NAMES.len()] {
        let blocks = f64::from(self.blocks.max(1));
        let mean = f64::from(self.words) / blocks;
        // Rounding can leave a small negative number, which has no root.
        let variance = (self.squares / blocks - mean * mean).max(0.0);
        let share = |part: u32| part as f32 / self.blocks.max(1) as f32;
        [
            log(self.blocks),
            log(mean),
            self.words as f32 / page_words.max(1) as f32,
            (variance.sqrt() / mean.max(1.0)) as f32,
            share(self.numbers),
            share(self.sentences),
            self.link_words as f32 / self.words.max(1) as f32,
            share(self.inputs),
            // Fields that are spread over a page are labels of cards; dense ones are lists.
            log((self.last - self.first + 1) as f64 / blocks),
        ]
    }
}

pub(super) const PAGE_NAMES: [&str; 10] = [
    "page.log_words", "page.log_blocks", "page.link_density", "page.paragraph_share", "page.log_elements",
    "page.article", "page.product", "page.list", "page.discussion", "page.headline",
];

pub(super) fn page<'a>(facts: &PageFacts) -> Fill<'a> {
    let (page, whole) = (facts.page, &facts.elements.whole);
    let has_headline = page.blocks.iter().any(|block| {
        let container = page.container(block);
        container.is_some_and(|(_, element)| element.tag == Tag::H1)
    });
    // JSON-LD as well, because `og:type` has no value for lists and forums.
    let og = page.head.meta("og:type").unwrap_or_default().to_ascii_lowercase();
    let says = |og_part: &str, types: &[&str]| {
        let og = !og_part.is_empty() && og.contains(og_part);
        // A word search does: the names of schema.org types stand in no other place of JSON-LD.
        let ld = page.head.json_ld.iter().any(|script| types.iter().any(|kind| script.text.contains(kind)));
        f32::from(u8::from(og || ld))
    };
    constants::<{ PAGE_NAMES.len() }>([
        log(whole.words),
        log(whole.blocks),
        whole.link_density(),
        whole.paragraph_share(),
        log(page.elements.len() as f64),
        says("article", &["Article\"", "Posting\""]),
        says("product", &["\"Product\""]),
        says("", &["\"ItemList\"", "\"CollectionPage\""]),
        says("", &["\"DiscussionForumPosting\"", "\"QAPage\""]),
        f32::from(u8::from(has_headline)),
    ])
}

pub(super) const ADDRESS_NAMES: [&str; 10] = [
    "address.known", "address.root", "address.log_segments", "address.log_last_chars", "address.log_last_words",
    "address.log_last_digits", "address.extension", "address.date", "address.query", "address.title_share",
];

pub(super) fn address<'a>(facts: &PageFacts) -> Fill<'a> {
    constants(address_features(facts.page, facts.url))
}

/// Returns the features of a page's URL; all 0 if the URL is unknown.
fn address_features(page: &Page, url: Option<&str>) -> [f32; ADDRESS_NAMES.len()] {
    // Zeros for an unknown address, with a column that says so: 0 segments would else be the page of a site's root.
    let Some((_, rest)) = url.and_then(|url| url.split_once("://")) else {
        return [0.0; ADDRESS_NAMES.len()];
    };
    let rest = rest.split('#').next().unwrap_or_default();
    let (rest, query) = match rest.split_once('?') {
        Some((rest, query)) => (rest, query),
        None => (rest, ""),
    };
    let path = rest.split_once('/').map_or("", |(_, path)| path);
    let segments: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let last = segments.last().copied().unwrap_or_default();
    let digits = last.bytes().filter(u8::is_ascii_digit).count();
    // Slugs join the words of the title by such signs.
    let spaced = last.replace(['-', '_', '+', '.'], " ").replace("%20", " ");
    let slug: FxHashSet<u64> = words::words(&spaced, words::Rule::Characters).map(hashes::word_hash).collect();
    let title: FxHashSet<u64> =
        words::words(&page.head.title, words::Rule::Characters).map(hashes::word_hash).collect();
    let is_year = |part: &str| {
        // Addresses of articles often name the year; other numbers of four digits are ids.
        part.len() == 4
            && (part.starts_with("19") || part.starts_with("20"))
            && part.bytes().all(|b| b.is_ascii_digit())
    };
    let extension = last
        .rsplit_once('.')
        .is_some_and(|(_, end)| (2..=5).contains(&end.len()) && end.bytes().all(|b| b.is_ascii_alphabetic()));
    [
        1.0,
        flag(segments.is_empty()),
        log(segments.len() as f64),
        log(last.len() as f64),
        log(slug.len() as f64),
        log(digits as f64),
        flag(extension),
        flag(segments.iter().any(|part| is_year(part))),
        flag(!query.is_empty()),
        slug.intersection(&title).count() as f32 / slug.len().max(1) as f32,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn a_list_is_one_thing() {
        let page = ScanEngine.read(
            "<ul><li>2 cups flour<li>½ onion<li><a href=x>salt</a></ul><p>Mix it all.</p><p>Bake.</p>",
            &Limits::default(),
        );
        let shapes: Vec<Shape> = page.blocks.iter().map(|b| Shape::of(page.text(b))).collect();
        let fields = FieldFeatures::of(&page, &shapes);
        // The link is an element of its own path.
        assert_eq!(fields.index.of_block, [0, 0, 1, 2, 2]);
        let list = fields.row(1);
        assert_eq!(list[0], log(2u32));
        assert_eq!(list[1], log(2.5));
        assert_eq!(list[2], 0.5);
        assert!((list[3] - 0.2).abs() < 1e-6);
        assert_eq!(list[4..8], [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(list[8], log(1u32));
        assert_eq!(fields.row(2)[6], 1.0);
        assert_eq!(fields.row(3)[4..6], [0.0, 1.0]);
        assert_eq!(fields.row(9), [0.0; 9]);
    }

    #[test]
    fn the_path_is_described() {
        let page = ScanEngine.read("<title>Red apples</title>", &Limits::default());
        let of = |url: &str| address_features(&page, Some(url));
        let story = of("https://a.example/news/2024/red-apples-win-12.html?x=1#top");
        assert_eq!(story[..2], [1.0, 0.0]);
        assert_eq!(story[2], log(3u32));
        assert_eq!(story[5..9], [log(2u32), 1.0, 1.0, 1.0]);
        assert_eq!(story[9], 2.0 / 5.0);
        assert_eq!(of("https://a.example/")[..3], [1.0, 1.0, 0.0]);
        assert_eq!(address_features(&page, None), [0.0; ADDRESS_NAMES.len()]);
    }
}
