//! Page tables that each thread keeps and reuses for its next page, and an observer of the time of each stage.

use std::time::{Duration, Instant};
use std::{cell::RefCell, fmt::Debug, sync::Arc};

use trommel_html::{GrowingReader, Limits, Page, ScanReader};

thread_local! {
    /// Memory of pages that the thread is done with.
    // By thread: the output cannot depend on it, because tables are cleared before each page.
    static READER: RefCell<ScanReader> = RefCell::default();
}

/// Reads a page in the memory that the thread keeps, with the inline styles of its blocks on request.
pub(crate) fn read(html: &str, limits: &Limits, inline_style: bool) -> Page {
    READER.with_borrow_mut(
        |reader| {
            if inline_style { reader.read_styled(html, limits) } else { reader.read(html, limits) }
        },
    )
}

/// Creates a reader for a page that arrives in parts, in the memory that the thread keeps. If a thread has several
/// readers at a time, only the first uses that memory.
pub(crate) fn growing(limits: &Limits) -> GrowingReader {
    READER.with_borrow_mut(|reader| reader.growing(limits))
}

/// Returns the finished page that was read in parts; `html` is all of it.
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
    /// A stage of an extraction.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum ExtractionStage {
        /// Reading bytes into the tables of the page.
        Parse = "parse",
        /// Features, probabilities and the choice of blocks.
        Classify = "classify",
        /// Text, Markdown, metadata, language, document: each time that one is asked for.
        Render = "render",
    }
}

/// Receives the time that each stage of each extraction took, on the thread that did it.
pub trait ExtractionObserver: Debug + Send + Sync {
    /// A stage of one page has ended that took `time`.
    fn stage_ended(&self, stage: ExtractionStage, time: Duration);
}

/// The observer of an extractor, if it has one; without one no time is measured.
pub(crate) type SharedObserver = Option<Arc<dyn ExtractionObserver>>;

/// Returns the result of `make`, and reports the time that it took to the observer.
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
