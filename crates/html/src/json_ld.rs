//! Reads JSON-LD: the description of a page for search engines, and the texts of the page in it.
//!
//! It is read as a flat list of nodes. Found in them are texts that could be the main text, with their type and place,
//! and the items: ingredients, steps, questions and answers. A block with the same words as an item belongs to the
//! subject of the page, however short it is.

mod graph;
mod repair;

use std::{collections::HashSet, ops::Range};

use memchr::memmem;
use serde_json::Value;
use trommel_text::hash;

use crate::{hydration::ScriptText, markup::strip_markup};

pub use graph::{Graph, Node};

/// Maximum number of bytes of JSON-LD that are read from one page.
// The head keeps less at its default cap; the bound is for callers that raise it.
const MAX_BYTES: usize = 2 << 20;
/// Maximum number of nodes (objects with a type) that are kept of one page.
// Shops list every product of a page; what a page says about itself comes long before.
const MAX_NODES: usize = 4096;
/// Maximum nesting depth of JSON objects and arrays that is followed.
// Nodes are walked by recursion, so this bounds the stack.
const MAX_DEPTH: usize = 48;

/// Parsed JSON-LD of a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JsonLd {
    values: Vec<Value>,
    scripts: Vec<ParsedScript>,
}

/// Parsed contents of one script with JSON-LD.
#[derive(Clone, Debug, PartialEq)]
struct ParsedScript {
    /// Range of the script's values in the list of all values of the page.
    values: Range<usize>,
    /// First and one past the last byte of the script's contents in the decoded page.
    span: (u32, u32),
    /// True if the script names a property that can hold one of the [contents](JsonLd::contents).
    // Two searches while parsing spare a walk over all nodes later: many scripts hold breadcrumbs and logos only.
    may_hold_content: bool,
    /// True if the script names a type of node that lists [items](JsonLd::items).
    may_hold_items: bool,
}

impl JsonLd {
    /// Parses the JSON-LD scripts of a page ([`Head::json_ld`](crate::Head::json_ld)).
    /// A broken script is read up to its first fault that cannot be repaired.
    pub fn parse(scripts: &[ScriptText]) -> Self {
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
                may_hold_content: may_hold_content(text),
                may_hold_items: may_hold_items(text),
            });
        }
        parsed
    }

    /// Returns whether the JSON-LD holds no values.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the nodes of the JSON-LD: every object with a type, in document order, each before those inside it.
    /// The list is cut after 4,096 nodes.
    pub fn graph(&self) -> Graph<'_> {
        Graph::new(&self.values)
    }
}

/// Maximum number of items (ingredients, steps, questions and answers) that are kept of one page.
// More than any recipe or list of questions; a bound for hostile scripts.
const MAX_ITEMS: usize = 1024;
/// Maximum number of bytes of items that are kept of one page; an item that does not fit is left out.
const MAX_ITEM_BYTES: usize = 256 << 10;

/// Types of nodes, each with the properties whose strings are items, such as ingredients or steps.
const PROPERTIES: [(&str, &[&str]); 10] = [
    ("Recipe", &["recipeIngredient", "ingredients", "recipeInstructions"]),
    ("HowTo", &["step", "steps", "supply", "tool"]),
    ("HowToSection", &["name", "itemListElement"]),
    ("HowToStep", &["name", "text", "itemListElement"]),
    ("HowToDirection", &["text"]),
    ("HowToTip", &["text"]),
    ("HowToSupply", &["name"]),
    ("HowToTool", &["name"]),
    ("Question", &["name", "text"]),
    ("Answer", &["text"]),
];

/// Returns whether a script names a type of node that lists items: a recipe, instructions or questions.
fn may_hold_items(script: &str) -> bool {
    // `HowTo` is the beginning of all types of instructions; answers stand inside of questions.
    ["Recipe", "HowTo", "Question"].iter().any(|name| memmem::find(script.as_bytes(), name.as_bytes()).is_some())
}

impl JsonLd {
    /// Returns the lines of ingredients, steps, questions and answers, in document order, as plain text without empty
    /// lines.
    /// Their number and bytes are capped, so the time is linear in the scripts.
    pub fn items(&self) -> Vec<String> {
        let mut items = Vec::new();
        let mut room = MAX_ITEM_BYTES;
        for script in self.scripts.iter().filter(|script| script.may_hold_items) {
            let values = self.values.get(script.values.clone()).unwrap_or_default();
            for node in Graph::new(values).nodes() {
                for raw in of_node(node) {
                    if items.len() >= MAX_ITEMS || raw.len() > room {
                        continue;
                    }
                    room -= raw.len();
                    let text = strip_markup(raw);
                    // Sites put all ingredients or steps into one string, a line each.
                    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
                    items.extend(lines.map(str::to_owned));
                }
            }
        }
        items
    }
}

