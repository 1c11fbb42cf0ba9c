//! Finds links and code within a paragraph of Markdown, which a chunk must not cut.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::render::steps;

/// The bytes of links, images and code between back ticks, in order and apart.
pub(super) fn links_and_code(markdown: &str) -> Vec<Range<usize>> {
    let bytes = markdown.as_bytes();
    let byte = |at: usize| bytes.get(at).copied();
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let last_runs = last_runs(bytes);
    // Up to it no address ends.
    let mut no_end = 0;
    let mut at = 0;
    while let Some(sign) = byte(at) {
        let end = match sign {
            b'\\' => at + 2,
            b'`' => match code_end(bytes, at, &last_runs) {
                Some(end) => {
                    found.push(at..end);
                    end
                }
                None => at + run(bytes, at),
            },
            b'[' => {
                open.push(at);
                at + 1
            }
            b']' => match open.pop().filter(|_| byte(at + 1) == Some(b'(') && at + 2 >= no_end) {
                Some(start) => match address_end(bytes, at + 2) {
                    Ok(end) => {
                        // Around an image or code it is one with them.
                        while found.last().is_some_and(|inner| inner.start >= start) {
                            steps::take(1);
                            found.pop();
                        }
                        found.push(start..end);
                        end
                    }
                    Err(end) => {
                        no_end = end;
                        at + 1
                    }
                },
                None => at + 1,
            },
            _ => at + 1,
        };
        at = end;
    }
    found
}

/// Maps each length of a run of back ticks to the offset of the last such run.
fn last_runs(bytes: &[u8]) -> FxHashMap<usize, usize> {
    let mut last = FxHashMap::default();
    let mut at = 0;
    while let Some(next) = bytes.get(at..).and_then(|rest| memchr::memchr(b'`', rest)) {
        let len = run(bytes, at + next);
        last.insert(len, at + next);
        at += next + len;
    }
    last
}

/// Length of the run of back ticks at a byte.
fn run(bytes: &[u8], at: usize) -> usize {
    bytes.get(at..).unwrap_or_default().iter().take_while(|byte| **byte == b'`').count()
}

/// The end of the code that begins at a byte: behind the next run of as many back ticks.
fn code_end(bytes: &[u8], at: usize, last_runs: &FxHashMap<usize, usize>) -> Option<usize> {
    let len = run(bytes, at);
    steps::take(len);
    // Without it each run that is never ended would be searched for to the end.
    last_runs.get(&len).filter(|last| **last > at)?;
    let mut next = at + len;
    loop {
        next += memchr::memchr(b'`', bytes.get(next..)?)?;
        match run(bytes, next) {
            ticks if ticks == len => return Some(next + ticks),
            ticks => next += ticks,
        }
    }
}

/// The end of an address that begins at a byte: behind the parenthesis that closes it. Else where it was searched for
/// in vain.
fn address_end(bytes: &[u8], at: usize) -> Result<usize, usize> {
    let mut at = at;
    loop {
        match bytes.get(at) {
            Some(b'\\') => at += 2,
            Some(b')') => return Ok(at + 1),
            Some(b'\n') | None => return Err(at),
            _ => at += 1,
        }
        steps::take(1);
    }
}

#[cfg(test)]
mod tests {
    use super::links_and_code;

    #[test]
    fn links_and_code_are_found() {
        let found = |markdown: &'static str| -> Vec<&'static str> {
            links_and_code(markdown).into_iter().map(|range| &markdown[range]).collect()
        };
        assert_eq!(found("a [b](c?d) e `f. g` h"), ["[b](c?d)", "`f. g`"]);
        assert_eq!(found("[![a](b)](c) [x `y` z](w\\)v)"), ["[![a](b)](c)", "[x `y` z](w\\)v)"]);
        assert_eq!(found("``a`b`` \\`c\\` \\[d\\](e) `f"), ["``a`b``"]);
        assert_eq!(found("[a] [b (c) ](d"), Vec::<&str>::new());
    }
}
