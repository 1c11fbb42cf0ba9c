//! Compares the words of real pages with those of html5gum, which follows the tokenizer of the HTML standard.

use html5gum::Tokenizer;
use html5gum::emitters::default::{DefaultEmitter, Token};

use super::engine::{archives, pages};
use crate::{Engine, Limits, ScanEngine, Tag};
use trommel_text::words::{Rule, words};

/// Appends the text of a page outside of skipped elements to `out`, with a line end at every tag that is not inline.
fn text(html: &str, out: &mut String) {
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    let mut skip: Option<(Tag, u32)> = None;
    let mut in_noscript = false;
    for token in Tokenizer::new_with_emitter(html, emitter).map_while(Result::ok) {
        match token {
            Token::StartTag(start) => {
                let tag = Tag::from_name(&start.name);
                in_noscript = tag == Tag::Noscript;
                match &mut skip {
                    Some((open, depth)) => *depth += u32::from(*open == tag && !start.self_closing),
                    None if (tag.is_skipped() || tag == Tag::Title) && !start.self_closing => {
                        skip = Some((tag, 1));
                    }
                    None if tag == Tag::Br || !tag.is_inline() => out.push('\n'),
                    None => {}
                }
            }
            Token::EndTag(end) => {
                let tag = Tag::from_name(&end.name);
                in_noscript = false;
                match &mut skip {
                    Some((open, depth)) if *open == tag => {
                        *depth -= 1;
                        if *depth == 0 {
                            skip = None;
                        }
                    }
                    Some(_) => {}
                    None if tag == Tag::Br || !tag.is_inline() => out.push('\n'),
                    None => {}
                }
            }
            Token::String(raw) if skip.is_none() => {
                let raw = String::from_utf8_lossy(&raw);
                if in_noscript {
                    // Raw text to it, markup to us.
                    text(&raw, out);
                } else {
                    out.push_str(&raw);
                }
            }
            _ => {}
        }
    }
}

/// Returns whether the words are equal, except that a word of `other` may be divided where two elements meet.
fn are_same<'a, 'b>(mut ours: impl Iterator<Item = &'a str>, other: impl Iterator<Item = &'b str>) -> bool {
    for word in other {
        let mut rest = word;
        while !rest.is_empty() {
            let Some(part) = ours.next() else { return false };
            let Some(behind) = rest.strip_prefix(part) else { return false };
            rest = behind;
        }
    }
    ours.next().is_none()
}

/// Tests that the words are those of html5gum, except on 30 of 5,541 pages.
/// On these a `select`, `svg`, `title` or script is never closed or holds block-level elements, and reading continues
/// here only. Scripts in pieces of `noscript` are text in html5gum.
#[test]
fn words_are_those_of_another_tokenizer() {
    let (mut total, mut same) = (0, 0);
    for archive in archives() {
        for (at, html) in pages(&archive).enumerate() {
            let page = ScanEngine.read(&html, &Limits::default());
            let blocks = page.blocks.iter().map(|block| page.text(block));
            let ours = blocks.flat_map(|text| words(text, Rule::Characters));
            let mut other = String::new();
            text(&html, &mut other);
            // Characters that are dropped here, not white space there.
            other.retain(|c| {
                let is_ignored = c.is_control() || matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}');
                c.is_whitespace() || !is_ignored
            });
            total += 1;
            if are_same(ours, words(&other, Rule::Characters)) {
                same += 1;
            } else {
                println!("page {at} of {}", archive.display());
            }
        }
    }
    assert!(total > 0);
    assert!(same * 1000 >= total * 990, "{same} of {total} pages");
}
