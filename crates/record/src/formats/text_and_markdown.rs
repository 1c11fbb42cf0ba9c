//! Writes pages as text or Markdown: one stream with a heading for each page, or a file for each page.

use crate::{Document, Encode, OutputError, encode::printable};

/// Encoder of readable text or Markdown: documents one below the other, each under a line with its URL. Documents
/// without text are left out.
#[derive(Clone, Copy, Debug)]
pub enum Printed {
    /// Plain text, each document below a line `==> URL <==`.
    Text,
    /// Markdown, each document below a heading `# URL`.
    Markdown,
}

impl Encode for Printed {
    fn record(&self, record: &Document, out: &mut Vec<u8>) -> Result<bool, OutputError> {
        let text = record.text.trim_end();
        if text.is_empty() {
            return Ok(false);
        }
        // A page in a file may say nothing of its URL.
        let file = record.source.as_ref().map(|source| &*source.file);
        let name = address(record).or(file).unwrap_or(&record.id);
        // One line, whatever a stranger writes there.
        let name = name.replace(|c: char| c.is_control(), " ");
        let heading = match self {
            Self::Text => format!("==> {name} <=="),
            Self::Markdown => format!("# {name}"),
        };
        out.extend_from_slice(printable(format!("{heading}\n\n{text}\n\n")).as_bytes());
        Ok(true)
    }
}

/// Returns the URL of a page, or else its canonical URL; `None` if it has neither.
fn address(record: &Document) -> Option<&str> {
    let known = [record.url.as_deref(), record.canonical.as_deref()];
    known.into_iter().flatten().find(|url| !url.is_empty())
}

/// Returns the YAML front matter of a document, which precedes its Markdown between lines of three hyphens. It has url,
/// title, author, date of publication and lang; unknown ones are left out.
pub fn front_matter(record: &Document) -> String {
    let texts = [
        ("url", address(record)),
        ("title", record.title.as_deref()),
        ("date", record.published.as_deref()),
        ("lang", record.lang.as_deref()),
    ];
    let mut lines = String::from("---\n");
    for (key, value) in texts {
        if key == "date" && !record.author.is_empty() {
            let authors: Vec<String> = record.author.iter().map(|author| quoted(author)).collect();
            lines.push_str(&format!("author: [{}]\n", authors.join(", ")));
        }
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            lines.push_str(&format!("{key}: {}\n", quoted(value)));
        }
    }
    lines + "---\n\n"
}

/// Returns a text as a quoted YAML string, which has the syntax of a JSON string.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(feature = "storage")]
mod folder {
    use std::collections::HashSet;
    use std::path::{Path, PathBuf};
    use std::{fs, io};

    use trommel_archive::file_name::{common_folder, without_page_endings};

    use super::{Printed, front_matter};
    use crate::encode::printable;
    use crate::{Assemble, Document, OutputError, RecordReader};

    /// Name of the file that lists the files of an output folder, one on each line; only listed files are ever
    /// replaced.
    const LIST: &str = ".pages";
    /// Maximum length in bytes of a file name made from a URL, without the suffix.
    const MAX_NAME: usize = 100;

    /// Assembler of a folder with a file for each document. The name of the file is the path of a page's HTML file, or
    /// is made from the URL of a record. Markdown begins with [`front_matter`].
    #[derive(Clone, Copy, Debug)]
    pub struct PageFolder(pub Printed);

    impl Assemble for PageFolder {
        fn assemble(&self, spool: &Path, target: &Path) -> Result<(), OutputError> {
            fs::create_dir_all(target)?;
            let root = folder_of_pages(spool)?;
            let (mut taken, mut list) = (HashSet::new(), String::new());
            for record in RecordReader::open(spool)? {
                let record = record?;
                let name = free_name(&name(&record, root.as_deref()), self.ending(), &mut taken);
                let path = target.join(&name);
                if let Some(folder) = path.parent() {
                    fs::create_dir_all(folder)?;
                }
                fs::write(&path, self.text(&record))?;
                list.push_str(&name);
                list.push('\n');
            }
            Ok(fs::write(target.join(LIST), list)?)
        }

