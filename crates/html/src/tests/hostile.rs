//! Hostile pages: both engines give the text that is there, in steps proportional to the bytes.

#[path = "../../../../tests/hostile.rs"]
mod shapes;

use crate::{Caps, Engine, Limits, LolEngine, Page, ScanEngine, charset};
use shapes::{AFTER, BEFORE, SHAPES};

/// Maximum number of work steps for each byte of a page.
const STEPS: u64 = 140;

fn text(page: &Page) -> String {
    let blocks = page.blocks.iter();
    blocks.map(|block| page.text(block).to_owned() + "\n").collect()
}

fn decoded(bytes: &[u8]) -> String {
    charset::decode(bytes, &charset::CharsetHints::default()).text.into_owned()
}

#[test]
fn every_hostile_page_gives_its_text_in_both_engines() {
    for shape in SHAPES {
        let html = decoded(&(shape.page)((shape.size / 100).max(1000)));
        let page = ScanEngine.read(&html, &Limits::default());
        let found = text(&page);
        for wanted in [BEFORE, AFTER].iter().chain(shape.texts) {
            assert!(found.contains(wanted), "{}: {wanted}", shape.name);
        }
        assert!(!found.contains("<script"), "{}", shape.name);
        assert!(page == LolEngine.read(&html, &Limits::default()), "{}", shape.name);
    }
}

#[test]
fn steps_are_proportional_to_the_bytes() {
    for shape in SHAPES {
        for part in [400, 200, 100] {
            let html = decoded(&(shape.page)(shape.size / part + 1));
            for page in [ScanEngine.read(&html, &Limits::default()), LolEngine.read(&html, &Limits::default())] {
                let bytes = html.len() as u64 + 10_000;
                assert!(page.steps <= STEPS * bytes, "{}: {} steps, {bytes} bytes", shape.name, page.steps);
            }
        }
    }
}

#[test]
fn too_many_steps_shorten_the_search_and_are_recorded() {
    let limits = Limits { steps: 10_000, ..Limits::default() };
    let html = format!("<p><object>{}{}<p>end", "<span>".repeat(400), "<hr>".repeat(5000));
    let page = ScanEngine.read(&html, &limits);
    assert!(page.capped.contains(Caps::STEPS));
    assert!(page.steps < 10_000 + 20 * html.len() as u64);
    assert!(text(&page).contains("end"));
    assert!(page == LolEngine.read(&html, &limits));
}

#[test]
fn a_page_cut_inside_of_code_gives_none_of_it() {
    for html in [
        "<p>Text.</p><script>var a = '<div>no</div>', b = \"<p>no\";",
        "<p>Text.</p><script>var a = `\n<div>no</div>\n`; if (a<b) { x('<p>no",
        "<p>Text.</p><script>/* <p>no</p> */ // <p>no\nvar a = 1; f(`<p>no",
        "<p>Text.</p><script type='text/x-template'><div><p>no</p>",
        "<p>Text.</p><script type='application/json'>{\"a\": \"<p>no</p>\", \"b",
        "<p>Text.</p><template><div><p>no</p>",
        "<p>Text.</p><template><script>a</script><template><p>no</p></template><p>no",
        "<p>Text.</p><style>a::after { content: '<p>no' } /* <p>no",
        "<p>Text.</p><script><!--\nvar a = '<script></script><p>no",
        "<p>Text.</p><a href='http://example.org/no",
        "<p>Text.</p><!-- no",
    ] {
        assert_eq!(recovered(html), "Text.\n", "{html}");
    }
}

#[test]
fn a_page_goes_on_behind_what_is_never_closed() {
    for html in [
        "<p>A</p><script>a = '<p>no'; <p>B</p>",
        "<p>A</p><script>it's = `<p>no\n<p>B</p></body></html>",
        "<p>A</p><script type=text/template><p>B</p></body></html>\n",
        "<p>A</p><style>a{}</head><body>B",
        "<p>A</p><!-- no <p>B</p>",
        "<p>A</p><textarea>no <p>B</p>",
        "<p>A</p><iframe src=x>no <div>B</div>",
        "<p>A</p><a href='no <b>no</b><p>B</p>",
        "<p>A</p><noscript><style>no</noscript><p>B</p>",
        "<noscript><p>A</p><style>no<p>B</p></noscript>",
        "<p>A</p><template><i>no</i><p>B</p></body></html>",
        "<p>A</p><template>no<template><p>no</p></template><p>B</p></body></html>",
        "<p>A</p><template>no<p>B<template><p></template></body></html>",
        "<p>A</p><template><script>no<p>B</p></body></html>",
        "<p>A</p><noscript><template>no</noscript><p>B</p>",
        "<p>A</p><select><template></select><p>B</p>",
    ] {
        assert_eq!(recovered(html), "A\nB\n", "{html}");
    }
}

