//! The destination of a run and the names of its files.
//!
//! The format follows from the name of an output, and outputs are named after their inputs.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};
use trommel_archive::file_name;
use trommel_record::{Compression, Format, suffix_of};
use trommel_sources::{Scheme, is_url, redacted};

use crate::{Error, OutputSettings, Result, run::inputs::Input};

/// Destination of the documents of a run: standard output, a file, a folder or the caller.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Destination {
    /// A folder with one file for each input.
    Folder(PathBuf),
    /// One file for all inputs.
    File(PathBuf),
    /// Standard output.
    Stdout,
    /// The caller of the run, in this process: see [`Run`](crate::run::Run).
    #[default]
    Caller,
}

impl Destination {
    /// Returns the folder of the output files; none if documents are not written to files.
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Self::Folder(folder) => Some(folder),
            Self::File(path) => path.parent(),
            Self::Stdout | Self::Caller => None,
        }
    }

    /// Returns the path of a file beside the outputs; none if documents are not written to files. Its name is
    /// `in_folder` in a folder of outputs; beside a single output, `of_file` makes it from the output's name.
    pub(crate) fn beside(&self, in_folder: &str, of_file: impl FnOnce(&str) -> String) -> Option<PathBuf> {
        match self {
            Self::Folder(folder) => Some(folder.join(in_folder)),
            Self::File(path) => Some(path.with_file_name(of_file(&path.file_name()?.to_string_lossy()))),
            Self::Stdout | Self::Caller => None,
        }
    }

    /// Returns the path of the file for records that fail: `named`, or none if `named` is the word `none`. The default
    /// is `quarantine.warc.gz` in the folder of outputs, or `NAME.quarantine.warc.gz` beside a single output. Standard
    /// output has no default.
    pub fn quarantine(&self, named: Option<&Path>) -> Option<PathBuf> {
        match named {
            // A file called `none` can be named as `./none`.
            Some(named) if named.as_os_str() == "none" => None,
            Some(named) => Some(named.to_owned()),
            None => self.beside("quarantine.warc.gz", |name| format!("{name}.quarantine.warc.gz")),
        }
    }
}

/// Encoding of documents in an output: format, compression and division into files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding {
    /// Format of the documents.
    pub format: Format,
    /// Compression of the documents.
    pub compression: Compression,
    /// True if each document is a file of its own, in one folder for each input.
    pub by_page: bool,
}

/// Destination of the documents of a run, with their encodings and the size of parts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Output {
    /// Destination of the documents.
    #[serde(rename = "output")]
    pub destination: Destination,
    /// Encodings in which each document is written, all of different formats. Several need a folder as destination.
    #[serde(rename = "format")]
    pub encodings: Vec<Encoding>,
    /// Maximum encoded bytes of a part of an output; none for outputs in one part. A larger document is a part of its
    /// own. Parts are named `NAME-00000.SUFFIX`, `NAME-00001.SUFFIX` ... The size is that before the compression of the
    /// file: of WET with compressed records, of Parquet as MessagePack. The ends of parts depend on the documents
    /// alone. An index is never divided.
    #[serde(rename = "split size")]
    pub split: Option<u64>,
}

impl Output {
    /// Creates an output that passes the documents to the caller of the run, in this process.
    pub fn caller() -> Self {
        Self::default()
    }

