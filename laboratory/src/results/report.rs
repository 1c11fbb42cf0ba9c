//! The text of `method-comparison.md`.

use super::cetr::cetr;
use super::figures::{Results, Stacked, cells, ratio};
use super::kim::kim;
use super::paper::{PAPER_ROWS, PAPER_SETS};
use trommel_quality::markdown::{MarkdownTable, percent, share, thousands};

/// `method-comparison.md`.
pub(super) fn report(results: &Results) -> String {
    [HEAD.to_owned(), paper(results), blocks(results), cetr(results), kim(results), overall(results), stacked(results)]
        .join("\n")
}

const HEAD: &str = "\
# Results of the methods

Written by `make results` from the labelled sets, the same bytes on every run. Speed is apart, in \
[method-comparison-speed.md](method-comparison-speed.md).

Figures are means over pages of the precision, recall and F1 of the words of a page as a multiset, in \
lower case. The gold is the main text and, where a set has them, the comments of readers. Methods that \
learn are fitted on dragnet-train alone, the 966 training pages of Peters and Lecocq. All methods work on the same \
blocks, but for `cetr-lines`. Methods that \
compare pages are given those of one host together, and keep a page whole whose host has no other in the set \
(on the two sets of dragnet all). VIPS needs the rendered page: see [visual blocks](vips.md). `trommel-lab methods` lists the methods with their papers, and \
`trommel-lab eval` scores one by page type and language.

![Mean word F1 of the methods, by set](method-comparison.svg)
";

fn paper(results: &Results) -> String {
    let headings = PAPER_SETS.iter().flat_map(|set| [format!("{set}: paper"), "ours".to_owned()]);
    let mut table = MarkdownTable::new(cells("method", headings));
    for row in PAPER_ROWS {
        let figures =
            PAPER_SETS.iter().zip(row.f1).flat_map(|(set, paper)| [share(paper), share(results.f1(set, row.method))]);
        table.row(cells(row.name, figures));
    }
    format!(
        "## Peters and Lecocq, table 2\n\n\
         Mean word F1, the paper's figure and ours. 2012 train and test of the paper are dragnet-train \
         and dragnet-test here; Big 5, its fourth set, could not be had. IC, ST and their sums are the \
         methods `peters-lecocq-...` below; CETR is the clustering by itself, `cetr`.\n\n\
         {}",
        table.text()
    )
}

fn blocks(results: &Results) -> String {
    let mut table = MarkdownTable::new([
        "set", "blocks", "by the paper's tags", "with a listed token", "kept by IC", "by ST", "by ST + IC",
    ]);
    for set in &results.sets {
        let kept = |method| percent(results.kept(&set.name, method));
        table.row([
            set.name.clone(),
            thousands(set.counts.blocks),
            thousands(set.counts.by_paper_tags),
            percent(ratio(set.counts.with_token, set.counts.blocks)),
            kept("peters-lecocq-ic"),
            kept("peters-lecocq-st"),
            kept("peters-lecocq-st-ic"),
        ]);
    }
    let tokens = &results.tokens;
    let bare = ratio(tokens.bare_content, tokens.bare);
    format!(
        "### Where ours differ\n\n\
         {table}\n\
         - **Blocks.** The authors' program divides at `h1` to `h6`, `p`, `div`, `table` and `map`; ours \
         divides at list items, cells, pairs of line breaks and other layout tags too. The third column counts what the blocks would \
         be by those tags (without `map`).\n\
         - **Tokens.** The paper picked 32 tokens by hand, from tags in the block and the outermost tag \
         around it. Here the paper's rule on odds and shares picks {listed}, from the tags in the block \
         and all around it, and attribute values are divided into words. What each of these choices is worth, \
         and the paper's own blocks and tokens, is in \
         [published methods](../../docs/decisions/published-methods.md).\n\
         - **IC alone on cleaneval** scores {ic}, the paper .887. On these pages of 2006 {with} of the \
         blocks carry a listed token, against {with_test} on dragnet-test. Of the {bare_blocks} training \
         blocks without one, {bare} are content, so with nothing to go by the model says no. The paper's \
         figure is close to its .899 for all text: its model must keep most blocks that have no token. One whose \
         blocks count by their words does.\n",
        table = table.text(),
        listed = tokens.listed,
        ic = share(results.f1("cleaneval", "peters-lecocq-ic")),
        with = with_token(results, "cleaneval"),
        with_test = with_token(results, "dragnet-test"),
        bare_blocks = thousands(tokens.bare),
        bare = percent(bare),
    )
}

fn with_token(results: &Results, set: &str) -> String {
    let counts = results.set(set).map(|set| set.counts).unwrap_or_default();
    percent(ratio(counts.with_token, counts.blocks))
}

