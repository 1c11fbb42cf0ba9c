//! Pessimistic pruning: a subtree that promises no fewer errors than a leaf becomes one.

use super::Node;

/// Errors that a subtree must save.
const SLACK: f64 = 0.1;

/// Prunes from the leaves up; `nodes` hold each node before its branches.
pub(super) fn prune(nodes: &mut [Node], confidence: f64) {
    let mut expected = vec![0.0f64; nodes.len()];
    for at in (0..nodes.len()).rev() {
        let Some(node) = nodes.get_mut(at) else {
            continue;
        };
        let (objects, errors) = (f64::from(node.objects), f64::from(node.errors()));
        let leaf = errors + added(objects, errors, confidence);
        let mut cost = leaf;
        if let Some(test) = node.test {
            let below: f64 = expected.get(test.first..test.first + test.branches).unwrap_or_default().iter().sum();
            if leaf <= below + SLACK {
                node.test = None;
            } else {
                cost = below;
            }
        }
        if let Some(slot) = expected.get_mut(at) {
            *slot = cost;
        }
    }
}

/// Number added to the `errors` of `objects` for the upper end of their confidence interval: the binomial one for less
/// than one error, the normal approximation with continuity correction else (`Stats.addErrs` of Weka). Above a
/// confidence of .5 nothing is added, as there.
fn added(objects: f64, errors: f64, confidence: f64) -> f64 {
    if confidence > 0.5 || objects <= 0.0 {
        return 0.0;
    }
    if errors < 1.0 {
        let none = objects * (1.0 - confidence.powf(1.0 / objects));
        return if errors == 0.0 { none } else { none + errors * (added(objects, 1.0, confidence) - none) };
    }
    if errors + 0.5 >= objects {
        return (objects - errors).max(0.0);
    }
    let z = upper_quantile(confidence);
    let f = (errors + 0.5) / objects;
    let root = (f / objects - f * f / objects + z * z / (4.0 * objects * objects)).sqrt();
    let rate = (f + z * z / (2.0 * objects) + z * root) / (1.0 + z * z / objects);
    rate * objects - errors
}

/// The z that a normal variable exceeds with probability `p` in 0..=.5 (Abramowitz and Stegun
/// 26.2.23, error below .00045).
fn upper_quantile(p: f64) -> f64 {
    let t = (-2.0 * p.ln()).sqrt();
    let above = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let below = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    t - above / below
}

#[cfg(test)]
mod tests {
    use super::super::Test;
    use super::*;

    #[test]
    fn bounds_are_those_of_the_book() {
        // Quinlan 1993, section 4.2: U.25(0, 6) = .206, U.25(0, 9) = .143, U.25(0, 1) = .750.
        for (objects, rate) in [(6.0, 0.206), (9.0, 0.143), (1.0, 0.750)] {
            assert!((added(objects, 0.0, 0.25) / objects - rate).abs() < 1e-3);
        }
        // U.25(1, 16) = .157 there, by the binomial; the approximation gives .155.
        assert!(((1.0 + added(16.0, 1.0, 0.25)) / 16.0 - 0.1547).abs() < 1e-3);
        assert_eq!(added(16.0, 1.0, 0.7), 0.0);
        assert_eq!(added(2.0, 2.0, 0.25), 0.0);
        assert!((upper_quantile(0.25) - 0.674_49).abs() < 5e-4);
        assert!((upper_quantile(0.025) - 1.959_96).abs() < 5e-4);
    }

    fn node(objects: u32, positive: u32, test: Option<Test>) -> Node {
        Node { objects, positive, class: positive * 2 > objects, test }
    }

    /// A root with branches of (objects, positive).
    fn tree(parts: [(u32, u32); 3]) -> Vec<Node> {
        let objects = parts.iter().map(|part| part.0).sum();
        let positive = parts.iter().map(|part| part.1).sum();
        let test = Test { attribute: 0, threshold: None, first: 1, branches: 3 };
        let mut nodes = vec![node(objects, positive, Some(test))];
        nodes.extend(parts.map(|(objects, positive)| node(objects, positive, None)));
        nodes
    }

    #[test]
    fn the_example_of_the_book_is_pruned() {
        // Quinlan 1993, figure 4.2: leaves of 6, 9 and 1 objects without errors are expected to make
        // 3.27 errors, a leaf of 16 with one error 2.5: pruned.
        let mut nodes = tree([(6, 0), (9, 0), (1, 1)]);
        prune(&mut nodes, 0.25);
        assert_eq!(nodes[0].test, None);
        // Taken as they are, the branches save that one error.
        let mut nodes = tree([(6, 0), (9, 0), (1, 1)]);
        prune(&mut nodes, 0.7);
        assert!(nodes[0].test.is_some());
        // A division that saves none goes whatever the confidence.
        let mut nodes = tree([(6, 1), (9, 1), (1, 0)]);
        prune(&mut nodes, 0.7);
        assert_eq!(nodes[0].test, None);
    }
}
