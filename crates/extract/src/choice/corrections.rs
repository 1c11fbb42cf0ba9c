//! Keeps corrections and later additions with the text that they correct.

use trommel_html::{Page, Tag};

use crate::kept::KeptBlocks as _;

/// Words and characters before the colon of such a line.
// "Correction, May 5, 2024:" has as many with its date.
const MAX_LABEL_WORDS: usize = 6;
const MAX_LABEL_CHARS: usize = 60;
/// Words of the whole line at least.
const MIN_WORDS: u32 = 6;
/// Blocks before it, of which one is to be kept beside it.
// An image or a share box may stand between the last paragraph and its correction.
const BLOCKS_BEFORE: usize = 3;
/// Labels of such lines, in lower case.
const LABELS: [&str; 22] = [
    "edit", "edited", "update", "updated", "correction", "corrected", "clarification", "erratum", "errata", "addendum",
    "nachtrag", "korrektur", "berichtigung", "ergänzung", "aktualisierung", "correctif", "rectificatif", "corrección",
    "actualización", "correzione", "rettifica", "aggiornamento",
];

/// Keeps paragraphs that say in their first words to be a correction or an addition, beside a kept paragraph directly
/// before them (one entry for each block in `kept`).
pub(crate) fn keep_corrections(page: &Page, kept: &mut [bool]) {
    for (at, block) in page.blocks.iter().enumerate() {
        if !kept.lacks(at) || block.words < MIN_WORDS || block.link_density() > 0.5 {
            continue;
        }
        let Some((_, element)) = page.container(block) else { continue };
        // Only paragraphs: in lists and tables the same words label columns and changes of a wiki.
        if element.tag != Tag::P || element.hidden || !is_correction(page.text(block)) {
            continue;
        }
        let beside = (at.saturating_sub(BLOCKS_BEFORE)..at).any(|before| {
            let container = page.blocks.get(before).and_then(|block| page.container(block));
            kept.has(before) && container.is_some_and(|(_, other)| other.parent == element.parent)
        });
        if beside {
            kept.keep([at]);
        }
    }
}

/// Keeps paragraphs that the page's markup calls references to further reading (`seealso`), directly after kept text.
pub(crate) fn keep_see_also(page: &Page, kept: &mut [bool]) {
    for at in 1..page.blocks.len() {
        if !kept.lacks(at) || !kept.has(at - 1) {
            continue;
        }
        let Some((_, element)) = page.blocks.get(at).and_then(|block| page.container(block)) else { continue };
        let mut words = page.attribute_words(element).iter();
        if element.tag == Tag::P
            && !element.hidden
            // Keeping them took the links of structure pages from .795 to .812.
            && words.any(|word| page.word_text(word) == "seealso")
        {
            kept.keep([at]);
        }
    }
}

fn is_correction(text: &str) -> bool {
    let mut signs = text.char_indices().take(MAX_LABEL_CHARS);
    let colon = signs.find(|(_, sign)| matches!(sign, ':' | '：'));
    let Some(label) = colon.and_then(|(at, _)| text.get(..at)) else { return false };
    let mut words = label.split_whitespace();
    let labels = words.by_ref().take(MAX_LABEL_WORDS);
    let says = labels.fold(false, |says, word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        says || LABELS.contains(&word.as_str())
    });
    says && words.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    fn is_kept(line: &str) -> bool {
        let html = format!("<div><p>text of the page<p>{line}</div>");
        let page = ScanEngine.read(&html, &Limits::default());
        let mut kept = vec![true, false];
        keep_corrections(&page, &mut kept);
        kept == [true, true]
    }

    #[test]
    fn corrections_belong_to_what_they_correct() {
        assert!(is_kept("<b>2025-09-05 edit:</b> Updated instructions for the new version."));
        assert!(is_kept("Correction, 3 May: the mill was built in 1824."));
        assert!(!is_kept("Editor: somebody who lives beside the mill"));
        assert!(!is_kept("Update: none"));
        assert!(!is_kept("We update this page often and gladly, as said: every day"));
        assert!(!is_kept("<a href=/x>Update: the story of the mill goes on here</a>"));
    }
}
