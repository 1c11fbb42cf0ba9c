//! Keeps units whole: code, data tables, definitions with their terms, text with its displayed formulas.

use std::ops::Range;

use rustc_hash::FxHashMap;
use trommel_html::{Block, ElementKinds, NONE, NotationKind, Page, Tag};

use crate::kept_flags::KeptBlocks as _;
use crate::render::{content::code::outermost_code, data_table::data_tables, pieces::is_displayed};

/// Maximum number of labels (file names, languages) between kept text and the code after it, for the code to be kept.
const MAX_LABELS: usize = 2;
// File names and languages; with them structure pages gained code .891 to .909.
const MAX_LABEL_WORDS: u32 = 4;

/// Keeps the whole of each partly kept piece of code, and code directly before or after a kept block. Adjacent pieces
/// of code are judged as one. `kept` has one flag per block.
pub(crate) fn keep_code(page: &Page, kept: &mut [bool]) {
    if !page.kinds.contains(ElementKinds::CODE) {
        return;
    }
    let mut pieces: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < page.blocks.len() {
        let piece = outermost_code(page, at).map(|code| page.blocks_inside(code));
        at = piece.as_ref().map_or(at, |piece| piece.end - 1) + 1;
        pieces.extend(piece);
    }
    for piece in &pieces {
        if piece.clone().any(|at| kept.has(at)) {
            kept.keep(piece.clone());
        }
    }
    // Highlighters divide a listing into several elements, which must not be judged apart.
    let are_one = |piece: &Range<usize>, next: &Range<usize>| {
        piece.end == next.start && kept.has(piece.start) == kept.has(next.start)
    };
    let runs = pieces.chunk_by(are_one).filter_map(|run| Some(run.first()?.start..run.last()?.end));
    for run in runs.collect::<Vec<_>>() {
        if !kept.has(run.start) && stands_beside_kept(page, &run, kept) {
            kept.keep(run);
        }
    }
}

/// Returns whether a block directly before or after blocks of code is kept. A few labels may come between the text
/// before and the code.
fn stands_beside_kept(page: &Page, blocks: &Range<usize>, kept: &[bool]) -> bool {
    let before = page.blocks.iter().zip(kept).take(blocks.start).rev();
    let before = before
        .take(MAX_LABELS + 1)
        .find(|(block, kept)| **kept || block.words > MAX_LABEL_WORDS)
        .is_some_and(|(_, kept)| *kept);
    before || kept.has(blocks.end)
}

/// Minimum share of a table's rows that must have a kept cell for the whole table to be kept.
// Of courts-dev .8786 to .8833; no other set falls by it.
const MIN_ROW_SHARE: f32 = 0.7;
const MIN_ROWS: u32 = 3;

/// Numbers of words and rows of a table, in total and kept.
#[derive(Default)]
struct TableCounts {
    words: u32,
    kept_words: u32,
    rows: u32,
    kept_rows: u32,
    /// Index of the `tr` element of the block counted last, and true if one of the row's blocks is kept.
    row: Option<(u32, bool)>,
    /// True if the block right above the table is kept.
    is_introduced: bool,
}

impl TableCounts {
    /// Counts a block of the table with its number of words and the index of its row.
    fn add(&mut self, words: u32, is_kept: bool, row: Option<u32>) {
        self.words = self.words.saturating_add(words);
        self.kept_words = self.kept_words.saturating_add(if is_kept { words } else { 0 });
        let Some(row) = row else { return };
        let was_kept = self.row.filter(|(last, _)| *last == row).map(|(_, was_kept)| was_kept);
        self.rows += u32::from(was_kept.is_none());
        self.kept_rows += u32::from(is_kept && was_kept != Some(true));
        self.row = Some((row, is_kept || was_kept == Some(true)));
    }

    /// Returns whether enough of a table is kept for the whole table to be kept.
    fn is_mostly_kept(&self) -> bool {
        // A quarter is enough below a kept block: from a quarter on everywhere zhweb lost .0006.
        let times = if self.is_introduced { 4 } else { 2 };
        let has_kept_rows = self.rows >= MIN_ROWS && self.kept_rows as f32 >= MIN_ROW_SHARE * self.rows as f32;
        let is_partly_kept = self.kept_words > 0 && self.kept_words < self.words;
        is_partly_kept && (self.kept_words * times >= self.words || has_kept_rows)
    }
}

