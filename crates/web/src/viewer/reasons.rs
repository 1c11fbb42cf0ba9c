//! Explains the probability of a block in words: the part of its log odds that each topic of features adds.

use std::collections::BTreeMap;

use trommel_html::Page;
use trommel_model::{Layout, Model};

/// Maximum number of blocks with reasons in a report, which a browser must open; each takes some 2 kB.
pub const BLOCKS: usize = 2000;

/// Reasons for the probability that one block is main text, one for each topic (group of features).
#[derive(Clone, Debug, PartialEq)]
pub struct Reasons {
    /// Contribution of each topic (group of features) to the log odds, the largest absolute value first. The
    /// contribution of a pair of features counts half for the topic of each, because neither feature adds it alone.
    pub topics: Vec<(Topic, f64)>,
    /// Sum of all contributions, in log odds.
    pub sum: f64,
}

/// Explains the probabilities by `model` of the blocks that `wanted` selects; returns `None` for other blocks. Only the
/// columns of the model are computed, and they are not kept, because they take some kilobytes per block.
pub fn reasons(model: &Model, page: &Page, url: Option<&str>, wanted: &[bool]) -> Vec<Option<Reasons>> {
    // Of each of the model's contributions, which come in the same order for every row.
    let topics: Vec<[Topic; 2]> = model.reasons().iter().map(|name| topics(name)).collect();
    let of_fields = of_fields(model, page, url);
    let mut all = vec![None; page.blocks.len()];
    let (schema, set) = (model.schema(), model.columns());
    let mut row = vec![0.0; schema.names().len()];
    model.each_batch(page, url, |columns| {
        for (lane, at) in columns.blocks().iter().map(|at| *at as usize).enumerate() {
            if wanted.get(at) != Some(&true) {
                continue;
            }
            for (column, lanes) in set.asked().iter().zip(columns.values()) {
                if let (Some(place), Some(value)) = (row.get_mut(usize::from(*column)), lanes.get(lane)) {
                    *place = *value;
                }
            }
            if let (Some(place), Some(of_field)) = (all.get_mut(at), of_fields.get(at)) {
                *place = Some(explain(model, &topics, &row, *of_field));
            }
        }
    });
    all
}

/// Returns for each block the change of its log odds by similar blocks (those with the same path of names and classes).
fn of_fields(model: &Model, page: &Page, url: Option<&str>) -> Vec<f32> {
    let single = model.log_odds(page, url);
    let (layout, pooling) = (Layout::of(page), model.file().pooling);
    let mut pooled = single.clone();
    layout.represent(&mut pooled, pooling);
    layout.pool(&mut pooled, pooling);
    pooled.iter().zip(&single).map(|(pooled, single)| pooled - single).collect()
}

/// Returns the reasons for one block, given its features and the log odds `of_field` that similar blocks contribute.
fn explain(model: &Model, contributions: &[[Topic; 2]], row: &[f32], of_field: f32) -> Reasons {
    let mut topics = BTreeMap::from([(Topic::Repetition, f64::from(of_field))]);
    for (of, odds) in contributions.iter().zip(model.contributions(row)) {
        for topic in of {
            *topics.entry(*topic).or_default() += f64::from(odds) / 2.0;
        }
    }
    let sum = topics.values().sum();
    let mut topics: Vec<_> = topics.into_iter().filter(|(_, odds)| *odds != 0.0).collect();
    topics.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    Reasons { topics, sum }
}

impl Reasons {
    /// Returns the largest absolute value of the contribution of a topic (group of features), in log odds.
    pub(crate) fn largest(&self) -> f64 {
        self.topics.first().map_or(0.0, |(_, odds)| odds.abs())
    }

    /// Returns a sentence with the three topics (groups of features) that contribute most, besides [`Topic::Start`];
    /// `None` if there is none.
    pub fn sentence(&self) -> Option<String> {
        let largest: Vec<_> = self.topics.iter().filter(|(topic, _)| *topic != Topic::Start).take(3).collect();
        let side = |is_for: bool| {
            let names: Vec<String> = largest
                .iter()
                .filter(|(_, odds)| (*odds > 0.0) == is_for)
                .map(|(topic, odds)| format!("{} ({odds:+.2})", topic.name()))
                .collect();
            let lead = if is_for { "For it" } else { "Against it" };
            (!names.is_empty()).then(|| format!("{lead}: {}.", names.join(", ")))
        };
        let sides = if self.sum > 0.0 { [side(true), side(false)] } else { [side(false), side(true)] };
        let said: Vec<String> = sides.into_iter().flatten().collect();
        (!said.is_empty()).then(|| said.join(" "))
    }
}

