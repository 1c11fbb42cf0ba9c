//! Where the output goes and what its files are called.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use trommel_sinks::{Compression, Format};

use crate::Input;

/// Ends of file names that set the format and the compression.
const SUFFIXES: [(&str, Format, Compression); 17] = [
    (".anserini.jsonl", Format::Anserini, Compression::None),
    (".anserini.jsonl.gz", Format::Anserini, Compression::Gzip),
    (".jsonl", Format::Jsonl, Compression::None),
    (".jsonl.gz", Format::Jsonl, Compression::Gzip),
    (".jsonl.zst", Format::Jsonl, Compression::Zstd),
    (".msgpack", Format::Msgpack, Compression::None),
    (".msgpack.gz", Format::Msgpack, Compression::Gzip),
    (".msgpack.zst", Format::Msgpack, Compression::Zstd),
    (".wet", Format::Wet, Compression::None),
    (".wet.gz", Format::Wet, Compression::Gzip),
    (".trec", Format::Trec, Compression::None),
    (".trec.gz", Format::Trec, Compression::Gzip),
    (".bulk.ndjson", Format::Bulk, Compression::None),
    (".bulk.ndjson.gz", Format::Bulk, Compression::Gzip),
    (".parquet", Format::Parquet, Compression::None),
    (".tantivy", Format::Tantivy, Compression::None),
    (".bulk.ndjson.zst", Format::Bulk, Compression::Zstd),
];

/// Where documents are written to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A folder with one file for each input.
    Folder(PathBuf),
    /// One file for all inputs.
    File(PathBuf),
    /// Standard output.
    Stdout,
}

/// Format and compression as far as somebody chose them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The format.
    pub format: Option<Format>,
    /// The compression.
    pub compression: Option<Compression>,
}

/// Destination, format and compression of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Where the documents go.
    pub destination: Destination,
    /// Their format.
    pub format: Format,
    /// Their compression.
    pub compression: Compression,
}

/// Why an output cannot be written as asked.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The name says one thing and an option another.
    #[error("{name}: the name says {by_name}, the option says {by_option}")]
    Conflict {
        /// The output.
        name: String,
        /// Format or compression by the name.
        by_name: &'static str,
        /// Format or compression by the option.
        by_option: &'static str,
    },
    /// A file whose name says nothing.
    #[error(
        "{0}: is a file and its name ends in no known suffix (.jsonl, .msgpack, .wet, .anserini.jsonl, .trec, .bulk.ndjson, with .gz or .zst; .parquet, .tantivy)"
    )]
    UnknownSuffix(String),
    /// The output is one of the inputs.
    #[error("{0}: is both input and output")]
    IsInput(String),
    /// The format needs a file or folder.
    #[error("{0} cannot be written to standard output")]
    Stdout(Format),
    /// The format is never compressed that way.
    #[error("{format} cannot be compressed with {compression}")]
    Compression {
        /// The format.
        format: Format,
        /// The compression.
        compression: Compression,
    },
}

impl Output {
    /// The output that `name` stands for: `-` is standard output, plain unless `chosen` says
    /// otherwise; an existing folder, or a name without a known suffix, is a folder; another name is
    /// one file, and its suffix sets format and compression. `chosen` is what the command line says,
    /// `fallback` what the configuration file says.
    ///
    /// # Errors
    /// If the name conflicts with `chosen`, or the format is never compressed that way.
    pub fn new(name: &str, chosen: Choice, fallback: Choice) -> Result<Self, OutputError> {
        let (destination, by_name) = if name == "-" {
            (Destination::Stdout, None)
        } else if Path::new(name).is_dir() && !is_index(name) {
            (Destination::Folder(name.into()), None)
        } else if let Some(by_name) = by_suffix(name) {
            (Destination::File(name.into()), Some(by_name))
        } else if Path::new(name).exists() {
            return Err(OutputError::UnknownSuffix(name.to_owned()));
        } else {
            (Destination::Folder(name.into()), None)
        };
        let (format, compression) = match by_name {
            Some((format, compression)) => {
                let conflict = |by_name, by_option| OutputError::Conflict {
                    name: name.to_owned(),
                    by_name,
                    by_option,
                };
                if let Some(other) = chosen.format.filter(|&other| other != format) {
                    return Err(conflict(format.name(), other.name()));
                }
                if let Some(other) = chosen.compression.filter(|&other| other != compression) {
                    return Err(conflict(compression.name(), other.name()));
                }
                (format, compression)
            }
            None => {
                let format = chosen.format.or(fallback.format).unwrap_or(Format::Jsonl);
                let compression = match destination {
                    Destination::Stdout => chosen.compression.unwrap_or(Compression::None),
                    _ => chosen
                        .compression
                        .or(fallback.compression)
                        .unwrap_or(format.usual_compression()),
                };
                (format, compression)
            }
        };
        if !format.can_be(compression) {
            return Err(OutputError::Compression {
                format,
                compression,
            });
        }
        if format.is_assembled() && destination == Destination::Stdout {
            return Err(OutputError::Stdout(format));
        }
        Ok(Self {
            destination,
            format,
            compression,
        })
    }

