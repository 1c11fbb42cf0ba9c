//! Writes annotations: a Parquet table with a row of facts about each page, without its text, like a crawl index.
//!
//! The file is assembled from a spool of MessagePack maps.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use trommel_text::TextStats;

use crate::filters::duplicates::{exact, near};
use crate::filters::text_rules::{Counts, has_bullet, is_cut, repeated, repeated_lines, share_of_lines, symbols};
use crate::{Document, Encode, OutputError};

#[cfg(feature = "parquet")]
pub use table::AnnotationTable;

/// Encoder for tables of annotations (facts about each page): writes a document as a MessagePack map of its
/// [`Annotation`].
#[derive(Clone, Copy, Debug)]
pub struct Annotations;

impl Encode for Annotations {
    fn record(&self, record: &Document, out: &mut Vec<u8>) -> Result<bool, OutputError> {
        rmp_serde::encode::write_named(out, &Annotation::from(record))?;
        Ok(true)
    }
}

trommel_text::keyed! {
    /// Row of one page in a table of annotations. Fields that Common Crawl's columnar index also has have the same
    /// names and types as in that index.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct Annotation {
        /// URL of the page.
        pub url: Option<String>,
        /// Host of the page's URL, in lower case.
        pub url_host_name: Option<String>,
        /// Time of the capture in milliseconds since 1970, without fractions of a second.
        pub fetch_time: Option<i64> as Time,
        /// HTTP status code of the capture.
        pub fetch_status: Option<i32>,
        /// Digest of the payload as the archive states it, without the name of the algorithm if that is SHA-1.
        pub content_digest: Option<String>,
        /// Reason why the crawler kept only a part of the page.
        pub content_truncated: Option<String>,
        /// Name of the archive as the user wrote it.
        pub warc_filename: Option<String>,
        /// Byte offset of the record in the stored archive.
        pub warc_record_offset: Option<i64>,
        /// Number of stored bytes of the record.
        pub warc_record_length: Option<i64>,
        /// Byte offset of the record in the decompressed bytes of its gzip member; 0 if the record begins the member.
        pub warc_record_inner: Option<i64>,
        /// WARC-Record-ID of the record, or an id made from the record's place.
        pub warc_record_id: String,
        /// Language of the text as an ISO 639-1 code, or an ISO 639-3 code if there is no shorter one.
        pub lang: Option<String>,
        /// Type of the page.
        pub page_type: Option<String>,
        /// Expected word F1 of the text, 0 to 1.
        pub confidence: f32,
        /// Kind of the block page that replaces the requested page, such as a captcha; null if there is none.
        pub block_reason: Option<String>,
        /// Number of links on the page.
        pub links: i32,
        /// Number of characters of the text.
        pub chars: i32,
        /// Number of lines of the text that are not empty.
        pub lines: i32,
        /// Number of words of the text; two characters of a script without spaces count as one word.
        pub words: i32,
        /// Mean number of characters of a word in scripts with spaces.
        pub word_length: f32,
        /// Share of the words that have a letter, 0 to 1.
        pub share_of_letters: f32,
        /// Number of hashes or of ellipses, whichever is larger, divided by the number of words.
        pub symbols_per_word: f32,
        /// Share of the lines that begin with a bullet, 0 to 1.
        pub share_of_bullets: f32,
        /// Share of the lines that end with an ellipsis, 0 to 1.
        pub share_of_ellipses: f32,
        /// Share of the lines that repeat an earlier line, 0 to 1.
        pub share_of_repeated_lines: f32,
        /// Share of the characters that are in repeated phrases of five words, 0 to 1.
        pub share_of_repeated_phrases: f32,
        /// Hash of the words in lower case, as 32 hexadecimal digits; equal for exact duplicates.
        pub exact_key: Option<String>,
        /// MinHash keys, as 16 hexadecimal digits each; near duplicates share at least one.
        pub near_keys: Vec<String>,
    }
}

/// Number of words in a phrase whose repetitions are counted.
const PHRASE: u32 = 5;

