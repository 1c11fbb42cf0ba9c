//! Sort keys of URLs ("SURT"), as indexes of crawls have them: `org,example)/path?query`.
//!
//! The rules are those of the Wayback machine and of Common Crawl's `url_surtkey`: escapes are undone and made again in
//! one way, the host stands in reverse without `www`, case and session ids do not matter, and parameters are sorted.

use std::net::Ipv4Addr;
use std::sync::LazyLock;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode, percent_encode};
use regex_lite::Regex;

/// Escapes in escapes that are undone: nobody means more, and time must be linear.
const ROUNDS: usize = 16;
/// Signs that are escaped, beside all that are not ASCII.
const ESCAPED: &AsciiSet = &CONTROLS.add(b' ').add(b'#').add(b'%');

/// Session ids of ASP.NET: `/(a(24 letters or digits))/` and `/(24 ...)/` before an `.aspx`.
static PATH_SESSIONS: LazyLock<Vec<Regex>> =
    LazyLock::new(|| patterns(&[r"^(.*/)\((?:(?:[a-z]\([0-9a-z]{24}\))+|[0-9a-z]{24})\)/([^?]+\.aspx.*)$"]));
/// The parameters that Java, PHP, ASP and ColdFusion keep sessions in.
static QUERY_SESSIONS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    patterns(&[
        r"(?i)^(.*)jsessionid=[0-9a-z]{32}(?:&(.*))?$",
        r"(?i)^(.*)phpsessid=[0-9a-z]{32}(?:&(.*))?$",
        r"(?i)^(.*)sid=[0-9a-z]{32}(?:&(.*))?$",
        r"(?i)^(.*)aspsessionid[a-z]{8}=[a-z]{24}(?:&(.*))?$",
        r"(?i)^(.*)cfid=[^&]+&cftoken=[^&]+(?:&(.*))?$",
    ])
});

fn patterns(patterns: &[&str]) -> Vec<Regex> {
    // None is wrong: the tests use all.
    patterns.iter().filter_map(|pattern| Regex::new(pattern).ok()).collect()
}

/// The sort key of a URL; of what is no URL, something that sorts as well as it can.
///
/// ```
/// use trommel_output::surt_key;
///
/// assert_eq!(surt_key("https://www.Example.org/B/?b=2&a=1#top"), "org,example)/b?a=1&b=2");
/// ```
pub fn surt_key(url: &str) -> String {
    let url = url.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\x0b');
    if url.is_empty() {
        return "-".to_owned();
    }
    if url.starts_with("filedesc") {
        return url.to_owned();
    }
    let mut bytes: Vec<u8> = url.bytes().filter(|byte| !matches!(byte, b'\n' | b'\r' | b'\t')).collect();
    if scheme_end(&bytes).is_none() {
        bytes.splice(0..0, *b"http://");
    }
    while let Some(inner) = doubled_scheme(&bytes) {
        bytes.drain(..inner);
    }
    let parts = Parts::of(&bytes);
    let host = parts.host();
    let (host, free_path) = match (host.is_empty(), parts.scheme.starts_with(b"http")) {
        // `http:////host/path`.
        (true, true) => {
            let rest = trimmed_start(parts.path, b'/');
            let end = rest.iter().position(|byte| *byte == b'/').unwrap_or(rest.len());
            let (host, path) = rest.split_at(end);
            (host.to_ascii_lowercase(), [b"/", path.strip_prefix(b"/").unwrap_or(path)].concat())
        }
        _ => (host, parts.path.to_vec()),
    };
    let host = canonical_host(&host);
    let mut key = Vec::with_capacity(bytes.len());
    if host.is_empty() {
        key.extend_from_slice(parts.scheme);
        key.push(b':');
    } else {
        let mut labels: Vec<&[u8]> = host.split(|byte| *byte == b'.').collect();
        labels.reverse();
        key.extend(labels.join(&b','));
        if let Some(port) = parts.port().filter(|port| Some(*port) != default_port(parts.scheme)) {
            key.extend(format!(":{port}").bytes());
        }
        key.push(b')');
    }
    let path = unescaped(&free_path);
    let path = if host.is_empty() { path } else { normal_path(&path) };
    let mut path = without_sessions(escaped(&path).to_ascii_lowercase(), &PATH_SESSIONS);
    if path.len() > 1 && path.ends_with('/') {
        path.pop();
    }
    let query = without_sessions(escaped(&unescaped(parts.query)), &QUERY_SESSIONS);
    let query = sorted_query(&query.to_ascii_lowercase());
    if path.is_empty() && !query.is_empty() {
        path.push('/');
    }
    key.extend(path.bytes());
    if !query.is_empty() {
        key.push(b'?');
        key.extend(query.bytes());
    }
    String::from_utf8_lossy(&key).into_owned()
}

/// A URL in its parts, which are joined as RFC 3986 says.
struct Parts<'a> {
    scheme: &'a [u8],
    authority: &'a [u8],
    path: &'a [u8],
    query: &'a [u8],
}

