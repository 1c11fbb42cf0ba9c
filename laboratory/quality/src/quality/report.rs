//! The texts of `quality.md` and of its details.

use super::calibration::{BINS, Calibration};
use super::figures::Figures;
use super::held_out::HeldOut;
use super::tables::{by_set, by_type, left_out, table, tested, verdict};
use crate::markdown::{MarkdownTable, share, thousands};
use trommel_learn::{JudgedRow, JudgedSet, Required, Scores};

/// The set that is divided by page type.
const TYPED_SET: &str = "wcxb-dev";
/// Pages in the list of the worst.
const MAX_WORST_PAGES: usize = 20;

/// Plots of the probabilities and confidences, without their tables.
const PLOTS: &str = "## Calibration and confidence\n\n\
Blocks with a probability of .8 should be content in 8 of 10 cases, and the confidence of a page should be its mean F1. \
The plots show how well this holds in cross-validation. `make quality` writes their tables, and the worst pages, to \
`out/quality-details.md`.\n\n\
![Share of content against probability](quality-calibration.svg)\n\n\
![Mean F1 against confidence](quality-confidence.svg)\n";

/// The data of a report.
pub(super) struct Quality<'a> {
    /// At least one; all of the same pages.
    pub judged: &'a [JudgedSet],
    /// Pages of which only some texts are known, by the same models.
    pub partial: &'a [JudgedSet],
    /// The pages as judged by models that had seen no page of their set; empty if that was not measured.
    pub by_set: &'a [JudgedSet],
    pub held_out: &'a [HeldOut],
    /// The figures of all pages and of each set, for each model.
    pub figures: &'a [(Figures, Vec<(String, Figures)>)],
    /// Text written by hand.
    pub notes: Option<&'a str>,
}

impl Quality<'_> {
    fn models(&self) -> Vec<&str> {
        self.judged.iter().map(|set| set.model.as_str()).collect()
    }
}

