//! Blocks marked by hand.

use std::path::Path;

use serde::Deserialize;
use trommel_html::Page;
use trommel_learn::numbered_lines;

use super::region::Leaves;
use crate::layout::PageLayout;

/// Reason why marked blocks cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SegmentGoldError {
    /// The file cannot be read.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A line is no page with blocks.
    #[error("{path}, line {line}: {source}")]
    Json {
        /// The file.
        path: String,
        /// Number of the line, from 1.
        line: usize,
        /// The fault.
        source: serde_json::Error,
    },
}

/// A block that a person marked.
#[derive(Clone, Debug, Deserialize)]
pub struct GoldBlock {
    /// Its element, such as `/html/body/div[2]`.
    pub xpath: String,
    /// 1, or 2 for a part of another block.
    pub level: u8,
    /// Purpose, such as `Menu`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The text in it, as the marking program saw it.
    #[serde(default)]
    pub text: String,
}

/// A page with its marked blocks.
#[derive(Clone, Debug, Deserialize)]
pub struct GoldPage {
    /// WARC-Record-ID of the page.
    pub record_id: String,
    /// Set that it is from: `random` or `popular`.
    pub set: String,
    /// The blocks.
    pub blocks: Vec<GoldBlock>,
}

/// Reads a file of JSON lines, gzip or plain.
///
/// # Errors
/// If it cannot be read or a line is no page with blocks.
pub fn read_gold_blocks(path: &Path) -> Result<Vec<GoldPage>, SegmentGoldError> {
    let name = path.display().to_string();
    let io = |source| SegmentGoldError::Io { path: name.clone(), source };
    let mut pages = Vec::new();
    for (line, text) in numbered_lines(path).map_err(io)? {
        let text = text.map_err(io)?;
        pages.push(serde_json::from_str(&text).map_err(|source| SegmentGoldError::Json {
            path: name.clone(),
            line,
            source,
        })?);
    }
    Ok(pages)
}

/// The node of the layout that an XPath of names and positions leads to; none if the page has no such element
/// or it has no box. What the element table leaves out (frames) is looked for in the layout.
pub(super) fn find(page: &Page, layout: &PageLayout, leaves: &Leaves, xpath: &str) -> Option<u32> {
    let mut around: Option<usize> = None;
    let mut steps = xpath.split('/').skip(1).peekable();
    while let Some(step) = steps.next() {
        let (name, position) = parse(step)?;
        let end =
            around.map_or(page.elements.len(), |at| page.elements.get(at).map_or(0, |element| element.end as usize));
        let mut at = around.map_or(0, |at| at + 1);
        let mut seen = 0;
        let mut next = None;
        while let Some(element) = page.elements.get(at).filter(|_| at < end) {
            if page.name(element) == name {
                seen += 1;
                if seen == position {
                    next = Some(at);
                    break;
                }
            }
            // Past everything inside of it.
            at = (element.end as usize).max(at + 1);
        }
        if next.is_none() && steps.peek().is_none() {
            let parent = leaves.node_at(page.elements.get(around?)?.start)?;
            let children = (0u32..).zip(&layout.nodes);
            return children
                .filter(|(_, node)| node.parent == Some(parent) && node.name == name)
                .nth(position - 1)
                .map(|(at, _)| at);
        }
        around = Some(next?);
    }
    leaves.node_at(page.elements.get(around?)?.start)
}

/// Name and position of a step such as `div[2]`.
fn parse(step: &str) -> Option<(&str, usize)> {
    match step.split_once('[') {
        Some((name, rest)) => {
            let position = rest.strip_suffix(']')?.parse().ok()?;
            (position > 0).then_some((name, position))
        }
        None => Some((step, 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::LayoutNode;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn paths_lead_to_nodes() {
        let html = "<html><body><div><p>a</p></div><p>b</p><div><p>c</p><p>d</p><iframe></iframe></div></body></html>";
        let page = ScanEngine.read(html, &Limits::default());
        let node = |name: &str, nth: usize, parent| LayoutNode {
            name: name.into(),
            parent,
            start: html.match_indices(&format!("<{name}>")).nth(nth).map(|(at, _)| at as u32),
            ..LayoutNode::default()
        };
        let layout = PageLayout {
            nodes: vec![
                node("body", 0, None),
                node("div", 1, Some(0)),
                node("p", 3, Some(1)),
                node("iframe", 9, Some(1)),
            ],
            ..PageLayout::default()
        };
        let leaves = Leaves::new(&layout);
        let find = |path| find(&page, &layout, &leaves, path);
        assert_eq!(find("/html/body/div[2]"), Some(1));
        assert_eq!(find("/html[1]/body/div[2]/p[2]"), Some(2));
        // A frame is known to the layout alone.
        assert_eq!(find("/html/body/div[2]/iframe"), Some(3));
        // Without a box, and not there at all.
        assert_eq!(find("/html/body/div/p"), None);
        assert_eq!(find("/html/body/div[3]"), None);
        assert_eq!(find("/html/body/div[0]"), None);
    }
}
