//! Computes features of a block's surroundings: elements, their texts, repeated elements, images, earlier headlines.
//!
//! Repeated elements are the innermost and the outermost group of siblings around a block that come from one
//! template, such as cards, rows, posts or menu items. Images stand directly before and after a block, as around a
//! caption; headlines and articles began before it, as before an appended story.

use trommel_html::{Page, Tag};

use crate::features::columns::{GroupColumns, LANES};
use crate::features::facts::elements::{AROUND_TAGS, ElementFacts, LEVELS, SHAPE_PARTS};
use crate::features::groups::{Fill, crossed, rows};
use crate::features::log::{flag, log};
use crate::features::scratch::{Scratch, count_work};
use crate::{features::facts::PageFacts, features::facts::templates::TEMPLATE_PARTS};

/// Tags with a feature each: 1 if the innermost block-level element around a block has the tag, otherwise 0.
const CONTAINER_TAGS: [Tag; 22] = {
    use Tag::*;
    [
        P, Li, Td, Th, Div, H1, H2, H3, H4, H5, Dt, Dd, Pre, Blockquote, Figcaption, Section, Article, Summary, Legend,
        Body, Center, Other,
    ]
};
const INNERMOST: [Tag; 9] = {
    use Tag::*;
    [A, Span, Button, Label, Strong, B, Em, Time, Small]
};
const PARENT: [Tag; 17] = {
    use Tag::*;
    [Ul, Ol, Li, Td, Tr, Div, Article, Section, Main, Blockquote, Form, Figure, Dl, Nav, Aside, Header, Body]
};

pub(super) fn names() -> Vec<String> {
    let named = |kind: &str, tags: &[Tag]| -> Vec<String> {
        tags.iter().map(|tag| format!("{kind}.{}", if *tag == Tag::Other { "other" } else { tag.name() })).collect()
    };
    [
        named("own", &CONTAINER_TAGS),
        named("innermost", &INNERMOST),
        named("parent", &PARENT),
        named("around", &AROUND_TAGS),
        vec!["around.heading".into(), "around.hidden".into(), "around.log_depth".into()],
    ]
    .concat()
}

pub(super) fn fill(facts: &PageFacts, out: &mut GroupColumns) {
    let (page, ElementFacts { paths, around, .. }) = (facts.page, &facts.elements);
    let (mut containers, mut innermost, mut parent) = ([0u8; LANES], [0u8; LANES], [0u8; LANES]);
    let (mut sets, mut hidden, mut depth) = ([0u32; LANES], [0.0; LANES], [0.0; LANES]);
    // A number that no tag has, so that all columns are 0.
    let none = u8::MAX;
    for (lane, at) in (0..LANES).zip(out.blocks()) {
        let at = *at as usize;
        let Some(block) = page.blocks.get(at) else { break };
        let container = page.container(block).map(|(_, element)| element);
        let above = container.and_then(|element| page.element(element.parent));
        let element = page.element(block.element);
        containers[lane] = container.map_or(none, |element| element.tag as u8);
        parent[lane] = above.map_or(none, |element| element.tag as u8);
        innermost[lane] = element.map_or(none, |element| element.tag as u8);
        let set = around.get(paths.of_block(at) as usize);
        sets[lane] = set.copied().unwrap_or(0);
        hidden[lane] = flag(element.is_some_and(|element| element.hidden));
        depth[lane] = log(element.map_or(0, |element| element.depth));
    }
    let one_hot = [(&containers, &CONTAINER_TAGS[..]), (&innermost, &INNERMOST), (&parent, &PARENT)];
    // Lane by lane above, column by column here: each table is read once for a batch.
    for (tags, known) in one_hot {
        for tag in known {
            out.put_lanes(|lane| flag(tags[lane] == *tag as u8));
        }
    }
    for bit in 0..=AROUND_TAGS.len() {
        out.put_lanes(|lane| (sets[lane] >> bit & 1) as u8 as f32);
    }
    out.put_columns(&[hidden, depth]);
}

