//! The decisions that all readers and writers of a run share, made once from its plan, and the run's recipe.
//!
//! Its recipe is everything that its outputs depend on except the inputs, as names and values.

use std::iter;
use std::path::{Path, PathBuf};

use trommel_archive::ReadOptions;
use trommel_record::{Assemble, Compression, Disk, Format};
use trommel_sources::Remote;

use crate::run::plan::{Plan, existing::Existing, existing::SideFile, existing::sides, output::Destination};
use crate::run::state::inputs::{ArchiveState, FileState, Turn};
use crate::run::{inputs::listing::namings, inputs::pieces, work::worker::Encoder};
use crate::{Result, SiteMode, settings::written};

/// Plan of a run with everything that is decided before reading, shared by all readers and writers.
pub(crate) struct Prepared<'a> {
    pub(crate) run: &'a Plan,
    /// Reader of objects behind URLs.
    pub(crate) remote: &'a Remote,
    /// File system of inputs and outputs.
    pub(crate) disk: &'a dyn Disk,
    /// Options for reading archives, with the limit on the size of records.
    pub(crate) options: ReadOptions,
    /// Encoders of the output's encodings, in the same order.
    pub(crate) encoders: Vec<Encoder>,
    /// Stem of the output names (without folder and suffix), one entry for each input.
    pub(crate) stems: Vec<String>,
    /// Number of earlier inputs with the same name, one entry for each input.
    pub(crate) namings: Vec<usize>,
    /// Path of the file in which the state is saved; none if the run cannot be continued.
    pub(crate) state_file: Option<PathBuf>,
    /// Path of the state that is kept when the run is finished, so that inputs can be added later. None unless outputs
    /// are in a folder or the user asked to resume.
    pub(crate) finished_file: Option<PathBuf>,
    /// Side files (failed, dropped, copied records) in the order of their numbers; none for absent ones.
    pub(crate) sides: Vec<Option<SideFile>>,
    /// True if large archives are read in parallel pieces.
    pub(crate) is_cut: bool,
    /// Number of archives, or pieces of large archives, that are read in parallel.
    pub(crate) lanes: usize,
}

impl<'a> Prepared<'a> {
    /// Prepares a plan to read the inputs in `todo`, after all checks that may refuse the run.
    ///
    /// # Errors
    /// Fails if a folder has the name of the quarantine, the dropped list or a file of copies.
    pub(crate) fn new(
        run: &'a Plan,
        (remote, disk): (&'a Remote, &'a dyn Disk),
        encoders: Vec<Encoder>,
        existing: Existing,
        todo: &[Turn],
    ) -> Result<Self> {
        let is_kept = existing == Existing::Resume || matches!(run.output.destination, Destination::Folder(_));
        let mut prepared = Self {
            run,
            remote,
            disk,
            options: ReadOptions { max_record: run.max_record(), ..ReadOptions::default() },
            encoders,
            stems: run.output.output_stems(&run.inputs),
            namings: namings(&run.inputs),
            state_file: run.state_file(),
            finished_file: run.finished_file().filter(|_| is_kept),
            sides: sides(run)?,
            // Not where archives are read one after the other, and where parts end by all documents before.
            is_cut: run.one_lane().is_none() && run.output.split.is_none(),
            lanes: 1,
        };
        prepared.lanes = prepared.lanes_for(todo);
        Ok(prepared)
    }

    /// Returns whether outputs are in a folder, where each input has files of its own.
    pub(crate) fn is_folder(&self) -> bool {
        matches!(self.run.output.destination, Destination::Folder(_))
    }

    /// Returns whether archives, or pieces of them, are written in parallel, into temporary files that are joined in
    /// order.
    pub(crate) fn has_lanes(&self) -> bool {
        self.lanes > 1
    }

    /// Returns whether an archive has output files of its own, instead of temporary files to be joined to other
    /// outputs.
    pub(crate) fn has_own_outputs(&self, archive: &ArchiveState) -> bool {
        self.is_folder() && archive.piece.is_none()
    }

    /// Returns whether no output file is compressed as a whole, so that written documents can be flushed at any time.
    pub(crate) fn is_plain(&self) -> bool {
        self.run
            .output
            .encodings
            .iter()
            .all(|encoding| encoding.compression == Compression::None || encoding.format == Format::Wet)
    }