impl<'a> Parts<'a> {
    fn of(url: &'a [u8]) -> Self {
        let cut = |bytes: &'a [u8], ends: &[u8]| {
            let end = bytes.iter().position(|byte| ends.contains(byte)).unwrap_or(bytes.len());
            bytes.split_at(end)
        };
        let (url, _) = cut(url, b"#");
        let (scheme, rest) = url.split_at(scheme_end(url).unwrap_or(0));
        let rest = rest.strip_prefix(b":").unwrap_or(rest);
        let (authority, rest) = match rest.strip_prefix(b"//") {
            Some(rest) => cut(rest, b"/?"),
            None => (&[][..], rest),
        };
        let (path, query) = cut(rest, b"?");
        Self { scheme, authority, path, query: query.strip_prefix(b"?").unwrap_or(query) }
    }

    fn host_and_port(&self) -> (&'a [u8], &'a [u8]) {
        let user = self.authority.iter().rposition(|byte| *byte == b'@');
        let place = user.and_then(|at| self.authority.get(at + 1..)).unwrap_or(self.authority);
        // An address of IPv6 has colons of its own.
        if let Some(inner) = place.strip_prefix(b"[")
            && let Some(end) = inner.iter().position(|byte| *byte == b']')
        {
            let (host, rest) = inner.split_at(end);
            return (host, rest.strip_prefix(b"]:").unwrap_or_default());
        }
        match place.iter().position(|byte| *byte == b':') {
            Some(at) => (place.get(..at).unwrap_or_default(), place.get(at + 1..).unwrap_or_default()),
            None => (place, &[]),
        }
    }

    fn host(&self) -> Vec<u8> {
        self.host_and_port().0.to_ascii_lowercase()
    }

    fn port(&self) -> Option<u16> {
        std::str::from_utf8(self.host_and_port().1).ok()?.parse().ok().filter(|port| *port > 0)
    }
}

/// The end of the scheme, before its colon.
fn scheme_end(url: &[u8]) -> Option<usize> {
    let end = url.iter().position(|byte| !byte.is_ascii_alphanumeric() && !b"+-.".contains(byte))?;
    let is_scheme = url.get(end) == Some(&b':') && url.first().is_some_and(u8::is_ascii_alphabetic);
    is_scheme.then_some(end)
}

/// Bytes of the first of two schemes that follow each other, as in `http://https://host`.
fn doubled_scheme(url: &[u8]) -> Option<usize> {
    let web =
        |url: &[u8]| [&b"http://"[..], b"https://"].into_iter().find(|scheme| url.starts_with(scheme)).map(<[u8]>::len);
    let first = web(url)?;
    web(url.get(first..)?).map(|_| first)
}

fn default_port(scheme: &[u8]) -> Option<u16> {
    match scheme.to_ascii_lowercase().as_slice() {
        b"http" => Some(80),
        b"https" => Some(443),
        _ => None,
    }
}

fn canonical_host(host: &[u8]) -> Vec<u8> {
    let host = unescaped(host);
    let host = match std::str::from_utf8(&host) {
        Ok(text) if !text.is_ascii() => {
            let ascii = url::Host::parse(text).map(|host| host.to_string());
            ascii.map_or_else(|_| text.as_bytes().to_vec(), String::into_bytes)
        }
        _ => host,
    };
    let mut plain: Vec<u8> = Vec::with_capacity(host.len());
    let mut bytes = host.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        plain.push(byte);
        if byte == b'.' {
            // Two dots are one.
            bytes.next_if_eq(&b'.');
        }
    }
    let host = trimmed_end(trimmed_start(&plain, b'.'), b'.');
    if let Some(address) = numeric_address(host) {
        return address.to_string().into_bytes();
    }
    without_www(escaped(&host.to_ascii_lowercase()).as_bytes()).to_vec()
}

/// `www.`, `www2.` and the like tell one server from another, not one page.
fn without_www(host: &[u8]) -> &[u8] {
    let rest = host.strip_prefix(b"www").and_then(|rest| {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        rest.get(digits..)?.strip_prefix(b".")
    });
    rest.unwrap_or(host)
}

/// An address of IPv4 that is written as one number, or in parts of which some may be left out or octal.
fn numeric_address(host: &[u8]) -> Option<Ipv4Addr> {
    let text = std::str::from_utf8(host).ok()?;
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    if !text.contains('.') {
        // The lower four bytes count.
        let number = text.bytes().fold(0u32, |sum, digit| sum.wrapping_mul(10).wrapping_add(u32::from(digit - b'0')));
        return Some(Ipv4Addr::from(number));
    }
    let parts: Vec<&str> = text.split('.').collect();
    let number = |part: &str| match part.strip_prefix('0').filter(|rest| !rest.is_empty()) {
        Some(octal) => u32::from_str_radix(octal, 8).ok(),
        None => part.parse().ok(),
    };
    let (last, first) = parts.split_last()?;
    if first.len() > 3 {
        return None;
    }
    let mut address = 0u32;
    for part in first {
        address = (address << 8) | number(part).filter(|part| *part < 256)?;
    }
    let bits = 8 * (4 - u32::try_from(first.len()).ok()?);
    let last = number(last).filter(|part| bits == 32 || *part < 1 << bits)?;
    let high = if bits == 32 { 0 } else { address << bits };
    Some(Ipv4Addr::from(high | last))
}