const PARTS: [&str; SHAPE_PARTS] =
    ["word_share", "link_density", "log_blocks", "paragraph_share", "log_words_per_element", "commas"];

pub(super) fn containers_names() -> Vec<String> {
    let containers = LEVELS.iter().map(|level| format!("container_{level}"));
    crossed(containers, &PARTS)
}

pub(super) fn containers<'a>() -> Fill<'a> {
    Box::new(|batch, out| batch.levels.iter().for_each(|parts| out.put_columns(&parts[..SHAPE_PARTS])))
}

pub(super) fn repeats_names() -> Vec<String> {
    let groups = ["outer", "inner"].map(|which| format!("repeats.{which}"));
    let mut names = crossed(groups, &TEMPLATE_PARTS);
    names.push("repeats.same".to_owned());
    names
}

pub(super) fn repeats<'a>(facts: &'a PageFacts<'a>) -> Fill<'a> {
    let ElementFacts { paths, templates, .. } = &facts.elements;
    rows(|at| templates.features(paths.of_block(at)))
}

pub(super) const SURROUNDINGS_NAMES: [&str; 5] = [
    "surroundings.log_images_before", "surroundings.log_images_after", "surroundings.log_images_inside",
    "surroundings.log_headlines_before", "surroundings.log_articles_before",
];

/// Numbers of media elements, headlines and articles before and inside a block.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    /// Number of images, videos and audio elements between the previous block and this one.
    // In 16 bits, at most as many as these hold: only their logarithms are features.
    before: u16,
    inside: u16,
    /// Number of `h1` elements from the start of the page up to the block.
    headlines: u16,
    /// Number of `article` elements from the start of the page up to the block.
    articles: u16,
}

pub(super) fn surroundings<'a>(facts: &PageFacts) -> Fill<'a> {
    let seen = seen(facts.page);
    rows(move |at| {
        let counts = seen.get(at).copied().unwrap_or_default();
        let next = seen.get(at + 1).copied().unwrap_or_default();
        [counts.before, next.before, counts.inside, counts.headlines, counts.articles].map(log)
    })
}

/// Index of the counter for elements that are neither media, headlines nor articles.
const OTHER: usize = 0;
const MEDIA: usize = 1;
const HEADLINE: usize = 2;
const ARTICLE: usize = 3;

/// Index of the counter for the elements with each tag.
// Made by the compiler: a tag is looked up for every element of every page.
const KINDS: [u8; 256] = {
    let mut kinds = [OTHER as u8; 256];
    kinds[Tag::Img as usize] = MEDIA as u8;
    kinds[Tag::Video as usize] = MEDIA as u8;
    kinds[Tag::Audio as usize] = MEDIA as u8;
    kinds[Tag::H1 as usize] = HEADLINE as u8;
    kinds[Tag::Article as usize] = ARTICLE as u8;
    kinds
};

