//! Determines the roles of blocks, such as reviews, cards and specifications, each with a small model of its own.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use trommel_html::Page;

use crate::additive::Additive;
use crate::compiled::{Compiled, PageOdds};
use crate::features::{FeatureGroup, FieldIndex, Schema, TermWeight};
use crate::file::{ModelError, Scorer, check_version, pack, unpack};
use crate::scorer::numbers;

/// Value of the first field of every role file, by which the file is recognised.
pub const ROLES_FORMAT: &str = "trommel-roles";
/// Version of role files that this program writes and reads.
pub const ROLES_VERSION: u32 = 1;

/// Contents of a role file, which holds a model that determines the roles of blocks, such as review or card.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoleFile {
    /// Format of the file, always [`ROLES_FORMAT`].
    pub format: String,
    /// Version of the file, [`ROLES_VERSION`] of the program that wrote it.
    pub version: u32,
    /// Day of training, `YYYY-MM-DD`.
    pub created: String,
    /// Feature groups whose columns make up a row of features.
    pub groups: Vec<FeatureGroup>,
    /// Names of the columns that the scorers use; scorers refer to them by index.
    pub columns: Vec<String>,
    /// Roles of blocks, such as review or card, each with the scorer that recognises it.
    pub roles: Vec<RoleScorer>,
}

/// A role, such as review or card, with the scorer that recognises its blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoleScorer {
    /// Name of the role.
    pub name: String,
    /// Attribute words with their log odds of the role.
    pub attribute_weights: Vec<TermWeight>,
    /// Words and word pairs of the text with their log odds of the role.
    pub word_weights: Vec<TermWeight>,
    /// Scorer whose result is the log odds of the role from the block alone.
    pub scorer: Additive,
    /// Log odds, averaged with those of similar blocks ([`pooled`]), above which a block has the role.
    pub threshold: f32,
    /// Quality of the role on pages of hosts that were not in training.
    pub score: RoleScore,
}

/// Quality of a role: the blocks to which the model gives the role, compared with those that have it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RoleScore {
    /// Number of pages that state which of their blocks have the role.
    pub pages: u32,
    /// Number of blocks that have the role.
    pub blocks: u32,
    /// Precision: share of the blocks given the role that have it, 0..=1.
    pub precision: f64,
    /// Recall: share of the blocks with the role that are given it, 0..=1.
    pub recall: f64,
}

/// A model that determines the roles of blocks, such as review or card.
#[derive(Clone, Debug)]
pub struct RoleModel {
    file: RoleFile,
    ready: Vec<ReadyRole>,
}

#[derive(Clone, Debug)]
struct ReadyRole {
    schema: Schema,
    scorer: Compiled,
}

impl RoleModel {
    /// Prepares the contents of a role file for use.
    ///
    /// # Errors
    /// If the file has another format or version, or holds names of unknown features or invalid numbers.
    pub fn new(file: RoleFile) -> Result<Self, ModelError> {
        check_version((&file.format, ROLES_FORMAT), (file.version, ROLES_VERSION))?;
        let readied = |role: &RoleScorer| {
            if !role.threshold.is_finite() {
                return Err(ModelError::Unsound { part: "threshold" });
            }
            // A schema for each role: words that speak for reviews say nothing about steps.
            let words = (&role.attribute_weights, &role.word_weights);
            let schema = Schema::new(&file.groups, &[], words.0, words.1);
            let columns = numbers(&file.columns, schema.names().iter().map(String::as_str))?;
            let scorer = Scorer::Additive(role.scorer.clone()).on(&columns)?;
            Ok(ReadyRole { scorer: Compiled::new(&[(1.0, scorer)], &[], schema.names().len(), [], None)?, schema })
        };
        let ready = file.roles.iter().map(readied).collect::<Result<_, _>>()?;
        Ok(Self { file, ready })
    }

