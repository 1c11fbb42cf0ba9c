//! Processes whole archives: sources, workers, ordered output and counts.
//!
//! Archives are read side by side, each in a lane: one thread reads its records in order, workers turn them into
//! encoded documents, and another thread writes those in the order of the records. [`run`] writes files; [`Run`] gives
//! the documents to its caller.
//!
//! # Files
//!
//! A [`RunRequest`] is what a user asks for. It becomes a [`Plan`], whose files can be checked before any work.
//!
//! ```
//! use trommel::run::{Environment, Existing, NetworkOptions, Outcome, PreparedRun, RunRequest, run};
//! use trommel::{ErrorKind, PartialSettings};
//!
//! # fn main() -> trommel::Result<()> {
//! # let folder = tempfile::tempdir()?;
//! # let (crawl, out) = (folder.path().join("crawl"), folder.path().join("out/"));
//! # std::fs::create_dir(&crawl)?;
//! # let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>The mill stands by the river, and its wheel turns.";
//! # let record = format!(
//! #     "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Target-URI: https://a.example/\r\n\
//! #      WARC-Date: 2024-05-01T00:00:00Z\r\nContent-Type: application/http\r\nContent-Length: {}\r\n\r\n{page}\r\n\r\n",
//! #     page.len()
//! # );
//! # std::fs::write(crawl.join("a.warc"), record)?;
//! let request = RunRequest {
//!     inputs: vec![crawl.into()],
//!     output: out.display().to_string(),
//!     ..RunRequest::default()
//! };
//! let chosen = PartialSettings::from_json(r#"{"text": "markdown", "compress": "none"}"#)?;
//! let network = NetworkOptions::default();
//! let prepared = request.prepare(&chosen, &PartialSettings::default(), None, &network)?;
//! let PreparedRun { plan, sites, extractor } = prepared;
//! plan.check_names(None)?;
//! plan.prepare_files(None)?;
//! sites.check(&plan)?;
//! let (mut stdout, mut progress) = (std::io::sink(), ());
//! // A memory of sites takes a pass over the inputs before; without one the extractor stays as it is.
//! assert!(!sites.reads_twice());
//! let extractor = sites.apply(extractor, &plan, Environment::new(&mut stdout, &mut progress))?;
//!
//! let extract = |page: &[u8], hints: &trommel::Hints<'_>| extractor.document(page, hints);
//! let summary = run(&plan, &extract, Environment::new(&mut stdout, &mut progress))?;
//! assert_eq!((summary.documents, summary.outcome(), summary.faults()), (1, Outcome::Clean, None));
//! assert!(summary.adds_up() && summary.mismatch().is_none());
//! assert!(std::fs::read_to_string(&plan.outputs()[0])?.contains("The mill stands by the river"));
//! // Outputs are not replaced unasked, and a finished run has nothing left to do.
//! let again = run(&plan, &extract, Environment::new(&mut stdout, &mut progress)).unwrap_err();
//! assert!(again.kind() == ErrorKind::Exists && again.is_refusal());
//! assert!(plan.finished_file().is_some_and(|path| path.exists()) && !plan.has_work(Existing::Resume)?);
//! assert!(plan.state_file().is_some_and(|path| !path.exists()));
//! # Ok(())
//! # }
//! ```
//!
//! # Documents for a program
//!
//! ```
//! use trommel::run::{Environment, NetworkOptions, Run, expand, load_config, open_input, unpack};
//! use trommel::run::{PackedOptions, count_pages, counting_plan, load_sites, record_at, save_sites};
//! use trommel::{Extractor, Hints};
//!
//! # fn main() -> trommel::Result<()> {
//! # let folder = tempfile::tempdir()?;
//! # let archive = folder.path().join("a.warc");
//! # let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>The mill stands by the river, and its wheel turns.";
//! # let record = format!(
//! #     "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Target-URI: https://a.example/\r\n\
//! #      WARC-Date: 2024-05-01T00:00:00Z\r\nContent-Type: application/http\r\nContent-Length: {}\r\n\r\n{page}\r\n\r\n",
//! #     page.len()
//! # );
//! # std::fs::write(&archive, record)?;
//! # let config = folder.path().join("own.toml");
//! # std::fs::write(&config, "[filters]\nmin_words = 5\n")?;
//! let network = NetworkOptions::default();
//! let settings = load_config(&config, &network)?.settings()?;
//! let inputs = unpack(expand(&[&archive], None, &network)?, PackedOptions::default(), &network);
//! assert_eq!((inputs[0].path(), inputs[0].name()), (Some(archive.as_path()), archive.display().to_string()));
//! let extractor = Extractor::new(&settings)?;
//! let extract = |page: &[u8], hints: &Hints<'_>| extractor.document(page, hints);
//! let (mut stdout, mut progress) = (std::io::sink(), ());
//!
//! // The documents alone.
//! let mut words = Vec::new();
//! let run = Run::new(settings.clone(), inputs.clone(), &extract);
//! let environment = Environment::new(&mut stdout, &mut progress);
//! run.documents(environment, |record| Ok(words.push(record.text.split(' ').count())))?;
//! assert_eq!(words, [10]);
//!
//! // The records themselves, all or one.
//! let record = open_input(&inputs[0], &network)?.next().unwrap()?;
//! let (same, charset) = record_at(&archive, record.place.offset, 0)?.unwrap();
//! assert!(same.id() == record.id() && charset.is_none());
//!
//! // A memory of the sites of an archive, to judge their pages better.
//! let plan = counting_plan(inputs, settings);
//! let run = Run::of_plan(&plan, &extract);
//! assert_eq!(run.documents(Environment::new(&mut stdout, &mut progress), |_| Ok(()))?.documents, 1);
//! let survey = extractor.judge().survey(1 << 20);
//! count_pages(&plan, &extractor, &survey, Environment::new(&mut stdout, &mut progress))?;
//! # let file = folder.path().join("own.sites");
//! save_sites(&survey.into_memory(), &file)?;
//! let remembers = extractor.clone().with_sites(load_sites(&file)?.into());
//! assert!(remembers.document(b"<p>The mill.", &Hints::default()).text.contains("mill"));
//! # Ok(())
//! # }
//! ```
//!
//! # Indexes, containers and buckets
//!
//! ```no_run
//! use std::path::Path;
//!
//! use trommel::record::Disk;
//! use trommel::run::{Bucket, Environment, Existing, Input, NetworkOptions, Plan, run, select};
//!
//! # fn main() {}
//! # fn example(extractor: trommel::Extractor, mut plan: Plan, network: NetworkOptions) -> trommel::Result<()> {
//! // The records that an index names, at a URL or here.
//! plan.inputs.push(select(Path::new("https://host/part.cdxj.gz"), None, Default::default(), &network)?);
//! for input in &plan.inputs {
//!     if let Input::Packed(archive) = input {
//!         // An archive within a WACZ file, of which only its part is read.
//!         println!("{}: {} bytes of {:?}", archive.name(), archive.bytes(), archive.path());
//!     }
//! }
//! // Outputs at `s3://` are written here first, and sent as they are complete.
//! let bucket = Bucket::take(&mut plan, network, Existing::Refuse)?;
//! let (mut stdout, mut progress) = (std::io::sink(), ());
//! let mut environment = Environment::new(&mut stdout, &mut progress);
//! if let Some(bucket) = &bucket {
//!     environment.disk = bucket;
//! }
//! let mut summary = run(&plan, &|page, hints| extractor.document(page, hints), environment)?;
//! if let Some(bucket) = &bucket {
//!     bucket.name(&mut summary);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Parts of a plan
//!
//! ```
//! use std::path::Path;
//! use std::time::Instant;
//!
//! use trommel::record::filters::{FilterSettings, Filters};
//! use trommel::run::{Clock, Destination, DropReason, FailureKind, Follow, Input, InputShare, NamedFiles, Output, Plan};
//! use trommel::run::{RecordOutcome, RunSites, SingleRecords, Stage, crawl_charset, record_in};
//! use trommel::{Extractor, Hints, Settings};
//!
//! # fn main() -> trommel::Result<()> {
//! let settings = Settings::default();
//! // The name decides about file or folder, format and compression.
//! let output = Output::new("out/pages.jsonl.gz", &settings.output, &settings.output)?;
//! assert_eq!(output.destination, Destination::File("out/pages.jsonl.gz".into()));
//! assert_eq!(output.destination.folder(), Some(Path::new("out")));
//! assert_eq!(Output::caller().destination.folder(), None);
//! let inputs = vec![Input::File("a.warc.gz".into())];
//! let quarantine = output.destination.quarantine(None);
//! assert_eq!(quarantine.as_deref(), Some(Path::new("out/pages.jsonl.gz.quarantine.warc.gz")));
//! // One of two machines takes each input.
//! assert!("2/2".parse::<InputShare>().is_ok() && "3/2".parse::<InputShare>().is_err());
//! // Growing files, until the run is stopped.
//! assert_eq!(Follow::new(&["crawl/".to_owned()])?.idle, Follow::IDLE);
//!
//! let extractor = Extractor::new(&settings)?;
//! let mut plan = Plan::new(inputs, output).with_settings(settings);
//! plan.files = NamedFiles::of(&plan.settings, extractor.model(), &RunSites::open(&plan.settings)?)?;
//! assert!(plan.files.model.starts_with("fast (sha256 "));
//!
//! // A service takes records one by one.
//! let page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>The mill stands by the river.";
//! let mut archive = Vec::new();
//! let headers = [
//!     ("WARC-Type", "response"), ("WARC-Record-ID", "<urn:uuid:1>"), ("WARC-Date", "2024-05-01T00:00:00Z"),
//!     ("WARC-Target-URI", "https://a.example/"), ("Content-Type", "application/http"),
//! ];
//! trommel::archive::write::write_record(&mut archive, "WARC/1.1", &headers, page)?;
//! let (record, charset) = record_in("a.warc", |from| Ok(std::io::Cursor::new(archive[from as usize..].to_vec())), 0, 0)?.unwrap();
//! assert_eq!(crawl_charset(&record, &record), None, "only a metadata record states it");
//! let extract = |page: &[u8], hints: &Hints<'_>| extractor.document(page, hints);
//! let filters = Filters::new(&FilterSettings::default());
//! let (outcome, _) = SingleRecords::new(&extract, &filters, Default::default()).take(record, charset);
//! assert!(matches!(outcome, RecordOutcome::Document(record) if record.text == "The mill stands by the river."));
//!
//! // The names of reasons in summaries, and the time of stages.
//! assert_eq!((DropReason::NoText.name(), FailureKind::Payload.name()), ("no-text", "payload"));
//! let clock = Clock::default();
//! clock.lap(Stage::Payload, &mut Instant::now());
//! assert!(clock.spent(Stage::Payload) < std::time::Duration::from_secs(1));
//! # Ok(())
//! # }
//! ```

