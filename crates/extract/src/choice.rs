//! Rules that change which blocks the model chose as text. They apply in order, and each changed block records the rule
//! that decided.

mod addresses_and_facts;
mod announced;
pub(crate) mod beside_kept;
mod boxes_teasers_strays;
mod controls_and_hidden_parts;
mod copies;
mod further_articles;
mod line_numbers;
pub(crate) mod list_controls;
mod list_records;
mod lists;
mod lone_text;
mod rules;
pub(crate) mod thread_labels;
mod topic;
#[cfg(test)]
mod trial;
pub(crate) mod whole_units;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use trommel_html::Page;
use trommel_text::keys::{KeyType, Shape, Value};

use crate::{role::Role, selectors::follow};

pub use rules::{RULES, Rule};

/// Input of the rules on the model's choice: a page and the model's results for each of its blocks.
pub(crate) struct JudgedPage<'a> {
    pub page: &'a Page,
    /// Group number of each block: blocks with the same path of element names and classes are one group, a field.
    pub fields: &'a [u32],
    /// Index of the headline's block among the blocks of the page; `None` if the page has no headline.
    pub headline: Option<usize>,
    /// Probability that the block is text, for each block.
    pub probabilities: &'a [f32],
    /// One flag per block, true if the block is in a comment section. The slice is empty if this is unknown.
    pub in_comments: &'a [bool],
    /// True if blocks nearly as probable as kept ones may be kept, too. False if the page is almost surely an article
    /// or a thread, or if the user prefers precision.
    pub keeps_doubtful: bool,
    /// True if the page is an article.
    pub is_article: bool,
    /// True if the model judges the page to be one of lists: a listing, a collection or a service page.
    pub is_listing: bool,
    /// True if the page is a discussion thread, or if most of its kept words are in comments.
    pub is_thread: bool,
    /// True if the page is about a product, an event or a job.
    pub has_facts: bool,
    /// True if every block from a fixed probability on is kept; false if the set with the highest expected F1 score is.
    pub has_threshold: bool,
    /// True if text from the data in a `<script>` is kept, so that the page has text even if no block is kept.
    pub keeps_embedded: bool,
}

/// Input of the rules that apply after the content policy (the user's choice about headlines, comments and roles).
pub(crate) struct ChosenPage<'a> {
    pub page: &'a Page,
    /// Decoded source of the page, into which spans point.
    pub html: &'a str,
    pub url: Option<&'a str>,
    /// Group number of each block: blocks with the same path of element names and classes are one group, a field.
    pub fields: &'a [u32],
    /// Probability that the block is text, for each block.
    pub probabilities: &'a [f32],
    /// Role of each block, such as headline or comment.
    pub roles: &'a [Role],
    /// True if articles after the first one on the page are dropped.
    pub only_first_article: bool,
}

/// Reason why a block is kept or dropped: the model, the user's content policy, the kept mark of a note, the user's
/// selector, or one of the [`RULES`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
// A byte for each block: names are looked up when they are written.
pub struct Decider(u8);

/// Names of the reasons for keeping or dropping a block that are not rules. Their numbers precede those of the rules.
const OTHERS: [&str; 4] = ["model", "policy", "notes", "selector"];

impl Decider {
    /// Decider for the choice of the model.
    pub const MODEL: Self = Self(0);
    /// Decider for the content policy: the user's choice about headlines, comments and roles.
    pub const POLICY: Self = Self(1);
    /// Decider for notes: a note is kept because its mark in the text is kept.
    pub const NOTES: Self = Self(2);
    /// Decider for selectors: the user's choice of elements.
    pub const SELECTOR: Self = Self(3);

    /// Iterates over all deciders: the model, the policy, notes, selectors, then the rules in the order of [`RULES`].
    pub fn all() -> impl Iterator<Item = Self> {
        (0..OTHERS.len() + RULES.len()).filter_map(|at| u8::try_from(at).ok().map(Self))
    }

    /// Returns the decider (model, rule or the like) with the given name, or `None` if none has this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|decider| decider.name() == name)
    }

    /// Returns the decider for the rule at index `at` of [`RULES`].
    fn rule(at: usize) -> Self {
        Self(u8::try_from(OTHERS.len() + at).unwrap_or_default())
    }

    /// Returns the name of the decider (model, rule or the like), as output documents state it.
    pub fn name(self) -> &'static str {
        let at = usize::from(self.0);
        let rule = || RULES.get(at.checked_sub(OTHERS.len())?);
        OTHERS.get(at).copied().or_else(|| rule().map(|rule| rule.name)).unwrap_or_default()
    }
}

impl KeyType for Decider {
    const SHAPE: Shape = Shape::Word;

    fn value(&self) -> Value<'_> {
        Value::Text(self.name().into())
    }
}

impl Serialize for Decider {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Reads the name of a decider (model, rule or the like). An unknown name (of a deleted rule) is read as the model.
impl<'de> Deserialize<'de> for Decider {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        // Documents of earlier builds stay readable: rules have been deleted since.
        Ok(Self::named(&name).unwrap_or_default())
    }
}

/// Flags of the kept blocks while rules are applied, and the rule or other reason that last changed each block.
pub(crate) struct Decisions<'d> {
    /// One flag per block, true if the block is kept.
    pub kept: &'d mut Vec<bool>,
    /// Rule or other reason that last changed whether the block is kept, one entry per block.
    pub by: &'d mut Vec<Decider>,
    /// Copy of the flags in `kept` from before the current rule.
    before: Vec<bool>,
}

