//! Time of every method on synthetic pages of growing size, so that growth faster than the page is
//! seen. Learning methods are fitted on the pages of the sample archive.

// A benchmark that cannot read its sample has nothing better to do than to stop.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::path::Path;
use std::sync::LazyLock;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use trommel_html::Page;
use trommel_lab::methods::{Method, all};
use trommel_lab::results::{GROWTH_BLOCKS, PageShape, synthetic};
use trommel_learn::{LABEL_SHARE, read_set};

/// Every method, ready to extract.
static METHODS: LazyLock<Vec<Box<dyn Method>>> = LazyLock::new(|| {
    let samples = Path::new("../samples");
    let set = read_set(&samples.join("wcxb-sample.warc.gz"), &samples.join("wcxb-sample.gold.jsonl.gz")).unwrap();
    let labels = set.labels(true, LABEL_SHARE);
    let examples = set.examples(&labels);
    let mut methods = all();
    for method in methods.iter_mut().filter(|method| method.about().learns) {
        method.fit(&examples).unwrap();
    }
    methods
});

static PAGES: LazyLock<HashMap<usize, Vec<(Page, String)>>> = LazyLock::new(|| {
    let pages = |blocks| PageShape::ALL.map(|shape| synthetic(shape, blocks)).into();
    GROWTH_BLOCKS.map(|blocks| (blocks, pages(blocks))).into()
});

fn names() -> impl Iterator<Item = &'static str> {
    all().into_iter().map(|method| method.about().name)
}

/// One page of each shape in turn: the time is that of three pages.
#[divan::bench(args = names(), consts = GROWTH_BLOCKS, sample_count = 3, sample_size = 1)]
fn extract<const BLOCKS: usize>(bencher: Bencher, name: &str) {
    let method = METHODS.iter().find(|method| method.about().name == name).unwrap();
    let pages = &PAGES[&BLOCKS];
    bencher.counter(ItemsCount::new(BLOCKS * pages.len())).bench_local(|| {
        for (page, html) in pages {
            black_box(method.extract_from(black_box(page), html).unwrap());
        }
    });
}

fn main() {
    divan::main();
}
