//! Does extraction help an index? Known-item search over the pages of labelled sets, by their titles and
//! by words of their gold.

mod queries;

use std::{
    collections::{HashMap, HashSet},
    fs,
    path::Path,
    sync::Arc,
    time::Instant,
};

use anyhow::{Context, Result};
use serde::Deserialize;
use trommel::index::{Index, IndexWriter};
use trommel_archive::{PayloadOptions, ReadOptions, Reader, payload};
use trommel_extract::{DocumentOptions, Extractor, Hints};
use trommel_learn::numbered_lines;
use trommel_model::Model;
use trommel_record::Document;

use queries::{Query, by_title, by_words, terms};

/// Documents looked at for each query.
const DEPTH: usize = 10;
/// Indexed forms of a page, in the order of [`Item::forms`].
const FORMS: [&str; 5] =
    ["all text and `<title>`, one field", "all text, `<title>` as title", "`fast`", "`best`", "gold"];
/// The form that others are compared with: the same fields.
const WHOLE: usize = 1;

/// Known facts of a page.
#[derive(Deserialize)]
struct Gold {
    record_id: String,
    #[serde(default)]
    gold: Option<String>,
    #[serde(default)]
    title: Option<String>,
}

/// A page.
struct Item {
    id: String,
    /// That of the gold, else the one that is read off the page.
    title: String,
    gold: String,
    forms: [Form; FORMS.len()],
}

/// An indexed form of a page.
struct Form {
    title: Option<String>,
    headings: Vec<String>,
    text: String,
}

/// Reads the sets of `data` (`SET.warc.gz` with `SET.gold.jsonl.gz`), indexes each page in every form and
/// looks for it; gives the table of docs/decisions/index-and-search.md.
///
/// # Errors
/// If a set cannot be read or an index cannot be written.
pub fn run(data: &Path, sets: &[String]) -> Result<String> {
    let model = |name| Model::builtin(name).context("no such model");
    let models = [model("fast")?, model("lite")?];
    let extractors = models.map(|model| Extractor::new(Arc::new(model)));
    let mut items = Vec::new();
    for set in sets {
        read(data, set, &extractors, &mut items)?;
    }
    let (titles, words) = (by_title(&items), by_words(&items));
    let mut out = format!(
        "{} pages, {} titles, {} times five words\n\n\
         | query | indexed | MRR@10 | success@1 | success@10 | index MB | of all text | query ms, median | 95 % |\n\
         |---|---|---:|---:|---:|---:|---:|---:|---:|\n",
        items.len(),
        titles.len(),
        words.len()
    );
    for (name, queries, with_title) in [
        ("title", &titles, true),
        ("title, left out of the index", &titles, false),
        ("five words of the gold", &words, true),
    ] {
        let mut rows = Vec::new();
        for form in 0..FORMS.len() {
            let folder = tempfile::tempdir()?;
            let size = index(folder.path(), &items, form, with_title)?;
            rows.push((size, score(&Index::open(folder.path())?, queries)?));
        }
        let whole = rows.get(WHOLE).map_or(1.0, |(size, _)| *size);
        for ((size, scores), form) in rows.into_iter().zip(FORMS) {
            out.push_str(&format!(
                "| {name} | {form} | {:.3} | {:.3} | {:.3} | {:.1} | {:.0} % | {:.1} | {:.1} |\n",
                scores.reciprocal,
                scores.first,
                scores.found,
                size / 1e6,
                100.0 * size / whole,
                scores.median,
                scores.slow,
            ));
        }
    }
    Ok(out)
}

