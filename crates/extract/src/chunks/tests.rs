use trommel_html::{Engine, Limits, ScanEngine};

use super::*;
use crate::render::TextOptions;
use crate::render::markdown::{Headline, MarkdownOptions, markdown};
use crate::render::text::plain_text;

fn chunked(html: &str, size: &str) -> Vec<Chunk> {
    let page = ScanEngine.read(html, &Limits::default());
    let kept = vec![true; page.blocks.len()];
    let content = KeptContent::new(&page, html, &kept);
    let text = plain_text(&content);
    let blocks = chunk_blocks(&content, None);
    let (found, _) = chunks(&text, &blocks, size.parse().unwrap(), &TokenCounter::default());
    for chunk in &found {
        let part = text.text.chars().skip(chunk.start as usize);
        let part: String = part.take(chunk.chars as usize).collect();
        assert_eq!(part, chunk.text);
        let end = chunk.byte + chunk.bytes;
        assert!(chunk.byte < end && end as usize <= html.len(), "{chunk:?}");
    }
    found
}

fn in_markdown(html: &str, size: &str) -> Vec<Chunk> {
    let page = ScanEngine.read_styled(html, &Limits::default());
    let kept = vec![true; page.blocks.len()];
    let content = KeptContent::new(&page, html, &kept);
    let options = MarkdownOptions::default().with_links(true);
    let text = markdown(&content, None, &options, Headline::None, None);
    let blocks = chunk_blocks(&content, None);
    chunks(&text, &blocks, size.parse().unwrap(), &TokenCounter::default()).0
}

fn chunk_blocks<'a>(content: &'a KeptContent<'a>, title: Option<&'a str>) -> ChunkBlocks<'a> {
    let roles = vec![Some(Role::Body); content.page.blocks.len()];
    ChunkBlocks { content, title, roles, embedded: Vec::new() }
}

fn texts(html: &str, size: &str) -> Vec<String> {
    chunked(html, size).into_iter().map(|chunk| chunk.text).collect()
}

#[test]
fn paragraphs_fill_chunks() {
    let html = "<p>a b c</p><p>d e</p><p>f g h</p>";
    assert_eq!(texts(html, "words=5"), ["a b c\n\nd e", "f g h"]);
    assert_eq!(texts(html, "words=5,overlap=2"), ["a b c\n\nd e", "d e\n\nf g h"]);
    assert_eq!(texts(html, "words=100"), ["a b c\n\nd e\n\nf g h"]);
    assert_eq!(texts(html, "tokens=4"), ["a b c\n\nd e", "f g h"]);
    assert_eq!(texts("", "words=5"), Vec::<String>::new());
}

#[test]
fn the_words_of_a_chunk_are_those_of_its_text() {
    // The number before a note is a word, which its block does not have.
    let html = "<p>a b<sup><a href=#n1 id=r1>1</a></sup> c<p>d e<h2>Notes</h2><ol><li id=n1>f g h</ol>";
    let page = ScanEngine.read(html, &Limits::default());
    let kept = vec![true; page.blocks.len()];
    let notes = crate::notes::Notes::find(&page, html, &mut kept.clone());
    let content = KeptContent::of_blocks(&page, html, &[0, 1]).with_options(TextOptions::default(), notes.as_ref());
    let text = plain_text(&content);
    assert_eq!(text.text, "a b[1] c\n\nd e\n\n[1] f g h");
    let blocks = chunk_blocks(&content, None);
    let size: ChunkSize = "words=50".parse().unwrap();
    for atom in atoms(&text, &blocks, size, &TokenCounter::default()) {
        assert_eq!(atom.length, trommel_text::words::count(&text.text[atom.place.clone()]), "{atom:?}");
    }
}

