use super::*;
use trommel_html::{Engine, Limits, ScanEngine};

fn shown(html: &str) -> Vec<String> {
    let page = ScanEngine.read(html, &Limits::default());
    let content = KeptContent::new(&page, html, &vec![true; page.blocks.len()]);
    let join = |blocks: &[u32]| {
        let texts: Vec<&str> = blocks.iter().map(|at| content.text(*at)).collect();
        texts.join("+")
    };
    let segment = |segment: &Segment| match segment {
        Segment::Paragraph { block } => format!("p {}", content.text(*block)),
        Segment::Heading { level, blocks } => format!("h{level} {}", join(blocks)),
        Segment::Code { element, blocks } => format!("code {}", content.code(*element, blocks)),
        Segment::Table(table) => format!("table of {}", table.rows.len()),
    };
    content.segments.iter().map(segment).collect()
}

#[test]
fn blocks_are_put_together() {
    assert_eq!(
        shown(
            "<h2><div>1</div><div>One</div></h2><p>a<h3>b</h3><table><tr><th>x<th>y<tr><td>1<td>2</table>\
             <pre>if x:\n  y<div>z</div><br><br>w</pre><pre>v</pre>c"
        ),
        ["h2 1+One", "p a", "h3 b", "table of 2", "code if x:\n  y\nz\n\n\nw", "code v", "p c"]
    );
}

#[test]
fn code_has_its_lines_without_words() {
    assert_eq!(
        shown(
            "<p>a</p><pre>\n<div>{</div>\n<div>  b: [</div><div>  ]<br></div><div><br></div><div>  c</div>\
             <div>}</div></pre>)<pre>d</pre>"
        ),
        ["p a", "code {\n  b: [\n  ]\n\n  c\n}", "code d"]
    );
    // Never closed: what comes after is not known to belong to it.
    assert_eq!(shown("<pre>a<br><br>}"), ["code a"]);
}

#[test]
fn a_heading_that_was_never_closed_is_its_first_line() {
    let long = "word ".repeat(61);
    assert_eq!(shown(&format!("<h2>{long}</h2>")), [format!("p {}", long.trim())]);
    let wide = "a".repeat(201);
    assert_eq!(shown(&format!("<h2>{wide}</h2>")), [format!("p {wide}")]);
    let short = "word ".repeat(30);
    assert_eq!(shown(&format!("<h2>{short}</h2>")), [format!("h2 {}", short.trim())]);
    assert_eq!(shown("<h1>t<p>a<p>b<p>c"), ["h1 t", "p a", "p b", "p c"]);
    assert_eq!(shown("<h3>t<div>a</div><div>b</div><div>c</div>"), ["h3 t", "p a", "p b", "p c"]);
    assert_eq!(shown(&format!("<h3>t<div>{long}</div>")), ["h3 t".to_owned(), format!("p {}", long.trim())]);
    assert_eq!(shown("<h3><div>t</div><div>a</div><div>b</div><div>c</div>"), ["h3 t", "p a", "p b", "p c"]);
    assert_eq!(shown("<h2><ul><li>a</ul>"), ["p a"]);
}

#[test]
fn a_sentence_that_the_sheet_hides_is_left_out_of_its_line() {
    let hidden = "who reads these words has read more than the page ever showed";
    let text = |html: &str| {
        let page = ScanEngine.read(html, &Limits::default());
        crate::render::text::plain_text(&KeptContent::new(&page, html, &vec![true; page.blocks.len()])).text
    };
    for css in [".q8{display:none}", "span.q8{visibility:hidden}", "#q9{display:none}"] {
        let html = format!("<style>{css}</style><p>Eins <span class=q8 id=q9>{hidden}</span> zwei.</p>");
        assert_eq!(text(&html), "Eins zwei.", "{css}");
    }
    for (css, more) in
        [(".q8{display:none}", "<script>open('.q8')</script>"), (".q8{display:none} p:hover .q8{display:inline}", "")]
    {
        let html = format!("<style>{css}</style><p>Eins <span class=q8>{hidden}</span> zwei.</p>{more}");
        assert_eq!(text(&html), format!("Eins {hidden} zwei."), "{css}");
    }
    let html = format!("<p>Eins <span hidden>{hidden}</span> zwei.</p>");
    assert_eq!(text(&html), format!("Eins {hidden} zwei."));
}
