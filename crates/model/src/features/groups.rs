//! The list of all feature groups.
//!
//! A group is the facts it needs, its columns, and the function that fills them.

pub(crate) mod around;
pub(crate) mod cetr;
mod comments;
mod parts;
mod place;
mod subject;
pub(crate) mod text;
pub(crate) mod words;

use crate::features::columns::{GroupColumns, RequestedColumns};
use crate::features::facts::{Batch, Fact, PageFacts};
use crate::features::{facts::headline::OUTLINE_NAMES, lexicon::Lexicon};

/// A group of features: its columns, the facts that they need, and the function that computes them.
pub(crate) struct Group {
    /// Facts that it needs; all others may be absent.
    pub needs: &'static [Fact],
    /// Names of its columns under a lexicon.
    pub columns: fn(&Lexicon) -> Vec<String>,
    /// Makes its own pass over the page, if the requested columns need one, and returns the function that fills them.
    /// Work that only other columns need is left out.
    pub on: for<'a> fn(&'a PageFacts<'a>, RequestedColumns<'_>) -> Fill<'a>,
}

macro_rules! groups {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal $needs:expr, $columns:expr, $on:expr;)+) => {
        /// A group of features, in the order in which rows hold them.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize,
            serde::Deserialize,
        )]
        pub enum FeatureGroup {
            $($(#[doc = $doc])+ #[serde(rename = $name)] $variant,)+
        }

        impl FeatureGroup {
            /// All groups, in the order in which rows hold them.
            // The length is counted by the macro, so a group that is added cannot be forgotten here.
            pub const ALL: [FeatureGroup; [$($name),+].len()] = [$(FeatureGroup::$variant),+];

            /// Returns the group's name in configuration and model files.
            pub fn name(self) -> &'static str {
                match self {
                    $(FeatureGroup::$variant => $name,)+
                }
            }

            pub(crate) fn group(self) -> &'static Group {
                match self {
                    $(FeatureGroup::$variant => const { &Group { needs: &$needs, columns: $columns, on: $on } },)+
                }
            }
        }
    };
}

// Of each group its variant, its name, the facts that it needs, its columns, and the function that fills them.
groups! {
    /// Text and link density of the previous, the current and the next block ("ST" in the paper).
    // The names stand in model files, so they stay even where a type gets a better name ("tokens", "weights").
    Shallow "shallow" [], |_| owned(&text::SHALLOW_NAMES), |facts, _| text::shallow(facts);
    /// Smoothed tag ratio, its derivative, and the verdict of CETR.
    Cetr "cetr" [], |_| owned(&cetr::NAMES), cetr::cetr;
    /// One 0/1 feature for each listed attribute word ("IC" in the paper).
    ListedWords "tokens" [], |lexicon| lexicon.names.to_vec(), |facts, _| words::listed_words(facts);
    /// Log odds of all known attribute words, summed along the path to the block.
    PathWeights "weights" [Fact::Weights], |_| owned(&words::NAMES), |facts, _| words::path_weights(facts);
    /// Aggregates of the elements around the block at several levels.
    Containers "containers" [Fact::Levels], |_| around::containers_names(), |_, _| around::containers();
    /// Names of the elements around the block.
    Ancestry "ancestry" [Fact::Around], |_| around::names(), |facts, _| Box::new(|_, out| around::fill(facts, out));
    /// The look of the text.
    Text "text" [Fact::Shapes], |_| owned(&text::NAMES), |facts, _| text::text(facts);
    /// Order, headline, title, repetition.
    Position "position" [Fact::Terms], |_| owned(&place::POSITION_NAMES), place::position;
    /// Facts of the whole page.
    Page "page" [Fact::Sums], |_| owned(&parts::PAGE_NAMES), |facts, _| parts::page(facts);
    /// The three blocks before and after.
    Neighbours "neighbours" [Fact::Shapes], |_| text::neighbour_names(), |facts, _| text::neighbours(facts);
    /// The place of the prose of the page.
    Prose "prose" [Fact::Prose, Fact::Levels], |_| place::prose_names(), |facts, _| place::prose(facts);
    /// Repeated elements around the block.
    Repeats "repeats" [Fact::Templates], |_| around::repeats_names(), |facts, _| around::repeats(facts);
    /// Headline and headings.
    Outline "outline" [Fact::Outline], |_| owned(&OUTLINE_NAMES), |facts, _| place::outline(facts);
    /// The head's title and descriptions against the block's words.
    Topic "topic" [Fact::Terms], |_| owned(&subject::NAMES), subject::topic;
    /// The page's address.
    // Page types alone use it: with the address as features of blocks DAnIEL fell from .848 to .838.
    Address "address" [], |_| owned(&parts::ADDRESS_NAMES), |facts, _| parts::address(facts);
    /// Log odds of the block's first words.
    Wording "wording" [Fact::Outline], |_| owned(&words::WORDING_NAMES), |facts, _| words::wording(facts);
    /// Comment sections against the prose outside of them.
    Comments "comments" [Fact::Prose, Fact::Outline], |_| owned(&comments::NAMES), |facts, _| comments::comments(facts);
    /// Ingredients, steps, questions and answers that structured data lists.
    Stated "stated" [Fact::Terms], |_| owned(&subject::STATED_NAMES), |facts, _| subject::stated(facts);
    /// The blocks of one path of names and classes as one thing: a list, a kind of card, a menu.
    Fields "fields" [Fact::Shapes], |_| owned(&parts::FIELD_NAMES), |facts, _| parts::fields(facts);
    /// Images around the block, headlines and articles before it.
    Surroundings "surroundings" [], |_| owned(&around::SURROUNDINGS_NAMES), |facts, _| around::surroundings(facts);
}

