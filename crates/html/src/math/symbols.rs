//! The characters of formulas in TeX.

/// Commands of characters that TeX has a name for, in the order of the characters.
const COMMANDS: &[(char, &str)] = &[
    ('\u{ac}', "\\neg"),
    ('\u{b0}', "^{\\circ}"),
    ('\u{b1}', "\\pm"),
    ('\u{b7}', "\\cdot"),
    ('\u{d7}', "\\times"),
    ('\u{f7}', "\\div"),
    ('\u{131}', "\\imath"),
    ('\u{237}', "\\jmath"),
    ('Γ', "\\Gamma"),
    ('Δ', "\\Delta"),
    ('Θ', "\\Theta"),
    ('Λ', "\\Lambda"),
    ('Ξ', "\\Xi"),
    ('Π', "\\Pi"),
    ('Σ', "\\Sigma"),
    ('Υ', "\\Upsilon"),
    ('Φ', "\\Phi"),
    ('Ψ', "\\Psi"),
    ('Ω', "\\Omega"),
    ('α', "\\alpha"),
    ('β', "\\beta"),
    ('γ', "\\gamma"),
    ('δ', "\\delta"),
    ('ε', "\\varepsilon"),
    ('ζ', "\\zeta"),
    ('η', "\\eta"),
    ('θ', "\\theta"),
    ('ι', "\\iota"),
    ('κ', "\\kappa"),
    ('λ', "\\lambda"),
    ('μ', "\\mu"),
    ('ν', "\\nu"),
    ('ξ', "\\xi"),
    ('π', "\\pi"),
    ('ρ', "\\rho"),
    ('ς', "\\varsigma"),
    ('σ', "\\sigma"),
    ('τ', "\\tau"),
    ('υ', "\\upsilon"),
    ('φ', "\\varphi"),
    ('χ', "\\chi"),
    ('ψ', "\\psi"),
    ('ω', "\\omega"),
    ('ϑ', "\\vartheta"),
    ('ϕ', "\\phi"),
    ('ϖ', "\\varpi"),
    ('ϱ', "\\varrho"),
    ('ϵ', "\\epsilon"),
    ('\u{2016}', "\\|"),
    ('\u{2020}', "\\dagger"),
    ('\u{2021}', "\\ddagger"),
    ('\u{2026}', "\\ldots"),
    ('\u{2032}', "'"),
    ('\u{2033}', "''"),
    ('\u{210f}', "\\hbar"),
    ('\u{2111}', "\\Im"),
    ('\u{2113}', "\\ell"),
    ('\u{2118}', "\\wp"),
    ('\u{211c}', "\\Re"),
    ('\u{2135}', "\\aleph"),
    ('\u{2190}', "\\leftarrow"),
    ('\u{2191}', "\\uparrow"),
    ('\u{2192}', "\\rightarrow"),
    ('\u{2193}', "\\downarrow"),
    ('\u{2194}', "\\leftrightarrow"),
    ('\u{21a6}', "\\mapsto"),
    ('\u{21d0}', "\\Leftarrow"),
    ('\u{21d2}', "\\Rightarrow"),
    ('\u{21d4}', "\\Leftrightarrow"),
    ('\u{2200}', "\\forall"),
    ('\u{2202}', "\\partial"),
    ('\u{2203}', "\\exists"),
    ('\u{2204}', "\\nexists"),
    ('\u{2205}', "\\emptyset"),
    ('\u{2207}', "\\nabla"),
    ('\u{2208}', "\\in"),
    ('\u{2209}', "\\notin"),
    ('\u{220b}', "\\ni"),
    ('\u{220f}', "\\prod"),
    ('\u{2210}', "\\coprod"),
    ('\u{2211}', "\\sum"),
    ('\u{2212}', "-"),
    ('\u{2213}', "\\mp"),
    ('\u{2216}', "\\setminus"),
    ('\u{2217}', "*"),
    ('\u{2218}', "\\circ"),
    ('\u{2219}', "\\bullet"),
    ('\u{221a}', "\\surd"),
    ('\u{221d}', "\\propto"),
    ('\u{221e}', "\\infty"),
    ('\u{2220}', "\\angle"),
    ('\u{2223}', "\\mid"),
    ('\u{2224}', "\\nmid"),
    ('\u{2225}', "\\parallel"),
    ('\u{2227}', "\\land"),
    ('\u{2228}', "\\lor"),
    ('\u{2229}', "\\cap"),
    ('\u{222a}', "\\cup"),
    ('\u{222b}', "\\int"),
    ('\u{222c}', "\\iint"),
    ('\u{222d}', "\\iiint"),
    ('\u{222e}', "\\oint"),
    ('\u{2234}', "\\therefore"),
    ('\u{2235}', "\\because"),
    ('\u{223c}', "\\sim"),
    ('\u{2243}', "\\simeq"),
    ('\u{2245}', "\\cong"),
    ('\u{2248}', "\\approx"),
    ('\u{2254}', ":="),
    ('\u{2260}', "\\neq"),
    ('\u{2261}', "\\equiv"),
    ('\u{2264}', "\\leq"),
    ('\u{2265}', "\\geq"),
    ('\u{226a}', "\\ll"),
    ('\u{226b}', "\\gg"),
    ('\u{227a}', "\\prec"),
    ('\u{227b}', "\\succ"),
    ('\u{2282}', "\\subset"),
    ('\u{2283}', "\\supset"),
    ('\u{2286}', "\\subseteq"),
    ('\u{2287}', "\\supseteq"),
    ('\u{228a}', "\\subsetneq"),
    ('\u{2295}', "\\oplus"),
    ('\u{2296}', "\\ominus"),
    ('\u{2297}', "\\otimes"),
    ('\u{2299}', "\\odot"),
    ('\u{22a2}', "\\vdash"),
    ('\u{22a4}', "\\top"),
    ('\u{22a5}', "\\perp"),
    ('\u{22a8}', "\\models"),
    ('\u{22c0}', "\\bigwedge"),
    ('\u{22c1}', "\\bigvee"),
    ('\u{22c2}', "\\bigcap"),
    ('\u{22c3}', "\\bigcup"),
    ('\u{22c5}', "\\cdot"),
    ('\u{22c6}', "\\star"),
    ('\u{22ee}', "\\vdots"),
    ('\u{22ef}', "\\cdots"),
    ('\u{22f1}', "\\ddots"),
    ('\u{2308}', "\\lceil"),
    ('\u{2309}', "\\rceil"),
    ('\u{230a}', "\\lfloor"),
    ('\u{230b}', "\\rfloor"),
    ('\u{25a1}', "\\square"),
    ('\u{25b3}', "\\triangle"),
    ('\u{27e8}', "\\langle"),
    ('\u{27e9}', "\\rangle"),
    ('\u{27f5}', "\\longleftarrow"),
    ('\u{27f6}', "\\longrightarrow"),
    ('\u{27f9}', "\\Longrightarrow"),
    ('\u{27fa}', "\\iff"),
    ('\u{2a7d}', "\\leqslant"),
    ('\u{2a7e}', "\\geqslant"),
];