    /// Returns the role model that is built into the program; `None` if it cannot be read.
    pub fn builtin() -> Option<&'static Self> {
        // Read on first use: one pass for each role costs more than judging, so only those who ask pay.
        static BUILTIN: LazyLock<Option<RoleModel>> =
            LazyLock::new(|| RoleModel::from_bytes(trommel_models::ROLES).ok());
        BUILTIN.as_ref()
    }

    /// Reads a role model from the bytes of a role file.
    ///
    /// # Errors
    /// If the bytes are not a role file, or as for [`RoleModel::new`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        Self::new(rmp_serde::from_slice(&unpack(bytes)?)?)
    }

    /// Returns the bytes of the model's file: MessagePack, packed with zstd.
    ///
    /// # Errors
    /// If the model cannot be written as MessagePack.
    pub fn to_packed(&self) -> Result<Vec<u8>, ModelError> {
        pack(&rmp_serde::to_vec(&self.file)?)
    }

    /// Returns the contents of the model's file.
    pub fn file(&self) -> &RoleFile {
        &self.file
    }

    /// Returns for every role the log odds of each block, averaged with those of similar blocks ([`pooled`]).
    fn log_odds(&self, page: &Page, url: Option<&str>) -> Vec<Vec<f32>> {
        let fields = FieldIndex::of(page).of_block;
        let of_role = |ReadyRole { schema, scorer }: &ReadyRole| {
            let mut odds = PageOdds::new(scorer, page.blocks.len());
            schema.each_batch(page, url, scorer.columns(), |columns| odds.add(columns));
            pooled(&odds.finish(), &fields)
        };
        self.ready.iter().map(of_role).collect()
    }

    /// Returns for each block the name of the role whose log odds are farthest above its threshold; `None` if no role
    /// is above.
    pub fn judge(&self, page: &Page, url: Option<&str>) -> Vec<Option<&str>> {
        let odds = self.log_odds(page, url);
        (0..page.blocks.len())
            .map(|block| {
                let above = self.file.roles.iter().zip(&odds).filter_map(|(role, odds)| {
                    // Compared above their thresholds: roles differ in how often they occur, and so in their log odds.
                    let above = odds.get(block)? - role.threshold;
                    (above > 0.0).then_some((above, role.name.as_str()))
                });
                above.max_by(|a, b| a.0.total_cmp(&b.0)).map(|best| best.1)
            })
            .collect()
    }
}

/// Returns for each block the mean of its own log odds and the mean log odds of its field. `fields` holds the number of
/// each block's field; a field is all blocks with the same path of names and classes.
pub fn pooled(odds: &[f32], fields: &[u32]) -> Vec<f32> {
    let mut sums: FxHashMap<u32, (f32, f32)> = FxHashMap::default();
    for (odds, field) in odds.iter().zip(fields) {
        let (sum, count) = sums.entry(*field).or_default();
        *sum += odds;
        *count += 1.0;
    }
    odds.iter()
        .zip(fields)
        .map(|(block_odds, field)| {
            let (sum, count) = sums.get(field).copied().unwrap_or((*block_odds, 1.0));
            // Against the block's own log odds this raised F1 of cards from .551 to .559 and of notices from .509 to
            // .521.
            block_odds / 2.0 + sum / count / 2.0
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::additive::StepFunction;
    use trommel_html::{Engine, Limits, ScanEngine};

    fn role(name: &str, edge: f32, weights: [f32; 2], threshold: f32) -> RoleScorer {
        RoleScorer {
            name: name.into(),
            attribute_weights: Vec::new(),
            word_weights: Vec::new(),
            scorer: Additive {
                intercept: 0.0,
                step_functions: vec![StepFunction { column: 0, edges: vec![edge], weights: weights.to_vec() }],
                crosses: Vec::new(),
            },
            threshold,
            score: RoleScore::default(),
        }
    }

    fn file() -> RoleFile {
        let groups = vec![FeatureGroup::Shallow];
        RoleFile {
            format: ROLES_FORMAT.into(),
            version: ROLES_VERSION,
            created: "2026-01-01".into(),
            groups,
            columns: vec!["link_density".into()],
            roles: vec![role("linked", 0.5, [-1.0, 2.0], 0.0), role("other", 0.5, [1.0, 2.5], 1.5)],
        }
    }

    #[test]
    fn a_block_has_the_role_that_is_farthest_above_its_threshold() {
        let page = ScanEngine.read("<p><a>one</a><p><a href=x>two</a>", &Limits::default());
        let model = RoleModel::new(file()).unwrap();
        // Both blocks are of one field: each has half of its own log odds and half of their mean.
        let odds = model.log_odds(&page, None);
        assert_eq!(odds, [vec![-0.25, 1.25], vec![1.375, 2.125]]);
        assert_eq!(model.judge(&page, None), [None, Some("linked")]);
        let again = RoleModel::from_bytes(&model.to_packed().unwrap()).unwrap();
        assert_eq!(again.file(), model.file());
    }

    #[test]
    fn what_does_not_add_up_is_refused() {
        let mut other = file();
        other.columns = vec!["no.such".into()];
        assert!(matches!(RoleModel::new(other), Err(ModelError::UnknownFeature { .. })));
        let mut other = file();
        other.roles[0].threshold = f32::NAN;
        assert!(matches!(RoleModel::new(other), Err(ModelError::Unsound { .. })));
        let mut other = file();
        other.roles[1].scorer.step_functions[0].column = 1;
        assert!(matches!(RoleModel::new(other), Err(ModelError::Unsound { .. })));
        let mut other = file();
        other.version = 2;
        assert!(RoleModel::new(other).is_err());
        assert!(RoleModel::from_bytes(b"x").is_err());
    }

    #[test]
    fn the_roles_that_are_built_in_can_be_read() {
        let names: Vec<&str> =
            RoleModel::builtin().unwrap().file().roles.iter().map(|role| role.name.as_str()).collect();
        assert_eq!(names, ["card", "ingredient", "notice", "review", "specification", "step"]);
    }
}
