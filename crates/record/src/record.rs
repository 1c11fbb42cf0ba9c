//! The record of one page, for writing and reading: its keys in the order that every format has.
//!
//! Its id depends only on the input.

use std::sync::Arc;

use data_encoding::HEXLOWER;
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::SerializeStruct};
use sha1::{Digest as _, Sha1};
use trommel_archive::Place;
use trommel_extract::{BlockReason, BlockVerdict, Chunk, Document, DocumentTable, Metadata, Post, TextSpan};

/// The record of one page: the keys of a JSON line, in their order. It is written to every format, and read
/// back from those that allow it.
///
/// Every key is written, and each has one type. A missing value is an empty string, 0 or an empty list. Readers
/// infer the types of a file from its beginning. Some of them fail at a value, or lose it, after nothing but
/// `null` or empty lists. Therefore rare values are strings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OutputRecord {
    /// WARC-Record-ID without angle brackets, or [`record_id`](crate::record_id) where there is none.
    pub id: String,
    /// URL of the page.
    #[serde(with = "filled")]
    pub url: Option<String>,
    /// Time of the capture as the archive gives it.
    #[serde(with = "filled")]
    pub date: Option<String>,
    /// Main text.
    pub text: String,
    /// Title of the page.
    #[serde(with = "filled")]
    pub title: Option<String>,
    /// Language of the text.
    #[serde(with = "filled")]
    pub lang: Option<String>,
    /// Encoding of the page.
    pub charset: String,
    /// The source of the encoding.
    pub charset_source: String,
    /// Expected word F1 of the text, in 0..=1.
    pub confidence: f32,
    /// The place of the page in its archive.
    #[serde(with = "filled")]
    pub source: Option<RecordSource>,
    /// Names of the authors.
    pub author: Vec<String>,
    /// Date of publication.
    #[serde(with = "filled")]
    pub published: Option<String>,
    /// Date of the last change.
    #[serde(with = "filled")]
    pub modified: Option<String>,
    /// Name of the site or publisher.
    #[serde(with = "filled")]
    pub site: Option<String>,
    /// The page's summary of itself.
    #[serde(with = "filled")]
    pub description: Option<String>,
    /// URL that the page names as its own.
    #[serde(with = "filled")]
    pub canonical: Option<String>,
    /// URL of the next page.
    #[serde(with = "filled")]
    pub next: Option<String>,
    /// Language that the page declares, as a BCP 47 tag.
    #[serde(with = "filled")]
    pub lang_declared: Option<String>,
    /// Reservations of rights that the page or its server states, divided by semicolons (`tdm-reservation=1; noai`).
    pub rights: String,
    /// The headings among the text's lines.
    pub headings: Vec<String>,
    /// Type of the page.
    #[serde(with = "filled")]
    pub page_type: Option<String>,
    /// The reason why this is not the requested page (`captcha`, `denied` and others), from its title and
    /// phrases, regardless of the model; empty if it is.
    pub blocked: String,
    /// Readers' comments, where they are kept apart.
    #[serde(with = "filled")]
    pub comments: Option<String>,
    /// HTTP status code.
    #[serde(with = "filled")]
    pub status: Option<u16>,
    /// WARC-Truncated: why the crawler cut the page.
    #[serde(with = "filled")]
    pub truncated: Option<String>,
    /// Caps of the page reader that the page exceeded, separated by commas.
    pub capped: String,
    /// Irregularities found while reading the page, in words, separated by semicolons.
    pub notes: String,
    /// The extractor that made the text, where a script put another text in; empty for this program.
    pub extractor: String,
    /// Every block of the page, on request.
    pub blocks: Vec<BlockVerdict>,
    /// The places of the parts of the text in the decoded page, on request.
    pub spans: Vec<TextSpan>,
    /// The tables among the text as rows, on request.
    pub tables: Vec<DocumentTable>,
    /// The posts of several people on the page, on request.
    pub posts: Vec<Post>,
    /// The text in chunks for retrieval, on request.
    pub chunks: Vec<Chunk>,
    /// The digest of the payload that the archive states (`sha1:...`). No key: for [`Annotation`](crate::Annotation).
    #[serde(skip)]
    pub digest: Option<String>,
    /// Number of the links of the page. No key: for [`Annotation`](crate::Annotation).
    #[serde(skip)]
    pub links: u32,
}

