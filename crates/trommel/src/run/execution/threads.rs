//! Archives side by side: a reader and a writer for each lane, and workers that all lanes share.

use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};
use std::{collections::BTreeMap, io::Write};

use crossbeam_channel::bounded;
use trommel_archive::PayloadOptions;
use trommel_record::filters::Filters;

use crate::run::counts::Stage;
use crate::run::read::follow::Visit;
use crate::run::read::lane_reader::RecordFeed;
use crate::run::work::extract_record::{Extract, RecordExtractor};
use crate::run::work::task::{Gate, Step};
use crate::run::work::worker::{Lane, RESULTS_PER_SEND, TakeDocument, Worker};
use crate::run::write::lane::{Common, LaneWriter};
use crate::{Error, ErrorKind, Result};

/// Maximum number of records, for each worker thread, that have been read and not yet written.
// 6 and 8 were tried: speed and peak memory were the same within the noise.
const WINDOW_PER_WORKER: usize = 12;
/// Maximum total bytes of records that have been read and not yet written.
// Bounds records of the largest size; many small ones never reach it.
const WINDOW_BYTES: u64 = 256 << 20;
/// Time between two reports of progress.
// Also how soon a run hears that it is stopped.
pub(super) const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);

/// Sets of threads (lanes) of a run, each of which reads, extracts and writes one archive at a time.
pub(super) struct Lanes<'a, 'c> {
    common: &'a Common<'c>,
    filters: &'a Filters,
    extract: &'a Extract<'a>,
    lanes: Vec<Lane>,
    jobs: usize,
    /// Maximum bytes of memory for records and pages in progress.
    memory: u64,
    /// Maximum number of records of one archive that have been read and not yet written.
    window: usize,
}

impl<'a, 'c> Lanes<'a, 'c> {
    /// Creates the lanes (each processes one archive at a time) of a run, without starting their threads.
    pub(super) fn new(common: &'a Common<'c>, filters: &'a Filters, extract: &'a Extract<'a>) -> Self {
        let (settings, number) = (&common.plan.run.settings, common.plan.lanes);
        let jobs = settings.jobs().get();
        let memory = settings.limits.max_memory.map_or(u64::MAX, |memory| memory.0);
        let window = jobs.saturating_mul(WINDOW_PER_WORKER).div_ceil(number);
        let lane = |_| Lane {
            results: bounded(window + 1),
            // While the reader waits, as many blocks come back as results go together.
            spares: bounded(jobs.max(RESULTS_PER_SEND)),
            // Of a record in work there are two copies.
            gate: Gate::new(window, WINDOW_BYTES.min(memory / 8) / number as u64),
        };
        Self { common, filters, extract, lanes: (0..number).map(lane).collect(), jobs, memory, window }
    }

    /// Reads and writes several archives at a time until all are done, and calls `tick` repeatedly meanwhile.
    pub(super) fn run(
        &self,
        stdout: &mut dyn Write,
        mut caller: Option<&mut TakeDocument<'_>>,
        visits: Vec<Visit>,
        tick: &mut dyn FnMut(),
    ) -> Result<()> {
        let run = self.common.plan.run;
        // Pages being judged need several times their bytes; the rest is for records, outputs and filters.
        let room = Gate::new(usize::MAX, self.memory / 2);
        let records = RecordExtractor {
            room: Some(&room),
            run: Some(run),
            clock: Some(self.common.clock),
            ..RecordExtractor::new(self.extract, self.filters, PayloadOptions { max_payload: run.max_payload() })
        };
        let worker = Worker { records, encoders: &self.common.plan.encoders, is_taken: caller.is_some() };
        let mut tell = |document| caller.as_mut().map_or(Ok(()), |take| take(document));
        let mut first = LaneWriter::new(self.common, Some(stdout));
        first.take = Some(&mut tell);
        thread::scope(|scope| {
            let others = self.start(scope, &worker, visits);
            match others.and_then(|others| self.write(0, &mut first, Some(tick)).map(|()| others)) {
                Ok(others) => {
                    while !others.iter().all(ScopedJoinHandle::is_finished) {
                        thread::sleep(PROGRESS_INTERVAL / 10);
                        tick();
                    }
                }
                Err(error) => self.common.ledger().fail(error),
            }
            // Wakes readers, which may wait at their gates, so that the scope can end.
            self.lanes.iter().for_each(|lane| lane.gate.close());
        });
        self.common.clock.thread_ended("writer-0");
        let ended = self.common.ledger().error.take().map_or(Ok(()), Err);
        if ended.is_err() {
            first.give_up();
            // Its reader may be gone.
            first.stdout.frames = None;
        }
        first.stdout.finish().and(ended)
    }

