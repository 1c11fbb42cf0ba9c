//! Tests plain text and Markdown on small pages in `tests/probes`, one page for each kind of structure that text must
//! not lose. The program writes the expected files; a table here adds what each page must contain.

use std::{collections::BTreeMap, fs};

use serde_json::{Value, json};
use trommel::{OutputRecord, output::RecordReader};

use crate::golden::compare;
use crate::program::{trommel, workspace};
use crate::sample::page_record;

/// What the Markdown of a page must hold and must not.
const SAID: &[(&str, &[&str], &[&str])] = &[
    (
        "math-mathml",
        &["power is $P = \\frac{m g h}{t}$ watts", "with $\\eta$ it is", "$$\n\\int_0^1 x\\,dx\n$$"],
        &["η"],
    ),
    ("math-katex", &["Let $v_0$ be the speed", "$$\nE = \\frac{1}{2} m v_0^2\n$$"], &["E=12mv02"]),
    ("math-mathjax", &["turns $n^2$ times, or $k_{i}$ in all.", "$$\nn = \\sum_i k_i\n$$"], &["nn2", "n2"]),
    (
        "math-attributes",
        &["area $A = \\pi r^2$ and its share ${\\frac {a}{b}}$ are small, as $\\sqrt{2}$ is."],
        &["πr²", "displaystyle"],
    ),
    ("math-raw", &["With $q = \\frac{a_1}{b_2}$ and $E_k = m_1$ it costs", "a day, or"], &["a\\_1", "E\\_k"]),
    ("scripts", &["100^2 inches at x_i weighs 10^−3 tons", "the 1st of"], &[]),
    (
        "notes-links",
        &[
            "built by monks.[^1] Later it burned.[^2]",
            "\n[^1]: The abbey of the lower town.\n",
            "\n[^2]: In the dry summer of the great fire.\n",
        ],
        &["↩", "Notes"],
    ),
    ("notes-word", &["monks[^1] of the abbey", "\n[^1]: The abbey of the lower town, long gone.\n"], &["[1]"]),
    ("notes-side", &["monks[^1] of the abbey", "\n[^1]: The abbey of the lower town.\n"], &[]),
    ("code-lines", &["```python\ndef turn(n):\n\n    return  n < 2\n```"], &["Copy", "1def"]),
    (
        "code-divs",
        &["```rust\nfn turn() {\n    stop();\n}\n```", "Run `make turn` to see it", "```\na\n\n  b\n```"],
        &[],
    ),
    (
        "tables",
        &[
            "*Days of the wheel*",
            "| Month | Dry | Wet |\n| --- | --- | --- |\n| May | none \\| all |  |\n| June | 3 | 27 |\n|  | 4 | 26 |",
        ],
        &[],
    ),
    (
        "lists",
        &[
            "3. Open the gate\n7. Wait\n   - for water\n   - for wind",
            "2) Two\n1) One",
            "- [x] Grease the wheel\n- [ ] Paint the door",
            "* **The sluice of the mill**: What holds the water back",
        ],
        &[],
    ),
    (
        "quotes",
        &[
            "> Water is patient.",
            "*The wheel in winter, when the river freezes and nobody comes to the mill*",
            "> [!note] Note\n>\n> Keep off the ice.",
        ],
        &[],
    ),
    ("hidden", &["came from the hills", "cut in the quarry", "Without a script the page shows"], &[]),
    (
        "math-elements",
        &[
            "$\\sqrt{a}$ and $\\sqrt[3]{a}$, the sum $\\sum_{i}^{n} k_{i}$, the mean $\\overline{x}$",
            "$\\left(p, q\\right)$",
            "$z_{0}^{2} \\text{if dry}$",
            "$$\n\\begin{matrix} a & b \\\\ c & d \\end{matrix}\n$$",
        ],
        &["∑"],
    ),
    ("math-data", &["gives $p = \\rho g h$ at the foot, $q_1$ at the gate, and $\\frac{v}{2}$ at"], &["ρgh", "q1"]),
    (
        "notes-cite",
        &["by monks.[^3] Later", "\n[^3]: Roe, *The abbey of the lower town*, page 12.\n"],
        &["References", "[3]"],
    ),
    ("notes-epub", &["monks[^1] of", "\n[^1]: The abbey of the lower town.\n"], &["back"]),
    ("notes-google", &["monks[^1] of", "\n[^1]: The abbey of the lower town, long gone.\n"], &["[1]"]),
    ("notes-anchors", &["monks[^1] of", "\n[^1]: The abbey of the lower town, long gone.\n"], &["monks\\*"]),
    ("code-gutter-table", &["```ruby\ndef turn\n  stop\nend\n```"], &["| ", "\n1\n"]),
    ("code-react", &["```bash\nmake turn\nmake  stop\n```"], &["Copy", "1make", "\nbash\n"]),
    ("code-prism", &["```css\n.mill {\n  color: red;\n}\n```"], &["| "]),
    ("code-codemirror", &["```\nlet wheel = 1;\n  turn(wheel);\n```"], &["1let", "\n1\n"]),
    ("headline-below", &["# Mills of the county, a guide for visitors\n\n## The mill\n\nThe mill stands"], &[]),
    ("images", &["for weeks.\n\nIts owner"], &["![", "m.example"]),
    ("articles", &["# The mill\n", "## The bridge\n\nThe bridge was built of oak"], &[]),
    ("live-blog", &["\n10:20\n", "\n09:10\n\nIt has rained"], &[]),
    ("next-page", &["ground.\n"], &["2", "3"]),
    ("block-page", &["Checking if the site connection is secure"], &[]),
    ("hydration-apollo", &["Its owner opens the gate", "nobody comes to the mill.\n"], &["Loading", "__typename"]),
    (
        "hidden-menu",
        &[
            "weighs four tons and was renewed in May 1990 by the town",
            "cut in the quarry",
            "On a wide screen this sentence is shown",
        ],
        &["All mills", "4 t ", "1990-05", "printed"],
    ),
    (
        "hydration",
        &["in dry ones.\n\nIts owner", "has been ground.\n\n“Water is patient,” he says."],
        &["Please enter", "Loading"],
    ),
    ("hydration-stream", &["in dry ones.\n\nIts owner", "has been ground.\n\nNobody knows"], &["children"]),
    ("math-svg", &["It turns $n^2 + 1$ times a day"], &[]),
    ("math-asciimath", &["power is $x^2 + y_1$ watts"], &[]),
    (
        "infobox",
        &[
            "*Mill on the river*\n\n|  |  |\n| --- | --- |\n| Built | 1824 |\n| Wheels | two, of oak |\n| Owner | the town",
        ],
        &["**Built"],
    ),
    (
        "tables-layout",
        &[
            "came over the hills in the year of the flood and stayed.\n",
            "| Year | Sacks |\n| --- | --- |\n| 1830 | 400 |\n| 1831 | 500 |\n",
            "\nIn the right half",
        ],
        &["| In the", "stayed. |"],
    ),
    (
        "code-editors",
        &[
            "CodeMirror shows to whoever asks how the wheel of the mill is turned:\n\n```\nlet wheel = 1;\n\n  turn(wheel);\n```",
            "a table of lines shows to whoever asks how the wheel of the mill is turned:\n\n```\nfn turn() {\n\n    stop();\n}\n```",
            "SyntaxHighlighter shows to whoever asks how the wheel of the mill is turned:\n\n```js\nfunction turn() {\n  stop();\n}\n```",
            "Crayon shows to whoever asks how the wheel of the mill is turned:\n\n```\nfunction turn() {\n  stop();\n}\n```",
            "Enlighter shows to whoever asks how the wheel of the mill is turned:\n\n```\nfunction turn() {\n  stop();\n}\n```",
            "Monaco shows to whoever asks how the wheel of the mill is turned:\n\n```\nlet wheel = 1;\n  turn(wheel);\n```",
            "Ace shows to whoever asks how the wheel of the mill is turned:\n\n```\nlet wheel = 1;\n  turn(wheel);\n```",
            "a list of lines shows to whoever asks how the wheel of the mill is turned:\n\n```\nlet wheel = 1;\n  turn(wheel);\n```",
        ],
        &["mill.js", "\n1\n"],
    ),
    (
        "code-rows",
        &[
            "a line element shows to whoever asks how the wheel of the mill is turned:\n\n```js\nlet wheel = 1;\nturn(wheel);\n```",
            "a highlighter shows to whoever asks how the wheel of the mill is turned:\n\n```js\nlet wheel = 1;\nturn(wheel);\n```",
            "a book shows to whoever asks how the wheel of the mill is turned:\n\n```\nlet wheel = 1;\nturn(wheel);\n```",
            "a table of numbers shows to whoever asks how the wheel of the mill is turned:\n\n```\nfunction turn() {\n  stop();\n}\n```",
            "a chroma table shows to whoever asks how the wheel of the mill is turned:\n\n```go\nfunc turn() {\n}\n```",
            "a plain element shows to whoever asks how the wheel of the mill is turned:\n\n```js\nlet wheel = 1;\nturn(wheel);\n```",
        ],
        &["mill.js", "line-content"],
    ),
    (
        "code-blocks",
        &[
            "as `b2` says:\n\n```lean\ndef b2 : Bool := false\n\n/- Check their types. -/\n\n#check b2\nb2 : Bool\n```",
            "```\nturn(wheel)\n  stop()\n```",
        ],
        &[],
    ),
    (
        "headings-role",
        &[
            "### Parts of the wheel\n\nThe wheel has",
            "## The stones\n\nThe stones were",
            "## Sources\n\n1. Roe",
            "2. Doe",
        ],
        &[],
    ),
    (
        "notes-kinds",
        &[
            "by monks [^1] of",
            "it burned[^2] and",
            "\n[^1]: The abbey of the lower town.\n",
            "\n[^2]: In the dry summer of the great fire.\n",
        ],
        &["[1]"],
    ),
    ("math-mathjax3", &["It holds that $E = c^{2}$ for the mill", "read aloud that $n = k$ for"], &[]),
    ("entities", &["Größe & **Gewicht** des Rades, „vier Tonnen“"], &["&amp;"]),
];

