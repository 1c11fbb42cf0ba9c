//! Our own segmentation without a browser: blocks grouped by their containers and by what these are for.

use rustc_hash::FxHashMap;
use trommel_html::{Page, Tag};

use super::candidates::Candidate;

/// Words of an attribute that name the parts of a page.
const PARTS: [&str; 11] =
    ["header", "footer", "content", "main", "sidebar", "nav", "navigation", "menu", "masthead", "banner", "top"];
/// Link density from which a group is a list of links.
const LINKED: f32 = 0.6;
/// Words of a group that is an article by itself.
const ARTICLE_WORDS: u32 = 40;
/// Siblings of one template that are items of a list.
const ITEMS: u32 = 3;

/// Groups, by their places in the list of candidates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupLevels {
    /// Parts of the page: header, content, footer ...
    pub parts: Vec<usize>,
    /// Their contents: menus, lists of links, articles, images, search forms ...
    pub groups: Vec<usize>,
}

/// Groups the candidates of a page in two levels.
pub fn group(page: &Page, candidates: &[Candidate]) -> GroupLevels {
    let mut levels = GroupLevels::default();
    // Down from the body as long as nothing but one child holds more than a single thing.
    let mut spine = 0;
    let parts = loop {
        let Some(candidate) = candidates.get(spine) else {
            return levels;
        };
        let large: Vec<usize> = candidate
            .children
            .iter()
            .copied()
            .filter(|child| candidates.get(*child).is_some_and(|candidate| units(candidate) > 1))
            .collect();
        match large.as_slice() {
            [only] => spine = *only,
            [] => break vec![spine],
            _ => break large,
        }
    };
    for (at, candidate) in candidates.iter().enumerate() {
        if candidate.parent == Some(spine) && parts.contains(&at)
            || at > spine && is_named(page, candidate) && units(candidate) > 1
        {
            levels.parts.push(at);
        }
    }
    let items = items(page, candidates);
    let mut open: Vec<usize> = vec![spine];
    while let Some(at) = open.pop() {
        let Some(candidate) = candidates.get(at) else {
            continue;
        };
        let is_item =
            items.get(at).copied().unwrap_or_default() >= ITEMS && candidate.content.words >= ARTICLE_WORDS / 2;
        if at != spine && (is_item || is_group(page, candidates, candidate)) {
            levels.groups.push(at);
        } else {
            open.extend(candidate.children.iter().copied());
        }
    }
    levels.groups.sort_unstable();
    levels
}

fn units(candidate: &Candidate) -> u32 {
    candidate.content.blocks + candidate.content.images + candidate.content.inputs
}

/// Returns whether an element of the chain is a landmark or is called one.
fn is_named(page: &Page, candidate: &Candidate) -> bool {
    candidate.elements.iter().any(|at| {
        page.element(*at).is_some_and(|element| {
            matches!(element.tag, Tag::Header | Tag::Footer | Tag::Nav | Tag::Main | Tag::Aside)
                || page.attribute_words(element).iter().any(|word| PARTS.contains(&page.word_text(word)))
        })
    })
}

fn is_group(page: &Page, candidates: &[Candidate], candidate: &Candidate) -> bool {
    let content = &candidate.content;
    let is_list = content.links >= 3 && content.link_density() >= LINKED && content.words <= 300;
    let is_picture = content.words == 0 && content.images == 1 && content.inputs == 0;
    let is_form = content.inputs > 0
        && content.words <= 20
        && candidate.elements.iter().any(|at| page.element(*at).is_some_and(|element| element.tag == Tag::Form));
    let children = candidate.children.iter().filter_map(|child| candidates.get(*child));
    let is_flat = children.clone().all(|child| child.children.len() <= 2);
    let is_article = content.words >= ARTICLE_WORDS && content.link_density() < LINKED && is_flat;
    is_list || is_picture || is_form || is_article
}

/// For each candidate the number of its siblings, itself included, whose outermost elements are of one
/// template.
fn items(page: &Page, candidates: &[Candidate]) -> Vec<u32> {
    let signature = |at: usize| {
        let element = candidates.get(at).and_then(|candidate| page.element(candidate.element()));
        element.map_or(0, |element| element.signature)
    };
    let mut items = vec![0; candidates.len()];
    for candidate in candidates {
        let mut counts: FxHashMap<u64, u32> = FxHashMap::default();
        for child in &candidate.children {
            *counts.entry(signature(*child)).or_default() += 1;
        }
        for child in &candidate.children {
            if let Some(item) = items.get_mut(*child) {
                *item = counts.get(&signature(*child)).copied().unwrap_or_default();
            }
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segmentation::candidates;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn parts_hold_pictures_lists_and_articles() {
        let words = "word ".repeat(40);
        let html = format!(
            "<body><div id=head><img src=l><p>Title</p></div><div id=main><h1>Head</h1><p>{words}</p></div>\
             <div id=foot><ul><li><a href=a>One</a><li><a href=b>Two</a><li><a href=c>Three</a></ul>\
             <p>Fine print of the small club</p></div></body>"
        );
        let page = ScanEngine.read(&html, &Limits::default());
        let found = candidates(&page);
        let names: Vec<&str> = found
            .iter()
            .filter_map(|candidate| page.element(candidate.element()))
            .map(|element| page.name(element))
            .collect();
        assert_eq!(names, ["body", "div", "img", "p", "div", "h1", "p", "div", "ul", "li", "li", "li", "p"]);
        let levels = group(&page, &found);
        assert_eq!((levels.parts, levels.groups), (vec![1, 4, 7], vec![2, 4, 8]));
        assert_eq!(group(&page, &[]), GroupLevels::default());
    }
}
