//! Learns the scorer of pages that are not one text: listings, products, documentation.
//!
//! Finished models stay as they are. The scorer learns from the pages that they were trained on and from further
//! sets of such pages. A page counts by the probability that it is not one text, because the scorer is asked only
//! about such pages. So court listings teach nothing about news.

use std::collections::BTreeSet;

use rayon::prelude::*;
use trommel_model::{ListScorer, Model, TrainingSet};

use super::ADDRESS;
use super::bins::Binned;
use super::completed::completed;
use super::labelled::{Labelled, labelled};
use super::learned::LearnedLists;
use super::learner::{BINS, SEEDS, sketch_of};
use super::options::TrainOptions;
use super::poor::PoorCopy;
use super::table::BlockTable;
use crate::error::LearnError;
use crate::pages::PageSet;

/// Page types that are one text.
const TEXTS: [&str; 2] = ["article", "forum"];
/// Probability that a page is not one text up to which the scorer has no share, and from which on its full share.
// From .1 on, pages of news and blogs lose: L3S-GN1 .004.
const BETWEEN: (f32, f32) = (0.3, 0.7);
/// Full share of the scorer in the log odds.
// With 1 the errors of the other parts, which are others, are no longer averaged out.
const SHARE: f32 = 0.7;
/// What is added to the log odds of every block: such pages lose more by what they lack than by what they have too much.
// Agendas gain .009, courts, documentation and wcxb-dev change by less than .001.
const LIFT: f32 = 0.4;
/// Probability that a page is not one text from which on it counts fully in training, and what a page counts at least.
const FULL_WEIGHT: f32 = 0.5;
const MIN_WEIGHT: f32 = 0.1;

/// The pages that a scorer is not to learn from, so that it can be tested on them.
#[derive(Clone, Copy, Debug)]
pub enum LeftOut<'a> {
    /// None: the scorer is for use.
    Nothing,
    /// The set of this number.
    Set(usize),
    /// The pages of these hosts.
    Hosts(&'a BTreeSet<&'a str>),
}

impl LeftOut<'_> {
    fn has(&self, set: usize, host: &str) -> bool {
        match self {
            LeftOut::Nothing => false,
            LeftOut::Set(left_out) => *left_out == set,
            LeftOut::Hosts(hosts) => hosts.contains(host),
        }
    }
}

/// Pages to learn the scorer from, as a finished model sees them.
pub struct ListPages {
    binned: Binned,
    labels: Vec<bool>,
    weights: Vec<f32>,
    /// Set and host of the page of each row.
    places: Vec<(usize, String)>,
}

impl ListPages {
    /// Readies the pages of `sets`; the model was trained on the first `trained` of them.
    ///
    /// # Errors
    /// If nothing can be learned from the pages.
    pub fn new(base: &Model, sets: &[PageSet], trained: usize, options: &TrainOptions) -> Result<Self, LearnError> {
        let pages = completed(labelled(sets, options), options)?;
        let copies = PoorCopy::of_pages(&pages);
        let copies: Vec<Labelled> = copies.iter().map(PoorCopy::labelled).collect();
        let is_known = |page: &&Labelled| page.set < trained;
        let known: Vec<&Labelled> = pages.iter().chain(&copies).filter(is_known).collect();
        let further: Vec<&Labelled> = pages.iter().filter(|page| !is_known(page)).collect();
        let mut table = LearnedLists::of(base).table(&known, &base.file().groups);
        let mut sizes = vec![0.0f64; sets.len()];
        further.iter().for_each(|page| sizes[page.set] += 1.0);
        let rows: Vec<Vec<f32>> =
            further.par_iter().map(|page| page.rows(base.schema()).iter().flatten().copied().collect()).collect();
        for (number, (page, rows)) in (known.len()..).zip(further.iter().zip(rows)) {
            table.push_page(number, page, &rows, sizes[page.set].sqrt());
        }
        let all: Vec<&Labelled> = known.into_iter().chain(further).collect();
        let mut weights = Vec::with_capacity(table.labels.len());
        let mut places = Vec::with_capacity(table.labels.len());
        let texts = TEXTS.map(str::to_owned);
        for (at, (first, number)) in table.pages.iter().enumerate() {
            let end = table.pages.get(at + 1).map_or(table.labels.len(), |(next, _)| *next);
            let share = table.row(*first).map_or(0.0, |row| base.not_one_text(&texts, row));
            let share = (share / FULL_WEIGHT).clamp(MIN_WEIGHT, 1.0);
            weights.extend(table.weights[*first..end].iter().map(|weight| share * weight));
            let page = all[*number];
            places.resize(end, (page.set, page.page.gold.group().to_owned()));
        }
        table.blank(base.schema().names(), ADDRESS);
        let binned = Binned::new(&table.data, table.width, &weights, BINS);
        let BlockTable { labels, .. } = table;
        Ok(Self { binned, labels, weights, places })
    }

    /// The scorer that is learned from all pages but some. One for use is the mean of several seeds.
    ///
    /// # Errors
    /// If nothing can be learned from them.
    pub fn scorer(&self, left_out: &LeftOut<'_>) -> Result<ListScorer, LearnError> {
        let rows = self.weights.iter().zip(&self.places);
        // Rows without weight stay in the table, so that all scorers share its bins.
        let weights: Vec<f32> =
            rows.map(|(weight, (set, host))| if left_out.has(*set, host) { 0.0 } else { *weight }).collect();
        let seeds = if matches!(left_out, LeftOut::Nothing) { SEEDS } else { 1 };
        let mut scorer = sketch_of(&self.binned, &self.labels, &weights, seeds)?;
        scorer.intercept += LIFT;
        scorer.round();
        Ok(ListScorer { texts: TEXTS.map(str::to_owned).into(), between: BETWEEN, share: SHARE, scorer })
    }
}

