//! Recognises the first bytes of a WARC or ARC record, and parses the header line of an ARC record.

use memchr::{memchr, memchr_iter, memmem};
use trommel_text::vectors::{ByteTask, Compare, Vectors};

use crate::http::{Headers, text};

/// Number of bytes at the start of a file in which the first record must begin; otherwise the file is not an archive.
pub(crate) const HEAD: usize = 1024 * 1024;
/// Maximum length in bytes of the version line and first field name that are examined to recognise a WARC record.
pub(crate) const WARC_REACH: usize = 128;

/// First bytes of the version line of a WARC record; some writers have them in lower case.
const VERSION: &[u8; 5] = b"WARC/";

/// Returns whether the bytes begin like a WARC record: `WARC/` and a digit of the version.
pub(crate) fn is_warc(bytes: &[u8]) -> bool {
    names_warc(bytes) && bytes.get(VERSION.len()).is_some_and(u8::is_ascii_digit)
}

/// Returns whether the bytes begin with `WARC/`, in upper or lower case.
pub(crate) fn names_warc(bytes: &[u8]) -> bool {
    let name = bytes.get(..VERSION.len());
    name.is_some_and(|name| name.eq_ignore_ascii_case(VERSION))
}

/// Returns whether the bytes are the name `WARC/` or an incomplete beginning of it, in upper or lower case.
pub(crate) fn may_name_warc(bytes: &[u8]) -> bool {
    let name = VERSION.get(..bytes.len());
    name.is_some_and(|name| name.eq_ignore_ascii_case(bytes))
}

/// Returns the first index from `from` on at which `WARC/` begins; with `line`, only at the start of a line.
fn find_name(bytes: &[u8], from: usize, line: bool) -> Option<usize> {
    if line {
        let first = from.saturating_sub(1);
        let bytes = bytes.get(first..)?;
        let found = Vectors::default().run(NameAtLine { bytes });
        return found.map(|at| first + at);
    }
    let is_name = |at: &usize| *at >= from && bytes.get(*at..).is_some_and(names_warc);
    // The byte looked for is the last of the name.
    let first = from + VERSION.len() - 1;
    let mut found = memchr_iter(b'/', bytes.get(first..)?).map(|at| first + at + 1 - VERSION.len());
    found.find(is_name)
}

/// Fast search for `WARC/` after a line feed; nearly all bytes of an archive pass through it.
struct NameAtLine<'a> {
    bytes: &'a [u8],
}

impl ByteTask for NameAtLine<'_> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run<C: Compare>(self, form: C) -> Option<usize> {
        let bytes = self.bytes;
        let mut at = 0;
        while let Some(part) = bytes.get(at..at + 65) {
            let (ends, starts) = (part.first_chunk()?, part.last_chunk()?);
            let (ends, starts) = (form.load(ends), form.load(starts));
            let letters = form.equal(starts, b'W') | form.equal(starts, b'w');
            // Few lines begin with one of these letters.
            let mut found = form.equal(ends, b'\n') & letters;
            while found != 0 {
                let place = at + found.trailing_zeros() as usize + 1;
                if bytes.get(place..).is_some_and(names_warc) {
                    return Some(place);
                }
                found &= found - 1;
            }
            at += 64;
        }
        (at + 1..bytes.len())
            .find(|place| bytes.get(place - 1) == Some(&b'\n') && bytes.get(*place..).is_some_and(names_warc))
    }
}

/// Decides whether the bytes begin with a WARC record: a version line, then the name of a field. Returns `None` if more
/// bytes are needed to decide.
fn warc_verdict(bytes: &[u8]) -> Option<bool> {
    let bytes = bytes.get(..WARC_REACH).unwrap_or(bytes);
    let open = if bytes.len() < WARC_REACH { None } else { Some(false) };
    if !may_name_warc(bytes.get(..VERSION.len()).unwrap_or(bytes)) {
        return Some(false);
    }
    let Some(end) = memchr(b'\n', bytes) else { return open };
    let (line, rest) = bytes.split_at(end);
    let version = line.get(VERSION.len()..).unwrap_or_default().trim_ascii();
    if !version.first().is_some_and(u8::is_ascii_digit) || !version.iter().all(|b| b.is_ascii_digit() || *b == b'.') {
        return Some(false);
    }
    let rest = rest.get(1..).unwrap_or_default();
    let name = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'-').count();
    match rest.get(name..).and_then(|after| after.trim_ascii_start().first()) {
        Some(b':') if name > 0 => Some(true),
        Some(_) => Some(false),
        None => open,
    }
}

