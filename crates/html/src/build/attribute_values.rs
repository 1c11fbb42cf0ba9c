//! Reads the values of attributes: splits them into words, and parses the CSS declarations of a style.
//!
//! Only the declarations are read that determine whether, and how, the text of an element is shown.

use trommel_text::vectors::{ByteTask, Compare, Vectors};
use trommel_text::word_hash;

/// Maximum length in bytes of a word in an attribute's value; the rest of a longer word is dropped.
// Longer runs of letters are hashes and encoded data, which no other page has.
const MAX_WORD_BYTES: usize = 40;

/// Position of one word of an attribute's value in the buffer that collects the words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WordPlace {
    pub start: usize,
    pub len: usize,
    /// Hash of the word's bytes by [`word_hash`].
    pub hash: u64,
}

/// Splits an attribute's value into words and passes each to `give`; appends the value in lower case to `texts`.
/// Words are runs of at least two letters, also split where lower case turns to upper case (`postTitle`). The value is
/// UTF-8 and may be cut inside its last character. A value without words appends nothing.
#[inline(always)]
pub(crate) fn split(vectors: Vectors, value: &[u8], texts: &mut Vec<u8>, mut give: impl FnMut(WordPlace)) {
    let value = if value.last().is_some_and(|last| *last >= 0x80) { valid_part(value) } else { value };
    let base = texts.len();
    // The value as a whole: writing each word by itself took more steps than finding it.
    texts.extend_from_slice(value);
    texts.extend_from_slice(&[0; 64 + 8]);
    let (mut from, mut has_words) = (0, false);
    while from < value.len() {
        let Some(lower) = texts.get_mut(base + from..) else { break };
        let Some(chunk) = lower.first_chunk_mut::<64>() else { break };
        // 64 bytes at a time: where words end no processor foresees, and a wrong guess costs as much as ten bytes.
        let part = vectors.run(ReadPart(chunk));
        let mut begins = part.begins;
        let mut next = from + 64;
        has_words |= begins != 0;
        while begins != 0 {
            let start = begins.trailing_zeros() as usize;
            begins &= begins - 1;
            let mut len = 1 + (part.ends >> start >> 1).trailing_zeros() as usize;
            if start + len >= 64 {
                // It may go on: the next part begins with it.
                if from + 64 < value.len() && start > 0 {
                    next = from + start;
                    if let Some((to, from)) = lower.get_mut(start..64).zip(value.get(next..from + 64)) {
                        to.copy_from_slice(from);
                    }
                    break;
                }
                len = if start == 0 { behind_word(value.get(from..).unwrap_or_default()) } else { 64 - start };
                next = from + start + len;
                if len < 2 {
                    break;
                }
            }
            len = len.min(MAX_WORD_BYTES);
            let Some(eight) = lower.get(start..).and_then(|rest| rest.first_chunk()) else { break };
            let is_wide = part.wide != 0 && part.wide >> start & ((1 << len) - 1) != 0;
            let hash = if len <= 8 && !is_wide {
                trommel_text::word_hash_step(0, u64::from_le_bytes(*eight) & u64::MAX >> (64 - 8 * len))
            } else {
                let word = lower.get(start..start + len).unwrap_or_default();
                let word = if is_wide { valid_part(word) } else { word };
                len = word.len();
                word_hash(word)
            };
            give(WordPlace { start: base + from + start, len, hash });
        }
        from = next;
    }
    texts.truncate(if has_words { base + value.len() } else { base });
}

/// Passes each part of a value between ASCII white space to `give`; a part may be empty.
#[inline(always)]
pub(crate) fn each_name<'a>(vectors: Vectors, value: &'a [u8], mut give: impl FnMut(&'a [u8])) {
    let mut start = 0;
    for at in (0..value.len()).step_by(64) {
        let mut spaces = vectors.run(FindSpace(value.get(at..).unwrap_or_default()));
        while spaces != 0 {
            let end = at + spaces.trailing_zeros() as usize;
            spaces &= spaces - 1;
            give(value.get(start..end).unwrap_or_default());
            start = end + 1;
        }
    }
    give(value.get(start..).unwrap_or_default());
}

