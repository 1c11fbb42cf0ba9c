//! The model file: numbers and names in MessagePack, packed with zstd, never code.
//!
//! In addition to the scorer of all blocks, the file has one for pages that are neither articles nor threads: listings,
//! collections, products, documentation. On such pages short links, facts and notes are content, and next to an article
//! they are not. One scorer for both learns a compromise, so these pages have their own. The type of a page is only
//! probable, so its share in the log odds rises with the probability that the page is not one text.

use std::{borrow::Cow, io::Read};

use serde::{Deserialize, Serialize};

use crate::additive::{Additive, sigmoid};
use crate::features::{FeatureGroup, ListedWord, TermWeight, TypeWords};
use crate::trees::Trees;
use crate::{selection_by_worlds::Selection, term_list};

/// Value of the first field of every model file, by which the file is recognised.
pub const FORMAT: &str = "trommel-model";
/// Version of model files that this program writes and reads.
// Raised by what defaults cannot cover, and by what older programs would pass over and so judge otherwise. A model of
// another version is refused, never guessed at.
pub const VERSION: u32 = 3;

/// Contents of a model file. Fields added later have defaults, so older files of the same version can still be read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelFile {
    /// Format of the file, always [`FORMAT`].
    pub format: String,
    /// Version of the file, [`VERSION`] of the program that wrote it.
    pub version: u32,
    /// Name of the model.
    pub name: String,
    /// Day of training, `YYYY-MM-DD`.
    pub created: String,
    /// Feature groups whose columns make up a row of features.
    pub groups: Vec<FeatureGroup>,
    /// Names of the columns that the scorers use; scorers refer to them by index.
    pub columns: Vec<String>,
    /// Scorers whose weighted sum is the log odds that a block is content.
    pub parts: Vec<WeightedScorer>,
    /// Attribute words, such as class names, that have a feature of their own: 1 where the word occurs, otherwise 0.
    #[serde(default)]
    pub listed: Vec<ListedWord>,
    /// Attribute words with their weights.
    // The renames keep the names of the first files, so that models trained by users can still be read.
    #[serde(default, rename = "token_weights", with = "term_list")]
    pub attribute_weights: Vec<TermWeight>,
    /// Words and word pairs of the text with their weights.
    #[serde(default, with = "term_list")]
    pub word_weights: Vec<TermWeight>,
    /// Words that tell the type of a page, with their weights.
    #[serde(default, skip_serializing_if = "TypeWords::is_empty")]
    pub type_words: TypeWords,
    /// Share (0..=1) of the first words and word pairs of a usual page's blocks that have a weight. On pages with a
    /// much lower share, the log odds are lowered; 0 if they never are.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub known_words: f32,
    /// Page types, each with its scorer over the columns of the whole page; empty if the model has no types.
    #[serde(default, rename = "kinds")]
    pub page_types: Vec<PageTypeScorer>,
    /// Scorer of texts found only in the JSON-LD; `None` if the model has none.
    #[serde(default, rename = "candidates", skip_serializing_if = "Option::is_none")]
    pub embedded: Option<EmbeddedScorer>,
    /// Share of the log odds of a block that is the mean over its field (all blocks with the same path of names and
    /// classes), 0..=1.
    #[serde(default)]
    pub pooling: f32,
    /// Absolute log odds by the first scorer below which a block is in doubt, 0 or more. Trees judge only blocks in
    /// doubt; for others, the first scorer's log odds replace those of the trees. `None`: trees judge every block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub band: Option<f32>,
    /// Additional scorer for the blocks of pages other than articles and threads; `None` if `parts` alone judges them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lists: Option<KindScorer>,
    /// Additional scorer for the blocks of forum threads; `None` if `parts` alone judges them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<KindScorer>,
    /// True if documents have few metadata unless all are requested, because the model is for callers who want texts
    /// fast.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub few_metadata: bool,
    /// Rule that chooses blocks by their probabilities.
    pub selection: Selection,
    /// Name and day of the model that this one was adapted from; `None` if it was not adapted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adapted_from: Option<String>,
    /// Training data and method.
    pub training: Training,
    /// Scores of the model on sets of pages.
    #[serde(default)]
    pub scores: Vec<Score>,
}

