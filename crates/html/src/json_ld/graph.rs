//! Reads the values of a page's JSON-LD as nodes, such as an article with its authors and dates.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{MAX_DEPTH, MAX_NODES};
use crate::markup::{fold_space, strip_markup};

/// Maximum number of author names of one node that are kept.
// Papers list hundreds of authors; metadata need not.
const MAX_AUTHORS: usize = 32;

/// Nodes of a page's JSON-LD, with nested objects and `@graph` flattened.
#[derive(Clone, Debug, Default)]
pub struct Graph<'a> {
    nodes: Vec<Node<'a>>,
    by_id: HashMap<&'a str, Node<'a>>,
}

/// Node of the JSON-LD: an object that has a type.
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    object: &'a Map<String, Value>,
    /// True if the node is at the top level, in a list there or in a `@graph`, but not inside another node.
    top: bool,
}

impl<'a> Graph<'a> {
    pub(super) fn new(values: &'a [Value]) -> Self {
        let mut graph = Self::default();
        for value in values {
            graph.add(value, true, 0);
        }
        graph
    }

    /// Returns all nodes in document order, each node before those inside it.
    pub fn nodes(&self) -> &[Node<'a>] {
        &self.nodes
    }

    fn add(&mut self, value: &'a Value, top: bool, depth: usize) {
        if depth >= MAX_DEPTH || self.nodes.len() >= MAX_NODES {
            return;
        }
        match value {
            Value::Array(values) => {
                for value in values {
                    self.add(value, top, depth + 1);
                }
            }
            Value::Object(object) => {
                let node = Node { object, top };
                let typed = node.types().next().is_some();
                if typed {
                    self.nodes.push(node);
                    if let Some(id) = object.get("@id").and_then(Value::as_str) {
                        // The fullest description of a thing is the one that is not a mere mention.
                        let known = self.by_id.entry(id).or_insert(node);
                        // Generators name a thing in several places, mostly by its id and type alone.
                        if known.object.len() < object.len() {
                            *known = node;
                        }
                    }
                }
                for (key, value) in object {
                    // Authors and publishers are nodes inside of the article; only nodes of a list or `@graph` are
                    // about the page.
                    let top = top && !typed || key == "@graph";
                    self.add(value, top, depth + 1);
                }
            }
            _ => {}
        }
    }

    /// Returns the object that `object` refers to by its `@id` if it has no name, or else `object`.
    fn resolve(&self, object: &'a Map<String, Value>) -> &'a Map<String, Value> {
        if object.contains_key("name") {
            return object;
        }
        object.get("@id").and_then(Value::as_str).and_then(|id| self.by_id.get(id)).map_or(object, |node| node.object)
    }

    /// Adds the names in `value`, a person or organization, to `names`: a string, an object with a `name`, or a list of
    /// either.
    fn names(&self, value: &'a Value, depth: usize, names: &mut Vec<String>) {
        // Two nodes can refer to each other; the depth ends such a circle.
        if depth > 3 || names.len() >= MAX_AUTHORS {
            return;
        }
        match value {
            Value::Array(values) => {
                for value in values.iter().take(MAX_AUTHORS) {
                    self.names(value, depth + 1, names);
                }
            }
            Value::Object(object) => {
                if let Some(name) = self.resolve(object).get("name") {
                    self.names(name, depth + 1, names);
                } else if let Some(value) = object.get("@value") {
                    self.names(value, depth + 1, names);
                }
            }
            value => names.extend(value.as_str().and_then(line)),
        }
    }
}

impl<'a> Node<'a> {
    /// Iterates over the names of the node's types without the address of their vocabulary (`Article`).
    pub fn types(&self) -> impl Iterator<Item = &'a str> {
        self.strings("@type")
            // `http://schema.org/Article`, `schema:Article` and `Article` are the same type.
            .map(|name| name.rsplit(['/', '#', ':']).next().unwrap_or(name).trim())
            .filter(|name| !name.is_empty())
    }

    /// Returns whether one of the node's types is `name`.
    pub fn is(&self, name: &str) -> bool {
        self.types().any(|known| known == name)
    }

    /// Returns whether the node is not inside another node.
    pub fn is_top(&self) -> bool {
        self.top
    }

