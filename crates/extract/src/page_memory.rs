//! Page tables that each thread keeps and reuses for its next page.

use std::cell::RefCell;

use trommel_html::{GrowingReader, Limits, Page, ScanReader};

thread_local! {
    /// Memory of pages that the thread is done with.
    // By thread: the output cannot depend on it, because tables are cleared before each page.
    static READER: RefCell<ScanReader> = RefCell::default();
}

/// Reads a page into kept memory, with the inline styles of its blocks, on request.
pub(crate) fn read(html: &str, limits: &Limits, inline_style: bool) -> Page {
    READER.with_borrow_mut(
        |reader| {
            if inline_style { reader.read_styled(html, limits) } else { reader.read(html, limits) }
        },
    )
}

/// A reader for a page that comes in parts, in kept memory. Of the readers that a thread has at a time the
/// first has it.
pub(crate) fn growing(limits: &Limits) -> GrowingReader {
    READER.with_borrow_mut(|reader| reader.growing(limits))
}

/// The page that has been read in parts, which `html` is the whole of.
pub(crate) fn finish(growing: GrowingReader, html: &str) -> Page {
    READER.with_borrow_mut(|reader| reader.finish(growing, html))
}

/// Takes a page that is done with, to use its memory for the thread's next one.
pub(crate) fn keep(page: Page) {
    // While the thread ends there is no next page.
    let _ = READER.try_with(|reader| {
        if let Ok(mut reader) = reader.try_borrow_mut() {
            reader.keep(page);
        }
    });
}
