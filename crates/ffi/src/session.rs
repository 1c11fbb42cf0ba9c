//! The functions of the library, without pointers.

use std::{ffi::c_int, sync::Arc};

use serde_json::json;
use trommel::{
    Document, DocumentOptions, EarlyStops, Extractor, Hints, MarkdownOptions, Model, Session,
    StopReason, Verdict,
};

/// Takes the text out of pages with one model.
pub struct TrommelExtractor(pub(crate) Extractor);

/// A page that arrives in parts.
pub struct TrommelSession {
    session: Session<'static>,
    form: TrommelForm,
}

/// What is given of a page.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrommelForm {
    /// The main text.
    Text = 0,
    /// The main text as Markdown.
    Markdown = 1,
    /// The document as JSON: text, title, language, confidence, dates and so on.
    Json = 2,
}

impl TrommelForm {
    /// The form of that number. C hands over any number for an enum, and in Rust one that is none must not be.
    pub(crate) fn of(number: c_int) -> Option<Self> {
        [Self::Text, Self::Markdown, Self::Json]
            .into_iter()
            .find(|form| *form as c_int == number)
    }
}

/// Whether a session wants more of its page.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrommelVerdict {
    /// It does.
    Continue = 0,
    /// It has as much as it keeps, 16 MiB.
    Full = 1,
    /// The page is no HTML.
    NotHtml = 2,
    /// The page says that it is not to be indexed.
    NoIndex = 3,
    /// The page declares a language that is not wanted.
    Language = 4,
    /// A long beginning of the page has no content.
    Hopeless = 5,
    /// The page stands in the way of another one.
    BlockPage = 6,
    /// There is no session, or the library has a fault.
    Error = 7,
}

impl From<Verdict> for TrommelVerdict {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Continue => Self::Continue,
            Verdict::Full => Self::Full,
            Verdict::Stop(StopReason::NotHtml) => Self::NotHtml,
            Verdict::Stop(StopReason::NoIndex) => Self::NoIndex,
            Verdict::Stop(StopReason::Language) => Self::Language,
            Verdict::Stop(StopReason::Hopeless) => Self::Hopeless,
            Verdict::Stop(StopReason::BlockPage) => Self::BlockPage,
            Verdict::Stop(_) => Self::Error,
        }
    }
}

/// What is known of a page from outside, as strings that may be missing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Given<'a> {
    pub(crate) url: Option<&'a str>,
    pub(crate) charset: Option<&'a str>,
    pub(crate) date: Option<&'a str>,
}

impl<'a> Given<'a> {
    fn hints(self) -> Hints<'a> {
        Hints {
            url: self.url,
            http_charset: self.charset,
            crawl_charset: None,
            date: self.date,
        }
    }
}

impl TrommelExtractor {
    /// An extractor with the built-in model of that name, or the first one.
    pub(crate) fn new(model: Option<&str>) -> Option<Self> {
        let model = Model::builtin(model.unwrap_or("fast"))?;
        Some(Self(Extractor::new(Arc::new(model))))
    }

    /// One whole page.
    pub(crate) fn extract(
        &self,
        page: &[u8],
        given: Given<'_>,
        form: TrommelForm,
    ) -> Option<String> {
        let extraction = self.0.extract(page, &given.hints());
        written(extraction.document(&options(form)), form)
    }

    pub(crate) fn session(&self, given: Given<'_>, form: TrommelForm) -> TrommelSession {
        let session = Session::owned(self.0.clone(), given.hints());
        TrommelSession {
            session: session.with_options(options(form)),
            form,
        }
    }
}

impl TrommelSession {
    /// Has the session tell early of every kind of page that is not wanted; `languages` are
    /// divided by commas, and none means all.
    pub(crate) fn stop_early(&mut self, languages: &str) {
        let languages = languages
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty());
        let stops = EarlyStops::all(languages.map(str::to_owned).collect());
        self.session.set_stops(stops);
    }

    pub(crate) fn feed(&mut self, part: &[u8]) -> TrommelVerdict {
        self.session.feed(part).into()
    }

    /// What is known up to here, as JSON.
    pub(crate) fn known(&mut self) -> String {
        let known = self.session.known();
        json!({
            "canonical": known.canonical,
            "robots": known.robots,
            "next_page": known.next_page,
            "links": known.links,
        })
        .to_string()
    }

    pub(crate) fn finish(self) -> Option<String> {
        let form = self.form;
        written(self.session.finish(), form)
    }
}

fn options(form: TrommelForm) -> DocumentOptions {
    let options = DocumentOptions::default();
    match form {
        TrommelForm::Markdown => options.with_markdown(MarkdownOptions::default()),
        TrommelForm::Text | TrommelForm::Json => options,
    }
}

fn written(document: Document, form: TrommelForm) -> Option<String> {
    match form {
        TrommelForm::Text | TrommelForm::Markdown => Some(document.text),
        TrommelForm::Json => serde_json::to_string(&document).ok(),
    }
}