impl<'d> Decisions<'d> {
    pub fn new(kept: &'d mut Vec<bool>, by: &'d mut Vec<Decider>) -> Self {
        let before = Vec::with_capacity(kept.len());
        Self { kept, by, before }
    }

    /// Applies the rules that come before the content policy to the model's choice, except the rule `without`.
    pub fn judged(&mut self, page: &JudgedPage<'_>, without: Option<Decider>) {
        for (at, rule) in RULES.iter().enumerate() {
            if let rules::Apply::Judged(apply) = rule.apply
                && without != Some(Decider::rule(at))
            {
                // A rule may only change what the model is unsure of: strays above .7 and headings below .1 were mostly
                // right.
                let unsure = (rule.unsure, page.probabilities);
                self.changed_within(Decider::rule(at), unsure, |kept| apply(page, kept));
            }
        }
    }

    /// Applies the rules that come after the content policy, except the rule `without`. Does nothing if no block is
    /// kept.
    pub fn chosen(&mut self, page: &ChosenPage<'_>, without: Option<Decider>) {
        // Otherwise one rule could keep a list or a table on a page that has no text at all.
        if !self.kept.contains(&true) {
            return;
        }
        for (at, rule) in RULES.iter().enumerate() {
            if let rules::Apply::Chosen(apply) = rule.apply
                && without != Some(Decider::rule(at))
            {
                self.changed(Decider::rule(at), |kept| apply(page, kept));
            }
        }
    }

    /// Keeps or drops each block as the user's selectors say, whatever the model and the rules decided.
    pub fn selected(&mut self, choices: &[Option<bool>]) {
        follow(choices, self.kept);
        for (by, _) in self.by.iter_mut().zip(choices).filter(|(_, choice)| choice.is_some()) {
            *by = Decider::SELECTOR;
        }
    }

    /// Applies `change`, and records `decider` for each block that it flips.
    pub fn changed<T>(&mut self, decider: Decider, change: impl FnOnce(&mut [bool]) -> T) -> T {
        self.changed_within(decider, (rules::ANY, &[]), change)
    }

    /// Applies `change`, and records `decider` for each flipped block. Blocks whose probability is outside `unsure` are
    /// flipped back.
    fn changed_within<T>(
        &mut self,
        decider: Decider,
        (unsure, probabilities): ((f32, f32), &[f32]),
        change: impl FnOnce(&mut [bool]) -> T,
    ) -> T {
        self.before.clear();
        // Compared afterwards, so that no rule has to say what it changed.
        self.before.extend_from_slice(self.kept);
        let result = change(self.kept);
        // Most rules change nothing on most pages.
        if *self.kept == self.before {
            return result;
        }
        let before = self.before.iter().enumerate();
        for ((at, before), (now, by)) in before.zip(self.kept.iter_mut().zip(self.by.iter_mut())) {
            if now == before {
                continue;
            }
            let is_sure = |probability: &f32| *probability < unsure.0 || *probability > unsure.1;
            // Taken back here and not asked for in each rule, so that no rule can forget it.
            if probabilities.get(at).is_some_and(is_sure) {
                *now = *before;
            } else {
                *by = decider;
            }
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str) -> Decider {
        use serde::de::{IntoDeserializer, value::Error};
        Decider::deserialize(IntoDeserializer::<Error>::into_deserializer(name)).unwrap()
    }

    #[test]
    fn deciders_have_names_of_their_own() {
        let mut names: Vec<&str> = Decider::all().map(Decider::name).collect();
        assert_eq!(names.len(), OTHERS.len() + RULES.len());
        assert_eq!(names[..5], ["model", "policy", "notes", "selector", RULES[0].name]);
        for decider in Decider::all() {
            assert_eq!(read(decider.name()), decider);
        }
        assert_eq!(read("a rule that went"), Decider::MODEL);
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), OTHERS.len() + RULES.len());
    }

    #[test]
    fn the_last_to_change_a_block_decided() {
        let (mut kept, mut by) = (vec![true, false, false], vec![Decider::MODEL; 3]);
        let mut decisions = Decisions::new(&mut kept, &mut by);
        decisions.changed(Decider::rule(0), |kept| kept[1] = true);
        decisions.changed(Decider::NOTES, |kept| kept[..2].fill(true));
        decisions.changed(Decider::POLICY, |kept| kept[0] = false);
        assert_eq!(kept, [false, true, false]);
        assert_eq!(by, [Decider::POLICY, Decider::rule(0), Decider::MODEL]);
    }

    #[test]
    fn rules_left_out_do_nothing() {
        use trommel_html::{Engine, Limits, ScanEngine};
        let page = ScanEngine.read("<h1>Words alone</h1>", &Limits::default());
        let judged = JudgedPage {
            page: &page,
            fields: &[0],
            headline: None,
            probabilities: &[0.0],
            in_comments: &[],
            keeps_doubtful: false,
            is_article: false,
            is_listing: false,
            is_thread: false,
            has_facts: false,
            has_threshold: false,
            keeps_embedded: false,
        };
        for (without, expected) in [(None, (true, "lone text")), (Decider::named("lone text"), (false, "model"))] {
            let (mut kept, mut by) = (vec![false], vec![Decider::MODEL]);
            let mut decisions = Decisions::new(&mut kept, &mut by);
            decisions.judged(&judged, without);
            assert_eq!((kept[0], by[0].name()), expected);
        }
        assert_eq!(Decider::named("no rule"), None);
    }
}
