//! Documents as rows of a table: the name of each column, its type, and where the value stands in a document.

use trommel_text::words;

use trommel_extract::DocumentOptions;

use crate::{OutputRecord, RecordSource};

/// A column and how its values are taken from a document.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its type, and where its values stand.
    pub value: ColumnValue,
}

/// The value of a column, none where the document has none.
#[derive(Clone, Copy, Debug)]
pub enum ColumnValue {
    /// Text in UTF-8.
    Text(fn(&OutputRecord) -> Option<&str>),
    /// A list of texts, never null.
    List(fn(&OutputRecord) -> &[String]),
    /// A number of 32 bits.
    Int(fn(&OutputRecord) -> Option<i32>),
    /// A number of 64 bits.
    Long(fn(&OutputRecord) -> Option<i64>),
    /// A number of single precision.
    Float(fn(&OutputRecord) -> Option<f32>),
    /// [`OutputRecord::blocks`], a list of structures, never null.
    Blocks,
    /// [`OutputRecord::spans`], a list of structures, never null.
    Spans,
    /// [`OutputRecord::tables`], a list of structures, never null.
    Tables,
    /// [`OutputRecord::posts`], a list of structures, never null.
    Posts,
}

const BLOCKS: Column = column("blocks", ColumnValue::Blocks);
const SPANS: Column = column("spans", ColumnValue::Spans);
const TABLES: Column = column("tables", ColumnValue::Tables);
const POSTS: Column = column("posts", ColumnValue::Posts);

/// Which columns there are that are only where they are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OptionalColumns {
    /// All blocks of the page, kept or not.
    pub blocks: bool,
    /// Where the parts of the text stand in the decoded page.
    pub spans: bool,
    /// The tables among the text as rows.
    pub tables: bool,
    /// What each of several people wrote on the page.
    pub posts: bool,
}

impl OptionalColumns {
    /// Those of documents made with these options.
    pub fn of(options: &DocumentOptions) -> Self {
        Self {
            blocks: options.blocks,
            spans: options.spans,
            tables: options.tables,
            posts: options.posts,
        }
    }

    /// The columns, which follow [`COLUMNS`].
    pub fn columns(self) -> impl Iterator<Item = &'static Column> {
        let blocks = self.blocks.then_some(&BLOCKS);
        let spans = self.spans.then_some(&SPANS);
        let tables = self.tables.then_some(&TABLES);
        let posts = self.posts.then_some(&POSTS);
        [blocks, spans, tables, posts].into_iter().flatten()
    }
}

/// The columns in order: first those of FineWeb, then ours. FineWeb's `language_score` is null, as our
/// detector gives none; its `token_count` is the number of words here.
pub const COLUMNS: [Column; 33] = [
    text("text", |record| Some(&record.text)),
    text("id", |record| Some(&record.id)),
    text("dump", dump),
    text("url", |record| record.url.as_deref()),
    text("date", |record| record.date.as_deref()),
    text("file_path", |record| {
        record.source.as_ref().map(|source| &*source.file)
    }),
    text("language", |record| record.lang.as_deref()),
    column("language_score", ColumnValue::Float(|_| None)),
    column(
        "token_count",
        ColumnValue::Long(|record| Some(i64::from(words::count(&record.text)))),
    ),
    text("title", |record| record.title.as_deref()),
    column(
        "author",
        ColumnValue::List(|record| &record.metadata.author),
    ),
    text("published", |record| record.metadata.published.as_deref()),
    text("modified", |record| record.metadata.modified.as_deref()),
    text("site", |record| record.metadata.site.as_deref()),
    text("description", |record| {
        record.metadata.description.as_deref()
    }),
    text("canonical", |record| record.metadata.canonical.as_deref()),
    text("next", |record| record.metadata.next.as_deref()),
    text("lang_declared", |record| {
        record.metadata.lang_declared.as_deref()
    }),
    column("headings", ColumnValue::List(|record| &record.headings)),
    text("page_type", |record| record.page_type.as_deref()),
    text("blocked", |record| filled(&record.blocked)),
    column(
        "confidence",
        ColumnValue::Float(|record| Some(record.confidence)),
    ),
    text("comments", |record| record.comments.as_deref()),
    text("charset", |record| Some(&record.charset)),
    text("charset_source", |record| Some(&record.charset_source)),
    column(
        "status",
        ColumnValue::Int(|record| record.status.map(i32::from)),
    ),
    text("truncated", |record| record.truncated.as_deref()),
    long("source_offset", |record| {
        i64::try_from(record.source.as_ref()?.offset).ok()
    }),
    long("source_length", |record| {
        i64::try_from(record.source.as_ref()?.length).ok()
    }),
    long("source_inner", |record| {
        i64::try_from(record.source.as_ref()?.inner).ok()
    }),
    text("source_name", |record| {
        record.source.as_ref().map(RecordSource::name)
    }),
    text("capped", |record| filled(&record.capped)),
    text("notes", |record| filled(&record.notes)),
];

fn filled(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

const fn column(name: &'static str, value: ColumnValue) -> Column {
    Column { name, value }
}

const fn text(name: &'static str, value: fn(&OutputRecord) -> Option<&str>) -> Column {
    column(name, ColumnValue::Text(value))
}

const fn long(name: &'static str, value: fn(&OutputRecord) -> Option<i64>) -> Column {
    column(name, ColumnValue::Long(value))
}

/// The crawl that Common Crawl's paths name (`CC-MAIN-2024-22`).
fn dump(record: &OutputRecord) -> Option<&str> {
    let file = &*record.source.as_ref()?.file;
    let name = file.get(file.find("CC-MAIN-")?..)?.get(..15)?;
    let (year, week) = name.strip_prefix("CC-MAIN-")?.split_once('-')?;
    let digits =
        |part: &str, length| part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
    (digits(year, 4) && digits(week, 2)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crawl_is_read_off_the_path() {
        let dump_of = |file: &str| {
            let record = OutputRecord {
                source: Some(RecordSource {
                    file: file.into(),
                    offset: 0,
                    length: 0,
                    inner: 0,
                }),
                ..OutputRecord::default()
            };
            dump(&record).map(str::to_owned)
        };
        let path = "crawl-data/CC-MAIN-2024-22/segments/1/warc/CC-MAIN-20240517233122-x.warc.gz";
        assert_eq!(dump_of(path).as_deref(), Some("CC-MAIN-2024-22"));
        assert_eq!(dump_of("CC-MAIN-20240517233122-x.warc.gz"), None);
        assert_eq!(dump_of("a.warc.gz"), None);
    }
}
