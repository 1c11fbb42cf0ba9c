//! Tests that text of a page never becomes Markdown markup: the output is parsed again and must be plain text.

use pulldown_cmark::{Event, Options, Parser, Tag};

use super::tests::extraction;
use crate::MarkdownOptions;

/// Texts that a Markdown reader could take for markup, each divided into two halves.
const SIGNS: [(&str, &str); 18] = [
    ("&lt;", "img src=x onerror=y>"),
    ("&lt;", "/p>"),
    ("&lt;", "https://evil.example/>"),
    ("[x]", "(javascript:alert(1))"),
    ("![x]", "(https://evil.example/)"),
    ("[x]", ": https://evil.example/"),
    ("[x]", "[y]"),
    ("[", "^1]"),
    ("#", " Forged"),
    ("##", "# Forged"),
    ("*", "*strong**"),
    ("_", "_strong__"),
    ("`", "`code``"),
    ("~", "~struck~~"),
    ("&amp;", "lt;b>"),
    ("-", " item"),
    ("1", ". item"),
    (">", " quote"),
];

/// Invisible HTML to insert between the two halves of a text.
const GAPS: [&str; 9] = [
    "", "<b hidden>1</b>", "<i style='display:none'>a</i>", "<span class=hidden>a b</span>", "<a href=#z>¶</a>",
    "<wbr>", "<b></b>", "<!-- x -->", "<del>q.</del>",
];

/// Pages with a placeholder (`{}`) for a text, each with the Markdown markup that the page itself causes.
const PLACES: [(&str, &str); 6] = [
    ("<p>A first line of it, {} and more of it.", ""),
    ("<p>{} begins a line of it.", ""),
    ("<p>A first line of it<br>{} begins the next.", ""),
    ("<h2>A heading of {} it</h2><p>More.", "heading"),
    ("<ul><li>{} in an item</ul>", "list item"),
    ("<table><tr><th>A<th>B<tr><td>{} in a cell<td>c</table>", "table"),
];

/// Returns the markup that a Markdown reader finds, except the kinds named in `own`, and the text.
fn markup(markdown: &str, own: &str) -> (Vec<String>, String) {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES;
    let (mut found, mut text) = (Vec::new(), String::new());
    for event in Parser::new_ext(markdown, options) {
        let name = match event {
            Event::Text(part) => {
                text.push_str(&part);
                continue;
            }
            Event::SoftBreak | Event::HardBreak | Event::End(_) => continue,
            Event::Start(Tag::Paragraph | Tag::Strikethrough) => continue,
            Event::Start(Tag::Heading { .. }) => "heading".to_owned(),
            Event::Start(Tag::List(_)) => "list".to_owned(),
            Event::Start(Tag::Item) => "item".to_owned(),
            Event::Start(Tag::Table(_) | Tag::TableHead | Tag::TableRow | Tag::TableCell) => "table".to_owned(),
            other => format!("{other:?}"),
        };
        if !own.split(' ').any(|own| own == name) {
            found.push(name);
        }
    }
    (found, text)
}

fn written(html: &str, links: bool) -> String {
    let blocks = extraction(html, &[]).page.blocks.len();
    let options = MarkdownOptions::default().with_links(links).with_images(links).with_title(false);
    extraction(html, &vec![true; blocks]).markdown(&options)
}

#[test]
fn signs_of_the_text_are_no_markup() {
    let squeezed = |text: &str| -> String { text.chars().filter(|c| !c.is_whitespace()).collect() };
    for (place, own) in PLACES {
        for gap in GAPS {
            for (one, other) in SIGNS {
                let html = place.replace("{}", &format!("{one}{gap}{other}"));
                for links in [false, true] {
                    let markdown = written(&html, links);
                    let (mut found, text) = markup(&markdown, own);
                    // An address in angle brackets is a link where links are asked for.
                    if links && other.starts_with("https") {
                        found.retain(|name| !name.contains("Link"));
                    }
                    assert!(found.is_empty(), "{html}\n{markdown}{found:?}");
                    let said = format!("{one}{other}").replace("&lt;", "<").replace("&amp;", "&");
                    let is_said = squeezed(&text).contains(&squeezed(&said));
                    assert!(is_said || gap.contains("del"), "{html}\n{markdown}{text}");
                }
            }
        }
    }
}

#[test]
fn formulas_are_no_markup() {
    let attacks = [
        "[x](javascript:alert(1))^2", "![x](https://evil.example/)=1", "a=<img src=x onerror=1>", "a=`code`",
        "a=1 \\\\<br><br># Forged", "a=1<br>- item<br>2. item<br>> quote", "a=1<br>===", "a=1<br>* * *<br>~~~<br>code",
        "a=1<br>x | y<br>--- | ---", "x[^1]=\\\\",
    ];
    let escaped = |tex: &str| tex.replace("<img", "&lt;img");
    for tex in attacks.map(escaped) {
        let annotation = tex.replace("<br>", "\n");
        for html in [
            format!("<p>Be \\({tex}\\) here."),
            format!("<p>Be ${tex}$ here."),
            format!("<p>$${tex}$$"),
            format!("<p>Be \\begin{{a}}{tex}\\end{{a}} here."),
            format!(
                "<p>Be <math><semantics><mi>x</mi><annotation encoding='application/x-tex'>{annotation}</annotation></semantics></math> so."
            ),
            format!(
                "<p>So:<p><math display=block><semantics><mi>x</mi><annotation encoding='application/x-tex'>{annotation}</annotation></semantics></math>"
            ),
            format!("<h2>Be \\({tex}\\) here</h2><p>More."),
            format!("<table><tr><th>A<th>B<tr><td>\\({tex}\\)<td>c</table>"),
        ] {
            let own = if html.starts_with("<h2") {
                "heading"
            } else if html.contains("<td") {
                "table"
            } else {
                ""
            };
            let markdown = written(&html, true);
            let (found, _) = markup(&markdown, own);
            let found: Vec<String> =
                found.into_iter().filter(|name| !name.contains("Emphasis") && !name.contains("Strong")).collect();
            assert!(found.is_empty(), "{html}\n{markdown}{found:?}");
        }
    }
}

#[test]
fn a_mark_at_the_start_of_a_line_begins_no_note() {
    let notes = "<ol class=footnotes><li id=fn1>The note of it. <a href=#r1>back</a></ol>";
    let mark = "<sup><a href=#fn1 id=r1>1</a></sup>";
    for html in [
        format!("<p>{mark}: text of it.<p>More{mark} of it.{notes}"),
        format!("<p>A line<br>{mark}: text of it.{notes}"),
        format!("<p><b hidden>x</b>{mark}: text of it.{notes}"),
        format!("<p>More{mark} of it, [^1] and<p>[^1]: text of it.{notes}"),
        format!("<p>Wow!{mark}(https://evil.example/) of it.{notes}"),
    ] {
        let markdown = written(&html, true);
        let (found, text) = markup(&markdown, "list item");
        let is_note = |name: &String| name.contains("FootnoteReference") || name.contains("FootnoteDefinition");
        assert!(found.iter().all(is_note), "{html}\n{markdown}{found:?}");
        let definitions = found.iter().filter(|name| name.contains("FootnoteDefinition")).count();
        assert!(definitions == 1 && text.contains("of it"), "{html}\n{markdown}{found:?}");
    }
}
