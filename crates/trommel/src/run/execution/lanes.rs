//! Archives side by side: a reader and a writer for each lane, and workers that all lanes share.

use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};
use std::{collections::BTreeMap, io::Write};

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use trommel_archive::{PayloadOptions, RecordBlock};
use trommel_record::filters::Filters;
use trommel_sources::StopFlag;

use crate::run::counts::{Counters, Progress, Stage};
use crate::run::error::{RunError, RunPosition, TakeStep};
use crate::run::inputs::Input;
use crate::run::plan::{Plan, prepared::ReadPlan};
use crate::run::read::follow::FollowState;
use crate::run::read::reader::{Reading, RecordFeed, size};
use crate::run::work::record::{Extract, RecordExtractor};
use crate::run::work::task::{Gate, Step, Task, WorkerResult};
use crate::run::work::worker::{LaneEnd, MapDocument, RESULTS_PER_SEND, Worker};
use crate::run::write::lane::{LaneWriter, Writing};

/// Records between readers and writers, for each worker.
// 6 and 8 were tried: speed and peak memory were the same within the noise.
const WINDOW_PER_WORKER: usize = 12;
/// Bytes of their blocks, in all.
// Bounds records of the largest size; many small ones never reach it.
const WINDOW_BYTES: u64 = 256 << 20;
/// Time between two reports of progress.
// Also how soon a run hears that it is stopped.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);

/// The caller of a run who takes its documents.
pub(crate) struct Caller<'a, T> {
    /// Turns a document into the caller's form.
    pub(crate) map: &'a MapDocument<'a, T>,
    /// Takes the events.
    pub(crate) take: &'a mut TakeStep<'a, T>,
    /// True if it takes dropped records, too.
    pub(crate) wants_drops: bool,
    /// The position at which the run begins; none: at its first input.
    pub(crate) start: Option<RunPosition>,
}

/// The lanes of a run before they begin.
pub(super) struct Lanes<'a, 'w> {
    pub(super) plan: &'a Plan,
    pub(super) reading: ReadPlan<'a>,
    pub(super) writing: &'a Writing<'w>,
    pub(super) filters: &'a Filters,
    pub(super) extract: &'a Extract<'a>,
    /// Ends reads that wait.
    pub(super) stop: StopFlag,
    pub(super) is_stopped: &'a (dyn Fn() -> bool + Sync),
    pub(super) number: usize,
}

/// Channels by which the writer of a lane receives results of the workers.
struct LaneInput<T> {
    results: Receiver<Vec<Task<WorkerResult<T>>>>,
    spares: Receiver<RecordBlock>,
    gate: Gate,
}

impl Lanes<'_, '_> {
    /// Reads and writes all archives.
    pub(super) fn run<T: Send>(
        &self,
        stdout: &mut dyn Write,
        caller: Option<Caller<'_, T>>,
        followed: FollowState,
        ticker: &mut Ticker<'_>,
    ) -> Result<(), RunError> {
        let jobs = self.plan.jobs().get();
        let memory = self.plan.settings.limits.max_memory.map_or(u64::MAX, |memory| memory.0);
        // Pages being judged need several times their bytes; the rest is for records, outputs and filters.
        let room = Gate::new(usize::MAX, memory / 2);
        let (map, mut take, wants_drops) = match caller {
            Some(Caller { map, take, wants_drops, .. }) => (Some(map), Some(take), wants_drops),
            None => (None, None, false),
        };
        let records = RecordExtractor {
            room: Some(&room),
            copies: self.plan.settings.archive.crawler_text,
            quarantine: self.plan.quarantine.is_some(),
            set_aside: &self.plan.set_aside,
            hard: self.plan.hard.as_ref(),
            clock: self.writing.clock,
            ..RecordExtractor::new(self.extract, self.filters, PayloadOptions { max_payload: self.plan.max_payload() })
        };
        let labels = wants_drops || self.plan.dropped.is_some();
        let worker = Worker { records, encoders: &self.writing.plan.encoders, map, labels };
        let (ends, inputs) = self.channels::<T>(jobs, memory);
        let is_taken = take.is_some();
        let mut tell = |event, position| take.as_mut().map_or(Ok(()), |take| take(event, position));
        let mut first = LaneWriter::new(self.writing).on_stdout(stdout);
        if is_taken {
            first.take = Some(&mut tell);
        }
        thread::scope(|scope| {
            let started = self.start(scope, (jobs, &worker, &ends), &inputs, followed);
            let others = started.and_then(|()| self.start_writers(scope, &inputs));
            let written = others.and_then(|others| {
                let written = self.write(&inputs, 0, &mut first, Some(ticker));
                written.map(|()| others)
            });
            match written {
                Ok(others) => {
                    while !others.iter().all(ScopedJoinHandle::is_finished) {
                        thread::sleep(PROGRESS_INTERVAL / 10);
                        ticker.tick();
                    }
                }
                Err(error) => self.writing.ledger().fail(error),
            }
            // Wakes readers, which may wait at their gates, so that the scope can end.
            inputs.iter().for_each(|input| input.gate.close());
        });
        if let Some(clock) = self.writing.clock {
            clock.thread_ended("writer-0");
        }
        let ended = match self.writing.ledger().take_error() {
            Some(error) => Err(error),
            None => Ok(()),
        };
        if ended.is_err() {
            first.give_up();
            first.close();
        }
        first.finish().and(ended)
    }