/// Returns the text of the blocks, which must be the same from both engines and in any division into chunks.
fn recovered(html: &str) -> String {
    let limits = Limits::default();
    let page = ScanEngine.read(html, &limits);
    for cut in (0..=html.len()).filter(|cut| html.is_char_boundary(*cut)) {
        let mut reader = crate::PushReader::new(&limits);
        reader.push(&html[..cut]);
        reader.push(&html[cut..]);
        assert!(reader.finish() == page, "cut at {cut} of {html}");
    }
    text(&page)
}

#[test]
fn what_an_unclosed_title_or_json_ld_swallowed_is_no_part_of_it() {
    let page = ScanEngine.read("<head><title>A &amp; B\n<meta name=x content=y></head><body><p>C", &Limits::default());
    assert_eq!(page.head.title, "A & B");
    assert_eq!(page.head.meta("x"), Some("y"));
    assert_eq!(text(&page), "C\n");
    let html = "<script type='application/ld+json'>{\"a\": \"<p>no\"}\n</div><p>C";
    let page = ScanEngine.read(html, &Limits::default());
    assert_eq!(page.head.json_ld[0].text, "{\"a\": \"<p>no\"}\n");
    assert_eq!(text(&page), "C\n");
    assert!(page == LolEngine.read(html, &Limits::default()));
}

#[test]
fn what_is_read_again_is_bounded() {
    let limits = Limits { recovered: 20, ..Limits::default() };
    for html in [
        "<p>A</p><script>no <p>B</p><p>C</p><p>D</p>",
        "<p>A</p><!--no <p>B</p><p>C</p><p>é</p>",
        "<p>A</p><template><p>B</p>12345</body><p>C</p>",
    ] {
        let page = ScanEngine.read(html, &limits);
        assert!(page.capped.contains(Caps::RECOVERED), "{html}");
        assert!(text(&page).starts_with("A\nB\n"));
        assert!(page == LolEngine.read(html, &limits), "{html}");
    }
}

#[test]
fn blocks_beyond_the_cap_are_merged() {
    let html: String = (0..20_000).map(|at| format!("<tr><td>row {at}<td>x")).collect();
    let limits = Limits { blocks: 100, ..Limits::default() };
    let html = format!("<table>{html}</table>");
    let page = ScanEngine.read_styled(&html, &limits);
    assert!(page.capped.contains(Caps::BLOCKS));
    assert!(page.blocks.len() < 120, "{}", page.blocks.len());
    let whole = ScanEngine.read(&html, &Limits::default());
    assert_eq!(text(&page), text(&whole));
    let words = |page: &Page| page.blocks.iter().map(|block| block.words).sum::<u32>();
    assert_eq!(words(&page), words(&whole));
    assert!(page == LolEngine.read_styled(&html, &limits));
}

#[test]
fn text_beyond_the_cap_is_left_out() {
    let limits = Limits { text: 12, ..Limits::default() };
    let page = ScanEngine.read("<p>one é two</p><p>three</p>", &limits);
    assert!(page.capped.contains(Caps::TEXT));
    assert_eq!(text(&page), "one é two\nth\n");
}

/// Tests that a text whose end exceeds a cap is cut and not dropped, independently of the chunks.
#[test]
fn what_caps_leave_does_not_depend_on_the_chunks() {
    let html = "<title>One é two</title><script type='application/ld+json'>{\"é\": 1}</script>\
        <p>one é two</p><noscript>th é &amp; ree</noscript><pre> four é five</pre>six";
    for most in 0..40 {
        let limits = Limits { text: most, head: most, ..Limits::default() };
        let page = ScanEngine.read(html, &limits);
        let kept: usize = page.blocks.iter().map(|block| page.text(block).len()).sum();
        assert!(kept <= most);
        for cut in (0..=html.len()).filter(|cut| html.is_char_boundary(*cut)) {
            let mut reader = crate::PushReader::new(&limits);
            reader.push(&html[..cut]);
            reader.push(&html[cut..]);
            assert_eq!(reader.finish(), page, "cut at {cut}, cap {most}");
        }
    }
}
