//! What counts as main text where people differ: readers' comments and the headline.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, IntoStaticStr, VariantNames};

/// What becomes of readers' comments beside a page's own text. Posts of a forum are its text.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    IntoStaticStr,
    VariantNames,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum CommentPolicy {
    /// They are left out.
    #[default]
    Exclude,
    /// They are part of the text.
    Include,
    /// They are kept apart from the text.
    Separate,
}

/// Whether the main headline is part of the text. It is always a source of the title.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    VariantNames,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum HeadlinePolicy {
    /// Where the model takes it for text.
    #[default]
    Auto,
    /// Always.
    Include,
    /// Never.
    Exclude,
}

/// What counts as main text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContentPolicy {
    /// Readers' comments.
    pub comments: CommentPolicy,
    /// The headline.
    pub headline: HeadlinePolicy,
}