/// A finished model with a scorer of pages that are not one text, learned on this day from the further `sets` as well.
/// The scorer asks columns of the model's schema.
///
/// # Errors
/// If numbers of the scorer do not add up.
pub fn with_lists(base: &Model, mut lists: ListScorer, sets: &[PageSet], created: &str) -> Result<Model, LearnError> {
    let mut file = base.file().clone();
    let names = base.schema().names();
    let mut number = |column: u16| {
        let name = names.get(usize::from(column)).cloned().unwrap_or_default();
        let known = file.columns.iter().position(|column| *column == name);
        known.unwrap_or_else(|| {
            file.columns.push(name);
            file.columns.len() - 1
        }) as u16
    };
    for steps in &mut lists.scorer.step_functions {
        steps.column = number(steps.column);
    }
    for cross in &mut lists.scorer.crosses {
        cross.columns = (number(cross.columns.0), number(cross.columns.1));
    }
    file.lists = Some(lists);
    created.clone_into(&mut file.created);
    // A model that was taught before names these sets already.
    file.training.sets.retain(|known| sets.iter().all(|set| set.name != known.name));
    let further = sets.iter().map(|set| TrainingSet { name: set.name.clone(), pages: set.pages.len() as u32 });
    file.training.sets.extend(further);
    Ok(Model::new(file)?)
}

#[cfg(test)]
mod tests {
    use super::super::adapted::corrected;
    use super::super::options::{Learner, Weighting};
    use super::super::trained::train;
    use super::*;
    use crate::label::LABEL_SHARE;
    use crate::pages::{Gold, LabelledPage};
    use trommel_features::FeatureGroup;
    use trommel_html::{Engine, Limits, ScanEngine};
    use trommel_model::Additive;

    /// Pages of ten hosts: articles with linked lists that are menus, or listings of which the linked list is the text.
    fn set(name: &str, is_listing: bool) -> PageSet {
        let pages = (0..40).map(|at| {
            let prose = format!("The story of page {at} of {name} goes on for some words here, and then it ends. ");
            let items: Vec<String> = (0..48).map(|item| format!("Ruling {item} of {at}")).collect();
            let links: String = items.iter().map(|item| format!("<li><a href=x>{item}</a>")).collect();
            let body = if is_listing { String::new() } else { format!("<p>{}</p>", prose.repeat(5)).repeat(6) };
            let html = format!("<h1>Page {at}</h1>{body}<ul>{links}</ul><p>Imprint</p>");
            let gold = if is_listing { items.join("\n") } else { prose.repeat(30) };
            LabelledPage {
                gold: Gold {
                    record_id: format!("{name}{at}"),
                    url: format!("http://h{}.example/{name}/{at}", at % 10),
                    gold: Some(gold),
                    page_type: Some(if is_listing { "listing" } else { "article" }.into()),
                    ..Gold::default()
                },
                page: ScanEngine.read(&html, &Limits::default()),
                html,
            }
        });
        PageSet { name: name.into(), pages: pages.collect() }
    }

    #[test]
    fn lists_are_learned_without_a_change_on_articles() {
        let options = TrainOptions {
            names: vec!["toy".into()],
            created: "2026-01-01".into(),
            groups: FeatureGroup::ALL.to_vec(),
            learner: Learner::Additive,
            label_share: LABEL_SHARE,
            weighting: Weighting::Pages,
            folds: 2,
            comments: true,
        };
        // The base knows few listings, whose lists it was told to drop.
        let mut few = set("few", true);
        few.pages.iter_mut().for_each(|page| page.gold.gold = Some(String::new()));
        let sets = [set("news", false), few, set("courts", true)];
        let base = train(&sets[..2], &options).unwrap().remove(0).model;
        let pages = ListPages::new(&base, &sets, 2, &options).unwrap();
        let taught = |left_out: &LeftOut| {
            let lists = pages.scorer(left_out).unwrap();
            with_lists(&base, lists, &sets[2..], "2026-02-02").unwrap()
        };
        let odds = |model: &Model, set: &PageSet| {
            let page = &set.pages[0];
            model.log_odds(&page.page, page.gold.address())[2]
        };
        let all = taught(&LeftOut::Nothing);
        assert_eq!(odds(&all, &sets[0]), odds(&base, &sets[0]));
        assert!(odds(&all, &sets[2]) > odds(&base, &sets[2]) + 1.0);
        // Who never saw the set learns nothing from it.
        let without = taught(&LeftOut::Set(2));
        assert!(odds(&without, &sets[2]) < odds(&base, &sets[2]) + 0.5);
        // Corrections by which a model is adapted to other pages are whole on all pages.
        let correction = Additive { intercept: 2.0, ..Additive::default() };
        let adapted = corrected(&all, Some(correction), &[], &options, &[]).unwrap();
        for set in &sets {
            let gain = odds(&adapted, set) - odds(&all, set);
            assert!((gain - 2.0).abs() < 1e-3, "{gain}");
        }
        let hosts = BTreeSet::from(["h0.example"]);
        assert!(LeftOut::Hosts(&hosts).has(0, "h0.example") && !LeftOut::Hosts(&hosts).has(0, "h1.example"));
        let file = all.file();
        assert_eq!((file.created.as_str(), file.training.sets.len()), ("2026-02-02", 3));
        // Teaching again replaces the scorer, and names no set twice.
        let again = with_lists(&all, pages.scorer(&LeftOut::Nothing).unwrap(), &sets[2..], "2026-02-03").unwrap();
        assert_eq!((again.file().created.as_str(), again.file().training.sets.len()), ("2026-02-03", 3));
        assert_eq!(odds(&again, &sets[2]), odds(&all, &sets[2]));
    }
}
