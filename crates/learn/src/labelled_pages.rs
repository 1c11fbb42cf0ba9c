//! Reads labelled pages from an archive and its gold file.
//!
//! Lines of gold files are also read if they have values that are none of JSON, and if the file is compressed.
//! Folds for cross-validation never divide a host.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::{collections::BTreeMap, fs::File, io};

use flate2::read::MultiGzDecoder;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::{Error, Value};
use trommel_archive::file_name::{is_archive, stem};
use trommel_archive::{PayloadOptions, ReadOptions, Reader, Record, payload};
use trommel_extract::Hints;
use trommel_html::{Engine, Limits, Page, ScanEngine, charset};

use crate::{error::LearnError, label::shares};

/// Gold object: one line of a gold file, with the text that should be extracted from a page. Ignores unknown fields.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Gold {
    /// WARC-Record-ID of the page.
    pub record_id: String,
    /// URL of the page.
    #[serde(default)]
    pub url: String,
    /// Name of the page in its page set.
    #[serde(default)]
    pub id: String,
    /// Main text of the page; empty if nothing should be extracted, `None` if only the texts in `with` are known.
    #[serde(default)]
    pub gold: Option<String>,
    /// Readers' comments on the page, if the gold holds them apart from the main text.
    #[serde(default)]
    pub gold_comments: Option<String>,
    /// Texts that the extracted text must contain.
    #[serde(default)]
    pub with: Vec<String>,
    /// Texts that the extracted text must not contain.
    #[serde(default)]
    pub without: Vec<String>,
    /// Type of the page, such as `product` or `listing`.
    #[serde(default)]
    pub page_type: Option<String>,
    /// Language code of the page.
    #[serde(default)]
    pub lang: Option<String>,
    /// Roles of the page's blocks, such as `headline` or `comment`, as `trommel label` writes them.
    #[serde(default)]
    pub blocks: Vec<GoldBlock>,
    /// All ingredients of the recipe on the page, one text each.
    #[serde(default)]
    pub ingredients: Vec<String>,
    /// All steps of the recipe on the page, one text each.
    #[serde(default)]
    pub steps: Vec<String>,
}

/// Role of one block of a page, such as `headline`, as stored in the page's gold object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct GoldBlock {
    /// Byte range of the block in the decoded page: its first byte, and one past its last.
    #[serde(default)]
    pub span: (u32, u32),
    /// Name of the block's role, such as `headline`; empty if the page set does not name roles.
    #[serde(default)]
    pub role: String,
}

impl Gold {
    /// Returns the text that should be extracted, with the readers' comments if `comments` is set.
    pub fn text(&self, comments: bool) -> String {
        let mut text = self.gold.clone().unwrap_or_default();
        if comments && let Some(more) = self.gold_comments.as_deref().filter(|more| !more.is_empty()) {
            text.push('\n');
            text.push_str(more);
        }
        text
    }

    /// Returns the texts that the extracted text must contain; `None` if the main text is known or no text is required.
    pub fn required(&self) -> Option<&[String]> {
        (self.gold.is_none() && !self.with.is_empty()).then_some(&self.with)
    }

    /// Returns whether the gold holds readers' comments apart from the main text.
    pub fn has_comments(&self) -> bool {
        self.gold_comments.as_ref().is_some_and(|text| !text.is_empty())
    }

    /// Returns the URL of the page; `None` if the URL is unknown or a placeholder on a host in `.invalid` (RFC 2606).
    pub fn address(&self) -> Option<&str> {
        self.host().map(|_| self.url.as_str())
    }

    /// Returns the name of the page's group in cross-validation: the page's host, or its record id if the URL is
    /// unknown or a placeholder.
    pub fn group(&self) -> &str {
        self.host().unwrap_or(&self.record_id)
    }

    /// Returns the host of the page; `None` if the URL is unknown or a placeholder on a host in `.invalid`.
    fn host(&self) -> Option<&str> {
        let host = self.url.split_once("://")?.1.split(['/', '?', '#']).next()?;
        (!host.is_empty() && !host.ends_with(".invalid")).then_some(host)
    }
}

/// Page of an archive, with the gold object that says what should be extracted.
#[derive(Clone, Debug)]
pub struct LabelledPage {
    /// Gold object of the page: the text that should be extracted, and facts about the page.
    pub gold: Gold,
    /// Parsed page: tables of its elements and blocks.
    pub page: Page,
    /// Decoded HTML of the page, to which the byte offsets in `page` refer.
    pub html: String,
}

