//! MathML as a small tree with caps on its size and depth.

use crate::reread::pieces::{Piece, Pieces, TagPiece};

/// Nodes of one formula; further ones are left out.
// A formula is at most 64 KB of markup; both bounds keep hostile ones from taking memory and stack.
const MAX_NODES: usize = 1 << 14;
/// Nesting of one formula; what is deeper hangs on the deepest.
const MAX_DEPTH: usize = 96;

/// An element of a formula.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    /// Name in lower case, without prefix.
    pub name: String,
    /// Text right inside, white space trimmed.
    pub text: String,
    /// Indices of the children.
    pub children: Vec<u32>,
    /// Names and values of the attributes that change what is written.
    pub attributes: Vec<(String, String)>,
}

/// The elements of a formula; the first is the root.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    pub nodes: Vec<Node>,
}

const ATTRIBUTES: [&str; 9] =
    ["encoding", "open", "close", "separators", "stretchy", "linethickness", "mathvariant", "accent", "notation"];

impl Tree {
    /// Reads MathML, or the elements by which MathJax lays it out (`mjx-mi`).
    pub fn read(source: &str) -> Self {
        let mut tree = Self { nodes: vec![Node::default()] };
        let mut open: Vec<u32> = vec![0];
        // Elements beyond a cap that are still to be ended.
        let mut beyond = 0usize;
        for piece in Pieces::new(source, 0) {
            let found = match piece {
                Piece::Text(text, _) => {
                    tree.text(&open, text);
                    continue;
                }
                Piece::Tag(found) => found,
                Piece::Cut(_) => break,
            };
            let (raw, name) = (found.raw, found.name);
            if raw.is_end {
                if beyond > 0 {
                    beyond -= 1;
                } else if let Some(last) = open.last()
                    && open.len() > 1
                    && tree.is_named(*last, &local(name))
                {
                    open.pop();
                // Wrong nesting: the end tag ends what is open inside of its element as well.
                } else if let Some(place) =
                    open.iter().rposition(|node| *node > 0 && tree.is_named(*node, &local(name)))
                {
                    open.truncate(place.max(1));
                }
                continue;
            }
            if tree.nodes.len() >= MAX_NODES || open.len() >= MAX_DEPTH {
                beyond += usize::from(!raw.self_closing);
                continue;
            }
            let attributes = found
                .attributes()
                .filter_map(|(name, value)| {
                    let name = str::from_utf8(name).ok()?.to_ascii_lowercase();
                    ATTRIBUTES.contains(&name.as_str()).then(|| {
                        let value = String::from_utf8_lossy(value);
                        (name, htmlize::unescape_attribute(value).into_owned())
                    })
                })
                .collect();
            let index = tree.nodes.len() as u32;
            if let Some(parent) = open.last()
                && let Some(parent) = tree.nodes.get_mut(*parent as usize)
            {
                parent.children.push(index);
            }
            let is_glyph = name.eq_ignore_ascii_case("mjx-c") && source.as_bytes().get(raw.end) == Some(&b'<');
            let glyph = is_glyph.then(|| glyph(&found));
            tree.nodes.push(Node {
                name: local(name),
                text: glyph.flatten().map(String::from).unwrap_or_default(),
                attributes,
                ..Node::default()
            });
            if !raw.self_closing {
                open.push(index);
            }
        }
        tree
    }

    fn is_named(&self, at: u32, name: &str) -> bool {
        self.node(at).is_some_and(|node| node.name == name)
    }

    fn text(&mut self, open: &[u32], raw: &str) {
        let text = raw.trim();
        if text.is_empty() {
            return;
        }
        if let Some(node) = open.last().and_then(|at| self.nodes.get_mut(*at as usize)) {
            if !node.text.is_empty() && raw.starts_with(char::is_whitespace) {
                node.text.push(' ');
            }
            node.text.push_str(&htmlize::unescape(text));
        }
    }

    pub fn node(&self, at: u32) -> Option<&Node> {
        self.nodes.get(at as usize)
    }
}

impl Node {
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// The character of a glyph that has none: its class is its number (`mjx-c1D465`).
fn glyph(element: &TagPiece) -> Option<char> {
    let (_, class) = element.attributes().find(|(name, _)| name.eq_ignore_ascii_case(b"class"))?;
    let mut names = str::from_utf8(class).ok()?.split_ascii_whitespace();
    let number = names.find_map(|name| name.strip_prefix("mjx-c"))?;
    char::from_u32(u32::from_str_radix(number, 16).ok()?)
}

/// A name in lower case without its prefix (`m:mi`, `mjx-mi`).
fn local(name: &str) -> String {
    let name = name.rsplit(':').next().unwrap_or_default();
    let name = name.to_ascii_lowercase();
    match name.strip_prefix("mjx-") {
        Some(local) => local.to_owned(),
        None => name,
    }
}
