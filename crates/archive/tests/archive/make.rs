//! Builds archives in every codec and reads them back.

use std::io::{self, Cursor, Read, Write};

use lz4_flex::frame::{BlockMode, BlockSize, FrameEncoder, FrameInfo};
use proptest::sample::Index;
use trommel_archive::write::{gzip_member, write_record};
use trommel_archive::{ArchiveError, ArchiveFormat, Damage, ReadOptions, Reader, Record, RecordType};

pub(crate) use Codec::*;

pub(crate) type Fields = Vec<(&'static str, String)>;

pub(crate) struct TestRecord {
    pub(crate) fields: Fields,
    pub(crate) block: Vec<u8>,
}

pub(crate) fn made(kind: &str, number: usize, block: impl Into<Vec<u8>>) -> TestRecord {
    let fields = vec![
        ("WARC-Type", kind.to_owned()),
        ("WARC-Record-ID", format!("<urn:uuid:{number}>")),
        ("WARC-Target-URI", format!("http://example.org/{number}")),
        ("WARC-Date", "2024-05-06T07:08:09Z".to_owned()),
    ];
    TestRecord { fields, block: block.into() }
}

/// Damages an archive: flips bytes, inserts bytes that look like starts of records, and truncates one archive in three.
pub(crate) fn mangle(bytes: &mut Vec<u8>, flips: &[(Index, u8)], junk: &[(Index, usize)], end: Index) {
    for (index, flip) in flips {
        let at = index.index(bytes.len());
        bytes[at] ^= flip;
    }
    for (index, length) in junk {
        let at = index.index(bytes.len());
        let junk = b"WARC/1.0\r\n\r\n\x1f\x8b\x08junk\r\nWARC/1.1\r\nA: b\r\n\r\n";
        bytes.splice(at..at, junk[..*length].iter().copied());
    }
    if end.index(3) == 0 {
        bytes.truncate(end.index(bytes.len()));
    }
}

pub(crate) fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..length).map(next).collect()
}

pub(crate) fn small() -> Vec<TestRecord> {
    let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>one</p>\r\n\r\n";
    vec![
        made("warcinfo", 0, "software: test\r\n"),
        made("response", 1, page),
        made("metadata", 2, ""),
        made("response", 3, page.replace("one", "two, a little longer")),
    ]
}

pub(crate) fn large() -> Vec<TestRecord> {
    let mut records = small();
    let quote = "\r\n\r\nWARC/1.0 is a version line\r\nContent-Length: 3\r\n\r\n";
    records.push(made("resource", 4, noise(200_000)));
    records.push(made("conversion", 5, quote.repeat(9000)));
    records.push(made("x-unknown", 6, "é"));
    records
}

