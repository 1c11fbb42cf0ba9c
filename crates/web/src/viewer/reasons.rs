//! Explains the probability of a block in words: what each feature adds to its log odds.

use std::collections::{BTreeMap, HashMap};
use std::{ops::Range, sync::Arc};

use trommel_html::Page;
use trommel_model::{Layout, Model};

/// Maximum number of reasons shown for a block.
pub const MAX_REASONS: usize = 20;
/// Name of the reason that the blocks of one field give each other.
const FIELD: &str = "field";
/// Maximum number of blocks with reasons in a report: they take some 3 kB each, and a browser must open it.
pub const BLOCKS: usize = 2000;

/// The contribution of one feature to the log odds of a block.
#[derive(Clone, Debug, PartialEq)]
pub struct Contribution {
    /// Name of the feature, `intercept`, `trees` or `field` (the blocks whose whole path is the same).
    pub name: Arc<str>,
    /// Value of the feature; none for the others.
    pub value: Option<f32>,
    /// Log odds added.
    pub odds: f64,
}

/// The reasons of one block.
#[derive(Clone, Debug, PartialEq)]
pub struct Reasons {
    /// The reasons with the largest contributions; at most twenty.
    pub shown: Vec<Contribution>,
    /// Number of reasons not shown, without those that contribute nothing.
    pub others: usize,
    /// Sum of their contributions in log odds.
    pub others_odds: f64,
    /// Sum of all contributions in log odds.
    pub sum: f64,
    /// The contribution of each topic, the largest first; together they are `sum`. The contribution of a pair
    /// of features counts half for the topic of each, because neither adds it alone.
    pub topics: Vec<(Topic, f64)>,
}

/// Explains the judgement of blocks by one model.
pub struct Explainer<'m> {
    model: &'m Model,
    /// Name and column of each reason: a column that several parts of the model ask is one.
    known: Vec<(Arc<str>, Option<usize>)>,
    /// The topics of each reason: one, or the two of a pair.
    topics: Vec<[Topic; 2]>,
    /// The reason to which each of the model's contributions belongs. They come in the same order for every
    /// row.
    reason_of: Vec<usize>,
}

impl<'m> Explainer<'m> {
    /// Prepares the names of a model.
    pub fn new(model: &'m Model) -> Self {
        let columns: HashMap<&str, usize> =
            model.schema().names().iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
        // The first is what the blocks like it add.
        let mut known = vec![(Arc::from(FIELD), None)];
        let mut at: HashMap<String, usize> = HashMap::new();
        let reason_of = model
            .reasons()
            .into_iter()
            .map(|name| {
                *at.entry(name.clone()).or_insert_with(|| {
                    let column = columns.get(name.as_str()).copied();
                    known.push((Arc::from(name), column));
                    known.len() - 1
                })
            })
            .collect();
        let topics = known.iter().map(|(name, _)| topics(name)).collect();
        Self { model, known, topics, reason_of }
    }

