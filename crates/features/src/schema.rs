//! The feature schema: which groups of features a row holds, and the name of each column.

use serde::{Deserialize, Serialize};
use trommel_html::Page;

use crate::facts::Facts;
use crate::rows::FeatureMatrix;
use crate::tokens::{Lexicon, ListedWord, TermWeight};
use crate::{
    address, ancestry, cetr, comments, containers, neighbours, outline, page_facts, position,
    prose, repeats, shallow, text, tokens, topic, wording,
};

/// A group of features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FeatureGroup {
    /// Text and link density of the previous, the current and the next block ("ST" in the paper).
    Shallow,
    /// Smoothed tag ratio, its derivative, and the verdict of CETR.
    Cetr,
    /// One 0/1 feature for each listed attribute token ("IC" in the paper).
    Tokens,
    /// Log odds of all known attribute tokens, summed along the path to the block.
    Weights,
    /// Aggregates of the elements around the block at several levels.
    Containers,
    /// Names of the elements around the block.
    Ancestry,
    /// The look of the text.
    Text,
    /// Order, headline, title, repetition.
    Position,
    /// Facts of the whole page.
    Page,
    /// The three blocks before and after.
    Neighbours,
    /// Where the prose of the page is.
    Prose,
    /// Repeated elements around the block.
    Repeats,
    /// Headline and headings.
    Outline,
    /// The head's title and descriptions against the block's words.
    Topic,
    /// The page's address.
    Address,
    /// Log odds of the block's first words.
    Wording,
    /// Comment sections against the prose outside of them.
    Comments,
}

impl FeatureGroup {
    /// Every group, in the order in which rows hold them.
    pub const ALL: [FeatureGroup; 17] = [
        FeatureGroup::Shallow,
        FeatureGroup::Cetr,
        FeatureGroup::Tokens,
        FeatureGroup::Weights,
        FeatureGroup::Containers,
        FeatureGroup::Ancestry,
        FeatureGroup::Text,
        FeatureGroup::Position,
        FeatureGroup::Page,
        FeatureGroup::Neighbours,
        FeatureGroup::Prose,
        FeatureGroup::Repeats,
        FeatureGroup::Outline,
        FeatureGroup::Topic,
        FeatureGroup::Address,
        FeatureGroup::Wording,
        FeatureGroup::Comments,
    ];

    /// The groups of Peters and Lecocq (2013): ST, IC and CETR.
    pub const PAPER: [FeatureGroup; 3] = [
        FeatureGroup::Shallow,
        FeatureGroup::Cetr,
        FeatureGroup::Tokens,
    ];

    /// The groups that the shipped models are made of: all but the listed tokens, whose part the weights
    /// of all tokens take.
    pub fn serving() -> Vec<FeatureGroup> {
        let mut groups = FeatureGroup::ALL.to_vec();
        groups.retain(|group| *group != FeatureGroup::Tokens);
        groups
    }

    /// Name in configuration and model files.
    pub fn name(self) -> &'static str {
        match self {
            FeatureGroup::Shallow => "shallow",
            FeatureGroup::Cetr => "cetr",
            FeatureGroup::Tokens => "tokens",
            FeatureGroup::Weights => "weights",
            FeatureGroup::Containers => "containers",
            FeatureGroup::Ancestry => "ancestry",
            FeatureGroup::Text => "text",
            FeatureGroup::Position => "position",
            FeatureGroup::Page => "page",
            FeatureGroup::Neighbours => "neighbours",
            FeatureGroup::Prose => "prose",
            FeatureGroup::Repeats => "repeats",
            FeatureGroup::Outline => "outline",
            FeatureGroup::Topic => "topic",
            FeatureGroup::Address => "address",
            FeatureGroup::Wording => "wording",
            FeatureGroup::Comments => "comments",
        }
    }
}

/// What a row of features is made of.
#[derive(Clone, Debug)]
pub struct Schema {
    groups: Vec<FeatureGroup>,
    names: Vec<String>,
    lexicon: Lexicon,
}

