//! Tests `trommel annotate`: tables of annotations, and runs that select records by them.

use std::{fs::File, path::Path};

use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::Row;
use serde_json::{Value, json};

use crate::program::{rows, shared, trommel, workspace};
use crate::sample::{archive_bytes, documents};
use crate::select::{run, same_documents};
#[cfg(feature = "remote")]
use crate::servers::{BreakingServer, ServerBehaviour};
use crate::wacz::{DEFLATED, STORED, zip};

fn table(table: &Path) -> Vec<Row> {
    let reader = SerializedFileReader::new(File::open(table).unwrap()).unwrap();
    reader.get_row_iter(None).unwrap().map(Result::unwrap).collect()
}

fn shown(row: &Row, wanted: &str) -> String {
    let mut columns = row.get_column_iter();
    columns.find(|(name, _)| *name == wanted).unwrap().1.to_string()
}

#[test]
fn every_document_has_a_row_that_finds_it_again() {
    let folder = tempfile::tempdir().unwrap();
    let samples = workspace().join("samples");
    let samples = samples.to_str().unwrap();
    let archive = format!("{samples}/wcxb-sample.warc.gz");
    trommel(folder.path(), &["annotate", &archive, "--base-url", samples, "-o", "a.parquet"], b"").well();
    let documents = documents(&workspace());
    let rows = table(&folder.path().join("a.parquet"));
    assert_eq!(rows.len(), documents.len());
    for (row, document) in rows.iter().zip(&documents) {
        assert_eq!(shown(row, "warc_record_id"), document["id"].to_string());
        assert_eq!(shown(row, "url"), document["url"].to_string());
        assert_eq!(shown(row, "lang"), document["lang"].to_string());
        assert_eq!(shown(row, "page_type"), document["page_type"].to_string());
        assert_eq!(shown(row, "warc_filename"), "\"wcxb-sample.warc.gz\"");
        assert_eq!(shown(row, "warc_record_offset"), document["source"]["offset"].to_string());
        assert_eq!(shown(row, "fetch_status"), document["status"].to_string());
        assert_eq!(shown(row, "chars"), document["text"].as_str().unwrap().chars().count().to_string());
    }
    // A page with links has them counted.
    assert!(rows.iter().filter(|row| shown(row, "links") != "0").count() > 25);

    // The rows are an index.
    let select =
        |more: &[&str]| run(folder.path(), &[&["--select", "a.parquet", "--base-url", samples], more].concat());
    same_documents(&select(&["-o", "-"]), &documents, &archive);
}

#[test]
fn documents_in_containers_are_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let sample = archive_bytes();
    let container = zip(&[
        ("archive/a.warc.gz", STORED, &sample),
        ("archive/b.warc.gz", DEFLATED, &sample),
        ("archive/gone.warc.gz", STORED, &sample),
        ("other", STORED, &vec![7; 3 << 20]),
    ]);
    std::fs::write(folder.path().join("x!1.wacz"), &container).unwrap();
    let chosen =
        |table: &str, more: &[&str]| run(folder.path(), &[&["--select", table, "-o", "-"], more].concat()).rows();
    let all = run(folder.path(), &["x!1.wacz", "-o", "-"]);
    trommel(folder.path(), &["annotate", "x!1.wacz", "-o", "a.parquet"], b"").well();
    let wanted = all.rows();
    assert!(wanted.len() > 6 && wanted[0]["source"]["file"] == "x!1.wacz!archive/a.warc.gz", "{}", wanted[0]["source"]);
    assert_eq!(chosen("a.parquet", &[]), wanted);

    // What is no longer there costs its own rows.
    std::fs::write(folder.path().join("x!1.wacz"), zip(&[("archive/b.warc.gz", DEFLATED, &sample)])).unwrap();
    let ran = run(folder.path(), &["--select", "a.parquet", "-o", "-"]);
    ran.ended(1, "archive/a.warc.gz: is not in the container");
    assert_eq!(ran.text().lines().count() * 3, all.text().lines().count());

    #[cfg(feature = "remote")]
    {
        let behaviour = ServerBehaviour { most: usize::MAX, ranges: true, ..ServerBehaviour::default() };
        let url = BreakingServer::start(container, behaviour).url("x.wacz");
        let all = run(folder.path(), &[&url, "-o", "-"]);
        trommel(folder.path(), &["annotate", &url, "-o", "r.parquet"], b"").well();
        assert_eq!(chosen("r.parquet", &["--set", "select_anywhere=true"]), all.rows());
    }
}

#[test]
fn annotations_of_all_shared_archives_choose_exactly_their_documents() {
    let shared = shared().join("warc");
    let Ok(entries) = shared.read_dir() else {
        println!("skipped: no {}", shared.display());
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let names = entries.map(|entry| entry.unwrap().path().to_str().unwrap().to_owned());
    let mut archives: Vec<String> = names.filter(|name| !name.ends_with(".md")).collect();
    archives.sort();
    let archives: Vec<&str> = archives.iter().map(String::as_str).collect();
    let read = |arguments: &[&str]| -> Vec<String> {
        let ran = run(folder.path(), &[arguments, &["-o", "-"]].concat());
        // Some archives are damaged.
        assert!(ran.code < 2, "{}", ran.stderr);
        let mut found: Vec<String> = ran.text().lines().map(str::to_owned).collect();
        found.sort();
        found
    };
    let all = read(&archives);
    let annotated = trommel(folder.path(), &[&["annotate"], &archives[..], &["-o", "a.parquet"]].concat(), b"");
    assert!(annotated.code < 2, "{}", annotated.stderr);
    assert!(all.len() > 600 && table(&folder.path().join("a.parquet")).len() == all.len());
    // Notes of a record tell of damage beside it, and the encoding that a metadata record of the crawl names is not at
    // hand.
    let known = |lines: &[String]| -> Vec<Value> {
        let documents = rows(&lines.join("\n")).into_iter();
        documents.map(|document| json!([document["id"], document["source"], document["text"]])).collect()
    };
    let select = ["--select", "a.parquet", "--set", "select_anywhere=true"];
    let selected = read(&select);
    assert_eq!(selected.len(), all.len());
    assert!(known(&selected) == known(&all));
}
