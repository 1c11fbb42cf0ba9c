//! Keeps displayed formulas beside kept blocks.

use trommel_html::{Block, NotationKind, Page};

use crate::render::tex::is_displayed;

/// Characters beside its formulas that a block may have, such as a number in brackets.
// More is a sentence, which the model judges by its words.
const MAX_OTHER_CHARS: usize = 12;

/// Judges the blocks that are formulas with their neighbours (one entry a block in `kept`): an article
/// keeps all of them or none.
pub(crate) fn keep_formulas(page: &Page, kept: &mut [bool]) {
    const FORMULAS: [NotationKind; 2] = [NotationKind::Formula, NotationKind::DisplayFormula];
    let mut is_formula = Vec::new();
    for (at, block) in page.blocks_with_notation(&FORMULAS) {
        is_formula.resize(page.blocks.len(), false);
        if let Some(slot) = is_formula.get_mut(at) {
            *slot = self::is_formula(page, block);
        }
    }
    // TeX between marks in the text, which a script of the page lays out.
    for (at, block) in page.blocks.iter().enumerate() {
        let text = page.text(block);
        if text.starts_with(['\\', '$']) && is_displayed(text) {
            is_formula.resize(page.blocks.len(), false);
            if let Some(slot) = is_formula.get_mut(at) {
                *slot = true;
            }
        }
    }
    let mut at = 0;
    while at < is_formula.len() {
        let run = is_formula.iter().skip(at).take_while(|flag| **flag).count();
        if run == 0 {
            at += 1;
            continue;
        }
        let before = at.checked_sub(1).and_then(|at| kept.get(at)).copied();
        let after = kept.get(at + run).copied();
        // A formula has no words that a model knows, so its neighbours decide.
        let keep = before.or(after).unwrap_or(false) || before == Some(false) && after == Some(true);
        for flag in kept.iter_mut().skip(at).take(run) {
            *flag = keep;
        }
        at += run;
    }
}

fn is_formula(page: &Page, block: &Block) -> bool {
    let text = page.text(block);
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
