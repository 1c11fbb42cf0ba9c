//! Memory of read pages that each thread reuses for its next page, and an observer of the time of each stage.

use std::time::{Duration, Instant};
use std::{cell::RefCell, fmt::Debug, sync::Arc};

use trommel_html::{GrowingReader, Limits, Page, ScanReader};

thread_local! {
    /// Memory of pages that the thread no longer needs, reused for the next page.
    // By thread: the output cannot depend on it, because tables are cleared before each page.
    static READER: RefCell<ScanReader> = RefCell::default();
}

/// Reads a page into the thread's reused memory; records the inline styles of its blocks if `inline_style` is true.
pub(crate) fn read(html: &str, limits: &Limits, inline_style: bool) -> Page {
    READER.with_borrow_mut(
        |reader| {
            if inline_style { reader.read_styled(html, limits) } else { reader.read(html, limits) }
        },
    )
}

/// Creates a reader for a page that arrives in parts, in the thread's reused memory. If a thread has several readers at
/// a time, only the first uses that memory.
pub(crate) fn growing(limits: &Limits) -> GrowingReader {
    READER.with_borrow_mut(|reader| reader.growing(limits))
}

/// Ends the reading of a page that arrived in parts and returns the page; `html` is the whole decoded page.
pub(crate) fn finish(growing: GrowingReader, html: &str) -> Page {
    READER.with_borrow_mut(|reader| reader.finish(growing, html))
}

/// Takes a page that is no longer needed, so that the thread's next page uses its memory.
pub(crate) fn keep(page: Page) {
    // While the thread ends there is no next page.
    let _ = READER.try_with(|reader| {
        if let Ok(mut reader) = reader.try_borrow_mut() {
            reader.keep(page);
        }
    });
}

trommel_text::named! {
    /// Stage of an extraction whose time is measured.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum ExtractionStage {
        /// Decoding of the bytes, and reading of elements and blocks.
        Parse = "parse",
        /// Computation of features and probabilities, and choice of blocks.
        Classify = "classify",
        /// Writing of text, Markdown, metadata or a document, measured at each request.
        Render = "render",
    }
}

/// Receiver of the time that each stage of an extraction took, called on the thread that ran the stage.
pub trait ExtractionObserver: Debug + Send + Sync {
    /// Records that a stage of one page has ended and took `time`.
    fn stage_ended(&self, stage: ExtractionStage, time: Duration);
}

/// Observer of an extractor; `None` if no time is measured.
pub(crate) type SharedObserver = Option<Arc<dyn ExtractionObserver>>;

/// Runs `make`, reports the time that it took to the observer, and returns its result.
pub(crate) fn observed<T>(observer: &SharedObserver, stage: ExtractionStage, make: impl FnOnce() -> T) -> T {
    let Some(observer) = observer else { return make() };
    let begin = Instant::now();
    let made = make();
    observer.stage_ended(stage, begin.elapsed());
    made
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use trommel_model::Model;

    use super::*;
    use crate::{DocumentOptions, Extractor, Hints, MarkdownOptions};

    #[derive(Debug, Default)]
    struct Seen(Mutex<Vec<ExtractionStage>>);

    impl ExtractionObserver for Seen {
        fn stage_ended(&self, stage: ExtractionStage, _: Duration) {
            self.0.lock().unwrap().push(stage);
        }
    }

    #[test]
    fn every_form_tells_of_every_stage_once() {
        use ExtractionStage::*;
        let model = Arc::new(Model::builtin("fast").unwrap());
        let markdown = DocumentOptions::default().with_markdown(MarkdownOptions::default());
        for options in [DocumentOptions::default(), markdown] {
            let seen = Arc::new(Seen::default());
            let extractor = Extractor::new(model.clone()).with_observer(seen.clone());
            let page = extractor.extract(b"<p>one", &Hints::default());
            page.document(&options);
            assert_eq!(*seen.0.lock().unwrap(), [Parse, Classify, Render]);
            page.text();
            assert_eq!(seen.0.lock().unwrap().len(), 4);
        }
    }
}
