//! Reads simple rules of a page's own style sheets: names that they hide (`.name { display: none }`, `#name {
//! ... }`), and classes that they show as blocks.
//!
//! Rules for a width, for print or for several classes together do not apply to the page as it is first
//! shown. A rule that shows a hidden name again (`@media (min-width: ...) { .name { display: block } }`)
//! cancels the first.

use memchr::{memchr, memmem};
use rustc_hash::FxHashSet;
use trommel_text::word_hash;

use super::attribute_words::each_name;
use super::notes::Marks;
use trommel_text::vectors::Vectors;

/// Bytes of style sheets that are read of one page.
// A bound for time and memory: sheets are copied before they are read.
pub(super) const MAX_BYTES: usize = 512 << 10;
/// Names that are remembered.
const MAX_NAMES: usize = 4096;
/// Classes by which frameworks of style sheets show an element as a block.
const BLOCK_NAMES: [&[u8]; 3] = [b"block", b"d-block", b"display-block"];

/// The value of `display` in a rule.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Display {
    None,
    Block,
    Other,
}

/// Names of classes and ids that are hidden.
#[derive(Clone, Debug, Default)]
pub(super) struct StyleSheets {
    /// The sheet that is being read.
    pub sheet: String,
    /// Bytes of the sheets before.
    pub read: usize,
    hidden: FxHashSet<u64>,
    blocks: FxHashSet<u64>,
    /// A bit for each hidden name by its key. For most names it shows that they are not hidden.
    // Every class of a page is asked for: one bit spares nearly all look-ups.
    bits: u64,
    /// The same of names that are shown as blocks.
    block_bits: u64,
}

impl StyleSheets {
    /// Whether nothing is hidden.
    pub fn are_empty(&self) -> bool {
        self.hidden.is_empty()
    }

    /// Whether one of the names of a class attribute is hidden, and whether one is shown as a block, by a rule or by
    /// a convention of frameworks.
    pub fn marks_of_class(&self, vectors: Vectors, value: &[u8]) -> Marks {
        let mut marks = Marks::empty();
        // All names of the convention end with `k`.
        // Tested before the names are split, because most classes have no such letter.
        let may_say = memchr(b'k', value).is_some();
        if self.blocks.is_empty() && self.hidden.is_empty() && !may_say {
            return marks;
        }
        each_name(vectors, value, |name| {
            let key = key(b'.', name);
            if (self.bits | self.block_bits) & bit(key) != 0 {
                if self.hides(key) {
                    marks |= Marks::SHEET;
                }
                if self.shows(key) {
                    marks |= Marks::BLOCK;
                }
            }
            if may_say && BLOCK_NAMES.contains(&name) {
                marks |= Marks::BLOCK;
            }
        });
        marks
    }

    /// Whether an id is hidden.
    pub fn hide_id(&self, value: &[u8]) -> bool {
        self.hides(key(b'#', value.trim_ascii()))
    }

    /// Whether a rule shows elements of the class with this key as blocks.
    fn shows(&self, key: u64) -> bool {
        self.block_bits & bit(key) != 0 && self.blocks.contains(&key)
    }

    fn hides(&self, key: u64) -> bool {
        self.bits & bit(key) != 0 && self.hidden.contains(&key)
    }

    /// The sheet has ended.
    pub fn end(&mut self) {
        self.read = self.read.saturating_add(self.sheet.len());
        let sheet = std::mem::take(&mut self.sheet);
        self.rules(sheet.as_bytes());
    }