/// The place of the archive record of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct RecordSource {
    /// The archive as it was named by the user; `-` for standard input.
    #[serde(deserialize_with = "shared")]
    pub file: Arc<str>,
    /// First stored byte of the record or of the compressed member that holds it.
    pub offset: u64,
    /// Stored bytes of the record or of that member.
    pub length: u64,
    /// Offset of the record in the member's plain bytes; 0 if the member holds only one record.
    #[serde(default)]
    pub inner: u64,
}

impl From<Document> for OutputRecord {
    /// The record of a page of whose capture nothing is known.
    fn from(document: Document) -> Self {
        let Metadata { author, published, modified, site, description, canonical, next, lang_declared } =
            document.metadata;
        let of_sites = document.by_sites.then(|| "site memory: fixed".to_owned());
        let notes: Vec<String> = document.notes.into_iter().chain(of_sites).collect();
        Self {
            notes: notes.join("; "),
            text: document.text,
            title: document.title,
            lang: document.lang,
            charset: document.charset,
            charset_source: document.charset_source,
            confidence: document.confidence,
            author,
            published,
            modified,
            site,
            description,
            canonical,
            next,
            lang_declared,
            rights: document.rights.to_string(),
            headings: document.headings,
            page_type: document.page_type,
            blocked: document.blocked.map_or("", BlockReason::name).to_owned(),
            comments: document.comments,
            capped: document.capped.join(", "),
            blocks: document.blocks,
            spans: document.spans,
            tables: document.tables,
            posts: document.posts,
            chunks: document.chunks,
            links: document.links,
            ..Self::default()
        }
    }
}

impl From<&Place> for RecordSource {
    fn from(place: &Place) -> Self {
        Self { file: place.file.clone(), offset: place.offset, length: place.length, inner: place.inner }
    }
}

impl RecordSource {
    /// The name of the archive without its folder or the rest of its URL.
    pub fn name(&self) -> &str {
        let path = match self.file.split_once("://") {
            Some((_, rest)) => rest.split(['?', '#']).next().unwrap_or(rest),
            None => &self.file,
        };
        path.rsplit(['/', '\\']).next().unwrap_or(path)
    }
}

fn shared<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<str>, D::Error> {
    String::deserialize(deserializer).map(Arc::from)
}

/// A value that may be missing, which is then written as that of its type that says nothing.
mod filled {
    use super::*;

    pub(super) fn serialize<T: Serialize + Default, S: Serializer>(
        value: &Option<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => value.serialize(serializer),
            None => T::default().serialize(serializer),
        }
    }

    pub(super) fn deserialize<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
    where
        T: Deserialize<'de> + Default + PartialEq,
        D: Deserializer<'de>,
    {
        Ok(Option::deserialize(deserializer)?.filter(|value| *value != T::default()))
    }
}

impl Serialize for RecordSource {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_struct("source", 5)?;
        map.serialize_field("name", self.name())?;
        map.serialize_field("file", &*self.file)?;
        map.serialize_field("offset", &self.offset)?;
        map.serialize_field("length", &self.length)?;
        map.serialize_field("inner", &self.inner)?;
        map.end()
    }
}

/// The namespace for object identifiers (RFC 9562, section 6.6).
const OID_NAMESPACE: [u8; 16] =
    [0x6b, 0xa7, 0xb8, 0x12, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8];

