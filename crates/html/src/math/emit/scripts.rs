//! Writes scripts, accents and limits: elements below, above and beside another.

use super::Tex;
use crate::math::symbols::{accent, is_function};

impl Tex<'_> {
    /// Whether a script can stand at an element without braces around it.
    pub(super) fn is_atom(&self, at: u32) -> bool {
        match self.name(at) {
            "mi" | "mn" | "mo" | "mtext" => true,
            "mrow" | "mstyle" | "texatom" | "base" => {
                let children = self.shown(at);
                children.len() == 1 && children.first().is_some_and(|at| self.is_atom(*at))
            }
            _ => false,
        }
    }

    pub(super) fn base(&mut self, at: Option<u32>) {
        match at {
            Some(at) if self.is_atom(at) => self.element(at),
            Some(at) => {
                self.space();
                self.group(Some(at));
            }
            // TeX needs something to hang a script on.
            None => self.out.push_str("{}"),
        }
    }

    pub(super) fn scripts(&mut self, base: Option<u32>, sub: Option<u32>, sup: Option<u32>) {
        self.base(base);
        if let Some(sub) = sub {
            self.out.push('_');
            self.group(Some(sub));
        }
        if let Some(sup) = sup {
            let primes = self.text(sup);
            if !primes.is_empty() && primes.chars().all(|c| matches!(c, '\u{2032}' | '\'')) {
                // `f'` and not `f^{'}`: a prime is a superscript already.
                self.out.push_str(&primes.replace('\u{2032}', "'"));
            } else {
                self.out.push('^');
                self.group(Some(sup));
            }
        }
    }

    pub(super) fn limits(&mut self, base: Option<u32>, under: Option<u32>, over: Option<u32>) {
        let sign = |token: Option<u32>| token.map(|at| self.token_text(at)).unwrap_or_default();
        let (above, below) = (accent(&sign(over), false), accent(&sign(under), true));
        let is_operator = base.is_some_and(|at| self.is_operator(at));
        match (above.filter(|_| !is_operator), below.filter(|_| !is_operator)) {
            (Some(accent), _) if under.is_none() => {
                self.space();
                self.out.push_str(accent);
                self.group(base);
            }
            (_, Some(accent)) if over.is_none() => {
                self.space();
                self.out.push_str(accent);
                self.group(base);
            }
            _ if is_operator => self.scripts(base, under, over),
            _ => {
                self.space();
                if over.is_some() {
                    self.out.push_str("\\overset");
                    self.group(over);
                    self.out.push('{');
                }
                if under.is_some() {
                    self.out.push_str("\\underset");
                    self.group(under);
                }
                self.group(base);
                if over.is_some() {
                    self.out.push('}');
                }
            }
        }
    }

    /// Text of the one token that an element is, or wraps.
    pub(super) fn token_text(&self, at: u32) -> String {
        let mut at = at;
        loop {
            match self.name(at) {
                "mi" | "mn" | "mo" | "mtext" => return self.text(at),
                _ => match self.shown(at).as_slice() {
                    [only] => at = *only,
                    _ => return String::new(),
                },
            }
        }
    }

    /// Whether what stands below and above an element is written as its scripts.
    pub(super) fn is_operator(&self, at: u32) -> bool {
        let text = self.token_text(at);
        let mut chars = text.chars();
        match (chars.next(), chars.next()) {
            // Products, sums, integrals and large set operators, which TeX gives limits by itself.
            (Some('\u{220f}'..='\u{2211}' | '\u{222b}'..='\u{2233}' | '\u{22c0}'..='\u{22c3}'), None) => true,
            (Some('\u{2a00}'..='\u{2a1f}'), None) => true,
            // An overbrace with its note.
            (None, _) => matches!(self.name(at), "mover" | "munder"),
            _ => is_function(text.trim()),
        }
    }

    pub(super) fn multiscripts(&mut self, children: &[u32]) {
        let Some((base, rest)) = children.split_first() else { return };
        let divide = rest.iter().position(|at| self.name(*at) == "mprescripts");
        let (after, before) = match divide {
            Some(at) => rest.split_at_checked(at).unwrap_or((rest, &[])),
            None => (rest, &[][..]),
        };
        let before = before.get(1..).unwrap_or_default();
        let write = |tex: &mut Self, pair: &[u32]| {
            for (at, mark) in pair.iter().zip(["_", "^"]) {
                if tex.name(*at) != "none" {
                    tex.out.push_str(mark);
                    tex.group(Some(*at));
                }
            }
        };
        if !before.is_empty() {
            self.space();
            self.out.push_str("{}");
            before.chunks(2).for_each(|pair| write(self, pair));
        }
        self.base(Some(*base));
        after.chunks(2).for_each(|pair| write(self, pair));
    }
}