    /// Returns the function that assembles the final file from all documents; none for formats written directly.
    pub(crate) fn assembler(&self, file: &FileState) -> Option<&dyn Assemble> {
        let encoding = self.run.output.encodings.get(file.slot)?;
        // Text and Markdown are assembled where each page has a file.
        let is_assembled = encoding.by_page || !encoding.format.is_by_page();
        self.run.assemble.get(&encoding.format).filter(|_| is_assembled).map(|assemble| &**assemble)
    }

    /// Returns the number of archives, or pieces of large archives, to read in parallel: at most one for four workers.
    fn lanes_for(&self, todo: &[Turn]) -> usize {
        let wanted = self.run.settings.jobs().get() / WORKERS_OF_A_LANE;
        let is_cut = self.is_cut && wanted > todo.len();
        let pieces = |turn: &Turn| match self.run.inputs.get(turn.input).filter(|_| is_cut) {
            Some(input) => pieces::count(input, self.remote, self.run.piece_bytes),
            None => 1,
        };
        let most = wanted.clamp(1, todo.iter().map(pieces).sum::<usize>().max(1));
        match self.run.one_lane().filter(|_| most > 1) {
            Some(why) => {
                tracing::info!("archives are read one after the other: {why}");
                1
            }
            None => most,
        }
    }
}

impl Plan {
    fn compares_documents(&self) -> bool {
        let duplicates = &self.settings.filters.duplicates;
        duplicates.exact || duplicates.near || self.settings.archive.crawler_text
    }

    /// Returns the reason why archives must be read one after the other; none if they may be read in parallel.
    fn one_lane(&self) -> Option<&'static str> {
        let is_in_place = |path: &Path| trommel_record::replaceable(path).is_ok_and(|file| file.is_none());
        match &self.output.destination {
            Destination::Stdout => return Some("standard output takes documents in order"),
            Destination::Caller => return Some("the caller takes documents in order"),
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

/// Number of worker threads that one reader thread and one writer thread keep busy.
// A reader takes 15 % of the CPU time of a run, a writer 13 % at most; four workers leave each some room.
const WORKERS_OF_A_LANE: usize = 4;

/// Build of the program: its version, and the first digits of a SHA-256 over its sources. A run is continued only by
/// the same build, because another may extract another text.
pub const BUILD: &str = env!("TROMMEL_BUILD");
/// Value of an absent setting in the [list](Values) of all that a run's outputs depend on.
pub(crate) const NONE: &str = "none";

/// Names and values of everything that a run's outputs depend on except the inputs, in a fixed order.
pub(crate) type Values = Vec<(String, String)>;

impl Plan {
    /// Returns everything that the outputs depend on except the inputs, as names and values. It contains all fields of
    /// the plan and its settings that serde writes, so a new field is included unless it is skipped.
    pub(crate) fn recipe(&self) -> Values {
        let bounds = [("effective max_record", self.max_record()), ("effective max_payload", self.max_payload())];
        let bounds = bounds.map(|(name, bytes)| (name.to_owned(), bytes.to_string()));
        // A path that is not UTF-8 has no other form.
        let plan = written(self).unwrap_or_else(|_| vec![("plan".to_owned(), format!("{self:?}"))]);
        // First, because it explains most differences: another build may give other text.
        let values = iter::once(("program build".to_owned(), BUILD.to_owned())).chain(plan);
        // Canonical: two ways to write one choice must not look like two.
        let values = values.chain(self.settings.canonical()).chain(bounds);
        // Behind the names of files that settings give: a file may have been written anew.
        let values = values.chain(written(&self.files).unwrap_or_default());
        values.map(|(name, value)| (name, if value.is_empty() { NONE.to_owned() } else { value })).collect()
    }

    /// Returns the reason why every page of a run depends on all its inputs, so that none can be added later; none if
    /// pages do not.
    pub(crate) fn needs_all_inputs(&self) -> Option<&'static str> {
        let settings = &self.settings;
        match (settings.sites.memory, settings.archive.resolve_revisits) {
            (SiteMode::TwoPass, _) => Some("site_memory=two-pass"),
            (_, true) => Some("resolve_revisits"),
            _ => None,
        }
    }
}

#[cfg(all(test, feature = "schema"))]
// The settings for tests in clippy.toml do not know that this is one.
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::run::plan::{Follow, HardPages, output::Output};
    use crate::{Field, Kind, PartialSettings, fields};
    use serde_json::{Value, json};
    use std::{collections::HashSet, time::Duration};

