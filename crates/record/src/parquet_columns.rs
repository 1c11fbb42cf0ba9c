//! Documents as rows of a table: the name and type of each column, and the place of its value in a document.
//!
//! Dates in ISO 8601 become points in time, with their precision.

use jiff::civil::{Date, DateTime};
use jiff::{Timestamp, Zoned, tz::TimeZone};
use trommel_extract::{DocumentOptions, Role};
use trommel_text::words;

use crate::{OutputRecord, RecordSource};

/// A column and how its values are taken from a row.
#[derive(Debug)]
pub struct Column<R: 'static = OutputRecord> {
    /// Its name.
    pub name: &'static str,
    /// Its type, and where its values stand.
    pub value: ColumnValue<R>,
}

/// The value of a column, none where the document has none.
#[derive(Debug)]
pub enum ColumnValue<R: 'static = OutputRecord> {
    /// Text in UTF-8.
    Text(fn(&R) -> Option<&str>),
    /// A list of texts, never null.
    List(fn(&R) -> &[String]),
    /// A number of 32 bits.
    Int(fn(&R) -> Option<i32>),
    /// A number of 64 bits.
    Long(fn(&R) -> Option<i64>),
    /// Milliseconds since 1970.
    Time(fn(&R) -> Option<i64>),
    /// A number of single precision.
    Float(fn(&R) -> Option<f32>),
    /// A list of structures, never null.
    Structures(&'static Structures<R>),
}

/// A column of lists of structures.
#[derive(Debug)]
pub struct Structures<R: 'static = OutputRecord> {
    /// The number of values of a document.
    pub count: fn(&R) -> usize,
    /// Their fields, in order; none is null.
    pub fields: &'static [StructureField<R>],
}

/// A field of structures.
#[derive(Debug)]
pub struct StructureField<R: 'static = OutputRecord> {
    /// Its name.
    pub name: &'static str,
    /// Its type, and where its values stand.
    pub value: FieldValue<R>,
}

/// The value of a field in the structure at an index of a document's list.
#[derive(Debug)]
pub enum FieldValue<R: 'static = OutputRecord> {
    /// Text in UTF-8.
    Text(fn(&R, usize) -> &str),
    /// A whole number, in 64 bits.
    Long(fn(&R, usize) -> u32),
    /// A number of single precision.
    Float(fn(&R, usize) -> f32),
    /// Yes or no.
    Bool(fn(&R, usize) -> bool),
    /// A list of texts.
    List(fn(&R, usize) -> &[String]),
    /// Rows of cells.
    Rows(fn(&R, usize) -> &[Vec<String>]),
}

/// Describes the structures of a list of [`OutputRecord`]: name and type of each field, its value, and the placeholder
/// past the end of the list.
macro_rules! structures {
    ($list:ident: $($name:literal $kind:ident |$item:ident| $value:expr, $none:expr;)*) => {
        Structures {
            count: |record| record.$list.len(),
            fields: &[$(StructureField {
                name: $name,
                value: FieldValue::$kind(|record, at| record.$list.get(at).map_or($none, |$item| $value)),
            }),*],
        }
    };
}

static BLOCKS: Structures = structures! { blocks:
    "text" Text |block| block.text.as_str(), "";
    "start" Long |block| block.start, 0;
    "end" Long |block| block.end, 0;
    "tag" Text |block| block.tag.as_str(), "";
    "path" Text |block| block.path.as_str(), "";
    "words" Long |block| block.words, 0;
    "link_density" Float |block| block.link_density, 0.0;
    "probability" Float |block| block.probability, 0.0;
    "kept" Bool |block| block.kept, false;
    "role" Text |block| block.role.map_or("", Role::name), "";
    "source" Text |block| block.source.name(), "";
    "by" Text |block| block.by.name(), "";
};