fn of_node<'a>(node: &Node<'a>) -> impl Iterator<Item = &'a str> {
    let node = *node;
    let known = PROPERTIES.iter().find(|(name, _)| node.is(name));
    let properties = known.map_or(&[][..], |(_, properties)| properties);
    properties.iter().flat_map(move |key| node.strings(key))
}

/// Maximum number of JSON-LD texts that are kept of one page.
// A bound for pages that list reviews or products by the hundred.
const MAX_CONTENTS: usize = 64;
/// Maximum number of bytes of JSON-LD texts that are kept of one page; a text that does not fit is left out.
const MAX_TEXT_BYTES: usize = 512 << 10;

/// Property of schema.org whose value a [`Content`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ContentProperty {
    /// Property `articleBody`: the text of an article.
    ArticleBody,
    /// Property `description`: a description of the thing.
    Description,
    /// Property `text`: the text of a post, comment or other work.
    Text,
    /// Property `reviewBody`: the text of a review.
    ReviewBody,
    /// No property of schema.org: the text comes from a hydration payload ([`crate::hydration`]).
    Hydration,
}

impl ContentProperty {
    /// List of all properties of schema.org that are read for text.
    pub const ALL: [ContentProperty; 4] = [
        ContentProperty::ArticleBody,
        ContentProperty::Description,
        ContentProperty::Text,
        ContentProperty::ReviewBody,
    ];

    /// Returns the property's name in schema.org, or `hydration`.
    pub fn name(self) -> &'static str {
        match self {
            ContentProperty::ArticleBody => "articleBody",
            ContentProperty::Description => "description",
            ContentProperty::Text => "text",
            ContentProperty::ReviewBody => "reviewBody",
            ContentProperty::Hydration => "hydration",
        }
    }
}

/// Kind of thing that a [`Content`] describes or belongs to, by the type of its JSON-LD node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ContentSubject {
    /// Article, such as a `NewsArticle` or `BlogPosting`.
    Article,
    /// Product, such as a `Product` or `Vehicle`.
    Product,
    /// Post of a forum, question or answer, as a part of the page's main text.
    Posting,
    /// Comment or review by a reader. If the page also states a forum post, comments are posts.
    Comment,
    /// Other thing that a page can be about, such as a recipe, an event or a film.
    Other,
}

/// Text in the JSON-LD or hydration payloads of a page that could be main text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// Property of schema.org that holds the text.
    pub property: ContentProperty,
    /// Kind of thing that the text describes or belongs to.
    pub subject: ContentSubject,
    /// Type of the text's JSON-LD node (`NewsArticle`), or name of its hydration payload (`__NEXT_DATA__`).
    pub type_name: String,
    /// Plain text, never empty, without markup; a line break stands for each block-level tag or line end.
    pub text: String,
    /// True if the text in the script was HTML; its tags have been removed.
    pub has_markup: bool,
    /// First and one past the last byte, in the decoded page, of the contents of the script that holds the text.
    pub span: (u32, u32),
}

const ARTICLES: [&str; 11] = [
    "Article", "NewsArticle", "BlogPosting", "LiveBlogPosting", "TechArticle", "ScholarlyArticle",
    "ReportageNewsArticle", "AnalysisNewsArticle", "OpinionNewsArticle", "AdvertiserContentArticle", "Report",
];

/// Types of JSON-LD nodes that are products.
const PRODUCTS: [&str; 5] = ["Product", "ProductGroup", "ProductModel", "IndividualProduct", "Vehicle"];

/// Types of JSON-LD nodes that are forum posts, questions or answers.
const POSTINGS: [&str; 4] = ["DiscussionForumPosting", "SocialMediaPosting", "Question", "Answer"];

/// Types of JSON-LD nodes that are comments or reviews by readers.
const COMMENTS: [&str; 7] =
    ["Comment", "Review", "UserReview", "CriticReview", "EmployerReview", "ClaimReview", "Recommendation"];

const OTHERS: [&str; 21] = [
    "JobPosting", "Recipe", "Event", "Course", "Book", "Movie", "TVSeries", "TVEpisode", "VideoObject",
    "PodcastEpisode", "SoftwareApplication", "MobileApplication", "WebApplication", "VideoGame", "Service", "Dataset",
    "Accommodation", "Restaurant", "TouristAttraction", "CreativeWork", "HowTo",
];

