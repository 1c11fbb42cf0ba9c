//! Tests that the extracted text does not join two words that are separate in the gold.

use std::collections::HashSet;
use std::{path::Path, sync::Arc};

use trommel::extract::Extractor;
use trommel::learn::{LabelledPage, read_set};
use trommel::{Hints, Model};

use crate::program::{shared, workspace};

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Returns the first word of the text that joins two consecutive words of the gold, and is itself neither in the gold
/// nor in the page.
fn glued(page: &LabelledPage, text: &str) -> Option<String> {
    let gold = page.gold.text(false);
    let known: HashSet<&str> = words(&gold).collect();
    let pairs: HashSet<(&str, &str)> = words(&gold).zip(words(&gold).skip(1)).collect();
    let is_glued = |word: &&str| {
        let mut cuts = word.char_indices().map(|(at, _)| word.split_at(at));
        !known.contains(word) && cuts.any(|cut| pairs.contains(&cut)) && !page.html.contains(*word)
    };
    words(text).find(is_glued).map(str::to_owned)
}

fn share_of_pages(pages: &Path, gold: &Path, kind: Option<&str>) -> f64 {
    let extractor = Extractor::new(Arc::new(Model::builtin("fast").unwrap()));
    let (mut count, mut found) = (0, Vec::new());
    for page in read_set(pages, gold).unwrap().pages {
        if kind.is_some() && page.gold.page_type.as_deref() != kind {
            continue;
        }
        count += 1;
        let hints = Hints { url: page.gold.address(), http_charset: Some("utf-8"), ..Hints::default() };
        found.extend(glued(&page, &extractor.extract(page.html.as_bytes(), &hints).text()));
    }
    assert!(count > 0);
    println!("{} of {count}: {found:?}", found.len());
    found.len() as f64 / f64::from(count)
}

#[test]
fn words_of_neighbouring_parts_are_not_glued() {
    let samples = workspace().join("samples");
    let share = share_of_pages(&samples.join("wcxb-sample.warc.gz"), &samples.join("wcxb-sample.gold.jsonl.gz"), None);
    assert!(share <= 0.05, "{share}");
    let shared = shared().join("data");
    let pages = shared.join("wcxb-dev.warc.gz");
    if !pages.exists() {
        println!("skipped: no {}", pages.display());
        return;
    }
    let share = share_of_pages(&pages, &shared.join("wcxb-dev.gold.jsonl.gz"), Some("collection"));
    assert!(share <= 0.07, "{share}");
}
