//! Reads and writes the judged pages of a cross-validation: gzip, JSON lines, one about the run and then one for each
//! page.

use std::{io::Write, path::Path};

use flate2::{Compression, GzBuilder};
use serde::{Deserialize, Serialize};
use trommel_model::Layout;
use trommel_text::words::{Rule, count};

use super::block_model::{JudgedPage, Trained};
use super::scorers::WITH_COMMENTS;
use crate::error::LearnError;
use crate::evaluate::{Required, Scores, kept_text};
use crate::labelled_pages::{PageSet, numbered_lines};

/// Value of `format` in the first line of a file of judged pages (results of cross-validation, page by page).
const FORMAT: &str = "trommel-judged";
/// Version of the file format for judged pages that this program writes and reads.
const VERSION: u32 = 1;

/// Row of a file of judged pages: one page, as judged by models that were trained without its host or set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JudgedRow {
    /// Name of the page's set.
    pub set: String,
    /// WARC-Record-ID of the page.
    pub record_id: String,
    /// Name of the page in its set.
    pub id: String,
    /// Type of the page, if the gold names it.
    #[serde(default)]
    pub page_type: Option<String>,
    /// Language of the page, if the gold names it.
    #[serde(default)]
    pub lang: Option<String>,
    /// Number of words of each block, and then of each text that only the JSON-LD holds.
    pub words: Vec<u32>,
    /// Probability of being content (0 to 1) for each block or JSON-LD text, in the order of `words`.
    pub probabilities: Vec<f32>,
    /// Label of each block or JSON-LD text, in the order of `words`: true if it is content.
    pub labels: Vec<bool>,
    /// Expected word F1 of the chosen text (0 to 1).
    pub confidence: f32,
    /// Scores of the chosen text against the gold.
    #[serde(flatten)]
    pub scores: Scores,
    /// Counts of required texts and of those kept, for a page whose gold lists only some texts of the main text. Scores
    /// and labels then refer to the listed texts alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<Required>,
    /// F1 of the text of all blocks that are labelled as content: about the maximum for any choice of blocks.
    pub oracle_f1: f64,
    /// Number of words of the gold text.
    pub gold_words: u64,
    /// Number of words of the chosen text.
    pub kept_words: u64,
}

/// Judged pages of one cross-validation, as a file stores them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JudgedSet {
    /// Name of the trained model.
    pub model: String,
    /// Date of training, `YYYY-MM-DD`.
    pub created: String,
    /// Number of folds of the cross-validation.
    pub folds: u32,
    /// Judged pages, set by set.
    #[serde(skip)]
    pub pages: Vec<JudgedRow>,
}

/// First line of a file of judged pages: format, version, and the facts about the run.
#[derive(Serialize, Deserialize)]
struct Head<S> {
    format: String,
    version: u32,
    #[serde(flatten)]
    set: S,
}

impl JudgedSet {
    /// Collects the results of cross-validation for the pages of `sets`. Readers' comments in the gold count as content
    /// if `comments` is set.
    pub fn new(sets: &[PageSet], trained: &Trained, comments: bool) -> Self {
        let file = trained.model.file();
        Self {
            model: file.name.clone(),
            created: file.created.clone(),
            folds: file.training.folds,
            pages: trained.judged.iter().filter_map(|judged| row(sets.get(judged.set)?, judged, comments)).collect(),
        }
    }

