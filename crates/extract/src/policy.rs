//! What counts as main text where people differ: readers' comments and the headline.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, IntoStaticStr, VariantNames};
use trommel_html::Page;
use trommel_model::Model;

use crate::disclosure::keep_summaries;
use crate::role::{Role, roles};
use crate::verdicts::Verdicts;

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

impl ContentPolicy {
    /// Judges the blocks of a page under this policy.
    pub fn judge(&self, model: &Model, page: &Page, url: Option<&str>) -> Verdicts {
        let own = model.judge(page, url);
        let blocks = page.blocks.len();
        let (mut separate, mut separate_embedded) = (Vec::new(), Vec::new());
        let mut body = own.choice.kept.clone();
        keep_summaries(page, &mut body);
        let headline = own.headline;
        if let Some(at) = headline
            && let Some(kept) = body.get_mut(at)
        {
            match self.headline {
                HeadlinePolicy::Auto => {}
                HeadlinePolicy::Include => *kept = true,
                HeadlinePolicy::Exclude => *kept = false,
            }
        }
        let roles = roles(page, &body, &own.in_comments, headline);
        let mut judgement = own;
        judgement.choice.kept = body;
        let has_comments = judgement.in_comments.contains(&true)
            || judgement.embedded.iter().any(|own| own.is_comment());
        if has_comments && self.comments != CommentPolicy::Exclude {
            let wide = model.judge_with_comments(page, url);
            let is_comment = |at: usize| {
                roles.get(at) == Some(&Role::Comment) && wide.choice.kept.get(at) == Some(&true)
            };
            let wide_embedded = wide.embedded.iter().map(|own| own.is_comment() && own.kept);
            if self.comments == CommentPolicy::Separate {
                separate = (0..blocks).map(is_comment).collect();
                separate_embedded = wide_embedded.collect();
            } else {
                for (own, kept) in judgement.embedded.iter_mut().zip(wide_embedded) {
                    own.kept |= kept;
                }
                for (at, kept) in judgement.choice.kept.iter_mut().enumerate() {
                    *kept |= is_comment(at);
                }
                judgement.choice.expected_f1 = wide.choice.expected_f1;
                judgement.probabilities = wide.probabilities;
            }
        }
        Verdicts {
            judgement,
            separate,
            separate_embedded,
            headline: self.headline,
            roles,
        }
    }
}