    /// Chooses the output that the name `name` stands for. `-` is standard output, plain unless `chosen` says
    /// otherwise. An existing folder, or a name without the suffix of a file, is a folder. Another name is one file,
    /// and its suffix sets format and compression. A URL of a bucket is taken as a path, and the caller writes to the
    /// bucket. `chosen` are the options of the command line, `fallback` those of the configuration file. A compression
    /// applies to those formats that support it.
    ///
    /// # Errors
    /// Fails if no format writes files of this name (`x.csv`), or the name conflicts with `chosen`. Also fails if
    /// several formats are chosen without a folder, or if no chosen format supports the compression in `chosen`.
    pub fn new(name: &str, chosen: &OutputSettings, fallback: &OutputSettings) -> Result<Self> {
        let (destination, by_name) = named(name, chosen)?;
        let several = |name: &str| Err(Error::setting(format!("{name}: is one output, several formats need a folder")));
        if let Some((format, compression)) = by_name {
            if chosen.format.len() > 1 {
                return several(name);
            }
            let formats = chosen.format.iter().map(|other| (format.name(), other.name()));
            let compressions = chosen.compress.iter().map(|other| (compression.name(), other.name()));
            if let Some((by_name, by_option)) = formats.chain(compressions).find(|(by_name, other)| by_name != other) {
                let what = format!("{name}: the name says {by_name}, the option says {by_option}");
                return Err(Error::setting(what));
            }
        }
        let is_stream = destination == Destination::Stdout;
        let given = if chosen.format.is_empty() { &fallback.format } else { &chosen.format };
        let mut formats: Vec<Format> = Vec::new();
        for format in by_name.map_or_else(|| given.clone(), |(format, _)| vec![format]) {
            if !formats.contains(&format) {
                formats.push(format);
            }
        }
        if formats.is_empty() {
            // The default, as every tool reads it line by line.
            formats.push(Format::Jsonl);
        }
        if is_stream && formats.len() > 1 {
            return several("standard output");
        }
        if formats.iter().filter(|format| format.is_by_page()).count() > 1 {
            return Err(Error::setting("a run writes its text as text or as markdown; choose one of them"));
        }
        let wanted = match by_name {
            Some((_, compression)) => Some(compression),
            // The next program of a pipe expects text, whatever the file says about outputs.
            None if is_stream => chosen.compress.or(Some(Compression::None)),
            None => chosen.compress.or(fallback.compress),
        };
        let fits = |format: Format| wanted.is_some_and(|wanted| format.can_be(wanted));
        // An option that none of the formats can have is refused.
        let is_wrong = chosen.compress.is_some() && !formats.iter().any(|&format| fits(format));
        let is_folder = matches!(destination, Destination::Folder(_));
        let encodings = formats.iter().map(|&format| Encoding {
            format,
            by_page: is_folder && format.is_by_page(),
            compression: match wanted {
                // Files that people open.
                _ if is_folder && format.is_by_page() => Compression::None,
                Some(wanted) if fits(format) || is_wrong => wanted,
                _ => format.usual_compression(),
            },
        });
        // The configuration may have been written for outputs that can be divided.
        let split = chosen.split_size.or(fallback.split_size.filter(|_| !is_stream)).map(|size| size.0);
        let output = Self { encodings: encodings.collect(), destination, split };
        output.check_encodings()?;
        Ok(output)
    }

    fn check_encodings(&self) -> Result<()> {
        let is_stream = self.destination == Destination::Stdout;
        if self.split.is_some() && is_stream {
            return Err(Error::setting("standard output cannot be split"));
        }
        for &Encoding { format, compression, .. } in &self.encodings {
            if format.is_assembled() && is_stream {
                let what = "cannot be written to standard output, only to a file or folder; choose another format";
                return Err(Error::setting(format!("{format} {what}")));
            }
            if !format.can_be(compression) {
                let remedy = format!("leave the compression out (it is {} then)", format.usual_compression());
                return Err(Error::setting(format!("{format} cannot be compressed with {compression}; {remedy}")));
            }
        }
        Ok(())
    }

