//! Finds texts in a page's JSON-LD that could be its main text, with their type and place.

use std::collections::HashSet;

use memchr::memmem;

use super::{Graph, JsonLd, Node};
use crate::markup::strip_markup;
use trommel_text::hash;

/// Texts that are kept of one page.
// A bound for pages that list reviews or products by the hundred.
const MAX_CONTENTS: usize = 64;
/// Bytes of texts that are kept of one page; a text that does not fit is left out.
const MAX_TEXT_BYTES: usize = 512 << 10;

/// The property a text is the value of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ContentProperty {
    /// `articleBody`
    ArticleBody,
    /// `description`
    Description,
    /// `text`
    Text,
    /// `reviewBody`
    ReviewBody,
    /// Text of the data from which a script builds the page ([`crate::hydration`]).
    Hydration,
}

impl ContentProperty {
    /// Every property of schema.org that is read.
    pub const ALL: [ContentProperty; 4] = [
        ContentProperty::ArticleBody,
        ContentProperty::Description,
        ContentProperty::Text,
        ContentProperty::ReviewBody,
    ];

    /// Its name in schema.org, or `hydration`.
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

/// The subject of a text, or the kind of thing that it is part of, by the type of its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ContentSubject {
    /// An article.
    Article,
    /// A product.
    Product,
    /// A post of a forum, a question or an answer: a page's own text.
    Posting,
    /// A reader's comment or review. Where the page states a forum post too, comments are posts.
    Comment,
    /// Another thing that pages are about (a recipe, an event, a film).
    Other,
}

/// A text that could be main text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The property.
    pub property: ContentProperty,
    /// Its subject.
    pub subject: ContentSubject,
    /// Type of its node (`NewsArticle`), or name of the payload (`__NEXT_DATA__`).
    pub type_name: String,
    /// Plain text: markup stripped, character references decoded, a line break where markup or
    /// text had one; never empty.
    pub text: String,
    /// True if the text was written with markup.
    pub has_markup: bool,
    /// First and one past the last byte of its script's contents in the decoded page.
    pub span: (u32, u32),
}

const ARTICLES: [&str; 11] = [
    "Article", "NewsArticle", "BlogPosting", "LiveBlogPosting", "TechArticle", "ScholarlyArticle",
    "ReportageNewsArticle", "AnalysisNewsArticle", "OpinionNewsArticle", "AdvertiserContentArticle", "Report",
];

/// Types of products.
pub(super) const PRODUCTS: [&str; 5] = ["Product", "ProductGroup", "ProductModel", "IndividualProduct", "Vehicle"];

/// Types of the texts of forums that are a page's own.
pub(super) const POSTINGS: [&str; 4] = ["DiscussionForumPosting", "SocialMediaPosting", "Question", "Answer"];

/// Types of readers' comments and reviews.
pub(super) const COMMENTS: [&str; 7] =
    ["Comment", "Review", "UserReview", "CriticReview", "EmployerReview", "ClaimReview", "Recommendation"];

const OTHERS: [&str; 21] = [
    "JobPosting", "Recipe", "Event", "Course", "Book", "Movie", "TVSeries", "TVEpisode", "VideoObject",
    "PodcastEpisode", "SoftwareApplication", "MobileApplication", "WebApplication", "VideoGame", "Service", "Dataset",
    "Accommodation", "Restaurant", "TouristAttraction", "CreativeWork", "HowTo",
];

impl JsonLd {
    /// The texts that could be main text, in document order, each once. Text is capped, so the time is
    /// linear in the scripts.
    pub fn contents(&self) -> Vec<Content> {
        let mut contents: Vec<Content> = Vec::new();
        let mut seen = HashSet::new();
        let mut room = MAX_TEXT_BYTES;
        for script in self.scripts.iter().filter(|script| script.may_hold_content) {
            let values = self.values.get(script.values.clone()).unwrap_or_default();
            for node in Graph::new(values).nodes() {
                // Types outside of the lists are organizations, images and breadcrumbs, whose descriptions are not page
                // text.
                let Some((subject, type_name)) = subject(node) else { continue };
                for property in ContentProperty::ALL {
                    let Some(raw) = node.string(property.name()) else { continue };
                    // Passed over and not ended: a shorter text may still fit.
                    if contents.len() >= MAX_CONTENTS || raw.len() > room {
                        continue;
                    }
                    room -= raw.len();
                    let text = strip_markup(raw);
                    if !text.is_empty() && seen.insert(hash(text.as_bytes())) {
                        contents.push(Content {
                            property,
                            subject,
                            type_name: type_name.to_owned(),
                            // Texts from an editor have markup; texts written for search engines do not.
                            has_markup: raw.contains("</") || raw.contains("&lt;/"),
                            text,
                            span: script.span,
                        });
                    }
                }
            }
        }
        comments_of_forums(&mut contents);
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

/// Returns whether a property that can hold one is named in a script.
pub(super) fn may_hold_content(script: &str) -> bool {
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
