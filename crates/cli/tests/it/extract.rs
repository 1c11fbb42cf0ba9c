//! `trommel extract`.

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::Value;
use trommel::output::{Encode as _, Jsonl};
use trommel::{Model, OutputRecord};

use crate::program::{RunResult, trommel, workspace};
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

#[test]
fn text_from_file_and_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mill.html"), page()).unwrap();
    let by_file = extract(folder.path(), &["mill.html"], b"");
    let lines: Vec<&str> = by_file.well().lines().collect();
    for paragraph in PARAGRAPHS {
        assert!(lines.contains(&paragraph), "{lines:?}");
    }
    for boilerplate in ["Home", "Contact", "Privacy", "Terms of use"] {
        assert!(!lines.contains(&boilerplate), "{lines:?}");
    }
    assert_eq!(by_file.stderr, "");
    for arguments in [&[][..], &["-"], &["-f", "text"], &["--model", "fast"]] {
        let by_pipe = extract(folder.path(), arguments, page().as_bytes());
        assert_eq!(by_pipe.well(), by_file.text(), "{arguments:?}");
    }
}

#[test]
fn roles_can_be_included_and_excluded() {
    let folder = tempfile::tempdir().unwrap();
    let figure =
        "<figure><img src=m.jpg><figcaption>The mill in the year 1911, seen from the bridge.</figcaption></figure>";
    let html = page().replace("</article>", &format!("{figure}</article>"));
    let html = html.as_bytes();
    let roles = |arguments: &[&str]| -> BTreeSet<(String, bool)> {
        let ran = extract(folder.path(), &[&["-f", "blocks"], arguments].concat(), html);
        let rows = ran.well().lines().map(|line| -> Value { serde_json::from_str(line).unwrap() });
        rows.map(|row| (row["role"].as_str().unwrap().to_owned(), row["kept"] == true)).collect()
    };
    let pair = |role: &str, kept: bool| (role.to_owned(), kept);
    let usual = roles(&[]);
    assert!(usual.contains(&pair("body", true)) && usual.contains(&pair("navigation", false)));
    let caption = "The mill in the year 1911, seen from the bridge.";
    for (arguments, is_kept) in [(["--include", "caption"], true), (["--exclude", "caption,form"], false)] {
        assert!(roles(&arguments).contains(&pair("caption", is_kept)), "{arguments:?}");
        let text = extract(folder.path(), &arguments, html);
        assert_eq!(text.well().contains(caption), is_kept);
        assert!(text.well().contains(PARAGRAPHS[0]));
    }
    // A kept table is kept whole, but for what is excluded.
    let table = "<table><caption>Mills by year</caption><tr><th>Year<th>Mills of the whole valley\
                 <tr><td>1900<td>twelve mills stood by the river<tr><td>1950<td>three mills stood by the river</table></article>";
    let tabled = page().replace("</article>", table);
    for (arguments, is_kept) in [(&[][..], true), (&["--exclude", "caption"], false)] {
        let text = extract(folder.path(), arguments, tabled.as_bytes());
        assert!(text.well().contains("twelve mills"), "{}", text.text());
        assert_eq!(text.well().contains("Mills by year"), is_kept);
    }
    assert!(extract(folder.path(), &["--include", "navigation"], html).well().contains("Contact"));
    assert!(!extract(folder.path(), &["--exclude", "body,headline"], html).well().contains(PARAGRAPHS[0]));
    let both = extract(folder.path(), &["--include", "card", "--exclude", "card"], html);
    assert_eq!(both.code, 2);
    let said = "the role card is both to include and to exclude";
    both.said(said);
    extract(folder.path(), &["--include", "cards"], html).ended(2, "question-answer");
}

