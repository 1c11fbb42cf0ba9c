//! `trommel eval`: scores a model on labelled pages, and the arguments that name them.

use std::path::{Path, PathBuf};
use std::{str::FromStr, sync::Arc};

use anyhow::{Context, bail};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use strum::VariantNames;
use trommel::learn::{EvalOptions, LabelledPage, PageSet, Report, evaluate, gold_beside, read_set, text_by};
use trommel::{CommentPolicy, ContentPolicy, Favor, HeadlinePolicy, extract::Extractor};
use trommel_text::words::Rule;

use crate::{exit::Exit, models};

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

/// Returns a parser of command-line values that accepts the names of the variants of `T`.
fn named<T>() -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = strum::ParseError> + VariantNames + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(T::VARIANTS).try_map(|name| name.parse::<T>())
}

/// Returns a parser of comment policies without `separate`, because a score covers a single text.
fn comment_policy() -> impl TypedValueParser<Value = CommentPolicy> {
    let names = CommentPolicy::VARIANTS.iter().copied();
    let separate: &str = CommentPolicy::Separate.into();
    let names: Vec<&str> = names.filter(|name| *name != separate).collect();
    PossibleValuesParser::new(names).try_map(|name| name.parse::<CommentPolicy>())
}

pub fn run(args: &EvalArgs) -> anyhow::Result<Exit> {
    let model = Arc::new(models::named(args.model.as_deref())?);
    for set in args.labelled.read()? {
        let by_gold = if set.has_comments() { CommentPolicy::Include } else { CommentPolicy::Exclude };
        let comments = args.comments.unwrap_or(by_gold);
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

#[derive(Debug, Args)]
pub struct LabelledArgs {
    /// Archives of labelled pages
    #[arg(long, required = true, num_args = 1.., value_name = "WARC")]
    pages: Vec<PathBuf>,
    /// Gold of each archive, as JSON lines, in the same order [default: NAME.gold.jsonl.gz beside
    /// NAME.warc.gz]
    #[arg(long, num_args = 1.., value_name = "JSONL")]
    gold: Vec<PathBuf>,
}

impl LabelledArgs {
    /// Returns the archives of labelled pages and the gold file of each.
    #[cfg(feature = "train")]
    pub fn files(&self) -> impl Iterator<Item = PathBuf> {
        let beside = self.pages.iter().filter_map(|pages| gold_beside(pages));
        self.pages.iter().chain(&self.gold).cloned().chain(beside)
    }

    /// Reads the archives of labelled pages, each with its gold file.
    pub fn read(&self) -> anyhow::Result<Vec<PageSet>> {
        if !self.gold.is_empty() && self.gold.len() != self.pages.len() {
            bail!("{} archives but {} gold files: give one each, or none", self.pages.len(), self.gold.len());
        }
        read_sets(&self.pages, &self.gold)
    }
}

/// Returns the gold file of an archive: `given`, or the file in the same folder with the default name.
pub fn gold_of(pages: &Path, given: Option<&PathBuf>) -> anyhow::Result<PathBuf> {
    given
        .cloned()
        .or_else(|| gold_beside(pages))
        .with_context(|| format!("{}: cannot tell its gold file: name it with --gold", pages.display()))
}

/// Reads archives of labelled pages, each with the gold file at the same index of `golds`, or else with the default
/// gold file in its folder.
pub fn read_sets(archives: &[PathBuf], golds: &[PathBuf]) -> anyhow::Result<Vec<PageSet>> {
    let mut sets = Vec::new();
    for (at, pages) in archives.iter().enumerate() {
        let set = read_set(pages, &gold_of(pages, golds.get(at))?)?;
        tracing::info!("{}: {} labelled pages", set.name, set.pages.len());
        sets.push(set);
    }
    Ok(sets)
}
