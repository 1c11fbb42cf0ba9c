//! Pages made to break readers: each a repetition that grows with its size, with text around it that
//! must come out. Included by tests, benches and fuzz targets with `#[path]`.

/// Sentence before the hostile part of every page.
pub const BEFORE: &str = "The first sentence stands before all of it.";
/// Sentence behind the hostile part of every page.
pub const AFTER: &str = "The last sentence stands behind all of it.";

/// A kind of hostile page.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Its name.
    pub name: &'static str,
    /// Number of repetitions (or of bytes) that the shape is tried with in full.
    pub size: usize,
    /// The page with that many of them.
    pub page: fn(usize) -> Vec<u8>,
    /// Texts that must come out besides [`BEFORE`] and [`AFTER`], at any size of 1000 or more.
    pub texts: &'static [&'static str],
}

/// Every shape.
pub const SHAPES: &[Shape] = &[
    shape("nested div", 1_000_000, |n| between("<div>".repeat(n) + "deep text" + &"</div>".repeat(n)), &["deep text"]),
    shape("nested div, never closed", 1_000_000, |n| between("<div>".repeat(n) + "deep text"), &["deep text"]),
    shape(
        "formulas",
        1_000_000,
        |n| between("<p>".to_owned() + &"so <math><mi>x</mi></math> ".repeat(n)),
        &["so x so x"],
    ),
    shape("formulas, never closed", 200_000, |n| between("<p>so <math><msup><mi>x".repeat(n)), &["so x"]),
    shape(
        "notes",
        500_000,
        |n| {
            let mark = |at: usize| format!("<p>word<sup><a id=r{at} href=#fn{at}>{at}</a></sup>");
            let note = |at: usize| format!("<li id=fn{at}>note <a href=#r{at}>^</a>");
            let marks: String = (0..n).map(mark).collect();
            let notes: String = (0..n).map(note).collect();
            between(marks + "<ol>" + &notes + "</ol>")
        },
        &["word", "note"],
    ),
    shape(
        "notes of one paragraph, linked both ways",
        100_000,
        |n| {
            let mark = |at: usize| format!("word <a id=r{at} href=#fn{at}><sup>{at}</sup></a> ");
            let note = |at: usize| format!("<li id=fn{at}>note <a href=#r{at}>^</a>");
            let marks: String = (0..n).map(mark).collect();
            let notes: String = (0..n).map(note).collect();
            between(format!("<p>{marks}<ol>{notes}</ol>"))
        },
        &["word", "note"],
    ),
    shape(
        "formulas set apart",
        60_000,
        |n| between("<p>so<p><math display=block><mi>x</mi></math>".repeat(n)),
        &["so", "x"],
    ),
    shape(
        "code set as blocks, side by side",
        200_000,
        |n| between("<div>".to_owned() + &"<code class=block>let x\n\n</code>".repeat(n) + "</div>"),
        &["let x"],
    ),
    shape(
        "code set as blocks, never closed",
        200_000,
        |n| between("<code style='display:block'>let <b>x".repeat(n)),
        &["let x"],
    ),
    shape(
        "editors in editors",
        200_000,
        |n| between("<div class=cm-editor><div class=cm-content>let x".repeat(n)),
        &["let x"],
    ),
    shape(
        "articles that follow",
        100_000,
        |n| {
            let article =
                |at: usize| format!("<article data-url=/{at}><h1>Article {at}</h1><p>Some words of it.</article>");
            between((0..n).map(article).collect())
        },
        &["Some words of it."],
    ),
    shape(
        "numbers of pages",
        300_000,
        |n| {
            let link = |at: usize| format!("<a href=?page={at}>{at}</a> ");
            let links: String = (0..n).map(link).collect();
            between(format!("<div class=pagination>{links}</div>"))
        },
        &["1 2 3"],
    ),
    shape(
        "details",
        200_000,
        |n| between("<details><summary>more</summary><p>inner text</details>".repeat(n)),
        &["more", "inner text"],
    ),
    shape(
        "details in details",
        200_000,
        |n| between("<details><summary>more</summary>inner text".repeat(n)),
        &["more", "inner text"],
    ),
    shape(
        "table of wide spans",
        1_000_000,
        |n| {
            let cell = "<tr><td rowspan=65534 colspan=1000>cell<td>other";
            between("<table><tr><th>a<th>b".to_owned() + &cell.repeat(n / 10) + "</table>")
        },
        &["cell", "other"],
    ),
    shape(
        "shadow roots in shadow roots",
        200_000,
        |n| between("<x-a><template shadowrootmode=open>inner ".repeat(n) + "deep text"),
        &["inner", "deep text"],
    ),
    shape(
        "payload of strings",
        1_000_000,
        |n| {
            let strings = r#""a":"Some words of a sentence that goes on and on.","#.repeat(n / 10);
            between(format!("<script id=__NEXT_DATA__>{{{strings}}}</script>"))
        },
        &[],
    ),
    shape(
        "payload of strings in strings, never ended",
        1_000_000,
        |n| between("<script>self.__next_f.push([1,\"".to_owned() + &"\\\\\\\"a ".repeat(n) + "</script>"),
        &[],
    ),
    shape(
        "rules of a style sheet",
        1_000_000,
        |n| {
            let rules: String = (0..n).map(|at| format!(".{}{{display:none}}", letters(at))).collect();
            between(format!("<style>{rules}</style><p class=\"a b c d\">inner text"))
        },
        &["inner text"],
    ),
    shape(
        "style sheet of open blocks",
        1_000_000,
        |n| between(format!("<style>{}</style><p>inner text", "@media x{/**/.a,.b{display:none".repeat(n))),
        &["inner text"],
    ),
    shape(
        "hidden parts of one line",
        1_000_000,
        |n| between("<span hidden>".repeat(500) + &"<b hidden>a</b> b ".repeat(n / 2) + &"</span>".repeat(500)),
        &["a b a b"],
    ),
    shape(
        "hidden parts of lines",
        200_000,
        |n| between("<p><span class=hidden>a <b hidden>b".repeat(n) + "deep text"),
        &["deep text"],
    ),
    shape("code, never closed", 200_000, |n| between("<pre><code>a\n".repeat(n)), &["a"]),
    shape("nested b", 200_000, |n| between("<b>".repeat(n) + "bold text" + &"</b>".repeat(n)), &["bold text"]),
    shape(
        "formatting elements, misnested",
        10_000,
        |n| between("<p><b><i><u>some text</p>".repeat(n) + &"</u></i></b>".repeat(n)),
        &["some text"],
    ),
    shape(
        "one text node",
        50_000_000,
        |n| between(format!("<p>{}the end</p>", "word ".repeat(n / 5))),
        &["word word", "word the end"],
    ),
    shape(
        "one attribute",
        50_000_000,
        |n| between(format!("<p title=\"{}\">inner text</p>", "a <b> ".repeat(n / 6))),
        &["inner text"],
    ),
    shape(
        "attributes on a tag",
        1_000_000,
        |n| {
            let attributes: String = (0..n).map(|at| format!(" a{at}=x")).collect();
            between(format!("<p{attributes}>inner text</p>"))
        },
        &["inner text"],
    ),
    shape(
        "class tokens",
        1_000_000,
        |n| {
            let tokens: String = (0..n).map(|at| letters(at) + " ").collect();
            between(format!("<p class=\"{tokens}\">inner text</p>"))
        },
        &["inner text"],
    ),
    shape(
        "less-than signs",
        10_000_000,
        |n| between(format!("<p>one {} two</p>", "<".repeat(n))),
        &["one <<<", "<<< two"],
    ),
    shape(
        "unclosed script",
        1_000_000,
        |n| between(format!("<script>if (a < b) {{ c = '<p>no</p>'; }}\n{}", paragraphs(n))),
        &["Paragraph 999"],
    ),
    shape(
        "unclosed script in a comment in a script",
        100_000,
        |n| between(format!("<script><!-- <script></script>\n{}", paragraphs(n))),
        &["Paragraph 999"],
    ),
    shape(
        "unclosed style",
        100_000,
        |n| between(format!("<style>p {{ color: red }}\n{}", paragraphs(n))),
        &["Paragraph 999"],
    ),
    shape("unclosed comment", 100_000, |n| between(format!("<!-- a comment {}", paragraphs(n))), &["Paragraph 999"]),
    shape(
        "unclosed textarea",
        100_000,
        |n| between(format!("<textarea>written {}", paragraphs(n))),
        &["Paragraph 999"],
    ),
    shape("unclosed title", 100_000, |n| between(format!("<title>A title\n{}", paragraphs(n))), &["Paragraph 999"]),
    shape(
        "unclosed template",
        100_000,
        |n| between(format!("<template><i>x</i>{}", paragraphs(n))),
        &["Paragraph 999"],
    ),
    shape("unclosed templates", 200_000, |n| between("<template><p>text</p>".repeat(n)), &["text"]),
    shape("unclosed quote", 100_000, |n| between(format!("<a href='x>link {}", paragraphs(n))), &["Paragraph 999"]),
    shape(
        "unclosed scripts, styles and comments",
        200_000,
        |n| between("<script>a<p>text<style>b<p>text<!-- c<p>text<textarea>d<p>text<iframe>".repeat(n / 5)),
        &["text"],
    ),
    shape("unclosed quotes", 200_000, |n| between("<p>text<a b='<p>text<a b=\"".repeat(n)), &["text"]),
    shape(
        "nested tables",
        100_000,
        |n| between("<table><tr><td>".repeat(n) + "cell text" + &"</table>".repeat(n)),
        &["cell text"],
    ),
    shape(
        "table rows",
        1_000_000,
        |n| {
            let rows: String = (0..n).map(|at| format!("<tr><td>row {at}<td>cell")).collect();
            between(format!("<table>{rows}</table>"))
        },
        &["row 0", "row 500", "row 999"],
    ),
    shape(
        "list items under 500 spans",
        500_000,
        |n| between(format!("<p><object>{}{}</object>", "<span>".repeat(490), "<hr>".repeat(n))),
        &[],
    ),
    shape(
        "texts under 490 spans",
        500_000,
        |n| {
            let texts: String = (0..n).map(|at| format!("text {at}<hr>")).collect();
            between(format!("<p><object>{}{texts}</object>", "<span>".repeat(490)))
        },
        &["text 0", "text 999"],
    ),
    shape(
        "unknown elements",
        500_000,
        |n| between((0..n).map(|at| format!("<x-{}>", letters(at))).collect::<String>() + "inner text"),
        &["inner text"],
    ),
    shape("entities", 1_000_000, |n| between(format!("<p>{}x</p>", "&eacute;&#38;&am ".repeat(n / 3))), &["é&&am é&"]),
    shape("ampersands", 1_000_000, |n| between(format!("<p>one {} two</p>", "&".repeat(n))), &["one &&&", "&&& two"]),
    shape("NULs", 1_000_000, |n| between(format!("<p>one{}two</p>", "\0".repeat(n))), &["onetwo"]),
    shape(
        "invalid UTF-8",
        1_000_000,
        |n| {
            let [start, end] = ["<p>good bytes</p>", "</body></html>"].map(str::as_bytes);
            let page = between(String::new());
            let body = page.strip_suffix(end).unwrap_or(&page);
            let bad = b"<p>bad \xFF\xC3\x28 bytes</p>".repeat(n / 20);
            [body, start, &bad, start, end].concat()
        },
        &["good bytes", "bad"],
    ),
    shape(
        "UTF-16 without a mark",
        100_000,
        |n| utf16(&between(paragraphs(n) + "<p>文字だけの段落です。</p>")),
        &["Paragraph 999", "文字だけの段落です。"],
    ),
    shape(
        "a card of many paragraphs behind a deep one",
        1_000_000,
        |n| {
            let deep = "<div>".repeat(12) + "deep text" + &"</div>".repeat(12);
            let card = |text: &str| format!("<li class=card>{deep}{text}</li>");
            between(format!("<ul>{}{}{}</ul>", card(&paragraphs(n)), card("a"), card("b")))
        },
        &["deep text", "Paragraph 999 of many."],
    ),
    shape(
        "headings",
        1_000_000,
        |n| between((0..n).map(|at| format!("<h2>Heading {at}</h2>")).collect()),
        &["Heading 0", "Heading 999"],
    ),
    shape(
        "links",
        1_000_000,
        |n| between((0..n).map(|at| format!("<a href=/{at}>Link {at}</a> ")).collect()),
        &["Link 0", "Link 999"],
    ),
    shape("svg, never closed", 500_000, |n| between("<svg><g>".repeat(n) + "<p>inner text</p>"), &["inner text"]),
    shape(
        "noscript in noscript",
        200_000,
        |n| between("<noscript><p>text</p>".repeat(n) + &"</noscript>".repeat(n)),
        &["text"],
    ),
];

const fn shape(name: &'static str, size: usize, page: fn(usize) -> Vec<u8>, texts: &'static [&'static str]) -> Shape {
    Shape { name, size, page, texts }
}

/// A page with `part` between the two sentences.
fn between(part: String) -> Vec<u8> {
    format!(
        "<!DOCTYPE html><html><head><meta charset=utf-8></head><body><p>{BEFORE}</p>{part}<p>{AFTER}</p></body></html>"
    )
    .into_bytes()
}

fn paragraphs(n: usize) -> String {
    (0..n).map(|at| format!("<p>Paragraph {at} of many.</p>")).collect()
}

/// A number written in letters.
fn letters(mut number: usize) -> String {
    let mut out = String::from("q");
    loop {
        out.push(char::from(b'a' + (number % 26) as u8));
        number /= 26;
        if number == 0 {
            return out;
        }
    }
}

fn utf16(page: &[u8]) -> Vec<u8> {
    String::from_utf8_lossy(page)
        .replace("<meta charset=utf-8>", "")
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect()
}
