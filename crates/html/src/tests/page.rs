//! Tests of the tables over small pages, through the lol_html engine.

use crate::{Block, Caps, Engine, FactKind, Limits, LolEngine, NONE, Page, PushReader, ScanEngine, Tag};

fn read(html: &str) -> Page {
    LolEngine.read(html, &Limits::default())
}

fn texts(page: &Page) -> Vec<&str> {
    page.blocks.iter().map(|block| page.text(block)).collect()
}

/// Returns the names of the elements around a block, outermost first, separated by `>`.
fn path(page: &Page, block: usize) -> String {
    let mut names: Vec<&str> = page.path(page.blocks[block].element).map(|(_, element)| page.name(element)).collect();
    names.reverse();
    names.join(">")
}

#[test]
fn every_block_level_element_divides() {
    let page = read(
        "a<p>b<li>c<td>d<th>e<dt>f<dd>g<tr>h<pre>i</pre><blockquote>j</blockquote><section>k</section>\
         <article>l</article><figcaption>m</figcaption><summary>n</summary><h3>o</h3><my-card>p</my-card><p>q",
    );
    assert_eq!(texts(&page).join(""), "abcdefghijklmnopq");
    assert_eq!(page.blocks.len(), 17);
}

#[test]
fn inline_elements_do_not_divide_words_or_blocks() {
    let page = read("<p>un<b>break</b>able <a href=x>li<i>nk</i></a>, x<wbr>y<img>z</p>");
    assert_eq!(texts(&page), ["unbreakable link, xyz"]);
    let block = &page.blocks[0];
    assert_eq!((block.words, block.link_words, block.images), (3, 1, 1));
    let inline: Vec<&str> = page.inline(block).iter().map(|i| page.elements[*i as usize].tag.name()).collect();
    assert_eq!(inline, ["b", "a", "i", "wbr", "img"]);
}

#[test]
fn two_breaks_divide_one_does_not() {
    let page = read("<div>one<br>two<br> <br/>three<br><b>four</b></div>");
    assert_eq!(texts(&page), ["one\ntwo", "three\nfour"]);
}

#[test]
fn noscript_is_markup() {
    let page = read("<div>a</div><noscript><div id=posts><p>b <b>c</b><p>d&amp;e</div></noscript><p>f");
    assert_eq!(texts(&page), ["a", "b c", "d&e", "f"]);
    assert_eq!(path(&page, 1), "noscript>div>p");
    assert_eq!(path(&page, 3), "p");
    let start = "<div>a</div><noscript><div id=posts><p>".len() as u32;
    assert_eq!(page.blocks[1].span, (start, start + 6));
}

#[test]
fn an_open_style_in_noscript_does_not_swallow_the_page() {
    let page = read("<noscript><style>x{}</noscript><p>text</p>");
    assert_eq!(texts(&page), ["text"]);
}

#[test]
fn what_is_no_text_is_left_out() {
    let page = read(
        "<script>a</script><style>b</style><template><p>c</p></template><svg><text>d</text><title>e</title></svg>\
         <select><option>g</select><textarea><p>h</textarea><iframe>i</iframe><p>kept",
    );
    assert_eq!(texts(&page), ["kept"]);
    assert_eq!(page.head.title, "");
}

#[test]
fn an_element_that_is_never_closed_loses_nothing_after_it() {
    assert_eq!(texts(&read("<select><option>a<p>b</p>")), ["b"]);
    assert_eq!(texts(&read("<svg><path><div>b</div>")), ["b"]);
    assert_eq!(texts(&read("<svg/><p>b")), ["b"]);
    let names = "<svg><title>a<desc>a</svg>b<svg><desc>a<p>a</desc></svg><p>c<svg><title>a<p>d</p>";
    assert_eq!(texts(&read(names)), ["b", "c", "d"]);
}

