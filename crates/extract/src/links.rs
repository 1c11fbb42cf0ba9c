//! Lists the links of a page with the verdicts on their blocks, and finds the next page in a row of page numbers.

use std::collections::HashSet;

use serde::Serialize;
use trommel_html::{Element, Page, Tag, element_text};
use url::Url;

use crate::{choice::list_controls::is_row, extraction::Extraction, role::Role};

/// Maximum bytes of the address of a link; longer addresses are ignored.
// Longer ones carry sessions and data, and few servers take them.
const MAX_ADDRESS_BYTES: usize = 2048;
/// Maximum number of links returned for a page.
const MAX_LINKS: usize = 10_000;

/// A link in a block of a page, with the verdict on the block.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PageLink {
    /// Target of the link: an absolute `http(s)` URL without fragment.
    pub url: String,
    /// Index of the first block that contains the link.
    pub block: usize,
    /// Probability (0 to 1) that the block is main text.
    pub probability: f32,
    /// True if the block is part of the main text.
    pub kept: bool,
    /// Role of the block that contains the link.
    pub role: Role,
}

impl Extraction<'_> {
    /// Returns the links in the blocks of the page, in order, each address once, at most 10,000. Empty if the page was
    /// read without inline styles.
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

    /// Returns the address of the next page: that of `rel="next"`, otherwise of the next link in a row of page numbers.
    /// `None` if there is no such link, or if it leads to the page itself.
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

/// Returns the base address of the links of a page: that of its `<base>`, otherwise the URL of the page. If `url` is
/// unknown, the address that the page states as its own takes its place.
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

/// Parts of class names that mark a row of page numbers.
const NAMES: [&[u8]; 8] =
    [b"paginat", b"paging", b"pager", b"pagenav", b"page-numbers", b"page-links", b"pagelinks", b"pagebar"];
/// Texts of links to the next page, in lower case.
// Whole texts: "next steps" is the heading of an article.
const NEXT_TEXTS: [&str; 38] = [
    "next", "next page", "older", "older posts", "continue", "weiter", "nächste", "nächste seite", "suivant",
    "suivante", "page suivante", "siguiente", "página siguiente", "siguiente página", "próxima", "próximo",
    "próxima página", "seguinte", "página seguinte", "successiva", "pagina successiva", "avanti", "volgende",
    "volgende pagina", "następna", "następna strona", "další", "nästa", "næste", "seuraava", "следующая", "вперед",
    "вперёд", "下一页", "下一頁", "次へ", "次のページ", "다음",
];
/// Arrows that are the text of a link to the next page.
// Arrows alone count in rows of page numbers only; elsewhere they lead to galleries.
const ARROWS: [&str; 7] = ["›", "»", "→", ">", ">>", "⟩", "❯"];
/// Maximum number of elements around a link that are checked for being a row of page numbers.
const ANCESTORS: usize = 5;
/// Maximum bytes of the HTML of a link that are read for its text.
const MAX_LINK_BYTES: usize = 600;
/// Maximum number of links in rows of page numbers that are examined on one page.
const MAX_PAGE_LINKS: usize = 400;

/// Returns the unchanged address of the link to the next page in a row of page numbers. That is the first link with a
/// known word, label or arrow, otherwise the number after that of the current page, which is no link.
pub(crate) fn next_in_pagination(page: &Page, html: &str) -> Option<String> {
    let rows: Vec<u32> = page
        .page_rows
        .iter()
        .copied()
        .filter(|at| page.element(*at).is_some_and(|element| is_row(page, element)))
        .collect();
    // Most pages have no such row, and their bytes are not searched.
    if rows.is_empty() || !names_a_row(html.as_bytes()) {
        return None;
    }
    let links = (0u32..).zip(&page.elements);
    let links = links.filter(|(_, element)| element.tag == Tag::A);
    let links = links.filter_map(|(at, element)| Some((row(page, at, &rows)?, element)));
    let links: Vec<(u32, &Element)> = links.take(MAX_PAGE_LINKS).collect();
    let href = |element: &Element| {
        let href = element.attribute(html, "href")?.trim().to_owned();
        let leads = !href.is_empty() && !href.starts_with('#') && !href.contains("javascript:");
        leads.then_some(href)
    };
    let said = links.iter().filter(|(_, element)| says_next(page, element, html));
    if let Some(address) = said.filter_map(|(_, element)| href(element)).next() {
        return Some(address);
    }
    let number = |element: &Element| -> Option<u32> {
        let text = element_text(html, element.start, MAX_LINK_BYTES);
        text.trim().parse().ok()
    };
    let numbered = links.iter().filter_map(|(row, element)| Some((*row, number(element)?, *element)));
    let mut numbered: Vec<(u32, u32, &Element)> = numbered.collect();
    // Those of the first row that has any.
    let first = numbered.first()?.0;
    numbered.retain(|(row, ..)| *row == first);
    numbered.sort_by_key(|(_, number, _)| *number);
    let mut shown = 0;
    let next = numbered.iter().find(|(_, number, _)| {
        // The number of the page itself is no link, so the numbers around it are two apart.
        let follows_gap = *number == shown + 2;
        shown = *number;
        follows_gap
    });
    next.and_then(|(.., element)| href(element))
}

fn names_a_row(bytes: &[u8]) -> bool {
    memchr::memmem::find_iter(bytes, b"pag").any(|at| {
        let rest = bytes.get(at..).unwrap_or_default();
        NAMES.iter().any(|name| rest.starts_with(name))
    })
}

/// Returns the row of page numbers around a link; `rows` lists the indices of all elements that are such rows.
fn row(page: &Page, link: u32, rows: &[u32]) -> Option<u32> {
    let mut around = page.path(link).skip(1).take(ANCESTORS).map(|(at, _)| at);
    around.find(|at| rows.binary_search(at).is_ok())
}

/// Returns whether the text, label, title or class of a link says that it leads to the next page.
fn says_next(page: &Page, link: &Element, html: &str) -> bool {
    let texts = [
        Some(element_text(html, link.start, MAX_LINK_BYTES)),
        link.attribute(html, "aria-label"),
        link.attribute(html, "title"),
    ];
    let words = page.attribute_words(link);
    words.iter().any(|word| page.word_text(word) == "next") || texts.iter().flatten().any(|text| is_next(text))
}

fn is_next(text: &str) -> bool {
    let text = text.trim();
    let is_sign = |c: char| !c.is_alphanumeric();
    let words = text.trim_matches(is_sign).to_lowercase();
    if words.is_empty() {
        return ARROWS.contains(&text);
    }
    NEXT_TEXTS.contains(&words.as_str())
}

#[cfg(test)]
mod tests {
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn the_next_page_is_that_of_the_rows() {
        crate::rows::check("src/pagination.txt", |_, html| {
            let page = ScanEngine.read(html, &Limits::default());
            super::next_in_pagination(&page, html).unwrap_or_default()
        });
    }
}