/// Set of labelled pages, such as an archive with its gold file.
#[derive(Clone, Debug)]
pub struct PageSet {
    /// Name of the set: the file name of the archive without its extensions.
    pub name: String,
    /// Labelled pages in the order of the archive.
    pub pages: Vec<LabelledPage>,
}

impl PageSet {
    /// Returns for each block of each page whether more than `share` of its words lie on the longest common subsequence
    /// with the gold text. Such blocks are content. The gold includes readers' comments if `comments` is set.
    pub fn labels(&self, comments: bool, share: f32) -> Vec<Vec<bool>> {
        self.pages
            .par_iter()
            .map(|page| {
                let shares = shares(&page.page, &page.gold.text(comments));
                shares.into_iter().map(|value| value > share).collect()
            })
            .collect()
    }

    /// Returns whether the gold of any page in the set holds readers' comments apart from the main text.
    pub fn has_comments(&self) -> bool {
        self.pages.iter().any(|page| page.gold.has_comments())
    }

    /// Returns the pages of the set as training examples, with `labels` for the blocks of each page.
    pub fn examples<'a>(&'a self, labels: &'a [Vec<bool>]) -> Vec<Example<'a>> {
        self.pages
            .iter()
            .zip(labels)
            .map(|(page, labels)| Example { page: &page.page, labels, group: page.gold.group() })
            .collect()
    }
}

/// Reads all gold objects from a file of JSON lines, plain or gzip.
///
/// # Errors
/// Fails if the file cannot be read or a line is not a gold object.
pub fn read_gold(path: &Path) -> Result<Vec<Gold>, LearnError> {
    let name = path.display().to_string();
    let io = |source| LearnError::Io { path: name.clone(), source };
    let (mut golds, mut mended) = (Vec::new(), 0);
    for (line, text) in numbered_lines(path).map_err(io)? {
        let gold = gold_of(&text.map_err(io)?);
        let (gold, is_mended) = gold.map_err(|source| LearnError::Line { path: name.clone(), line, source })?;
        mended += usize::from(is_mended);
        golds.push(gold);
    }
    if mended > 0 {
        tracing::warn!("{name}: {mended} lines have values that are no text (NaN or numbers), which count as absent");
    }
    Ok(golds)
}

/// Reads the pages of an archive that have a gold object in the file `gold`, and skips damaged parts of the archive.
///
/// # Errors
/// Fails if a file cannot be read, a gold object has no page in the archive, or a page cannot be decoded.
pub fn read_set(pages: &Path, gold: &Path) -> Result<PageSet, LearnError> {
    let golds = read_gold(gold)?;
    let count = golds.len();
    let mut by_id: FxHashMap<String, Gold> =
        golds.into_iter().map(|gold| (bare(&gold.record_id).to_owned(), gold)).collect();
    let mut records: Vec<(Gold, Record)> = Vec::new();
    for record in Reader::open(pages, ReadOptions::default())? {
        let record = match record {
            Err(error) if !error.is_fatal() => {
                tracing::warn!("{error}");
                continue;
            }
            record => record?,
        };
        if let Some(gold) = record.id().and_then(|id| by_id.remove(id)) {
            records.push((gold, record));
        }
    }
    if let Some(first) = by_id.keys().min() {
        return Err(LearnError::NoPage {
            pages: pages.display().to_string(),
            missing: by_id.len(),
            golds: count,
            first: first.clone(),
        });
    }
    let pages_read: Result<Vec<LabelledPage>, LearnError> = records
        .into_par_iter()
        .map(|(gold, record)| {
            let (page, html) = read_page(record, &gold)?;
            Ok(LabelledPage { gold, page, html })
        })
        .collect();
    let name = pages.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(PageSet { name: trommel_archive::file_name::stem(&name).to_owned(), pages: pages_read? })
}

/// Returns the default path of an archive's gold file: `X.gold.jsonl.gz` for `X.warc.gz`; `None` for other file names.
pub fn gold_beside(pages: &Path) -> Option<PathBuf> {
    let name = pages.file_name()?.to_str()?;
    let stem = is_archive(name).then(|| stem(name))?;
    Some(pages.with_file_name(format!("{stem}.gold.jsonl.gz")))
}

fn bare(id: &str) -> &str {
    id.trim().trim_start_matches('<').trim_end_matches('>')
}