#[test]
fn json_and_blocks_say_the_same_as_text() {
    let folder = tempfile::tempdir().unwrap();
    let html = page();
    let ran = extract(folder.path(), &[], html.as_bytes());
    let text = ran.well().trim_end();

    let url = "https://example.org/mill";
    let object = extract(folder.path(), &["-f", "json", "--url", url], html.as_bytes()).json();
    let keys: BTreeSet<&str> = object.as_object().unwrap().keys().map(String::as_str).collect();
    for key in ["text", "title", "lang", "charset", "charset_source", "confidence", "capped", "url"] {
        assert!(keys.contains(key), "{key}: {keys:?}");
    }
    assert_eq!(object["text"], text);
    assert_eq!(object["title"], "The mill");
    assert_eq!(object["lang"], "en");
    assert_eq!(object["lang_declared"], "en");
    assert_eq!(object["author"], serde_json::json!([]));
    assert_eq!(object["charset"], "utf-8");
    assert_eq!(object["charset_source"], "meta");
    assert_eq!(object["url"], url);
    let confidence = object["confidence"].as_f64().unwrap();
    assert!(confidence > 0.5 && confidence <= 1.0, "{confidence}");

    let blocks = extract(folder.path(), &["-f", "blocks"], html.as_bytes()).rows();
    let texts = |kept: bool| -> Vec<&str> {
        let blocks = blocks.iter().filter(|block| block["kept"] == kept);
        blocks.map(|block| block["text"].as_str().unwrap()).collect()
    };
    assert_eq!(texts(true).join("\n\n"), text);
    assert!(texts(false).contains(&"Privacy"));
    assert_eq!(blocks.len(), 8);
    assert_eq!(blocks[0]["tag"], "li");
    assert_eq!(blocks[0]["path"], "nav>ul>li");
    assert_eq!(blocks[0]["link_density"], 1.0);
    assert_eq!(blocks[3]["path"], "article>p");
    assert_eq!(blocks[3]["words"], 23);
    for block in &blocks {
        assert!((0.0..=1.0).contains(&block["probability"].as_f64().unwrap()), "{block}");
        let place = |key: &str| usize::try_from(block[key].as_u64().unwrap()).unwrap();
        assert_eq!(&html[place("start")..place("end")], block["text"]);
    }
}

/// The same document as a run writes it: read back and written again, what `extract` prints stays the same byte for byte.
#[test]
fn json_of_a_page_has_the_keys_of_a_line_of_a_run_in_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let url = "https://example.org/mill";
    for html in [page(), String::new(), "<div>".repeat(5000) + &page()] {
        let record = page_record(1, url, &html);
        let arguments = ["-f", "json", "--spans", "--tables", "--url", url];
        let printed = extract(folder.path(), &arguments, html.as_bytes());
        let document: OutputRecord = serde_json::from_str(printed.well()).unwrap();
        let mut line = Vec::new();
        Jsonl.record(&document, &mut line).unwrap();
        assert_eq!(printed.well().as_bytes(), line);
        // An empty page is none in an archive.
        if html.is_empty() {
            assert_eq!((document.text.as_str(), document.confidence), ("", 0.0));
            continue;
        }
        let ran = trommel(folder.path(), &["run", "-", "-o", "-", "--spans", "--tables"], &record);
        let of_run: OutputRecord = serde_json::from_str(ran.well()).unwrap();
        let expected = OutputRecord { id: String::new(), date: None, source: None, status: None, ..of_run };
        assert_eq!(document, expected);
        // The deep one passes a cap.
        assert_eq!(document.capped.is_empty(), !html.starts_with("<div>"));
    }
    // What only a page by itself has stands behind all that.
    let printed = extract(folder.path(), &["-f", "json", "--posts"], page().as_bytes());
    assert!(printed.well().ends_with(",\"tables\":[],\"posts\":[],\"chunks\":[]}\n"));
}

#[test]
fn what_a_run_passes_over_is_no_page_here_either() {
    let folder = tempfile::tempdir().unwrap();
    let pdf = b"%PDF-1.7\n1 0 obj <</Title (Report of the year)>> endobj ".repeat(40);
    let zeros = [&b"\0\x01\x02\x03"[..], &[7; 400]].concat();
    for (name, bytes, kind) in [
        ("a.html", pdf.as_slice(), "application/pdf"),
        ("b.html", b"\x89PNG\r\n\x1a\n<p>words", "image/png"),
        ("c.html", b"{\\rtf1 words of a letter}", "application/rtf"),
        ("d.html", &zeros, "application/octet-stream"),
    ] {
        fs::write(folder.path().join(name), bytes).unwrap();
        for ran in [
            extract(folder.path(), &[name], b""),
            extract(folder.path(), &["-f", "json"], bytes),
            trommel(folder.path(), &["inspect", name, "-o", "x.html"], b""),
        ] {
            assert_eq!((ran.code, ran.text()), (2, ""), "{name}: {}", ran.stderr);
            assert!(ran.stderr.ends_with(&format!("{kind} data, not a page\n")), "{name}: {}", ran.stderr);
        }
    }
    // Of several the pages are written.
    fs::write(folder.path().join("e.html"), page()).unwrap();
    let ran = extract(folder.path(), &[".", "-o", "out"], b"");
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert_eq!(fs::read_dir(folder.path().join("out")).unwrap().count(), 1);
}

