//! Decides about the blocks of a page, with a model and a content policy.

use trommel_html::Page;
use trommel_model::{Choice, Judgement, Model, Selection};

use crate::choice::{Decider, Decisions, JudgedPage, RuleSet};
use crate::kept::KeptBlocks as _;
use crate::policy::{ArticlePolicy, CommentPolicy, ContentPolicy, Favor, HeadlinePolicy};
use crate::render::embedded::role as role_of_embedded;
use crate::repeated_comments::keep_repeated_comments;
use crate::role::{Role, refined, roles};
use crate::role_set::RoleSet;
use crate::threads::judged_as_thread;

/// Every decision about the blocks of a page: probability, role, kept or dropped, and the rule that decided.
#[derive(Clone, Debug, Default)]
pub struct Verdicts {
    /// The model's judgement; its choice follows the policy.
    pub judgement: Judgement,
    /// Comments that are kept apart from the text, only under
    /// [`CommentPolicy::Separate`](crate::CommentPolicy::Separate).
    pub separate: Vec<bool>,
    /// The same of the judgement's embedded texts: comments that stand in the JSON-LD alone.
    pub separate_embedded: Vec<bool>,
    /// The policy for the headline.
    pub headline: HeadlinePolicy,
    /// The policy for articles that follow the first.
    pub articles: ArticlePolicy,
    /// Role of each block: with those of the [`RoleModel`](trommel_model::RoleModel) only if the policy asks
    /// for roles ([`Extraction::roles`](crate::Extraction::roles) always has them).
    pub roles: Vec<Role>,
    /// Roles of which no block is main text, whatever is kept with others later.
    pub exclude: RoleSet,
    /// The final decider of each block.
    pub by: Vec<Decider>,
    /// Rules that are not applied.
    pub without: RuleSet,
    /// True if a memory knew other pages of the site.
    pub by_sites: bool,
}

impl ContentPolicy {
    /// Judges the blocks of a page under this policy.
    pub fn judge(&self, model: &Model, page: &Page, url: Option<&str>) -> Verdicts {
        self.verdicts(model, page, url, model.judge(page, url), None)
    }

    /// The verdicts that follow from the model's judgement of a page under this policy. The log odds of its
    /// blocks change if other evidence than the page speaks for or against them.
    pub fn verdicts(
        &self,
        model: &Model,
        page: &Page,
        url: Option<&str>,
        mut judgement: Judgement,
        changes: Option<&[f32]>,
    ) -> Verdicts {
        // Whoever wants comments apart has posts of that name among them.
        if self.comments == CommentPolicy::Exclude {
            judgement = judged_as_thread(model, page, url, judgement);
        }
        if let Some(changes) = changes {
            model.correct(page, &mut judgement, changes, false);
        }
        self.favored(model, page, &mut judgement, false);
        let mut body = judgement.choice.kept.clone();
        let mut by = vec![Decider::MODEL; body.len()];
        let mut decisions = Decisions::new(&mut body, &mut by);
        let judged = JudgedPage {
            page,
            fields: &judgement.fields,
            headline: judgement.headline,
            probabilities: &judgement.probabilities,
            in_comments: &judgement.in_comments,
            keeps_doubtful: self.favor != Favor::Precision && !is_one_text(&judgement),
            is_article: judgement.page_type.as_ref().is_some_and(|page_type| page_type.name == ARTICLE),
            has_threshold: matches!(model.file().selection, Selection::Threshold(_)),
            keeps_embedded: judgement.embedded.iter().any(|embedded| embedded.kept),
        };
        let keeps_nothing = !decisions.kept.contains(&true);
        // Before the policy: rules mend the model's choice, the policy is the user's.
        decisions.judged(&judged, self.without);
        // The model expected nothing of what it did not choose.
        if keeps_nothing && !judged.keeps_embedded && decisions.kept.contains(&true) {
            judgement.choice.expected_f1 = expected_f1(page, &judgement.probabilities, decisions.kept);
        }
        let headline = judgement.headline;
        decisions.changed(Decider::POLICY, |kept| {
            if let Some(kept) = headline.and_then(|at| kept.get_mut(at)) {
                match self.headline {
                    HeadlinePolicy::Auto => {}
                    HeadlinePolicy::Include => *kept = true,
                    HeadlinePolicy::Exclude => *kept = false,
                }
            }
        });
        let roles = roles(page, &body, &judgement.in_comments, headline);
        judgement.choice.kept = body;
        let has_comments =
            judgement.in_comments.contains(&true) || judgement.embedded.iter().any(|embedded| embedded.is_comment());
        let (separate, separate_embedded) = if has_comments && self.comments != CommentPolicy::Exclude {
            // The page is judged a second time only where it has comments and they are asked for.
            let mut wide = model.judge_with_comments(page, url);
            if let Some(changes) = changes {
                model.correct(page, &mut wide, changes, true);
            }
            self.favored(model, page, &mut wide, true);
            self.with_comments(page, wide, &roles, &mut judgement, &mut by)
        } else {
            (Vec::new(), Vec::new())
        };
        let roles = self.with_roles(roles, page, url, &mut judgement, &mut by);
        Verdicts {
            judgement,
            separate,
            separate_embedded,
            headline: self.headline,
            articles: self.articles,
            roles,
            exclude: self.exclude,
            by,
            without: self.without,
            by_sites: false,
        }
    }
}