    /// The file name of each input's shard, without folder: that of the input with the suffix of the
    /// output. A name already taken by an earlier input is numbered `-2`, `-3`.
    pub(crate) fn shards(&self, inputs: &[Input]) -> Vec<String> {
        let mut taken = HashSet::new();
        inputs
            .iter()
            .map(|input| {
                let stem = match input {
                    Input::File(path) => stem(path),
                    Input::Url(url) => {
                        let path = url.split(['?', '#']).next().unwrap_or_default();
                        stem(Path::new(path))
                    }
                    Input::Selection(selection) => stem(selection.index()),
                    Input::Stdin | Input::Nothing { .. } => "stdin".to_owned(),
                };
                let mut name = format!("{stem}{}", self.suffix());
                let mut number = 2;
                // A missing input has no file and must not take a name from one that has.
                while !matches!(input, Input::Nothing { .. }) && !taken.insert(name.clone()) {
                    name = format!("{stem}-{number}{}", self.suffix());
                    number += 1;
                }
                name
            })
            .collect()
    }

    /// Checks that no input would be overwritten.
    ///
    /// # Errors
    /// [`OutputError::IsInput`] naming the first such file.
    pub fn check(&self, inputs: &[Input]) -> Result<(), OutputError> {
        let targets: Vec<PathBuf> = match &self.destination {
            Destination::Stdout => return Ok(()),
            Destination::File(path) => vec![path.clone()],
            Destination::Folder(folder) => {
                let shards = self.shards(inputs);
                shards.iter().map(|name| folder.join(name)).collect()
            }
        };
        let targets: HashSet<PathBuf> = targets
            .iter()
            .filter_map(|path| path.canonicalize().ok())
            .collect();
        for input in inputs {
            if let Input::File(path) = input
                && path
                    .canonicalize()
                    .is_ok_and(|path| targets.contains(&path))
            {
                return Err(OutputError::IsInput(input.name()));
            }
        }
        Ok(())
    }

    fn suffix(&self) -> String {
        format!("{}{}", self.format.suffix(), self.compression.suffix())
    }
}

/// Whether an existing folder of that name is an output as a whole.
fn is_index(name: &str) -> bool {
    by_suffix(name).is_some_and(|(format, _)| format == Format::Tantivy)
}

fn by_suffix(name: &str) -> Option<(Format, Compression)> {
    let name = name.to_ascii_lowercase();
    SUFFIXES
        .iter()
        .find(|(suffix, ..)| name.ends_with(suffix))
        .map(|&(_, format, compression)| (format, compression))
}