static SPANS: Structures = structures! { spans:
    "start" Long |span| span.start, 0;
    "chars" Long |span| span.chars, 0;
    "byte" Long |span| span.byte, 0;
    "bytes" Long |span| span.bytes, 0;
};

static TABLES: Structures = structures! { tables:
    "caption" Text |table| table.caption.as_str(), "";
    "header_rows" Long |table| table.header_rows, 0;
    "rows" Rows |table| table.rows.as_slice(), &[];
};

static POSTS: Structures = structures! { posts:
    "author" Text |post| post.author.as_deref().unwrap_or_default(), "";
    "published" Text |post| post.published.as_deref().unwrap_or_default(), "";
    "text" Text |post| post.text.as_str(), "";
};

/// Describes a field of chunks.
macro_rules! of_chunks {
    ($name:literal $kind:ident |$chunk:ident| $value:expr, $none:expr) => {
        StructureField {
            name: $name,
            value: FieldValue::$kind(|record, at| record.chunks.get(at).map_or($none, |$chunk| $value)),
        }
    };
}

static CHUNKS: Structures = Structures {
    count: |record| record.chunks.len(),
    fields: &[
        of_chunks!("id" Text |chunk| chunk.id.as_str(), ""),
        of_chunks!("text" Text |chunk| chunk.text.as_str(), ""),
        of_chunks!("headings" List |chunk| chunk.headings.as_slice(), &[]),
        of_chunks!("roles" List |chunk| chunk.roles.as_slice(), &[]),
        of_chunks!("first_block" Long |chunk| chunk.first_block, 0),
        of_chunks!("last_block" Long |chunk| chunk.last_block, 0),
        of_chunks!("start" Long |chunk| chunk.start, 0),
        of_chunks!("chars" Long |chunk| chunk.chars, 0),
        of_chunks!("byte" Long |chunk| chunk.byte, 0),
        of_chunks!("bytes" Long |chunk| chunk.bytes, 0),
        // Of the page, so that a table of chunks needs no join.
        StructureField {
            name: "title",
            value: FieldValue::Text(|record, _| record.title.as_deref().unwrap_or_default()),
        },
        StructureField { name: "url", value: FieldValue::Text(|record, _| record.url.as_deref().unwrap_or_default()) },
    ],
};

/// Tells whether options ask for a column.
type ColumnCondition = fn(&DocumentOptions) -> bool;

/// The columns that are only where they are asked for, and which options ask for them.
static OPTIONAL: [(Column, ColumnCondition); 5] = [
    (column("blocks", ColumnValue::Structures(&BLOCKS)), |options| options.blocks),
    (column("spans", ColumnValue::Structures(&SPANS)), |options| options.spans),
    (column("tables", ColumnValue::Structures(&TABLES)), |options| options.tables),
    (column("posts", ColumnValue::Structures(&POSTS)), |options| options.posts),
    (column("chunks", ColumnValue::Structures(&CHUNKS)), |options| options.chunks.is_some()),
];

/// The optional columns, which exist only on request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OptionalColumns([bool; 5]);

impl OptionalColumns {
    /// The optional columns of documents made with these options.
    pub fn of(options: &DocumentOptions) -> Self {
        let mut optional_columns = Self::default();
        for (is_there, (_, asked)) in optional_columns.0.iter_mut().zip(&OPTIONAL) {
            *is_there = asked(options);
        }
        optional_columns
    }

    /// The optional columns whose names pass.
    pub fn named(has: impl Fn(&str) -> bool) -> Self {
        let mut optional_columns = Self::default();
        for (is_there, (column, _)) in optional_columns.0.iter_mut().zip(&OPTIONAL) {
            *is_there = has(column.name);
        }
        optional_columns
    }

    /// The columns, which follow [`COLUMNS`].
    pub fn columns(self) -> impl Iterator<Item = &'static Column> {
        let all = self.0.into_iter().zip(&OPTIONAL);
        all.filter_map(|(is_there, (column, _))| is_there.then_some(column))
    }
}

