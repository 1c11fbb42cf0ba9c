//! A model ready to score the blocks of pages.
//!
//! Each built-in model has limits of confidence below which a page is hard: the table behind `--hard-share`.

mod judging;
#[cfg(test)]
mod tests;

pub use judging::KnownWords;

use std::{borrow::Cow, path::Path};

use trommel_html::Page;
use trommel_models::{CONFIDENCES, MODELS, OTHER_NAMES};

use crate::embedded::JudgedEmbedded;
use crate::features::{ColumnSet, Columns, Schema, embedded_texts};
use crate::file::{
    FORMAT, KindScorer, KindShares, ModelError, ModelFile, PageType, PageTypeScorer, Scorer, VERSION, check_version,
    pack,
};
use crate::scorer::numbers;
use crate::selection_by_worlds::{Choice, Layout, Selection, weighed};
use crate::{
    additive::{Additive, sigmoid},
    compiled::Compiled,
    selection_by_worlds,
};

/// Name of the column that marks the main headline.
// Rules and metadata take the headline that the model saw, so that they never disagree about it.
const HEADLINE_COLUMN: &str = "outline.is_headline";
/// Names of the columns about comment sections.
const COMMENT_COLUMNS: [&str; 5] =
    ["comments.inside", "comments.inside_beside_prose", "comments.near", "comments.log_regions", "comments.share"];

/// Name of the column with the (log) number of blocks of a page.
const PAGE_BLOCKS_COLUMN: &str = "page.log_blocks";

/// Name of the column with the share of a block's terms that the model knows.
const KNOWN_WORDS_COLUMN: &str = "wording.known";

/// Name of the column that says whether a page declares to be an article.
const ARTICLE_COLUMN: &str = "page.article";

/// A model of main text, ready to score the blocks of pages.
#[derive(Clone, Debug)]
pub struct Model {
    file: ModelFile,
    schema: Schema,
    /// Scorers of the model file, each with its weight in the sum; `compiled` holds the same scorers in a faster form.
    parts: Vec<(f32, Scorer)>,
    compiled: Compiled,
    /// Columns that are computed for all blocks, not only for the blocks that are scored.
    of_all: ColumnSet,
    /// Scorers for kinds of pages, such as lists, reading columns of the schema.
    kinds: Vec<Scorer>,
    /// Scorers that recognise the page types, such as article, reading columns of the schema.
    page_types: Vec<Scorer>,
    /// Scorer of texts found only in JSON-LD, if any, over [`EMBEDDED_COLUMNS`](crate::features::EMBEDDED_COLUMNS).
    embedded: Option<Scorer>,
    /// Numbers of the columns about comment sections; the first says whether a block is in one.
    comments: Vec<u16>,
    /// Number of the column that marks the main headline; `None` if the model does not have it.
    headline: Option<u16>,
    /// Number of the column with the number of blocks of a page; `None` if no scorer is for a kind of pages.
    page_blocks: Option<u16>,
    /// Number of the column with the share of known words of a block; `None` if the model does not need it.
    known_words: Option<u16>,
    /// Number of the column that says whether a page declares to be an article; `None` if the model does not have it.
    article: Option<u16>,
    /// Name among the built-in models; `None` if the model is not built in.
    builtin: Option<&'static str>,
}

/// Judgement of a page by a model: the probability of each block, and the choice of main text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgement {
    /// Probability that each block is content, 0..=1.
    pub probabilities: Vec<f32>,
    /// Choice of the blocks to keep, with its expected quality.
    pub choice: Choice,
    /// Index of the block with the main headline, if there is one and the model has a column for it.
    pub headline: Option<usize>,
    /// One flag per block, true if it is in a comment section; empty if the model does not recognise comment sections.
    pub in_comments: Vec<bool>,
    /// Texts of the JSON-LD that are not among the blocks; empty if the model does not score them.
    pub embedded: Vec<JudgedEmbedded>,
    /// Type of the page, if the model has page types and the page has blocks.
    pub page_type: Option<PageType>,
    /// Number of the field of each block; a field is all blocks with the same path of names and classes. Fields are
    /// numbered in page order.
    pub fields: Vec<u32>,
}

