//! Features of a part of the page as one thing: a field (a list of ingredients), comments, the page.
//!
//! The blocks of a field are short. Their number, their likeness and quantities at their beginnings show what they
//! are. Readers' comments are the parts of a page whose `id` or `class` names comments, compared with the prose
//! outside of them. Features of the whole page and of its address are the same for all of its blocks.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;
use trommel_html::{Attribute, AttributeWord, FieldIndex, HeadingIds, NONE, Page, Tag};
use trommel_text::{word_hash, words};

use crate::features::facts::shape::{Shape, Sums};
use crate::features::groups::{Fact, Group, constants, owned, rows};
use crate::features::log::{flag, log};
use crate::features::scratch::{Scratch, count_work};
use crate::{features::facts::PageFacts, features::hashes, features::hashes::HashTable};

const FIELD_NAMES: [&str; 9] = [
    "fields.log_blocks", "fields.log_words_per_block", "fields.word_share", "fields.uneven", "fields.numbers",
    "fields.sentences", "fields.link_density", "fields.inputs", "fields.spread",
];

/// Sums over the blocks of a field.
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

/// Features of the fields of a page.
pub(crate) struct FieldFeatures<'a> {
    index: &'a FieldIndex,
    rows: Scratch<[f32; FIELD_NAMES.len()]>,
}

pub(crate) const FIELDS: Group = Group {
    needs: &[Fact::Shapes],
    columns: |_| owned(&FIELD_NAMES),
    on: |facts, _| {
        let fields = FieldFeatures::of(facts.page, &facts.shapes);
        rows(move |at| fields.row(at))
    },
};

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

const COMMENTS_NAMES: [&str; 8] = [
    "comments.inside", "comments.near", "comments.log_prose_outside", "comments.share", "comments.top_is_one",
    "comments.inside_beside_prose", "comments.after_region", "comments.log_regions",
];

/// Attribute tokens of comment sections, in several languages.
// Class names of the comment sections of common blog and news systems; a list, because what they hold looks like prose.
const TOKENS: [&str; 30] = [
    "comment", "comments", "commentlist", "commenttext", "commentbody", "commentaires", "commentaire", "comentarios",
    "comentario", "comentarii", "commenti", "commento", "kommentar", "kommentare", "kommentarer", "komentarz",
    "komentarze", "komentarzy", "komentar", "koment", "reacties", "reactie", "disqus", "disquscomments", "discussion",
    "replies", "opinie", "opinia", "kommentarii", "respond",
];

/// The same by their hashes: most tokens are none of them.
static HASHES: LazyLock<HashTable<()>> = LazyLock::new(|| {
    let mut hashes = HashTable::default();
    // By hash first: comparing each word of a page with thirty texts would cost more than the rest of the group.
    hashes.reserve(2 * TOKENS.len());
    for token in TOKENS {
        hashes.entry(word_hash(token.as_bytes()));
    }
    hashes
});

pub(crate) const COMMENTS: Group = Group {
    needs: &[Fact::Prose, Fact::Outline],
    columns: |_| owned(&COMMENTS_NAMES),
    on: |facts, _| {
        let sections = Sections::new(facts);
        Box::new(move |_, out| match out.is_next_alone() {
            // Asked for all blocks, and the others for some.
            true => out.put(|at| flag(sections.has(facts.page, Some(at)))),
            false => out.put_rows(|at| sections.features(facts.page, at)),
        })
    },
};

/// The comment sections of a page.
#[derive(Clone, Debug, Default)]
struct Sections {
    /// Outermost comment element around each element, or [`NONE`].
    region: Scratch<u32>,
    regions: u32,
    prose_inside: u32,
    prose: u32,
    top_inside: bool,
    first: usize,
}

impl Sections {
    fn new(facts: &PageFacts) -> Self {
        let PageFacts { page, paths, sums, prose, outline, .. } = facts;
        let prose_inside = |element: u32| {
            let sum = paths.of_element(element).and_then(|at| sums.get(at as usize));
            sum.map_or(0, |sum| sum.prose)
        };
        // Without a headline NONE is larger than any element, so nothing holds it.
        let headline = outline.headline().and_then(|at| page.blocks.get(at)).map_or(NONE, |block| block.element);
        let mut found = Self { prose: prose.total(), first: usize::MAX, ..Self::default() };
        let hashes = &*HASHES;
        let is_named =
            |token: &AttributeWord| hashes.get(token.hash).is_some() && TOKENS.contains(&page.word_text(token));
        count_work(page.attribute_words.len());
        // Most pages have no section that is named so.
        if !page.attribute_words.iter().any(is_named) {
            return found;
        }
        // A section on a discussion is no discussion: its id repeats its heading.
        let of_headings = HeadingIds::new(page);
        let names = |at: u32, token: &AttributeWord| {
            is_named(token) && !(token.attribute == Attribute::Id && of_headings.contains(at))
        };
        found.region = Scratch::with_capacity(page.elements.len());
        for (at, element) in (0u32..).zip(&page.elements) {
            count_work(1 + page.attribute_words(element).len());
            let above = found.region.get(element.parent as usize).copied().unwrap_or(NONE);
            // What holds the headline holds the page, whatever it is called (`class="no-comments"`).
            // Only the outermost counts: each comment in a section is named like the section.
            let is_one = above == NONE
                && !element.tag.is_inline()
                && !matches!(element.tag, Tag::Html | Tag::Body | Tag::Main)
                && !(at..element.end).contains(&headline)
                && page.attribute_words(element).iter().any(|token| names(at, token));
            if is_one {
                found.regions += 1;
                found.prose_inside += prose_inside(at);
                found.top_inside |= (at..element.end).contains(&prose.top_element());
            }
            found.region.push(if is_one { at } else { above });
        }
        found.first = page.blocks.iter().position(|block| found.contains(block.element)).unwrap_or(usize::MAX);
        found
    }

