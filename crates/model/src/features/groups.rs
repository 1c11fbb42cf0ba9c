//! Lists all feature groups.
//!
//! A group consists of the facts it needs, its columns, and the function that fills them.

pub(crate) mod around;
pub(crate) mod cetr;
mod comments;
mod parts;
mod place;
mod subject;
pub(crate) mod text;
pub(crate) mod type_words;
pub(crate) mod words;

use crate::features::columns::{GroupColumns, RequestedColumns};
use crate::features::facts::{Batch, Fact, PageFacts};
use crate::features::{facts::headline::OUTLINE_NAMES, lexicon::Lexicon};

/// A group of features: its columns, the facts that they need, and the function that computes them.
pub(crate) struct Group {
    /// Facts that the group needs; all others may be absent.
    pub needs: &'static [Fact],
    /// Function that returns the names of the group's columns, given the word lists of the model.
    pub columns: fn(&Lexicon) -> Vec<String>,
    /// Function that makes the group's own pass over the page, if the requested columns need one, and returns the
    /// function that fills these columns. Work for other columns is left out.
    pub on: for<'a> fn(&'a PageFacts<'a>, RequestedColumns<'_>) -> Fill<'a>,
}

macro_rules! groups {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal $needs:expr, $columns:expr, $on:expr;)+) => {
        /// A group of related features. A row of feature values holds the groups in this order.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize,
            serde::Deserialize,
        )]
        pub enum FeatureGroup {
            $($(#[doc = $doc])+ #[serde(rename = $name)] $variant,)+
        }

        impl FeatureGroup {
            /// All feature groups, in the order in which rows hold them.
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
    /// Text and link density of the previous, the current and the next block ("ST" in Peters and Lecocq, 2013).
    // The names stand in model files, so they stay even where a type gets a better name ("tokens", "weights").
    Shallow "shallow" [], |_| owned(&text::SHALLOW_NAMES), |facts, _| text::shallow(facts);
    /// Smoothed ratio of characters to tags, its derivative, and the verdict of the algorithm CETR.
    Cetr "cetr" [], |_| owned(&cetr::NAMES), cetr::cetr;
    /// One feature per listed attribute word: 1 if an element around the block has it ("IC", Peters and Lecocq, 2013).
    ListedWords "tokens" [], |lexicon| lexicon.names.to_vec(), |facts, _| words::listed_words(facts);
    /// Learned log odds of class names and other attribute words, summed over the elements around the block.
    PathWeights "weights" [Fact::Weights], |_| owned(&words::NAMES), |facts, _| words::path_weights(facts);
    /// Word share, link density, commas and the like of the elements around the block, at several levels.
    Containers "containers" [Fact::Levels], |_| around::containers_names(), |_, _| around::containers();
    /// One feature for each tag that the elements around the block may have: 1 if one of them has it, otherwise 0.
    Ancestry "ancestry" [Fact::Around], |_| around::names(), |facts, _| Box::new(|_, out| around::fill(facts, out));
    /// Length, punctuation, case and script of the block's text.
    Text "text" [Fact::Shapes], |_| owned(&text::NAMES), |facts, _| text::text(facts);
    /// Place of the block on the page and relative to the headline, its words from the title, and its repetitions.
    Position "position" [Fact::Terms], |_| owned(&place::POSITION_NAMES), place::position;
    /// Features of the whole page, equal for all of its blocks.
    Page "page" [Fact::Sums], |_| owned(&parts::PAGE_NAMES), |facts, _| parts::page(facts);
    /// Length, link density and kind of the three blocks before and the three after.
    Neighbours "neighbours" [Fact::Shapes], |_| text::neighbour_names(), |facts, _| text::neighbours(facts);
    /// Place of the block relative to the prose of the page.
    Prose "prose" [Fact::Prose, Fact::Levels], |_| place::prose_names(), |facts, _| place::prose(facts);
    /// Features of the repeated elements around the block, such as cards or rows.
    Repeats "repeats" [Fact::Templates], |_| around::repeats_names(), |facts, _| around::repeats(facts);
    /// Place of the block relative to the headline and the headings.
    Outline "outline" [Fact::Outline], |_| owned(&OUTLINE_NAMES), |facts, _| place::outline(facts);
    /// Share of the block's words and phrases found in the page's title, descriptions and structured data.
    Topic "topic" [Fact::Terms], |_| owned(&subject::NAMES), subject::topic;
    /// Features of the page's address (URL).
    // Page types alone use it: with the address as features of blocks DAnIEL fell from .848 to .838.
    Address "address" [], |_| owned(&parts::ADDRESS_NAMES), |facts, _| parts::address(facts);
    /// Learned log odds that the first words of the block, and those of its heading, give for main text.
    Wording "wording" [Fact::Outline], |_| owned(&words::WORDING_NAMES), |facts, _| words::wording(facts);
    /// Place of the block relative to comment sections, and the prose inside and outside of them.
    Comments "comments" [Fact::Prose, Fact::Outline], |_| owned(&comments::NAMES), |facts, _| comments::comments(facts);
    /// Similarity of the block to the ingredients, steps, questions and answers that the page's structured data lists.
    Stated "stated" [Fact::Terms], |_| owned(&subject::STATED_NAMES), |facts, _| subject::stated(facts);
    /// Features of the block's field (all blocks with the same path of names and classes), such as a list or a menu.
    Fields "fields" [Fact::Shapes], |_| owned(&parts::FIELD_NAMES), |facts, _| parts::fields(facts);
    /// Images around the block, and headlines and articles before it.
    Surroundings "surroundings" [], |_| owned(&around::SURROUNDINGS_NAMES), |facts, _| around::surroundings(facts);
    /// Learned log odds that the class names and the address of the page give for each page type.
    // Page types use it, and the scorers of lists and threads. In those of all blocks DAnIEL lost .004.
    TypeWords "type_words" [], |lexicon| lexicon.type_columns(), |facts, _| type_words::type_words(facts);
}

impl FeatureGroup {
    /// Feature groups of the paper by Peters and Lecocq (2013), which it calls ST, IC and CETR.
    pub const PAPER: [FeatureGroup; 3] = [FeatureGroup::Shallow, FeatureGroup::Cetr, FeatureGroup::ListedWords];

    /// Returns the feature groups of the shipped models: all but that of listed words, as all words have weights.
    pub fn serving() -> Vec<FeatureGroup> {
        let mut groups = FeatureGroup::ALL.to_vec();
        // As measured, no group alone carries the model, but none can be taken out without a loss on some set.
        groups.retain(|group| *group != FeatureGroup::ListedWords);
        groups
    }

    /// Returns the feature groups of the shipped models that cost little. Each of the others needs its own pass over
    /// the page and adds hardly any accuracy.
    pub fn light() -> Vec<FeatureGroup> {
        use FeatureGroup::{Repeats, Stated, Topic, TypeWords};
        let mut groups = Self::serving();
        groups.retain(|group| ![Repeats, Stated, Topic, TypeWords].contains(group));
        groups
    }
}

/// Function that writes the columns of a feature group for a batch of blocks, in the order of their names.
pub(crate) type Fill<'a> = Box<dyn Fn(&Batch, &mut GroupColumns) + 'a>;

/// Returns a function that writes the columns of a feature group from one row of values per block.
pub(crate) fn rows<'a, const N: usize>(row: impl Fn(usize) -> [f32; N] + 'a) -> Fill<'a> {
    Box::new(move |_, out| out.put_rows(&row))
}

/// Returns a function that writes the same column values for all blocks of a page.
pub(crate) fn constants<'a, const N: usize>(values: [f32; N]) -> Fill<'a> {
    Box::new(move |_, out| values.iter().for_each(|value| out.put_constant(*value)))
}

/// Converts names of columns to owned strings.
pub(crate) fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Returns the column names `thing.part` for all `things` and `parts`, thing by thing.
pub(crate) fn crossed(things: impl IntoIterator<Item = String>, parts: &[&str]) -> Vec<String> {
    let of = |thing: String| parts.iter().map(move |part| format!("{thing}.{part}"));
    things.into_iter().flat_map(of).collect()
}
