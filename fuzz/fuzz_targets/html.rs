//! Fuzzes the page reader: any division into chunks gives the same tables, spans are in order and lead back to the
//! page, both engines and all vector widths agree, and styles change nothing. The first bytes choose the ends of the
//! chunks.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trommel_html::{Engine, Limits, LolEngine, Page, PushReader, ScanEngine, ScanReader};
use trommel_text::vectors::Vectors;

/// Bytes that say where chunks end.
const CUTS: usize = 4;

/// Reads a page with every engine, and asserts that the results are equal.
fn read(html: &str, limits: &Limits) -> Page {
    let page = ScanEngine.read_styled(html, limits);
    let other = with_work_of(&page, LolEngine.read_styled(html, limits));
    assert_eq!(page, other, "engines differ");
    page
}

/// The page with the steps of another reader: they count the work of each, which differs where something that is never
/// closed is looked for again.
fn with_work_of(other: &Page, mut page: Page) -> Page {
    page.steps = other.steps;
    page
}

/// Caps that small pages pass.
fn tight() -> Limits {
    Limits {
        depth: 8,
        elements: 20,
        blocks: 12,
        text: 100,
        element_words: 3,
        words: 20,
        attributes: 30,
        head: 50,
        ..Limits::default()
    }
}

fn check(html: &str, cuts: &[u8], limits: &Limits) {
    let page = read(html, limits);

    let mut reader = PushReader::new(limits).with_styles();
    let mut at = 0;
    for cut in cuts {
        let end = html.len().min(at + usize::from(*cut));
        if let Some(chunk) = html.get(at..end) {
            reader.push(chunk);
            at = end;
        }
    }
    reader.push(&html[at..]);
    assert_eq!(reader.finish(), page, "chunks {cuts:?}");

    let plain = LolEngine.read(html, limits);
    for vectors in Vectors::available() {
        let scanned = ScanReader::with_vectors(vectors).read(html, limits);
        assert_eq!(scanned, with_work_of(&scanned, plain.clone()), "{vectors:?}");
    }
    assert_eq!((&plain.blocks, &plain.elements), (&page.blocks, &page.elements));

    let mut last = 0;
    for block in &page.blocks {
        assert!(last <= block.span.0 && block.span.0 < block.span.1);
        assert!(html.get(block.span.0 as usize..block.span.1 as usize).is_some());
        assert!(block.link_words <= block.words);
        let parts: String = page.styled(block).map(|part| part.text).collect();
        assert_eq!(parts, page.text(block));
        last = block.span.1;
    }
    assert!(last as usize <= html.len());
}

fuzz_target!(|data: &[u8]| {
    let (cuts, page) = data.split_at(data.len().min(CUTS));
    let html = String::from_utf8_lossy(page);
    check(&html, cuts, &Limits::default());
    check(&html, cuts, &tight());
});