fn overall(results: &Results) -> String {
    let headings = results.tested().map(|set| format!("{} ({})", set.name, thousands(set.all.pages)));
    let mut table = MarkdownTable::new(cells("mean word F1", headings));
    for about in &results.methods {
        let figures = results.tested().map(|set| share(results.f1(&set.name, about.name)));
        table.row(cells(about.name, figures));
    }
    format!("## All methods on all sets\n\n{}", table.text())
}

/// Ensembles of all methods.
fn stacked(results: &Results) -> String {
    let Stacked { held_out, tested, rows } = &results.stacked;
    let headings = held_out.iter().map(|name| format!("{name} (other hosts)")).chain(tested.iter().cloned());
    let mut table = MarkdownTable::new(cells("mean word F1", headings));
    for (name, figures) in rows {
        let figure = |value: &Option<f64>| value.map(share).unwrap_or_default();
        table.row(cells(name, figures.iter().map(figure)));
    }
    format!(
        "## All methods together\n\n\
         Stacking: a model over what all {} methods say of a block (0 or 1 each, and the share of those that keep \
         it and its two neighbours), learned on pages of other hosts of the sets whose columns say so. \
         [Quality](../../docs/quality.md) has the shipped models on these.\n\n{}",
        results.methods.len(),
        table.text()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::About;
    use crate::methods::{BlockScores, FoldUnit, Validation};
    use crate::results::figures::{CetrFigures, KimFigures};
    use crate::results::measure::TokenCounts;
    use crate::results::measure::tests::measured;

    fn results() -> Results {
        let about = |name| About { name, line: "what it does", citation: "A paper, 2000", learns: name != "all-text" };
        let scores = BlockScores { blocks: 1_000, content: 250, precision: 0.5, recall: 1.0, f1: 0.6667 };
        let by_site = Validation { unit: FoldUnit::Site, ..Validation::PAPER };
        Results {
            methods: vec![about("all-text"), about("peters-lecocq")],
            cetr: vec![("dragnet-test", CetrFigures { lines: 0.5, random: [0.25, 0.125, 0.375] })],
            sets: vec![
                measured("dragnet-train", &[0.125, 0.875]),
                measured("dragnet-test", &[0.375, 0.625]),
                measured("daniel-dev", &[0.5, 0.25]),
            ],
            kim: KimFigures {
                ways: vec![(Validation::PAPER, [scores; 2]), (by_site, [BlockScores { f1: 0.5, ..scores }; 2])],
                without_comments: [BlockScores::default(); 2],
            },
            stacked: Stacked {
                held_out: vec!["wcxb-dev".to_owned()],
                tested: vec!["dragnet-test".to_owned()],
                rows: vec![("stacking".to_owned(), vec![None, Some(0.75)])],
            },
            tokens: TokenCounts { listed: 7, bare: 3_000, bare_content: 750 },
        }
    }

    #[test]
    fn figures_stand_beside_those_of_the_papers() {
        let text = report(&results());
        let has = |part: &str| assert!(text.contains(part), "no {part} in {text}");
        has("| baseline (all text) | .899 | .000 | .621 | .125 | .623 | .375 |\n");
        has("| ST + IC + CETR | .907 | .000 | .848 | .875 | .836 | .625 |\n");
        has("| Boilerpipe's attributes | .858 | .500 | .778 | 1.000 | .816 | .667 | .000 |\n");
        has("1,000 with 250 content (25.0 %) here, 84,198 with 13,209 (15.7 %) there");
        has("| dragnet-test | 2,000 | 1,000 | 25.0 % | 0.0 % |");
        has("picks 7, from");
        has(
            "Boilerpipe's attributes: F1 is -0.149 above the paper's. Folds of pages instead of blocks change it by -0.667, of sites by -0.167;",
        );
        has("| the paper | .919 | .741 | .735 |\n");
        has("(mean of five; least and most) | .000 (.000, .000) | .000 (.000, .000) | .250 (.125, .375) |\n");
        has("| `cetr-lines`, the text of the lines instead of blocks | .000 | .000 | .500 |\n");
        has("| mean word F1 | wcxb-dev (other hosts) | dragnet-test |\n|---|---:|---:|\n| stacking |  | .750 |\n");
        has("3,000 training blocks without one, 25.0 % are content");
    }

    #[test]
    fn the_large_table_leaves_out_the_training_set() {
        let text = report(&results());
        let has = |part: &str| assert!(text.contains(part), "no {part} in {text}");
        has("| mean word F1 | dragnet-test (2) | daniel-dev (2) |\n|---|---:|---:|\n| all-text | .375 | .500 |\n");
        has("| peters-lecocq | .625 | .250 |\n");
    }
}
