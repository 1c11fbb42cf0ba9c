//! The feature schema: the feature groups of a row, the name of each column, the matrix of one page.

use std::ops::Range;

use trommel_html::Page;

use crate::features::columns::{ColumnSet, Columns, LANES};
use crate::features::facts::{Batch, Fact, PageFacts, elements};
use crate::features::groups::{FeatureGroup, Fill, Group};
use crate::features::lexicon::{Lexicon, ListedWord, TermWeight, TypeWords};
use crate::features::scratch::count_work;

/// Schema of a model's features: its feature groups, and the names of the columns in a row of features.
#[derive(Clone, Debug)]
pub struct Schema {
    groups: Vec<FeatureGroup>,
    /// Range of columns of each feature group.
    ranges: Vec<Range<usize>>,
    names: Vec<String>,
    lexicon: Lexicon,
}

impl Schema {
    /// Creates a schema of these groups, each once and in the order of [`FeatureGroup::ALL`], with these word lists.
    pub fn new(groups: &[FeatureGroup], listed: &[ListedWord], weights: &[TermWeight], words: &[TermWeight]) -> Self {
        Self::with_type_words(groups, listed, weights, words, &TypeWords::default())
    }

    /// Creates a schema as [`Schema::new`] does, with words that tell the type of a page.
    pub fn with_type_words(
        groups: &[FeatureGroup],
        listed: &[ListedWord],
        weights: &[TermWeight],
        words: &[TermWeight],
        type_words: &TypeWords,
    ) -> Self {
        let lexicon = Lexicon::new(listed, weights, words).with_type_words(type_words);
        // In one fixed order, whatever the order in the file: columns of equal models stand at equal places.
        let groups: Vec<FeatureGroup> = FeatureGroup::ALL.into_iter().filter(|group| groups.contains(group)).collect();
        let (mut names, mut ranges) = (Vec::new(), Vec::new());
        for group in &groups {
            let start = names.len();
            names.extend((group.group().columns)(&lexicon));
            ranges.push(start..names.len());
        }
        Self { groups, ranges, names, lexicon }
    }

    /// Returns the feature groups, in row order.
    pub fn groups(&self) -> &[FeatureGroup] {
        &self.groups
    }

    /// Returns the names of the columns, in row order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the number of the column with this name; `None` if there is none.
    pub fn column(&self, name: &str) -> Option<u16> {
        let at = self.names.iter().position(|known| known == name)?;
        u16::try_from(at).ok()
    }

    /// Computes the features of a page: one row per block, one column per name.
    pub fn rows(&self, page: &Page, url: Option<&str>) -> FeatureMatrix {
        let width = self.names.len();
        let all = ColumnSet::new(width, (0..=u16::MAX).take(width));
        let mut rows = FeatureMatrix::new(width, page.blocks.len());
        self.each_batch(page, url, &all, |columns| {
            for lane in 0..columns.blocks().len() {
                let values = columns.values().iter();
                rows.extend(values.map(|lanes| lanes.get(lane).copied().unwrap_or(0.0)));
            }
        });
        rows
    }

    /// Computes the columns of a set for a page and passes them to `give`, batch by batch of blocks. Feature groups
    /// without any of the columns are left out, with the facts that only they need. Takes time linear in the elements
    /// and blocks (times the number of columns), and memory for one batch plus a few numbers per element and block.
    pub fn each_batch(&self, page: &Page, url: Option<&str>, set: &ColumnSet, give: impl FnMut(&mut Columns)) {
        let facts = self.facts(page, url, set);
        PageFeatures::new(self, &facts, set).each_batch(&mut Columns::new(set), 0..page.blocks.len() as u32, give);
    }

