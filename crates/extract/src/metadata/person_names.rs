//! Reads the names of authors from the texts in which pages state them.

use trommel_html::fold_space;

use super::date_parser;

/// Maximum number of characters of a name.
// Longer texts are sentences about an author.
const MAX_NAME_CHARS: usize = 80;
const MAX_NAME_WORDS: usize = 8;
/// Maximum number of characters of a text that are searched for names.
// A name comes first; biographies follow it.
const MAX_SEARCHED_CHARS: usize = 300;
/// Maximum number of names that are kept for a page.
const MAX_NAMES: usize = 32;

/// Words before a name in a byline, in lower case.
const NAME_PREFIXES: &[&str] = &[
    "view all posts by", "view more posts by", "more from", "posts by", "written by", "posted by", "published by",
    "reported by", "reviewed by", "updated by", "created by", "started by", "story by", "article by", "words by",
    "text by", "text:", "tekst:", "story:", "report:", "reporting by", "bericht:", "texte:", "texte :", "texto:",
    "testo:", "words:", "post by", "topic by", "submitted by", "authored by", "author:", "authors:", "author", "by:",
    "by", "von", "par", "por", "di", "door", "przez", "автор:", "autor:", "auteur :", "autore:", "作者：", "作者:",
    "文/", "文／", "文：", "记者", "編集:", "著者:", "撰文：", "بقلم:", "بقلم ", "كتب:", "كتبت:", "מאת:", "מאת ",
    "โดย:", "โดย ", "लेखक:", "लेखिका:", "글:",
];

/// Number of characters of the longest words that may precede a name in a byline, plus one.
const MAX_PREFIX_CHARS: usize = 19;

/// Beginnings of texts after a name in a byline, at which the name ends.
const ENDS: &[&str] = &[
    " | ", " » ", " ⋅ ", " • ", " · ", " – ", " — ", " - ", "\n", " (", " on ", ", updated", " updated", " published",
    " posted", " on behalf of ",
];

/// Lower-case beginnings of words in a credit for the author of a picture.
const PICTURES: &[&str] = &[
    "photo", "foto", "picture", "image", "illustrat", "bild", "video", "graphic", "grafik", "фото", "写真", "撮影",
    "摄影", "攝影",
];
const CREDITS: &[&str] = &[" by ", " von ", " par ", " de ", " di ", " por ", ":", "：", "/"];
/// Words of a picture credit that a name may follow directly ("Photo Kim Lo").
const PHOTOS: [&str; 5] = ["photo", "photos", "foto", "fotos", "фото"];

/// Words and signs that join two names of authors, such as "and".
const JOINTS: &[&str] = &[
    " and ", " & ", " und ", " et ", " y ", " e ", " en ", " i ", " и ", " og ", " och ", " ja ", " dan ", " ve ",
    " și ", " і ",
];

/// Lower-case words inside the names of people, such as "von".
const PARTICLES: &[&str] = &[
    "de", "da", "do", "dos", "del", "della", "di", "du", "la", "le", "van", "von", "der", "den", "ten", "ter", "bin",
    "ibn", "al", "el", "y", "zu", "af", "of",
];

/// Texts that pages put in place of a name, in lower case.
const NO_NAMES: [&str; 28] = [
    "null", "undefined", "none", "unknown", "n/a", "na", "author", "by", "nan", "false", "true", "anonymous",
    "no author", "default", "post", "posted", "published", "updated", "staff", "share", "follow", "mon", "tue", "wed",
    "thu", "fri", "sat", "sun",
];

