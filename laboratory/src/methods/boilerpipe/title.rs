//! The block that repeats the page's title (`DocumentTitleMatchClassifier`).

use rustc_hash::FxHashSet;

/// Words from which a part of a title is one.
const LEAST_WORDS: usize = 4;

/// Separators of a title; with each set the longest part is a possible headline.
const SEPARATORS: [&[char]; 5] = [
    &['|', '»', '-'],
    &['|', '»', ':'],
    &['|', '»', ':', '(', ')'],
    &['|', '»', ':', '(', ')', '-'],
    &['|', '»', ',', ':', '(', ')', '-'],
];

/// The headlines that a page title may stand for, in lower case.
pub(super) fn headlines(title: &str) -> FxHashSet<String> {
    let title = plain(title);
    let mut found = FxHashSet::default();
    if title.is_empty() {
        return found;
    }
    for separators in SEPARATORS {
        let mut parts: Vec<&str> = title.split(separators).map(|part| part.trim_matches(' ')).collect();
        while parts.last().is_some_and(|part| part.is_empty()) {
            parts.pop();
        }
        if parts.len() > 1 {
            found.extend(longest(&parts).map(str::to_owned));
        }
    }
    for separator in [" | ", " - "] {
        let parts: Vec<&str> = title.split(separator).collect();
        if parts.len() > 1 {
            let long = parts
                .iter()
                .map(|part| part.trim_matches(' '))
                .filter(|part| !part.contains(".com") && word_count(part) >= LEAST_WORDS);
            found.extend(long.map(str::to_owned));
        }
    }
    // Without what follows the last, and without what precedes the first, " - ".
    let before_last = title.rsplit_once(" - ").map(|(rest, tail)| (tail, rest));
    let after_first = title.split_once(" - ");
    for (dropped, rest) in before_last.into_iter().chain(after_first) {
        if !dropped.contains('-') {
            found.insert(rest.to_owned());
        }
    }
    found.insert(title);
    found
}

/// Returns whether a block's text is one of the headlines, as it stands or without `? ! . - :`.
pub(super) fn is_headline(text: &str, headlines: &FxHashSet<String>) -> bool {
    let text = plain(text);
    if headlines.contains(&text) {
        return true;
    }
    let bare = text.replace(['?', '!', '.', '-', ':'], "");
    headlines.contains(bare.trim())
}

fn plain(text: &str) -> String {
    text.replace('\u{a0}', " ").replace('\'', "").trim().to_lowercase()
}

fn word_count(part: &str) -> usize {
    part.split(' ').filter(|word| !word.is_empty()).count().max(1)
}

/// The part that last had more words or more characters than the longest before it, as the library
/// has it.
fn longest<'a>(parts: &[&'a str]) -> Option<&'a str> {
    let (mut most_words, mut best) = (0, "");
    for part in parts.iter().filter(|part| !part.contains(".com")) {
        let words = word_count(part);
        if words > most_words || part.chars().count() > best.chars().count() {
            most_words = words;
            best = part;
        }
    }
    (!best.is_empty()).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_title() {
        let found = headlines("The Daily: Council votes on the budget, again - News | Site.com");
        for headline in [
            "council votes on the budget, again",
            "council votes on the budget",
            "the daily: council votes on the budget, again",
        ] {
            assert!(found.contains(headline), "{headline}: {found:?}");
        }
        assert!(!found.contains("site.com") && !found.contains("news"));
        assert!(headlines("  ").is_empty());
        assert_eq!(headlines("Plain title").len(), 1);
    }

    #[test]
    fn blocks_match_without_marks() {
        let found = headlines("What now - Site");
        assert!(is_headline("What now?", &found));
        assert!(is_headline(" WHAT NOW ", &found));
        assert!(!is_headline("What now, then", &found));
    }
}