#[test]
fn probes_say_what_their_pages_mean() {
    let folder = workspace().join("tests/probes");
    for (name, said, unsaid) in SAID {
        let ran = trommel(&folder, &["extract", "-f", "markdown", &format!("{name}.html")], b"");
        let markdown = ran.well();
        for said in *said {
            assert!(markdown.contains(said), "{name}: {said:?} in\n{markdown}");
        }
        for unsaid in *unsaid {
            assert!(!markdown.contains(unsaid), "{name}: no {unsaid:?} in\n{markdown}");
        }
    }
}

#[test]
fn golden_probes() {
    let folder = workspace().join("tests/probes");
    let (mut texts, mut markdowns) = (BTreeMap::new(), BTreeMap::new());
    for entry in fs::read_dir(&folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(stem) = name.strip_suffix(".html") else { continue };
        texts.insert(format!("{stem}.txt"), trommel(&folder, &["extract", &name], b"").well().to_owned());
        let markdown = trommel(&folder, &["extract", "-f", "markdown", &name], b"");
        markdowns.insert(format!("{stem}.md"), markdown.well().to_owned());
    }
    assert_eq!(texts.len(), SAID.len());
    compare(&folder, ".txt", &texts);
    compare(&folder, ".md", &markdowns);
}

#[test]
fn formulas_notes_and_scripts_are_given_as_asked() {
    let folder = workspace().join("tests/probes");
    let run = |arguments: &[&str]| trommel(&folder, &[&["extract"], arguments].concat(), b"");
    assert!(run(&["--math", "plain", "-f", "markdown", "math-katex.html"]).well().contains("Let v_0 be"));
    let off = run(&["--math", "off", "math-katex.html"]);
    assert!(off.well().contains("Let be the speed") && !off.well().contains("v_0"));
    let dropped = run(&["--notes", "drop", "notes-links.html"]);
    assert!(dropped.well().contains("by monks. Later it burned.") && !dropped.well().contains("lower town"));
    let kept = run(&["notes-links.html"]);
    assert!(kept.well().contains("monks.[1] Later") && kept.well().contains("\n\n[1] The abbey of the lower town."));
    let unicode = run(&["--scripts", "unicode", "scripts.html"]);
    assert!(unicode.well().contains("100² inches at xᵢ weighs 10⁻³ tons"));
}

