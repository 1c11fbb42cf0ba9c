//! Finds the next page in a row of page numbers.

use trommel_html::{Element, PAGE_ROW_WORDS, Page, Tag, element_text};

/// Names in class attributes of rows of page numbers.
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
/// Arrows that stand for the next page.
// Arrows alone count in rows of page numbers only; elsewhere they lead to galleries.
const ARROWS: [&str; 7] = ["›", "»", "→", ">", ">>", "⟩", "❯"];
/// Elements around a link that may be its row.
const ANCESTORS: usize = 5;
/// Bytes of an element with the text of a link.
const MAX_LINK_BYTES: usize = 600;
/// Links of a page that are looked at.
const MAX_LINKS: usize = 400;

/// The unchanged address of the link to the next page in a row of page numbers. It is a link that says so
/// by its words, its label or its arrow, else the one behind the number without link.
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
    let links: Vec<(u32, &Element)> = links.take(MAX_LINKS).collect();
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

/// Returns whether an element is named like a row of page numbers.
fn is_row(page: &Page, element: &Element) -> bool {
    let words = page.attribute_words(element);
    let mut texts = words.iter().map(|word| page.word_text(word));
    let says = |wanted: &str| words.iter().any(|word| page.word_text(word) == wanted);
    let [beside, alone @ ..] = PAGE_ROW_WORDS;
    texts.any(|text| alone.contains(&text)) || says(beside) && (says("links") || says("numbers") || says("nav"))
}

/// The row of page numbers around a link, given which elements are some, in order.
fn row(page: &Page, link: u32, rows: &[u32]) -> Option<u32> {
    let mut around = page.path(link).skip(1).take(ANCESTORS).map(|(at, _)| at);
    around.find(|at| rows.binary_search(at).is_ok())
}

/// Returns whether a link says that it leads to the next page.
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
