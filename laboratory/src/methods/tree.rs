//! A C4.5 decision tree for two classes (Quinlan, C4.5: Programs for Machine Learning, 1993), grown
//! and pruned as by J48 of Weka 3, which the literature uses under the name of C4.5.
//!
//! Numbers divide in two, names into one branch each. Among the divisions whose gain is at least the
//! average of all, that of the highest gain ratio is taken. Afterwards subtrees that are expected to
//! be no better than a leaf become one. Left out of J48: subtree raising and missing values.

mod grow;
mod prune;
mod split;

use grow::Grower;

/// Kind of an attribute's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Numbers.
    Number,
    /// One of so many names, as 0, 1, 2 ...
    Name(u8),
}

/// Objects to learn from, by attribute.
#[derive(Clone, Debug)]
pub(crate) struct ObjectTable {
    pub kinds: Vec<Kind>,
    /// A column for each attribute, with a finite value for each object.
    pub columns: Vec<Vec<f32>>,
    /// True if each object is of the positive class.
    pub labels: Vec<bool>,
}

impl ObjectTable {
    fn value(&self, attribute: usize, object: u32) -> f32 {
        self.columns.get(attribute).and_then(|column| column.get(object as usize)).copied().unwrap_or_default()
    }

    fn label(&self, object: u32) -> bool {
        self.labels.get(object as usize).copied().unwrap_or_default()
    }
}

/// Options for growing and pruning a tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    /// Objects that at least two branches of a division must have.
    pub least: usize,
    /// Confidence of the bound on a leaf's errors, 0..1. Above .5 the errors are taken as they are.
    pub confidence: f64,
}

/// Test by which a node divides its objects. Branch `i` is node `first + i`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Test {
    attribute: usize,
    /// Numbers up to here go to the first branch; `None` for names.
    threshold: Option<f32>,
    first: usize,
    branches: usize,
}

