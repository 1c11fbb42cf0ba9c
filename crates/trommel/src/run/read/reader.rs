//! The thread that reads the inputs of a lane in order.

use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::PoisonError;
use std::time::{Duration, Instant};
use std::{fs, thread};

use crossbeam_channel::{Receiver, Sender};
use trommel_archive::{ArchiveError, Reader, Record, RecordBlock, RecordType, ResumePoint};
use trommel_record::Disk;
use trommel_sources::{ArchiveBytes, StopFlag, interruptible, open_file};

use crate::metrics::Metrics;
use crate::run::counts::{Clock, Counters, Stage};
use crate::run::inputs::packed::{ContainerFault, ContainerLists, Packed};
use crate::run::inputs::{Input, is_pipe};
use crate::run::read::piece_end::{PieceEnd, Reach};
use crate::run::work::record::{page_url, panic_message};
use crate::run::work::task::{ArchiveEnd, CapturedRecord, Gate, Opened, Step, Task};
use crate::run::{
    inputs::found::Identity, inputs::pieces::Piece, plan::prepared::ReadPlan, read::revisits, read::revisits::Revisits,
    write::lane::Writing, write::ledger::Next, write::ledger::Picked,
};

/// Time between two looks at whether enough archives are done.
const PAUSE: Duration = Duration::from_millis(20);

/// The other end is gone: nothing more is wanted.
#[derive(Debug)]
pub(crate) struct Disconnected;

/// Settings and channels of a reader.
pub(crate) struct Reading<'a> {
    pub(crate) plan: ReadPlan<'a>,
    pub(crate) lane: usize,
    /// Lets the records of the lane in.
    pub(crate) gate: &'a Gate,
    pub(crate) tasks: Sender<Task<CapturedRecord>>,
    /// Blocks that the workers are done with.
    pub(crate) spares: Receiver<RecordBlock>,
    pub(crate) counters: &'a Counters,
    pub(crate) disk: &'a dyn Disk,
    /// Measures the time of reading.
    pub(crate) clock: Option<&'a Clock>,
    /// Receives the counts of reading.
    pub(crate) metrics: Option<&'a Metrics>,
    /// Ends reads that wait.
    pub(crate) stop: StopFlag,
}

/// Sends the records of the inputs of a lane to the workers. It holds each response back until the next record
/// is known, as that may say in which encoding the crawler took the response to be.
pub(crate) struct RecordFeed<'a> {
    pub(crate) reading: Reading<'a>,
    /// The lists of the container whose archive is being read.
    listed: Option<ContainerLists>,
    next: u64,
    // One record: crawlers write the metadata of a response right behind it.
    held: Option<HeldResponse>,
    /// The captures that revisits may name, if they are to be resolved.
    revisits: Option<Revisits>,
    /// Stored bytes of the current input that are counted.
    counted: u64,
}

/// A response held back, and where reading goes on after it.
#[derive(Debug)]
struct HeldResponse {
    record: Record,
    after: ResumePoint,
}

/// Says that nothing more comes, however reading ended.
impl Drop for RecordFeed<'_> {
    fn drop(&mut self) {
        let (lane, number) = (self.reading.lane, self.next);
        // Nobody may be there to hear it.
        let _ = self.reading.tasks.send(Task { lane, number, bytes: 0, point: None, step: Step::Over });
    }
}

impl<'a> RecordFeed<'a> {
    /// A feed that has read nothing.
    pub(crate) fn new(reading: Reading<'a>) -> Self {
        Self { reading, listed: None, next: 0, held: None, revisits: None, counted: 0 }
    }

    /// Reads inputs that the ledger gives to their ends, until there are none or nothing more is wanted.
    pub(crate) fn run(mut self, writing: &Writing<'_>) -> Result<(), Disconnected> {
        if self.reading.plan.resolves_revisits {
            self.revisits = Some(Revisits::of(self.reading.plan, &self.reading.stop));
        }
        while let Some(picked) = self.pick(writing)? {
            self.read_input(&picked)?;
        }
        Ok(())
    }

