//! Features of the elements around a block: its own, the next outer one, and those with a meaning.

use trommel_html::{Page, Tag};

use crate::columns::{GroupColumns, LANES};
use crate::facts::PageFacts;
use crate::facts::paths::Paths;
use crate::group::{Batch, Fact, Fill, Group, RequestedColumns};
use crate::lexicon::Lexicon;
use crate::log::log;
use crate::scratch::Scratch;

/// Own and parent element of a block, as one-hot features.
const CONTAINER_TAGS: [Tag; 22] = [
    Tag::P,
    Tag::Li,
    Tag::Td,
    Tag::Th,
    Tag::Div,
    Tag::H1,
    Tag::H2,
    Tag::H3,
    Tag::H4,
    Tag::H5,
    Tag::Dt,
    Tag::Dd,
    Tag::Pre,
    Tag::Blockquote,
    Tag::Figcaption,
    Tag::Section,
    Tag::Article,
    Tag::Summary,
    Tag::Legend,
    Tag::Body,
    Tag::Center,
    Tag::Other,
];
const INNERMOST: [Tag; 9] =
    [Tag::A, Tag::Span, Tag::Button, Tag::Label, Tag::Strong, Tag::B, Tag::Em, Tag::Time, Tag::Small];
const PARENT: [Tag; 17] = [
    Tag::Ul,
    Tag::Ol,
    Tag::Li,
    Tag::Td,
    Tag::Tr,
    Tag::Div,
    Tag::Article,
    Tag::Section,
    Tag::Main,
    Tag::Blockquote,
    Tag::Form,
    Tag::Figure,
    Tag::Dl,
    Tag::Nav,
    Tag::Aside,
    Tag::Header,
    Tag::Body,
];
/// Elements whose presence anywhere around a block says something.
const AROUND_TAGS: [Tag; 25] = [
    Tag::Nav,
    Tag::Header,
    Tag::Footer,
    Tag::Aside,
    Tag::Article,
    Tag::Main,
    Tag::Form,
    Tag::Ul,
    Tag::Ol,
    Tag::Li,
    Tag::Table,
    Tag::Td,
    Tag::Figure,
    Tag::Section,
    Tag::P,
    Tag::Pre,
    Tag::Blockquote,
    Tag::Dl,
    Tag::Button,
    Tag::Label,
    Tag::Details,
    Tag::Noscript,
    Tag::A,
    Tag::Dialog,
    Tag::Fieldset,
];

// Headings of all levels share one bit: whether a block is in a heading matters, its level is a feature of the outline.
const HEADING_BIT: u64 = 1 << AROUND_TAGS.len();

fn names() -> Vec<String> {
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

/// Place of each tag in a list; the length of the list for tags that are not in it.
// Made by the compiler: a tag is looked up for every element of every page.
const fn places<const N: usize>(tags: &[Tag; N]) -> [u8; 256] {
    let mut places = [N as u8; 256];
    let mut at = 0;
    while at < N {
        places[tags[at] as usize] = at as u8;
        at += 1;
    }
    places
}

const IN_CONTAINER: [u8; 256] = places(&CONTAINER_TAGS);
const IN_INNERMOST: [u8; 256] = places(&INNERMOST);
const IN_PARENT: [u8; 256] = places(&PARENT);
const IN_AROUND: [u8; 256] = places(&AROUND_TAGS);

/// For every element on a path, a bit for each tag of [`AROUND_TAGS`] that it is or stands in.
fn around(page: &Page, paths: &Paths) -> Scratch<u64> {
    // Bits are inherited in one pass down, so no block climbs its path.
    let mut sets: Scratch<u64> = Scratch::with_capacity(paths.len());
    for (element, parent) in paths.rows(page).zip(&paths.parents) {
        let above = sets.get(*parent as usize).copied().unwrap_or(0);
        let bit = match IN_AROUND[element.tag as usize] {
            at if usize::from(at) < AROUND_TAGS.len() => 1 << at,
            _ => 0,
        };
        sets.push(above | bit | if element.tag.is_heading() { HEADING_BIT } else { 0 });
    }
    sets
}

/// The elements around the blocks of a page.
pub(crate) struct Ancestry<'a> {
    page: &'a Page,
    paths: &'a Paths,
    around: Scratch<u64>,
}

impl<'a> Group<'a> for Ancestry<'a> {
    const NEEDS: &'static [Fact] = &[Fact::Paths];

    fn columns(_: &Lexicon) -> Vec<String> {
        names()
    }

    fn new(facts: &'a PageFacts<'a>, _: RequestedColumns) -> Self {
        Self { page: facts.page, paths: &facts.paths, around: around(facts.page, &facts.paths) }
    }
}

impl Fill for Ancestry<'_> {
    fn fill(&self, _: &Batch, out: &mut GroupColumns) {
        let (mut containers, mut innermost, mut parent) = ([0u8; LANES], [0u8; LANES], [0u8; LANES]);
        let (mut sets, mut hidden, mut depth) = ([0u64; LANES], [0.0; LANES], [0.0; LANES]);
        // A number that no list reaches, so that all columns are 0.
        let none = u8::MAX;
        for (lane, at) in out.blocks().enumerate() {
            let Some(block) = self.page.blocks.get(at) else {
                break;
            };
            let container = self.page.container(block).map(|(_, element)| element);
            let above = container.and_then(|element| self.page.element(element.parent));
            let element = self.page.element(block.element);
            containers[lane] = container.map_or(none, |element| IN_CONTAINER[element.tag as usize]);
            parent[lane] = above.map_or(none, |element| IN_PARENT[element.tag as usize]);
            innermost[lane] = element.map_or(none, |element| IN_INNERMOST[element.tag as usize]);
            let set = self.around.get(self.paths.of_block(at) as usize);
            sets[lane] = set.copied().unwrap_or(0);
            hidden[lane] = f32::from(u8::from(element.is_some_and(|element| element.hidden)));
            depth[lane] = log(element.map_or(0, |element| element.depth));
        }
        let one_hot = [(&containers, CONTAINER_TAGS.len()), (&innermost, INNERMOST.len()), (&parent, PARENT.len())];
        // Lane by lane above, column by column here: each table is read once for a batch.
        for (places, len) in one_hot {
            for place in 0..len {
                out.put_lanes(|lane| f32::from(u8::from(usize::from(places[lane]) == place)));
            }
        }
        for bit in 0..=AROUND_TAGS.len() {
            out.put_lanes(|lane| (sets[lane] >> bit & 1) as f32);
        }
        out.put_lanes(|lane| hidden[lane]);
        out.put_lanes(|lane| depth[lane]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::groups::FeatureGroup;
    use crate::schema::Schema;
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
}
