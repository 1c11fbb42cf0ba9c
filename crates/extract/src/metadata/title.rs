//! Finds the title of a page, and the heading that repeats the name of the site or of a book on each of its pages.

use trommel_html::{Block, Page, Tag, fold_space, strip_markup};

use super::overlap;
use super::site::{key, separators};
use super::sources::{Sources, rank};
use crate::heading_text::{is_heading, shown_text, visible_text};

/// Maximum number of characters of a title.
// Longer ones are texts in a `title` element.
const MAX_TITLE_CHARS: usize = 400;

/// Minimum word overlap (0 to 1) of a heading and a title, for both to count as names of the same page.
// Low, since headings and titles are often worded apart; two about other things share hardly a word.
const MIN_LIKENESS: f32 = 0.3;
/// Maximum number of blocks that are searched for a headline without heading markup.
const MAX_ECHO_BLOCKS: usize = 300;

/// Lower-case titles of parts that are meaningless without the title of the whole, such as "introduction".
// Manuals and books head each chapter so.
const PARTS: [&str; 28] = [
    "introduction", "intro", "overview", "home", "homepage", "home page", "main page", "index", "contents",
    "table of contents", "preface", "foreword", "prologue", "summary", "abstract", "welcome", "untitled", "start",
    "einleitung", "einführung", "vorwort", "überblick", "übersicht", "startseite", "accueil", "inicio", "introducción",
    "введение",
];

/// Returns the best title of a page. A title that names only a part (`Introduction`) gets the name of the whole, if the
/// page states it.
pub(super) fn title(sources: &Sources, names: &[String]) -> Option<String> {
    let chosen = without_marks(chosen(sources, names)?);
    if !is_part(&chosen) {
        return Some(chosen);
    }
    let lower = chosen.to_lowercase();
    let metas = sources.metas(&["og:title", "twitter:title", "citation_title", "dc.title"]);
    let stated = metas.map(|title| fold_space(&strip_markup(title))).chain([sources.page.head.title.clone()]);
    let mut fuller = stated.filter(|title| {
        title.len() > chosen.len()
            && title.chars().count() <= MAX_TITLE_CHARS
            && (title.to_lowercase().starts_with(&lower) || title.to_lowercase().ends_with(&lower))
    });
    fuller.next().or(Some(chosen))
}

/// Returns a title without a leading or trailing separator that was left over: `: Fire in the hills`.
fn without_marks(title: String) -> String {
    let is_mark = |c: char| matches!(c, ':' | '|' | '-' | '–' | '—' | '·');
    let start = title.trim_start_matches(is_mark);
    let rest = if start.starts_with(char::is_whitespace) { start } else { &title };
    let end = rest.trim_end_matches(|c| c != ':' && is_mark(c));
    let rest = if end.ends_with(char::is_whitespace) { end } else { rest };
    match rest.trim() {
        "" => title,
        rest => rest.to_owned(),
    }
}

/// Returns whether a title, without leading numbers, names only a part such as `Introduction`.
fn is_part(title: &str) -> bool {
    let is_number = |c: char| c.is_ascii_digit() || c == '.' || c.is_whitespace();
    let name = title.trim_start_matches(is_number).to_lowercase();
    PARTS.contains(&name.as_str())
}

