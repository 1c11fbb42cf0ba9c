//! Reports the time of each stage of an extraction to an observer.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::{Duration, Instant};

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

/// An observer receives the time of each stage of each extraction, on the thread that did it.
pub trait ExtractionObserver: Debug + Send + Sync {
    /// A stage of one page has ended that took `time`.
    fn stage_ended(&self, stage: ExtractionStage, time: Duration);
}

/// The observer of an extractor, if it has one; without one the time is not asked for.
pub(crate) type SharedObserver = Option<Arc<dyn ExtractionObserver>>;

/// The result of `make`, after reporting its time to the observer.
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
