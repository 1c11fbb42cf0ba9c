//! Visual blocks with numbers to choose them by.

use super::learned::Rows;
use super::set::SegmentedPage;
use crate::layout::Rect;
use crate::vips::{MAX_DEGREE, vips};
use crate::visual_content::{BlockFeatureReader, BlockFeatures};

/// Names of the outermost nodes of a block, a column each.
const NAMES: [&[&str]; 10] = [
    &["div", "section", "article", "header", "footer", "nav", "aside", "main"],
    &["ul", "ol", "dl"],
    &["li", "dt", "dd"],
    &["table", "tbody", "tr"],
    &["td", "th"],
    &["p"],
    &["a"],
    &["img", "object", "embed", "iframe", "video"],
    &["h1", "h2", "h3", "h4", "h5", "h6"],
    &["form", "input", "button", "select", "textarea"],
];
/// Numbers of one block beside its names.
const OWN: usize = 26;
/// Numbers of one block.
const WIDTH: usize = OWN + NAMES.len();
/// Widths that differ by fewer pixels are the same.
const SAME_WIDTH: i32 = 3;

/// Every block that VIPS finds on a page, down to the highest degree, with its degree and place in the tree, the names
/// of its outermost nodes, how far it stands from its neighbours, how many of these are as wide, and with the
/// features of Song, Liu, Wen and Ma (WWW 2004), then the same numbers of the block around it and the means of
/// those inside it.
pub(super) fn visual_rows(page: &SegmentedPage) -> Rows {
    let structure = vips(&page.layout, MAX_DEGREE);
    let reader = BlockFeatureReader::new(&page.layout);
    let blocks = &structure.blocks;
    let features: Vec<BlockFeatures> = blocks.iter().map(|visual_block| reader.features(visual_block)).collect();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); blocks.len()];
    for (at, block) in blocks.iter().enumerate() {
        if let Some(siblings) = block.parent.and_then(|parent| children.get_mut(parent)) {
            siblings.push(at);
        }
    }
    let inside = |at: usize| children.get(at).map_or(&[] as &[usize], Vec::as_slice);
    let bottom = blocks.first().map_or(0, |whole| whole.rect.bottom());
    let mut rows: Vec<[f32; WIDTH]> = Vec::with_capacity(blocks.len());
    for (at, (block, features)) in blocks.iter().zip(&features).enumerate() {
        let siblings = block.parent.map_or(&[] as &[usize], inside);
        let place = siblings.iter().position(|other| *other == at);
        let around = block.parent.and_then(|parent| rows.get(parent));
        let log = |value: u32| (value as f32 + 1.0).ln();
        let rect = |at: &usize| blocks.get(*at).map(|block| block.rect);
        let is_as_wide = |other: &Rect| (other.width - block.rect.width).abs() < SAME_WIDTH;
        let neighbour = |at: Option<usize>| at.and_then(|at| siblings.get(at)).and_then(rect);
        let before = neighbour(place.and_then(|place| place.checked_sub(1)));
        let after = neighbour(place.map(|place| place + 1));
        let gap = |other: Option<Rect>| other.map_or(f32::NAN, |other| distance(&block.rect, &other));
        let numbers: [f32; OWN] = [
            f32::from(block.degree),
            around.map_or(0.0, |around| around[1] + 1.0),
            inside(at).len() as f32,
            siblings.len() as f32,
            place.unwrap_or_default() as f32,
            features.center_x,
            features.center_y,
            features.width,
            features.height,
            block.rect.width as f32,
            block.rect.height as f32,
            block.rect.x as f32,
            block.rect.y as f32,
            (bottom - block.rect.bottom()) as f32,
            features.font_size,
            f32::from(features.font_weight),
            log(features.chars),
            features.link_density(),
            log(features.links),
            log(features.images),
            features.image_area,
            log(features.controls),
            block.roots.len() as f32,
            siblings.iter().filter_map(rect).filter(is_as_wide).count() as f32,
            gap(before),
            gap(after),
        ];
        let mut row = [0.0; WIDTH];
        row.iter_mut().zip(numbers).for_each(|(cell, number)| *cell = number);
        for root in &block.roots {
            let name = page.layout.nodes.get(*root as usize).map(|node| &node.name);
            for (column, names) in NAMES.iter().enumerate() {
                if let (Some(name), Some(cell)) = (name, row.get_mut(OWN + column))
                    && names.contains(&name.as_str())
                {
                    *cell = 1.0;
                }
            }
        }
        rows.push(row);
    }
    let mut data = Vec::new();
    for (at, (block, numbers)) in blocks.iter().zip(&rows).enumerate() {
        data.extend_from_slice(numbers);
        let around = block.parent.and_then(|parent| rows.get(parent));
        data.extend(around.copied().unwrap_or([f32::NAN; WIDTH]));
        data.extend(mean(&rows, inside(at)));
    }
    let regions = blocks.iter().map(|block| page.leaves.region(block.roots.iter().copied()));
    Rows::of(regions.collect(), data)
}

/// The mean of some rows.
fn mean(rows: &[[f32; WIDTH]], of: &[usize]) -> [f32; WIDTH] {
    let mut mean = [0.0f32; WIDTH];
    for row in of.iter().filter_map(|at| rows.get(*at)) {
        for (sum, value) in mean.iter_mut().zip(row) {
            *sum += value / of.len() as f32;
        }
    }
    mean
}

/// Pixels between two boxes, in the direction in which they are farther apart; negative if they overlap.
fn distance(a: &Rect, b: &Rect) -> f32 {
    let across = a.x.max(b.x) - a.right().min(b.right());
    let down = a.y.max(b.y) - a.bottom().min(b.bottom());
    across.max(down) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_as_far_apart_as_the_band_between_them() {
        let rect = |x, y| Rect { x, y, width: 10, height: 10 };
        assert_eq!(distance(&rect(0, 0), &rect(0, 25)), 15.0);
        assert_eq!(distance(&rect(14, 3), &rect(0, 0)), 4.0);
        assert_eq!(distance(&rect(0, 0), &rect(8, 1)), -2.0);
    }
}
