//! What was decided about the blocks of a page.

use trommel_model::{Choice, Judgement};

use crate::policy::HeadlinePolicy;
use crate::role::Role;

/// A page's blocks with all that was decided about them.
#[derive(Clone, Debug, Default)]
pub struct Verdicts {
    /// The model's judgement; its choice follows the policy.
    pub judgement: Judgement,
    /// Comments that are kept apart from the text (only under [`CommentPolicy::Separate`](crate::CommentPolicy::Separate)).
    pub separate: Vec<bool>,
    /// The same of the judgement's embedded texts: comments that stand in the JSON-LD alone.
    pub separate_embedded: Vec<bool>,
    /// What was asked of the headline.
    pub headline: HeadlinePolicy,
    /// Role of each block.
    pub roles: Vec<Role>,
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
