//! Reads the inputs of a lane in order, on a thread of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::PoisonError;
use std::time::{Duration, Instant};
use std::{fs::File, io, thread};

use crossbeam_channel::Sender;
use trommel_archive::{ArchiveError, ReadOptions, Reader, Record, RecordType, ResumePoint};
use trommel_record::Disk;
use trommel_sources::{Remote, StopFlag, interruptible};

use crate::run::counts::Stage;
use crate::run::inputs::pieces::{self, Piece, Reach};
use crate::run::inputs::wacz_archive::{ListedPages, Packed};
use crate::run::inputs::{Input, is_pipe};
use crate::run::work::task::{ArchiveEnd, CapturedRecord, Opened, Step, Task};
use crate::run::work::worker::Lane;
use crate::run::work::{crawler_records::page_url, extract_record::panic_message};
use crate::run::{
    inputs::listing::Identity, plan::recipe_and_lanes::Prepared, read::revisits, read::revisits::Revisits,
    write::lane::Common, write::ledger::Next, write::ledger::Work,
};

/// Interval at which a waiting reader checks whether it may continue.
const PAUSE: Duration = Duration::from_millis(20);

/// Error that the run is stopped or the receiver of records is gone, so that reading must end.
#[derive(Debug)]
pub(crate) struct Disconnected;

/// Reader of one of the archives in progress, which sends its records to the workers. Each response is held back until
/// the next record is known, because that record may state the encoding that the crawler detected.
pub(crate) struct RecordFeed<'a, 'c> {
    pub(crate) common: &'a Common<'c>,
    lane: usize,
    /// Channels of this reader: one limits the records in progress, and one returns the memory of finished records.
    ways: &'a Lane,
    tasks: Sender<Task>,
    /// Page lists of the WACZ container whose archive is being read; none for other inputs.
    listed: Option<ListedPages>,
    next: u64,
    /// Response that is held back, and the place where reading continues after it.
    // One record: crawlers write the metadata of a response right behind it.
    held: Option<(Record, ResumePoint)>,
    /// Captures to which revisits may refer; none if revisits are not resolved.
    revisits: Option<Revisits>,
    /// True once the output of the current input has begun; of a followed input, also if it began in an earlier run.
    pub(crate) begun: bool,
    /// Number of stored bytes of the current input that are counted in the progress.
    counted: u64,
}

/// Tells the writer of the same archives that no more records come, however reading ended.
impl Drop for RecordFeed<'_, '_> {
    fn drop(&mut self) {
        let (lane, number) = (self.lane, self.next);
        // Nobody may be there to hear it.
        let _ = self.tasks.send(Task { lane, number, bytes: 0, point: None, step: Step::Over });
    }
}

impl<'a, 'c> RecordFeed<'a, 'c> {
    /// Creates the reader with the index `lane`, one of those that run in parallel, which sends its records to `tasks`.
    pub(crate) fn new(common: &'a Common<'c>, (lane, ways): (usize, &'a Lane), tasks: Sender<Task>) -> Self {
        let (listed, held, revisits) = (None, None, None);
        Self { common, lane, ways, tasks, listed, next: 0, held, revisits, begun: false, counted: 0 }
    }

    /// Reads the inputs assigned to this reader, each to its end, until no input is left or the run is stopped.
    pub(crate) fn run(mut self) -> Result<(), Disconnected> {
        if self.common.plan.run.settings.archive.resolve_revisits {
            self.revisits = Some(Revisits::of(self.common.plan, &self.common.stop));
        }
        while let Some(picked) = self.pick()? {
            self.read_input(&picked)?;
        }
        Ok(())
    }

    /// Returns the next archive, or piece of an archive, to read; none if none is left.
    fn pick(&self) -> Result<Option<Work>, Disconnected> {
        let common = self.common;
        while common.ledger().is_ahead() {
            if common.stop.is_set() || common.ledger().error.is_some() {
                return Err(Disconnected);
            }
            thread::sleep(PAUSE);
        }
        // Others wait, so that archives are picked in order; but the ledger is free while one is looked into.
        let _picking = common.picking.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let next = common.ledger().pick();
            let input = match next {
                Next::Read(picked) => return Ok(Some(*picked)),
                Next::Over => return Ok(None),
                Next::Cut(input) => input,
            };
            // What cannot be read says so to its reader.
            let Prepared { run, remote, options, .. } = common.plan;
            let cut = |input| pieces::pieces(input, remote, *options, run.piece_bytes);
            let pieces = run.inputs.get(input).and_then(cut);
            let mut ledger = common.ledger();
            if let Err(error) = ledger.cut(pieces) {
                ledger.fail(error);
                return Err(Disconnected);
            }
        }
    }