    /// Returns the stem of the output names for each input: the name of the input without folder and suffix. Inputs
    /// that share a name get a few digits computed from their paths, independent of their order. Repeated inputs are
    /// numbered `-2`, `-3`.
    pub(crate) fn output_stems(&self, inputs: &[Input]) -> Vec<String> {
        // A missing input has no file and must not take a name from one that has.
        let is_there = |input: &&Input| !matches!(input, Input::Nothing { .. });
        let mut alike: HashMap<String, HashSet<String>> = HashMap::new();
        for input in inputs.iter().filter(is_there) {
            alike.entry(stem_of(input)).or_default().insert(input.name());
        }
        let mut taken = HashSet::new();
        inputs
            .iter()
            .map(|input| {
                let mut stem = stem_of(input);
                if alike.get(&stem).is_some_and(|names| names.len() > 1) {
                    // By its own name and not by a number, so that it does not change when inputs are added.
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

    /// Returns the path of an input's output by its stem, encoding and part; none if outputs are not files.
    pub(crate) fn path(&self, stem: &str, encoding: Encoding, part: u32) -> Option<PathBuf> {
        let number = match self.splits(encoding) {
            Some(_) => format!("-{part:05}"),
            None => String::new(),
        };
        match &self.destination {
            Destination::Folder(folder) => Some(folder.join(format!("{stem}{number}{}", encoding.suffix()))),
            Destination::File(path) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let (stem, suffix) = divided(&name);
                Some(path.with_file_name(format!("{stem}{number}{suffix}")))
            }
            Destination::Stdout | Destination::Caller => None,
        }
    }

    /// Returns the path of the file with index settings for `_bulk` requests; none if no output is in the format
    /// `bulk`. The file is beside the output; in a folder its name hides it from readers of folders.
    pub(crate) fn mapping_path(&self) -> Option<PathBuf> {
        if !self.encodings.iter().any(|encoding: &Encoding| encoding.format == Format::Bulk) {
            return None;
        }
        self.destination.beside("_bulk.mapping.json", |name| format!("{}.bulk.mapping.json", divided(name).0))
    }

    /// Returns the maximum encoded bytes of a part; none if outputs in `encoding` are not divided.
    pub(crate) fn splits(&self, encoding: Encoding) -> Option<u64> {
        // Ranks in an index depend on all of its documents.
        self.split.filter(|_| encoding.format != Format::Tantivy && !encoding.by_page)
    }

    /// Returns all files and folders to which documents of `inputs` are written, without repetition; of an output in
    /// parts, the first part.
    pub(crate) fn paths(&self, inputs: &[Input]) -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> = Vec::new();
        for stem in self.output_stems(inputs) {
            let of_stem = self.encodings.iter();
            paths.extend(of_stem.filter_map(|&encoding| self.path(&stem, encoding, 0)));
        }
        paths.dedup();
        paths
    }
}

/// Returns the destination that `name` stands for, with format and compression if the suffix of a file sets them.
fn named(name: &str, chosen: &OutputSettings) -> Result<(Destination, Option<(Format, Compression)>)> {
    let refused = |what: String| Err(Error::setting(format!("{}: {what}", redacted(name))));
    // In this order: an existing folder is one whatever its name; of names without a file the suffix decides.
    if name == "-" {
        return Ok((Destination::Stdout, None));
    }
    if is_url(name) && !Scheme::of(name).is_some_and(Scheme::is_written) {
        return refused(format!("documents are written to files, folders and URLs of {}", Scheme::WRITTEN));
    }
    let by_name = by_suffix(name).map(|by_name| match (by_name, chosen.format.as_slice()) {
        // Both are Parquet.
        ((Format::Parquet, compression), [Format::Annotations]) => (Format::Annotations, compression),
        (by_name, _) => by_name,
    });
    let path = Path::new(name);
    match by_name {
        _ if path.is_dir() && !is_index(name) => {}
        Some(by_name) => return Ok((Destination::File(name.into()), Some(by_name))),
        None if path.exists() => {
            return refused(format!("is a file and its name ends in no known suffix ({})", known_suffixes()));
        }
        None if is_named_as_file(name) => {
            let known = known_suffixes();
            return refused(format!(
                "no such file is written, only {known}; with a slash at its end it would be a folder"
            ));
        }
        None => {}
    }
    Ok((Destination::Folder(name.into()), None))
}

impl Serialize for Encoding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // The destination and the format tell the rest.
        let Self { format, compression, by_page: _ } = self;
        serializer.collect_str(&format_args!("{format} {compression}"))
    }
}

impl Encoding {
    /// Returns the suffix of the names of files in the encoding; empty for a folder of pages.
    pub(crate) fn suffix(self) -> String {
        if self.by_page {
            return String::new();
        }
        format!("{}{}", self.format.suffix(), self.compression.suffix())
    }
}