/// Makes a record id (`urn:uuid:` and a version 5 UUID) from `parts`: the same parts give the same id. It serves
/// records without an id (ARC) and the records of WET files.
pub fn record_id(parts: &[&str]) -> String {
    let namespace = uuid_v5(&OID_NAMESPACE, b"trommel record");
    // A unit separator keeps ["ab", "c"] apart from ["a", "bc"].
    let hex = HEXLOWER.encode(&uuid_v5(&namespace, parts.join("\u{1f}").as_bytes()));
    let groups = [0..8, 8..12, 12..16, 16..20, 20..32].map(|range| hex.get(range).unwrap_or_default());
    format!("urn:uuid:{}", groups.join("-"))
}

/// A UUID from the SHA-1 of a namespace and a name (RFC 9562, section 5.5).
// Two packages fewer than the crate `uuid`, whose SHA-1 is a second one.
fn uuid_v5(namespace: &[u8; 16], name: &[u8]) -> [u8; 16] {
    let digest: [u8; 20] = Sha1::new().chain_update(namespace).chain_update(name).finalize().into();
    let mut id = [0; 16];
    id.copy_from_slice(&digest[..16]);
    id[6] = id[6] & 0x0f | 0x50;
    id[8] = id[8] & 0x3f | 0x80;
    id
}