    fn rules(&mut self, css: &[u8]) {
        let display = memmem::Finder::new(b"display");
        // Most rules do not speak of it, so that nothing of them need be read.
        // Reading only rules that speak of it took 9 million instructions off 85 pages.
        let mut places = display.find_iter(css);
        let mut spoken = places.next();
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
                    // Only before a rule that speaks of `display`, or an at-rule, does it matter where a selector begins.
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
                    while spoken.is_some_and(|place| place < at) {
                        spoken = places.next();
                    }
                    if spoken.is_some_and(|place| place < at + end) {
                        let body = rest.get(..end).unwrap_or_default();
                        if let Some(said) = display_value(&display, body) {
                            self.rule(last_selector(before), said, ignored.is_none());
                        }
                    }
                    at += end + 1;
                    from = at;
                }
            }
        }
    }

    /// A rule that hides or shows, and whether it counts for the page as it is shown first.
    fn rule(&mut self, selector: &[u8], said: Display, counts: bool) {
        for part in selector.split(|byte| *byte == b',') {
            let part = part.trim_ascii();
            if counts && said != Display::None {
                self.block_rule(part, said == Display::Block);
            }
            let Some((&sign, name)) = part.split_first() else { continue };
            if !matches!(sign, b'.' | b'#') || !is_name(name) {
                continue;
            }
            if said != Display::None {
                // A name that is shown anywhere is not hidden for good: tabs and menus of small screens do both.
                self.hidden.remove(&key(sign, name));
            } else if counts && self.hidden.len() < MAX_NAMES {
                self.bits |= bit(key(sign, name));
                self.hidden.insert(key(sign, name));
            }
        }
    }

    /// A rule that shows elements of a class, wherever they stand, as blocks or otherwise.
    fn block_rule(&mut self, selector: &[u8], is_block: bool) {
        // The last part of a selector is what the rule is about.
        let last = selector.rsplit(u8::is_ascii_whitespace).next();
        let Some(last) = last else { return };
        let Some(dot) = memchr(b'.', last) else { return };
        let (tag, name) = (last.get(..dot), last.get(dot + 1..).unwrap_or_default());
        let is_of_any = tag.is_some_and(|tag| tag.iter().all(u8::is_ascii_alphanumeric));
        if !is_of_any || !is_name(name) {
            return;
        }
        if !is_block {
            self.blocks.remove(&key(b'.', name));
        } else if self.blocks.len() < MAX_NAMES {
            self.block_bits |= bit(key(b'.', name));
            self.blocks.insert(key(b'.', name));
        }
    }
}

/// The selector at the end of what stands before a rule.
fn last_selector(before: &[u8]) -> &[u8] {
    let start = memchr::memrchr(b';', before).map_or(0, |end| end + 1);
    before.get(start..).unwrap_or_default().trim_ascii()
}

/// Whether this is one name and nothing else.
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

/// Whether an at-rule is one for every screen.
fn is_for_all(rule: &[u8]) -> bool {
    let Some(query) = rule.strip_prefix(b"@media") else {
        return rule.starts_with(b"@layer") || rule.starts_with(b"@supports");
    };
    matches!(query.trim_ascii(), b"all" | b"screen" | b"only screen")
}

/// The last value of `display` in a rule; none if the rule does not set it.
fn display_value(display: &memmem::Finder, body: &[u8]) -> Option<Display> {
    let mut said = None;
    for at in display.find_iter(body) {
        let before = at.checked_sub(1).and_then(|at| body.get(at));
        let is_property = before.is_none_or(|byte| byte.is_ascii_whitespace() || matches!(byte, b';' | b'/' | b'{'));
        let rest = body.get(at + 7..).unwrap_or_default().trim_ascii_start();
        if let Some(value) = rest.strip_prefix(b":").filter(|_| is_property) {
            let value = value.trim_ascii_start();
            let is = |prefix: &&[u8]| value.starts_with(prefix);
            // The last declaration wins, as in CSS.
            said = Some(if value.starts_with(b"none") {
                Display::None
            } else if [&b"block"[..], b"flex", b"grid", b"table", b"list-item"].iter().any(is) {
                Display::Block
            } else {
                Display::Other
            });
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(css: &str, names: &str) -> String {
        let mut sheets = StyleSheets { sheet: css.into(), ..StyleSheets::default() };
        sheets.end();
        let is_hidden = |name: &&str| match name.strip_prefix('#') {
            Some(id) => sheets.hide_id(id.as_bytes()),
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