    /// Returns whether the element stands in a comment section.
    fn contains(&self, element: u32) -> bool {
        self.region.get(element as usize).is_some_and(|region| *region != NONE)
    }

    /// Returns whether a block stands in a section.
    fn has(&self, page: &Page, at: Option<usize>) -> bool {
        at.and_then(|at| page.blocks.get(at)).is_some_and(|block| self.contains(block.element))
    }

    fn features(&self, page: &Page, at: usize) -> [f32; COMMENTS_NAMES.len()] {
        let inside = |at: Option<usize>| self.has(page, at);
        let is_inside = inside(Some(at));
        // Comments are content where there is no other prose, as in a forum, so both amounts are features.
        let outside = self.prose.saturating_sub(self.prose_inside);
        let share = self.prose_inside as f32 / self.prose.max(1) as f32;
        [
            flag(is_inside),
            flag(inside(at.checked_sub(1)) || inside(Some(at + 1))),
            log(outside),
            share,
            flag(self.top_inside),
            if is_inside { log(outside) } else { 0.0 },
            flag(!is_inside && at > self.first),
            log(self.regions),
        ]
    }
}

const PAGE_NAMES: [&str; 10] = [
    "page.log_words", "page.log_blocks", "page.link_density", "page.paragraph_share", "page.log_elements",
    "page.article", "page.product", "page.list", "page.discussion", "page.headline",
];

pub(crate) const PAGE_FACTS: Group = Group {
    needs: &[Fact::Sums],
    columns: |_| owned(&PAGE_NAMES),
    on: |facts, _| constants(features(facts.page, &facts.whole)),
};

fn features(page: &Page, whole: &Sums) -> [f32; PAGE_NAMES.len()] {
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
    [
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
    ]
}

const ADDRESS_NAMES: [&str; 10] = [
    "address.known", "address.root", "address.log_segments", "address.log_last_chars", "address.log_last_words",
    "address.log_last_digits", "address.extension", "address.date", "address.query", "address.title_share",
];

pub(crate) const ADDRESS: Group = Group {
    needs: &[],
    columns: |_| owned(&ADDRESS_NAMES),
    // Page types alone use it: with the address as features of blocks DAnIEL fell from .848 to .838.
    on: |facts, _| constants(address_features(facts.page, facts.url)),
};

/// The address features of a page; all zero if its URL is not known.
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
    use crate::features::lexicon::Lexicon;
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
    fn comments_are_told_from_what_is_only_called_so() {
        let page = ScanEngine.read(
            "<body class=comments-open><article class='post no-comments'><h1>Title</h1><p>The story itself is told here, in prose.</p></article>\
             <div id=comments><div class=comment><p>I do not agree with any of this at all.</p></div></div><p>End</p>",
            &Limits::default(),
        );
        let lexicon = Lexicon::new(&[], &[], &[]);
        let facts = PageFacts::new(&page, None, &lexicon, COMMENTS.needs);
        let comments = Sections::new(&facts);
        let inside: Vec<f32> = (0..4).map(|at| comments.features(&page, at)[0]).collect();
        assert_eq!(inside, [0.0, 0.0, 1.0, 0.0]);
        let third = comments.features(&page, 2);
        assert_eq!(third[2], log(8u32));
        // Ten words of 18: the comment counts whole.
        assert_eq!(third[3], 10.0 / 18.0);
        assert_eq!(comments.features(&page, 3)[6], 1.0);
        assert_eq!(third[7], log(1u32));
    }

    #[test]
    fn an_id_made_from_a_heading_names_no_comments() {
        let html = "<body><h1>Paper</h1><section id=methods><h2>Methods</h2><p>a</p></section>\
                    <section id=results-discussion><h2>Results &amp; Discussion</h2><p>b</p></section>\
                    <section id=outlook><h2>Outlook</h2><p>c</p></section>";
        let regions = |html: &str| {
            let page = ScanEngine.read(html, &Limits::default());
            let lexicon = Lexicon::new(&[], &[], &[]);
            Sections::new(&PageFacts::new(&page, None, &lexicon, COMMENTS.needs)).regions
        };
        assert_eq!(regions(html), 0);
        let class = html.replace("id=results-discussion", "class=discussion");
        assert_eq!(regions(&class), 1);
        let lone = "<h1>Paper</h1><p>a</p><div id=comments><h3>Comments</h3><p>b</p></div>";
        assert_eq!(regions(lone), 1);
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
