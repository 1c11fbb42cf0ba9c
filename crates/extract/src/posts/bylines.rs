//! Finds the marks on a page that state the author or time of a post, such as names, dates and links to profiles.

use std::hash::{Hash, Hasher};
use std::ops::Range;

use rustc_hash::FxHasher;
use trommel_html::{Attribute, Block, Element, FactKind, Page, StatedFact, Tag, element_text};
use url::Url;

use super::{kind, says_about_writer};
use crate::kept_flags::sums_inside;
use crate::metadata::{date_in, pen_name};

/// Class and id words of elements that name the author of a text.
const WRITERS: [&str; 17] = [
    "author", "username", "nickname", "nick", "poster", "postername", "postauthor", "byline", "commenter", "creator",
    "displayname", "screenname", "fn", "autor", "auteur", "auteurs", "pseudo",
];
/// Class and id words of elements that state another fact about an author than the name.
const BESIDE_WRITERS: [&str; 15] = [
    "ip", "count", "rank", "title", "badge", "stats", "location", "avatar", "gravatar", "userpic", "photo", "joined",
    "bio", "signature", "statistics",
];
/// Names of HTML attributes that state the author of their element.
const WRITER_ATTRIBUTES: [&str; 5] =
    ["data-author", "data-author-name", "data-username", "data-user-name", "data-poster"];
/// Class and id words of elements that state when a text was written.
const TIME_WORDS: [&str; 16] = [
    "date", "datetime", "time", "timestamp", "timespan", "timeago", "posted", "published", "postdate", "posttime",
    "dateline", "relativetime", "permalink", "when", "datum", "fecha",
];
/// Words that mark a time as that of another event, such as registration or an edit, in attributes or in the text.
const OTHER_TIMES: [&str; 24] = [
    "joined", "join", "registered", "register", "registration", "since", "birthday", "born", "edit", "edited",
    "modified", "updated", "changed", "seen", "active", "expires", "registriert", "mitglied", "beigetreten",
    "bearbeitet", "inscrit", "inscription", "registrado", "geregistreerd",
];
/// Names of HTML attributes that state a time.
const TIME_ATTRIBUTES: [&str; 8] = [
    "datetime", "data-timestamp", "data-time", "data-date", "data-datetime", "data-utc", "data-created",
    "data-published",
];
/// Names of HTML attributes that browsers show as a tooltip, often with the complete time.
const TOOLTIPS: [&str; 6] =
    ["title", "data-tippy-content", "data-original-title", "data-bs-title", "data-tooltip", "aria-label"];
/// Class and id words of elements that quote another person's text.
const QUOTES: [&str; 6] = ["quote", "quoted", "quotes", "quotebox", "bbquote", "zitat"];
/// Maximum number of words of an element that only states the author or time of a post.
// A name, a rank, a date and a number of posts.
const MAX_LABEL_WORDS: u32 = 12;
/// Maximum number of elements around a time that are checked for describing an author (when the author joined).
const ANCESTORS: usize = 4;
/// Maximum number of words of a line that states an author or a time among other things.
pub(super) const MAX_LINE_WORDS: u32 = 30;
/// Maximum number of words of a line that states only a time, besides the names of day and month and `am`.
const MAX_WORDS_BESIDE_DATE: usize = 4;
/// Maximum number of words of a name that is recognised only by its place before a date.
const MAX_NAME_WORDS: usize = 4;
/// Maximum number of bytes that are read of an element with a name or a time.
// Bounds keep reading again linear where end tags are missing.
const MAX_ELEMENT_BYTES: usize = 2000;
/// Maximum number of bytes of an attribute with a name or a time.
const MAX_VALUE_BYTES: usize = 120;

/// Kind of an element that signs a post: it states the author or the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum MarkKind {
    Writer,
    Time,
}

/// Element that states the author or the time of a post.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    pub(super) about: MarkKind,
    pub(super) element: u32,
    /// Hash of the element's markup and its parent's, equal for elements that one template made.
    pub(super) shape: u64,
    /// Certainty that the mark states the author or time, from 1 (weak) to 5 (explicit).
    pub(super) strength: u8,
    /// Name of the author, or the time as the page writes it. Empty if the time is no date ("yesterday").
    pub(super) value: String,
}

