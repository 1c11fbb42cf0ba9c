//! Reads CDXJ indexes (lines of `surt timestamp {json}`), and the JSON lines of index servers.

use std::io::{self, BufRead, Read};
use std::path::Path;

use serde_json::Value;

use super::{IndexEntry, TakeLine};
use crate::{RecordIndexError, StatedRecord};

/// Maximum number of bytes in a line of a CDXJ index.
const MAX_LINE: u64 = 1 << 20;

/// Reads an index in CDXJ or JSON lines. Passes every line except headers to `each`, as a row or as a description of
/// its fault.
pub(crate) fn read(path: &Path, mut lines: impl BufRead, each: &mut TakeLine<'_>) -> Result<(), RecordIndexError> {
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = read_line(&mut lines, &mut line);
        let is_whole = read.map_err(RecordIndexError::of(path))?;
        if line.is_empty() {
            break;
        }
        let text = String::from_utf8_lossy(&line);
        // Headers: `!OpenWayback-CDXJ 1.0`, `!meta {...}`, ` CDX N b a ...`.
        if text.trim().is_empty() || text.starts_with(['!', '#']) {
            continue;
        }
        let entry = if is_whole { entry(text.trim_end()) } else { Err(format!("longer than {MAX_LINE} bytes")) };
        each(number, entry)?;
    }
    Ok(())
}

/// Reads a line of at most [`MAX_LINE`] bytes. If the line is longer, skips its rest and returns false.
fn read_line(lines: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    lines.by_ref().take(MAX_LINE).read_until(b'\n', line)?;
    if line.len() as u64 == MAX_LINE && !line.ends_with(b"\n") {
        lines.skip_until(b'\n')?;
        return Ok(false);
    }
    Ok(true)
}

fn entry(line: &str) -> Result<IndexEntry, String> {
    let json = line.find('{').and_then(|at| line.get(at..));
    let json = json.ok_or("no JSON object: not a line of a CDXJ index")?;
    let keys: Value = serde_json::from_str(json).map_err(|error| error.to_string())?;
    let text = |key: &str| keys.get(key).and_then(Value::as_str).map(str::to_owned);
    // Numbers come as numbers or in quotes.
    let number = |key: &str| match keys.get(key) {
        Some(value) => {
            let number = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
            number.map(Some).ok_or_else(|| format!("{key} is no number"))
        }
        None => Ok(None),
    };
    Ok(IndexEntry {
        file: text("filename").ok_or("no filename")?,
        offset: number("offset")?.ok_or("no offset")?,
        length: number("length")?.ok_or("no length")?,
        // Offset in the gzip member; only in indexes that trommel wrote.
        inner: number("inner")?.unwrap_or(0),
        stated: StatedRecord { url: text("url"), digest: text("digest").filter(|digest| digest != "-") },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<(usize, Result<IndexEntry, String>)> {
        let mut rows = Vec::new();
        let mut each = |number, entry| {
            rows.push((number, entry));
            Ok(())
        };
        read(Path::new("i.cdxj"), text.as_bytes(), &mut each).unwrap();
        rows
    }

    #[test]
    fn lines_of_every_kind() {
        let text = "!OpenWayback-CDXJ 1.0\n\
            org,example)/ 20240220211055 {\"url\": \"http://example.org/{x}\", \"digest\": \"AB\", \
            \"length\": \"100\", \"offset\": \"7\", \"filename\": \"a/b.warc.gz\"}\n\n\
            {\"urlkey\":\"x\",\"digest\":5,\"filename\":\"c.warc.gz\",\"offset\":9,\"length\":10}\n";
        let row =
            |file: &str, offset, length| IndexEntry { file: file.to_owned(), offset, length, ..Default::default() };
        let first = IndexEntry {
            stated: StatedRecord { url: Some("http://example.org/{x}".to_owned()), digest: Some("AB".to_owned()) },
            ..row("a/b.warc.gz", 7, 100)
        };
        assert_eq!(rows(text), [(2, Ok(first)), (4, Ok(row("c.warc.gz", 9, 10)))]);
    }

    #[test]
    fn errors_name_the_line() {
        for (line, message) in [
            ("org,example)/ 2024 warc", "no JSON object"),
            ("x 1 {\"filename\": \"a\"}", "no offset"),
            ("x 1 {\"filename\": \"a\", \"offset\": \"-1\", \"length\": 1}", "offset is no number"),
            ("x 1 {\"offset\": 1, \"length\": 1}", "no filename"),
            ("x 1 {\"offset\"", "EOF"),
            (&"x".repeat(3 << 20), "longer than 1048576 bytes"),
        ] {
            let good = "x 1 {\"filename\": \"a\", \"offset\": 1, \"length\": 1}";
            let rows = rows(&format!("\n{line}\n{good}\n"));
            let [(2, Err(error)), (3, Ok(_))] = rows.as_slice() else {
                panic!("{rows:?}");
            };
            assert!(error.starts_with(message), "{message}: {error}");
        }
    }
}