    fn read_input(&mut self, picked: &Work) -> Result<(), Disconnected> {
        let inputs = &self.common.plan.run.inputs;
        let Work { state, piece } = picked;
        let Some(input) = inputs.get(state.input) else { return Ok(()) };
        let size = input.size();
        self.begun = false;
        let piece = piece.as_ref();
        let begin = piece.map_or(0, Piece::offset);
        let point = state.point.or_else(|| piece.and_then(Piece::point));
        self.counted = begin;
        // Taken before reading: a file that changes meanwhile is then found to be another.
        let identity = Identity::of(input, state.identity.naming);
        let stem = self.common.plan.stems.get(state.input).cloned().unwrap_or_default();
        self.send(0, None, Step::Open(Opened { number: state.number, identity, stem }))?;
        self.listed = match input {
            Input::Packed(packed) => Some(self.send_faults(packed, state.point.is_none())?),
            _ => None,
        };
        let Prepared { options, remote, disk, .. } = *self.common.plan;
        let mut end = match input {
            Input::Selection(selection) => ArchiveEnd::at(self.read_selection(point, selection)?),
            Input::Pages(pages) => ArchiveEnd::at(self.read_pages(point, pages)?),
            Input::Nothing { argument, reason } => ArchiveEnd::failed(format!("{argument}: {reason}"), false),
            _ => match opened(input, point, (disk, remote, &self.common.stop), options) {
                Ok(mut reader) => {
                    if let (Some(size), Input::File(_)) = (size, input) {
                        // A file that ends early was cut, and not finished by its crawler.
                        reader.expect_length(size);
                    }
                    self.read_archive(input, reader, piece)?
                }
                Err(error) => {
                    // A run that is resumed may read it: an archive that was read before and is gone now may come back.
                    let is_broken = point.is_some() || input.path().is_some() && error.is_of_system();
                    ArchiveEnd::failed(error.to_string(), is_broken)
                }
            },
        };
        if self.common.stop.is_set() {
            return Err(Disconnected);
        }
        if let (Some(_), Some(piece)) = (&end.error, piece) {
            // Reading in order may never come to what failed.
            self.await_turn(piece)?;
        }
        let next = end.next.and_then(|next| Some(piece?.start(next)?.offset()));
        self.advance(next.or(size).unwrap_or(end.bytes));
        end.bytes = next.unwrap_or(end.bytes).saturating_sub(begin);
        self.send(0, None, Step::End(end))
    }

    /// Waits until all earlier pieces of an archive have been read, so that a piece is known to be valid or discarded.
    fn await_turn(&self, piece: &Piece) -> Result<(), Disconnected> {
        while !piece.fate.is_known() {
            if self.common.stop.is_set() || self.ways.gate.is_closed() {
                return Err(Disconnected);
            }
            thread::sleep(PAUSE);
        }
        Ok(())
    }