/// Appends the names in a text to `names`, except those that `names` already contains.
pub(super) fn add(text: &str, names: &mut Vec<String>) {
    for piece in text.split([';', '\n']).take(MAX_NAMES) {
        let end = piece.char_indices().nth(MAX_SEARCHED_CHARS).map_or(piece.len(), |(at, _)| at);
        let piece = piece.get(..end).unwrap_or_default();
        // `Words: Kim Lo. Pictures: Max Lee`
        let is_next = |(at, _): &(usize, &str)| piece.get(at + 2..).is_some_and(is_picture_credit);
        let end = piece.match_indices(". ").find(is_next).map_or(piece.len(), |(at, _)| at);
        let words = piece.get(..end).unwrap_or_default();
        let written: String =
            words.split_inclusive([',', '|', '/', '·', '•']).filter(|part| !is_picture_credit(part)).collect();
        for name in split(&trim(&written)) {
            let name = name.trim_matches([' ', ',', '.', ':', '|', '-', '–', '—', '"', '\'', '/']);
            let is_another = |known: &String| known.to_lowercase() != name.to_lowercase();
            if names.len() < MAX_NAMES && is_name(name) && names.iter().all(is_another) {
                names.push(name.to_owned());
            }
        }
    }
}

/// Returns whether a text names the author of pictures, not of the text.
pub(super) fn is_picture_credit(text: &str) -> bool {
    let text = text.trim_start();
    let lower = text.to_lowercase();
    let is_photo = || {
        let (word, name) = lower.split_once(' ').unwrap_or_default();
        PHOTOS.contains(&word) && !name.is_empty() && text.split(' ').all(|word| !word.starts_with(char::is_lowercase))
    };
    PICTURES.iter().any(|word| lower.starts_with(word))
        && (CREDITS.iter().any(|mark| lower.contains(mark)) || is_photo())
}

/// Returns the only name in a byline, even if it does not look like the name of a person.
pub(super) fn pen_name(text: &str) -> Option<String> {
    let mut lines = text.lines().filter(|line| !is_lead(line));
    let name = trim(lines.find(|line| line.contains(char::is_alphanumeric))?);
    let name = name.trim_matches([' ', ',', '.', ':', '|', '-', '–', '—', '"', '\'', '/']);
    let is_short = name.chars().count() <= MAX_NAME_CHARS && name.split(' ').count() <= MAX_NAME_WORDS;
    (is_short && name.contains(char::is_alphanumeric)).then(|| name.to_owned())
}

/// Returns whether a line only introduces a name on the next line (`Written by`).
pub(super) fn is_lead(line: &str) -> bool {
    let lower = line.trim().to_lowercase();
    NAME_PREFIXES.iter().any(|prefix| *prefix == lower || *prefix == lower.trim_end_matches(':'))
}

/// Returns whether a text begins with words that come before a name (`By`).
pub(super) fn begins_byline(text: &str) -> bool {
    // No more than the longest of these words is made small.
    let start: String = text.chars().take(MAX_PREFIX_CHARS).flat_map(char::to_lowercase).collect();
    prefix(&start).is_some()
}

/// Returns the byline words (`by`) that a lower-case text begins with.
fn prefix(lower: &str) -> Option<&'static str> {
    let first = lower.as_bytes().first();
    let is_one = |prefix: &&&str| {
        // Many lines are asked, and most begin with another letter.
        if prefix.as_bytes().first() != first {
            return false;
        }
        let is_word = prefix.ends_with(|c: char| c.is_ascii_alphabetic());
        lower.strip_prefix(**prefix).is_some_and(|rest| !is_word || rest.starts_with([' ', ':', '\u{a0}']))
    };
    NAME_PREFIXES.iter().find(is_one).copied()
}

/// Returns the name in a text, without the words before and after it.
fn trim(text: &str) -> String {
    let mut text = fold_space(text);
    let mut is_byline = false;
    loop {
        let prefix = prefix(&text.to_lowercase());
        // Lengths agree but for the few letters whose lower case is longer, which no prefix has.
        let Some(rest) = prefix.and_then(|prefix| text.get(prefix.len()..)) else { break };
        text = rest.trim_start_matches([' ', ':', '：', ',']).to_owned();
        is_byline = true;
    }
    // `By Kim Lo in Talheim`; without the first word it may be the name of a group.
    if is_byline
        && let Some((name, place)) = text.split_once(" in ")
        && name.contains(' ')
        && place.starts_with(char::is_uppercase)
    {
        text = name.to_owned();
    }
    // `ByJane Roe`: two elements without a space between.
    if let Some(rest) = text.strip_prefix("By")
        && rest.starts_with(char::is_uppercase)
    {
        text = rest.to_owned();
    }
    if let Some((start, end)) = date_parser::span(&text) {
        let kept = if start == 0 { text.get(end..) } else { text.get(..start) };
        text = kept.unwrap_or_default().trim_start_matches([' ', ',', '·', '|', '•', '-', '–']).to_owned();
    }
    let end = ENDS.iter().filter_map(|mark| text.to_ascii_lowercase().find(mark)).min();
    if let Some(end) = end {
        text.truncate(end);
    }
    text
}

