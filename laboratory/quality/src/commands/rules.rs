//! `trommel-quality rules`: measures the effect of each rule.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;
use trommel_model::Model;
use trommel_quality::rules::{Effect, effects};

/// Measure how much each rule adds to word F1 on labelled pages, as a Markdown table
#[derive(Debug, Args)]
pub struct RulesArgs {
    /// Archives of labelled pages, each with its gold beside it
    #[arg(long, required = true, num_args = 1.., value_name = "WARC")]
    pages: Vec<PathBuf>,
    /// Name of a built-in model
    #[arg(long, default_value = "fast")]
    model: String,
}

pub fn run(args: &RulesArgs) -> anyhow::Result<()> {
    let model = Model::builtin(&args.model).context("no such model")?;
    let model = Arc::new(model);
    let mut names = Vec::new();
    let mut sums: Vec<(&str, Effect, Vec<Effect>)> = Vec::new();
    for pages in &args.pages {
        let set = crate::read(pages)?;
        for (at, (rule, effect)) in effects(&set, &model).into_iter().enumerate() {
            if sums.len() == at {
                sums.push((rule.name, Effect::default(), Vec::new()));
            }
            if let Some((_, sum, of_sets)) = sums.get_mut(at) {
                *sum = sum.and(effect);
                of_sets.push(effect);
            }
        }
        names.push(set.name);
    }
    let mut text = "| rule | pages changed | better | worse | F1 all |".to_owned();
    names.iter().for_each(|name| text += &format!(" {name} |"));
    text += "\n|---|---:|---:|---:|---:|";
    text += &"---:|".repeat(names.len());
    let mean = |effect: &Effect| match effect.changed {
        0 => " |".to_owned(),
        _ => format!(" {:+.5} |", effect.gain / effect.pages.max(1) as f64),
    };
    for (name, sum, of_sets) in &sums {
        let counts = [sum.changed, sum.better, sum.worse].map(|count| count.to_string());
        text += &format!("\n| {name} | {} |{}", counts.join(" | "), mean(sum));
        of_sets.iter().for_each(|effect| text += &mean(effect));
    }
    text.push('\n');
    crate::out(&text)
}