/// Records for tests of the formats.
#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use trommel_extract::{BlockSource, Decider, Role};

    /// A record with the fields that nearly every page has.
    pub(crate) fn record() -> OutputRecord {
        OutputRecord {
            id: "urn:uuid:6a0d5d4e-6b2f-4c7e-8f3a-0c9b0f1a2b3c".into(),
            url: Some("http://example.com/".into()),
            date: Some("2024-05-18T01:58:10Z".into()),
            text: "Zwei \"Zeilen\"\nStraße".into(),
            title: Some("Titel".into()),
            lang: Some("de".into()),
            charset: "utf-8".into(),
            charset_source: "meta".into(),
            confidence: 0.75,
            source: Some(source(0)),
            status: Some(200),
            ..OutputRecord::default()
        }
    }

    pub(crate) fn source(inner: u64) -> RecordSource {
        RecordSource { file: "a.warc.gz".into(), offset: 812, length: 3141, inner }
    }

    /// A record in which every key says something, each something else.
    pub(crate) fn full() -> OutputRecord {
        let some = |text: &str| Some(text.to_owned());
        OutputRecord {
            source: Some(source(7)),
            author: vec!["A".into(), "B".into()],
            published: some("2024-05-17"),
            modified: some("2024-05-18T01:00:00Z"),
            site: some("S"),
            description: some("D"),
            canonical: some("http://example.com/c"),
            next: some("http://example.com/2"),
            lang_declared: some("de-AT"),
            rights: "noai".into(),
            headings: vec!["Titel".into()],
            page_type: some("article"),
            blocked: "captcha".into(),
            comments: some("C"),
            truncated: some("length"),
            capped: "depth".into(),
            notes: "gzip body cut; x".into(),
            extractor: "dripper".into(),
            blocks: vec![
                BlockVerdict {
                    text: "a".into(),
                    start: 3,
                    end: 9,
                    tag: "p".into(),
                    path: "article>p".into(),
                    words: 1,
                    link_density: 0.5,
                    probability: 0.25,
                    kept: true,
                    role: Some(Role::Body),
                    source: BlockSource::Page,
                    by: Decider::NOTES,
                },
                BlockVerdict { text: "b".into(), start: 9, end: 12, ..BlockVerdict::default() },
            ],
            spans: vec![[0, 5, 3, 6].into(), [6, 7, 20, 30].into()],
            tables: vec![
                DocumentTable {
                    caption: "K".into(),
                    header_rows: 1,
                    rows: vec![vec!["x".into(), "y".into()], vec!["".into(), "1".into()]],
                },
                DocumentTable { rows: vec![vec!["z".into()]], ..DocumentTable::default() },
            ],
            posts: vec![
                Post { author: some("Ann"), published: some("2024-05-17"), text: "t".into() },
                Post { text: "u".into(), ..Post::default() },
            ],
            chunks: vec![
                Chunk {
                    id: "1f".into(),
                    text: "t".into(),
                    headings: vec!["H".into(), "I".into()],
                    roles: vec!["body".into()],
                    first_block: 1,
                    last_block: 2,
                    start: 0,
                    chars: 1,
                    byte: 3,
                    bytes: 6,
                },
                Chunk { text: "u".into(), ..Chunk::default() },
            ],
            ..record()
        }
    }

    #[test]
    fn no_key_of_the_full_record_is_empty() {
        let json = serde_json::to_value(full()).unwrap();
        for (key, value) in json.as_object().unwrap() {
            let empty = match value {
                serde_json::Value::Null => true,
                serde_json::Value::String(text) => text.is_empty(),
                serde_json::Value::Array(list) => list.is_empty(),
                _ => false,
            };
            assert!(!empty, "{key}");
        }
        assert_eq!(json.as_object().unwrap().len(), 33);
    }

    /// Keys and types of their values, those of objects inside as well.
    fn schema(value: &serde_json::Value) -> String {
        use serde_json::Value;
        match value {
            Value::Null => "null".into(),
            Value::Bool(_) => "bool".into(),
            Value::Number(number) if number.is_f64() => "float".into(),
            Value::Number(_) => "integer".into(),
            Value::String(_) => "string".into(),
            Value::Array(_) => "list".into(),
            Value::Object(keys) => {
                let keys = keys.iter().map(|(key, value)| format!("{key}: {}", schema(value)));
                format!("{{{}}}", keys.collect::<Vec<_>>().join(", "))
            }
        }
    }

    #[test]
    fn every_record_has_one_schema() {
        let of = |record: &OutputRecord| schema(&serde_json::to_value(record).unwrap());
        assert_eq!(of(&OutputRecord::default()), of(&full()));
        assert!(!of(&full()).contains("null"), "{}", of(&full()));
        let of = |block: &BlockVerdict| schema(&serde_json::to_value(block).unwrap());
        assert_eq!(of(&full().blocks[0]), of(&BlockVerdict::default()));
    }

    #[test]
    fn nothing_stays_nothing() {
        let json = serde_json::to_string(&OutputRecord::default()).unwrap();
        let back: OutputRecord = serde_json::from_str(&json).unwrap();
        assert_eq!(back, OutputRecord::default());
    }

    #[test]
    fn the_name_of_an_archive_has_no_folder() {
        for (file, name) in [
            ("a.warc.gz", "a.warc.gz"),
            ("/data/x/a.warc.gz", "a.warc.gz"),
            ("https://host/b/a.warc.gz?sig=1/2", "a.warc.gz"),
            ("s3://bucket/a.warc", "a.warc"),
            ("-", "-"),
        ] {
            let source = RecordSource { file: file.into(), ..source(0) };
            assert_eq!(source.name(), name);
        }
    }

    #[test]
    fn same_parts_same_id() {
        let id = record_id(&["conversion", "urn:uuid:1"]);
        assert_eq!(id, record_id(&["conversion", "urn:uuid:1"]));
        assert_ne!(id, record_id(&["conversion", "urn:uuid:2"]));
        assert_ne!(record_id(&["ab", "c"]), record_id(&["a", "bc"]));
        assert_eq!(id, "urn:uuid:f0621437-098e-529e-baae-528f826128a7");
    }

    #[test]
    fn the_example_of_the_standard() {
        // RFC 9562, appendix A.4: the namespace of domain names differs in one byte.
        let mut namespace = OID_NAMESPACE;
        namespace[3] = 0x10;
        let id = HEXLOWER.encode(&uuid_v5(&namespace, b"www.example.com"));
        assert_eq!(id, "2ed6657de927568b95e12665a8aea6a2");
    }
}
