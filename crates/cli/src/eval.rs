//! `trommel eval`: scores a model on labelled pages.

use std::str::FromStr;
use std::sync::Arc;

use anyhow::bail;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use strum::VariantNames;
use trommel::extract::Extractor;
use trommel::learn::{EvalOptions, LabelledPage, Report, evaluate, text_by};
use trommel::{CommentPolicy, ContentPolicy, Favor, HeadlinePolicy};
use trommel_text::words::Rule;

use crate::exit::Exit;
use crate::labelled::LabelledArgs;
use crate::models;

/// Score a model on labelled pages: mean word precision, recall and F1 of the text that `run` writes
#[derive(Debug, Args)]
pub struct EvalArgs {
    #[command(flatten)]
    labelled: LabelledArgs,
    /// Name of a built-in model, or a model file
    #[arg(long, value_name = "NAME|FILE")]
    model: Option<String>,
    /// Treatment of readers' comments, in the gold and in the model's text [default: include, if the gold has
    /// separate comments]
    #[arg(long, value_parser = comment_policy())]
    comments: Option<CommentPolicy>,
    /// Treatment of the headline in the model's text
    #[arg(long, value_parser = named::<HeadlinePolicy>(), default_value_t)]
    headline: HeadlinePolicy,
    /// Preference for precise or for complete text
    #[arg(long, value_parser = named::<Favor>(), default_value_t)]
    favor: Favor,
    /// Count words as runs of \w in every script, instead of counting scripts without spaces by character
    #[arg(long)]
    strict_words: bool,
    /// Print a JSON object for each set
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
    let model = Arc::new(models::named(args.model.as_deref())?);
    for set in args.labelled.read()? {
        let has_comments = || set.pages.iter().any(|page| page.gold.has_comments());
        let comments = match args.comments {
            Some(policy) => policy,
            None if has_comments() => CommentPolicy::Include,
            None => CommentPolicy::Exclude,
        };
        let options = EvalOptions {
            rule: if args.strict_words { Rule::Strict } else { Rule::Characters },
            comments: comments != CommentPolicy::Exclude,
        };
        let policy = ContentPolicy { comments, headline: args.headline, favor: args.favor, ..ContentPolicy::default() };
        let extractor = Extractor::new(Arc::clone(&model)).with_policy(policy);
        let report = evaluate(&set, |page: &LabelledPage| text_by(&extractor, page), &options);
        if report.without_text == set.pages.len() {
            bail!("{}: no page has a gold text (key gold or with)", set.name);
        }
        if report.without_text > 0 {
            let Report { set, without_text, .. } = &report;
            tracing::warn!("{set}: {without_text} pages have no gold text (key gold or with) and no score");
        }
        if args.json {
            crate::out(&format!("{}\n", serde_json::to_string(&report)?))?;
        } else {
            crate::out(&report.to_string())?;
        }
    }
    Ok(Exit::Clean)
}
