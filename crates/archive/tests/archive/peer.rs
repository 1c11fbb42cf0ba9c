//! Compares this crate with the `warc` crate: each reads what the other writes.

use std::io::{BufReader, BufWriter};

use trommel_archive::{ReadOptions, Reader, RecordType, write::write_record};
use warc::{RecordBuilder, WarcHeader, WarcReader, WarcWriter};

const ID: &str = "<urn:uuid:00000000-0000-4000-8000-000000000001>";

#[test]
fn the_warc_crate_reads_what_we_write() {
    let mut bytes = Vec::new();
    for (kind, block) in [("warcinfo", "a: b\r\n"), ("response", "HTTP/1.1 200 OK\r\n\r\n<p>é")] {
        let headers = [
            ("WARC-Type", kind),
            ("WARC-Record-ID", ID),
            ("WARC-Date", "2026-01-01T00:00:00Z"),
            ("WARC-Target-URI", "http://a.example/"),
        ];
        write_record(&mut bytes, "1.0", &headers, block.as_bytes()).unwrap();
    }
    let records: Vec<_> =
        WarcReader::new(BufReader::new(bytes.as_slice())).iter_records().map(Result::unwrap).collect();
    let seen: Vec<(String, &[u8])> = records.iter().map(|r| (r.warc_type().to_string(), r.body())).collect();
    assert_eq!(
        seen,
        [
            ("warcinfo".to_owned(), "a: b\r\n".as_bytes()),
            ("response".to_owned(), "HTTP/1.1 200 OK\r\n\r\n<p>é".as_bytes())
        ]
    );
    assert_eq!(records[1].warc_id(), ID);
}

#[test]
fn we_read_what_the_warc_crate_writes() {
    let mut writer = WarcWriter::new(BufWriter::new(Vec::new()));
    for body in ["first", "", "third\r\n\r\nWARC is a word"] {
        let record = RecordBuilder::default()
            .warc_type(warc::RecordType::Resource)
            .header(WarcHeader::TargetURI, "http://a.example/x")
            .body(body.as_bytes().to_vec())
            .build()
            .unwrap();
        writer.write(&record).unwrap();
    }
    let bytes = writer.into_inner().unwrap();
    let reader = Reader::new("peer", std::io::Cursor::new(bytes), ReadOptions::default()).unwrap();
    let records: Vec<_> = reader.map(Result::unwrap).collect();
    let blocks: Vec<&[u8]> = records.iter().map(|r| &*r.block).collect();
    assert_eq!(blocks, [&b"first"[..], b"", b"third\r\n\r\nWARC is a word"]);
    assert!(records.iter().all(|r| r.kind == RecordType::Resource && r.notes.is_empty()));
    assert_eq!(records[0].url(), Some("http://a.example/x"));
}
