//! Tests that both engines give the same tables, on tag soup and on real pages.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use trommel_archive::{PayloadOptions, ReadOptions, Reader, RecordType, payload};

use crate::{Engine as _, GrowingReader, Limits, LolEngine, Page, ScanEngine, ScanReader, charset};
use trommel_text::vectors::Vectors;

fn both(html: &str) -> (Page, Page) {
    let limits = Limits::default();
    let scan = ScanEngine.read_styled(html, &limits);
    let lol = LolEngine.read_styled(html, &limits);
    let lol = with_work_of(&scan, lol);
    (scan, lol)
}

/// Returns the page with the number of work steps of `other`, because two readers of one page may need different
/// numbers.
fn with_work_of(other: &Page, mut page: Page) -> Page {
    page.steps = other.steps;
    page
}

/// Reads a page that grows by `step` bytes at a time, or up to the next character.
fn grown(html: &str, step: usize) -> Page {
    let mut reader = GrowingReader::new(&Limits::default()).with_styles();
    let mut at = 0;
    while at < html.len() {
        at = html.ceil_char_boundary(at + step);
        reader.read_on_now(&html[..at]);
    }
    reader.finish(html)
}

fn assert_same(html: &str) {
    let (scan, lol) = both(html);
    assert_eq!(scan, lol, "{html:?}");
    for step in [1, 7, 64] {
        assert_eq!(grown(html, step), scan, "by {step}: {html:?}");
    }
}

#[test]
fn odd_markup() {
    for html in [
        "<svg><title><!--<div>",
        "a<3 b<<p>c</>d</3>e<?f>g<!h>i<",
        "a&am</>p;b&am<!doctype x>p;c&am<!x>p;d</",
        "<svg/><p>a<![CDATA[b]]>c<svg><![CDATA[<p>&amp;]]]>d<title>&lt;<p>e</title></svg>f",
        "<math><mi><p>a</mi><annotation-xml encoding='TEXT/html'><title><b></title></annotation-xml>b</math>c",
        "<svg><font color=x><style><b>x</style><font><style><b>y</style>",
        "<script a=>b&lt;<p>c</script>d<noscript a=>e&lt;<p>f</noscript>g<title a=>h",
        "<noscript>a<noscript>b<noscript>c</noscript>d",
        "<script><!--<script></script>--></script>a<script><!-- <script> --><p></script>b",
        "<textarea>&lt;</textareas></textarea/x>a<plaintext><p>&lt;</plaintext>",
        "<script a='>'><li><svg><div a=\"><title / ></li>",
        "<script><li><template><p>a</li>",
        "<script><li><mi><svg / ><desc><tr><noscript><title a='>",
        "<svg><p></svg><svg></p><style><b></style><svg><desc/><desc><style><b></style></desc>",
    ] {
        assert_same(html);
    }
}

