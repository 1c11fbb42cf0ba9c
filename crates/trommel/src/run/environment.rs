//! The surroundings of a run: standard output, progress, disk, network, stop flag.

use std::{io::Write, sync::atomic::AtomicBool};

use crate::metrics::Metrics;
use trommel_record::{Disk, LocalDisk};
use trommel_sources::NetworkOptions;

use crate::run::{
    counts::{clock::Clock, progress::Progress, summary::Summary},
    plan::existing::Existing,
};

/// A run that nobody stops.
// Static, so that an environment can borrow it for as long as it lives.
static NEVER: AtomicBool = AtomicBool::new(false);

/// The surroundings of a run.
pub struct Environment<'a> {
    /// Standard output; written to only if it is the plan's destination.
    pub stdout: &'a mut dyn Write,
    /// Receives the progress of the run.
    pub progress: &'a mut dyn Progress,
    /// The file system of inputs and outputs.
    pub disk: &'a dyn Disk,
    /// Set from outside, ends the run early with [`RunError::Stopped`](crate::run::RunError::Stopped).
    pub stop: &'a AtomicBool,
    /// Options of waiting for the network. Their flag ends waiting reads of the network, of standard input and
    /// of named pipes. It should be the flag of [`Environment::stop`].
    pub network: NetworkOptions,
    /// Takes the counts of a run that ends early.
    pub unfinished: Option<&'a mut Summary>,
    /// The treatment of existing outputs.
    pub existing: Existing,
    /// Measures the time of reading, encoding and writing.
    pub clock: Option<&'a Clock>,
    /// Receives the counts.
    pub metrics: Option<&'a Metrics>,
}

impl<'a> Environment<'a> {
    /// The local file system, nobody who stops the run, and a new run.
    pub fn new(stdout: &'a mut dyn Write, progress: &'a mut dyn Progress) -> Self {
        Self {
            stdout,
            progress,
            disk: &LocalDisk,
            stop: &NEVER,
            network: NetworkOptions::default(),
            unfinished: None,
            existing: Existing::Refuse,
            clock: None,
            metrics: None,
        }
    }
}
