//! JSON-LD: the description of a page for search engines, as a flat list of nodes, with the content texts in
//! it.
//!
//! Scripts on the web are often broken. They are repaired where possible; the others give nothing.

mod contents;
mod graph;
mod items;
mod repair;
mod texts;

use std::ops::Range;

use serde_json::Value;

pub use contents::{Content, ContentProperty, ContentSubject};
pub use graph::{Graph, Node};
pub use texts::{JsonLdKind, JsonLdText};

/// Bytes of JSON-LD that are read of one page.
// The head keeps less at its default cap; the bound is for callers that raise it.
const MAX_BYTES: usize = 2 << 20;
/// Objects with a type that are kept of one page.
// Shops list every product of a page; what a page says about itself comes long before.
const MAX_NODES: usize = 4096;
/// Nesting of objects and arrays that is followed.
// Nodes are walked by recursion, so this bounds the stack.
const MAX_DEPTH: usize = 48;

/// A `<script type="application/ld+json">` of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JsonLdScript {
    /// Its contents, as they stand.
    pub text: String,
    /// First and one past the last byte of the contents in the decoded page.
    pub span: (u32, u32),
}

/// The parsed JSON-LD of a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JsonLd {
    values: Vec<Value>,
    scripts: Vec<ParsedScript>,
}

/// The parsed contents of one script.
#[derive(Clone, Debug, PartialEq)]
struct ParsedScript {
    /// Its values among those of the page.
    values: Range<usize>,
    /// The span of [`JsonLdScript`].
    span: (u32, u32),
    /// True if one of the properties that hold [contents](JsonLd::contents), or [texts](JsonLd::texts), is named in it.
    // Three searches while parsing spare a walk over all nodes later: most scripts hold breadcrumbs and logos only.
    may_hold_content: bool,
    may_hold_text: bool,
    /// True if a type that lists [items](JsonLd::items) is named in it.
    may_hold_items: bool,
}

impl JsonLd {
    /// Parses the scripts of a page ([`Head::json_ld`](crate::Head::json_ld)). Never fails: a script
    /// that is broken beyond repair gives what stands before the fault, or nothing.
    pub fn parse(scripts: &[JsonLdScript]) -> Self {
        let mut parsed = Self::default();
        let mut room = MAX_BYTES;
        for script in scripts {
            let text = script.text.as_str();
            if text.len() > room {
                continue;
            }
            room -= text.len();
            let from = parsed.values.len();
            parsed.values.extend(repair::values(text));
            parsed.scripts.push(ParsedScript {
                values: from..parsed.values.len(),
                span: script.span,
                may_hold_content: contents::may_hold_content(text),
                may_hold_text: texts::may_hold_text(text),
                may_hold_items: items::may_hold_items(text),
            });
        }
        parsed
    }

    /// Returns whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Every object with a type, in document order, an object before those inside it. The list is
    /// cut after some thousand.
    pub fn graph(&self) -> Graph<'_> {
        Graph::new(&self.values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(text: &str) -> JsonLdScript {
        JsonLdScript { text: text.to_owned(), span: (0, text.len() as u32) }
    }

    #[test]
    fn scripts_beyond_the_cap_are_left_out() {
        let large = format!("[\"{}\"]", "x".repeat(MAX_BYTES));
        let page = JsonLd::parse(&[script(&large), script("{\"@type\":\"Article\"}")]);
        assert_eq!(page.values.len(), 1);
        assert_eq!(page.graph().nodes().len(), 1);
    }

    #[test]
    fn deep_nesting_ends_without_a_fault() {
        let deep = "[".repeat(100_000);
        assert!(JsonLd::parse(&[script(&deep)]).is_empty());
        let nested = format!("{}1{}", "{\"@type\":\"A\",\"b\":".repeat(100), "}".repeat(100));
        let page = JsonLd::parse(&[script(&nested)]);
        assert_eq!(page.graph().nodes().len(), MAX_DEPTH);
    }
}
