//! Keeps the question (`summary`) above a kept answer.

use trommel_html::{ElementKinds, Page, Tag};

/// Words of a summary that may be the question; fewer, without a question mark, are the label of a
/// control (`Show details`).
const QUESTION_WORDS: std::ops::RangeInclusive<u32> = 4..=60;
/// Blocks of an answer that are looked at, so that nested ones take no more than linear time.
const ANSWER_BLOCKS: usize = 200;

/// Keeps the `summary` of every `details` of which most of the other words are kept. In `kept` there
/// is one entry a block.
pub(crate) fn keep_summaries(page: &Page, kept: &mut [bool]) {
    if !page.kinds.contains(ElementKinds::SUMMARY) {
        return;
    }
    for at in 0..page.blocks.len() {
        let Some(block) = page.blocks.get(at) else {
            continue;
        };
        if !page.kinds_around(block).contains(ElementKinds::SUMMARY) {
            continue;
        }
        let mut path = page.path(block.element);
        let summary = path.find(|(_, element)| element.tag == Tag::Summary);
        let Some((summary, element)) = summary else {
            continue;
        };
        let details = element.parent;
        let Some(around) = page.element(details).filter(|e| e.tag == Tag::Details) else {
            continue;
        };
        let (mut all, mut chosen) = (0u32, 0u32);
        let blocks = page.blocks.iter().zip(kept.iter()).skip(at + 1).take(ANSWER_BLOCKS);
        for (answer, kept) in blocks.take_while(|(block, _)| block.element < around.end) {
            let in_summary =
                page.element(summary).is_some_and(|element| answer.element < element.end && answer.element >= summary);
            if !in_summary {
                all += answer.words;
                chosen += if *kept { answer.words } else { 0 };
            }
        }
        let text = page.text(block);
        let is_question = block.words <= *QUESTION_WORDS.end()
            && (block.words >= *QUESTION_WORDS.start() || text.ends_with(['?', '？', '؟']))
            && block.link_density() < 0.5;
        if is_question
            && chosen > 0
            // A question belongs to its answer. Other rules for `details` kept more of menus and filters.
            && chosen * 2 > all
            && let Some(kept) = kept.get_mut(at)
        {
            *kept = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn a_question_stays_with_its_kept_answer() {
        let html = "<details><summary>Why?</summary><p>Since it is so.<p>Yes.</details>\
             <details><summary><a href=x>Menu</a></summary><p>One thing.</details>\
             <details><summary>Show details</summary><p>Since one sees more.</details>\
             <details><summary>Filters</summary><p>dropped things here</details><p>x";
        let page = ScanEngine.read(html, &Limits::default());
        let texts: Vec<&str> = page.blocks.iter().map(|block| page.text(block)).collect();
        let mut kept: Vec<bool> =
            texts.iter().map(|text| text.starts_with("Since") || text.starts_with("One")).collect();
        keep_summaries(&page, &mut kept);
        let left: Vec<&str> = texts.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(text, _)| text).collect();
        let expected = ["Why?", "Since it is so.", "One thing.", "Since one sees more."];
        assert_eq!(left, expected);
    }
}
