//! Judged pages for tests.

use trommel_learn::{JudgedRow, JudgedSet, Scores};

/// A page of two blocks, 30 and 10 words, of which the first is content.
pub fn page(set: &str, id: &str, page_type: &str, f1: f64, confidence: f32) -> JudgedRow {
    JudgedRow {
        set: set.into(),
        record_id: format!("<{id}>"),
        id: id.into(),
        page_type: Some(page_type.into()),
        words: vec![30, 10],
        probabilities: vec![0.75, 0.25],
        labels: vec![true, false],
        confidence,
        scores: Scores { precision: f1, recall: f1, f1 },
        oracle_f1: 1.0,
        gold_words: 30,
        kept_words: 40,
        ..JudgedRow::default()
    }
}

/// The pages as a model of that name judged them.
pub fn judged(model: &str, pages: Vec<JudgedRow>) -> JudgedSet {
    JudgedSet { model: model.into(), created: "2026-01-31".into(), folds: 5, pages }
}
