//! Where the output goes and what its files are called.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
};

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use trommel_archive::name;
use trommel_output::{Compression, Format};

use trommel_sources::{is_url, redacted};

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

impl Destination {
    /// The file for records that fail: `named`, none if that is `none`; else `quarantine.warc.gz` in the
    /// folder of outputs, or `NAME.quarantine.warc.gz` beside one output, so that runs into one folder do not
    /// share it; none for standard output.
    ///
    /// # Errors
    /// [`DestinationError::Quarantine`] if it is one of the inputs: run over again, records that still fail
    /// would replace it.
    pub fn quarantine(
        &self,
        named: Option<&Path>,
        inputs: &[Input],
    ) -> Result<Option<PathBuf>, DestinationError> {
        let path = match (named, self) {
            (Some(named), _) if named.as_os_str() == "none" => None,
            (Some(named), _) => Some(named.to_owned()),
            (None, Self::Folder(folder)) => Some(folder.join("quarantine.warc.gz")),
            (None, Self::File(file)) => {
                let name = file.file_name().unwrap_or_default().to_string_lossy();
                Some(file.with_file_name(format!("{name}.quarantine.warc.gz")))
            }
            (None, Self::Stdout) => None,
        };
        let place = path.as_ref().and_then(|path| path.canonicalize().ok());
        let mut read = inputs.iter().filter_map(Input::path);
        match (place, path) {
            (Some(place), Some(path))
                if read.any(|input| input.canonicalize().is_ok_and(|input| input == place)) =>
            {
                Err(DestinationError::Quarantine(path))
            }
            (_, path) => Ok(path),
        }
    }
}

/// Formats and compression as far as somebody chose them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormatChoice {
    /// The formats; empty if nobody chose.
    pub formats: Vec<Format>,
    /// The compression.
    pub compression: Option<Compression>,
}

/// How documents are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding {
    /// Their format.
    pub format: Format,
    /// Their compression.
    pub compression: Compression,
}

/// Destination and encodings of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Where the documents go.
    pub destination: Destination,
    /// What each of them is written as: several only into a folder, each of another format.
    pub encodings: Vec<Encoding>,
    /// Most encoded bytes of an output, beyond which it goes on in another part; see [`Self::split`].
    pub split: Option<u64>,
}