/// Keeps each data table whole, with caption and headers, if half of its words are kept. A quarter is enough directly
/// below a kept block, and so is a kept cell in each of 7 of 10 rows.
pub(crate) fn keep_tables(page: &Page, html: &str, kept: &mut [bool]) {
    if !page.kinds.contains(ElementKinds::TABLE) {
        return;
    }
    let mut tables: FxHashMap<u32, TableCounts> = FxHashMap::default();
    let mut home: Vec<Option<u32>> = Vec::with_capacity(page.blocks.len());
    for (at, (block, is_kept)) in page.blocks.iter().zip(kept.iter()).enumerate() {
        let (mut row, mut table) = (None, None);
        for (around, element) in page.path_in(ElementKinds::TABLE, block) {
            match element.tag {
                Tag::Tr if row.is_none() => row = Some(around),
                Tag::Table => {
                    table = Some(around);
                    break;
                }
                _ => {}
            }
        }
        if let Some(table) = table {
            let counts = tables.entry(table).or_default();
            counts.is_introduced |= home.last() != Some(&Some(table)) && kept.has_before(at);
            counts.add(block.words, *is_kept, row);
        }
        home.push(table);
    }
    let is_mostly_kept = |table: &u32| tables.get(table).is_some_and(TableCounts::is_mostly_kept);
    let inside = (0u32..).zip(&home).filter(|(_, table)| table.as_ref().is_some_and(is_mostly_kept));
    let blocks: Vec<u32> = inside.map(|(at, _)| at).collect();
    // Reading cells again is the dear part.
    if blocks.is_empty() {
        return;
    }
    let (_, whole) = data_tables(page, html, &blocks, false);
    let whole = blocks.iter().zip(whole).filter(|(_, table)| *table != NONE);
    kept.keep(whole.map(|(at, _)| *at as usize));
}

/// Maximum number of elements around a block among which its term or definition is looked for.
const ANCESTORS: usize = 8;
/// Maximum number of words of a term that is kept with its definition.
const MAX_WORDS: u32 = 25;

/// Keeps terms directly above a kept definition in the same list. `kept` has one flag per block.
pub(crate) fn keep_terms(page: &Page, kept: &mut [bool]) {
    if !page.kinds.contains(ElementKinds::OTHER_ITEM) {
        return;
    }
    let part = |at: usize| {
        let block = page.blocks.get(at)?;
        let mut path = page.path(block.element).take(ANCESTORS);
        let (_, element) = path.find(|(_, element)| matches!(element.tag, Tag::Dt | Tag::Dd))?;
        Some((block, element))
    };
    for at in (1..page.blocks.len()).rev() {
        if !kept.has(at) || !kept.lacks(at - 1) {
            continue;
        }
        let (Some((_, value)), Some((block, term))) = (part(at), part(at - 1)) else { continue };
        let is_hidden = page.element(block.element).is_some_and(|element| element.hidden);
        let is_short = block.words <= MAX_WORDS && block.inputs == 0 && !is_hidden;
        if term.tag == Tag::Dt && term.parent == value.parent && is_short {
            kept.keep([at - 1]);
        }
    }
}

/// Maximum number of bytes beside the formula in a block that counts as a formula, such as its number in brackets.
// More is a sentence, which the model judges by its words.
const MAX_OTHER_CHARS: usize = 12;

/// Keeps or drops formula blocks with their neighbours, so that all formulas in a row are treated alike. `kept` has one
/// flag per block.
pub(crate) fn keep_formulas(page: &Page, kept: &mut [bool]) {
    let blocks = (0..).zip(&page.blocks);
    let formulas: Vec<usize> = blocks.filter(|(_, block)| is_formula(page, block)).map(|(at, _)| at).collect();
    for run in formulas.chunk_by(|one, next| one + 1 == *next) {
        let (Some(first), Some(last)) = (run.first(), run.last()) else { continue };
        // A formula has no words that a model knows, so its neighbours decide.
        kept.set(run.iter().copied(), kept.has_before(*first) || kept.has(last + 1));
    }
}

/// Returns whether a block is a formula, with hardly anything beside it.
pub(super) fn is_formula(page: &Page, block: &Block) -> bool {
    let text = page.text(block);
    // TeX between marks in the text, which a script of the page lays out.
    if text.starts_with(['\\', '$']) && is_displayed(text) {
        return true;
    }
    let mut covered = 0;
    let mut displayed = false;
    for notation in page.notations(block) {
        if matches!(notation.kind, NotationKind::Formula | NotationKind::DisplayFormula) {
            covered += (notation.text.1 - notation.text.0) as usize;
            displayed = true;
        }
    }
    displayed && text.len() <= covered + MAX_OTHER_CHARS
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn formulas_follow_their_neighbours() {
        let html = "<p>a<p><math display=block><mi>x</mi></math> (1)<p><math><mi>y</mi></math><p>-b\
                    <p><math><mi>z</mi></math><p>-c<p>and <math><mi>z</mi></math> it is text";
        let page = ScanEngine.read(html, &Limits::default());
        let texts = || page.blocks.iter().map(|block| page.text(block));
        let mut kept: Vec<bool> = texts().map(|text| text == "a").collect();
        keep_formulas(&page, &mut kept);
        let left: Vec<&str> = texts().zip(&kept).filter(|pair| *pair.1).map(|pair| pair.0).collect();
        assert_eq!(left, ["a", "x (1)", "y"]);

        let raw = ScanEngine.read("<p>a<p>\\[x\\]<p>b<p>\\[y\\]", &Limits::default());
        let mut kept = [true, false, false, true];
        keep_formulas(&raw, &mut kept);
        assert_eq!(kept, [true, true, false, false]);
    }
}
