//! Runs the public tests of HTML tokenizers and encodings (html5lib-tests) that apply to the tables of a page.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use super::engine::shared_data;
use crate::charset::{self, CharsetSource};
use crate::reread::TagPiece;
use crate::{Engine, Limits, ScanEngine};

/// Returns the folder of html5lib-tests; `None`, with a printed message, if it does not exist.
fn folder() -> Option<PathBuf> {
    let folder = shared_data().join("html5lib-tests");
    let is_there = folder.is_dir();
    if !is_there {
        println!("skipped: no folder {}", folder.display());
    }
    is_there.then_some(folder)
}

/// Returns the sorted paths of the test files in the folder `part` whose names end with `ending`.
fn files(part: &str, ending: &str) -> Vec<PathBuf> {
    let Some(folder) = folder() else { return Vec::new() };
    let entries = std::fs::read_dir(folder.join(part)).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.to_string_lossy().ends_with(ending)).collect();
    files.sort();
    files
}

/// Start tags with their attributes, and the text without white space.
#[derive(Debug, Default, PartialEq)]
struct Tokens {
    tags: Vec<(String, BTreeMap<String, String>)>,
    text: String,
}

impl Tokens {
    fn of_test(output: &Value, unescape: impl Fn(&str) -> String) -> Self {
        let mut tokens = Self { text: "x".to_owned(), ..Self::default() };
        let string = |value: &Value| unescape(value.as_str().unwrap());
        for token in output.as_array().unwrap() {
            match token[0].as_str().unwrap() {
                "StartTag" => {
                    let attributes = token[2].as_object().unwrap().iter();
                    let attributes = attributes.map(|(name, value)| (unescape(name), string(value))).collect();
                    tokens.tags.push((string(&token[1]), attributes));
                }
                "Character" => tokens.text.push_str(&string(&token[1])),
                _ => {}
            }
        }
        tokens.text.retain(|c| !c.is_whitespace());
        tokens
    }

    /// Returns the tags and text in the tables of a page, without its first `openers` elements, which set up the state.
    fn of_page(html: &str, openers: usize) -> Self {
        let page = ScanEngine.read(html, &Limits::default());
        let elements = page.elements.iter().skip(openers);
        let tags = elements.map(|element| {
            let tag = TagPiece::at(html, element.start as usize).unwrap();
            let names = tag.attributes().map(|(name, _)| String::from_utf8_lossy(name).to_ascii_lowercase());
            let values = names.map(|name| {
                let value = element.attribute(html, &name).unwrap();
                (name, value)
            });
            (page.name(element).to_owned(), values.collect())
        });
        let tags = tags.collect();
        let mut text: String = page.blocks.iter().map(|block| page.text(block)).collect();
        text.retain(|c| !c.is_whitespace());
        Self { tags, text }
    }
}

/// Returns the explanation of a deliberate difference between the tables and the standard's tokens; `None` for others.
fn deliberate(html: &str, expected: &Tokens, found: &Tokens) -> Option<&'static str> {
    let shown = |tokens: &Tokens| -> String { tokens.text.chars().filter(|c| !shows_nothing(*c)).collect() };
    let same_tags = expected.tags == found.tags;
    let is_sign = |c: char| !c.is_alphanumeric();
    if same_tags && shown(expected) == shown(found) {
        return Some("characters that show nothing are dropped");
    }
    if same_tags && html.contains(&"0".repeat(48)) {
        return Some("a reference of more than 48 bytes is text");
    }
    let signs = expected.text.strip_prefix(&found.text).is_some_and(|rest| rest.chars().all(is_sign));
    if same_tags && signs {
        return Some("signs alone are no block");
    }
    if expected.tags.iter().filter(|(name, _)| name != "br").eq(&found.tags) && expected.text == found.text {
        return Some("a line break has no row");
    }
    let count = |tokens: &Tokens| tokens.tags.iter().map(|(_, attributes)| attributes.len()).collect::<Vec<_>>();
    let has_nul = html.contains('\0') && expected.text == found.text && count(expected) == count(found);
    has_nul.then_some("a NUL in a tag stays as it is")
}

/// Returns whether a character is left out of texts.
fn shows_nothing(c: char) -> bool {
    c.is_control() || matches!(c, '\u{ad}' | '\u{200b}' | '\u{feff}')
}