/// Why an output cannot be written as asked.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DestinationError {
    /// The file for records that fail is an input.
    #[error("{path}: is both input and quarantine; name another file with --quarantine", path = .0.display())]
    Quarantine(PathBuf),
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
    #[error("{name}: is a file and its name ends in no known suffix ({known})", name = .0, known = known_suffixes())]
    UnknownSuffix(String),
    /// The name of a file of a kind that is not written.
    #[error(
        "{name}: no such file is written, only {known}; with a slash at its end it would be a folder",
        name = .0,
        known = known_suffixes()
    )]
    UnknownKind(String),
    /// A URL of a kind that is not written to.
    #[error("{0}: documents are written to files, folders and s3:// URLs")]
    Url(String),
    /// The output is one of the inputs.
    #[error("{0}: is both input and output")]
    IsInput(String),
    /// More than one format where there is one output only.
    #[error("{0}: is one output, several formats need a folder")]
    Several(String),
    /// Parts where there is one output only.
    #[error("standard output cannot be split")]
    Split,
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
    /// otherwise; an existing folder, or a name without the suffix of a file, is a folder; another name is
    /// one file, and its suffix sets format and compression. An `s3://` URL is taken as a path: where
    /// it is to be written to is for the caller to see to. `chosen` is what the command line says,
    /// `fallback` what the configuration file says. A compression chosen for several formats holds for
    /// those that are ever compressed that way.
    ///
    /// # Errors
    /// If the name is that of a file that is not written (`x.csv`), if it conflicts with `chosen`, if several formats are chosen for what is no folder, or if
    /// none of the formats is ever compressed that way.
    pub fn new(
        name: &str,
        chosen: &FormatChoice,
        fallback: &FormatChoice,
    ) -> Result<Self, DestinationError> {
        let (destination, by_name) = if name == "-" {
            (Destination::Stdout, None)
        } else if is_url(name) && !name.starts_with("s3://") {
            return Err(DestinationError::Url(redacted(name)));
        } else if Path::new(name).is_dir() && !is_index(name) {
            (Destination::Folder(name.into()), None)
        } else if let Some(by_name) = by_suffix(name) {
            (Destination::File(name.into()), Some(by_name))
        } else if Path::new(name).exists() {
            return Err(DestinationError::UnknownSuffix(name.to_owned()));
        } else if is_named_as_file(name) {
            return Err(DestinationError::UnknownKind(name.to_owned()));
        } else {
            (Destination::Folder(name.into()), None)
        };
        if let Some((format, compression)) = by_name {
            let conflict = |by_name, by_option| DestinationError::Conflict {
                name: name.to_owned(),
                by_name,
                by_option,
            };
            if chosen.formats.len() > 1 {
                return Err(DestinationError::Several(name.to_owned()));
            }
            if let Some(other) = chosen.formats.iter().find(|&&other| other != format) {
                return Err(conflict(format.name(), other.name()));
            }
            if let Some(other) = chosen.compression.filter(|&other| other != compression) {
                return Err(conflict(compression.name(), other.name()));
            }
            let encoding = Encoding {
                format,
                compression,
            };
            return Self::checked(destination, vec![encoding]);
        }
        let given = match chosen.formats.is_empty() {
            true => &fallback.formats,
            false => &chosen.formats,
        };
        let mut formats = Vec::new();
        for &format in given {
            if !formats.contains(&format) {
                formats.push(format);
            }
        }
        if formats.is_empty() {
            formats.push(Format::Jsonl);
        }
        let is_stream = destination == Destination::Stdout;
        if is_stream && formats.len() > 1 {
            return Err(DestinationError::Several("standard output".to_owned()));
        }
        let wanted = match is_stream {
            true => chosen.compression.or(Some(Compression::None)),
            false => chosen.compression.or(fallback.compression),
        };
        let fits = |format: Format| wanted.is_some_and(|wanted| format.can_be(wanted));
        let is_for_some = formats.iter().any(|&format| fits(format));
        let encodings = formats.iter().map(|&format| Encoding {
            format,
            compression: match wanted {
                Some(wanted) if fits(format) || !is_for_some => wanted,
                _ => format.usual_compression(),
            },
        });
        Self::checked(destination, encodings.collect())
    }

    fn checked(
        destination: Destination,
        encodings: Vec<Encoding>,
    ) -> Result<Self, DestinationError> {
        for &Encoding {
            format,
            compression,
        } in &encodings
        {
            if format.is_assembled() && destination == Destination::Stdout {
                return Err(DestinationError::Stdout(format));
            }
            if !format.can_be(compression) {
                return Err(DestinationError::Compression {
                    format,
                    compression,
                });
            }
        }
        Ok(Self {
            destination,
            encodings,
            split: None,
        })
    }

    /// The same in parts of `size` encoded bytes at most (a larger document has one of its own), named
    /// `NAME-00000.SUFFIX`, `NAME-00001.SUFFIX` ... Encoded are documents before the compression of the
    /// file: of WET with that of its records, of Parquet as MessagePack. Where parts end depends on the
    /// documents alone. An index is never divided.
    ///
    /// # Errors
    /// [`DestinationError::Split`] for standard output.
    pub fn split(mut self, size: Option<u64>) -> Result<Self, DestinationError> {
        if size.is_some() && self.destination == Destination::Stdout {
            return Err(DestinationError::Split);
        }
        self.split = size;
        Ok(self)
    }

    /// What the outputs of each input are called without folder and suffix: as the input. Inputs whose
    /// names are alike have a few digits made of their whole names after it, whatever their order is; an
    /// input that is named again is numbered `-2`, `-3`.
    pub(crate) fn stems(&self, inputs: &[Input]) -> Vec<String> {
        // A missing input has no file and must not take a name from one that has.
        let is_there = |input: &&Input| !matches!(input, Input::Nothing { .. });
        let mut alike: HashMap<String, HashSet<String>> = HashMap::new();
        for input in inputs.iter().filter(is_there) {
            alike
                .entry(stem_of(input))
                .or_default()
                .insert(input.name());
        }
        let mut taken = HashSet::new();
        inputs
            .iter()
            .map(|input| {
                let mut stem = stem_of(input);
                if alike.get(&stem).is_some_and(|names| names.len() > 1) {
                    stem = format!("{stem}-{}", short_digest(&input.name()));
                }
                let mut name = stem.clone();
                let mut number = 2;
                while is_there(&input) && !taken.insert(name.clone()) {
                    name = format!("{stem}-{number}");
                    number += 1;
                }
                name
            })
            .collect()
    }

    /// The file or folder that takes the documents of the input with that stem in one encoding, or that
    /// part of them; none for standard output.
    pub(crate) fn path(&self, stem: &str, encoding: Encoding, part: u32) -> Option<PathBuf> {
        let number = match self.splits(encoding) {
            Some(_) => format!("-{part:05}"),
            None => String::new(),
        };
        match &self.destination {
            Destination::Folder(folder) => {
                Some(folder.join(format!("{stem}{number}{}", encoding.suffix())))
            }
            Destination::File(path) => {
                let (stem, suffix) = divided(path);
                Some(path.with_file_name(format!("{stem}{number}{suffix}")))
            }
            Destination::Stdout => None,
        }
    }

    /// The file that says how an index is to be made for `_bulk` requests, if there are any: it stands
    /// beside the output, hidden in a folder from what reads folders.
    pub(crate) fn mapping(&self) -> Option<PathBuf> {
        let is_bulk = |encoding: &Encoding| encoding.format == Format::Bulk;
        if !self.encodings.iter().any(is_bulk) {
            return None;
        }
        match &self.destination {
            Destination::Folder(folder) => Some(folder.join("_bulk.mapping.json")),
            Destination::File(path) => {
                let (stem, _) = divided(path);
                Some(path.with_file_name(format!("{stem}.bulk.mapping.json")))
            }
            Destination::Stdout => None,
        }
    }

    /// Most encoded bytes of a part, if outputs of that encoding have parts.
    pub(crate) fn splits(&self, encoding: Encoding) -> Option<u64> {
        self.split.filter(|_| encoding.format != Format::Tantivy)
    }

    /// All files and folders that documents of these inputs are written to, without repetition; of parts
    /// the first.
    pub(crate) fn paths(&self, inputs: &[Input]) -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> = Vec::new();
        for stem in self.stems(inputs) {
            let of_stem = self.encodings.iter();
            paths.extend(of_stem.filter_map(|&encoding| self.path(&stem, encoding, 0)));
        }
        paths.dedup();
        paths
    }

    /// Checks that no input would be overwritten.
    ///
    /// # Errors
    /// [`DestinationError::IsInput`] naming the first such file.
    pub fn check(&self, inputs: &[Input]) -> Result<(), DestinationError> {
        let targets: HashSet<PathBuf> = self
            .paths(inputs)
            .iter()
            .filter_map(|path| path.canonicalize().ok())
            .collect();
        for input in inputs {
            if let Some(path) = input.path()
                && path
                    .canonicalize()
                    .is_ok_and(|path| targets.contains(&path))
            {
                return Err(DestinationError::IsInput(input.name()));
            }
        }
        Ok(())
    }
}

