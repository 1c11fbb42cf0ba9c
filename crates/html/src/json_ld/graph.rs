//! Reads the scripts of a page's JSON-LD as nodes with values.
//!
//! Scripts on the web are often broken. They are parsed first unchanged, then repaired; those that cannot be
//! repaired give nothing.

use std::{borrow::Cow, collections::HashMap};

use serde_json::{Deserializer, Map, Value};

use super::{MAX_DEPTH, MAX_NODES};
use crate::markup::{fold_space, strip_markup};

/// Names of one node's authors that are kept.
// Papers list hundreds of authors; metadata need not.
const MAX_AUTHORS: usize = 32;

/// The nodes of a page, with nested objects and `@graph` flattened.
#[derive(Clone, Debug, Default)]
pub struct Graph<'a> {
    nodes: Vec<Node<'a>>,
    by_id: HashMap<&'a str, Node<'a>>,
}

/// An object that has a type.
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    object: &'a Map<String, Value>,
    /// True if the object stands by itself or in a list of such, not inside another node.
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

    /// Every node in document order, a node before those inside it.
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

    /// The object that `object` refers to by its `@id`, if it is a mere reference.
    fn resolve(&self, object: &'a Map<String, Value>) -> &'a Map<String, Value> {
        if object.contains_key("name") {
            return object;
        }
        object.get("@id").and_then(Value::as_str).and_then(|id| self.by_id.get(id)).map_or(object, |node| node.object)
    }

    /// Names of a person or an organization: a string, an object with a `name`, or a list of these.
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
    /// Names of its types without the address of their vocabulary (`Article`).
    pub fn types(&self) -> impl Iterator<Item = &'a str> {
        self.strings("@type")
            // `http://schema.org/Article`, `schema:Article` and `Article` are the same type.
            .map(|name| name.rsplit(['/', '#', ':']).next().unwrap_or(name).trim())
            .filter(|name| !name.is_empty())
    }

    /// Returns whether one of its types is `name`.
    pub fn is(&self, name: &str) -> bool {
        self.types().any(|known| known == name)
    }

    /// Returns whether the node is not inside another one.
    pub fn is_top(&self) -> bool {
        self.top
    }

    /// `datePublished`, otherwise `uploadDate`, unchanged.
    pub fn published(&self) -> Option<&'a str> {
        self.string("datePublished").or_else(|| self.string("uploadDate"))
    }

    /// `dateModified`, unchanged.
    pub fn modified(&self) -> Option<&'a str> {
        self.string("dateModified")
    }

    /// `inLanguage`, unchanged; if it is an object, its `alternateName`.
    pub fn language(&self) -> Option<&'a str> {
        self.string("inLanguage").or_else(|| {
            let language = self.object.get("inLanguage")?.as_object()?;
            ["alternateName", "name"].iter().find_map(|key| language.get(*key)?.as_str())
        })
    }

    /// `url`, otherwise `mainEntityOfPage`, unchanged.
    pub fn url(&self) -> Option<&'a str> {
        self.string("url").or_else(|| {
            let page = self.object.get("mainEntityOfPage")?;
            page.as_str().or_else(|| page.get("@id")?.as_str()).or_else(|| page.get("url")?.as_str())
        })
    }

    /// Names of `author`, otherwise of `creator`, as plain text. References within `graph` are followed.
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

    /// Name of `publisher`, otherwise of the `isPartOf` site. References within `graph` are followed.
    pub fn publisher(&self, graph: &Graph<'a>) -> Option<String> {
        ["publisher", "sourceOrganization"].iter().find_map(|key| {
            let mut names = Vec::new();
            graph.names(self.object.get(*key)?, 0, &mut names);
            names.into_iter().next()
        })
    }

    /// A property as it stands: a string, the `@value` of an object, or the first of a list.
    pub(super) fn string(&self, key: &str) -> Option<&'a str> {
        first(self.object.get(key)?).map(str::trim).filter(|text| !text.is_empty())
    }

    /// The strings of a property: itself, or those of a list.
    pub(super) fn strings(&self, key: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        let values = match self.object.get(key) {
            Some(Value::Array(values)) => values.as_slice(),
            Some(value) => std::slice::from_ref(value),
            None => &[],
        };
        values.iter().filter_map(Value::as_str)
    }

    /// A property such as `headline`, as plain text in one line.
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

