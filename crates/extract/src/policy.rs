//! The content policy decides whether readers' comments, the headline, further articles and blocks of chosen
//! roles are main text.

use serde::{Deserialize, Serialize};
#[cfg(feature = "strum")]
use strum::{Display, EnumString, IntoStaticStr, VariantNames};

use crate::choice::RuleSet;
use crate::role_set::RoleSet;

/// A choice that has the same names in configuration files, options and output.
macro_rules! named {
    ($(#[$attribute:meta])* pub enum $name:ident { $($variants:tt)* }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[cfg_attr(feature = "strum", derive(Display, EnumString, IntoStaticStr, VariantNames))]
        #[serde(rename_all = "kebab-case")]
        #[cfg_attr(feature = "strum", strum(serialize_all = "kebab-case"))]
        pub enum $name { $($variants)* }
    };
}

named! {
    /// The treatment of readers' comments beside a page's own text. Posts of a forum are main text.
    pub enum CommentPolicy {
        /// Left out.
        // Golds differ; on pages with prose of their own comments are no text unless asked for.
        #[default]
        Exclude,
        /// Part of the text.
        Include,
        /// Apart from the text, in `comments`.
        Separate,
    }
}

named! {
    /// Treatment of the main headline in the text. It is always a source of the title.
    pub enum HeadlinePolicy {
        /// Part of the text if the model keeps it.
        #[default]
        Auto,
        /// Always part of the text.
        Include,
        /// Never part of the text.
        Exclude,
    }
}

named! {
    /// The treatment of articles that a page shows below its own. Endless pages append them.
    pub enum ArticlePolicy {
        /// Part of the text.
        #[default]
        All,
        /// Left out.
        First,
    }
}

named! {
    /// Preference of the choice of blocks: against too much text, or against too little.
    pub enum Favor {
        /// Fewer doubtful blocks.
        Precision,
        /// The choice that the model expects to be best.
        #[default]
        Balanced,
        /// More doubtful blocks.
        Recall,
    }
}

impl Favor {
    /// Bias added to the log odds of every block before the choice.
    // The medians, over 13 labelled sets, of the shifts with the best F0.5 and F2 (docs/decisions/favor.md).
    pub(crate) fn shift(self) -> f32 {
        match self {
            Self::Precision => -0.5,
            Self::Balanced => 0.0,
            Self::Recall => 1.0,
        }
    }
}

/// The choice of main text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContentPolicy {
    /// Readers' comments.
    pub comments: CommentPolicy,
    /// The headline.
    pub headline: HeadlinePolicy,
    /// Articles that follow the first.
    pub articles: ArticlePolicy,
    /// Too much text or too little.
    pub favor: Favor,
    /// Roles of which all blocks are main text.
    pub include: RoleSet,
    /// Roles of which none is, whatever `include` says.
    pub exclude: RoleSet,
    /// Rules that are not applied, to measure their effect.
    pub without: RuleSet,
}
