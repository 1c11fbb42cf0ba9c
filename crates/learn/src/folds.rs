//! Cross-validation folds that never divide a host.

use std::collections::BTreeMap;

/// Gives each item the number of its fold, 0..`folds`. Items of one group share a fold. Groups are assigned
/// from the largest to the smallest, each to the fold with the fewest items. So the folds have nearly equal
/// size and are the same on every run.
pub fn by_group(groups: &[&str], folds: usize) -> Vec<usize> {
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for group in groups {
        *sizes.entry(group).or_default() += 1;
    }
    let mut order: Vec<(&str, usize)> = sizes.into_iter().collect();
    order.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let mut filled = vec![0usize; folds.max(1)];
    let mut fold_of: BTreeMap<&str, usize> = BTreeMap::new();
    for (group, size) in order {
        let fold = (0..filled.len()).min_by_key(|fold| filled[*fold]).unwrap_or(0);
        filled[fold] += size;
        fold_of.insert(group, fold);
    }
    groups.iter().map(|group| fold_of.get(group).copied().unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_stay_whole_and_folds_balance() {
        let groups = ["a", "a", "a", "b", "c", "d", "b", "e", "f"];
        let folds = by_group(&groups, 3);
        assert_eq!((folds[0], folds[1]), (folds[1], folds[2]));
        assert_eq!(folds[3], folds[6]);
        for fold in 0..3 {
            assert_eq!(folds.iter().filter(|f| **f == fold).count(), 3);
        }
    }
}
