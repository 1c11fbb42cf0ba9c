//! `trommel model`, and the model that `--model` names.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use clap::{Args, Subcommand};
use trommel::model::{ColumnWeight, ModelFile, Scorer, Selection, TreeNode};
use trommel::{Model, Settings};

use crate::exit::Exit;

/// Describe a model
#[derive(Debug, Args)]
pub struct ModelArgs {
    #[command(subcommand)]
    command: ModelCommand,
}

#[derive(Debug, Subcommand)]
enum ModelCommand {
    /// List the models built into the program
    List,
    /// Print a model: data, scores, weights, tokens
    Show {
        /// Name of a built-in model, or a model file [default: the default model]
        model: Option<String>,
        /// Print everything as one JSON object
        #[arg(long)]
        json: bool,
    },
}

/// The model that the settings choose.
pub fn load(settings: &Settings) -> anyhow::Result<Model> {
    Ok(settings.model()?)
}

/// The model of that name or file; the default model for `None`.
pub fn named(model: Option<&str>) -> anyhow::Result<Model> {
    let mut settings = Settings::default();
    settings.model = model.unwrap_or_default().to_owned();
    load(&settings)
}

pub fn run(args: &ModelArgs) -> anyhow::Result<Exit> {
    match &args.command {
        ModelCommand::List => {
            for name in Model::builtin_names() {
                let file = named(Some(name))?;
                crate::out(&format!("{name}\t{}\n", summary(file.file())))?;
            }
        }
        ModelCommand::Show { model, json } => {
            let model = named(model.as_deref())?;
            if *json {
                crate::out(&format!("{}\n", serde_json::to_string_pretty(model.file())?))?;
            } else {
                crate::out(&describe(model.file()))?;
            }
        }
    }
    Ok(Exit::Clean)
}

fn summary(file: &ModelFile) -> String {
    let scores: Vec<String> = file.scores.iter().map(|score| format!("{} {:.3}", score.set, score.f1)).collect();
    format!("{} features, {}, F1 {}", file.columns.len(), file.created, scores.join(", "))
}

/// The kind of a part, and the strength of each of its columns.
fn strengths(scorer: &Scorer) -> (&'static str, Vec<(u16, f32)>) {
    match scorer {
        Scorer::Linear(linear) => (
            "linear (strength: weight x deviation)",
            linear.weights.iter().map(|weight| (weight.column, weight.weight * weight.deviation)).collect(),
        ),
        Scorer::Additive(additive) => (
            "additive (strength: highest less lowest weight of the column's bins)",
            additive
                .step_functions
                .iter()
                .map(|step| {
                    let high = step.weights.iter().copied().fold(f32::MIN, f32::max);
                    (step.column, high - step.weights.iter().copied().fold(f32::MAX, f32::min))
                })
                .collect(),
        ),
        Scorer::Trees(trees) => {
            let mut asked: BTreeMap<u16, f32> = BTreeMap::new();
            for node in &trees.nodes {
                if let TreeNode::Split { column, .. } = node {
                    *asked.entry(*column).or_default() += 1.0;
                }
            }
            ("boosted trees (strength: nodes that ask the column)", asked.into_iter().collect())
        }
    }
}

