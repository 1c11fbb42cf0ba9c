//! The facts about nodes that the rules ask for.

use crate::layout::{LayoutNode, PageLayout, Rect};

/// A page with what follows from its nodes.
pub(super) struct VisualPage<'a> {
    pub nodes: &'a [LayoutNode],
    pub children: Vec<Vec<u32>>,
    /// One past the last node inside each.
    pub ends: Vec<u32>,
    /// True if something of the node is to be seen (valid node).
    valid: Vec<bool>,
    /// Visible areas of the node: its box if it differs from its background, otherwise those of its content.
    seen: Vec<Rect>,
    /// Background behind the text of each node.
    background: Vec<u32>,
    /// True if each is an inline element with text alone (virtual text node).
    virtual_text: Vec<bool>,
    /// Rectangles of the rules of the page.
    pub rules: Vec<Rect>,
}

const WHITE: u32 = 0x00FF_FFFF;

impl<'a> VisualPage<'a> {
    pub fn new(layout: &'a PageLayout) -> Self {
        let nodes = layout.nodes.as_slice();
        let children = layout.children();
        let mut background: Vec<u32> = Vec::with_capacity(nodes.len());
        let mut stands_out = Vec::with_capacity(nodes.len());
        for node in nodes {
            let behind = node.parent.and_then(|parent| background.get(parent as usize));
            let behind = behind.copied().unwrap_or(WHITE);
            let backdrop = node.background.unwrap_or(behind);
            stands_out.push(backdrop != behind || node.background_image);
            background.push(backdrop);
        }
        let mut page = Self {
            nodes,
            ends: layout.ends(),
            valid: vec![false; nodes.len()],
            seen: vec![Rect::default(); nodes.len()],
            background,
            virtual_text: vec![false; nodes.len()],
            rules: Vec::new(),
            children,
        };
        // Parents stand before what they contain.
        for (at, node) in nodes.iter().enumerate().rev() {
            let shown = !node.is_invisible && on_page(&node.rect);
            let children = page.children.get(at).map_or(&[] as &[u32], Vec::as_slice);
            let valid = children.iter().filter(|child| page.is_valid(**child));
            let mut count = 0;
            let mut is_text = node.is_inline && !node.is_text;
            let mut inside = Rect::default();
            for child in valid {
                count += 1;
                is_text &= page.is_text(*child);
                inside = inside.union(&page.seen(*child));
            }
            let is_leaf = shown && (node.is_text || node.is_replaced());
            if shown && node.is_rule() {
                page.rules.push(node.rect);
            }
            let stands_out = stands_out.get(at).copied().unwrap_or_default();
            let seen = if is_leaf || shown && stands_out && count > 0 { node.rect.union(&inside) } else { inside };
            put(&mut page.valid, at, is_leaf || count > 0);
            put(&mut page.virtual_text, at, is_text && count > 0);
            put(&mut page.seen, at, seen);
        }
        page
    }

    pub fn node(&self, at: u32) -> Option<&LayoutNode> {
        self.nodes.get(at as usize)
    }

    pub fn is_valid(&self, at: u32) -> bool {
        self.valid.get(at as usize).copied().unwrap_or_default()
    }

    pub fn seen(&self, at: u32) -> Rect {
        self.seen.get(at as usize).copied().unwrap_or_default()
    }

    pub fn background(&self, at: u32) -> u32 {
        self.background.get(at as usize).copied().unwrap_or(WHITE)
    }

    /// Text or virtual text.
    pub fn is_text(&self, at: u32) -> bool {
        self.node(at).is_some_and(|node| node.is_text)
            || self.virtual_text.get(at as usize).copied().unwrap_or_default()
    }

    /// The valid nodes right inside.
    pub fn valid_children(&self, at: u32) -> impl Iterator<Item = u32> {
        let children = self.children.get(at as usize).map_or(&[] as &[u32], Vec::as_slice);
        children.iter().copied().filter(|child| self.is_valid(*child))
    }

    /// The child of `around` that holds `inner`; `inner` itself if it does not stand in `around`.
    pub fn child_with(&self, around: u32, inner: u32) -> u32 {
        let mut at = inner;
        while let Some(parent) = self.node(at).and_then(|node| node.parent) {
            if parent == around {
                return at;
            }
            at = parent;
        }
        inner
    }

    /// The nodes of a sub-tree, its root first.
    pub fn inside(&self, at: u32) -> std::ops::Range<u32> {
        at..self.ends.get(at as usize).copied().unwrap_or(at + 1)
    }

    /// Fonts of the visible texts of a sub-tree: size, weight, characters.
    pub fn fonts(&self, at: u32) -> impl Iterator<Item = (f32, u16, u32)> {
        self.inside(at)
            .filter_map(|inner| self.node(inner).filter(|_| self.is_valid(inner)))
            .filter(|node| node.is_text)
            .map(|node| (node.font_size, node.font_weight, node.chars))
    }
}

/// Returns whether a pixel of it lies right of and below the upper left corner of the page.
fn on_page(rect: &Rect) -> bool {
    !rect.is_empty() && rect.right() > 0 && rect.bottom() > 0
}

fn put<T>(column: &mut [T], at: usize, value: T) {
    if let Some(cell) = column.get_mut(at) {
        *cell = value;
    }
}