impl Default for Model {
    /// Returns the first of the built-in models.
    ///
    /// # Panics
    /// If the program was built without a model that it can read, which a test of this crate excludes.
    #[allow(clippy::expect_used)]
    fn default() -> Self {
        let model = Self::builtin_names().next().and_then(Self::builtin);
        model.expect("a model is built in, and can be read")
    }
}

impl Model {
    /// Prepares the contents of a model file for use.
    ///
    /// # Errors
    /// If the file has another format or version, or holds names of unknown features or invalid numbers.
    pub fn new(file: ModelFile) -> Result<Self, ModelError> {
        // Here as well, since a file need not come from bytes.
        check_version((&file.format, FORMAT), (file.version, VERSION))?;
        let is_sharp = |page_type: &PageTypeScorer| page_type.sharpness.is_finite() && page_type.sharpness > 0.0;
        let is_decided = !matches!(file.parts.first().map(|part| &part.scorer), None | Some(Scorer::Trees(_)));
        let faults = [
            (!(0.0..=1.0).contains(&file.pooling), "pooling"),
            (!file.parts.iter().all(|part| part.share.is_finite()), "first"),
            (file.band.is_some_and(|band| !is_decided || band.is_nan() || band < 0.0), "band"),
            (!file.page_types.iter().all(is_sharp), "page types"),
            (!file.kind_scorers().all(KindScorer::is_sound), "scorers of kinds"),
            (!(0.0..=1.0).contains(&file.known_words), "known words"),
            (!file.type_words.is_sound(), "type words"),
        ];
        if let Some((_, part)) = faults.into_iter().find(|(is_fault, _)| *is_fault) {
            return Err(ModelError::Unsound { part });
        }
        let (listed, weights) = (&file.listed, &file.attribute_weights);
        let schema = Schema::with_type_words(&file.groups, listed, weights, &file.word_weights, &file.type_words);
        let columns = numbers(&file.columns, schema.names().iter().map(String::as_str))?;
        let parts = file.parts.iter().map(|part| Ok((part.share, part.scorer.on(&columns)?)));
        let parts = parts.collect::<Result<Vec<(f32, Scorer)>, ModelError>>()?;
        let ready = |scorer: &Additive| Scorer::Additive(scorer.clone()).on(&columns);
        let kinds = file.kind_scorers().map(|kind| ready(&kind.scorer)).collect::<Result<Vec<Scorer>, ModelError>>()?;
        let page_types = file.page_types.iter().map(|page_type| ready(&page_type.scorer));
        let page_types = page_types.collect::<Result<Vec<Scorer>, ModelError>>()?;
        let embedded = file.embedded.as_ref().map(|embedded_scorer| embedded_scorer.readied()).transpose()?;
        let comments: Vec<u16> = COMMENT_COLUMNS.iter().filter_map(|name| schema.column(name)).collect();
        let headline = schema.column(HEADLINE_COLUMN);
        let page_blocks = kinds.first().and_then(|_| schema.column(PAGE_BLOCKS_COLUMN));
        let article = schema.column(ARTICLE_COLUMN);
        let known_words = schema.column(KNOWN_WORDS_COLUMN).filter(|_| file.known_words > 0.0);
        let beside = comments.iter().copied().chain(headline).chain(page_blocks).chain(known_words);
        let beside = beside.chain(page_types.iter().flat_map(Scorer::columns));
        let compiled = Compiled::new(&parts, &kinds, schema.names().len(), beside, file.band)?;
        let of_all = ColumnSet::new(schema.names().len(), comments.first().copied().into_iter().chain(headline));
        Ok(Self {
            of_all,
            headline,
            page_blocks,
            known_words,
            article,
            compiled,
            comments,
            schema,
            parts,
            kinds,
            page_types,
            embedded,
            file,
            builtin: None,
        })
    }

