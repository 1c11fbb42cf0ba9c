//! Scores the choice of blocks on labelled pages, overall and by page type.
//!
//! The score of an extracted text is precision, recall and F1 of its words as a multiset, as in CETR (Weninger, Hsu
//! and Han, WWW 2010; Peters and Lecocq, WWW 2013, section 4). Of a page without a complete gold, the parts of its
//! main text that are known are required.

use std::{collections::BTreeMap, fmt};

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use trommel_extract::{Extractor, Hints};
use trommel_html::Page;
use trommel_model::JudgedEmbedded;
use trommel_text::words::{Rule, words};

use crate::labelled_pages::{LabelledPage, PageSet};

/// Mean precision, recall and F1 over several pages, with the number of pages.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Mean {
    /// Number of pages over which the scores are averaged.
    pub pages: usize,
    /// Mean precision, recall and F1 over the pages.
    #[serde(flatten)]
    pub scores: Scores,
}

/// Scores of the extracted text on a set of labelled pages: over all pages, by page type and by language.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Name of the page set.
    pub set: String,
    /// Mean scores over the pages that have a complete gold text.
    pub overall: Mean,
    /// Mean scores over the pages whose labels list only some texts to keep or to drop; `None` without such pages.
    pub texts: Option<Mean>,
    /// Number of pages that have no score because their gold has no text.
    pub without_text: usize,
    /// Mean scores by page type, over the pages whose gold names a type.
    pub by_page_type: BTreeMap<String, Mean>,
    /// Mean scores by language, over the pages whose gold names a language.
    pub by_language: BTreeMap<String, Mean>,
}

impl fmt::Display for Report {
    /// Writes the scores as a table: overall, by page type, by language, and over pages with only some known texts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<24} {:>6}  precision  recall      F1", self.set, "pages")?;
        let types = self.by_page_type.iter();
        let types = types.map(|(name, mean)| (format!("  type {name}"), mean));
        let languages = self.by_language.iter();
        let languages = languages.map(|(name, mean)| (format!("  lang {name}"), mean));
        let overall = Some(("overall".to_owned(), &self.overall)).filter(|(_, mean)| mean.pages > 0);
        let texts = self.texts.iter().map(|mean| ("known texts".to_owned(), mean));
        for (name, Mean { pages, scores }) in overall.into_iter().chain(types).chain(languages).chain(texts) {
            writeln!(
                f,
                "{name:<24} {pages:>6}  {:>9.4}  {:>6.4}  {:>6.4}",
                scores.precision, scores.recall, scores.f1
            )?;
        }
        Ok(())
    }
}

/// Options for scoring extracted text against the gold text.
#[derive(Clone, Copy, Debug)]
pub struct EvalOptions {
    /// Rule that divides texts into words.
    pub rule: Rule,
    /// True if the text should contain the readers' comments that the gold holds.
    pub comments: bool,
}

/// Scores the text that `keep` extracts from each page of `set`, and returns a report with the mean scores.
pub fn evaluate(set: &PageSet, keep: impl Fn(&LabelledPage) -> String + Sync, options: &EvalOptions) -> Report {
    let of_whole = |page: &LabelledPage| {
        page.gold.gold.as_ref()?;
        Some(Scores::of(&keep(page), &page.gold.text(options.comments), options.rule))
    };
    let of_texts = |page: &LabelledPage| {
        let (with, text) = (page.gold.required()?, keep(page));
        Some(Scores::of_texts(Required::of(with, &text), Required::of(&page.gold.without, &text)))
    };
    let scores: Vec<(&LabelledPage, Scores)> =
        set.pages.par_iter().filter_map(|page| Some((page, of_whole(page)?))).collect();
    let texts: Vec<Scores> = set.pages.par_iter().filter_map(of_texts).collect();
    let by = |key: fn(&LabelledPage) -> Option<&String>| {
        let mut groups: BTreeMap<String, Vec<&Scores>> = BTreeMap::new();
        for (page, score) in &scores {
            if let Some(key) = key(page) {
                groups.entry(key.clone()).or_default().push(score);
            }
        }
        groups.into_iter().map(|(key, scores)| (key, mean(scores))).collect()
    };
    Report {
        set: set.name.clone(),
        overall: mean(scores.iter().map(|(_, score)| score).collect()),
        texts: (!texts.is_empty()).then(|| mean(texts.iter().collect())),
        without_text: set.pages.len() - scores.len() - texts.len(),
        by_page_type: by(|page| page.gold.page_type.as_ref()),
        by_language: by(|page| page.gold.lang.as_ref()),
    }
}

fn mean(scores: Vec<&Scores>) -> Mean {
    Mean { pages: scores.len(), scores: Scores::mean(scores.iter().copied()) }
}

