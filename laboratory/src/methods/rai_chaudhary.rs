//! Informative block content (Rai and Chaudhary, Discovering Informative Block Content): the page
//! is segmented at structural elements and rules over the class property of the tags pick the
//! segments.
//!
//! A structural element is one of `div span ul ol li table tr td`; a block belongs to the innermost
//! around it, as in the paper's example. The paper's rules name the classes of the sites it was
//! tried on; here the class is read as words, and the lists of words are those of content and of
//! page furniture in Table 1 of Peters and Lecocq (WWW 2013) with those of Readability. The innermost
//! structural element with a word of either list decides, furniture before content where it has
//! both. A page on which no segment is picked gives the text that is in no furniture.

use trommel_html::{Attribute, Page, Tag};

use crate::methods::home::home;
use crate::methods::method::{About, Method, MethodError};

/// The structural elements of the paper.
pub(crate) const STRUCTURAL: [Tag; 8] = [Tag::Div, Tag::Span, Tag::Ul, Tag::Ol, Tag::Li, Tag::Table, Tag::Tr, Tag::Td];

/// Class words of content.
const CONTENT: [&str; 14] = [
    "article", "author", "avatar", "blog", "body", "comment", "content", "entry", "hentry", "main", "post", "story",
    "text", "thread",
];
/// Class words of page furniture.
const FURNITURE: [&str; 23] = [
    "contact", "facebook", "foot", "footer", "footnote", "header", "masthead", "media", "menu", "meta", "nav",
    "outbrain", "promo", "related", "scroll", "shopping", "shoutbox", "sidebar", "sponsor", "tags", "tool", "twitter",
    "widget",
];

/// Keeps the segments whose class says content.
#[derive(Clone, Copy, Debug, Default)]
pub struct RaiChaudhary;

/// Verdict of the class of an element: content, furniture or none.
fn says(page: &Page, at: usize) -> Option<bool> {
    let element = page.elements.get(at).filter(|element| STRUCTURAL.contains(&element.tag))?;
    let mut verdict = None;
    for token in page.attribute_words(element).iter().filter(|token| token.attribute == Attribute::Class) {
        let word = page.word_text(token);
        if FURNITURE.binary_search(&word).is_ok() {
            return Some(false);
        }
        if CONTENT.binary_search(&word).is_ok() {
            verdict = Some(true);
        }
    }
    verdict
}

impl Method for RaiChaudhary {
    fn about(&self) -> &About {
        &About {
            name: "rai-chaudhary",
            line: "segments at structural elements, picked by the words of their class",
            citation: "Rai and Chaudhary, Discovering Informative Block Content; the word lists are from Peters and Lecocq 2013 and Readability",
            learns: false,
        }
    }

    fn extract(&self, page: &Page) -> Result<Vec<bool>, MethodError> {
        let mut verdicts: Vec<Option<bool>> = Vec::with_capacity(page.elements.len());
        for (at, element) in page.elements.iter().enumerate() {
            let around = verdicts.get(element.parent as usize).copied().flatten();
            verdicts.push(says(page, at).or(around));
        }
        let blocks: Vec<Option<bool>> =
            page.blocks.iter().map(|block| verdicts.get(home(page, block) as usize).copied().flatten()).collect();
        let picked = blocks.contains(&Some(true));
        Ok(blocks.iter().map(|verdict| verdict.unwrap_or(!picked)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    fn kept(html: &str) -> Vec<bool> {
        RaiChaudhary.extract(&ScanEngine.read(html, &Limits::default())).unwrap()
    }

    #[test]
    fn the_innermost_word_decides() {
        let html = "<div class='main-content'>a<p class=menu>b</p><ul class='post menu'><li>c<li class=text>d</ul>\
            <div class=col>e</div></div><div class=col>f</div>";
        // a: content. b: p is not structural, so as a. c: ul has both words, furniture. d: its li says
        // text. e: as a. f: no word, and others were picked.
        assert_eq!(kept(html), [true, true, false, true, true, false]);
    }

    #[test]
    fn without_content_words_all_but_furniture_is_kept() {
        assert_eq!(kept("<div class=nav>a</div><div>b</div>c"), [false, true, true]);
        assert_eq!(kept("a"), [true]);
        assert!(kept("").is_empty());
    }

    #[test]
    fn lists_are_sorted() {
        assert!(CONTENT.is_sorted() && FURNITURE.is_sorted());
    }
}