    /// Reads a model from the bytes of a model file, packed with zstd or not.
    ///
    /// # Errors
    /// If the bytes are not a model file, or as for [`Model::new`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        Self::new(ModelFile::read(bytes)?)
    }

    /// Reads a model from the file at `path`.
    ///
    /// # Errors
    /// If the file cannot be read, or as for [`Model::from_bytes`].
    pub fn load(path: &Path) -> Result<Self, ModelError> {
        let name = || path.display().to_string();
        let bytes = std::fs::read(path).map_err(|source| ModelError::Io { path: name(), source })?;
        Self::from_bytes(&bytes).map_err(|source| ModelError::File { path: name(), source: source.into() })
    }

    /// Returns the model of this name that is built into the program; `None` if there is none.
    pub fn builtin(name: &str) -> Option<Self> {
        let (name, bytes) = MODELS.iter().find(|(known, _)| *known == Self::main_name(name))?;
        let model = Self::from_bytes(bytes).ok()?;
        Some(Self { builtin: Some(name), ..model })
    }

    /// Returns the main name of the built-in model that also has the name `name`; other names are returned unchanged.
    pub fn main_name(name: &str) -> &str {
        OTHER_NAMES.iter().find(|(other, _)| *other == name).map_or(name, |(_, name)| name)
    }

    /// Opens the built-in model with this name, or else the model file at this path.
    ///
    /// # Errors
    /// If there is neither, or as for [`Model::load`].
    pub fn open(wanted: &str) -> Result<Self, ModelError> {
        // Built-in names win over files, so that `fast` means the same in every folder.
        if let Some(model) = Self::builtin(wanted) {
            return Ok(model);
        }
        let path = Path::new(wanted);
        if !path.exists() {
            return Err(ModelError::Unknown {
                wanted: wanted.to_owned(),
                builtin: Self::builtin_names().collect::<Vec<_>>().join(", "),
            });
        }
        Self::load(path)
    }

    /// Iterates over the names of the models built into the program; the first is the default.
    pub fn builtin_names() -> impl Iterator<Item = &'static str> {
        MODELS.iter().map(|(name, _)| *name)
    }

    /// Returns the confidence below which `percent` of usual pages lie, by a table made from labelled pages. `f32::MAX`
    /// beyond the table; `None` if the model is not built in.
    pub fn confidence_below(&self, percent: f64) -> Option<f32> {
        confidence_below(self.builtin?, percent)
    }

    /// Returns the contents of the model's file as uncompressed MessagePack.
    ///
    /// # Errors
    /// Only if memory runs out.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModelError> {
        Ok(rmp_serde::to_vec_named(&self.file)?)
    }

    /// Returns the bytes whose checksum identifies the model: its file if it is built in, otherwise its MessagePack.
    ///
    /// # Errors
    /// Only if memory runs out.
    pub fn checked_bytes(&self) -> Result<Cow<'static, [u8]>, ModelError> {
        match MODELS.iter().find(|(name, _)| self.builtin == Some(*name)) {
            // Each run asks for them: writing the model anew took a seventh of the start.
            Some((_, bytes)) => Ok(Cow::Borrowed(bytes)),
            // How a file is packed says nothing about the model.
            None => Ok(Cow::Owned(self.to_bytes()?)),
        }
    }

    /// Returns the bytes of the model's file, packed with zstd.
    ///
    /// # Errors
    /// Only if memory runs out.
    pub fn to_packed(&self) -> Result<Vec<u8>, ModelError> {
        pack(&self.to_bytes()?)
    }

    /// Returns a copy of the model that keeps the blocks with at least this probability.
    pub fn with_threshold(&self, least: f32) -> Self {
        let mut model = self.clone();
        model.file.selection = Selection::Threshold(least);
        model
    }

    /// Returns the contents of the model's file.
    pub fn file(&self) -> &ModelFile {
        &self.file
    }

    /// Returns the schema of the features that the model uses.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Returns the columns of the schema that the model reads.
    pub fn columns(&self) -> &ColumnSet {
        self.compiled.columns()
    }

    /// Scores the blocks of a page and chooses main text. Readers' comments next to a page's own text are not content;
    /// the posts of a forum are.
    pub fn judge(&self, page: &Page, url: Option<&str>) -> Judgement {
        self.judge_blocks(page, url, false)
    }

    /// Judges a page like [`Model::judge`], but readers' comments are content as well: blocks of comment sections are
    /// scored as if nothing had called them comments.
    pub fn judge_with_comments(&self, page: &Page, url: Option<&str>) -> Judgement {
        self.judge_blocks(page, url, true)
    }

    /// Chooses the blocks and the JSON-LD texts of a page again, by the probabilities in a judgement.
    pub fn choose(&self, page: &Page, judgement: &mut Judgement, with_comments: bool) {
        self.choose_over(page, &Layout::of(page), judgement, with_comments);
    }

    fn choose_over(&self, page: &Page, layout: &Layout, judgement: &mut Judgement, with_comments: bool) {
        judgement.embedded = self.embedded(page);
        judgement.fields = layout.fields().collect();
        let sharpness = judgement.page_type.as_ref().map_or(1.0, |page_type| page_type.sharpness);
        judgement.choice = self
            .file
            .selection
            .sharpened(sharpness)
            .choose_with(&judgement.probabilities, layout, &mut judgement.embedded, with_comments);
    }

    /// Chooses again as if the log odds of every block were higher by `shift`: more blocks if it is above 0, fewer if
    /// below. The choice stays if nothing would be kept. The probabilities do not change.
    pub fn choose_shifted(&self, page: &Page, judgement: &mut Judgement, shift: f32, with_comments: bool) {
        let layout = Layout::of(page);
        let shifted = judgement.probabilities.iter().map(|probability| corrected(*probability, shift)).collect();
        let mut other = Judgement { probabilities: shifted, ..judgement.clone() };
        self.choose_over(page, &layout, &mut other, with_comments);
        let keeps_some = |judgement: &Judgement| {
            judgement.choice.kept.contains(&true) || judgement.embedded.iter().any(|embedded| embedded.kept)
        };
        if !keeps_some(&other) {
            return;
        }
        // The probabilities are the model's, and what it expects of the choice follows from them.
        if other.choice.kept.contains(&true) {
            let weighed = weighed(&judgement.probabilities, &layout);
            other.choice.expected_f1 = selection_by_worlds::expected_f1(&weighed, &other.choice.kept) as f32;
        }
        judgement.choice = other.choice;
        judgement.embedded = other.embedded;
    }

    /// Adds `changes`, one per block, to the log odds of the blocks of a page and chooses again. Blocks without a
    /// change keep exactly the same probability.
    pub fn correct(&self, page: &Page, judgement: &mut Judgement, changes: &[f32], with_comments: bool) {
        for (probability, change) in judgement.probabilities.iter_mut().zip(changes) {
            // Odds to probability and back is not exact in f32, so blocks without a change are not touched.
            if *change != 0.0 {
                *probability = corrected(*probability, *change);
            }
        }
        self.choose(page, judgement, with_comments);
    }

    /// Returns the model's name and day of training, which identify the model where probabilities are compared.
    pub fn identity(&self) -> String {
        format!("{} {}", self.file.name, self.file.created)
    }

    /// Returns the texts of a page's JSON-LD or script data with their probabilities, none of them marked as kept yet.
    fn embedded(&self, page: &Page) -> Vec<JudgedEmbedded> {
        let Some(scorer) = &self.embedded else { return Vec::new() };
        let texts = embedded_texts(page).into_iter();
        texts.map(|text| JudgedEmbedded::new(scorer.log_odds(&text.features), text)).collect()
    }

    /// Returns the value of a column that is the same for all blocks of a page, from the first batch of its blocks.
    fn page_value(&self, columns: &Columns, column: u16) -> f32 {
        let lanes = self.compiled.columns().slot(column).and_then(|slot| columns.column(slot));
        lanes.and_then(|lanes| lanes.first()).copied().unwrap_or(0.0)
    }

    /// Returns the log odds of each page type; `value` returns the value of a column on the page.
    fn type_odds(&self, value: impl Fn(u16) -> f32) -> Vec<f32> {
        self.page_types.iter().map(|page_type| page_type.log_odds_of(&value)).collect()
    }

    /// Returns the weight of each scorer for a kind of pages in the log odds of blocks, given the log odds of each page
    /// type. `value` returns the value of a column on the page.
    fn kind_shares(&self, of_types: &[f32], value: impl Fn(u16) -> f32) -> KindShares {
        let log_blocks = self.page_blocks.map_or(f32::INFINITY, value);
        let mut shares = KindShares::default();
        for (share, kind) in shares.iter_mut().zip(self.file.kind_scorers()) {
            *share = kind.share_on(&self.file.page_types, of_types, log_blocks);
        }
        shares
    }
}