/// Returns the best title of a page without the name of its site. The first of these counts: the `h1` that is like a
/// stated title, the headline of the JSON-LD, `og:title`, `<title>`, the first heading.
fn chosen(sources: &Sources, names: &[String]) -> Option<String> {
    let page = sources.page;
    let headings: Vec<String> = page
        .blocks
        .iter()
        .filter(|block| block.chars as usize <= MAX_TITLE_CHARS)
        .filter(|block| page.container(block).is_some_and(|(_, e)| e.tag == Tag::H1))
        // More headings of the first level are those of a listing.
        .take(8)
        .map(|block| nameless(&heading_text(sources, block), names).to_owned())
        .collect();
    let from_meta = sources
        .metas(&["og:title", "twitter:title", "citation_title", "dc.title"])
        .next()
        .map(|title| fold_space(&strip_markup(title)));
    let has_meta = from_meta.is_some();
    let from_head = Some(page.head.title.clone());
    let stated: Vec<String> = [from_meta, from_head].into_iter().flatten().collect();
    let banners = banner_names(sources, &headings, &stated);
    let is_headline = |heading: &String| !is_section(heading, &stated) && !banners.contains(&key(heading));
    let headings: Vec<String> = headings.into_iter().filter(is_headline).collect();
    let names = &[names, banners.as_slice()].concat();
    // A node about something else (a video, a related question) shares no words with the page.
    let agrees = |title: &String| {
        let mut others = stated.iter().chain(&headings).filter(|other| !other.is_empty());
        let mut any = others.clone();
        any.next().is_none() || others.any(|other| overlap(title, other) >= MIN_LIKENESS)
    };
    let from_graph = sources
        .main
        .filter(|node| rank(node) > 1)
        .and_then(|node| node.text("headline").or_else(|| node.text("name")))
        .filter(agrees);
    let mut cleaned: Vec<String> = from_graph
        .into_iter()
        .chain(stated)
        .filter(|title| !title.is_empty() && title.chars().count() <= MAX_TITLE_CHARS)
        .map(|title| clean(&title, &headings, names))
        .filter(|title| !names.contains(&key(title)))
        .collect();
    let is_article = sources.main.is_some_and(|node| rank(&node) == 3);
    // Pages of other kinds with a stated title state a good one.
    let article = is_article || !has_meta;
    if let Some(heading) = heading(&headings, &cleaned, names, article) {
        // A heading in capitals may stand in plain letters elsewhere.
        let same = cleaned.iter().find(|title| key(title) == key(heading));
        return Some(same.map_or_else(|| heading.to_owned(), String::clone));
    }
    if cleaned.is_empty() {
        let title: String = page.head.title.chars().take(MAX_TITLE_CHARS).collect();
        cleaned.extend(Some(title).filter(|title| !title.is_empty()));
        cleaned.extend(headings);
    }
    let Some(first) = cleaned.first() else {
        let mut blocks = page.blocks.iter();
        return blocks.find(|block| is_heading(page, block)).map(|block| heading_text(sources, block));
    };
    let whole = whole(first, &cleaned);
    Some(echo(page, whole).unwrap_or_else(|| whole.to_owned()))
}

/// Returns the text of a heading without its buttons and its permalink sign (`¶`, `§`, `#`).
fn heading_text(sources: &Sources, block: &Block) -> String {
    let shown = fold_space(&visible_text(sources.page, sources.html, block));
    let shown = shown.trim_end_matches([' ', '¶', '§']);
    shown.strip_suffix(" #").unwrap_or(shown).to_owned()
}

/// Returns whether a heading belongs to a section of the page. Such a heading has no letter, or begins with a number
/// (`2.`, `3.1`) that no title of the page has.
fn is_section(heading: &str, stated: &[String]) -> bool {
    if !heading.contains(char::is_alphabetic) {
        return stated.iter().any(|title| title.contains(char::is_alphabetic));
    }
    let number = heading.split(' ').next().unwrap_or_default();
    let is_number = number.starts_with(|c: char| c.is_ascii_digit())
        && number.contains('.')
        && number.chars().all(|c| c.is_ascii_digit() || c == '.');
    let mut stated = stated.iter().filter(|title| !title.is_empty()).peekable();
    is_number && stated.peek().is_some() && !stated.any(|title| title.contains(number))
}

/// Returns the short block that repeats the start or end of the title, as old pages have for a headline. A mark must
/// separate the rest of the title.
fn echo(page: &Page, title: &str) -> Option<String> {
    let lower = title.to_lowercase();
    let is_mark = |c: Option<char>| c.is_some_and(|c| !c.is_alphanumeric() && c != ':' && c != ',');
    page.blocks
        .iter()
        .take(MAX_ECHO_BLOCKS)
        .filter(|block| (3..=30).contains(&block.words))
        .map(|block| page.text(block))
        .filter(|text| may_echo(text, title))
        .map(fold_space)
        // Two fifths of the title at least: a shorter block is a category.
        .filter(|text| text.len() * 5 >= title.len() * 2 && text.len() < title.len())
        .filter(|text| {
            let text = text.to_lowercase();
            let after = lower.strip_prefix(&text);
            let before = lower.strip_suffix(&text);
            // At the end stands the site as often as the headline: that must be most of the title.
            // Just more than half.
            let most = text.len() * 20 >= lower.len() * 11;
            after.is_some_and(|rest| is_mark(rest.trim_start().chars().next()))
                || most && before.is_some_and(|rest| is_mark(rest.trim_end().chars().next_back()))
        })
        .max_by_key(String::len)
}

/// Returns whether a text could be the start or end of a title, by its length and its first and last letter. Most
/// blocks could not, and are not compared further.
fn may_echo(text: &str, title: &str) -> bool {
    // Letters beyond ASCII may have small forms of more than one letter.
    let same = |a: Option<&u8>, b: Option<&u8>| match (a, b) {
        (Some(a), Some(b)) => !a.is_ascii() || !b.is_ascii() || a.eq_ignore_ascii_case(b),
        _ => false,
    };
    let (text_bytes, all) = (text.as_bytes(), title.as_bytes());
    text.len() * 5 >= title.len() * 2 && (same(text_bytes.first(), all.first()) || same(text_bytes.last(), all.last()))
}