    /// Computes the facts about a page from which the columns of a set are made.
    pub(crate) fn facts<'p>(&'p self, page: &'p Page, url: Option<&'p str>, set: &ColumnSet) -> PageFacts<'p> {
        // Facts of groups without an asked column are not made: a model pays for what it reads.
        let needed: Vec<Fact> = self.asked(set).flat_map(|(group, _)| group.needs).copied().collect();
        PageFacts::new(page, url, &self.lexicon, &needed)
    }

    /// Iterates over the feature groups with at least one column in the set, each with its range of columns.
    fn asked(&self, set: &ColumnSet) -> impl Iterator<Item = (&'static Group, Range<usize>)> {
        let groups = self.groups.iter().zip(&self.ranges);
        let asked = groups.filter(|(_, range)| !set.asked_of((*range).clone()).is_empty());
        asked.map(|(group, range)| (group.group(), range.clone()))
    }
}

/// Features of the blocks of one page, computed as columns in batches.
pub(crate) struct PageFeatures<'p> {
    facts: &'p PageFacts<'p>,
    /// Feature groups, each with the function that fills its columns, and the range of its columns in a row.
    groups: Vec<(&'static Group, Fill<'p>, Range<usize>)>,
}

impl<'p> PageFeatures<'p> {
    /// Prepares the features in a set of columns, from facts that were computed for this set.
    pub fn new(schema: &Schema, facts: &'p PageFacts<'p>, set: &ColumnSet) -> Self {
        let on = |(group, range): (&'static Group, Range<usize>)| {
            (group, (group.on)(facts, set.asked_of(range.clone())), range)
        };
        Self { facts, groups: schema.asked(set).map(on).collect() }
    }

    /// Computes the columns of the given blocks and passes them to `give`, batch by batch. The columns must be among
    /// those of the features.
    // One batch of memory for all batches of a page, which therefore stays in the cache.
    pub fn each_batch<'s>(
        &self,
        columns: &mut Columns<'s>,
        blocks: impl IntoIterator<Item = u32>,
        mut give: impl FnMut(&mut Columns<'s>),
    ) {
        let set = columns.set();
        let asked = self.groups.iter().filter(|(.., range)| !set.asked_of(range.clone()).is_empty());
        let groups: Vec<_> = asked.collect();
        let has_levels = groups.iter().any(|(group, ..)| group.needs.contains(&Fact::Levels));
        let mut batch = Batch::default();
        let mut blocks = blocks.into_iter();
        loop {
            columns.start(blocks.by_ref().take(LANES));
            if columns.blocks().is_empty() {
                return;
            }
            count_work(columns.blocks().len() * set.asked().len());
            if has_levels {
                elements::fill(&mut batch.levels, &self.facts.elements, columns.blocks());
            }
            for (_, fill, range) in &groups {
                fill(&batch, &mut columns.group(range.clone()));
            }
            columns.finish();
            give(columns);
        }
    }
}

/// Feature values of the blocks of a page: one row per block, one column per feature.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeatureMatrix {
    width: usize,
    data: Vec<f32>,
}

impl FeatureMatrix {
    pub(crate) fn new(width: usize, blocks: usize) -> Self {
        Self { width, data: Vec::with_capacity(width * blocks) }
    }

    /// Returns the number of features (columns).
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of blocks (rows).
    pub fn len(&self) -> usize {
        self.data.len().checked_div(self.width).unwrap_or(0)
    }

    /// Returns whether the matrix has no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Iterates over the rows in block order.
    pub fn iter(&self) -> impl Iterator<Item = &[f32]> {
        self.data.chunks_exact(self.width.max(1))
    }

