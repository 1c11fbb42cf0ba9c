//! Tests the whole extractor, features and model included, on hostile pages.

#[path = "../../../tests/hostile.rs"]
mod hostile;

use std::sync::Arc;

use hostile::{AFTER, BEFORE, SHAPES};
use trommel_model::Model;

use crate::{DocumentOptions, Extractor, Hints};

#[test]
fn every_hostile_page_gives_a_document_with_its_text() {
    let name = Model::builtin_names().next().unwrap();
    let extractor = Extractor::new(Arc::new(Model::builtin(name).unwrap()));
    for shape in SHAPES {
        let page = (shape.page)((shape.size / 100).max(1000));
        let options = DocumentOptions::default().with_blocks(true);
        let document = extractor.extract(&page, &Hints::default()).document(&options);
        let texts = document.blocks.iter().map(|block| block.text.as_str());
        let found: String = texts.flat_map(|text| [text, "\n"]).collect();
        for wanted in [BEFORE, AFTER].iter().chain(shape.texts) {
            assert!(found.contains(wanted), "{}: {wanted}", shape.name);
        }
    }
}