impl ModelFile {
    /// Iterates over the scorers for kinds of pages: for lists, then for threads, if the model has them.
    pub fn kind_scorers(&self) -> impl Iterator<Item = &KindScorer> {
        self.lists.iter().chain(&self.threads)
    }

    /// Reads a model file from its bytes.
    ///
    /// # Errors
    /// If the bytes cannot be read as a model file. If the reason is that its version is another, the error says so.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, ModelError> {
        let bytes = unpack(bytes)?;
        rmp_serde::from_slice(&bytes).map_err(|error| {
            // Files of other versions may name what this program cannot parse; the version is then the reason.
            let head = rmp_serde::from_slice(&bytes);
            let checked = head.map(|head: Head| check_version((&head.format, FORMAT), (head.version, VERSION)));
            checked.ok().and_then(Result::err).unwrap_or(error.into())
        })
    }
}

/// Fields of a model file that tell whether this program can read the rest.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u32,
}

/// Checks that a file has the wanted format and the version that this program knows.
///
/// # Errors
/// If the file has another format or another version.
pub(crate) fn check_version((format, wanted): (&str, &str), (version, known): (u32, u32)) -> Result<(), ModelError> {
    if format != wanted {
        return Err(ModelError::NotAModel { format: format.to_owned() });
    }
    if version == known { Ok(()) } else { Err(ModelError::Version { version, known }) }
}

/// A scorer with its weight in the sum that is the log odds of a block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WeightedScorer {
    /// Factor of the scorer's log odds in the weighted sum of all scorers.
    pub share: f32,
    /// Scorer of blocks.
    pub scorer: Scorer,
}

/// Scorer: a function from a row of feature values to log odds, such as those that a block is content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scorer {
    /// Linear model: one weight per column.
    Linear(Linear),
    /// Additive model: one weight per bin of a column.
    Additive(Additive),
    /// Sum of boosted regression trees.
    Trees(Trees),
}

/// A linear model: an ordinary logistic regression over the features.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Linear {
    /// Log odds of a row of zeros.
    pub intercept: f32,
    /// Nonzero weights of the columns.
    pub weights: Vec<ColumnWeight>,
}

/// Weight of one column in a linear model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnWeight {
    /// Number of the column.
    pub column: u16,
    /// Change of the log odds if the column's value rises by one.
    pub weight: f32,
    /// Standard deviation of the column over the training blocks: `weight * deviation` compares
    /// columns with each other.
    pub deviation: f32,
}

/// A page type with the scorer that recognises its pages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageTypeScorer {
    /// Name of the page type.
    pub name: String,
    /// Scorer whose result is the log odds of the type against the rest. It reads columns that are the same for all
    /// blocks of a page.
    pub scorer: Additive,
    /// Factor, above 0, of the log odds of blocks on pages of the type, if blocks are chosen by [`Selection::Worlds`].
    #[serde(default = "one")]
    pub sharpness: f32,
}

// By reference, as serde asks for it.
fn is_zero(share: &f32) -> bool {
    *share == 0.0
}

/// Returns 1, the default factor, which changes nothing.
fn one() -> f32 {
    1.0
}

/// Scorer of texts that are in a page's JSON-LD but not among its blocks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EmbeddedScorer {
    /// Names of the columns that the scorer uses; it refers to them by index.
    // By name and not by number, so that new feature groups may come before old ones.
    pub columns: Vec<String>,
    /// Logistic regression over the columns.
    pub scorer: Linear,
    /// Number of texts of JSON-LD in training, and how many of them were content.
    pub rows: (u32, u32),
    /// Strength of the L2 penalty in training.
    pub penalty: f64,
}

