//! The thread that reads all inputs in order.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use std::{fmt, fs, io};

use crossbeam_channel::{Receiver, Sender};
use trommel_archive::{ArchiveError, ReadOptions, Reader, Record, RecordBlock, RecordType, ResumePoint};
use trommel_metrics::Metrics;
use trommel_output::Disk;
use trommel_sources::{RecordSelection, StopFlag, interruptible, open_file, redacted};

use crate::counts::clock::{Clock, Stage};
use crate::inputs::Input;
use crate::inputs::identity::Identity;
use crate::inputs::network::Network;
use crate::inputs::packed::{ContainerFault, ContainerLists};
use crate::plan::Plan;
use crate::read::crawl_metadata;
use crate::read::revisits::Revisits;
use crate::work::crawler_records::page_url;
use crate::work::gate::Gate;
use crate::work::panic::panic_message;
use crate::work::task::{CapturedRecord, Step, Task};

/// The other end is gone: nothing more is wanted.
#[derive(Debug)]
pub(crate) struct Disconnected;

/// Sends the records of all inputs to the workers. It holds each response back until the next record
/// is known, as that may say in which encoding the crawler took the response to be.
#[derive(Debug)]
pub(crate) struct RecordFeed<'a> {
    pub(crate) plan: &'a Plan,
    gate: &'a Gate,
    tasks: Sender<Task<CapturedRecord>>,
    /// Blocks that the workers are done with.
    spares: Receiver<RecordBlock>,
    pub(crate) position: &'a AtomicU64,
    disk: &'a dyn Disk,
    /// Measures the time of reading.
    pub(crate) clock: Option<&'a Clock>,
    /// Receives the counts of reading.
    pub(crate) metrics: Option<&'a Metrics>,
    /// The lists of the container whose archive is being read.
    listed: Option<ContainerLists>,
    next: u64,
    // One record: crawlers write the metadata of a response right behind it.
    held: Option<HeldResponse>,
    /// The captures that revisits may name, if they are to be resolved.
    revisits: Option<Revisits>,
    pub(crate) network: Network,
    /// Ends reads that wait.
    pub(crate) stop: StopFlag,
}

/// A response held back, and where reading goes on after it.
#[derive(Debug)]
struct HeldResponse {
    record: Record,
    after: ResumePoint,
}

/// The start of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Start {
    /// Indices of the inputs to read, in that order.
    pub(crate) todo: Vec<usize>,
    /// Place in the first of them; none: its start.
    pub(crate) point: Option<ResumePoint>,
}

impl<'a> RecordFeed<'a> {
    /// A feed into `tasks`, as far as `gate` lets it; `position` is kept at the stored bytes read.
    pub(crate) fn new(
        plan: &'a Plan,
        gate: &'a Gate,
        tasks: Sender<Task<CapturedRecord>>,
        spares: Receiver<RecordBlock>,
        position: &'a AtomicU64,
        disk: &'a dyn Disk,
    ) -> Self {
        Self {
            plan,
            gate,
            tasks,
            spares,
            position,
            disk,
            clock: None,
            metrics: None,
            listed: None,
            next: 0,
            held: None,
            revisits: None,
            network: Network::default(),
            stop: StopFlag::default(),
        }
    }

