//! Compares the confidence of documents with their word F1, on finished models.

use std::sync::Arc;

use rayon::prelude::*;
use trommel_extract::{CommentPolicy, ContentPolicy, DocumentOptions, Extractor, Hints};
use trommel_learn::{LabelledPage, PageSet, Scores};
use trommel_model::Model;
use trommel_text::words::Rule;

use crate::markdown::{MarkdownTable, percent, share, thousands};
use crate::quality::{Decile, deciles};

/// Percentages of the pages, from the least confident up, of which the lost F1 is told.
const HARDEST: [usize; 3] = [5, 10, 20];
/// Percentages of the pages in the table of confidences: finely where shares are chosen.
const PERCENTAGES: [u32; 27] =
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 25, 30, 35, 40, 45, 50, 60, 70, 80, 90, 95, 99];

/// Confidence (0..=1) and word F1 (0..=1) of a page.
type Point = (f64, f64);

/// The pages of a set as models extract them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScoredSet {
    /// Name of the set.
    pub name: String,
    /// Confidence (0..=1) and word F1 (0..=1) of each page, for each model; the same pages in the same order.
    pub points: Vec<Vec<Point>>,
    /// For each model, true if it was trained on the set.
    pub is_trained: Vec<bool>,
}

impl ScoredSet {
    /// Number of pages.
    pub fn pages(&self) -> usize {
        self.points.first().map_or(0, Vec::len)
    }
}

/// Extracts the pages that have a gold text with each model, as `run` does, and scores their texts. Readers' comments
/// count where the set has them.
pub fn scored(set: &PageSet, models: &[Arc<Model>]) -> ScoredSet {
    let has_comments = set.has_comments();
    let comments = if has_comments { CommentPolicy::Include } else { CommentPolicy::Exclude };
    let policy = ContentPolicy { comments, ..ContentPolicy::default() };
    let points = models.iter().map(|model| {
        let extractor = Extractor::new(Arc::clone(model)).with_policy(policy);
        let point = |page: &LabelledPage| {
            page.gold.gold.as_ref()?;
            let hints = Hints { url: page.gold.address(), http_charset: Some("utf-8"), ..Hints::default() };
            let document = extractor.extract(page.html.as_bytes(), &hints).document(&DocumentOptions::default());
            let scores = Scores::of(&document.text, &page.gold.text(has_comments), Rule::Characters);
            Some((f64::from(document.confidence), scores.f1))
        };
        set.pages.par_iter().filter_map(point).collect()
    });
    let is_trained =
        models.iter().map(|model| model.file().training.sets.iter().any(|trained| trained.name == set.name));
    ScoredSet { points: points.collect(), is_trained: is_trained.collect(), name: set.name.clone() }
}

/// The table of confidences of the built-in models: for each percentage of the pages, the confidence of each model
/// below which that many lie. Every set weighs the same.
pub fn table(names: &[String], models: &[Arc<Model>], sets: &[ScoredSet]) -> String {
    let of: Vec<&str> = sets.iter().map(|set| set.name.as_str()).collect();
    let dates: Vec<String> =
        names.iter().zip(models).map(|(name, model)| format!("{name} of {}", model.file().created)).collect();
    let mut out = format!(
        "# The confidence below which a percentage of the pages lies; the mean over {}. By {}. Made by \
         `trommel-quality confidences`.\npercent\t{}\n",
        of.join(", "),
        dates.join(", "),
        names.join("\t")
    );
    for percent in PERCENTAGES {
        let below: Vec<String> =
            (0..names.len()).map(|model| format!("{:.4}", quantile(sets, model, f64::from(percent) / 100.0))).collect();
        out += &format!("{percent}\t{}\n", below.join("\t"));
    }
    out
}

