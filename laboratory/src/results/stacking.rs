//! An ensemble of all methods: a model over their verdicts on each block, learned on pages of other hosts
//! (Wolpert, Stacked generalization, Neural Networks 5, 1992).
//!
//! The row of a block has the verdict of every method as 0 or 1, the share of the methods that keep it, and that
//! share of the block before and behind. Every page weighs the same, and its blocks by the root of their words.
//! Blocks are chosen as by the shipped models: those with the greatest expected F1 of the page.

use rayon::prelude::*;
use trommel_learn::{
    Fit, LabelledPage, LearnError, PageSet, Sample, Scores, by_group, fit_trees, fit_weighted, kept_text,
};
use trommel_model::{Layout, Selection, Trees, sigmoid};
use trommel_text::words::Rule;

use super::measure::Verdicts;

/// Parts of the cross-validation.
const FOLDS: usize = 5;
/// Maximum number of blocks of a page for training, sampled evenly.
const MOST_BLOCKS: usize = 100;
/// Strength of the L2 penalty of the regression.
const PENALTY: f64 = 1e-4;

/// A set with what every method keeps of its pages.
pub(super) struct VotedSet<'a> {
    pub set: &'a PageSet,
    pub verdicts: &'a Verdicts,
    /// True if each block is content.
    pub labels: Vec<Vec<bool>>,
}

/// Learner of the verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stacker {
    Regression,
    Trees,
}

impl Stacker {
    pub const ALL: [Self; 2] = [Self::Regression, Self::Trees];

    pub fn name(self) -> &'static str {
        match self {
            Self::Regression => "stacking, logistic regression",
            Self::Trees => "stacking, boosted trees",
        }
    }

    fn fit(self, pages: &[Voted]) -> Result<Stack, LearnError> {
        let (sample, weights) = sample(pages);
        Ok(match self {
            Self::Regression => Stack::Regression(fit_weighted(&sample, &weights, PENALTY)?),
            Self::Trees => Stack::Trees(fit_trees(&sample, &weights)?),
        })
    }
}

enum Stack {
    Regression(Fit),
    Trees(Trees),
}

impl Stack {
    fn log_odds(&self, row: &[f32]) -> f32 {
        match self {
            Self::Regression(fit) => {
                let sum = row.iter().zip(&fit.weights);
                let sum: f64 = sum.map(|(value, weight)| f64::from(*value) * weight).sum();
                (fit.intercept + sum) as f32
            }
            Self::Trees(trees) => trees.log_odds(row),
        }
    }

    fn score(&self, page: &Voted) -> Scores {
        let probabilities: Vec<f32> = rows(page.verdicts).iter().map(|row| sigmoid(self.log_odds(row))).collect();
        let layout = Layout::of(&page.page.page);
        let kept = Selection::ExpectedF1.choose(&probabilities, &layout).kept;
        let text = kept_text(&page.page.page, &kept, &[]);
        Scores::of(&text, &page.page.gold.text(true), Rule::Characters)
    }
}

/// A page with its verdicts.
#[derive(Clone, Copy)]
struct Voted<'a> {
    page: &'a LabelledPage,
    verdicts: &'a [Vec<bool>],
    labels: &'a [bool],
}

fn voted<'a>(set: &'a VotedSet) -> impl Iterator<Item = Voted<'a>> {
    let pages = set.set.pages.iter().zip(set.verdicts).zip(&set.labels);
    pages.map(|((page, verdicts), labels)| Voted { page, verdicts, labels })
}

/// The rows of a page's blocks.
fn rows(verdicts: &[Vec<bool>]) -> Vec<Vec<f32>> {
    let blocks = verdicts.first().map_or(0, Vec::len);
    let vote = |kept: &Vec<bool>, at: usize| f32::from(u8::from(kept.get(at) == Some(&true)));
    let share = |at: Option<usize>| {
        let votes = at.map_or(0.0, |at| verdicts.iter().map(|kept| vote(kept, at)).sum());
        votes / verdicts.len().max(1) as f32
    };
    let row = |at: usize| {
        let votes = verdicts.iter().map(|kept| vote(kept, at));
        let around = [Some(at), at.checked_sub(1), at.checked_add(1)];
        votes.chain(around.map(share)).collect()
    };
    (0..blocks).map(row).collect()
}

fn sample(pages: &[Voted]) -> (Sample, Vec<f32>) {
    let (mut sample, mut weights) = (Sample::default(), Vec::new());
    for page in pages {
        let rows = rows(page.verdicts);
        let step = rows.len().div_ceil(MOST_BLOCKS).max(1);
        let blocks = rows.iter().zip(page.labels).zip(&page.page.page.blocks);
        let drawn: Vec<_> = blocks.step_by(step).collect();
        let root = |words: u32| (words as f32).sqrt();
        let total: f32 = drawn.iter().map(|(_, block)| root(block.words)).sum();
        for ((row, label), block) in drawn {
            sample.width = row.len();
            sample.data.extend_from_slice(row);
            sample.labels.push(*label);
            weights.push(root(block.words) / total.max(1.0));
        }
    }
    (sample, weights)
}

/// The fold of each page, in the order of the sets: none divides a host.
fn folds(sets: &[VotedSet]) -> Vec<usize> {
    let pages = sets.iter().flat_map(|voted_set| &voted_set.set.pages);
    let groups: Vec<&str> = pages.map(|page| page.gold.group()).collect();
    by_group(&groups, FOLDS)
}