/// The columns in order: first those of FineWeb, then ours. FineWeb's `language_score` is null, as our
/// detector gives none. Instead of its `token_count` there is the number of words. The last five are dates as points in
/// time, beside the texts that archives and pages have.
pub const COLUMNS: [Column; 40] = [
    text("text", |record| Some(&record.text)),
    text("id", |record| Some(&record.id)),
    text("dump", dump),
    text("url", |record| record.url.as_deref()),
    text("date", |record| record.date.as_deref()),
    text("file_path", |record| record.source.as_ref().map(|source| &*source.file)),
    text("language", |record| record.lang.as_deref()),
    float("language_score", |_| None),
    long("word_count", |record| Some(i64::from(words::count(&record.text)))),
    text("title", |record| record.title.as_deref()),
    column("author", ColumnValue::List(|record| &record.metadata.author)),
    text("published", |record| record.metadata.published.as_deref()),
    text("modified", |record| record.metadata.modified.as_deref()),
    text("site", |record| record.metadata.site.as_deref()),
    text("description", |record| record.metadata.description.as_deref()),
    text("canonical", |record| record.metadata.canonical.as_deref()),
    text("next", |record| record.metadata.next.as_deref()),
    text("lang_declared", |record| record.metadata.lang_declared.as_deref()),
    text("rights", |record| filled(&record.rights)),
    column("headings", ColumnValue::List(|record| &record.headings)),
    text("page_type", |record| record.page_type.as_deref()),
    text("blocked", |record| filled(&record.blocked)),
    float("confidence", |record| Some(record.confidence)),
    text("comments", |record| record.comments.as_deref()),
    text("charset", |record| Some(&record.charset)),
    text("charset_source", |record| Some(&record.charset_source)),
    int("status", |record| record.status.map(i32::from)),
    text("truncated", |record| record.truncated.as_deref()),
    long("source_offset", |record| i64::try_from(record.source.as_ref()?.offset).ok()),
    long("source_length", |record| i64::try_from(record.source.as_ref()?.length).ok()),
    long("source_inner", |record| i64::try_from(record.source.as_ref()?.inner).ok()),
    text("source_name", |record| record.source.as_ref().map(RecordSource::name)),
    text("capped", |record| filled(&record.capped)),
    text("notes", |record| filled(&record.notes)),
    text("by", |record| filled(&record.by)),
    column("fetched_at", ColumnValue::Time(|record| Some(Moment::of(record.date.as_deref()?)?.millisecond))),
    column("published_at", ColumnValue::Time(|record| Some(published(record)?.millisecond))),
    text("published_precision", |record| Some(published(record)?.precision)),
    column("modified_at", ColumnValue::Time(|record| Some(modified(record)?.millisecond))),
    text("modified_precision", |record| Some(modified(record)?.precision)),
];

fn published(record: &OutputRecord) -> Option<Moment> {
    Moment::of(record.metadata.published.as_deref()?)
}

fn modified(record: &OutputRecord) -> Option<Moment> {
    Moment::of(record.metadata.modified.as_deref()?)
}

