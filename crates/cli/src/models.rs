//! `trommel model`: describes models. Also loads the model that `--model` names.

use std::collections::BTreeMap;

use askama::Template;
use clap::{Args, Subcommand};
use trommel::{Model, Settings};
use trommel_model::features::TypeWords;
use trommel_model::{ColumnWeight, ModelFile, Scorer, Selection, TreeNode};

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

/// Loads a built-in model by name, or a model file by path; `None` loads the default model.
pub fn named(model: Option<&str>) -> anyhow::Result<Model> {
    let mut settings = Settings::default();
    settings.model = model.unwrap_or_default().to_owned();
    Ok(settings.model()?)
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
                crate::out(&describe(model.file())?)?;
            }
        }
    }
    Ok(Exit::Clean)
}

fn summary(file: &ModelFile) -> String {
    let scores: Vec<String> = file.scores.iter().map(|score| format!("{} {:.3}", score.set, score.f1)).collect();
    format!("{} features, {}, F1 {}", file.columns.len(), file.created, scores.join(", "))
}

/// Description of a model as text, by the template `model.txt`.
#[derive(Template)]
#[template(path = "model.txt")]
struct Description<'a> {
    file: &'a ModelFile,
    sets: Vec<String>,
    groups: Vec<&'static str>,
    parts: Vec<Part<'a>>,
    types: Vec<String>,
    /// Each page type with the words of class names and addresses that tell it best.
    type_words: Vec<String>,
    embedded_columns: Vec<(f32, &'a str)>,
    /// Words of `class` and `id` attributes with their weights, the largest weight first.
    tokens: Vec<String>,
}

/// Description of one part of a model: a linear or additive scorer, or boosted trees.
struct Part<'a> {
    kind: &'static str,
    /// Weight in percent of this part in the model's sum of log odds over all its parts.
    share: f32,
    /// Strength (influence on the probability) and name of each feature column, the strongest first.
    columns: Vec<(f32, &'a str)>,
}

/// Number of words shown that tell a page type.
const MOST_TYPE_WORDS: usize = 10;
/// Number of attribute words (from `class` and `id`) shown for content, and the same number for boilerplate.
const MOST_TOKENS: usize = 40;

fn joined(texts: impl IntoIterator<Item = impl ToString>) -> String {
    texts.into_iter().map(|text| text.to_string()).collect::<Vec<_>>().join(", ")
}

fn selection(selection: &Selection) -> String {
    match selection {
        Selection::Threshold(threshold) => format!("probability of at least {threshold}"),
        Selection::ExpectedF1 => "highest expected F1 of the page".to_owned(),
        Selection::SharpF1(sharpness) => format!("highest expected F1 of the page, log odds times {sharpness}"),
        Selection::Worlds(sharpness) => {
            format!("highest mean F1 over worlds of shared errors, log odds times {sharpness}")
        }
    }
}

fn odds(odds: &f32) -> String {
    if *odds >= 1.0 { format!("{odds:.1}:1") } else { format!("1:{:.1}", 1.0 / odds) }
}

fn linear(weights: &[ColumnWeight]) -> Vec<(u16, f32)> {
    weights.iter().map(|weight| (weight.column, weight.weight * weight.deviation)).collect()
}

/// Returns a description of a scorer's kind, and the number and strength (influence) of each feature column in it.
fn strengths(scorer: &Scorer) -> (&'static str, Vec<(u16, f32)>) {
    match scorer {
        Scorer::Linear(part) => ("linear (strength: weight x deviation)", linear(&part.weights)),
        Scorer::Additive(additive) => {
            let range = |weights: &[f32]| {
                let high = weights.iter().copied().fold(f32::MIN, f32::max);
                high - weights.iter().copied().fold(f32::MAX, f32::min)
            };
            let steps = additive.step_functions.iter();
            let strengths = steps.map(|step| (step.column, range(&step.weights))).collect();
            ("additive (strength: highest less lowest weight of the column's bins)", strengths)
        }
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

/// Sorts columns by the absolute value of their strength, largest first, and adds their names. Ties are sorted by
/// column number.
fn named_columns(mut strengths: Vec<(u16, f32)>, columns: &[String]) -> Vec<(f32, &str)> {
    strengths.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
    let name = |column: u16| columns.get(usize::from(column)).map_or("", String::as_str);
    strengths.into_iter().map(|(column, strength)| (strength, name(column))).collect()
}

/// Returns each page type with the words that tell it best and their log odds, the largest first.
fn type_words(words: &TypeWords) -> Vec<String> {
    let of_type = |(at, name): (usize, &String)| {
        let mut all: Vec<(f32, &str)> =
            words.words.iter().filter_map(|word| Some((*word.log_odds.get(at)?, word.word.as_str()))).collect();
        all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        let shown = all.iter().take(MOST_TYPE_WORDS).map(|(odds, word)| format!("{word} {odds:+.2}"));
        format!("{name}: {}", joined(shown))
    };
    words.types.iter().enumerate().map(of_type).collect()
}

fn describe(file: &ModelFile) -> anyhow::Result<String> {
    let parts = file.parts.iter().map(|part| {
        let (kind, strengths) = strengths(&part.scorer);
        Part { kind, share: part.share * 100.0, columns: named_columns(strengths, &file.columns) }
    });
    let embedded = file.embedded.as_ref();
    let mut tokens = file.attribute_weights.clone();
    tokens.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.term.cmp(&b.term)));
    let description = Description {
        file,
        sets: file.training.sets.iter().map(|set| format!("{} ({} pages)", set.name, set.pages)).collect(),
        groups: file.groups.iter().map(|group| group.name()).collect(),
        parts: parts.collect(),
        types: file.page_types.iter().map(|kind| format!("{} {}", kind.name, kind.sharpness)).collect(),
        type_words: type_words(&file.type_words),
        embedded_columns: embedded
            .map(|embedded| named_columns(linear(&embedded.scorer.weights), &embedded.columns))
            .unwrap_or_default(),
        tokens: tokens.iter().map(|token| format!("{} {:+.2}", token.term, token.weight)).collect(),
    };
    Ok(description.render()?)
}
