//! The options `--comments` and `--headline`.

use clap::{Args, ValueEnum};
use trommel_extract::{CommentRule, Conventions, HeadlineRule};

/// What counts as main text where people differ
#[derive(Clone, Copy, Debug, Args)]
pub struct ConventionArgs {
    /// What becomes of readers' comments beside a page's own text; posts of a forum are its text
    /// [default: exclude]
    #[arg(long, value_enum)]
    comments: Option<CommentChoice>,
    /// Whether the main headline is part of the text [default: auto]
    #[arg(long, value_enum)]
    headline: Option<HeadlineChoice>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum CommentChoice {
    /// Left out
    Exclude,
    /// Part of the text
    Include,
    /// Apart from the text, in `comments`
    Separate,
}

/// What becomes of the headline.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum HeadlineChoice {
    /// Where the model takes it for text
    Auto,
    /// Always part of the text
    Include,
    /// Only in the title
    Exclude,
}

impl HeadlineChoice {
    /// The rule it names.
    pub fn rule(self) -> HeadlineRule {
        match self {
            HeadlineChoice::Auto => HeadlineRule::Auto,
            HeadlineChoice::Include => HeadlineRule::Include,
            HeadlineChoice::Exclude => HeadlineRule::Exclude,
        }
    }
}

impl ConventionArgs {
    /// The conventions, those of `before` where the command line says nothing.
    pub fn over(&self, before: Conventions) -> Conventions {
        Conventions {
            comments: self
                .comments
                .map_or(before.comments, |choice| match choice {
                    CommentChoice::Exclude => CommentRule::Exclude,
                    CommentChoice::Include => CommentRule::Include,
                    CommentChoice::Separate => CommentRule::Separate,
                }),
            headline: self.headline.map_or(before.headline, HeadlineChoice::rule),
        }
    }
}