    pub(crate) fn extend(&mut self, values: impl Iterator<Item = f32>) {
        self.data.extend(values);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn rows_have_a_column_for_each_name() {
        let listed = [ListedWord { attribute: "class".into(), word: "menu".into(), odds: 0.1, share: 0.1 }];
        let page =
            ScanEngine.read("<title>t</title><ul class=menu><li>a<li>b</ul><h1>c</h1><p>d e f, g.", &Limits::default());
        for groups in [&FeatureGroup::ALL[..], &FeatureGroup::PAPER, &[FeatureGroup::Neighbours, FeatureGroup::Text]] {
            let schema = Schema::new(groups, &listed, &[], &[]);
            let rows = schema.rows(&page, None);
            assert_eq!((rows.len(), rows.width()), (4, schema.names().len()), "{groups:?}");
            assert!(rows.iter().flatten().all(|v| v.is_finite()));
        }
        let schema = Schema::new(&FeatureGroup::PAPER, &listed, &[], &[]);
        assert_eq!(schema.names()[9], "class:menu");
        let menu: Vec<f32> = schema.rows(&page, None).iter().map(|row| row[9]).collect();
        assert_eq!(menu, [1.0, 1.0, 0.0, 0.0]);
        assert!(schema.rows(&Page::default(), None).is_empty());
    }

    #[test]
    fn columns_that_are_asked_for_are_those_of_the_rows() {
        // More blocks than a batch holds, of different lengths.
        let blocks: String = (0..150)
            .map(|at| format!("<div><p class=c{}>{}</div>", at % 7, "Some words, then. ".repeat(at % 5 + 1)))
            .collect();
        let page = ScanEngine.read(&format!("<h1>Some</h1>{blocks}"), &Limits::default());
        let schema = Schema::new(&FeatureGroup::serving(), &[], &[], &[]);
        let rows = schema.rows(&page, Some("http://a.example/some"));
        let asked = [9u16, 200, 40, 9, 5_000];
        let set = ColumnSet::new(schema.names().len(), asked);
        assert_eq!(set.asked(), [9, 200, 40], "each once, unknown ones left out");
        assert_eq!((set.slot(200), set.slot(10), set.slot(5_000)), (Some(1), None, None));
        let mut seen = 0;
        schema.each_batch(&page, Some("http://a.example/some"), &set, |columns| {
            assert_eq!(columns.values().len(), 3);
            for (lane, at) in columns.blocks().iter().enumerate() {
                let row = rows.iter().nth(*at as usize).unwrap();
                let values = columns.values().iter().map(|lanes| lanes[lane]);
                let expected = set.asked().iter().map(|column| row[usize::from(*column)]);
                assert!(values.eq(expected), "block {at}");
                seen += 1;
            }
        });
        assert_eq!(seen, page.blocks.len());
    }

    #[test]
    fn each_column_alone_is_that_of_the_rows() {
        let cards: String =
            (0..70).map(|at| format!("<li class=card><img><p>Card {}, with words.</p>", at % 9)).collect();
        let html = format!(
            "<title>Some story of today</title><meta name=description content='A story with words.'>\
             <script type=application/ld+json>{{\"@type\":\"Article\",\"headline\":\"Some story\",\
             \"articleBody\":\"The story itself, told with many words.\"}}</script>\
             <h1>Some story</h1><article><p>The story itself, told with many words.<p>{}</article><ul>{cards}</ul><div id=comments><p>I do not agree with this at all.</p></div>",
            "And more of it, too, at length. ".repeat(20)
        );
        let page = ScanEngine.read(&html, &Limits::default());
        let schema = Schema::new(&FeatureGroup::serving(), &[], &[], &[]);
        let url = Some("http://a.example/some-story");
        let rows = schema.rows(&page, url);
        for (column, name) in schema.names().iter().enumerate() {
            let set = ColumnSet::new(schema.names().len(), [column as u16]);
            schema.each_batch(&page, url, &set, |columns| {
                for (lane, at) in columns.blocks().iter().enumerate() {
                    let expected = rows.iter().nth(*at as usize).unwrap()[column];
                    assert_eq!(columns.values()[0][lane], expected, "{name}, block {at}");
                }
            });
        }
        let varies = |name: &str| {
            let column = schema.names().iter().position(|column| column == name).unwrap();
            let first = rows.iter().next().unwrap()[column];
            rows.iter().any(|row| row[column] != first)
        };
        for name in ["tag_ratio.cluster", "topic.body_phrases", "position.title_share", "position.log_like"] {
            assert!(varies(name), "{name}");
        }
    }

    #[test]
    fn named_blocks_have_the_columns_of_the_rows() {
        let blocks: String = (0..150)
            .map(|at| {
                format!("<div><h2>Part {at}</h2><p class=c{}>{}</div>", at % 7, "Some words, then. ".repeat(at % 5))
            })
            .collect();
        let html = format!("<h1>Some</h1>{blocks}<div id=comments><p>I say some, too.</div>");
        let page = ScanEngine.read(&html, &Limits::default());
        let schema = Schema::new(&FeatureGroup::serving(), &[], &[], &[]);
        let rows = schema.rows(&page, None);
        let width = schema.names().len();
        let column = |name: &str| schema.names().iter().position(|column| column == name).unwrap();
        let all = ColumnSet::new(width, ["comments.inside", "outline.is_headline"].map(|name| column(name) as u16));
        let set = ColumnSet::new(width, 0..width as u16);
        let blocks = page.blocks.len() as u32;
        // Some apart from each other, then a run of more than a batch, then none.
        let lists: [Vec<u32>; 3] =
            [(0..blocks).filter(|at| at % 3 == 0 || at % 7 == 1).collect(), (1..100).collect(), Vec::new()];
        let expected: Vec<u32> = lists.concat();
        let mut seen = (Vec::new(), Vec::new());
        let facts = schema.facts(&page, None, &set);
        let features = PageFeatures::new(&schema, &facts, &set);
        features.each_batch(&mut Columns::new(&all), 0..page.blocks.len() as u32, |columns| {
            for (lane, at) in columns.blocks().iter().enumerate() {
                let row = rows.iter().nth(*at as usize).unwrap();
                let values: Vec<f32> = columns.values().iter().map(|lanes| lanes[lane]).collect();
                let expected = all.asked().iter().map(|column| row[usize::from(*column)]);
                assert!(values.iter().copied().eq(expected), "block {at}");
                seen.0.push(values);
            }
        });
        let mut columns = Columns::new(&set);
        for list in lists {
            features.each_batch(&mut columns, list, |columns| {
                for (lane, at) in columns.blocks().iter().enumerate() {
                    let row = rows.iter().nth(*at as usize).unwrap();
                    assert!(columns.values().iter().map(|lanes| lanes[lane]).eq(row.iter().copied()), "block {at}");
                    seen.1.push(*at);
                }
            });
        }
        assert_eq!((seen.0.len(), &seen.1), (page.blocks.len(), &expected));
        let sums: Vec<f32> = (0..2).map(|slot| seen.0.iter().map(|values| values[slot]).sum()).collect();
        assert_eq!(sums, [1.0, 1.0], "one comment and one headline");
    }

    #[test]
    fn columns_that_nobody_asks_for_make_no_pass() {
        let blocks = "<p>Some words of prose, at some length.<li>Some".repeat(200);
        let page = ScanEngine.read(&format!("<title>Some words</title>{blocks}"), &Limits::default());
        let schema = Schema::new(&FeatureGroup::serving(), &[], &[], &[]);
        let work = |name: &str| {
            let at = schema.names().iter().position(|column| column == name).unwrap();
            let set = ColumnSet::new(schema.names().len(), [at as u16]);
            crate::features::scratch::work_of(|| schema.each_batch(&page, None, &set, |_| {}))
        };
        // Clusters and texts are what the others of the group do without.
        assert!(work("tag_ratio.cluster") > 2 * work("tag_ratio.smoothed"));
        assert!(work("position.log_repeats") > work("position.share") + page.blocks.len() as u64);
        assert!(work("position.title_share") > work("position.share") + page.blocks.len() as u64);
    }

    #[test]
    fn groups_that_nobody_asks_for_make_no_pass() {
        let html = format!("<h1>Words</h1>{}", "<p>Some words of prose, at some length.".repeat(200));
        let page = ScanEngine.read(&html, &Limits::default());
        let schema = Schema::new(&FeatureGroup::serving(), &[], &[], &[]);
        let work = |name: &str| {
            let at = schema.names().iter().position(|column| column == name).unwrap();
            let set = ColumnSet::new(schema.names().len(), [at as u16]);
            crate::features::scratch::work_of(|| schema.each_batch(&page, None, &set, |_| {}))
        };
        // A number a block; with the words of all blocks for the topic.
        assert_eq!(work("text.log_words"), page.blocks.len() as u64);
        assert!(work("topic.title_share") > html.len() as u64 / 2);
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