/// Returns the text that `extractor` extracts from a labelled page, with all rules of extraction applied.
pub fn text_by(extractor: &Extractor, page: &LabelledPage) -> String {
    // The decoded page is UTF-8, whatever it says of itself.
    let hints = Hints { url: page.gold.address(), http_charset: Some("utf-8"), ..Hints::default() };
    extractor.extract(page.html.as_bytes(), &hints).text()
}

/// Returns the main text of a page: the blocks marked in `keep` and the kept texts of its JSON-LD, one per line.
pub fn kept_text(page: &Page, keep: &[bool], embedded: &[JudgedEmbedded]) -> String {
    let blocks = page.blocks.iter().zip(keep).filter(|(_, kept)| **kept);
    let embedded = embedded.iter().filter(|embedded| embedded.kept);
    blocks
        .map(|(block, _)| page.text(block))
        .chain(embedded.map(|embedded| embedded.embedded.content.text.as_str()))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Scores of an extracted text against the gold text: precision, recall and F1, each from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// Share of the extracted words that are in the gold text (0 to 1).
    pub precision: f64,
    /// Share of the gold words that were extracted (0 to 1).
    pub recall: f64,
    /// Harmonic mean of precision and recall (0 to 1).
    pub f1: f64,
}

impl Scores {
    /// Scores the words of `extracted` against those of `gold`, ignoring case and counting every occurrence. Two texts
    /// without words score 1; if only one text has words, all scores are 0.
    pub fn of(extracted: &str, gold: &str, rule: Rule) -> Self {
        let mut counts: FxHashMap<&str, i64> = FxHashMap::default();
        let (extracted, gold) = (extracted.to_lowercase(), gold.to_lowercase());
        let mut gold_words = 0u64;
        for word in words(&gold, rule) {
            *counts.entry(word).or_default() += 1;
            gold_words += 1;
        }
        let (mut hits, mut extracted_words) = (0u64, 0u64);
        for word in words(&extracted, rule) {
            extracted_words += 1;
            if let Some(left) = counts.get_mut(word).filter(|left| **left > 0) {
                *left -= 1;
                hits += 1;
            }
        }
        Self::from_counts(hits, extracted_words, gold_words)
    }

    /// Scores a text by listed texts: precision falls with forbidden ones (`without`) in it, recall with missing ones
    /// of `with`.
    pub fn of_texts(with: Required, without: Required) -> Self {
        Self::from_counts(with.kept.into(), (with.kept + without.kept).into(), with.all.into())
    }

    fn from_counts(hits: u64, extracted: u64, gold: u64) -> Self {
        if extracted == 0 && gold == 0 {
            return Self { precision: 1.0, recall: 1.0, f1: 1.0 };
        }
        if hits == 0 {
            return Self::default();
        }
        let precision = hits as f64 / extracted as f64;
        let recall = hits as f64 / gold as f64;
        Self { precision, recall, f1: 2.0 * precision * recall / (precision + recall) }
    }

    /// Returns the means of precision, of recall and of F1 over `scores`; all three are 0 if `scores` is empty.
    pub fn mean<'a>(scores: impl IntoIterator<Item = &'a Scores>) -> Self {
        let mut sum = Self::default();
        let mut count = 0u32;
        for score in scores {
            sum.precision += score.precision;
            sum.recall += score.recall;
            sum.f1 += score.f1;
            count += 1;
        }
        let count = f64::from(count.max(1));
        Self { precision: sum.precision / count, recall: sum.recall / count, f1: sum.f1 / count }
    }
}

/// Counts of the texts that a page's labels require (or forbid), and of those among them that the extracted text has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Required {
    /// Number of texts that the page's labels require (or forbid).
    pub all: u32,
    /// Number of required (or forbidden) texts that the extracted text contains.
    pub kept: u32,
}

impl Required {
    /// Counts the required (or forbidden) `texts`, and those in the extracted text `kept`. Case, punctuation and line
    /// breaks do not matter.
    pub fn of(texts: &[String], kept: &str) -> Self {
        let kept = plain(kept);
        let has = |text: &&String| kept.contains(&plain(text));
        Self { all: texts.len() as u32, kept: texts.iter().filter(has).count() as u32 }
    }

    /// Returns whether the extracted text contains all of the required (or forbidden) texts.
    pub fn is_whole(&self) -> bool {
        self.kept == self.all
    }
}