/// The JSON values of a script, up to the first fault that cannot be mended. Several values may
/// follow each other.
pub(super) fn values(script: &str) -> Vec<Value> {
    // Nearly all scripts are sound, so they pay for no repair.
    let (values, whole) = read(script);
    if whole {
        return values;
    }
    let (mended, _) = read(&mend(&unescape(script)));
    // Mending guesses; where it reads less than the script as it stands, its guess was wrong.
    if mended.len() < values.len() { values } else { mended }
}

/// The values up to the first fault, and whether there was none.
fn read(text: &str) -> (Vec<Value>, bool) {
    let mut values = Vec::new();
    for value in Deserializer::from_str(text).into_iter() {
        match value {
            Ok(value) => values.push(value),
            Err(_) => return (values, false),
        }
    }
    (values, true)
}

/// The script with its character references decoded, if its quotes were written as such.
fn unescape(script: &str) -> Cow<'_, str> {
    let start = script.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '{' | '['));
    // Only if the first quote is escaped: elsewhere references are part of a text that holds markup.
    if ["&quot;", "&#34;", "&#x22;", "&#034;"].iter().any(|quote| start.starts_with(quote)) {
        htmlize::unescape(script)
    } else {
        Cow::Borrowed(script)
    }
}

/// Writes a script as JSON: drops comments, CDATA marks, semicolons and spare commas; escapes
/// control characters and quotes that end no string; drops the backslash of unknown escapes.
fn mend(script: &str) -> String {
    let mut out = String::with_capacity(script.len() + script.len() / 16);
    let mut rest = script;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        match c {
            '"' => {
                let len = string(after, &mut out);
                rest = after.get(len..).unwrap_or_default();
                continue;
            }
            '<' | '-' | ']' | '/' if mark(rest) > 0 => {
                rest = rest.get(mark(rest)..).unwrap_or_default();
                continue;
            }
            ',' if ends_with(&out, &[',', '[', '{']) => {}
            '}' | ']' => {
                if ends_with(&out, &[',']) {
                    out.truncate(out.trim_end().len() - 1);
                }
                out.push(c);
            }
            ';' | '\u{feff}' => {}
            c if c.is_control() || c.is_whitespace() => {
                // One space at most, so that looking back over it is cheap.
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            c => out.push(c),
        }
        rest = after;
    }
    if ends_with(&out, &[',']) {
        out.truncate(out.trim_end().len() - 1);
    }
    out
}

fn ends_with(out: &str, ends: &[char]) -> bool {
    out.trim_end().ends_with(ends)
}

/// Length of the comment or CDATA mark at the start of `rest`; 0 if there is none.
fn mark(rest: &str) -> usize {
    for mark in ["<!--", "-->", "<![CDATA[", "]]>"] {
        if rest.starts_with(mark) {
            return mark.len();
        }
    }
    let until =
        |end: &str| memchr::memmem::find(rest.as_bytes(), end.as_bytes()).map_or(rest.len(), |at| at + end.len());
    if rest.starts_with("/*") {
        return until("*/");
    }
    let Some(line) = rest.strip_prefix("//") else { return 0 };
    let text = line.trim_start_matches([' ', '\t']);
    if ["<![CDATA[", "]]>", "<!--", "-->"].iter().any(|mark| text.starts_with(mark)) { 2 } else { until("\n") }
}

