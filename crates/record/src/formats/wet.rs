//! Encodes documents as WET: WARC conversion records as in Common Crawl. Some readers count lines, so the order of the
//! fields is fixed.

use data_encoding::BASE32;
use isolang::Language;
use jiff::Timestamp;
use sha1::{Digest, Sha1};
use trommel_archive::write::{gzip_member, write_record};

use crate::formats::search_engines::{URL_LENGTH, one_line, titled_text, url};
use crate::{Document, Encode, OutputError, OutputHead, record_id};

const VERSION: &str = "WARC/1.0";

/// Names of fields that are copied from the source archive's warcinfo record to that of the WET file.
const COPIED_FIELDS: [&str; 5] = ["robots", "isPartOf", "operator", "description", "publisher"];

/// Encoder of WET files: WARC conversion records that contain the title (if there is one) on the first line, and the
/// text. Documents without text are left out.
#[derive(Clone, Copy, Debug)]
pub struct Wet {
    /// True to write each record as a gzip member; false to write records without compression.
    pub gzip: bool,
}

impl Wet {
    fn append(self, headers: &[(&str, &str)], block: &[u8], out: &mut Vec<u8>) -> Result<(), OutputError> {
        if self.gzip {
            let mut plain = Vec::with_capacity(block.len() + 512);
            write_record(&mut plain, VERSION, headers, block)?;
            out.extend_from_slice(&gzip_member(&plain, 6)?);
        } else {
            write_record(out, VERSION, headers, block)?;
        }
        Ok(())
    }
}

impl Encode for Wet {
    fn head(&self, head: &OutputHead<'_>, out: &mut Vec<u8>) -> Result<(), OutputError> {
        let made = head.epoch.and_then(|epoch| Timestamp::from_second(epoch).ok());
        let mut info = format!("Software-Info: trommel/{}\r\n", env!("CARGO_PKG_VERSION"));
        if let Some(made) = made {
            let made = made.strftime("%a, %d %b %Y %H:%M:%S GMT");
            info.push_str(&format!("Extracted-Date: {made}\r\n"));
        }
        let source = String::from_utf8_lossy(head.info.unwrap_or_default());
        for name in COPIED_FIELDS {
            let value = source.lines().find_map(|line| {
                let (key, value) = line.split_once(':')?;
                key.trim().eq_ignore_ascii_case(name).then(|| value.trim())
            });
            if let Some(value) = value {
                info.push_str(&format!("{name}: {value}\r\n"));
            }
        }
        let date = match (made, head.date) {
            (Some(made), _) => made.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            (None, Some(date)) => seconds(date),
            (None, None) => "1970-01-01T00:00:00Z".to_owned(),
        };
        let name = one_line(head.name);
        let id = format!("<{}>", record_id(&["warcinfo", &name]));
        let headers = [
            ("WARC-Type", "warcinfo"),
            ("WARC-Date", &date),
            ("WARC-Filename", &name),
            ("WARC-Record-ID", &id),
            ("Content-Type", "application/warc-fields"),
        ];
        self.append(&headers, info.as_bytes(), out)
    }

    fn record(&self, record: &Document, out: &mut Vec<u8>) -> Result<bool, OutputError> {
        if record.text.is_empty() {
            return Ok(false);
        }
        let text = titled_text(record);

        let url = url(record);
        let date = record.date.as_deref().map(seconds);
        let source_id = one_line(&record.id);
        let id = format!("<{}>", record_id(&["conversion", &source_id]));
        let refers_to = format!("<{source_id}>");
        let digest = format!("sha1:{}", BASE32.encode(&Sha1::digest(text.as_bytes())));
        let language = record.lang.as_deref().and_then(language);
        let mut headers = vec![("WARC-Type", "conversion")];
        headers.extend(url.as_ref().map(|(url, _)| ("WARC-Target-URI", url.as_str())));
        headers.extend(date.as_deref().map(|date| ("WARC-Date", date)));
        headers.extend([
            ("WARC-Record-ID", id.as_str()),
            ("WARC-Refers-To", &refers_to),
            ("WARC-Block-Digest", &digest),
        ]);
        headers.extend(language.map(|language| ("WARC-Identified-Content-Language", language)));
        let length = url.as_ref().and_then(|(_, length)| *length).map(|bytes| bytes.to_string());
        headers.extend(length.as_deref().map(|length| (URL_LENGTH, length)));
        headers.push(("Content-Type", "text/plain"));
        self.append(&headers, text.as_bytes(), out)?;
        Ok(true)
    }
}

/// Converts an ISO 639-1 or 639-3 code of a language to its ISO 639-3 code; `None` for an unknown code.
fn language(code: &str) -> Option<&'static str> {
    Language::from_639_1(code).or_else(|| Language::from_639_3(code)).map(|language| language.to_639_3())
}

