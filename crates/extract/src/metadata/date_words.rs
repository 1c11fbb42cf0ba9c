//! Words before a date that say what happened on it: the page was published, or changed.

use std::sync::LazyLock;

/// The event on a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    Published,
    Modified,
    /// Something else: a paper was received, a member joined.
    Other,
}

/// Bytes before a date in which the words are looked for.
const BYTES_BEFORE_DATE: usize = 60;

/// Words in lower case, a line each behind what they say: beginnings of words before a date of publication (`published`)
/// of a change (`modified`) or of something else (`other`), and of sentences about the page itself, as blogs have below their posts (`of-page`).
const WORDS: &str = include_str!("date_words.txt");

static PUBLISHED: LazyLock<Vec<&str>> = LazyLock::new(|| words("published"));
static MODIFIED: LazyLock<Vec<&str>> = LazyLock::new(|| words("modified"));
static OTHER: LazyLock<Vec<&str>> = LazyLock::new(|| words("other"));
static OF_PAGE: LazyLock<Vec<&str>> = LazyLock::new(|| words("of-page"));
/// [`OF_PAGE`] by their first bytes: every block of a page is asked, and most begin with another.
static BY_FIRST: LazyLock<[Vec<&str>; 128]> = LazyLock::new(|| {
    std::array::from_fn(|byte| {
        OF_PAGE.iter().filter(|words| words.bytes().next() == Some(byte as u8)).copied().collect()
    })
});

fn words(say: &str) -> Vec<&'static str> {
    WORDS.lines().filter_map(|line| line.strip_prefix(say)?.strip_prefix(' ')).collect()
}

/// The event that the words directly before a date name, if any; the nearest words decide.
pub(super) fn event(before: &str) -> Option<Event> {
    let from = before.ceil_char_boundary(before.len().saturating_sub(BYTES_BEFORE_DATE));
    let near = before.get(from..)?;
    // Most dates stand alone.
    if !near.chars().any(char::is_alphabetic) {
        return None;
    }
    let near = near.to_lowercase();
    let events = [(Event::Other, &OTHER), (Event::Modified, &MODIFIED), (Event::Published, &PUBLISHED)];
    let last = events.map(|(event, words)| (last_start(&near, words), event));
    last.into_iter().filter(|(start, _)| start.is_some()).max_by_key(|(start, _)| *start).map(|(_, event)| event)
}

/// Returns whether a text says of the page itself that it was written.
pub(super) fn is_of_page(text: &str) -> bool {
    let text = text.trim_start();
    let starts = |words: &&str| {
        // Nothing is copied.
        let mut lower = text.chars().flat_map(char::to_lowercase);
        words.chars().all(|letter| lower.next() == Some(letter))
    };
    let first = text.bytes().next().unwrap_or_default().to_ascii_lowercase();
    // The small form of another letter may begin with another byte.
    BY_FIRST.get(usize::from(first)).unwrap_or(&OF_PAGE).iter().any(starts)
}

/// The start of the last of the words in a text.
fn last_start(text: &str, words: &[&str]) -> Option<usize> {
    let mut from_end = text.char_indices().rev().peekable();
    while let Some((at, letter)) = from_end.next() {
        let follows_letter = from_end.peek().is_some_and(|(_, before)| before.is_alphabetic());
        // Scripts without spaces have no beginnings of words.
        if follows_letter && letter < '\u{e00}' {
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        if words.iter().any(|word| rest.starts_with(word)) {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_words_say_what_a_date_is_of() {
        for (before, expected) in [
            ("Published ", Some(Event::Published)),
            ("Last updated: ", Some(Event::Modified)),
            ("Updated 2 June 2024, first published on ", Some(Event::Published)),
            ("Published by A, updated ", Some(Event::Modified)),
            ("Zuletzt aktualisiert am ", Some(Event::Modified)),
            ("最后更新：", Some(Event::Modified)),
            ("发布于 ", Some(Event::Published)),
            ("Received 2 June 2024, published ", Some(Event::Published)),
            ("Joined: ", Some(Event::Other)),
            ("unpublished ", None),
            ("by A, ", None),
        ] {
            assert_eq!(event(before), expected, "{before}");
        }
        let far = format!("Updated {}", "word ".repeat(20));
        assert_eq!(event(&far), None);
    }

    #[test]
    fn sentences_about_the_page_are_told() {
        assert!(is_of_page("This entry was posted on Monday"));
        assert!(is_of_page(" Dieser Artikel wurde am 14. Dezember 2015 von A geschrieben"));
        assert!(!is_of_page("The entry was wrong"));
        for words in OF_PAGE.iter() {
            let upper = words.to_uppercase();
            // Turkish capitals do not tell their small letters.
            assert!(is_of_page(words) && (is_of_page(&upper) || upper.to_lowercase() != *words), "{words}");
        }
    }
}
