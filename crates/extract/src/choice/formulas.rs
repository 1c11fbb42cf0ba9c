//! Keeps displayed formulas beside kept blocks.

use trommel_html::{Block, NotationKind, Page};

use crate::kept::KeptBlocks as _;
use crate::render::tex::is_displayed;

/// Characters beside its formulas that a block may have, such as a number in brackets.
// More is a sentence, which the model judges by its words.
const MAX_OTHER_CHARS: usize = 12;

/// Judges the blocks that are formulas with their neighbours (one entry for each block in `kept`): an article keeps all
/// of them or none.
pub(crate) fn keep_formulas(page: &Page, kept: &mut [bool]) {
    const FORMULAS: [NotationKind; 2] = [NotationKind::Formula, NotationKind::DisplayFormula];
    let noted = page.blocks_with_notation(&FORMULAS);
    let mut formulas: Vec<usize> = noted.filter(|(_, block)| is_formula(page, block)).map(|(at, _)| at).collect();
    // TeX between marks in the text, which a script of the page lays out.
    let is_tex = |text: &str| text.starts_with(['\\', '$']) && is_displayed(text);
    formulas.extend((0..).zip(&page.blocks).filter(|(_, block)| is_tex(page.text(block))).map(|(at, _)| at));
    formulas.sort_unstable();
    formulas.dedup();
    for run in formulas.chunk_by(|one, next| one + 1 == *next) {
        let (Some(first), Some(last)) = (run.first(), run.last()) else { continue };
        // A formula has no words that a model knows, so its neighbours decide.
        kept.set(run.iter().copied(), kept.has_before(*first) || kept.has(last + 1));
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