/// Record of a model's training: its data and options.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Training {
    /// Sets of labelled pages used for training.
    pub sets: Vec<TrainingSet>,
    /// Number of blocks (rows) used for training.
    pub blocks: u64,
    /// Share of a block's words that must be exceeded by its words on the longest common subsequence of page and gold
    /// (reference text) for the block to count as content.
    pub label_share: f32,
    /// Strength of the L2 penalty, chosen by cross-validation.
    pub penalty: f64,
    /// Number of folds of the cross-validation; all pages of a host are in the same fold.
    pub folds: u32,
}

/// A set of labelled pages that a model learned from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingSet {
    /// Name of the set.
    pub name: String,
    /// Number of pages of the set that were used.
    pub pages: u32,
}

/// Score of the model on a set of pages: means over the pages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Name of the set of pages.
    pub set: String,
    /// Method of measurement (`5-fold by host`, `held out`).
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

/// First four bytes of a zstd frame.
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
// The numbers of a model take a quarter of their bytes at this level; files are packed once and read often.
const LEVEL: i32 = 19;
/// Maximum size in bytes of a decompressed model file or role file; a larger one is an error.
// Six times the largest built-in model. An empty name takes one byte here and 24 in memory, and a small file must not
// take all of it.
const MAX_UNPACKED: u64 = 8 << 20;

/// Compresses the bytes of a file into a zstd frame.
///
/// # Errors
/// Only if memory runs out.
pub(crate) fn pack(bytes: &[u8]) -> Result<Vec<u8>, ModelError> {
    zstd::bulk::compress(bytes, LEVEL).map_err(ModelError::Zstd)
}

/// Returns the bytes of a file, decompressed if they are a zstd frame.
///
/// # Errors
/// If the frame is damaged or too large.
pub(crate) fn unpack(bytes: &[u8]) -> Result<Cow<'_, [u8]>, ModelError> {
    if !bytes.starts_with(&ZSTD_MAGIC) {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut unpacked = Vec::new();
    let decoder = zstd::Decoder::with_buffer(bytes).map_err(ModelError::Zstd)?;
    decoder.take(MAX_UNPACKED + 1).read_to_end(&mut unpacked).map_err(ModelError::Zstd)?;
    if unpacked.len() as u64 > MAX_UNPACKED {
        return Err(ModelError::Unsound { part: "size" });
    }
    Ok(Cow::Owned(unpacked))
}

/// Bounds for the logarithm of 1 + the number of a page's blocks. Up to the first, scorers for kinds of pages, such as
/// lists, have no weight; from the second, their weight depends on the page type alone.
// The type of a page is told from counts and shares of its blocks; of few blocks nearly every type is possible. Here
// these are 20 and 40 blocks.
const LOG_BLOCKS: (f32, f32) = (3.044_522_4, 3.713_572);

/// Weight (0..=1) in the log odds of each scorer for a kind of pages, in the order of [`ModelFile::kind_scorers`].
pub(crate) type KindShares = [f32; 2];

/// Scorer for one kind of pages, such as lists, with its weight in the log odds of their blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KindScorer {
    /// Names of the page types that do not belong to the kind of pages; the scorer has no weight on such pages.
    // The rename keeps the name of the first files, whose kind was pages that are not one text.
    #[serde(rename = "texts")]
    pub others: Vec<String>,
    /// Probabilities of the kind (0..=1): up to the first the scorer has no weight, from the second its full weight.
    pub between: (f32, f32),
    /// Full weight of the scorer in the log odds of blocks, 0..=1.
    pub share: f32,
    /// Scorer of the blocks of pages of the kind.
    pub scorer: Additive,
}

impl KindScorer {
    /// Returns the weight of the scorer in the log odds of a page's blocks. It follows from the log odds of each page
    /// type against the rest, and from the natural logarithm of 1 + the number of the page's blocks.
    pub fn share_on(&self, types: &[PageTypeScorer], odds: &[f32], log_blocks: f32) -> f32 {
        let rise = |value: f32, (none, full): (f32, f32)| ((value - none) / (full - none)).clamp(0.0, 1.0);
        self.share * rise(probability_of_kind(&self.others, types, odds), self.between) * rise(log_blocks, LOG_BLOCKS)
    }

