//! Reads simple rules of a page's style sheets: which elements they hide, show as blocks, or preserve the lines of.
//!
//! Rules for a width, for print or for several classes together do not apply to the page as it is first shown. A rule
//! that shows a hidden name again (`@media (min-width: ...) { .name { display: block } }`) cancels the first.

use bitflags::bitflags;
use memchr::{memchr, memmem};
use rustc_hash::FxHashMap;
use trommel_text::{vectors::Vectors, word_hash};

use super::attribute_values::{Declarations, Display, each_name};
use super::notation::Marks;
use crate::{markup::Tag, markup::lexer::TagText};

/// Maximum number of bytes of style sheets that are read from one page.
// A bound for time and memory: sheets are copied before they are read.
pub(super) const MAX_BYTES: usize = 512 << 10;
/// Maximum number of classes, ids and tags of one page whose rules are recorded.
const MAX_NAMES: usize = 4096;
/// Class names by which CSS frameworks display an element as a block.
const BLOCK_NAMES: [&[u8]; 3] = [b"block", b"d-block", b"display-block"];
/// Parts of the CSS declarations that matter; rules without any of them are not parsed.
// Reading only rules that speak of one of them took 9 million instructions off 85 pages.
const SPOKEN: [&str; 4] = ["display", "visibility", "white-space", "absolute"];

bitflags! {
    /// Set of properties that the rules of a style sheet give to the elements of a class, id or tag.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    struct Said: u8 {
        /// A rule hides all elements with the class or id.
        const HIDDEN = 1;
        const BLOCK = 1 << 1;
        /// A rule hides the elements, or moves them off the screen.
        const UNSEEN = 1 << 2;
        /// Another rule shows the elements under a condition, such as hovering or a class that a script sets.
        const OPENED = 1 << 3;
        const LINES = 1 << 4;
        const CODE = 1 << 5;
        /// A rule for a tag together with the class or id exists, so the element's tag must be checked, too.
        const OF_TAG = 1 << 6;
    }
}

impl Said {
    fn marks(self) -> Marks {
        let mut marks = Marks::empty();
        marks.set(Marks::SHEET, self.contains(Said::HIDDEN));
        marks.set(Marks::BLOCK, self.contains(Said::BLOCK));
        marks.set(Marks::UNSEEN, self.contains(Said::UNSEEN) && !self.contains(Said::OPENED));
        marks.set(Marks::LINES, self.contains(Said::LINES));
        marks.set(Marks::LISTING, self.contains(Said::CODE));
        marks.set(Marks::OF_TAG, self.contains(Said::OF_TAG));
        marks
    }
}

/// Rules of a page's style sheets that hide elements or change their layout, by classes, ids and tags.
#[derive(Clone, Debug, Default)]
pub(super) struct StyleSheets {
    /// Text of the style sheet that is being read.
    pub sheet: String,
    /// Number of bytes of the style sheets that have been read completely.
    pub read: usize,
    said: FxHashMap<u64, Said>,
    /// Bit set of the 6 highest bits of the keys in `said`, by which most names without a rule are ruled out quickly.
    // Every class of a page is asked for: one bit spares nearly all look-ups.
    bits: u64,
    /// True if at least one recorded rule has only a tag as its selector, such as `aside`.
    pub has_tags: bool,
}

impl StyleSheets {
    /// Returns whether no rule has been recorded.
    pub fn are_empty(&self) -> bool {
        self.said.is_empty()
    }

    /// Returns the properties that style sheets or known CSS frameworks give to an element by its class, such as
    /// hidden.
    pub fn marks_of_class(&self, vectors: Vectors, value: &[u8]) -> Marks {
        let mut marks = Marks::empty();
        // All names of the convention end with `k`.
        // Tested before the names are split, because most classes have no such letter.
        let may_say = memchr(b'k', value).is_some();
        if self.said.is_empty() && !may_say {
            return marks;
        }
        each_name(vectors, value, |name| {
            marks |= self.said_of(key(b'.', name)).marks();
            if may_say && BLOCK_NAMES.contains(&name) {
                marks |= Marks::BLOCK;
            }
        });
        marks
    }