#[test]
fn html_in_svg_is_text_of_the_page() {
    let slides = "<svg><foreignObject><section><h1>a</h1><p>b</section></foreignObject><text>-</text>\
                  <FOREIGNOBJECT>c</FOREIGNOBJECT></svg><p>d<svg><text>-</text></svg>";
    assert_eq!(texts(&read(slides)), ["a", "b", "c", "d"]);
    let nested = "<svg><svg><foreignObject>a<svg><foreignObject>b</svg><text>-</text></svg></svg>c";
    assert_eq!(texts(&read(nested)), ["a", "b", "c"]);
    let page = read("<svg><foreignObject/><text>-</text></svg>a<svg><foreignObject>b</svg>c");
    assert_eq!(texts(&page), ["a", "b", "c"]);
}

/// Markup that is never closed, each before a text.
const OPENERS: [&str; 12] = [
    "<svg><foreignObject><div>x", "<svg><foreignObject>", "<svg><title>", "<svg><desc>x", "<svg><title><svg><desc>",
    "<svg><![CDATA[", "<math><![CDATA[x", "<math><mtext>", "<noscript>", "<noscript><svg><![CDATA[", "<svg><g><text>x",
    "<math><mi><svg><title>",
];

#[test]
fn nothing_that_is_never_closed_swallows_the_page() {
    let article = "<h1>Title</h1><p>one</p><div>two</div>";
    for opener in OPENERS {
        for times in [1, 2, 3, 5, 100, 3000] {
            let html = format!("<body>{}{article}", opener.repeat(times));
            let page = ScanEngine.read(&html, &Limits::default());
            let found = texts(&page);
            for text in ["Title", "one", "two"] {
                let count = found.iter().filter(|found_text| **found_text == text).count();
                assert_eq!(count, 1, "{text}: {times} times {opener}");
            }
            assert!(page == read(&html), "{times} times {opener}");
        }
    }
}

#[test]
fn a_section_that_ends_is_text_where_text_is() {
    let html = "<svg><![CDATA[<p>a]]><style>b</style><![CDATA[c]]></svg>d";
    assert_eq!(texts(&read(html)), ["d"]);
    let open = "<svg><![CDATA[a]]><![CDATA[b <i>c</i> <p>d</p>]]e";
    assert_eq!(texts(&read(open)), ["d", "]]e"]);
}

#[test]
fn ends_are_implied_as_in_the_standard() {
    let page = read("<ul><li>a<ul><li>b</ul><li>c</ul><dl><dt>d<dd>e<dt>f</dl><p>g<p>h<div>i</div>");
    let paths: Vec<String> = (0..page.blocks.len()).map(|i| path(&page, i)).collect();
    assert_eq!(paths, ["ul>li", "ul>li>ul>li", "ul>li", "dl>dt", "dl>dd", "dl>dt", "p", "p", "div"]);
    let table = read("<table><tr><td>a<td>b<tr><td>c<table><tr><td>d</table>e<tbody><tr><td>f</table>g");
    let paths: Vec<String> = (0..table.blocks.len()).map(|i| path(&table, i)).collect();
    assert_eq!(
        paths,
        [
            "table>tr>td", "table>tr>td", "table>tr>td", "table>tr>td>table>tr>td", "table>tr>td", "table>tbody>tr>td",
            ""
        ]
    );
}

#[test]
fn stray_and_misnested_end_tags() {
    let page = read("<div><p>a</span></div></div></b><p>b<b><p>c</b></p>d<table><tr><td>x</div>y</table>");
    assert_eq!(texts(&page), ["a", "b", "c", "d", "x", "y"]);
    assert_eq!(path(&page, 0), "div>p");
    assert_eq!(path(&page, 1), "p");
    assert_eq!(path(&page, 4), path(&page, 5));
}

