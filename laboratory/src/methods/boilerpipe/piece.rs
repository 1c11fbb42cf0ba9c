//! Blocks as the library sees them: with densities, labels and a tag level; some fused.

use trommel_html::{Page, Tag};
use trommel_model::features::full_lines;

/// One block, or several that were fused.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Piece {
    /// Blocks of the page.
    pub members: Vec<usize>,
    /// First and last of them.
    pub first: usize,
    pub last: usize,
    pub words: u32,
    pub link_words: u32,
    pub line_words: u32,
    pub lines: u32,
    /// Open elements that are not mere text style; the least of the members.
    pub level: u32,
    pub content: bool,
    pub title: bool,
    /// True if the piece is a text that often follows an article.
    pub end_mark: bool,
    pub heading: bool,
    pub list_item: bool,
    /// Chosen as the largest.
    pub core: bool,
    /// Passed over when the largest was chosen.
    pub candidate: bool,
}

impl Piece {
    pub fn text_density(&self) -> f32 {
        self.line_words as f32 / self.lines.max(1) as f32
    }

    pub fn link_density(&self) -> f32 {
        self.link_words as f32 / self.words.max(1) as f32
    }

    /// Fuses the piece after this one into it.
    fn absorb(&mut self, next: Piece) {
        self.members.extend(next.members);
        self.first = self.first.min(next.first);
        self.last = self.last.max(next.last);
        self.words = self.words.saturating_add(next.words);
        self.link_words = self.link_words.saturating_add(next.link_words);
        self.line_words = self.line_words.saturating_add(next.line_words);
        self.lines = self.lines.saturating_add(next.lines);
        self.level = self.level.min(next.level);
        self.content |= next.content;
        self.title |= next.title;
        self.end_mark |= next.end_mark;
        self.heading |= next.heading;
        self.list_item |= next.list_item;
        self.core |= next.core;
        self.candidate |= next.candidate;
    }
}

/// Facts about a block from the elements around it.
#[derive(Clone, Copy, Default)]
struct AroundElement {
    level: u32,
    heading: bool,
    list_item: bool,
}

/// Elements that do not count as a level in the library.
fn is_style(tag: Tag) -> bool {
    use Tag::*;
    matches!(tag, Strike | U | B | I | Em | Strong | Span | Sup | Sub | Code | Tt | Var | Font | Abbr | Acronym)
}

/// The blocks of a page, none of them content yet.
pub(super) fn pieces(page: &Page) -> Vec<Piece> {
    let mut places: Vec<AroundElement> = Vec::with_capacity(page.elements.len());
    for element in &page.elements {
        let around = places.get(element.parent as usize).copied().unwrap_or_default();
        places.push(AroundElement {
            level: around.level + u32::from(!is_style(element.tag)),
            heading: around.heading || matches!(element.tag, Tag::H1 | Tag::H2 | Tag::H3),
            list_item: around.list_item || element.tag == Tag::Li,
        });
    }
    page.blocks
        .iter()
        .enumerate()
        .map(|(at, block)| {
            let place = places.get(block.element as usize).copied().unwrap_or_default();
            let (line_words, lines) = match full_lines(page.text(block), block.words, block.chars) {
                // As in the library: no word in the full lines makes the block one line.
                (0, _) => (block.words, 1),
                counted => counted,
            };
            Piece {
                members: vec![at],
                first: at,
                last: at,
                words: block.words,
                link_words: block.link_words,
                line_words,
                lines,
                level: place.level,
                heading: place.heading,
                list_item: place.list_item,
                ..Piece::default()
            }
        })
        .collect()
}

/// Returns whether each block of the page is a member of a piece that is content.
pub(super) fn verdicts(page: &Page, pieces: &[Piece]) -> Vec<bool> {
    let mut verdicts = vec![false; page.blocks.len()];
    for piece in pieces.iter().filter(|piece| piece.content) {
        for member in &piece.members {
            if let Some(verdict) = verdicts.get_mut(*member) {
                *verdict = true;
            }
        }
    }
    verdicts
}

/// Fuses each piece into the one before if `fits` says so of (before, it).
fn fuse(pieces: Vec<Piece>, fits: impl Fn(&Piece, &Piece) -> bool) -> Vec<Piece> {
    let mut fused: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match fused.last_mut() {
            Some(before) if fits(before, &piece) => before.absorb(piece),
            _ => fused.push(piece),
        }
    }
    fused
}

/// Fuses neighbours of equal text density (`SimpleBlockFusionProcessor`).
pub(super) fn fuse_equal_density(pieces: Vec<Piece>) -> Vec<Piece> {
    fuse(pieces, |before, piece| before.text_density() == piece.text_density())
}

/// At most one block was dropped between the two.
fn near(before: &Piece, piece: &Piece) -> bool {
    piece.first <= before.last + 2
}

/// Fuses each piece of content into the one before, be that content or not (`MAX_DISTANCE_1` of
/// `BlockProximityFusion`): this is how a headline comes in.
pub(super) fn fuse_content(pieces: Vec<Piece>) -> Vec<Piece> {
    fuse(pieces, |before, piece| piece.content && near(before, piece))
}

/// Fuses pieces of content that stand on one level (`MAX_DISTANCE_1_CONTENT_ONLY_SAME_TAGLEVEL`).
pub(super) fn fuse_content_of_level(pieces: Vec<Piece>) -> Vec<Piece> {
    fuse(pieces, |before, piece| before.content && piece.content && before.level == piece.level && near(before, piece))
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn levels_and_labels_come_from_the_elements_around() {
        let page =
            ScanEngine.read("<body><div><h2><b>a</b></h2><ul><li><a href=x>b</a></ul></div>", &Limits::default());
        let pieces = pieces(&page);
        // body, div, h2 (b is style); body, div, ul, li, a.
        assert_eq!((pieces[0].level, pieces[1].level), (3, 5));
        assert!(pieces[0].heading && !pieces[0].list_item);
        assert!(!pieces[1].heading && pieces[1].list_item);
        assert_eq!(pieces[1].link_density(), 1.0);
    }

    fn piece(at: usize, content: bool, level: u32) -> Piece {
        Piece {
            members: vec![at],
            first: at,
            last: at,
            words: 10,
            line_words: 8,
            lines: 1,
            content,
            level,
            ..Piece::default()
        }
    }

    #[test]
    fn fusing_takes_one_before_and_at_most_one_gap() {
        let fused = fuse_content(vec![piece(0, false, 1), piece(1, true, 2), piece(3, true, 2), piece(6, true, 2)]);
        assert_eq!(fused.len(), 2);
        assert_eq!(fused[0].members, [0, 1, 3]);
        assert!(fused[0].content);
        assert_eq!((fused[0].level, fused[0].words), (1, 30));
        assert_eq!(fused[0].text_density(), 8.0);
        let fused =
            fuse_content_of_level(vec![piece(0, false, 2), piece(1, true, 2), piece(2, true, 2), piece(3, true, 3)]);
        let members: Vec<&[usize]> = fused.iter().map(|piece| &piece.members[..]).collect();
        assert_eq!(members, [&[0][..], &[1, 2], &[3]]);
    }
}
