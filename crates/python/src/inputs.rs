//! Reads arguments that name archives, also as file objects such as those of `fsspec`, and the settings of a run.

use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::{ffi::OsString, fmt, io};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::types::{PyDict, PyString};
use pyo3::{prelude::*, pybacked::PyBackedBytes};
use serde_json::Value;
use trommel::record::{Disk, LocalDisk};
use trommel::run::{Input, NetworkOptions, PreparedRun, RunRequest};
use trommel::{PartialSettings, Settings, fields};

use crate::errors::raised;
use crate::extractor::PyExtractor;
use crate::settings::{ConfigArgument, Keywords, NamedModel, Scope};

/// Archives that a Python caller names: paths and URLs, or a file object.
pub(crate) enum Named {
    Arguments(Vec<String>),
    /// Name of a file object, and the object, which has a method `read`.
    Object(PathBuf, Py<PyAny>),
}

/// Converts a path, URL, glob, folder or `@manifest`, a list of these, or a file object.
impl<'a, 'py> FromPyObject<'a, 'py> for Named {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Some(argument) = argument(&given)? {
            return Ok(Self::Arguments(vec![argument]));
        }
        if given.hasattr("read")? {
            let name = given.getattr("name").and_then(|name| name.extract::<String>());
            let name = name.unwrap_or_else(|_| "<file>".to_owned());
            return Ok(Self::Object(name.into(), given.to_owned().unbind()));
        }
        let mut arguments = Vec::new();
        for one in given.try_iter()? {
            let one = one?;
            arguments.push(argument(&one)?.ok_or_else(|| {
                PyTypeError::new_err("archives are paths, URLs, a list of these, or one file object")
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

impl Named {
    /// Adds the archives to a request for a run. Returns the file system to read them from, and true if the archive is
    /// a Python file object.
    ///
    /// # Errors
    /// Raises `ValueError` for standard input, and for options that a file object cannot have.
    pub(crate) fn into_request(self, request: &mut RunRequest) -> PyResult<(Box<dyn Disk>, bool)> {
        match self {
            Self::Object(name, object) => {
                for (what, is_set) in [
                    ("select", !request.select.is_empty()),
                    ("shard", request.shard.is_some()),
                    ("follow", request.follow.is_some()),
                ] {
                    if is_set {
                        return Err(PyValueError::new_err(format!(
                            "{what}: is for archives by their names, not for a file object"
                        )));
                    }
                }
                request.opened = vec![Input::File(name.clone())];
                Ok((Box::new(FileObjectDisk { name, object: Mutex::new(Some(FileObject(object))) }), true))
            }
            Self::Arguments(arguments) => {
                if arguments.iter().any(|argument| argument == "-") {
                    return Err(PyValueError::new_err("standard input is not read; give sys.stdin.buffer"));
                }
                request.inputs = arguments.into_iter().map(OsString::from).collect();
                Ok((Box::new(LocalDisk), false))
            }
        }
    }
}

/// Prepares a run from a request and its settings.
///
/// # Errors
/// Raises an exception if the run is refused, or would read a file object twice.
pub(crate) fn prepared(
    py: Python<'_>,
    request: RunRequest,
    given: &RunChoices,
    network: &NetworkOptions,
    is_object: bool,
) -> PyResult<PreparedRun> {
    let model = Some(given.model.model.clone());
    let prepared = py.detach(|| request.prepare(&given.chosen, &given.file, model, network)).map_err(raised)?;
    if is_object && prepared.sites.reads_twice() {
        return Err(PyValueError::new_err("site_memory two-pass: a file object can be read once only"));
    }
    Ok(prepared)
}

/// Settings and model that a Python caller chooses for a run, by an extractor, a configuration or keywords.
pub(crate) struct RunChoices {
    pub(crate) chosen: PartialSettings,
    pub(crate) file: PartialSettings,
    pub(crate) model: NamedModel,
}

impl RunChoices {
    /// Reads the settings and the model that a caller chooses for a run. Settings of pages are refused together with an
    /// extractor, because they would have no effect.
    ///
    /// # Errors
    /// Raises `ValueError` for a setting that is given twice or is invalid, and `TypeError` for an unknown keyword.
    pub(crate) fn read(
        extractor: Option<&Bound<'_, PyExtractor>>,
        config: Option<ConfigArgument>,
        choices: Option<&Bound<'_, PyDict>>,
        scope: Scope,
    ) -> PyResult<Self> {
        let Keywords { mut chosen, model } = Keywords::read(None, choices, scope)?;
        let file = config.unwrap_or_default().0;
        let Some(extractor) = extractor else {
            let model = match model {
                Some(model) => model,
                None => NamedModel::open(file.get("model").and_then(Value::as_str).unwrap_or_default())?,
            };
            chosen.set("model", model.name.clone()).map_err(raised)?;
            return Ok(Self { chosen, file, model });
        };
        let extractor = extractor.get();
        let in_pages = fields().iter().filter(|field| field.is_of_pages());
        for field in in_pages {
            let is_model = field.name == "model" && model.is_some();
            let twice = match (is_model || chosen.get(&field.path).is_some(), file.get(&field.path).is_some()) {
                (true, _) => field.name.clone(),
                (false, true) => format!("{} of config", field.name),
                (false, false) => continue,
            };
            return Err(PyValueError::new_err(format!(
                "{twice} and extractor: an extractor has its own choices; give one of the two"
            )));
        }
        let mut choices = extractor.chosen.clone();
        choices.set("model", extractor.model.name.clone()).map_err(raised)?;
        Ok(Self { chosen: choices.over(chosen), file, model: extractor.model.clone() })
    }

    /// Returns all settings of the run: keywords, then the configuration, then defaults.
    ///
    /// # Errors
    /// Raises `ValueError` if settings exclude each other.
    pub(crate) fn settings(&self) -> PyResult<Settings> {
        self.chosen.clone().over(self.file.clone()).settings().map_err(raised)
    }
}

/// Number of bytes in one read of a file object, large because each read needs the Python interpreter.
const READ_BYTES: usize = 1 << 20;

/// Python object with a method `read` that returns bytes.
struct FileObject(Py<PyAny>);

impl Read for FileObject {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        Python::attach(|py| {
            let bytes = self.0.bind(py).call_method1("read", (into.len(),))?;
            let bytes: PyBackedBytes = bytes.extract().map_err(PyErr::from)?;
            let target = into
                .get_mut(..bytes.len())
                .ok_or_else(|| io::Error::other("read() gave more bytes than it was asked for"))?;
            target.copy_from_slice(&bytes);
            Ok(bytes.len())
        })
    }
}

/// File system with the local files and, under the name `name`, a Python file object that can be opened once.
pub(crate) struct FileObjectDisk {
    name: PathBuf,
    object: Mutex<Option<FileObject>>,
}

impl fmt::Debug for FileObjectDisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileObjectDisk").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Disk for FileObjectDisk {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        let mut object = self.object.lock().unwrap_or_else(PoisonError::into_inner);
        match object.take_if(|_| path == self.name) {
            Some(object) => Ok(Box::new(BufReader::with_capacity(READ_BYTES, object))),
            None => LocalDisk.open(path),
        }
    }
}
