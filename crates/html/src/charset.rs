//! Determines the character encoding of a page, and decodes the page.
//!
//! The sources in their order: byte order mark, HTTP header, `<meta>` or XML declaration, the crawl's detection, the
//! bytes. A declared encoding is tested on the bytes first, because servers send a charset by default, and pages are
//! re-encoded without a change of their `<meta>`.

use std::{borrow::Cow, cell::LazyCell};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// Number of bytes at the start of a page that are searched for a declaration of the encoding.
// The standard looks at 1,024 bytes; real heads carry scripts and comments before their declaration.
const DECLARATION_BYTES: usize = 16 << 10;
/// Maximum number of bytes given to the encoding detector.
// It takes some 300 instructions for each; all other steps together take 74 for each byte of the sample.
const DETECTION_BYTES: usize = 64 << 10;

trommel_text::named! {
    /// Source that named a page's encoding.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum CharsetSource {
        /// Byte order mark at the start of the page.
        Bom = "bom",
        /// `charset` parameter of the HTTP Content-Type header.
        Http = "http",
        /// `<meta>` element or XML declaration of the page.
        Meta = "meta",
        /// `charset-detected` in the crawl's metadata record.
        Crawl = "crawl",
        /// Bytes of the page, which are valid UTF-8 or ASCII, or look like the encoding.
        Detected = "detected",
    }
}

/// Hints at a page's encoding that do not come from the bytes of the page.
#[derive(Clone, Copy, Debug, Default)]
pub struct CharsetHints<'a> {
    /// `charset` parameter of the HTTP Content-Type header.
    pub http: Option<&'a str>,
    /// Encoding that the crawler detected.
    pub crawl: Option<&'a str>,
    /// Host of the page; the top-level domain helps to detect the encoding.
    pub host: Option<&'a str>,
}

/// Decoded text of a page, with its encoding.
#[derive(Clone, Debug)]
pub struct Decoded<'a> {
    /// Decoded text of the page; bytes that do not decode become U+FFFD.
    pub text: Cow<'a, str>,
    /// Encoding that the page was decoded from.
    pub encoding: &'static Encoding,
    /// Source that named the encoding.
    pub source: CharsetSource,
}

impl Decoded<'_> {
    /// Returns the result for an empty text in UTF-8 without a byte order mark.
    pub fn of_utf8() -> Self {
        Self { text: Cow::Borrowed(""), encoding: UTF_8, source: CharsetSource::Detected }
    }
}

/// Decodes the bytes of a page, in the encoding that the page or the hints name.
pub fn decode<'a>(bytes: &'a [u8], hints: &CharsetHints) -> Decoded<'a> {
    let mark = Encoding::for_bom(bytes);
    let body = bytes.get(mark.map_or(0, |(_, len)| len)..).unwrap_or_default();
    // Nearly every page is UTF-8 throughout: one fast look tells, and its text is borrowed.
    // The basic form says only whether it is UTF-8, which is all that is asked, and is the faster one.
    let whole = simdutf8::basic::from_utf8(body).ok();
    let (encoding, source) = match mark {
        Some((encoding, _)) => (encoding, CharsetSource::Bom),
        None => choose(body, whole, hints),
    };
    let text = match whole {
        Some(text) if encoding == UTF_8 => Cow::Borrowed(text),
        _ => encoding.decode_without_bom_handling(body).0,
    };
    Decoded { text, encoding, source }
}

/// Decodes a valid UTF-8 page without a byte order mark; `None` if the page or the hints name another encoding.
pub fn decode_text<'a>(text: &'a str, hints: &CharsetHints) -> Option<Decoded<'a>> {
    let (encoding, source) = choose(text.as_bytes(), Some(text), hints);
    // Otherwise the caller has bytes decoded as UTF-8 that must be read in another encoding.
    (encoding == UTF_8).then_some(Decoded { text: Cow::Borrowed(text), encoding, source })
}