    /// Returns the properties that the style sheets' rules for an id give to its element, such as hidden.
    pub fn marks_of_id(&self, value: &[u8]) -> Marks {
        self.said_of(key(b'#', value.trim_ascii())).marks()
    }

    /// Returns the properties that the style sheets' rules for a tag give to its elements, such as hidden.
    pub fn marks_of_tag(&self, text: &TagText) -> Marks {
        let said = match text.tag {
            Tag::Other => self.said_of(key(b'<', &text.name().to_ascii_lowercase())),
            tag => self.said_of(key(b'<', tag.name().as_bytes())),
        };
        said.marks()
    }

    /// Returns the properties that the style sheets' rules for a tag together with a class or id give to an element.
    pub fn marks_within_tag(&self, tag: &[u8], class: &[u8], id: &[u8]) -> Marks {
        let tag = tag.to_ascii_lowercase();
        let names = class.split(u8::is_ascii_whitespace).filter(|name| !name.is_empty());
        let names = names.map(|name| (b'.', name)).chain([(b'#', id.trim_ascii())]);
        let said = names.map(|(sign, name)| self.said_of(key_within(&tag, key(sign, name))));
        said.fold(Marks::empty(), |marks, said| marks | said.marks())
    }

    #[inline]
    fn said_of(&self, key: u64) -> Said {
        if self.bits & bit(key) == 0 {
            return Said::empty();
        }
        self.said.get(&key).copied().unwrap_or_default()
    }

    /// Ends the style sheet that is being read, and records its rules.
    pub fn end(&mut self) {
        self.read = self.read.saturating_add(self.sheet.len());
        let sheet = std::mem::take(&mut self.sheet);
        self.rules(sheet.as_bytes());
    }

    fn rules(&mut self, css: &[u8]) {
        // Most rules do not speak of it, so that nothing of them need be read.
        let finders = SPOKEN.map(memmem::Finder::new);
        let mut places = [0, 1, 2, 3].map(|at: usize| finders.get(at).map(|finder| finder.find_iter(css).peekable()));
        // How many blocks are open, and how many of these do not count.
        let (mut open, mut ignored) = (0u32, None);
        let mut at = 0;
        let mut from = 0;
        while let Some(next) = memchr::memchr3(b'{', b'}', b'/', css.get(at..).unwrap_or_default()) {
            let place = at + next;
            at = place + 1;
            match css.get(place) {
                Some(b'/') => {
                    if css.get(at) == Some(&b'*') {
                        let rest = css.get(at + 1..).unwrap_or_default();
                        let Some(end) = memmem::find(rest, b"*/") else { return };
                        at += 1 + end + 2;
                        // A comment before a selector is no part of it.
                        let before = css.get(from..place).unwrap_or_default();
                        let before = before.trim_ascii_end();
                        // A comment inside of a selector is left in it: such a rule is then no simple one and is passed
                        // over.
                        if before.is_empty() || before.ends_with(b";") {
                            from = at;
                        }
                    }
                }
                Some(b'}') => {
                    open = open.saturating_sub(1);
                    if ignored.is_some_and(|ignored| open < ignored) {
                        ignored = None;
                    }
                    from = at;
                }
                _ => {
                    let before = css.get(from..place).unwrap_or_default();
                    from = at;
                    // Only before a rule that is read, or an at-rule, does it matter where a selector begins.
                    if memchr::memchr(b'@', before).is_some() {
                        let selector = last_selector(before);
                        if selector.starts_with(b"@") {
                            open += 1;
                            // Only the outermost counts: everything inside of a rule for a width depends on the width.
                            if ignored.is_none() && !is_for_all(selector) {
                                ignored = Some(open);
                            }
                            continue;
                        }
                    }
                    let rest = css.get(at..).unwrap_or_default();
                    // A sheet that was cut: its last rule may say more than is there.
                    let Some(end) = memchr(b'}', rest) else { return };
                    let mut is_spoken = false;
                    for places in places.iter_mut().flatten() {
                        while places.next_if(|place| *place < at).is_some() {}
                        is_spoken |= places.peek().is_some_and(|place| *place < at + end);
                    }
                    if is_spoken {
                        let body = rest.get(..end).unwrap_or_default();
                        self.rule(last_selector(before), Declarations::of(body), ignored.is_none());
                    }
                    at += end + 1;
                    from = at;
                }
            }
        }
    }

