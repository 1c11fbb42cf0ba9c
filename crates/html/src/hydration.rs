//! Finds text in hydration payloads: the data in scripts from which a script builds the page anew (`__NEXT_DATA__`,
//! `__NUXT__`, states of Apollo and Redux, the stream of React).
//!
//! The payloads are JSON, functions, or JSON in strings of scripts. In all of them a text is a string literal with a
//! key before it. The reader takes these literals and ignores everything around them.

use memchr::{memchr, memchr2};
use rustc_hash::{FxHashMap, FxHashSet};
use trommel_text::{hash, words};

use crate::markup::strip_markup;

/// Number of bytes at the start of a script that are examined for the name of a hydration payload (data of the page).
// Frameworks assign their data in the first statement; more would be copied from every script of a page.
pub(crate) const START: usize = 64;
/// Maximum number of bytes of hydration payloads (data in scripts) that are read from one page.
// As much as of the other facts of the head.
pub(crate) const MAX_BYTES: usize = 1 << 20;
/// Names of hydration payloads: the `id` of their script, or the variable at its beginning.
const NAMES: [&str; 9] = [
    "__NEXT_DATA__", "__NUXT__", "__NUXT_DATA__", "__next_f", "__APOLLO_STATE__", "__INITIAL_STATE__",
    "__PRELOADED_STATE__", "__INITIAL_DATA__", "__remixContext",
];
/// Endings, in lower case, of the JSON keys whose strings may be main text.
// Ends and not whole names, so that `articleBody` and `contentHtml` are found without a list of every site.
const KEYS: [&str; 14] = [
    "body", "content", "contents", "html", "text", "children", "value", "description", "rendered", "markdown",
    "article", "paragraph", "paragraphs", "copy",
];
/// Maximum depth of JSON within strings of JSON that is parsed; deeper strings count as plain text.
// React's stream is JSON within a string of a script; more levels would read a hostile string again and again.
const MAX_STRING_DEPTH: u32 = 2;
/// Minimum number of words of a string in a hydration payload (data of the page); shorter strings are never main text.
const MIN_PART_WORDS: u32 = 8;
const MIN_TEXT_WORDS: u32 = 50;
/// Minimum length in bytes of a string in a hydration payload; shorter strings are skipped.
// Shorter than any eight words, so it only spares work.
const MIN_STRING_BYTES: usize = 24;

/// Text of a script that is kept because it holds JSON-LD or a hydration payload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptText {
    /// Name of the script's hydration payload (page data), such as `__NEXT_DATA__`; empty for JSON-LD.
    pub name: &'static str,
    /// Contents of the script, unchanged; the payloads of a page are cut at 1 MiB in total.
    pub text: String,
    /// First and one past the last byte of the script's contents in the decoded page.
    pub span: (u32, u32),
}

/// Returns the name of the hydration payload that a script holds, by its `id` or first bytes; `None` for other scripts.
pub(crate) fn payload_name(start: &[u8]) -> Option<&'static str> {
    // All names begin with two lines, which most scripts do not have.
    let lines = memchr::memchr_iter(b'_', start).filter(|at| start.get(at + 1) == Some(&b'_'));
    let at_lines = lines.filter_map(|at| {
        let rest = start.get(at..)?;
        NAMES.iter().position(|name| rest.starts_with(name.as_bytes()))
    });
    at_lines.min().and_then(|first| NAMES.get(first)).copied()
}

/// Text found in the hydration payloads of a page, which are data in scripts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PayloadText {
    /// Name of the script's data, such as `__NEXT_DATA__`.
    pub name: &'static str,
    /// Lines of the text, without markup.
    pub text: String,
    /// True if the text in the script was HTML; its tags have been removed.
    pub has_markup: bool,
    /// First and one past the last byte, in the decoded page, of the first script that holds a part of the text.
    pub span: (u32, u32),
}