#[test]
fn images_are_written_with_their_addresses_and_links() {
    let folder = workspace().join("tests/probes");
    let written = |options: &[&str]| {
        let ran = trommel(&folder, &[&["extract", "-f", "markdown", "images.html"], options].concat(), b"");
        ran.well().lines().filter(|line| line.contains("![")).map(str::to_owned).collect::<Vec<_>>()
    };
    // Lazy sources are resolved, and what repeats them for readers without scripts is left out.
    let wheel = "![The wheel](https://m.example/wheel.jpg)";
    let gate = "![The gate](https://m.example/small.jpg)";
    let linked = format!("[{gate}](https://m.example/large.jpg)");
    assert_eq!(written(&["--images"]), [wheel, gate]);
    assert_eq!(written(&["--images", "--links"]), [wheel, &linked]);
    // A link without text is shown by its image.
    assert_eq!(written(&["--links"]), [linked]);
}

#[test]
fn articles_that_follow_are_left_out_where_asked() {
    let folder = workspace().join("tests/probes");
    let text = |options: &[&str]| {
        let ran = trommel(&folder, &[&["extract"], options].concat(), b"");
        ran.well().to_owned()
    };
    let all = text(&["articles.html"]);
    assert!(all.contains("two hundred years") && all.contains("carts and cattle"));
    let first = text(&["--articles", "first", "articles.html"]);
    assert!(first.contains("two hundred years") && !first.contains("bridge"), "{first}");
    assert!(first.trim_end().ends_with("has been ground."), "{first}");
    // Entries of a live blog are one article; as posts they have their times.
    let live = text(&["--articles", "first", "live-blog.html"]);
    assert_eq!(live, text(&["live-blog.html"]));
    let posts: Value = serde_json::from_str(&text(&["-f", "json", "--posts", "live-blog.html"])).unwrap();
    let times: Vec<&Value> = posts["posts"].as_array().unwrap().iter().map(|value| &value["published"]).collect();
    assert_eq!(times, ["2024-05-01T10:20:00", "2024-05-01T09:45:00", "2024-05-01T09:10:00"]);
    // In runs, by option and by configuration.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("a.warc"), archive_of(&["articles.html"])).unwrap();
    fs::write(path.join("c.toml"), "articles = 'first'\n").unwrap();
    for options in [["--articles", "first"], ["--config", "c.toml"]] {
        let document = trommel(path, &[&["run", "a.warc", "-o", "-"], &options[..]].concat(), b"").json();
        assert_eq!(document["text"].as_str().unwrap(), first.trim_end());
    }
}