    /// Reads the inputs of `start` to their ends, or until nothing more is wanted.
    pub(crate) fn run(mut self, start: Start) -> Result<(), Disconnected> {
        let size = |input: &Input| match input {
            Input::File(path) => fs::metadata(path).map(|file| file.len()).ok(),
            Input::Packed(packed) => Some(packed.bytes()),
            _ => None,
        };
        if self.plan.settings.archive.resolve_revisits {
            self.revisits = Some(Revisits::of(self.plan, &self.network, &self.stop));
        }
        let todo: HashSet<usize> = start.todo.iter().copied().collect();
        let inputs = self.plan.inputs.iter().enumerate();
        let done = inputs.filter(|(index, _)| !todo.contains(index));
        let mut before = done.filter_map(|(_, input)| size(input)).sum::<u64>();
        let mut point = start.point;
        for index in start.todo {
            let Some(input) = self.plan.inputs.get(index) else { continue };
            let size = size(input);
            let point = point.take();
            // Taken before reading: a file that changes meanwhile is then found to be another.
            let identity = Identity::of(input);
            let stem = None;
            self.send(0, None, Step::Open { identity, stem })?;
            self.listed = match input {
                Input::Packed(packed) => {
                    let (listed, faults) = packed.pages();
                    // That reading them was ended early is no fault.
                    if self.stop.is_set() {
                        return Err(Disconnected);
                    }
                    for ContainerFault { what, lost } in faults {
                        // They were told before what there is to go on from.
                        if point.is_none() {
                            let offset = 0;
                            self.send(0, None, Step::Damage { offset, lost, what })?;
                        }
                    }
                    Some(listed)
                }
                _ => None,
            };
            let opened = match input {
                Input::Selection(selection) => OpenedInput::Selection(selection),
                _ => match self.open(input, point) {
                    Ok(mut reader) => {
                        if let (Some(size), Input::File(_)) = (size, input) {
                            // A file that ends early was cut, and not finished by its crawler.
                            reader.expect_length(size);
                        }
                        OpenedInput::Reader(Box::new(reader))
                    }
                    Err(end) => OpenedInput::Not(end),
                },
            };
            let (bytes, end) = match opened {
                OpenedInput::Selection(selection) => {
                    (self.read_selection(index, before, point, selection)?, InputEnd::Well)
                }
                OpenedInput::Reader(reader) => {
                    let mut reader = *reader;
                    let begun = point.is_some();
                    // A fault of ours in one archive must not cost the others.
                    let read = catch_unwind(AssertUnwindSafe(|| self.read(index, before, begun, &mut reader)));
                    let end = match read {
                        Ok(end) => end?,
                        Err(panic) => InputEnd::Failed(format!(
                            "{}: offset {}: {}",
                            input.name(),
                            reader.position(),
                            panic_message(&*panic)
                        )),
                    };
                    self.release(None)?;
                    (reader.position(), end)
                }
                OpenedInput::Not(end) => (0, end),
            };
            if self.stop.is_set() {
                return Err(Disconnected);
            }
            before += size.unwrap_or(bytes);
            self.position.store(before, Ordering::Relaxed);
            let broken = matches!(end, InputEnd::Broken(_));
            let error = match end {
                InputEnd::Well => None,
                InputEnd::Failed(error) | InputEnd::Broken(error) => Some(error),
            };
            self.send(0, None, Step::End { input: index, bytes, error, broken, point: None })?;
        }
        Ok(())
    }

    fn open(&self, input: &Input, point: Option<ResumePoint>) -> Result<Reader, InputEnd> {
        let options = ReadOptions { max_record: self.plan.max_record(), ..ReadOptions::default() };
        let reader = match (input, point) {
            // An archive that was read before and is gone now may come back.
            (Input::File(path), Some(point)) => {
                return Reader::reopen(path, &point, options).map_err(|error| InputEnd::Broken(error.to_string()));
            }
            (Input::File(path), None) if is_pipe(path) => match open_file(path, &self.stop) {
                Ok(input) => Reader::new(input_name(path), input, options),
                Err(source) => Err(failed(path, source)),
            },
            (Input::File(path), None) => match self.disk.open(path) {
                Ok(file) => Reader::new(input.name(), file, options),
                Err(source) => Err(failed(path, source)),
            },
            (Input::Url(url), point) => return self.open_url(url, point, options),
            (Input::Packed(packed), Some(point)) => {
                return packed.open(Some(&point), options).map_err(|error| InputEnd::Broken(error.to_string()));
            }
            (Input::Packed(packed), None) => packed.open(None, options),
            (Input::Stdin, _) => match interruptible(std::io::stdin(), &self.stop) {
                Ok(stdin) => Reader::new(input.name(), stdin, options),
                Err(source) => Err(failed(Path::new("-"), source)),
            },
            (Input::Nothing { argument, reason }, _) => {
                return Err(InputEnd::Failed(format!("{argument}: {reason}")));
            }
            // Its records are read one by one.
            (Input::Selection(_), _) => return Err(InputEnd::Well),
        };
        // A run that is resumed may read it.
        reader.map_err(|error| match input.path().is_some() && error.is_of_system() {
            true => InputEnd::Broken(error.to_string()),
            false => InputEnd::Failed(error.to_string()),
        })
    }