impl FeatureGroup {
    /// The groups of Peters and Lecocq (2013): ST, IC and CETR.
    pub const PAPER: [FeatureGroup; 3] = [FeatureGroup::Shallow, FeatureGroup::Cetr, FeatureGroup::ListedWords];

    /// Returns the groups of the shipped models: all but the listed words, which the weights of all words replace.
    pub fn serving() -> Vec<FeatureGroup> {
        let mut groups = FeatureGroup::ALL.to_vec();
        // As measured, no group alone carries the model, but none can be taken out without a loss on some set.
        groups.retain(|group| *group != FeatureGroup::ListedWords);
        groups
    }

    /// Returns the groups of the shipped models that cost little. Each of the others needs its own pass and adds hardly
    /// any accuracy.
    pub fn light() -> Vec<FeatureGroup> {
        use FeatureGroup::{Repeats, Stated, Topic};
        let mut groups = Self::serving();
        groups.retain(|group| ![Repeats, Stated, Topic].contains(group));
        groups
    }
}

/// A function that writes the columns of a group for a batch of blocks, in the order of their names.
pub(crate) type Fill<'a> = Box<dyn Fn(&Batch, &mut GroupColumns) + 'a>;

/// Returns a function that writes the columns from one row per block.
pub(crate) fn rows<'a, const N: usize>(row: impl Fn(usize) -> [f32; N] + 'a) -> Fill<'a> {
    Box::new(move |_, out| out.put_rows(&row))
}

/// Returns a function that writes the same values for all blocks.
pub(crate) fn constants<'a, const N: usize>(values: [f32; N]) -> Fill<'a> {
    Box::new(move |_, out| values.iter().for_each(|value| out.put_constant(*value)))
}

/// Returns the given names as owned names of columns.
pub(crate) fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Returns the names of columns that hold the same parts of several things, thing by thing: `thing.part`.
pub(crate) fn crossed(things: impl IntoIterator<Item = String>, parts: &[&str]) -> Vec<String> {
    let of = |thing: String| parts.iter().map(move |part| format!("{thing}.{part}"));
    things.into_iter().flat_map(of).collect()
}
