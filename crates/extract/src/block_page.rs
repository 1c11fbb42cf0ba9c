//! Recognises block pages: walls, errors and parked domains in place of the requested page.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use serde::{Deserialize, Serialize};
use trommel_html::Page;

trommel_text::named! {
    /// The reason why a page is not the requested one.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    #[non_exhaustive]
    pub enum BlockReason {
        /// A captcha, or a check of the browser.
        Captcha = "captcha",
        /// The server refuses the request, or says it cannot serve it.
        Denied = "denied",
        /// A wall of consent to cookies.
        Consent = "consent",
        /// There is no such page.
        NotFound = "not-found",
        /// A domain that is parked or for sale.
        Parked = "parked",
    }
}

/// Words of the page above which no title, and no phrase, makes it one; what blocks says little.
// An article about captchas uses the same words; only a page that says nothing else is a wall.
const MAX_WORDS: (u32, u32) = (400, 150);
/// Bytes of its text that are looked at.
// More than 150 words of any language have.
const MAX_TEXT_BYTES: usize = 8 << 10;

/// Titles of such pages, whole, or their beginnings or ends.
// Whole titles and not parts of them: "Blocked by the snow" is news.
const TITLES: [(BlockReason, &[&str]); 5] = [
    (
        BlockReason::Captcha,
        &[
            "are you a robot", "attention required", "captcha", "human verification", "just a moment",
            "pardon our interruption", "robot check", "security check",
        ],
    ),
    (
        BlockReason::Denied,
        &[
            "access denied", "access to this page has been denied", "blocked", "error 403", "forbidden",
            "request rejected", "service unavailable", "unavailable for legal reasons",
        ],
    ),
    (BlockReason::Consent, &["before you continue"]),
    (
        BlockReason::NotFound,
        &[
            "error 404", "fehler 404", "not found", "page introuvable", "page not available", "page not found",
            "pagina non trovata", "pagina niet gevonden", "página no encontrada", "página não encontrada",
            "seite nicht gefunden", "site not found", "this page could not be found", "страница не найдена",
        ],
    ),
    (BlockReason::Parked, &["domain for sale", "domain parked", "parked domain"]),
];
/// Phrases of such pages that do not occur on other pages with so few words.
const PHRASES: [(BlockReason, &[&str]); 5] = [
    (
        BlockReason::Captcha,
        &[
            "are you a human",
            "are you a robot",
            "checking if the site connection is secure",
            "checking your browser",
            "complete the security check",
            "confirm you are human",
            "confirm that you are not a robot",
            "ddos protection by",
            "press and hold",
            "press & hold",
            "prove you are human",
            "unusual traffic from your",
            "verify you are a human",
            "verify you are human",
            "verify that you are not a robot",
        ],
    ),
    (
        BlockReason::Denied,
        &[
            "access denied", "access to this page has been denied", "don't have permission to access",
            "do not have permission to access", "error 1020", "is not available in your country",
            "is not available in your region", "not available in your location", "request has been blocked",
            "you have been blocked",
        ],
    ),
    (BlockReason::Consent, &["cookies to continue"]),
    (
        BlockReason::NotFound,
        &[
            "could not be found on this server", "page can't be found", "page cannot be found",
            "page could not be found", "page doesn't exist", "page does not exist", "page isn't available",
            "page no longer exists", "page you requested was not found", "page you were looking for",
            "page you are looking for", "page you're looking for", "seite konnte nicht gefunden werden",
            "requested url was not found",
        ],
    ),
    (
        BlockReason::Parked,
        &[
            "buy this domain", "domain is for sale", "domain may be for sale", "domain has expired",
            "domain is parked", "parked free",
        ],
    ),
];
// Searchers are made once: making them costs more than searching a short page.
static FINDERS: LazyLock<Vec<(BlockReason, Finder)>> = LazyLock::new(|| {
    let all = PHRASES.iter();
    all.flat_map(|(reason, phrases)| phrases.iter().map(|phrase| (*reason, Finder::new(phrase)))).collect()
});
/// Phrases of consent walls. Two of them together make one.
const CONSENT: [&str; 8] = [
    "accept all", "reject all", "before you continue", "we value your privacy", "manage your privacy",
    "manage preferences", "cookies and data", "our partners",
];

