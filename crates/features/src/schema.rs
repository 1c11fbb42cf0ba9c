//! The feature schema: which groups of features a row holds, and the name of each column.

use serde::{Deserialize, Serialize};
use trommel_html::Page;

use crate::facts::Facts;
use crate::rows::Rows;
use crate::tokens::{Lexicon, ListedToken, TokenWeight};
use crate::{
    address, ancestry, cetr, comments, containers, neighbours, outline, page_facts, position,
    prose, repeats, shallow, text, tokens, topic, wording,
};

/// A group of features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
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

impl Group {
    /// Every group, in the order in which rows hold them.
    pub const ALL: [Group; 17] = [
        Group::Shallow,
        Group::Cetr,
        Group::Tokens,
        Group::Weights,
        Group::Containers,
        Group::Ancestry,
        Group::Text,
        Group::Position,
        Group::Page,
        Group::Neighbours,
        Group::Prose,
        Group::Repeats,
        Group::Outline,
        Group::Topic,
        Group::Address,
        Group::Wording,
        Group::Comments,
    ];

    /// The groups of Peters and Lecocq (2013): ST, IC and CETR.
    pub const PAPER: [Group; 3] = [Group::Shallow, Group::Cetr, Group::Tokens];

    /// The groups that the shipped models are made of: all but the listed tokens, whose part the weights
    /// of all tokens take.
    pub fn serving() -> Vec<Group> {
        let mut groups = Group::ALL.to_vec();
        groups.retain(|group| *group != Group::Tokens);
        groups
    }

    /// Name in configuration and model files.
    pub fn name(self) -> &'static str {
        match self {
            Group::Shallow => "shallow",
            Group::Cetr => "cetr",
            Group::Tokens => "tokens",
            Group::Weights => "weights",
            Group::Containers => "containers",
            Group::Ancestry => "ancestry",
            Group::Text => "text",
            Group::Position => "position",
            Group::Page => "page",
            Group::Neighbours => "neighbours",
            Group::Prose => "prose",
            Group::Repeats => "repeats",
            Group::Outline => "outline",
            Group::Topic => "topic",
            Group::Address => "address",
            Group::Wording => "wording",
            Group::Comments => "comments",
        }
    }
}

/// What a row of features is made of.
#[derive(Clone, Debug)]
pub struct Schema {
    groups: Vec<Group>,
    names: Vec<String>,
    lexicon: Lexicon,
}

impl Schema {
    /// A schema of these groups (in the order of [`Group::ALL`], each once) with these tokens.
    pub fn new(
        groups: &[Group],
        listed: &[ListedToken],
        weights: &[TokenWeight],
        words: &[TokenWeight],
    ) -> Self {
        let groups: Vec<Group> = Group::ALL
            .into_iter()
            .filter(|group| groups.contains(group))
            .collect();
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let names = groups
            .iter()
            .flat_map(|group| -> Vec<String> {
                match group {
                    Group::Shallow => owned(&shallow::NAMES),
                    Group::Cetr => owned(&cetr::NAMES),
                    Group::Tokens => listed.iter().map(ListedToken::feature).collect(),
                    Group::Weights => owned(&tokens::WEIGHT_NAMES),
                    Group::Containers => containers::names(),
                    Group::Ancestry => ancestry::names(),
                    Group::Text => owned(&text::NAMES),
                    Group::Position => owned(&position::NAMES),
                    Group::Page => owned(&page_facts::NAMES),
                    Group::Neighbours => neighbours::names(),
                    Group::Prose => prose::names(),
                    Group::Repeats => repeats::names(),
                    Group::Outline => owned(&outline::NAMES),
                    Group::Topic => owned(&topic::NAMES),
                    Group::Address => owned(&address::NAMES),
                    Group::Wording => owned(&wording::NAMES),
                    Group::Comments => owned(&comments::NAMES),
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
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The name of each column.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The features of a page: one row a block, one column a name.
    pub fn rows(&self, page: &Page, url: Option<&str>) -> Rows {
        let mut rows = Rows::new(self.names.len(), page.blocks.len());
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
        let listed = [ListedToken {
            attribute: "class".into(),
            token: "menu".into(),
            odds: 0.1,
            share: 0.1,
        }];
        let page = LolEngine.read(
            "<title>t</title><ul class=menu><li>a<li>b</ul><h1>c</h1><p>d e f, g.",
            &Limits::default(),
        );
        for groups in [
            &Group::ALL[..],
            &Group::PAPER,
            &[Group::Neighbours, Group::Text],
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
        let schema = Schema::new(&Group::PAPER, &listed, &[], &[]);
        assert_eq!(schema.names()[9], "class:menu");
        let menu: Vec<f32> = schema.rows(&page, None).iter().map(|row| row[9]).collect();
        assert_eq!(menu, [1.0, 1.0, 0.0, 0.0]);
        assert!(schema.rows(&Page::default(), None).is_empty());
    }

    #[test]
    fn names_are_unique() {
        let schema = Schema::new(&Group::ALL, &[], &[], &[]);
        let mut names = schema.names().to_vec();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), schema.names().len());
    }
}