    /// Writes the judged pages to `out` as gzip; equal pages give equal bytes. Errors name the file as `path`.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn write(&self, path: &Path, out: impl Write) -> Result<(), LearnError> {
        let name = path.display().to_string();
        let io = |source| LearnError::Io { path: name.clone(), source };
        let head = Head { format: FORMAT.into(), version: VERSION, set: self };
        // Neither name nor time in the header, so the bytes repeat.
        let mut out = GzBuilder::new().write(out, Compression::default());
        let mut line = |number: usize, json: serde_json::Result<Vec<u8>>| {
            let mut json = json.map_err(|source| LearnError::Line { path: name.clone(), line: number, source })?;
            json.push(b'\n');
            out.write_all(&json).map_err(io)
        };
        line(1, serde_json::to_vec(&head))?;
        for (at, page) in self.pages.iter().enumerate() {
            line(at + 2, serde_json::to_vec(page))?;
        }
        let mut out = out.finish().map_err(io)?;
        out.flush().map_err(io)
    }

    /// Reads a file of judged pages: the results of a cross-validation, page by page.
    ///
    /// # Errors
    /// Fails if the file cannot be read, is not a file of judged pages of this version, or holds impossible values.
    pub fn read(path: &Path) -> Result<Self, LearnError> {
        let name = path.display().to_string();
        let io = |source| LearnError::Io { path: name.clone(), source };
        let mut set = Self::default();
        for (number, line) in numbered_lines(path).map_err(io)? {
            let line = line.map_err(io)?;
            let unsound = |message| LearnError::Unsound { path: name.clone(), line: number, message };
            let bad = |source| LearnError::Line { path: name.clone(), line: number, source };
            if number == 1 {
                let head: Head<Self> = serde_json::from_str(&line).map_err(bad)?;
                if head.format != FORMAT || head.version != VERSION {
                    return Err(unsound("no judged pages of a version that is known"));
                }
                set = head.set;
            } else {
                let page: JudgedRow = serde_json::from_str(&line).map_err(bad)?;
                page.check().map_err(unsound)?;
                set.pages.push(page);
            }
        }
        Ok(set)
    }

    /// Divides the judged pages into those for which `is_first` is true, and the others.
    pub fn split(&self, is_first: impl Fn(&JudgedRow) -> bool) -> (Self, Self) {
        let (first, others) = self.pages.iter().cloned().partition(is_first);
        (Self { pages: first, ..self.clone() }, Self { pages: others, ..self.clone() })
    }

    /// Returns the names of the page sets, in the order in which the file lists them.
    pub fn sets(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for page in &self.pages {
            if !names.contains(&page.set.as_str()) {
                names.push(&page.set);
            }
        }
        names
    }
}

fn row(set: &PageSet, judged: &JudgedPage, comments: bool) -> Option<JudgedRow> {
    let labelled = set.pages.get(judged.page)?;
    let (page, gold) = (&labelled.page, &labelled.gold);
    let mut words: Vec<u32> = page.blocks.iter().map(|block| block.words).collect();
    let mut probabilities = judged.probabilities.clone();
    let mut labels = judged.labels.clone();
    let mut embedded = judged.scored.embedded.clone();
    let choice = judged.scored.selection.choose_with(&probabilities, &Layout::of(page), &mut embedded, WITH_COMMENTS);
    let kept = choice.kept.iter().copied().chain(embedded.iter().map(|embedded| embedded.kept));
    let kept: Vec<bool> = kept.collect();
    for (embedded, label) in embedded.iter_mut().zip(&judged.embedded_labels) {
        words.push(embedded.embedded.words);
        probabilities.push(embedded.probability);
        labels.push(*label);
        embedded.kept = *label;
    }
    let text = match gold.required() {
        Some(required) => required.join("\n"),
        None => gold.text(comments),
    };
    let best = kept_text(page, &judged.labels, &embedded);
    let oracle = Scores::of(&best, &text, Rule::Characters);
    let kept = words.iter().zip(kept).filter(|(_, kept)| *kept);
    Some(JudgedRow {
        set: set.name.clone(),
        record_id: gold.record_id.clone(),
        id: gold.id.clone(),
        page_type: gold.page_type.clone(),
        lang: gold.lang.clone(),
        probabilities,
        labels,
        confidence: judged.scored.expected_f1,
        scores: judged.scored.scores,
        required: judged.scored.required,
        oracle_f1: oracle.f1,
        gold_words: count(&text).into(),
        kept_words: kept.map(|(words, _)| u64::from(*words)).sum(),
        words,
    })
}