fn topics(reason: &str) -> [Topic; 2] {
    match reason.split_once(" x ") {
        Some((one, other)) => [Topic::of(one), Topic::of(other)],
        None => [Topic::of(reason); 2],
    }
}

/// Selects the blocks to explain, given their word counts: all blocks with words, or the `most` longest of them. Of
/// equally long blocks the first are selected.
pub fn explained(words: &[u32], most: usize) -> Vec<bool> {
    let mut order: Vec<usize> = (0..words.len()).filter(|at| words.get(*at).is_some_and(|words| *words > 0)).collect();
    if order.len() > most {
        let rank = |at: &usize| (std::cmp::Reverse(words.get(*at).copied()), *at);
        order.select_nth_unstable_by_key(most, rank);
        order.truncate(most);
    }
    let mut chosen = vec![false; words.len()];
    for at in order {
        if let Some(chosen) = chosen.get_mut(at) {
            *chosen = true;
        }
    }
    chosen
}

trommel_text::named! {
    /// Topic of a feature, for grouping the reasons for a block's probability.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Topic {
        /// Constant from which the log odds of every block start.
        Start = "what every block starts from",
        /// Prose before, after and around the block.
        Prose = "the prose around it",
        /// Links in the block and around it.
        Links = "links",
        /// Words of `id` and `class` attributes around the block.
        ClassWords = "words of class and id",
        /// Words of the block itself.
        Wording = "its wording",
        /// Length and style of the block's text.
        Form = "length and form of its text",
        /// Elements around the block.
        Elements = "the elements around it",
        /// Containers that the block is in.
        Containers = "its containers",
        /// Blocks before and after the block.
        Neighbours = "the blocks next to it",
        /// Place of the block on the page.
        Place = "its place on the page",
        /// Repetition: the block is one of many similar blocks.
        Repetition = "repetition",
        /// Headings above the block.
        Headings = "headings",
        /// Subject of the page according to its head.
        Subject = "the subject of the page",
        /// Comment sections of the page.
        Comments = "comment sections",
        /// Page as a whole.
        Page = "the page as a whole",
        /// Boosted trees, which combine features of all topics.
        Trees = "the trees together",
    }
}

