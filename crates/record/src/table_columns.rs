//! Maps documents to rows of a table: a column for each key, and some computed columns.
//!
//! Dates in ISO 8601 become points in time, with their precision.

use std::sync::LazyLock;

use jiff::civil::{Date, DateTime};
use jiff::{Timestamp, Zoned, tz::TimeZone};
use trommel_extract::{Chunk, DocumentOptions};
use trommel_text::keys::{Field, Key, KeyType as _, Keyed as _, Objects, Shape, Value};
use trommel_text::words;

use crate::{Document, RecordSource};

/// Column of a table of documents, with its type and the function that returns a document's value.
pub type Column = Key<Document>;

/// Columns that are computed from a document, instead of being one of its keys.
static COMPUTED: [Column; 12] = [
    column("dump", Shape::Text, " The crawl named in the archive's path (`CC-MAIN-2024-22`).", |document| {
        text(document.source.as_ref().and_then(dump))
    }),
    column("file_path", Shape::Text, " `source.file`.", |document| {
        text(document.source.as_ref().map(|source| &*source.file))
    }),
    column("word_count", Shape::Long, " Number of words.", |document| {
        Value::Integer(words::count(&document.text).into())
    }),
    column("source_offset", Shape::Long, " `source.offset`.", |document| of_source(document, |source| source.offset)),
    column("source_length", Shape::Long, " `source.length`.", |document| of_source(document, |source| source.length)),
    column("source_inner", Shape::Long, " `source.inner`.", |document| of_source(document, |source| source.inner)),
    column("source_name", Shape::Text, " `source.name`.", |document| {
        text(document.source.as_ref().map(RecordSource::name))
    }),
    column("fetched_at", Shape::Time, " `date` in universal time.", |document| time(&document.date)),
    column(
        "published_at",
        Shape::Time,
        " Beginning of the time that `published` states, universal without an offset.",
        |document| time(&document.published),
    ),
    column("published_precision", Shape::Text, " `year`, `month`, `day`, `minute` or `second`.", |document| {
        precision(&document.published)
    }),
    column("modified_at", Shape::Time, " The same of `modified`.", |document| time(&document.modified)),
    column("modified_precision", Shape::Text, " The same.", |document| precision(&document.modified)),
];

const fn column(name: &'static str, shape: Shape, about: &'static str, value: fn(&Document) -> Value<'_>) -> Column {
    Key { field: Field { name, about, shape }, value }
}

fn text(text: Option<&str>) -> Value<'_> {
    text.map_or(Value::Missing, |text| Value::Text(text.into()))
}

fn of_source(document: &Document, number: fn(&RecordSource) -> u64) -> Value<'static> {
    let number = document.source.as_ref().and_then(|source| i64::try_from(number(source)).ok());
    number.map_or(Value::Missing, Value::Integer)
}

fn time(date: &Option<String>) -> Value<'static> {
    moment(date).map_or(Value::Missing, |moment| Value::Integer(moment.millisecond))
}

fn precision(date: &Option<String>) -> Value<'static> {
    text(moment(date).map(|moment| moment.precision))
}

fn moment(date: &Option<String>) -> Option<Moment> {
    Moment::of(date.as_deref()?)
}

/// Names of the first columns, which the FineWeb dataset also has. The names are those of the JSON keys (`lang` instead
/// of FineWeb's `language`), and the number of words replaces the number of tokens.
const FIRST: [&str; 8] = ["text", "id", "dump", "url", "date", "file_path", "lang", "word_count"];
/// Names of columns to move, each group with the name of the column before which it is placed.
const MOVED: [(&[&str], &str); 3] = [
    (&["confidence"], "comments"),
    (&["charset", "charset_source"], "status"),
    (&["source_offset", "source_length", "source_inner", "source_name"], "capped"),
];
/// Names of the last columns: dates as points in time, in addition to the dates as text.
const LAST: [&str; 5] = ["fetched_at", "published_at", "published_precision", "modified_at", "modified_precision"];