/// Returns the words of `text` (letters, digits and `_`) in lower case, with one space before and after each word.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len() + 2);
    plain.push(' ');
    for c in text.chars() {
        if c.is_alphanumeric() || c == '_' {
            plain.extend(c.to_lowercase());
        } else if !plain.ends_with(' ') {
            plain.push(' ');
        }
    }
    if !plain.ends_with(' ') {
        plain.push(' ');
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labelled_pages::Gold;
    use crate::test_pages;

    #[test]
    fn pages_of_which_texts_are_known_are_scored_by_them() {
        let page = |gold: Option<&str>, with: &[&str], without: &[&str]| {
            let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
            let gold = gold.map(str::to_owned);
            let gold = Gold { gold, with: texts(with), without: texts(without), ..Gold::default() };
            test_pages::labelled("<p>one two<p>menu", gold)
        };
        let pages =
            vec![page(Some("one two menu"), &[], &[]), page(None, &["two", "three"], &["menu"]), page(None, &[], &[])];
        let set = PageSet { name: "toy".into(), pages };
        let all = |page: &LabelledPage| kept_text(&page.page, &[true, true], &[]);
        let report = evaluate(&set, all, &EvalOptions { rule: Rule::Characters, comments: false });
        assert_eq!((report.overall.pages, report.overall.scores.f1), (1, 1.0));
        let texts = report.texts.unwrap();
        assert_eq!((texts.pages, texts.scores.precision, texts.scores.recall), (1, 0.5, 0.5));
        assert_eq!(report.without_text, 1);
        let table = report.to_string();
        let last: Vec<&str> = table.lines().last().unwrap().split_whitespace().collect();
        assert_eq!(last, ["known", "texts", "1", "0.5000", "0.5000", "0.5000"]);
    }

    #[test]
    fn pages_are_scored_and_grouped() {
        let page = |html: &str, gold: &str, page_type: &str| {
            let (gold, comments, page_type) = (Some(gold.into()), Some("late".into()), Some(page_type.into()));
            test_pages::labelled(html, Gold { gold, gold_comments: comments, page_type, ..Gold::default() })
        };
        let set = PageSet {
            name: "toy".into(),
            pages: vec![
                page("<p>one two</p><p>menu</p>", "one two", "article"),
                page("<p>three</p><p>late</p>", "three", "forum"),
            ],
        };
        let first = |page: &LabelledPage| kept_text(&page.page, &[true], &[]);
        let mut options = EvalOptions { rule: Rule::Characters, comments: false };
        let report = evaluate(&set, first, &options);
        assert_eq!((report.overall.pages, report.overall.scores.f1), (2, 1.0));
        options.comments = true;
        let report = evaluate(&set, first, &options);
        assert_eq!(report.by_page_type["article"].scores.recall, 2.0 / 3.0);
        assert_eq!(report.by_page_type["forum"].scores.recall, 0.5);
        assert!(report.by_language.is_empty());
        let table = report.to_string();
        let rows: Vec<Vec<&str>> = table.lines().map(|row| row.split_whitespace().collect()).collect();
        assert_eq!(rows[0], ["toy", "pages", "precision", "recall", "F1"]);
        assert_eq!(rows[1], ["overall", "2", "1.0000", "0.5833", "0.7333"]);
        assert_eq!(rows[3], ["type", "forum", "1", "1.0000", "0.5000", "0.6667"]);
        assert_eq!(rows.len(), 4);
    }

    #[test]
    fn words_count_as_a_multiset() {
        let scores = Scores::of("The cat the hat", "the Cat sat on the mat", Rule::Characters);
        assert_eq!((scores.precision, scores.recall), (0.75, 0.5));
        assert!((scores.f1 - 0.6).abs() < 1e-12);
    }

    #[test]
    fn han_counts_by_character_unless_strict() {
        assert_eq!(Scores::of("我在湖南", "我在张家界", Rule::Characters).precision, 0.5);
        assert_eq!(Scores::of("我在湖南", "我在张家界", Rule::Strict).f1, 0.0);
    }

    #[test]
    fn empty_texts() {
        assert_eq!(Scores::of(" ", "", Rule::Characters).f1, 1.0);
        assert_eq!(Scores::of("a", "", Rule::Characters), Scores::default());
        assert_eq!(Scores::of("", "a", Rule::Characters), Scores::default());
    }

    #[test]
    fn texts_that_must_not_be_kept_cost_precision() {
        let of = |kept, all| Required { kept, all };
        let scores = Scores::of_texts(of(3, 4), of(1, 9));
        assert_eq!((scores.precision, scores.recall, scores.f1), (0.75, 0.75, 0.75));
        assert_eq!(Scores::of_texts(of(0, 4), of(0, 9)), Scores::default());
    }

    #[test]
    fn texts_are_found_by_their_words() {
        let texts = ["2 cups flour", "Salt", "Bake."].map(str::to_owned);
        let found = Required::of(&texts, "- 2 cups (flour)\n- salted nuts\nBAKE it");
        assert_eq!(found, Required { all: 3, kept: 2 });
        assert!(!found.is_whole());
        assert!(Required::of(&[], "").is_whole());
    }
}