fn read(data: &Path, set: &str, extractors: &[Extractor; 2], items: &mut Vec<Item>) -> Result<()> {
    let mut golds = HashMap::new();
    for (_, line) in numbered_lines(&data.join(format!("{set}.gold.jsonl.gz")))? {
        let gold: Gold = serde_json::from_str(&line?)?;
        golds.insert(gold.record_id.trim_matches(['<', '>']).to_owned(), gold);
    }
    let archive = data.join(format!("{set}.warc.gz"));
    for record in Reader::open(&archive, ReadOptions::default())? {
        let record = record?;
        let id = record.id().unwrap_or_default().to_owned();
        let Some(gold) = golds.remove(&id) else {
            continue;
        };
        let page = payload(&record, &PayloadOptions::default())?;
        let hints = Hints { url: record.url(), http_charset: page.charset(), crawl_charset: None, date: record.date() };
        let [fast, best] = extractors.each_ref().map(|e| e.extract(&page.body, &hints));
        let blocks: Vec<String> = fast.blocks().map(|block| block.text).collect();
        let (all, stated) = (blocks.join("\n"), &fast.page().head.title);
        let plain =
            |title: Option<&str>, text: String| Form { title: title.map(str::to_owned), headings: Vec::new(), text };
        let [fast, best] = [&fast, &best].map(|page| page.document(&DocumentOptions::default()));
        let text = gold.gold.unwrap_or_default();
        let forms = [
            plain(None, format!("{stated}\n{all}")),
            plain(Some(stated), all),
            product(&fast),
            product(&best),
            plain(gold.title.as_deref(), text.clone()),
        ];
        items.push(Item { id, title: gold.title.or(fast.title).unwrap_or_default(), gold: text, forms });
    }
    Ok(())
}

/// The form of a document in `trommel index`.
fn product(document: &trommel_extract::Document) -> Form {
    Form { title: document.title.clone(), headings: document.headings.clone(), text: document.text.clone() }
}

/// Makes an index of one form of each page, without what is its title if not `with_title`; gives its
/// bytes.
fn index(folder: &Path, items: &[Item], form: usize, with_title: bool) -> Result<f64> {
    let mut writer = IndexWriter::in_order(folder, 1 << 30)?;
    for item in items {
        let Some(form) = item.forms.get(form) else {
            continue;
        };
        let title = terms(&item.title);
        let stated = item.forms.get(WHOLE).and_then(|form| form.title.as_deref());
        let stated = terms(stated.unwrap_or_default());
        let stays = |line: &str| {
            let line = terms(line);
            with_title || (line != title && line != stated)
        };
        let lines = form.text.lines().filter(|line| stays(line));
        writer.add(&Document {
            id: item.id.clone(),
            title: form.title.clone().filter(|_| with_title),
            headings: form.headings.iter().filter(|line| stays(line)).cloned().collect(),
            text: lines.collect::<Vec<_>>().join("\n"),
            ..Document::default()
        })?;
    }
    writer.commit_merged()?;
    let mut size = 0;
    for entry in fs::read_dir(folder)? {
        size += entry?.metadata()?.len();
    }
    Ok(size as f64)
}

#[derive(Default)]
struct Scores {
    reciprocal: f64,
    first: f64,
    found: f64,
    median: f64,
    slow: f64,
}

fn score(index: &Index, queries: &[Query<'_>]) -> Result<Scores> {
    let mut scores = Scores::default();
    let mut times = Vec::new();
    let share = 1.0 / queries.len() as f64;
    for Query { id, typed } in queries {
        let start = Instant::now();
        let hits = index.search(typed, DEPTH)?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
        let ids: HashSet<&str> = hits.iter().map(|hit| hit.document.id.as_str()).collect();
        anyhow::ensure!(ids.len() == hits.len(), "a document was found twice");
        if let Some(at) = hits.iter().position(|hit| hit.document.id == *id) {
            scores.reciprocal += share / (at + 1) as f64;
            scores.first += if at == 0 { share } else { 0.0 };
            scores.found += share;
        }
    }
    times.sort_by(f64::total_cmp);
    let quantile = |q: f64| times.get((q * times.len() as f64) as usize).copied();
    scores.median = quantile(0.5).unwrap_or_default();
    scores.slow = quantile(0.95).unwrap_or_default();
    Ok(scores)
}
