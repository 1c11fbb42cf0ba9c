//! The order of archives and of pieces of large archives: which is read next, and which are done.

use std::mem::take;

use super::{Ledger, Next, Work};
use crate::run::inputs::{Input, listing::Identity, pieces::Piece};
use crate::run::state::inputs::{ArchiveState, DoneInput, JournalEntry, PieceState, Turn};
use crate::{Error, Result};

impl Ledger<'_> {
    /// Returns the next task of a reader: to read an archive or piece, or to find the pieces of an archive. The caller
    /// checks whether earlier archives must be done first.
    pub(crate) fn pick(&mut self) -> Next {
        loop {
            if let Some(turn) = self.todo.front()
                && self.may_be_cut(turn)
            {
                return Next::Cut(turn.input);
            }
            let Some(Turn { input, mut begun, piece, .. }) = self.todo.pop_front() else { return Next::Over };
            let work = self.enter(input, begun.pop(), piece);
            self.pass_void();
            if !work.state.is_ended && !work.piece.as_ref().is_some_and(|piece| piece.fate.is_void()) {
                return Next::Read(Box::new(work));
            }
        }
    }

    fn may_be_cut(&self, turn: &Turn) -> bool {
        let is_new = turn.begun.is_empty() && self.plan.is_cut;
        turn.piece.is_none() && !turn.is_whole && (is_new || self.is_begun_in_pieces(turn))
    }

    /// Returns whether an earlier run has read some pieces of the input.
    fn is_begun_in_pieces(&self, turn: &Turn) -> bool {
        self.due.is_some_and(|(input, _)| input == turn.input)
            || turn.begun.iter().any(|archive| archive.piece.is_some())
    }

    /// Replaces the next archive by its pieces, from the first one not done; without pieces it is read as a whole.
    ///
    /// # Errors
    /// Fails if an earlier run has cut the archive into other pieces.
    pub(crate) fn cut(&mut self, pieces: Option<Vec<Piece>>) -> Result<()> {
        let Some(mut turn) = self.todo.pop_front() else { return Ok(()) };
        let input = turn.input;
        let due = self.due_of(input);
        let is_begun = self.is_begun_in_pieces(&turn);
        let name = self.plan.run.inputs.get(input).map_or_else(String::new, Input::name);
        let result = |is_changed| if is_changed { Err(Error::changed(&name, "it has other pieces")) } else { Ok(()) };
        let Some(pieces) = pieces else {
            turn.is_whole = true;
            self.todo.push_front(turn);
            return result(is_begun);
        };
        for piece in pieces.into_iter().skip(due).rev() {
            let is_this = |archive: &mut ArchiveState| {
                archive.piece.is_some_and(|begun| (begun.number, begun.start) == (piece.number, piece.offset()))
            };
            let begun = turn.begun.extract_if(.., is_this).collect();
            self.todo.push_front(Turn { input, begun, piece: Some(piece), is_whole: false });
        }
        result(is_begun && !turn.begun.is_empty())
    }

    /// Returns the number of the piece of an archive that must be joined next, from 0.
    fn due_of(&self, input: usize) -> usize {
        self.due.filter(|(of, _)| *of == input).map_or(0, |(_, piece)| piece)
    }

    /// Adds an archive or piece to those in progress, with its saved state or a new one, and returns it.
    pub(super) fn enter(&mut self, input: usize, begun: Option<ArchiveState>, piece: Option<Piece>) -> Work {
        let state = begun.unwrap_or_else(|| {
            self.saved.begun += 1;
            let naming = self.plan.namings.get(input).copied().unwrap_or_default();
            let piece = piece.as_ref();
            let piece = piece.map(|piece| PieceState { number: piece.number, start: piece.offset(), next: None });
            let identity = Identity { naming, ..Identity::default() };
            ArchiveState { input, number: self.saved.begun, identity, piece, ..ArchiveState::default() }
        });
        let work = Work { state, piece };
        self.works.push_back(work.clone());
        work
    }

    /// Begins to write the archive with the number `number`, and returns its state; none for a discarded piece. If one
    /// archive is written at a time, its documents from an earlier run are first joined to the outputs.
    pub(crate) fn start(&mut self, number: u64) -> Result<Option<Work>> {
        self.join()?;
        let Some(mut work) = self.works.iter().find(|work| work.state.number == number).cloned() else {
            return Ok(None);
        };
        if !self.plan.has_lanes() {
            work.state.is_direct = true;
            self.joined.extend(self.outputs.join(&mut work.state)?);
        }
        Ok(Some(work))
    }

    /// Appends the documents of finished archives to the outputs, in order. Returns the number of archives so done.
    pub(super) fn join(&mut self) -> Result<usize> {
        let mut number = 0;
        loop {
            self.pass_void();
            let Some(Work { mut state, .. }) = self.works.pop_front_if(|work| work.state.is_ended) else {
                return Ok(number);
            };
            number += 1;
            self.joined.extend(self.outputs.join(&mut state)?);
            self.summary.add(take(&mut state.summary));
            self.times.join(take(&mut state.times));
            self.end_archive(state)?;
        }
    }

    /// Records on disk and in the summary that an archive, or a piece of it, is done; the last piece ends it.
    fn end_archive(&mut self, state: ArchiveState) -> Result<()> {
        let ArchiveState { input, identity, point, report, piece, .. } = state;
        let (goes_on, next) = (self.due_of(input) > 0, piece.and_then(|piece| piece.next));
        self.due = next.map(|next| (input, next));
        let is_passed = |turn: &mut Turn| {
            let number = turn.piece.as_ref().map_or(0, |piece| piece.number);
            turn.input == input && next.is_none_or(|next| number < next)
        };
        while let Some(turn) = self.todo.pop_front_if(|turn| piece.is_some() && is_passed(turn)) {
            // Of an earlier run.
            self.joined.extend(turn.begun.iter().flat_map(ArchiveState::paths));
        }
        if piece.is_some() && next.is_none() && self.plan.is_folder() {
            self.outputs.complete(false)?;
        }
        self.note_entry(JournalEntry::Done(Box::new(DoneInput { identity, report: report.clone(), point, next })))?;
        self.add_report(report, goes_on);
        Ok(())
    }

    /// Discards the pieces that an earlier piece of the archive has read too, and decides that the next piece is valid.
    fn pass_void(&mut self) {
        while let Some(front) = self.works.front() {
            let due = self.due_of(front.state.input);
            let Some(piece) = &front.piece else { return };
            if piece.number == due {
                return piece.fate.set(true);
            }
            piece.fate.set(false);
            self.joined.extend(front.state.paths());
            self.works.pop_front();
        }
    }
}