/// Marks of a page, which are elements that state the author or time of a post.
#[derive(Debug)]
pub(super) struct Marks {
    /// Elements that state an author or a time, in page order.
    pub(super) all: Vec<Mark>,
    /// One flag per block, true if the block is a line with little more than an author or time.
    pub(super) is_label: Vec<bool>,
}

impl Marks {
    /// Returns the elements with author or time in a range of element indices.
    pub(super) fn within(&self, elements: &Range<u32>) -> &[Mark] {
        let start = self.all.partition_point(|mark| mark.element < elements.start);
        let end = self.all.partition_point(|mark| mark.element < elements.end);
        self.all.get(start..end).unwrap_or_default()
    }
}

/// Finds the elements that state authors and times of posts on a page, except those in quotes.
pub(super) fn marks(page: &Page, html: &str, url: Option<&Url>) -> Marks {
    // Of a line that begins with a link, the link is not the line.
    let words = page.blocks.iter().filter_map(|block| Some((page.container(block)?.0, block.words)));
    let words = sums_inside(page, words);
    let finder = Finder { page, html, url, words, quoted: quoted(page) };
    let mut all = Vec::new();
    // Inner elements come first, so that a name stands where it is written and not in what is around it.
    for (at, element) in page.elements.iter().enumerate().rev() {
        finder.add(at as u32, element, &mut all);
    }
    for fact in &page.facts {
        finder.add_fact(fact, &mut all);
    }
    all.sort_by_key(|mark| mark.element);
    let is_label = finder.labels(&all);
    Marks { all, is_label }
}

/// Returns, for each element, whether it is in a quote.
fn quoted(page: &Page) -> Vec<bool> {
    let mut quoted = Vec::with_capacity(page.elements.len());
    for element in &page.elements {
        let around = quoted.get(element.parent as usize).copied();
        let is_quote = matches!(element.tag, Tag::Blockquote | Tag::Q) || page.is_named_as(element, &QUOTES);
        quoted.push(is_quote || around.unwrap_or_default());
    }
    quoted
}

struct Finder<'a> {
    page: &'a Page,
    html: &'a str,
    url: Option<&'a Url>,
    /// Number of words in each element, one entry per element.
    words: Vec<u32>,
    quoted: Vec<bool>,
}

