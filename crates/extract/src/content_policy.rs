//! Decides about the blocks of a page, with a model and a content policy.
//!
//! The content policy decides whether readers' comments, the headline, further articles and blocks of chosen roles
//! are main text. Readers' comments beside an article are not its text, and the model knows them by the names of
//! their elements. Some forums give posts the same names: threads whose posts the page calls comments are judged as
//! such. If the settings ask for comments, all of one template are kept.

use rustc_hash::FxHashMap;
use trommel_html::{Block, Page};
use trommel_model::{Choice, Judgement, Model, PageType, Selection};

use crate::choice::{Decider, Decisions, JudgedPage};
use crate::kept_flags::KeptBlocks as _;
use crate::role::{Role, RoleSet, refined, role_of_embedded, roles};

/// Decisions about the blocks of a page: for each block its probability, its role, whether it is kept, and the rule
/// that decided.
#[derive(Clone, Debug, Default)]
pub struct Verdicts {
    /// Judgement of the model about the page, in which the content policy has changed the choice of blocks.
    pub judgement: Judgement,
    /// One flag per block, true if it is a comment that is kept apart from the text. Empty unless the policy is
    /// [`CommentPolicy::Separate`](crate::CommentPolicy::Separate).
    pub separate: Vec<bool>,
    /// One flag per text in the page's scripts, true if it is a comment that is kept apart from the main text.
    pub separate_embedded: Vec<bool>,
    /// Policy that decides whether the headline is part of the text.
    pub headline: HeadlinePolicy,
    /// Policy that decides whether further articles below the page's first are part of the text.
    pub articles: ArticlePolicy,
    /// Roles of the blocks, refined by the [`RoleModel`](trommel_model::RoleModel) only if the policy names roles.
    /// [`Extraction::roles`](crate::Extraction::roles) always refines them.
    pub roles: Vec<Role>,
    /// Roles whose blocks are never main text, even if a later rule keeps them.
    pub exclude: RoleSet,
    /// Last decider (model, rule or policy) about each block.
    pub by: Vec<Decider>,
    /// Rule that is left out, so that its effect can be measured; `None` if all rules are applied.
    pub without: Option<Decider>,
    /// True if counts of the same blocks on other pages of the site influenced the verdicts.
    pub by_sites: bool,
    /// Choice of the user's selectors for each block: true to keep, false to drop, `None` for neither.
    pub selected: Vec<Option<bool>>,
}

impl ContentPolicy {
    /// Judges the blocks of a page with the model, and chooses main text under this policy.
    pub fn judge(&self, model: &Model, page: &Page, url: Option<&str>) -> Verdicts {
        self.verdicts(model, page, url, model.judge(page, url), None)
    }

    /// Chooses main text under this policy from the model's judgement of a page. `changes` has an amount for each block
    /// to add to its log odds, from evidence outside of the page.
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
            is_article: is_of(&judgement, PageType::ARTICLE),
            is_listing: LISTINGS.iter().any(|name| is_of(&judgement, name)),
            is_thread: is_of(&judgement, PageType::THREAD)
                || is_mostly_comments(page, decisions.kept, &judgement.in_comments),
            has_facts: is_of(&judgement, PRODUCT) || states_facts(page),
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
            selected: Vec::new(),
        }
    }
}

impl ContentPolicy {
    /// Adds the kept comments to `judgement`; `wide` is the model's judgement that takes comments for main text. Under
    /// [`CommentPolicy::Separate`] returns them instead: a flag for each block, and one for each text in scripts.
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

    /// Keeps the blocks of included roles and drops those of excluded ones. Returns the role of each block, refined by
    /// the role model if the policy names roles.
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
        let roles = refined(&roles, &judgement.choice.kept, page, url);
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

    /// Chooses blocks again, with shifted probabilities, if the policy favors precision or recall.
    fn favored(&self, model: &Model, page: &Page, judgement: &mut Judgement, with_comments: bool) {
        if self.favor != Favor::Balanced {
            model.choose_shifted(page, judgement, self.favor.shift(), with_comments);
        }
    }
}

