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
fn a_heading_that_was_never_closed_is_none() {
    let long = "word ".repeat(61);
    assert_eq!(shown(&format!("<h2>{long}</h2>")), [format!("p {}", long.trim())]);
    let wide = "a".repeat(201);
    assert_eq!(shown(&format!("<h2>{wide}</h2>")), [format!("p {wide}")]);
    let short = "word ".repeat(30);
    assert_eq!(shown(&format!("<h2>{short}</h2>")), [format!("h2 {}", short.trim())]);
    assert_eq!(shown("<h1>t<p>a<p>b<p>c"), ["p t", "p a", "p b", "p c"]);
    assert_eq!(shown("<h2><ul><li>a</ul>"), ["p a"]);
}