/// Mean word F1 on each set of `training`, every page judged by what was learned on pages of other hosts, then on
/// each of `tested`, judged by what was learned on all of `training`.
pub(super) fn stacked(stacker: Stacker, training: &[VotedSet], tested: &[&VotedSet]) -> Result<Vec<f64>, LearnError> {
    let folds = folds(training);
    let pages: Vec<Voted> = training.iter().flat_map(voted).collect();
    let mut scores = vec![Scores::default(); pages.len()];
    for fold in 0..FOLDS {
        let part = |held: bool| {
            let enumerate = pages.iter().zip(&folds).enumerate();
            enumerate.filter(move |(_, (_, of))| (**of == fold) == held)
        };
        let learned: Vec<Voted> = part(false).map(|(_, (page, _))| *page).collect();
        let held: Vec<(usize, Voted)> = part(true).map(|(at, (page, _))| (at, *page)).collect();
        if held.is_empty() {
            continue;
        }
        let stack = stacker.fit(&learned)?;
        let judged: Vec<(usize, Scores)> = held.par_iter().map(|(at, page)| (*at, stack.score(page))).collect();
        for (at, model_scores) in judged {
            if let Some(cell) = scores.get_mut(at) {
                *cell = model_scores;
            }
        }
    }
    let mut from = 0;
    let mut means = Vec::new();
    for voted_set in training {
        let to = from + voted_set.set.pages.len();
        means.push(Scores::mean(scores.get(from..to).unwrap_or_default()).f1);
        from = to;
    }
    let stack = stacker.fit(&pages)?;
    for voted_set in tested {
        let pages: Vec<Voted> = voted(voted_set).collect();
        let scores: Vec<Scores> = pages.par_iter().map(|page| stack.score(page)).collect();
        means.push(Scores::mean(&scores).f1);
    }
    Ok(means)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};
    use trommel_learn::Gold;

    /// Pages of a menu and prose; hosts go round.
    fn set(name: &str, count: usize, hosts: usize) -> PageSet {
        let page = |at: usize| {
            let prose = format!("The story {at} has some words, and then a few more of them");
            let html = format!("<ul><li>Home</li><li>News</li></ul><p>{prose}</p><p>{prose}</p>");
            LabelledPage {
                gold: Gold {
                    record_id: format!("{name}{at}"),
                    url: format!("http://h{}.example/{at}", at % hosts),
                    gold: Some(format!("{prose}\n{prose}")),
                    ..Gold::default()
                },
                page: ScanEngine.read(&html, &Limits::default()),
                html,
            }
        };
        PageSet { name: name.into(), pages: (0..count).map(page).collect() }
    }

    /// A method that is right, one that is always wrong, one that keeps all.
    fn verdicts(set: &PageSet) -> Verdicts {
        let of_page = vec![vec![false, false, true, true], vec![true, true, false, false], vec![true; 4]];
        vec![of_page; set.pages.len()]
    }

    fn voted_set<'a>(set: &'a PageSet, verdicts: &'a Verdicts) -> VotedSet<'a> {
        VotedSet { set, verdicts, labels: set.labels(true, trommel_learn::LABEL_SHARE) }
    }

    #[test]
    fn rows_have_the_verdicts_and_the_votes_around() {
        let rows = rows(&[vec![true, false], vec![true, true]]);
        assert_eq!(rows[0], [1.0, 1.0, 1.0, 0.0, 0.5]);
        assert_eq!(rows[1], [0.0, 1.0, 0.5, 1.0, 0.0]);
    }

    #[test]
    fn no_host_stands_in_two_folds_whatever_the_set() {
        let (a, b) = (set("a", 23, 7), set("b", 31, 11));
        let (votes_a, votes_b) = (verdicts(&a), verdicts(&b));
        let sets = [voted_set(&a, &votes_a), voted_set(&b, &votes_b)];
        let folds = folds(&sets);
        assert_eq!(folds.len(), 54);
        let pages = a.pages.iter().chain(&b.pages);
        let of_page: Vec<(&str, usize)> = pages.map(|page| page.gold.group()).zip(folds).collect();
        for (host, fold) in &of_page {
            assert!(of_page.iter().all(|(other, of)| other != host || of == fold));
        }
        let mut used: Vec<usize> = of_page.iter().map(|(_, fold)| *fold).collect();
        used.sort_unstable();
        used.dedup();
        assert_eq!(used, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn the_method_that_is_right_is_found() {
        let (a, b) = (set("a", 40, 13), set("b", 5, 5));
        let (votes_a, votes_b) = (verdicts(&a), verdicts(&b));
        let training = [voted_set(&a, &votes_a)];
        let tested = voted_set(&b, &votes_b);
        for stacker in Stacker::ALL {
            let means = stacked(stacker, &training, &[&tested]).unwrap();
            assert_eq!(means, [1.0, 1.0], "{}", stacker.name());
        }
    }

    #[test]
    fn what_only_a_host_says_is_not_learned_for_it() {
        // On one host of four the first method errs, and a fourth that is silent elsewhere is right.
        let pages = set("a", 48, 4);
        let mut votes = verdicts(&pages);
        for (page, votes) in pages.pages.iter().zip(&mut votes) {
            let is_odd = page.gold.group() == "h3.example";
            if is_odd {
                votes.swap(0, 1);
            }
            votes.push(vec![false, false, is_odd, is_odd]);
        }
        let training = [voted_set(&pages, &votes)];
        let means = stacked(Stacker::Trees, &training, &[&training[0]]).unwrap();
        // Learned on all, the fourth method is known; learned on other hosts, it is not.
        assert!(means[0] < 0.85, "{means:?}");
        assert!(means[1] > 0.95, "{means:?}");
    }
}