#[test]
fn a_heading_without_an_end_ends_where_none_could_go_on() {
    for (html, wanted) in [
        ("<h2>Anfang<p>Text.</p><h2>Ende<p>Mehr.</p>", "h2: Anfang|p: Text.|h2: Ende|p: Mehr."),
        ("<h3><b>Liste</b><ul><li>a<li>b</ul><p>c", "h3: Liste|li: a|li: b|p: c"),
        ("<h2>見出し<pre>a</pre></h2><p>b", "h2: 見出し|pre: a|p: b"),
        ("<h2><i>Offen<table><tr><td>a</table>", "h2: Offen|td: a"),
        ("<h2>Anfang</p><p>Text.</p><div><h3><b>Ende</b></p>Mehr.</div>", "h2: Anfang|p: Text.|h3: Ende|div: Mehr."),
        // Its parts are in it.
        ("<h1><p>Title</p></h1><p>a", "h1: Title|p: a"),
        ("<h1>Title<div>Second line</div></h1><p>a", "h1: Title|div: Second line|p: a"),
        ("<h1>Title <b>x</b><span>y</span></h1>a", "h1: Title xy|: a"),
    ] {
        let page = ScanEngine.read(html, &Limits::default());
        assert_eq!(page, LolEngine.read(html, &Limits::default()), "{html}");
        let shown = page.blocks.iter().map(|block| {
            let container = page.container(block).map_or("", |(_, element)| page.name(element));
            format!("{container}: {}", page.text(block))
        });
        assert_eq!(shown.collect::<Vec<_>>().join("|"), wanted, "{html}");
    }
}

#[test]
fn a_heading_ends_with_the_end_tag_of_any_level() {
    let page = read("<h2>a</h3>b<h1>c<h2>d</h1>e");
    let paths: Vec<String> = (0..page.blocks.len()).map(|i| path(&page, i)).collect();
    assert_eq!(paths, ["h2", "", "h1", "h2", ""]);
}

#[test]
fn links_end_where_the_next_starts() {
    let page = read("<div><a href=1>one<a href=2>two</a> three <a name=x>four</div>");
    assert_eq!(texts(&page), ["onetwo three four"]);
    let block = &page.blocks[0];
    assert_eq!((block.words, block.link_words), (3, 2));
    // A link around blocks links all of them, and ends with its own end tag.
    let page = read("<a href=1><div>one two</div><p>three</p></a><p>four");
    let links: Vec<u32> = page.blocks.iter().map(|b| b.link_words).collect();
    assert_eq!(links, [2, 1, 0]);
}

#[test]
fn spans_slice_the_page() {
    let html = "<body>\n <p> caf&eacute; <b>au</b> lait&nbsp;</p> tail ";
    let page = read(html);
    let slices: Vec<&str> = page.blocks.iter().map(|b| &html[b.span.0 as usize..b.span.1 as usize]).collect();
    assert_eq!(slices, ["caf&eacute; <b>au</b> lait", "tail"]);
}

#[test]
fn tags_and_pieces_are_counted() {
    let page = read("<div><p>a <b>b</b> c</p></div><p>d</p>");
    let counts: Vec<(u32, u32, u32)> = page.blocks.iter().map(|b| (b.tags_before, b.tags_inside, b.pieces)).collect();
    assert_eq!(counts, [(2, 2, 3), (3, 0, 1)]);
}

#[test]
fn attributes_become_tokens() {
    let page = read("<div id=mainBody class='post-entry post' role=main itemprop=articleBody data-x=y><p>a");
    let tokens: Vec<(&str, &str)> =
        page.attribute_words(&page.elements[0]).iter().map(|t| (t.attribute.name(), page.word_text(t))).collect();
    assert_eq!(
        tokens,
        [
            ("id", "main"),
            ("id", "body"),
            ("class", "post"),
            ("class", "entry"),
            ("role", "main"),
            ("itemprop", "article"),
            ("itemprop", "body")
        ]
    );
}

#[test]
fn hidden_is_inherited() {
    let page = read("<div style='DISPLAY : none'><p>a</p></div><p hidden>b</p><p aria-hidden=true>c<p>d");
    let hidden: Vec<bool> = page.blocks.iter().map(|b| page.element(b.element).is_some_and(|e| e.hidden)).collect();
    assert_eq!(hidden, [true, true, true, false]);
}