/// `quality.md`.
pub(super) fn report(quality: &Quality) -> String {
    let mut parts = vec![head(quality), scores(quality), required(quality), sets(quality), PLOTS.to_owned()];
    if let Some(notes) = quality.notes {
        parts.push(format!("## Notes\n\n{}\n", notes.trim_end()));
    }
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

/// The details: tables behind the plots, and the worst pages.
pub(super) fn details(quality: &Quality) -> String {
    let parts = [
        "# Quality of the models: details\n\n\
         Written by `make quality`, beside `docs/quality.md`.\n"
            .to_owned(),
        calibration(quality),
        format!("## Reliability by words\n\n{}", reliability(quality, |figures| &figures.by_words)),
        format!("## Reliability by pages\n\n{}", reliability(quality, |figures| &figures.by_pages)),
        confidence(quality),
        format!("## Confidence by deciles\n\n{}", deciles(quality)),
        worst(quality),
    ];
    parts.join("\n")
}

fn head(quality: &Quality) -> String {
    let mut models = String::new();
    for set in quality.judged {
        models.push_str(&format!(
            "- `{}`, trained on {}: {}-fold cross-validation by host over {} pages.\n",
            set.model,
            set.created,
            set.folds,
            thousands(set.pages.len())
        ));
    }
    format!(
        "# Quality of the models\n\n\
         Written by `make quality` from the pages that training judged, the same bytes on every run. Training leaves out \
         pages whose gold is at fault: [which, and the figures with them](decisions/golds-at-fault.md).\n\n\
         {models}\n\
         Figures are means over pages of the precision, recall and F1 of the words of a page as a \
         multiset, in lower case. Scripts without spaces are compared by characters. The \
         gold is the main text and, where a set has them, the comments of readers.\n"
    )
}

fn scores(quality: &Quality) -> String {
    let models = quality.models();
    let (sets, types) = (by_set(quality.judged), by_type(quality.judged, TYPED_SET));
    let tests = tested(quality.held_out);
    let lines = [&sets[..], &types[..], &tests[..]].concat();
    let held_out = if tests.is_empty() { "Not measured.\n".to_owned() } else { table(&models, &tests) };
    format!(
        "## Floors\n\n{}\n\
         In the tables below the floor stands beside the F1, with the difference where it is missed.\n\n\
         ## Cross-validation\n\n\
         Every page is judged by a model that has not seen its host.\n\n{}\n\
         ### {TYPED_SET} by page type\n\n{}\n\
         ## Sets that no model was trained on\n\n\
         The finished models, trained on all the pages above. A row `without comments` leaves the comments of readers out, \
         of the gold and of what the model keeps.\n\n{held_out}",
        verdict(&models, &lines),
        table(&models, &sets),
        table(&models, &types),
    )
}

/// F1 of models that have not seen the set of a page beside that of models that have not seen its host; empty if that
/// was not measured.
fn sets(quality: &Quality) -> String {
    if quality.by_set.is_empty() {
        return String::new();
    }
    let whole: Vec<&JudgedSet> = quality.judged.iter().chain(quality.partial).collect();
    format!(
        "## Leave one set out\n\n\
         F1 on pages of sets that the models have not seen, beside that of models that have seen other hosts of the set. \
         How a model does on pages of a new kind is seen here. Of `(texts)` only texts that must be kept, and some that \
         must not, are known.\n\n{}",
        left_out(&whole, quality.by_set)
    )
}

/// The kept share of required texts, for pages without a complete gold; empty if there are none.
fn required(quality: &Quality) -> String {
    let first = quality.partial.first();
    let sets = first.map(JudgedSet::sets).unwrap_or_default();
    if sets.is_empty() {
        return String::new();
    }
    let columns = ["texts kept", "pages whole", "F1", "mean words"];
    let mut table = MarkdownTable::by_model(&["set", "pages"], &quality.models(), columns);
    for set in sets {
        let mut pages = 0;
        let mut cells = Vec::new();
        for judged in quality.partial {
            let rows = judged.pages.iter().filter(|page| page.set == set);
            let f1 = Scores::mean(rows.clone().map(|page| &page.scores)).f1;
            let found: Vec<(Required, u64)> = rows.filter_map(|page| Some((page.required?, page.kept_words))).collect();
            pages = found.len();
            let sum = |of: fn(&(Required, u64)) -> u64| found.iter().map(of).sum::<u64>() as f64;
            let number = pages.max(1) as f64;
            cells.push(share(sum(|row| row.0.kept.into()) / sum(|row| row.0.all.into()).max(1.0)));
            cells.push(share(sum(|row| row.0.is_whole().into()) / number));
            cells.push(share(f1));
            cells.push(format!("{:.0}", sum(|row| row.1) / number));
        }
        table.row([set.to_owned(), thousands(pages)].into_iter().chain(cells));
    }
    format!(
        "## Texts that must be kept\n\n\
         Only some texts of these pages are known to be content (ingredients and steps of recipes, titles and places of \
         agendas), and of agendas some that are not. Cross-validation: a text is kept if its words stand in the result in \
         order; a page is whole if all of its texts are. The F1 is that of these texts.\n\n{}",
        table.text()
    )
}

fn calibration(quality: &Quality) -> String {
    let mut errors = MarkdownTable::by_model(&["set"], &quality.models(), ["by words", "by pages"]);
    for (name, figures) in parts(quality) {
        let cells = figures
            .into_iter()
            .flat_map(|figures| [&figures.by_words, &figures.by_pages])
            .map(|calibration| format!("{:.4}", calibration.error));
        errors.row(std::iter::once(name).chain(cells));
    }
    format!(
        "## Calibration\n\n\
         Expected calibration error of the blocks' probabilities in cross-validation, over {BINS} bins of \
         equal width. *By words*: every block weighs its words. *By pages*: every page weighs the same, \
         divided among its blocks by the square roots of their words, as in training.\n\n{}",
        errors.text(),
    )
}

/// All pages and each set, with the figures of every model.
fn parts<'a>(quality: &'a Quality) -> Vec<(String, Vec<&'a Figures>)> {
    let all = quality.figures.iter().map(|(all, _)| all).collect();
    let mut rows = vec![("all".to_owned(), all)];
    let sets = quality.judged.first().map(JudgedSet::sets).unwrap_or_default();
    for (at, set) in sets.into_iter().enumerate() {
        let of_set = quality.figures.iter().filter_map(|(_, sets)| Some(&sets.get(at)?.1));
        rows.push((set.to_owned(), of_set.collect()));
    }
    rows
}

