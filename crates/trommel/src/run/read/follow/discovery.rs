//! Finds the inputs that an argument currently stands for.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use trommel_archive::name::is_archive;

use crate::run::read::live::{GrowingInput, OPEN, Pipe, without_open};
use crate::run::read::reader::is_pipe;

/// The inputs that an argument currently stands for, except the known ones. The names are those that they
/// have when they are complete.
pub(super) fn find_inputs(argument: &str, known: &HashSet<String>) -> Vec<(String, GrowingInput)> {
    if argument == "-" {
        if known.contains("-") {
            return Vec::new();
        }
        return match Pipe::new(|| Ok(std::io::stdin())) {
            Ok(pipe) => vec![("-".to_owned(), GrowingInput::Pipe(pipe))],
            Err(error) => {
                tracing::error!("-: {error}");
                Vec::new()
            }
        };
    }
    let path = Path::new(argument);
    if is_pipe(path) {
        if known.contains(argument) {
            return Vec::new();
        }
        let opened = path.to_owned();
        return match Pipe::new(move || fs::File::open(opened)) {
            Ok(pipe) => vec![(argument.to_owned(), GrowingInput::Pipe(pipe))],
            Err(error) => {
                tracing::error!("{argument}: {error}");
                Vec::new()
            }
        };
    }
    let mut paths = Vec::new();
    if path.is_dir() {
        below(path, &mut paths);
    } else if argument.contains(['*', '?', '[']) && !path.exists() {
        for pattern in [argument.to_owned(), format!("{argument}{OPEN}")] {
            paths.extend(glob::glob(&pattern).into_iter().flatten().flatten());
        }
        paths.retain(|path| path.is_file());
    } else {
        paths.push(path.to_owned());
    }
    let mut names: Vec<PathBuf> = paths.iter().map(|path| without_open(path)).collect();
    names.sort();
    // A file and the same file while it is open are one input.
    names.dedup();
    let new = names.into_iter().filter_map(|path| {
        let name = path.to_string_lossy().into_owned();
        (!known.contains(&name)).then(|| (name, GrowingInput::File(there(&path))))
    });
    new.collect()
}

/// The file under its own name, or under the one that it has while it is written.
pub(super) fn there(path: &Path) -> PathBuf {
    let mut open = path.as_os_str().to_owned();
    open.push(OPEN);
    match (path.exists(), Path::new(&open).exists()) {
        (false, true) => open.into(),
        _ => path.to_owned(),
    }
}

/// Archives in a folder and below, finished or not.
fn below(folder: &Path, paths: &mut Vec<PathBuf>) {
    // What cannot be read now is looked at again.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder {
            below(&path, paths);
        } else if is_archive(name.strip_suffix(OPEN).unwrap_or(&name)) && path.is_file() {
            paths.push(path);
        }
    }
}
