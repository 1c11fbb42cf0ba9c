//! Reads `DOMSnapshot.captureSnapshot` of the Chrome DevTools Protocol, and the layout in it.

use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::node::{LayoutNode, PageLayout};
use super::rect::Rect;

/// Computed styles to be asked for, in this order.
pub const COMPUTED_STYLES: [&str; 7] =
    ["display", "visibility", "opacity", "font-size", "font-weight", "background-color", "background-image"];

/// Attribute that says at which byte of the decoded page a start tag begins. A comment of this name, `=` and
/// the byte says the same of the text right behind it.
pub const OFFSET_ATTRIBUTE: &str = "trommel-at";

const ELEMENT: i64 = 1;
const TEXT: i64 = 3;
const COMMENT: i64 = 8;

/// The part of a snapshot that is read here.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Snapshot {
    documents: Vec<Document>,
    strings: Vec<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct Document {
    nodes: Nodes,
    layout: Layout,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Nodes {
    parent_index: Vec<i64>,
    node_type: Vec<i64>,
    node_name: Vec<i64>,
    node_value: Vec<i64>,
    attributes: Vec<Vec<i64>>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Layout {
    node_index: Vec<usize>,
    styles: Vec<Vec<i64>>,
    bounds: Vec<Vec<f64>>,
    text: Vec<i64>,
}

impl Snapshot {
    /// The nodes of the page itself (not of frames in it) that have a box.
    pub fn layout(&self) -> PageLayout {
        let Some(document) = self.documents.first() else {
            return PageLayout::default();
        };
        let mut boxes: FxHashMap<usize, usize> = FxHashMap::default();
        let mut rects: FxHashMap<usize, Rect> = FxHashMap::default();
        for (at, node) in document.layout.node_index.iter().enumerate() {
            boxes.entry(*node).or_insert(at);
            let rect = document.layout.bounds.get(at).map_or(Rect::default(), |bounds| rect(bounds));
            rects.entry(*node).and_modify(|all| *all = all.union(&rect)).or_insert(rect);
        }
        let mut nodes = Vec::new();
        // Of each node of the document: its place in `nodes` or that of the nearest one around it, and
        // whether that is see-through.
        let mut kept: Vec<(Option<u32>, bool)> = Vec::new();
        let mut comment: Option<(i64, u32)> = None;
        for at in 0..document.nodes.node_type.len() {
            let parent = number(&document.nodes.parent_index, at);
            let around = usize::try_from(parent).ok().and_then(|parent| kept.get(parent));
            let (mut background, mut clear) = around.copied().unwrap_or_default();
            let kind = number(&document.nodes.node_type, at);
            if kind == COMMENT {
                let value = self.string(number(&document.nodes.node_value, at));
                let offset = value
                    .strip_prefix(OFFSET_ATTRIBUTE)
                    .and_then(|rest| rest.strip_prefix('='))
                    .and_then(|rest| rest.parse().ok());
                comment = offset.map(|offset| (parent, offset));
            }
            if let Some(place) = boxes.get(&at) {
                let mut node = self.node(document, at, *place);
                node.parent = background;
                node.rect = rects.get(&at).copied().unwrap_or_default();
                clear |= self.style(document, *place, 2) == "0";
                node.is_invisible |= clear;
                if node.is_text {
                    node.start = comment.filter(|(beside, _)| *beside == parent).map(|(_, offset)| offset);
                }
                let is_shown = match kind {
                    ELEMENT => !node.name.starts_with(':'),
                    TEXT => node.chars > 0,
                    _ => false,
                };
                if is_shown {
                    background = u32::try_from(nodes.len()).ok();
                    nodes.push(node);
                }
            }
            if kind == ELEMENT || kind == TEXT {
                comment = None;
            }
            kept.push((background, clear));
        }
        PageLayout { nodes, ..PageLayout::default() }
    }

    fn node(&self, document: &Document, at: usize, place: usize) -> LayoutNode {
        let is_text = number(&document.nodes.node_type, at) == TEXT;
        let text = self.string(number(&document.layout.text, place));
        let background = self.style(document, place, 5);
        let image = self.style(document, place, 6);
        LayoutNode {
            parent: None,
            name: self.string(number(&document.nodes.node_name, at)).to_ascii_lowercase(),
            start: self.offset(document, at),
            rect: Rect::default(),
            font_size: pixels(self.style(document, place, 3)),
            font_weight: self.style(document, place, 4).parse().unwrap_or(400),
            background: color(background),
            background_image: !image.is_empty() && image != "none",
            is_text,
            is_inline: is_text || self.style(document, place, 0) == "inline",
            is_invisible: self.style(document, place, 1) != "visible",
            chars: if is_text { text.chars().filter(|c| !c.is_whitespace()).count() as u32 } else { 0 },
        }
    }

    fn offset(&self, document: &Document, at: usize) -> Option<u32> {
        let attributes = document.nodes.attributes.get(at)?;
        let mut pairs = attributes.chunks_exact(2);
        let value = pairs.find_map(|pair| match pair {
            [name, value] if self.string(*name) == OFFSET_ATTRIBUTE => Some(*value),
            _ => None,
        })?;
        self.string(value).parse().ok()
    }

    fn style(&self, document: &Document, place: usize, at: usize) -> &str {
        let styles = document.layout.styles.get(place);
        styles.map_or("", |column| self.string(number(column, at)))
    }

    fn string(&self, at: i64) -> &str {
        let at = usize::try_from(at).ok();
        at.and_then(|at| self.strings.get(at)).map_or("", String::as_str)
    }
}

/// -1, which is no index, where there is nothing.
fn number(numbers: &[i64], at: usize) -> i64 {
    numbers.get(at).copied().unwrap_or(-1)
}

fn rect(bounds: &[f64]) -> Rect {
    let [x, y, width, height] = bounds else {
        return Rect::default();
    };
    // Edges are rounded, so that boxes that touch still do.
    let (left, top) = (x.round(), y.round());
    Rect {
        x: left as i32,
        y: top as i32,
        width: ((x + width).round() - left).max(0.0) as i32,
        height: ((y + height).round() - top).max(0.0) as i32,
    }
}

/// Of `16px`, to a tenth.
fn pixels(text: &str) -> f32 {
    let size: f32 = text.trim_end_matches("px").parse().unwrap_or_default();
    (size * 10.0).round() / 10.0
}

/// Of `rgb(r, g, b)` or `rgba(r, g, b, a)`; none if less than a tenth of it covers what is behind.
fn color(text: &str) -> Option<u32> {
    let inner = text.split_once('(')?.1.trim_end_matches(')');
    let mut parts = inner.split(',').map(|part| part.trim().parse::<f32>().ok());
    let (red, green, blue) = (parts.next()??, parts.next()??, parts.next()??);
    let alpha = parts.next().flatten().unwrap_or(1.0);
    let byte = |part: f32| part.clamp(0.0, 255.0) as u32;
    (alpha >= 0.1).then(|| byte(red) << 16 | byte(green) << 8 | byte(blue))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `<body><!--trommel-at=20--> Some <i trommel-at=26>text</i><u></u></body>`: the last has no box, and the
    /// body is set in white on half of black.
    fn snapshot() -> Snapshot {
        let json = r##"{"documents": [{
            "nodes": {
                "parentIndex": [-1, 0, 1, 1, 1, 4, 1], "nodeType": [9, 1, 8, 3, 1, 3, 1],
                "nodeName": [0, 1, 2, 3, 4, 3, 5], "nodeValue": [-1, -1, 6, 7, -1, 8, -1],
                "attributes": [[], [], [], [], [9, 10], [], []]},
            "layout": {
                "nodeIndex": [1, 3, 4, 5], "text": [-1, 7, -1, 8],
                "styles": [[11, 12, 13, 14, 15, 16, 17], [18, 12, 13, 14, 15, 19, 17],
                           [18, 12, 20, 14, 15, 19, 17], [18, 12, 13, 14, 15, 19, 17]],
                "bounds": [[0, 0, 800.4, 20.6], [8, 1.4, 40, 18], [48, 1, 30, 18], [48, 1, 30, 18]]}}],
            "strings": ["#document", "BODY", "#comment", "#text", "I", "U", "trommel-at=20", " Some ", "text",
                "trommel-at", "26", "block", "visible", "1", "13.333px", "700", "rgba(0, 0, 0, 0.5)", "none",
                "inline", "rgba(0, 0, 0, 0)", "0"]}"##;
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn nodes_with_a_box_have_their_places_in_the_page() {
        let nodes = snapshot().layout().nodes;
        let told: Vec<_> = nodes.iter().map(|node| (node.name.as_str(), node.parent, node.start, node.chars)).collect();
        assert_eq!(
            told,
            [
                ("body", None, None, 0),
                ("#text", Some(0), Some(20), 4),
                ("i", Some(0), Some(26), 0),
                ("#text", Some(2), None, 4),
            ]
        );
        assert_eq!((nodes[0].rect.width, nodes[0].rect.height), (800, 21));
        assert_eq!((nodes[1].rect.y, nodes[1].rect.bottom()), (1, 19));
        assert_eq!((nodes[0].background, nodes[1].background), (Some(0), None));
        assert_eq!((nodes[1].font_size, nodes[1].font_weight), (13.3, 700));
        assert_eq!((nodes[0].is_inline, nodes[2].is_inline), (false, true));
        // What is inside of something see-through is not to be seen either.
        let hidden: Vec<bool> = nodes.iter().map(|node| node.is_invisible).collect();
        assert_eq!(hidden, [false, false, true, true]);
    }

    #[test]
    fn colors_are_read() {
        assert_eq!(color("rgb(255, 0, 16)"), Some(0x00FF_0010));
        assert_eq!(color("rgba(1, 2, 3, 0.05)"), None);
        assert_eq!(color("red"), None);
    }
}