/// Generates markup that puts every state of a tokenizer next to every other state.
pub(crate) fn soup() -> impl Strategy<Value = String> {
    const NAMES: [&str; 45] = [
        "div", "p", "a", "b", "li", "td", "table", "tr", "ul", "span", "noscript", "svg", "math", "select", "pre",
        "br", "title", "h1", "script", "style", "textarea", "iframe", "xmp", "noembed", "noframes", "plaintext",
        "template", "mi", "annotation-xml", "desc", "foreignObject", "font", "button", "option", "dt", "body", "html",
        "head", "object", "hr", "x-y", "datalist", "caption", "meta", "i",
    ];
    let name = || prop::sample::select(&NAMES[..]);
    let ending = prop::sample::select(
        &[
            ">", ">", ">", ">", " >", "/>", " / >", " a=>", " a= >", " a='>", " a=\">\">", " =b=c>", "\n",
            " class='x y-Z' id=q>", " hidden>", " style='display: none'>", " href=/author/x>", " color=red>",
            " encoding=text/html>", " type='application/ld+json'>", "", " itemprop=name content=v>", " lang=de>",
            " datetime=2020>", " rel=canonical href=u>",
        ][..],
    );
    let text = prop::sample::select(
        &[
            "", " ", "a", "one two", "&amp;", "&am", "p;", "&lt", "&#65;", "&nbsp;", "é", "日本", "\u{0}", "\n", "\t ",
            "<", "<3", "</", "</3", "<!", "<!--", "-->", "--", "-", ">", "--!>", "<!-->", "<!--->", "<?",
            "<!doctype html>", "<![CDATA[", "]]>", "]", "'", "\"", "`", "//", "/*", "*/", "=", "\u{a0}", "\u{ad}",
            "\u{2003}", "’", "\u{3000}", "<script", "</script", "</html>", "\r\n",
        ][..],
    );
    let piece = prop_oneof![
        3 => (name(), ending).prop_map(|(name, end)| format!("<{name}{end}")),
        2 => name().prop_map(|name| format!("</{name}>")),
        1 => name().prop_map(|name| format!("</{}", name.to_uppercase())),
        4 => text.prop_map(str::to_owned),
        1 => "[a-z<>/!&;'\" =-]{0,6}",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn engines_agree_on_soup(html in soup()) {
        let (scan, lol) = both(&html);
        prop_assert_eq!(&scan, &lol);
        for step in [1, 7] {
            prop_assert_eq!(&grown(&html, step), &scan, "grown by {}", step);
        }
    }

    #[test]
    fn every_form_of_vectors_gives_the_same_page(html in soup()) {
        let limits = Limits::default();
        let page = LolEngine.read(&html, &limits);
        for vectors in Vectors::available() {
            let scanned = ScanReader::with_vectors(vectors).read(&html, &limits);
            let page = with_work_of(&scanned, page.clone());
            prop_assert_eq!(&scanned, &page, "{:?}", vectors);
        }
    }

    #[test]
    fn the_memory_of_pages_before_changes_nothing(pages in prop::collection::vec(soup(), 2..6)) {
        let limits = Limits { elements: 40, blocks: 10, ..Limits::default() };
        let mut reader = ScanReader::default();
        for html in &pages {
            let page = reader.read(html, &limits);
            prop_assert_eq!(&page, &ScanEngine.read(html, &limits));
            reader.keep(page);
        }
    }
}

pub(crate) fn root() -> PathBuf {
    PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../..")
}

/// Iterates over the decoded pages of an archive.
pub(crate) fn pages(path: &Path) -> impl Iterator<Item = String> {
    let reader = Reader::open(path, ReadOptions::default()).unwrap();
    reader.filter_map(Result::ok).filter_map(|record| {
        if record.kind != RecordType::Response {
            return None;
        }
        let payload = payload(&record, &PayloadOptions::default()).ok()?;
        let hints = charset::CharsetHints { http: payload.charset(), ..charset::CharsetHints::default() };
        Some(charset::decode(&payload.body, &hints).text.into_owned())
    })
}

/// Generates pages of the sample archive with parts cut out, inserted or overwritten.
fn mutated() -> impl Strategy<Value = String> {
    let pages: Vec<String> =
        pages(&root().join("samples/wcxb-sample.warc.gz")).filter(|page| page.len() < 60_000).collect();
    let noise = prop::sample::select(
        &[
            "<", ">", "\"", "'", "<!--", "-->", "<script>", "</script>", "<svg>", "</p>", "=", "&", "<title>",
            "<template>",
        ][..],
    );
    let edit = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..3, noise);
    (prop::sample::select(pages), prop::collection::vec(edit, 1..6)).prop_map(|(mut page, edits)| {
        let floor = |page: &str, at: usize| crate::limits::up_to(page, at).len();
        let place = |page: &str, at: prop::sample::Index| floor(page, at.index(page.len() + 1));
        for (first, second, kind, noise) in edits {
            let (first, second) = (place(&page, first), place(&page, second));
            let (start, end) = (first.min(second), first.max(second));
            match kind {
                0 => page.insert_str(start, noise),
                1 => {
                    let end = end.min(floor(&page, start + 2000));
                    page.replace_range(start..end, noise);
                }
                _ => page.truncate(end.max(floor(&page, page.len() / 2))),
            }
        }
        page
    })
}

#[test]
fn engines_agree_on_mutated_pages() {
    let mut runner = prop::test_runner::TestRunner::default();
    let strategy = mutated();
    runner
        .run(&strategy, |html| {
            let (scan, lol) = both(&html);
            prop_assert!(scan == lol);
            prop_assert!(grown(&html, 1400) == scan, "grown");
            Ok(())
        })
        .unwrap();
}

/// Returns the folder of the evaluation sets, which need not exist.
pub(crate) fn shared_data() -> PathBuf {
    std::env::var_os("TROMMEL_SHARED").map_or_else(|| root().join("../shared"), PathBuf::from).join("data")
}

/// Returns the paths of the sample archive and of the evaluation sets that the shared folder has.
pub(crate) fn archives() -> Vec<PathBuf> {
    let shared = shared_data();
    let mut archives = vec![root().join("samples/wcxb-sample.warc.gz")];
    match std::fs::read_dir(&shared) {
        Ok(folder) => archives.extend(
            folder
                .filter_map(Result::ok)
                .map(|entry| entry.path())
                .filter(|path| path.to_string_lossy().ends_with(".warc.gz")),
        ),
        Err(_) => println!("skipped: no folder {}", shared.display()),
    }
    archives
}

#[test]
fn engines_agree_on_real_pages() {
    let mut count = 0;
    for archive in archives() {
        for (at, html) in pages(&archive).enumerate() {
            let (scan, lol) = both(&html);
            assert!(scan == lol, "page {at} of {}", archive.display());
            let limits = Limits::default();
            let page = ScanEngine.read(&html, &limits);
            for vectors in Vectors::available() {
                let scanned = ScanReader::with_vectors(vectors).read(&html, &limits);
                assert!(scanned == page, "{vectors:?}: page {at} of {}", archive.display());
            }
            count += 1;
        }
    }
    assert!(count > 0);
}
