//! Separators: bands of a region that no block crosses, and their weights.

use super::extraction::PoolBlock;
use super::visual::VisualPage;
use crate::layout::Rect;

/// Direction of a separator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// Between what is above and what is below.
    Horizontal,
    /// Between what is left and what is right.
    Vertical,
}

/// A band between blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Separator {
    pub direction: Direction,
    /// First pixel and one past the last; equal where blocks touch.
    pub span: (i32, i32),
    /// 1..=11: the larger, the more it divides.
    pub weight: u8,
    /// Sum of the rules of weight.
    pub sum: i32,
}

/// Maximum sum of the rules of weight.
const MAX_SUM: i32 = 22;

/// The separators of some blocks in one direction, in the order of the page. Those at the border of the region
/// are left out, as in the paper.
pub(super) fn separators(page: &VisualPage, blocks: &[&PoolBlock], direction: Direction) -> Vec<Separator> {
    let extent = |rect: &Rect| match direction {
        Direction::Horizontal => (rect.y, rect.bottom()),
        Direction::Vertical => (rect.x, rect.right()),
    };
    let mut sorted: Vec<(i32, i32, &PoolBlock)> = blocks
        .iter()
        .map(|block| {
            let (start, end) = extent(&block.seen);
            (start, end, *block)
        })
        .collect();
    sorted.sort_by_key(|(start, end, _)| (*start, *end));
    let region = blocks.iter().fold(Rect::default(), |all, block| all.union(&block.seen));
    let mut found = Vec::new();
    // The block that reaches farthest so far: what lies right before a separator.
    let mut before: Option<(i32, &PoolBlock)> = None;
    for (start, end, block) in sorted {
        if let Some((reached, last)) = before
            && start >= reached
        {
            found.push(weighed(page, direction, (reached, start), &region, (last, block)));
        }
        if before.is_none_or(|(reached, _)| end > reached) {
            before = Some((end, block));
        }
    }
    found
}

fn weighed(
    page: &VisualPage,
    direction: Direction,
    span: (i32, i32),
    region: &Rect,
    (first, second): (&PoolBlock, &PoolBlock),
) -> Separator {
    let mut sum = match span.1 - span.0 {
        56.. => 12,
        46.. => 10,
        36.. => 8,
        26.. => 6,
        16.. => 4,
        9.. => 2,
        _ => 1,
    };
    // A rule as high as the band touches it.
    let band = match direction {
        Direction::Horizontal => Rect { y: span.0 - 1, height: span.1 - span.0 + 2, ..*region },
        Direction::Vertical => Rect { x: span.0 - 1, width: span.1 - span.0 + 2, ..*region },
    };
    if page.rules.iter().any(|rule| !rule.intersection(&band).is_empty()) {
        sum += 2;
    }
    let (last, next) = (first.roots.last(), second.roots.first());
    if let (Some(last), Some(next)) = (last, next) {
        if page.background(*last) != page.background(*next) {
            sum += 2;
        }
        if direction == Direction::Horizontal
            && let (Some(above), Some(below)) = (main_font(page, first), main_font(page, second))
        {
            sum += 2 * i32::from(above.0 != below.0) + 2 * i32::from(above.1 != below.1);
            sum += 2 * i32::from(above.0 < below.0);
        }
        if page.is_text(*last) && page.is_text(*next) {
            sum -= 2;
        }
    }
    Separator { direction, span, weight: scaled(sum), sum }
}

/// A sum of the rules on the scale 1..=11.
fn scaled(sum: i32) -> u8 {
    let sum = sum.clamp(1, MAX_SUM) - 1;
    (1 + (sum * 10 + (MAX_SUM - 1) / 2) / (MAX_SUM - 1)) as u8
}

/// Size (in tenths of a pixel) and weight of the font that most characters of a block are set in.
fn main_font(page: &VisualPage, block: &PoolBlock) -> Option<(u32, u16)> {
    let mut counts: Vec<((u32, u16), u32)> = Vec::new();
    for (size, weight, chars) in block.roots.iter().flat_map(|root| page.fonts(*root)) {
        let font = ((size * 10.0) as u32, weight);
        match counts.iter_mut().find(|(known, _)| *known == font) {
            Some((_, count)) => *count += chars,
            None => counts.push((font, chars)),
        }
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(font, _)| font)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{LayoutNode, PageLayout};

    fn rect(x: i32, y: i32, width: i32, height: i32) -> Rect {
        Rect { x, y, width, height }
    }

    /// Blocks of one text each, with font sizes; and a rule, if any.
    fn of(texts: &[(Rect, f32)], rule: Option<Rect>, direction: Direction) -> Vec<((i32, i32), u8)> {
        let text = |(rect, font_size): &(Rect, f32)| LayoutNode {
            name: "#text".into(),
            rect: *rect,
            font_size: *font_size,
            is_text: true,
            chars: 5,
            ..LayoutNode::default()
        };
        let mut nodes: Vec<LayoutNode> = texts.iter().map(text).collect();
        nodes.extend(rule.map(|rect| LayoutNode { name: "hr".into(), rect, ..LayoutNode::default() }));
        let layout = PageLayout { nodes, ..PageLayout::default() };
        let page = VisualPage::new(&layout);
        let blocks: Vec<PoolBlock> =
            (0u32..).zip(texts).map(|(at, (seen, _))| PoolBlock { roots: vec![at], seen: *seen, degree: 10 }).collect();
        separators(&page, &blocks.iter().collect::<Vec<_>>(), direction)
            .into_iter()
            .map(|separator| (separator.span, separator.weight))
            .collect()
    }

    #[test]
    fn bands_that_no_block_crosses_divide() {
        let header = (rect(0, 0, 800, 50), 16.0);
        let left = (rect(0, 60, 200, 400), 16.0);
        let right = (rect(220, 110, 580, 300), 16.0);
        // Ten pixels are 2, less 2 for text on both sides; the rest is covered by the left block.
        assert_eq!(of(&[right, header, left], None, Direction::Horizontal), [((50, 60), 1)]);
        // The header crosses every column.
        assert_eq!(of(&[header, left, right], None, Direction::Vertical), []);
        // 20 pixels are 4, less 2.
        assert_eq!(of(&[left, right], None, Direction::Vertical), [((200, 220), 1)]);
    }

    #[test]
    fn rules_and_fonts_weigh() {
        let at = |y, size| (rect(0, y, 100, 20), size);
        let weight = |texts: &[(Rect, f32)], rule| of(texts, rule, Direction::Horizontal)[0].1;
        // Sums: 12 - 2; 12 - 2 + 2; 12 - 2 + 2 (size); 12 - 2 + 2 + 2 (smaller above).
        assert_eq!(weight(&[at(0, 16.0), at(80, 16.0)], None), scaled(10));
        assert_eq!(weight(&[at(0, 16.0), at(80, 16.0)], Some(rect(0, 50, 100, 2))), scaled(12));
        assert_eq!(weight(&[at(0, 20.0), at(80, 16.0)], None), scaled(12));
        assert_eq!(weight(&[at(0, 16.0), at(80, 20.0)], None), scaled(14));
        assert_eq!([scaled(-1), scaled(1), scaled(10), scaled(22), scaled(30)], [1, 1, 5, 11, 11]);
    }
}
