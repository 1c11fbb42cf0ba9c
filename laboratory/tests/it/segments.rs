//! `trommel-lab segments` and `trommel-lab rendered`, on the small pages that are laid out in the tree.

use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::program::lab;

const PAGES: [&str; 3] = ["columns.html", "rules.html", "table.html"];

/// Marks that a person might make: the blocks that VIPS finds on the first page, the recipes of the second, one block
/// of the third that is not there.
const MARKS: [&[&str]; 3] = [
    &["/html/body/div[1]", "/html/body/div[2]", "/html/body/div[3]", "/html/body/div[4]", "/html/body/div[6]"],
    &["/html/body"],
    &["/html/body/div"],
];

/// The folder of the layouts; absolute, since the program runs in another folder.
fn folder() -> PathBuf {
    std::path::absolute("layouts").unwrap()
}

fn gzip(path: &Path, text: &[u8]) {
    let mut out = GzEncoder::new(std::fs::File::create(path).unwrap(), Compression::fast());
    out.write_all(text).unwrap();
    out.finish().unwrap();
}

/// `own.warc.gz` with the pages, and `own.gold.jsonl.gz` with one line for each.
fn archive(out: &Path, gold: impl Fn(usize, &str) -> String) {
    let (mut warc, mut golds) = (Vec::new(), String::new());
    for (at, name) in PAGES.iter().enumerate() {
        let body = std::fs::read(folder().join(name)).unwrap();
        let http = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n";
        write!(
            warc,
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <{name}>\r\nWARC-Date: 2014-02-09T00:00:00Z\r\n\
             WARC-Target-URI: http://own.local/{name}/{name}\r\n\
             Content-Type: application/http;msgtype=response\r\nContent-Length: {}\r\n\r\n{http}",
            http.len() + body.len()
        )
        .unwrap();
        warc.extend_from_slice(&body);
        warc.extend_from_slice(b"\r\n\r\n");
        golds.push_str(&gold(at, name));
        golds.push('\n');
    }
    gzip(&out.join("own.warc.gz"), &warc);
    gzip(&out.join("own.gold.jsonl.gz"), golds.as_bytes());
}

fn marks(at: usize, name: &str) -> String {
    let blocks: Vec<serde_json::Value> = MARKS[at]
        .iter()
        .map(|xpath| serde_json::json!({"xpath": xpath, "level": 1, "type": "Article", "text": ""}))
        .collect();
    let url = format!("http://own.local/{name}/{name}");
    serde_json::json!({"record_id": name, "url": url, "set": "own", "blocks": blocks}).to_string()
}

#[test]
fn segmentations_are_scored_on_marked_blocks() {
    let out = tempfile::tempdir().unwrap();
    archive(out.path(), marks);
    let layouts = folder().join("own.layout.jsonl.gz");
    let arguments = ["segments", "--pages", "own.warc.gz", "--layouts", layouts.to_str().unwrap()];
    let ran = lab(out.path(), &arguments, b"");
    let text = ran.well();
    // Precision, recall and F of each page: 1, 1, 1 on the first; of the second three blocks and the marked whole
    // is none of them; nothing to be found on the third.
    let row = "| VIPS, permitted degree 7 | .333 | .333 | .333 | .333 | .333 | .333 | .333 | 3.0 |";
    assert_eq!(text.matches(row).count(), 2, "{text}");
    // The whole of the second page is one block at the lowest degree.
    assert!(text.contains("| VIPS, permitted degree 4 | .333 | .333 | .333 |"), "{text}");
    assert!(text.contains("| ours, learned with layout | "), "{text}");
    assert!(text.contains("3 pages, 2.3 marked blocks a page, 1 of all without a box.\n"), "{text}");
    // Two pages have marked articles.
    let (_, classes) = text.split_once("Classes of blocks\n").unwrap();
    let row = |class: &str| {
        let row = classes.lines().find(|row| row.starts_with(&format!("| {class} |"))).unwrap();
        row.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>()
    };
    let articles = row("articles");
    assert_eq!(articles[2..4], ["2", "190"]);
    // Figures of the shipped model: most words of the marked articles, and little else. The next model has others.
    let share = |at: usize| articles[at].parse::<f64>().unwrap();
    let (precision, recall, f1) = (share(4), share(5), share(6));
    assert!((0.6..0.9).contains(&precision), "{articles:?}");
    assert!((0.8..0.95).contains(&recall), "{articles:?}");
    assert!(f1 > precision && f1 < recall, "{articles:?}");
    assert_eq!(row("menus")[2..4], ["0", "0"]);
}

#[test]
fn content_over_visual_blocks_is_scored() {
    let out = tempfile::tempdir().unwrap();
    let golds = [
        "For ninety years the ferry carried carts, cattle and people from one bank to the other.",
        "Toast a cup of oats, add a quart of stock and a leek, and simmer for twenty minutes.",
        "Fourteen players sat down on the second of January.",
    ];
    archive(out.path(), |at, name| {
        let url = format!("http://{name}/");
        serde_json::json!({"record_id": name, "url": url, "gold": golds[at]}).to_string()
    });
    let layouts = folder().join("own.layout.jsonl.gz");
    let arguments = ["rendered", "--pages", "own.warc.gz", "--layouts", layouts.to_str().unwrap()];
    let ran = lab(out.path(), &arguments, b"");
    let text = ran.well();
    assert!(text.starts_with("| word F1 | own (3) | all (3) |\n"), "{text}");
    for row in [
        "| all-text | .299 | .299 |",
        "| VIPS, content over visual blocks | .326 | .326 |",
        "| trained here, with layout | .",
    ] {
        assert!(text.contains(row), "{text}");
    }
    assert!(text.ends_with("Pages with a style sheet from their archive: own 0.\n"), "{text}");
}

#[test]
fn pages_without_layouts_are_named() {
    let out = tempfile::tempdir().unwrap();
    archive(out.path(), marks);
    gzip(&out.path().join("none.jsonl.gz"), b"");
    let ran = lab(out.path(), &["segments", "--pages", "own.warc.gz", "--layouts", "none.jsonl.gz"], b"");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("none.jsonl.gz: no layout of page columns.html"), "{}", ran.stderr);
}
