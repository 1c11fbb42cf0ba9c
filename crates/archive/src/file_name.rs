//! File names of archives and of HTML files, and their suffixes.

use std::path::{Path, PathBuf};

/// File name suffixes of archive formats, without compression.
const FORMATS: [&str; 2] = [".warc", ".arc"];
/// File name suffix of WACZ containers, which have no compressed form.
const WACZ: &str = ".wacz";
/// File name suffixes of the compressions that [`Reader`](crate::Reader) can read.
const COMPRESSIONS: [&str; 3] = [".gz", ".zst", ".lz4"];

/// File name suffix that crawlers add while they write a file.
pub const OPEN: &str = ".open";

/// Removes the suffix `.open`, which marks an unfinished file, from a path.
pub fn without_open(path: &Path) -> PathBuf {
    let name = path.to_string_lossy();
    name.strip_suffix(OPEN).map_or_else(|| path.to_owned(), PathBuf::from)
}

/// Returns whether a file of this name is an archive to read: it ends in `.warc` or `.arc`, optionally with `.gz`,
/// `.zst` or `.lz4`, in any case. WET and WAT files (`.warc.wet.gz`) are not: they hold no pages.
pub fn is_archive(name: &str) -> bool {
    let plain = without_compression(name);
    without_one_of(plain, &FORMATS).len() < plain.len()
}

/// Returns whether a file name ends in `.wacz`, in upper or lower case.
pub fn is_wacz(name: &str) -> bool {
    without_one_of(name, &[WACZ]).len() < name.len()
}

/// Returns whether a file name ends in `.wet`, optionally followed by a compression suffix, in upper or lower case.
pub fn is_wet(name: &str) -> bool {
    let plain = without_compression(name);
    without_one_of(plain, &[".wet"]).len() < plain.len()
}

/// Returns the suffix of a file name with that of its compression, such as `.txt.gz` of `a.b.txt.gz`. For a name
/// without a suffix, returns `files without an ending`.
pub fn ending(name: &str) -> &str {
    let plain = without_compression(name);
    let at = plain.rfind('.').filter(|&at| at > 0);
    let at = at.or((plain.len() < name.len()).then_some(plain.len()));
    at.and_then(|at| name.get(at..)).unwrap_or("files without an ending")
}

/// Removes the suffixes of compression and archive format from a name: `a` of `a.warc.gz`. A suffix that is the whole
/// name stays.
pub fn stem(name: &str) -> &str {
    if is_wacz(name) { without_one_of(name, &[WACZ]) } else { without_one_of(without_compression(name), &FORMATS) }
}

/// Removes a compression suffix (`.gz`, `.zst` or `.lz4`) from a file name.
pub fn without_compression(name: &str) -> &str {
    without_one_of(name, &COMPRESSIONS)
}

/// Removes the first of `endings` that ends the name, in upper or lower case, unless nothing would be left.
pub fn without_one_of<'a>(name: &'a str, endings: &[&str]) -> &'a str {
    let stripped = endings.iter().find_map(|ending| {
        let at = name.len().checked_sub(ending.len()).filter(|at| *at > 0)?;
        let (stem, end) = name.split_at_checked(at)?;
        end.eq_ignore_ascii_case(ending).then_some(stem)
    });
    stripped.unwrap_or(name)
}

/// Removes the suffixes of an HTML file from a name (`page` for `page.html.gz`); any other name stays unchanged.
pub fn without_page_endings(name: &str) -> &str {
    let plain = without_one_of(name, &[".gz", ".zst"]);
    let stem = without_one_of(plain, &[".html", ".htm", ".xhtml"]);
    if stem == plain { name } else { stem }
}

/// Returns the innermost folder that contains all `files`; empty if there is no file.
pub fn common_folder<'a>(files: impl IntoIterator<Item = &'a Path>) -> PathBuf {
    let mut folders = files.into_iter().map(|file| file.parent().unwrap_or(Path::new("")));
    let Some(first) = folders.next() else { return PathBuf::new() };
    folders.fold(first.to_owned(), |common, folder| {
        let same = common.components().zip(folder.components()).take_while(|(one, other)| one == other);
        same.map(|(part, _)| part).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_keep_that_of_the_compression() {
        for (name, expected) in [
            ("a.b.txt.gz", ".txt.gz"),
            ("a.warc.wet.gz", ".wet.gz"),
            ("a.cdxj", ".cdxj"),
            ("a.gz", ".gz"),
            ("README", "files without an ending"),
        ] {
            assert_eq!(ending(name), expected);
        }
        assert!(is_wet("a.WARC.wet.gz") && !is_wet("wet") && !is_wet("a.warc.gz"));
    }

    #[test]
    fn pages_lose_their_endings() {
        for (name, expected) in [
            ("a.html", "a"),
            ("b.HTM", "b"),
            ("c.xhtml.gz", "c"),
            ("d.html.zst", "d"),
            ("a.gz", "a.gz"),
            ("a.html.txt", "a.html.txt"),
            ("html", "html"),
        ] {
            assert_eq!(without_page_endings(name), expected);
        }
    }

    #[test]
    fn the_folder_of_files_is_the_deepest() {
        let common = |names: &[&str]| common_folder(names.iter().map(Path::new)).display().to_string();
        assert_eq!(common(&["a/b/c.html", "a/b/d/e.html"]), "a/b");
        assert_eq!(common(&["a/b.html", "ab/c.html"]), "");
        assert_eq!(common(&["/x/a.html", "/y/b.html"]), "/");
        assert_eq!(common(&["./a.html", "./b.html"]), ".");
        assert_eq!(common(&[]), "");
    }

    #[test]
    fn archives_are_known_by_their_endings() {
        for name in ["a.warc", "a.warc.gz", "a.WARC.Zst", "a.warc.lz4", "a.arc", "a.arc.gz", "a.b.arc.lz4"] {
            assert!(is_archive(name), "{name}");
        }
        for name in
            ["a.warc.wet.gz", "a.warc.wat", "a.gz", "a.warc.xz", "a.warc.gz.txt", "warc", ".warc", ".warc.gz", ""]
        {
            assert!(!is_archive(name), "{name}");
        }
    }

    #[test]
    fn stems_have_no_ending_of_an_archive() {
        for (name, expected) in [
            ("a.warc.gz", "a"),
            ("a.ARC.LZ4", "a"),
            ("a.b.warc", "a.b"),
            ("a.txt.gz", "a.txt"),
            ("a.WACZ", "a"),
            (".wacz", ".wacz"),
            (".warc", ".warc"),
            ("ä.warc", "ä"),
            ("warcä", "warcä"),
        ] {
            assert_eq!(stem(name), expected, "{name}");
        }
    }
}