#[test]
fn the_charset_of_the_server_is_heard() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = b"<title>caf\xe9</title><p>caf\xe9";
    for (label, title) in [("iso-8859-1", "caf\u{e9}"), ("iso-8859-7", "caf\u{3b9}")] {
        let object = extract(folder.path(), &["-f", "json", "--charset", label], bytes).json();
        assert_eq!(object["title"], title);
        assert_eq!(object["charset_source"], "http");
    }
}

#[test]
fn any_bytes_are_a_page() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(extract(folder.path(), &[], b"").well(), "\n");
    extract(folder.path(), &[], &[0xff, b'<', 0x80, b'!', b'-', b'\n']).well();
}

#[test]
fn faults_are_named_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.html"), page()).unwrap();
    fs::write(folder.path().join("letter.txt"), "Dear reader,\n").unwrap();
    fs::create_dir(folder.path().join("empty")).unwrap();
    for (arguments, words) in [
        (&["gone.html"][..], "gone.html"),
        (&["a.html", "--model", "gone"], "gone"),
        (&["a.html", "--model", "letter.txt"], "letter.txt"),
        (&["empty"], "no page in this folder"),
    ] {
        let ran = extract(folder.path(), arguments, b"");
        assert_eq!(ran.code, 2, "{arguments:?}: {}", ran.stderr);
        let lines: Vec<&str> = ran.stderr.lines().collect();
        assert_eq!(lines.len(), 1, "{arguments:?}: {}", ran.stderr);
        assert!(lines[0].starts_with("trommel: "), "{}", lines[0]);
        assert!(lines[0].contains(words), "{}", lines[0]);
        assert_eq!(ran.text(), "");
    }
    let ran = extract(folder.path(), &["a.html", "-f", "yaml"], b"");
    assert_eq!(ran.code, 2);
    let first = ran.stderr.lines().next().unwrap();
    assert!(first.contains("'yaml'") && first.contains("--format"), "{first}");
}

#[test]
fn models_are_listed_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let list = trommel(folder.path(), &["model", "list"], b"");
    let names: Vec<&str> = list.well().lines().map(|line| line.split('\t').next().unwrap()).collect();
    assert_eq!(names, Model::builtin_names().collect::<Vec<_>>());
    let by_default = trommel(folder.path(), &["model", "show"], b"");
    assert_eq!(by_default.well(), trommel(folder.path(), &["model", "show", names[0]], b"").well());
    assert!(!by_default.well().contains("\nband"));
    let best = trommel(folder.path(), &["model", "show", "best"], b"");
    assert!(best.well().contains("\nband       trees are asked"), "{}", best.well());
    let json = trommel(folder.path(), &["model", "show", "--json"], b"");
    let model = json.json();
    assert_eq!(model["name"], names[0]);
    let ran = trommel(folder.path(), &["model", "show", "gone"], b"");
    assert_eq!((ran.code, ran.stderr.lines().count()), (2, 1), "{}", ran.stderr);
    ran.said("unknown model gone");
}

const STORY: [&str; 6] = [
    "It rained all night, and in the morning the river had risen over the lower road.",
    "Nobody could cross before noon, when the water began to fall again.",
    "The ferry stayed on the far side, since its rope had been torn by a floating tree.",
    "Two families spent the day on the roof of the mill, in sight of their own houses.",
    "By evening the mayor had counted the damage: eleven barns, one bridge and the school.",
    "The school will open again in spring, he said, if the province pays for the new floor.",
];

