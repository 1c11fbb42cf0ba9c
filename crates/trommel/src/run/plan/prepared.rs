//! The decisions about a run, made once from its plan: what its readers and its writers do.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use trommel_archive::ReadOptions;
use trommel_record::{Assemble, Compression, Format};

use crate::run::inputs::Input;
use crate::run::inputs::identity::Identity;
use crate::run::inputs::pieces::Cutter;
use crate::run::plan::Plan;
use crate::run::plan::existing::Existing;
use crate::run::plan::output::{Destination, Output};
use crate::run::state::archive::ArchiveState;
use crate::run::state::remaining::Turn;
use crate::run::work::encoder::Encoder;

/// Settings of the readers of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadPlan<'a> {
    /// The archives, in order.
    pub(crate) inputs: &'a [Input],
    /// Limits of records.
    pub(crate) options: ReadOptions,
    /// True to give revisits the content of the capture that they name.
    pub(crate) resolves_revisits: bool,
}

/// Settings of the writers of a run.
pub(crate) struct WritePlan<'a> {
    pub(crate) output: &'a Output,
    /// One for each encoding of the output.
    pub(crate) encoders: Vec<Encoder>,
    /// Last step of formats that cannot be written as they come.
    pub(crate) assemble: &'a BTreeMap<Format, Arc<dyn Assemble>>,
    /// The names of the outputs of each input.
    pub(crate) stems: Vec<String>,
    /// Number of earlier inputs with the name of each.
    pub(crate) namings: Vec<usize>,
    /// Seconds since 1970 that stand for the time of the run.
    pub(crate) epoch: Option<i64>,
    /// Documents after which the run ends.
    pub(crate) limit: Option<u64>,
    /// Encoded bytes after which a frame ends.
    pub(crate) frame: u64,
    pub(crate) quarantine: Option<&'a Path>,
    pub(crate) dropped: Option<&'a Path>,
    /// The files for copies of records, without their indexes.
    pub(crate) copies: Vec<&'a Path>,
    /// True if events have positions from which a run can start.
    pub(crate) has_positions: bool,
    /// True if inputs are followed.
    pub(crate) follows: bool,
    /// The file of the state; none if the run cannot be continued.
    pub(crate) state_file: Option<PathBuf>,
    /// True if the state stays when the run is finished: in a folder, to which inputs may be added, and where every run
    /// is asked to continue.
    pub(crate) keeps_state: bool,
    /// The inputs as they are at the beginning, if every page depends on all of them.
    pub(crate) planned: Vec<Identity>,
    /// Cuts large archives, if they are read in pieces.
    pub(crate) cutter: Option<Cutter<'a>>,
}

impl WritePlan<'_> {
    /// Returns whether all inputs go into one file.
    pub(crate) fn is_one_file(&self) -> bool {
        matches!(self.output.destination, Destination::File(_))
    }

    /// Returns whether each input has files of its own.
    pub(crate) fn is_folder(&self) -> bool {
        matches!(self.output.destination, Destination::Folder(_))
    }

    /// Returns whether an archive has outputs of its own, rather than shares of an output that others are joined to.
    pub(crate) fn has_own_outputs(&self, archive: &ArchiveState) -> bool {
        self.is_folder() && archive.piece.is_none()
    }

    /// Returns whether outputs hold their documents as they come, so that frames may end at any time.
    pub(crate) fn is_plain(&self) -> bool {
        self.output
            .encodings
            .iter()
            .all(|encoding| encoding.compression == Compression::None || encoding.format == Format::Wet)
    }

    /// The last step of an output in the encoding of that number.
    pub(crate) fn assembler(&self, encoding: usize) -> Option<&dyn Assemble> {
        let encoding = self.output.encodings.get(encoding)?;
        // Text and Markdown are assembled where each page has a file.
        let is_assembled = encoding.by_page || !encoding.format.is_by_page();
        self.assemble.get(&encoding.format).filter(|_| is_assembled).map(|assemble| &**assemble)
    }
}