pub(crate) fn plain(record: &TestRecord) -> Vec<u8> {
    let fields: Vec<(&str, &str)> = record.fields.iter().map(|(k, v)| (*k, v.as_str())).collect();
    let mut out = Vec::new();
    write_record(&mut out, "1.1", &fields, &record.block).unwrap();
    out
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Codec {
    Plain,
    GzMembers,
    GzOne,
    GzPieces,
    GzEmpties,
    ZstFrames,
    ZstOne,
    ZstDictionary,
    ZstPackedDictionary,
    Lz4Frames,
    Lz4One,
}

pub(crate) const CODECS: [Codec; 11] = [
    Plain, GzMembers, GzOne, GzPieces, GzEmpties, ZstFrames, ZstOne, Lz4Frames, Lz4One, ZstDictionary,
    ZstPackedDictionary,
];

pub(crate) fn gz(bytes: &[u8]) -> Vec<u8> {
    gzip_member(bytes, 6).unwrap()
}

pub(crate) fn zst(bytes: &[u8], dictionary: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::stream::Encoder::with_dictionary(Vec::new(), 3, dictionary).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn lz4(bytes: &[u8], mode: BlockMode) -> Vec<u8> {
    let info = FrameInfo::new()
        .block_size(BlockSize::Max64KB)
        .block_mode(mode)
        .block_checksums(mode == BlockMode::Linked)
        .content_checksum(true);
    let mut encoder = FrameEncoder::with_frame_info(info, Vec::new());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn dictionary() -> Vec<u8> {
    let samples: Vec<Vec<u8>> = (0..400).map(|i| plain(&made("response", i, format!("<p>{}</p>", i * 7919)))).collect();
    zstd::dict::from_samples(&samples, 2048).unwrap()
}

pub(crate) fn skippable(magic: u8, data: &[u8]) -> Vec<u8> {
    let mut frame = vec![magic, 0x2a, 0x4d, 0x18];
    frame.extend_from_slice(&(data.len() as u32).to_le_bytes());
    frame.extend_from_slice(data);
    frame
}

/// Returns the records as a file, and the file offset at which each record ends (for codecs with a member per record).
pub(crate) fn encode(records: &[TestRecord], codec: Codec) -> (Vec<u8>, Vec<usize>) {
    let all: Vec<u8> = records.iter().flat_map(plain).collect();
    let dict = match codec {
        ZstDictionary | ZstPackedDictionary => dictionary(),
        _ => Vec::new(),
    };
    let mut out = match codec {
        GzOne => return (gz(&all), Vec::new()),
        GzPieces => return (all.chunks(700).flat_map(gz).collect(), Vec::new()),
        ZstOne => return (zst(&all, &[]), Vec::new()),
        Lz4One => return (lz4(&all, BlockMode::Linked), Vec::new()),
        ZstDictionary => skippable(0x5d, &dict),
        ZstPackedDictionary => skippable(0x5d, &zst(&dict, &[])),
        _ => Vec::new(),
    };
    let mut ends = Vec::new();
    for record in records {
        let bytes = plain(record);
        match codec {
            Plain => out.extend(bytes),
            GzEmpties => {
                out.extend(gz(b""));
                out.extend(gz(&bytes));
            }
            GzMembers => out.extend(gz(&bytes)),
            Lz4Frames => out.extend(lz4(&bytes, BlockMode::Independent)),
            _ => {
                out.extend(zst(&bytes, &dict));
                ends.push(out.len());
                out.extend(skippable(0x52, b"an extension"));
                continue;
            }
        }
        ends.push(out.len());
    }
    (out, ends)
}

pub(crate) fn open(bytes: impl Into<Vec<u8>>) -> Result<Reader, ArchiveError> {
    Reader::new("test.warc", Cursor::new(bytes.into()), ReadOptions::default())
}

pub(crate) fn read(bytes: impl Into<Vec<u8>>) -> (Vec<Record>, Vec<ArchiveError>) {
    let (mut records, mut errors) = (Vec::new(), Vec::new());
    match open(bytes) {
        Ok(reader) => {
            for item in reader {
                match item {
                    Ok(record) => records.push(record),
                    Err(error) => errors.push(error),
                }
            }
        }
        Err(error) => errors.push(error),
    }
    (records, errors)
}

pub(crate) fn assert_same(record: &Record, made: &TestRecord) {
    let mut fields: Vec<(String, String)> = made.fields.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
    fields.push(("Content-Length".to_owned(), made.block.len().to_string()));
    let found: Vec<(String, String)> = record.headers.iter().map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
    assert_eq!(found, fields);
    assert_eq!(record.kind, RecordType::parse(&made.fields[0].1));
    assert!(record.block == made.block, "block of {:?}", record.place);
    assert_eq!(record.notes, []);
    assert_eq!(record.format, ArchiveFormat::Warc);
}

/// Returns the kind of a damage, the file offset at which it begins, and the number of bytes lost.
pub(crate) fn damage(error: &ArchiveError) -> (Damage, u64, u64) {
    match error {
        ArchiveError::Damage { what, offset, lost, .. } => (*what, *offset, *lost),
        other => panic!("{other}"),
    }
}

/// Reads an archive; asserts the number of records, and the kind, file offset and lost bytes of each damage.
#[track_caller]
pub(crate) fn read_damaged(
    bytes: impl Into<Vec<u8>>,
    records: usize,
    damages: &[(Damage, usize, usize)],
) -> Vec<Record> {
    let (found, errors) = read(bytes);
    let wide = damages.iter().map(|(what, offset, lost)| (*what, *offset as u64, *lost as u64));
    assert_eq!(errors.iter().map(damage).collect::<Vec<_>>(), wide.collect::<Vec<_>>(), "{errors:?}");
    assert_eq!(found.len(), records);
    found
}

/// Returns the parts as a file: uncompressed one after the other, all in one member, or each in a member.
pub(crate) fn stored(parts: &[Vec<u8>], codec: Codec) -> Vec<u8> {
    match codec {
        Plain => parts.concat(),
        GzOne => gz(&parts.concat()),
        ZstFrames => parts.iter().flat_map(|part| zst(part, &[])).collect(),
        _ => parts.iter().flat_map(|part| gz(part)).collect(),
    }
}

/// Returns a record, or an error as text, so that two items can be compared.
pub(crate) fn shape(item: Result<Record, ArchiveError>) -> Result<Record, String> {
    item.map_err(|error| format!("{error:?}"))
}

/// Input that fails after its last byte.
pub(crate) struct Failing(pub(crate) Cursor<Vec<u8>>);

impl Read for Failing {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buf)? {
            0 => Err(io::Error::other("line dropped")),
            n => Ok(n),
        }
    }
}

/// Input that returns one byte with each read.
pub(crate) struct Drops(pub(crate) Cursor<Vec<u8>>);

impl Read for Drops {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let end = buf.len().min(1);
        self.0.read(&mut buf[..end])
    }
}