impl Schema {
    /// A schema of these groups (in the order of [`FeatureGroup::ALL`], each once) with these tokens.
    pub fn new(
        groups: &[FeatureGroup],
        listed: &[ListedWord],
        weights: &[TermWeight],
        words: &[TermWeight],
    ) -> Self {
        let groups: Vec<FeatureGroup> = FeatureGroup::ALL
            .into_iter()
            .filter(|group| groups.contains(group))
            .collect();
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let names = groups
            .iter()
            .flat_map(|group| -> Vec<String> {
                match group {
                    FeatureGroup::Shallow => owned(&shallow::NAMES),
                    FeatureGroup::Cetr => owned(&cetr::NAMES),
                    FeatureGroup::Tokens => listed.iter().map(ListedWord::feature).collect(),
                    FeatureGroup::Weights => owned(&tokens::WEIGHT_NAMES),
                    FeatureGroup::Containers => containers::names(),
                    FeatureGroup::Ancestry => ancestry::names(),
                    FeatureGroup::Text => owned(&text::NAMES),
                    FeatureGroup::Position => owned(&position::NAMES),
                    FeatureGroup::Page => owned(&page_facts::NAMES),
                    FeatureGroup::Neighbours => neighbours::names(),
                    FeatureGroup::Prose => prose::names(),
                    FeatureGroup::Repeats => repeats::names(),
                    FeatureGroup::Outline => owned(&outline::NAMES),
                    FeatureGroup::Topic => owned(&topic::NAMES),
                    FeatureGroup::Address => owned(&address::NAMES),
                    FeatureGroup::Wording => owned(&wording::NAMES),
                    FeatureGroup::Comments => owned(&comments::NAMES),
                }
            })
            .collect();
        Self {
            groups,
            names,
            lexicon: Lexicon::new(listed, weights, words),
        }
    }

    /// The groups, in row order.
    pub fn groups(&self) -> &[FeatureGroup] {
        &self.groups
    }

    /// The name of each column.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The features of a page: one row a block, one column a name.
    pub fn rows(&self, page: &Page, url: Option<&str>) -> FeatureMatrix {
        let mut rows = FeatureMatrix::new(self.names.len(), page.blocks.len());
        self.each_row(page, url, |row| rows.extend(row));
        rows
    }

    /// Gives the features of each block in turn: one number a name. Takes time linear in the elements
    /// and blocks (times the width of a row), and memory for one row.
    pub fn each_row(&self, page: &Page, url: Option<&str>, mut give: impl FnMut(&[f32])) {
        let facts = Facts::new(page, url, self);
        let mut row: Vec<f32> = Vec::with_capacity(self.names.len());
        for (at, block) in page.blocks.iter().enumerate() {
            row.clear();
            facts.row(at, block, &mut row);
            give(&row);
        }
    }

    pub(crate) fn lexicon(&self) -> &Lexicon {
        &self.lexicon
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, LolEngine};

    #[test]
    fn rows_have_a_column_for_each_name() {
        let listed = [ListedWord {
            attribute: "class".into(),
            word: "menu".into(),
            odds: 0.1,
            share: 0.1,
        }];
        let page = LolEngine.read(
            "<title>t</title><ul class=menu><li>a<li>b</ul><h1>c</h1><p>d e f, g.",
            &Limits::default(),
        );
        for groups in [
            &FeatureGroup::ALL[..],
            &FeatureGroup::PAPER,
            &[FeatureGroup::Neighbours, FeatureGroup::Text],
        ] {
            let schema = Schema::new(groups, &listed, &[], &[]);
            let rows = schema.rows(&page, None);
            assert_eq!(
                (rows.len(), rows.width()),
                (4, schema.names().len()),
                "{groups:?}"
            );
            assert!(rows.iter().flatten().all(|v| v.is_finite()));
        }
        let schema = Schema::new(&FeatureGroup::PAPER, &listed, &[], &[]);
        assert_eq!(schema.names()[9], "class:menu");
        let menu: Vec<f32> = schema.rows(&page, None).iter().map(|row| row[9]).collect();
        assert_eq!(menu, [1.0, 1.0, 0.0, 0.0]);
        assert!(schema.rows(&Page::default(), None).is_empty());
    }

    #[test]
    fn names_are_unique() {
        let schema = Schema::new(&FeatureGroup::ALL, &[], &[], &[]);
        let mut names = schema.names().to_vec();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), schema.names().len());
    }
}
