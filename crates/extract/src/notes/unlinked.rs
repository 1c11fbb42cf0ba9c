//! Finds marks and notes without links: raised numbers in the text, and notes that begin with the same number.
//!
//! Labels of notes and of the marks that refer to them have several forms.

use rustc_hash::FxHashMap;
use trommel_html::{Block, NotationKind, Page, Tag};

use super::{Pair, Target, blocks_of, in_notes, is_short, of_kind};
use crate::{heading_text::is_heading, kept_flags::KeptBlocks as _};

/// Minimum number of letters directly before a raised number that is a mark, and not a power.
// `x2` is a power, `mill2` a note.
const MIN_WORD_CHARS: usize = 2;

/// Block that begins with the number of a note, in a section of notes.
struct Start {
    block: u32,
    number: u32,
    element: u32,
}

/// Returns the marks in kept blocks that have no link, each with its note.
pub(super) fn pairs(page: &Page, html: &str, kept: &[bool]) -> Vec<Pair> {
    let marks = marks(page, kept);
    if marks.is_empty() {
        return Vec::new();
    }
    let numbers: rustc_hash::FxHashSet<u32> = marks.iter().map(|mark| mark.3).collect();
    let starts = starts(page, html, &numbers, marks.first().map_or(0, |mark| mark.0));
    let mut notes: FxHashMap<u32, (u32, u32, Vec<u32>)> = FxHashMap::default();
    for (place, start) in starts.iter().enumerate() {
        let next = starts.get(place + 1).map(|start| start.block);
        let blocks = extent(page, start, next);
        if is_short(page, &blocks) {
            notes.entry(start.number).or_insert((start.block, start.element, blocks));
        }
    }
    // A number alone is no note: they count from one on.
    if !notes.contains_key(&1) {
        return Vec::new();
    }
    let of = |(block, from, to, number): (u32, u32, u32, u32)| {
        let (start, element, blocks) = notes.get(&number)?;
        let is_inside = blocks.contains(&block) || block == *start;
        (!is_inside).then(|| Pair {
            block,
            from,
            to,
            label: number.to_string(),
            target: Target::Element { element: *element, blocks: blocks.clone() },
        })
    };
    marks.into_iter().filter_map(of).collect()
}

/// Returns the raised numbers in kept blocks that may be marks: block index, start and end byte, number.
fn marks(page: &Page, kept: &[bool]) -> Vec<(u32, u32, u32, u32)> {
    let mut marks = Vec::new();
    for (at, block) in page.blocks_with_notation(&[NotationKind::Superscript]) {
        if !kept.has(at) {
            continue;
        }
        let text = page.text(block);
        for notation in of_kind(page, block, NotationKind::Superscript) {
            let (from, to) = (notation.text.0 as usize, notation.text.1 as usize);
            let shown = text.get(from..to).unwrap_or_default();
            let Some(number) = label(shown).filter(|label| is_number(label)) else { continue };
            let before = text.get(..from).unwrap_or_default();
            let last = before.chars().next_back();
            let word = before.chars().rev().take_while(|c| c.is_alphabetic()).take(MIN_WORD_CHARS).count();
            let is_power = last.is_some_and(|c| c.is_ascii_digit()) || word == 1;
            let said = page
                .element(notation.element)
                .is_some_and(|element| page.says(element, &["footnote", "fn", "footnotes", "noteref"]));
            if before.trim().is_empty() || is_power && !said {
                continue;
            }
            if let Ok(number) = number.parse() {
                let lead = (shown.len() - shown.trim_start().len()) as u32;
                marks.push((at as u32, notation.text.0 + lead, notation.text.1, number));
            }
        }
    }
    marks
}

/// Returns the blocks after the block `first_mark` that begin a note with a number in `wanted`, in page order.
fn starts(page: &Page, html: &str, wanted: &rustc_hash::FxHashSet<u32>, first_mark: u32) -> Vec<Start> {
    // Old pages have no markup for notes but a rule above them.
    let rule = page.elements.iter().rfind(|element| element.tag == Tag::Hr).map_or(u32::MAX, |element| element.start);
    let mut under_heading = false;
    let mut starts = Vec::new();
    let mut items: FxHashMap<u32, u32> = FxHashMap::default();
    for (at, block) in page.blocks.iter().enumerate() {
        if is_heading(page, block) {
            under_heading = names_notes(page.text(block));
            continue;
        }
        let container = page.container(block).map_or(trommel_html::NONE, |(at, _)| at);
        let in_notes = in_notes(page, container);
        if !(in_notes || under_heading || block.span.0 > rule) || (at as u32) <= first_mark {
            continue;
        }
        let Some((element, container)) = page.container(block) else { continue };
        let number = start_number(page, html, block).or_else(|| {
            // Items of a list of notes count by themselves.
            let (item, _) = page.path(element).find(|(_, element)| element.tag == Tag::Li)?;
            let list = page.element(item)?.parent;
            let is_list = page.element(list).is_some_and(|element| element.tag == Tag::Ol);
            let is_first = blocks_of(page, item).first() == Some(&(at as u32));
            (in_notes && is_list && is_first).then(|| {
                let count = items.entry(list).or_default();
                *count += 1;
                *count
            })
        });
        let element = if container.tag == Tag::P || container.tag == Tag::Li {
            let item = page.path(element).find(|(_, element)| element.tag == Tag::Li);
            item.filter(|_| in_notes).map_or(element, |(at, _)| at)
        } else {
            element
        };
        if let Some(number) = number.filter(|number| wanted.contains(number)) {
            starts.push(Start { block: at as u32, number, element });
        }
    }
    starts
}

