//! The options `--comments`, `--headline`, `--articles`, `--include` and `--exclude`.

use std::str::FromStr;

use anyhow::bail;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use strum::VariantNames;
use trommel_extract::{ArticlePolicy, CommentPolicy, ContentPolicy, HeadlinePolicy, Role};

/// What counts as main text where people differ
#[derive(Clone, Debug, Args)]
pub struct PolicyArgs {
    /// What becomes of readers' comments beside a page's own text (posts of a forum are its text):
    /// left out, part of the text, or apart from the text in `comments` [default: exclude]
    #[arg(long, value_parser = named::<CommentPolicy>())]
    comments: Option<CommentPolicy>,
    /// Whether the main headline is part of the text: where the model takes it for text, always, or
    /// only in the title [default: auto]
    #[arg(long, value_parser = named::<HeadlinePolicy>())]
    headline: Option<HeadlinePolicy>,
    /// Of a page that shows more articles below its own, as pages do that go on at their end: the text of
    /// all, or of the first [default: all]
    #[arg(long, value_parser = named::<ArticlePolicy>())]
    articles: Option<ArticlePolicy>,
    /// Roles of which all blocks are part of the text, whatever the model says of each
    #[arg(long, value_name = "ROLE,...", value_delimiter = ',', value_parser = named::<Role>())]
    include: Vec<Role>,
    /// Roles of which no block is part of the text
    #[arg(long, value_name = "ROLE,...", value_delimiter = ',', value_parser = named::<Role>())]
    exclude: Vec<Role>,
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
    ///
    /// # Errors
    /// If a role is both in and out.
    pub fn over(&self, before: ContentPolicy) -> anyhow::Result<ContentPolicy> {
        let given = |roles: &[Role], before| match roles {
            [] => before,
            roles => roles.iter().copied().collect(),
        };
        let policy = ContentPolicy {
            comments: self.comments.unwrap_or(before.comments),
            headline: self.headline.unwrap_or(before.headline),
            articles: self.articles.unwrap_or(before.articles),
            include: given(&self.include, before.include),
            exclude: given(&self.exclude, before.exclude),
        };
        if let Some(role) = policy
            .include
            .iter()
            .find(|role| policy.exclude.contains(*role))
        {
            bail!("the role {} is both to include and to exclude", role.name());
        }
        Ok(policy)
    }
}
