//! Finds where a piece of an archive ends: where a later one begins.

use trommel_archive::{Reader, Record};

use crate::run::inputs::pieces::Piece;

/// A piece that is being read.
pub(crate) struct PieceEnd<'a> {
    piece: &'a Piece,
    /// The next piece whose beginning has not been passed.
    next: usize,
}

/// The place of a record that was read for a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// It is of the piece.
    Within,
    /// It is, and it goes past the beginning of another: that one does not count if this one does.
    Past,
    /// It is the first of the piece of that number, which goes on as this one would.
    Next(usize),
}

impl<'a> PieceEnd<'a> {
    pub(crate) fn new(piece: &'a Piece) -> Self {
        Self { piece, next: piece.number + 1 }
    }

    /// Sees a record, the item that the reader gave last.
    pub(crate) fn reach(&mut self, reader: &Reader, record: &Record) -> Reach {
        let mut reach = Reach::Within;
        while let Some(start) = self.piece.start(self.next).filter(|start| start.offset() <= record.place.offset) {
            if reader.has_arrived(record, start) {
                return Reach::Next(self.next);
            }
            self.next += 1;
            reach = Reach::Past;
        }
        reach
    }

    /// Returns whether it is known that the piece counts, or that it does not.
    pub(crate) fn is_known(&self) -> bool {
        self.piece.fate.is_due() || self.piece.fate.is_void()
    }

    pub(crate) fn is_void(&self) -> bool {
        self.piece.fate.is_void()
    }
}