#[test]
fn markdown_has_headings_lists_and_tables() {
    let [a, b, c, d, e, f] = STORY;
    let page = format!(
        "<h1>The flood of the lower road</h1><p>{a} {b}</p><ul><li>{c}<li>{d}</ul>\
         <p>{b} {a}</p><table><tr><th>{e}<th>{f}<tr><td>{f} {c}<td>{e} {d}</table>"
    );
    let arguments = ["extract", "-f", "markdown", "--headline", "include"];
    let ran = trommel(&workspace(), &arguments, page.as_bytes());
    assert_eq!(
        ran.well(),
        format!(
            "# The flood of the lower road\n\n{a} {b}\n\n- {c}\n- {d}\n\n{b} {a}\n\n\
             | {e} | {f} |\n| --- | --- |\n| {f} {c} | {e} {d} |\n"
        )
    );
}

#[test]
fn links_are_written_on_request() {
    let [a, b, ..] = STORY;
    let page = format!("<p>{a} {b} See <a href=b?c>there</a>.");
    let arguments = ["extract", "-f", "markdown"];
    let more = ["--links", "--url", "https://a.example/x/y"];
    let ran = trommel(&workspace(), &[&arguments[..], &more].concat(), page.as_bytes());
    assert_eq!(ran.well(), format!("{a} {b} See [there](https://a.example/x/b?c).\n"));
    assert_eq!(trommel(&workspace(), &arguments, page.as_bytes()).well(), format!("{a} {b} See there.\n"));
    // They ask for Markdown by themselves.
    let ran = trommel(&workspace(), &[&["extract"], &more[..]].concat(), page.as_bytes());
    assert!(ran.well().contains("[there](https://a.example/x/b?c)"));
    let refused = ["extract", "--links", "-f", "text"];
    trommel(&workspace(), &refused, page.as_bytes()).refused("text.links: is for Markdown only");
}

#[test]
fn what_is_more_than_text_stands_in_divisions() {
    let [a, b, ..] = STORY;
    let page = format!(
        "<title>Mills</title><h1>Mills</h1><p>{a}</p><section><div itemprop=mainEntity itemscope>\
         <h3 itemprop=name>Does it turn?</h3><div itemprop=acceptedAnswer itemscope><p itemprop=text>It does.</p>\
         <p>Since 1912.</p></div></div></section><p>{b}</p>"
    );
    let arguments = ["extract", "--include", "question-answer", "--sections", "-f"];
    let markdown = [&arguments[..], &["markdown"]].concat();
    let ran = trommel(&workspace(), &markdown, page.as_bytes());
    let expected = format!(
        "# Mills\n\n{a}\n\n::: question-answer\n\n### Does it turn?\n\nIt does.\n\nSince 1912.\n\n:::\n\n{b}\n"
    );
    assert_eq!(ran.well(), expected);
    // The same text without them.
    let plain: Vec<&str> = markdown.iter().copied().filter(|argument| *argument != "--sections").collect();
    let plain = trommel(&workspace(), &plain, page.as_bytes());
    assert_eq!(plain.well(), expected.replace("::: question-answer\n\n", "").replace(":::\n\n", ""));
    for refused in [[&arguments[..], &["text"]].concat(), [&markdown[..], &["--posts"]].concat()] {
        trommel(&workspace(), &refused, page.as_bytes()).refused("sections");
    }
}

#[test]
fn a_forum_is_divided_into_posts() {
    let [a, b, ..] = STORY;
    let post = |number: u32, name: &str, text: &str| {
        format!(
            "<div class=post id=post-{number}><div class=post-head><a class=username href=/u/{number}>{name}</a> \
             <time datetime=2024-05-0{number}T10:00>then</time></div><div class=post-body><p>{text}</p></div></div>"
        )
    };
    let page = format!("<title>Mills</title><h1>Mills</h1>{}{}", post(1, "ann_77", a), post(2, "*Bob*", b));
    let arguments = ["extract", "--posts", "-f"];
    let json = trommel(&workspace(), &[&arguments[..], &["json"]].concat(), page.as_bytes()).json();
    let post = |author: &str, published: &str, text: &str| serde_json::json!({"author": author, "published": published, "text": text});
    assert_eq!(
        json["posts"],
        serde_json::json!([post("ann_77", "2024-05-01T10:00:00", a), post("*Bob*", "2024-05-02T10:00:00", b)])
    );
    let ran = trommel(&workspace(), &[&arguments[..], &["markdown"]].concat(), page.as_bytes());
    let expected = format!(
        "# Mills\n\n**ann_77**, 2024-05-01T10:00:00\n\n{a}\n\n---\n\n**\\*Bob\\***, 2024-05-02T10:00:00\n\n{b}\n"
    );
    assert_eq!(ran.well(), expected);
    let ran = trommel(&workspace(), &["extract", "--posts"], page.as_bytes());
    assert_eq!((ran.code, ran.text()), (2, ""));
}

