//! Divides the log odds of a block among the columns that they come from.

use super::Model;
use crate::file::Scorer;

impl Model {
    /// Names of the summands of a block's log odds: columns of linear and additive parts, crosses as `a x b`,
    /// `intercept`, and `trees` for all trees together.
    pub fn reasons(&self) -> Vec<String> {
        let mut all = Vec::new();
        for (_, scorer) in &self.parts {
            self.name_reasons(scorer, &mut all);
        }
        if let Some(scorer) = &self.lists {
            self.name_reasons(scorer, &mut all);
        }
        all
    }

    /// Names the summands of a scorer.
    fn name_reasons(&self, scorer: &Scorer, all: &mut Vec<String>) {
        let name = |column: u16| {
            let name = self.schema.names().get(usize::from(column));
            name.cloned().unwrap_or_default()
        };
        match scorer {
            Scorer::Linear(linear) => {
                all.push("intercept".to_owned());
                all.extend(linear.weights.iter().map(|weight| name(weight.column)));
            }
            Scorer::Additive(additive) => {
                all.push("intercept".to_owned());
                all.extend(additive.step_functions.iter().map(|step| name(step.column)));
                let crosses = additive.crosses.iter();
                all.extend(crosses.map(|cross| format!("{} x {}", name(cross.columns.0), name(cross.columns.1))));
            }
            Scorer::Trees(_) => all.push("trees".to_owned()),
        }
    }

    /// The value that each of the [`Model::reasons`] adds to the log odds of a row: exact for linear and
    /// additive parts.
    pub fn contributions(&self, row: &[f32]) -> Vec<f32> {
        let value = |column: u16| row.get(usize::from(column)).copied().unwrap_or(0.0);
        let of_lists = self.list_share(&self.type_odds(value), value);
        // Where the first part is not in doubt, it stands for the trees.
        let first = self.parts.first().map_or(0.0, |(_, scorer)| scorer.log_odds(row));
        let is_sure = self.file.band.is_some_and(|band| first.abs() >= band);
        let trees = self.parts.iter().filter(|(_, scorer)| is_sure && matches!(scorer, Scorer::Trees(_)));
        let of_trees: f32 = trees.map(|(share, _)| share).sum();
        let mut all = Vec::new();
        for (at, (share, scorer)) in self.parts.iter().enumerate() {
            match scorer {
                Scorer::Trees(_) if is_sure => all.push(0.0),
                scorer => {
                    let share = if at == 0 { share + of_trees } else { *share };
                    contribute(scorer, (1.0 - of_lists) * share, row, &mut all);
                }
            }
        }
        if let Some(scorer) = &self.lists {
            contribute(scorer, of_lists, row, &mut all);
        }
        all
    }
}

/// The value that each reason of a scorer adds to the log odds of a row if the scorer has this share in them.
fn contribute(scorer: &Scorer, share: f32, row: &[f32], all: &mut Vec<f32>) {
    let value = |column: u16| row.get(usize::from(column)).copied().unwrap_or(0.0);
    match scorer {
        Scorer::Linear(linear) => {
            all.push(share * linear.intercept);
            let odds = linear.weights.iter();
            all.extend(odds.map(|weight| share * weight.weight * value(weight.column)));
        }
        Scorer::Additive(additive) => {
            all.push(share * additive.intercept);
            let odds = additive.step_functions.iter();
            all.extend(odds.map(|step| share * step.weight(value(step.column))));
            let odds = additive.crosses.iter();
            all.extend(odds.map(|cross| share * cross.weight(value(cross.columns.0), value(cross.columns.1))));
        }
        Scorer::Trees(trees) => all.push(share * trees.log_odds(row)),
    }
}