fn seen(page: &Page) -> Scratch<Counts> {
    count_work(page.elements.len() + page.blocks.len());
    let mut all: Scratch<Counts> = Scratch::with_capacity(page.blocks.len() + 1);
    // Blocks and elements both come in the order of the page: they are merged in one walk, and nothing is searched for.
    let mut elements = page.elements.as_slice();
    let mut counts = [0u32; ARTICLE + 1];
    let mut take = |counts: &mut [u32; ARTICLE + 1], end: u32| {
        while let Some((element, rest)) = elements.split_first()
            && element.start < end
        {
            // Without a branch, as no processor foresees the kind of an element.
            counts[usize::from(KINDS[element.tag as usize]) % (ARTICLE + 1)] += 1;
            elements = rest;
        }
    };
    let narrow = |count: u32| u16::try_from(count).unwrap_or(u16::MAX);
    for block in &page.blocks {
        take(&mut counts, block.span.0);
        let before = narrow(counts[MEDIA]);
        let (headlines, articles) = (narrow(counts[HEADLINE]), narrow(counts[ARTICLE]));
        counts[MEDIA] = 0;
        take(&mut counts, block.span.1);
        all.push(Counts { before, inside: narrow(counts[MEDIA]), headlines, articles });
        counts[MEDIA] = 0;
    }
    take(&mut counts, u32::MAX);
    let [_, before, headlines, articles] = counts.map(narrow);
    all.push(Counts { before, inside: 0, headlines, articles });
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::facts::PageFacts;
    use crate::features::groups::FeatureGroup;
    use crate::features::lexicon::Lexicon;
    use crate::features::log::log;
    use crate::features::schema::Schema;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn the_elements_around_a_block_are_named() {
        let page =
            ScanEngine.read("<nav hidden><ul><li><a href=x>Home</a></ul></nav><article><h1>T</h1>", &Limits::default());
        let rows = Schema::new(&[FeatureGroup::Ancestry], &[], &[], &[]).rows(&page, None);
        let set = |block: usize| {
            let values = rows.iter().nth(block).unwrap();
            let names = names();
            assert_eq!(values.len(), names.len());
            let mut on: Vec<String> = names
                .into_iter()
                .zip(values)
                .filter(|(name, value)| **value == 1.0 && !name.ends_with("depth"))
                .map(|(name, _)| name)
                .collect();
            on.sort();
            on
        };
        assert_eq!(
            set(0),
            ["around.a", "around.hidden", "around.li", "around.nav", "around.ul", "innermost.a", "own.li", "parent.ul"]
        );
        assert_eq!(set(1), ["around.article", "around.heading", "own.h1", "parent.article"]);
    }

    #[test]
    fn parts_are_those_of_each_level() {
        let page = ScanEngine.read(
            "<div><p>one, two <a href=x>three</a></p><ul><li>four</li></ul></div><p>five</p>",
            &Limits::default(),
        );
        let schema = Schema::new(&[FeatureGroup::Containers], &[], &[], &[]);
        let rows = schema.rows(&page, None);
        let values = rows.iter().next().unwrap();
        assert_eq!(values.len(), containers_names().len());
        assert!((values[0] - 0.6).abs() < 1e-6 && (values[1] - 1.0 / 3.0).abs() < 1e-6);
        assert!((values[6] - 0.8).abs() < 1e-6 && (values[7] - 0.25).abs() < 1e-6);
        // Above the outermost element the outermost is repeated.
        assert_eq!(values[6..12], values[36..42]);
    }

    #[test]
    fn items_know_their_group() {
        let card = "<div class=card><img src=x><p>One card with some words.</p></div>";
        let html = format!("<p>Alone it stands.</p><section>{}</section>", card.repeat(4));
        let page = ScanEngine.read(&html, &Limits::default());
        let lexicon = Lexicon::new(&[], &[], &[]);
        let facts = PageFacts::new(&page, None, &lexicon, FeatureGroup::Repeats.group().needs);
        let repeats = &facts.elements.templates;
        let of = |block: usize| {
            let values = repeats.features(facts.elements.paths.of_block(block));
            assert_eq!(values.len(), repeats_names().len());
            values
        };
        assert!(of(0)[..16].iter().all(|v| *v == 0.0));
        let third = of(3);
        assert_eq!(third[..2], [log(4u32), log(5u32)]);
        assert_eq!(third[3], 20.0 / 23.0);
        assert_eq!(third[4..8], [1.0, 1.0, 0.5, 0.0]);
        assert_eq!(third[16], 1.0);
    }

    #[test]
    fn images_headlines_and_articles_are_counted() {
        let html = "<article><h1>One</h1><img><img><p>Of a caption.<p>Text <img> and text.</article>\
                    <article><h1>Two</h1><video></video><p>More.</article><img>";
        let page = ScanEngine.read(html, &Limits::default());
        let seen: Vec<[u16; 4]> = seen(&page)
            .iter()
            .map(|counts| [counts.before, counts.inside, counts.headlines, counts.articles])
            .collect();
        assert_eq!(seen, [[0, 0, 1, 1], [2, 0, 1, 1], [0, 1, 1, 1], [0, 0, 2, 2], [1, 0, 2, 2], [1, 0, 2, 2],]);
    }
}