/// Returns the names in a list of names, or the whole text if it is not clearly a list.
fn split(text: &str) -> Vec<&str> {
    let joint = JOINTS
        .iter()
        .find_map(|joint| text.split_once(joint))
        .map(|(before, after)| (before.trim_end_matches(','), after));
    // Behind the last name an agency may stand, or a degree or a place, which is no author: A B und C D, dpa
    let ends = |after: &str| after.split(',').next().is_some_and(is_full) && after.chars().count() <= MAX_NAME_CHARS;
    let (list, last) = match joint {
        Some((before, after)) if ends(after) => (before, Some(after)),
        _ => (text, None),
    };
    let parts: Vec<&str> = list.split([',', '、', '，']).map(str::trim).collect();
    if parts.iter().all(|part| is_full(part)) && (last.is_some() || parts.len() > 1) {
        let is_agency = |part: &&str| part.chars().all(char::is_lowercase);
        let last = last.into_iter().flat_map(|last| {
            let mut parts = last.split(',').map(str::trim);
            parts.next().into_iter().chain(parts.filter(is_agency))
        });
        parts.into_iter().chain(last).collect()
    } else {
        // "Smith, John" must not become two people. Behind a full name stands a place or an office, or its degrees.
        let is_degree = |part: &&str| part.contains('.') || !part.contains(char::is_lowercase);
        match parts.split_first() {
            Some((name, rest)) if !rest.is_empty() && is_full(name) && !rest.iter().any(is_degree) => vec![name],
            _ => vec![text],
        }
    }
}

/// Returns whether a text is surely the full name of a person: two to five capitalised words or particles.
pub(super) fn is_full(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    // One word is as often a site or an account.
    (2..=5).contains(&words.len())
        && words.iter().all(|word| PARTICLES.contains(word) || word.chars().next().is_some_and(char::is_uppercase))
        && !words.contains(&"of")
}

fn is_name(name: &str) -> bool {
    let lower = name.to_lowercase();
    name.chars().filter(|c| c.is_alphabetic()).nth(1).is_some()
        && name.chars().count() <= MAX_NAME_CHARS
        && name.split_whitespace().count() <= MAX_NAME_WORDS
        && !lower.contains("://")
        && !lower.contains("www.")
        // An e-mail address or a handle.
        && !lower.contains('@')
        && !lower.ends_with(".com")
        // A byline without a name leaves its date.
        && !is_day(&lower)
        && !is_account(&lower)
        && !name.contains(['{', '}', '<', '>', '=', '?', '!'])
        && !NO_NAMES.contains(&lower.as_str())
}

/// Returns whether a lower-case name is that of a generic account, such as `admin`. User names in a forum are not.
fn is_account(lower: &str) -> bool {
    ["admin", "administrator", "root", "webmaster", "superuser", "guest", "user", "wpadmin"].contains(&lower)
}

/// Returns whether a text is a day without its year (`Jul 11`).
fn is_day(text: &str) -> bool {
    text.split([' ', '.', ','])
        .filter(|word| !word.is_empty())
        .all(|word| date_parser::number(word).is_some() || word.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_those_of_the_rows() {
        crate::rows::check("src/metadata/person.txt", |_, text| {
            let mut names = Vec::new();
            super::add(text, &mut names);
            names.join(" | ")
        });
    }
}
