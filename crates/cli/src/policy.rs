//! The options `--comments` and `--headline`.

use std::str::FromStr;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use strum::VariantNames;
use trommel_extract::{CommentPolicy, ContentPolicy, HeadlinePolicy};

/// What counts as main text where people differ
#[derive(Clone, Copy, Debug, Args)]
pub struct PolicyArgs {
    /// What becomes of readers' comments beside a page's own text (posts of a forum are its text):
    /// left out, part of the text, or apart from the text in `comments` [default: exclude]
    #[arg(long, value_parser = named::<CommentPolicy>())]
    comments: Option<CommentPolicy>,
    /// Whether the main headline is part of the text: where the model takes it for text, always, or
    /// only in the title [default: auto]
    #[arg(long, value_parser = named::<HeadlinePolicy>())]
    headline: Option<HeadlinePolicy>,
}

/// Reads a value by its name.
pub fn named<T>() -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = strum::ParseError> + VariantNames + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(T::VARIANTS).try_map(|name| name.parse::<T>())
}

impl PolicyArgs {
    /// The policy, that of `before` where the command line says nothing.
    pub fn over(&self, before: ContentPolicy) -> ContentPolicy {
        ContentPolicy {
            comments: self.comments.unwrap_or(before.comments),
            headline: self.headline.unwrap_or(before.headline),
        }
    }
}
