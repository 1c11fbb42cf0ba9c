//! The links of a page, with facts about their blocks.

use std::collections::HashSet;

use serde::Serialize;
use trommel_html::Page;
use url::Url;

use crate::extraction::Extraction;
use crate::pagination::next_in_pagination;
use crate::role::Role;

/// Maximum bytes of an address.
// Longer ones carry sessions and data, and few servers take them.
const MAX_ADDRESS_BYTES: usize = 2048;
/// Maximum number of links returned for a page.
const MAX_LINKS: usize = 10_000;

/// A link in the text of a page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PageLink {
    /// The target: an absolute `http(s)` URL without fragment.
    pub url: String,
    /// Index of the first block that it stands in.
    pub block: usize,
    /// Probability that the block is main content.
    pub probability: f32,
    /// True if the block is part of the text.
    pub kept: bool,
    /// The role of the block.
    pub role: Role,
}

impl Extraction<'_> {
    /// The links in the text of the page, in its order, each address once: 10,000 of them at most. A page
    /// that was read without inline style has none.
    pub fn links(&self) -> Vec<PageLink> {
        let base = self.base();
        let (mut elements, mut urls) = (HashSet::new(), HashSet::new());
        let mut links = Vec::new();
        let page = self.page();
        for (index, block) in page.blocks.iter().enumerate() {
            for element in page.styled(block).filter_map(|part| part.style.link) {
                // By element first: a link of several parts would be read and parsed once for each.
                if links.len() == MAX_LINKS || !elements.insert(element) {
                    continue;
                }
                let href = page.element(element).and_then(|element| element.attribute(&self.decoded().text, "href"));
                let Some(url) = href.and_then(|href| absolute(&href, base.as_ref())) else { continue };
                if let Some((probability, kept, role)) = self.verdict(index)
                    && urls.insert(url.clone())
                {
                    links.push(PageLink { url, block: index, probability, kept, role });
                }
            }
        }
        links
    }

    /// The next page: that of `rel="next"`, else the link to the next page in a row of page numbers. None if
    /// that is the page itself.
    pub fn next_page(&self) -> Option<String> {
        let html = &self.decoded().text;
        let stated = self.page().head.next.clone();
        let stated = stated.or_else(|| next_in_pagination(self.page(), html))?;
        let next = absolute(&stated, self.base().as_ref())?;
        let page_url = self.url().and_then(|url| absolute(url, None));
        (page_url.as_ref() != Some(&next)).then_some(next)
    }

    fn base(&self) -> Option<Url> {
        base_of(self.page(), self.url())
    }
}

/// The address that the links of a page are relative to: that of its `<base>`, else its own. Of a saved page whose
/// address nobody gave it is the one that the page names as its own.
pub(crate) fn base_of(page: &Page, url: Option<&str>) -> Option<Url> {
    let short = |text: &&str| text.len() <= MAX_ADDRESS_BYTES;
    let head = &page.head;
    let url = match url {
        Some(url) => Some(url).filter(short).and_then(|url| Url::parse(url).ok()),
        None => {
            let stated = [head.canonical.as_deref(), head.meta("og:url")].into_iter().flatten().filter(short);
            let mut stated = stated.filter_map(|text| Url::parse(text.trim()).ok());
            stated.find(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
        }
    };
    let base = head.base.as_deref().filter(short);
    base.and_then(|base| Url::options().base_url(url.as_ref()).parse(base).ok()).or(url)
}

fn absolute(href: &str, base: Option<&Url>) -> Option<String> {
    if href.len() > MAX_ADDRESS_BYTES {
        return None;
    }
    let mut url = Url::options().base_url(base).parse(href.trim()).ok()?;
    // Places on one page are one page to a crawler.
    url.set_fragment(None);
    let is_read = matches!(url.scheme(), "http" | "https") && url.as_str().len() <= 2 * MAX_ADDRESS_BYTES;
    is_read.then(|| url.into())
}