/// Returns the main text in the hydration payloads of a page: the strings under the key with most words of prose.
/// `None` if they have fewer than 50 words. Time is linear in the length of the scripts.
pub fn payload_text(scripts: &[ScriptText]) -> Option<PayloadText> {
    let mut harvest = Harvest::default();
    for (at, script) in scripts.iter().enumerate() {
        harvest.read(&script.text, at, MAX_STRING_DEPTH);
    }
    // One key and not all: a page's data holds other pages, menus and messages under keys of their own.
    let best = harvest.groups.into_values().max_by_key(|group| (group.words, std::cmp::Reverse(group.first)))?;
    let script = scripts.get(best.script)?;
    (best.words >= MIN_TEXT_WORDS).then(|| PayloadText {
        name: script.name,
        text: best.parts.join("\n"),
        has_markup: best.has_markup,
        span: script.span,
    })
}

/// Strings of prose that all have the same JSON key in the scripts of a page.
#[derive(Debug, Default)]
struct Group {
    parts: Vec<String>,
    words: u32,
    has_markup: bool,
    script: usize,
    /// Position of the group's first string among all strings of prose on the page, counted from 1.
    first: usize,
}

#[derive(Debug, Default)]
struct Harvest {
    groups: FxHashMap<u64, Group>,
    seen: FxHashSet<u64>,
    strings: usize,
}

impl Harvest {
    /// Reads the string literals in `text`, which is the script with the index `script` or a string in it. JSON inside
    /// of strings is read, too, up to `depth` levels deep.
    fn read(&mut self, text: &str, script: usize, depth: u32) {
        let bytes = text.as_bytes();
        let mut at = 0;
        let mut key = None;
        while let Some(open) = memchr(b'"', bytes.get(at..).unwrap_or_default()) {
            let from = at + open + 1;
            let Some(to) = end_of_string(bytes, from) else { return };
            at = to + 1;
            let quoted = text.get(from - 1..at).unwrap_or_default();
            let raw = text.get(from..to).unwrap_or_default();
            if bytes.get(at) == Some(&b':') {
                let is_text = KEYS.iter().any(|end| ends_with(raw, end));
                // Kept until the next key: values of a list follow one key.
                key = is_text.then(|| hash(raw.as_bytes()));
            } else if raw.len() >= MIN_STRING_BYTES {
                self.take(quoted, raw, key, script, depth);
            }
        }
    }

    fn take(&mut self, quoted: &str, raw: &str, key: Option<u64>, script: usize, depth: u32) {
        // Functions may have escapes that JSON does not know: what they stand for stays unread.
        let text: String = serde_json::from_str(quoted).unwrap_or_else(|_| raw.to_owned());
        let text = text.replace('\r', "");
        // Markup has quotes, too, but begins as such.
        if depth > 0 && raw.contains("\\\"") && !text.trim_start().starts_with('<') {
            return self.read(&text, script, depth - 1);
        }
        // Labels and messages have keys of their own.
        let Some(key) = key else { return };
        let has_markup = text.contains("</");
        if !has_markup && !is_prose(&text) {
            return;
        }
        let text = if has_markup { strip_markup(&text) } else { text };
        let words = words::count(&text);
        // Frameworks store the same text in several places (state and cache).
        if words < MIN_PART_WORDS || has_markup && !is_prose(&text) || !self.seen.insert(hash(text.as_bytes())) {
            return;
        }
        self.strings += 1;
        let first = self.strings;
        let group = self.groups.entry(key).or_insert_with(|| Group { script, first, ..Group::default() });
        group.words = group.words.saturating_add(words);
        group.has_markup |= has_markup;
        group.parts.push(text);
    }
}

fn ends_with(key: &str, end: &str) -> bool {
    let start = key.len().checked_sub(end.len());
    let tail = start.and_then(|start| key.as_bytes().get(start..));
    tail.is_some_and(|tail| tail.eq_ignore_ascii_case(end.as_bytes()))
}

