//! Estimates the memory for judging a page from its bytes.

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
/// What showing a page takes besides, for each byte and each bracket, and at most.
const VIEW_BYTES_PER_BYTE: u64 = 20;
const VIEW_BYTES_PER_TAG: u64 = 2500;
const MAX_VIEW_BYTES: u64 = 80 << 20;

/// Bytes that judging this page may take.
pub(crate) fn of_page(page: &[u8]) -> u64 {
    let (tags, values) = marks(page);
    of(page.len() as u64, tags, values)
}

/// The same with the report on it.
pub(crate) fn of_report(page: &[u8]) -> u64 {
    let (bytes, tags) = (page.len() as u64, marks(page).0);
    let shown = bytes.saturating_mul(VIEW_BYTES_PER_BYTE).saturating_add(tags.saturating_mul(VIEW_BYTES_PER_TAG));
    of_page(page).saturating_add(shown.min(MAX_VIEW_BYTES))
}

/// Bytes of the longest page that may be judged in so much memory, if nothing but text stands in it.
pub(crate) fn longest(memory: u64) -> u64 {
    memory.saturating_sub(FIXED_BYTES) / BYTE
}

/// The longest start of a page that may be judged in so much memory.
pub(crate) fn fitting(page: &[u8], memory: u64) -> &[u8] {
    if of_page(page) <= memory {
        return page;
    }
    let (mut from, mut to) = (0, page.len());
    while from < to {
        let middle = (from + to).div_ceil(2);
        if of_page(page.get(..middle).unwrap_or_default()) <= memory { from = middle } else { to = middle - 1 }
    }
    page.get(..from).unwrap_or_default()
}

fn of(bytes: u64, tags: u64, values: u64) -> u64 {
    FIXED_BYTES
        .saturating_add(bytes.saturating_mul(BYTE))
        .saturating_add(tags.min(TAGS).saturating_mul(TAG))
        .saturating_add(values.min(VALUES).saturating_mul(VALUE))
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
    fn what_fits_is_the_longest_start() {
        let page = b"<p>word ".repeat(10_000);
        assert_eq!(fitting(&page, u64::MAX), page);
        let memory = of_page(&page) / 2;
        let start = fitting(&page, memory);
        assert!(of_page(start) <= memory && of_page(&page[..start.len() + 1]) > memory);
        assert!(fitting(&page, 0).is_empty());
        let text = vec![b'x'; 1 << 20];
        let memory = of_page(&text);
        assert_eq!(longest(memory), text.len() as u64);
    }
}
