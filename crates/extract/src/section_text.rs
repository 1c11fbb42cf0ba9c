//! Text that belongs to what is kept above it: lists of sentences below a kept heading, and the first paragraph below
//! the headline.

use trommel_html::{Page, Tag};

use crate::headed_lists::{has_words, keep_headed_lists};
use crate::sections::heading;

/// Items of a list that a heading introduces, and their words in the mean.
const ITEMS: usize = 2;
const WORDS: usize = 5;

/// Keeps numbered lists of text right below a kept heading (one flag a block in `kept`).
pub(crate) fn keep_numbered_lists(page: &Page, kept: &mut [bool]) {
    keep_headed_lists(page, kept, |list, blocks| {
        list.tag == Tag::Ol
            && blocks.len() >= ITEMS
            && has_words(blocks, WORDS)
            && blocks.iter().all(|own| own.link_density() < 0.5)
    });
}

/// Words of a paragraph, and of a text below it; the least probability of the paragraph.
const PARAGRAPH: u32 = 30;
const TEXT: u32 = 8;
const LEAST: f32 = 0.4;

/// Keeps paragraphs that are nearly likely enough between the headline and the text.
pub(crate) fn keep_lead(
    page: &Page,
    headline: Option<usize>,
    probabilities: &[f32],
    kept: &mut [bool],
) {
    let Some(headline) = headline else { return };
    let is_text = |at: usize| {
        page.blocks
            .get(at)
            .is_some_and(|own| own.words >= TEXT && heading(page, at).is_none())
    };
    let Some(first) =
        (headline + 1..page.blocks.len()).find(|at| kept.get(*at) == Some(&true) && is_text(*at))
    else {
        return;
    };
    for at in headline + 1..first {
        let Some(block) = page.blocks.get(at) else {
            continue;
        };
        let likely = probabilities.get(at).is_some_and(|own| *own >= LEAST);
        if likely
            && block.words >= PARAGRAPH
            && block.link_density() < 0.2
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

    fn left(html: &str, rule: impl Fn(&Page, &mut [bool])) -> Vec<String> {
        let page = ScanEngine.read(html, &Limits::default());
        let texts: Vec<&str> = page.blocks.iter().map(|block| page.text(block)).collect();
        let mut kept: Vec<bool> = texts.iter().map(|text| !text.starts_with('-')).collect();
        rule(&page, &mut kept);
        let left = texts.iter().zip(&kept).filter(|(_, kept)| **kept);
        left.map(|(text, _)| (*text).to_owned()).collect()
    }

    #[test]
    fn numbered_lists_belong_to_the_heading_above() {
        let count = |html: &str| left(html, keep_numbered_lists).len();
        let list = "<h2>Sources</h2><ol><li>-Roe, the abbey of the town<li>-Doe, the mills of the town</ol>";
        assert_eq!(count(list), 3);
        assert_eq!(count(&list.replace("Sources", "-Sources")), 0);
        assert_eq!(count(&list.replace("ol>", "ul>")), 1);
        assert_eq!(count(&list.replace("the abbey of the town", "abbey")), 1);
        assert_eq!(
            count(
                &list
                    .replace("<li>-", "<li><a href=x>-")
                    .replace("town", "town</a>")
            ),
            1
        );
        assert_eq!(count(&list.replace("</h2>", "</h2><p>-x</p>")), 1);
    }

    #[test]
    fn the_first_paragraph_is_kept_if_it_is_nearly_likely_enough() {
        let text = "-word".to_owned() + &" word".repeat(30);
        let html =
            format!("<h1>Title</h1><p>{text}<p>one two three four five six seven eight<p>{text}");
        let lead = |likely: f32| {
            left(&html, |page, kept| {
                keep_lead(page, Some(0), &[0.9, likely, 0.9, likely], kept)
            })
        };
        assert_eq!(lead(0.45).len(), 3);
        assert_eq!(lead(0.45)[1], text);
        assert_eq!(lead(0.35).len(), 2);
    }
}
