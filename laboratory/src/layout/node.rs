//! The nodes of a page that was laid out.

use super::rect::Rect;

/// A node of the page that has a box: an element, or a text that is not all white space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayoutNode {
    /// Index of the node around it; none for the root.
    pub parent: Option<u32>,
    /// Name in lower case; `#text` for a text.
    pub name: String,
    /// Byte of the `<` of its start tag in the decoded page; none for texts and for elements that the browser
    /// added.
    pub start: Option<u32>,
    /// Its box; that of all its lines if it has several.
    pub rect: Rect,
    /// Font size in CSS pixels.
    pub font_size: f32,
    /// Font weight, 1..=1000; 400 is normal.
    pub font_weight: u16,
    /// Background of its own as `0xRRGGBB`; none if it lets through what is behind.
    pub background: Option<u32>,
    /// True if it has a background image.
    pub background_image: bool,
    /// True if it is text (the text flag).
    pub is_text: bool,
    /// True if it flows in a line: text, or an element with `display: inline`.
    pub is_inline: bool,
    /// True if it is hidden by `visibility` or by `opacity: 0`.
    pub is_invisible: bool,
    /// Characters of the text but white space; 0 for elements.
    pub chars: u32,
}

impl LayoutNode {
    /// Returns whether it is a horizontal rule.
    pub fn is_rule(&self) -> bool {
        self.name == "hr"
    }

    /// Returns whether the browser shows something of its own in its place: images, controls, embedded things.
    pub fn is_replaced(&self) -> bool {
        matches!(
            self.name.as_str(),
            "img"
                | "input"
                | "button"
                | "select"
                | "textarea"
                | "iframe"
                | "object"
                | "embed"
                | "video"
                | "audio"
                | "canvas"
                | "svg"
        )
    }
}

/// Requests of the page while it was laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Requests {
    /// Style sheets that the archive had.
    pub style_sheets: u32,
    /// Other things that the archive had.
    pub others: u32,
    /// Requests that the archive could not answer.
    pub failed: u32,
}

/// A page that was laid out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageLayout {
    /// WARC-Record-ID of the page, without angle brackets.
    pub record_id: String,
    /// URL of the page.
    pub url: String,
    /// Width of the window in CSS pixels.
    pub window: u32,
    /// The requests.
    pub requests: Requests,
    /// The nodes in document order, each before what it contains.
    pub nodes: Vec<LayoutNode>,
}

impl PageLayout {
    /// The page's own rectangle: around everything that is shown.
    pub fn rect(&self) -> Rect {
        let shown = self.nodes.iter().filter(|node| !node.is_invisible);
        shown.fold(Rect::default(), |all, node| all.union(&node.rect))
    }

    /// For each node the indices of the nodes right inside it.
    pub fn children(&self) -> Vec<Vec<u32>> {
        let mut children = vec![Vec::new(); self.nodes.len()];
        for (at, node) in (0u32..).zip(&self.nodes) {
            if let Some(siblings) = node.parent.and_then(|parent| children.get_mut(parent as usize)) {
                siblings.push(at);
            }
        }
        children
    }

    /// For each node one past the index of the last node inside it.
    pub fn ends(&self) -> Vec<u32> {
        let mut ends: Vec<u32> = (1..=self.nodes.len() as u32).collect();
        for at in (0..self.nodes.len()).rev() {
            let end = ends.get(at).copied().unwrap_or_default();
            let parent = self.nodes.get(at).and_then(|node| node.parent);
            if let Some(last_end) = parent.and_then(|parent| ends.get_mut(parent as usize)) {
                *last_end = end.max(*last_end);
            }
        }
        ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_and_ends_follow_from_the_parents() {
        let node = |parent| LayoutNode { parent, ..LayoutNode::default() };
        let layout = PageLayout {
            nodes: vec![node(None), node(Some(0)), node(Some(1)), node(Some(0))],
            ..PageLayout::default()
        };
        assert_eq!(layout.children(), [vec![1, 3], vec![2], vec![], vec![]]);
        assert_eq!(layout.ends(), [4, 3, 3, 4]);
    }
}