#[test]
fn text_that_stands_in_json_ld_alone_is_kept_where_the_page_has_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let script = format!(
        r#"{{"@context":"https://schema.org","@type":"NewsArticle","headline":"The mill","articleBody":"<p>{}</p>"}}"#,
        PARAGRAPHS.join("</p><p>")
    );
    let html = |body: &str| {
        format!(
            "<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>The mill</title>\
             <script type=application/ld+json>{script}</script></head><body>\
             <nav><ul><li><a href=/>Home</a></li></ul></nav>{body}</body></html>"
        )
    };
    let empty = html("<div id=root></div>");
    let text = extract(folder.path(), &[], empty.as_bytes());
    assert!(text.well().trim_end().ends_with(&PARAGRAPHS.join("\n")));
    let markdown = extract(folder.path(), &["-f", "markdown"], empty.as_bytes());
    assert!(markdown.well().ends_with(&format!("{}\n", PARAGRAPHS.join("\n\n"))));
    let blocks = extract(folder.path(), &["-f", "blocks"], empty.as_bytes());
    let last: Value = serde_json::from_str(blocks.well().lines().last().unwrap()).unwrap();
    assert_eq!(
        (&last["source"], &last["path"], &last["kept"], &last["role"]),
        (&"json-ld".into(), &"NewsArticle>articleBody".into(), &true.into(), &"body".into())
    );
    let start = empty.find(&script).unwrap();
    assert_eq!(last["start"], start);
    assert_eq!(last["end"], start + script.len());
    // Where the page shows it, it stands in the text once, and no candidate is left.
    let shown = html(&format!("<article><p>{}</p></article>", PARAGRAPHS.join("</p><p>")));
    assert_eq!(extract(folder.path(), &[], shown.as_bytes()).well().matches(PARAGRAPHS[0]).count(), 1);
    assert!(!extract(folder.path(), &["-f", "blocks"], shown.as_bytes()).well().contains("json-ld"));
}

#[test]
fn several_pages_and_folders_are_extracted() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("site/sub")).unwrap();
    for name in ["site/a.html", "site/sub/b.htm", "c.html"] {
        fs::write(folder.path().join(name), page()).unwrap();
    }
    fs::write(folder.path().join("site/letter.txt"), "not a page").unwrap();

    // On standard output each under its name, as `head` does.
    let ran = extract(folder.path(), &["site", "c.html"], b"");
    let text = ran.well();
    let heads: Vec<&str> = text.lines().filter(|line| line.starts_with("==> ")).collect();
    assert_eq!(heads, ["==> site/a.html <==", "==> site/sub/b.htm <==", "==> c.html <=="]);
    assert_eq!(text.matches(PARAGRAPHS[0]).count(), 3);
    let ran = extract(folder.path(), &["-f", "json", "site"], b"");
    let files: Vec<Value> =
        ran.well().lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["file"].clone()).collect();
    assert_eq!(files, ["site/a.html", "site/sub/b.htm"]);

    // Into a folder a file each, with its path.
    extract(folder.path(), &["site", "c.html", "-o", "out", "-f", "markdown"], b"").well();
    for name in ["out/a.md", "out/sub/b.md", "out/c.md"] {
        assert!(fs::read_to_string(folder.path().join(name)).unwrap().contains(PARAGRAPHS[1]), "{name}");
    }
    // Of one page it is the file.
    extract(folder.path(), &["c.html", "-o", "one.txt"], b"").well();
    let text = fs::read_to_string(folder.path().join("one.txt")).unwrap();
    assert_eq!(text, extract(folder.path(), &["c.html"], b"").well());
    // A page that cannot be read costs itself only.
    let ran = extract(folder.path(), &["c.html", "gone.html"], b"");
    assert_eq!(ran.code, 1);
    assert!(ran.text().contains(PARAGRAPHS[0]) && ran.stderr.contains("gone.html"));

    for (arguments, words) in [
        (&["c.html", "-o", "c.html"][..], "is read by the command"),
        (&["c.html", "site/../c.html", "-o", "out"], "to one file"),
        (&["c.html", "site", "--url", "http://a/"], "one page"),
        (&["http://127.0.0.1:9/x"], "--fetch"),
    ] {
        extract(folder.path(), arguments, b"").ended(2, words);
    }
    assert_eq!(fs::read_to_string(folder.path().join("c.html")).unwrap(), page());
}

