//! Visual block extraction: which nodes are divided, which are blocks (rules 1 to 12).

use super::visual::VisualPage;
use crate::layout::{LayoutNode, Rect};

/// Size thresholds in pixels, round by round (those of vips_java; the paper gives none).
pub(super) const THRESHOLDS: [i64; 9] =
    [350 * 400, 300 * 350, 250 * 300, 200 * 250, 150 * 200, 100 * 100, 80 * 80, 40 * 10, 1];

/// A block of the pool: the roots of sub-trees of the page, and its degree of coherence.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PoolBlock {
    pub roots: Vec<u32>,
    pub seen: Rect,
    pub degree: u8,
}

/// Verdict of the rules on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// Nothing of it is to be seen (rule 1).
    Cut,
    /// Its children are asked.
    Divide,
    /// Its children are asked, but for those whose background differs, which are blocks (rule 7).
    DivideByBackground,
    /// A block of this degree.
    Keep(u8),
}

/// Class of a node, which decides the rules that are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Inline,
    Table,
    Cell,
    Paragraph,
    Other,
}

impl Class {
    fn of(node: &LayoutNode) -> Self {
        match node.name.as_str() {
            "table" | "tbody" | "thead" | "tfoot" | "tr" => Class::Table,
            "td" | "th" => Class::Cell,
            "p" => Class::Paragraph,
            _ if node.is_inline => Class::Inline,
            _ => Class::Other,
        }
    }

    /// Returns whether rule 4..=12 is tried; the first three always are.
    fn tries(self, rule: u8) -> bool {
        let rules: &[u8] = match self {
            Class::Inline => &[4, 5, 6, 8, 9, 12],
            Class::Table => &[7, 9, 12],
            Class::Cell => &[4, 8, 9, 10, 12],
            Class::Paragraph => &[4, 5, 6, 7, 8, 9, 10, 11, 12],
            Class::Other => &[4, 6, 8, 9, 11],
        };
        rules.contains(&rule)
    }
}

/// A node to be asked.
struct Open {
    node: u32,
    /// True if it is the only root of its block.
    only_root: bool,
    /// The sibling before it.
    before: Option<u32>,
}

/// Divides the sub-trees of a block (`roots`) into blocks, in document order. Rule 3 is tried on request.
pub(super) fn extract(page: &VisualPage, roots: &[u32], threshold: i64, rule_3: bool) -> Vec<PoolBlock> {
    let mut pool = Vec::new();
    // The first to ask stands last.
    let mut open: Vec<Open> = roots
        .iter()
        .rev()
        .map(|root| Open { node: *root, only_root: rule_3 && roots.len() == 1, before: None })
        .collect();
    let mut last_kept = None;
    while let Some(next) = open.pop() {
        let at = next.node;
        if !page.is_valid(at) {
            continue;
        }
        let after_kept = next.before.is_some() && next.before == last_kept;
        let verdict = judge(page, at, threshold, next.only_root, after_kept);
        match verdict {
            Verdict::Cut => {}
            Verdict::Keep(degree) => {
                last_kept = Some(at);
                pool.push(block(page, at, degree));
            }
            Verdict::Divide | Verdict::DivideByBackground => {
                let background = page.background(at);
                let mut children = Vec::new();
                let mut before = None;
                for child in page.valid_children(at) {
                    if verdict == Verdict::DivideByBackground && page.background(child) != background {
                        pool.push(block(page, child, 7));
                    } else {
                        children.push(Open { node: child, only_root: false, before });
                    }
                    before = Some(child);
                }
                open.extend(children.into_iter().rev());
            }
        }
    }
    pool.sort_by_key(|block| block.roots.first().copied());
    pool
}

fn block(page: &VisualPage, at: u32, degree: u8) -> PoolBlock {
    PoolBlock { roots: vec![at], seen: page.seen(at), degree }
}