    /// Returns whether the share and the bounds of the scorer are valid.
    pub(crate) fn is_sound(&self) -> bool {
        let (none, full) = self.between;
        (0.0..1.0).contains(&none) && full > none && full <= 1.0 && (0.0..=1.0).contains(&self.share)
    }
}

/// Returns the probability (0..=1) that a page is of none of the types `others`, given the log odds of each type. 0 if
/// no types are known.
pub fn probability_of_kind(others: &[String], types: &[PageTypeScorer], odds: &[f32]) -> f32 {
    let all = types.iter().zip(odds).map(|(page_type, odds)| (page_type, sigmoid(*odds)));
    let (of_kind, sum) = all.fold((0.0, 0.0), |(of_kind, sum), (page_type, probability)| {
        let is_other = others.contains(&page_type.name);
        (of_kind + if is_other { 0.0 } else { probability }, sum + probability)
    });
    // One-against-rest scorers need not add up to 1, and may all be 0.
    of_kind / f32::max(sum, f32::MIN_POSITIVE)
}

/// Type of a page, such as article or forum, with its probability.
#[derive(Clone, Debug, PartialEq)]
pub struct PageType {
    /// Name of the type.
    pub name: String,
    /// Probability of the type, 0..=1.
    pub probability: f32,
    /// Factor of the log odds of blocks if chosen by [`Selection::Worlds`]: mean over page types, by probability.
    pub sharpness: f32,
}

impl PageType {
    /// Name of the type of pages that consist of one text.
    pub const ARTICLE: &str = "article";
    /// Name of the type of threads, in which several people write.
    pub const THREAD: &str = "forum";

    /// Returns the most probable type of a page and its sharpness, from the log odds of each type against the rest;
    /// `None` without types.
    pub fn of(types: &[PageTypeScorer], odds: &[f32]) -> Option<Self> {
        let sum: f32 = odds.iter().map(|odds| sigmoid(*odds)).sum();
        // One-against-rest scorers need not add up to 1, and may all be 0: dividing by the sum makes shares.
        let sum = sum.max(f32::MIN_POSITIVE);
        // Of equal log odds the first type wins, so that the answer does not depend on how the maximum is sought.
        let (at, best) = odds.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)))?;
        // A mean over types and not that of the best one: a doubtful type must not switch the choice of blocks.
        let sharpness = types.iter().zip(odds);
        let sharpness = sharpness.map(|(page_type, odds)| page_type.sharpness * (sigmoid(*odds) / sum));
        Some(Self { name: types.get(at)?.name.clone(), probability: sigmoid(*best) / sum, sharpness: sharpness.sum() })
    }
}

