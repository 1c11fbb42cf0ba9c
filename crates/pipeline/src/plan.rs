//! The plan of a run: inputs, output, filters, bounds.

use std::{collections::BTreeMap, num::NonZeroUsize, path::PathBuf, sync::Arc, thread};

use trommel_archive::{PayloadOptions, ReadOptions};
use trommel_filters::Filters;
use trommel_output::{Assemble, Format, hidden};

use crate::{Destination, Follow, Input, Output, Recipe, SetAside, budget::PAGE_FACTOR};

/// What a run is to do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The archives, in order.
    pub inputs: Vec<Input>,
    /// Where the documents go.
    pub output: Output,
    /// What keeps or drops documents.
    pub filters: Arc<Filters>,
    /// Last step of outputs in formats that cannot be written as they come.
    pub assemble: BTreeMap<Format, Arc<dyn Assemble>>,
    /// WARC file for the records that fail.
    pub quarantine: Option<PathBuf>,
    /// Files for records that are no pages, by their kind.
    pub set_aside: Vec<SetAside>,
    /// File for what is told of records that are dropped, a JSON line each.
    pub dropped: Option<PathBuf>,
    /// What to follow as it grows, instead of reading the inputs once; those are then only looked at for
    /// what their outputs would replace.
    pub follow: Option<Follow>,
    /// What makes the text what it is. A run can be continued only under the same.
    pub recipe: Recipe,
    /// Number of worker threads. It has no influence on the output.
    pub jobs: NonZeroUsize,
    /// Most bytes kept of one record's block; the rest is skipped and the document notes it.
    pub max_record: u64,
    /// Most bytes kept of one decoded payload; the rest is skipped and the document notes it.
    pub max_payload: u64,
    /// Bytes of memory that records and pages in work may take; see [`Plan::within`].
    pub max_memory: Option<u64>,
    /// Encoded bytes after which a frame of the output ends and the state of the run is saved.
    pub frame: u64,
    /// Whether revisits are given the content of the captures that they are equal to, as far as those are
    /// in the inputs.
    pub resolve_revisits: bool,
    /// Seconds since 1970 that stand for the time of the run in WET files (`SOURCE_DATE_EPOCH`).
    pub epoch: Option<i64>,
}

impl Plan {
    /// Usual size of a frame.
    pub const FRAME: u64 = 4 << 20;

    /// A plan to write the documents of `inputs` to `output`, with the usual bounds, on all processor cores,
    /// without filters, and without a quarantine.
    pub fn new(inputs: Vec<Input>, output: Output) -> Self {
        Self {
            inputs,
            output,
            filters: Arc::default(),
            assemble: BTreeMap::new(),
            quarantine: None,
            set_aside: Vec::new(),
            dropped: None,
            follow: None,
            recipe: Recipe::default(),
            jobs: thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            max_record: ReadOptions::default().max_record,
            max_payload: PayloadOptions::default().max_payload,
            max_memory: None,
            frame: Self::FRAME,
            resolve_revisits: false,
            epoch: None,
        }
    }

    /// The same plan with its bounds on single records and payloads small enough for its
    /// `max_memory`: a twenty-fourth and a forty-eighth of it. They depend on nothing else, so that the output
    /// does not depend on the number of workers.
    #[must_use]
    pub fn within(mut self) -> Self {
        if let Some(memory) = self.max_memory {
            self.max_record = self.max_record.min(memory / PAGE_FACTOR);
            self.max_payload = self.max_payload.min(memory / 2 / PAGE_FACTOR);
        }
        self
    }

    /// The file in which a run leaves its state: `.run.checkpoint` in the folder of its outputs, or
    /// `.NAME.checkpoint` beside its one output. None if the run cannot be continued: standard input and
    /// output can't be read or written again.
    pub fn state_file(&self) -> Option<PathBuf> {
        let pipe = |follow: &Follow| follow.arguments.iter().any(|argument| argument == "-");
        if self.inputs.contains(&Input::Stdin) || self.follow.as_ref().is_some_and(pipe) {
            return None;
        }
        match &self.output.destination {
            Destination::Folder(folder) => Some(folder.join(".run.checkpoint")),
            Destination::File(path) => hidden(path, "checkpoint").ok(),
            Destination::Stdout => None,
        }
    }

    /// The files beside the outputs as the user named them, and the options that name them.
    pub(crate) fn sides(&self) -> Vec<(PathBuf, &'static str)> {
        let mut sides = Vec::new();
        for (path, option) in [
            (&self.quarantine, "--quarantine"),
            (&self.dropped, "--dropped"),
        ] {
            sides.extend(path.iter().map(|path| (path.clone(), option)));
        }
        for own in &self.set_aside {
            sides.extend([own.path.clone(), own.index()].map(|path| (path, "--set-aside")));
        }
        sides
    }

    /// The files and folders that documents are written to, without repetition; of parts the first.
    pub fn outputs(&self) -> Vec<PathBuf> {
        self.output.paths(&self.inputs)
    }
}