impl Plan {
    /// Settings of its readers.
    pub(crate) fn reading(&self) -> ReadPlan<'_> {
        ReadPlan {
            inputs: &self.inputs,
            options: ReadOptions { max_record: self.max_record(), ..ReadOptions::default() },
            resolves_revisits: self.settings.archive.resolve_revisits,
        }
    }

    /// Settings of its writers.
    pub(crate) fn writing(&self, encoders: Vec<Encoder>, existing: Existing) -> WritePlan<'_> {
        let planned = self.inputs.iter().filter(|_| self.needs_all_inputs().is_some());
        WritePlan {
            output: &self.output,
            encoders,
            assemble: &self.assemble,
            stems: self.output.output_stems(&self.inputs),
            namings: namings(&self.inputs),
            epoch: self.epoch,
            limit: self.settings.limits.limit.map(NonZeroU64::get),
            frame: self.settings.output.checkpoint.0,
            quarantine: self.quarantine.as_deref(),
            dropped: self.dropped.as_deref(),
            copies: self.copies(),
            has_positions: self.has_positions(),
            follows: self.follow.is_some(),
            state_file: self.state_file(),
            keeps_state: existing == Existing::Resume || matches!(self.output.destination, Destination::Folder(_)),
            planned: planned.map(Identity::of).collect(),
            cutter: self.cutter(),
        }
    }

    /// Cuts large archives, if they are read in pieces.
    // They are not where archives are read one after the other, and where parts end by all documents before.
    fn cutter(&self) -> Option<Cutter<'_>> {
        let is_cut = self.one_lane().is_none() && self.output.split.is_none();
        is_cut.then(|| self.all_pieces())
    }

    /// Cuts large archives.
    pub(crate) fn all_pieces(&self) -> Cutter<'_> {
        Cutter { inputs: &self.inputs, options: self.reading().options, bytes: self.piece_bytes }
    }

    /// Returns whether a run of this plan can start in the middle of its inputs.
    // Duplicates and copies are those of documents before, which a position does not hold; followed inputs have no order.
    pub(crate) fn has_positions(&self) -> bool {
        self.follow.is_none() && !self.compares_documents()
    }

    fn compares_documents(&self) -> bool {
        let duplicates = &self.settings.filters.duplicates;
        duplicates.exact || duplicates.near || self.settings.archive.crawler_text
    }

    /// Archives, or pieces of large ones, that are read side by side, of those that there are: one for four workers.
    pub(crate) fn lanes(&self, todo: &[Turn]) -> usize {
        let wanted = self.jobs().get() / WORKERS_OF_A_LANE;
        let cutter = self.cutter();
        let pieces = |turn: &Turn| match (&cutter, &turn.piece) {
            (Some(cutter), None) if wanted > todo.len() => cutter.count(turn.input),
            _ => 1,
        };
        let most = wanted.clamp(1, todo.iter().map(pieces).sum::<usize>().max(1));
        match self.one_lane().filter(|_| most > 1) {
            Some(why) => {
                tracing::info!("archives are read one after the other: {why}");
                1
            }
            None => most,
        }
    }

    /// Reason why archives are read one after the other, if they are.
    fn one_lane(&self) -> Option<&'static str> {
        let is_in_place = |path: &Path| trommel_record::replaceable(path).is_ok_and(|file| file.is_none());
        match &self.output.destination {
            Destination::Stdout => return Some("standard output takes documents in order"),
            Destination::Caller => return Some("events come in order"),
            Destination::File(_) if self.output.split.is_some() => {
                return Some("where the parts of one output end depends on all documents before");
            }
            Destination::File(_) | Destination::Folder(_) => {}
        }
        if self.settings.limits.limit.is_some() {
            Some("a limit is a number of documents in order")
        } else if self.follow.is_some() {
            Some("inputs are followed")
        } else if self.compares_documents() {
            Some("duplicates and copies are those of all documents before")
        } else if self.settings.archive.resolve_revisits {
            Some("revisits are resolved among all archives")
        } else if self.side_files().iter().any(|(path, _)| is_in_place(path)) {
            Some("a file beside the outputs is a pipe or a device")
        } else {
            None
        }
    }
}

/// Number of earlier inputs with the name of each.
fn namings(inputs: &[Input]) -> Vec<usize> {
    let mut named: HashMap<String, usize> = HashMap::new();
    let naming = |input: &Input| {
        let count = named.entry(input.name()).or_default();
        *count += 1;
        *count - 1
    };
    inputs.iter().map(naming).collect()
}

/// Workers that one reader and one writer keep busy.
// A reader takes 15 % of the CPU time of a run, a writer 13 % at most; four workers leave each some room.
const WORKERS_OF_A_LANE: usize = 4;
