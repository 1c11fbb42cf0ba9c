//! Reads the declarations of a style that say whether, and how, the text of an element is shown.

/// The value of `display`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Display {
    None,
    Block,
    Other,
}

/// The properties that are read.
const NAMES: [&str; 14] = [
    "display", "visibility", "white-space", "white-space-collapse", "font", "font-family", "position", "clip",
    "clip-path", "left", "right", "top", "margin-left", "text-indent",
];

/// The declarations of a style attribute, or of the body of a rule. The last declaration of a property counts, as in
/// CSS.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Declarations {
    pub display: Option<Display>,
    /// `visibility: hidden` or `collapse`.
    is_invisible: bool,
    /// `visibility: visible`
    pub is_visible: bool,
    /// Declared `white-space`: true if it keeps line ends.
    pub keeps_lines: Option<bool>,
    /// True if it keeps indents, too, and breaks no line.
    keeps_indents: bool,
    breaks_none: bool,
    is_monospaced: bool,
    is_absolute: bool,
    /// Cut off, or moved far away.
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

    /// Returns whether the element is hidden, be it from the eye or from readers' aids.
    pub fn is_hidden(&self) -> bool {
        self.display == Some(Display::None) || self.is_invisible
    }

    /// Returns whether the element is out of sight.
    pub fn is_out_of_sight(&self) -> bool {
        self.is_hidden() || self.is_absolute && self.is_away
    }

    /// Returns whether the element is set as a piece of code: its lines as they are, or with their indents in letters
    /// of one width.
    pub fn is_listing(&self) -> bool {
        self.breaks_none || self.keeps_indents && self.is_monospaced
    }
}

/// Returns whether a style attribute takes its element out of sight.
pub(super) fn hides(style: &[u8]) -> bool {
    // Other ways (off-screen positions, zero size) also serve readers' aids, whose text is text.
    declares(style, b"display:none") || declares(style, b"visibility:hidden")
}

/// Returns whether a rule (in lower case, without white space) stands in a style, white space left out.
pub(super) fn declares(style: &[u8], rule: &[u8]) -> bool {
    let Some((&first, rest)) = rule.split_first() else { return true };
    memchr::memchr2_iter(first, first.to_ascii_uppercase(), style).any(|at| {
        let mut following = style.get(at + 1..).unwrap_or_default().iter().filter(|byte| !byte.is_ascii_whitespace());
        rest.iter().all(|wanted| following.next().is_some_and(|byte| byte.eq_ignore_ascii_case(wanted)))
    })
}
