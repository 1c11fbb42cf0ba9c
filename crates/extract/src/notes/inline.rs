//! Notes inside the line that they belong to: sidenotes, notes of LaTeXML.

use trommel_html::{Block, Notation, NotationKind, Page};

use super::label::label;
use super::{Pair, Target};
use crate::kept::KeptBlocks as _;

/// Bytes between a mark and the note beside it.
// A space, or a sign of one or two bytes.
const MAX_BYTES_BETWEEN: u32 = 2;

/// Adds the notes within lines of kept blocks to pairs in the order of the page. One that only repeats a note
/// that is linked to is left out.
pub(super) fn add(page: &Page, kept: &[bool], pairs: &mut Vec<Pair>) {
    let mut found = Vec::new();
    for (at, block) in page.blocks_with_notation(&[NotationKind::InlineNote]) {
        if !kept.has(at) {
            continue;
        }
        let at = at as u32;
        let mut mark: Option<Notation> = None;
        for notation in page.notations(block) {
            if notation.kind == NotationKind::Superscript {
                mark = Some(notation);
            }
            if notation.kind != NotationKind::InlineNote {
                continue;
            }
            let behind = pairs.partition_point(|pair| (pair.block, pair.to) <= (at, notation.text.0));
            let linked = behind.checked_sub(1).and_then(|at| pairs.get_mut(at));
            match linked {
                // The mark takes the place of the copy.
                Some(pair) if pair.block == at && notation.text.0 - pair.to <= MAX_BYTES_BETWEEN => {
                    pair.to = notation.text.1;
                }
                _ => found.extend(note(page, block, at, notation, mark)),
            }
        }
    }
    pairs.extend(found);
}

fn note(page: &Page, block: &Block, at: u32, notation: Notation, mark: Option<Notation>) -> Option<Pair> {
    let text = page.text(block);
    let to = notation.text.1 as usize;
    let from = notation.text.0 as usize;
    let mark = mark.filter(|mark| mark.text.1 <= notation.text.0 && notation.text.0 - mark.text.1 <= MAX_BYTES_BETWEEN);
    let shown = mark.and_then(|mark| text.get(mark.text.0 as usize..mark.text.1 as usize));
    let shown = shown.and_then(label).unwrap_or_default();
    let is_sign = |c: char| c.is_whitespace() || matches!(c, '.' | ')' | ':');
    let mut said = text.get(from..to)?.trim_start();
    if shown.is_empty() {
        // Its number alone.
        let digits = said.trim_start_matches(|c: char| c.is_ascii_digit());
        if digits.len() < said.len() && digits.starts_with(['.', ')', ':']) {
            said = digits.trim_start_matches(is_sign);
        }
    } else {
        // Its label comes once more, or twice, at its start, and LaTeXML says what it is.
        while let Some(rest) = said.strip_prefix(shown).or_else(|| said.strip_prefix("footnotetext"))
            && !rest.starts_with(|c: char| c.is_ascii_digit() && !shown.starts_with(c))
        {
            said = rest.trim_start_matches(is_sign);
        }
    }
    let is_label = said.starts_with("footnotemark") || !said.chars().any(char::is_alphabetic);
    Some(Pair {
        block: at,
        from: mark.map_or(notation.text.0, |mark| mark.text.0),
        to: notation.text.1,
        label: shown.to_owned(),
        target: if is_label { Target::Label } else { Target::Inline(at, (to - said.len()) as u32, notation.text.1) },
    })
}

#[cfg(test)]
mod tests {
    use trommel_html::{Engine, Limits, ScanEngine};

    use crate::notes::Notes;

    #[test]
    fn a_mark_without_a_note_of_its_own_has_that_of_its_label() {
        let note = |role: &str, label: &str, text: &str| {
            format!(
                "<span class='ltx_note ltx_role_{role}'><sup class=ltx_note_mark>{label}</sup>\
                 <span class=ltx_note_outer><span class=ltx_note_content><sup>{label}</sup>\
                 <span class=ltx_note_type>{role}: </span><span class=ltx_tag>{label}</span>{text}</span></span></span>"
            )
        };
        let html = format!(
            "<p>Ada{} and Bo{} of the mill.{} Cy{} came.",
            note("footnotemark", "1", ""),
            note("footnotemark", "4", ""),
            note("footnotetext", "1", "Both turned it."),
            note("footnotemark", "1", "")
        );
        let page = ScanEngine.read(&html, &Limits::default());
        let notes = Notes::find(&page, &html, &mut [true]).expect("notes");
        let marks = notes.marks(0).iter().map(|mark| (mark.number, mark.has_note));
        assert_eq!(marks.collect::<Vec<_>>(), [(1, true), (4, false), (1, true), (1, true)]);
        let said = notes.definitions.iter().filter_map(|note| note.inline);
        let said = said.map(|(_, from, to)| &page.text(&page.blocks[0])[from as usize..to as usize]);
        assert_eq!(said.collect::<Vec<_>>(), ["Both turned it."]);
    }
}