/// Returns the index of the quote that ends a string whose contents begin at byte `from`.
fn end_of_string(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes.get(at) == Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

/// Returns whether a string is sentences rather than code, an address or a label.
fn is_prose(text: &str) -> bool {
    let text = text.trim();
    let end = text.trim_end_matches(['"', '\'', '”', '’', ')', '»']);
    end.ends_with(['.', '!', '?', '…', ':', '。', '！', '？', '।'])
        // These begin data, selectors of style sheets and templates, which may end with a full stop as well.
        && !text.starts_with(['{', '[', '<', '.', '#', '$'])
        && !text.contains(['{', '}'])
        && !text.starts_with("http")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Engine, Limits, LolEngine, Page, ScanEngine};

    const ONE: &str = "The mill stands by the river, and its wheel has turned there for two hundred years, in wet years and in dry ones, as the book says.";
    const TWO: &str = "Its owner opens the gate each morning, listens to the water, and closes it again when the last sack has been ground by “the stone”.";

    fn page(script: &str) -> Page {
        let html = format!("<p>Menu</p>{script}<p>End");
        let page = ScanEngine.read(&html, &Limits::default());
        assert_eq!(page, LolEngine.read(&html, &Limits::default()));
        for script in &page.head.payloads {
            assert_eq!(&html[script.span.0 as usize..script.span.1 as usize], script.text);
        }
        page
    }

    fn found(script: &str) -> Option<(&'static str, String)> {
        let text = payload_text(&page(script).head.payloads)?;
        Some((text.name, text.text))
    }

    #[test]
    fn every_kind_gives_its_text() {
        let both = format!("{ONE}\n{TWO}");
        let json = format!(
            r#"{{"page":"/a","body":"<p class=\"x\">{ONE}</p><p>{TWO}</p>","css":".a {{ color: red }} .b {{ color: blue }}"}}"#
        );
        let next = format!("<script id=\"__NEXT_DATA__\" type=\"application/json\">{json}</script>");
        assert_eq!(found(&next), Some(("__NEXT_DATA__", both.clone())));
        let nuxt = format!(
            "<script>window.__NUXT__=(function(a,b){{return {{data:[{{\"body\":\"\\u003Cp>{ONE}\\u003C\\u002Fp>\\u003Cp>{TWO}\\u003C/p>\"}}]}}}}(1,2))</script>"
        );
        assert_eq!(found(&nuxt), Some(("__NUXT__", both.clone())));
        let state = format!(
            "<script>window.__APOLLO_STATE__ = {{\"a\":{{\"text\":\"{ONE}\"}},\"b\":{{\"text\":\"{TWO}\"}}}};</script>"
        );
        assert_eq!(found(&state), Some(("__APOLLO_STATE__", both.clone())));
        let stream = format!(
            "<script>self.__next_f.push([1,\"5:[\\\"$\\\",\\\"p\\\",null,{{\\\"children\\\":\\\"{ONE}\\\"}}]\\n\"])</script>\
            <script>self.__next_f.push([1,\"6:[\\\"$\\\",\\\"p\\\",null,{{\\\"children\\\":\\\"{TWO}\\\"}}]\\n\"])</script>"
        );
        assert_eq!(found(&stream), Some(("__next_f", both)));
    }

    #[test]
    fn labels_and_other_scripts_give_none() {
        let labels: String =
            (0..40).map(|at| format!("\"k{at}\":\"Please enter a valid address for the letter {at}.\",")).collect();
        assert_eq!(found(&format!("<script>window.__INITIAL_STATE__={{{labels}}}</script>")), None);
        let messages = format!("<script>window.__NUXT__={{\"confirmed\":\"{ONE} {TWO} {TWO}\"}}</script>");
        assert_eq!(found(&messages), None);
        let plain = page(&format!("<script>var a = \"{ONE} {TWO}\", __NUXT = 1</script>"));
        assert!(plain.head.payloads.is_empty());
    }
}
