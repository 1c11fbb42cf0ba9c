//! Tests the Markdown of small pages, in which every block is kept except those that start with `-`.

use super::*;
use trommel_html::{Limits, ScanEngine};

fn shown(html: &str, url: Option<&str>, links: bool) -> String {
    let options = MarkdownOptions::default().with_links(links);
    shown_with(html, url, &options)
}

fn shown_with(html: &str, url: Option<&str>, options: &MarkdownOptions) -> String {
    let page = ScanEngine.read_styled(html, &Limits::default());
    let kept: Vec<bool> = page.blocks.iter().map(|block| !page.text(block).starts_with('-')).collect();
    let content = KeptContent::new(&page, html, &kept).with_options(options.text, None);
    markdown(&content, url, options, Headline::None, None).text
}

#[track_caller]
fn check(html: &str, expected: &str) {
    assert_eq!(shown(html, None, false), expected);
}

#[test]
fn headings_and_paragraphs() {
    check(
        "<h1>A <b>b</b><br>c</h1><p>1. d<br># e<h3><div>f</div><div>g</div></h3>",
        "# A b c\n\n1\\. d\\\n\\# e\n\n### f g\n",
    );
    check("", "");
}

#[test]
fn headings_of_the_first_level_stay_where_they_are_the_outline() {
    let below_title = |html: &str| {
        let page = ScanEngine.read_styled(html, &Limits::default());
        let content = KeptContent::new(&page, html, &vec![true; page.blocks.len()]);
        markdown(&content, None, &MarkdownOptions::default(), Headline::Above, None).text
    };
    assert_eq!(below_title("<h1>a</h1><h2>b</h2><h1>c</h1>d"), "# a\n\n## b\n\n# c\n\nd\n");
    assert_eq!(below_title("<h1>a</h1><h2>b</h2>d"), "## a\n\n## b\n\nd\n");
    // Nothing of the second level is below them.
    assert_eq!(below_title("<h1>a</h1><h1>c</h1>d"), "## a\n\n## c\n\nd\n");
}

#[test]
fn a_heading_that_leads_to_itself_is_no_link() {
    for html in [
        "<h2 id=a><a href=#a>A</a></h2>",
        "<h2><a id=a href='#a'>A</a></h2>",
        "<section id=a><h2><a href=#a>A</a></h2></section>",
        "<a href=#a><h2 id=a>A</h2></a>",
        "<h2 id='ä'><a href=#%C3%A4>A</a></h2>",
    ] {
        assert_eq!(shown(html, None, true), "## A\n", "{html}");
    }
    let other = "<h2 id=a><a href=#b>A</a></h2><p><a id=c href=#c>d</a>";
    assert_eq!(shown(other, None, true), "## [A](#b)\n\n[d](#c)\n");
}

#[test]
fn a_list_with_code_or_undivided_script_is_no_layout() {
    let code = "<pre>".to_owned() + &"a b c d\n".repeat(60) + "</pre>";
    let long = shown(&format!("<ul><li>x{code}<li>y{code}</ul>"), None, false);
    assert!(long.starts_with("- x\n\n  ```"), "{long}");
    let text = "\u{4e00}".repeat(200);
    check(&format!("<ul><li>{text}<li>{text}</ul>"), &format!("- {text}\n- {text}\n"));
    check("<ol><li><h2>a</h2>b<li>c<li>d</ol>", "1. ## a\n\n   b\n2. c\n3. d\n");
}

#[test]
fn what_is_left_out_within_a_line_leaves_no_trace() {
    check("<p>a <span style='display:none'>x</span> b <b>c <i hidden>y</i>d</b>", "a b **c d**\n");
    let off = TextOptions::default().with_math(MathForm::Off);
    let options = MarkdownOptions::default().with_text(off);
    let html = "<p>Let <math><mi>x</mi></math> be the speed.";
    assert_eq!(shown_with(html, None, &options), "Let be the speed.\n");
}

#[test]
fn what_is_struck_out_is_marked() {
    check(
        "<p>costs <del>$5</del> $4, <s>old</s>new, <strike><b>ten</b> or</strike> nine~<h2>a <del>b</del></h2>",
        "costs ~~$5~~ $4, ~~old~~new, ~~**ten** or~~ nine\\~\n\n## a ~~b~~\n",
    );
    check("<p>all <s>a b</s>", "all ~~a b~~\n");
    check("<p><del>$5</del>", "~~$5~~\n");
}