impl Encoding {
    /// What the names of its files end with.
    pub(crate) fn suffix(self) -> String {
        format!("{}{}", self.format.suffix(), self.compression.suffix())
    }
}

/// The name of one output for all inputs without its folder, before and from its suffix.
pub(crate) fn divided(path: &Path) -> (String, String) {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let end = name.len().saturating_sub(suffix_length(&name));
    let (stem, suffix) = name.split_at_checked(end).unwrap_or((&name, ""));
    (stem.to_owned(), suffix.to_owned())
}

/// Whether an existing folder of that name is an output as a whole.
fn is_index(name: &str) -> bool {
    by_suffix(name).is_some_and(|(format, _)| format == Format::Tantivy)
}

/// Endings of files that nobody gives to a folder, beside those that are written.
const OTHER_FILES: [&str; 31] = [
    "csv", "tsv", "json", "jsonl", "ndjson", "xml", "txt", "html", "htm", "md", "gz", "zst", "xz",
    "bz2", "lz4", "br", "zip", "7z", "tar", "tgz", "warc", "arc", "wacz", "wat", "avro", "orc",
    "arrow", "feather", "db", "sqlite", "xlsx",
];

fn is_named_as_file(name: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(|ending| {
        let is_it = |known: &&str| known.eq_ignore_ascii_case(ending);
        OTHER_FILES.iter().any(is_it)
    })
}