/// The reason why a page is not the requested one, from its title and its phrases; none on other pages.
pub(crate) fn block_reason(page: &Page, title: Option<&str>) -> Option<BlockReason> {
    let words = page.blocks.iter().map(|block| block.words).fold(0, u32::saturating_add);
    if words > MAX_WORDS.0 {
        return None;
    }
    let fold = |text: &str| -> String {
        // Phrases are listed with the plain apostrophe; sites set either.
        let text = text.to_lowercase().replace(['\u{2019}', '\u{2018}'], "'");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let titles = title.into_iter().chain([page.head.title.as_str()]);
    let headings = page.blocks.iter().filter(|block| {
        let container = page.container(block);
        container.is_some_and(|(_, element)| matches!(element.tag, trommel_html::Tag::H1 | trommel_html::Tag::H2))
    });
    let headings = headings.take(2).map(|block| page.text(block));
    let titled = titles.chain(headings).map(fold).find_map(|title| reason_of_title(&title));
    if titled.is_some() || words > MAX_WORDS.1 {
        return titled;
    }
    let mut text = String::new();
    for block in &page.blocks {
        if text.len() > MAX_TEXT_BYTES {
            break;
        }
        text.push_str(page.text(block));
        text.push('\n');
    }
    let text = fold(&text);
    let said = FINDERS.iter().find(|(_, phrase)| phrase.find(text.as_bytes()).is_some());
    let of_consent = CONSENT.iter().filter(|phrase| text.contains(**phrase));
    let said = said.map(|(reason, _)| *reason);
    // One of these phrases alone is the banner of an ordinary page.
    said.or_else(|| (of_consent.count() > 1).then_some(BlockReason::Consent))
}

/// The reason that a title in lower case states. The phrase must be the whole title, except for the name of
/// the site and a number.
fn reason_of_title(title: &str) -> Option<BlockReason> {
    title.split([':', '|', '–', '—', '·', '»']).chain(title.split(" - ")).find_map(|part| {
        // "Just a moment..."
        let part = part.trim().trim_end_matches(['.', '!', '?', '…', ' ']);
        let bare = part.trim_matches(|c: char| {
            c.is_ascii_digit() || c.is_whitespace() || matches!(c, '-' | '(' | ')' | '.' | ',')
        });
        let bare = bare.strip_prefix("error").map_or(bare, str::trim);
        match part {
            "404" | "404 error" | "http 404" => return Some(BlockReason::NotFound),
            "403" | "http 403" => return Some(BlockReason::Denied),
            _ => {}
        }
        let known = TITLES.iter().find(|(_, titles)| titles.contains(&part) || titles.contains(&bare));
        known.map(|(reason, _)| *reason)
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
            let body: String = text.split(" / ").map(|text| format!("<p>{text}</p>")).collect();
            let html = format!("<title>{title}</title>{body}");
            let page = ScanEngine.read(&html, &Limits::default());
            let is_block = block_reason(&page, None).is_some();
            right += u32::from(is_block && label == "x");
            found += u32::from(is_block);
            wanted += u32::from(label == "x");
            if is_block != (label == "x") {
                missed.push(title);
            }
        }
        assert!(wanted >= 25, "{wanted}");
        assert!(right * 100 >= found * 95, "precision {right} of {found}: {missed:?}");
        assert!(right * 100 >= wanted * 90, "recall {right} of {wanted}: {missed:?}");
    }

    #[test]
    fn the_reason_is_told() {
        let reason = |title: &str, text: &str| {
            let html = format!("<title>{title}</title><p>{text}");
            block_reason(&ScanEngine.read(&html, &Limits::default()), None).map(BlockReason::name)
        };
        assert_eq!(reason("Just a moment...", "x"), Some("captcha"));
        assert_eq!(reason("403", "nginx"), Some("denied"));
        assert_eq!(reason("Page not found | Mills", "x"), Some("not-found"));
        assert_eq!(reason("m.example", "Buy this domain"), Some("parked"));
        let wall = "We value your privacy. Manage preferences";
        assert_eq!(reason("Mills", wall), Some("consent"));
        assert_eq!(reason("Mills", "The mill stands by the river."), None);
    }

    #[test]
    fn long_pages_block_nothing() {
        let html = format!("<title>Page not found</title><p>{}", "word ".repeat(500));
        let page = ScanEngine.read(&html, &Limits::default());
        assert_eq!(block_reason(&page, None), None);
    }
}