impl Finder<'_> {
    fn add(&self, at: u32, element: &Element, marks: &mut Vec<Mark>) {
        if self.quoted.get(at as usize).is_some_and(|quoted| *quoted) {
            return;
        }
        let mark = |about, strength, value| Mark { about, element: at, shape: shape(self.page, at), strength, value };
        // Read again from the page, because a page keeps no more than 400 facts and a thread has more.
        let name = self.stated(at, element, &WRITER_ATTRIBUTES);
        if let Some(name) = name.as_deref().and_then(pen_name) {
            marks.push(mark(MarkKind::Writer, 5, name));
        }
        let is_small = self.is_small(at, element);
        let is_time = self.page.is_named_as(element, &TIME_WORDS);
        let is_other = self.page.is_named_as(element, &OTHER_TIMES);
        let time = self
            .stated(at, element, &TIME_ATTRIBUTES)
            .filter(|_| !matches!(element.tag, Tag::Del | Tag::Ins) && !is_other);
        if let Some(time) = time {
            let strength = if is_date(&time) { 5 } else { 1 };
            let value = if strength == 5 { time } else { String::new() };
            marks.push(mark(MarkKind::Time, strength, value));
        }
        // Whatever holds more than a label is a post or a column, and states nothing about one post.
        if !is_small {
            return;
        }
        let text = self.text(element);
        if text.split_whitespace().count() > MAX_LABEL_WORDS as usize {
            return;
        }
        // "Journal" with a time is no time.
        let may_be_time = is_time || text.is_empty() || text.contains(|c: char| c.is_ascii_digit());
        if !is_other
            && may_be_time
            && let Some(time) = self.stated(at, element, &TOOLTIPS).filter(|time| says_only_a_date(time))
        {
            marks.push(mark(MarkKind::Time, 4, time));
        }
        // What is in it comes right before it.
        let inner = marks.iter().rev();
        let inner = inner.take_while(|mark| at < mark.element && mark.element < element.end);
        let (mut has_writer, mut has_time) = (false, false);
        for mark in inner.filter(|mark| !mark.value.is_empty()) {
            match mark.about {
                MarkKind::Writer => has_writer = true,
                MarkKind::Time => has_time = true,
            }
        }
        let is_label = self.is_in_label(at);
        let is_a_date = says_only_a_date(&text);
        if is_label && !is_other && !has_time && !self.is_of_writer(at) {
            if is_a_date {
                let strength = if is_time { 3 } else { 2 };
                marks.push(mark(MarkKind::Time, strength, text.clone()));
            } else if (is_time || self.page.name(element) == "time")
                && text.contains(|c: char| c.is_ascii_digit())
                && !has_writer
            {
                marks.push(mark(MarkKind::Time, 1, String::new()));
            }
        }
        if let Some(name) = self.name_beside_date(at, element, &text, is_a_date) {
            marks.push(mark(MarkKind::Writer, 1, name));
        }
        if !has_writer && !is_a_date && !self.page.is_named_as(element, &BESIDE_WRITERS) {
            let words = self.page.is_named_as(element, &WRITERS);
            let strength = match () {
                () if words => 4,
                () if is_label && self.leads_to_person(element) && !text.starts_with('@') => 3,
                () => return,
            };
            if let Some(name) = pen_name(&text).filter(|name| is_name(name)) {
                marks.push(mark(MarkKind::Writer, strength, name));
            }
        }
    }

    /// Adds the author or time that a microdata property states, even one of a `meta` element.
    fn add_fact(&self, fact: &StatedFact, marks: &mut Vec<Mark>) {
        let element = fact.element;
        let is_quoted = self.quoted.get(element as usize) == Some(&true);
        let Some(item) = self.page.element(element).filter(|_| !is_quoted) else { return };
        let mut push = |about, strength, value| {
            marks.push(Mark { about, element, shape: shape(self.page, element) ^ 1, strength, value });
        };
        match fact.kind {
            FactKind::Published if is_date(&fact.value) => {
                push(MarkKind::Time, 5, fact.value.clone());
            }
            FactKind::Published => push(MarkKind::Time, 1, String::new()),
            FactKind::Author => {
                let within = |fact: &&StatedFact| (element..item.end).contains(&fact.element);
                let mut facts = self.page.facts.iter().filter(within);
                let name = facts.find(|fact| fact.kind == FactKind::Name).unwrap_or(fact);
                let name = match name.value.as_str() {
                    "" => pen_name(&element_text(self.html, name.start, MAX_ELEMENT_BYTES)),
                    value => pen_name(value),
                };
                if let Some(name) = name {
                    push(MarkKind::Writer, 5, name);
                }
            }
            _ => {}
        }
    }

    /// Returns the text of an element, even without an end tag.
    fn text(&self, element: &Element) -> String {
        let next = self.page.element(element.end).map(|next| next.start);
        let len = next.map_or(MAX_ELEMENT_BYTES, |next| (next - element.start.min(next)) as usize);
        element_text(self.html, element.start, len.min(MAX_ELEMENT_BYTES))
    }

    /// Returns the value of the first of the given attributes that an element has.
    fn stated(&self, at: u32, element: &Element, names: &[&str]) -> Option<String> {
        // Most elements have none of them, which is seen at once.
        let end = self.page.element(at + 1).map(|next| next.start as usize);
        let end = end.unwrap_or(self.html.len());
        let tag = self.html.get(element.start as usize..end)?;
        let names = names.iter().filter(|name| tag.contains(**name));
        let mut values = names.filter_map(|name| element.attribute(self.html, name));
        values.find(|value| !value.trim().is_empty() && value.len() <= MAX_VALUE_BYTES)
    }

    /// Returns the name before the date in a line, if the element at `at` holds that date.
    fn name_beside_date(&self, at: u32, element: &Element, text: &str, is_date: bool) -> Option<String> {
        let block = self.page.blocks.get(self.block(at)).filter(|_| is_date)?;
        // The line is one of more than the date.
        if block.span.0 >= element.start || block.words > MAX_LABEL_WORDS {
            return None;
        }
        let line = self.page.text(block);
        let (before, _) = line.split_once(text)?;
        let name = before.trim_end().strip_suffix(['·', '•', '|', '–', '—', '-', ','])?;
        let name = pen_name(name)?;
        let words = name.split(' ').count();
        // "answered", "posted"
        let is_verb = name.starts_with(char::is_lowercase) && name.ends_with("ed");
        (words <= MAX_NAME_WORDS && is_name(&name) && !is_verb).then_some(name)
    }

    /// Returns the index of the block that contains the start of an element, or of the next block.
    fn block(&self, at: u32) -> usize {
        let start = self.page.element(at).map_or(0, |element| element.start);
        self.page.blocks.partition_point(|block| block.span.1 <= start)
    }

    /// Returns whether the line around an element is short enough to state an author or time, and is no running text.
    fn is_in_label(&self, at: u32) -> bool {
        let block = self.page.blocks.get(self.block(at));
        block.is_none_or(|block| block.words <= MAX_LINE_WORDS)
    }

    /// Returns whether an element is small enough to state only an author or time.
    fn is_small(&self, at: u32, element: &Element) -> bool {
        let words = self.words.get(at as usize).copied().unwrap_or_default();
        element.end.saturating_sub(at) <= MAX_LABEL_WORDS && words <= MAX_LABEL_WORDS
    }

    /// Returns, for each block, whether it is a short line with one of the `marks`, which state an author or a time.
    fn labels(&self, marks: &[Mark]) -> Vec<bool> {
        let mut marked = vec![false; self.page.elements.len()];
        for mark in marks {
            let element = self.page.element(mark.element);
            if element.is_some_and(|element| self.is_small(mark.element, element))
                && let Some(marked) = marked.get_mut(mark.element as usize)
            {
                *marked = true;
            }
        }
        for (at, element) in self.page.elements.iter().enumerate() {
            let around = marked.get(element.parent as usize).copied();
            if let Some(marked) = marked.get_mut(at) {
                *marked |= around.unwrap_or_default();
            }
        }
        let is_marked = |element: &u32| marked.get(*element as usize).is_some_and(|flag| *flag);
        let blocks = self.page.blocks.iter().map(|block| {
            let inline = self.page.inline(block).iter();
            block.words <= MAX_LINE_WORDS && inline.chain([&block.element]).any(is_marked)
        });
        blocks.collect()
    }

    /// Returns whether the time in an element concerns a post's author (such as when the author joined).
    fn is_of_writer(&self, at: u32) -> bool {
        let mut around = self.page.path(at).take(ANCESTORS);
        let parent = self.page.path(at).nth(1);
        let is_about_writer = around.any(|(_, element)| says_about_writer(self.page, element))
            || parent.is_some_and(|(_, element)| self.page.is_named_as(element, &OTHER_TIMES));
        let block = self.block(at);
        let before = block.checked_sub(1);
        let before = before.and_then(|before| self.page.blocks.get(before));
        is_about_writer
            || before.is_some_and(|before| {
                let block = self.page.blocks.get(block);
                if block.is_none_or(|block| !self.stand_together(before, block)) {
                    return false;
                }
                let lower = self.page.text(before).to_lowercase();
                let mut words = lower.split(|c: char| !c.is_alphanumeric());
                before.words <= 3 && words.any(|word| OTHER_TIMES.contains(&word))
            })
    }

    /// Returns whether two blocks are in one element, in sibling elements, or one in the parent of the other.
    fn stand_together(&self, one: &Block, other: &Block) -> bool {
        let around = |block: &Block| {
            let (at, element) = self.page.container(block)?;
            Some((at, element.parent))
        };
        let (Some((one, around_one)), Some((other, around_other))) = (around(one), around(other)) else { return false };
        one == other || around_one == around_other || around_one == other || one == around_other
    }

    /// Returns whether an element is a link to the page of a person on the same site.
    fn leads_to_person(&self, element: &Element) -> bool {
        if element.tag != Tag::A {
            return false;
        }
        let href = element.attribute(self.html, "href");
        href.is_some_and(|href| is_of_person(&href) && is_of_site(&href, self.url))
    }
}