/// Minimum factor by which the model scales the log odds of blocks of a page that is surely one article or thread.
// Without this bound news-world-dev and daniel-dev lose .0014; at 1.15 two thirds of the gain on events-dev go.
const SHARPNESS_OF_TEXTS: f32 = 1.195;

/// Name of the page type of products.
const PRODUCT: &str = "product";
/// Names of the types of pages that mainly list: things to choose from, pages of one kind, or parts of a site.
const LISTINGS: [&str; 3] = ["listing", "collection", "service"];

fn is_of(judgement: &Judgement, name: &str) -> bool {
    judgement.page_type.as_ref().is_some_and(|page_type| page_type.name == name)
}

/// Returns whether the JSON-LD of a page describes an event or a job, whose date and place appear outside its prose.
fn states_facts(page: &Page) -> bool {
    let types = ["Event\"", "\"JobPosting\""];
    page.head.json_ld.iter().any(|script| types.iter().any(|kind| script.text.contains(kind)))
}

/// Returns whether more than half of the kept words are in comments. The slices have a flag for each block.
fn is_mostly_comments(page: &Page, kept: &[bool], in_comments: &[bool]) -> bool {
    let (mut words, mut of_comments) = (0, 0);
    for ((block, _), is_inside) in page.blocks.iter().zip(kept).zip(in_comments).filter(|((_, kept), _)| **kept) {
        words += block.words;
        of_comments += if *is_inside { block.words } else { 0 };
    }
    of_comments * 2 > words
}

/// Returns whether a page is almost surely a single article or a thread of posts.
fn is_one_text(judgement: &Judgement) -> bool {
    judgement.page_type.as_ref().is_some_and(|page_type| page_type.sharpness >= SHARPNESS_OF_TEXTS)
}

/// Returns the word F1 (0 to 1) to expect of the kept blocks, from the probability of each block to be main text.
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
    /// Returns the verdicts of a method other than the model: its choice, with probabilities of 0 and 1, and no roles.
    pub fn of_method(probabilities: Vec<f32>, choice: Choice) -> Self {
        Self { judgement: Judgement { probabilities, choice, ..Judgement::default() }, ..Self::default() }
    }
}

/// Declares enums whose values have the same kebab-case names in configuration files, options and output.
macro_rules! choices {
    ($($(#[$attribute:meta])* pub enum $name:ident { $($variants:tt)* })+) => {$(
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[cfg_attr(feature = "strum", derive(strum::Display, strum::EnumString, strum::IntoStaticStr, strum::VariantNames))]
        #[serde(rename_all = "kebab-case")]
        #[cfg_attr(feature = "strum", strum(serialize_all = "kebab-case"))]
        pub enum $name { $($variants)* }
    )+};
}

pub(crate) use choices;

choices! {
    /// Treatment of readers' comments beside a page's own text. Posts of a forum are main text.
    pub enum CommentPolicy {
        /// Comments are left out.
        // Golds differ; on pages with prose of their own comments are no text unless asked for.
        #[default]
        Exclude,
        /// Comments are text.
        Include,
        /// Comments are apart, in `comments`.
        Separate,
    }

    /// Treatment of the main headline in the text. It is always a source of the title.
    pub enum HeadlinePolicy {
        /// The model decides.
        #[default]
        Auto,
        /// The headline is always text.
        Include,
        /// The headline is never text.
        Exclude,
    }

    /// Treatment of articles that a page shows below its own. Endless pages append them.
    pub enum ArticlePolicy {
        /// All articles are text.
        #[default]
        All,
        /// Only the first article is text.
        First,
    }

    /// Preference for precise or for complete text.
    pub enum Favor {
        /// Fewer doubtful blocks are text.
        Precision,
        /// Choice that the model expects to be best.
        #[default]
        Balanced,
        /// More doubtful blocks are text.
        Recall,
    }
}

impl Favor {
    /// Returns the amount that is added to the log odds of every block before blocks are chosen (positive to keep
    /// more).
    // The medians, over 13 labelled sets, of the shifts with the best F0.5 and F2 (docs/decisions/favor.md).
    pub(crate) fn shift(self) -> f32 {
        match self {
            Self::Precision => -0.5,
            Self::Balanced => 0.0,
            Self::Recall => 1.0,
        }
    }
}

/// Settings that decide which comments, headlines, articles and roles are main text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContentPolicy {
    /// Treatment of readers' comments.
    pub comments: CommentPolicy,
    /// Treatment of the headline.
    pub headline: HeadlinePolicy,
    /// Treatment of articles that follow the page's first.
    pub articles: ArticlePolicy,
    /// Preference for precise or for complete text.
    pub favor: Favor,
    /// Roles whose blocks are always main text.
    pub include: RoleSet,
    /// Roles whose blocks are never main text, even if `include` lists them.
    pub exclude: RoleSet,
    /// Rule that is left out, so that its effect can be measured; `None` to apply all rules.
    pub without: Option<Decider>,
}

