//! Finds the page to inspect.

use std::io::stdin;
use std::path::Path;

use anyhow::{Context, bail};
use trommel::archive::{PayloadOptions, ReadOptions, Reader, Record, RecordType, payload};
use trommel::run::crawl_charset;

use crate::page;

/// The bytes of a page, and facts about it from outside.
#[derive(Debug)]
pub struct InspectedPage {
    /// The page.
    pub bytes: Vec<u8>,
    /// Its URL.
    pub url: Option<String>,
    /// `charset` of the HTTP Content-Type header.
    pub http_charset: Option<String>,
    /// The crawl's own detection.
    pub crawl_charset: Option<String>,
    /// Time of the capture.
    pub date: Option<String>,
}

impl InspectedPage {
    /// The page in a file; `-` is standard input.
    ///
    /// # Errors
    /// If it cannot be read, or is a WARC archive.
    pub fn page(file: &str) -> anyhow::Result<Self> {
        let bytes = page::read(file)?;
        Ok(Self { bytes, url: None, http_charset: None, crawl_charset: None, date: None })
    }

    /// The page in the record of an archive that has this id, or this offset in the stored file;
    /// `-` is standard input.
    ///
    /// # Errors
    /// If the archive cannot be read, has no such record, or the record holds no page.
    pub fn record(file: &str, wanted: &str) -> anyhow::Result<Self> {
        let options = ReadOptions::default();
        let mut reader = match file {
            "-" => Reader::new("standard input", stdin(), options)?,
            file => Reader::open(Path::new(file), options)?,
        };
        let mut other = None;
        while let Some(item) = reader.next() {
            let record = match item {
                Ok(record) => record,
                Err(error) if error.is_fatal() => return Err(error.into()),
                Err(error) => {
                    tracing::warn!("{error}");
                    continue;
                }
            };
            if !is(&record, wanted) {
                continue;
            }
            // Records of one compressed member have one offset: the page may not be the first.
            if matches!(record.kind, RecordType::Response | RecordType::Resource) {
                return Self::of(record, reader.next().and_then(Result::ok).as_ref());
            }
            other = Some(record.kind);
        }
        match other {
            Some(kind) => bail!("{file}: record {wanted} is of type {kind}, which is no page"),
            None => bail!("{file}: no record {wanted}"),
        }
    }

    fn of(record: Record, next: Option<&Record>) -> anyhow::Result<Self> {
        let crawl_charset = next.and_then(|next| crawl_charset(&record, next));
        let payload = payload(&record, &PayloadOptions::default()).with_context(|| record.place.to_string())?;
        Ok(Self {
            url: record.url().map(str::to_owned),
            http_charset: payload.charset().map(str::to_owned),
            crawl_charset,
            date: record.date().map(str::to_owned),
            bytes: payload.body.into_owned(),
        })
    }
}

fn is(record: &Record, wanted: &str) -> bool {
    let id = wanted.trim_matches(['<', '>']);
    record.id() == Some(id) || wanted.parse() == Ok(record.place.offset)
}