impl Test {
    fn branch(&self, value: f32) -> usize {
        match self.threshold {
            Some(threshold) => usize::from(value > threshold),
            // Codes of names are small whole numbers.
            None => value as usize,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Node {
    objects: u32,
    positive: u32,
    /// Class of most objects; the parent's if there are none.
    class: bool,
    test: Option<Test>,
}

impl Node {
    /// Objects of the other class.
    fn errors(&self) -> u32 {
        if self.class { self.objects - self.positive } else { self.positive }
    }
}

/// A fitted tree.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    /// The root first, each node before its branches.
    nodes: Vec<Node>,
}

impl Tree {
    /// Learns from the objects of `table` whose numbers are given, in time n log n for each attribute
    /// and level.
    pub fn fit(table: &ObjectTable, objects: &[u32], options: &Options) -> Self {
        let mut nodes = Grower::new(table, objects, options.least).grow();
        prune::prune(&mut nodes, options.confidence);
        Self { nodes }
    }

    /// Class of an object with those attribute values.
    pub fn predict(&self, row: &[f32]) -> bool {
        let mut at = 0;
        loop {
            let Some(node) = self.nodes.get(at) else {
                return false;
            };
            let Some(test) = node.test else {
                return node.class;
            };
            let branch = test.branch(row.get(test.attribute).copied().unwrap_or_default());
            if branch >= test.branches {
                return node.class;
            }
            // Branches stand behind their node, so this ends.
            at = test.first + branch;
        }
    }

    /// Number of leaves.
    #[cfg(test)]
    pub fn leaves(&self) -> usize {
        let mut open = vec![0];
        let mut leaves = 0;
        while let Some(at) = open.pop() {
            match self.nodes[at].test {
                Some(test) => open.extend(test.first..test.first + test.branches),
                None => leaves += 1,
            }
        }
        leaves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quinlan's weather data: outlook (0 sunny, 1 overcast, 2 rainy), temperature, humidity, windy.
    fn weather() -> ObjectTable {
        let rows: [([f32; 4], bool); 14] = [
            ([0.0, 85.0, 85.0, 0.0], false),
            ([0.0, 80.0, 90.0, 1.0], false),
            ([1.0, 83.0, 86.0, 0.0], true),
            ([2.0, 70.0, 96.0, 0.0], true),
            ([2.0, 68.0, 80.0, 0.0], true),
            ([2.0, 65.0, 70.0, 1.0], false),
            ([1.0, 64.0, 65.0, 1.0], true),
            ([0.0, 72.0, 95.0, 0.0], false),
            ([0.0, 69.0, 70.0, 0.0], true),
            ([2.0, 75.0, 80.0, 0.0], true),
            ([0.0, 75.0, 70.0, 1.0], true),
            ([1.0, 72.0, 90.0, 1.0], true),
            ([1.0, 81.0, 75.0, 0.0], true),
            ([2.0, 71.0, 91.0, 1.0], false),
        ];
        ObjectTable {
            kinds: vec![Kind::Name(3), Kind::Number, Kind::Number, Kind::Name(2)],
            columns: (0..4).map(|at| rows.iter().map(|(row, _)| row[at]).collect()).collect(),
            labels: rows.iter().map(|(_, label)| *label).collect(),
        }
    }

    fn all(table: &ObjectTable) -> Vec<u32> {
        (0..table.labels.len() as u32).collect()
    }

    #[test]
    fn the_weather_tree_is_that_of_the_textbook() {
        // J48 on weather.numeric (Witten and Frank, Data Mining): outlook; sunny: humidity <= 75;
        // overcast: yes; rainy: windy. Five leaves, no errors.
        let table = weather();
        let tree = Tree::fit(&table, &all(&table), &Options { least: 2, confidence: 0.25 });
        let root = tree.nodes[0].test.unwrap();
        assert_eq!((root.attribute, root.threshold), (0, None));
        let sunny = tree.nodes[root.first].test.unwrap();
        assert_eq!((sunny.attribute, sunny.threshold), (2, Some(75.0)));
        assert_eq!(tree.nodes[root.first + 1].test, None);
        let rainy = tree.nodes[root.first + 2].test.unwrap();
        assert_eq!((rainy.attribute, rainy.threshold), (3, None));
        assert_eq!(tree.leaves(), 5);
        assert!(tree.predict(&[0.0, 80.0, 75.0, 1.0]));
        assert!(!tree.predict(&[0.0, 80.0, 75.1, 1.0]));
        assert!(tree.predict(&[1.0, 0.0, 99.0, 1.0]));
        assert!(!tree.predict(&[2.0, 70.0, 60.0, 1.0]));
        // A name that was never seen: the class of the node.
        assert!(tree.predict(&[7.0, 70.0, 60.0, 1.0]));
    }

    #[test]
    fn too_few_objects_or_one_class_give_a_leaf() {
        let mut table = weather();
        let options = Options { least: 8, confidence: 0.7 };
        let tree = Tree::fit(&table, &all(&table), &options);
        assert_eq!(tree.leaves(), 1);
        assert!(tree.predict(&[0.0; 4]));
        let options = Options { least: 1, ..options };
        assert_eq!(Tree::fit(&table, &[0, 1, 5], &options).leaves(), 1);
        assert!(!Tree::fit(&table, &[0, 1, 5], &options).predict(&[0.0; 4]));
        assert!(!Tree::fit(&table, &[], &options).predict(&[0.0; 4]));
        // Attributes that say nothing.
        table.columns = vec![vec![1.0; 14]; 4];
        assert_eq!(Tree::fit(&table, &all(&table), &options).leaves(), 1);
    }

    #[test]
    fn runs_of_one_class_become_leaves_whatever_the_order_of_the_objects() {
        // Runs of 10, 20, 40 ... 640 objects, classes in turn: seven leaves in a chain of divisions.
        let count = 1270u32;
        let label = |value: u32| (value / 10 + 1).ilog2().is_multiple_of(2);
        let mixed: Vec<u32> = (0..count).map(|at| at * 7 % count).collect();
        let table = ObjectTable {
            kinds: vec![Kind::Number, Kind::Name(2)],
            columns: vec![mixed.iter().map(|value| *value as f32).collect(), vec![1.0; count as usize]],
            labels: mixed.iter().map(|value| label(*value)).collect(),
        };
        let options = Options { least: 10, confidence: 0.7 };
        let tree = Tree::fit(&table, &all(&table), &options);
        assert_eq!(tree.leaves(), 7);
        for value in 0..count {
            assert_eq!(tree.predict(&[value as f32, 1.0]), label(value), "{value}");
        }
    }
}