#[test]
fn the_text_of_a_linked_image_is_its_alternative_text() {
    let html = "<p>Look at <a href=/a><img alt='Foo [1]'></a>and at<a href=/b><img alt=Two></a> for \
        <a href=/c><img></a>more <a href=/d><img alt=x> than</a> <b>words<a href=/e><img alt=E></a></b>.";
    assert_eq!(
        shown(html, Some("http://e.example/"), true),
        "Look at [Foo \\[1\\]](http://e.example/a) and at [Two](http://e.example/b) for more \
         [than](http://e.example/d) **words** [E](http://e.example/e).\n"
    );
    check(html, "Look at and at for more than **words**.\n");
}

#[test]
fn anchors_of_headings_are_left_out() {
    check("<h2>A<a href=#a>¶</a> <a href=#top>↑</a></h2><h3><a href=#b>#</a> B</h3>", "## A\n\n### B\n");
}

#[test]
fn lists_nest_by_the_width_of_their_markers() {
    check(
        "<p>x<ul><li>a<ol start=9><li>b<p>c<li>d<ul><li>e</ul></ol><li>f</ul>g",
        "x\n\n- a\n\n  9. b\n\n     c\n  10. d\n      - e\n- f\n\ng\n",
    );
    check("<ol><li>a<ol><li>b</ol></ol>", "1. a\n   1. b\n");
}

#[test]
fn paragraphs_of_word_are_items() {
    let item = |list: &str, sign: &str, text: &str| {
        let sign = format!(
            "<span style='font-family:Symbol'><span style='mso-list:Ignore'>{sign}<span>&nbsp; </span></span></span>"
        );
        format!("<p class=MsoListParagraph style='margin:0;mso-list:{list} lfo1'>{sign}{text}</p>")
    };
    let list = |levels: &[(u32, &str)]| -> String {
        levels
            .iter()
            .map(|(level, sign)| item(&format!("l0 level{level}"), sign, &format!("x{sign} <b>y</b>")))
            .collect()
    };
    let html = format!(
        "<p>a</p>{}<p>b</p>{}",
        list(&[(1, "1."), (2, "·"), (2, "·"), (1, "2.")]),
        list(&[(1, "a)"), (1, "b)")])
    );
    check(&html, "a\n\n1. x1. **y**\n   - x· **y**\n   - x· **y**\n2. x2. **y**\n\nb\n\n1. xa) **y**\n2. xb) **y**\n");
    let quoted = format!("<blockquote>{}</blockquote>", list(&[(2, "o")]));
    check(&quoted, "> - xo **y**\n");
    check("<p style='mso-list:l1 level1 lfo2'># c</p><p style='mso-list:none'>d", "- \\# c\n\nd\n");
}

#[test]
fn the_number_of_an_item_is_written_once() {
    check("<ol><li><span>1.</span><p>a<li><span>(2)</span><p>b<p>2.</ol>", "1. a\n2. b\n\n   2\\.\n");
    check("<ol><li>1.<li>3.<p>c</ol><ul><li>1.<p>d</ul>", "1. 1\\.\n2. 3\\.\n\n   c\n\n- 1\\.\n\n  d\n");
}

#[test]
fn numbers_are_those_of_the_page() {
    check("<ol><li>a<li>-<li>c<li value=7>d<li>e</ol>", "1. a\n3. c\n7. d\n8. e\n");
    check("<ol reversed><li>a<li>b</ol>", "2. a\n1. b\n");
}

#[test]
fn lists_side_by_side_stay_apart() {
    check("<ul><li>a</ul><ul><li>b<li>c</ul><ol><li>d</ol><p>e<ul><li>f</ul>", "- a\n\n* b\n* c\n\n1. d\n\ne\n\n- f\n");
    check("<ul><li>a<ul><ul><li>b</ul></ul></ul>", "- a\n  - b\n");
    check("<ul><li>a<ul><li>b</ul></li><ul><li>c</ul></ul>", "- a\n  - b\n\n  * c\n");
}

#[test]
fn lists_of_a_single_item_each_are_one() {
    check("<ul><li>a</ul><ul><li>b</li><ul><li>c</ul></ul><ul><li>d</ul>", "- a\n- b\n  - c\n- d\n");
    check("<ol><li>a</ol><ol start=2><li>b</ol><ol><li>c</ol>", "1. a\n2. b\n\n1) c\n");
}

