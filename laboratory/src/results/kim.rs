//! Kim's table: the paper's figures and ours, and what folds and pruning make of ours.

use super::figures::{Results, cells, ratio};
use super::paper::{KIM_BLOCKS, KIM_ROWS};
use crate::methods::FoldUnit;
use trommel_quality::markdown::{MarkdownTable, percent, share, thousands};

pub(super) fn kim(results: &Results) -> String {
    let mut table = MarkdownTable::new([
        "attributes", "P: paper", "ours", "R: paper", "ours", "F1: paper", "ours", "F1 without comments",
    ]);
    let as_paper = results.kim.way(FoldUnit::Block, false);
    let rows = as_paper.iter().zip(&results.kim.without_comments);
    for (row, (ours, without)) in KIM_ROWS.iter().zip(rows) {
        let figures = row
            .scores
            .iter()
            .zip([ours.precision, ours.recall, ours.f1])
            .flat_map(|(paper, ours)| [share(*paper), share(ours)])
            .chain([share(without.f1)]);
        table.row(cells(row.name, figures));
    }
    let [ours, _] = &as_paper;
    let [blocks, content] = KIM_BLOCKS;
    format!(
        "## Kim et al. on l3s-gn1\n\n\
         The content class over blocks, 10-fold cross-validation of a C4.5 tree, all figures on the same \
         folds. The last column is with the comments of readers taken for no content.\n\n\
         {}\n\
         Differences from the paper. Blocks: {} with {} content ({}) here, {} with {} ({}) there, where \
         every tag but `a` divides. Labels: from the gold text by the longest common subsequence here, by \
         hand there. Pruning: the paper's confidence of .70 is above .5, where J48 adds nothing to the \
         errors of a leaf: only divisions that save no error go. Folds: over blocks, as in the paper, so \
         blocks of one page stand on both sides. They say nothing of new sites: fitted on \
         dragnet-train, the same trees have a word F1 of {} (25 attributes) and {} (Boilerpipe's) on \
         l3s-gn1.\n\n\
         {}",
        table.text(),
        thousands(ours.blocks),
        thousands(ours.content),
        percent(ratio(ours.content, ours.blocks)),
        thousands(blocks),
        thousands(content),
        percent(ratio(content, blocks)),
        share(results.f1("l3s-gn1", "kim")),
        share(results.f1("l3s-gn1", "kim-boilerpipe")),
        kim_ways(results),
    )
}

/// The effect of folds by page and by site, and of pruning, on Kim's table.
fn kim_ways(results: &Results) -> String {
    let mut text = String::new();
    for (at, row) in KIM_ROWS.iter().enumerate() {
        let f1 = |unit, is_pruned| {
            let scores = results.kim.way(unit, is_pruned);
            scores.get(at).map_or(0.0, |block_scores| block_scores.f1)
        };
        let [_, _, paper] = row.scores;
        let as_paper = f1(FoldUnit::Block, false);
        let by_site = f1(FoldUnit::Site, false);
        text.push_str(&format!(
            "- {}: F1 is {:+.3} above the paper's. Folds of pages instead of blocks change it by {:+.3}, of sites \
             by {:+.3}; pruning by {:+.3}, on folds of sites by {:+.3}. On folds of sites it is still {:+.3} above \
             the paper's on folds of blocks, so that the rest is of the blocks and the labels.\n",
            row.name,
            as_paper - paper,
            f1(FoldUnit::Page, false) - as_paper,
            by_site - as_paper,
            f1(FoldUnit::Block, true) - as_paper,
            f1(FoldUnit::Site, true) - by_site,
            by_site - paper,
        ));
    }
    text
}
