//! `trommel eval`

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use trommel_extract::{CommentRule, Conventions};
use trommel_learn::{EvalOptions, LabelledPage, Mean, Report, evaluate, kept_text};
use trommel_methods::Method;
use trommel_model::Model;
use trommel_text::words::Rule;

use crate::conventions::HeadlineChoice;
use crate::labelled::LabelledArgs;
use crate::methods::MethodArgs;
use crate::models;

/// Score a model or a published method on labelled pages: word precision, recall and F1, means over pages
#[derive(Debug, Args)]
pub struct EvalArgs {
    #[command(flatten)]
    labelled: LabelledArgs,
    /// Name of a built-in model, or a model file
    #[arg(long, value_name = "NAME|FILE", conflicts_with = "method")]
    model: Option<String>,
    #[command(flatten)]
    method: MethodArgs,
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
    let judge = match args.method.fitted()? {
        Some(method) => Judge::Method(method),
        None => Judge::Model(Box::new(models::load(args.model.as_deref())?)),
    };
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
        let report = evaluate(&set, |page| judge.keep(page, &conventions), &options);
        if args.json {
            crate::out(&format!("{}\n", serde_json::to_string(&report)?))?;
        } else {
            crate::out(&table(&report))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What chooses the blocks.
enum Judge {
    Model(Box<Model>),
    Method(Box<dyn Method>),
}

impl Judge {
    fn keep(&self, page: &LabelledPage, conventions: &Conventions) -> String {
        match self {
            Judge::Model(model) => {
                let verdicts = conventions.judge(model, &page.page, page.gold.address());
                let judged = &verdicts.judgement;
                kept_text(&page.page, &judged.choice.kept, &judged.embedded)
            } // A method that is not fitted never gets here.
            Judge::Method(method) => {
                let kept = method.extract(&page.page).unwrap_or_default();
                kept_text(&page.page, &kept, &[])
            }
        }
    }
}

fn table(report: &Report) -> String {
    let mut out = format!(
        "{:<24} {:>6}  precision  recall      F1\n",
        report.set, "pages"
    );
    let mut line = |name: &str, mean: &Mean| {
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "{:<24} {:>6}  {:>9.4}  {:>6.4}  {:>6.4}",
            name, mean.pages, mean.scores.precision, mean.scores.recall, mean.scores.f1
        );
    };
    line("overall", &report.overall);
    for (page_type, mean) in &report.by_page_type {
        line(&format!("  type {page_type}"), mean);
    }
    for (lang, mean) in &report.by_language {
        line(&format!("  lang {lang}"), mean);
    }
    out
}