fn is_name(name: &str) -> bool {
    (name.contains(char::is_alphabetic) || name.len() > 4) && !name.contains(": ")
}

fn is_date(text: &str) -> bool {
    date_in(text, false).is_some()
}

/// Returns whether a text states a date, perhaps with a time of day, and little more.
fn says_only_a_date(text: &str) -> bool {
    // "5 May 2024, 10:02 (last edited by ...)"
    let text = text.split('(').next().unwrap_or_default();
    if text.len() > MAX_VALUE_BYTES || !is_date(text) {
        return false;
    }
    let mut others = 0;
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let lower = word.to_lowercase();
        if OTHER_TIMES.contains(&lower.as_str()) {
            return false;
        }
        let is_number = lower.contains(|c: char| c.is_ascii_digit());
        others += usize::from(!is_number);
    }
    // The names of a day and of a month, "am".
    // Three for day, month and half of the day, which are words as well.
    others <= MAX_WORDS_BESIDE_DATE + 3
}

/// Returns a hash of the template of an element: of its name, class and microdata, and those of its parent.
fn shape(page: &Page, at: u32) -> u64 {
    let mut hasher = FxHasher::default();
    for (_, element) in page.path(at).take(2) {
        kind(page, element).hash(&mut hasher);
        let words = page.attribute_words(element);
        for word in words.iter().filter(|word| word.attribute == Attribute::Itemprop) {
            word.hash.hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// Segments of URL paths that precede the name or number of a person.
const PERSON_STEPS: [&str; 16] = [
    "user", "users", "u", "member", "members", "profile", "profiles", "people", "person", "author", "authors",
    "usuario", "usuarios", "mitglied", "membre", "membres",
];
/// Keys in URL queries whose value is the name or number of a person.
const PERSON_KEYS: [&str; 7] = ["u", "uid", "user", "userid", "user_id", "username", "member"];
/// URL path segments that name no person even after a segment such as `user`.
const OTHER_STEPS: [&str; 8] = ["login", "logout", "register", "signup", "signin", "password", "settings", "join"];
/// Returns whether an address belongs to the page's site, or true if the URL of the page is unknown.
pub(super) fn is_of_site(href: &str, url: Option<&Url>) -> bool {
    let is_here = |url: &Url| {
        let to = url.join(href);
        to.is_ok_and(|to| to.host() == url.host() || are_of_one_site(&to, url))
    };
    url.is_none_or(is_here)
}

/// Returns whether two URLs have hosts with the same last two labels: `user.example.org` and `example.org`.
fn are_of_one_site(one: &Url, other: &Url) -> bool {
    let ending = |url: &Url| {
        let host = url.host_str()?;
        let mut parts = host.rsplitn(3, '.');
        let (last, before) = (parts.next()?, parts.next()?);
        Some(format!("{before}.{last}"))
    };
    ending(one).is_some() && ending(one) == ending(other)
}

/// Returns whether an address is that of the page about a person, such as a profile.
pub(super) fn is_of_person(href: &str) -> bool {
    let href = href.split('#').next().unwrap_or_default();
    let (path, query) = href.split_once('?').unwrap_or((href, ""));
    let path = path.split_once("://").map_or(path, |(_, rest)| rest);
    let mut steps = path.split('/').filter(|step| !step.is_empty()).peekable();
    while let Some(step) = steps.next() {
        let lower = step.to_ascii_lowercase();
        // Universities and Mastodon write people so.
        let is_handle = lower.len() > 1 && lower.starts_with(['~', '@']);
        let behind = steps.peek().map(|next| next.to_ascii_lowercase());
        let is_somebody = behind.is_some_and(|next| !OTHER_STEPS.contains(&next.as_str()));
        if is_handle || PERSON_STEPS.contains(&lower.as_str()) && is_somebody {
            return true;
        }
    }
    let mut pairs = query.split(['&', ';']).filter_map(|pair| pair.split_once('='));
    pairs.any(|(key, value)| {
        let is_one = PERSON_KEYS.contains(&key.to_ascii_lowercase().as_str());
        is_one && !value.is_empty()
    }) || path.to_ascii_lowercase().contains("profile") && !query.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_people_are_told() {
        for href in [
            "/u/ann",
            "https://forum.example/members/ann.77/",
            "memberlist.php?mode=viewprofile&u=7&sid=1",
            "member.php?u=7",
            "index.php?action=profile;u=7",
            "/~ann",
            "/@ann",
            "/users/7/ann#top",
        ] {
            assert!(is_of_person(href), "{href}");
        }
        for href in ["/user/login?back=/", "/users/", "/authority/7", "search.php?author_id=7", "/~", "#u", ""] {
            assert!(!is_of_person(href), "{href}");
        }
    }

    #[test]
    fn people_of_other_sites_are_others() {
        let url = Url::parse("https://forum.example.org/t/1").ok();
        let is_here = |href: &str| is_of_site(href, url.as_ref());
        assert!(is_here("/u/ann") && is_here("//example.org/u/ann"));
        assert!(!is_here("https://social.example.com/people/us"));
        assert!(is_of_site("https://social.example.com/people/us", None));
    }
}