/// Names that TeX sets upright as functions.
const FUNCTIONS: [&str; 32] = [
    "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc", "deg", "det", "dim", "exp", "gcd", "hom",
    "inf", "ker", "lg", "lim", "liminf", "limsup", "ln", "log", "max", "min", "Pr", "sec", "sin", "sinh", "sup", "tan",
    "tanh",
];

/// The command of a character.
pub(super) fn command(c: char) -> Option<&'static str> {
    // The list is in the order of the characters, so it is bisected.
    let at = COMMANDS.binary_search_by_key(&c, |(character, _)| *character).ok()?;
    COMMANDS.get(at).map(|(_, command)| *command)
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
        // Letters that Unicode had before it had alphabets: the blocks above have gaps at their places.
        0x210E => Some(('h', "")),
        0x2102 => Some(('C', "\\mathbb")),
        0x210D => Some(('H', "\\mathbb")),
        0x2115 => Some(('N', "\\mathbb")),
        0x2119 => Some(('P', "\\mathbb")),
        0x211A => Some(('Q', "\\mathbb")),
        0x211D => Some(('R', "\\mathbb")),
        0x2124 => Some(('Z', "\\mathbb")),
        0x212C => Some(('B', "\\mathcal")),
        0x2130 => Some(('E', "\\mathcal")),
        0x2131 => Some(('F', "\\mathcal")),
        0x210B => Some(('H', "\\mathcal")),
        0x2110 => Some(('I', "\\mathcal")),
        0x2112 => Some(('L', "\\mathcal")),
        0x2133 => Some(('M', "\\mathcal")),
        0x211B => Some(('R', "\\mathcal")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_stand_in_the_order_of_their_characters() {
        assert!(COMMANDS.windows(2).all(|pair| pair[0].0 < pair[1].0));
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
