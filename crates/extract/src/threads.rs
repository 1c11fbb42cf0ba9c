//! Judges threads whose posts the page calls comments.
//!
//! Readers' comments beside an article are not its text, and the model knows them by the names of their elements. Some
//! forums give posts the same names.

use trommel_html::Page;
use trommel_model::{Judgement, Model, PageType};

/// The page type of threads.
const THREAD: &str = "forum";
/// Probability that a page is a thread, at least.
// At .5 dragnet-test, comments taken for no content, loses .003: blogs with many comments look like threads.
const MIN_PROBABILITY: f32 = 0.6;
/// Share of the expected words of content that stand in comments, at least.
// Answers have comments of their own, which are not content: without this bound the gain is .002 lower.
const MIN_SHARE: f32 = 0.5;

/// The judgement of a page, or if it is a thread of comments, the one that takes comments for content.
pub(crate) fn judged_as_thread(model: &Model, page: &Page, url: Option<&str>, judgement: Judgement) -> Judgement {
    let is_thread = |page_type: &PageType| page_type.name == THREAD && page_type.probability >= MIN_PROBABILITY;
    if !judgement.in_comments.contains(&true) || !judgement.page_type.as_ref().is_some_and(is_thread) {
        return judgement;
    }
    let wide = model.judge_with_comments(page, url);
    let (mut in_comments, mut all) = (0.0, 0.0);
    for ((block, probability), is_inside) in page.blocks.iter().zip(&wide.probabilities).zip(&wide.in_comments) {
        let words = probability * block.words as f32;
        all += words;
        in_comments += if *is_inside { words } else { 0.0 };
    }
    if in_comments >= MIN_SHARE * f32::max(all, 1.0) { wide } else { judgement }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    const POST: &str = "I asked the same last year and had to find out by myself, so here is what worked for me.";

    /// Returns whether a page of this type, with this number of comments below `first`, is judged as a thread of
    /// comments.
    fn is_thread(name: &str, probability: f32, first: &str, comments: usize) -> bool {
        let comment = format!("<div class=comment><span class=author>user</span> <p>{POST} {POST}</div>");
        let comments = format!("<div class=comments>{}</div>", comment.repeat(comments));
        let html = format!("<title>Mills</title><h1>Mills</h1><article><p>{first}</article>{comments}");
        let page = ScanEngine.read(&html, &Limits::default());
        let model = Model::builtin("lite").unwrap();
        let page_type = Some(PageType { name: name.into(), probability, sharpness: 1.0 });
        let plain = Judgement { page_type, ..model.judge(&page, None) };
        let wide = model.judge_with_comments(&page, None);
        assert_ne!(plain.probabilities, wide.probabilities);
        let judged = judged_as_thread(&model, &page, None, plain.clone());
        assert!([&plain.probabilities, &wide.probabilities].contains(&&judged.probabilities));
        judged.probabilities == wide.probabilities
    }

    #[test]
    fn posts_that_are_called_comments_are_posts() {
        assert!(is_thread("forum", 0.7, POST, 8));
        assert!(!is_thread("forum", 0.5, POST, 8));
        assert!(!is_thread("article", 0.7, POST, 8));
        // Comments below a long answer.
        assert!(!is_thread("forum", 0.7, &POST.repeat(30), 2));
    }
}
