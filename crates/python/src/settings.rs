//! The keywords that every function of the module takes: how pages are extracted.

use std::{
    collections::BTreeMap,
    str::FromStr,
    sync::{Arc, Mutex, PoisonError},
};

use pyo3::{exceptions::PyValueError, prelude::*, pybacked::PyBackedBytes, types::PyDict};
use trommel::{
    ArticlePolicy, CommentPolicy, ContentPolicy, DocumentOptions, Extractor, HeadlinePolicy,
    MarkdownOptions, Model,
};
use trommel_extract::{MathForm, NoteForm, Role, RoleSet, ScriptForm, TextOptions};

use trommel_output::OptionalColumns;

use crate::errors::ModelError;

/// Models that were read, so that a call for each page does not read one for each page.
static READ: Mutex<BTreeMap<String, Arc<Model>>> = Mutex::new(BTreeMap::new());

/// Names of the models built into the module; the first is the default.
#[pyfunction]
pub(crate) fn models() -> Vec<&'static str> {
    Model::builtin_names().collect()
}

/// A model and what was asked for to get it.
#[derive(Clone)]
pub(crate) struct NamedModel {
    /// Name or path; `bytes` for a model that came as bytes.
    pub(crate) name: String,
    pub(crate) model: Arc<Model>,
}

impl NamedModel {
    /// The built-in model or model file of that name. Read once in a process.
    ///
    /// # Errors
    /// `ModelError` if there is none, or it cannot be read.
    pub(crate) fn open(name: &str) -> PyResult<Self> {
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        let model = match read.get(name) {
            Some(model) => model.clone(),
            None => {
                let model =
                    Model::open(name).map_err(|error| ModelError::new_err(error.to_string()))?;
                let model = Arc::new(model);
                // A file may be written anew; what is built in stays as it is.
                if Model::builtin_names().any(|known| known == name) {
                    read.insert(name.to_owned(), model.clone());
                }
                model
            }
        };
        Ok(Self {
            name: name.to_owned(),
            model,
        })
    }

    fn is_builtin(&self) -> bool {
        Model::builtin_names().any(|known| known == self.name)
    }
}

/// Name, path or bytes of a model.
impl<'a, 'py> FromPyObject<'a, 'py> for NamedModel {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = given.extract::<PyBackedBytes>() {
            let model = Model::from_bytes(&bytes)
                .map_err(|error| ModelError::new_err(error.to_string()))?;
            return Ok(Self {
                name: "bytes".to_owned(),
                model: Arc::new(model),
            });
        }
        if let Ok(name) = given.extract::<String>() {
            return Self::open(&name);
        }
        let path: std::path::PathBuf = given.extract()?;
        Self::open(&path.to_string_lossy())
    }
}

/// How pages are extracted.
#[derive(Clone)]
pub(crate) struct ExtractionSettings {
    pub(crate) model: NamedModel,
    pub(crate) policy: ContentPolicy,
    pub(crate) markdown: bool,
    pub(crate) links: bool,
    pub(crate) images: bool,
    pub(crate) sections: bool,
    pub(crate) posts: bool,
    pub(crate) blocks: bool,
    pub(crate) spans: bool,
    pub(crate) tables: bool,
    pub(crate) text: TextOptions,
}

/// The values of the keywords as they were given.
pub(crate) struct Given<'a> {
    pub(crate) model: Option<NamedModel>,
    pub(crate) markdown: bool,
    pub(crate) links: bool,
    pub(crate) images: bool,
    pub(crate) sections: bool,
    pub(crate) posts: bool,
    pub(crate) comments: &'a str,
    pub(crate) headline: &'a str,
    pub(crate) articles: &'a str,
    pub(crate) include: Vec<String>,
    pub(crate) exclude: Vec<String>,
    pub(crate) blocks: bool,
    pub(crate) spans: bool,
    pub(crate) tables: bool,
    pub(crate) math: &'a str,
    pub(crate) notes: &'a str,
    pub(crate) scripts: &'a str,
}

impl Default for Given<'_> {
    /// What is taken where nothing is given.
    fn default() -> Self {
        Self {
            model: None,
            markdown: false,
            links: false,
            images: false,
            sections: false,
            posts: false,
            comments: "exclude",
            headline: "auto",
            articles: "all",
            include: Vec::new(),
            exclude: Vec::new(),
            blocks: false,
            spans: false,
            tables: false,
            math: "tex",
            notes: "keep",
            scripts: "caret",
        }
    }
}

