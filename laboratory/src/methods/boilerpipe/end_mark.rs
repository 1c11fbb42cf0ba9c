//! Blocks that stand after the end of an article (`TerminatingBlocksFinder`).

/// Words from which a block is text and no mark.
const MOST_WORDS: u32 = 15;
/// Characters from which the phrases are looked for.
const LEAST_CHARS: usize = 8;

const STARTS: [&str; 4] = ["comments", "© reuters", "please rate this", "post a comment"];
const AFTER_NUMBER: [&str; 2] = [" comments", " users responded in"];
const INSIDE: [&str; 7] = [
    "what you think...", "add your comment", "add comment", "reader views", "have your say", "reader comments",
    "rätta artikeln",
];
const WHOLE: &str = "thanks for your comments - this feedback is now closed";

/// Returns whether a block of that text, that many words and that link density marks the end of an article.
pub(super) fn is_end_mark(text: &str, words: u32, link_density: f32) -> bool {
    if words >= MOST_WORDS {
        return false;
    }
    let text = text.trim();
    if text.chars().count() < LEAST_CHARS {
        return text == "Comment" && link_density == 1.0;
    }
    let lower = text.to_lowercase();
    let after_number = lower.trim_start_matches(|c: char| c.is_ascii_digit());
    STARTS.iter().any(|mark| lower.starts_with(mark))
        || after_number.len() < lower.len() && AFTER_NUMBER.iter().any(|mark| after_number.starts_with(mark))
        || INSIDE.iter().any(|mark| lower.contains(mark))
        || lower == WHOLE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_mark_the_end() {
        for text in [
            "Comments (3)",
            "12 comments",
            "7 users responded in this thread",
            "© Reuters 2010",
            "Tell us what you think...",
            "Please add your comment below",
            "Rätta artikeln",
            "Thanks for your comments - this feedback is now closed",
        ] {
            assert!(is_end_mark(text, 5, 0.0), "{text}");
        }
        for text in ["No comments", " comments", "Reuters", "users responded in"] {
            assert_eq!(is_end_mark(text, 2, 0.0), text == " comments", "{text}");
        }
        assert!(!is_end_mark("Comments are many words here", 15, 0.0));
        assert!(is_end_mark("Comment", 1, 1.0) && !is_end_mark("Comment", 1, 0.0));
    }
}