impl JsonLd {
    /// Returns the texts in the JSON-LD that could be main text, in document order, without repetitions.
    /// The amount of text is capped, so the time is linear in the scripts.
    pub fn contents(&self) -> Vec<Content> {
        // Types outside of the lists are organizations, images and breadcrumbs, whose descriptions are not page text.
        let mut contents = self.read(MAX_CONTENTS, MAX_TEXT_BYTES, |subject, _| subject.is_some());
        comments_of_forums(&mut contents);
        contents
    }

    /// Returns the bodies of articles, the texts of posts, comments and reviews, and the descriptions of products, in
    /// document order, without repetitions.
    pub fn texts(&self) -> Vec<Content> {
        self.read(usize::MAX, usize::MAX, |subject, property| match property {
            ContentProperty::ArticleBody => true,
            // Nearly every node has a description.
            ContentProperty::Description => subject == Some(ContentSubject::Product),
            _ => matches!(subject, Some(ContentSubject::Posting | ContentSubject::Comment)),
        })
    }

    /// Returns at most `most` texts, of at most `room` bytes in total, that `is_wanted` accepts by subject and
    /// property; the subject is `None` for unknown types.
    fn read(
        &self,
        most: usize,
        mut room: usize,
        is_wanted: impl Fn(Option<ContentSubject>, ContentProperty) -> bool,
    ) -> Vec<Content> {
        let mut contents: Vec<Content> = Vec::new();
        let mut seen = HashSet::new();
        for script in self.scripts.iter().filter(|script| script.may_hold_content) {
            let values = self.values.get(script.values.clone()).unwrap_or_default();
            for node in Graph::new(values).nodes() {
                let (subject, type_name) = subject(node).unzip();
                for property in ContentProperty::ALL.into_iter().filter(|property| is_wanted(subject, *property)) {
                    let Some(raw) = node.string(property.name()) else { continue };
                    // Passed over and not ended: a shorter text may still fit.
                    if contents.len() >= most || raw.len() > room {
                        continue;
                    }
                    room -= raw.len();
                    let text = strip_markup(raw);
                    if !text.is_empty() && seen.insert(hash(text.as_bytes())) {
                        contents.push(Content {
                            property,
                            subject: subject.unwrap_or(ContentSubject::Other),
                            type_name: type_name.unwrap_or_default().to_owned(),
                            // Texts from an editor have markup; texts written for search engines do not.
                            has_markup: raw.contains("</") || raw.contains("&lt;/"),
                            text,
                            span: script.span,
                        });
                    }
                }
            }
        }
        contents
    }
}

/// Turns comments into posts if the page also states a forum post.
fn comments_of_forums(contents: &mut [Content]) {
    let has_posts = contents
        .iter()
        .any(|content| content.subject == ContentSubject::Posting && content.type_name.ends_with("Posting"));
    if has_posts {
        for content in contents {
            if content.type_name == "Comment" {
                content.subject = ContentSubject::Posting;
            }
        }
    }
}

/// Returns whether a script names a property that can hold a text of the page.
fn may_hold_content(script: &str) -> bool {
    let has = |key: &str| memmem::find(script.as_bytes(), key.as_bytes()).is_some();
    ContentProperty::ALL.iter().any(|property| has(property.name()))
}

