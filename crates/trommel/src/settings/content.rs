//! Settings of the choice of main text, with their defaults.

use serde::{Deserialize, Serialize};
use trommel_extract::{ArticlePolicy, CommentPolicy, Favor, HeadlinePolicy, RoleSet};

/// Choice of main text, where conventions differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ContentSettings {
    /// Treatment of readers' comments; posts of a forum are main text.
    pub comments: CommentPolicy,
    /// Treatment of the main headline, which is always a source of the title.
    pub headline: HeadlinePolicy,
    /// Treatment of further articles below the first, which endless pages append.
    pub articles: ArticlePolicy,
    /// Preference for precise or for complete text.
    pub favor: Favor,
    /// Roles whose blocks are always part of the text.
    pub include: RoleSet,
    /// Roles whose blocks are never part of the text.
    pub exclude: RoleSet,
}
