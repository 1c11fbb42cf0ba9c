//! Measures which difference from Peters and Lecocq's paper moves which figure.

use std::fmt::Write as _;
use std::path::Path;

use trommel_learn::{EvalOptions, LABEL_SHARE, LearnError, PageSet, evaluate, kept_text, read_set};
use trommel_text::words::Rule;

use crate::methods::{BlockWeight, Method, MethodError, PaperChoices, PaperFeatures, PetersLecocq2013};

const TRAIN: &str = "dragnet-train";
const SETS: [&str; 3] = ["cleaneval", TRAIN, "dragnet-test"];

/// Reason why the variants cannot be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PaperVariantError {
    /// A set cannot be read.
    #[error(transparent)]
    Set(#[from] LearnError),
    /// A method cannot be fitted.
    #[error(transparent)]
    Method(#[from] MethodError),
}

/// Fits the rows of the paper's table 2 on its blocks, scope and number of tokens, and IC under every choice of
/// the three, on `dragnet-train` of `data`, and scores them. Gives Markdown.
///
/// # Errors
/// If a set cannot be read or a method cannot be fitted.
pub fn run(data: &Path) -> Result<String, PaperVariantError> {
    let read = |name: &str| {
        let pages = data.join(format!("{name}.warc.gz"));
        read_set(&pages, &data.join(format!("{name}.gold.jsonl.gz")))
    };
    let sets: Vec<PageSet> = SETS.iter().map(|name| read(name)).collect::<Result<_, _>>()?;
    let Some(train) = sets.iter().find(|set| set.name == TRAIN) else {
        return Ok(String::new());
    };
    let labels = train.labels(true, LABEL_SHARE);
    let examples = train.examples(&labels);
    let mut out = format!("| variant | {} |\n|---|{}\n", SETS.join(" | "), "---:|".repeat(SETS.len()));
    for mut method in PetersLecocq2013::rows() {
        method.fit(&examples)?;
        // Writing to a string cannot fail.
        let _ = writeln!(out, "| {} | {} |", method.about().name, scores(&method, &sets)?.join(" | "));
    }
    let _ = writeln!(
        out,
        "\n| IC: blocks | scope | tokens | listed | odds of a block without | without, cleaneval | {} |\n|---|---|---|---:|---:|---:|{}",
        SETS.join(" | "),
        "---:|".repeat(SETS.len())
    );
    for choice in 0..8u8 {
        let is = |bit: u8| choice >> bit & 1 == 1;
        let choices = PaperChoices { blocks: is(0), scope: is(1), few: is(2) };
        let features = PaperFeatures { tokens: true, ..PaperFeatures::default() };
        let method = PetersLecocq2013::new(choices, features);
        let mut method = method.with_weight(BlockWeight::Once);
        method.fit(&examples)?;
        let name = |paper: bool, published: &'static str, ours: &'static str| if paper { published } else { ours };
        let pages = sets.iter().filter(|set| set.name == "cleaneval").flat_map(|set| &set.pages);
        let bare = method.bare_share(pages.map(|page| &page.page)).unwrap_or_default();
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {:.2} | {:.1} % | {} |",
            name(choices.blocks, "paper", "ours"),
            name(choices.scope, "paper", "all around"),
            name(choices.few, "32", "all"),
            method.tokens().unwrap_or(0),
            method.intercept().unwrap_or_default().exp(),
            100.0 * bare,
            scores(&method, &sets)?.join(" | ")
        );
        tracing::info!(choice, "fitted and scored");
    }
    let _ = writeln!(
        out,
        "\n| on the paper's blocks, blocks weighted by | odds of a block without a token | {} |\n|---|---:|{}",
        SETS.join(" | "),
        "---:|".repeat(SETS.len())
    );
    for (name, weight) in [("one each", BlockWeight::Once), ("words, at most 200", BlockWeight::WordsTo200)] {
        for method in PetersLecocq2013::rows() {
            let mut method = method.with_weight(weight);
            method.fit(&examples)?;
            let _ = writeln!(
                out,
                "| {name}: {} | {:.2} | {} |",
                method.about().name,
                method.intercept().unwrap_or_default().exp(),
                scores(&method, &sets)?.join(" | ")
            );
        }
    }
    Ok(out)
}

/// Mean word F1 on each set.
fn scores(method: &PetersLecocq2013, sets: &[PageSet]) -> Result<Vec<String>, MethodError> {
    let options = EvalOptions { rule: Rule::Characters, comments: true };
    let score = |set: &PageSet| {
        let keep = |page: &trommel_learn::LabelledPage| {
            // It is fitted.
            let kept = method.extract(&page.page).unwrap_or_default();
            kept_text(&page.page, &kept, &[])
        };
        format!("{:.3}", evaluate(set, keep, &options).overall.scores.f1)
    };
    Ok(sets.iter().map(score).collect())
}
