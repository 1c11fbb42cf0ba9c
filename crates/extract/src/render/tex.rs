//! Finds TeX between its usual marks in a text, which Markdown must leave unchanged.

/// Maximum bytes of a formula.
// Farther apart two dollar signs are two prices.
const MAX_FORMULA_BYTES: usize = 4096;
const PAIRS: [(&str, &str); 4] = [("$$", "$$"), ("\\(", "\\)"), ("\\[", "\\]"), ("\\begin{", "\\end{")];

/// The TeX of a formula without the marks around it, and whether they are those of a displayed formula.
pub(crate) fn bare(text: &str) -> (&str, bool) {
    let text = text.trim();
    let marks = [("$$", "$$", true), ("\\[", "\\]", true), ("\\(", "\\)", false), ("$", "$", false)];
    let inner = |(open, close, display): (&str, &str, bool)| {
        let inner = text.strip_prefix(open)?.strip_suffix(close)?;
        // With the mark inside there are two formulas.
        (!inner.contains(close)).then(|| (inner.trim(), display))
    };
    marks.into_iter().find_map(inner).unwrap_or((text, false))
}

/// Returns whether a text is one displayed formula with its marks, and nothing else.
pub(crate) fn is_displayed(text: &str) -> bool {
    text.starts_with(['$', '\\'])
        && (bare(text).1 || text.starts_with("\\begin{"))
        && formulas(text).first().is_some_and(|span| *span == (0, text.len()))
}

/// Places of formulas in a text, marks included, in order.
pub(crate) fn formulas(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    // Where each closing mark stands next: what one opening mark has found, the next need not search for.
    // Without it each opening mark would search to the end of the text.
    let mut closing = [0usize; PAIRS.len()];
    while let Some(next) = text.as_bytes().get(at..).and_then(|rest| memchr::memchr2(b'$', b'\\', rest)) {
        let start = at + next;
        let rest = text.get(start..).unwrap_or_default();
        let pair = PAIRS.iter().zip(&mut closing).find(|((open, _), _)| rest.starts_with(open));
        let end = match pair {
            Some(((open, close), known)) => end_of(text, start + open.len(), close, known),
            None if rest.starts_with('$') => dollars(text, start).map(|len| start + len),
            None => None,
        };
        match end {
            Some(end) => {
                found.push((start, end));
                at = end;
            }
            None => at = start + 1,
        }
    }
    found
}

/// End of a formula whose inside starts at `from`; `known` is where the closing mark stood last.
fn end_of(text: &str, from: usize, close: &str, known: &mut usize) -> Option<usize> {
    if *known <= from {
        let next = text.get(from..)?.find(close);
        *known = next.map_or(usize::MAX, |at| from + at);
    }
    if *known <= from || *known - from > MAX_FORMULA_BYTES {
        return None;
    }
    let end = *known + close.len();
    if close.ends_with('{') {
        let name = text.get(end..)?.bytes().take(40).position(|byte| byte == b'}')?;
        return Some(end + name + 1);
    }
    Some(end)
}

/// Length of a formula between single dollar signs, which also stand before prices: those of a formula
/// touch it, no digit follows, and what is between them is no prose.
fn dollars(text: &str, start: usize) -> Option<usize> {
    let before = text.get(..start)?.chars().next_back();
    if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '\\' | '$')) {
        return None;
    }
    let inner = text.get(start + 1..)?;
    let mut len = MAX_FORMULA_BYTES.min(inner.len());
    while !inner.is_char_boundary(len) {
        len -= 1;
    }
    let end = inner.get(..len)?.find('$')?;
    let formula = inner.get(..end)?;
    let after = inner.get(end + 1..).and_then(|rest| rest.chars().next());
    let touches = !formula.starts_with(char::is_whitespace)
        && !formula.ends_with(char::is_whitespace)
        && !formula.ends_with('\\');
    let is_tex = formula.contains(['\\', '^', '_', '=', '<', '>', '{'])
        || formula.chars().count() <= 3 && formula.chars().any(char::is_alphabetic)
        || !formula.contains(char::is_whitespace)
            && formula.contains(['(', '+', '|', '/'])
            && !formula.starts_with(|c: char| c.is_ascii_digit());
    (touches && !formula.is_empty() && is_tex && !formula.contains('\n') && !after.is_some_and(|c| c.is_alphanumeric()))
        .then_some(end + 2)
}

#[cfg(test)]
mod tests {
    use super::{bare, formulas, is_displayed};

    fn found(text: &str) -> Vec<&str> {
        formulas(text).iter().map(|(a, b)| &text[*a..*b]).collect()
    }

    #[test]
    fn formulas_are_told_from_prices() {
        assert_eq!(
            found("Here $f(x) = \\sum_i a_i$ and $x$, costs $100 per unit and $5, \\(E = mc^2\\) $$h_i$$."),
            ["$f(x) = \\sum_i a_i$", "$x$", "\\(E = mc^2\\)", "$$h_i$$"]
        );
        assert_eq!(
            found("\\[F = ma\\] \\begin{align} x_1 \\end{align}"),
            ["\\[F = ma\\]", "\\begin{align} x_1 \\end{align}"]
        );
        for none in ["$5 and $6", "a$b$c", "$ x $", "\\(never", "$$", "$PATH and $HOME", "US$3 or US$4"] {
            assert_eq!(found(none), Vec::<&str>::new(), "{none}");
        }
    }

    #[test]
    fn marks_around_formulas_are_no_part_of_them() {
        assert_eq!(bare("\\( x \\)"), ("x", false));
        assert_eq!(bare("\\[x\\]"), ("x", true));
        assert_eq!(bare("$$x$$"), ("x", true));
        assert_eq!(bare("$x$"), ("x", false));
        assert_eq!(bare("x"), ("x", false));
        for several in ["\\(a\\) and \\(b\\)", "$a$ and $b$", "$$a$$, $$b$$"] {
            assert_eq!(bare(several), (several, false));
        }
        assert!(is_displayed("\\[x\\]") && is_displayed("\\begin{align}x\\end{align}"));
        assert!(!is_displayed("\\[x\\] and \\[y\\]") && !is_displayed("\\(x\\)"));
    }

    #[test]
    fn many_marks_take_linear_time() {
        let text = "\\( \\[ $$ $x".repeat(50_000);
        assert!(formulas(&text).len() < 200_000);
    }
}
