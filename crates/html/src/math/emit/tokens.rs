//! Writes tokens (names, numbers, signs and text) character by character.

use super::Tex;
use crate::math::symbols::{alphabet, command, is_function};

impl Tex<'_> {
    pub(super) fn delimiter(&mut self, sign: &str) {
        match sign {
            "{" | "}" => {
                self.out.push('\\');
                self.out.push_str(sign);
            }
            _ => {
                for c in sign.chars() {
                    match command(c) {
                        Some(command) => {
                            self.out.push_str(command);
                            self.out.push(' ');
                        }
                        None => self.out.push(c),
                    }
                }
            }
        }
    }

    /// A token's characters, in the alphabet of `variant` if that is named.
    pub(super) fn characters(&mut self, text: &str, variant: &str) {
        for c in text.chars() {
            // Invisible operators (function application, times) and joiners show nothing.
            if matches!(c, '\u{2061}'..='\u{2064}' | '\u{200b}'..='\u{200d}' | '\u{feff}') {
                continue;
            }
            if c.is_whitespace() {
                self.space();
                continue;
            }
            let (c, style) = alphabet(c).unwrap_or((c, variant));
            let style = if style.is_empty() { variant } else { style };
            if !style.is_empty() {
                self.out.push_str(style);
                self.out.push('{');
            }
            match (c, command(c)) {
                (_, Some(command)) => {
                    self.out.push_str(command);
                    // A letter behind a command would become part of its name.
                    if style.is_empty() && command.ends_with(|c: char| c.is_ascii_alphabetic()) {
                        self.out.push(' ');
                    }
                }
                ('%' | '#' | '&' | '$' | '_' | '{' | '}', _) => {
                    self.out.push('\\');
                    self.out.push(c);
                }
                ('\\', _) => self.out.push_str("\\backslash "),
                _ => self.out.push(c),
            }
            if !style.is_empty() {
                self.out.push('}');
            }
        }
        if self.out.ends_with(' ') {
            self.out.pop();
        }
    }

    pub(super) fn token(&mut self, at: u32) {
        let text = self.text(at);
        let Some(node) = self.node(at) else { return };
        let only = text.chars().count() == 1;
        let variant = match node.attribute("mathvariant") {
            Some("bold" | "bold-italic") => "\\mathbf",
            Some("double-struck") => "\\mathbb",
            Some("script") => "\\mathcal",
            Some("fraktur") => "\\mathfrak",
            _ => "",
        };
        match node.name.as_str() {
            "mi" if is_function(&text) => self.push(&format!("\\{text}")),
            "mtext" | "ms" => {
                let plain = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{a0}');
                if !plain.is_empty() {
                    self.space();
                    self.out.push_str("\\text{");
                    for c in text.chars() {
                        match c {
                            '\u{a0}' => self.out.push(' '),
                            '%' | '#' | '&' | '$' | '_' | '{' | '}' => {
                                self.out.push('\\');
                                self.out.push(c);
                            }
                            c => self.out.push(c),
                        }
                    }
                    self.out.push('}');
                }
            }
            _ if text.is_empty() => {}
            _ => {
                if !text.starts_with([')', ']', ',', ';', '\'', '\u{2032}'])
                    && !text.starts_with(['\u{2061}', '\u{2062}', '\u{2063}', '\u{2064}'])
                {
                    self.space();
                }
                self.characters(&text, if only { variant } else { "" });
            }
        }
    }
}
