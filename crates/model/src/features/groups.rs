//! The list of all feature groups.
//!
//! A group is the facts it needs, its columns, and the function that fills them.

pub(crate) mod around;
pub(crate) mod cetr;
mod parts;
mod place;
mod subject;
pub(crate) mod text;
pub(crate) mod words;

use crate::{features::columns::GroupColumns, features::facts::PageFacts, features::lexicon::Lexicon};

pub(crate) use crate::features::columns::RequestedColumns;
pub(crate) use crate::features::facts::{Batch, Fact};

macro_rules! groups {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal in $group:path,)+) => {
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
                    $(FeatureGroup::$variant => &$group,)+
                }
            }
        }
    };
}

groups! {
    /// Text and link density of the previous, the current and the next block ("ST" in the paper).
    // The names stand in model files, so they stay even where a type gets a better name ("tokens", "weights").
    Shallow "shallow" in text::SHALLOW,
    /// Smoothed tag ratio, its derivative, and the verdict of CETR.
    Cetr "cetr" in cetr::CETR,
    /// One 0/1 feature for each listed attribute word ("IC" in the paper).
    ListedWords "tokens" in words::LISTED_WORDS,
    /// Log odds of all known attribute words, summed along the path to the block.
    PathWeights "weights" in words::PATH_WEIGHTS,
    /// Aggregates of the elements around the block at several levels.
    Containers "containers" in around::CONTAINERS,
    /// Names of the elements around the block.
    Ancestry "ancestry" in around::ANCESTRY,
    /// The look of the text.
    Text "text" in text::TEXT,
    /// Order, headline, title, repetition.
    Position "position" in place::POSITION,
    /// Facts of the whole page.
    Page "page" in parts::PAGE_FACTS,
    /// The three blocks before and after.
    Neighbours "neighbours" in text::NEIGHBOURS,
    /// The place of the prose of the page.
    Prose "prose" in place::PROSE,
    /// Repeated elements around the block.
    Repeats "repeats" in around::REPEATS,
    /// Headline and headings.
    Outline "outline" in place::OUTLINE,
    /// The head's title and descriptions against the block's words.
    Topic "topic" in subject::TOPIC,
    /// The page's address.
    Address "address" in parts::ADDRESS,
    /// Log odds of the block's first words.
    Wording "wording" in words::WORDING,
    /// Comment sections against the prose outside of them.
    Comments "comments" in parts::COMMENTS,
    /// Ingredients, steps, questions and answers that structured data lists.
    Stated "stated" in subject::STATED,
    /// The blocks of one path of names and classes as one thing: a list, a kind of card, a menu.
    Fields "fields" in parts::FIELDS,
    /// Images around the block, headlines and articles before it.
    Surroundings "surroundings" in around::SURROUNDINGS,
}

impl FeatureGroup {
    /// The groups of Peters and Lecocq (2013): ST, IC and CETR.
    pub const PAPER: [FeatureGroup; 3] = [FeatureGroup::Shallow, FeatureGroup::Cetr, FeatureGroup::ListedWords];

    /// The groups of the shipped models: all but the listed words, which the weights of all words replace.
    pub fn serving() -> Vec<FeatureGroup> {
        let mut groups = FeatureGroup::ALL.to_vec();
        // As measured, no group alone carries the model, but none can be taken out without a loss on some set.
        groups.retain(|group| *group != FeatureGroup::ListedWords);
        groups
    }

    /// The serving groups that cost little. Each of the others needs its own pass and adds hardly any accuracy.
    pub fn light() -> Vec<FeatureGroup> {
        use FeatureGroup::{Repeats, Stated, Topic};
        let mut groups = Self::serving();
        groups.retain(|group| ![Repeats, Stated, Topic].contains(group));
        groups
    }
}

/// A group of features.
pub(crate) struct Group {
    /// Facts that it needs; all others may be absent.
    pub needs: &'static [Fact],
    /// Names of its columns under a lexicon.
    pub columns: fn(&Lexicon) -> Vec<String>,
    /// Makes its own pass over the page, if the requested columns need one, and returns the function that fills them.
    /// Work that only other columns need is left out.
    pub on: for<'a> fn(&'a PageFacts<'a>, RequestedColumns<'_>) -> Fill<'a>,
}

/// Writes the columns of a batch of blocks, in the order of their names.
pub(crate) type Fill<'a> = Box<dyn Fn(&Batch, &mut GroupColumns) + 'a>;

/// Fills the columns from one row a block.
pub(crate) fn rows<'a, const N: usize>(row: impl Fn(usize) -> [f32; N] + 'a) -> Fill<'a> {
    Box::new(move |_, out| out.put_rows(&row))
}

/// Fills the columns with the same values for all blocks.
pub(crate) fn constants<'a, const N: usize>(values: [f32; N]) -> Fill<'a> {
    Box::new(move |_, out| values.iter().for_each(|value| out.put_constant(*value)))
}

/// Names as columns are named.
pub(crate) fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Names of columns that tell the same parts about several things, thing by thing: `thing.part`.
pub(crate) fn crossed(things: impl IntoIterator<Item = String>, parts: &[&str]) -> Vec<String> {
    let of = |thing: String| parts.iter().map(move |part| format!("{thing}.{part}"));
    things.into_iter().flat_map(of).collect()
}
