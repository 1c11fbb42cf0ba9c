//! Renders code: fences and spans.

/// A fenced code block, without a line end at its end.
pub(super) fn fence(language: &str, text: &str) -> String {
    // Three at least, as CommonMark asks for.
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    format!("{fence}{language}\n{text}\n{fence}")
}

/// Returns whether a body is a fenced code block.
pub(super) fn is_fence(body: &str) -> bool {
    body.starts_with("```")
}

/// One line of code inside text.
pub(super) fn span(text: &str) -> String {
    let fence = "`".repeat(longest_run(text) + 1);
    if text.starts_with('`') || text.ends_with('`') {
        format!("{fence} {text} {fence}")
    } else {
        format!("{fence}{text}{fence}")
    }
}

/// Length of the longest run of backticks: a fence that is longer cannot be ended by the code.
fn longest_run(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut longest, mut at) = (0, 0);
    while let Some(next) = bytes.get(at..).and_then(|rest| memchr::memchr(b'`', rest)) {
        let run = bytes.iter().skip(at + next).take_while(|byte| **byte == b'`').count();
        longest = longest.max(run);
        at += next + run;
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_are_longer_than_the_runs_inside() {
        assert_eq!(fence("rust", "a"), "```rust\na\n```");
        assert_eq!(fence("", "x ```` y"), "`````\nx ```` y\n`````");
        assert_eq!(span("a"), "`a`");
        assert_eq!(span("a`b"), "``a`b``");
        assert_eq!(span("`a``"), "``` `a`` ```");
    }
}