    /// The reasons of the blocks of a page that `wanted` selects. Only the model's columns are computed, and they are
    /// not kept: those of all blocks would take some kilobytes a block.
    pub fn of_page(&self, page: &Page, url: Option<&str>, wanted: &[bool]) -> Vec<Option<Reasons>> {
        let of_fields = self.of_fields(page, url);
        let mut all = vec![None; page.blocks.len()];
        let (schema, set) = (self.model.schema(), self.model.columns());
        let mut row = vec![0.0; schema.names().len()];
        let some = |blocks: Range<usize>| {
            let wanted = wanted.get(blocks);
            wanted.is_some_and(|wanted| wanted.contains(&true))
        };
        schema.each_wanted_batch(page, url, set, some, |columns| {
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
                    *place = Some(self.explain(&row, *of_field));
                }
            }
        });
        all
    }

    /// The contribution of the blocks of its field to the log odds of each block of a page.
    fn of_fields(&self, page: &Page, url: Option<&str>) -> Vec<f32> {
        let single = self.model.log_odds(page, url);
        let (layout, pooling) = (Layout::of(page), self.model.file().pooling);
        let mut pooled = single.clone();
        layout.represent(&mut pooled, pooling);
        layout.pool(&mut pooled, pooling);
        let both = pooled.iter().zip(&single);
        both.map(|(pooled, single)| pooled - single).collect()
    }

    /// The reasons of the block with this row; its field adds `of_field` to the log odds.
    pub fn explain(&self, row: &[f32], of_field: f32) -> Reasons {
        let mut odds = vec![0.0; self.known.len()];
        if let Some(first) = odds.first_mut() {
            *first = f64::from(of_field);
        }
        for (at, added) in self.reason_of.iter().zip(self.model.contributions(row)) {
            if let Some(odds) = odds.get_mut(*at) {
                *odds += f64::from(added);
            }
        }
        let sum = odds.iter().sum();
        let mut topics: BTreeMap<Topic, f64> = BTreeMap::new();
        for (of, odds) in self.topics.iter().zip(&odds) {
            for topic in of {
                *topics.entry(*topic).or_default() += odds / 2.0;
            }
        }
        let mut topics: Vec<_> = topics.into_iter().filter(|(_, odds)| *odds != 0.0).collect();
        topics.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        let mut all: Vec<Contribution> = self
            .known
            .iter()
            .zip(odds)
            .filter(|(_, odds)| *odds != 0.0)
            .map(|((name, column), odds)| Contribution {
                name: Arc::clone(name),
                value: column.and_then(|column| row.get(column).copied()),
                odds,
            })
            .collect();
        all.sort_by(|a, b| b.odds.abs().total_cmp(&a.odds.abs()));
        let rest = all.split_off(all.len().min(MAX_REASONS));
        // It has room for those that are not shown: forty kilobytes a block.
        all.shrink_to_fit();
        Reasons {
            shown: all,
            others: rest.len(),
            others_odds: rest.iter().map(|reason| reason.odds).sum(),
            sum,
            topics,
        }
    }
}

impl Reasons {
    /// The size of the largest contribution of a topic.
    pub(crate) fn largest_topic(&self) -> f64 {
        self.topics.iter().map(|(_, odds)| odds.abs()).fold(0.0, f64::max)
    }

    /// The size of the largest contribution that is shown.
    pub(crate) fn largest(&self) -> f64 {
        self.shown.iter().map(|reason| reason.odds.abs()).fold(0.0, f64::max)
    }

    /// The three topics with the largest contributions, as a sentence; `None` if no feature contributes.
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

/// Selects the blocks that get reasons, given their numbers of words: all with words, or the `most` longest of them,
/// the first of equal ones.
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
    /// The topic of a feature.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Topic {
        /// The constant that every block starts from.
        Start = "what every block starts from",
        /// Prose before, after and around the block.
        Prose = "the prose around it",
        /// Links in the block and around it.
        Links = "links",
        /// Words of `id` and `class`.
        ClassWords = "words of class and id",
        /// The words of the block itself.
        Wording = "its wording",
        /// The length and style of the text.
        Form = "length and form of its text",
        /// The elements around the block.
        Elements = "the elements around it",
        /// The containers that the block is in.
        Containers = "its containers",
        /// The blocks before and after.
        Neighbours = "the blocks next to it",
        /// The place of the block on the page.
        Place = "its place on the page",
        /// Repetition: the block is one of many similar ones.
        Repetition = "repetition",
        /// The headings above the block.
        Headings = "headings",
        /// The topic of the page according to its head.
        Subject = "the subject of the page",
        /// Comment sections.
        Comments = "comment sections",
        /// The page as a whole.
        Page = "the page as a whole",
        /// Trees, which ask about everything at once.
        Trees = "the trees together",
    }
}

