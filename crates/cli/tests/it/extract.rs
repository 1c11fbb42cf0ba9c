//! Tests `trommel extract`.

use std::path::Path;

use trommel::Document;
use trommel::record::{Encode as _, Jsonl};

use crate::program::{RunResult, trommel};
use crate::sample::page_record;

const PARAGRAPHS: [&str; 3] = [
    "The mill stands by the river, and its wheel has turned there for two hundred years, in wet years and in dry ones.",
    "Its owner opens the gate each morning, listens to the water, and closes it again when the last sack has been ground.",
    "In winter, when the river freezes, the wheel rests, and the carpenters of the village mend what the summer has worn out.",
];

fn page() -> String {
    format!(
        "<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>The mill</title></head><body>\
         <nav><ul><li><a href=/>Home</a></li><li><a href=/c>Contact</a></li></ul></nav>\
         <article><h1>The mill</h1><p>{}</p></article>\
         <footer><ul><li><a href=/p>Privacy</a></li><li><a href=/t>Terms of use</a></li></ul></footer></body></html>",
        PARAGRAPHS.join("</p><p>")
    )
}

fn extract(folder: &Path, arguments: &[&str], input: &[u8]) -> RunResult {
    trommel(folder, &[&["extract"], arguments].concat(), input)
}

/// Checks that the JSON of `extract` equals, byte for byte, the line that a run writes about the same document.
#[test]
fn json_of_a_page_has_the_keys_of_a_line_of_a_run_in_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let url = "https://example.org/mill";
    for html in [page(), String::new(), "<div>".repeat(5000) + &page()] {
        let record = page_record(1, url, &html);
        let arguments = ["-f", "json", "--spans", "--tables", "--url", url];
        let printed = extract(folder.path(), &arguments, html.as_bytes());
        let document: Document = serde_json::from_str(printed.well()).unwrap();
        let mut line = Vec::new();
        Jsonl.record(&document, &mut line).unwrap();
        assert_eq!(printed.well().as_bytes(), line);
        // An empty page is none in an archive.
        if html.is_empty() {
            assert_eq!((document.text.as_str(), document.confidence), ("", 0.0));
            continue;
        }
        let ran = trommel(folder.path(), &["run", "-", "-o", "-", "--spans", "--tables"], &record);
        let of_run: Document = serde_json::from_str(ran.well()).unwrap();
        let expected = Document { id: String::new(), date: None, source: None, status: None, ..of_run };
        assert_eq!(document, expected);
        // The deep one passes a cap.
        assert_eq!(document.capped.is_empty(), !html.starts_with("<div>"));
    }
    // What only a page by itself has stands behind all that.
    let printed = extract(folder.path(), &["-f", "json", "--posts"], page().as_bytes());
    assert!(printed.well().ends_with(",\"tables\":[],\"posts\":[],\"chunks\":[]}\n"));
}

#[cfg(feature = "remote")]
#[test]
fn a_url_is_fetched_on_request_only() {
    use crate::servers::{BreakingServer, ServerBehaviour};

    let folder = tempfile::tempdir().unwrap();
    let manners = ServerBehaviour { most: usize::MAX, ranges: true, tag: true, ..ServerBehaviour::default() };
    let server = BreakingServer::start(page().into_bytes(), manners);
    let url = server.url("mill.html");
    extract(folder.path(), &[&url], b"").ended(2, "--fetch");
    assert!(server.requests.lock().unwrap().is_empty());

    let object = extract(folder.path(), &["--fetch", &url, "-f", "json"], b"").json();
    assert_eq!(object["url"], url);
    assert_eq!(object["title"], "The mill");
    assert!(object["text"].as_str().unwrap().contains(PARAGRAPHS[2]));
}