    /// Reports the faults of the archive's WACZ file if reading begins at its start; returns the file's lists of pages.
    fn send_faults(&mut self, packed: &Packed, is_start: bool) -> Result<ListedPages, Disconnected> {
        let (listed, faults) = packed.pages();
        // That reading them was ended early is no fault.
        if self.common.stop.is_set() {
            return Err(Disconnected);
        }
        // They were told before what there is to go on from.
        for what in faults.into_iter().filter(|_| is_start) {
            self.send_damage(None, 0, 0, what)?;
        }
        Ok(listed)
    }

    fn read_archive(
        &mut self,
        input: &Input,
        mut reader: Reader,
        piece: Option<&Piece>,
    ) -> Result<ArchiveEnd, Disconnected> {
        // A fault of ours in one archive must not cost the others.
        let read = catch_unwind(AssertUnwindSafe(|| self.read(input, &mut reader, piece)));
        let end = read.unwrap_or_else(|panic| {
            let (name, place, message) = (input.name(), reader.position(), panic_message(&*panic));
            Ok(ArchiveEnd::failed(format!("{name}: offset {place}: {message}"), false))
        })?;
        self.release(None)?;
        Ok(ArchiveEnd { bytes: reader.position(), ..end })
    }

    /// Counts the stored bytes of the current input up to the offset `position` as read.
    pub(crate) fn advance(&mut self, position: u64) {
        self.common.counts().bytes += position.saturating_sub(self.counted);
        self.counted = self.counted.max(position);
    }

    /// Sends the records of an input to the workers, up to the end of the input or of its piece.
    fn read(&mut self, input: &Input, reader: &mut Reader, piece: Option<&Piece>) -> Result<ArchiveEnd, Disconnected> {
        let mut next_piece = piece.map_or(0, |piece| piece.number + 1);
        loop {
            // Blocks are hundreds of kilobytes, made by one thread and freed by another: allocators do that badly.
            self.ways.spares.1.try_iter().for_each(|block| reader.reuse(block));
            let mut begin = Instant::now();
            let item = reader.next();
            // What a read that was stopped left of a record is none.
            if self.common.stop.is_set() {
                return Err(Disconnected);
            }
            let Some(item) = item else { return Ok(ArchiveEnd::default()) };
            self.common.clock.lap(Stage::Records, &mut begin);
            if let (Some(piece), Ok(record)) = (piece, &item) {
                match piece.reach(&mut next_piece, reader, record) {
                    Reach::Within => {}
                    Reach::Past => self.await_turn(piece)?,
                    Reach::Next(next) => {
                        // It may say something about the last one here.
                        self.release(Some(record))?;
                        return Ok(ArchiveEnd { next: Some(next), ..ArchiveEnd::default() });
                    }
                }
                if piece.fate.is_void() {
                    return Ok(ArchiveEnd::default());
                }
            }
            self.advance(Reader::position(reader));
            let Some(error) = self.give(item, reader.resume_point())? else { continue };
            // After all tries: the object is given up, and the run continues with the next input.
            // A disk may come back, so the run stops there; the network has been tried again already.
            let is_broken = matches!(error, ArchiveError::Io { .. }) && !matches!(input, Input::Url(_));
            return Ok(ArchiveEnd::failed(error.to_string(), is_broken));
        }
    }

    /// Sends a record or damage of an input to the workers. Returns any other error, because it ends the input. `after`
    /// is the place where reading continues.
    pub(crate) fn give(
        &mut self,
        item: Result<Record, ArchiveError>,
        after: ResumePoint,
    ) -> Result<Option<ArchiveError>, Disconnected> {
        match item {
            Ok(record) => {
                let revisits = self.revisits.as_ref().filter(|_| record.kind == RecordType::Revisit);
                let resolved = revisits.and_then(|revisits| revisits.resolved(self.common.plan, &record));
                let record = resolved.unwrap_or(record);
                let is_info = record.kind == RecordType::Warcinfo;
                self.begin(is_info.then(|| record.block.to_vec()), record.date())?;
                self.release(Some(&record))?;
                if record.kind == RecordType::Response {
                    self.held = Some((record, after));
                } else {
                    self.send_record(record, None, after)?;
                }
            }
            Err(ArchiveError::Damage { offset, lost, what, .. }) => {
                self.release(None)?;
                self.send_damage(Some(after), offset, lost, what.to_string())?;
            }
            Err(error) => return Ok(Some(error)),
        }
        Ok(None)
    }

