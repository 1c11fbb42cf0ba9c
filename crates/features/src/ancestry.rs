//! The elements around a block: its own, the one around that, and those with a meaning.

use trommel_html::{Block, NONE, Page, Tag};

use crate::text::log;

/// Own and parent element of a block, as one-hot features.
const OWN: [Tag; 22] = [
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
const INNERMOST: [Tag; 9] = [
    Tag::A,
    Tag::Span,
    Tag::Button,
    Tag::Label,
    Tag::Strong,
    Tag::B,
    Tag::Em,
    Tag::Time,
    Tag::Small,
];
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
const AROUND: [Tag; 25] = [
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

const HEADING_BIT: u64 = 1 << AROUND.len();

pub(crate) fn names() -> Vec<String> {
    let named = |kind: &str, tags: &[Tag]| -> Vec<String> {
        tags.iter()
            .map(|tag| {
                format!(
                    "{kind}.{}",
                    if *tag == Tag::Other {
                        "other"
                    } else {
                        tag.name()
                    }
                )
            })
            .collect()
    };
    [
        named("own", &OWN),
        named("innermost", &INNERMOST),
        named("parent", &PARENT),
        named("around", &AROUND),
        vec![
            "around.heading".into(),
            "around.hidden".into(),
            "around.log_depth".into(),
        ],
    ]
    .concat()
}

/// Place of each tag in a list; the length of the list for tags that are not in it.
const fn places<const N: usize>(tags: &[Tag; N]) -> [u8; 256] {
    let mut places = [N as u8; 256];
    let mut at = 0;
    while at < N {
        places[tags[at] as usize] = at as u8;
        at += 1;
    }
    places
}

const IN_OWN: [u8; 256] = places(&OWN);
const IN_INNERMOST: [u8; 256] = places(&INNERMOST);
const IN_PARENT: [u8; 256] = places(&PARENT);
const IN_AROUND: [u8; 256] = places(&AROUND);

fn place(places: &[u8; 256], tag: Tag) -> usize {
    places
        .get(tag as usize)
        .map_or(usize::MAX, |at| usize::from(*at))
}

/// For every element, a bit for each tag of [`AROUND`] that it is or stands in.
pub(crate) fn around(page: &Page) -> Vec<u64> {
    let mut sets: Vec<u64> = Vec::with_capacity(page.elements.len());
    for element in &page.elements {
        let above = sets.get(element.parent as usize).copied().unwrap_or(0);
        let own = match place(&IN_AROUND, element.tag) {
            at if at < AROUND.len() => 1 << at,
            _ => 0,
        };
        sets.push(
            above
                | own
                | if element.tag.is_heading() {
                    HEADING_BIT
                } else {
                    0
                },
        );
    }
    sets
}

const WIDTH: usize = OWN.len() + INNERMOST.len() + PARENT.len() + AROUND.len() + 3;

pub(crate) fn features(page: &Page, around: &[u64], block: &Block) -> [f32; WIDTH] {
    let mut row = [0.0; WIDTH];
    let mut start = 0;
    let mut one_hot = |places: &[u8; 256], len: usize, own: Option<Tag>| {
        let at = own.map_or(len, |tag| place(places, tag));
        if at < len
            && let Some(slot) = row.get_mut(start + at)
        {
            *slot = 1.0;
        }
        start += len;
    };
    let container = page.container(block).map(|(_, element)| element);
    let parent = container.and_then(|element| page.element(element.parent));
    let innermost = page.element(block.element);
    one_hot(&IN_OWN, OWN.len(), container.map(|element| element.tag));
    let tag = innermost.map(|element| element.tag);
    one_hot(&IN_INNERMOST, INNERMOST.len(), tag);
    one_hot(&IN_PARENT, PARENT.len(), parent.map(|element| element.tag));
    let set = if block.element == NONE {
        0
    } else {
        around.get(block.element as usize).copied().unwrap_or(0)
    };
    let slots = row.get_mut(start..).unwrap_or_default();
    for (at, slot) in slots.iter_mut().enumerate().take(AROUND.len() + 1) {
        *slot = (set >> at & 1) as f32;
    }
    let hidden = innermost.is_some_and(|element| element.hidden);
    if let [.., is_hidden, depth] = slots {
        *is_hidden = f32::from(u8::from(hidden));
        *depth = log(innermost.map_or(0, |element| element.depth));
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, LolEngine};

    #[test]
    fn the_elements_around_a_block_are_named() {
        let page = LolEngine.read(
            "<nav hidden><ul><li><a href=x>Home</a></ul></nav><article><h1>T</h1>",
            &Limits::default(),
        );
        let around = around(&page);
        let set = |block: usize| {
            let values = features(&page, &around, &page.blocks[block]);
            let names = names();
            assert_eq!(values.len(), names.len());
            let mut on: Vec<String> = names
                .into_iter()
                .zip(values)
                .filter(|(name, value)| *value == 1.0 && !name.ends_with("depth"))
                .map(|(name, _)| name)
                .collect();
            on.sort();
            on
        };
        assert_eq!(
            set(0),
            [
                "around.a",
                "around.hidden",
                "around.li",
                "around.nav",
                "around.ul",
                "innermost.a",
                "own.li",
                "parent.ul"
            ]
        );
        assert_eq!(
            set(1),
            [
                "around.article",
                "around.heading",
                "own.h1",
                "parent.article"
            ]
        );
    }
}