impl ContentPolicy {
    /// Takes the comments of a page, judged `wide` with them, into the judgement; or gives them by themselves, with those
    /// of embedded texts, if they are wanted apart.
    fn with_comments(
        &self,
        page: &Page,
        mut wide: Judgement,
        roles: &[Role],
        judgement: &mut Judgement,
        by: &mut Vec<Decider>,
    ) -> (Vec<bool>, Vec<bool>) {
        let is_beside = |at: usize| roles.get(at) == Some(&Role::Comment);
        keep_repeated_comments(page, &wide.probabilities, is_beside, &mut wide.choice.kept);
        let is_comment = |at: usize| is_beside(at) && wide.choice.kept.has(at);
        let wide_embedded = wide.embedded.iter().map(|embedded| embedded.is_comment() && embedded.kept);
        if self.comments == CommentPolicy::Separate {
            return ((0..page.blocks.len()).map(is_comment).collect(), wide_embedded.collect());
        }
        for (embedded, kept) in judgement.embedded.iter_mut().zip(wide_embedded) {
            embedded.kept |= kept;
        }
        let mut decisions = Decisions::new(&mut judgement.choice.kept, by);
        decisions.changed(Decider::POLICY, |kept| {
            for (at, kept) in kept.iter_mut().enumerate() {
                *kept |= is_comment(at);
            }
        });
        judgement.choice.expected_f1 = wide.choice.expected_f1;
        judgement.probabilities = wide.probabilities;
        (Vec::new(), Vec::new())
    }

    /// Keeps the roles that are asked for, and drops those that are not wanted; gives the roles, found anew if anything
    /// is said of them.
    fn with_roles(
        &self,
        roles: Vec<Role>,
        page: &Page,
        url: Option<&str>,
        judgement: &mut Judgement,
        by: &mut Vec<Decider>,
    ) -> Vec<Role> {
        if self.include.is_empty() && self.exclude.is_empty() {
            return roles;
        }
        // Only if asked for: the role models take longer than judging the page.
        let roles = refined(&roles, page, url);
        // Exclusion wins, so that both lists together mean the same in any order.
        let asked = |kept: bool, role: Role| (kept || self.include.contains(role)) && !self.exclude.contains(role);
        let mut decisions = Decisions::new(&mut judgement.choice.kept, by);
        decisions.changed(Decider::POLICY, |kept| {
            for (kept, role) in kept.iter_mut().zip(&roles) {
                *kept = asked(*kept, *role);
            }
        });
        for embedded in &mut judgement.embedded {
            embedded.kept = asked(embedded.kept, role_of_embedded(embedded));
        }
        roles
    }

    /// Chooses anew if the policy favors precision or recall.
    fn favored(&self, model: &Model, page: &Page, judgement: &mut Judgement, with_comments: bool) {
        if self.favor != Favor::Balanced {
            model.choose_shifted(page, judgement, self.favor.shift(), with_comments);
        }
    }
}

/// The sharpness of a page from which it is almost surely an article or a thread: their own is 1.2.
// Without this bound news-world-dev and daniel-dev lose .0014; at 1.15 two thirds of the gain on events-dev go.
const SHARPNESS_OF_TEXTS: f32 = 1.195;

/// The page type of articles.
const ARTICLE: &str = "article";

/// Returns whether a page is almost surely one text or a row of posts.
fn is_one_text(judgement: &Judgement) -> bool {
    judgement.page_type.as_ref().is_some_and(|page_type| page_type.sharpness >= SHARPNESS_OF_TEXTS)
}

/// Word F1 that the model expects of the kept blocks.
fn expected_f1(page: &Page, probabilities: &[f32], kept: &[bool]) -> f32 {
    let (mut hit, mut size, mut content) = (0.0, 0.0, 0.0);
    for ((block, probability), kept) in page.blocks.iter().zip(probabilities).zip(kept) {
        let words = block.words as f32;
        content += probability * words;
        if *kept {
            size += words;
            hit += probability * words;
        }
    }
    2.0 * hit / f32::max(size + content, 1.0)
}

impl Verdicts {
    /// The verdicts of a method that is not a model: a choice, probabilities of 0 and 1, no roles.
    pub fn of_method(probabilities: Vec<f32>, choice: Choice) -> Self {
        Self { judgement: Judgement { probabilities, choice, ..Judgement::default() }, ..Self::default() }
    }
}