/// Without `.` and `..`, and with one slash between names.
fn normal_path(path: &[u8]) -> Vec<u8> {
    let mut kept: Vec<&[u8]> = Vec::new();
    for name in path.split(|byte| *byte == b'/').skip(1) {
        match name {
            b"." => {}
            b".." => {
                if kept.pop().is_none() {
                    kept.push(name);
                }
            }
            name => kept.push(name),
        }
    }
    let mut normal = vec![b'/'];
    if let Some((last, before)) = kept.split_last() {
        for name in before.iter().filter(|name| !name.is_empty()) {
            normal.extend_from_slice(name);
            normal.push(b'/');
        }
        normal.extend_from_slice(last);
    }
    normal
}

/// With escapes undone until there are none. Each round takes away two bytes at least for each escape it undoes, so
/// that the work stays within the square of the nesting, which [`ROUNDS`] bounds.
fn unescaped(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..ROUNDS {
        let next: Vec<u8> = percent_decode(&bytes).collect();
        if next == bytes {
            break;
        }
        bytes = next;
    }
    bytes
}

fn trimmed_start(bytes: &[u8], byte: u8) -> &[u8] {
    let start = bytes.iter().position(|other| *other != byte).unwrap_or(bytes.len());
    bytes.get(start..).unwrap_or_default()
}

fn trimmed_end(bytes: &[u8], byte: u8) -> &[u8] {
    let end = bytes.iter().rposition(|other| *other != byte).map_or(0, |last| last + 1);
    bytes.get(..end).unwrap_or_default()
}

fn escaped(bytes: &[u8]) -> String {
    percent_encode(bytes, ESCAPED).to_string()
}

/// A path or query without what its patterns find between its first part and its second.
fn without_sessions(mut text: String, sessions: &[Regex]) -> String {
    for session in sessions {
        if let Some(found) = session.captures(&text) {
            text = [found.get(1), found.get(2)].into_iter().flatten().map(|part| part.as_str()).collect();
        }
    }
    text
}

/// Parameters in the order of their names and values; one without `=` keeps being so.
fn sorted_query(query: &str) -> String {
    let mut parameters: Vec<&str> = query.split('&').collect();
    parameters.sort_by_key(|parameter| match parameter.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (*parameter, None),
    });
    parameters.join("&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_those_of_indexes() {
        for (url, key) in [
            ("", "-"),
            ("http://www.example.org/", "org,example)/"),
            ("http://example.org", "org,example)/"),
            ("www.Example.org/A", "org,example)/a"),
            ("https://WWW2.example.org:443/a/", "org,example)/a"),
            ("http://example.org:8080/a", "org,example:8080)/a"),
            ("http://me:secret@example.org/", "org,example)/"),
            ("http://example.org/?", "org,example)/"),
            ("http://example.org?b=2&a=1", "org,example)/?a=1&b=2"),
            ("http://example.org/?b&a=&a", "org,example)/?a&a=&b"),
            ("http://example.org/a/../b/./c//d", "org,example)/b/c/d"),
            ("http://example.org/a%20b%2520c", "org,example)/a%20b%20c"),
            ("http://example.org/caf\u{e9}", "org,example)/caf%c3%a9"),
            ("http://b\u{fc}cher.example/", "example,xn--bcher-kva)/"),
            ("http://1.2.3.4/x", "4,3,2,1)/x"),
            ("http://16909060/x", "4,3,2,1)/x"),
            ("http://https://example.org/x", "org,example)/x"),
            ("http:////example.org/x", "org,example)/x"),
            ("http://example..org./x", "org,example)/x"),
            ("http://example.org/a?PHPSESSID=0123456789abcdef0123456789abcdef&x=1", "org,example)/a?x=1"),
            ("http://example.org/a?x=1&sid=0123456789abcdef0123456789abcdef", "org,example)/a?&x=1"),
            ("http://example.org/a?cfid=12&cftoken=34&x=1", "org,example)/a?x=1"),
            ("http://example.org/(a(0123456789abcdefghijklmn))/p.aspx", "org,example)/p.aspx"),
            ("http://example.org/(0123456789abcdefghijklmn)/p.aspx?q", "org,example)/p.aspx?q"),
            ("http://example.org/a#b?c", "org,example)/a"),
            ("dns:example.org", "dns:example.org"),
            ("filedesc://x", "filedesc://x"),
            ("http://example.org/a\r\nb", "org,example)/ab"),
        ] {
            assert_eq!(surt_key(url), key, "{url}");
        }
    }

    #[test]
    fn anything_has_a_key() {
        for url in
            ["http://", "http:", ":", "%", "%%%", "http://[::1]:8/x", "http://a:b:c/", "?", "#", "http://%ff/\u{0}"]
        {
            assert!(!surt_key(url).is_empty(), "{url}");
        }
        let deep = format!("http://h/{}41", "%25".repeat(10_000));
        assert!(surt_key(&deep).len() < 10 * deep.len());
    }
}