/// The suffixes of [`SUFFIXES`] in words.
fn known_suffixes() -> String {
    let mut formats: Vec<String> = Vec::new();
    for &format in Format::ALL {
        let of_format = SUFFIXES.iter().filter(|(_, own, _)| *own == format);
        let mut compressions = Vec::new();
        let mut plain = "";
        for (suffix, _, compression) in of_format {
            match compression {
                Compression::None => plain = suffix,
                other => compressions.push(other.suffix()),
            }
        }
        formats.push(match compressions.is_empty() {
            true => plain.to_owned(),
            false => format!("{plain}[{}]", compressions.join("|")),
        });
    }
    formats.join(", ")
}

fn by_suffix(name: &str) -> Option<(Format, Compression)> {
    let name = name.to_ascii_lowercase();
    SUFFIXES
        .iter()
        .find(|(suffix, ..)| name.ends_with(suffix))
        .map(|&(_, format, compression)| (format, compression))
}

/// Bytes of the known suffix of a name, with the `.warc` of a WET file.
fn suffix_length(name: &str) -> usize {
    let name = name.to_ascii_lowercase();
    let known = SUFFIXES.iter().find(|(suffix, ..)| name.ends_with(suffix));
    let Some((suffix, format, _)) = known else {
        return 0;
    };
    let is_warc = *format == Format::Wet && name.ends_with(&format!(".warc{suffix}"));
    suffix.len() + if is_warc { ".warc".len() } else { 0 }
}

/// Endings of the names of indexes, which stand for the archives they name.
const LISTS: [&str; 3] = [".cdxj", ".jsonl", ".parquet"];

/// What the outputs of an input are called by itself.
pub(crate) fn stem_of(input: &Input) -> String {
    match input {
        Input::File(path) => stem(path),
        Input::Url(url) => {
            let path = url.split(['?', '#']).next().unwrap_or_default();
            stem(Path::new(path))
        }
        Input::Selection(selection) => stem(selection.index()),
        Input::Packed(packed) => packed.stem().to_owned(),
        Input::Stdin | Input::Nothing { .. } => "stdin".to_owned(),
    }
}

/// A few digits made of a name.
pub(crate) fn short_digest(name: &str) -> String {
    let mut digest = HEXLOWER.encode(&Sha256::digest(name.as_bytes()));
    digest.truncate(8);
    digest
}

