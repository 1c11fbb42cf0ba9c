//! Derives the format from the name of an output, and names outputs after their inputs.

use std::path::Path;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use trommel_archive::name;
use trommel_record::{Compression, Format, suffix_of};
use trommel_sources::is_url;

use crate::run::inputs::Input;

/// The name of one output for all inputs without its folder, before and from its suffix.
pub(crate) fn divided(path: &Path) -> (String, String) {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let end = name.len().saturating_sub(suffix_length(&name));
    let (stem, suffix) = name.split_at_checked(end).unwrap_or((&name, ""));
    (stem.to_owned(), suffix.to_owned())
}

/// Returns whether an existing folder of that name is an output as a whole.
pub(super) fn is_index(name: &str) -> bool {
    by_suffix(name).is_some_and(|(format, _)| format == Format::Tantivy)
}

/// Endings of files that nobody gives to a folder, beside those that are written.
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

/// The ends of names that set a format in words.
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

/// Bytes of the known suffix of a name, with the `.warc` of a WET file.
fn suffix_length(name: &str) -> usize {
    let Some((suffix, format, _)) = suffix_of(name) else { return 0 };
    // Common Crawl writes `NAME.warc.wet.gz`.
    let is_warc =
        format == Format::Wet && name.to_ascii_lowercase().ends_with(&format!(".warc{}", suffix.to_ascii_lowercase()));
    suffix.len() + if is_warc { ".warc".len() } else { 0 }
}

/// Endings of the names of indexes, which stand for the archives they name.
const LISTS: [&str; 3] = [".cdxj", ".jsonl", ".parquet"];

/// The name of the outputs of an input by itself.
pub(crate) fn stem_of(input: &Input) -> String {
    match input {
        Input::File(path) => stem(path),
        Input::Url(url) => stem_of_url(url),
        Input::Selection(selection) => match selection.name() {
            url if is_url(&url) => stem_of_url(&url),
            path => stem(Path::new(&path)),
        },
        Input::Packed(packed) => packed.stem(),
        Input::Pages(pages) => pages.stem(),
        Input::Stdin | Input::Nothing { .. } => "stdin".to_owned(),
    }
}

fn stem_of_url(url: &str) -> String {
    stem(Path::new(url.split(['?', '#']).next().unwrap_or_default()))
}

/// A few digits made of a name.
pub(crate) fn short_digest(name: &str) -> String {
    let mut digest = HEXLOWER.encode(&Sha256::digest(name.as_bytes()));
    // 32 bits tell apart inputs of one name, which are few.
    digest.truncate(8);
    digest
}

/// The name of an archive or index without folder and endings.
fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = match name::stem(&name) {
        stem if stem.len() < name::without_compression(&name).len() => stem,
        _ => name::without_one_of(name::without_compression(&name), &LISTS),
    };
    stem.to_owned()
}