#[test]
fn headings_stay_with_what_follows_and_are_said_above_each() {
    let html = "<h1>T</h1><p>a b</p><h2>U</h2><p>c d e</p><p>f g h</p><h2>V</h2><p>i</p>";
    let found = chunked(html, "words=5");
    let shown: Vec<(&str, String)> =
        found.iter().map(|chunk| (chunk.text.as_str(), chunk.headings.join(">"))).collect();
    let expected = [("T\n\na b", "T"), ("U\n\nc d e", "T>U"), ("f g h", "T>U"), ("V\n\ni", "T>V")];
    assert_eq!(shown, expected.map(|(text, path)| (text, path.to_owned())));
    assert_eq!(found[2].roles, ["body"]);
    assert_eq!((found[1].first_block, found[1].last_block), (2, 3));
    let place = found[2].byte as usize..(found[2].byte + found[2].bytes) as usize;
    assert_eq!(&html[place], "f g h");
}

#[test]
fn the_title_stands_above_where_no_first_heading_does() {
    let headings = |html: &str| -> Vec<String> {
        let page = ScanEngine.read(html, &Limits::default());
        let content = KeptContent::new(&page, html, &vec![true; page.blocks.len()]);
        let size = "words=3".parse().unwrap();
        let blocks = chunk_blocks(&content, Some("The  mill"));
        let (found, _) = chunks(&plain_text(&content), &blocks, size, &TokenCounter::default());
        found.into_iter().map(|chunk| chunk.headings.join(">")).collect()
    };
    assert_eq!(headings("<p>a b</p><h2>U</h2><p>c d</p>"), ["The mill", "The mill>U"]);
    assert_eq!(headings("<p>a b</p><h1>T</h1><p>c d</p><h1>V</h1>"), ["The mill", "The mill>T", "The mill>V"]);
    assert_eq!(headings("<p>a b</p><h1>T</h1><p>c d</p><h2>V</h2>"), ["The mill", "T", "T>V"]);
    assert_eq!(headings("<h2>The mill</h2><p>c d</p><p>e f g"), ["The mill", "The mill"]);
}

#[test]
fn what_chunks_repeat_is_bounded() {
    let page = |head: &str, n: usize| format!("<h2>{head}</h2>") + &"<p>x y</p>".repeat(n);
    let made = |html: &str, size: &str| {
        let page = ScanEngine.read(html, &Limits::default());
        let content = KeptContent::new(&page, html, &vec![true; page.blocks.len()]);
        let blocks = chunk_blocks(&content, None);
        chunks(&plain_text(&content), &blocks, size.parse().unwrap(), &TokenCounter::default())
    };
    let length = |chunks: &[Chunk]| -> usize {
        chunks.iter().map(|chunk| chunk.text.len() + chunk.headings.iter().map(String::len).sum::<usize>()).sum()
    };
    let (found, is_capped) = made(&page(&"head ".repeat(15), 20_000), "words=2");
    assert!(is_capped && length(&found) < 6 * 20_000 * 5 + (1 << 16), "{}", length(&found));
    let (found, is_capped) = made(&page("H", 5_000), "words=4000,overlap=2000");
    assert!(!is_capped && length(&found) < 2 * 5_000 * 5, "{}", length(&found));
}

#[test]
fn no_chunk_only_repeats() {
    let html = "<p>a b c d</p><p>e f g h</p><h2>U</h2><p>i j</p><h2>V</h2><h2>W x y z</h2><p>k l m</p><p>n</p>";
    for overlap in 0..=4 {
        let mut seen = 0;
        for chunk in chunked(html, &format!("words=8,overlap={overlap}")) {
            assert!(chunk.start + chunk.chars > seen, "{overlap} {chunk:?}");
            seen = chunk.start + chunk.chars;
        }
    }
}

