//! Archives side by side: a reader and a writer for each lane, and workers that all lanes share.

use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};
use std::{collections::BTreeMap, io::Write};

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use trommel_archive::{PayloadOptions, RecordBlock};
use trommel_record::filters::Filters;

use crate::run::counts::Stage;
use crate::run::inputs::Input;
use crate::run::plan::Plan;
use crate::run::read::follow::FollowState;
use crate::run::read::reader::RecordFeed;
use crate::run::work::record::{Extract, RecordExtractor};
use crate::run::work::task::{Gate, Step, Task, WorkerResult};
use crate::run::work::worker::{LaneEnd, RESULTS_PER_SEND, TakeDocument, Worker};
use crate::run::write::lane::{Common, LaneWriter};
use crate::{Error, ErrorKind, Result};

/// Records between readers and writers, for each worker.
// 6 and 8 were tried: speed and peak memory were the same within the noise.
const WINDOW_PER_WORKER: usize = 12;
/// Bytes of their blocks, in all.
// Bounds records of the largest size; many small ones never reach it.
const WINDOW_BYTES: u64 = 256 << 20;
/// Time between two reports of progress.
// Also how soon a run hears that it is stopped.
pub(super) const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);

/// The lanes of a run before they begin.
pub(super) struct Lanes<'a, 'c> {
    pub(super) common: &'a Common<'c>,
    pub(super) filters: &'a Filters,
    pub(super) extract: &'a Extract<'a>,
    pub(super) number: usize,
}

/// Channels by which the writer of a lane receives results of the workers.
struct LaneInput {
    results: Receiver<Vec<Task<WorkerResult>>>,
    spares: Receiver<RecordBlock>,
    gate: Gate,
}

