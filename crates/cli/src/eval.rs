//! `trommel eval`

use std::str::FromStr;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use strum::VariantNames;
use trommel::{
    CommentPolicy, ContentPolicy, HeadlinePolicy,
    learn::{EvalOptions, LabelledPage, evaluate, text_by},
    texts::words::Rule,
};

use crate::exit::Exit;
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
    /// Whether readers' comments are content, in the gold and in what the model keeps [default:
    /// include where the gold of the set has comments of its own]
    #[arg(long, value_parser = comment_policy())]
    comments: Option<CommentPolicy>,
    /// Whether the headline is part of the text that the model keeps
    #[arg(long, value_parser = named::<HeadlinePolicy>(), default_value_t)]
    headline: HeadlinePolicy,
    /// Take words as runs of \w in every script, instead of counting scripts without spaces by
    /// character
    #[arg(long)]
    strict_words: bool,
    /// Print one JSON object a set
    #[arg(long)]
    json: bool,
}

/// Reads a value by its name.
fn named<T>() -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = strum::ParseError> + VariantNames + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(T::VARIANTS).try_map(|name| name.parse::<T>())
}

/// Comments are content or they are not: a score has no place for a third kind of text.
fn comment_policy() -> impl TypedValueParser<Value = CommentPolicy> {
    let names = CommentPolicy::VARIANTS.iter().copied();
    let separate: &str = CommentPolicy::Separate.into();
    let names: Vec<&str> = names.filter(|name| *name != separate).collect();
    PossibleValuesParser::new(names).try_map(|name| name.parse::<CommentPolicy>())
}

pub fn run(args: &EvalArgs) -> anyhow::Result<Exit> {
    let model = models::named(args.model.as_deref())?;
    for set in args.labelled.read()? {
        let has_comments = || set.pages.iter().any(|page| page.gold.has_comments());
        let comments = match args.comments {
            Some(policy) => policy,
            None if has_comments() => CommentPolicy::Include,
            None => CommentPolicy::Exclude,
        };
        let options = EvalOptions {
            rule: if args.strict_words {
                Rule::Strict
            } else {
                Rule::Characters
            },
            comments: comments != CommentPolicy::Exclude,
        };
        let policy = ContentPolicy {
            comments,
            headline: args.headline,
            ..ContentPolicy::default()
        };
        let keep = |page: &LabelledPage| text_by(&model, &policy, page);
        let report = evaluate(&set, keep, &options);
        if args.json {
            crate::out(&format!("{}\n", serde_json::to_string(&report)?))?;
        } else {
            crate::out(&report.to_string())?;
        }
    }
    Ok(Exit::Clean)
}