/// The name of an archive or index without folder and without what says that it is one.
fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = match name::stem(&name) {
        stem if stem.len() < name::without_compression(&name).len() => stem,
        _ => name::without_one_of(name::without_compression(&name), &LISTS),
    };
    stem.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: FormatChoice = FormatChoice {
        formats: Vec::new(),
        compression: None,
    };

    fn choice(formats: &[Format], compression: Option<Compression>) -> FormatChoice {
        FormatChoice {
            formats: formats.to_vec(),
            compression,
        }
    }

    fn format(format: Format) -> FormatChoice {
        choice(&[format], None)
    }

    fn names(output: &str, chosen: FormatChoice, inputs: &[&str]) -> Vec<String> {
        let inputs: Vec<Input> = inputs
            .iter()
            .map(|name| match *name {
                "-" => Input::Stdin,
                url if url.contains("://") => Input::Url(url.into()),
                name => Input::File(name.into()),
            })
            .collect();
        let output = Output::new(output, &chosen, &NONE).unwrap();
        let paths = output.paths(&inputs).into_iter();
        paths
            .map(|path| path.strip_prefix("out").unwrap().to_string_lossy().into())
            .collect()
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
        let plain = choice(&[Format::Msgpack], Some(Compression::None));
        assert_eq!(names("out", plain, &["a.warc.gz"]), ["a.msgpack"]);
    }

    #[test]
    fn names_alike_are_told_apart_by_the_paths_not_by_the_order() {
        let inputs = ["x/a.warc", "y/a.warc.gz", "b.warc", "z/a.arc"];
        let one = names("out", NONE, &inputs);
        let mut reversed = inputs;
        reversed.reverse();
        let mut other = names("out", NONE, &reversed);
        other.reverse();
        assert_eq!(one, other);
        assert_eq!(one[2], "b.jsonl.zst");
        for name in [&one[0], &one[1], &one[3]] {
            let digits = name.strip_prefix("a-").unwrap();
            let digits = digits.strip_suffix(".jsonl.zst").unwrap();
            assert!(digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        }
        // The same input again.
        assert_eq!(
            names("out", NONE, &["a.warc", "a.warc"]),
            ["a.jsonl.zst", "a-2.jsonl.zst"]
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
            let fallback = choice(&[Format::Msgpack], Some(Compression::None));
            let output = Output::new(name, &NONE, &fallback).unwrap();
            let expected = Output {
                destination: Destination::File(name.into()),
                encodings: vec![Encoding {
                    format,
                    compression,
                }],
                split: None,
            };
            assert_eq!(output, expected);
        }
    }

    #[test]
    fn names_of_files_that_are_not_written_are_refused() {
        for name in [
            "x.csv",
            "d/x.JSON",
            "x.jsonl.xz",
            "x.parquet.gz",
            "s3://b/x.csv",
        ] {
            assert_eq!(
                Output::new(name, &NONE, &NONE).unwrap_err().to_string(),
                format!(
                    "{name}: no such file is written, only .jsonl[.gz|.zst], .msgpack[.gz|.zst], \
                     .wet[.gz], .anserini.jsonl[.gz], .trec[.gz], .bulk.ndjson[.gz|.zst], .parquet, \
                     .tantivy; with a slash at its end it would be a folder"
                )
            );
        }
        let folder = |name: &str| Output::new(name, &NONE, &NONE).unwrap().destination;
        for name in ["out", "out.2026", "x.csv/", "crawl-1.5", "s3://b/x"] {
            assert_eq!(folder(name), Destination::Folder(name.into()));
        }
        let error = Output::new("https://me:hush@host/x.jsonl?k=1", &NONE, &NONE);
        // The name of a format does not make a URL one that is written to.
        let error = error
            .map(|output| output.destination)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("s3://") && !error.contains("hush"),
            "{error}"
        );
    }

    #[test]
    fn conflicts_are_errors() {
        let error = |name: &str, chosen: &FormatChoice| {
            let output = Output::new(name, chosen, &NONE);
            output.unwrap_err().to_string()
        };
        assert_eq!(
            error("o.jsonl", &format(Format::Wet)),
            "o.jsonl: the name says jsonl, the option says wet"
        );
        assert_eq!(
            error("o.jsonl.gz", &choice(&[], Some(Compression::Zstd))),
            "o.jsonl.gz: the name says gz, the option says zst"
        );
        assert_eq!(
            error("out", &choice(&[Format::Wet], Some(Compression::Zstd))),
            "wet cannot be compressed with zst"
        );
    }

    #[test]
    fn several_formats_go_into_a_folder() {
        let three = [Format::Jsonl, Format::Wet, Format::Parquet, Format::Jsonl];
        assert_eq!(
            names("out", choice(&three, None), &["a.warc.gz", "b.warc"]),
            [
                "a.jsonl.zst",
                "a.warc.wet.gz",
                "a.parquet",
                "b.jsonl.zst",
                "b.warc.wet.gz",
                "b.parquet"
            ]
        );
        // What the file says is for want of a choice.
        let output = Output::new("out", &format(Format::Trec), &choice(&three, None)).unwrap();
        assert_eq!(output.encodings.len(), 1);
        // A compression is for those that can have it.
        let zstd = choice(&three, Some(Compression::Zstd));
        assert_eq!(
            names("out", zstd, &["a.warc"]),
            ["a.jsonl.zst", "a.warc.wet.gz", "a.parquet"]
        );
        let plain = choice(&three, Some(Compression::None));
        assert_eq!(
            names("out", plain, &["a.warc"]),
            ["a.jsonl", "a.warc.wet", "a.parquet"]
        );
        let none_can = choice(&[Format::Wet, Format::Trec], Some(Compression::Zstd));
        for (name, chosen, error) in [
            ("out", &none_can, "wet cannot be compressed with zst"),
            (
                "o.jsonl",
                &choice(&three, None),
                "o.jsonl: is one output, several formats need a folder",
            ),
            (
                "-",
                &choice(&three, None),
                "standard output: is one output, several formats need a folder",
            ),
        ] {
            let output = Output::new(name, chosen, &NONE);
            assert_eq!(output.unwrap_err().to_string(), error);
        }
    }

    #[test]
    fn parts_are_numbered_before_the_suffix() {
        let all = [
            Format::Jsonl,
            Format::Wet,
            Format::Anserini,
            Format::Tantivy,
        ];
        let split = |name: &str, chosen: &FormatChoice| {
            let output = Output::new(name, chosen, &NONE).unwrap();
            let output = output.split(Some(9)).unwrap();
            output.paths(&[Input::File("a.warc.gz".into())])
        };
        assert_eq!(
            split("out", &choice(&all, None)),
            [
                "out/a-00000.jsonl.zst",
                "out/a-00000.warc.wet.gz",
                "out/a-00000.anserini.jsonl.gz",
                "out/a.tantivy"
            ]
            .map(PathBuf::from)
        );
        for (name, expected) in [
            ("d/x.jsonl.zst", "d/x-00000.jsonl.zst"),
            ("x.WARC.wet.gz", "x-00000.WARC.wet.gz"),
            ("x.wet", "x-00000.wet"),
            ("x.tantivy", "x.tantivy"),
        ] {
            assert_eq!(split(name, &NONE), [PathBuf::from(expected)]);
        }
        let stdout = Output::new("-", &NONE, &NONE).unwrap();
        assert_eq!(stdout.split(Some(9)), Err(DestinationError::Split));
    }

    #[test]
    fn bulk_requests_have_their_mapping_beside_them() {
        let mapping = |name: &str, format: Format| {
            let output = Output::new(name, &choice(&[format], None), &NONE).unwrap();
            output.mapping()
        };
        assert_eq!(
            mapping("d/x.bulk.ndjson.gz", Format::Bulk),
            Some("d/x.bulk.mapping.json".into())
        );
        assert_eq!(
            mapping("out", Format::Bulk),
            Some("out/_bulk.mapping.json".into())
        );
        assert_eq!(mapping("-", Format::Bulk), None);
        assert_eq!(mapping("out", Format::Jsonl), None);
    }

    #[test]
    fn standard_output_is_plain() {
        let fallback = choice(&[Format::Msgpack], Some(Compression::Zstd));
        let output = Output::new("-", &NONE, &fallback).unwrap();
        assert_eq!(output.encodings[0].compression, Compression::None);
        assert_eq!(output.encodings[0].format, Format::Msgpack);
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
            let refused = Output::new("-", &format(chosen), &NONE).unwrap_err();
            assert_eq!(refused.to_string(), words);
        }
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().join("x.tantivy");
        std::fs::create_dir(&name).unwrap();
        let output = Output::new(name.to_str().unwrap(), &NONE, &NONE).unwrap();
        assert_eq!(output.destination, Destination::File(name));
        assert_eq!(output.encodings[0].format, Format::Tantivy);
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
        let output = Output::new(&at("x.jsonl"), &NONE, &NONE).unwrap();
        assert_eq!(
            output.destination,
            Destination::Folder(at("x.jsonl").into())
        );
        assert_eq!(
            Output::new(&at("notes.txt"), &NONE, &NONE),
            Err(DestinationError::UnknownSuffix(at("notes.txt")))
        );
        let output = Output::new(&at("in.wet.gz"), &NONE, &NONE).unwrap();
        assert_eq!(
            output.check(&[Input::File(at("x.jsonl/../in.wet.gz").into())]),
            Err(DestinationError::IsInput(at("x.jsonl/../in.wet.gz")))
        );
        assert_eq!(output.check(&[Input::File(at("notes.txt").into())]), Ok(()));
    }
}