fn filled(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

pub(crate) const fn column<R>(name: &'static str, value: ColumnValue<R>) -> Column<R> {
    Column { name, value }
}

pub(crate) const fn text<R>(name: &'static str, value: fn(&R) -> Option<&str>) -> Column<R> {
    column(name, ColumnValue::Text(value))
}

pub(crate) const fn int<R>(name: &'static str, value: fn(&R) -> Option<i32>) -> Column<R> {
    column(name, ColumnValue::Int(value))
}

pub(crate) const fn long<R>(name: &'static str, value: fn(&R) -> Option<i64>) -> Column<R> {
    column(name, ColumnValue::Long(value))
}

pub(crate) const fn float<R>(name: &'static str, value: fn(&R) -> Option<f32>) -> Column<R> {
    column(name, ColumnValue::Float(value))
}

/// The crawl that Common Crawl's paths name (`CC-MAIN-2024-22`).
fn dump(record: &OutputRecord) -> Option<&str> {
    let file = &*record.source.as_ref()?.file;
    let name = file.get(file.find("CC-MAIN-")?..)?.get(..15)?;
    let (year, week) = name.strip_prefix("CC-MAIN-")?.split_once('-')?;
    let digits = |part: &str, length| part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
    (digits(year, 4) && digits(week, 2)).then_some(name)
}

/// The begin of a year, month, day or second in universal time. A date without an offset counts as universal time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    /// Milliseconds since 1970.
    pub(crate) millisecond: i64,
    /// `year`, `month`, `day`, `minute` or `second`.
    pub(crate) precision: &'static str,
}

impl Moment {
    /// The moment of a date as documents have it: `2024`, `2024-05`, `2024-05-01`, `2024-05-01T12:00+02:00`.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let Some((date, time)) = text.split_once(['T', ' ']) else {
            let (whole, precision) = match text.len() {
                4 => (format!("{text}-01-01"), "year"),
                7 => (format!("{text}-01"), "month"),
                _ => (text.to_owned(), "day"),
            };
            return Self::at(whole.parse::<Date>().ok()?.to_datetime(jiff::civil::Time::midnight()), precision);
        };
        let clock = time.split(['+', '-', 'Z', 'z']).next().unwrap_or_default();
        let precision = if clock.matches(':').count() > 1 { "second" } else { "minute" };
        if clock.len() == time.len() {
            return Self::at(format!("{date}T{time}").parse::<DateTime>().ok()?, precision);
        }
        let instant = format!("{date}T{time}").parse::<Timestamp>().ok()?;
        Some(Self { millisecond: instant.as_millisecond(), precision })
    }

    fn at(time: DateTime, precision: &'static str) -> Option<Self> {
        let zoned: Zoned = time.to_zoned(TimeZone::UTC).ok()?;
        Some(Self { millisecond: zoned.timestamp().as_millisecond(), precision })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crawl_is_read_off_the_path() {
        let dump_of = |file: &str| {
            let record = OutputRecord {
                source: Some(RecordSource { file: file.into(), offset: 0, length: 0, inner: 0 }),
                ..OutputRecord::default()
            };
            dump(&record).map(str::to_owned)
        };
        let path = "crawl-data/CC-MAIN-2024-22/segments/1/warc/CC-MAIN-20240517233122-x.warc.gz";
        assert_eq!(dump_of(path).as_deref(), Some("CC-MAIN-2024-22"));
        assert_eq!(dump_of("CC-MAIN-20240517233122-x.warc.gz"), None);
        assert_eq!(dump_of("a.warc.gz"), None);
    }

    #[test]
    fn dates_have_the_precision_that_they_state() {
        let moment = |text: &str| Moment::of(text).map(|moment| (moment.millisecond / 1000, moment.precision));
        let day = 1_714_521_600;
        assert_eq!(moment("2024"), Some((1_704_067_200, "year")));
        assert_eq!(moment("2024-05"), Some((day, "month")));
        assert_eq!(moment("2024-05-01"), Some((day, "day")));
        assert_eq!(moment("2024-05-01T12:00"), Some((day + 43_200, "minute")));
        assert_eq!(moment("2024-05-01T12:00+02:00"), Some((day + 36_000, "minute")));
        assert_eq!(moment("2024-05-01T12:00:07Z"), Some((day + 43_207, "second")));
        assert_eq!(moment("2024-05-01T12:00:07.250-01:00"), Some((day + 46_807, "second")));
        for wrong in ["", "x", "2024-13", "2024-05-01T", "2024-05-01T25:00", "\u{e4}\u{e4}"] {
            assert_eq!(moment(wrong), None, "{wrong}");
        }
    }
}