#[test]
fn pages_say_where_they_go_on_and_what_they_are() {
    let folder = workspace().join("tests/probes");
    let json = |page: &str| -> Value {
        let url = format!("https://m.example/{page}");
        let ran = trommel(&folder, &["extract", "-f", "json", "--url", &url, page], b"");
        serde_json::from_str(ran.well()).unwrap()
    };
    assert_eq!(json("next-page.html")["next"], "https://m.example/mill?page=2");
    assert_eq!(json("lists.html")["next"], "");
}

#[test]
fn what_the_model_takes_a_page_for_drops_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("a.warc"), archive_of(&["block-page.html", "lists.html"])).unwrap();
    fs::write(path.join("c.toml"), "[filters]\nrules = ['block-page']").unwrap();
    let ran = trommel(path, &["run", "a.warc", "--config", "c.toml", "-o", "-"], b"");
    let urls: Vec<Value> =
        ran.well().lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["url"].clone()).collect();
    assert_eq!(urls, ["http://example.com/lists.html"]);
}

#[test]
fn spans_lead_back_to_the_page() {
    let folder = workspace().join("tests/probes");
    for name in ["lists", "tables", "quotes", "code-divs", "entities"] {
        let html = fs::read_to_string(folder.join(name).with_extension("html")).unwrap();
        let ran = trommel(&folder, &["extract", "-f", "json", "--spans", &format!("{name}.html")], b"");
        let json = ran.json();
        check_spans(name, &json, &html);
        assert!(json["spans"].as_array().unwrap().len() > 2, "{name}");
    }
    assert_eq!(trommel(&folder, &["extract", "--spans", "lists.html"], b"").code, 2);
}

/// Cuts every span of a document out of its page: the words of its part of the text stand there in their order.
fn check_spans(name: &str, document: &Value, html: &str) {
    let text: Vec<char> = document["text"].as_str().unwrap().chars().collect();
    let mut end = 0;
    for span in document["spans"].as_array().unwrap() {
        let number = |at: usize| span[at].as_u64().unwrap() as usize;
        assert!(number(0) >= end, "{name}: {span} before {end}");
        end = number(0) + number(1);
        let part: String = text[number(0)..end].iter().collect();
        let source = html[number(2)..number(2) + number(3)].replace("&amp;", "&");
        let mut from = 0;
        for word in part.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            let found = source[from..].find(word);
            from += found.unwrap_or_else(|| panic!("{name}: {word} of {part:?} in {source:?}"));
        }
    }
}

/// An archive of some probes, each a page of its own.
fn archive_of(names: &[&str]) -> Vec<u8> {
    let record = |(at, name): (usize, &&str)| {
        let html = fs::read_to_string(workspace().join("tests/probes").join(name)).unwrap();
        page_record(at, &format!("http://example.com/{name}"), &html)
    };
    names.iter().enumerate().flat_map(record).collect()
}

