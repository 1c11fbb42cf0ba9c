//! The chain of filters of `ArticleExtractor`, in its order.

use trommel_html::Page;

use super::end_mark::is_end_mark;
use super::piece::{Piece, fuse_content, fuse_content_of_level, verdicts};
use super::rules;
use super::title::{headlines, is_headline};

/// Text density of running text.
const FULL_TEXT: f32 = 9.0;
/// Words of running text before an end mark counts.
const LEAST_BEFORE_END: u32 = 60;
/// Words of a further block on the level of the largest, next to it.
const LEAST_ON_LEVEL: u32 = 150;
/// Words of a further block on the level of the largest, anywhere.
const LARGE: u32 = 100;

/// Returns whether each block is part of the article.
pub(super) fn extract(page: &Page, mut pieces: Vec<Piece>) -> Vec<bool> {
    mark_ends(page, &mut pieces);
    mark_title(page, &mut pieces);
    rules::classify(&mut pieces, rules::num_words);
    drop_after_end(&mut pieces);
    drop_trailing_headings(&mut pieces);
    let mut pieces = fuse_content(pieces);
    pieces.retain(|piece| piece.content || piece.title);
    let mut pieces = fuse_content_of_level(pieces);
    keep_largest(&mut pieces);
    reach_to_title(&mut pieces);
    add_large_on_level(&mut pieces);
    add_list_at_end(&mut pieces);
    verdicts(page, &pieces)
}

fn mark_ends(page: &Page, pieces: &mut [Piece]) {
    for (piece, block) in pieces.iter_mut().zip(&page.blocks) {
        piece.end_mark = is_end_mark(page.text(block), piece.words, piece.link_density());
    }
}

/// Marks the first block that is the page's title.
fn mark_title(page: &Page, pieces: &mut [Piece]) {
    let headlines = headlines(&page.head.title);
    if headlines.is_empty() {
        return;
    }
    let found = page.blocks.iter().position(|block| is_headline(page.text(block), &headlines));
    if let Some(piece) = found.and_then(|at| pieces.get_mut(at)) {
        piece.title = true;
    }
}

/// `IgnoreBlocksAfterContentFilter`.
fn drop_after_end(pieces: &mut [Piece]) {
    let mut words = 0u32;
    let mut ended = false;
    for piece in pieces {
        if piece.content && piece.text_density() >= FULL_TEXT {
            words = words.saturating_add(piece.words);
        }
        ended |= piece.end_mark && words >= LEAST_BEFORE_END;
        if ended {
            piece.content = false;
        }
    }
}

/// `TrailingHeadlineToBoilerplateFilter`.
fn drop_trailing_headings(pieces: &mut [Piece]) {
    for piece in pieces.iter_mut().rev().filter(|piece| piece.content) {
        if !piece.heading {
            return;
        }
        piece.content = false;
    }
}

/// `KeepLargestBlockFilter`: the largest, and of the neighbours those of its level that are long, as
/// far as no block of a lower level stands between.
fn keep_largest(pieces: &mut [Piece]) {
    if pieces.len() < 2 {
        return;
    }
    let mut largest: Option<(usize, u32)> = None;
    for (at, piece) in pieces.iter().enumerate().filter(|(_, piece)| piece.content) {
        if largest.is_none_or(|(_, words)| piece.words > words) {
            largest = Some((at, piece.words));
        }
    }
    let chosen = largest.map(|(at, _)| at);
    for (at, piece) in pieces.iter_mut().enumerate() {
        piece.content = chosen == Some(at);
        piece.core |= piece.content;
        piece.candidate |= !piece.content;
    }
    let Some(at) = chosen else {
        return;
    };
    let (before, from) = pieces.split_at_mut(at);
    let Some((core, after)) = from.split_first_mut() else {
        return;
    };
    let level = core.level;
    let widen = |piece: &mut Piece| {
        piece.content |= piece.level == level && piece.words >= LEAST_ON_LEVEL;
    };
    before.iter_mut().rev().take_while(|piece| piece.level >= level).for_each(widen);
    after.iter_mut().take_while(|piece| piece.level >= level).for_each(widen);
}

/// `ExpandTitleToContentFilter`: what stands from the title to the first content.
fn reach_to_title(pieces: &mut [Piece]) {
    let Some(start) = pieces.iter().position(|piece| piece.content) else {
        return;
    };
    // The title nearest before the content; one on the content block itself has nothing to add.
    let Some(title) = pieces.iter().take(start + 1).rposition(|piece| piece.title) else {
        return;
    };
    for piece in pieces.iter_mut().take(start).skip(title) {
        piece.content |= piece.candidate;
    }
}