/// Returns the encoding of a page without a byte order mark, and its source; `whole` is the page if it is valid UTF-8.
fn choose(bytes: &[u8], whole: Option<&str>, hints: &CharsetHints) -> (&'static Encoding, CharsetSource) {
    if let Some(encoding) = utf16_without_mark(bytes) {
        return (encoding, CharsetSource::Detected);
    }
    // Of a page that is UTF-8 throughout it is only asked for where another encoding is declared.
    let utf8 = LazyCell::new(|| whole.map_or_else(|| Utf8::of_broken(bytes), Utf8::of_whole));
    let may_be_utf8 = || whole.is_some() || utf8.is_plausible();
    // In the order of the HTML standard. What the crawl detected is a guess, and comes last.
    let declared = [
        (hints.http.and_then(label), CharsetSource::Http),
        (declaration(bytes), CharsetSource::Meta),
        (hints.crawl.and_then(label), CharsetSource::Crawl),
    ];
    for (encoding, source) in declared {
        if let Some(encoding) = encoding
            && if encoding == UTF_8 { may_be_utf8() } else { is_plausible(bytes, encoding, &utf8) }
        {
            return (encoding, source);
        }
    }
    if may_be_utf8() {
        return (UTF_8, CharsetSource::Detected);
    }
    (detect(bytes, hints.host), CharsetSource::Detected)
}

/// Returns whether a label names an encoding that browsers know.
pub fn is_label(label: &str) -> bool {
    by_label(label).is_some()
}

fn by_label(label: &str) -> Option<&'static Encoding> {
    Encoding::for_label(label.trim().trim_matches(['"', '\'']).as_bytes())
}

/// Returns the encoding with a label; UTF-8 for labels of UTF-16, because a page with a readable declaration is not
/// UTF-16 (HTML standard, 13.2.3.2).
fn label(label: &str) -> Option<&'static Encoding> {
    let encoding = by_label(label)?;
    if encoding == UTF_16LE || encoding == UTF_16BE {
        return Some(UTF_8);
    }
    // What declares itself "replacement" or user-defined tells nothing about its text.
    (encoding != encoding_rs::REPLACEMENT && encoding != encoding_rs::X_USER_DEFINED).then_some(encoding)
}

/// Result of reading bytes as UTF-8: counts of characters beyond ASCII and of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Utf8 {
    /// Number of characters beyond ASCII; for text without faults, counting stops at `MIN_UTF8_CHARACTERS`.
    wide: usize,
    /// Number of sequences that are not UTF-8; 0 if the only one is an incomplete character at the very end.
    faults: usize,
}

impl Utf8 {
    /// Minimum number of characters beyond ASCII in text without faults that make UTF-8 certain.
    // One valid sequence can be chance in another encoding; two without any fault hardly are.
    const MIN_UTF8_CHARACTERS: usize = 2;

    fn of_whole(text: &str) -> Self {
        let mut rest = text;
        let mut wide = 0;
        while wide < Self::MIN_UTF8_CHARACTERS {
            let ascii = Encoding::ascii_valid_up_to(rest.as_bytes());
            let mut after = rest.get(ascii..).unwrap_or_default().chars();
            if after.next().is_none() {
                break;
            }
            wide += 1;
            rest = after.as_str();
        }
        Utf8 { wide, faults: 0 }
    }

    fn of_broken(bytes: &[u8]) -> Self {
        let wide = |valid: &str| valid.bytes().filter(|byte| *byte >= 0xC0).count();
        let mut found = Utf8 { wide: 0, faults: 0 };
        for chunk in bytes.utf8_chunks() {
            found.wide += wide(chunk.valid());
            found.faults += usize::from(!chunk.invalid().is_empty());
        }
        // A page that was cut by the crawler may end inside a character.
        if found.faults == 1 && bytes.utf8_chunks().last().is_some_and(|c| !c.invalid().is_empty()) {
            found.faults = 0;
        }
        found
    }

    /// Returns whether the bytes may be UTF-8: at most one invalid sequence for every 50 characters beyond ASCII.
    fn is_plausible(&self) -> bool {
        // Pages are put together from parts, of which one may be in another encoding: one fault in fifty is allowed.
        self.faults * 50 <= self.wide
    }