/// Removes the fraction of a second from a WARC 1.1 date; other dates stay unchanged.
fn seconds(date: &str) -> String {
    match date.split_once('.') {
        Some((whole, fraction)) if fraction.ends_with('Z') => format!("{whole}Z"),
        _ => one_line(date),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record_id::tests::{record, written};
    use std::io::Read;

    const PLAIN: Wet = Wet { gzip: false };

    #[test]
    fn a_long_url_is_cut_with_a_note() {
        let record = Document { url: Some(format!("http://e/{}", "x".repeat(10_000))), ..record() };
        let out = written(&PLAIN, &record).unwrap();
        assert!(out.lines().all(|line| line.len() < 8300));
        assert!(out.contains("\r\nX-URL-Length: 10009\r\n"), "{out}");
    }

    #[test]
    fn a_record_is_exactly_that_of_common_crawl() {
        let record = record();
        let text = "Titel\nZwei \"Zeilen\"\nStraße";
        let expected = format!(
            "WARC/1.0\r\n\
             WARC-Type: conversion\r\n\
             WARC-Target-URI: http://example.com/\r\n\
             WARC-Date: 2024-05-18T01:58:10Z\r\n\
             WARC-Record-ID: <{}>\r\n\
             WARC-Refers-To: <urn:uuid:6a0d5d4e-6b2f-4c7e-8f3a-0c9b0f1a2b3c>\r\n\
             WARC-Block-Digest: sha1:{}\r\n\
             WARC-Identified-Content-Language: deu\r\n\
             Content-Type: text/plain\r\n\
             Content-Length: {}\r\n\
             \r\n\
             {text}\r\n\r\n",
            record_id(&["conversion", &record.id]),
            BASE32.encode(&Sha1::digest(text)),
            text.len(),
        );
        assert_eq!(written(&PLAIN, &record).unwrap(), expected);
    }

    #[test]
    fn members_are_single_and_repeatable() {
        let record = record();
        let (mut plain, mut one, mut two) = (Vec::new(), Vec::new(), Vec::new());
        PLAIN.record(&record, &mut plain).unwrap();
        let wet = Wet { gzip: true };
        wet.record(&record, &mut one).unwrap();
        wet.record(&record, &mut two).unwrap();
        assert_eq!(one, two);
        let mut decoder = flate2::bufread::GzDecoder::new(one.as_slice());
        let mut read = Vec::new();
        decoder.read_to_end(&mut read).unwrap();
        assert_eq!(read, plain);
        assert!(decoder.into_inner().is_empty());
    }

    #[test]
    fn no_text_no_record() {
        let record = Document { text: String::new(), ..record() };
        assert_eq!(written(&PLAIN, &record), None);
    }

    #[test]
    fn values_stay_on_their_line() {
        let record = Document {
            title: Some("A\nB".into()),
            lang: Some("xx".into()),
            url: Some("http://example.com/\r\nX: y".into()),
            date: Some("2024-05-18T01:58:10.123456789Z".into()),
            ..record()
        };
        let out = written(&PLAIN, &record).unwrap();
        assert!(out.contains("WARC-Target-URI: http://example.com/  X: y\r\n"), "{out}");
        assert!(out.contains("WARC-Date: 2024-05-18T01:58:10Z\r\n"), "{out}");
        assert!(out.contains("\r\n\r\nA B\nZwei"), "{out}");
        assert!(!out.contains("Content-Language"), "{out}");
    }

    #[test]
    fn the_head_takes_over_the_crawl() {
        let head = OutputHead {
            name: "a.warc.wet.gz",
            info: Some(b"software: crawler\r\nisPartOf: CC-MAIN-2024-22\r\nrobots: checked\r\nhostname: x\r\n"),
            date: Some("2024-05-18T01:00:00Z"),
            epoch: None,
        };
        let mut out = Vec::new();
        PLAIN.head(&head, &mut out).unwrap();
        let info = format!(
            "Software-Info: trommel/{}\r\nrobots: checked\r\nisPartOf: CC-MAIN-2024-22\r\n",
            env!("CARGO_PKG_VERSION")
        );
        let expected = format!(
            "WARC/1.0\r\n\
             WARC-Type: warcinfo\r\n\
             WARC-Date: 2024-05-18T01:00:00Z\r\n\
             WARC-Filename: a.warc.wet.gz\r\n\
             WARC-Record-ID: <{}>\r\n\
             Content-Type: application/warc-fields\r\n\
             Content-Length: {}\r\n\
             \r\n\
             {info}\r\n\r\n",
            record_id(&["warcinfo", "a.warc.wet.gz"]),
            info.len(),
        );
        assert_eq!(String::from_utf8(out).unwrap(), expected);

        let mut dated = Vec::new();
        let head = OutputHead { epoch: Some(1_716_000_000), ..head };
        PLAIN.head(&head, &mut dated).unwrap();
        let dated = String::from_utf8(dated).unwrap();
        assert!(dated.contains("WARC-Date: 2024-05-18T02:40:00Z\r\n"), "{dated}");
        assert!(dated.contains("\r\nExtracted-Date: Sat, 18 May 2024 02:40:00 GMT\r\nrobots"), "{dated}");
    }
}
