//! Archives as callers name them, and the keywords of functions that read them.

use std::{num::NonZeroUsize, path::PathBuf, sync::Arc};

use data_encoding::HEXLOWER;
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::PyString,
};
use sha2::{Digest, Sha256};
use trommel_filters::Filters;
use trommel_output::{Disk, LocalDisk};
use trommel_pipeline::{
    Config, Follow, Input, InputError, InputShare, Output, PackedOptions, Plan, Recipe, expand,
    select, unpack,
};
use trommel_sources::{Base, NetworkOptions, SelectOptions};

use crate::{
    errors::{ArchiveError, ModelError},
    file_object::FileObjectDisk,
    settings::ExtractionSettings,
    sites::Sites,
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

/// What of the archives is read.
#[derive(Default)]
pub(crate) struct InputChoices<'a> {
    /// What names in manifests and indexes are relative to.
    pub(crate) base: Option<&'a str>,
    pub(crate) pages_only: bool,
    pub(crate) check_hashes: bool,
    /// Indexes of records.
    pub(crate) select: Vec<PathBuf>,
    pub(crate) select_anywhere: bool,
    pub(crate) whole_ranges: bool,
    pub(crate) share: Option<InputShare>,
    /// Whether they are followed as they grow.
    pub(crate) is_followed: bool,
}

impl InputChoices<'_> {
    fn packed(&self) -> PackedOptions {
        PackedOptions {
            check_hashes: self.check_hashes,
            pages_only: self.pages_only,
        }
    }

    fn select_options(&self) -> SelectOptions {
        SelectOptions {
            anywhere: self.select_anywhere,
            whole_ranges: self.whole_ranges,
        }
    }
}

/// Inputs, and the file system that they are on.
pub(crate) struct Archives {
    pub(crate) inputs: Vec<Input>,
    pub(crate) disk: Box<dyn Disk>,
    /// Whether they come from a file object.
    pub(crate) is_object: bool,
}

impl Named {
    /// The names, if they are names of files and folders to follow.
    ///
    /// # Errors
    /// `ValueError` for a file object, and for what does not grow as files do.
    pub(crate) fn follow(&self) -> PyResult<Follow> {
        match self {
            Self::Object(..) => Err(PyValueError::new_err(
                "follow: a file object cannot be followed, only files, folders, globs and pipes",
            )),
            Self::Arguments(arguments) => {
                Follow::new(arguments).map_err(|error| PyValueError::new_err(error.to_string()))
            }
        }
    }

    /// The archives that the names stand for. Asks the network where names do; the interpreter is free.
    ///
    /// # Errors
    /// `ArchiveError` if a name cannot be used.
    pub(crate) fn archives(
        self,
        py: Python<'_>,
        choices: &InputChoices<'_>,
        network: &NetworkOptions,
    ) -> PyResult<Archives> {
        let base = choices.base.map(Base::new);
        let options = choices.select_options();
        if choices.select.is_empty() && (options.anywhere || options.whole_ranges) {
            return Err(PyValueError::new_err(
                "select_anywhere and whole_ranges are for indexes: give select as well",
            ));
        }
        let arguments = match self {
            Self::Object(name, object) => {
                if !choices.select.is_empty() || choices.share.is_some() {
                    return Err(PyValueError::new_err(
                        "select and shard are for archives by their names, not for a file object",
                    ));
                }
                return Ok(Archives {
                    inputs: vec![Input::File(name.clone())],
                    disk: Box::new(FileObjectDisk::new(name, object)),
                    is_object: true,
                });
            }
            Self::Arguments(arguments) => arguments,
        };
        if arguments.iter().any(|argument| argument == "-") {
            return Err(PyValueError::new_err(
                "standard input is not read; give sys.stdin.buffer",
            ));
        }
        let packed = choices.packed();
        let inputs = py.detach(|| -> Result<Vec<Input>, InputError> {
            let mut inputs = expand(&arguments, base.as_ref(), network)?;
            for index in &choices.select {
                inputs.push(select(index, base.as_ref(), options)?);
            }
            if let Some(share) = choices.share {
                inputs.retain(|input| share.takes(input));
            }
            Ok(match choices.is_followed {
                true => inputs,
                false => unpack(inputs, packed, network),
            })
        });
        Ok(Archives {
            inputs: inputs.map_err(|error| ArchiveError::new_err(error.to_string()))?,
            disk: Box::new(LocalDisk),
            is_object: false,
        })
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
    read: &InputChoices<'_>,
    sites: &Sites,
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
        sections: settings.sections,
        posts: settings.posts,
        sites: sites.recipe(),
        packed: read.packed(),
        select: read.select_options(),
        base: read.base.map(|base| Base::new(base).to_string()),
    };
    plan.jobs = jobs.or(config.jobs).unwrap_or(plan.jobs);
    plan.max_record = config.max_record.unwrap_or(plan.max_record);
    plan.max_payload = config.max_payload.unwrap_or(plan.max_payload);
    plan.max_memory = config.max_memory;
    plan.check(&config.filters)
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(plan.within())
}