        fn foreign(&self, target: &Path) -> io::Result<Option<PathBuf>> {
            let list = match fs::read_to_string(target.join(LIST)) {
                Ok(list) => list,
                Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
                Err(error) => return Err(error),
            };
            let ours: HashSet<&str> = list.lines().chain([LIST]).collect();
            first_other(target, target, &ours)
        }
    }

    impl PageFolder {
        fn ending(self) -> &'static str {
            match self.0 {
                Printed::Text => ".txt",
                Printed::Markdown => ".md",
            }
        }

        fn text(self, record: &Document) -> String {
            let text = record.text.trim_end();
            let end = if text.is_empty() { "" } else { "\n" };
            printable(match self.0 {
                Printed::Text => format!("{text}{end}"),
                Printed::Markdown => format!("{}{text}{end}", front_matter(record)),
            })
        }
    }

    /// Returns the first file below `folder` that is not in the list `ours`, as a path relative to `root`.
    fn first_other(root: &Path, folder: &Path, ours: &HashSet<&str>) -> io::Result<Option<PathBuf>> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                if let Some(other) = first_other(root, &path, ours)? {
                    return Ok(Some(other));
                }
                continue;
            }
            let name = path.strip_prefix(root).unwrap_or(&path);
            if !name.to_str().is_some_and(|name| ours.contains(name)) {
                return Ok(Some(name.to_owned()));
            }
        }
        Ok(None)
    }

    /// Returns the innermost folder that contains the HTML files of all documents; `None` if one is from an archive.
    fn folder_of_pages(spool: &Path) -> Result<Option<PathBuf>, OutputError> {
        let mut common: Option<PathBuf> = None;
        for record in RecordReader::open(spool)? {
            let record = record?;
            let Some(file) = page_file(&record) else { return Ok(None) };
            // A folder, as if it held a file, for its parent.
            let before = common.take().map(|folder| folder.join("page"));
            common = Some(common_folder(before.as_deref().into_iter().chain([file])));
        }
        Ok(common)
    }

    /// Returns the path of the HTML file from which a document comes; `None` if it comes from a record of an archive.
    fn page_file(record: &Document) -> Option<&Path> {
        let source = record.source.as_ref()?;
        let name = source.file.rsplit('/').next()?;
        (without_page_endings(name).len() < name.len()).then(|| Path::new(&*source.file))
    }

    /// Returns a document's file name without suffix: the path of its HTML file below `root`, or made from its URL.
    fn name(record: &Document, root: Option<&Path>) -> String {
        if let (Some(root), Some(file)) = (root, page_file(record))
            && let Ok(below) = file.strip_prefix(root)
        {
            let stem = without_page_endings(below.file_name().and_then(|name| name.to_str()).unwrap_or("page"));
            return below.with_file_name(stem).to_string_lossy().into_owned();
        }
        let address = record.url.as_deref().filter(|url| !url.is_empty()).unwrap_or(&record.id);
        slug(address.split_once("://").map_or(address, |(_, rest)| rest))
    }

    /// Converts a text to a file name of at most 100 bytes: all but letters, digits, dots and underscores become
    /// hyphens.
    fn slug(text: &str) -> String {
        let mut slug = String::new();
        for c in text.chars() {
            match c.is_alphanumeric() || c == '.' || c == '_' {
                true if slug.len() + c.len_utf8() > MAX_NAME => break,
                true => slug.push(c),
                false if slug.ends_with('-') => {}
                false => slug.push('-'),
            }
        }
        // A hidden file, or the folder above, is no page.
        let slug = slug.trim_matches(['-', '.']);
        if slug.is_empty() { "page".to_owned() } else { slug.to_owned() }
    }

    /// Returns a file name with its suffix, numbered if another document has the same name. Upper and lower case count
    /// as equal, as some systems do not distinguish them.
    fn free_name(name: &str, ending: &str, taken: &mut HashSet<String>) -> String {
        let mut free = format!("{name}{ending}");
        let mut number = 2;
        while !taken.insert(free.to_lowercase()) {
            free = format!("{name}-{number}{ending}");
            number += 1;
        }
        free
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use crate::{Encode as _, Msgpack, RecordSource};

        fn record(file: &str, url: &str) -> Document {
            Document {
                url: Some(url.to_owned()).filter(|url| !url.is_empty()),
                text: "A mill\n".into(),
                source: Some(RecordSource { file: file.into(), offset: 0, length: 9, inner: 0 }),
                ..Document::default()
            }
        }

        fn files(records: &[Document]) -> (tempfile::TempDir, Vec<String>) {
            let folder = tempfile::tempdir().unwrap();
            let mut spool = Vec::new();
            for record in records {
                Msgpack.record(record, &mut spool).unwrap();
            }
            fs::write(folder.path().join("spool"), spool).unwrap();
            let target = folder.path().join("out");
            PageFolder(Printed::Markdown).assemble(&folder.path().join("spool"), &target).unwrap();
            let list = fs::read_to_string(target.join(LIST)).unwrap();
            let names: Vec<String> = list.lines().map(str::to_owned).collect();
            assert!(names.iter().all(|name| target.join(name).is_file()), "{names:?}");
            (folder, names)
        }

        #[test]
        fn pages_in_files_keep_their_paths() {
            let (folder, names) = files(&[record("s/a.html", ""), record("s/t/b.html.gz", ""), record("s/A.htm", "")]);
            assert_eq!(names, ["a.md", "t/b.md", "A-2.md"]);
            let target = folder.path().join("out");
            assert_eq!(fs::read_to_string(target.join("t/b.md")).unwrap(), "---\n---\n\nA mill\n");
            let step = PageFolder(Printed::Markdown);
            assert_eq!(step.foreign(&target).unwrap(), None);
            fs::write(target.join("t/mine.md"), "").unwrap();
            assert_eq!(step.foreign(&target).unwrap(), Some(PathBuf::from("t/mine.md")));
        }

        #[test]
        fn records_are_named_by_their_urls() {
            let place = "x.warc.gz";
            let (_folder, names) = files(&[
                record(place, "https://a.example/Blog/1?x=2#y"),
                record(place, "http://a.example/blog/1?x=2"),
                record(place, "http://a.example/../../etc"),
                record(place, "file:///"),
            ]);
            assert_eq!(
                names,
                ["a.example-Blog-1-x-2-y.md", "a.example-blog-1-x-2.md", "a.example-..-..-etc.md", "page.md"]
            );
            assert_eq!(slug(&"ä".repeat(90)).len(), 100);
        }
    }
}
#[cfg(feature = "storage")]
pub use folder::PageFolder;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record_id::tests::written;

    #[test]
    fn each_page_has_a_heading_with_its_url() {
        let record = Document {
            url: Some("http://a.example/\n# x".into()),
            text: "# Mill\n\nIt\u{1b} turns.\n".into(),
            ..Document::default()
        };
        assert_eq!(
            written(&Printed::Text, &record).unwrap(),
            "==> http://a.example/ # x <==\n\n# Mill\n\nIt turns.\n\n"
        );
        assert_eq!(written(&Printed::Markdown, &record).unwrap(), "# http://a.example/ # x\n\n# Mill\n\nIt turns.\n\n");
        assert_eq!(written(&Printed::Text, &Document::default()), None);
    }

    #[test]
    fn front_matter_has_what_is_known() {
        let mut record = Document { title: Some("A \"mill\": one".into()), ..Document::default() };
        record.canonical = Some("http://a.example/".into());
        record.author = vec!["Jane Roe".into(), "X".into()];
        record.published = Some("2024-05-01".into());
        record.lang = Some("en".into());
        assert_eq!(
            front_matter(&record),
            "---\nurl: \"http://a.example/\"\ntitle: \"A \\\"mill\\\": one\"\nauthor: [\"Jane Roe\", \"X\"]\n\
             date: \"2024-05-01\"\nlang: \"en\"\n---\n\n"
        );
        assert_eq!(front_matter(&Document::default()), "---\n---\n\n");
    }
}