/// The name of an archive or index without folder and without what says that it is one.
fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut stem: &str = &name;
    let endings: [&[&str]; 2] = [
        &[".gz", ".zst"],
        &[".warc", ".arc", ".cdxj", ".jsonl", ".parquet"],
    ];
    for endings in endings {
        for ending in endings {
            if let Some(at) = stem.len().checked_sub(ending.len())
                && at > 0
                && stem
                    .get(at..)
                    .is_some_and(|end| end.eq_ignore_ascii_case(ending))
            {
                stem = stem.get(..at).unwrap_or(stem);
                break;
            }
        }
    }
    stem.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Choice = Choice {
        format: None,
        compression: None,
    };

    fn format(format: Format) -> Choice {
        Choice {
            format: Some(format),
            ..NONE
        }
    }

    fn names(output: &str, chosen: Choice, inputs: &[&str]) -> Vec<String> {
        let inputs: Vec<Input> = inputs
            .iter()
            .map(|name| match *name {
                "-" => Input::Stdin,
                url if url.contains("://") => Input::Url(url.into()),
                name => Input::File(name.into()),
            })
            .collect();
        Output::new(output, chosen, NONE).unwrap().shards(&inputs)
    }

    #[test]
    fn shards_are_named_after_their_archives() {
        let inputs = [
            "x/a.warc.gz",
            "b.ARC.GZ",
            "c.warc.zst",
            "d",
            "-",
            "e.warc.wet.gz",
            "https://example.org/x/f.warc.gz?key=1/2",
        ];
        assert_eq!(
            names("out", NONE, &inputs),
            [
                "a.jsonl.zst",
                "b.jsonl.zst",
                "c.jsonl.zst",
                "d.jsonl.zst",
                "stdin.jsonl.zst",
                "e.warc.wet.jsonl.zst",
                "f.jsonl.zst"
            ]
        );
        assert_eq!(
            names("out", format(Format::Wet), &["a.warc.gz"]),
            ["a.warc.wet.gz"]
        );
        let plain = Choice {
            format: Some(Format::Msgpack),
            compression: Some(Compression::None),
        };
        assert_eq!(names("out", plain, &["a.warc.gz"]), ["a.msgpack"]);
    }

    #[test]
    fn clashing_names_are_numbered() {
        assert_eq!(
            names(
                "out",
                NONE,
                &["x/a.warc", "y/a.warc.gz", "a-2.warc", "z/a.arc"]
            ),
            [
                "a.jsonl.zst",
                "a-2.jsonl.zst",
                "a-2-2.jsonl.zst",
                "a-3.jsonl.zst"
            ]
        );
    }

    #[test]
    fn the_suffix_sets_the_format() {
        for (name, format, compression) in [
            ("o.jsonl", Format::Jsonl, Compression::None),
            ("o.jsonl.gz", Format::Jsonl, Compression::Gzip),
            ("o.jsonl.zst", Format::Jsonl, Compression::Zstd),
            ("o.msgpack.zst", Format::Msgpack, Compression::Zstd),
            ("o.warc.wet.gz", Format::Wet, Compression::Gzip),
            ("o.anserini.jsonl.gz", Format::Anserini, Compression::Gzip),
            ("o.trec", Format::Trec, Compression::None),
            ("o.bulk.ndjson.zst", Format::Bulk, Compression::Zstd),
        ] {
            // What the configuration file says is weaker than a name on the command line.
            let fallback = Choice {
                format: Some(Format::Msgpack),
                compression: Some(Compression::None),
            };
            let output = Output::new(name, NONE, fallback).unwrap();
            let expected = Output {
                destination: Destination::File(name.into()),
                format,
                compression,
            };
            assert_eq!(output, expected);
        }
    }

    #[test]
    fn conflicts_are_errors() {
        assert_eq!(
            Output::new("o.jsonl", format(Format::Wet), NONE)
                .unwrap_err()
                .to_string(),
            "o.jsonl: the name says jsonl, the option says wet"
        );
        let zstd = Choice {
            format: None,
            compression: Some(Compression::Zstd),
        };
        assert_eq!(
            Output::new("o.jsonl.gz", zstd, NONE)
                .unwrap_err()
                .to_string(),
            "o.jsonl.gz: the name says gz, the option says zst"
        );
        let wet = Choice {
            format: Some(Format::Wet),
            ..zstd
        };
        assert_eq!(
            Output::new("out", wet, NONE).unwrap_err().to_string(),
            "wet cannot be compressed with zst"
        );
    }

    #[test]
    fn standard_output_is_plain() {
        let fallback = Choice {
            format: Some(Format::Msgpack),
            compression: Some(Compression::Zstd),
        };
        let output = Output::new("-", NONE, fallback).unwrap();
        assert_eq!(output.compression, Compression::None);
        assert_eq!(output.format, Format::Msgpack);
    }

    #[test]
    fn assembled_formats_have_a_place() {
        for (chosen, words) in [
            (
                Format::Parquet,
                "parquet cannot be written to standard output",
            ),
            (
                Format::Tantivy,
                "tantivy cannot be written to standard output",
            ),
        ] {
            let refused = Output::new("-", format(chosen), NONE).unwrap_err();
            assert_eq!(refused.to_string(), words);
        }
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().join("x.tantivy");
        std::fs::create_dir(&name).unwrap();
        let output = Output::new(name.to_str().unwrap(), NONE, NONE).unwrap();
        assert_eq!(output.destination, Destination::File(name));
        assert_eq!(output.format, Format::Tantivy);
        assert_eq!(
            names("out", format(Format::Parquet), &["a.warc.gz"]),
            ["a.parquet"]
        );
    }

    #[test]
    fn existing_files_and_folders() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
        std::fs::create_dir(at("x.jsonl")).unwrap();
        std::fs::write(at("notes.txt"), "").unwrap();
        std::fs::write(at("in.wet.gz"), "").unwrap();
        let output = Output::new(&at("x.jsonl"), NONE, NONE).unwrap();
        assert_eq!(
            output.destination,
            Destination::Folder(at("x.jsonl").into())
        );
        assert_eq!(
            Output::new(&at("notes.txt"), NONE, NONE),
            Err(OutputError::UnknownSuffix(at("notes.txt")))
        );
        let output = Output::new(&at("in.wet.gz"), NONE, NONE).unwrap();
        assert_eq!(
            output.check(&[Input::File(at("x.jsonl/../in.wet.gz").into())]),
            Err(OutputError::IsInput(at("x.jsonl/../in.wet.gz")))
        );
        assert_eq!(output.check(&[Input::File(at("notes.txt").into())]), Ok(()));
    }
}
