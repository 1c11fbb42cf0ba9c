//! Measures what each rule of the choice adds: word F1 with all rules, minus word F1 without this one.

use std::sync::Arc;

use rayon::prelude::*;
use trommel_extract::{ContentPolicy, Decider, Extractor, RULES, Rule};
use trommel_learn::{PageSet, Scores, text_by};
use trommel_model::Model;
use trommel_text::words;

/// The effect of a rule on a set.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Effect {
    /// Pages of the set that have a gold text.
    pub pages: usize,
    /// Pages whose text differs without the rule.
    pub changed: usize,
    /// Pages that have a better word F1 with it, and a worse.
    pub better: usize,
    /// Pages that have a worse word F1 with it.
    pub worse: usize,
    /// Sum of the differences of word F1 of all pages.
    pub gain: f64,
}

impl Effect {
    /// The effect on the pages of both sets.
    pub fn and(self, other: Self) -> Self {
        Self {
            pages: self.pages + other.pages,
            changed: self.changed + other.changed,
            better: self.better + other.better,
            worse: self.worse + other.worse,
            gain: self.gain + other.gain,
        }
    }
}

/// The effect of each of the [`RULES`] on a set, by a model.
pub fn effects(set: &PageSet, model: &Arc<Model>) -> Vec<(&'static Rule, Effect)> {
    let all = extractor(model, None);
    let pages: Vec<_> = set.pages.iter().filter(|page| page.gold.gold.is_some()).collect();
    let texts =
        |extractor: &Extractor| -> Vec<String> { pages.par_iter().map(|page| text_by(extractor, page)).collect() };
    let f1 = |at: usize, text: &str| {
        let gold = pages.get(at).map(|page| page.gold.text(false));
        Scores::of(text, &gold.unwrap_or_default(), words::Rule::default()).f1
    };
    let with = texts(&all);
    let effect = |rule: &'static Rule| {
        let without = texts(&extractor(model, Decider::named(rule.name)));
        let changed = with.iter().zip(&without).enumerate();
        let changed = changed.filter(|(_, (with, without))| with != without);
        let start = Effect { pages: pages.len(), ..Effect::default() };
        let effect = changed.fold(start, |sum, (at, (with, without))| {
            let gain = f1(at, with) - f1(at, without);
            sum.and(Effect {
                pages: 0,
                changed: 1,
                better: usize::from(gain > 0.0),
                worse: usize::from(gain < 0.0),
                gain,
            })
        });
        (rule, effect)
    };
    RULES.iter().map(effect).collect()
}

fn extractor(model: &Arc<Model>, without: Option<Decider>) -> Extractor {
    let policy = ContentPolicy { without, ..ContentPolicy::default() };
    Extractor::new(Arc::clone(model)).with_policy(policy)
}