#[test]
fn an_item_that_begins_with_a_list_indents_it() {
    check("<ul><li>a<li><ul><li>b<li>c</ul><li>d</ul>", "- a\n  - b\n  - c\n- d\n");
    check("<ul><li><ul><li>b</ul></ul>", "- - b\n");
}

#[test]
fn classes_indent_the_items_of_quill() {
    let item = |kind: &str, class: &str| format!("<li data-list={kind} class='{class}'>a");
    let items =
        [("ordered", ""), ("bullet", "ql-indent-1"), ("ordered", "ql-indent-2"), ("ordered", "ql-align-center")];
    let items: String = items.iter().map(|(kind, class)| item(kind, class)).collect();
    check(&format!("<ol>{items}</ol>"), "1. a\n   - a\n     1. a\n2. a\n");
}

#[test]
fn items_hold_blocks() {
    check(
        "<ul><li><p>a<pre>b\n\n c</pre><blockquote>d<p>e</blockquote><li><table><tr><th>x<th>y<tr><td>1<td>2</table></ul>",
        "- a\n\n  ```\n  b\n\n   c\n  ```\n\n  > d\n  >\n  > e\n- | x | y |\n  | --- | --- |\n  | 1 | 2 |\n",
    );
}

#[test]
fn code_at_the_start_of_an_item_begins_below_its_marker() {
    check(
        "<ul><li>a<li><pre>b\nc</pre>d</ul><ol><li><pre>e</pre></ol>",
        "- a\n-\n  ```\n  b\n  c\n  ```\n\n  d\n\n1.\n   ```\n   e\n   ```\n",
    );
    // Such an item cannot begin right below a paragraph.
    check("<ul><li>a<ul><li><pre>b</pre></ul></ul>", "- a\n\n  -\n    ```\n    b\n    ```\n");
}

#[test]
fn a_box_with_several_pieces_of_code_is_a_section() {
    let html = "<div class='admonition tip'><p class=title>T<p>a<pre>b</pre>c</div><p>d";
    check(html, "> [!tip] T\n>\n> a\n>\n> ```\n> b\n> ```\n>\n> c\n\nd\n");
    let several = html.replace("</pre>", "</pre><ul><li>e<pre>f</pre></ul>");
    check(&several, "> [!tip] T\n\na\n\n```\nb\n```\n\n- e\n\n  ```\n  f\n  ```\n\nc\n\nd\n");
}

#[test]
fn boxes_of_generators_say_their_kind() {
    for class in
        ["custom-block tip", "hint-container tip", "starlight-aside starlight-aside--tip", "callout callout-tip"]
    {
        check(&format!("<div class='{class}'><p>a</div>"), "> [!tip]\n> a\n");
    }
    check("<div class=callout><p>a</div>", "> [!note]\n> a\n");
    for class in ["callout-group", "custom-block", "hint-container"] {
        check(&format!("<div class='{class}'><p>a</div>"), "a\n");
    }
}

#[test]
fn marks_that_lead_to_a_place_are_no_text() {
    check("<p>a<a href=#b>¶</a><p><a href=#c>§</a>d <a href=#>#</a> <a href=e>§</a>", "a\n\nd # §\n");
}

#[test]
fn a_box_that_is_drawn_beside_a_check_box_is_said_once() {
    check("<ul><li><input type=checkbox> ▢ a<li><input type=checkbox checked>☐b</ul>", "- [ ] a\n- [x] b\n");
}

#[test]
fn signs_and_icons_are_the_boxes_of_a_checklist() {
    let icon = |class: &str| format!("<li><i class='fa fa-{class}'></i> a");
    let items = format!("<li>✓ a<li>❏ a{}{}<li>a", icon("check-square-o"), icon("square-o"));
    check(&format!("<ul class=checklist>{items}</ul>"), "- [x] a\n- [ ] a\n- [x] a\n- [ ] a\n- a\n");
    check("<ul><li>✓ a</ul>", "- ✓ a\n");
}

#[test]
fn lists_in_code_are_its_lines() {
    check("<ul><li>x<pre><ol><li>a<li>  b</ol></pre></ul>", "- x\n\n  ```\n  a\n    b\n  ```\n");
}

