//! Estimates the memory for judging a page from its bytes.

use trommel::IncludeSettings;

/// The fixed bytes for any page.
const FIXED_BYTES: u64 = 1 << 20;
/// Bytes for each byte of the page: the decoded page, its text, copies of it in the answer.
const BYTE: u64 = 12;
/// Bytes for each bracket, which may begin an element and a block, up to the number that a page keeps
/// apart.
const TAG: u64 = 900;
const TAGS: u64 = 180_000;
/// Bytes for each brace and square bracket, which may begin a value of embedded data, up to the number that
/// is read.
const VALUE: u64 = 420;
const VALUES: u64 = 220_000;
/// Bytes for each byte of the page whose chunks are asked for: their texts and headings, in the document and the answer.
const CHUNKED_BYTE: u64 = 14;
/// Bytes for each chunk besides, and least bytes of the page for each unit of its size.
const CHUNK: u64 = 900;
const BYTES_OF_UNIT: u64 = 2;
/// Bytes for each bracket whose spans are asked for: a part of a text and its place, in the document and the answer.
const SPAN: u64 = 160;
/// Additional bytes of memory for showing a page: for each byte, for each bracket, and at most.
const VIEW_BYTES_PER_BYTE: u64 = 20;
const VIEW_BYTES_PER_TAG: u64 = 2500;
const MAX_VIEW_BYTES: u64 = 80 << 20;

/// Bytes that judging this page may take.
pub(crate) fn of_page(page: &[u8]) -> u64 {
    let (tags, values) = marks(page);
    of(page.len() as u64, tags, values)
}

/// The same with the lists beside the text that are asked for.
pub(crate) fn of_lists(page: &[u8], lists: &IncludeSettings) -> u64 {
    let bytes = page.len() as u64;
    let chunks = lists.chunks.map_or(0, |chunks| {
        // No chunk has less than a paragraph or a sentence.
        let most = marks(page).0.saturating_add(sentences(page));
        let count = most.min(bytes / BYTES_OF_UNIT / u64::from(chunks.size.get()));
        bytes.saturating_mul(CHUNKED_BYTE).saturating_add(count.saturating_mul(CHUNK))
    });
    let spans = if lists.spans { marks(page).0.min(TAGS).saturating_mul(SPAN) } else { 0 };
    of_page(page).saturating_add(chunks).saturating_add(spans)
}

/// The same with the report on it.
pub(crate) fn of_report(page: &[u8]) -> u64 {
    let (bytes, tags) = (page.len() as u64, marks(page).0);
    let shown = bytes.saturating_mul(VIEW_BYTES_PER_BYTE).saturating_add(tags.saturating_mul(VIEW_BYTES_PER_TAG));
    of_page(page).saturating_add(shown.min(MAX_VIEW_BYTES))
}

/// Bytes of the longest page of plain text that may be judged in `memory`.
pub(crate) fn longest(memory: u64) -> u64 {
    memory.saturating_sub(FIXED_BYTES) / BYTE
}

/// The longest start of a page that may be judged in `memory`.
pub(crate) fn fitting<'p>(page: &'p [u8], memory: u64, lists: &IncludeSettings) -> &'p [u8] {
    if of_lists(page, lists) <= memory {
        return page;
    }
    let (mut from, mut to) = (0, page.len());
    while from < to {
        let middle = (from + to).div_ceil(2);
        if of_lists(page.get(..middle).unwrap_or_default(), lists) <= memory { from = middle } else { to = middle - 1 }
    }
    page.get(..from).unwrap_or_default()
}

fn of(bytes: u64, tags: u64, values: u64) -> u64 {
    FIXED_BYTES
        .saturating_add(bytes.saturating_mul(BYTE))
        .saturating_add(tags.min(TAGS).saturating_mul(TAG))
        .saturating_add(values.min(VALUES).saturating_mul(VALUE))
}

/// The signs of a page at which a sentence may end; of those that are not ASCII, which nothing tells apart here, every
/// second.
fn sentences(page: &[u8]) -> u64 {
    let ends = page.iter().filter(|byte| matches!(byte, b'.' | b'!' | b'?')).count();
    let others = page.iter().filter(|byte| **byte >= 0xC0).count();
    (ends + others / 2) as u64
}

/// The angle brackets of a page, and its braces and square brackets.
fn marks(page: &[u8]) -> (u64, u64) {
    let (mut tags, mut values) = (0, 0);
    for byte in page {
        tags += u64::from(*byte == b'<');
        values += u64::from(matches!(byte, b'{' | b'['));
    }
    (tags, values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_weighs_more_than_text() {
        let (text, markup) = (vec![b'x'; 1 << 20], b"<p>x".repeat(1 << 18));
        assert!(of_page(&markup) > 4 * of_page(&text));
        assert!(of_report(&text) > of_page(&text));
        assert!(of_report(&markup) - of_page(&markup) <= MAX_VIEW_BYTES);
    }

    #[test]
    fn lists_weigh_by_their_lengths() {
        let page = b"<p>word word. ".repeat(10_000);
        let of = |chunks: &str, spans: bool| {
            let chunks = Some(chunks).filter(|chunks| !chunks.is_empty());
            let lists = serde_json::json!({ "chunks": chunks, "spans": spans });
            of_lists(&page, &serde_json::from_value(lists).unwrap())
        };
        assert_eq!(of("", false), of_page(&page));
        assert!(of("", true) > of_page(&page));
        assert!(of("words=1", false) > of("words=400,overlap=200", false));
        assert!(of("words=400", false) > of_page(&page));
    }

    #[test]
    fn what_fits_is_the_longest_start() {
        let page = b"<p>word ".repeat(10_000);
        let lists = IncludeSettings::default();
        let fitting = |page: &'static [u8], memory| fitting(page, memory, &lists);
        let page: &'static [u8] = page.leak();
        assert_eq!(fitting(page, u64::MAX), page);
        let memory = of_page(page) / 2;
        let start = fitting(page, memory);
        assert!(of_page(start) <= memory && of_page(&page[..start.len() + 1]) > memory);
        assert!(fitting(page, 0).is_empty());
        let text = vec![b'x'; 1 << 20];
        let memory = of_page(&text);
        assert_eq!(longest(memory), text.len() as u64);
    }
}