fn judge(page: &VisualPage, at: u32, threshold: i64, only_root: bool, after_kept: bool) -> Verdict {
    let Some(node) = page.node(at) else {
        return Verdict::Cut;
    };
    if node.is_text || node.is_replaced() {
        return Verdict::Keep(super::MAX_DEGREE);
    }
    let children: Vec<u32> = page.valid_children(at).collect();
    // Rule 1.
    let Some(first) = children.first() else {
        return Verdict::Cut;
    };
    let is_text = |child: u32| page.node(child).is_some_and(|node| node.is_text);
    // Rule 2.
    if children.len() == 1 && !is_text(*first) {
        return Verdict::Divide;
    }
    // Rule 4 stands before rule 3 here: a block of text alone has nothing to be divided into.
    let class = Class::of(node);
    let all_text = children.iter().all(|child| page.is_text(*child));
    if all_text && class.tries(4) {
        return Verdict::Keep(text_degree(page, at, children.len()));
    }
    // Rule 3.
    if only_root {
        return Verdict::Divide;
    }
    let child_nodes = || children.iter().filter_map(|child| page.node(*child));
    if class.tries(5) && child_nodes().any(|child| !child.is_inline && !child.is_text) {
        return Verdict::Divide;
    }
    let all_children = page.children.get(at as usize).map_or(&[] as &[u32], Vec::as_slice);
    let has_rule = all_children.iter().any(|child| page.node(*child).is_some_and(LayoutNode::is_rule));
    if class.tries(6) && has_rule {
        return Verdict::Divide;
    }
    let background = page.background(at);
    if class.tries(7) && children.iter().any(|child| page.background(*child) != background) {
        return Verdict::DivideByBackground;
    }
    let has_text = children.iter().any(|child| page.is_text(*child));
    if class.tries(8) && has_text && node.rect.area() < threshold {
        return Verdict::Keep(match node.name.as_str() {
            "div" => 5,
            "code" => 7,
            _ => 8,
        });
    }
    let largest = child_nodes().map(|child| child.rect.area()).max();
    if class.tries(9) && largest.is_some_and(|largest| largest < threshold) {
        return Verdict::Keep(if node.name == "a" { 11 } else { 8 });
    }
    if class.tries(10) && after_kept {
        return Verdict::Keep(7);
    }
    if class.tries(11) {
        return Verdict::Divide;
    }
    // Rule 12.
    Verdict::Keep(match node.name.as_str() {
        "li" | "span" | "sup" => 8,
        _ => 7,
    })
}