fn reliability(quality: &Quality, of: fn(&Figures) -> &Calibration) -> String {
    let columns = ["weight", "probability", "content"];
    let mut table = MarkdownTable::by_model(&["probability"], &quality.models(), columns);
    for at in 0..BINS {
        let edge = |at: usize| share(at as f64 / BINS as f64);
        let mut cells = vec![format!("{} to {}", edge(at), edge(at + 1))];
        for calibration in quality.figures.iter().map(|(all, _)| of(all)) {
            let total: f64 = calibration.bins.iter().map(|bin| bin.weight).sum();
            match calibration.bins.get(at).filter(|bin| bin.weight > 0.0) {
                Some(bin) => {
                    cells.extend([bin.weight / total, bin.predicted, bin.observed].map(share));
                }
                None => cells.extend(["0".to_owned(), String::new(), String::new()]),
            }
        }
        table.row(cells);
    }
    table.text()
}

fn confidence(quality: &Quality) -> String {
    let mut ranks = MarkdownTable::by_model(&["set"], &quality.models(), ["rank correlation", "distance"]);
    for (name, figures) in parts(quality) {
        let cells = figures.into_iter().flat_map(|figures| {
            let correlation = figures.correlation.map(|rho| format!("{rho:.3}"));
            [correlation.unwrap_or_default(), format!("{:.4}", figures.distance)]
        });
        ranks.row(std::iter::once(name).chain(cells));
    }
    format!(
        "## Confidence\n\n\
         The confidence of a page is the expected F1 of its text. *Rank correlation* is Spearman's, \
         of confidence and F1 in cross-validation; *distance* is the mean distance of the two over tenths \
         of the pages by confidence.\n\n{}",
        ranks.text()
    )
}

/// Confidence and F1 of tenths of the pages.
fn deciles(quality: &Quality) -> String {
    let mut tenths = MarkdownTable::by_model(&["decile"], &quality.models(), ["pages", "confidence", "F1"]);
    for at in 0..10 {
        let cells = quality.figures.iter().flat_map(|(all, _)| {
            all.deciles.get(at).map_or_else(Default::default, |decile| {
                [decile.pages.to_string(), share(decile.confidence), share(decile.f1)]
            })
        });
        tenths.row(std::iter::once((at + 1).to_string()).chain(cells));
    }
    tenths.text()
}

/// The pages with the lowest F1 of the last model.
fn worst(quality: &Quality) -> String {
    let Some(judged) = quality.judged.last() else { return String::new() };
    let mut pages: Vec<&JudgedRow> = judged.pages.iter().collect();
    pages.sort_by(|a, b| {
        let f1 = a.scores.f1.total_cmp(&b.scores.f1);
        // Text that was lost is worse than text that nobody asked for.
        let f1 = f1.then(b.gold_words.cmp(&a.gold_words));
        f1.then_with(|| (&a.set, &a.id, &a.record_id).cmp(&(&b.set, &b.id, &b.record_id)))
    });
    let mut table =
        MarkdownTable::new(["page", "set", "type", "F1", "P", "R", "F1 of the labels", "gold words", "kept words"]);
    for page in pages.iter().take(MAX_WORST_PAGES) {
        table.row([
            page.id.clone(),
            page.set.clone(),
            page.page_type.clone().unwrap_or_default(),
            share(page.scores.f1),
            share(page.scores.precision),
            share(page.scores.recall),
            share(page.oracle_f1),
            thousands(usize::try_from(page.gold_words).unwrap_or(usize::MAX)),
            thousands(usize::try_from(page.kept_words).unwrap_or(usize::MAX)),
        ]);
    }
    let zero = judged.pages.iter().filter(|page| page.scores.f1 == 0.0);
    let empty = zero.clone().filter(|page| page.gold_words == 0).count();
    format!(
        "## The worst pages\n\n\
         The {} pages with the lowest F1 of `{}` in cross-validation. {} of all {} have an F1 of 0, {empty} \
         of them because nothing should be extracted; these come last. *F1 of the labels* is that of the \
         blocks whose label is content: where it is low, no choice of blocks fits the gold.\n\n{}",
        MAX_WORST_PAGES.min(pages.len()),
        judged.model,
        zero.count(),
        thousands(pages.len()),
        table.text()
    )
}

#[cfg(test)]
mod tests {
    use super::super::samples::{judged, page};
    use super::*;

    fn text(notes: Option<&str>) -> String {
        let pages = |low: f64| {
            vec![
                page("wcxb-dev", "b", "forum", low, 0.25),
                page("wcxb-dev", "a", "article", 0.75, 0.75),
                page("aed424", "c", "article", 1.0, 1.0),
            ]
        };
        let judged = [judged("lite", pages(0.5)), judged("fast", pages(0.0))];
        let figures: Vec<_> = judged.iter().map(Figures::all).collect();
        let quality = Quality { judged: &judged, partial: &[], by_set: &[], held_out: &[], figures: &figures, notes };
        details(&quality) + &report(&quality)
    }

