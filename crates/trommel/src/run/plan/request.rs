//! Request for a run: its inputs, outputs and settings, from which the plan is made.
//!
//! It may ask for the share of one of several programs. Formats that need all documents first have an assembler.

use std::path::{Path, PathBuf};
use std::{ffi::OsString, sync::Arc, time::Duration};

use sha2::{Digest as _, Sha256};
use trommel_record::{Assemble, Format, PageFolder, Printed, dedup::KeyShare};
use trommel_sources::{Location, NetworkOptions, SelectOptions};

use crate::run::inputs::{Input, expand, select};
use crate::run::plan::output::Output;
use crate::run::plan::{Follow, HardPages, NamedFiles, Plan, SetAside};
use crate::run::sites::RunSites;
use crate::run::{
    inputs::listing::PageFiles, inputs::pieces::PIECE_BYTES, inputs::wacz::unpack, inputs::wacz_archive::PackedOptions,
};
use crate::{ArchiveSettings, Error, Extractor, Model, PartialSettings, Result, Settings, Share, TextForm};

/// Request of a user for a run: the names of its inputs and outputs, and options that are still to be checked.
#[derive(Debug, Default)]
pub struct RunRequest {
    /// Names of the inputs, as the user gives them: files, folders, globs, URLs, manifests.
    pub inputs: Vec<OsString>,
    /// Further inputs that are already opened, or that no name in `inputs` can express.
    pub opened: Vec<Input>,
    /// Paths of indexes that name the records to read.
    pub select: Vec<PathBuf>,
    /// Part of the inputs that the run reads, such as `2/8` for the second of eight; none to read all.
    pub shard: Option<KeyShare>,
    /// Destination of the documents: a file, a folder, a URL in a bucket or `-` for standard output.
    pub output: String,
    /// WARC file for records that fail (`none` leaves them out); none for the default name.
    pub quarantine: Option<PathBuf>,
    /// WARC files for records that are not pages, one for each kind of payload.
    pub set_aside: Vec<SetAside>,
    /// WARC file for copies of pages whose documents have a low confidence, named `FILE.warc.gz`.
    pub hard_to: Option<PathBuf>,
    /// File that lists the dropped records; none to list no records.
    pub dropped: Option<PathBuf>,
    /// Time limits for following the inputs while they grow; none to read them once.
    pub follow: Option<FollowTimes>,
    /// Time that WET files state for the run, in seconds since 1970; none to state no time.
    pub epoch: Option<i64>,
}

/// Time limits of a run that follows its inputs while they grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FollowTimes {
    /// Time without new data in an input after which its documents are written out; none for the default.
    pub idle: Option<Duration>,
    /// Maximum time without new data before the run ends; none to continue until the run is stopped.
    pub until_idle: Option<Duration>,
}

/// Run that is ready to begin: its plan, its extractor and its counts of blocks that repeat on a site.
#[derive(Debug)]
pub struct PreparedRun {
    /// Plan of the run.
    pub plan: Plan,
    /// Site memory (counts of repeated blocks by site), which [`RunSites::apply`] gives to the extractor.
    pub sites: RunSites,
    /// Extractor for the pages of the run.
    pub extractor: Extractor,
}