    /// The ways between readers, workers and writers.
    fn channels<T>(&self, jobs: usize, memory: u64) -> (Vec<LaneEnd<T>>, Vec<LaneInput<T>>) {
        let window = self.window(jobs);
        let lanes = (0..self.number).map(|_| {
            let (results, done) = bounded(window + 1);
            // While the reader waits, as many blocks come back as results go together.
            let (spares, spare) = bounded(jobs.max(RESULTS_PER_SEND));
            // Of a record in work there are two copies.
            let gate = Gate::new(window, WINDOW_BYTES.min(memory / 8) / self.number as u64);
            (LaneEnd { results, spares }, LaneInput { results: done, spares: spare, gate })
        });
        lanes.unzip()
    }

    /// Records of a lane between its reader and its writer.
    fn window(&self, jobs: usize) -> usize {
        jobs.saturating_mul(WINDOW_PER_WORKER).div_ceil(self.number)
    }
}

impl Lanes<'_, '_> {
    /// Starts the workers and the readers.
    fn start<'s, T: Send>(
        &'s self,
        scope: &'s Scope<'s, '_>,
        (jobs, worker, ends): (usize, &'s Worker<'_, T>, &'s [LaneEnd<T>]),
        inputs: &'s [LaneInput<T>],
        followed: FollowState,
    ) -> Result<(), RunError> {
        // The gates bound what is inside, so that nobody ever waits at this channel.
        let (sender, tasks) = bounded((self.window(jobs) + 1).saturating_mul(self.number));
        for index in 0..jobs {
            let tasks = tasks.clone();
            self.spawn(scope, format!("worker-{index}"), move || worker.run(&tasks, ends))?;
        }
        let mut followed = Some(followed);
        for (lane, input) in inputs.iter().enumerate() {
            let feed = RecordFeed::new(Reading {
                plan: self.reading,
                lane,
                gate: &input.gate,
                tasks: sender.clone(),
                spares: input.spares.clone(),
                counters: &self.writing.counters,
                disk: self.writing.disk,
                clock: self.writing.clock,
                metrics: self.writing.metrics,
                stop: self.stop.clone(),
            });
            let followed = followed.take().zip(self.plan.follow.as_ref());
            let read = move || {
                // Being stopped is no fault: the writer knows why.
                let _ = match followed {
                    Some((followed, follow)) => feed.follow(follow, followed),
                    None => feed.run(self.writing),
                };
            };
            self.spawn(scope, format!("reader-{lane}"), read)?;
        }
        Ok(())
    }

