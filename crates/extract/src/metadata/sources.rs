//! Collects the sources of a page's metadata: its parsed tables, JSON-LD, headline and hints.

use std::cell::OnceCell;

use jiff::civil::Date;
use trommel_html::json_ld::{Graph, Node};
use trommel_html::{Attribute, FactKind, Page, StatedFact};
use url::Url;

use super::{TitleWords, date_parser, headline_surroundings::Surroundings};
use crate::{hints::Hints, metadata::language::declared};

/// Sources of a page's metadata: its decoded source, elements, JSON-LD, headline and hints.
#[derive(Debug)]
pub(super) struct Sources<'a> {
    /// Decoded source of the page.
    pub html: &'a str,
    pub page: &'a Page,
    pub graph: Graph<'a>,
    /// JSON-LD node that describes the main subject of the page.
    pub main: Option<Node<'a>>,
    pub url: Option<Url>,
    /// Day on which the page was crawled.
    pub crawled: Option<Date>,
    /// Language that the page declares, as a BCP 47 tag.
    pub language: Option<String>,
    /// Index of the block with the headline, or with the text that replaces the headline.
    pub headline: Option<usize>,
    surroundings: OnceCell<Option<Surroundings<'a>>>,
}

impl<'a> Sources<'a> {
    pub fn new(html: &'a str, page: &'a Page, graph: Graph<'a>, hints: &Hints) -> Self {
        let url = hints.url.and_then(|url| Url::parse(url).ok());
        let main = main(&graph, page, hints.url);
        Self {
            html,
            page,
            graph,
            main,
            url,
            crawled: hints.date.and_then(|date| date_parser::find(date, false)).map(|stamp| stamp.date),
            language: declared(&page.head, main.and_then(|node| node.language())),
            headline: None,
            surroundings: OnceCell::new(),
        }
    }

    /// Returns the blocks around the headline, if the page has a headline.
    pub fn surroundings(&self) -> Option<&Surroundings<'a>> {
        let read = || Some(Surroundings::of(self.html, self.page, self.headline?));
        self.surroundings.get_or_init(read).as_ref()
    }

    /// Iterates over facts of a kind, such as authors, that the markup states outside of comments, answers and reviews.
    pub fn facts(&self, kind: FactKind) -> impl Iterator<Item = &'a StatedFact> {
        let page = self.page;
        // Comments state authors and dates in the same microdata as the page.
        let is_comment = move |fact: &StatedFact| {
            page.path(fact.element).flat_map(|(_, element)| page.attribute_words(element)).any(|token| {
                token.attribute == Attribute::Itemprop
                    && matches!(page.word_text(token), "comment" | "answer" | "review")
            })
        };
        page.facts.iter().filter(move |fact| fact.kind == kind && !is_comment(fact))
    }

    /// Iterates over the contents of the first `<meta>` of each given name that the page has, in the order of the
    /// names.
    pub fn metas<'s>(&'s self, names: &'s [&str]) -> impl Iterator<Item = &'a str> + 's {
        names.iter().filter_map(|name| self.page.head.meta(name)).filter(|content| !content.is_empty())
    }
}

/// JSON-LD types that do not describe the page.
const OTHER_THINGS: [&str; 24] = [
    "Comment", "Answer", "Review", "UserReview", "CriticReview", "EmployerReview", "Person", "Organization",
    "NewsMediaOrganization", "ImageObject", "ListItem", "BreadcrumbList", "WebSite", "SearchAction", "Offer",
    "AggregateRating", "HowToStep", "Place", "PostalAddress", "SiteNavigationElement", "WPHeader", "WPFooter",
    "WPSideBar", "JobPosting",
];
/// JSON-LD types that only state that a page exists.
const PAGES: [&str; 9] = [
    "WebPage", "CollectionPage", "ItemPage", "AboutPage", "FAQPage", "QAPage", "ProfilePage", "ContactPage", "ItemList",
];
/// JSON-LD types that describe one text, and so the page. Types that end in `Article` count as well.
const TEXTS: [&str; 7] =
    ["Report", "Recipe", "HowTo", "SocialMediaPosting", "DiscussionForumPosting", "LiveBlogPosting", "BlogPosting"];

/// Returns the rank (0 to 3) of a JSON-LD node by its type: how well it describes the page, 0 if not at all.
pub(super) fn rank(node: &Node) -> u32 {
    let rank_of = |name: &str| match name {
        name if OTHER_THINGS.contains(&name) => 0,
        name if PAGES.contains(&name) => 1,
        name if TEXTS.contains(&name) || name.ends_with("Article") => 3,
        _ => 2,
    };
    node.types().map(rank_of).max().unwrap_or(0)
}

/// Returns the JSON-LD node that best describes the page's main subject, by its type, its address and the likeness of
/// its headline to the page's title.
fn main<'a>(graph: &Graph<'a>, page: &Page, url: Option<&str>) -> Option<Node<'a>> {
    let title = page.head.meta("og:title").filter(|title| !title.is_empty()).unwrap_or(&page.head.title);
    let same = |address: &str| {
        let bare = |url: &str| {
            let url = url.split(['#', '?']).next().unwrap_or_default();
            let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
            rest.trim_end_matches('/').to_ascii_lowercase()
        };
        let address = bare(address);
        [url, page.head.canonical.as_deref()].into_iter().flatten().any(|known| bare(known) == address)
    };
    let mut best: Option<(u32, Node<'a>)> = None;
    let headed = !title.is_empty();
    let title = TitleWords::of(title);
    for node in graph.nodes() {
        let rank = rank(node);
        if rank == 0 {
            continue;
        }
        let about =
            node.text("headline").or_else(|| node.text("name")).map_or(0.0, |name| TitleWords::of(&name).like(&title));
        let here = node.url().is_some_and(same);
        // Videos and products inside a page, questions with their answers, and related articles
        // describe themselves.
        // Plugins describe several things in one page; only that with the page's title or address is the page.
        let alike = about >= 0.3 || here || !headed;
        if !alike && (rank == 2 || rank == 3 && !node.is_top()) {
            continue;
        }
        // The address weighs most because titles are edited for each place they are shown.
        let score = rank * 10 + u32::from(node.is_top()) * 4 + u32::from(here) * 12 + (about * 20.0) as u32;
        if best.is_none_or(|(known, _)| score > known) {
            best = Some((score, *node));
        }
    }
    best.map(|(_, node)| node)
}