    /// Returns whether writers must stop at once. A run that follows growing inputs finishes records in progress first.
    fn is_stopped(&self) -> bool {
        self.common.plan.run.follow.is_none() && self.common.stop.is_set()
    }

    /// Starts the workers, and a reader and a writer for each archive in progress. One writer is the calling thread.
    fn start<'s>(
        &'s self,
        scope: &'s Scope<'s, '_>,
        worker: &'s Worker<'_>,
        visits: Vec<Visit>,
    ) -> Result<Vec<ScopedJoinHandle<'s, ()>>> {
        // The gates bound what is inside, so that nobody ever waits at this channel.
        let (sender, tasks) = bounded((self.window + 1).saturating_mul(self.lanes.len()));
        for index in 0..self.jobs {
            let tasks = tasks.clone();
            self.spawn(scope, format!("worker-{index}"), move || worker.run(&tasks, &self.lanes))?;
        }
        let mut visits = Some(visits);
        for (number, lane) in self.lanes.iter().enumerate() {
            let feed = RecordFeed::new(self.common, (number, lane), sender.clone());
            let followed = self.common.plan.run.follow.as_ref().zip(visits.take());
            let read = move || {
                // Being stopped is no fault: the writer knows why.
                let _ = match followed {
                    Some((follow, visits)) => feed.follow(follow, visits),
                    None => feed.run(),
                };
            };
            self.spawn(scope, format!("reader-{number}"), read)?;
        }
        let others = (1..self.lanes.len()).map(|lane| {
            let write = move || {
                let mut writer = LaneWriter::new(self.common, None);
                if let Err(error) = self.write(lane, &mut writer, None) {
                    self.common.ledger().fail(error);
                    writer.give_up();
                }
            };
            self.spawn(scope, format!("writer-{lane}"), write)
        });
        others.collect()
    }

    fn spawn<'s>(
        &'s self,
        scope: &'s Scope<'s, '_>,
        name: String,
        act: impl FnOnce() + Send + 's,
    ) -> Result<ScopedJoinHandle<'s, ()>> {
        let named = name.clone();
        let act = move || {
            act();
            self.common.clock.thread_ended(&named);
        };
        let spawned = thread::Builder::new().name(name).spawn_scoped(scope, act);
        spawned.map_err(|error| Error::new(ErrorKind::System, format!("cannot start a thread: {error}")))
    }

    /// Puts the results of one set of threads (with index `lane`) in order, and writes them until no more come.
    fn write(
        &self,
        lane: usize,
        writer: &mut LaneWriter<'_, '_, '_>,
        mut tick: Option<&mut dyn FnMut()>,
    ) -> Result<()> {
        let Some(Lane { results, gate, .. }) = self.lanes.get(lane) else { return Ok(()) };
        // Results that came before their turn. The gate bounds how many there can be.
        let mut early = BTreeMap::new();
        let mut next = 0;
        loop {
            if self.is_stopped() || self.common.ledger().error.is_some() {
                return Err(Error::stopped());
            }
            match results.1.recv_timeout(PROGRESS_INTERVAL) {
                Ok(done) => {
                    early.extend(done.into_iter().map(|task| (task.number, task)));
                    let (mut tasks, mut bytes) = (0, 0u64);
                    while let Some(task) = early.remove(&next) {
                        if matches!(task.step, Step::Over) {
                            // A reader that was stopped ends early, too.
                            return if self.is_stopped() { Err(Error::stopped()) } else { Ok(()) };
                        }
                        next += 1;
                        tasks += 1;
                        bytes = bytes.saturating_add(task.bytes);
                        let mut begin = Instant::now();
                        writer.step(task)?;
                        if writer.is_at_limit {
                            return Ok(());
                        }
                        self.common.clock.lap(Stage::Writing, &mut begin);
                    }
                    // Once for all that were written: each call may wake the reader.
                    if tasks > 0 {
                        gate.leave(tasks, bytes);
                    }
                }
                Err(_) => writer.idle()?,
            }
            self.common.metrics.queue(self.lanes.iter().map(|lane| lane.gate.inside()).sum());
            self.common.metrics.archives(self.common.counts().archives);
            if let Some(tick) = &mut tick {
                tick();
            }
        }
    }
}
