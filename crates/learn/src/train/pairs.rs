//! Writes trees of two questions as an equivalent logistic model over bins and crosses.

use std::collections::BTreeMap;

use trommel_model::{Additive, Cross, StepFunction, TreeNode, Trees};

/// Values of one column that go one way: above the first threshold (if any), up to the second.
type Range = (Option<f32>, Option<f32>);

/// The value that a tree adds if both columns are in their ranges.
struct Area {
    first: Range,
    second: Range,
    value: f32,
}

/// The additive model that adds up to the same log odds as `trees`, up to rounding; `None` if a tree
/// asks more than two questions on a path.
pub(crate) fn additive(trees: &Trees) -> Option<Additive> {
    let mut singles: BTreeMap<u16, Vec<(Range, f32)>> = BTreeMap::new();
    let mut pairs: BTreeMap<(u16, u16), Vec<Area>> = BTreeMap::new();
    let mut intercept = trees.base;
    for root in &trees.roots {
        let (column, threshold, left, right) = match trees.nodes.get(*root as usize)? {
            TreeNode::Leaf { value } => {
                intercept += value;
                continue;
            }
            TreeNode::Split { column, threshold, left, right } => (*column, *threshold, *left, *right),
        };
        for (range, child) in [((None, Some(threshold)), left), ((Some(threshold), None), right)] {
            let (other, cut, low, high) = match trees.nodes.get(child as usize)? {
                TreeNode::Leaf { value } => {
                    singles.entry(column).or_default().push((range, *value));
                    continue;
                }
                TreeNode::Split { column, threshold, left, right } => (*column, *threshold, *left, *right),
            };
            for (part, leaf) in [((None, Some(cut)), low), ((Some(cut), None), high)] {
                let TreeNode::Leaf { value } = trees.nodes.get(leaf as usize)? else { return None };
                if other == column {
                    let both = (later(range.0, part.0), earlier(range.1, part.1));
                    singles.entry(column).or_default().push((both, *value));
                    continue;
                }
                let (first, second) = if column < other { (range, part) } else { (part, range) };
                let key = (column.min(other), column.max(other));
                pairs.entry(key).or_default().push(Area { first, second, value: *value });
            }
        }
    }
    let steps = singles.into_iter().map(|(column, parts)| {
        let edges = edges(parts.iter().map(|(range, _)| *range));
        let mut weights = vec![0.0; edges.len() + 1];
        for (range, value) in parts {
            for at in bins(&edges, range) {
                if let Some(weight) = weights.get_mut(at) {
                    *weight += value;
                }
            }
        }
        StepFunction { column, edges, weights }
    });
    let crosses = pairs.into_iter().map(|(columns, areas)| {
        let first = edges(areas.iter().map(|area| area.first));
        let second = edges(areas.iter().map(|area| area.second));
        let width = second.len() + 1;
        let mut weights = vec![0.0; (first.len() + 1) * width];
        for area in areas {
            for row in bins(&first, area.first) {
                for at in bins(&second, area.second) {
                    if let Some(weight) = weights.get_mut(row * width + at) {
                        *weight += area.value;
                    }
                }
            }
        }
        Cross { columns, edges: (first, second), weights }
    });
    Some(Additive { intercept, step_functions: steps.collect(), crosses: crosses.collect() })
}

fn later(a: Option<f32>, b: Option<f32>) -> Option<f32> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.max(b)),
        _ => a.or(b),
    }
}

fn earlier(a: Option<f32>, b: Option<f32>) -> Option<f32> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        _ => a.or(b),
    }
}

/// All thresholds, rising, each once.
fn edges(ranges: impl Iterator<Item = Range>) -> Vec<f32> {
    let mut edges: Vec<f32> = ranges.flat_map(|(low, high)| low.into_iter().chain(high)).collect();
    edges.sort_by(f32::total_cmp);
    edges.dedup();
    edges
}

/// The bins between edges that a range covers.
fn bins(edges: &[f32], (low, high): Range) -> std::ops::Range<usize> {
    let at = |threshold: f32| edges.partition_point(|edge| *edge < threshold);
    let from = low.map_or(0, |low| at(low) + 1);
    let to = high.map_or(edges.len() + 1, |high| at(high) + 1);
    from..to
}

#[cfg(test)]
mod tests {
    use super::super::bins::Binned;
    use super::super::boost::{BoostOptions, boost};
    use super::*;

    #[test]
    fn tables_add_up_to_the_trees() {
        let mut data = Vec::new();
        let mut labels = Vec::new();
        for row in 0u32..3000 {
            let value = |salt: u32| (row.wrapping_mul(salt) >> 7) % 100;
            let (x, y, z) = (value(2_654_435_761), value(40_503), value(97));
            data.extend([x as f32, y as f32, z as f32]);
            labels.push((x > 30) != (y > 60) && z > 10);
        }
        let weights = vec![1.0; labels.len()];
        let table = Binned::new(&data, 3, &weights, 32);
        let options = BoostOptions { trees: 60, leaves: 4, depth: 2, columns: 1.0, ..BoostOptions::default() };
        let trees = boost(&table, &labels, &weights, &options).unwrap();
        let model = additive(&trees).unwrap();
        assert!(model.is_sound(3));
        assert!(!model.crosses.is_empty());
        for row in data.chunks_exact(3) {
            assert!((model.log_odds(row) - trees.log_odds(row)).abs() < 1e-3, "{row:?}");
        }
        let deep = BoostOptions { depth: 3, leaves: 8, ..options };
        assert!(additive(&boost(&table, &labels, &weights, &deep).unwrap()).is_none());
    }
}
