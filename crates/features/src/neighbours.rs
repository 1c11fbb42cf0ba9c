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

/// What a block is to the blocks around it.
pub(crate) struct Neighbour {
    parts: [f32; 4],
    /// Element around its container.
    parent: Option<u32>,
}

/// Every block as a neighbour.
pub(crate) fn neighbours(page: &Page, shapes: &[Shape]) -> Vec<Neighbour> {
    let flag = |value: bool| f32::from(u8::from(value));
    let blocks = page.blocks.iter().zip(shapes);
    blocks
        .map(|(block, shape)| {
            let container = page.container(block).map(|(_, element)| element);
            Neighbour {
                parts: [
                    log(block.words),
                    block.link_density(),
                    flag(shape.ends_sentence),
                    flag(container.is_some_and(|element| element.tag.is_heading())),
                ],
                parent: container.map(|element| element.parent),
            }
        })
        .collect()
}

/// The features of block `at`; neighbours beyond the page's ends give zeros.
pub(crate) fn features(all: &[Neighbour], at: usize) -> [f32; OFFSETS.len() * PARTS.len()] {
    let mut row = [0.0; OFFSETS.len() * PARTS.len()];
    let parent = all.get(at).map(|own| own.parent);
    for (offset, slots) in OFFSETS.iter().zip(row.chunks_exact_mut(PARTS.len())) {
        let neighbour = at.checked_add_signed(*offset);
        if let Some(neighbour) = neighbour.and_then(|at| all.get(at)) {
            let same = f32::from(u8::from(Some(neighbour.parent) == parent));
            let values = neighbour.parts.iter().chain(std::iter::once(&same));
            slots
                .iter_mut()
                .zip(values)
                .for_each(|(slot, value)| *slot = *value);
        }
    }
    row
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
        let values = features(&neighbours(&page, &shapes), 1);
        assert_eq!(values.len(), names().len());
        assert_eq!(values[10..15], [log(1u32), 0.0, 0.0, 1.0, 1.0]);
        assert_eq!(values[15..20], [log(1u32), 0.0, 0.0, 0.0, 0.0]);
        assert!(values[..10].iter().chain(&values[20..]).all(|v| *v == 0.0));
    }
}
