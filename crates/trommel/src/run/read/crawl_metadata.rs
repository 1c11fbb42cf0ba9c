//! Reads the metadata record of a crawl about the response before it.

use trommel_archive::{Record, RecordType};

/// The encoding that the crawler detected for `response`, if `next`, the record after it, is a metadata
/// record about it.
pub fn crawl_charset(response: &Record, next: &Record) -> Option<String> {
    if next.kind != RecordType::Metadata || !is_about(response, next) {
        return None;
    }
    let charset = field(&next.block, "charset-detected")?;
    (!charset.is_empty()).then(|| charset.to_owned())
}

fn is_about(response: &Record, next: &Record) -> bool {
    match (next.concurrent_to(), response.id()) {
        // The id says it for sure. Some crawlers write none, but the same address right behind.
        (Some(concurrent), Some(id)) if concurrent == id => true,
        _ => response.url().is_some() && response.url() == next.url(),
    }
}

/// Value of a field in an `application/warc-fields` block.
fn field<'a>(block: &'a [u8], name: &str) -> Option<&'a str> {
    block.split(|&byte| byte == b'\n').find_map(|line| {
        let (key, value) = std::str::from_utf8(line).ok()?.split_once(':')?;
        key.trim().eq_ignore_ascii_case(name).then(|| value.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_by_name() {
        let block = b"fetchTimeMs: 258\r\n\xff: x\r\nCharset-Detected:  windows-1251 \r\n\r\n";
        assert_eq!(field(block, "charset-detected"), Some("windows-1251"));
        assert_eq!(field(block, "fetchTimeMs"), Some("258"));
        assert_eq!(field(block, "languages-cld2"), None);
    }
}