/// Returns whether a WARC record begins at these bytes, by its version line and the name of its first field. Returns
/// `None` if more bytes are needed to decide, unless `whole` says that no more follow.
pub(crate) fn record_starts(bytes: &[u8], whole: bool) -> Option<bool> {
    warc_verdict(bytes).or(whole.then_some(false))
}

/// Returns whether the bytes are exactly one WARC record that follows the standard and has the length that its header
/// states. Damage or any deviation makes the result false.
pub(crate) fn is_one_record(bytes: &[u8]) -> bool {
    let Some(end) = memmem::find(bytes, b"\r\n\r\n") else { return false };
    let (header, rest) = bytes.split_at(end);
    let mut lengths = header.split(|b| *b == b'\n').filter_map(|line| {
        let (name, value) = line.split_at(memchr(b':', line)?);
        name.trim_ascii().eq_ignore_ascii_case(b"Content-Length").then_some(value)
    });
    let (Some(length), None) = (lengths.next(), lengths.next()) else { return false };
    let length = length
        .strip_prefix(b":")
        .and_then(|value| str::from_utf8(value.trim_ascii()).ok())
        .and_then(|value| value.parse::<usize>().ok());
    is_warc(bytes)
        && rest.len().checked_sub(8) == length
        && rest.ends_with(b"\r\n\r\n")
        && find_name(rest, 1, true).is_none()
}

/// Result of a search for the start of the next record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FoundStart {
    /// A record begins at this index.
    At(usize),
    /// No record begins in the searched bytes; those before this index need not be searched again.
    No(usize),
}

/// Conditions of a search for the start of the next record in the bytes of an archive.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StartSearch {
    /// True if header lines of ARC records count as starts, too.
    pub(crate) arc: bool,
    /// True if a WARC record counts only at the start of a line.
    pub(crate) line: bool,
    /// True if no more bytes follow the searched ones.
    pub(crate) whole: bool,
}

impl StartSearch {
    /// Finds the start of a record at or after the index `from`. If a WARC record must begin a line (`line`), index 0
    /// does not count, because the byte before it is not known.
    pub(crate) fn run(self, bytes: &[u8], from: usize) -> FoundStart {
        let warc = self.warc(bytes, from);
        if !self.arc {
            return warc;
        }
        match warc {
            // Only an ARC line before it would matter.
            FoundStart::At(at) => {
                let before = StartSearch { whole: true, ..self };
                match before.arc(bytes.get(..at).unwrap_or(bytes), from) {
                    FoundStart::At(arc) => FoundStart::At(arc),
                    FoundStart::No(_) => FoundStart::At(at),
                }
            }
            FoundStart::No(safe) => match self.arc(bytes, from) {
                FoundStart::At(arc) if arc <= safe => FoundStart::At(arc),
                FoundStart::At(arc) | FoundStart::No(arc) => FoundStart::No(arc.min(safe)),
            },
        }
    }

    fn warc(self, bytes: &[u8], from: usize) -> FoundStart {
        let mut at = from;
        while let Some(candidate) = find_name(bytes, at, self.line) {
            match record_starts(bytes.get(candidate..).unwrap_or_default(), self.whole) {
                Some(true) => return FoundStart::At(candidate),
                Some(false) => at = candidate + 1,
                None => return FoundStart::No(candidate),
            }
        }
        FoundStart::No(bytes.len().saturating_sub(4).max(from))
    }

    fn arc(self, bytes: &[u8], from: usize) -> FoundStart {
        let mut at = from;
        // A line begins after a newline; `from` itself does if the byte before it is one.
        if from > 0 && bytes.get(from - 1) != Some(&b'\n') {
            match memchr(b'\n', bytes.get(from..).unwrap_or_default()) {
                Some(end) => at = from + end + 1,
                None => return FoundStart::No(bytes.len().max(from)),
            }
        }
        loop {
            let rest = bytes.get(at..).unwrap_or_default();
            match memchr(b'\n', rest) {
                Some(end) => {
                    if ArcLine::parse(rest.get(..end).unwrap_or_default()).is_some() {
                        return FoundStart::At(at);
                    }
                    at += end + 1;
                }
                None if self.whole || rest.len() > ARC_REACH => return FoundStart::No(bytes.len()),
                None => return FoundStart::No(at),
            }
        }
    }
}