    #[test]
    fn figures_of_both_models_stand_side_by_side() {
        let text = text(None);
        let has = |part: &str| assert!(text.contains(part), "no {part} in {text}");
        has("- `fast`, trained on 2026-01-31: 5-fold cross-validation by host over 3 pages.\n");
        has("| wcxb-dev | 2 | .625 | .625 | .625 | .868 (-0.2430) | .375 | .375 | .375 | .878 (-0.5030) |\n");
        // Every page has a block of 30 words at .75, content, and one of 10 at .25, none: off by a
        // quarter whatever the weight.
        has("| set | lite: by words | by pages | fast: by words | by pages |\n");
        has("| all | 0.2500 | 0.2500 | 0.2500 | 0.2500 |\n| wcxb-dev | 0.2500 |");
        has("| .700 to .800 | .750 | .750 | 1.000 | .750 | .750 | 1.000 |\n");
        // The square roots of 30 and 10 are as 1.732 to 1.
        has("| .700 to .800 | .634 | .750 | 1.000 | .634 | .750 | 1.000 |\n");
        has("| .300 to .400 | 0 |  |  | 0 |  |  |\n");
        // |.25 - .5| and twice nothing, over three pages; for fast .25 off.
        has("| all | 1.000 | 0.0833 | 1.000 | 0.0833 |\n");
        has("| aed424 |  | 0.0000 |  | 0.0000 |\n");
        has("Not measured.\n");
        assert!(!text.contains("## Notes"), "{text}");
    }

    #[test]
    fn the_worst_pages_are_those_of_the_last_model() {
        let text = text(Some("First words\n\n- of the notes\n\n"));
        let (_, worst) = text.split_once("## The worst pages\n").unwrap();
        assert!(worst.contains("The 3 pages with the lowest F1 of `fast`"), "{worst}");
        assert!(worst.contains(". 1 of all 3 have an F1 of 0, 0 of them because"), "{worst}");
        let rows: Vec<&str> =
            worst.lines().take_while(|line| !line.starts_with("# ")).filter(|line| line.starts_with("| ")).collect();
        assert_eq!(rows[1], "| b | wcxb-dev | forum | .000 | .000 | .000 | 1.000 | 30 | 40 |");
        let first: Vec<_> = rows[1..].iter().map(|row| row.get(2..3)).collect();
        assert_eq!(first, [Some("b"), Some("a"), Some("c")]);
        assert!(text.ends_with("\n## Notes\n\nFirst words\n\n- of the notes\n"), "{text}");
    }

    #[test]
    fn lost_text_stands_before_text_that_nobody_asked_for() {
        let mut empty = page("s", "a", "listing", 0.0, 0.5);
        empty.gold_words = 0;
        let judged = [judged("fast", vec![empty, page("s", "b", "forum", 0.0, 0.5)])];
        let figures: Vec<_> = judged.iter().map(Figures::all).collect();
        let text = worst(&Quality {
            judged: &judged,
            partial: &[],
            by_set: &[],
            held_out: &[],
            figures: &figures,
            notes: None,
        });
        assert!(text.contains(". 2 of all 2 have an F1 of 0, 1 of them because"), "{text}");
        let at = |row: &str| text.find(row).unwrap_or_else(|| panic!("no {row} in {text}"));
        assert!(at("| b | s | forum |") < at("| a | s | listing |"));
    }

    #[test]
    fn texts_that_must_be_kept_have_a_table_of_their_own() {
        let row = |id: &str, all, kept| JudgedRow {
            required: Some(Required { all, kept }),
            ..page("recipes", id, "recipe", 0.5, 0.5)
        };
        let judged = [judged("lite", vec![row("a", 4, 4), row("b", 6, 3)])];
        let text = required(&Quality {
            judged: &judged,
            partial: &judged,
            by_set: &[],
            held_out: &[],
            figures: &[],
            notes: None,
        });
        assert!(text.contains("| set | pages | lite: texts kept | pages whole | F1 | mean words |\n"), "{text}");
        assert!(text.contains("| recipes | 2 | .700 | .500 | .500 | 40 |\n"), "{text}");
    }
}
