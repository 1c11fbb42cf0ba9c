//! `trommel-lab methods` and `--method`.

use serde_json::Value;

use crate::program::{ARCHIVE, lab, workspace};

const PAGE: &[u8] =
    b"<ul><li><a href=x>Home</a><li><a href=y>News</a></ul><p>The story has a dozen words, and they all stand in this one paragraph.</p>";

#[test]
fn every_method_is_listed_with_its_source() {
    let ran = lab(&workspace(), &["methods"], b"");
    let lines: Vec<&str> = ran.well().lines().collect();
    assert_eq!(lines.len() % 3, 0);
    for name in ["all-text", "bte", "cetr", "boilerpipe-article", "kim (learns)", "cetd"] {
        let at = lines.iter().position(|line| *line == name).unwrap();
        assert!(lines[at + 2].trim().len() > 20, "{name}: {}", lines[at + 2]);
    }
}

#[test]
fn a_method_extracts_one_page() {
    let extract = |method: &str| {
        let ran = lab(&workspace(), &["extract", "--method", method], PAGE);
        ran.well().to_owned()
    };
    let story = "The story has a dozen words, and they all stand in this one paragraph.\n";
    assert_eq!(extract("all-text"), format!("Home\nNews\n\n{story}"));
    assert_eq!(extract("bte"), story);
}

#[test]
fn markdown_has_headings_lists_code_tables_and_links() {
    let page = b"<h1>Head</h1><p>Some <b>text</b>, <a href=b?c>there</a>.</p><ul><li>one<li>two</ul>\
                 <pre>a\n  b</pre><table><tr><th>x<th>y<tr><td>1<td>2</table>";
    let arguments = ["extract", "-f", "markdown", "--method", "all-text"];
    let more = ["--url", "https://a.example/x/y"];
    let ran = lab(&workspace(), &[&arguments[..], &more].concat(), page);
    assert_eq!(
        ran.well(),
        "# Head\n\nSome **text**, [there](https://a.example/x/b?c).\n\n- one\n- two\n\n```\na\n  b\n```\n\n\
         | x | y |\n| --- | --- |\n| 1 | 2 |\n"
    );
}

#[test]
fn a_page_is_written_as_xml() {
    let arguments = ["extract", "-f", "xml", "--method", "all-text"];
    let page = "<title>&lt;</title><P ID=x1y>caf\u{e9}<br>";
    let ran = lab(&workspace(), &arguments, page.as_bytes());
    let xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE html>\n<html><head><title>&lt;</title></head>\
               <body><p>caf\u{e9}\n</p></body></html>\n";
    assert_eq!(ran.well(), xml);
}

#[test]
fn methods_are_scored_and_fitted() {
    let f1 = |more: &[&str]| {
        let arguments = [&["eval", "--pages", ARCHIVE, "--json"], more].concat();
        let ran = lab(&workspace(), &arguments, b"");
        let report: Value = serde_json::from_str(ran.well()).unwrap();
        report["overall"]["f1"].as_f64().unwrap()
    };
    let all = f1(&["--method", "all-text"]);
    let fitted = f1(&["--method", "peters-lecocq-st", "--fit", ARCHIVE]);
    assert!(all > 0.4 && fitted > all, "{all} {fitted}");
}

#[test]
fn what_cannot_be_is_said_in_one_line() {
    for (arguments, words) in [
        (&["--method", "none"][..], "unknown method none"),
        (&["--method", "kim"], "kim learns"),
        (&["--method", "bte", "--fit", ARCHIVE], "bte does not learn"),
    ] {
        let ran = lab(&workspace(), &[&["extract"], arguments].concat(), PAGE);
        assert_eq!((ran.code, ran.stderr.lines().count()), (2, 1), "{}", ran.stderr);
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
    }
}