/// Returns a probability after `change` is added to its log odds.
fn corrected(probability: f32, change: f32) -> f32 {
    // Probabilities of exactly 0 or 1 have no finite odds, and could not be corrected.
    let p = probability.clamp(f32::MIN_POSITIVE, 1.0 - f32::EPSILON);
    sigmoid((p / (1.0 - p)).ln() + change)
}

/// First word of the line with the names of the models in the table of confidences.
const HEAD: &str = "percent";

/// Returns the confidence below which `percent` of usual pages lie by this model, interpolated between the lines of the
/// table. `f32::MAX` beyond the last line; `None` for models that the table does not name.
pub(crate) fn confidence_below(model: &str, percent: f64) -> Option<f32> {
    read(CONFIDENCES, model, percent)
}

fn read(table: &str, model: &str, percent: f64) -> Option<f32> {
    let mut lines = table.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t'));
    let at = lines.next().filter(|head| head.clone().next() == Some(HEAD))?.position(|name| name == model)?;
    let points = lines.filter_map(|mut line| {
        let line = (line.clone().next()?, line.nth(at)?);
        Some((line.0.parse::<f64>().ok()?, line.1.parse::<f64>().ok()?))
    });
    let mut before: Option<(f64, f64)> = None;
    for (share, confidence) in points {
        if percent <= share {
            let (low, from) = before.unwrap_or((0.0, 0.0));
            let part = (percent - low) / (share - low).max(f64::MIN_POSITIVE);
            return Some((from + part * (confidence - from)) as f32);
        }
        before = Some((share, confidence));
    }
    // More than the table has: all pages.
    before.map(|_| f32::MAX)
}