#[test]
fn quotes_nest() {
    check(
        "<blockquote>a<blockquote><p>b<p>c</blockquote>d</blockquote><blockquote>e</blockquote>",
        "> a\n>\n> > b\n> >\n> > c\n>\n> d\n\n> e\n",
    );
}

#[test]
fn definitions_stand_in_the_items_of_their_terms() {
    check(
        "<p>x<dl><dt>a <code>b</code><dd>c<dt>f:<dd><p>g<ul><li>h</ul><dt>i<dt>j<dt>k<dd>l<dd>m<pre>n</pre></dl><p>y",
        "x\n\n- **a `b`**: c\n- **f:**\n\n  g\n  - h\n- **i**, **j**, **k**: l\n\n  m\n\n  ```\n  n\n  ```\n\ny\n",
    );
    check("<dl><div><dt>a:</dt><dd>b<dl><dt>c<dd>d</dl></div></dl>", "- **a:** b\n  - **c**: d\n");
    // A heading is none, and without a term each definition is an item.
    check(
        "<dl><dt><h3>a</h3><dd>b<dt>c<dd>d</dl><dl><dd>e<dd>f<dt>-<dd>g</dl>",
        "### a\n\n- b\n- **c**: d\n\n* e\n* f\n* g\n",
    );
}

#[test]
fn code_has_a_fence_and_a_language() {
    check(
        "<pre><code class='hljs language-rust'>fn a() {\n    ```\n}</code></pre>\
         <div class='highlight highlight-source-shell'><pre>ls</pre></div><p><code>a<br>b</code>",
        "````rust\nfn a() {\n    ```\n}\n````\n\n```shell\nls\n```\n\n```\na\nb\n```\n",
    );
}

#[test]
fn code_around_several_blocks_is_written_once() {
    check("<div><code>a<br>b<div>c</div></code></div>", "```\na\nb\n```\n\n`c`\n");
}

#[test]
fn marks_stand_where_markdown_sees_them() {
    for (html, expected) in [
        ("a<b> b </b>c <em>d</em>, <code>e`f</code>", "a **b** c *d*, ``e`f``\n"),
        ("<b>W</b>ord <i>x</i>y", "**W**ord *x*y\n"),
        ("un<b>(x)</b>able", "un(x)able\n"),
        ("<b>a</b><i>b</i> <b>c <i>d</i></b>", "**a**b **c d**\n"),
        ("<b>a <code>*b*</code></b>", "**a `*b*`**\n"),
        ("<code>a</code><code>b</code> <b>c<br>d</b>", "`ab` **c\\\nd**\n"),
        ("<figure><img><figcaption>a <b>b</b></figure>", "*a b*\n"),
    ] {
        check(html, expected);
    }
}

#[test]
fn tables_have_rows_and_columns() {
    check(
        "<table><caption>T<tr><th>A<th><b>B</b><th>C<tr><td>a|b<td>-<td><b>c</b><br>d<p>e<tr><td><code>x|y</code></table>",
        "*T*\n\n| A | B | C |\n| --- | --- | --- |\n| a\\|b | - | **c** d e |\n| `x\\|y` |  |  |\n",
    );
    check("<table><tr><th>a<td>b<tr><th>c<td>d</table>", "|  |  |\n| --- | --- |\n| a | b |\n| c | d |\n");
    check("<table><tr><td>a<tr><td>b</table>", "a\n\nb\n");
    // A first row that alone is strong is the header.
    let rows = |first: &str, next: &str| format!("<table><tr>{first}<tr>{next}<tr><td>1<td>2</table>");
    let strong = "<td><b>A</b><td><p><strong>B c</strong>";
    check(&rows(strong, "<td>d<td>e"), "| A | B c |\n| --- | --- |\n| d | e |\n| 1 | 2 |\n");
    let strong_rows = "|  |  |\n| --- | --- |\n| **A** | **B c** |\n| **A** | **B c** |\n| 1 | 2 |\n";
    check(&rows(strong, strong), strong_rows);
    let half = "|  |  |\n| --- | --- |\n| **A** | B **c** |\n| d | e |\n| 1 | 2 |\n";
    check(&rows("<td><b>A</b><td>B <b>c</b>", "<td>d<td>e"), half);
}

