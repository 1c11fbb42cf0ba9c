//! `trommel eval`

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use trommel_extract::{CommentRule, Conventions};
use trommel_learn::{EvalOptions, LabelledPage, evaluate, kept_text};
use trommel_text::words::Rule;

use crate::conventions::HeadlineChoice;
use crate::labelled::LabelledArgs;
use crate::models;

/// Score a model on labelled pages: word precision, recall and F1, means over pages
#[derive(Debug, Args)]
pub struct EvalArgs {
    #[command(flatten)]
    labelled: LabelledArgs,
    /// Name of a built-in model, or a model file
    #[arg(long, value_name = "NAME|FILE")]
    model: Option<String>,
    /// Whether readers' comments are content, in the gold and in what the model keeps; auto: where the
    /// gold of the set has comments of its own
    #[arg(long, value_enum, default_value_t = Comments::Auto)]
    comments: Comments,
    /// Whether the headline is part of the text that the model keeps
    #[arg(long, value_enum, default_value_t = HeadlineChoice::Auto)]
    headline: HeadlineChoice,
    /// Take words as runs of \w in every script, instead of counting scripts without spaces by
    /// character
    #[arg(long)]
    strict_words: bool,
    /// Print one JSON object a set
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum Comments {
    Auto,
    Include,
    Exclude,
}

pub fn run(args: &EvalArgs) -> anyhow::Result<ExitCode> {
    let model = models::load(args.model.as_deref())?;
    for set in args.labelled.read()? {
        let has_comments = || set.pages.iter().any(|page| page.gold.has_comments());
        let comments = match args.comments {
            Comments::Auto => has_comments(),
            Comments::Include => true,
            Comments::Exclude => false,
        };
        let options = EvalOptions {
            rule: if args.strict_words {
                Rule::Strict
            } else {
                Rule::Characters
            },
            comments,
        };
        let conventions = Conventions {
            comments: if comments {
                CommentRule::Include
            } else {
                CommentRule::Exclude
            },
            headline: args.headline.rule(),
        };
        let keep = |page: &LabelledPage| {
            let verdicts = conventions.judge(&model, &page.page, page.gold.address());
            let judged = &verdicts.judgement;
            kept_text(&page.page, &judged.choice.kept, &judged.embedded)
        };
        let report = evaluate(&set, keep, &options);
        if args.json {
            crate::out(&format!("{}\n", serde_json::to_string(&report)?))?;
        } else {
            crate::out(&report.to_string())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