/// Decodes and parses the page of a record, as the extractor does; returns the parsed page and its decoded HTML.
fn read_page(record: Record, gold: &Gold) -> Result<(Page, String), LearnError> {
    let (file, offset) = (record.place.file.to_string(), record.place.offset);
    let url = record.url().map_or_else(|| gold.url.clone(), str::to_owned);
    let payload = payload(&record, &PayloadOptions::default()).map_err(|error| LearnError::Page {
        file,
        offset,
        message: error.to_string(),
    })?;
    let hints = Hints { url: Some(&url), http_charset: payload.charset(), crawl_charset: None, date: None };
    let decoded = charset::decode(&payload.body, &hints.charset());
    let page = ScanEngine.read(&decoded.text, &Limits::default());
    Ok((page, decoded.text.into_owned()))
}

/// Keys of a gold object whose values must be strings.
const TEXTS: [&str; 2] = ["gold", "gold_comments"];
/// Numbers that some programs write although JSON does not allow them.
const NO_NUMBERS: [&str; 3] = ["NaN", "-Infinity", "Infinity"];

/// Parses a line as a gold object, and returns it with true if invalid values were replaced with `null`.
///
/// # Errors
/// Fails if the line is not a gold object.
pub(crate) fn gold_of(line: &str) -> Result<(Gold, bool), Error> {
    let (mut value, mut is_mended): (Value, bool) = match serde_json::from_str(line) {
        Ok(value) => (value, false),
        Err(error) => match without_no_numbers(line) {
            Some(line) => (serde_json::from_str(&line)?, true),
            None => return Err(error),
        },
    };
    for key in TEXTS {
        if let Some(text) = value.get_mut(key)
            && !matches!(text, Value::String(_) | Value::Null)
        {
            *text = Value::Null;
            is_mended = true;
        }
    }
    Ok((serde_json::from_value(value)?, is_mended))
}

/// Replaces numbers that JSON does not allow, such as `NaN`, with `null`; returns `None` if the line has none.
fn without_no_numbers(line: &str) -> Option<String> {
    let (mut out, mut rest) = (String::with_capacity(line.len()), line);
    let (mut is_text, mut is_found) = (false, false);
    while let Some(c) = rest.chars().next() {
        let word = NO_NUMBERS.iter().find(|word| !is_text && rest.starts_with(**word));
        let taken = match (word, c) {
            (Some(word), _) => {
                out.push_str("null");
                is_found = true;
                rest = rest.get(word.len()..)?;
                continue;
            }
            // Whatever is escaped ends no text.
            (None, '\\') => c.len_utf8() + rest.get(1..)?.chars().next().map_or(0, char::len_utf8),
            (None, _) => c.len_utf8(),
        };
        is_text ^= c == '"';
        let (part, behind) = rest.split_at_checked(taken)?;
        out.push_str(part);
        rest = behind;
    }
    is_found.then_some(out)
}

/// Iterates over the non-blank lines of a file, plain or gzip, each with its line number from 1.
///
/// # Errors
/// Fails if the file cannot be opened or its first bytes cannot be read; later errors come in place of a line.
pub fn numbered_lines(path: &Path) -> io::Result<impl Iterator<Item = (usize, io::Result<String>)> + use<>> {
    let mut file = BufReader::new(File::open(path)?);
    let is_gzip = file.fill_buf()?.starts_with(&[0x1F, 0x8B]);
    let input: Box<dyn Read> = if is_gzip { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
    let is_blank = |line: &io::Result<String>| line.as_ref().is_ok_and(|text| text.trim().is_empty());
    Ok((1..).zip(BufReader::new(input).lines()).filter(move |(_, line)| !is_blank(line)))
}

/// Training example: a page with the labels of its blocks.
#[derive(Clone, Copy, Debug)]
pub struct Example<'a> {
    /// Parsed page: tables of its elements and blocks.
    pub page: &'a Page,
    /// Label of each block: true if the block is content (main text).
    pub labels: &'a [bool],
    /// Name of the page's group in cross-validation, usually its host.
    pub group: &'a str,
}