#[test]
fn links_are_absolute() {
    let html = "<base href=/b/><p>See!<a href=x>one <b>two</b></a>, <a href='javascript:x'>no</a> \
                <a href='#n'>[3]</a><div><a href=/c><h2>D</h2><p>e</a></div>";
    assert_eq!(
        shown(html, Some("https://a.example/z/y"), true),
        "See\\![one **two**](https://a.example/b/x), no [\\[3\\]](#n)\n\n\
         ## [D](https://a.example/c)\n\ne\n"
    );
    assert_eq!(shown("<a href=x>y</a>", None, true), "y\n");
    assert_eq!(shown("<a href=http://x.example>y</a>", None, true), "[y](http://x.example/)\n");
    assert_eq!(shown("<a href=http://x.example>y</a>", None, false), "y\n");
}

#[test]
fn an_address_in_angle_brackets_is_a_link() {
    let shown = |html: &str| shown(html, Some("https://a.example/z"), true);
    assert_eq!(
        shown("<p>x &lt;https://b.example/c_d&gt; y"),
        "x \\<[https://b.example/c_d](https://b.example/c_d)> y\n"
    );
    // Markdown has no links in links.
    let inside =
        "<p><a href=/p>A &lt;http://b.example/&gt;</a> <a href=#n>B <b>c</b> &lt;http://d.example/&gt; e</a> f";
    assert_eq!(
        shown(inside),
        "[A \\<http://b.example/>](https://a.example/p) B **c** \\<[http://d.example/](http://d.example/)> e f\n"
    );
    assert_eq!(shown("<p>x <code>&lt;https://b.example/&gt;</code>"), "x `<https://b.example/>`\n");
}

#[test]
fn a_link_without_an_address_leads_to_the_page_itself() {
    let html = "<p><a href=''>a</a> <a href='#'>b</a> <a>c</a>";
    assert_eq!(shown(html, Some("https://a.example/z"), true), "[a](#) b c\n");
}

#[test]
fn images_stand_between_what_is_kept() {
    let html = "<h1>Title</h1><img src=/lead.jpg alt='A  mill_'><p>one two</p>\
                <ul><li><figure><img src='data:image/gif;base64,x' data-src=late.png><figcaption>-words</figcaption></figure><li>three</ul>\
                <p>in <img src=icon.png> line</p><img src=small.png width=16><img srcset='a.jpg 300w, b.jpg 900w'>\
                <p>-left out</p><img src=no.jpg><p>-and this</p><p>four</p><img src=last.jpg>";
    let url = Some("https://a.example/b/");
    let written = shown_with(html, url, &MarkdownOptions::default().with_images(true));
    let images: Vec<&str> = written.lines().filter(|line| line.contains("![")).collect();
    assert_eq!(
        images,
        [
            "![A mill\\_](https://a.example/lead.jpg)",
            "- ![](https://a.example/b/late.png)",
            "![](https://a.example/b/last.jpg)"
        ],
        "{written}"
    );
    let plain = shown(html, url, true);
    assert!(!plain.contains("!["), "{plain}");
    let picture = "<p>a</p><picture><source srcset='a.webp 1x, b.webp 2x'><img alt=c></picture><p>d";
    let written = shown_with(picture, url, &MarkdownOptions::default().with_images(true));
    assert_eq!(written, "a\n\n![c](https://a.example/b/b.webp)\n\nd\n");
}

#[test]
fn addresses_stay_as_they_are_written() {
    let html = "<base href=/b/><p><a href=../x>y</a></p><img src=z.png><p>w";
    let options = MarkdownOptions::default().with_links(true).with_images(true);
    let written = options.with_addresses(AddressForm::AsWritten);
    assert_eq!(shown_with(html, None, &written), "[y](../x)\n\n![](z.png)\n\nw\n");
    let url = Some("https://a.example/");
    assert_eq!(shown_with(html, url, &options), "[y](https://a.example/x)\n\n![](https://a.example/b/z.png)\n\nw\n");
}

#[test]
fn lists_and_quotes_around_the_page_are_not_seen() {
    let long = "word ".repeat(130);
    let long = long.trim();
    check(&format!("<ol><li>{long}<ul><li>a</ul><li>{long}</ol>"), &format!("{long}\n\n- a\n\n{long}\n"));
    check("<ul><li><h1>T</h1><p>a</ul>", "# T\n\na\n");
}

#[test]
fn deep_nesting_stays_short() {
    let deep = format!("{}x", "<blockquote><ul><li>".repeat(400));
    assert_eq!(shown(&deep, None, false).len(), 2 * 12 + 2);
}
