//! Fuzzes charset detection with any bytes and any declared encoding. The first line is the encoding that HTTP states.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trommel_html::charset::{CharsetHints, decode};

fuzz_target!(|data: &[u8]| {
    let end = data.iter().position(|b| *b == b'\n').unwrap_or(0);
    let (label, page) = data.split_at(end);
    let label = std::str::from_utf8(label).ok();
    for hints in [
        CharsetHints::default(),
        CharsetHints { http: label, crawl: None, host: None },
        CharsetHints { http: None, crawl: label, host: label },
    ] {
        let decoded = decode(page, &hints);
        let again = decode(page, &hints);
        assert_eq!((&decoded.text, decoded.encoding, decoded.source), (&again.text, again.encoding, again.source));
        // No encoding makes more than a character and a replacement of a byte.
        assert!(decoded.text.chars().count() <= 2 * page.len() + 1);
    }
});