#[test]
fn runs_write_spans_and_tables() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let pages = ["tables.html", "entities.html", "hidden.html"];
    fs::write(path.join("a.warc"), archive_of(&pages)).unwrap();
    let run = |arguments: &[&str]| {
        let ran = trommel(path, &[&["run", "a.warc"], arguments].concat(), b"");
        ran.well().to_owned()
    };
    let documents = |lines: &str| -> Vec<Value> {
        let lines = lines.lines().map(serde_json::from_str);
        lines.collect::<Result<_, _>>().unwrap()
    };
    let plain = documents(&run(&["-o", "-"]));
    assert!(plain.iter().all(|value| value["spans"] == json!([]) && value["tables"] == json!([])));
    for form in [&[][..], &["--markdown"]] {
        let found = documents(&run(&[&["--spans", "--tables", "-o", "-"], form].concat()));
        assert_eq!(found.len(), pages.len());
        for (name, document) in pages.iter().zip(&found) {
            let html = fs::read_to_string(workspace().join("tests/probes").join(name)).unwrap();
            assert!(document["spans"].as_array().unwrap().len() > 2, "{name}");
            check_spans(name, document, &html);
        }
        assert_eq!(
            found[0]["tables"],
            json!([{
                "caption": "Days of the wheel",
                "header_rows": 1,
                "rows": [
                    ["Month", "Dry", "Wet"],
                    ["May", "none | all", ""],
                    ["June", "3", "27"],
                    ["", "4", "26"],
                ],
            }])
        );
        assert_eq!(found[1]["tables"], json!([]));
    }
    // A part that stands in the page as it is has exactly its bytes.
    let found = documents(&run(&["--spans", "-o", "-"]));
    let html = fs::read_to_string(workspace().join("tests/probes/entities.html")).unwrap();
    let text: Vec<char> = found[1]["text"].as_str().unwrap().chars().collect();
    let cuts = found[1]["spans"].as_array().unwrap().iter().map(|span| {
        let number = |at: usize| span[at].as_u64().unwrap() as usize;
        let part: String = text[number(0)..number(0) + number(1)].iter().collect();
        (part, &html[number(2)..number(2) + number(3)])
    });
    let cuts: BTreeMap<String, &str> = cuts.collect();
    assert_eq!(
        cuts.get("Größe & Gewicht des Rades, „vier Tonnen“, nennt der Müller jedem, der ihn danach fragt."),
        Some(
            &"Größe &amp; <b>Gewicht</b> des Rades, &bdquo;vier Tonnen&ldquo;, nennt der Müller jedem, der ihn danach fragt."
        )
    );
    // All formats say the same, and the configuration asks for it as well.
    fs::write(path.join("c.toml"), "spans = true\ntables = true\n").unwrap();
    run(&["-o", "a.jsonl", "--config", "c.toml"]);
    run(&["-o", "a.msgpack", "--spans", "--tables"]);
    let records = |name: &str| -> Vec<OutputRecord> {
        RecordReader::open(&path.join(name)).unwrap().collect::<Result<_, _>>().unwrap()
    };
    let lines = records("a.jsonl");
    assert_eq!(lines.len(), pages.len());
    assert!(lines.iter().all(|record| !record.spans.is_empty()));
    assert_eq!(lines[0].tables[0].rows[1], ["May", "none | all", ""]);
    assert_eq!(records("a.msgpack"), lines);
    if cfg!(feature = "parquet") {
        run(&["-o", "a.parquet", "--spans", "--tables"]);
        assert_eq!(records("a.parquet"), lines);
    }
}

#[test]
fn tables_are_rows_in_json() {
    let folder = workspace().join("tests/probes");
    let tables = |page: &str| -> Value {
        let ran = trommel(&folder, &["extract", "-f", "json", "--tables", page], b"");
        serde_json::from_str::<Value>(ran.well()).unwrap()["tables"].take()
    };
    let infobox = tables("infobox.html");
    assert_eq!(infobox[0]["caption"], "Mill on the river");
    assert_eq!(infobox[0]["rows"][1], json!(["Wheels", "two, of oak"]));
    // Of nested tables that of data; what lays out the page is none.
    let inner = tables("tables-layout.html");
    let rows = json!([["Year", "Sacks"], ["1830", "400"], ["1831", "500"]]);
    assert_eq!(inner.as_array().map(Vec::len), Some(1));
    assert_eq!(inner[0]["rows"], rows);
    assert_eq!(tables("lists.html"), json!([]));
    assert_eq!(trommel(&folder, &["extract", "--tables", "lists.html"], b"").code, 2);
}