impl RunRequest {
    /// Prepares the run: finds the inputs, reads the model and the site memory, and makes the plan. Settings in
    /// `chosen` win over those of the configuration in `file`. A `model` that is given replaces the model of the
    /// settings. If the stop flag of `network` is set meanwhile, the inputs are incomplete, and the run must not begin.
    ///
    /// # Errors
    /// Fails if settings exclude each other, or if the settings, inputs, model or site memory cannot be used.
    pub fn prepare(
        self,
        chosen: &PartialSettings,
        file: &PartialSettings,
        model: Option<Arc<Model>>,
        network: &NetworkOptions,
    ) -> Result<PreparedRun> {
        // Everything is checked before anything is read or written, from what is cheap to what is dear.
        let settings = chosen.clone().over(file.clone()).settings()?;
        let (by_choice, by_file) = (chosen.unchecked()?, file.unchecked()?);
        let output = Output::new(&self.output, &by_choice.output, &by_file.output)?;
        let settings = in_form(settings, chosen, file, &output)?;
        let follow = self.follow(&settings)?;
        let inputs = self.find_inputs(&settings.archive, network)?;
        let quarantine = output.destination.quarantine(self.quarantine.as_deref());
        let model = match model {
            Some(model) => model,
            None => Arc::new(settings.model()?),
        };
        // Only the model knows its page types, so this check has to wait for it.
        settings.check_page_types(&model)?;
        let hard = hard_pages(self.hard_to.as_deref(), &settings, &model)?;
        let sites = RunSites::open(&settings)?;
        let encodings = output.encodings.iter();
        // Metadata that no output has a place for are not read.
        let few_metadata = !encodings.clone().any(|encoding| encoding.format.has_metadata() || encoding.by_page);
        let assemble = encodings
            .filter(|encoding| encoding.format.is_assembled() || encoding.by_page)
            .map(|encoding| encoding.format)
            .map(|format| {
                let feature = if format == Format::Tantivy { "index" } else { "parquet" };
                let absent = || {
                    Error::setting(format!("this program was built without the format {format} (feature `{feature}`)"))
                };
                Ok((format, assembler(format, &settings).ok_or_else(absent)?))
            });
        let plan = Plan {
            assemble: assemble.collect::<Result<_>>()?,
            inputs,
            output,
            files: NamedFiles::of(&settings, &model, &sites)?,
            settings,
            quarantine,
            set_aside: self.set_aside,
            hard,
            dropped: self.dropped,
            follow,
            piece_bytes: PIECE_BYTES,
            epoch: self.epoch,
        };
        let extractor = Extractor::with_model(&plan.settings, model).with_few_metadata(few_metadata);
        Ok(PreparedRun { extractor, plan, sites })
    }

    fn find_inputs(&self, archive: &ArchiveSettings, network: &NetworkOptions) -> Result<Vec<Input>> {
        // Without an index these options would change nothing, and their user would believe that they did.
        for (name, is_set) in [("select_anywhere", archive.select_anywhere), ("whole_ranges", archive.whole_ranges)] {
            if is_set && self.select.is_empty() {
                let what = "is for indexes of records: name one with --select";
                return Err(Error::setting(format!("{name} {what}")));
            }
        }
        let base = archive.base_url.as_deref().map(Location::new);
        let stop = network.stop.clone();
        let options = SelectOptions { anywhere: archive.select_anywhere, whole_ranges: archive.whole_ranges, stop };
        let mut inputs = self.opened.clone();
        inputs.extend(expand(&self.inputs, base.as_ref(), network)?);
        for index in &self.select {
            inputs.push(select(index, base.as_ref(), options.clone(), network)?);
        }
        if let Some(shard) = self.shard {
            // Before containers are opened: other shares' containers need not be.
            inputs.retain_mut(|input| match input {
                // Page by page: a folder of them is one input.
                Input::Pages(pages) => {
                    let mut files = PageFiles::clone(pages);
                    files.files.retain(|file| is_in(shard, &file.to_string_lossy()));
                    *pages = Arc::new(files);
                    !pages.files.is_empty()
                }
                input => is_in(shard, &input.name()),
            });
        }
        let packed = PackedOptions { check_hashes: archive.check_hashes, pages_only: archive.pages_only };
        Ok(match self.follow {
            // What is followed is opened again and again, and containers are complete files.
            Some(_) => inputs,
            None => unpack(inputs, packed, network),
        })
    }

    /// Returns the options for following the inputs while they grow; none if the inputs are read once.
    fn follow(&self, settings: &Settings) -> Result<Option<Follow>> {
        let Some(FollowTimes { idle, until_idle }) = self.follow else { return Ok(None) };
        let archive = &settings.archive;
        for (name, is_set) in [
            ("--select", !self.select.is_empty()),
            ("--shard", self.shard.is_some()),
            ("limit", settings.limits.limit.is_some()),
            ("pages_only", archive.pages_only),
            ("check_hashes", archive.check_hashes),
            ("resolve_revisits", archive.resolve_revisits),
        ] {
            if is_set {
                return Err(Error::setting(format!("--follow and {name} exclude each other")));
            }
        }
        let names = self.inputs.iter().map(|name| {
            let what = "a name that is not UTF-8 cannot be followed; name its folder";
            let refused = || Error::setting(format!("{}: {what}", name.display()));
            name.to_str().map(str::to_owned).ok_or_else(refused)
        });
        let follow = Follow::new(&names.collect::<Result<Vec<_>>>()?)?;
        Ok(Some(Follow { idle: idle.unwrap_or(follow.idle), until_idle, ..follow }))
    }
}

