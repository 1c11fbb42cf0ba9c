//! The line before the block of an ARC record.

use crate::headers::{Headers, text};

/// Maximum length of an ARC header line, which holds a URL.
pub(crate) const ARC_REACH: usize = 16 * 1024;

/// The header line of an ARC record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArcLine {
    pub(crate) url: String,
    pub(crate) ip: String,
    /// Digits as they stand.
    pub(crate) date: String,
    pub(crate) mime: String,
    /// Stated length; none if it is negative or not a number. Old writers put -1 for an unknown length.
    pub(crate) length: Option<u64>,
}

impl ArcLine {
    /// Reads a header line of version 1 (five fields) or 2 (ten). A URL may hold blanks.
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

    /// Reads a header line whose media type contains blanks, or is missing. The type lies between the date and the
    /// length or, in version 2, between the date and the last six fields.
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
        // A line of a text may have a number of 14 digits.
        if !ip.contains(&b'.') || !of_type.first().is_none_or(|(_, word)| word.contains(&b'/')) {
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

    /// The fields a WARC record would have; `http` tells that the block begins with HTTP.
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

    /// `YYYY-MM-DDTHH:MM:SSZ` from the digits; missing ones of the time are zeros.
    fn warc_date(&self) -> String {
        let part = |from: usize, to: usize| self.date.get(from..to).unwrap_or("00");
        format!("{}-{}-{}T{}:{}:{}Z", part(0, 4), part(4, 6), part(6, 8), part(8, 10), part(10, 12), part(12, 14))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        for text in
            ["see: 1.2.3.4 20140102030405 or so 12", "note: the number 20140102030405 12", "http://a/ 20140102030405"]
        {
            assert_eq!(ArcLine::parse(text.as_bytes()), None, "{text}");
        }
        let short = ArcLine::parse(b"dns:a 1.2.3.4 20140102 text/dns 5").unwrap();
        assert_eq!(short.headers(false).get("WARC-Date"), Some("2014-01-02T00:00:00Z"));
    }
}