#[cfg(test)]
mod hard_pages_tests {
    use super::*;
    use crate::Model;

    #[test]
    fn shares_between_lines_are_interpolated() {
        let table = "# A table.\npercent\ta\tb\n5\t0.25\t0.5\n10\t0.75\t0.5\n99\t1\t1\n";
        for (model, percent, below) in [
            ("a", 5.0, Some(0.25)),
            ("a", 6.0, Some(0.35)),
            ("b", 7.5, Some(0.5)),
            ("a", 1.0, Some(0.05)),
            ("b", 100.0, Some(f32::MAX)),
            ("c", 5.0, None),
        ] {
            assert_eq!(read(table, model, percent), below, "{model} {percent}");
        }
        assert_eq!(read("", "a", 5.0), None);
        assert_eq!(read("percent\ta\n", "a", 5.0), None);
    }

    #[test]
    fn the_table_is_that_of_the_models() {
        for name in Model::builtin_names() {
            let model = Model::builtin(name).unwrap();
            // A model that was trained again has other confidences.
            let named = format!("{name} of {}", model.file().created);
            assert!(CONFIDENCES.contains(&named), "make the table again: {named} is not in it");
            let below: Vec<f32> =
                [1.0, 5.0, 20.0, 50.0].iter().map(|percent| model.confidence_below(*percent).unwrap()).collect();
            assert!(below.is_sorted() && below[0] > 0.0 && below[1] > 0.2 && below[3] < 1.0, "{name}: {below:?}");
        }
        let same_bytes = Model::from_bytes(&Model::default().to_bytes().unwrap()).unwrap();
        assert_eq!(same_bytes.confidence_below(5.0), None);
        assert!(Model::default().confidence_below(5.0).is_some());
    }
}