/// `LargeBlockSameTagLevelToContentFilter`.
fn add_large_on_level(pieces: &mut [Piece]) {
    let Some(level) = pieces.iter().find(|piece| piece.content && piece.core).map(|piece| piece.level) else {
        return;
    };
    for piece in pieces {
        piece.content |= piece.words >= LARGE && piece.level == level;
    }
}

/// `ListAtEndFilter`: items of a list, without links, deeper than the largest and right after it.
fn add_list_at_end(pieces: &mut [Piece]) {
    let mut level = u32::MAX;
    for piece in pieces {
        if piece.content && piece.core {
            level = piece.level;
        } else if piece.level > level && piece.candidate && piece.list_item && piece.link_words == 0 {
            piece.content = true;
        } else {
            level = u32::MAX;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::piece::pieces;
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    fn kept(html: &str) -> Vec<bool> {
        let page = ScanEngine.read(html, &Limits::default());
        let pieces = pieces(&page);
        extract(&page, pieces)
    }

    fn prose(words: usize) -> String {
        vec!["word"; words].join(" ")
    }

    #[test]
    fn an_article_by_hand() {
        let menu = "<li><a href=/>Home</a><li><a href=/>About us</a>";
        let html = format!(
            "<title>Council votes - Site</title><ul>{menu}</ul><div><h1>Council votes</h1><p>{}</p><p>{}</p><p>Comments (4)</p><p>{}</p></div><ul>{menu}</ul>",
            prose(50),
            prose(40),
            prose(30),
        );
        // Menus are linked. The headline (after a menu, next has 50 > 17) and the two paragraphs are
        // content by the word rules; 90 words of running text come before "Comments", so it and what
        // follows are out. Headline and paragraphs are fused into the menu item before them: that is
        // how the library works (the fused block reaches one block back).
        assert_eq!(kept(&html), [false, true, true, true, true, false, false, false, false]);
    }

    #[test]
    fn an_end_mark_before_sixty_words_is_none() {
        let html = format!("<p>{}</p><p>Add comment</p><p>{}</p>", prose(50), prose(20));
        assert_eq!(kept(&html), [true, true, true]);
        let html = format!("<p>{}</p><p>Add comment</p><p>{}</p>", prose(60), prose(20));
        assert_eq!(kept(&html), [true, false, false]);
    }

    #[test]
    fn trailing_headings_go() {
        // "See also" is content by the words before it, and is the last content: out.
        let html = format!("<p>{}</p><h2>See also</h2>", prose(30));
        assert_eq!(kept(&html), [true, false]);
        // h4 is no headline to the library.
        let html = format!("<p>{}</p><h4>See also</h4>", prose(30));
        assert_eq!(kept(&html), [true, true]);
    }

    fn piece(at: usize, words: u32, level: u32) -> Piece {
        Piece { members: vec![at], first: at, last: at, words, level, content: true, ..Piece::default() }
    }

    fn contents(pieces: &[Piece]) -> Vec<bool> {
        pieces.iter().map(|piece| piece.content).collect()
    }

    #[test]
    fn the_largest_widens_on_its_level_until_a_lower_one() {
        let mut pieces = vec![
            piece(0, 200, 3), // beyond a lower level
            piece(1, 10, 2),  // lower level: the end
            piece(2, 200, 4), // deeper: passed over
            piece(3, 149, 3), // too short
            piece(4, 150, 3), // in
            piece(5, 300, 3), // the largest
            piece(6, 300, 3), // as large, but later; long enough: in
        ];
        keep_largest(&mut pieces);
        assert_eq!(contents(&pieces), [false, false, false, false, true, true, true]);
        assert!(pieces[5].core && !pieces[6].core && pieces[6].candidate);
        // Then every block of 100 words on that level, wherever it stands.
        add_large_on_level(&mut pieces);
        assert_eq!(contents(&pieces), [true, false, false, true, true, true, true]);
    }

    #[test]
    fn the_way_from_the_title_and_the_list_at_the_end_come_in() {
        let mut pieces: Vec<Piece> = (0..6).map(|at| piece(at, 10, 3)).collect();
        pieces[1].title = true;
        pieces[3].words = 50;
        pieces[4].list_item = true;
        pieces[4].level = 5;
        pieces[5].list_item = true;
        keep_largest(&mut pieces);
        reach_to_title(&mut pieces);
        assert_eq!(contents(&pieces), [false, true, true, true, false, false]);
        add_list_at_end(&mut pieces);
        // The item on the level of the largest stays out.
        assert_eq!(contents(&pieces), [false, true, true, true, true, false]);
    }

    #[test]
    fn one_piece_stays_as_it_is() {
        let mut pieces = vec![piece(0, 10, 3)];
        keep_largest(&mut pieces);
        assert!(pieces[0].content && !pieces[0].core);
        assert!(kept("").is_empty());
    }
}
