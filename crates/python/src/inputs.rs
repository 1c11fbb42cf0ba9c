//! Archives as callers name them, and the keywords of functions that read them.

use std::{num::NonZeroUsize, path::PathBuf, sync::Arc};

use data_encoding::HEXLOWER;
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::{PyDict, PyString},
};
use sha2::{Digest, Sha256};
use trommel_filters::Filters;
use trommel_output::{Disk, LocalDisk};
use trommel_pipeline::{
    Config, Input, Output, PackedOptions, Plan, Recipe, SiteRecipe, expand, unpack,
};
use trommel_sources::{Base, NetworkOptions, SelectOptions};

use crate::{
    errors::{ArchiveError, ModelError},
    file_object::FileObjectDisk,
    settings::ExtractionSettings,
};

/// Archives as they were named.
pub(crate) enum Named {
    Arguments(Vec<String>),
    /// A name and what is read under it.
    Object(PathBuf, Py<PyAny>),
}

/// A path, URL, glob, folder or `@manifest`, a list of these, or a file object.
impl<'a, 'py> FromPyObject<'a, 'py> for Named {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Some(argument) = argument(&given)? {
            return Ok(Self::Arguments(vec![argument]));
        }
        if given.hasattr("read")? {
            let name = given
                .getattr("name")
                .and_then(|name| name.extract::<String>());
            let name = name.unwrap_or_else(|_| "<file>".to_owned());
            return Ok(Self::Object(name.into(), given.to_owned().unbind()));
        }
        let mut arguments = Vec::new();
        for one in given.try_iter()? {
            let one = one?;
            arguments.push(argument(&one)?.ok_or_else(|| {
                PyTypeError::new_err(
                    "archives are paths, URLs, a list of these, or one file object",
                )
            })?);
        }
        Ok(Self::Arguments(arguments))
    }
}

fn argument(given: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    if let Ok(text) = given.cast::<PyString>() {
        return text.extract().map(Some);
    }
    if given.hasattr("__fspath__")? {
        let path: PathBuf = given.extract()?;
        return Ok(Some(path.to_string_lossy().into_owned()));
    }
    Ok(None)
}

/// Inputs, and the file system that they are on.
pub(crate) struct Archives {
    pub(crate) inputs: Vec<Input>,
    pub(crate) disk: Box<dyn Disk>,
}

impl Named {
    /// The archives that the names stand for. Asks the network where names do; the interpreter is free.
    ///
    /// # Errors
    /// `ArchiveError` if a name cannot be used.
    pub(crate) fn archives(
        self,
        py: Python<'_>,
        base: Option<&str>,
        network: &NetworkOptions,
        pages_only: bool,
    ) -> PyResult<Archives> {
        let arguments = match self {
            Self::Object(name, object) => {
                return Ok(Archives {
                    inputs: vec![Input::File(name.clone())],
                    disk: Box::new(FileObjectDisk::new(name, object)),
                });
            }
            Self::Arguments(arguments) => arguments,
        };
        if arguments.iter().any(|argument| argument == "-") {
            return Err(PyValueError::new_err(
                "standard input is not read; give sys.stdin.buffer",
            ));
        }
        let base = base.map(Base::new);
        let packed = packed_options(pages_only);
        let inputs = py.detach(|| {
            expand(&arguments, base.as_ref(), network).map(|inputs| unpack(inputs, packed, network))
        });
        Ok(Archives {
            inputs: inputs.map_err(|error| ArchiveError::new_err(error.to_string()))?,
            disk: Box::new(LocalDisk),
        })
    }
}

fn packed_options(pages_only: bool) -> PackedOptions {
    PackedOptions {
        check_hashes: false,
        pages_only,
    }
}

/// A configuration as callers give it: the path of a file, or a dict with the keys of one.
pub(crate) struct GivenConfig(pub(crate) Config);

impl<'a, 'py> FromPyObject<'a, 'py> for GivenConfig {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(dict) = given.cast::<PyDict>() {
            let json: String = given
                .py()
                .import("json")?
                .call_method1("dumps", (dict,))?
                .extract()?;
            let config = serde_json::from_str(&json);
            return config
                .map(Self)
                .map_err(|error| PyValueError::new_err(format!("config: {error}")));
        }
        let path: PathBuf = given.extract()?;
        Config::load(&path)
            .map(Self)
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

/// A plan to read `inputs` and write `output`, with what makes the text what it is in its recipe.
///
/// # Errors
/// If filters name page types that the model does not tell.
pub(crate) fn plan(
    inputs: Vec<Input>,
    output: Output,
    settings: &ExtractionSettings,
    config: &Config,
    jobs: Option<NonZeroUsize>,
    pages_only: bool,
    base: Option<&str>,
) -> PyResult<Plan> {
    let model = &settings.model;
    let known = &model.model.file().page_types;
    let known: Vec<&str> = known
        .iter()
        .map(|page_type| page_type.name.as_str())
        .collect();
    if let Some((key, name)) = config.filters.unknown_page_type(&known) {
        return Err(PyValueError::new_err(format!(
            "filters.{key}: the model knows no page type {name:?}; it knows {}",
            known.join(", ")
        )));
    }
    let bytes = model.model.to_bytes();
    let bytes = bytes.map_err(|error| ModelError::new_err(error.to_string()))?;
    let digest = HEXLOWER.encode(&Sha256::digest(bytes));
    let mut plan = Plan::new(inputs, output);
    plan.filters = Arc::new(Filters::new(&config.filters));
    plan.recipe = Recipe {
        model: format!("{} (sha256 {digest})", model.name),
        policy: settings.policy,
        document: settings.form(),
        sites: SiteRecipe::Off,
        packed: packed_options(pages_only),
        select: SelectOptions::default(),
        base: base.map(|base| Base::new(base).to_string()),
    };
    plan.jobs = jobs.or(config.jobs).unwrap_or(plan.jobs);
    plan.max_record = config.max_record.unwrap_or(plan.max_record);
    plan.max_payload = config.max_payload.unwrap_or(plan.max_payload);
    plan.max_memory = config.max_memory;
    plan.check(&config.filters)
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(plan.within())
}

/// Raises `ValueError` if a dict is no configuration, or names a file that is none.
#[pyfunction]
pub(crate) fn check_config(config: GivenConfig) {
    // Reading it was the check.
    drop(config);
}