#[test]
fn tokens_are_those_of_the_standard() {
    let (mut agree, mut all) = (0, 0);
    let mut differ: BTreeMap<&str, usize> = BTreeMap::new();
    let mut faults = Vec::new();
    for file in files("tokenizer", ".test") {
        let tests: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        for test in tests["tests"].as_array().into_iter().flatten() {
            let doubled = test["doubleEscaped"].as_bool().unwrap_or(false);
            let unescape = |text: &str| if doubled { unescaped(text) } else { text.to_owned() };
            let input = unescape(test["input"].as_str().unwrap());
            let expected = Tokens::of_test(&test["output"], unescape);
            let states = test["initialStates"].as_array();
            let states = states.map_or(vec!["Data state"], |all| all.iter().filter_map(Value::as_str).collect());
            for state in states {
                all += 1;
                let Some((opener, openers)) = opener(state, test["lastStartTag"].as_str()) else {
                    *differ.entry("what the state holds is no text of the page").or_default() += 1;
                    continue;
                };
                // With a letter, as signs alone are no block.
                let html = format!("{opener}x{input}");
                let found = Tokens::of_page(&html, openers);
                if found == expected {
                    agree += 1;
                } else if let Some(class) = deliberate(&html, &expected, &found) {
                    *differ.entry(class).or_default() += 1;
                } else {
                    faults.push(format!("{state} {input:?}\n  expected {expected:?}\n  found    {found:?}"));
                }
            }
        }
    }
    println!("{agree} of {all} agree, deliberate differences: {differ:#?}");
    assert!(faults.is_empty(), "{} other differences:\n{}", faults.len(), faults.join("\n"));
}

/// Returns a text with its escapes (`\u00e9`) replaced by characters.
fn unescaped(text: &str) -> String {
    let mut parts = text.split("\\u");
    let mut units: Vec<u16> = parts.next().unwrap_or_default().encode_utf16().collect();
    for part in parts {
        units.push(u16::from_str_radix(&part[..4], 16).unwrap());
        units.extend(part[4..].encode_utf16());
    }
    String::from_utf16_lossy(&units)
}

/// Returns the start of a page that brings its reader into a tokenizer state, and the number of elements in it.
fn opener(state: &str, last: Option<&str>) -> Option<(&'static str, usize)> {
    match (state, last) {
        ("Data state", _) => Some(("", 0)),
        ("PLAINTEXT state", _) => Some(("<plaintext>", 1)),
        ("RAWTEXT state", None | Some("xmp")) => Some(("<xmp>", 1)),
        _ => None,
    }
}

#[test]
fn encodings_are_those_of_the_standard() {
    let (mut agree, mut all) = (0, 0);
    let mut differ: BTreeMap<&str, usize> = BTreeMap::new();
    let mut faults = Vec::new();
    for file in files("encoding", ".dat") {
        let bytes = std::fs::read(&file).unwrap();
        for test in split(&bytes, b"#data\n").skip(1) {
            let mut parts = split(test, b"#encoding\n");
            let (data, label) = (parts.next().unwrap(), parts.next().unwrap());
            let label = label.split(|byte| *byte == b'\n').next().unwrap();
            let expected = encoding_rs::Encoding::for_label(label).unwrap();
            let found = charset::decode(data, &charset::CharsetHints::default());
            all += 1;
            let is_custom = expected == encoding_rs::WINDOWS_1252;
            let class = match found.source {
                _ if found.encoding == expected => {
                    agree += 1;
                    continue;
                }
                CharsetSource::Detected if is_custom => "nothing is declared: the bytes decide, not custom",
                CharsetSource::Detected => "the bytes contradict what is declared",
                CharsetSource::Meta if is_custom => {
                    "a meta that names a charset in any attribute counts: bytes are tested"
                }
                source => {
                    let data = String::from_utf8_lossy(data);
                    faults.push(format!(
                        "{}, found {} of {source:?}: {data:?}",
                        expected.name(),
                        found.encoding.name()
                    ));
                    continue;
                }
            };
            *differ.entry(class).or_default() += 1;
        }
    }
    println!("{agree} of {all} agree, deliberate differences: {differ:#?}");
    assert!(faults.is_empty(), "{} other differences:\n{}", faults.len(), faults.join("\n"));
    assert!(differ.values().sum::<usize>() <= 40, "more than the known ones");
}

/// Iterates over the parts of `bytes` between occurrences of `mark`.
fn split<'a>(bytes: &'a [u8], mark: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    let mut rest = Some(bytes);
    std::iter::from_fn(move || {
        let whole = rest?;
        let end = memchr::memmem::find(whole, mark);
        rest = end.map(|end| &whole[end + mark.len()..]);
        Some(&whole[..end.unwrap_or(whole.len())])
    })
}
