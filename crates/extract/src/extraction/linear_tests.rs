//! Tests that writing a page takes steps in proportion to its length, with all settings.

use super::tests::extraction;
use crate::render::traced;
use crate::{DocumentOptions, MarkdownOptions};

/// Start of a page, and a function that returns the part to repeat after it, given the number of the repetition.
type Shape = (&'static str, fn(usize) -> String);

/// Starts of pages that could be slow to write, each with a function that makes the part to repeat.
const SHAPES: [Shape; 43] = [
    ("<p>", |_| "The mill turns by the river of the old village. ".into()),
    ("", |at| format!("<p>Paragraph {at} of it.")),
    ("<p>", |at| format!("<b>&lt;http://a.example/{at}&gt;</b> x ")),
    ("<p>", |at| format!("<a href='#a{at}'>&lt;http://a.example/{at}&gt;</a> x ")),
    ("<p>", |at| format!("<a href=/{at}>x</a> y. ")),
    ("<p>text", |_| "<sup><a href='#f' id=r>1</a></sup> word. ".into()),
    ("<p>", |at| {
        format!("a<sup><a href='#f{at}' id=r{at}>{at}</a></sup> <p id=f{at}>{at} a note <a href='#r{at}'>^</a><p>")
    }),
    ("<table>", |at| {
        format!(
            "<tr><td>a<sup><a href='#f{at}' id=r{at}>{at}</a></sup><tr id=f{at}><td><a href='#r{at}'>{at}</a><td>a note"
        )
    }),
    ("<p>", |_| {
        "a<span class=ltx_note><sup>1</sup><span class=ltx_note_content>1 said <del>so</del> here</span></span> ".into()
    }),
    ("<picture>", |_| "<img width=500>".into()),
    ("<picture>", |_| "<source type=x><img alt=x>".into()),
    ("<picture><source srcset='a.webp 1x'>", |_| "<img>".into()),
    ("<a href=x>", |_| "<img>".into()),
    ("<p>", |_| "<a href=x><img><img alt=y></a> z ".into()),
    ("", |at| format!("<img src=a{at}.png alt=b><p>c{at}</p>")),
    ("", |at| format!("<img srcset='a{at}.jpg 300w, b.jpg 600w'>")),
    ("<code>", |at| format!("line {at}<hr>")),
    ("<pre>", |at| format!("line {at}\n")),
    ("", |_| "<pre>a\nb</pre><p>c".into()),
    ("<ul>", |at| format!("<li>item {at}")),
    ("<ol>", |_| "<li>a<ol><li>b</ol>".into()),
    ("<ol reversed>", |at| format!("<li value={at}>a")),
    ("<dl>", |_| "<dt>term<dd>definition".into()),
    ("<blockquote>", |_| "<blockquote><p>a</blockquote>".into()),
    ("", |_| "<div class='admonition note'><p class=title>a<p>b</div>".into()),
    ("", |at| {
        format!(
            "<div class='admonition note'><p>a{at}<sup><a href='#f{at}' id=r{at}>{at}</a></sup></div><p id=f{at}>{at} b <a href='#r{at}'>^</a>"
        )
    }),
    ("<table>", |at| format!("<tr><td>row {at}<td>cell")),
    ("<table><tr><th>a<th>b", |_| "<tr><td rowspan=65534 colspan=1000>cell of it<td>other".into()),
    ("<table><tr><td rowspan=65534>a<td rowspan=65534>b<td>c", |_| "<tr><td>d".into()),
    ("<table><tr>", |_| "<td>a".into()),
    ("<table><tr><th>a<th>b", |_| "<tr><td><ul><li>a<li>b</ul><td><code>||</code>".into()),
    ("<table>", |at| {
        format!(
            "<tr class=post><td><a class=author>ann{at}</a><time datetime=2024-05-17>x</time><td class=text>Words of it."
        )
    }),
    ("", |at| {
        format!(
            "<div class=post><a class=author>ann{at}</a><time datetime=2024-05-17>x</time><p>Words.<img src=/{at}></div>"
        )
    }),
    ("<p>", |_| "a <span hidden>b</span> ".into()),
    ("<p>", |_| "a <del>b</del>c ".into()),
    ("<p>-", |_| "- <a class=btn href=a>b</a>".into()),
    ("<p>", |_| "<b>a</b><i>b</i><code>c</code>".into()),
    ("<p>", |_| "so \\(x\\) is $y^2$ and <math><mi>x</mi></math> ".into()),
    ("<p>", |_| "`a`` [b](c) ".into()),
    ("<p>", |at| format!("{} ", "`".repeat(at % 40))),
    ("", |at| format!("<h{}>Head {at}</h{}>", 1 + at % 6, 1 + at % 6)),
    ("<h2>Head of many words for one</h2>", |_| "<p>A.".into()),
    ("", |at| format!("<p style='mso-list:l0 level{} lfo1'>item {at}", 1 + at % 3)),
];

fn options() -> Vec<DocumentOptions> {
    let lists = |size: &str| {
        let options = DocumentOptions::default().with_chunks(Some(size.parse().unwrap())).with_spans(true);
        options.with_blocks(true).with_tables(true).with_posts(true)
    };
    let markdown = MarkdownOptions::default().with_links(true).with_images(true);
    let in_markdown = |size: &str| lists(size).with_posts(false).with_markdown(markdown);
    vec![
        lists("words=40,overlap=20"),
        lists("words=1"),
        lists("words=500,overlap=250"),
        in_markdown("words=30,overlap=15"),
        in_markdown("words=500,overlap=250"),
        in_markdown("words=1").with_max_tokens(std::num::NonZeroU32::new(500)),
        lists("words=40").with_markdown(markdown),
        in_markdown("words=40").with_markdown(markdown.with_sections(true).with_images(false)),
        in_markdown("words=40").with_markdown(MarkdownOptions::default().with_images(true)),
    ]
}

fn steps_of((start, part): Shape, times: usize, options: &DocumentOptions) -> u64 {
    let parts: String = (0..times).map(part).collect();
    let html = format!("<title>T</title><p>The first line stands before all of it.</p>{start}{parts}");
    let blocks = extraction(&html, &[]).page.blocks.len();
    let page = extraction(&html, &vec![true; blocks]);
    let document = page.document(options);
    assert!(!document.capped.iter().any(|cap| cap == "writing"), "{start}");
    traced::taken()
}

#[test]
fn writing_twice_as_much_takes_twice_the_steps() {
    for shape in SHAPES {
        for options in options() {
            let (once, twice) = (steps_of(shape, 900, &options), steps_of(shape, 1800, &options));
            // The last chunk, which may be short, repeats as much as the others.
            assert!(twice <= once * 5 / 2 + 3000, "{} {}: {once} {twice} {options:?}", shape.0, shape.1(1));
        }
    }
}

#[test]
fn a_page_that_takes_too_many_steps_has_no_marks_and_says_so() {
    let page = extraction("<p>a <b>b</b> <a href=http://a.example/>c</a>", &[true]);
    let options = DocumentOptions::default().with_markdown(MarkdownOptions::default().with_links(true));
    assert_eq!(page.document(&options).text, "a **b** [c](http://a.example/)\n");
    traced::begin();
    traced::exhaust();
    assert_eq!(page.markdown(&MarkdownOptions::default()), "a b c\n");
    assert!(traced::are_too_many());
}
