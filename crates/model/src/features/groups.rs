//! The list of all feature groups.

mod address;
pub(crate) mod ancestry;
pub(crate) mod cetr;
mod comments;
mod containers;
mod fields;
mod listed_words;
mod neighbours;
mod outline;
mod page_facts;
pub(crate) mod path_weights;
mod position;
mod prose;
pub(crate) mod repeats;
pub(crate) mod shallow;
mod stated;
mod surroundings;
mod text;
mod topic;
mod wording;

use crate::features::group::Group;

macro_rules! groups {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal in $module:ident,)+) => {
        /// A group of features, in the order in which rows hold them.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize,
            serde::Deserialize,
        )]
        pub enum FeatureGroup {
            $($(#[doc = $doc])+ #[serde(rename = $name)] $variant,)+
        }

        impl FeatureGroup {
            /// Every group, in the order in which rows hold them.
            // The length is counted by the macro, so a group that is added cannot be forgotten here.
            pub const ALL: [FeatureGroup; [$($name),+].len()] = [$(FeatureGroup::$variant),+];

            /// Name in configuration and model files.
            pub fn name(self) -> &'static str {
                match self {
                    $(FeatureGroup::$variant => $name,)+
                }
            }

            pub(crate) fn group(self) -> &'static Group {
                match self {
                    $(FeatureGroup::$variant => &$module::GROUP,)+
                }
            }
        }
    };
}

groups! {
    /// Text and link density of the previous, the current and the next block ("ST" in the paper).
    // The names stand in model files, so they stay even where a type gets a better name ("tokens", "weights").
    Shallow "shallow" in shallow,
    /// Smoothed tag ratio, its derivative, and the verdict of CETR.
    Cetr "cetr" in cetr,
    /// One 0/1 feature for each listed attribute word ("IC" in the paper).
    ListedWords "tokens" in listed_words,
    /// Log odds of all known attribute words, summed along the path to the block.
    PathWeights "weights" in path_weights,
    /// Aggregates of the elements around the block at several levels.
    Containers "containers" in containers,
    /// Names of the elements around the block.
    Ancestry "ancestry" in ancestry,
    /// The look of the text.
    Text "text" in text,
    /// Order, headline, title, repetition.
    Position "position" in position,
    /// Facts of the whole page.
    Page "page" in page_facts,
    /// The three blocks before and after.
    Neighbours "neighbours" in neighbours,
    /// The place of the prose of the page.
    Prose "prose" in prose,
    /// Repeated elements around the block.
    Repeats "repeats" in repeats,
    /// Headline and headings.
    Outline "outline" in outline,
    /// The head's title and descriptions against the block's words.
    Topic "topic" in topic,
    /// The page's address.
    Address "address" in address,
    /// Log odds of the block's first words.
    Wording "wording" in wording,
    /// Comment sections against the prose outside of them.
    Comments "comments" in comments,
    /// Ingredients, steps, questions and answers that structured data lists.
    Stated "stated" in stated,
    /// The blocks of one path of names and classes as one thing: a list, a kind of card, a menu.
    Fields "fields" in fields,
    /// Images around the block, headlines and articles before it.
    Surroundings "surroundings" in surroundings,
}

impl FeatureGroup {
    /// The groups of Peters and Lecocq (2013): ST, IC and CETR.
    pub const PAPER: [FeatureGroup; 3] = [FeatureGroup::Shallow, FeatureGroup::Cetr, FeatureGroup::ListedWords];

    /// The groups that the shipped models are made of: all but the listed words, whose part the weights
    /// of all words take.
    pub fn serving() -> Vec<FeatureGroup> {
        let mut groups = FeatureGroup::ALL.to_vec();
        // As measured, no group alone carries the model, but none can be taken out without a loss on some set.
        groups.retain(|group| *group != FeatureGroup::ListedWords);
        groups
    }

    /// The serving groups that cost little. Each of the others needs a pass of its own, and is hardly missed.
    pub fn light() -> Vec<FeatureGroup> {
        use FeatureGroup::{Repeats, Stated, Topic};
        let mut groups = Self::serving();
        groups.retain(|group| ![Repeats, Stated, Topic].contains(group));
        groups
    }
}