impl Given<'_> {
    /// What they stand for.
    ///
    /// # Errors
    /// `ValueError` that names the keyword, the value and what it may be.
    pub(crate) fn settings(self) -> PyResult<ExtractionSettings> {
        let is_divided = self.sections || self.posts;
        for (is_both, message) in [
            (
                self.sections && self.posts,
                "sections and posts: a text is divided one way or the other",
            ),
            (
                self.spans && is_divided,
                "spans: of a text that is divided (sections, posts) no places are known",
            ),
        ] {
            if is_both {
                return Err(PyValueError::new_err(message));
            }
        }
        let text = TextOptions::default()
            .with_math(one_of("math", self.math, &MATH)?)
            .with_notes(one_of("notes", self.notes, &NOTES)?)
            .with_scripts(one_of("scripts", self.scripts, &SCRIPTS)?);
        let policy = ContentPolicy {
            comments: named::<CommentPolicy>("comments", self.comments)?,
            headline: named::<HeadlinePolicy>("headline", self.headline)?,
            articles: named::<ArticlePolicy>("articles", self.articles)?,
            include: roles("include", &self.include)?,
            exclude: roles("exclude", &self.exclude)?,
        };
        if let Some(role) = policy
            .include
            .iter()
            .find(|role| policy.exclude.contains(*role))
        {
            return Err(PyValueError::new_err(format!(
                "the role {} is both to include and to exclude",
                role.name()
            )));
        }
        Ok(ExtractionSettings {
            model: match self.model {
                Some(model) => model,
                None => NamedModel::open(Model::builtin_names().next().unwrap_or_default())?,
            },
            policy,
            markdown: self.markdown || self.links || self.images || self.sections,
            links: self.links,
            images: self.images,
            sections: self.sections,
            posts: self.posts,
            blocks: self.blocks,
            spans: self.spans,
            tables: self.tables,
            text,
        })
    }
}

fn roles(key: &str, names: &[String]) -> PyResult<RoleSet> {
    names.iter().map(|name| named::<Role>(key, name)).collect()
}

const MATH: [(&str, MathForm); 3] = [
    ("tex", MathForm::Tex),
    ("plain", MathForm::Plain),
    ("off", MathForm::Off),
];
const NOTES: [(&str, NoteForm); 2] = [("keep", NoteForm::Keep), ("drop", NoteForm::Drop)];
const SCRIPTS: [(&str, ScriptForm); 2] = [
    ("caret", ScriptForm::Caret),
    ("unicode", ScriptForm::Unicode),
];

fn one_of<T: Copy>(key: &str, name: &str, known: &[(&str, T)]) -> PyResult<T> {
    let found = known.iter().find(|(own, _)| *own == name);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let known: Vec<&str> = known.iter().map(|(own, _)| *own).collect();
        unknown(key, name, &known)
    })
}

fn name_of<T: PartialEq>(value: T, known: &[(&'static str, T)]) -> &'static str {
    let found = known.iter().find(|(_, own)| *own == value);
    found.map_or("", |(name, _)| *name)
}

/// The value of a choice by its name.
///
/// # Errors
/// `ValueError` that names the keyword, the value and what it may be.
pub(crate) fn named<T: FromStr + strum::VariantNames>(key: &str, name: &str) -> PyResult<T> {
    name.parse().map_err(|_| unknown(key, name, T::VARIANTS))
}

fn unknown(key: &str, name: &str, known: &[&str]) -> PyErr {
    PyValueError::new_err(format!(
        "{key}: unknown value {name:?}, expected {}",
        known.join(", ")
    ))
}

impl ExtractionSettings {
    /// What extracts.
    pub(crate) fn extractor(&self) -> Extractor {
        Extractor::new(self.model.model.clone())
            .with_policy(self.policy)
            .with_inline_style(self.markdown)
    }

    /// What a document holds.
    pub(crate) fn form(&self) -> DocumentOptions {
        let form = DocumentOptions::default()
            .with_blocks(self.blocks)
            .with_spans(self.spans)
            .with_tables(self.tables)
            .with_text(self.text);
        match self.markdown {
            true => {
                let markdown = MarkdownOptions::default().with_links(self.links);
                form.with_markdown(markdown.with_images(self.images).with_text(self.text))
            }
            false => form,
        }
    }

    /// The columns that its documents have beside the usual ones.
    pub(crate) fn optional(&self) -> OptionalColumns {
        OptionalColumns::of(&self.form())
    }

    /// The keywords that give the same settings elsewhere: a model of one's own goes along as bytes.
    ///
    /// # Errors
    /// Only if memory runs out.
    pub(crate) fn keywords<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let keywords = PyDict::new(py);
        match self.model.is_builtin() {
            true => keywords.set_item("model", &self.model.name)?,
            false => {
                let bytes = self.model.model.to_bytes();
                let bytes = bytes.map_err(|error| ModelError::new_err(error.to_string()))?;
                keywords.set_item("model", pyo3::types::PyBytes::new(py, &bytes))?;
            }
        }
        keywords.set_item("markdown", self.markdown)?;
        keywords.set_item("links", self.links)?;
        keywords.set_item("images", self.images)?;
        keywords.set_item("sections", self.sections)?;
        keywords.set_item("posts", self.posts)?;
        keywords.set_item("comments", self.policy.comments.to_string())?;
        keywords.set_item("headline", self.policy.headline.to_string())?;
        keywords.set_item("articles", self.policy.articles.to_string())?;
        for (key, roles) in [
            ("include", self.policy.include),
            ("exclude", self.policy.exclude),
        ] {
            keywords.set_item(key, roles.iter().map(Role::name).collect::<Vec<_>>())?;
        }
        keywords.set_item("blocks", self.blocks)?;
        keywords.set_item("spans", self.spans)?;
        keywords.set_item("tables", self.tables)?;
        keywords.set_item("math", name_of(self.text.math, &MATH))?;
        keywords.set_item("notes", name_of(self.text.notes, &NOTES))?;
        keywords.set_item("scripts", name_of(self.text.scripts, &SCRIPTS))?;
        Ok(keywords)
    }
}