/// Vector task that finds white space in the first 64 bytes of a value, one bit per byte.
struct FindSpace<'a>(&'a [u8]);

impl ByteTask for FindSpace<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<C: Compare>(self, form: C) -> u64 {
        form.space(form.load_start(self.0))
    }
}

/// Returns the longest valid UTF-8 prefix of a text whose last character may be cut.
#[cold]
#[inline(never)]
fn valid_part(text: &[u8]) -> &[u8] {
    match std::str::from_utf8(text) {
        Ok(_) => text,
        Err(error) => text.get(..error.valid_up_to()).unwrap_or_default(),
    }
}

/// Returns the full length in bytes of the word at the start of `bytes`, which fills at least one window of 64 bytes.
#[cold]
#[inline(never)]
fn behind_word(bytes: &[u8]) -> usize {
    let mut after_lower = false;
    let end = bytes.iter().position(|&byte| {
        let is_letter = byte.is_ascii_alphabetic() || byte >= 0x80;
        let ends = !is_letter || after_lower && byte.is_ascii_uppercase();
        after_lower = byte.is_ascii_lowercase();
        ends
    });
    end.unwrap_or(bytes.len())
}

/// Word boundaries in 64 bytes of an attribute value, as bit masks.
struct ValuePart {
    /// Bit mask of the bytes at which a word of two or more letters begins.
    begins: u64,
    /// Bit mask of the bytes that end the word before them: those that are no letters, or begin the next word.
    ends: u64,
    /// Bit mask of the bytes beyond ASCII, all of which count as letters without case.
    wide: u64,
}

/// Vector task that finds the words in 64 bytes (padded with 0) and changes the bytes to lower case.
struct ReadPart<'a>(&'a mut [u8; 64]);

impl ByteTask for ReadPart<'_> {
    type Output = ValuePart;

    #[inline(always)]
    fn run<C: Compare>(self, form: C) -> ValuePart {
        let bytes = form.load(self.0);
        let small = form.lower(bytes);
        let wide = form.wide(bytes);
        let ascii = form.range(small, b'a', b'z');
        let upper = form.range(bytes, b'A', b'Z');
        *self.0 = form.store(small);
        let letters = ascii | wide;
        // A capital right behind a small letter begins a word, as in `postTitle`.
        let turns = upper & (ascii & !upper) << 1;
        let ends = !letters | turns;
        // Single letters are parts of generated names (`a_b3`) and say nothing. Of the last byte it is not known.
        let begins = letters & (!(letters << 1) | turns) & !(ends >> 1);
        ValuePart { begins, ends, wide }
    }
}

/// Value of the CSS property `display`: none, block-level, or any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Display {
    None,
    Block,
    Other,
}

/// Names of the CSS properties that are parsed, in lower case.
const NAMES: [&str; 14] = [
    "display", "visibility", "white-space", "white-space-collapse", "font", "font-family", "position", "clip",
    "clip-path", "left", "right", "top", "margin-left", "text-indent",
];

/// CSS declarations of a style attribute or rule that concern text; the last declaration of a property wins.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Declarations {
    pub display: Option<Display>,
    /// True if `visibility` is `hidden` or `collapse`.
    is_invisible: bool,
    /// True if `visibility` is `visible`.
    pub is_visible: bool,
    /// True if the declared `white-space` preserves line ends; `None` if it is not declared.
    pub keeps_lines: Option<bool>,
    /// True if the declared `white-space` preserves indents.
    keeps_indents: bool,
    breaks_none: bool,
    is_monospaced: bool,
    is_absolute: bool,
    /// True if the element is clipped to nothing or moved far off the screen.
    is_away: bool,
}

