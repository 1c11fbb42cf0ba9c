//! Pages that a server sends instead of the page that was asked for: walls, errors, parked domains.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use trommel_html::Page;

/// Its name among the types of pages.
pub(crate) const BLOCK_PAGE: &str = "block-page";

/// Words of the page above which no title, and no phrase, makes it one; what blocks says little.
const WORDS: (u32, u32) = (400, 150);
/// Bytes of its text that are looked at.
const LONGEST: usize = 8 << 10;

/// What the title of such a page is, or begins or ends with.
const TITLES: [&str; 34] = [
    "access denied",
    "access to this page has been denied",
    "attention required",
    "are you a robot",
    "before you continue",
    "blocked",
    "captcha",
    "domain for sale",
    "domain parked",
    "error 403",
    "error 404",
    "fehler 404",
    "forbidden",
    "human verification",
    "just a moment",
    "not found",
    "page introuvable",
    "page not available",
    "page not found",
    "pagina non trovata",
    "pagina niet gevonden",
    "página no encontrada",
    "página não encontrada",
    "parked domain",
    "pardon our interruption",
    "request rejected",
    "robot check",
    "security check",
    "seite nicht gefunden",
    "service unavailable",
    "site not found",
    "this page could not be found",
    "unavailable for legal reasons",
    "страница не найдена",
];
/// What such a page says, and nothing else does in so few words.
const PHRASES: [&str; 46] = [
    "access denied",
    "access to this page has been denied",
    "are you a human",
    "are you a robot",
    "buy this domain",
    "checking if the site connection is secure",
    "checking your browser",
    "complete the security check",
    "confirm you are human",
    "confirm that you are not a robot",
    "could not be found on this server",
    "cookies to continue",
    "ddos protection by",
    "domain is for sale",
    "domain may be for sale",
    "domain has expired",
    "domain is parked",
    "don't have permission to access",
    "do not have permission to access",
    "error 1020",
    "is not available in your country",
    "is not available in your region",
    "not available in your location",
    "page can't be found",
    "page cannot be found",
    "page could not be found",
    "page doesn't exist",
    "page does not exist",
    "page isn't available",
    "page no longer exists",
    "page you requested was not found",
    "page you were looking for",
    "page you are looking for",
    "page you're looking for",
    "parked free",
    "press and hold",
    "press & hold",
    "prove you are human",
    "seite konnte nicht gefunden werden",
    "requested url was not found",
    "request has been blocked",
    "unusual traffic from your",
    "verify you are a human",
    "verify you are human",
    "verify that you are not a robot",
    "you have been blocked",
];
static FINDERS: LazyLock<[Finder; PHRASES.len()]> = LazyLock::new(|| PHRASES.map(Finder::new));
/// What a wall of consent says; two of them together make one.
const CONSENT: [&str; 8] = [
    "accept all", "reject all", "before you continue", "we value your privacy",
    "manage your privacy", "manage preferences", "cookies and data", "our partners",
];

/// Whether a page blocks what was asked for, by its title and what it says.
pub(crate) fn is_block_page(page: &Page, title: Option<&str>) -> bool {
    let words = page
        .blocks
        .iter()
        .map(|block| block.words)
        .fold(0, u32::saturating_add);
    if words > WORDS.0 {
        return false;
    }
    let fold = |text: &str| -> String {
        let text = text.to_lowercase().replace(['\u{2019}', '\u{2018}'], "'");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let titles = title.into_iter().chain([page.head.title.as_str()]);
    let headings = page.blocks.iter().filter(|block| {
        let container = page.container(block);
        container.is_some_and(|(_, own)| {
            matches!(own.tag, trommel_html::Tag::H1 | trommel_html::Tag::H2)
        })
    });
    let headings = headings.take(2).map(|block| page.text(block));
    let titled = titles
        .chain(headings)
        .map(fold)
        .any(|title| is_title(&title));
    if titled {
        return true;
    }
    if words > WORDS.1 {
        return false;
    }
    let mut text = String::new();
    for block in &page.blocks {
        if text.len() > LONGEST {
            break;
        }
        text.push_str(page.text(block));
        text.push('\n');
    }
    let text = fold(&text);
    FINDERS
        .iter()
        .any(|phrase| phrase.find(text.as_bytes()).is_some())
        || CONSENT
            .iter()
            .filter(|phrase| text.contains(**phrase))
            .count()
            > 1
}

/// Whether a title, in lower case, is that of such a page: the whole of it, or all but the name of the site
/// and a number.
fn is_title(title: &str) -> bool {
    title
        .split([':', '|', '–', '—', '·', '»'])
        .chain(title.split(" - "))
        .any(|part| {
            let part = part.trim().trim_end_matches(['.', '!', '?', '…', ' ']);
            let bare = part.trim_matches(|c: char| {
                c.is_ascii_digit() || c.is_whitespace() || matches!(c, '-' | '(' | ')' | '.' | ',')
            });
            let bare = bare.strip_prefix("error").map_or(bare, str::trim);
            matches!(
                part,
                "404" | "403" | "error 404" | "404 error" | "http 404" | "http 403"
            ) || TITLES.contains(&part)
                || TITLES.contains(&bare)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    /// Title, text and label (`x` for a page that blocks) of pages, one a line, divided by tabs.
    const SAMPLE: &str = include_str!("block_page/sample.tsv");

    #[test]
    fn the_sample_is_told_apart() {
        let (mut right, mut found, mut wanted) = (0, 0, 0);
        let mut missed = Vec::new();
        for line in SAMPLE.lines().filter(|line| !line.starts_with('#')) {
            let [label, title, text] = line.splitn(3, '\t').collect::<Vec<_>>()[..] else {
                panic!("three fields: {line}");
            };
            let body: String = text
                .split(" / ")
                .map(|text| format!("<p>{text}</p>"))
                .collect();
            let html = format!("<title>{title}</title>{body}");
            let page = ScanEngine.read(&html, &Limits::default());
            let is_block = is_block_page(&page, None);
            right += u32::from(is_block && label == "x");
            found += u32::from(is_block);
            wanted += u32::from(label == "x");
            if is_block != (label == "x") {
                missed.push(title);
            }
        }
        assert!(wanted >= 25, "{wanted}");
        assert!(
            right * 100 >= found * 95,
            "precision {right} of {found}: {missed:?}"
        );
        assert!(
            right * 100 >= wanted * 90,
            "recall {right} of {wanted}: {missed:?}"
        );
    }

    #[test]
    fn long_pages_block_nothing() {
        let html = format!("<title>Page not found</title><p>{}", "word ".repeat(500));
        let page = ScanEngine.read(&html, &Limits::default());
        assert!(!is_block_page(&page, None));
    }
}