/// The confidence below which a share (0..=1) of all pages lies, if every set weighs the same.
fn quantile(sets: &[ScoredSet], model: usize, share: f64) -> f64 {
    let mut all: Vec<(f64, f64)> = Vec::new();
    for set in sets {
        let points = set.points.get(model).map(Vec::as_slice).unwrap_or_default();
        let weight = 1.0 / (points.len().max(1) * sets.len()) as f64;
        all.extend(points.iter().map(|point| (point.0, weight)));
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut sum = 0.0;
    let found = all.iter().find(|(_, weight)| {
        sum += weight;
        sum > share
    });
    found.or(all.last()).map_or(0.0, |(confidence, _)| *confidence)
}

/// The share of the lost F1 (1 - F1, summed) that lies in a share of the pages, 0..=1: those of the lowest confidence.
fn lost_in(points: &[Point], percent: usize) -> f64 {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let lost = |points: &[Point]| points.iter().map(|point| 1.0 - point.1).sum::<f64>();
    // To the nearest page.
    let count = (sorted.len() * percent + 50) / 100;
    lost(sorted.get(..count).unwrap_or_default()) / lost(&sorted).max(f64::MIN_POSITIVE)
}

/// The share of the pages below a confidence, 0..=1.
fn share_below(points: &[Point], confidence: f64) -> f64 {
    points.iter().filter(|point| point.0 < confidence).count() as f64 / points.len().max(1) as f64
}

/// Tables in Markdown: the lost F1 in the hardest pages of each set, and the reliability of confidences by tenths of the
/// pages of sets that no model was trained on.
pub fn report(names: &[String], sets: &[ScoredSet]) -> String {
    format!(
        "{}\nA set with `*` is one that the models were trained on.\n\n{}",
        hardest(names, sets),
        reliability(names, sets)
    )
}

fn hardest(names: &[String], sets: &[ScoredSet]) -> String {
    let models: Vec<&str> = names.iter().map(String::as_str).collect();
    let [first, second, third] = HARDEST.map(|percent| format!("{percent} %"));
    let columns = ["F1", &first, &second, &third, "copied"];
    let mut table = MarkdownTable::by_model(&["set", "pages"], &models, columns);
    for set in sets {
        let mark = if set.is_trained.contains(&true) { "*" } else { "" };
        let mut row = vec![format!("{}{mark}", set.name), thousands(set.pages())];
        for (model, points) in set.points.iter().enumerate() {
            let f1 = points.iter().map(|point| point.1).sum::<f64>() / points.len().max(1) as f64;
            row.push(share(f1));
            row.extend(HARDEST.iter().map(|percent_of| share(lost_in(points, *percent_of))));
            row.push(percent(share_below(points, quantile(sets, model, 0.05))));
        }
        table.row(row);
    }
    table.text()
}

fn reliability(names: &[String], sets: &[ScoredSet]) -> String {
    let models: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut table = MarkdownTable::by_model(&["tenth"], &models, ["confidence", "F1"]);
    let untrained = || sets.iter().filter(|set| !set.is_trained.contains(&true));
    let tenths = |model: usize| -> Vec<Decile> {
        let points: Vec<Point> = untrained().filter_map(|set| set.points.get(model)).flatten().copied().collect();
        deciles(&points)
    };
    let of_models: Vec<Vec<Decile>> = (0..names.len()).map(tenths).collect();
    for at in 0..of_models.first().map_or(0, Vec::len) {
        let cells = of_models.iter().filter_map(|tenths| tenths.get(at));
        let cells = cells.flat_map(|tenth| [share(tenth.confidence), share(tenth.f1)]);
        table.row([(at + 1).to_string()].into_iter().chain(cells));
    }
    table.text()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(name: &str, points: &[Point]) -> ScoredSet {
        ScoredSet { name: name.into(), points: vec![points.to_vec()], is_trained: vec![name == "trained"] }
    }

    #[test]
    fn the_lost_f1_of_the_least_confident_pages() {
        // Half of the lost F1 in one page of twenty, which is the least confident.
        let mut points: Vec<Point> = (1..20).map(|at| (0.5 + f64::from(at) / 100.0, 1.0)).collect();
        points.push((0.25, 0.5));
        points[18].1 = 0.5;
        assert_eq!(lost_in(&points, 5), 0.5);
        assert_eq!(lost_in(&points, 100), 1.0);
        assert_eq!(lost_in(&points, 2), 0.0);
        assert_eq!((lost_in(&[(0.5, 1.0)], 100), lost_in(&[], 5)), (0.0, 0.0));
    }

    #[test]
    fn every_set_weighs_the_same_in_the_table() {
        let low = set("low", &[(0.1, 0.0); 100]);
        let high: Vec<Point> = (0..10).map(|at| (0.5 + f64::from(at) / 20.0, 1.0)).collect();
        let sets = [low, set("high", &high)];
        // The one is all below what the other has, and half of the weight.
        assert_eq!(quantile(&sets, 0, 0.25), 0.1);
        assert_eq!(quantile(&sets, 0, 0.52), 0.5);
        assert_eq!(quantile(&sets, 0, 0.62), 0.6);
        assert_eq!(quantile(&[], 0, 0.5), 0.0);
        let model = [Arc::new(Model::builtin("fast").unwrap())];
        let text = table(&["fast".to_owned()], &model, &sets);
        assert!(text.contains("mean over low, high. By fast of 20"), "{text}");
        let lines: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!((lines[0], lines[5], lines[27]), ("percent\tfast", "5\t0.1000", "99\t0.9500"));
    }

    #[test]
    fn trained_sets_are_marked_and_prove_nothing() {
        let sets = [set("trained", &[(0.9, 0.1); 20]), set("other", &[(0.5, 0.25); 20])];
        let text = report(&["fast".to_owned()], &sets);
        assert!(text.contains("| set | pages | fast: F1 | 5 % | 10 % | 20 % | copied |\n"), "{text}");
        assert!(text.contains("| trained* | 20 | .100 | .050 | .100 | .200 | 0.0 % |\n"), "{text}");
        assert!(text.contains("| 10 | .500 | .250 |\n"), "{text}");
    }
}
