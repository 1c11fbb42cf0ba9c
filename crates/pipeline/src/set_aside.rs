//! Records that are no pages and are kept for another tool.

use std::{
    fmt,
    io::{self, Write as _},
    path::{Path, PathBuf},
    str::FromStr,
};

use serde_json::json;
use trommel_archive::Record;
use trommel_output::Disk;

use crate::{
    Input,
    quarantine::record_member,
    side_output::{SideOutput, SideState},
};

/// A kind of payload whose records are kept in a file of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetAside {
    /// A media type (`application/pdf`), its second part (`pdf`) or its first (`image`).
    pub kind: String,
    /// WARC file for the records, each in a gzip member.
    pub path: PathBuf,
}

/// A record that is set aside.
#[derive(Debug)]
pub(crate) struct Aside {
    /// Which of the plan's files takes it.
    pub(crate) place: usize,
    /// The record as a gzip member.
    pub(crate) member: Vec<u8>,
    /// Its line in the index.
    pub(crate) line: Vec<u8>,
}

/// An option that names no kind and file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?}: expected KIND=FILE.warc.gz, such as pdf=pdfs.warc.gz")]
pub struct SetAsideError(String);

/// A file for records that is taken already.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: is {what}; name another file with --set-aside", path = .path.display())]
pub struct SetAsideConflict {
    path: PathBuf,
    what: &'static str,
}

impl FromStr for SetAside {
    type Err = SetAsideError;

    fn from_str(text: &str) -> Result<Self, SetAsideError> {
        let parts = text.split_once('=');
        parts
            .filter(|(kind, path)| !kind.is_empty() && path.ends_with(".warc.gz"))
            .map(|(kind, path)| Self {
                kind: kind.to_ascii_lowercase(),
                path: path.into(),
            })
            .ok_or_else(|| SetAsideError(text.to_owned()))
    }
}

impl fmt::Display for SetAside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.kind, self.path.display())
    }
}

impl SetAside {
    /// Refuses to keep records in an input, or those of two kinds in one file.
    ///
    /// # Errors
    /// For the first such file.
    pub fn check(all: &[Self], inputs: &[Input]) -> Result<(), SetAsideConflict> {
        for (at, own) in all.iter().enumerate() {
            let path = &own.path;
            let is_twice = all.iter().take(at).any(|other| other.path == *path);
            let is_input = inputs.iter().any(|input| match input {
                Input::File(input) => path
                    .canonicalize()
                    .is_ok_and(|path| input.canonicalize().is_ok_and(|input| input == path)),
                _ => false,
            });
            let what = match (is_twice, is_input) {
                (true, _) => "kept in twice",
                (_, true) => "an input",
                _ => continue,
            };
            return Err(SetAsideConflict {
                path: path.clone(),
                what,
            });
        }
        Ok(())
    }

    /// Whether records of this media type are kept here.
    fn takes(&self, media_type: &str) -> bool {
        let (first, second) = media_type.split_once('/').unwrap_or((media_type, ""));
        [media_type, first, second].contains(&self.kind.as_str())
    }

    /// The index of where the records were, beside the file: CDXJ.
    pub fn index(&self) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(".cdxj");
        name.into()
    }

    /// What is to be kept of a record, where it is of a kind that one of `all` takes.
    pub(crate) fn of(all: &[Self], record: &Record, id: &str, media_type: &str) -> Option<Aside> {
        let place = all.iter().position(|own| own.takes(media_type))?;
        let member = record_member(record, id).ok()?;
        Some(Aside {
            place,
            member,
            line: line(record, media_type),
        })
    }
}

/// Where a record was stored, as a line of CDXJ; the sort key is the date and the URL as it is.
fn line(record: &Record, media_type: &str) -> Vec<u8> {
    let digits = |date: &str| -> String {
        let digits = date.chars().filter(char::is_ascii_digit);
        digits.take(14).collect()
    };
    let date = record.date().map(digits).unwrap_or_default();
    let url = record.url().unwrap_or("-");
    let key: String = url
        .chars()
        .map(|c| {
            if c.is_whitespace() || c.is_control() {
                '_'
            } else {
                c
            }
        })
        .collect();
    let fields = json!({
        "url": url,
        "mime": media_type,
        "filename": &*record.place.file,
        "offset": record.place.offset.to_string(),
        "length": record.place.length.to_string(),
    });
    let mut line = Vec::new();
    // Writing to memory cannot fail.
    let _ = writeln!(line, "{key} {date} {fields}");
    line
}

/// The files of records set aside, and their indexes.
pub(crate) struct AsideFiles<'a> {
    files: Vec<SideOutput<'a>>,
}

impl<'a> AsideFiles<'a> {
    /// `states` is what an interrupted run left of each file; if they `continue` those of a finished run,
    /// records come behind those that are in them.
    pub(crate) fn new(
        disk: &'a dyn Disk,
        all: &[SetAside],
        states: &[Option<SideState>],
        continues: bool,
    ) -> io::Result<Self> {
        let paths = all.iter().flat_map(|own| [own.path.clone(), own.index()]);
        let files = paths.enumerate().map(|(at, path)| {
            let state = states.get(at).and_then(Option::as_ref);
            SideOutput::new(disk, &path, state, continues)
        });
        Ok(Self {
            files: files.collect::<io::Result<_>>()?,
        })
    }

    /// Keeps a record.
    pub(crate) fn add(&mut self, aside: &Aside) -> Result<(), (PathBuf, io::Error)> {
        let bytes = [&aside.member, &aside.line];
        let files = self.files.iter_mut().skip(2 * aside.place).zip(bytes);
        for (file, bytes) in files {
            let path = file.path().to_owned();
            file.add(bytes).map_err(|error| (path, error))?;
        }
        Ok(())
    }

    /// Puts on disk what there is.
    pub(crate) fn checkpoint(&mut self) -> io::Result<Vec<Option<SideState>>> {
        self.files.iter_mut().map(SideOutput::checkpoint).collect()
    }

    /// Ends the files, which are on disk under their hidden names then.
    pub(crate) fn complete(&mut self) -> io::Result<Vec<PathBuf>> {
        let files = self.files.iter_mut();
        let ended = files.filter_map(|file| file.complete().transpose());
        ended.collect()
    }

    /// Lets go of the files, and gives those that are begun and not ended.
    pub(crate) fn leave(&mut self) -> Vec<PathBuf> {
        let files = self.files.drain(..).filter(SideOutput::is_begun);
        files.map(|file| Path::to_owned(file.path())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_types_or_parts_of_them() {
        let kept: SetAside = "PDF=x/pdfs.warc.gz".parse().unwrap();
        assert_eq!(kept.index(), Path::new("x/pdfs.warc.gz.cdxj"));
        assert_eq!(kept.to_string(), "pdf=x/pdfs.warc.gz");
        assert!(kept.takes("application/pdf") && !kept.takes("image/png"));
        let images: SetAside = "image=i.warc.gz".parse().unwrap();
        assert!(images.takes("image/png") && !images.takes("application/pdf"));
        for text in ["pdf", "pdf=", "=x.warc.gz", "pdf=x.pdf"] {
            assert!(text.parse::<SetAside>().is_err(), "{text}");
        }
    }
}