    fn plan() -> Plan {
        let output = Output { destination: Destination::Folder("out".into()), encodings: Vec::new(), split: None };
        Plan::new(Vec::new(), output)
    }

    #[test]
    fn everything_but_the_inputs_shows_in_the_recipe() {
        type Change = fn(&mut Plan);
        let changes: &[Change] = &[
            |plan| plan.epoch = Some(1),
            |plan| plan.piece_bytes = 1,
            |plan| plan.dropped = Some("d".into()),
            |plan| plan.quarantine = Some("q".into()),
            |plan| plan.set_aside = vec!["pdf=x.warc.gz".parse().unwrap()],
            |plan| plan.hard = Some(HardPages { path: "x.warc.gz".into(), below: 0.5 }),
            |plan| plan.hard = Some(HardPages { path: "x.warc.gz".into(), below: 0.25 }),
            |plan| plan.output.split = Some(1),
            |plan| {
                plan.follow = Some(Follow { arguments: Vec::new(), idle: Duration::from_secs(1), until_idle: None });
            },
            |plan| plan.files.model = "x".into(),
            |plan| plan.files.sites = "x".into(),
            |plan| plan.files.tokenizer = "x".into(),
            |plan| plan.files.hosts = "x".into(),
        ];
        let mut seen = HashSet::from([plan().recipe()]);
        for (at, change) in changes.iter().enumerate() {
            let mut plan = plan();
            change(&mut plan);
            assert!(seen.insert(plan.recipe()), "change {at} shows nowhere");
        }
    }

    /// Returns a value of a setting that is not its default.
    fn other(field: &Field) -> Value {
        match &field.kind {
            Kind::Switch => (!field.default.as_bool().unwrap()).into(),
            Kind::OneOf(values) => {
                let other = values.iter().find(|value| field.default != value.name);
                other.unwrap().name.clone().into()
            }
            Kind::ListOf(values) => json!([values.last().unwrap().name]),
            Kind::Texts if field.name == "status" => json!(["404"]),
            Kind::Texts => json!(["fr"]),
            Kind::Integer => 7.into(),
            Kind::Number => json!(0.5),
            Kind::Bytes => "32M".into(),
            Kind::Text if field.name == "chunks" => "words=20".into(),
            Kind::Text if field.name == "hard_share" => "7%".into(),
            Kind::Text => "other".into(),
        }
    }

    #[test]
    fn every_setting_shows_in_the_recipe_or_changes_no_output() {
        let usual = plan().recipe();
        let mut silent = Vec::new();
        // A tokenizer is a file that must be there; that it shows in the recipe is tested above.
        for field in fields().iter().filter(|field| field.name != "tokenizer") {
            let mut chosen = PartialSettings::default();
            chosen.set(&field.path, other(field)).unwrap();
            let recipe = plan().with_settings(chosen.unchecked().unwrap()).recipe();
            let changed = recipe.iter().zip(&usual).filter(|(now, then)| now != then);
            let changed: Vec<String> = changed.map(|((name, _), _)| name.clone()).collect();
            if !changed.contains(&field.name) {
                silent.push((field.name.as_str(), changed.join(", ")));
            }
        }
        let silent: Vec<(&str, &str)> = silent.iter().map(|(a, b)| (*a, b.as_str())).collect();
        let bounds = "effective max_record, effective max_payload";
        assert_eq!(
            silent,
            [("jobs", ""), ("max_memory", bounds), ("format", ""), ("compress", ""), ("split_size", "")]
        );
    }

    #[test]
    fn names_are_given_once_and_the_build_is_known_by_its_sources() {
        let settings = plan().recipe();
        let names: HashSet<&str> = settings.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names.len(), settings.len(), "{settings:?}");
        let sum = BUILD.split_once(" (").unwrap().1.trim_end_matches(')');
        assert!(sum.len() == 12 && sum.bytes().all(|byte| byte.is_ascii_hexdigit()), "{BUILD}");
    }
}