    /// The next archive, or piece of one; none if there is none left.
    fn pick(&self, writing: &Writing<'_>) -> Result<Option<Picked>, Disconnected> {
        while writing.ledger().is_ahead() {
            if self.reading.stop.is_set() || writing.ledger().is_over() {
                return Err(Disconnected);
            }
            thread::sleep(PAUSE);
        }
        // Others wait, so that archives are picked in order; but the ledger is free while one is looked into.
        let _picking = writing.picking.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let next = writing.ledger().pick();
            let input = match next {
                Next::Read(picked) => return Ok(Some(picked)),
                Next::Over => return Ok(None),
                Next::Cut(input) => input,
            };
            // What cannot be read says so to its reader.
            let pieces = self.reading.plan.cutter.pieces(input).ok().flatten();
            let mut ledger = writing.ledger();
            if let Err(error) = ledger.cut(pieces) {
                ledger.fail(error.into());
                return Err(Disconnected);
            }
        }
    }

    fn read_input(&mut self, picked: &Picked) -> Result<(), Disconnected> {
        let inputs = self.reading.plan.inputs;
        let Some(input) = inputs.get(picked.input) else { return Ok(()) };
        let size = size(input);
        let is_begun = picked.point.is_some();
        let mut piece = picked.piece.as_ref().map(PieceEnd::new);
        let begin = picked.piece.as_ref().map_or(0, Piece::offset);
        let point = picked.point.or_else(|| picked.piece.as_ref().and_then(Piece::point));
        self.counted = begin;
        // Taken before reading: a file that changes meanwhile is then found to be another.
        let identity = Identity::of(input);
        let fate = picked.piece.as_ref().map(|piece| piece.fate.clone());
        let opened = Opened { number: picked.number, input: picked.input, identity, stem: None, fate };
        self.send(0, None, Step::Open(opened))?;
        self.listed = match input {
            Input::Packed(packed) => Some(self.send_faults(packed, !is_begun)?),
            _ => None,
        };
        let (bytes, end) = match input {
            Input::Selection(selection) => (self.read_selection(point, selection)?, InputEnd::Well),
            Input::Pages(pages) => (self.read_pages(point, pages)?, InputEnd::Well),
            _ => match self.open(input, point) {
                Ok(mut reader) => {
                    if let (Some(size), Input::File(_)) = (size, input) {
                        // A file that ends early was cut, and not finished by its crawler.
                        reader.expect_length(size);
                    }
                    self.read_archive(input, is_begun, reader, piece.as_mut())?
                }
                Err(end) => (0, end),
            },
        };
        if self.reading.stop.is_set() {
            return Err(Disconnected);
        }
        let broken = matches!(end, InputEnd::Broken(_));
        let (error, next) = match end {
            InputEnd::Well => (None, None),
            InputEnd::Failed(error) | InputEnd::Broken(error) => (Some(error), None),
            InputEnd::Next(next) => (None, Some(next)),
        };
        if let (Some(_), Some(piece)) = (&error, &piece) {
            // Reading in order may never come to what failed.
            self.await_turn(piece)?;
        }
        let end = next.and_then(|next| Some(picked.piece.as_ref()?.start(next)?.offset()));
        let end = end.unwrap_or(bytes);
        self.advance(if next.is_some() { end } else { size.unwrap_or(end) });
        let bytes = end.saturating_sub(begin);
        self.send(0, None, Step::End(ArchiveEnd { bytes, error, broken, point: None, next }))
    }

    /// Waits until it is known whether a piece counts.
    fn await_turn(&self, piece: &PieceEnd<'_>) -> Result<(), Disconnected> {
        while !piece.is_known() {
            if self.reading.stop.is_set() || self.reading.gate.is_closed() {
                return Err(Disconnected);
            }
            thread::sleep(PAUSE);
        }
        Ok(())
    }

    /// Tells the faults of a container before its first archive is read; returns its lists.
    fn send_faults(&mut self, packed: &Packed, is_start: bool) -> Result<ContainerLists, Disconnected> {
        let (listed, faults) = packed.pages();
        // That reading them was ended early is no fault.
        if self.reading.stop.is_set() {
            return Err(Disconnected);
        }
        // They were told before what there is to go on from.
        for ContainerFault { what, lost } in faults.into_iter().filter(|_| is_start) {
            self.send(0, None, Step::Damage { offset: 0, lost, what })?;
        }
        Ok(listed)
    }

    fn read_archive(
        &mut self,
        input: &Input,
        begun: bool,
        mut reader: Reader,
        piece: Option<&mut PieceEnd<'_>>,
    ) -> Result<(u64, InputEnd), Disconnected> {
        // A fault of ours in one archive must not cost the others.
        let read = catch_unwind(AssertUnwindSafe(|| self.read(input, begun, &mut reader, piece)));
        let end = match read {
            Ok(end) => end?,
            Err(panic) => {
                InputEnd::Failed(format!("{}: offset {}: {}", input.name(), reader.position(), panic_message(&*panic)))
            }
        };
        self.release(None)?;
        Ok((reader.position(), end))
    }

    /// Counts stored bytes of the current input up to a place.
    pub(crate) fn advance(&mut self, position: u64) {
        self.reading.counters.read(position.saturating_sub(self.counted));
        self.counted = self.counted.max(position);
    }

    fn open(&self, input: &Input, point: Option<ResumePoint>) -> Result<Reader, InputEnd> {
        let ReadPlan { options, remote, .. } = self.reading.plan;
        let (name, stop) = (input.name(), &self.reading.stop);
        let failed = |source| ArchiveError::Io { file: name.as_str().into(), offset: 0, source };
        let new = |bytes: io::Result<Box<dyn Read + Send>>| Reader::new(name.as_str(), bytes.map_err(failed)?, options);
        let opened = match input {
            Input::Nothing { argument, reason } => return Err(InputEnd::Failed(format!("{argument}: {reason}"))),
            // Their records are read one by one.
            Input::Selection(_) | Input::Pages(_) => return Err(InputEnd::Well),
            Input::Stdin => new(interruptible(io::stdin(), stop)),
            Input::File(path) if is_pipe(path) => new(open_file(path, stop)),
            Input::File(path) if point.is_none() => new(self.reading.disk.open(path)),
            Input::File(_) | Input::Url(_) | Input::Packed(_) => {
                let bytes = input.bytes().and_then(|bytes| bytes.ok_or_else(|| io::ErrorKind::NotFound.into()));
                let open = |bytes: ArchiveBytes| {
                    Reader::reopen_with(name.as_str(), || bytes.open(remote), &point.unwrap_or_default(), options)
                };
                bytes.map_err(failed).and_then(open)
            }
        };
        // A run that is resumed may read it: an archive that was read before and is gone now may come back.
        opened.map_err(|error| match point.is_some() || input.path().is_some() && error.is_of_system() {
            true => InputEnd::Broken(error.to_string()),
            false => InputEnd::Failed(error.to_string()),
        })
    }

    /// Sends the records of one input, whose first record has been sent before if it is `begun`.
    fn read(
        &mut self,
        input: &Input,
        mut begun: bool,
        reader: &mut Reader,
        mut piece: Option<&mut PieceEnd<'_>>,
    ) -> Result<InputEnd, Disconnected> {
        loop {
            // Blocks are hundreds of kilobytes, made by one thread and freed by another: allocators do that badly.
            self.reading.spares.try_iter().for_each(|block| reader.reuse(block));
            let mut begin = Instant::now();
            let item = reader.next();
            // What a read that was stopped left of a record is none.
            if self.reading.stop.is_set() {
                return Err(Disconnected);
            }
            let Some(item) = item else { return Ok(InputEnd::Well) };
            if let Some(clock) = self.reading.clock {
                clock.lap(Stage::Records, &mut begin);
            }
            if let (Some(piece), Ok(record)) = (&mut piece, &item) {
                match piece.reach(reader, record) {
                    Reach::Within => {}
                    Reach::Past => self.await_turn(piece)?,
                    Reach::Next(next) => {
                        // It may say something about the last one here.
                        self.release(Some(record))?;
                        return Ok(InputEnd::Next(next));
                    }
                }
                if piece.is_void() {
                    return Ok(InputEnd::Well);
                }
            }
            self.advance(Reader::position(reader));
            let Some(error) = self.give(&mut begun, item, reader.resume_point())? else { continue };
            // After all tries: the object is given up, and the run continues with the next input.
            return Ok(match error {
                // A disk may come back, so the run stops there; the network has been tried again already.
                ArchiveError::Io { .. } if !matches!(input, Input::Url(_)) => InputEnd::Broken(error.to_string()),
                error => InputEnd::Failed(error.to_string()),
            });
        }
    }

    /// Sends one item of an input; returns the error that ends it, if it is one. `begun` says whether its first record
    /// was sent.
    pub(crate) fn give(
        &mut self,
        begun: &mut bool,
        item: Result<Record, ArchiveError>,
        after: ResumePoint,
    ) -> Result<Option<ArchiveError>, Disconnected> {
        match item {
            Ok(record) => {
                let record = self.resolved(record);
                if !*begun {
                    *begun = true;
                    let is_info = record.kind == RecordType::Warcinfo;
                    let step = Step::Begin {
                        info: is_info.then(|| record.block.to_vec()),
                        date: record.date().map(str::to_owned),
                    };
                    self.send(0, None, step)?;
                }
                self.release(Some(&record))?;
                if record.kind == RecordType::Response {
                    self.held = Some(HeldResponse { record, after });
                } else {
                    self.send_record(record, None, after)?;
                }
            }
            Err(ArchiveError::Damage { offset, lost, what, .. }) => {
                self.release(None)?;
                let what = what.to_string();
                // Before the first record there is no output yet to continue.
                self.send(0, begun.then_some(after), Step::Damage { offset, lost, what })?;
            }
            Err(error) => return Ok(Some(error)),
        }
        Ok(None)
    }

    /// A revisit with its content, if that is wanted and known; any other record as it is.
    fn resolved(&self, record: Record) -> Record {
        match &self.revisits {
            Some(revisits) if record.kind == RecordType::Revisit => {
                revisits.resolved(self.reading.plan, &record).unwrap_or(record)
            }
            _ => record,
        }
    }

    /// Sends the response that was held back, with the facts that the record after it states about it.
    pub(crate) fn release(&mut self, next: Option<&Record>) -> Result<(), Disconnected> {
        if let Some(held) = self.held.take() {
            let HeldResponse { record, after } = held;
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
        let listing = listed.map(|listed| listed.listing(page_url(&record)));
        let step = Step::Record(CapturedRecord { record, charset, listing: listing.unwrap_or_default() });
        self.send(bytes, after.into(), step)
    }

    pub(crate) fn send(
        &mut self,
        bytes: u64,
        point: Option<ResumePoint>,
        step: Step<CapturedRecord>,
    ) -> Result<(), Disconnected> {
        // Before a number is given: a step that is not let in must leave no gap in the order.
        if !self.reading.gate.enter(bytes) {
            return Err(Disconnected);
        }
        let number = self.next;
        self.next += 1;
        let lane = self.reading.lane;
        self.reading.tasks.send(Task { lane, number, bytes, point, step }).map_err(|_| Disconnected)
    }
}

/// Stored bytes of an input, if that is known.
pub(crate) fn size(input: &Input) -> Option<u64> {
    match input {
        Input::File(path) => fs::metadata(path).map(|file| file.len()).ok(),
        Input::Packed(packed) => Some(packed.bytes()),
        Input::Pages(pages) => Some(pages.bytes()),
        _ => None,
    }
}

/// The end of reading an input.
enum InputEnd {
    /// At its end.
    Well,
    /// It is no archive, or not there.
    Failed(String),
    /// The system could not read on.
    Broken(String),
    /// At the beginning of the piece of that number.
    Next(usize),
}