/// Columns of a table of documents in their order, without the optional ones.
pub static COLUMNS: LazyLock<Vec<&'static Column>> = LazyLock::new(|| {
    let is_placed = |name: &str| FIRST.contains(&name) || MOVED.iter().any(|(names, _)| names.contains(&name));
    let keys = Document::KEYS.iter().filter(|key| !matches!(key.field.shape, Shape::Object | Shape::Objects(_)));
    let keys = keys.map(|key| key.field.name).filter(|name| !is_placed(name)).flat_map(|name| {
        let before = MOVED.iter().filter(move |(_, key)| *key == name).flat_map(|(names, _)| names.iter().copied());
        before.chain([name])
    });
    let all = || Document::KEYS.iter().chain(&COMPUTED);
    let names = FIRST.into_iter().chain(keys).chain(LAST);
    names.filter_map(|name| all().find(|column| column.field.name == name)).collect()
});

/// Chunks of a document, each with the document's title and URL, so that a table of chunks needs no join.
#[derive(Debug)]
struct ChunksOfPage<'a>(&'a Document);

const OF_PAGE: [&str; 2] = ["title", "url"];

impl ChunksOfPage<'_> {
    fn fields() -> Vec<Field> {
        let of_page = |name: &&str| Document::fields().into_iter().find(|field| field.name == *name);
        let mut fields = Chunk::fields();
        fields.extend(OF_PAGE.iter().filter_map(of_page));
        fields
    }
}

impl Objects for ChunksOfPage<'_> {
    fn count(&self) -> usize {
        self.0.chunks.len()
    }

    fn value(&self, object: usize, key: usize) -> Value<'_> {
        match key.checked_sub(Chunk::KEYS.len()) {
            None => self
                .0
                .chunks
                .get(object)
                .zip(Chunk::KEYS.get(key))
                .map_or(Value::Missing, |(chunk, key)| (key.value)(chunk)),
            Some(0) => self.0.title.value(),
            Some(_) => self.0.url.value(),
        }
    }
}

/// Function that returns whether the options request a certain column.
type ColumnCondition = fn(&DocumentOptions) -> bool;

/// Names of the columns that exist only on request, and for each a test whether the options request it.
static OPTIONAL: [(&str, ColumnCondition); 5] = [
    ("blocks", |options| options.blocks),
    ("spans", |options| options.spans),
    ("tables", |options| options.tables),
    ("posts", |options| options.posts),
    ("chunks", |options| options.chunks.is_some()),
];

/// Column with the chunks of a document.
static CHUNKS: Column = column("chunks", Shape::Objects(ChunksOfPage::fields), "", |document| {
    Value::Objects(Box::new(ChunksOfPage(document)))
});

/// Set of the optional columns, such as blocks or spans, that a table has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OptionalColumns([bool; 5]);

impl OptionalColumns {
    /// Returns the optional columns of a table of documents made with these options.
    pub fn of(options: &DocumentOptions) -> Self {
        Self(OPTIONAL.map(|(_, asked)| asked(options)))
    }

    /// Returns the optional columns whose names pass the test `has`.
    pub fn named(has: impl Fn(&str) -> bool) -> Self {
        Self(OPTIONAL.map(|(name, _)| has(name)))
    }

    /// Returns the optional columns, in the order in which they follow [`COLUMNS`].
    pub fn columns(self) -> impl Iterator<Item = &'static Column> {
        let asked = self.0.into_iter().zip(OPTIONAL).filter_map(|(is_there, (name, _))| is_there.then_some(name));
        let all = || std::iter::once(&CHUNKS).chain(Document::KEYS);
        asked.filter_map(move |name| all().find(|column| column.field.name == name))
    }
}

/// Returns the name of the crawl (`CC-MAIN-2024-22`) in the path of a Common Crawl archive; `None` if there is none.
fn dump(source: &RecordSource) -> Option<&str> {
    let file = &*source.file;
    let name = file.get(file.find("CC-MAIN-")?..)?.get(..15)?;
    let (year, week) = name.strip_prefix("CC-MAIN-")?.split_once('-')?;
    let digits = |part: &str, length| part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
    (digits(year, 4) && digits(week, 2)).then_some(name)
}

/// First moment of a year, month, day, minute or second, in universal time. A date without an offset counts as
/// universal time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    /// Milliseconds from the start of 1970 to the moment.
    pub(crate) millisecond: i64,
    /// Precision of the date: `year`, `month`, `day`, `minute` or `second`.
    pub(crate) precision: &'static str,
}

impl Moment {
    /// Parses a date in one of the forms that documents contain: `2024`, `2024-05`, `2024-05-01`,
    /// `2024-05-01T12:00+02:00`.
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
            let source = RecordSource { file: file.into(), ..RecordSource::default() };
            dump(&source).map(str::to_owned)
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
