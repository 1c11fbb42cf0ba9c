//! CDXJ (`surt timestamp {json}` a line) and the JSON lines that index servers answer with.

use std::{io::BufRead, path::Path};

use serde::Deserialize;

use super::Entry;
use crate::IndexError;

/// The keys of a line that find a record; numbers come as numbers or in quotes.
#[derive(Deserialize)]
struct Keys {
    filename: Option<String>,
    offset: Option<Number>,
    length: Option<Number>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Plain(u64),
    Quoted(String),
}

impl Number {
    fn value(&self) -> Option<u64> {
        match self {
            Self::Plain(number) => Some(*number),
            Self::Quoted(text) => text.trim().parse().ok(),
        }
    }
}

pub(crate) fn read(
    path: &Path,
    lines: impl BufRead,
    each: &mut dyn FnMut(Entry),
) -> Result<(), IndexError> {
    for (at, line) in lines.lines().enumerate() {
        let line = line.map_err(|source| IndexError::Io {
            path: path.to_owned(),
            source,
        })?;
        // Headers: `!OpenWayback-CDXJ 1.0`, `!meta {...}`, ` CDX N b a ...`.
        if line.trim().is_empty() || line.starts_with(['!', '#']) {
            continue;
        }
        let entry = entry(&line).map_err(|what| IndexError::Row {
            path: path.to_owned(),
            line: at + 1,
            what,
        })?;
        each(entry);
    }
    Ok(())
}

fn entry(line: &str) -> Result<Entry, String> {
    let json = line.find('{').and_then(|at| line.get(at..));
    let json = json.ok_or("no JSON object: not a line of a CDXJ index")?;
    let keys: Keys = serde_json::from_str(json).map_err(|error| error.to_string())?;
    let number = |key: &str, number: Option<Number>| match number {
        Some(number) => number.value().ok_or(format!("{key} is no number")),
        None => Err(format!("no {key}")),
    };
    Ok(Entry {
        file: keys.filename.ok_or("no filename")?,
        offset: number("offset", keys.offset)?,
        length: number("length", keys.length)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Result<Vec<Entry>, String> {
        let mut rows = Vec::new();
        read(Path::new("i.cdxj"), text.as_bytes(), &mut |row| {
            rows.push(row)
        })
        .map(|()| rows)
        .map_err(|error| error.to_string())
    }

    #[test]
    fn lines_of_every_kind() {
        let text = "!OpenWayback-CDXJ 1.0\n\
            org,example)/ 20240220211055 {\"url\": \"http://example.org/{x}\", \"status\": \"200\", \
            \"length\": \"100\", \"offset\": \"7\", \"filename\": \"a/b.warc.gz\"}\n\n\
            {\"urlkey\":\"x\",\"filename\":\"c.warc.gz\",\"offset\":9,\"length\":10}\n";
        let row = |file: &str, offset, length| Entry {
            file: file.to_owned(),
            offset,
            length,
        };
        assert_eq!(
            rows(text),
            Ok(vec![row("a/b.warc.gz", 7, 100), row("c.warc.gz", 9, 10)])
        );
    }

    #[test]
    fn errors_name_the_line() {
        for (line, message) in [
            ("org,example)/ 2024 warc", "i.cdxj:2: no JSON object"),
            ("x 1 {\"filename\": \"a\"}", "i.cdxj:2: no offset"),
            (
                "x 1 {\"filename\": \"a\", \"offset\": \"-1\", \"length\": 1}",
                "i.cdxj:2: offset is no number",
            ),
            (
                "x 1 {\"offset\": 1, \"length\": 1}",
                "i.cdxj:2: no filename",
            ),
            ("x 1 {\"offset\"", "i.cdxj:2: EOF"),
        ] {
            let error = rows(&format!("\n{line}\n")).unwrap_err();
            assert!(error.starts_with(message), "{line}: {error}");
        }
    }
}