    /// Records one CSS rule; `counts` is false for rules that do not apply on every screen, as under `@media print`.
    fn rule(&mut self, selector: &[u8], declared: Declarations, counts: bool) {
        let is_shown = declared.display.is_some_and(|display| display != Display::None) || declared.is_visible;
        for part in selector.split(|byte| *byte == b',') {
            let part = part.trim_ascii();
            if counts && let Some(display) = declared.display.filter(|display| *display != Display::None) {
                self.block_rule(part, display == Display::Block);
            }
            let Some((tag, sign, name)) = simple(part) else {
                if is_shown {
                    self.open(part);
                }
                continue;
            };
            let is_of_tag = sign == b'<';
            // They keep their lines, or have none, in any case; nearly every sheet speaks of them.
            if is_of_tag && keeps_or_skips(name) {
                continue;
            }
            let name_key = key(sign, name);
            let key = if tag.is_empty() { name_key } else { key_within(&tag.to_ascii_lowercase(), name_key) };
            if is_shown {
                // A name that is shown anywhere is not hidden for good: tabs and menus of small screens do both.
                self.unsay(key, Said::HIDDEN | Said::UNSEEN);
                self.say(key, if counts { Said::empty() } else { Said::OPENED });
            } else if counts {
                let mut said = Said::empty();
                said.set(Said::HIDDEN, declared.is_hidden() && !is_of_tag);
                said.set(Said::UNSEEN, declared.is_out_of_sight());
                said.set(Said::LINES, declared.keeps_lines == Some(true));
                said.set(Said::CODE, declared.is_listing());
                self.say(key, said);
                if !tag.is_empty() && !said.is_empty() {
                    self.say(name_key, Said::OF_TAG);
                }
                self.has_tags |= is_of_tag && !said.is_empty();
            }
            if counts && declared.keeps_lines == Some(false) {
                self.unsay(key, Said::LINES | Said::CODE);
            }
        }
    }

    fn say(&mut self, key: u64, said: Said) {
        if !said.is_empty() && (self.said.len() < MAX_NAMES || self.said.contains_key(&key)) {
            self.bits |= bit(key);
            *self.said.entry(key).or_default() |= said;
        }
    }

    fn unsay(&mut self, key: u64, said: Said) {
        if let Some(known) = self.said.get_mut(&key) {
            known.remove(said);
        }
    }

    /// Records that the classes and ids at the end of a selector are shown under some condition, such as hovering.
    fn open(&mut self, selector: &[u8]) {
        let last = selector.rsplit(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'+' | b'~')).next();
        let last = last.unwrap_or_default();
        let last = last.get(..memchr(b':', last).unwrap_or(last.len())).unwrap_or_default();
        for at in memchr::memchr2_iter(b'.', b'#', last) {
            let name = last.get(at + 1..).unwrap_or_default();
            let end = memchr::memchr3(b'.', b'#', b'[', name).unwrap_or(name.len());
            let sign = last.get(at).copied().unwrap_or_default();
            self.say(key(sign, name.get(..end).unwrap_or_default()), Said::OPENED);
        }
    }

    /// Records whether the elements of the class at the end of a selector are displayed as blocks.
    fn block_rule(&mut self, selector: &[u8], is_block: bool) {
        // The last part of a selector is what the rule is about.
        let last = selector.rsplit(u8::is_ascii_whitespace).next();
        let Some((_, b'.', name)) = last.and_then(simple) else { return };
        if is_block {
            self.say(key(b'.', name), Said::BLOCK);
        } else {
            self.unsay(key(b'.', name), Said::BLOCK);
        }
    }
}