mod counts;
mod error;
mod execution;
#[cfg(fuzzing)]
#[doc(hidden)]
#[path = "../../../fuzz/src/saved_state.rs"]
pub mod fuzzing;
mod inputs;
mod plan;
/// Reads the records of the inputs on one thread for each archive in progress, also from files that still grow.
mod read {
    pub(crate) mod follow;
    pub(crate) mod growing_files;
    pub(crate) mod indexed_records;
    pub(crate) mod lane_reader;
    pub(crate) mod revisits;
}
mod sites;
mod state;
/// Extracts documents from records on many threads, and encodes them in the output formats.
mod work {
    pub(crate) mod crawler_records;
    pub(crate) mod extract_record;
    pub(crate) mod record_copies;
    pub(crate) mod task;
    pub(crate) mod worker;
}
/// Writes the encoded documents in order to the outputs, and failed or dropped records to files of their own.
mod write {
    pub(crate) mod bucket;
    pub(crate) mod lane;
    pub(crate) mod ledger;
    pub(crate) mod manifest;
    pub(crate) mod outputs;
}

pub use crate::run::counts::reasons::{DropReason, FailureKind};
pub use crate::run::inputs::listing::PageFiles;
pub use crate::run::plan::recipe_and_lanes::BUILD;
pub use crate::run::read::indexed_records::open_input;
pub use crate::run::read::revisits::{crawl_charset, record_at, record_in};
pub use crate::run::work::{extract_record::SingleRecords, task::RecordOutcome};
pub use counts::summary::{DamageReport, FileReport, Outcome, PageTime, PageTimes, SumMismatch, Summary};
pub use counts::{Clock, Progress, ProgressState, Stage};
pub use execution::{Environment, Run, run};
pub use inputs::wacz::unpack;
pub use inputs::wacz_archive::{Packed, PackedOptions};
pub use inputs::{Input, expand, load_config, select};
pub use plan::existing::Existing;
pub use plan::output::{Destination, Encoding, Output};
pub use plan::request::{FollowTimes, PreparedRun, RunRequest};
pub use plan::{Follow, HardPages, NamedFiles, Plan, SetAside};
pub use sites::{RunSites, count_pages, counting_plan, load_sites, save_sites};
pub use work::extract_record::Extract;
pub use write::bucket::Bucket;

/// Part of a run's inputs to process, such as `2/8` for the second of eight parts of about equal size.
pub use trommel_record::dedup::KeyShare as InputShare;
/// Options and readers for inputs behind URLs.
pub use trommel_sources::{NetworkOptions, Remote, RemoteReader, StopFlag, is_url, redacted};
