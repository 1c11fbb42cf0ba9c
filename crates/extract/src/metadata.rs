//! What a page says about itself besides its text: title, authors, dates, site, description, address.
//!
//! Each of these has a module that knows its sources, best first: JSON-LD, `<meta>`, microdata,
//! markup near the headline.

mod author;
mod calendar;
mod canonical;
mod date;
mod description;
mod headline;
mod likeness;
mod months;
mod person;
mod site;
mod sources;
mod title;

use serde::{Deserialize, Serialize};
use trommel_html::{JsonLd, Page};

use crate::hints::Hints;
use crate::language;
use sources::Sources;

/// Facts about a page, as far as it states them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Metadata {
    /// Names of the authors in the order given, none twice.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub author: Vec<String>,
    /// When it was published: an ISO 8601 date, or a date and time with the offset the page gives
    /// (none if it gives none). Never after the crawl, if its date is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// When it was last changed, in the form of `published`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified: Option<String>,
    /// Name of the site or publisher.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// The page's summary of itself, in one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Absolute http(s) URL that the page names as its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canonical: Option<String>,
    /// Language that the page declares, as a BCP 47 tag (`en-US`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lang_declared: Option<String>,
}

/// The title and the metadata of a page. `html` is the decoded page, `page` its tables.
pub(crate) fn read(html: &str, page: &Page, hints: &Hints) -> (Option<String>, Metadata) {
    let json_ld = JsonLd::parse(&page.head.json_ld);
    let mut sources = Sources::new(html, page, json_ld.graph(), hints);
    let site = site::site(&sources);
    let names = site::keys(&sources, site.as_deref());
    let title = title::title(&sources, &names);
    sources.headline = headline::block(page, title.as_deref());
    let metadata = Metadata {
        author: author::authors(&sources, &names),
        published: date::published(&sources),
        modified: date::modified(&sources),
        description: description::description(&sources),
        canonical: canonical::canonical(&sources),
        lang_declared: language::tag(&page.head, sources.main.and_then(|node| node.language())),
        site,
    };
    (title, metadata)
}
