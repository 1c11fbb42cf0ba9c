//! Documents as rows of a table: the name and type of each column, and the place of its value in a document.
//!
//! Dates in ISO 8601 become points in time, with their precision.

use jiff::civil::{Date, DateTime};
use jiff::{Timestamp, Zoned, tz::TimeZone};
use trommel_extract::{BlockVerdict, Chunk, DocumentOptions, DocumentTable, Post, Role, TextSpan};
use trommel_text::words;

use crate::record_batch::{Column, ColumnValue, ListOf};
use crate::{OutputRecord, RecordSource};

static BLOCKS: ListOf<OutputRecord, BlockVerdict> = ListOf {
    items: |record| &record.blocks,
    fields: &[
        text("text", |block| Some(&block.text)),
        long("start", |block| Some(block.start.into())),
        long("end", |block| Some(block.end.into())),
        text("tag", |block| Some(&block.tag)),
        text("path", |block| Some(&block.path)),
        long("words", |block| Some(block.words.into())),
        float("link_density", |block| Some(block.link_density)),
        float("probability", |block| Some(block.probability)),
        column("kept", ColumnValue::Bool(|block| block.kept)),
        text("role", |block| Some(block.role.map_or("", Role::name))),
        text("source", |block| Some(block.source.name())),
        text("decider", |block| Some(block.by.name())),
    ],
    of_row: &[],
};

static SPANS: ListOf<OutputRecord, TextSpan> = ListOf {
    items: |record| &record.spans,
    fields: &[
        long("start", |span| Some(span.start.into())),
        long("chars", |span| Some(span.chars.into())),
        long("byte", |span| Some(span.byte.into())),
        long("bytes", |span| Some(span.bytes.into())),
    ],
    of_row: &[],
};

static TABLES: ListOf<OutputRecord, DocumentTable> = ListOf {
    items: |record| &record.tables,
    fields: &[
        text("caption", |table| Some(&table.caption)),
        long("header_rows", |table| Some(table.header_rows.into())),
        column("rows", ColumnValue::Rows(|table| &table.rows)),
    ],
    of_row: &[],
};

static POSTS: ListOf<OutputRecord, Post> = ListOf {
    items: |record| &record.posts,
    fields: &[
        text("author", |post| Some(post.author.as_deref().unwrap_or_default())),
        text("published", |post| Some(post.published.as_deref().unwrap_or_default())),
        text("text", |post| Some(&post.text)),
    ],
    of_row: &[],
};

static CHUNKS: ListOf<OutputRecord, Chunk> = ListOf {
    items: |record| &record.chunks,
    fields: &[
        text("id", |chunk| Some(&chunk.id)),
        text("text", |chunk| Some(&chunk.text)),
        column("headings", ColumnValue::List(|chunk| &chunk.headings)),
        column("roles", ColumnValue::List(|chunk| &chunk.roles)),
        long("first_block", |chunk| Some(chunk.first_block.into())),
        long("last_block", |chunk| Some(chunk.last_block.into())),
        long("start", |chunk| Some(chunk.start.into())),
        long("chars", |chunk| Some(chunk.chars.into())),
        long("byte", |chunk| Some(chunk.byte.into())),
        long("bytes", |chunk| Some(chunk.bytes.into())),
    ],
    // So that a table of chunks needs no join.
    of_row: &[
        text("title", |record| Some(record.title.as_deref().unwrap_or_default())),
        text("url", |record| Some(record.url.as_deref().unwrap_or_default())),
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

/// The columns in order: first those that FineWeb has, too, then ours. They are named as the keys of JSON are (`lang`,
/// FineWeb's `language`), and there is the number of words in place of tokens. The last five are dates as points in
/// time, beside the texts that archives and pages have.
pub const COLUMNS: [Column; 39] = [
    text("text", |record| Some(&record.text)),
    text("id", |record| Some(&record.id)),
    text("dump", dump),
    text("url", |record| record.url.as_deref()),
    text("date", |record| record.date.as_deref()),
    text("file_path", |record| record.source.as_ref().map(|source| &*source.file)),
    text("lang", |record| record.lang.as_deref()),
    long("word_count", |record| Some(i64::from(words::count(&record.text)))),
    text("title", |record| record.title.as_deref()),
    column("author", ColumnValue::List(|record| &record.author)),
    text("published", |record| record.published.as_deref()),
    text("modified", |record| record.modified.as_deref()),
    text("site", |record| record.site.as_deref()),
    text("description", |record| record.description.as_deref()),
    text("canonical", |record| record.canonical.as_deref()),
    text("next", |record| record.next.as_deref()),
    text("lang_declared", |record| record.lang_declared.as_deref()),
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
    text("extractor", |record| filled(&record.extractor)),
    column("fetched_at", ColumnValue::Time(|record| Some(Moment::of(record.date.as_deref()?)?.millisecond))),
    column("published_at", ColumnValue::Time(|record| Some(published(record)?.millisecond))),
    text("published_precision", |record| Some(published(record)?.precision)),
    column("modified_at", ColumnValue::Time(|record| Some(modified(record)?.millisecond))),
    text("modified_precision", |record| Some(modified(record)?.precision)),
];

fn published(record: &OutputRecord) -> Option<Moment> {
    Moment::of(record.published.as_deref()?)
}

fn modified(record: &OutputRecord) -> Option<Moment> {
    Moment::of(record.modified.as_deref()?)
}

fn filled(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

pub(crate) const fn column<R>(name: &'static str, value: ColumnValue<R>) -> Column<R> {
    Column::new(name, value)
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
