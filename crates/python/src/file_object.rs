//! Reads archives from file objects of Python, such as those of `fsspec`.

use std::fmt;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use pyo3::{prelude::*, pybacked::PyBackedBytes};
use trommel::record::{Disk, LocalDisk};

/// Bytes asked for at once: each time the interpreter is needed.
const READ_BYTES: usize = 1 << 20;

/// An object with a method `read`.
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

/// The local file system, on which one name stands for a file object.
pub(crate) struct FileObjectDisk {
    name: PathBuf,
    object: Mutex<Option<FileObject>>,
}

impl FileObjectDisk {
    /// Archives of that name come from `object`, once.
    pub(crate) fn new(name: PathBuf, object: Py<PyAny>) -> Self {
        Self { name, object: Mutex::new(Some(FileObject(object))) }
    }
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
