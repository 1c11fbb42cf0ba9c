//! The site memory of a run: its settings, its file, and the first of two passes.

use std::io::{self, BufReader, BufWriter};
use std::{fs::File, path::Path, sync::Arc};

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use tracing::subscriber::NoSubscriber;
use trommel_extract::{Document, SiteSurvey};
use trommel_model::sites::SiteMemory;
use trommel_record::{AtomicFile, DigestWriter};

use crate::run::execution::{Environment, run};
use crate::run::inputs::{Input, is_pipe};
use crate::run::plan::{NamedFiles, Plan};
use crate::run::{counts::summary::Summary, plan::output::Output};
use crate::{Error, ErrorKind, Extractor, Hints, Model, Result, Settings, SiteMode};

/// Source of a run's site memory: counts of blocks that repeat on the pages of a site.
#[derive(Debug, Default)]
pub enum RunSites {
    /// No counts of blocks that repeat on a site: every page is judged by itself.
    #[default]
    Off,
    /// Site memory (counts of repeated blocks by site) that a pass over all inputs makes before the run.
    TwoPass {
        /// Maximum number of bytes of memory for the counts of repeated blocks.
        max_bytes: u64,
    },
    /// Site memory (counts of repeated blocks by site) that was read from a file.
    File(Box<SiteMemory>),
}

impl RunSites {
    /// Reads the file of repeated blocks by site that the settings name, or plans a first pass to count them.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn open(settings: &Settings) -> Result<Self> {
        let (sites, max_bytes) = (&settings.sites, settings.sites.size.0);
        Ok(match (sites.memory, &sites.file) {
            (SiteMode::TwoPass, _) => Self::TwoPass { max_bytes },
            (SiteMode::Off, Some(file)) => Self::File(Box::new(load_sites(Path::new(file))?)),
            (SiteMode::Off, None) => Self::Off,
        })
    }

    /// Returns whether a run reads its inputs twice: first to count blocks, then to extract.
    pub fn reads_twice(&self) -> bool {
        matches!(self, Self::TwoPass { .. })
    }

    /// Refuses a run of two passes over its inputs if one can be read only once, such as a pipe, or they are followed.
    ///
    /// # Errors
    /// Fails with a line that names the input that can be read only once, or `--follow`.
    pub fn check(&self, plan: &Plan) -> Result<()> {
        let pipe = |input: &&Input| match input {
            Input::Stdin => true,
            Input::File(path) => is_pipe(path),
            _ => false,
        };
        let refused = |message| Err(Error::new(ErrorKind::Sites, message));
        match plan.inputs.iter().find(pipe).filter(|_| self.reads_twice()) {
            _ if self.reads_twice() && plan.follow.is_some() => {
                refused("site_memory=two-pass needs inputs that are complete, not --follow".to_owned())
            }
            Some(pipe) => {
                let reason = "site_memory=two-pass reads inputs twice, and a pipe can be read once";
                refused(format!("{}: {reason}", pipe.name()))
            }
            None => Ok(()),
        }
    }

    /// Returns the extractor with the counts of repeated blocks by site, after the first pass if one is planned. Inputs
    /// that cannot be read are reported by the second pass.
    ///
    /// # Errors
    /// Fails with the errors of [`run`](crate::run::run).
    pub fn apply(self, extractor: Extractor, plan: &Plan, environment: Environment<'_>) -> Result<Extractor> {
        Ok(match self {
            Self::Off => extractor,
            Self::File(memory) => extractor.with_sites(Arc::from(memory)),
            Self::TwoPass { max_bytes } => {
                let survey = extractor.judge().survey(max_bytes);
                // Faults of the inputs are reported once, by the second pass.
                tracing::subscriber::with_default(NoSubscriber::default(), || {
                    count_pages(plan, &extractor, &survey, environment)
                })?;
                tracing::info!("pages are counted; extracting");
                extractor.map(|judge| judge.after(survey))
            }
        })
    }
}

impl NamedFiles {
    /// Computes the checksums of the model, the site memory, the tokenizer and the lists of hosts.
    ///
    /// # Errors
    /// Fails only if memory runs out.
    pub fn of(settings: &Settings, model: &Model, sites: &RunSites) -> Result<Self> {
        // By content: a model file may be replaced under its name between two runs.
        let sha256 = HEXLOWER.encode(&Sha256::digest(model.checked_bytes()?));
        let path = settings.sites.file.as_deref().unwrap_or_default();
        let sites = match sites {
            RunSites::File(memory) => {
                let mut digest = DigestWriter::default();
                // Writing to a digest cannot fail.
                let _ = memory.write(&mut digest);
                format!("{path} (sha256 {})", HEXLOWER.encode(&digest.0.finalize()))
            }
            _ => String::new(),
        };
        let tokenizer = settings.text.tokenizer.as_ref();
        let tokenizer =
            tokenizer.map_or_else(String::new, |file| format!("{} (sha256 {})", file.path(), file.sha256()));
        let lists = [&settings.filters.host, &settings.filters.not_host];
        let hosts: Vec<&str> = lists.iter().flat_map(|list| list.sha256()).collect();
        let model = format!("{} (sha256 {sha256})", settings.model_name());
        Ok(Self { model, sites, tokenizer, hosts: hosts.join(", ") })
    }
}

/// Counts the blocks of all pages in the inputs of `plan`, to find those that repeat on a site. Pages that capture
/// filters drop are left out.
///
/// # Errors
/// Fails with the errors of [`run`](crate::run::run).
pub fn count_pages(
    plan: &Plan,
    extractor: &Extractor,
    survey: &SiteSurvey,
    environment: Environment<'_>,
) -> Result<Summary> {
    let mut plan = counting_plan(plan.inputs.clone(), plan.settings.clone());
    // All pages are counted, however few are written.
    plan.settings.limits.limit = None;
    let count = |bytes: &[u8], hints: &Hints<'_>| {
        extractor.judge().count(bytes, hints, survey);
        // Only the counting matters; no text is made in the first pass.
        Document::default()
    };
    let mut sink = io::sink();
    let quiet = Environment {
        disk: environment.disk,
        network: environment.network,
        ..Environment::new(&mut sink, environment.progress)
    };
    run(&plan, &count, quiet)
}

/// Creates a plan to count the blocks on the pages of inputs with [`count_pages`].
pub fn counting_plan(inputs: Vec<Input>, settings: Settings) -> Plan {
    Plan::new(inputs, Output::caller()).with_settings(settings)
}

/// Reads a site memory (counts of repeated blocks by site) from a file.
///
/// # Errors
/// Fails if the file cannot be read; the error names the file in one line.
pub fn load_sites(path: &Path) -> Result<SiteMemory> {
    let read = || Ok::<_, Error>(SiteMemory::read(BufReader::new(File::open(path)?))?);
    read().map_err(Error::at(ErrorKind::Sites, path.display()))
}

/// Writes a site memory (counts of repeated blocks by site) to a file, which appears under its name when complete.
///
/// # Errors
/// Fails if the file cannot be written; the error names the file in one line.
pub fn save_sites(memory: &SiteMemory, path: &Path) -> Result<()> {
    let write = || {
        let mut file = BufWriter::new(AtomicFile::create(path)?);
        memory.write(&mut file)?;
        Ok::<_, Error>(file.into_inner().map_err(io::IntoInnerError::into_error)?.finish()?)
    };
    write().map_err(Error::at(ErrorKind::Sites, path.display()))
}
