//! Compares the blocks of small hand-made pages with `tests/pages`: text, span, tag and words. No model affects the
//! blocks.

use std::{collections::BTreeMap, fmt::Write as _, fs};

use serde_json::json;

use crate::golden::compare;
use crate::program::{names, trommel, workspace};

#[test]
fn golden_blocks() {
    let folder = workspace().join("tests/pages");
    let mut found = BTreeMap::new();
    for name in names(&folder) {
        let Some(stem) = name.strip_suffix(".html") else { continue };
        let ran = trommel(&folder, &["extract", &name, "-f", "blocks"], b"");
        let mut lines = String::new();
        for block in ran.rows() {
            let kept = json!({
                "text": block["text"],
                "span": [block["start"], block["end"]],
                "tag": block["tag"],
                "words": block["words"],
            });
            // Writing to a string cannot fail.
            let _ = writeln!(lines, "{kept}");
        }
        found.insert(format!("{stem}.blocks.jsonl"), lines);
    }
    assert!(found.len() >= 13, "{} pages", found.len());
    compare(&folder, ".blocks.jsonl", &found);
}

/// Checks that blocks are in order and do not overlap, and that each span holds its block's text. The expected files
/// cannot prove this, because the program writes them.
#[test]
fn spans_hold_the_text_of_their_blocks() {
    let folder = workspace().join("tests/pages");
    // UTF-8 without entities, so that the decoded page is the file and text stands as it is.
    for name in ["lists", "tables", "breaks", "implied-ends", "chinese"] {
        let html = fs::read_to_string(folder.join(name).with_extension("html")).unwrap();
        let ran = trommel(&folder, &["extract", &format!("{name}.html"), "-f", "blocks"], b"");
        let mut end = 0;
        for block in ran.rows() {
            let place = |key: &str| usize::try_from(block[key].as_u64().unwrap()).unwrap();
            let (start, behind) = (place("start"), place("end"));
            assert!(end <= start && start < behind, "{name}: {block}");
            end = behind;
            let source = signs(&without_tags(&html[start..behind]));
            assert_eq!(signs(block["text"].as_str().unwrap()), source, "{name}");
        }
    }
}

fn without_tags(html: &str) -> String {
    let texts = html.split('<').enumerate().map(|(at, piece)| match piece.split_once('>') {
        Some((_, text)) if at > 0 => text,
        _ => piece,
    });
    texts.collect()
}

/// Returns a text without white space, because a line feed between Chinese characters is not a space.
fn signs(text: &str) -> String {
    text.split_whitespace().collect()
}
