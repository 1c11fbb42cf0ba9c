//! Labelled pages and training options for tests.

use trommel_html::{Engine, Limits, Page, ScanEngine};

use crate::labelled_pages::{Gold, LabelledPage};

/// Parses an HTML page into tables of elements and blocks, with default limits.
pub(crate) fn read(html: &str) -> Page {
    ScanEngine.read(html, &Limits::default())
}

/// Creates a labelled page from HTML and a gold object.
pub(crate) fn labelled(html: &str, gold: Gold) -> LabelledPage {
    LabelledPage { gold, page: read(html), html: html.to_owned() }
}

/// Returns options that train an additive model of all features, named `toy`.
#[cfg(feature = "train")]
pub(crate) fn options() -> crate::TrainOptions {
    crate::TrainOptions {
        name: "toy".into(),
        created: "2026-01-01".into(),
        groups: trommel_model::features::FeatureGroup::ALL.to_vec(),
        folds: 3,
        ..crate::TrainOptions::default()
    }
}