    /// Begins the output of the current input, unless it has begun. `info` is the block of the input's warcinfo record.
    pub(crate) fn begin(&mut self, info: Option<Vec<u8>>, date: Option<&str>) -> Result<(), Disconnected> {
        match std::mem::replace(&mut self.begun, true) {
            true => Ok(()),
            false => self.send(0, None, Step::Begin { info, date: date.map(str::to_owned) }),
        }
    }

    /// Reports damage in the current input. The resume point `after` is ignored before the first record, because there
    /// is no output yet to continue.
    pub(crate) fn send_damage(
        &mut self,
        after: Option<ResumePoint>,
        offset: u64,
        lost: u64,
        what: String,
    ) -> Result<(), Disconnected> {
        self.send(0, after.filter(|_| self.begun), Step::Damage { offset, lost, what })
    }

    /// Sends the response that was held back to the workers, with the encoding that the next record states for it.
    pub(crate) fn release(&mut self, next: Option<&Record>) -> Result<(), Disconnected> {
        if let Some((record, after)) = self.held.take() {
            let charset = next.and_then(|next| revisits::crawl_charset(&record, next));
            self.send_record(record, charset, after)?;
        }
        Ok(())
    }

    pub(crate) fn send_record(
        &mut self,
        record: Record,
        charset: Option<String>,
        after: impl Into<Option<ResumePoint>>,
    ) -> Result<(), Disconnected> {
        let bytes = record.block.len() as u64;
        let is_capture = matches!(record.kind, RecordType::Response | RecordType::Resource);
        let listed = self.listed.as_ref().filter(|_| is_capture);
        let title = listed.and_then(|(pages, _)| pages.title(page_url(&record)?));
        let is_left_out = title.is_none() && listed.is_some_and(|(_, pages_only)| *pages_only);
        let title = title.filter(|title| !title.is_empty()).map(str::to_owned);
        self.send(bytes, after.into(), Step::Record(CapturedRecord { record, charset, title, is_left_out }))
    }

    pub(crate) fn send(&mut self, bytes: u64, point: Option<ResumePoint>, step: Step) -> Result<(), Disconnected> {
        // Before a number is given: a step that is not let in must leave no gap in the order.
        if !self.ways.gate.enter(bytes) {
            return Err(Disconnected);
        }
        let number = self.next;
        self.next += 1;
        let lane = self.lane;
        self.tasks.send(Task { lane, number, bytes, point, step }).map_err(|_| Disconnected)
    }
}

/// Opens an input, and returns a reader of its records from the start or from `point` on.
pub(crate) fn opened(
    input: &Input,
    point: Option<ResumePoint>,
    (disk, remote, stop): (&dyn Disk, &Remote, &StopFlag),
    options: ReadOptions,
) -> Result<Reader, ArchiveError> {
    let name = input.name();
    let failed = |source| ArchiveError::Io { file: name.as_str().into(), offset: 0, source };
    let bytes = match input {
        Input::Stdin => interruptible(|| Ok(io::stdin()), stop),
        Input::File(path) if is_pipe(path) => {
            let path = path.clone();
            interruptible(move || File::open(path), stop)
        }
        Input::File(path) if point.is_none() => disk.open(path),
        _ => {
            let bytes = input.bytes().and_then(|bytes| bytes.ok_or_else(|| io::ErrorKind::NotFound.into()));
            let bytes = bytes.map_err(failed)?;
            return Reader::reopen_with(&*name, || bytes.open(remote), &point.unwrap_or_default(), options);
        }
    };
    Reader::new(&*name, bytes.map_err(failed)?, options)
}