impl JudgedRow {
    fn check(&self) -> Result<(), &'static str> {
        let blocks = self.words.len();
        if self.probabilities.len() != blocks || self.labels.len() != blocks {
            return Err("words, probabilities and labels are not of one length");
        }
        let shares =
            [f64::from(self.confidence), self.scores.precision, self.scores.recall, self.scores.f1, self.oracle_f1];
        let mut all = shares.into_iter().chain(self.probabilities.iter().map(|p| f64::from(*p)));
        if !all.all(|value| (0.0..=1.0).contains(&value)) {
            return Err("a probability or score is not between 0 and 1");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;
    use crate::labelled_pages::Gold;
    use crate::test_pages;

    /// Creates a judged page of two blocks, the first of which is content.
    fn page(set: &str, f1: f64) -> JudgedRow {
        JudgedRow {
            set: set.into(),
            page_type: Some("forum".into()),
            words: vec![30, 10],
            probabilities: vec![1e-9, 0.123_456_79],
            labels: vec![true, false],
            confidence: 0.25,
            scores: Scores { f1, ..Scores::default() },
            ..JudgedRow::default()
        }
    }

    fn judged(pages: Vec<JudgedRow>) -> JudgedSet {
        JudgedSet { model: "fast".into(), pages, ..JudgedSet::default() }
    }

    #[test]
    fn a_file_reads_as_it_was_written() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (dir.path().join("a"), dir.path().join("b"));
        let set = judged(vec![page("s", 0.1), page("t", 0.5)]);
        set.write(&a, File::create(&a).unwrap()).unwrap();
        set.write(&b, File::create(&b).unwrap()).unwrap();
        assert_eq!(std::fs::read(&a).unwrap(), std::fs::read(&b).unwrap());
        let read = JudgedSet::read(&a).unwrap();
        assert_eq!(read, set);
        assert_eq!(read.sets(), ["s", "t"]);
    }

    #[test]
    fn what_cannot_be_is_named_by_its_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.judged");
        let refused = |set: &JudgedSet| {
            set.write(&path, File::create(&path).unwrap()).unwrap();
            JudgedSet::read(&path).unwrap_err().to_string()
        };
        let mut short = page("s", 0.1);
        short.labels.pop();
        let good = page("s", 0.1);
        let error = refused(&judged(vec![good, short]));
        assert!(error.contains("x.judged, line 3: words, prob"), "{error}");
        let error = refused(&judged(vec![page("s", 1.5)]));
        assert!(error.contains("line 2: a probability"), "{error}");
        std::fs::write(&path, "no gzip").unwrap();
        assert!(JudgedSet::read(&path).is_err());
    }

    #[test]
    fn a_row_has_the_words_and_the_oracle_of_its_page() {
        use super::super::block_model::train;
        use crate::train::{Learner, TrainOptions, Weighting};
        use trommel_model::features::FeatureGroup;

        let pages = (0..12).map(|at| {
            test_pages::labelled(
                &format!(
                    "<ul class=menu><li><a href=x>Home</a></ul>\
                     <p class=story>The story {at} has some words, and ends here now</p>"
                ),
                Gold {
                    record_id: format!("r{at}"),
                    id: format!("p{at}"),
                    url: format!("http://h{at}.example/"),
                    gold: Some(format!("The story {at} has some words, and ends here")),
                    gold_comments: Some("late".into()),
                    lang: Some("en".into()),
                    ..Gold::default()
                },
            )
        });
        let set = PageSet { name: "toy".into(), pages: pages.collect() };
        let options = TrainOptions {
            name: "small".into(),
            groups: FeatureGroup::PAPER.to_vec(),
            learner: Learner::Linear,
            weighting: Weighting::Blocks,
            ..test_pages::options()
        };
        let trained = train(std::slice::from_ref(&set), &options).unwrap();
        let judged = JudgedSet::new(std::slice::from_ref(&set), &trained, true);
        assert_eq!((judged.model.as_str(), judged.folds), ("small", 3));
        assert_eq!(judged.pages.len(), 12);
        let first = &judged.pages[0];
        assert_eq!((first.id.as_str(), first.lang.as_deref()), ("p0", Some("en")));
        assert_eq!((&first.words, &first.labels), (&vec![1, 10], &vec![false, true]));
        assert_eq!(first.gold_words, 10);
        // Nine of ten words are gold, and nine of the ten gold words are there.
        assert!((first.oracle_f1 - 0.9).abs() < 1e-12, "{first:?}");
        assert_eq!((first.kept_words, first.scores.f1), (10, first.oracle_f1));
    }
}