#[test]
fn code_rows_and_items_are_never_cut() {
    let code = "<p>x</p><pre>a b\n\nc d\n\ne f</pre><p>y</p>";
    assert_eq!(texts(code, "words=2"), ["x", "a b\n\nc d\n\ne f", "y"]);
    let list = "<ul><li>a b. C d. E f.<li>g<ul><li>h i</ul></ul>";
    assert_eq!(texts(list, "words=2"), ["a b. C d. E f.", "g", "h i"]);
    let table = "<table><tr><th>A<th>B<tr><td>1 2<td>3<tr><td>4 5<td>6</table>";
    assert_eq!(texts(table, "words=2"), ["A\tB\n1 2\t3", "4 5\t6"]);
}

#[test]
fn rows_of_tables_in_markdown_are_parts() {
    let html = "<p>x<table><tr><th>A<th>B<tr><td>1 2<td>3<tr><td>4 5<td>6<tr><td>7<td>8</table><p>y";
    let shown: Vec<String> = in_markdown(html, "words=4").into_iter().map(|chunk| chunk.text).collect();
    assert_eq!(shown, ["x", "| A | B |\n| --- | --- |\n| 1 2 | 3 |", "| 4 5 | 6 |", "| 7 | 8 |\n\ny"]);
}

#[test]
fn links_are_never_cut() {
    let html = "<p>See <a href='https://a.example/b?c=d.%20E'>the one. The other!</a> here. Then <code>f. g</code> is.";
    let shown: Vec<String> = in_markdown(html, "words=4").into_iter().map(|chunk| chunk.text).collect();
    assert_eq!(shown, ["See [the one. The other!](https://a.example/b?c=d.%20E) here.", "Then `f. g` is."]);
}

#[test]
fn long_paragraphs_are_cut_between_sentences() {
    let html = "<p>One two three. Four &amp; five six. Seven.</p>";
    let found = chunked(html, "words=4");
    let shown: Vec<&str> = found.iter().map(|chunk| chunk.text.as_str()).collect();
    assert_eq!(shown, ["One two three.", "Four & five six. Seven."]);
    let place = found[1].byte as usize..(found[1].byte + found[1].bytes) as usize;
    assert_eq!(&html[place], "Four &amp; five six. Seven.");
}

#[test]
fn ids_are_of_headings_and_text() {
    let one = chunked("<h1>T</h1><p>a</p>", "words=9");
    let other = chunked("<div><div><h1>T</h1><p>a</p></div></div>", "words=9");
    assert_eq!(one[0].id, other[0].id);
    assert_eq!(one[0].id.len(), 32);
    assert_ne!(one[0].id, chunked("<h1>U</h1><p>a</p>", "words=9")[0].id);
}

#[test]
fn sizes_are_read_and_written() {
    for text in ["words=400", "tokens=512,overlap=64"] {
        assert_eq!(text.parse::<ChunkSize>().unwrap().to_string(), text);
    }
    for wrong in
        ["", "400", "words", "words=0", "words=-1", "lines=3", "words=4,x=1", "words=4,overlap=3", "words=4,overlap=1,"]
    {
        assert!(wrong.parse::<ChunkSize>().is_err(), "{wrong}");
    }
}

#[test]
fn items_of_word_processors_stay_whole_in_markdown() {
    let item = "<p style='mso-list:l0 level1 lfo1'><span style='mso-list:Ignore'>1.</span> A b. C d. E f.</p>";
    let html = format!("<p>Q r. S t. U v.</p>{item}<p>W x.</p>");
    let found: Vec<String> = in_markdown(&html, "words=4").into_iter().map(|chunk| chunk.text).collect();
    assert_eq!(found, ["Q r. S t.", "U v.", "1. A b. C d. E f.", "W x."]);
}

#[test]
fn headings_of_markdown_have_no_mark_of_their_level() {
    let found = in_markdown("<h1>The mill</h1><p>a b</p><h2>The wheel</h2><p>c d</p>", "words=5");
    assert!(found[1].text.starts_with("## The wheel\n"), "{}", found[1].text);
    assert_eq!(found[1].headings, ["The mill", "The wheel"]);
}
