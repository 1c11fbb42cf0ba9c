//! Labelled pages and training options for tests.

use trommel_html::{Engine, Limits, Page, ScanEngine};

use crate::labelled_pages::{Gold, LabelledPage};

/// The tables of a page.
pub(crate) fn read(html: &str) -> Page {
    ScanEngine.read(html, &Limits::default())
}

/// A page with its gold.
pub(crate) fn labelled(html: &str, gold: Gold) -> LabelledPage {
    LabelledPage { gold, page: read(html), html: html.to_owned() }
}

/// Options under which an additive model of all features is trained, named `toy`.
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
