//! The blocks around a block, as far as three away.

use trommel_html::Page;

use crate::text::{Shape, log};

const OFFSETS: [isize; 6] = [-3, -2, -1, 1, 2, 3];
const PARTS: [&str; 5] = [
    "log_words",
    "link_density",
    "ends_sentence",
    "heading",
    "same_container",
];

pub(crate) fn names() -> Vec<String> {
    OFFSETS
        .iter()
        .flat_map(|offset| {
            PARTS
                .iter()
                .map(move |part| format!("neighbour_{offset:+}.{part}"))
        })
        .collect()
}

/// The features of block `at`; neighbours beyond the page's ends give zeros.
pub(crate) fn features(page: &Page, shapes: &[Shape], at: usize, give: &mut impl FnMut(f32)) {
    let flag = |value: bool| f32::from(u8::from(value));
    let parent = |at: usize| {
        let block = page.blocks.get(at)?;
        page.container(block).map(|(_, element)| element.parent)
    };
    for offset in OFFSETS {
        let neighbour = at.checked_add_signed(offset);
        let found = neighbour.and_then(|n| Some((n, page.blocks.get(n)?, shapes.get(n)?)));
        let Some((n, block, shape)) = found else {
            PARTS.iter().for_each(|_| give(0.0));
            continue;
        };
        give(log(block.words));
        give(block.link_density());
        give(flag(shape.ends_sentence));
        give(flag(
            page.container(block)
                .is_some_and(|(_, element)| element.tag.is_heading()),
        ));
        give(flag(parent(n) == parent(at)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, LolEngine};

    #[test]
    fn neighbours_are_described_in_order() {
        let page = LolEngine.read(
            "<div><h2>a</h2><p>b c.</p></div><p>d</p>",
            &Limits::default(),
        );
        let shapes: Vec<Shape> = page
            .blocks
            .iter()
            .map(|b| Shape::of(page.text(b)))
            .collect();
        let mut values = Vec::new();
        features(&page, &shapes, 1, &mut |v| values.push(v));
        assert_eq!(values.len(), names().len());
        assert_eq!(values[10..15], [log(1u32), 0.0, 0.0, 1.0, 1.0]);
        assert_eq!(values[15..20], [log(1u32), 0.0, 0.0, 0.0, 0.0]);
        assert!(values[..10].iter().chain(&values[20..]).all(|v| *v == 0.0));
    }
}
