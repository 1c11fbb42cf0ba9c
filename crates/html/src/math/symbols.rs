//! The characters of formulas in TeX.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// Characters that TeX has a name for, each with its command.
static COMMANDS: LazyLock<FxHashMap<char, &str>> = LazyLock::new(|| {
    let row = |line: &'static str| line.split_once('\t').and_then(|(c, command)| Some((c.parse().ok()?, command)));
    include_str!("symbols.tsv").lines().filter_map(row).collect()
});

/// Names that TeX sets upright as functions.
const FUNCTIONS: [&str; 32] = [
    "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc", "deg", "det", "dim", "exp", "gcd", "hom",
    "inf", "ker", "lg", "lim", "liminf", "limsup", "ln", "log", "max", "min", "Pr", "sec", "sin", "sinh", "sup", "tan",
    "tanh",
];

/// Letters that Unicode had before it had alphabets (the blocks of the alphabets have gaps at their places), the plain
/// letters that they stand for, and the command of their alphabet.
const LETTERS: [(&str, &str, &str); 3] =
    [("ℎ", "h", ""), ("ℂℍℕℙℚℝℤ", "CHNPQRZ", "\\mathbb"), ("ℬℰℱℋℐℒℳℛ", "BEFHILMR", "\\mathcal")];

/// The command of a character.
pub(super) fn command(c: char) -> Option<&'static str> {
    COMMANDS.get(&c).copied()
}

/// Whether TeX has a command for a function of that name.
pub(super) fn is_function(name: &str) -> bool {
    FUNCTIONS.contains(&name)
}

/// The command of an accent above (or of a line below, if `under`) that an operator stands for.
pub(super) fn accent(operator: &str, under: bool) -> Option<&'static str> {
    let command = match (operator, under) {
        ("^" | "\u{2c6}" | "\u{302}", false) => "\\hat",
        ("~" | "\u{2dc}" | "\u{223c}" | "\u{303}", false) => "\\tilde",
        ("\u{2192}" | "\u{20d7}", false) => "\\vec",
        ("\u{2d9}" | "." | "\u{307}", false) => "\\dot",
        ("\u{a8}" | "\u{308}", false) => "\\ddot",
        ("\u{2c7}" | "\u{30c}", false) => "\\check",
        ("\u{2d8}" | "\u{306}", false) => "\\breve",
        ("\u{af}" | "\u{203e}" | "\u{2015}" | "_" | "\u{305}" | "\u{304}" | "-", false) => "\\overline",
        ("\u{23de}", false) => "\\overbrace",
        ("\u{23df}", true) => "\\underbrace",
        ("_" | "\u{332}" | "\u{203e}" | "\u{af}" | "-", true) => "\\underline",
        _ => return None,
    };
    Some(command)
}

/// A letter or digit of the mathematical alphabets as a plain one, with the command of its alphabet.
pub(super) fn alphabet(c: char) -> Option<(char, &'static str)> {
    let code = u32::from(c);
    let letter = |offset: u32| {
        let base = if offset < 26 { 'A' } else { 'a' };
        char::from_u32(u32::from(base) + offset % 26)
    };
    match code {
        0x1D400..=0x1D6A3 => {
            let style = match (code - 0x1D400) / 52 {
                0 | 2 | 7 | 8 | 10 => "\\mathbf",
                3 | 4 => "\\mathcal",
                5 => "\\mathfrak",
                6 => "\\mathbb",
                9 | 11 => "\\mathsf",
                12 => "\\mathtt",
                _ => "",
            };
            // The fraktur and double-struck alphabets stand in the order fraktur, double-struck, bold.
            let style = match code {
                0x1D56C..=0x1D59F => "\\mathfrak",
                0x1D5A0..=0x1D5D3 => "\\mathsf",
                0x1D5D4..=0x1D607 => "\\mathbf",
                0x1D608..=0x1D63B => "\\mathsf",
                _ => style,
            };
            letter((code - 0x1D400) % 52).map(|c| (c, style))
        }
        0x1D6A8..=0x1D7C9 => {
            const SYMBOLS: [char; 7] = ['∂', 'ϵ', 'ϑ', 'κ', 'ϕ', 'ϱ', 'ϖ'];
            let variant = (code - 0x1D6A8) / 58;
            let offset = (code - 0x1D6A8) % 58;
            let style = if variant == 1 { "" } else { "\\mathbf" };
            let c = match offset {
                0..=24 => char::from_u32(0x391 + offset),
                25 => Some('\u{2207}'),
                26..=50 => char::from_u32(0x3B1 + offset - 26),
                _ => SYMBOLS.get(offset as usize - 51).copied(),
            };
            c.map(|c| (c, style))
        }
        0x1D7CE..=0x1D7FF => {
            let offset = code - 0x1D7CE;
            let style = if offset < 10 { "\\mathbf" } else { "" };
            char::from_digit(offset % 10, 10).map(|c| (c, style))
        }
        _ => LETTERS.iter().find_map(|(signs, letters, style)| {
            let at = signs.chars().position(|sign| sign == c)?;
            letters.chars().nth(at).map(|letter| (letter, *style))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_a_command() {
        assert_eq!(COMMANDS.len(), include_str!("symbols.tsv").lines().count());
        assert_eq!(command('σ'), Some("\\sigma"));
        assert_eq!(command('x'), None);
    }

    #[test]
    fn letters_of_alphabets_are_plain_ones() {
        assert_eq!(alphabet('𝑧'), Some(('z', "")));
        assert_eq!(alphabet('𝐀'), Some(('A', "\\mathbf")));
        assert_eq!(alphabet('𝔸'), Some(('A', "\\mathbb")));
        assert_eq!(alphabet('𝜎'), Some(('σ', "")));
        assert_eq!(alphabet('𝟙'), Some(('1', "")));
        assert_eq!(alphabet('ℝ'), Some(('R', "\\mathbb")));
        assert_eq!(alphabet('𝔤'), Some(('g', "\\mathfrak")));
        assert_eq!(alphabet('a'), None);
    }
}