/// Assigns each item to one of `folds` folds, so that items of the same group share a fold; returns the fold numbers.
/// Groups are assigned from the largest to the smallest, each to the fold with the fewest items. So the folds have
/// nearly equal size and are the same on every run.
pub fn by_group(groups: &[&str], folds: usize) -> Vec<usize> {
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for group in groups {
        *sizes.entry(group).or_default() += 1;
    }
    let mut order: Vec<(&str, usize)> = sizes.into_iter().collect();
    order.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let mut filled = vec![0usize; folds.max(1)];
    let mut fold_of: BTreeMap<&str, usize> = BTreeMap::new();
    for (group, size) in order {
        let fold = (0..filled.len()).min_by_key(|fold| filled[*fold]).unwrap_or(0);
        filled[fold] += size;
        fold_of.insert(group, fold);
    }
    groups.iter().map(|group| fold_of.get(group).copied().unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_pages;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    #[test]
    fn groups_are_hosts_but_for_placeholders() {
        let group = |url: &str| Gold { record_id: "r".into(), url: url.into(), ..Gold::default() }.group().to_owned();
        assert_eq!(group("https://a.example.org/x?y"), "a.example.org");
        assert_eq!(group("https://dragnet-test.invalid/1"), "r");
        assert_eq!(group(""), "r");
    }

    #[test]
    fn comments_are_part_of_the_text_on_request() {
        let gold = Gold { gold: Some("a".into()), gold_comments: Some("b".into()), ..Gold::default() };
        assert_eq!((gold.text(false).as_str(), gold.text(true).as_str()), ("a", "a\nb"));
    }

    #[test]
    fn labels_follow_the_share_and_the_comments() {
        let gold = Gold { gold: Some("one two".into()), gold_comments: Some("late".into()), ..Gold::default() };
        let pages = vec![test_pages::labelled("<p>one two</p><p>late</p><p>menu of four</p>", gold)];
        let set = PageSet { name: "toy".into(), pages };
        assert_eq!(set.labels(false, 0.1), [[true, false, false]]);
        let labels = set.labels(true, 0.1);
        assert_eq!(labels, [[true, true, false]]);
        assert_eq!(set.examples(&labels)[0].labels, [true, true, false]);
    }

    #[test]
    fn gold_stands_beside_its_pages() {
        assert_eq!(gold_beside(Path::new("a/x.warc.gz")), Some(PathBuf::from("a/x.gold.jsonl.gz")));
        assert_eq!(gold_beside(Path::new("a/x.zip")), None);
    }

    #[test]
    fn a_bad_gold_line_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.gold.jsonl");
        std::fs::write(&path, "{\"record_id\":\"<urn:a>\",\"gold\":null}\n\n{\"no\n").unwrap();
        let error = read_gold(&path).unwrap_err().to_string();
        assert!(error.contains("x.gold.jsonl, line 3"), "{error}");
    }

    #[test]
    fn what_is_no_text_is_absent() {
        let gold = |line: &str| gold_of(line).map(|(gold, is_mended)| (gold.gold, is_mended)).ok();
        assert_eq!(gold(r#"{"record_id": "a", "gold": "NaN \" NaN"}"#), Some((Some("NaN \" NaN".into()), false)));
        assert_eq!(gold(r#"{"record_id": "a", "gold": NaN}"#), Some((None, true)));
        assert_eq!(gold(r#"{"record_id": "a", "gold": 5}"#), Some((None, true)));
        assert_eq!(gold(r#"{"record_id": "a", "gold": "\\", "date": -Infinity}"#), Some((Some("\\".into()), true)));
        assert_eq!(gold(r#"{"record_id": "a", "gold": null}"#), Some((None, false)));
        for wrong in [r#"{"record_id": NaN}"#, r#"{"record_id": "a" NaN"#, "{", r#"{"a": "\"#] {
            assert!(gold(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn lines_keep_their_numbers_plain_or_compressed() {
        let folder = tempfile::tempdir().unwrap();
        let (plain, gzip) = (folder.path().join("a"), folder.path().join("b.gz"));
        let text = "one\n \n\nfour\n";
        std::fs::write(&plain, text).unwrap();
        // Two members, as `cat` makes them of two files.
        let mut file = File::create(&gzip).unwrap();
        for part in ["one\n \n", "\nfour\n"] {
            let mut member = GzEncoder::new(&mut file, Compression::fast());
            member.write_all(part.as_bytes()).unwrap();
            member.finish().unwrap();
        }
        for path in [plain, gzip] {
            let lines: Vec<(usize, String)> =
                numbered_lines(&path).unwrap().map(|(number, line)| (number, line.unwrap())).collect();
            assert_eq!(lines, [(1, "one".into()), (4, "four".into())]);
        }
        assert!(numbered_lines(&folder.path().join("c")).is_err());
    }

    #[test]
    fn groups_stay_whole_and_folds_balance() {
        let groups = ["a", "a", "a", "b", "c", "d", "b", "e", "f"];
        let folds = by_group(&groups, 3);
        assert_eq!((folds[0], folds[1]), (folds[1], folds[2]));
        assert_eq!(folds[3], folds[6]);
        for fold in 0..3 {
            assert_eq!(folds.iter().filter(|f| **f == fold).count(), 3);
        }
    }
}