impl Topic {
    /// The topic of a feature.
    pub fn of(feature: &str) -> Self {
        let (group, rest) = feature.split_once('.').unwrap_or((feature, ""));
        match group {
            "intercept" => Self::Start,
            "trees" => Self::Trees,
            _ if feature.contains("linked") || feature.contains("link") => Self::Links,
            "weights" => Self::ClassWords,
            "wording" => Self::Wording,
            "prose" => Self::Prose,
            "repeats" | "fields" | "field" => Self::Repetition,
            "outline" => Self::Headings,
            "topic" | "stated" => Self::Subject,
            "comments" => Self::Comments,
            "page" | "address" => Self::Page,
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

    /// A model of half a linear and half an additive part over `columns` text features.
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
    fn parts_are_one_reason_a_column_and_the_largest_is_first() {
        let model = model(3);
        let names = model.schema().names();
        let reasons = Explainer::new(&model).explain(&[1.0, 0.0, 4.0], 0.0);
        let reason = |name: &str, value, odds| Contribution { name: name.into(), value, odds };
        let sum: f64 = reasons.topics.iter().map(|(_, odds)| odds).sum();
        assert_eq!(sum, reasons.sum);
        assert_eq!(
            reasons,
            Reasons {
                topics: reasons.topics.clone(),
                shown: vec![
                    reason("intercept", None, -1.0),
                    reason(&names[0], Some(1.0), -0.875),
                    reason(&names[2], Some(4.0), 0.125),
                ],
                others: 0,
                others_odds: 0.0,
                sum: -1.75,
            }
        );
    }

    #[test]
    fn small_reasons_are_counted_and_summed() {
        let model = model(24);
        let reasons = Explainer::new(&model).explain(&[1.0; 24], 0.0);
        // Column c adds -0.875, -0.375, 0.125, 0.625, 1.125 ..., the intercept -1.
        assert_eq!((reasons.shown.len(), reasons.others), (MAX_REASONS, 5));
        assert_eq!(reasons.shown.capacity(), MAX_REASONS);
        let shown: f64 = reasons.shown.iter().map(|reason| reason.odds).sum();
        assert_eq!(reasons.others_odds, -1.5);
        assert_eq!(shown + reasons.others_odds, reasons.sum);
        assert_eq!(reasons.shown[0].odds, 10.625);
    }

    #[test]
    fn pairs_count_half_for_each_topic() {
        assert_eq!(topics("prose.before x link_density"), [Topic::Prose, Topic::Links]);
        assert_eq!(topics("own.p"), [Topic::Elements; 2]);
    }

    #[test]
    fn the_three_largest_are_a_sentence() {
        let reasons = |sum, topics: &[(Topic, f64)]| Reasons {
            shown: vec![],
            others: 0,
            others_odds: 0.0,
            sum,
            topics: topics.to_vec(),
        };
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

    /// The requested columns give the same result as all columns of all blocks.
    #[test]
    fn reasons_of_a_page_are_those_of_its_rows() {
        let blocks: String = (0..150)
            .map(|at| format!("<div class=c{}><p>Some words, then. <a href=x>{at}</a></div>", at % 7))
            .collect();
        let page = ScanEngine.read(&format!("<h1>Some</h1>{blocks}"), &Limits::default());
        let url = Some("http://a.example/some");
        for name in ["fast", "lite"] {
            let model = Model::builtin(name).unwrap();
            let explainer = Explainer::new(&model);
            let wanted: Vec<bool> = (0..page.blocks.len()).map(|at| at % 3 == 0).collect();
            let given = explainer.of_page(&page, url, &wanted);
            let fields = explainer.of_fields(&page, url);
            let rows = model.schema().rows(&page, url);
            assert_eq!(given.len(), page.blocks.len());
            for (at, (given, row)) in given.iter().zip(rows.iter()).enumerate() {
                let expected = wanted[at].then(|| explainer.explain(row, fields[at]));
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
            ("weights.parent_min", Topic::ClassWords),
        ] {
            assert_eq!(Topic::of(feature), topic, "{feature}");
        }
    }

    /// A group of features that nobody thought of here would count as form.
    #[test]
    fn only_density_and_text_are_form() {
        let model = Model::builtin("fast").unwrap();
        for name in model.schema().names() {
            let is_form = ["text.", "text_density", "tag_ratio."].iter().any(|start| name.starts_with(start));
            assert!(is_form || Topic::of(name) != Topic::Form, "{name}");
        }
    }
}