/// Returns the number at the start of a block, if it is raised, bold or in brackets like a label.
fn start_number(page: &Page, html: &str, block: &Block) -> Option<u32> {
    let text = page.text(block);
    let first = of_kind(page, block, NotationKind::Superscript).find(|notation| notation.text.0 == 0);
    let shown = match first {
        Some(notation) => text.get(..notation.text.1 as usize)?,
        None => {
            // Strong, or between brackets.
            let end = text.find(char::is_whitespace)?;
            let word = text.get(..end)?;
            let source = html.get(block.span.0.checked_sub(8)? as usize..block.span.0 as usize);
            let is_strong = source.is_some_and(|source| source.ends_with("<strong>") || source.ends_with("<b>"));
            let is_set = is_strong || word.starts_with('[') && word.ends_with(']');
            is_set.then_some(word)?
        }
    };
    label(shown).filter(|label| is_number(label))?.parse().ok()
}

/// Returns the blocks of a note: those of its element, and later siblings up to the block `next`.
fn extent(page: &Page, start: &Start, next: Option<u32>) -> Vec<u32> {
    let mut blocks = blocks_of(page, start.element);
    if blocks.first() != Some(&start.block) {
        blocks = vec![start.block];
    }
    let element = page.element(start.element);
    let said = |element: &trommel_html::Element| page.says(element, &["footnote"]);
    let alone = element.is_none_or(|element| element.tag == Tag::Li || said(element));
    let Some(parent) = element.and_then(|element| page.element(element.parent)).filter(|_| !alone) else {
        return blocks;
    };
    let mut at = blocks.last().map_or(start.block, |last| last + 1);
    while let Some(block) = page.blocks.get(at as usize)
        && next.is_none_or(|next| at < next)
        && block.element < parent.end
        && !is_heading(page, block)
        && blocks.len() <= super::MAX_NOTE.0
    {
        blocks.push(at);
        at += 1;
    }
    blocks
}

/// Maximum number of characters of the label of a note.
// `[footnote 3]` has as many; longer links are text.
const MAX_LABEL_CHARS: usize = 12;
/// Lower-case texts of links that lead back from a note to its mark.
const BACK: [&str; 11] = [
    "back", "return", "jump up", "jump back", "back to text", "return to text", "back to content", "zurück", "retour",
    "up", "go back",
];
/// Lower-case headings of sections of notes.
const HEADINGS: [&str; 23] = [
    "notes", "note", "footnotes", "footnote", "endnotes", "end notes", "references", "references and notes",
    "notes and references", "citations", "fußnoten", "anmerkungen", "einzelnachweise", "notes de bas de page",
    "références", "notas", "notas al pie", "referencias", "note a piè di pagina", "примечания", "脚注", "注释", "注",
];

/// Returns the label in the text of a mark, without brackets: a number, one or two letters, signs, or the number after
/// a word such as "note". Returns `None` for other texts.
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

/// Returns whether the label of a note is a number.
pub(super) fn is_number(label: &str) -> bool {
    !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the number of bytes at the start of a note's first block that only label it, including links back.
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

/// Returns the byte ranges of a note's block that only link back to its mark.
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

/// Returns whether the text of a link means "back to the mark": signs such as arrows, or words such as "back".
fn is_arrow(text: &str) -> bool {
    let text = text.trim();
    let signs = text.trim_matches(['[', ']', '(', ')', '\u{fe0e}', '\u{fe0f}', '\u{a0}', ' ']);
    if !signs.is_empty() && !signs.chars().any(char::is_alphanumeric) && !signs.starts_with(['*', '†', '‡', '§']) {
        return true;
    }
    BACK.contains(&signs.to_lowercase().as_str())
}

/// Returns whether the text of a heading announces a section of notes.
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