/// Minimum probability (0 to 1) of the page type `forum` from which a page is judged as a thread.
// At .5 dragnet-test, comments taken for no content, loses .003: blogs with many comments look like threads.
const MIN_PROBABILITY: f32 = 0.6;
/// Minimum share (0 to 1) of a page's expected main text in comments from which these count as the posts of a thread.
// Answers have comments of their own, which are not content: without this bound the gain is .002 lower.
const MIN_SHARE: f32 = 0.5;

/// Returns a new judgement with comments as main text for a thread with posts marked up as comments, else `judgement`.
pub(crate) fn judged_as_thread(model: &Model, page: &Page, url: Option<&str>, judgement: Judgement) -> Judgement {
    let is_thread =
        |page_type: &PageType| page_type.name == PageType::THREAD && page_type.probability >= MIN_PROBABILITY;
    if !judgement.in_comments.contains(&true) || !judgement.page_type.as_ref().is_some_and(is_thread) {
        return judgement;
    }
    let wide = model.judge_with_comments(page, url);
    let (mut in_comments, mut all) = (0.0, 0.0);
    for ((block, probability), is_inside) in page.blocks.iter().zip(&wide.probabilities).zip(&wide.in_comments) {
        let words = probability * block.words as f32;
        all += words;
        in_comments += if *is_inside { words } else { 0.0 };
    }
    if in_comments >= MIN_SHARE * f32::max(all, 1.0) { wide } else { judgement }
}

/// Minimum number of comments with the same markup from which less probable ones among them are kept, too.
// From two on dragnet-train has .0003 less, from one on .0034: labels of forms are single.
const MIN_BLOCKS: u32 = 3;
/// Minimum probability (0 to 1) of a comment that is kept because other comments have the same markup.
// At .05 dragnet-test has .0005 less, at .2 .0033.
const TEMPLATE_PROBABILITY: f32 = 0.1;
/// Share of words in links (0 to 1) from which a block among comments is a name or a button, and no comment.
const MAX_LINKED: f32 = 0.5;