/// Writes the string whose opening quote stands before `text`; returns its length with the closing quote.
fn string(text: &str, out: &mut String) -> usize {
    out.push('"');
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        let rest = text.get(at + c.len_utf8()..).unwrap_or_default();
        match c {
            // Authors write quotes into texts without escaping them; what follows tells which kind a quote is.
            '"' if closes(rest) => {
                out.push('"');
                return at + 1;
            }
            '"' => out.push_str("\\\""),
            // JSON knows few escapes; others (`\'`, `\-`) come from scripts of servers.
            '\\' => match rest.chars().next() {
                Some(next @ ('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't')) => {
                    out.push('\\');
                    out.push(next);
                    chars.next();
                }
                Some('u') if is_hex(rest.get(1..5)) => out.push('\\'),
                _ => {}
            },
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
    text.len()
}

fn is_hex(digits: Option<&str>) -> bool {
    digits.is_some_and(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

/// Returns whether a quote followed by `rest` ends its string, or is one inside it that was not escaped.
fn closes(rest: &str) -> bool {
    let rest = rest.trim_start();
    let mut chars = rest.chars();
    match chars.next() {
        None | Some(':' | '}' | ']' | ';') => true,
        Some(',') => match chars.as_str().trim_start().chars().next() {
            None => true,
            Some(c) => matches!(c, '"' | '{' | '[' | '}' | ']' | '-' | ',') || c.is_ascii_digit(),
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::JsonLd;
    use super::*;
    use crate::hydration::ScriptText;
    use serde_json::json;

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

    #[test]
    fn sound_scripts_are_taken_as_they_stand() {
        assert_eq!(values(" {\"a\": 1}\n"), [json!({"a": 1})]);
        assert_eq!(values("{\"a\":1}{\"b\":2} []"), [json!({"a": 1}), json!({"b": 2}), json!([])]);
        assert!(values("").is_empty());
    }

    #[test]
    fn marks_commas_and_semicolons_are_dropped() {
        let sound = [json!({"a": [1, 2], "b": "x"})];
        for script in [
            "<!-- {\"a\":[1,2],\"b\":\"x\"} -->",
            "//<![CDATA[\n{\"a\":[1,2],\"b\":\"x\"}\n//]]>",
            "<![CDATA[{\"a\":[1,2],\"b\":\"x\"}]]>",
            "/* <![CDATA[ */ {\"a\":[1,2],\"b\":\"x\"} /* ]]> */",
            "{\"a\":[1,2,],\"b\":\"x\",\n}",
            "{\"a\":[1,,2],,\"b\":\"x\"};",
            "\u{feff}{\"a\":[1,2], // two\n\"b\":\"x\"},",
            "{&quot;a&quot;:[1,2],&quot;b&quot;:&quot;x&quot;}",
        ] {
            assert_eq!(values(script), sound, "{script}");
        }
    }

    #[test]
    fn strings_are_mended() {
        assert_eq!(
            values("{\"a\":\"one\ntwo\tthree \\'four\\' \\x \\u00e9 \\uzz\"}"),
            [json!({"a": "one\ntwo three 'four' x é uzz"})]
        );
        assert_eq!(
            values("{\"a\":\"he said \"no\", and \"yes\".\",\"b\":\"c\"}"),
            [json!({"a": "he said \"no\", and \"yes\".", "b": "c"})]
        );
    }

    #[test]
    fn what_stands_before_a_fault_is_kept() {
        assert_eq!(values("{\"a\":1} {\"b\": oops}"), [json!({"a": 1})]);
        assert!(values("{\"a\": {{ template }} }").is_empty());
        assert!(values("var x = 1;").is_empty());
    }

    #[test]
    fn repair_takes_linear_time() {
        for piece in ["\" ", ", ", "/*", "//", "<!--", "\\", "[,"] {
            let script = format!("{{{}", piece.repeat(200_000));
            assert!(values(&script).is_empty(), "{piece}");
        }
    }
}
