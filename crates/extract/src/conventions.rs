//! What counts as main text where people differ: readers' comments and the headline.

use std::fmt;

use serde::{Deserialize, Serialize};
use trommel_html::Page;
use trommel_model::{Choice, Judgement, Model};

use crate::role::{Role, roles};

/// What becomes of readers' comments beside a page's own text. Posts of a forum are its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CommentRule {
    /// They are left out.
    #[default]
    Exclude,
    /// They are part of the text.
    Include,
    /// They are kept apart from the text.
    Separate,
}

/// Whether the main headline is part of the text. It is always a source of the title.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HeadlineRule {
    /// Where the model takes it for text.
    #[default]
    Auto,
    /// Always.
    Include,
    /// Never.
    Exclude,
}

impl fmt::Display for CommentRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exclude => "exclude",
            Self::Include => "include",
            Self::Separate => "separate",
        })
    }
}

impl fmt::Display for HeadlineRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Include => "include",
            Self::Exclude => "exclude",
        })
    }
}

/// The conventions of an extraction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conventions {
    /// Readers' comments.
    pub comments: CommentRule,
    /// The headline.
    pub headline: HeadlineRule,
}

/// A page's blocks with all that was decided about them.
#[derive(Clone, Debug, Default)]
pub struct Verdicts {
    /// The model's judgement; its choice follows the conventions.
    pub judgement: Judgement,
    /// Comments that are kept apart from the text (only under [`CommentRule::Separate`]).
    pub separate: Vec<bool>,
    /// The same of the judgement's embedded texts: comments that stand in the JSON-LD alone.
    pub separate_embedded: Vec<bool>,
    /// Role of each block.
    pub roles: Vec<Role>,
}

impl Conventions {
    /// Judges the blocks of a page under these conventions.
    pub fn judge(&self, model: &Model, page: &Page, url: Option<&str>) -> Verdicts {
        let own = model.judge(page, url);
        let blocks = page.blocks.len();
        let (mut separate, mut separate_embedded) = (Vec::new(), Vec::new());
        let mut body = own.choice.kept.clone();
        let headline = own.headline;
        if let Some(at) = headline
            && let Some(kept) = body.get_mut(at)
        {
            match self.headline {
                HeadlineRule::Auto => {}
                HeadlineRule::Include => *kept = true,
                HeadlineRule::Exclude => *kept = false,
            }
        }
        let roles = roles(page, &body, &own.in_comments, headline);
        let mut judgement = own;
        judgement.choice.kept = body;
        let has_comments = judgement.in_comments.contains(&true)
            || judgement.embedded.iter().any(|own| own.is_comment());
        if has_comments && self.comments != CommentRule::Exclude {
            let wide = model.judge_with_comments(page, url);
            let is_comment = |at: usize| {
                roles.get(at) == Some(&Role::Comment) && wide.choice.kept.get(at) == Some(&true)
            };
            let wide_embedded = wide.embedded.iter().map(|own| own.is_comment() && own.kept);
            if self.comments == CommentRule::Separate {
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
            roles,
        }
    }
}

impl Verdicts {
    /// The verdicts of a method that is no model: a choice, probabilities of 0 and 1, no roles.
    pub fn of_method(probabilities: Vec<f32>, choice: Choice) -> Self {
        Self {
            judgement: Judgement {
                probabilities,
                choice,
                ..Judgement::default()
            },
            ..Self::default()
        }
    }
}
