//! The rows of the block table.

/// A run of text between two layout changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub(crate) text: (u32, u32),
    /// First and one past the last byte of the text in the decoded page, markup inside included.
    pub span: (u32, u32),
    /// Innermost element open at the first character ([`NONE`](crate::NONE) outside of every element).
    pub element: u32,
    /// Innermost block-level element around that ([`NONE`](crate::NONE) if there is none); the heading around it for
    /// the first block of one.
    pub(crate) container: u32,
    pub(crate) inline: (u32, u32),
    /// Words ([`trommel_text::words`]).
    pub words: u32,
    /// Words inside links, at most `words`.
    pub link_words: u32,
    /// Characters of the text.
    pub chars: u32,
    /// Tags between the end of the block before (or the page start) and the first character.
    pub tags_before: u32,
    /// Tags between the first and the last character.
    pub tags_inside: u32,
    /// Runs of text, divided by tags, that the block is made of.
    pub pieces: u32,
    /// `img` elements among the tags inside.
    pub images: u32,
    /// `input` and `button` elements among the tags inside.
    pub inputs: u32,
}

impl Block {
    /// Share of the words that stand in links, 0..=1.
    pub fn link_density(&self) -> f32 {
        if self.words == 0 { 0.0 } else { self.link_words as f32 / self.words as f32 }
    }
}