impl From<&Document> for Annotation {
    fn from(record: &Document) -> Self {
        let stats = TextStats::new(&record.text);
        let counts = Counts::of(&stats);
        let half_words = f64::from(counts.half_words()).max(1.0);
        let in_words: u64 = stats.words().iter().map(|word| u64::from(word.chars)).sum();
        let repeated = repeated(stats.words(), PHRASE) as f64 / (in_words as f64).max(1.0);
        let source = record.source.as_ref();
        let date = record.date.as_deref().and_then(|date| date.parse::<Timestamp>().ok());
        let url = record.url.as_deref();
        let lines = record.text.lines().filter(|line| !line.trim().is_empty());
        Self {
            url: record.url.clone(),
            url_host_name: url.and_then(|url| url::Url::parse(url).ok()?.host_str().map(str::to_owned)),
            // Indexes of crawls know seconds.
            fetch_time: date.map(|date| date.as_second() * 1000),
            fetch_status: record.status.map(i32::from),
            content_digest: record
                .digest
                .as_deref()
                .map(|digest| digest.strip_prefix("sha1:").unwrap_or(digest).to_owned()),
            content_truncated: record.truncated.clone(),
            warc_filename: source.map(|source| source.file.to_string()),
            warc_record_offset: source.and_then(|source| source.offset.try_into().ok()),
            warc_record_length: source.and_then(|source| source.length.try_into().ok()),
            warc_record_inner: source.and_then(|source| source.inner.try_into().ok()),
            warc_record_id: record.id.clone(),
            lang: record.lang.clone(),
            page_type: record.page_type.clone(),
            confidence: record.confidence,
            block_reason: record.blocked.map(|reason| reason.name().to_owned()),
            links: whole(record.links as usize),
            chars: whole(record.text.chars().count()),
            lines: whole(lines.count()),
            words: whole(counts.half_words().div_ceil(2) as usize),
            word_length: counts.mean_length() as f32,
            share_of_letters: (f64::from(counts.lettered) / half_words) as f32,
            symbols_per_word: (2.0 * symbols(&record.text) as f64 / half_words) as f32,
            share_of_bullets: share_of_lines(&record.text, has_bullet) as f32,
            share_of_ellipses: share_of_lines(&record.text, is_cut) as f32,
            share_of_repeated_lines: repeated_lines(&record.text) as f32,
            share_of_repeated_phrases: repeated as f32,
            exact_key: exact(&stats).map(|key| format!("{key:032x}")),
            near_keys: near(&stats).iter().map(|key| format!("{key:016x}")).collect(),
        }
    }
}

