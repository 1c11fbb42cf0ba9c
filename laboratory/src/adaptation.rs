//! Measures the worth of own labels: a model adapted to a few pages of a set, and one trained on them from
//! nothing, scored on pages of other hosts of the set, beside the finished model.

use std::sync::Arc;

use rayon::prelude::*;
use trommel_extract::{CommentPolicy, ContentPolicy, Extractor};
use trommel_learn::{
    EvalOptions, HeldOut, LABEL_SHARE, LabelledPage, LearnError, Learner, PageSet, Scores, TrainOptions, Weighting,
    adapt, evaluate, text_by, train,
};
use trommel_model::Model;
use trommel_model::features::FeatureGroup;
use trommel_text::{hash, words::Rule};

use trommel_quality::markdown::{MarkdownTable, share};

/// The measured gains of adaptation, by number of own pages.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Numbers of own pages.
    pub sizes: Vec<usize>,
    /// Times that own pages are drawn, by host.
    pub draws: u64,
    /// True if models are trained from nothing, too.
    pub from_nothing: bool,
}

/// Mean F1 over the draws, on the pages of other hosts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Point {
    finished: f64,
    adapted: f64,
    from_nothing: Option<f64>,
    /// Draws in which a correction was taken.
    corrected: usize,
    /// The largest loss of a draw.
    worst: f64,
}

/// A table of the curve on each set.
///
/// # Errors
/// If a solver fails.
pub fn table(base: &Model, sets: &[PageSet], curve: &Curve) -> Result<String, LearnError> {
    let mut table = MarkdownTable::new([
        "set", "own pages", "finished", "adapted", "gain", "worst draw", "corrected", "from nothing",
    ]);
    for set in sets {
        for size in &curve.sizes {
            if set.pages.len() < 2 * size {
                continue;
            }
            let point = point(base, set, *size, curve)?;
            tracing::info!(set = set.name, size, ?point, "measured");
            table.row([
                set.name.clone(),
                size.to_string(),
                share(point.finished),
                share(point.adapted),
                format!("{:+.4}", point.adapted - point.finished),
                format!("{:+.4}", point.worst),
                format!("{} of {}", point.corrected, curve.draws),
                point.from_nothing.map(share).unwrap_or_default(),
            ]);
        }
    }
    Ok(table.text())
}

/// Scores of one draw of own pages: mean F1 on the other pages.
struct DrawScores {
    finished: f64,
    adapted: f64,
    from_nothing: Option<f64>,
    /// True if a correction was taken.
    corrected: bool,
}

fn point(base: &Model, set: &PageSet, size: usize, curve: &Curve) -> Result<Point, LearnError> {
    let draws: Vec<DrawScores> = (0..curve.draws)
        .into_par_iter()
        .map(|draw| {
            let (own_set, other) = divided(set, size, draw);
            let sets = [own_set];
            let adapted = adapt(base, &sets, 0, &options(Learner::Additive))?;
            let from_nothing = match curve.from_nothing {
                true => Some(f1(&train(&sets, &options(Learner::Additive))?.model, &other)),
                false => None,
            };
            let after = match adapted.penalty {
                Some(_) => f1(&adapted.trained.model, &other),
                None => f1(base, &other),
            };
            Ok(DrawScores {
                finished: f1(base, &other),
                adapted: after,
                from_nothing,
                corrected: adapted.penalty.is_some(),
            })
        })
        .collect::<Result<_, LearnError>>()?;
    let mean = |of: &dyn Fn(&DrawScores) -> f64| draws.iter().map(of).sum::<f64>() / draws.len().max(1) as f64;
    Ok(Point {
        finished: mean(&|draw| draw.finished),
        adapted: mean(&|draw| draw.adapted),
        from_nothing: curve.from_nothing.then(|| mean(&|draw| draw.from_nothing.unwrap_or_default())),
        corrected: draws.iter().filter(|draw| draw.corrected).count(),
        worst: draws.iter().map(|draw| draw.adapted - draw.finished).fold(f64::INFINITY, f64::min),
    })
}

/// About `size` pages of hosts in an order that the draw decides, and the pages of all other hosts.
fn divided(set: &PageSet, size: usize, draw: u64) -> (PageSet, PageSet) {
    let key = |page: &LabelledPage| {
        let host = hash(page.gold.group().as_bytes());
        (hash(&[host, draw].map(u64::to_le_bytes).concat()), host)
    };
    let mut pages: Vec<&LabelledPage> = set.pages.iter().collect();
    pages.sort_by_key(|page| key(page));
    let last = pages.get(size.saturating_sub(1)).map(|page| key(page));
    let (mut own_set, mut other) = (Vec::new(), Vec::new());
    for page in pages {
        // A large host gives its first pages only; the rest of it is left out.
        if own_set.len() < size {
            own_set.push(page.clone());
        } else if Some(key(page)) != last {
            other.push(page.clone());
        }
    }
    let named = |pages| PageSet { name: set.name.clone(), pages };
    (named(own_set), named(other))
}

fn options(learner: Learner) -> TrainOptions {
    TrainOptions {
        name: "own".to_owned(),
        created: "2026-01-01".to_owned(),
        groups: FeatureGroup::serving(),
        learner,
        label_share: LABEL_SHARE,
        weighting: Weighting::Pages,
        held_out: HeldOut::Hosts,
        folds: 5,
        list_sets: 0,
        thread_sets: 0,
        comments: true,
    }
}

/// Mean F1 of a model on pages, the comments of readers taken for content where the gold has some.
fn f1(model: &Model, set: &PageSet) -> f64 {
    let comments = set.pages.iter().any(|page| page.gold.has_comments());
    let policy = ContentPolicy {
        comments: if comments { CommentPolicy::Include } else { CommentPolicy::Exclude },
        ..ContentPolicy::default()
    };
    let extractor = Extractor::new(Arc::new(model.clone())).with_policy(policy);
    let keep = |page: &LabelledPage| text_by(&extractor, page);
    let options = EvalOptions { rule: Rule::Characters, comments };
    let Scores { f1, .. } = evaluate(set, keep, &options).overall.scores;
    f1
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::Page;
    use trommel_learn::Gold;

    #[test]
    fn own_pages_and_the_rest_share_no_host() {
        let pages = (0..40).map(|at| LabelledPage {
            gold: Gold {
                record_id: format!("r{at}"),
                url: format!("http://h{}.example/{at}", at % 13),
                ..Gold::default()
            },
            page: Page::default(),
            html: String::new(),
        });
        let set = PageSet { name: "toy".into(), pages: pages.collect() };
        let hosts =
            |set: &PageSet| -> Vec<String> { set.pages.iter().map(|page| page.gold.group().to_owned()).collect() };
        let (own_set, other) = divided(&set, 10, 1);
        assert_eq!(own_set.pages.len(), 10);
        assert!(other.pages.len() >= 25, "{}", other.pages.len());
        let own_hosts = hosts(&own_set);
        assert!(hosts(&other).iter().all(|host| !own_hosts.contains(host)));
        assert_ne!(hosts(&divided(&set, 10, 2).0), own_hosts, "another draw, other hosts");
    }
}