    /// Returns whether the bytes have so many valid UTF-8 characters beyond ASCII that no other encoding is possible.
    fn is_certain(&self) -> bool {
        self.wide >= Self::MIN_UTF8_CHARACTERS && self.faults == 0 || self.wide >= 100 && self.faults * 50 <= self.wide
    }
}

/// Returns whether the bytes can be text in the declared encoding, which is not UTF-8.
fn is_plausible(bytes: &[u8], encoding: &'static Encoding, utf8: &Utf8) -> bool {
    if utf8.wide == 0 && utf8.faults == 0 {
        // Pure ASCII is the same in nearly every encoding; escape sequences make the difference.
        return true;
    }
    if utf8.is_certain() {
        return false;
    }
    // Every byte is a character there, so the bytes cannot contradict the declaration.
    if encoding.is_single_byte() {
        return true;
    }
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    let faults = text.matches('\u{fffd}').count();
    let wide = text.chars().filter(|c| !c.is_ascii()).count();
    // The wrong encoding faults far more often than once in twenty wide characters, damaged text less often.
    faults * 20 <= wide
}

/// Returns the UTF-16 encoding of a page without a byte order mark, recognised by the zero bytes of its ASCII
/// characters; `None` for other pages.
fn utf16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    // A page in a script without spaces may have few ASCII characters, but begins with a tag.
    match bytes {
        [b'<', 0, b'!' | b'?' | b'A'..=b'Z' | b'a'..=b'z', 0, ..] => return Some(UTF_16LE),
        [0, b'<', 0, b'!' | b'?' | b'A'..=b'Z' | b'a'..=b'z', ..] => return Some(UTF_16BE),
        _ => {}
    }
    // Zeros are counted at the start only: markup comes first, and a binary page must not cost a full pass.
    let sample = bytes.get(..bytes.len().min(2048))?;
    if sample.len() < 8 {
        return None;
    }
    let zeros = |from: usize| sample.iter().skip(from).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let half = sample.len() / 2;
    // Two fifths of one half are zeros, less than a twentieth of the other: markup mixed with other scripts.
    if odd * 10 > half * 4 && even * 20 < half {
        Some(UTF_16LE)
    } else if even * 10 > half * 4 && odd * 20 < half {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// Returns the encoding declared in the page: `<?xml encoding="...">` or `<meta charset=...>`, also in `http-equiv`,
/// but not in comments.
fn declaration(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes.get(..bytes.len().min(DECLARATION_BYTES))?;
    if head.trim_ascii_start().starts_with(b"<?xml") {
        let end = memchr::memmem::find(head, b"?>").unwrap_or(head.len());
        if let Some(found) = head.get(..end).and_then(|xml| after(xml, b"encoding")).and_then(label) {
            return Some(found);
        }
    }
    let mut at = 0;
    while let Some(found) = head.get(at..).and_then(|rest| memchr::memchr(b'<', rest)) {
        at += found;
        let rest = head.get(at..).unwrap_or_default();
        // Declarations in comments are those of templates and old versions.
        if rest.starts_with(b"<!--") {
            at += memchr::memmem::find(rest, b"-->").unwrap_or(rest.len());
        } else if is_meta(rest) {
            let end = memchr::memchr(b'>', rest).unwrap_or(rest.len());
            if let Some(found) = rest.get(..end).and_then(|tag| after(tag, b"charset")).and_then(label) {
                return Some(found);
            }
            at += end;
        } else {
            at += 1;
        }
    }
    None
}

/// Returns whether the bytes begin with the start tag of a `meta`.
fn is_meta(rest: &[u8]) -> bool {
    let (name, behind) = (rest.get(..5), rest.get(5));
    name.is_some_and(|name| name.eq_ignore_ascii_case(b"<meta"))
        && behind.is_some_and(|byte| byte.is_ascii_whitespace() || *byte == b'/')
}

/// Returns the value that follows `key` and `=` in the text, without quotes.
fn after<'a>(text: &'a [u8], key: &[u8]) -> Option<&'a str> {
    let at = text.windows(key.len()).position(|window| window.eq_ignore_ascii_case(key))?;
    let rest = text.get(at + key.len()..)?.trim_ascii_start();
    let rest = rest.strip_prefix(b"=")?.trim_ascii_start();
    let rest = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"'")).unwrap_or(rest).trim_ascii_start();
    let end = rest
        .iter()
        .position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b';' | b'/' | b'>'))
        .unwrap_or(rest.len());
    rest.get(..end).and_then(|value| std::str::from_utf8(value).ok())
}

