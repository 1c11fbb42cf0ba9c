//! Safe functions behind the C interface: extraction of whole pages, and of pages that arrive in parts.

use std::ffi::c_int;

use trommel::{
    Document, EarlyStops, Extractor, Hints, PageForm, PartialSettings, Session, StopReason, TextForm, Verdict, fields,
};

/// Extracts the text of pages with one model and one set of settings.
pub struct TrommelExtractor {
    plain: Extractor,
    markdown: Extractor,
    /// Extractor whose text is in the format that the settings request, for output as JSON.
    chosen: Extractor,
}

/// A page that arrives in parts.
pub struct TrommelSession {
    session: Session<'static>,
    url: Option<String>,
    form: TrommelForm,
}

/// The form of the output for a page.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrommelForm {
    /// The main text.
    Text = 0,
    /// The main text as Markdown.
    Markdown = 1,
    /// The document as JSON, with the keys of a JSON line of `trommel run`.
    Json = 2,
}

impl TrommelForm {
    /// Returns the output form with the number `number`; `None` if there is none. C may pass any number, but an invalid
    /// enum value is undefined behaviour in Rust.
    pub(crate) fn of(number: c_int) -> Option<Self> {
        [Self::Text, Self::Markdown, Self::Json].into_iter().find(|form| *form as c_int == number)
    }
}

/// Answer of a session to a part of its page: more is wanted, or the rest is not needed.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrommelVerdict {
    /// The session wants more.
    Continue = 0,
    /// The session has its maximum of 16 MiB.
    Full = 1,
    /// The data is not HTML.
    NotHtml = 2,
    /// The page asks not to be indexed.
    NoIndex = 3,
    /// The page declares an unwanted language.
    Language = 4,
    /// The first 256 KiB of the page have no content.
    Hopeless = 5,
    /// The page is a block page: a captcha, an error or a consent wall.
    BlockPage = 6,
    /// There is no session, or the library had an internal error.
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

impl TrommelExtractor {
    /// Creates an extractor with the default settings and a built-in model; `None` as the model means the default.
    /// Returns `None` for an unknown model.
    pub(crate) fn new(model: Option<&str>) -> Option<Self> {
        let name = model.unwrap_or_default();
        let is_builtin = trommel::Model::builtin_names().any(|known| known == name);
        let mut chosen = PartialSettings::default();
        chosen.set("model", name).ok()?;
        (is_builtin || name.is_empty()).then(|| Self::of(&chosen).ok()).flatten()
    }

    /// Creates an extractor with settings given as a JSON object.
    ///
    /// # Errors
    /// Returns one line that describes the invalid setting.
    pub(crate) fn with_settings(json: &str) -> Result<Self, String> {
        let chosen = PartialSettings::from_json(json).map_err(|error| error.to_string())?;
        let other = fields().iter().find(|field| {
            let is_chosen = chosen.get(&field.path).is_some();
            is_chosen && !field.is_of_pages()
        });
        match other {
            Some(field) => Err(format!("{}: is for whole runs, not for pages", field.name)),
            None => Self::of(&chosen),
        }
    }

    fn of(chosen: &PartialSettings) -> Result<Self, String> {
        let settings = chosen.settings().map_err(|error| error.to_string())?;
        let extractor = Extractor::new(&settings).map_err(|error| error.to_string())?;
        let in_form = |form: TextForm| {
            let mut settings = settings.clone();
            settings.text.form = form;
            Extractor::with_model(&settings, extractor.model().clone())
        };
        Ok(Self { plain: in_form(TextForm::Plain), markdown: in_form(TextForm::Markdown), chosen: extractor })
    }

    fn in_form(&self, form: TrommelForm) -> &Extractor {
        match form {
            TrommelForm::Text => &self.plain,
            TrommelForm::Markdown => &self.markdown,
            TrommelForm::Json => &self.chosen,
        }
    }

    /// Extracts one whole page and returns its output in the format `form`.
    pub(crate) fn extract(&self, page: &[u8], hints: &Hints<'_>, form: TrommelForm) -> Option<String> {
        let document = self.in_form(form).document(page, hints);
        written(document, hints.url, form)
    }

    pub(crate) fn session(&self, hints: &Hints<'_>, form: TrommelForm) -> TrommelSession {
        let extractor = self.in_form(form).clone();
        TrommelSession { session: Session::owned(extractor, *hints), url: hints.url.map(str::to_owned), form }
    }
}

impl TrommelSession {
    /// Makes the session report every kind of unwanted page early. `languages` are separated by commas; an empty text
    /// accepts all languages.
    pub(crate) fn stop_early(&mut self, languages: &str) {
        let languages = languages.split(',').map(str::trim).filter(|name| !name.is_empty());
        let stops = EarlyStops::all(languages.map(str::to_owned).collect());
        self.session.set_stops(stops);
    }

    pub(crate) fn feed(&mut self, part: &[u8]) -> TrommelVerdict {
        self.session.feed(part).into()
    }

    /// Returns the facts known so far about the page, as JSON: links, canonical URL, robots rules and next page.
    pub(crate) fn known(&mut self) -> String {
        serde_json::to_string(&self.session.known()).unwrap_or_default()
    }

    pub(crate) fn finish(self) -> Option<String> {
        let Self { session, url, form } = self;
        written(session.finish(), url.as_deref(), form)
    }
}

/// Formats a document for the caller: its text, or JSON with the keys of a line of `trommel run`.
fn written(document: Document, url: Option<&str>, form: TrommelForm) -> Option<String> {
    match form {
        TrommelForm::Text | TrommelForm::Markdown => Some(document.text),
        TrommelForm::Json => {
            let mut line = PageForm::Json.print(document, url, None).ok()?;
            line.truncate(line.trim_end().len());
            Some(line)
        }
    }
}