/// Splits a selector of a single name into tag, `.` or `#`, and name (`p.note`). The tag may be empty. A tag alone is
/// returned as the name, with the sign `<`.
fn simple(selector: &[u8]) -> Option<(&[u8], u8, &[u8])> {
    let Some(at) = memchr::memchr2(b'.', b'#', selector) else {
        return is_name(selector).then_some((&[], b'<', selector));
    };
    let (tag, rest) = selector.split_at_checked(at)?;
    let (sign, name) = rest.split_first()?;
    (is_name(name) && (tag.is_empty() || is_name(tag))).then_some((tag, *sign, name))
}

fn keeps_or_skips(tag: &[u8]) -> bool {
    let tag = Tag::from_name(tag);
    tag.keeps_space() || tag.is_skipped()
}

/// Returns the selector at the end of `before`, the CSS text before a rule.
fn last_selector(before: &[u8]) -> &[u8] {
    let start = memchr::memrchr(b';', before).map_or(0, |end| end + 1);
    before.get(start..).unwrap_or_default().trim_ascii()
}

/// Returns whether the bytes are a single CSS name (letters, digits, `-`, `_`, bytes beyond ASCII).
fn is_name(name: &[u8]) -> bool {
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') || *byte >= 0x80;
    !name.is_empty() && name.iter().all(is_of_name)
}

fn bit(key: u64) -> u64 {
    1 << (key >> 58)
}

fn key(sign: u8, name: &[u8]) -> u64 {
    // Names are told apart only while the page is read, so the faster hash will do.
    word_hash(name).rotate_left(8) ^ u64::from(sign)
}

/// Returns the key of the rules for a tag together with a class or id; `name` is the key of the class or id.
fn key_within(tag: &[u8], name: u64) -> u64 {
    name ^ word_hash(tag).rotate_left(24)
}

/// Returns whether the rules inside an at-rule (`@media screen`, `@layer`) apply on every screen.
fn is_for_all(rule: &[u8]) -> bool {
    let Some(query) = rule.strip_prefix(b"@media") else {
        return rule.starts_with(b"@layer") || rule.starts_with(b"@supports");
    };
    matches!(query.trim_ascii(), b"all" | b"screen" | b"only screen")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(css: &str, names: &str) -> String {
        let mut sheets = StyleSheets { sheet: css.into(), ..StyleSheets::default() };
        sheets.end();
        let is_hidden = |name: &&str| match name.strip_prefix('#') {
            Some(id) => sheets.marks_of_id(id.as_bytes()).contains(Marks::SHEET),
            None => sheets.marks_of_class(Vectors::default(), name.as_bytes()).contains(Marks::SHEET),
        };
        let found: Vec<&str> = names.split(' ').filter(is_hidden).collect();
        found.join(" ")
    }

    #[test]
    fn simple_rules_hide() {
        let css = "@charset 'x'; /* .z{display:none} */ .a, #b , .c .d, p.e, .f:hover { color: red; display : none !important } \
            @media print { .g { display: none } } @media screen { .h{display:none} } .i{display:none;display:block} .j{x-display:none}";
        assert_eq!(hidden(css, "a #b b c d e f g h i j z"), "a #b h");
    }

    #[test]
    fn what_is_shown_again_is_not_hidden() {
        let css =
            ".a{display:none}.b{display:none}@media (min-width:600px){.a{display:flex}.c{display:none}}.d{display:none";
        assert_eq!(hidden(css, "a b c d"), "b");
        assert_eq!(hidden("}}} .a{display:none} { .b", "a b"), "a");
    }
}