/// Returns the heading that is most like one of the titles, if any is. Readers see headings, while titles are often
/// written for search engines. The only heading of an article is taken if it has at least three words.
fn heading<'h>(headings: &'h [String], titles: &[String], names: &[String], article: bool) -> Option<&'h str> {
    let likeness = |heading: &String| titles.iter().map(|title| overlap(heading, title)).fold(0.0, f32::max);
    let mut best: Option<(f32, &String)> = None;
    for heading in headings {
        let like = likeness(heading);
        // `Fire in the hills - News` over a page that is headed `News`.
        let is_section = titles.iter().any(|title| {
            separators(title).iter().any(|(start, end)| {
                let before = title.get(..*start).unwrap_or_default();
                let after = title.get(*end..).unwrap_or_default();
                key(after) == key(heading) && key(before).len() > key(heading).len()
            })
        });
        if is_section {
            continue;
        }
        if like >= MIN_LIKENESS && best.is_none_or(|(known, _)| like > known) {
            best = Some((like, heading));
        }
    }
    if let ([lone], None) = (headings, best)
        && article
        && lone.split_whitespace().count() >= 3
        && !names.contains(&key(lone))
    {
        return Some(lone);
    }
    best.map(|(_, heading)| heading.as_str())
}

/// Returns the full form of a title that was cut short, if another of `titles` continues it.
fn whole<'t>(title: &'t str, titles: &'t [String]) -> &'t str {
    let bare = |text: &'t str| text.trim_end_matches(['.', '…', ' ']);
    let begun = bare(title);
    if begun.len() == title.len() && title.chars().count() < 100 {
        return title;
    }
    titles
        .iter()
        .find(|other| bare(other).len() > begun.len() && other.starts_with(begun))
        .map_or(title, String::as_str)
}

/// Returns the part of a title that equals a heading, otherwise the title without the name of the site at its ends.
fn clean(title: &str, headings: &[String], names: &[String]) -> String {
    let cuts = separators(title);
    if cuts.is_empty() {
        return title.to_owned();
    }
    // Letters and digits only: titles differ from headings in quotation marks and dashes.
    let title_key = key(title);
    // A heading that is one end of the title says where the site's part starts.
    for heading in headings {
        let heading_key = key(heading);
        if heading_key.chars().count() < 2 || names.contains(&heading_key) {
            continue;
        }
        if title_key == heading_key {
            return title.to_owned();
        }
        for (start, end) in &cuts {
            let (before, after) = (title.get(..*start).unwrap_or_default(), title.get(*end..).unwrap_or_default());
            // A short one is a section (`Opinion | ...`) rather than the headline, and so is what
            // stands at the end.
            let long = heading_key.len() * 2 >= title_key.len();
            if key(before) == heading_key && (long || heading.split_whitespace().nth(2).is_some()) {
                return before.trim().to_owned();
            }
            if key(after) == heading_key && long {
                return after.trim().to_owned();
            }
        }
    }
    nameless(title, names).to_owned()
}

/// Returns a title without the names of the site at its ends.
fn nameless<'t>(mut title: &'t str, names: &[String]) -> &'t str {
    // Each round drops a part, and a title has few.
    while let Some(shorter) = without_name(title, names) {
        title = shorter;
    }
    title.trim()
}

fn without_name<'t>(title: &'t str, names: &[String]) -> Option<&'t str> {
    let cuts = separators(title);
    let is_name = |part: &str, start: usize, end: usize| {
        let whole = key(part);
        // What is set off by a colon is mostly part of the title, unless a space stands before it.
        let spaced = title.get(..start).is_some_and(|before| before.ends_with(' '));
        let exact = title.get(start..end) == Some(":") && !spaced;
        !whole.is_empty()
            && names
                .iter()
                .any(|name| whole == *name || !exact && (is_same_name(&whole, name) || is_short_for(name, part)))
    };
    // Behind the site its slogan may stand.
    let ends = cuts.iter().skip(1).map(|(start, _)| *start).chain([title.len()]);
    for ((start, end), behind) in cuts.iter().zip(ends) {
        let (before, part) = (title.get(..*start)?, title.get(*end..behind)?);
        if is_name(part, *start, *end) && !key(before).is_empty() {
            return Some(before.trim());
        }
    }
    let (start, end) = cuts.first()?;
    let (before, after) = (title.get(..*start)?, title.get(*end..)?);
    let named = is_name(before, *start, *end) && !key(after).is_empty();
    named.then(|| after.trim())
}