fn whole(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// Assembles the Parquet table of annotations.
#[cfg(feature = "parquet")]
mod table {
    use std::path::Path;

    use trommel_text::keys::Keyed as _;

    use crate::{Annotation, Assemble, OutputError, formats::parquet::Table, open_plain, reader::next_map};

    /// Maximum number of rows in a row group of the Parquet table.
    const GROUP: usize = 65_536;
    /// Names of columns whose values hardly repeat, which are stored without a dictionary.
    const UNREPEATED_COLUMNS: [&str; 4] = ["url", "content_digest", "warc_record_id", "exact_key"];

    /// Assembler that writes annotations (facts about each page) as a Parquet table. The bytes of the table depend only
    /// on the annotations.
    #[derive(Clone, Debug, Default)]
    pub struct AnnotationTable {
        /// Folder or URL prefix to remove from the names of archives, so that they are relative as in a crawl index.
        pub base: Option<String>,
    }

    impl AnnotationTable {
        fn relative(&self, row: &mut Annotation) {
            let base = self.base.as_deref().map(|base| base.trim_end_matches('/'));
            let below = base.zip(row.warc_filename.as_deref()).and_then(|(base, name)| name.strip_prefix(base));
            if let Some(below) = below.and_then(|rest| rest.strip_prefix('/')) {
                row.warc_filename = Some(below.to_owned());
            }
        }
    }

    impl Assemble for AnnotationTable {
        fn assemble(&self, spool: &Path, target: &Path) -> Result<(), OutputError> {
            let mut spool = open_plain(spool)?;
            let mut number = 0;
            let rows = std::iter::from_fn(|| next_map::<Annotation>(&mut spool, &mut number).transpose());
            let rows = rows.map(|row| {
                let mut row = row?;
                self.relative(&mut row);
                Ok(row)
            });
            let columns: Vec<_> = Annotation::KEYS.iter().collect();
            let table = Table { name: "annotation", columns: &columns, unrepeated: &UNREPEATED_COLUMNS, rows: GROUP };
            table.write(target, rows, |_| 0)
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use crate::{Annotations, Encode, record_id::tests::full};
        use parquet::file::reader::{FileReader, SerializedFileReader};
        use std::fs::File;

        #[test]
        fn rows_have_the_names_of_the_crawls_index() {
            let folder = tempfile::tempdir().unwrap();
            let at = |name: &str| folder.path().join(name);
            let mut record = full();
            let mut spool = Vec::new();
            for file in ["https://data.example.org/c/a.warc.gz", "other/b.warc.gz"] {
                record.source.as_mut().unwrap().file = file.into();
                Annotations.record(&record, &mut spool).unwrap();
            }
            std::fs::write(at("spool"), &spool).unwrap();
            let table = AnnotationTable { base: Some("https://data.example.org/".to_owned()) };
            table.assemble(&at("spool"), &at("a.parquet")).unwrap();
            let reader = SerializedFileReader::new(File::open(at("a.parquet")).unwrap()).unwrap();
            let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
            let shown = |row: usize, wanted: &str| {
                let mut columns = rows[row].get_column_iter();
                columns.find(|(name, _)| *name == wanted).unwrap().1.to_string()
            };
            assert_eq!(rows.len(), 2);
            assert_eq!(shown(0, "warc_filename"), "\"c/a.warc.gz\"");
            assert_eq!(shown(1, "warc_filename"), "\"other/b.warc.gz\"");
            let annotation = Annotation::from(&record);
            assert_eq!(shown(0, "warc_record_id"), format!("{:?}", annotation.warc_record_id));
            assert_eq!(shown(0, "words"), annotation.words.to_string());
            assert_eq!(shown(0, "near_keys"), format!("{:?}", annotation.near_keys));
            // A spool that is cut is an error, and not a shorter table.
            std::fs::write(at("cut"), &spool[..spool.len() - 3]).unwrap();
            assert!(table.assemble(&at("cut"), &at("b.parquet")).is_err());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RecordSource;

    #[test]
    fn a_page_is_annotated_as_the_index_of_its_crawl() {
        let record = Document {
            id: "urn:x".into(),
            url: Some("https://www.Example.org/A?b=2&a=1".into()),
            date: Some("2026-11-21T10:00:00.250Z".into()),
            text: "The mill stands by the river.\n\n- It turns.".into(),
            lang: Some("en".into()),
            confidence: 0.5,
            status: Some(200),
            digest: Some("sha1:ABC".into()),
            links: 7,
            source: Some(RecordSource { file: "c/a.warc.gz".into(), offset: 12, length: 34, inner: 0 }),
            ..Document::default()
        };
        let row = Annotation::from(&record);
        assert_eq!(row.url_host_name.as_deref(), Some("www.example.org"));
        assert_eq!(row.fetch_time, Some(1_795_255_200_000));
        assert_eq!((row.content_digest.as_deref(), row.fetch_status), (Some("ABC"), Some(200)));
        assert_eq!((row.warc_filename.as_deref(), row.warc_record_offset), (Some("c/a.warc.gz"), Some(12)));
        assert_eq!((row.words, row.lines, row.links, row.near_keys.len()), (8, 2, 7, 14));
        assert_eq!(row.block_reason, None);
        let nothing = Annotation::from(&Document::default());
        assert_eq!((nothing.fetch_time, nothing.exact_key), (None, None));
    }
    #[test]
    fn texts_are_measured() {
        let text = "- The mill stands by the river\n- The mill stands by the river\nIt turns 12 # ...";
        let row = Annotation::from(&Document { text: text.into(), ..Document::default() });
        assert_eq!(row.words, 15);
        for (share, expected) in [
            (row.share_of_bullets, 2.0 / 3.0),
            (row.share_of_ellipses, 1.0 / 3.0),
            (row.share_of_repeated_lines, 1.0 / 3.0),
            (row.share_of_letters, 14.0 / 15.0),
            (row.symbols_per_word, 1.0 / 15.0),
            (row.word_length, 55.0 / 15.0),
            // The phrase of five words that comes again; the sixth word is left over.
            (row.share_of_repeated_phrases, 18.0 / 55.0),
        ] {
            assert!((share - expected).abs() < 1e-6, "{row:?}");
        }
        assert!(row.exact_key.is_some() && row.near_keys.len() == 14);
        assert_eq!(Annotation::from(&Document::default()), Annotation::default());
    }
}