impl Declarations {
    pub fn of(style: &[u8]) -> Self {
        let mut declared = Self::default();
        for declaration in style.split(|byte| *byte == b';') {
            let Some(colon) = memchr::memchr(b':', declaration) else { continue };
            let (name, value) = declaration.split_at_checked(colon).unwrap_or_default();
            // A comment before a name is no part of it.
            let name = name.rsplit(|byte| *byte == b'/').next().unwrap_or(name).trim_ascii();
            if let Some(name) = NAMES.iter().find(|known| known.as_bytes().eq_ignore_ascii_case(name)) {
                declared.declare(name, &value.get(1..).unwrap_or_default().trim_ascii().to_ascii_lowercase());
            }
        }
        declared
    }

    fn declare(&mut self, name: &str, value: &[u8]) {
        let begins = |words: &[&[u8]]| words.iter().any(|word| value.starts_with(word));
        let has = |word: &[u8]| memchr::memmem::find(value, word).is_some();
        match name {
            "display" => {
                self.display = Some(if begins(&[b"none"]) {
                    Display::None
                } else if begins(&[b"block", b"flex", b"grid", b"table", b"list-item"]) {
                    Display::Block
                } else {
                    Display::Other
                });
            }
            "visibility" => {
                self.is_invisible = begins(&[b"hidden", b"collapse"]);
                self.is_visible = begins(&[b"visible"]);
            }
            "white-space" | "white-space-collapse" => {
                self.keeps_lines = Some(begins(&[b"pre", b"break-spaces"]));
                self.breaks_none = value.split(|byte| *byte == b' ').next() == Some(b"pre");
                self.keeps_indents = begins(&[b"pre", b"break-spaces"]) && !begins(&[b"pre-line", b"preserve-breaks"]);
            }
            "font" | "font-family" => self.is_monospaced |= has(b"mono") || has(b"courier") || has(b"consolas"),
            "position" => self.is_absolute = begins(&[b"absolute", b"fixed"]),
            "clip" | "clip-path" => {
                let value: Vec<u8> = value.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
                let ways: [&[u8]; 5] = [b"rect(0", b"rect(1px", b"inset(50%", b"inset(100%", b"circle(0"];
                self.is_away |= ways.iter().any(|way| value.starts_with(way));
            }
            // Thousands of pixels, or hundreds of letters: out of every window.
            "left" | "right" | "top" | "margin-left" | "text-indent" => {
                let digits = value.strip_prefix(b"-").unwrap_or_default();
                let count = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
                self.is_away |= count >= 4 || count == 3 && digits.ends_with(b"em");
            }
            _ => {}
        }
    }

    /// Returns whether the declarations hide their element by `display` or `visibility`.
    pub fn is_hidden(&self) -> bool {
        self.display == Some(Display::None) || self.is_invisible
    }

    /// Returns whether the declarations hide their element or place it outside of the screen.
    pub fn is_out_of_sight(&self) -> bool {
        self.is_hidden() || self.is_absolute && self.is_away
    }

    /// Returns whether the declarations display their element as code: unwrapped lines, or monospaced text with
    /// indents.
    pub fn is_listing(&self) -> bool {
        self.breaks_none || self.keeps_indents && self.is_monospaced
    }
}

/// Returns whether a style attribute hides its element by `display: none` or `visibility: hidden`.
pub(super) fn hides(style: &[u8]) -> bool {
    // Other ways (off-screen positions, zero size) also serve readers' aids, whose text is text.
    declares(style, b"display:none") || declares(style, b"visibility:hidden")
}

