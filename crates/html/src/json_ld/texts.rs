//! Finds content texts in a page's JSON-LD.

use std::collections::HashSet;

use memchr::memmem;

use super::contents::{COMMENTS, POSTINGS, PRODUCTS};
use super::{JsonLd, Node};
use crate::markup::strip_markup;
use trommel_text::hash;

/// The kind of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JsonLdKind {
    /// `articleBody` of an article.
    ArticleBody,
    /// `description` of a product.
    ProductDescription,
    /// A post in a forum, a comment, a question, an answer or a review.
    Posting,
}

/// A content text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonLdText {
    /// The kind of the text.
    pub kind: JsonLdKind,
    /// Plain text: markup stripped, character references decoded, a line break where markup or
    /// text had one; never empty.
    pub text: String,
}

/// Returns whether a key that can hold such a text is named in a script.
pub(super) fn may_hold_text(script: &str) -> bool {
    let has = |key: &str| memmem::find(script.as_bytes(), key.as_bytes()).is_some();
    has("articleBody")
        || has("reviewBody")
        || has("\"text\"")
        || has("&quot;text&quot;")
        // Nearly every script has a description; only that of a product counts here.
        || has("description") && PRODUCTS.iter().any(|name| has(name))
}

impl JsonLd {
    /// The content texts in document order, each once. The texts of a node come before those of the
    /// nodes inside it.
    pub fn texts(&self) -> Vec<JsonLdText> {
        let mut texts = Vec::new();
        if !self.scripts.iter().any(|script| script.may_hold_text) {
            return texts;
        }
        let mut seen = HashSet::new();
        for node in self.graph().nodes() {
            for (kind, raw) in of_node(node) {
                let text = strip_markup(raw);
                if !text.is_empty() && seen.insert(hash(text.as_bytes())) {
                    texts.push(JsonLdText { kind, text });
                }
            }
        }
        texts
    }
}

fn of_node<'a>(node: &Node<'a>) -> impl Iterator<Item = (JsonLdKind, &'a str)> {
    let is_posting = |name: &str| POSTINGS.contains(&name) || COMMENTS.contains(&name);
    let keys: &[(&str, JsonLdKind)] = if node.types().any(is_posting) {
        &[("text", JsonLdKind::Posting), ("articleBody", JsonLdKind::Posting), ("reviewBody", JsonLdKind::Posting)]
    } else if node.types().any(|name| PRODUCTS.contains(&name)) {
        &[("articleBody", JsonLdKind::ArticleBody), ("description", JsonLdKind::ProductDescription)]
    } else {
        &[("articleBody", JsonLdKind::ArticleBody)]
    };
    let node = *node;
    keys.iter().filter_map(move |(key, kind)| Some((*kind, node.string(key)?)))
}

#[cfg(test)]
mod tests {
    use super::super::JsonLdScript;
    use super::*;

    fn of(script: &str) -> Vec<(JsonLdKind, String)> {
        let script = JsonLdScript { text: script.to_owned(), span: (0, 0) };
        JsonLd::parse(&[script]).texts().into_iter().map(|text| (text.kind, text.text)).collect()
    }

    #[test]
    fn every_kind_is_found_in_order() {
        let found = of(r#"[{"@type":"Article","articleBody":"<p>One &amp; <b>two</b></p><p>three","description":"no"},
                {"@type":"Product","description":"&lt;p&gt;Four&lt;/p&gt;\nfive","review":[{"@type":"Review","reviewBody":"Six"}]},
                {"@type":"DiscussionForumPosting","comment":[{"@type":"Comment","text":"Eight"},{"@type":"Comment","text":"Six"}],"text":"Seven"},
                {"@type":"ImageObject","text":"no"}]"#);
        assert_eq!(
            found,
            [
                (JsonLdKind::ArticleBody, "One & two\nthree".to_owned()),
                (JsonLdKind::ProductDescription, "Four\nfive".to_owned()),
                (JsonLdKind::Posting, "Six".to_owned()),
                (JsonLdKind::Posting, "Seven".to_owned()),
                (JsonLdKind::Posting, "Eight".to_owned()),
            ]
        );
    }

    #[test]
    fn questions_come_before_their_answers() {
        let found =
            of(r#"{"@type":"QAPage","mainEntity":{"@type":"Question","acceptedAnswer":{"@type":"Answer","text":"B"},
                "suggestedAnswer":[{"@type":"Answer","text":"C"}],"text":"A"}}"#);
        let texts: Vec<&str> = found.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, ["A", "B", "C"]);
    }

    #[test]
    fn scripts_without_such_keys_are_passed() {
        assert!(!may_hold_text(r#"{"@type":"Article","description":"x"}"#));
        assert!(may_hold_text(r#"{"@type":"Product","description":"x"}"#));
        assert!(may_hold_text("{&quot;text&quot;:1}"));
        assert!(of("{\"articleBody\": broken").is_empty());
    }
}
