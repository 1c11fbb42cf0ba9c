//! The archives, and the pieces of large ones, in their order: which is read next, and which are done.

use std::mem::take;

use super::{Ledger, Next, Started, Work};
use crate::run::counts::summary::FileReport;
use crate::run::inputs::pieces::Piece;
use crate::run::state::remaining::{ArchiveState, DoneInput, JournalEntry, PieceState, Turn};
use crate::{Error, Result};

impl<'a> Ledger<'a> {
    /// The next archive, or piece of one, to be read; before that, one that may have to be cut. The caller checks if
    /// others must be done first.
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

    /// Returns whether an earlier run has read some pieces of it.
    fn is_begun_in_pieces(&self, turn: &Turn) -> bool {
        let is_partial = self.partial.as_ref().is_some_and(|partial| partial.input == turn.input);
        is_partial || turn.begun.iter().any(|archive| archive.piece.is_some())
    }

    /// Puts the pieces of the next archive in its place, from the one that is due on; none if it is read as a whole.
    ///
    /// # Errors
    /// If an earlier run has read others.
    pub(crate) fn cut(&mut self, pieces: Option<Vec<Piece>>) -> Result<()> {
        let Some(mut turn) = self.todo.pop_front() else { return Ok(()) };
        let input = turn.input;
        let partial = self.partial.as_ref().filter(|partial| partial.input == input);
        let due = partial.map_or(0, ArchiveState::piece_number);
        let begun = turn.begun.first().filter(|archive| archive.piece.is_some());
        let begun = begun.or(partial).map(|archive| archive.identity.name.clone());
        let changed = |input: String| Err(Error::changed(&input, "it has other pieces"));
        let Some(pieces) = pieces else {
            turn.is_whole = true;
            self.todo.push_front(turn);
            return begun.map_or(Ok(()), changed);
        };
        for piece in pieces.into_iter().skip(due).rev() {
            let is_this = |archive: &mut ArchiveState| {
                archive.piece.is_some_and(|begun| (begun.number, begun.start) == (piece.number, piece.offset()))
            };
            let begun = turn.begun.extract_if(.., is_this).collect();
            self.todo.push_front(Turn { input, begun, piece: Some(piece), is_whole: false });
        }
        begun.filter(|_| !turn.begun.is_empty()).map_or(Ok(()), changed)
    }

    /// Takes an archive or a piece among those in work.
    pub(super) fn enter(&mut self, input: usize, begun: Option<ArchiveState>, piece: Option<Piece>) -> Work {
        let state = begun.unwrap_or_else(|| {
            self.saved.begun += 1;
            let naming = self.plan.namings.get(input).copied().unwrap_or_default();
            let piece = piece.as_ref();
            let piece = piece.map(|piece| PieceState { number: piece.number, start: piece.offset(), next: None });
            ArchiveState { input, number: self.saved.begun, naming, piece, ..ArchiveState::default() }
        });
        let work = Work { state, piece };
        self.works.push_back(work.clone());
        work
    }

    /// Begins to write an archive that was picked. If its turn has come, it receives the shared outputs, to which its
    /// earlier shares are added. None of a piece that does not count.
    pub(crate) fn start(&mut self, number: u64) -> Result<Option<Started<'a>>> {
        self.join()?;
        let first = self.works.front().is_some_and(|work| work.state.number == number);
        let Some(work) = self.works.iter().find(|work| work.state.number == number) else { return Ok(None) };
        let Work { mut state, piece } = work.clone();
        let fate = piece.map(|piece| piece.fate).unwrap_or_default();
        let mut shared = self.shared.take_if(|_| first);
        state.is_first = shared.is_some();
        if let Some(shared) = &mut shared {
            self.joined.extend(shared.join(self.plan, &mut state)?);
            // Other lanes may save before this archive does: what was joined must count then.
            if self.has_lanes {
                let shared = shared.checkpoint()?;
                self.saved.shared = shared;
                if let Some(work) = self.works.front_mut() {
                    work.state = state.clone();
                }
            }
        }
        Ok(Some(Started { state, fate, shared, documents_before: self.summary.documents }))
    }

    /// Marks the archives whose turn has come as done; returns their number.
    pub(super) fn join(&mut self) -> Result<usize> {
        let mut number = 0;
        loop {
            self.pass_void();
            let Some(shared) = &mut self.shared else { return Ok(number) };
            let Some(Work { mut state, .. }) = self.works.pop_front_if(|work| work.state.is_ended) else {
                return Ok(number);
            };
            number += 1;
            self.joined.extend(shared.join(self.plan, &mut state)?);
            self.summary.add(take(&mut state.summary));
            self.times.join(take(&mut state.times));
            match state.piece {
                Some(piece) => self.end_piece(piece, state)?,
                None => self.end_archive(state)?,
            }
        }
    }

    /// Adds a piece to those of its archive that are done. The last one ends the archive.
    fn end_piece(&mut self, piece: PieceState, state: ArchiveState) -> Result<()> {
        let input = state.input;
        let before = self.partial.take().filter(|partial| partial.input == input);
        let mut whole = before.unwrap_or_else(|| ArchiveState {
            input,
            identity: state.identity.clone(),
            naming: state.naming,
            report: FileReport { file: state.report.file.clone(), ..FileReport::default() },
            ..ArchiveState::default()
        });
        whole.report.add(state.report);
        let is_passed = |turn: &mut Turn| {
            let number = turn.piece.as_ref().map_or(0, |piece| piece.number);
            turn.input == input && piece.next.is_none_or(|next| number < next)
        };
        while let Some(turn) = self.todo.pop_front_if(is_passed) {
            // Of an earlier run.
            self.joined.extend(turn.begun.iter().flat_map(ArchiveState::paths));
        }
        if piece.next.is_some() {
            whole.piece = Some(PieceState { number: piece.next.unwrap_or_default(), ..PieceState::default() });
            self.partial = Some(whole);
            return Ok(());
        }
        if self.plan.is_folder()
            && let Some(shared) = &mut self.shared
        {
            shared.outputs.complete()?;
            self.waiting.extend(take(&mut shared.outputs.complete));
        }
        self.end_archive(whole)
    }

    fn end_archive(&mut self, state: ArchiveState) -> Result<()> {
        let ArchiveState { identity, point, report, .. } = state;
        if let Some(journal) = &mut self.journal {
            journal.add(&JournalEntry::Done(DoneInput { identity, report: report.clone(), point }))?;
        }
        self.add_report(report);
        Ok(())
    }

    /// Passes the pieces that an earlier one has read, too, and tells the next that it counts.
    fn pass_void(&mut self) {
        while let Some(front) = self.works.front() {
            let partial = self.partial.as_ref().filter(|partial| partial.input == front.state.input);
            let due = partial.map_or(0, ArchiveState::piece_number);
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