    fn open_url(&self, url: &str, point: Option<ResumePoint>, options: ReadOptions) -> Result<Reader, InputEnd> {
        let name = redacted(url);
        let told = |error: &dyn fmt::Display| format!("{name}: {error}");
        let opened = self.network.open(url);
        match point {
            None => {
                let input = opened.map_err(|error| InputEnd::Failed(told(&error)))?;
                Reader::new(name, input, options).map_err(|error| InputEnd::Failed(error.to_string()))
            }
            Some(point) => {
                let input = opened.map_err(|error| InputEnd::Broken(told(&error)))?;
                Reader::resume(name, input, &point, options).map_err(|error| InputEnd::Broken(error.to_string()))
            }
        }
    }

    /// Sends the records of one input, whose first record has been sent before if it is `begun`.
    fn read(
        &mut self,
        input: usize,
        before: u64,
        mut begun: bool,
        reader: &mut Reader,
    ) -> Result<InputEnd, Disconnected> {
        loop {
            // Blocks are hundreds of kilobytes, made by one thread and freed by another: allocators do that badly.
            self.spares.try_iter().for_each(|block| reader.reuse(block));
            let mut begin = Instant::now();
            let item = reader.next();
            // What a read that was stopped left of a record is none.
            if self.stop.is_set() {
                return Err(Disconnected);
            }
            let Some(item) = item else { return Ok(InputEnd::Well) };
            if let Some(clock) = self.clock {
                clock.lap(Stage::Records, &mut begin);
            }
            self.position.store(before + Reader::position(reader), Ordering::Relaxed);
            let Some(error) = self.give(input, &mut begun, item, reader.resume_point())? else { continue };
            // After all tries: the object is given up, and the run continues with the next input.
            let is_url = matches!(self.plan.inputs.get(input), Some(Input::Url(_)));
            return Ok(match error {
                // A disk may come back, so the run stops there; the network has been tried again already.
                ArchiveError::Io { .. } if !is_url => InputEnd::Broken(error.to_string()),
                error => InputEnd::Failed(error.to_string()),
            });
        }
    }

    /// Sends one item of an input; gives the error that ends it, if it is one. `begun` says whether its
    /// first record was sent.
    pub(crate) fn give(
        &mut self,
        input: usize,
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
                        input,
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
                revisits.resolved(self.plan, &self.network, &record).unwrap_or(record)
            }
            _ => record,
        }
    }

    /// Sends the response held back, with what the record after it says about it.
    pub(crate) fn release(&mut self, next: Option<&Record>) -> Result<(), Disconnected> {
        if let Some(held) = self.held.take() {
            let HeldResponse { record, after } = held;
            let charset = next.and_then(|next| crawl_metadata::crawl_charset(&record, next));
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
        if !self.gate.enter(bytes) {
            return Err(Disconnected);
        }
        let number = self.next;
        self.next += 1;
        self.tasks.send(Task { number, bytes, point, step }).map_err(|_| Disconnected)
    }
}

/// Whether reading may wait for a writer.
pub(crate) fn is_pipe(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| !file.is_file() && !file.is_dir())
}

fn input_name(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn failed(path: &Path, source: io::Error) -> ArchiveError {
    ArchiveError::Io { file: input_name(path).into(), offset: 0, source }
}

/// An opened input.
enum OpenedInput<'a> {
    Reader(Box<Reader>),
    Selection(&'a RecordSelection),
    Not(InputEnd),
}

/// The end of reading an input.
enum InputEnd {
    /// At its end.
    Well,
    /// It is no archive, or not there.
    Failed(String),
    /// The system could not read on.
    Broken(String),
}
