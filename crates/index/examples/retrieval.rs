//! Does extraction help an index? Known-item search: each page is looked for by its own title, which is
//! not a field of the index here, among all pages of the sets. Prints the tables of docs/index.md:
//! `retrieval DATA SET...`, where DATA holds `SET.warc.gz` and `SET.gold.jsonl.gz`.

use std::{
    collections::{HashMap, HashSet},
    env,
    fs::{self, File},
    io::{BufRead, BufReader},
    path::Path,
    sync::Arc,
    time::Instant,
};

use anyhow::{Context, Result, bail};
use flate2::bufread::MultiGzDecoder;
use serde::Deserialize;
use tantivy::tokenizer::{TokenStream, Tokenizer};
use trommel::{Extractor, Hints};
use trommel_archive::{PayloadOptions, ReadOptions, Reader, payload};
use trommel_index::{Index, IndexWriter, ScriptTokenizer};
use trommel_model::Model;
use trommel_sinks::Stored;

/// Documents looked at for each query.
const DEPTH: usize = 10;
/// Names of what is indexed of a page, in the order of [`Item::texts`].
const FORMS: [&str; 4] = ["all text", "`fast`", "`best`", "gold"];

/// What is known of a page.
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
    title: String,
    texts: [String; FORMS.len()],
}

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [data, sets @ ..] = arguments.as_slice() else {
        bail!("usage: retrieval DATA SET...");
    };
    let model = |name| Model::builtin(name).context("no such model");
    let models = [model("fast")?, model("best")?];
    let extractors = models.map(|model| Extractor::new(Arc::new(model)));
    let mut items = Vec::new();
    for set in sets {
        read(Path::new(data), set, &extractors, &mut items)?;
    }
    let queries = queries(&items);
    println!("{} pages, {} queries\n", items.len(), queries.len());
    println!(
        "| indexed | headline | MRR@10 | success@1 | success@10 | index MB | of all text | query ms, median | 95 % |"
    );
    println!("|---|---|---:|---:|---:|---:|---:|---:|---:|");
    for headline in [true, false] {
        let mut whole = None;
        for (form, name) in FORMS.iter().enumerate() {
            let folder = tempfile::tempdir()?;
            let size = index(folder.path(), &items, form, headline)?;
            let scores = score(&Index::open(folder.path())?, &queries)?;
            println!(
                "| {name} | {} | {:.3} | {:.3} | {:.3} | {:.1} | {:.0} % | {:.1} | {:.1} |",
                if headline { "as it stands" } else { "left out" },
                scores.reciprocal,
                scores.first,
                scores.found,
                size / 1e6,
                100.0 * size / *whole.get_or_insert(size),
                scores.median,
                scores.slow,
            );
        }
    }
    Ok(())
}

fn read(data: &Path, set: &str, extractors: &[Extractor; 2], items: &mut Vec<Item>) -> Result<()> {
    let file = File::open(data.join(format!("{set}.gold.jsonl.gz")))?;
    let mut golds = HashMap::new();
    for line in BufReader::new(MultiGzDecoder::new(BufReader::new(file))).lines() {
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
        let hints = Hints {
            url: record.url(),
            http_charset: page.charset(),
            crawl_charset: None,
            date: record.date(),
        };
        let [fast, best] = extractors.each_ref().map(|e| e.extract(&page.body, &hints));
        let blocks: Vec<&str> = fast
            .blocks
            .iter()
            .map(|block| block.text.as_str())
            .collect();
        let title = gold.title.or(fast.title).unwrap_or_default();
        items.push(Item {
            id,
            title,
            texts: [
                blocks.join("\n"),
                fast.text,
                best.text,
                gold.gold.unwrap_or_default(),
            ],
        });
    }
    Ok(())
}

/// Id and title of every page that has content and whose title has two words or more and is that of no
/// other page.
fn queries(items: &[Item]) -> Vec<(&str, String)> {
    let mut count: HashMap<Vec<String>, usize> = HashMap::new();
    for item in items {
        *count.entry(terms(&item.title)).or_default() += 1;
    }
    items
        .iter()
        .filter(|item| item.texts.last().is_some_and(|gold| !gold.is_empty()))
        .filter_map(|item| {
            let terms = terms(&item.title);
            let unique = terms.len() > 1 && count.get(&terms) == Some(&1);
            // Signs of the query language are no words, so nothing is lost with them.
            let plain = |c: char| if matches!(c, '"' | '+' | '-') { ' ' } else { c };
            unique.then(|| (item.id.as_str(), item.title.chars().map(plain).collect()))
        })
        .collect()
}

fn terms(text: &str) -> Vec<String> {
    let mut tokenizer = ScriptTokenizer;
    let mut stream = tokenizer.token_stream(text);
    let mut terms = Vec::new();
    stream.process(&mut |token| terms.push(token.text.clone()));
    terms
}

/// Makes an index of one form of each page; gives its bytes.
fn index(folder: &Path, items: &[Item], form: usize, headline: bool) -> Result<f64> {
    let mut writer = IndexWriter::in_order(folder, 1 << 30)?;
    for item in items {
        let text = item.texts.get(form).map_or("", String::as_str);
        let text = if headline {
            text.to_owned()
        } else {
            let title = terms(&item.title);
            let lines = text.lines().filter(|line| terms(line) != title);
            lines.collect::<Vec<_>>().join("\n")
        };
        writer.add(&Stored {
            id: item.id.clone(),
            text,
            ..Stored::default()
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

fn score(index: &Index, queries: &[(&str, String)]) -> Result<Scores> {
    let mut scores = Scores::default();
    let mut times = Vec::new();
    let share = 1.0 / queries.len() as f64;
    for (id, query) in queries {
        let start = Instant::now();
        let hits = index.search(query, DEPTH)?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
        let ids: HashSet<&str> = hits.iter().map(|hit| hit.id.as_str()).collect();
        assert_eq!(ids.len(), hits.len(), "a document was found twice");
        if let Some(at) = hits.iter().position(|hit| hit.id == *id) {
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
