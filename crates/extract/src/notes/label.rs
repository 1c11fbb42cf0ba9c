//! The labels of notes and of the marks that refer to them.

use trommel_html::{Block, NotationKind, Page};

/// Characters of the label of a note.
// `[footnote 3]` has as many; longer links are text.
const MAX_LABEL_CHARS: usize = 12;
/// Texts of links that lead back to the mark of a note.
const BACK: [&str; 11] = [
    "back", "return", "jump up", "jump back", "back to text", "return to text", "back to content", "zurück", "retour",
    "up", "go back",
];
/// Headings of notes.
const HEADINGS: [&str; 23] = [
    "notes", "note", "footnotes", "footnote", "endnotes", "end notes", "references", "references and notes",
    "notes and references", "citations", "fußnoten", "anmerkungen", "einzelnachweise", "notes de bas de page",
    "références", "notas", "notas al pie", "referencias", "note a piè di pagina", "примечания", "脚注", "注释", "注",
];

/// The label of a mark without its brackets, if the text can be one: a number, a letter, a sign, or a
/// number behind a word for note.
pub(super) fn label(text: &str) -> Option<&str> {
    // Of a whole paragraph no more than this is looked at: each of its marks asks.
    if text.chars().nth(MAX_LABEL_CHARS).is_some() {
        return None;
    }
    let inner = text.trim().trim_matches(['[', ']', '(', ')', '{', '}', '.', ':', '^', '\u{a0}', ' ']);
    if inner.is_empty() {
        return text.contains('^').then_some("^");
    }
    let number = inner.rsplit(|c: char| c.is_whitespace() || c == '-').next().unwrap_or_default();
    let word = inner.strip_suffix(number).unwrap_or_default().trim().trim_end_matches('-');
    let known = matches!(
        word.to_lowercase().as_str(),
        "" | "note" | "nb" | "n" | "fn" | "footnote" | "anm." | "anmerkung" | "nota" | "#"
    );
    let is_number = number.len() <= 4 && number.bytes().all(|byte| byte.is_ascii_digit());
    let is_letter = word.is_empty() && inner.chars().count() <= 2 && inner.chars().all(|c| c.is_ascii_alphabetic());
    // Up to five letters: `xviii` is the longest below 20.
    let is_roman = word.is_empty() && inner.len() <= 5 && inner.bytes().all(|byte| b"ivx".contains(&byte));
    let is_sign = inner.chars().count() <= 4
        && inner.chars().all(|c| matches!(c, '*' | '†' | '‡' | '§' | '¶' | '∗' | '⁎' | '#' | '✽'));
    if known && is_number && !number.is_empty() {
        Some(number)
    } else {
        (is_letter || is_roman || is_sign).then_some(inner)
    }
}

/// Returns whether a label is a number.
pub(super) fn is_number(label: &str) -> bool {
    !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_digit())
}

/// Bytes at the start of a note's first block that only label it, links back included.
pub(super) fn label_len(page: &Page, block: &Block, number: u32) -> usize {
    let text = page.text(block);
    let mut len = 0;
    // What stands at the start and is set as a label: a link back, a raised number.
    for notation in page.notations(block) {
        let (from, to) = (notation.text.0 as usize, notation.text.1 as usize);
        if to <= len || !matches!(notation.kind, NotationKind::FragmentLink | NotationKind::Superscript) {
            continue;
        }
        let between = text.get(len..from).unwrap_or("x");
        let label_text = text.get(from..to).unwrap_or_default();
        let is_label = label(label_text).is_some() || is_arrow(label_text);
        if from < len || between.chars().any(char::is_alphanumeric) || !is_label {
            break;
        }
        len = to;
    }
    let rest = text.get(len..).unwrap_or_default();
    let sign = |c: char| c.is_whitespace() || matches!(c, '.' | ')' | ']' | ':' | '^' | '↑' | ',' | '\u{a0}' | '|');
    if len > 0 {
        return text.len() - rest.trim_start_matches(sign).len();
    }
    // The number as plain text.
    let open = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '[' | '(' | '^' | '↑'));
    // Only the number of this very note: a year at the start of a note is text.
    let digits = open.trim_start_matches(|c: char| c.is_ascii_digit());
    let shown = open.strip_suffix(digits).unwrap_or_default();
    let closed = digits.trim_start_matches(sign);
    if shown.parse() == Ok(number) && (closed.len() < digits.len() || digits.is_empty()) {
        return text.len() - closed.len();
    }
    let arrow = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '^' | '↑' | '*' | '†' | '‡'));
    text.len() - arrow.len()
}

/// Parts of a note's block that only lead back to its mark.
pub(super) fn back_links(page: &Page, block: &Block) -> Vec<(u32, u32)> {
    let text = page.text(block);
    let mut cuts = Vec::new();
    for notation in page.notations(block) {
        if notation.kind != NotationKind::FragmentLink {
            continue;
        }
        let (from, to) = (notation.text.0 as usize, notation.text.1 as usize);
        if is_arrow(text.get(from..to).unwrap_or_default()) {
            let before = text.get(..from).unwrap_or_default();
            let trimmed = before.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '[' | '('));
            // Brackets around the arrow go with it.
            let after = text.get(to..).unwrap_or_default();
            let closing = after.len() - after.trim_start_matches([']', ')']).len();
            let start = if closing > 0 { trimmed.len() } else { before.trim_end().len() };
            cuts.push((start as u32, (to + closing) as u32));
        }
    }
    cuts
}

/// Returns whether a link's text leads back: arrows, or words that say so.
fn is_arrow(text: &str) -> bool {
    let text = text.trim();
    let signs = text.trim_matches(['[', ']', '(', ')', '\u{fe0e}', '\u{fe0f}', '\u{a0}', ' ']);
    if !signs.is_empty() && !signs.chars().any(char::is_alphanumeric) && !signs.starts_with(['*', '†', '‡', '§']) {
        return true;
    }
    BACK.contains(&signs.to_lowercase().as_str())
}

/// Returns whether a heading is one of notes.
pub(super) fn names_notes(text: &str) -> bool {
    let text = text.trim().trim_end_matches(':').to_lowercase();
    HEADINGS.contains(&text.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_numbers_letters_and_signs() {
        for (text, expected) in [
            ("[1]", Some("1")),
            ("12", Some("12")),
            ("(a)", Some("a")),
            ("[note 3]", Some("3")),
            ("†", Some("†")),
            ("^", Some("^")),
            ("see", None),
            ("12345", None),
            ("Chapter 3", None),
            ("", None),
        ] {
            assert_eq!(label(text), expected, "{text}");
        }
        assert!(is_arrow("↩︎") && is_arrow("[Back]") && !is_arrow("here"));
    }
}