/// Rule 4: 11 for a single text, 10 for one font, 9 for several.
fn text_degree(page: &VisualPage, at: u32, children: usize) -> u8 {
    let mut fonts = page.fonts(at).map(|(size, weight, _)| (size, weight));
    let first = fonts.next();
    let same = fonts.all(|font| Some(font) == first);
    match (same, children) {
        (true, 1) => 11,
        (true, _) => 10,
        (false, _) => 9,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::PageLayout;

    /// A page that grows node by node.
    #[derive(Default)]
    struct Builder(Vec<LayoutNode>);

    impl Builder {
        fn element(&mut self, parent: Option<u32>, name: &str, size: (i32, i32)) -> u32 {
            self.0.push(LayoutNode {
                parent,
                name: name.into(),
                rect: Rect { x: 0, y: 10 * self.0.len() as i32, width: size.0, height: size.1 },
                font_size: 16.0,
                font_weight: 400,
                is_inline: matches!(name, "b" | "a" | "span"),
                ..LayoutNode::default()
            });
            self.0.len() as u32 - 1
        }

        fn text(&mut self, parent: u32, font_size: f32) -> u32 {
            let at = self.element(Some(parent), "#text", (100, 20));
            if let Some(node) = self.0.last_mut() {
                (node.is_text, node.is_inline, node.chars, node.font_size) = (true, true, 10, font_size);
            }
            at
        }

        /// An element with one text.
        fn filled(&mut self, parent: u32, name: &str, size: (i32, i32)) -> u32 {
            let at = self.element(Some(parent), name, size);
            self.text(at, 16.0);
            at
        }

        /// Roots and degrees of the blocks of node `root` in the first round; it is one of two roots of its
        /// block, so that rule 3 does not apply.
        fn blocks(self, root: u32) -> Vec<(u32, u8)> {
            self.blocks_of(&[root, u32::MAX])
        }

        fn blocks_of(self, roots: &[u32]) -> Vec<(u32, u8)> {
            let layout = PageLayout { nodes: self.0, ..PageLayout::default() };
            let page = VisualPage::new(&layout);
            let pool = extract(&page, roots, THRESHOLDS[0], true);
            pool.into_iter().map(|block| (block.roots[0], block.degree)).collect()
        }
    }

    const LARGE: (i32, i32) = (800, 600);
    const SMALL: (i32, i32) = (100, 100);

    #[test]
    fn what_is_not_seen_is_cut_and_single_children_are_entered() {
        let mut page = Builder::default();
        let root = page.element(None, "div", LARGE);
        page.element(Some(root), "div", SMALL);
        let inner = page.element(Some(root), "div", LARGE);
        let paragraph = page.filled(inner, "p", LARGE);
        // Rule 1 cuts the empty one, rule 2 goes through two divs to the paragraph of one text.
        assert_eq!(page.blocks(root), [(paragraph, 11)]);
    }

    #[test]
    fn texts_stay_together_and_fonts_make_them_less_coherent() {
        let of = |sizes: [f32; 2]| {
            let mut page = Builder::default();
            let root = page.element(None, "div", LARGE);
            page.text(root, sizes[0]);
            let bold = page.element(Some(root), "b", SMALL);
            page.text(bold, sizes[1]);
            page.blocks(root)
        };
        assert_eq!(of([16.0, 16.0]), [(0, 10)]);
        assert_eq!(of([16.0, 20.0]), [(0, 9)]);
    }

    #[test]
    fn line_breaks_and_rules_divide_what_is_small() {
        let mut page = Builder::default();
        let root = page.element(None, "a", SMALL);
        page.text(root, 16.0);
        page.filled(root, "div", SMALL);
        // Rule 5: rule 8 would have kept a small link with text.
        assert_eq!(page.blocks(root), [(1, 11), (2, 11)]);
        let mut page = Builder::default();
        let root = page.element(None, "div", SMALL);
        page.text(root, 16.0);
        page.element(Some(root), "hr", (100, 2));
        page.filled(root, "div", SMALL);
        assert_eq!(page.blocks(root), [(1, 11), (3, 11)]);
    }

    #[test]
    fn a_child_with_another_background_is_a_block() {
        let of = |background| {
            let mut page = Builder::default();
            let root = page.element(None, "table", LARGE);
            let row = page.element(Some(root), "tr", LARGE);
            page.filled(row, "td", LARGE);
            let other = page.element(Some(root), "tr", LARGE);
            page.filled(other, "td", SMALL);
            page.filled(other, "td", SMALL);
            page.0[row as usize].background = background;
            page.blocks(root)
        };
        // Rule 7; the other row follows by rule 9 in the same round. Else the table is kept by rule 12.
        assert_eq!(of(Some(0x00CC_CC99)), [(1, 7), (4, 8)]);
        assert_eq!(of(None), [(0, 7)]);
    }

    #[test]
    fn small_blocks_are_kept_by_their_own_size_or_that_of_their_children() {
        let of = |pair, child| {
            let mut page = Builder::default();
            let root = page.element(None, "div", pair);
            page.text(root, 16.0);
            page.filled(root, "div", child);
            page.blocks(root)
        };
        // Rule 8, rule 9, and rule 11 where both are large.
        assert_eq!(of(SMALL, SMALL), [(0, 5)]);
        assert_eq!(of(LARGE, SMALL), [(0, 8)]);
        assert_eq!(of(LARGE, LARGE), [(1, 11), (2, 11)]);
    }

    #[test]
    fn cells_follow_a_kept_sibling_and_are_kept_at_last() {
        let of = |first: (i32, i32)| {
            let mut page = Builder::default();
            let root = page.element(None, "tr", LARGE);
            let one = page.element(Some(root), "td", first);
            page.filled(one, "div", first);
            page.filled(one, "div", first);
            let two = page.element(Some(root), "td", LARGE);
            page.filled(two, "div", LARGE);
            page.filled(two, "div", LARGE);
            page.blocks_of(&[root])
        };
        // Rule 9 keeps the first (8), rule 10 the second (7); rule 12 keeps both where nothing is small.
        assert_eq!(of(SMALL), [(1, 8), (6, 7)]);
        assert_eq!(of(LARGE), [(1, 7), (6, 7)]);
    }

    #[test]
    fn a_block_of_one_sub_tree_is_divided_in_its_round() {
        let mut page = Builder::default();
        let root = page.element(None, "div", SMALL);
        page.filled(root, "div", SMALL);
        page.filled(root, "div", SMALL);
        let layout = PageLayout { nodes: page.0, ..PageLayout::default() };
        let visual = VisualPage::new(&layout);
        let count = |roots: &[u32]| extract(&visual, roots, THRESHOLDS[0], true).len();
        // Rule 3; beside another root, rule 9 keeps it whole.
        assert_eq!((count(&[root]), count(&[root, u32::MAX])), (2, 1));
    }
}