/// Keeps comments whose element and parent element have the same names and classes as those of other comments, at any
/// depth of replies. `probabilities` and `kept` have one entry for each block.
// The choice of blocks takes comments for a doubtful part of an article, and would keep half of them.
pub(crate) fn keep_repeated_comments(
    page: &Page,
    probabilities: &[f32],
    is_comment: impl Fn(usize) -> bool,
    kept: &mut [bool],
) {
    let kind = |at: usize, block: &Block| {
        let (_, element) = page.container(block).filter(|_| is_comment(at) && block.link_density() < MAX_LINKED)?;
        let around = page.element(element.parent)?;
        Some((element.signature, around.signature))
    };
    let mut counts: FxHashMap<(u64, u64), u32> = FxHashMap::default();
    for kind in page.blocks.iter().enumerate().filter_map(|(at, block)| kind(at, block)) {
        *counts.entry(kind).or_default() += 1;
    }
    for (at, ((block, probability), kept)) in page.blocks.iter().zip(probabilities).zip(kept).enumerate() {
        let is_repeated =
            || kind(at, block).and_then(|kind| counts.get(&kind)).is_some_and(|count| *count >= MIN_BLOCKS);
        *kept |= *probability >= TEMPLATE_PROBABILITY && is_repeated();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    const POST: &str = "I asked the same last year and had to find out by myself, so here is what worked for me.";

    /// Returns whether a page of type `name`, with this number of comments below the text `first`, is judged as a
    /// thread.
    fn is_thread(name: &str, probability: f32, first: &str, comments: usize) -> bool {
        let comment = format!("<div class=comment><span class=author>user</span> <p>{POST} {POST}</div>");
        let comments = format!("<div class=comments>{}</div>", comment.repeat(comments));
        let html = format!("<title>Mills</title><h1>Mills</h1><article><p>{first}</article>{comments}");
        let page = ScanEngine.read(&html, &Limits::default());
        let model = Model::builtin("lite").unwrap();
        let page_type = Some(PageType { name: name.into(), probability, sharpness: 1.0 });
        let plain = Judgement { page_type, ..model.judge(&page, None) };
        let wide = model.judge_with_comments(&page, None);
        assert_ne!(plain.probabilities, wide.probabilities);
        let judged = judged_as_thread(&model, &page, None, plain.clone());
        assert!([&plain.probabilities, &wide.probabilities].contains(&&judged.probabilities));
        judged.probabilities == wide.probabilities
    }

    #[test]
    fn posts_that_are_called_comments_are_posts() {
        assert!(is_thread("forum", 0.7, POST, 8));
        assert!(!is_thread("forum", 0.5, POST, 8));
        assert!(!is_thread("article", 0.7, POST, 8));
        // Comments below a long answer.
        assert!(!is_thread("forum", 0.7, &POST.repeat(30), 2));
    }

    #[test]
    fn events_and_jobs_state_facts() {
        for (kind, states) in [("MusicEvent", true), ("JobPosting", true), ("Article", false), ("EventSeries", false)] {
            let html = format!("<script type=application/ld+json>{{\"@type\": \"{kind}\"}}</script><p>x");
            assert_eq!(states_facts(&ScanEngine.read(&html, &Limits::default())), states, "{kind}");
        }
    }

    #[test]
    fn most_kept_words_stand_in_comments() {
        let page = ScanEngine.read("<p>one two<p>three four five<p>six seven", &Limits::default());
        let is_mostly = |kept: [bool; 3], inside: [bool; 3]| is_mostly_comments(&page, &kept, &inside);
        assert!(is_mostly([true, true, false], [false, true, false]));
        assert!(!is_mostly([true, true, true], [false, true, false]));
        assert!(!is_mostly([true, false, false], [false, true, true]));
        assert!(!is_mostly_comments(&page, &[true; 3], &[]));
    }

    #[test]
    fn comments_of_one_make_are_kept_at_any_depth() {
        let comment =
            |inner: &str| format!("<div class=comment><h4>Jane</h4><p>I agree.</p><a href=x>Reply</a>{inner}</div>");
        let html = format!("<p>Text.</p>{}<form><p>Your name</p></form>", comment(&comment(&comment(""))));
        let page = ScanEngine.read(&html, &Limits::default());
        let kept = |probability: f32| {
            let probabilities: Vec<f32> = page
                .blocks
                .iter()
                .map(|block| match page.text(block) {
                    "Jane" => 0.05,
                    _ => probability,
                })
                .collect();
            let mut kept = vec![false; page.blocks.len()];
            keep_repeated_comments(&page, &probabilities, |at| at > 0, &mut kept);
            let blocks = page.blocks.iter().zip(kept).filter(|(_, kept)| *kept);
            blocks.map(|(block, _)| page.text(block).to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(kept(0.1), ["I agree.", "I agree.", "I agree."]);
        assert_eq!(kept(0.09), [] as [&str; 0]);
    }
}