/// Maximum length of an ARC header line in bytes; the line contains a URL.
pub(crate) const ARC_REACH: usize = 16 * 1024;

/// Parsed header line of an ARC record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArcLine {
    pub(crate) url: String,
    pub(crate) ip: String,
    /// Digits of the record's date, unchanged.
    pub(crate) date: String,
    pub(crate) mime: String,
    /// Stated length of the block in bytes; `None` if it is negative or not a number. Old writers put -1 for an unknown
    /// length.
    pub(crate) length: Option<u64>,
}

impl ArcLine {
    /// Parses an ARC header line of version 1 (five fields) or 2 (ten), even with blanks in the URL; `None` for other
    /// lines.
    pub(crate) fn parse(line: &[u8]) -> Option<ArcLine> {
        if line.len() > ARC_REACH {
            return None;
        }
        let scheme = line.iter().take_while(|b| b.is_ascii_alphanumeric()).count();
        if !(2..=16).contains(&scheme) || line.get(scheme) != Some(&b':') {
            return None;
        }
        let line = line.trim_ascii_end();
        let mut fields: Vec<&[u8]> = line.rsplitn(10, |&b| b == b' ').collect();
        fields.reverse();
        if let [url, ip, date, mime, _result, _checksum, _location, _offset, _name, length] = fields.as_slice()
            && let Some(found) = Self::from_fields(url, ip, date, mime, length)
        {
            return Some(found);
        }
        let mut fields = line.rsplitn(5, |&b| b == b' ');
        let (length, mime, date, ip) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        let usual = fields.next().and_then(|url| Self::from_fields(url, ip, date, mime, length));
        usual.or_else(|| Self::of_odd_type(line))
    }

    /// Parses an ARC header line whose media type contains blanks, or is missing. The type lies between the date and
    /// the length or, in version 2, between the date and the last six fields.
    fn of_odd_type(line: &[u8]) -> Option<ArcLine> {
        let mut at = 0;
        let mut fields: Vec<(usize, &[u8])> = Vec::new();
        for field in line.split(|b| *b == b' ') {
            if !field.is_empty() {
                fields.push((at, field));
            }
            at += field.len() + 1;
        }
        let is_date = |(_, field): &(usize, &[u8])| field.len() == 14 && field.iter().all(u8::is_ascii_digit);
        let date = fields.iter().rposition(is_date).filter(|date| *date >= 2)?;
        let (ip_at, ip) = *fields.get(date - 1)?;
        let (_, length) = *fields.last()?;
        let of_type = fields.get(date + 1..fields.len() - 1)?;
        // A line of a text may have a number of 14 digits. Where nothing has the form of a type (`text html`), the line
        // must begin with the address of a server, and end with a number.
        let is_type = of_type.first().is_none_or(|(_, word)| word.contains(&b'/'));
        let is_sure = || memmem::find(fields.first()?.1, b"://").filter(|_| length.iter().all(u8::is_ascii_digit));
        if !ip.contains(&b'.') || !is_type && is_sure().is_none() {
            return None;
        }
        let is_second = matches!(of_type, [.., (_, result), _, _, (_, offset), _]
            if result.len() == 3 && [result, offset].iter().all(|field| field.iter().all(u8::is_ascii_digit)));
        let of_type = if is_second { of_type.get(..of_type.len() - 5)? } else { of_type };
        let mime: Vec<&[u8]> = of_type.iter().map(|(_, word)| *word).collect();
        Self::from_fields(line.get(..ip_at)?.trim_ascii(), ip, fields.get(date)?.1, &mime.join(&b' '), length)
    }

    fn from_fields(url: &[u8], ip: &[u8], date: &[u8], mime: &[u8], length: &[u8]) -> Option<ArcLine> {
        let address = ip.iter().all(|b| b.is_ascii_hexdigit() || matches!(b, b'.' | b':' | b'-'));
        if !address || !(8..=20).contains(&date.len()) || !date.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let length: Option<i64> = std::str::from_utf8(length).ok()?.parse().ok();
        // Without a number, the rest must leave no doubt.
        if length.is_none() && (!ip.contains(&b'.') || date.len() < 14 || !mime.contains(&b'/')) {
            return None;
        }
        Some(ArcLine {
            url: text(url),
            ip: text(ip),
            date: text(date),
            mime: text(mime),
            length: length.and_then(|length| u64::try_from(length).ok()),
        })
    }

