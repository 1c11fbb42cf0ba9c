//! Growing a tree: the objects are sorted once by every number and divided in place from then on.

use super::split::{ClassCounts, Split, by_name, by_number, choose};
use super::{Kind, Node, ObjectTable, Test};

/// A node whose objects are yet to be divided: a range of every order.
struct Open {
    node: usize,
    start: usize,
    end: usize,
}

pub(super) struct Grower<'a> {
    table: &'a ObjectTable,
    least: usize,
    /// For each attribute the objects in the order of its values (of names: as given); a node's
    /// objects stand side by side in all of them.
    orders: Vec<Vec<u32>>,
    /// Values of each number over all objects, in order.
    values: Vec<Vec<f32>>,
    objects: Vec<u32>,
    nodes: Vec<Node>,
    /// Branch of each object of the table, while its node is divided.
    branch: Vec<u8>,
    space: Vec<u32>,
}

impl<'a> Grower<'a> {
    pub fn new(table: &'a ObjectTable, objects: &[u32], least: usize) -> Self {
        let mut orders = Vec::with_capacity(table.kinds.len());
        let mut values = Vec::with_capacity(table.kinds.len());
        for (attribute, kind) in table.kinds.iter().enumerate() {
            let (mut order, mut sorted) = (Vec::new(), Vec::new());
            if *kind == Kind::Number {
                order = objects.to_vec();
                order.sort_by(|a, b| {
                    let (x, y) = (table.value(attribute, *a), table.value(attribute, *b));
                    x.total_cmp(&y).then(a.cmp(b))
                });
                sorted = order.iter().map(|o| table.value(attribute, *o)).collect();
            }
            orders.push(order);
            values.push(sorted);
        }
        Self {
            table,
            least,
            orders,
            values,
            objects: objects.to_vec(),
            nodes: Vec::new(),
            branch: vec![0; table.labels.len()],
            space: Vec::with_capacity(objects.len()),
        }
    }

    pub fn grow(mut self) -> Vec<Node> {
        let root = self.node(0, self.objects.len(), false);
        self.nodes.push(root);
        let mut open = vec![Open { node: 0, start: 0, end: self.objects.len() }];
        while let Some(next) = open.pop() {
            let Some(split) = self.best(&next) else {
                continue;
            };
            let ends = self.divide(&split, next.start, next.end);
            let first = self.nodes.len();
            let class = self.nodes.get(next.node).is_some_and(|node| node.class);
            let mut start = next.start;
            for end in &ends {
                let node = self.node(start, *end, class);
                open.push(Open { node: self.nodes.len(), start, end: *end });
                self.nodes.push(node);
                start = *end;
            }
            let threshold = split.threshold.map(|threshold| self.seen(split.attribute, threshold));
            if let Some(node) = self.nodes.get_mut(next.node) {
                node.test = Some(Test { attribute: split.attribute, threshold, first, branches: split.branches });
            }
        }
        self.nodes
    }

    /// A leaf of a range of objects; `class` is the parent's.
    fn node(&self, start: usize, end: usize, class: bool) -> Node {
        let mut counts = ClassCounts::default();
        for object in self.objects.get(start..end).unwrap_or_default() {
            counts.add(self.table.label(*object));
        }
        let negative = counts.objects - counts.positive;
        Node {
            objects: counts.objects,
            positive: counts.positive,
            class: if counts.objects == 0 { class } else { counts.positive > negative },
            test: None,
        }
    }

    fn best(&self, open: &Open) -> Option<Split> {
        let node = self.nodes.get(open.node)?;
        let pure = node.positive == 0 || node.positive == node.objects;
        if pure || (node.objects as usize) < 2 * self.least {
            return None;
        }
        let all = ClassCounts { objects: node.objects, positive: node.positive };
        let range = open.start..open.end;
        let mut splits = Vec::new();
        for (attribute, kind) in self.table.kinds.iter().enumerate() {
            let split = match kind {
                Kind::Number => {
                    let order = self.orders.get(attribute)?.get(range.clone())?;
                    by_number(self.table, attribute, order, all, self.least)
                }
                Kind::Name(names) => {
                    let objects = self.objects.get(range.clone())?;
                    by_name(self.table, attribute, objects, all, *names, self.least)
                }
            };
            splits.extend(split);
        }
        choose(&splits, &self.table.kinds, all.objects)
    }

    /// Divides a range of every order by the split, keeping the order inside the branches. Gives the
    /// end of each branch.
    fn divide(&mut self, split: &Split, start: usize, end: usize) -> Vec<usize> {
        let test = Test { attribute: split.attribute, threshold: split.threshold, first: 0, branches: split.branches };
        let mut sizes = vec![0usize; split.branches];
        for object in self.objects.get(start..end).unwrap_or_default() {
            let value = self.table.value(split.attribute, *object);
            let branch = test.branch(value).min(split.branches.saturating_sub(1));
            if let Some(slot) = self.branch.get_mut(*object as usize) {
                *slot = branch as u8;
            }
            if let Some(size) = sizes.get_mut(branch) {
                *size += 1;
            }
        }
        let mut begin = start;
        let starts: Vec<usize> = sizes
            .iter()
            .map(|size| {
                let at = begin;
                begin += size;
                at
            })
            .collect();
        let orders = self.orders.iter_mut().chain([&mut self.objects]);
        for order in orders {
            let Some(range) = order.get_mut(start..end) else {
                continue;
            };
            self.space.clear();
            self.space.extend_from_slice(range);
            let mut next = starts.clone();
            for object in &self.space {
                let branch = self.branch.get(*object as usize).copied().unwrap_or(0);
                if let Some(at) = next.get_mut(usize::from(branch)) {
                    if let Some(slot) = range.get_mut(*at - start) {
                        *slot = *object;
                    }
                    *at += 1;
                }
            }
        }
        starts.iter().zip(&sizes).map(|(start, size)| start + size).collect()
    }

    /// The greatest value of all objects that is not above the threshold, as in C4.5.
    fn seen(&self, attribute: usize, threshold: f32) -> f32 {
        let values = self.values.get(attribute).map(Vec::as_slice).unwrap_or_default();
        let above = values.partition_point(|value| *value <= threshold);
        above.checked_sub(1).and_then(|at| values.get(at)).copied().unwrap_or(threshold)
    }
}