/// Returns the encoding that a detector guesses from the bytes of a page; the top-level domain of the host helps.
fn detect(bytes: &[u8], host: Option<&str>) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    // Markup says nothing: only pieces of text with bytes beyond ASCII are fed, and every page that comes here has some.
    // No encoding with such bytes has these marks within a character.
    let pieces = bytes.split_inclusive(|byte| matches!(byte, b'<' | b'>'));
    let mut room = DETECTION_BYTES;
    for piece in pieces.filter(|piece| !piece.is_ascii()) {
        let fed = piece.get(..room).unwrap_or(piece);
        detector.feed(fed, false);
        room -= fed.len();
        if room == 0 {
            break;
        }
    }
    detector.feed(b"", true);
    let domain = host
        .and_then(|host| host.rsplit('.').next())
        .map(|domain| domain.split(':').next().unwrap_or(domain).to_ascii_lowercase())
        // The detector refuses other domains by a panic.
        .filter(|domain| !domain.is_empty() && domain.is_ascii());
    detector.guess(domain.as_deref().map(str::as_bytes), Utf8Detection::Allow)
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{GBK, SHIFT_JIS, WINDOWS_1251, WINDOWS_1252};

    fn choose(bytes: &[u8], hints: &CharsetHints) -> (&'static Encoding, CharsetSource) {
        let decoded = decode(bytes, hints);
        (decoded.encoding, decoded.source)
    }

    fn check(bytes: &[u8], hints: CharsetHints, text: &str, encoding: &'static Encoding, source: CharsetSource) {
        let decoded = decode(bytes, &hints);
        assert_eq!((decoded.text.as_ref(), decoded.encoding, decoded.source), (text, encoding, source));
    }

    #[test]
    fn text_amid_much_markup_is_detected() {
        let markup = b"<p class=x>plain</p>".repeat(40_000);
        let text = "<p>Мельница стоит у реки, и её колесо вращается там уже двести лет.</p>";
        let page = [&markup, &*WINDOWS_1251.encode(text).0, &markup].concat();
        assert_eq!(choose(&page, &CharsetHints::default()), (WINDOWS_1251, CharsetSource::Detected));
    }

    #[test]
    fn a_mark_wins() {
        let hints = CharsetHints { http: Some("windows-1252"), ..CharsetHints::default() };
        check("\u{feff}é".as_bytes(), hints, "é", UTF_8, CharsetSource::Bom);
        check(b"\xFF\xFE<\0p\0>\0a\0", hints, "<p>a", UTF_16LE, CharsetSource::Bom);
        check(b"\xFE\xFF\0<\0p\0>\0a", hints, "<p>a", UTF_16BE, CharsetSource::Bom);
    }

    #[test]
    fn utf16_is_seen_without_a_mark() {
        let bytes: Vec<u8> = "<html><p>Grüße</p>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        check(&bytes, CharsetHints::default(), "<html><p>Grüße</p>", UTF_16LE, CharsetSource::Detected);
        let bytes: Vec<u8> = "<html><p>Grüße</p>".encode_utf16().flat_map(u16::to_be_bytes).collect();
        check(&bytes, CharsetHints::default(), "<html><p>Grüße</p>", UTF_16BE, CharsetSource::Detected);
    }

    #[test]
    fn http_then_meta_then_crawl() {
        let (text, _, _) = WINDOWS_1251.encode("Привет, мир");
        let http = CharsetHints { http: Some("windows-1251"), ..CharsetHints::default() };
        check(&text, http, "Привет, мир", WINDOWS_1251, CharsetSource::Http);
        let crawl = CharsetHints { crawl: Some("windows-1251"), ..CharsetHints::default() };
        check(&text, crawl, "Привет, мир", WINDOWS_1251, CharsetSource::Crawl);
        let page = [
            b"<!-- <meta charset=utf-8> --><META http-equiv='x' content='text/html; CharSet = \"windows-1251\"'>",
            text.as_ref(),
        ]
        .concat();
        assert_eq!(choose(&page, &CharsetHints::default()), (WINDOWS_1251, CharsetSource::Meta));
        let (kanji, _, _) = SHIFT_JIS.encode("日本語");
        let page = [b"<?xml version='1.0' encoding='Shift_JIS'?>", kanji.as_ref()].concat();
        assert_eq!(choose(&page, &CharsetHints::default()), (SHIFT_JIS, CharsetSource::Meta));
    }

    #[test]
    fn a_declaration_is_a_meta_with_spaces_around_its_label() {
        let of = |bytes| choose(bytes, &CharsetHints::default());
        assert_eq!(of(b"<meta charset='\n koi8-r\n'><p>x"), (encoding_rs::KOI8_R, CharsetSource::Meta));
        assert_eq!(of(b"<metadata charset=koi8-r><p>x"), (UTF_8, CharsetSource::Detected));
    }

    #[test]
    fn a_declaration_that_lies_is_passed_over() {
        let hints = CharsetHints { http: Some("iso-8859-1"), ..CharsetHints::default() };
        check("naïve café".as_bytes(), hints, "naïve café", UTF_8, CharsetSource::Detected);
        let (text, _, _) = GBK.encode("我在湖南张家界开一个全省教学研究会议。按照惯例，会议安排了一天时间。");
        let hints = CharsetHints { http: Some("utf-8"), ..CharsetHints::default() };
        assert_eq!(choose(&text, &hints), (GBK, CharsetSource::Detected));
    }

    #[test]
    fn a_few_broken_bytes_do_not_unseat_utf8() {
        let mut bytes = "é".repeat(200).into_bytes();
        bytes.extend(b"\xFFx");
        let decoded = decode(&bytes, &CharsetHints { http: Some("utf-8"), ..CharsetHints::default() });
        assert_eq!((decoded.encoding, decoded.source), (UTF_8, CharsetSource::Http));
        assert!(decoded.text.ends_with("\u{fffd}x"));
        // A page cut inside a character is whole up to there.
        let cut = &"aé".as_bytes()[..2];
        assert_eq!(choose(cut, &CharsetHints { http: Some("utf-8"), ..CharsetHints::default() }).0, UTF_8);
    }

    #[test]
    fn nothing_declared_is_detected() {
        let (text, _, _) = WINDOWS_1252.encode("Die Straße führt über die Brücke nach Süden, sagt Jürgen.");
        assert_eq!(choose(&text, &CharsetHints::default()), (WINDOWS_1252, CharsetSource::Detected));
        assert_eq!(choose(b"plain", &CharsetHints::default()), (UTF_8, CharsetSource::Detected));
        assert_eq!(choose(b"", &CharsetHints::default()), (UTF_8, CharsetSource::Detected));
    }

    #[test]
    fn few_characters_beyond_ascii_are_counted_as_by_the_letter() {
        let long = "x".repeat(100);
        for text in ["", "a", "é", "éa", "aéb", "éé", "日本語", &long] {
            for text in [text.to_owned(), format!("{long}{text}"), format!("{text}{long}é")] {
                let wide = text.chars().filter(|c| !c.is_ascii()).count().min(2);
                assert_eq!(Utf8::of_whole(&text), Utf8 { wide, faults: 0 }, "{text}");
            }
        }
    }

    #[test]
    fn one_character_beyond_ascii_does_not_make_utf8() {
        let hints = CharsetHints { http: Some("windows-1252"), ..CharsetHints::default() };
        check(b"\xC3\xA9", hints, "\u{c3}\u{a9}", WINDOWS_1252, CharsetSource::Http);
    }
}