    /// Returns the node's `datePublished`, otherwise its `uploadDate`, unchanged.
    pub fn published(&self) -> Option<&'a str> {
        self.string("datePublished").or_else(|| self.string("uploadDate"))
    }

    /// Returns the node's `dateModified`, unchanged.
    pub fn modified(&self) -> Option<&'a str> {
        self.string("dateModified")
    }

    /// Returns the node's `inLanguage`, unchanged; if that is an object, its `alternateName` or `name`.
    pub fn language(&self) -> Option<&'a str> {
        self.string("inLanguage").or_else(|| {
            let language = self.object.get("inLanguage")?.as_object()?;
            ["alternateName", "name"].iter().find_map(|key| language.get(*key)?.as_str())
        })
    }

    /// Returns the node's `url`, otherwise its `mainEntityOfPage`, unchanged.
    pub fn url(&self) -> Option<&'a str> {
        self.string("url").or_else(|| {
            let page = self.object.get("mainEntityOfPage")?;
            page.as_str().or_else(|| page.get("@id")?.as_str()).or_else(|| page.get("url")?.as_str())
        })
    }

    /// Returns the names of the node's `author`, otherwise of its `creator`, as plain text. References within `graph`
    /// are followed.
    pub fn authors(&self, graph: &Graph<'a>) -> Vec<String> {
        let mut names = Vec::new();
        for key in ["author", "creator"] {
            if let Some(value) = self.object.get(key) {
                graph.names(value, 0, &mut names);
            }
            if !names.is_empty() {
                break;
            }
        }
        names
    }

    /// Returns the name of the node's `publisher`, otherwise of its `sourceOrganization`. References within `graph` are
    /// followed.
    pub fn publisher(&self, graph: &Graph<'a>) -> Option<String> {
        ["publisher", "sourceOrganization"].iter().find_map(|key| {
            let mut names = Vec::new();
            graph.names(self.object.get(*key)?, 0, &mut names);
            names.into_iter().next()
        })
    }

    /// Returns a property of the node, trimmed: a string, the `@value` of an object, or the first of a list.
    pub(super) fn string(&self, key: &str) -> Option<&'a str> {
        first(self.object.get(key)?).map(str::trim).filter(|text| !text.is_empty())
    }

    /// Iterates over the strings of a property of the node: the property, or the items of a list.
    pub(super) fn strings(&self, key: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        let values = match self.object.get(key) {
            Some(Value::Array(values)) => values.as_slice(),
            Some(value) => std::slice::from_ref(value),
            None => &[],
        };
        values.iter().filter_map(Value::as_str)
    }

    /// Returns a property of the node, such as `headline`, as plain text in one line.
    pub fn text(&self, key: &str) -> Option<String> {
        line(self.string(key)?)
    }
}

fn first(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => Some(text),
        Value::Array(values) => values.first()?.as_str(),
        Value::Object(object) => object.get("@value")?.as_str(),
        _ => None,
    }
}

fn line(text: &str) -> Option<String> {
    let line = fold_space(&strip_markup(text));
    (!line.is_empty()).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::super::JsonLd;
    use crate::hydration::ScriptText;

    fn parse(script: &str) -> JsonLd {
        JsonLd::parse(&[ScriptText { text: script.to_owned(), ..ScriptText::default() }])
    }

    #[test]
    fn nested_objects_and_graphs_lie_flat() {
        let page = parse(
            r#"{"@context":"https://schema.org","@graph":[
                {"@type":["http://schema.org/Article","schema:NewsArticle"],"author":{"@type":"Person","name":"A"}},
                {"@type":"Organization"}], "other":{"a":1}}"#,
        );
        let graph = page.graph();
        let types: Vec<Vec<&str>> = graph.nodes().iter().map(|n| n.types().collect()).collect();
        assert_eq!(types, [vec!["Article", "NewsArticle"], vec!["Person"], vec!["Organization"]]);
        let top: Vec<bool> = graph.nodes().iter().map(|node| node.is_top()).collect();
        assert_eq!(top, [true, false, true]);
        assert!(graph.nodes()[0].is("NewsArticle"));
    }

    #[test]
    fn a_node_says_what_it_holds() {
        let page = parse(
            r#"{"@type":"Article","headline":" A &amp; <b>B</b>\nC ","name":["N"],"description":{"@value":"D"},
                "datePublished":"2024-05-18T01:58:10Z","dateModified":"2024-05-19","inLanguage":{"@type":"Language","name":"English","alternateName":"en"},
                "mainEntityOfPage":{"@id":"https://e.org/a"},"publisher":{"name":"P"}}"#,
        );
        let graph = page.graph();
        let node = graph.nodes()[0];
        assert_eq!(node.text("headline").as_deref(), Some("A & B C"));
        assert_eq!(node.text("name").as_deref(), Some("N"));
        assert_eq!(node.text("description").as_deref(), Some("D"));
        assert_eq!(node.published(), Some("2024-05-18T01:58:10Z"));
        assert_eq!(node.modified(), Some("2024-05-19"));
        assert_eq!(node.language(), Some("en"));
        assert_eq!(node.url(), Some("https://e.org/a"));
        assert_eq!(node.publisher(&graph).as_deref(), Some("P"));
        assert!(node.authors(&graph).is_empty());
    }

    #[test]
    fn authors_come_in_every_form() {
        for (author, names) in [
            (r#""One""#, vec!["One"]),
            (r#"["One",{"@type":"Person","name":"Two"}]"#, vec!["One", "Two"]),
            (r#"{"name":["One","Two"]}"#, vec!["One", "Two"]),
            (r##"{"@id":"#p"}"##, vec!["Person P"]),
            (r#"{"url":"x"}"#, vec![]),
            ("null", vec![]),
        ] {
            let page = parse(&format!(
                r##"[{{"@type":"Article","author":{author}}},{{"@type":"Person","@id":"#p","name":"Person P"}}]"##
            ));
            let graph = page.graph();
            assert_eq!(graph.nodes()[0].authors(&graph), names, "{author}");
        }
    }
}