fn subject<'a>(node: &Node<'a>) -> Option<(ContentSubject, &'a str)> {
    node.types().find_map(|name| {
        let subject = if ARTICLES.contains(&name) {
            ContentSubject::Article
        } else if PRODUCTS.contains(&name) {
            ContentSubject::Product
        } else if POSTINGS.contains(&name) {
            ContentSubject::Posting
        } else if COMMENTS.contains(&name) {
            ContentSubject::Comment
        } else if OTHERS.contains(&name) {
            ContentSubject::Other
        } else {
            return None;
        };
        Some((subject, name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(text: &str) -> ScriptText {
        ScriptText { name: "", text: text.to_owned(), span: (0, text.len() as u32) }
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

    fn of(script: &str) -> Vec<String> {
        JsonLd::parse(&[ScriptText { text: script.to_owned(), ..ScriptText::default() }]).items()
    }

    #[test]
    fn ingredients_and_steps_are_found() {
        let found = of(r#"{"@type":"Recipe","name":"no","description":"no",
            "recipeIngredient":["2 cups flour"," salt &amp; pepper ",3],
            "recipeInstructions":[{"@type":"HowToSection","name":"Dough","itemListElement":[
                {"@type":"HowToStep","name":"Mix","text":"<p>Mix all.</p><p>Rest.</p>"}]},"Bake."]}"#);
        assert_eq!(found, ["2 cups flour", "salt & pepper", "Bake.", "Dough", "Mix", "Mix all.", "Rest."]);
        let lines = of(r#"{"@type":"Recipe","recipeInstructions":"Mix.\nBake."}"#);
        assert_eq!(lines, ["Mix.", "Bake."]);
    }

    #[test]
    fn questions_stand_before_their_answers() {
        let found = of(r#"{"@type":"FAQPage","mainEntity":[{"@type":"Question","name":"Why?",
                "acceptedAnswer":{"@type":"Answer","text":"So."}}]}"#);
        assert_eq!(found, ["Why?", "So."]);
    }

    #[test]
    fn items_are_capped_and_other_types_passed() {
        let many = vec!["\"salt\""; MAX_ITEMS + 9].join(",");
        let found = of(&format!(r#"{{"@type":"Recipe","recipeIngredient":[{many}]}}"#));
        assert_eq!(found.len(), MAX_ITEMS);
        assert!(of(r#"{"@type":"Article","text":"no","name":"no"}"#).is_empty());
    }
}

#[cfg(test)]
mod contents_tests {
    use super::*;
    use crate::{Engine, Limits, LolEngine};

    fn of(script: &str) -> Vec<Content> {
        let html = format!("<p>é</p><script type=application/ld+json>{script}</script>");
        let page = LolEngine.read(&html, &Limits::default());
        let contents = page.json_ld().contents();
        for content in &contents {
            let (from, to) = (content.span.0 as usize, content.span.1 as usize);
            assert_eq!(html.get(from..to), Some(script));
        }
        contents
    }

    #[test]
    fn contents_say_what_they_are() {
        let found =
            of(r#"[{"@type":["Thing","NewsArticle"],"articleBody":"<p>One</p><p>two</p>","description":"Three"},
                {"@type":"Organization","description":"no"},
                {"@type":"Product","description":"Four","review":{"@type":"Review","reviewBody":"Five"}},
                {"@type":"Recipe","description":"One\ntwo"},{"@type":"Answer","text":"Six"}]"#);
        let found: Vec<_> = found
            .iter()
            .map(|content| (content.property.name(), content.subject, content.text.as_str(), content.has_markup))
            .collect();
        assert_eq!(
            found,
            [
                ("articleBody", ContentSubject::Article, "One\ntwo", true),
                ("description", ContentSubject::Article, "Three", false),
                ("description", ContentSubject::Product, "Four", false),
                ("reviewBody", ContentSubject::Comment, "Five", false),
                ("text", ContentSubject::Posting, "Six", false),
            ]
        );
    }

    #[test]
    fn comments_on_a_forum_are_posts() {
        let comment = r#"{"@type":"Comment","text":"b"}"#;
        assert_eq!(of(comment)[0].subject, ContentSubject::Comment);
        let forum = of(&format!(r#"{{"@type":"DiscussionForumPosting","text":"a","comment":[{comment}]}}"#));
        assert!(forum.len() == 2 && forum.iter().all(|content| content.subject == ContentSubject::Posting));
    }

    #[test]
    fn texts_are_capped() {
        let many: Vec<String> =
            (0..MAX_CONTENTS + 9).map(|at| format!(r#"{{"@type":"Answer","text":"a{at}"}}"#)).collect();
        assert_eq!(of(&format!("[{}]", many.join(","))).len(), MAX_CONTENTS);
        let large = format!(r#"{{"@type":"Answer","text":"{}"}}"#, "x ".repeat(MAX_TEXT_BYTES));
        assert!(of(&large).is_empty());
    }

    #[test]
    fn scripts_without_such_properties_are_not_parsed() {
        assert!(!may_hold_content(r#"{"@type":"Article","headline":"x"}"#));
        assert!(may_hold_content("{&quot;text&quot;:1}"));
    }
}

#[cfg(test)]
mod texts_tests {
    use super::*;

    fn of(script: &str) -> Vec<(ContentProperty, String)> {
        let script = ScriptText { text: script.to_owned(), ..ScriptText::default() };
        JsonLd::parse(&[script]).texts().into_iter().map(|text| (text.property, text.text)).collect()
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
                (ContentProperty::ArticleBody, "One & two\nthree".to_owned()),
                (ContentProperty::Description, "Four\nfive".to_owned()),
                (ContentProperty::ReviewBody, "Six".to_owned()),
                (ContentProperty::Text, "Seven".to_owned()),
                (ContentProperty::Text, "Eight".to_owned()),
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
}
