//! Measures hostile pages at doubling sizes, from bytes to document. Constant throughput in a row means linear time.

// A benchmark without its model has nothing better to do than to stop.
#![allow(clippy::unwrap_used)]

// Not all that is known of a page is asked for here.
#[allow(dead_code)]
#[path = "../../../tests/hostile.rs"]
mod hostile;

use std::sync::{Arc, LazyLock};

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use hostile::SHAPES;
use trommel_extract::{DocumentOptions, Extractor, Hints};
use trommel_model::Model;

static EXTRACTOR: LazyLock<Extractor> = LazyLock::new(|| {
    let model = Model::builtin_names().next().and_then(Model::builtin);
    Extractor::new(Arc::new(model.unwrap()))
});

fn names() -> impl Iterator<Item = &'static str> {
    SHAPES.iter().map(|shape| shape.name)
}

/// A page of the full size divided by `PARTS`.
#[divan::bench(args = names(), consts = [64, 32, 16, 8], sample_count = 3, sample_size = 1)]
fn one_in<const PARTS: usize>(bencher: Bencher, name: &str) {
    let shape = SHAPES.iter().find(|shape| shape.name == name).unwrap();
    let page = (shape.page)(shape.size / PARTS);
    let options = DocumentOptions::default().with_blocks(true);
    bencher.counter(BytesCount::new(page.len())).bench_local(|| {
        let extraction = EXTRACTOR.extract(black_box(&page), &Hints::default());
        black_box(extraction.document(&options))
    });
}

fn main() {
    divan::main();
}