/// Sets the form of text to Markdown if an output has the format `markdown`; refuses Markdown for the format `text`.
fn in_form(settings: Settings, chosen: &PartialSettings, file: &PartialSettings, output: &Output) -> Result<Settings> {
    let mut formats = output.encodings.iter().map(|encoding| encoding.format);
    let form = match formats.find(|format| format.is_by_page()) {
        Some(Format::Markdown) => "markdown",
        Some(_) if settings.text.form == TextForm::Markdown => {
            let what = "the format text is plain text; for Markdown choose the format markdown";
            return Err(Error::setting(what));
        }
        _ => return Ok(settings),
    };
    let mut chosen = chosen.clone();
    chosen.set("text.form", form)?;
    chosen.over(file.clone()).settings()
}

/// Default percentage of pages that are copied as hard to extract, because their confidence is lowest.
const USUAL_SHARE_PERCENT: f64 = 5.0;

/// Returns the file for copies of pages with low confidence; none without a `path`. A page is copied if its confidence
/// is below a limit that the setting `hard_share` (percentage of pages) gives.
fn hard_pages(path: Option<&Path>, settings: &Settings, model: &Model) -> Result<Option<HardPages>> {
    let share = settings.output.hard_share;
    let Some(path) = path else {
        return match share {
            Some(_) => Err(Error::setting("hard_share is for copies of hard pages: name their file with --hard-to")),
            None => Ok(None),
        };
    };
    if !path.to_string_lossy().ends_with(".warc.gz") {
        return Err(Error::setting(format!("--hard-to: {}: expected a name as in hard.warc.gz", path.display())));
    }
    let below = model.confidence_below(share.map_or(USUAL_SHARE_PERCENT, Share::percent));
    let below = below.ok_or_else(|| {
        let of_model =
            format!("--hard-to: there is no table of the confidences of the model {}", settings.model_name());
        let remedy = "`annotate` the pages, and take those of low confidence with --select";
        Error::setting(format!("{of_model}, only of built-in ones; {remedy}"))
    })?;
    Ok(Some(HardPages { path: path.to_owned(), below }))
}

/// Returns whether the run reads the input called `name`, if it reads only a part of them. The name alone decides, so
/// added inputs move no other.
fn is_in(shard: KeyShare, name: &str) -> bool {
    // A hash that is the same on every machine and in every version, as shares run apart.
    let digest = Sha256::digest(name.as_bytes());
    shard.takes(u64::from_be_bytes(digest.first_chunk().copied().unwrap_or_default()))
}

/// Returns the function that assembles an output in the format `format` from a temporary file of documents. None if the
/// format needs none, or if the program was built without the format.
pub(crate) fn assembler(
    format: Format,
    #[cfg_attr(not(feature = "parquet"), allow(unused_variables))] settings: &Settings,
) -> Option<Arc<dyn Assemble>> {
    match format {
        #[cfg(feature = "parquet")]
        Format::Parquet => {
            let options = settings.document_options();
            Some(Arc::new(trommel_record::Parquet { optional: trommel_record::OptionalColumns::of(&options) }))
        }
        #[cfg(feature = "parquet")]
        Format::Annotations => {
            let base = settings.archive.base_url.clone();
            Some(Arc::new(trommel_record::AnnotationTable { base }))
        }
        #[cfg(feature = "index")]
        Format::Tantivy => Some(Arc::new(crate::index::Tantivy)),
        Format::Text => Some(Arc::new(PageFolder(Printed::Text))),
        Format::Markdown => Some(Arc::new(PageFolder(Printed::Markdown))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_apart_and_together_all() {
        let inputs: Vec<Input> = (0..200).map(|at| Input::File(format!("{at}.warc.gz").into())).collect();
        let mut taken = 0;
        for number in 1..=4 {
            let shard: KeyShare = format!("{number}/4").parse().unwrap();
            let count = inputs.iter().filter(|input| is_in(shard, &input.name())).count();
            assert!((30..=70).contains(&count), "{count} in {number}");
            taken += count;
        }
        assert_eq!(taken, inputs.len());
    }

    #[test]
    fn faults_are_told() {
        for text in ["0/4", "5/4", "1/0", "1", "a/b", "-1/4", "1/"] {
            assert!(text.parse::<KeyShare>().is_err(), "{text}");
        }
        assert!("4/4".parse::<KeyShare>().is_ok());
    }
}
