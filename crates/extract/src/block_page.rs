//! Recognises block pages: captchas, log-in forms, errors and parked domains served instead of the requested page.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use trommel_html::{Page, Tag};

trommel_text::named! {
    /// Reason why a page is not the requested one, such as an error page or a check for robots.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    #[non_exhaustive]
    pub enum BlockReason {
        /// Captcha, or another check that the visitor is not a robot.
        Captcha = "captcha",
        /// Error page of a server that refuses the request or cannot serve it.
        Denied = "denied",
        /// Page that asks for consent to cookies before it shows the requested one.
        Consent = "consent",
        /// Form to log in, to register or to set a new password.
        Login = "login",
        /// Error page that says that the requested page does not exist.
        NotFound = "not-found",
        /// Page of a domain that is parked or for sale.
        Parked = "parked",
    }
}

/// Maximum words of a page recognised as an error page, captcha or the like: by its title, or only by a phrase.
// An article about captchas uses the same words; only a page that says nothing else is a wall.
const MAX_WORDS: (u32, u32) = (400, 150);
/// Minimum number of `input` elements of a page titled "Log in" that counts as a log-in page; a search box is one, too.
const MIN_FIELDS: usize = 2;
/// Bytes of page text after which no further block is searched for phrases of error pages, captchas and the like.
// More than 150 words of any language have.
const MAX_TEXT_BYTES: usize = 8 << 10;

/// Texts that reveal error pages, captchas and the like, one a line: place, reason and text, separated by tabs. The
/// place is `title` (a whole title, or a part of one between separators), `phrase` (one on a short page suffices) or
/// `banner` (two on a short page show a consent wall).
const PHRASES: &str = include_str!("block_page/phrases.tsv");

static TITLES: LazyLock<FxHashMap<&str, BlockReason>> = LazyLock::new(|| phrases("title").collect());
// Searchers are made once: making them costs more than searching a short page.
static FINDERS: LazyLock<Vec<(Finder, BlockReason)>> =
    LazyLock::new(|| phrases("phrase").map(|(phrase, reason)| (Finder::new(phrase), reason)).collect());

/// Returns the known texts of error pages and the like for a place (`title`, `phrase`, `banner`), each with its reason.
fn phrases(place: &str) -> impl Iterator<Item = (&'static str, BlockReason)> {
    PHRASES.lines().filter_map(move |line| {
        let (reason, phrase) = line.strip_prefix(place)?.strip_prefix('\t')?.split_once('\t')?;
        let mut reasons = BlockReason::ALL.into_iter();
        Some((phrase, reasons.find(|known| known.name() == reason)?))
    })
}

impl BlockReason {
    /// Returns the reason why a page is not the requested one (captcha, error), if a part of its title or heading
    /// states it.
    pub fn of_title(title: &str) -> Option<Self> {
        reason_of_title(&fold(title))
    }
}

fn fold(text: &str) -> String {
    // Phrases are listed with the plain apostrophe; sites set either.
    let text = text.to_lowercase().replace(['\u{2019}', '\u{2018}'], "'");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the reason why a page is not the requested one, from its title and its phrases; `None` for other pages.
pub(crate) fn block_reason(page: &Page, title: Option<&str>) -> Option<BlockReason> {
    let words = page.blocks.iter().map(|block| block.words).fold(0, u32::saturating_add);
    if words > MAX_WORDS.0 {
        return None;
    }
    let mut titles = title.into_iter().chain([page.head.title.as_str()]);
    let headings = page.blocks.iter().filter(|block| {
        let container = page.container(block);
        container.is_some_and(|(_, element)| matches!(element.tag, Tag::H1 | Tag::H2))
    });
    // The heading of a log-in box stands on pages of every kind, and documents of interfaces are called "Login", too.
    let has_fields = || page.elements.iter().filter(|element| element.tag == Tag::Input).nth(MIN_FIELDS - 1).is_some();
    let in_title = |title| BlockReason::of_title(title).filter(|reason| *reason != BlockReason::Login || has_fields());
    let in_heading = |block| BlockReason::of_title(page.text(block)).filter(|reason| *reason != BlockReason::Login);
    let titled = titles.find_map(in_title).or_else(|| headings.take(2).find_map(in_heading));
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
    let said = FINDERS.iter().find(|(phrase, _)| phrase.find(text.as_bytes()).is_some());
    let of_consent = phrases("banner").filter(|(phrase, _)| text.contains(phrase));
    let said = said.map(|(_, reason)| *reason);
    // One of these phrases alone is the banner of an ordinary page.
    said.or_else(|| (of_consent.count() > 1).then_some(BlockReason::Consent))
}

/// Returns the reason why a page is not the requested one (captcha, error), from its title in lower case. A part of the
/// title between separators must be a known message, apart from numbers and the word `error`.
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
        TITLES.get(part).or_else(|| TITLES.get(bare)).copied()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    /// Sample pages, one a line: label (`x` for a block page), title and text, separated by tabs.
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
        assert_eq!(reason("Mills - Forgot your password?", "Address: <input> <input type=submit>"), Some("login"));
        assert_eq!(reason("login | Mills API", "Opens a session. <input name=q>"), None);
        assert_eq!(reason("Mills", "<h2>Log in</h2><input><input><p>The mill stands by the river."), None);
        assert_eq!(reason("Mills", "<h2>Not found</h2>"), Some("not-found"));
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