    fn spawn<'s>(
        &'s self,
        scope: &'s Scope<'s, '_>,
        name: String,
        act: impl FnOnce() + Send + 's,
    ) -> Result<ScopedJoinHandle<'s, ()>, RunError> {
        let named = name.clone();
        let act = move || {
            act();
            if let Some(clock) = self.writing.clock {
                clock.thread_ended(&named);
            }
        };
        thread::Builder::new().name(name).spawn_scoped(scope, act).map_err(RunError::Thread)
    }

    /// Starts the writers of all lanes but the first, which is that of the calling thread.
    fn start_writers<'s, T: Send>(
        &'s self,
        scope: &'s Scope<'s, '_>,
        inputs: &'s [LaneInput<T>],
    ) -> Result<Vec<ScopedJoinHandle<'s, ()>>, RunError> {
        let others = (1..inputs.len()).map(|lane| {
            let write = move || {
                let mut writer = LaneWriter::new(self.writing);
                if let Err(error) = self.write(inputs, lane, &mut writer, None) {
                    self.writing.ledger().fail(error);
                    writer.give_up();
                }
            };
            self.spawn(scope, format!("writer-{lane}"), write)
        });
        others.collect()
    }

    /// Puts the results of a lane in order and writes them until there are no more.
    fn write<T>(
        &self,
        inputs: &[LaneInput<T>],
        lane: usize,
        writer: &mut LaneWriter<'_, '_, '_, T>,
        mut ticker: Option<&mut Ticker<'_>>,
    ) -> Result<(), RunError> {
        let Some(input) = inputs.get(lane) else { return Ok(()) };
        // Results that came before their turn. The gate bounds how many there can be.
        let mut early = BTreeMap::new();
        let mut next = 0;
        loop {
            if (self.is_stopped)() || self.writing.ledger().is_over() {
                return Err(RunError::Stopped);
            }
            match input.results.recv_timeout(PROGRESS_INTERVAL) {
                Ok(done) => {
                    early.extend(done.into_iter().map(|task| (task.number, task)));
                    let (mut tasks, mut bytes) = (0, 0u64);
                    while let Some(task) = early.remove(&next) {
                        if matches!(task.step, Step::Over) {
                            // A reader that was stopped ends early, too.
                            return if (self.is_stopped)() { Err(RunError::Stopped) } else { Ok(()) };
                        }
                        next += 1;
                        tasks += 1;
                        bytes = bytes.saturating_add(task.bytes);
                        let mut begin = Instant::now();
                        writer.step(task)?;
                        if writer.is_at_limit() {
                            return Ok(());
                        }
                        if let Some(clock) = self.writing.clock {
                            clock.lap(Stage::Writing, &mut begin);
                        }
                    }
                    // Once for all that were written: each call may wake the reader.
                    if tasks > 0 {
                        input.gate.leave(tasks, bytes);
                    }
                }
                Err(RecvTimeoutError::Timeout) => writer.idle()?,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            if let Some(metrics) = self.writing.metrics {
                metrics.queue(inputs.iter().map(|input| input.gate.inside()).sum());
                metrics.archives(self.writing.counters.archives());
            }
            if let Some(ticker) = &mut ticker {
                ticker.tick();
            }
        }
    }
}

/// Calls the progress now and then.
pub(super) struct Ticker<'a> {
    progress: &'a mut dyn Progress,
    counters: &'a Counters,
    total: Option<u64>,
    last: Option<Instant>,
}

impl<'a> Ticker<'a> {
    /// Tells the counts of a run over these inputs. Those that are followed grow, so that no total is known.
    pub(super) fn new(progress: &'a mut dyn Progress, counters: &'a Counters, plan: &Plan) -> Self {
        let total = |input: &Input| match input {
            Input::File(_) | Input::Packed(_) | Input::Pages(_) => Some(size(input).unwrap_or(0)),
            Input::Nothing { .. } => Some(0),
            Input::Selection(selection) => Some(selection.bytes()),
            Input::Stdin | Input::Url(_) => None,
        };
        let total = plan.follow.is_none().then(|| plan.inputs.iter().map(total).sum()).flatten();
        Self { progress, counters, total, last: None }
    }

    fn tick(&mut self) {
        if self.last.is_none_or(|last| last.elapsed() >= PROGRESS_INTERVAL) {
            self.report();
        }
    }

    /// Tells the counts now.
    pub(super) fn report(&mut self) {
        self.last = Some(Instant::now());
        self.progress.update(&self.counters.state(self.total));
    }
}