#[test]
fn gzipped_pages_are_read_and_archives_refused() {
    let folder = tempfile::tempdir().unwrap();
    let zipped = trommel::archive::write::gzip_member(page().as_bytes(), 6).unwrap();
    fs::write(folder.path().join("a.html.gz"), &zipped).unwrap();
    let plain = extract(folder.path(), &[], page().as_bytes());
    assert_eq!(extract(folder.path(), &["a.html.gz"], b"").well(), plain.well());
    assert_eq!(extract(folder.path(), &[], &zipped).well(), plain.text());

    let record = b"WARC/1.1\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
    let archive = trommel::archive::write::gzip_member(record, 6).unwrap();
    fs::write(folder.path().join("a.warc.gz"), &archive).unwrap();
    fs::write(folder.path().join("a.warc"), record).unwrap();
    fs::write(folder.path().join("cut.html.gz"), &zipped[..40]).unwrap();
    for (name, words) in
        [("a.warc.gz", "an archive, not a page"), ("a.warc", "an archive, not a page"), ("cut.html.gz", "damaged gzip")]
    {
        extract(folder.path(), &[name], b"").refused(words);
    }
}

#[cfg(feature = "remote")]
#[test]
fn a_url_is_fetched_on_request_only() {
    use crate::servers::{BreakingServer, ServerBehaviour};

    let folder = tempfile::tempdir().unwrap();
    let manners = ServerBehaviour { most: usize::MAX, ranges: true, tag: true, ..ServerBehaviour::default() };
    let server = BreakingServer::start(page().into_bytes(), manners);
    let url = format!("http://127.0.0.1:{}/mill.html", server.port);
    extract(folder.path(), &[&url], b"").ended(2, "--fetch");
    assert!(server.requests.lock().unwrap().is_empty());

    let object = extract(folder.path(), &["--fetch", &url, "-f", "json"], b"").json();
    assert_eq!(object["url"], url);
    assert_eq!(object["title"], "The mill");
    assert!(object["text"].as_str().unwrap().contains(PARAGRAPHS[2]));
}

#[test]
fn text_holds_nothing_that_steers_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let mut paragraphs = PARAGRAPHS.join("</p><p>");
    paragraphs.push_str(" \u{1b}[31mRED\u{9b}0m \u{8}\u{7f}end");
    let html = format!("<title>Mill</title><article><p>{paragraphs}</p></article>");
    for form in ["text", "markdown"] {
        let ran = extract(folder.path(), &["-f", form], html.as_bytes());
        let text = ran.well();
        assert!(text.contains("RED") && text.contains("end"), "{text:?}");
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
    }
}

#[test]
fn categories_of_a_wiki_are_no_text() {
    let folder = tempfile::tempdir().unwrap();
    let page = |rest: &str| {
        format!(
            "<title>Mill - Wiki</title><div class=mw-parser-output><p>{}</p></div>{rest}",
            PARAGRAPHS.join("</p><p>")
        )
    };
    let plain = extract(folder.path(), &[], page("").as_bytes());
    let categories = "<div id=catlinks class=catlinks><div class=mw-normal-catlinks>\
        <a href=/c>Categories</a>: <ul><li><a href=/a>Mills in Austria</a></ul></div>\
        <div class='mw-hidden-catlinks mw-hidden-cats-hidden'>Hidden categories: <ul>\
        <li><a href=/x>Articles with short description</a><li><a href=/y>Use dmy dates from May 2020</a>\
        </ul></div></div>";
    assert_eq!(extract(folder.path(), &[], page(categories).as_bytes()).well(), plain.well());
}
