//! Means over the pages of each set, type or language.

use std::collections::BTreeMap;

use trommel_learn::Mean;
use trommel_learn::Scores;

/// The mean scores of the pages of each key, in the order of the keys.
pub fn means<'a, K: Ord>(pages: impl IntoIterator<Item = (K, &'a Scores)>) -> BTreeMap<K, Mean> {
    let mut groups: BTreeMap<K, Vec<&Scores>> = BTreeMap::new();
    for (key, scores) in pages {
        groups.entry(key).or_default().push(scores);
    }
    groups
        .into_iter()
        .map(|(key, scores)| {
            let pages = scores.len();
            let scores = Scores::mean(scores);
            (key, Mean { pages, scores })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_its_own_mean() {
        let scores = |precision, recall, f1| Scores { precision, recall, f1 };
        let pages = [("zh", scores(1.0, 0.5, 0.75)), ("el", scores(0.25, 0.25, 0.25)), ("zh", scores(0.5, 0.5, 0.25))];
        let found = means(pages.iter().map(|(key, scores)| (*key, scores)));
        let found: Vec<(&str, Mean)> = found.into_iter().collect();
        let mean = |pages, scores| Mean { pages, scores };
        assert_eq!(found, [("el", mean(1, scores(0.25, 0.25, 0.25))), ("zh", mean(2, scores(0.75, 0.5, 0.5))),]);
    }
}