#[test]
fn head_facts_are_kept_apart() {
    let page = read(
        "<!doctype html><html lang=en-GB><head><title> A &amp; B\n C </title><meta name=Description content='d&#39;s'>\
         <meta property='og:title' content=T><link rel='x canonical' href=/c?a=1&amp;b=2><base target=x><base href=' /b/'><base href=/d/>\
         <script type='application/ld+json; x'>{\"@type\":\"Article\"}</script></head><body><p>x<title>no</title>",
    );
    let head = &page.head;
    assert_eq!((head.title.as_str(), head.lang.as_deref()), ("A & B C", Some("en-GB")));
    assert_eq!((head.meta("description"), head.meta("og:title")), (Some("d's"), Some("T")));
    assert_eq!(head.canonical.as_deref(), Some("/c?a=1&b=2"));
    assert_eq!(head.base.as_deref(), Some("/b/"));
    assert_eq!(head.json_ld.len(), 1);
    assert_eq!(head.json_ld[0].text, "{\"@type\":\"Article\"}");
    assert!(page.json_ld().graph().nodes()[0].is("Article"));
    assert_eq!(texts(&page), ["x"]);
}

#[test]
fn facts_of_the_body_say_where_they_stand() {
    let html = "<body><h1 itemprop='x headline'>T</h1><meta itemprop=datePublished content='2024-05-18'>\
         <p>by <a rel='nofollow author' href=x>A</a> <time datetime=2024-05-19 pubdate>y</time>\
         <del datetime=2024-01-01>z</del><p>c<abbr itemprop=dateModified title='2024&#45;05-20'>d</abbr>";
    let page = read(html);
    let facts: Vec<(FactKind, &str, u32)> =
        page.facts.iter().map(|fact| (fact.kind, fact.value.as_str(), fact.block)).collect();
    assert_eq!(
        facts,
        [
            (FactKind::Headline, "", 0),
            (FactKind::Published, "2024-05-18", 1),
            (FactKind::AuthorLink, "", 1),
            (FactKind::Time, "2024-05-19", 1),
            (FactKind::Modified, "2024-05-20", 2),
        ]
    );
    let names: Vec<&str> = page.facts.iter().map(|fact| page.name(page.element(fact.element).unwrap())).collect();
    assert_eq!(names, ["h1", "body", "a", "time", "abbr"]);
    assert!(html[page.facts[3].start as usize..].starts_with("<time"));
}

#[test]
fn links_to_author_pages_are_facts() {
    let links = |href: &str| read(&format!("<a href='{href}'>x</a>")).facts.len();
    for href in ["/author/jane", "https://e.org/blog/authors/jane/", "/?author=7"] {
        assert_eq!(links(href), 1, "{href}");
    }
    for href in ["/author/", "/for-author/x", "/authority/x", "/news"] {
        assert_eq!(links(href), 0, "{href}");
    }
}

#[test]
fn facts_of_a_page_are_bounded() {
    let page = read(&"<time datetime=2024>".repeat(5000));
    assert!(page.facts.len() < 1000);
    let page = read(&format!("<p itemprop=author content='{}'>", "é".repeat(1000)));
    assert!(page.facts[0].value.len() < 400);
}

#[test]
fn text_that_is_only_punctuation_is_no_block() {
    assert_eq!(texts(&read("<p>|</p><p>*</p><p>a</p>")), ["a"]);
}

#[test]
fn white_space_in_pre_is_kept() {
    let page = read("<pre>fn a() {\n    b <i>c</i>\n}</pre><p>d\n e");
    assert_eq!(texts(&page), ["fn a() {\n    b c\n}", "d e"]);
}

#[test]
fn elements_are_in_document_order_with_their_ends() {
    let page = read("<div><p>a</p><ul><li>b</li></ul></div><p>c");
    let ends: Vec<(&str, u32, u32)> = page.elements.iter().map(|e| (e.tag.name(), e.parent, e.end)).collect();
    assert_eq!(ends, [("div", NONE, 4), ("p", 0, 2), ("ul", 0, 4), ("li", 2, 4), ("p", NONE, 5)]);
}

