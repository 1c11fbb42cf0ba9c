//! JSON-LD: what a page says about itself to search engines, as a flat list of nodes, and the
//! content texts it holds.
//!
//! Scripts in the wild are often broken; what can be repaired is, and the rest gives nothing.

mod contents;
mod graph;
mod repair;
mod texts;

use serde_json::Value;

pub use contents::{Content, ContentProperty, ContentSubject, contents};
pub use graph::{Graph, Node};
pub use texts::{JsonLdKind, JsonLdText, texts};

/// Bytes of JSON-LD that are read of one page.
const BYTES: usize = 2 << 20;
/// Objects with a type that are kept of one page.
const NODES: usize = 4096;
/// Nesting of objects and arrays that is followed.
const DEPTH: usize = 48;

/// The parsed JSON-LD of a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JsonLd {
    values: Vec<Value>,
}

impl JsonLd {
    /// Parses the contents of a page's `<script type="application/ld+json">` elements
    /// ([`Head::json_ld`](crate::Head::json_ld)). Never fails: a script that is broken beyond repair
    /// gives what stands before the fault, or nothing.
    pub fn parse(scripts: &[String]) -> Self {
        let mut values = Vec::new();
        let mut room = BYTES;
        for script in scripts {
            if script.len() > room {
                continue;
            }
            room -= script.len();
            values.extend(repair::values(script));
        }
        Self { values }
    }

    /// Whether there is nothing.
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

    #[test]
    fn scripts_beyond_the_cap_are_left_out() {
        let large = format!("[\"{}\"]", "x".repeat(BYTES));
        let page = JsonLd::parse(&[large, "{\"@type\":\"Article\"}".to_owned()]);
        assert_eq!(page.values.len(), 1);
        assert_eq!(page.graph().nodes().len(), 1);
    }

    #[test]
    fn deep_nesting_ends_without_a_fault() {
        let deep = "[".repeat(100_000);
        assert!(JsonLd::parse(&[deep]).is_empty());
        let nested = format!(
            "{}1{}",
            "{\"@type\":\"A\",\"b\":".repeat(100),
            "}".repeat(100)
        );
        let page = JsonLd::parse(&[nested]);
        assert_eq!(page.graph().nodes().len(), DEPTH);
    }
}