/// A model as a reader wants to see it.
fn describe(file: &ModelFile) -> String {
    let mut out = String::new();
    let sets: Vec<String> =
        file.training.sets.iter().map(|set| format!("{} ({} pages)", set.name, set.pages)).collect();
    let groups: Vec<&str> = file.groups.iter().map(|group| group.name()).collect();
    let selection = match file.selection {
        Selection::Threshold(threshold) => format!("probability of at least {threshold}"),
        Selection::ExpectedF1 => "highest expected F1 of the page".to_owned(),
        Selection::SharpF1(sharpness) => {
            format!("highest expected F1 of the page, log odds times {sharpness}")
        }
        Selection::Worlds(sharpness) => {
            format!("highest mean F1 over worlds of shared errors, log odds times {sharpness}")
        }
    };
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "model      {} (format version {}, made {})\n\
         trained on {}\n\
         {}\x20          {} blocks; content: more than {} of a block's words on the gold text\n\
         penalty    {} (L2, chosen by {}-fold cross-validation by host)\n\
         groups     {}\n\
         selection  {}\n",
        file.name,
        file.version,
        file.created,
        sets.join(", "),
        file.adapted_from
            .as_ref()
            .map(|base| format!("from       {base}, adapted to the last of these\n"))
            .unwrap_or_default(),
        file.training.blocks,
        file.training.label_share,
        file.training.penalty,
        file.training.folds,
        groups.join(", "),
        selection,
    );
    if let Some(band) = file.band {
        let _ = writeln!(out, "band       trees are asked where the first part's log odds are within {band} of 0");
    }
    if file.known_words > 0.0 {
        let usual = file.known_words * 100.0;
        let _ = writeln!(out, "words      {usual:.0} % known on usual pages; fewer lower the log odds");
    }
    let _ = writeln!(out, "\nscores (means over pages)\n  precision  recall      F1  pages  set");
    for score in &file.scores {
        let _ = writeln!(
            out,
            "  {:>9.4}  {:>6.4}  {:>6.4}  {:>5}  {} ({})",
            score.precision, score.recall, score.f1, score.pages, score.set, score.how
        );
    }
    for part in &file.parts {
        let (kind, mut strengths) = strengths(&part.scorer);
        strengths.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
        let _ = writeln!(
            out,
            "\n{kind}, {:.0} % of the log odds: {} columns by strength",
            part.share * 100.0,
            strengths.len(),
        );
        for (column, strength) in strengths {
            let name = file.columns.get(usize::from(column));
            let _ = writeln!(out, "  {strength:>9.4}  {}", name.map_or("", String::as_str));
        }
    }
    if !file.page_types.is_empty() {
        let types = file.page_types.iter();
        let types: Vec<String> = types.map(|page_type| format!("{} {}", page_type.name, page_type.sharpness)).collect();
        let _ = writeln!(out, "\npage types, and what worlds multiply log odds by on them: {}", types.join(", "));
    }
    if let Some(embedded) = &file.embedded {
        let mut weights: Vec<&ColumnWeight> = embedded.scorer.weights.iter().collect();
        let strength = |weight: &ColumnWeight| weight.weight * weight.deviation;
        weights.sort_by(|a, b| strength(b).abs().total_cmp(&strength(a).abs()));
        let _ = writeln!(
            out,
            "\ntexts in JSON-LD alone, linear (strength: weight x deviation): learned from {}, {} of them content",
            embedded.rows.0, embedded.rows.1,
        );
        for weight in weights {
            let name = embedded.columns.get(usize::from(weight.column)).map_or("", String::as_str);
            let _ = writeln!(out, "  {:>9.4}  {name}", strength(weight));
        }
    }
    let _ = writeln!(out, "\n{} listed tokens\n      odds  share of blocks  token", file.listed.len());
    for listed in &file.listed {
        let odds =
            if listed.odds >= 1.0 { format!("{:.1}:1", listed.odds) } else { format!("1:{:.1}", 1.0 / listed.odds) };
        let _ = writeln!(out, "  {odds:>8}  {:>14.2}%  {}", listed.share * 100.0, listed.feature());
    }
    if !file.attribute_weights.is_empty() {
        let mut weights = file.attribute_weights.clone();
        weights.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.term.cmp(&b.term)));
        let line = |weights: &mut dyn Iterator<Item = &trommel::features::TermWeight>| {
            weights.take(40).map(|w| format!("{} {:+.2}", w.term, w.weight)).collect::<Vec<_>>().join(", ")
        };
        let _ = writeln!(
            out,
            "\n{} token weights\n  most content:     {}\n  most boilerplate: {}",
            weights.len(),
            line(&mut weights.iter()),
            line(&mut weights.iter().rev())
        );
    }
    out
}