impl Lanes<'_, '_> {
    /// Reads and writes all archives.
    pub(super) fn run(
        &self,
        stdout: &mut dyn Write,
        caller: Option<&mut TakeDocument<'_>>,
        followed: FollowState,
        tick: &mut dyn FnMut(),
    ) -> Result<()> {
        let run = self.common.plan.run;
        let jobs = run.settings.jobs().get();
        let memory = run.settings.limits.max_memory.map_or(u64::MAX, |memory| memory.0);
        // Pages being judged need several times their bytes; the rest is for records, outputs and filters.
        let room = Gate::new(usize::MAX, memory / 2);
        let records = RecordExtractor {
            room: Some(&room),
            run: Some(run),
            clock: Some(self.common.clock),
            ..RecordExtractor::new(self.extract, self.filters, PayloadOptions { max_payload: run.max_payload() })
        };
        let labels = run.dropped.is_some();
        let worker = Worker { records, encoders: &self.common.plan.encoders, is_taken: caller.is_some(), labels };
        let (ends, inputs) = self.channels(jobs, memory);
        let mut caller = caller;
        let mut tell = |document| caller.as_mut().map_or(Ok(()), |take| take(document));
        let mut first = LaneWriter::new(self.common, Some(stdout));
        first.take = Some(&mut tell);
        thread::scope(|scope| {
            let started = self.start(scope, (jobs, &worker, &ends), &inputs, followed);
            let others = started.and_then(|()| self.start_writers(scope, &inputs));
            let written = others.and_then(|others| {
                let written = self.write(&inputs, 0, &mut first, Some(tick));
                written.map(|()| others)
            });
            match written {
                Ok(others) => {
                    while !others.iter().all(ScopedJoinHandle::is_finished) {
                        thread::sleep(PROGRESS_INTERVAL / 10);
                        tick();
                    }
                }
                Err(error) => self.common.ledger().fail(error),
            }
            // Wakes readers, which may wait at their gates, so that the scope can end.
            inputs.iter().for_each(|input| input.gate.close());
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

    /// The ways between readers, workers and writers.
    fn channels(&self, jobs: usize, memory: u64) -> (Vec<LaneEnd>, Vec<LaneInput>) {
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

    /// Returns whether writers end where they are. A followed input is read up to a good end when it is stopped.
    fn is_stopped(&self) -> bool {
        self.common.plan.run.follow.is_none() && self.common.stop.is_set()
    }

    /// Records of a lane between its reader and its writer.
    fn window(&self, jobs: usize) -> usize {
        jobs.saturating_mul(WINDOW_PER_WORKER).div_ceil(self.number)
    }
}

impl Lanes<'_, '_> {
    /// Starts the workers and the readers.
    fn start<'s>(
        &'s self,
        scope: &'s Scope<'s, '_>,
        (jobs, worker, ends): (usize, &'s Worker<'_>, &'s [LaneEnd]),
        inputs: &'s [LaneInput],
        followed: FollowState,
    ) -> Result<()> {
        // The gates bound what is inside, so that nobody ever waits at this channel.
        let (sender, tasks) = bounded((self.window(jobs) + 1).saturating_mul(self.number));
        for index in 0..jobs {
            let tasks = tasks.clone();
            self.spawn(scope, format!("worker-{index}"), move || worker.run(&tasks, ends))?;
        }
        let mut followed = Some(followed);
        for (lane, input) in inputs.iter().enumerate() {
            let (gate, spares) = (&input.gate, input.spares.clone());
            let feed = RecordFeed::new((self.common, lane), gate, sender.clone(), spares);
            let followed = followed.take().zip(self.common.plan.run.follow.as_ref());
            let read = move || {
                // Being stopped is no fault: the writer knows why.
                let _ = match followed {
                    Some((followed, follow)) => feed.follow(follow, followed),
                    None => feed.run(),
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
    ) -> Result<ScopedJoinHandle<'s, ()>> {
        let named = name.clone();
        let act = move || {
            act();
            self.common.clock.thread_ended(&named);
        };
        let spawned = thread::Builder::new().name(name).spawn_scoped(scope, act);
        spawned.map_err(|error| Error::new(ErrorKind::System, format!("cannot start a thread: {error}")))
    }

    /// Starts the writers of all lanes but the first, which is that of the calling thread.
    fn start_writers<'s>(
        &'s self,
        scope: &'s Scope<'s, '_>,
        inputs: &'s [LaneInput],
    ) -> Result<Vec<ScopedJoinHandle<'s, ()>>> {
        let others = (1..inputs.len()).map(|lane| {
            let write = move || {
                let mut writer = LaneWriter::new(self.common, None);
                if let Err(error) = self.write(inputs, lane, &mut writer, None) {
                    self.common.ledger().fail(error);
                    writer.give_up();
                }
            };
            self.spawn(scope, format!("writer-{lane}"), write)
        });
        others.collect()
    }

    /// Puts the results of a lane in order and writes them until there are no more.
    fn write(
        &self,
        inputs: &[LaneInput],
        lane: usize,
        writer: &mut LaneWriter<'_, '_, '_>,
        mut tick: Option<&mut dyn FnMut()>,
    ) -> Result<()> {
        let Some(input) = inputs.get(lane) else { return Ok(()) };
        // Results that came before their turn. The gate bounds how many there can be.
        let mut early = BTreeMap::new();
        let mut next = 0;
        loop {
            if self.is_stopped() || self.common.ledger().error.is_some() {
                return Err(Error::stopped());
            }
            match input.results.recv_timeout(PROGRESS_INTERVAL) {
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
                        input.gate.leave(tasks, bytes);
                    }
                }
                Err(RecvTimeoutError::Timeout) => writer.idle()?,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            self.common.metrics.queue(inputs.iter().map(|input| input.gate.inside()).sum());
            self.common.metrics.archives(self.common.counts().archives);
            if let Some(tick) = &mut tick {
                tick();
            }
        }
    }
}

/// Stored bytes of all inputs. Those that are followed grow, so that they are not known.
pub(super) fn total(plan: &Plan) -> Option<u64> {
    let bytes = |input: &Input| match input {
        // What is missing has none.
        Input::File(_) => Some(input.size().unwrap_or(0)),
        input => input.size(),
    };
    plan.follow.is_none().then(|| plan.inputs.iter().map(bytes).sum()).flatten()
}