#[test]
fn caps_are_marked_and_the_text_still_comes_out() {
    let limits = Limits { depth: 4, ..Limits::default() };
    let html = format!("{}deep{}<p>after", "<div>".repeat(50), "</div>".repeat(50));
    let page = LolEngine.read(&html, &limits);
    assert_eq!(texts(&page), ["deep", "after"]);
    assert!(page.capped.contains(Caps::DEPTH));
    assert_eq!(path(&page, 1), "p");
    let page = LolEngine.read("<p>a<p>b<p>c", &Limits { blocks: 2, ..Limits::default() });
    assert_eq!(texts(&page), ["a", "b\nc"]);
    assert_eq!(page.capped.names().collect::<Vec<_>>(), ["blocks"]);
}

/// Pages that must give the same tables in every division into two chunks.
const PAGES: [&str; 4] = [
    "<div class=a>x &amp; y<!-- c --> z<noscript><p>é&eacute;</p></noscript><b>日本</b></div>&copy",
    "<title>t&lt;</title><script>if(a<b){}</script><p>a<br><br>b<a href='x>y'>c</a><![CDATA[d]]><p",
    "<table><tr><td>1<td>2</table><svg><style><p></style></svg><textarea></p></textarea>end</html>\n x",
    "<pre>\n  a\r\n b</pre><xmp><b>&amp;</b></xmp><select><option>o</select><plaintext><p>&amp;",
];

#[test]
fn any_division_into_chunks_gives_the_same_page() {
    for html in PAGES {
        let whole = read(html);
        for cut in (0..=html.len()).filter(|cut| html.is_char_boundary(*cut)) {
            let mut reader = PushReader::new(&Limits::default());
            reader.push(&html[..cut]);
            reader.push(&html[cut..]);
            assert_eq!(reader.finish(), whole, "cut at {cut} of {html}");
        }
        let mut reader = PushReader::new(&Limits::default());
        for c in html.chars() {
            reader.push(c.encode_utf8(&mut [0; 4]));
        }
        assert_eq!(reader.finish(), whole, "one by one: {html}");
    }
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    fn markup() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            "[a-z ]{0,6}",
            "</?(div|p|a href=x|b|code|li|ul|td|tr|table|span|noscript|svg|select|pre|br|title|h1)>",
            "&(amp|lt|copy|#65|nbsp|x);?",
            "<(time datetime=2024-05-01|meta itemprop=author content='A &amp; B'|i rel=author|b itemprop=name)>",
            "<(script|style|!--|/|!|\\?|div class=')",
            "(-->|</script>|</style>|'>|日|é| |\n|\u{0})",
        ];
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn spans_are_ordered_and_disjoint(html in markup()) {
            let page = read(&html);
            let mut last = 0;
            for block in &page.blocks {
                prop_assert!(last <= block.span.0 && block.span.0 < block.span.1);
                prop_assert!(html.get(block.span.0 as usize..block.span.1 as usize).is_some());
                prop_assert!(block.link_words <= block.words);
                last = block.span.1;
            }
            prop_assert!(last as usize <= html.len());
        }

        #[test]
        fn chunks_do_not_matter(html in markup(), cuts in prop::collection::vec(0usize..200, 0..5)) {
            let mut cuts: Vec<usize> = cuts.into_iter().filter(|cut| html.is_char_boundary(*cut)).collect();
            cuts.push(html.len());
            cuts.sort_unstable();
            let mut reader = PushReader::new(&Limits::default()).with_styles();
            let mut from = 0;
            for cut in cuts {
                reader.push(&html[from..cut]);
                from = cut;
            }
            prop_assert_eq!(reader.finish(), LolEngine.read_styled(&html, &Limits::default()));
        }

        #[test]
        fn inline_style_changes_nothing_else(html in markup()) {
            let mut page = LolEngine.read_styled(&html, &Limits::default());
            for block in &page.blocks {
                let pieces: Vec<_> = page.styled(block).collect();
                let texts: Vec<&str> = pieces.iter().map(|piece| piece.text).collect();
                prop_assert_eq!(texts.concat(), page.text(block));
                prop_assert!(pieces.iter().all(|piece| !piece.text.is_empty()));
                prop_assert!(pieces.windows(2).all(|pair| pair[0].style != pair[1].style));
                let linked: usize = pieces
                    .iter()
                    .filter(|piece| piece.style.link.is_some())
                    .map(|piece| trommel_text::words::words(piece.text, trommel_text::words::Rule::Characters).count())
                    .sum();
                prop_assert_eq!(linked > 0, block.link_words > 0);
            }
            page.styles.clear();
            prop_assert_eq!(page, read(&html));
        }

        #[test]
        fn elements_nest(html in markup()) {
            let page = read(&html);
            for (at, element) in page.elements.iter().enumerate() {
                prop_assert!(element.end as usize > at);
                if let Some(parent) = page.element(element.parent) {
                    prop_assert!((element.parent as usize) < at && element.end <= parent.end);
                }
            }
        }
    }
}