/// Reason why a model cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The file cannot be read.
    #[error("model {path}: {source}")]
    Io {
        /// Path of the file.
        path: String,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The file is not a valid model.
    #[error("model {path}: {source}")]
    File {
        /// Path of the file.
        path: String,
        /// Reason why the model is invalid.
        source: Box<ModelError>,
    },
    /// There is neither a file nor a built-in model of this name.
    #[error("unknown model {wanted}: neither a file nor a built-in model ({builtin})")]
    Unknown {
        /// Requested name of a model.
        wanted: String,
        /// Names of the built-in models, separated by commas.
        builtin: String,
    },
    /// The bytes are not laid out like a model file.
    #[error("not a trommel model file: {0}")]
    Format(#[from] rmp_serde::decode::Error),
    /// The zstd frame of a model file is damaged, or cannot be written.
    #[error("the zstd frame of the model file: {0}")]
    Zstd(#[source] std::io::Error),
    /// The model cannot be written as MessagePack.
    #[error("cannot write the model: {0}")]
    Write(#[from] rmp_serde::encode::Error),
    /// The file is MessagePack, but names another format.
    #[error("not a trommel model file: its format is {format:?}")]
    NotAModel {
        /// Format that the file names.
        format: String,
    },
    /// The model was written by another version of the program.
    #[error("the model is of version {version}, this program reads version {known}")]
    Version {
        /// Version of the model file.
        version: u32,
        /// Version that this program reads.
        known: u32,
    },
    /// The model uses a feature that this program cannot compute.
    #[error("the model uses the feature {feature}, which this program does not know")]
    UnknownFeature {
        /// Name of the feature.
        feature: String,
    },
    /// A part of the model holds numbers that are not finite or too large, or refers to columns or nodes that do not
    /// exist.
    #[error("the model is damaged: its {part} part does not add up")]
    Unsound {
        /// Kind of the part of the model.
        part: &'static str,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_bytes_come_back_and_plain_ones_stay() {
        let bytes = b"\x8aa model".repeat(100);
        let packed = pack(&bytes).unwrap();
        assert!(packed.len() < bytes.len() / 4, "{} bytes", packed.len());
        assert_eq!(*unpack(&packed).unwrap(), *bytes);
        assert!(matches!(unpack(&bytes).unwrap(), Cow::Borrowed(plain) if plain == bytes));
    }

    #[test]
    fn damaged_frames_are_refused() {
        let packed = pack(&b"\x8aa model".repeat(100)).unwrap();
        let half = &packed[..packed.len() / 2];
        assert!(matches!(unpack(half), Err(ModelError::Zstd(_))));
    }

    #[test]
    fn small_files_cannot_take_all_memory() {
        let zeros = std::io::repeat(0).take(MAX_UNPACKED + 1);
        let mut packed = Vec::new();
        zstd::stream::copy_encode(zeros, &mut packed, 1).unwrap();
        assert!(packed.len() < 100_000);
        assert!(matches!(unpack(&packed), Err(ModelError::Unsound { part: "size" })));
    }

    fn types() -> Vec<PageTypeScorer> {
        let of = |name: &str| PageTypeScorer { name: name.into(), scorer: Additive::default(), sharpness: 1.0 };
        ["article", "forum", "listing", "product"].map(of).into()
    }

    fn lists(between: (f32, f32), share: f32) -> KindScorer {
        KindScorer { others: vec!["article".into(), "forum".into()], between, share, scorer: Additive::default() }
    }

    #[test]
    fn the_share_rises_with_the_doubt_that_a_page_is_one_text() {
        let share = |odds: &[f32]| lists((0.25, 0.75), 0.8).share_on(&types(), odds, 9.0);
        assert_eq!(share(&[9.0, -9.0, -9.0, -9.0]), 0.0);
        assert_eq!(share(&[-9.0, 9.0, -9.0, -9.0]), 0.0);
        assert_eq!(share(&[-9.0, -9.0, 9.0, -9.0]), 0.8);
        // As probable as not.
        assert!((share(&[0.0; 4]) - 0.4).abs() < 1e-6);
        assert_eq!(lists((0.25, 0.75), 0.8).share_on(&[], &[], 9.0), 0.0);
    }

    #[test]
    fn pages_of_few_blocks_are_left_to_the_other_scorers() {
        let of = |blocks: u16| {
            let log_blocks = f32::from(blocks + 1).ln();
            lists((0.25, 0.75), 0.8).share_on(&types(), &[-9.0, -9.0, 9.0, -9.0], log_blocks)
        };
        assert!(of(20) < 1e-6, "{}", of(20));
        assert!(of(30) > 0.1 && of(30) < 0.7, "{}", of(30));
        assert!((of(40) - 0.8).abs() < 1e-6, "{}", of(40));
    }

    #[test]
    fn bounds_and_shares_are_checked() {
        assert!(lists((0.1, 0.5), 1.0).is_sound());
        for (between, share) in [((0.5, 0.5), 1.0), ((0.1, 1.5), 1.0), ((f32::NAN, 0.5), 1.0), ((0.1, 0.5), 1.5)] {
            assert!(!lists(between, share).is_sound(), "{between:?} {share}");
        }
    }
}
