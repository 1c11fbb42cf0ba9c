//! The model file: numbers and names in MessagePack, packed with zstd, never code.

use crate::features::{FeatureGroup, ListedWord, TermWeight};
use serde::{Deserialize, Serialize};

use crate::additive::Additive;
use crate::error::ModelError;
use crate::kept_blocks::Selection;
use crate::lists::ListScorer;
use crate::packed::unpack;
use crate::term_list;
use crate::trees::Trees;

/// First field of every model file.
pub const FORMAT: &str = "trommel-model";
/// Version that this program writes and reads.
// Raised by what defaults cannot cover, and by what older programs would pass over and so judge otherwise. A model of
// another version is refused, never guessed at.
pub const VERSION: u32 = 3;

/// The contents of a model file. Fields added later have defaults, so older files of one version still read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelFile {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`] of the program that wrote it.
    pub version: u32,
    /// Name of the model.
    pub name: String,
    /// Day of training, `YYYY-MM-DD`.
    pub created: String,
    /// Groups of features a row is made of.
    pub groups: Vec<FeatureGroup>,
    /// Names of the columns that the parts ask, by their numbers.
    pub columns: Vec<String>,
    /// The scorers whose weighted sum is the log odds of a block.
    pub parts: Vec<WeightedScorer>,
    /// Attribute words with a feature of their own.
    #[serde(default)]
    pub listed: Vec<ListedWord>,
    /// Attribute words with a weight.
    // The renames keep the names of the first files, so that models trained by users can still be read.
    #[serde(default, rename = "token_weights", with = "term_list")]
    pub attribute_weights: Vec<TermWeight>,
    /// Words and word pairs of the text with a weight.
    #[serde(default, with = "term_list")]
    pub word_weights: Vec<TermWeight>,
    /// Share of the terms of a usual training page that have a weight, as `wording.known` counts them, 0..=1. On pages of
    /// which the model knows much less, its log odds are lowered; 0 if they never are.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub known_words: f32,
    /// Page types, each with its scorer over the page's own columns; none if the model knows no types.
    #[serde(default, rename = "kinds")]
    pub page_types: Vec<PageTypeScorer>,
    /// The scorer of texts that stand only in the JSON-LD; none if the model has none.
    #[serde(default, rename = "candidates", skip_serializing_if = "Option::is_none")]
    pub embedded: Option<EmbeddedScorer>,
    /// Share of the log odds of a block that is the mean over its field, the blocks whose whole path of
    /// names and classes is equal, 0..=1.
    #[serde(default)]
    pub pooling: f32,
    /// Log odds by the first part, which is not trees, within which a block is in doubt, 0 or more: trees are
    /// asked about blocks in doubt only, and for others the first part stands in their place. None if trees are
    /// asked about every block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub band: Option<f32>,
    /// The scorer of pages other than articles and threads; none if the parts judge all pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lists: Option<ListScorer>,
    /// True if documents have few metadata unless all are requested, because the model is for callers who want texts
    /// fast.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub few_metadata: bool,
    /// The way of choosing blocks from their probabilities.
    pub selection: Selection,
    /// The model that this one was adapted from, by name and day; none if it was trained from nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adapted_from: Option<String>,
    /// The training data and method.
    pub training: Training,
    /// The scores of the model.
    #[serde(default)]
    pub scores: Vec<Score>,
}

impl ModelFile {
    /// Checks that this program reads model files of this version.
    ///
    /// # Errors
    /// If the file is not a model, or of another version.
    pub(crate) fn check_version(&self) -> Result<(), ModelError> {
        check_version(&self.format, self.version)
    }

    /// Reads the bytes of a model file.
    ///
    /// # Errors
    /// If they are not laid out so, or the file is of another version.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, ModelError> {
        // The head by itself: files of other versions may name what this program cannot even parse.
        let bytes = unpack(bytes)?;
        let head: Head = rmp_serde::from_slice(&bytes)?;
        check_version(&head.format, head.version)?;
        Ok(rmp_serde::from_slice(&bytes)?)
    }
}

/// The fields of a file that tell whether the others can be read.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u32,
}

fn check_version(format: &str, version: u32) -> Result<(), ModelError> {
    if format != FORMAT {
        return Err(ModelError::NotAModel { format: format.to_owned() });
    }
    match version {
        VERSION => Ok(()),
        version => Err(ModelError::Version { version, known: VERSION }),
    }
}

/// One scorer and its share in the log odds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WeightedScorer {
    /// Its log odds are multiplied by this.
    pub share: f32,
    /// The scorer.
    pub scorer: Scorer,
}

/// A function from a row of features to log odds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scorer {
    /// Weights of the columns as they are.
    Linear(Linear),
    /// Weights of the columns' bins.
    Additive(Additive),
    /// Boosted trees.
    Trees(Trees),
}

/// An ordinary logistic model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Linear {
    /// Log odds of a row of zeros.
    pub intercept: f32,
    /// The weights that are not zero.
    pub weights: Vec<ColumnWeight>,
}

/// The weight of one column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnWeight {
    /// The column.
    pub column: u16,
    /// Change of the log odds for a change of one in the column.
    pub weight: f32,
    /// Standard deviation of the column over the training blocks: `weight * deviation` compares
    /// columns with each other.
    pub deviation: f32,
}

/// A page type, and the scorer that recognises its pages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageTypeScorer {
    /// Name of the type.
    pub name: String,
    /// Log odds of the type, one against the rest, over the columns of a row that are the same for
    /// all blocks of a page.
    pub scorer: Additive,
    /// The factor of the log odds of blocks in a selection by worlds, on pages of the type, above 0.
    #[serde(default = "one")]
    pub sharpness: f32,
}

// By reference, as serde asks for it.
fn is_zero(share: &f32) -> bool {
    *share == 0.0
}

/// The factor that changes nothing.
fn one() -> f32 {
    1.0
}

/// The scorer of embedded texts, which stand only in a page's JSON-LD and not among its blocks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EmbeddedScorer {
    /// Names of the columns that the scorer asks, by their numbers.
    // By name and not by number, so that new feature groups may come before old ones.
    pub columns: Vec<String>,
    /// An ordinary logistic model.
    pub scorer: Linear,
    /// Number of embedded texts learned from, and how many of them were content.
    pub rows: (u32, u32),
    /// Strength of the L2 penalty.
    pub penalty: f64,
}

/// The training of a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Training {
    /// The page sets.
    pub sets: Vec<TrainingSet>,
    /// Number of blocks (rows) learned from.
    pub blocks: u64,
    /// A block is content if more than this share of its words lies on the longest common
    /// subsequence of page and gold.
    pub label_share: f32,
    /// Strength of the L2 penalty, chosen by cross-validation.
    pub penalty: f64,
    /// Folds of the cross-validation, divided by host.
    pub folds: u32,
}

/// A set of labelled pages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingSet {
    /// Its name.
    pub name: String,
    /// Pages of it that were used.
    pub pages: u32,
}

/// A score of the model on a set of pages: means over the pages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Name of the set.
    pub set: String,
    /// The way of measuring (`5-fold by host`, `held out`).
    pub how: String,
    /// Number of pages.
    pub pages: u32,
    /// Mean word precision, 0..=1.
    pub precision: f64,
    /// Mean word recall, 0..=1.
    pub recall: f64,
    /// Mean word F1, 0..=1.
    pub f1: f64,
}