    /// Returns the header fields that a WARC record would have; `http` is true if the block is an HTTP message.
    pub(crate) fn headers(&self, http: bool) -> Headers {
        let mut headers = Headers::new();
        headers.push("WARC-Target-URI", self.url.as_str());
        headers.push("WARC-Date", self.warc_date());
        headers.push("WARC-IP-Address", self.ip.as_str());
        let kind = if http { "application/http; msgtype=response" } else { self.mime.as_str() };
        headers.push("Content-Type", kind);
        if let Some(length) = self.length {
            headers.push("Content-Length", length.to_string());
        }
        headers
    }

    /// Returns the ARC date as `YYYY-MM-DDTHH:MM:SSZ`; missing digits of the time become zeros.
    fn warc_date(&self) -> String {
        let part = |from: usize, to: usize| self.date.get(from..to).unwrap_or("00");
        format!("{}-{}-{}T{}:{}:{}Z", part(0, 4), part(4, 6), part(6, 8), part(8, 10), part(10, 12), part(12, 14))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEARCH: StartSearch = StartSearch { arc: false, line: true, whole: false };

    #[test]
    fn one_record_is_one_and_nothing_else() {
        let one = |text: &str| is_one_record(text.as_bytes());
        let record = "WARC/1.0\r\nA: b\r\ncontent-length: 5\r\n\r\nblock\r\n\r\n";
        assert!(one(record));
        assert!(one("WARC/1.0\r\nContent-Length: 0\r\n\r\n\r\n\r\n"));
        for cut in 0..record.len() {
            assert!(!one(&record[..cut]), "{cut}");
        }
        assert!(!one(&format!("{record}{record}")));
        assert!(!one(&format!("{record}\r\n")));
        assert!(!one(&record.replace('5', "4")));
        assert!(!one(&record.replace('5', "-5")));
        assert!(!one(&record.replace("\r\n", "\n")));
        assert!(!one(&record.replace("A: b", "Content-Length: 5")));
        let quote = record.replace("block", "\nWARC/").replace('5', "6");
        assert!(!one(&quote), "{quote}");
        assert!(!one(&quote.replace("\nWARC/", "\nwarc/")));
    }

    #[test]
    fn the_name_is_found_at_every_place_and_by_every_form() {
        let plain = |bytes: &[u8]| (1..bytes.len()).find(|at| bytes[at - 1] == b'\n' && names_warc(&bytes[*at..]));
        for vectors in Vectors::available() {
            for at in 0..200 {
                for name in ["\nWARC/", "\nwarc/", "\nWaRc/", "\nWarc ", " WARC/", "\nWAR"] {
                    let text = format!("{}\nWeb{name}{}", "\nw".repeat(at), "x".repeat(at % 70));
                    for bytes in [text.as_bytes(), &text.as_bytes()[at..]] {
                        let found = vectors.run(NameAtLine { bytes });
                        assert_eq!(found, plain(bytes), "{vectors:?} {at} {name:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn finds_a_record_at_a_line_only() {
        let text = b"see WARC/1.0\r\nA: b\r\n\r\nWARC/1.0\r\nWARC-Type: x\r\n";
        assert_eq!(SEARCH.run(text, 0), FoundStart::At(22));
        assert_eq!(StartSearch { line: false, ..SEARCH }.run(text, 0), FoundStart::At(4));
        assert_eq!(SEARCH.run(b"\nWARC/x\r\nA: b", 0), FoundStart::No(9));
        assert_eq!(SEARCH.run(b"\nWARC/1.0 is a format\r\nA: b", 0), FoundStart::No(23));
        assert_eq!(SEARCH.run(b"\nWARC/0.18\nWARC-Type: b", 0), FoundStart::At(1));
        for version in ["warc/1.0", "Warc/1.1", "wArC/1.0"] {
            let text = format!("see {version}\nA: b\n\n{version}\nWARC-Type: x\n");
            let second = text.rfind(version).unwrap();
            assert_eq!(SEARCH.run(text.as_bytes(), 0), FoundStart::At(second), "{text}");
            assert_eq!(SEARCH.run(text.as_bytes(), second), FoundStart::At(second));
            let any = StartSearch { line: false, ..SEARCH };
            assert_eq!(any.run(text.as_bytes(), 0), FoundStart::At(4));
            assert_eq!(any.run(text.as_bytes(), 5), FoundStart::At(second));
        }
    }

    #[test]
    fn a_start_at_the_end_waits_for_more() {
        let text = b"junk\nWARC/1.0\r\nWARC-Type: r";
        for cut in 10..25 {
            assert_eq!(SEARCH.run(&text[..cut], 0), FoundStart::No(5), "{cut}");
            let whole = StartSearch { whole: true, ..SEARCH };
            assert!(matches!(whole.run(&text[..cut], 0), FoundStart::No(_)), "{cut}");
        }
        assert_eq!(SEARCH.run(&text[..8], 0), FoundStart::No(4));
        assert_eq!(SEARCH.run(text, 4), FoundStart::At(5));
    }

    #[test]
    fn finds_an_arc_line() {
        let search = StartSearch { arc: true, line: true, whole: false };
        let text = b"junk\n\nhttp://a/ 1.2.3.4 20140102030405 text/html 3\nabc\n";
        assert_eq!(search.run(text, 0), FoundStart::At(6));
        assert_eq!(search.run(&text[..20], 0), FoundStart::No(6));
    }

    #[test]
    fn arc_lines() {
        let line = ArcLine::parse(b"http://a.b/x y 1.2.3.4 20140102030405 text/html 12\r").unwrap();
        assert_eq!((line.url.as_str(), line.length), ("http://a.b/x y", Some(12)));
        let headers = line.headers(true);
        assert_eq!(headers.get("warc-date"), Some("2014-01-02T03:04:05Z"));
        assert_eq!(headers.get("content-type"), Some("application/http; msgtype=response"));
        let two = b"http://a.b/ 1.2.3.4 20140102030405 text/html 200 abc - 123 f.arc 77";
        let two = ArcLine::parse(two).unwrap();
        assert_eq!((two.url.as_str(), two.mime.as_str(), two.length), ("http://a.b/", "text/html", Some(77)));
        assert_eq!(ArcLine::parse(b"http://a/ 1.2.3.4 20140102030405 text/html -1").unwrap().length, None);
        assert_eq!(ArcLine::parse(b"http://a/ 1.2.3.4 2014010203040z text/html 1"), None);
        assert_eq!(ArcLine::parse(b"Date: Mon 1 20140102030405 text/html"), None);
        let wrong = ArcLine::parse(b"http://a/ 1.2.3.4 20140102030405 text/html abc").unwrap();
        assert_eq!(wrong.length, None);
        assert_eq!(ArcLine::parse(b"Date: Mon 1 20140102030405 text/html at"), None);
        for (kind, mime) in [
            ("text/html; charset=utf-8 12", "text/html; charset=utf-8"),
            ("text/html, application/x-javascript 12", "text/html, application/x-javascript"),
            ("text/html  12", "text/html"),
            ("12", ""),
            ("text html 12", "text html"),
            ("unknown type; charset=x 12", "unknown type; charset=x"),
            ("text html 200 abc - 123 f.arc 12", "text html"),
            ("text/html; charset=x 200 abc - 123 f.arc 12", "text/html; charset=x"),
        ] {
            let line = format!("http://a.b/x y 1.2.3.4 20140102030405 {kind}");
            let line = ArcLine::parse(line.as_bytes()).unwrap();
            assert_eq!(
                (line.url.as_str(), line.mime.as_str(), line.length),
                ("http://a.b/x y", mime, Some(12)),
                "{kind}"
            );
        }
        for text in [
            "see: 1.2.3.4 20140102030405 or so 12",
            "http://a/ 1.2.3.4 20140102030405 or so 1x",
            "note: the number 20140102030405 12",
            "http://a/ 20140102030405",
        ] {
            assert_eq!(ArcLine::parse(text.as_bytes()), None, "{text}");
        }
        let short = ArcLine::parse(b"dns:a 1.2.3.4 20140102 text/dns 5").unwrap();
        assert_eq!(short.headers(false).get("WARC-Date"), Some("2014-01-02T00:00:00Z"));
    }
}