/// Returns whether the CSS in `style` has the declaration `rule`, given in lower case without white space.
pub(super) fn declares(style: &[u8], rule: &[u8]) -> bool {
    let Some((&first, rest)) = rule.split_first() else { return true };
    memchr::memchr2_iter(first, first.to_ascii_uppercase(), style).any(|at| {
        let mut following = style.get(at + 1..).unwrap_or_default().iter().filter(|byte| !byte.is_ascii_whitespace());
        rest.iter().all(|wanted| following.next().is_some_and(|byte| byte.eq_ignore_ascii_case(wanted)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_by(vectors: Vectors, value: &[u8]) -> Vec<Vec<u8>> {
        let (mut texts, mut places) = (b"before".to_vec(), Vec::new());
        split(vectors, value, &mut texts, |word| places.push(word));
        assert!(texts.starts_with(b"before") && std::str::from_utf8(&texts).is_ok(), "{value:?}");
        assert_eq!(texts.len() == 6, places.is_empty());
        let words = places.iter().map(|word| {
            let text = &texts[word.start..word.start + word.len];
            assert_eq!(word.hash, word_hash(text));
            text.to_vec()
        });
        words.collect()
    }

    fn words(value: &str) -> Vec<String> {
        let words = words_by(Vectors::default(), value.as_bytes()).into_iter();
        words.map(|word| String::from_utf8(word).unwrap()).collect()
    }

    #[test]
    fn splits_at_punctuation_digits_and_camel_case() {
        assert_eq!(words("post-title_main col2right"), ["post", "title", "main", "col", "right"]);
        assert_eq!(words("postTitle HTMLBody x"), ["post", "title", "htmlbody"]);
        assert_eq!(words("größe"), ["größe"]);
        assert!(words("a 1 -").is_empty());
    }

    #[test]
    fn long_tokens_are_cut_at_a_character() {
        let long = words(&"ä".repeat(50));
        assert_eq!(long, ["ä".repeat(20)]);
        assert_eq!(words(&format!("x{}", "ä".repeat(50))), [format!("x{}", "ä".repeat(19))]);
    }

    #[test]
    fn names_are_those_of_a_plain_division() {
        for length in 0..200 {
            let value: Vec<u8> = (0..length).map(|at| b"ab \tc-d  "[(at * at + length) % 9]).collect();
            for vectors in Vectors::available() {
                let mut names = Vec::new();
                each_name(vectors, &value, |name| names.push(name));
                let plain: Vec<&[u8]> = value.split(u8::is_ascii_whitespace).collect();
                assert_eq!(names, plain, "{vectors:?}");
            }
        }
    }

    /// Returns the words of an attribute value, found byte by byte.
    fn plain_words(value: &[u8]) -> Vec<Vec<u8>> {
        let value = valid_part(value);
        let mut words: Vec<Vec<u8>> = vec![Vec::new()];
        let mut after_lower = false;
        for &byte in value {
            let is_letter = byte.is_ascii_alphabetic() || byte >= 0x80;
            if !is_letter || after_lower && byte.is_ascii_uppercase() {
                words.push(Vec::new());
            }
            if is_letter {
                words.last_mut().unwrap().push(byte.to_ascii_lowercase());
            }
            after_lower = byte.is_ascii_lowercase();
        }
        words.retain(|word| word.len() > 1);
        for word in &mut words {
            word.truncate(MAX_WORD_BYTES);
            let valid = std::str::from_utf8(word).map_or_else(|error| error.valid_up_to(), |_| word.len());
            word.truncate(valid);
        }
        words.retain(|word| !word.is_empty());
        words
    }

    #[test]
    fn words_had_by_masks_are_those_of_the_plain_loop() {
        const CHARACTERS: [char; 22] = [
            'a', 'b', 'z', 'A', 'Z', '-', '_', ' ', '@', '[', '`', '{', '0', '9', '\0', 'é', '磨', 'ﬀ', 'y', 'M', 'm',
            'q',
        ];
        let mut state = 1u64;
        let mut random = |most: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % most
        };
        for round in 0..20_000 {
            let len = random(200);
            // Some of long words, others of short ones.
            let letters = if round % 2 == 0 { CHARACTERS.len() } else { 3 };
            let mut draw = |_| CHARACTERS[if random(40) == 0 { random(CHARACTERS.len()) } else { random(letters) }];
            let text: String = (0..len).map(&mut draw).collect();
            // Cut anywhere, also inside a character.
            let bytes = &text.as_bytes()[..text.len() - random(3).min(text.len())];
            for vectors in Vectors::available() {
                assert_eq!(words_by(vectors, bytes), plain_words(bytes), "{vectors:?} {text:?}");
            }
        }
    }
}