impl Topic {
    /// Returns the topic of the model feature with this name.
    pub fn of(feature: &str) -> Self {
        let (group, rest) = feature.split_once('.').unwrap_or((feature, ""));
        match group {
            "intercept" => Self::Start,
            "trees" => Self::Trees,
            _ if feature.contains("link") => Self::Links,
            "weights" => Self::ClassWords,
            "wording" => Self::Wording,
            "prose" => Self::Prose,
            "repeats" | "fields" | "field" => Self::Repetition,
            "outline" => Self::Headings,
            "topic" | "stated" => Self::Subject,
            "comments" => Self::Comments,
            "page" | "address" | "type_words" => Self::Page,
            "own" | "innermost" | "parent" | "around" | "surroundings" => Self::Elements,
            "position" if rest.contains("like") || rest.contains("repeat") || rest.contains("seen") => Self::Repetition,
            "position" if rest.contains("title") => Self::Subject,
            "position" => Self::Place,
            _ if group.starts_with("container_") && rest.starts_with("prose") => Self::Prose,
            _ if group.starts_with("container_") => Self::Containers,
            _ if group.starts_with("neighbour_") => Self::Neighbours,
            // Density of text and tags.
            _ => Self::Form,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};
    use trommel_model::features::FeatureGroup;
    use trommel_model::{
        Additive, ColumnWeight, FORMAT, Linear, Model, ModelFile, Scorer, StepFunction, VERSION, WeightedScorer,
    };

    /// Creates a model that is half linear and half additive, over `columns` text features.
    fn model(columns: usize) -> Model {
        let names = trommel_model::features::Schema::new(&[FeatureGroup::Text, FeatureGroup::Shallow], &[], &[], &[]);
        let names: Vec<String> = names.names().iter().take(columns).cloned().collect();
        let every = || 0..u16::try_from(columns).unwrap();
        let linear = Linear {
            intercept: 1.0,
            weights: every()
                .map(|column| ColumnWeight { column, weight: f32::from(column) - 2.0, deviation: 1.0 })
                .collect(),
        };
        let additive = Additive {
            intercept: -3.0,
            step_functions: every()
                .map(|column| StepFunction { column, edges: vec![0.5], weights: vec![0.0, 0.25] })
                .collect(),
            crosses: vec![],
        };
        Model::new(ModelFile {
            format: FORMAT.into(),
            version: VERSION,
            name: "test".into(),
            created: "2026-01-01".into(),
            groups: vec![FeatureGroup::Text, FeatureGroup::Shallow],
            columns: names,
            parts: [Scorer::Linear(linear), Scorer::Additive(additive)]
                .map(|scorer| WeightedScorer { share: 0.5, scorer })
                .into(),
            ..ModelFile::default()
        })
        .unwrap()
    }

    #[test]
    fn reasons_are_summed_by_topic() {
        let model = model(3);
        let of: Vec<[Topic; 2]> = model.reasons().iter().map(|name| super::topics(name)).collect();
        let reasons = explain(&model, &of, &[1.0, 0.0, 4.0], 0.25);
        let topics = [(Topic::Start, -1.0), (Topic::Form, -0.75), (Topic::Repetition, 0.25)];
        assert_eq!(reasons, Reasons { topics: topics.to_vec(), sum: -1.5 });
    }

    #[test]
    fn pairs_count_half_for_each_topic() {
        assert_eq!(topics("prose.before x link_density"), [Topic::Prose, Topic::Links]);
        assert_eq!(topics("own.p"), [Topic::Elements; 2]);
    }

    #[test]
    fn the_three_largest_are_a_sentence() {
        let reasons = |sum, topics: &[(Topic, f64)]| Reasons { sum, topics: topics.to_vec() };
        let topics =
            [(Topic::Start, -9.0), (Topic::Prose, 1.5), (Topic::Form, 1.0), (Topic::Links, -0.5), (Topic::Page, 0.25)];
        assert_eq!(
            reasons(2.0, &topics).sentence().unwrap(),
            "For it: the prose around it (+1.50), length and form of its text (+1.00). \
             Against it: links (-0.50)."
        );
        assert_eq!(reasons(-2.0, &topics[3..4]).sentence().unwrap(), "Against it: links (-0.50).");
        assert_eq!(reasons(0.0, &topics[..1]).sentence(), None);
    }

    /// Tests that the requested columns give the same reasons as all columns of all blocks.
    #[test]
    fn reasons_of_a_page_are_those_of_its_rows() {
        let blocks: String = (0..150)
            .map(|at| format!("<div class=c{}><p>Some words, then. <a href=x>{at}</a></div>", at % 7))
            .collect();
        let page = ScanEngine.read(&format!("<h1>Some</h1>{blocks}"), &Limits::default());
        let url = Some("http://a.example/some");
        for name in ["fast", "lite"] {
            let model = Model::builtin(name).unwrap();
            let topics: Vec<[Topic; 2]> = model.reasons().iter().map(|name| topics(name)).collect();
            let wanted: Vec<bool> = (0..page.blocks.len()).map(|at| at % 3 == 0).collect();
            let given = reasons(&model, &page, url, &wanted);
            let fields = of_fields(&model, &page, url);
            let rows = model.schema().rows(&page, url);
            assert_eq!(given.len(), page.blocks.len());
            for (at, (given, row)) in given.iter().zip(rows.iter()).enumerate() {
                let expected = wanted[at].then(|| explain(&model, &topics, row, fields[at]));
                assert_eq!(*given, expected, "{name}, block {at}");
            }
        }
    }

    #[test]
    fn longest_blocks_are_explained() {
        assert_eq!(explained(&[3, 0, 1], 9), [true, false, true]);
        assert_eq!(explained(&[1, 5, 0, 5, 9, 5], 3), [false, true, false, true, true, false]);
        assert_eq!(explained(&[1, 2], 0), [false, false]);
        assert!(explained(&[], 3).is_empty());
    }

    #[test]
    fn features_have_topics() {
        for (feature, topic) in [
            ("intercept", Topic::Start),
            ("container_3.link_density", Topic::Links),
            ("container_3.prose_share", Topic::Prose),
            ("container_3.commas", Topic::Containers),
            ("position.log_like", Topic::Repetition),
            ("position.title_share", Topic::Subject),
            ("position.share", Topic::Place),
            ("fields.numbers", Topic::Repetition),
            ("field", Topic::Repetition),
            ("stated.same", Topic::Subject),
            ("neighbour_-1.heading", Topic::Neighbours),
            ("text_density.next", Topic::Form),
            ("own.p", Topic::Elements),
            ("type_words.forum", Topic::Page),
            ("weights.parent_min", Topic::ClassWords),
        ] {
            assert_eq!(Topic::of(feature), topic, "{feature}");
        }
    }

    /// Tests that every group of features has a topic other than form, except density and text.
    #[test]
    fn only_density_and_text_are_form() {
        let model = Model::builtin("fast").unwrap();
        for name in model.schema().names() {
            let is_form = ["text.", "text_density", "tag_ratio."].iter().any(|start| name.starts_with(start));
            assert!(is_form || Topic::of(name) != Topic::Form, "{name}");
        }
    }
}
