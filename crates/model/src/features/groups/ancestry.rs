//! Features of the elements around a block: its own, the next outer one, and those with a meaning.

use trommel_html::Tag;

use crate::features::columns::{GroupColumns, LANES};
use crate::features::facts::PageFacts;
use crate::features::facts::around::AROUND_TAGS;
use crate::features::group::{Fact, Group};
use crate::features::log::{flag, log};

/// Own and parent element of a block, as one-hot features.
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

fn fill(facts: &PageFacts, around: &[u32], out: &mut GroupColumns) {
    let PageFacts { page, paths, .. } = facts;
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

pub(crate) const GROUP: Group = Group {
    needs: &[Fact::Around],
    columns: |_| names(),
    on: |facts, _| Box::new(move |_, out| fill(facts, &facts.around, out)),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::groups::FeatureGroup;
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
}