/// Returns whether a part of a title names the site. It may equal the name, or extend or shorten it a little at one end
/// (`BBC` and `BBC News`).
fn is_same_name(part: &str, name: &str) -> bool {
    if part == name {
        return true;
    }
    let (short, long) = if part.len() < name.len() { (part, name) } else { (name, part) };
    let (least, most) = (short.chars().count(), long.chars().count());
    least >= 3 && (long.starts_with(short) && most <= least * 3 || long.ends_with(short) && most <= least * 2)
}

/// Returns whether a name is made of beginnings of the words of a text (`nytimes`, The New York Times).
fn is_short_for(name: &str, text: &str) -> bool {
    /// Maximum number of words of a text that may be the long form of a site's name.
    const MAX_WORDS: usize = 8;
    const MAX_NAME_CHARS: usize = 40;
    let name: Vec<char> = name.chars().collect();
    let words: Vec<Vec<char>> = text
        .split_whitespace()
        .map(|word| key(word).chars().collect())
        .filter(|word: &Vec<char>| !word.is_empty())
        .collect();
    if name.len() > MAX_NAME_CHARS || !(2..=MAX_WORDS).contains(&words.len()) {
        return false;
    }
    // Where in the name a word can begin, after each of the words.
    let mut starts = vec![false; name.len() + 1];
    if let Some(first) = starts.first_mut() {
        *first = true;
    }
    for (at, word) in words.iter().enumerate() {
        // A first article may be left out.
        let may_miss = at == 0 && word.iter().collect::<String>() == "the";
        let mut next = vec![false; name.len() + 1];
        for (from, _) in starts.iter().enumerate().filter(|(_, open)| **open) {
            let rest = name.get(from..).unwrap_or_default();
            let shared = rest.iter().zip(word).take_while(|(a, b)| a == b).count();
            let least = usize::from(!may_miss);
            for end in from + least..=from + shared {
                if let Some(slot) = next.get_mut(end) {
                    *slot = true;
                }
            }
        }
        starts = next;
    }
    // The name must be used up by the words.
    starts.last().copied().unwrap_or_default()
}

/// Maximum number of words of text between the name of a site and the headline below it.
// Buttons and labels; below a headline stands more.
const MAX_WORDS_BETWEEN: u32 = 60;

/// Returns the headings at the top that only name the site or book, as lower-case letters and digits. Such a heading is
/// the end of a stated title, and a heading below it is that title's start: `Hello - The book` over a page headed `The
/// book` and `Hello`.
// Above it, the start is the name of a section: `Opinion - Fire in the hills`.
pub(super) fn banner_names(sources: &Sources, headings: &[String], stated: &[String]) -> Vec<String> {
    let parts = stated.iter().filter_map(|title| {
        let (start, end) = *separators(title).last()?;
        Some((key(title.get(..start)?), key(title.get(end..)?)))
    });
    // What a page states as its whole title is no banner: `The blog » Fire in the hills` has the site first.
    let is_stated = |name: &String| stated.iter().any(|title| key(title) == *name);
    let banners = parts.filter(|(start, name)| {
        let is_heading = headings.iter().any(|heading| key(heading) == *name);
        !start.is_empty() && start != name && is_heading && !is_stated(name)
    });
    banners.filter(|(start, name)| stands_above(sources, name, start)).map(|(_, name)| name).collect()
}

/// Returns whether the heading `name` comes before the heading `start`, with little text between. Both are given as
/// lower-case letters and digits.
fn stands_above(sources: &Sources, name: &str, start: &str) -> bool {
    let page = sources.page;
    let mut words = None;
    for block in &page.blocks {
        if !is_heading(page, block) {
            let is_text = block.link_density() < 0.5;
            words = words.map(|words: u32| words.saturating_add(if is_text { block.words } else { 0 }));
            continue;
        }
        let heading = key(shown_text(page, sources.html, block));
        if heading == start {
            return words.is_some_and(|words| words <= MAX_WORDS_BETWEEN);
        }
        if heading == name && words.is_none() {
            words = Some(0);
        }
    }
    false
}

#[cfg(test)]
mod tests {

    #[test]
    fn marks_at_the_ends_of_a_title_are_dropped() {
        for (title, expected) in [
            (": Fire in the hills", "Fire in the hills"),
            ("Fire |", "Fire"),
            ("-5 degrees", "-5 degrees"),
            ("—", "—"),
            ("He said « no »", "He said « no »"),
        ] {
            assert_eq!(super::without_marks(title.into()), expected);
        }
    }
}