/// Splits the file name of a single output for all inputs into stem and suffix.
pub(crate) fn divided(name: &str) -> (&str, &str) {
    name.split_at_checked(name.len().saturating_sub(suffix_length(name))).unwrap_or((name, ""))
}

/// Returns whether a file name has the suffix of a search index, which is a folder but counts as a single output.
pub(super) fn is_index(name: &str) -> bool {
    by_suffix(name).is_some_and(|(format, _)| format == Format::Tantivy)
}

/// File endings that are refused as names of folders, because they are probably typing errors.
// Otherwise a typing error (`out.csv`) would make a folder of that name.
const OTHER_FILES: [&str; 29] = [
    "csv", "tsv", "json", "jsonl", "ndjson", "xml", "html", "htm", "gz", "zst", "xz", "bz2", "lz4", "br", "zip", "7z",
    "tar", "tgz", "warc", "arc", "wacz", "wat", "avro", "orc", "arrow", "feather", "db", "sqlite", "xlsx",
];

pub(super) fn is_named_as_file(name: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(|ending| {
        let is_it = |known: &&str| known.eq_ignore_ascii_case(ending);
        OTHER_FILES.iter().any(is_it)
    })
}

/// Returns the file suffixes that set a format, as a list for messages.
pub(super) fn known_suffixes() -> String {
    let formats = Format::ALL.map(|format| {
        let packed = format.compressions().iter().filter(|compression| **compression != Compression::None);
        let packed: Vec<&str> = packed.map(|compression| compression.suffix()).collect();
        match packed.is_empty() {
            true => format.known_suffix().to_owned(),
            false => format!("{}[{}]", format.known_suffix(), packed.join("|")),
        }
    });
    formats.join(", ")
}

pub(super) fn by_suffix(name: &str) -> Option<(Format, Compression)> {
    suffix_of(name).map(|(_, format, compression)| (format, compression))
}

/// Returns the length in bytes of the known suffix of a file name, with the `.warc` of a WET file; 0 without one.
fn suffix_length(name: &str) -> usize {
    let Some((suffix, format, _)) = suffix_of(name) else { return 0 };
    // Common Crawl writes `NAME.warc.wet.gz`.
    let is_warc =
        format == Format::Wet && name.to_ascii_lowercase().ends_with(&format!(".warc{}", suffix.to_ascii_lowercase()));
    suffix.len() + if is_warc { ".warc".len() } else { 0 }
}

/// File endings of record indexes, which are left out of the names of outputs.
const LISTS: [&str; 3] = [".cdxj", ".jsonl", ".parquet"];

/// Returns the stem of an input's output names, without regard to other inputs of the same name.
pub(crate) fn stem_of(input: &Input) -> String {
    match input {
        Input::File(path) => stem(path),
        Input::Url(url) => stem_of_url(url),
        Input::Selection(selection) if is_url(&selection.name) => stem_of_url(&selection.name),
        Input::Selection(selection) => stem(Path::new(&selection.name)),
        Input::Packed(packed) => packed.stem(),
        Input::Pages(pages) => pages.stem(),
        Input::Stdin | Input::Nothing { .. } => "stdin".to_owned(),
    }
}

fn stem_of_url(url: &str) -> String {
    stem(Path::new(url.split(['?', '#']).next().unwrap_or_default()))
}

/// Returns eight hexadecimal digits computed from a name, to tell apart inputs whose files have the same name.
pub(crate) fn short_digest(name: &str) -> String {
    let mut digest = HEXLOWER.encode(&Sha256::digest(name.as_bytes()));
    // 32 bits tell apart inputs of one name, which are few.
    digest.truncate(8);
    digest
}

/// Returns the name of an archive or index without folder and endings.
fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = match file_name::stem(&name) {
        stem if stem.len() < file_name::without_compression(&name).len() => stem,
        _ => file_name::without_one_of(file_name::without_compression(&name), &LISTS),
    };
    stem.to_owned()
}
