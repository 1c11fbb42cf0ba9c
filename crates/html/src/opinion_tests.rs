//! A third opinion: the words of real pages as html5gum, which follows the tokenizer of the HTML
//! standard, gives them.

use html5gum::Tokenizer;
use html5gum::emitters::default::{DefaultEmitter, Token};

use crate::engine_tests::{archives, pages};
use crate::words::{Rule, words};
use crate::{Engine, Limits, ScanEngine, Tag};

/// Text outside of the elements that hold none, a line end at every tag that is not inline.
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

/// Words that both have, and the words of the one that has more, as multisets.
fn overlap(ours: &[&str], theirs: &[&str]) -> (usize, usize) {
    let mut counts = std::collections::HashMap::new();
    for word in ours {
        *counts.entry(word).or_insert(0i64) += 1;
    }
    let shared = theirs.iter().filter(|word| {
        let left = counts.get_mut(word);
        left.is_some_and(|left| {
            *left -= 1;
            *left >= 0
        })
    });
    (shared.count(), ours.len().max(theirs.len()))
}

#[test]
fn words_are_those_of_another_tokenizer() {
    let (mut total, mut same, mut shared, mut all) = (0, 0, 0, 0);
    for archive in archives() {
        for (at, html) in pages(&archive).enumerate() {
            let page = ScanEngine.read(&html, &Limits::default());
            let blocks = page.blocks.iter().map(|block| page.text(block));
            let ours: Vec<&str> = blocks
                .flat_map(|text| words(text, Rule::Characters))
                .collect();
            let mut other = String::new();
            text(&html, &mut other);
            other.retain(|c| {
                c.is_whitespace()
                    || !(c.is_control() || matches!(c, '\u{ad}' | '\u{200b}' | '\u{feff}'))
            });
            let theirs: Vec<&str> = words(&other, Rule::Characters).collect();
            let (both, most) = overlap(&ours, &theirs);
            total += 1;
            same += usize::from(ours == theirs);
            shared += both;
            all += most;
            if ours != theirs {
                let first = ours
                    .iter()
                    .zip(&theirs)
                    .position(|(a, b)| a != b)
                    .unwrap_or(ours.len().min(theirs.len()));
                let s = first.saturating_sub(3);
                println!(
                    "{} page {at}: {both} of {most}; {:?} / {:?}",
                    archive.file_name().unwrap().display(),
                    &ours[s..(first + 5).min(ours.len())],
                    &theirs[s..(first + 5).min(theirs.len())]
                );
            }
        }
    }
    println!("{same} of {total} pages, {shared} of {all} words");
    assert!(total > 0);
}