#[test]
fn an_element_has_the_same_tokens_wherever_its_class_stood_before() {
    let limits = Limits { element_words: 4, ..Limits::default() };
    let read = |html: &str| ScanEngine.read(html, &limits);
    let element = |page: &Page, at: usize| {
        let element = &page.elements[at];
        let tokens: Vec<_> = page
            .attribute_words(element)
            .iter()
            .map(|token| (token.attribute, token.hash, page.word_text(token).to_owned()))
            .collect();
        (tokens, element.signature)
    };
    let classes = ["aa bb aa", "aa", "", "x", "aa bb cc dd", "aa bb cc dd ee", "AaBb bb"];
    let others = ["", "id=aa", "id='aa bb'", "role=aa", "class=bb", "id='aa bb cc dd'"];
    let tags: Vec<String> = classes
        .iter()
        .flat_map(|class| others.iter().map(move |other| (class, other)))
        .flat_map(|(class, other)| [format!("<img {other} class='{class}'>"), format!("<img class='{class}' {other}>")])
        .collect();
    let page = read(&tags.concat().repeat(2));
    let alone: Vec<Page> = tags.iter().map(|tag| read(tag)).collect();
    for (at, tag) in tags.iter().chain(&tags).enumerate() {
        assert_eq!(element(&page, at), element(&alone[at % tags.len()], 0), "{tag}");
    }
    let steps: u64 = alone.iter().map(|page| page.steps).sum();
    assert_eq!(page.steps, 2 * steps);
}

#[test]
fn the_first_block_of_a_heading_is_one() {
    let tags = |html: &str| {
        let page = read(html);
        let tag = |block: &Block| page.container(block).map(|(_, element)| element.tag);
        page.blocks.iter().map(tag).collect::<Vec<_>>()
    };
    let (title, other) = (Some(Tag::H1), Some(Tag::Div));
    assert_eq!(tags("<h1><div>Title</div><button>edit</button></h1><div>b</div>"), [title, title, other]);
    assert_eq!(tags("<h1><div><div><span>Title</span></div></div><div>tags</div></h1>"), [title, other]);
    assert_eq!(tags("<h1>Title<div>tags</div></h1>"), [title, other]);
    // A heading without an end holds the page.
    assert_eq!(tags("<h1>Title<div>a</div><div>b</div>"), [title, other, other]);
    assert_eq!(tags("<h1><ul><li>a</ul></h1>"), [Some(Tag::Li)]);
    let long = format!("<h1><div>{}</div></h1>", "word ".repeat(41));
    assert_eq!(tags(&long), [other]);
}

#[test]
fn what_is_out_of_sight_is_listed() {
    let page = read(
        "<p hidden>a<p style='visibility:hidden'>b<p class='x sr-only'>c<p class=d-none>d<p aria-hidden=true>e\
         <p class='d-none d-md-block'>f<p class='none reader hidden-xs'>g<i class=visually-hidden>h</i>",
    );
    let listed: Vec<&str> = (0u32..)
        .zip(&page.blocks)
        .filter(|(_, block)| page.invisible.contains(&block.element))
        .map(|(_, block)| page.text(block))
        .collect();
    assert_eq!(listed, ["a", "b", "c", "d"]);
    assert_eq!(page.invisible.len(), 5, "the last is a part of a line");
}
