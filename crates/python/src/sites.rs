//! The memory of sites that a configuration asks for.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufReader},
    path::Path,
    sync::Arc,
};

use data_encoding::HEXLOWER;
use pyo3::{exceptions::PyValueError, prelude::*};
use sha2::{Digest, Sha256};
use tracing::subscriber::NoSubscriber;
use trommel::{Document, Extractor, Hints};
use trommel_output::{Compression, Format};
use trommel_pipeline::{
    Config, Environment, FormatChoice, Input, Output, Plan, RunError as Ended, SiteMode,
    SiteRecipe, run,
};
use trommel_sites::{DEFAULT_BYTES, KnownSites, SiteMemory};

use crate::extractor::PyExtractor;

/// How a run uses what other pages of a page's site say.
pub(crate) enum Sites {
    Off,
    TwoPass,
    Online,
    /// A file, and the SHA-256 of what it holds.
    File {
        name: String,
        sha256: String,
    },
}

impl Sites {
    /// What a configuration says; the extractor knows the sites then, unless all pages are to be counted before.
    ///
    /// # Errors
    /// `ValueError` if the file cannot be read.
    pub(crate) fn take(config: &Config, extractor: &mut PyExtractor) -> PyResult<Self> {
        let (known, sites) = match (config.site_memory, config.sites.as_deref()) {
            (Some(SiteMode::TwoPass), _) => return Ok(Self::TwoPass),
            (Some(SiteMode::Online), _) => {
                let memory = SiteMemory::new(DEFAULT_BYTES);
                let model = extractor.settings.model.model.identity();
                (KnownSites::online(memory.with_model(&model)), Self::Online)
            }
            (None, Some(path)) => {
                let (memory, sha256) = read(path).map_err(|error| {
                    PyValueError::new_err(format!("sites: {}: {error}", path.display()))
                })?;
                let name = path.display().to_string();
                (KnownSites::fixed(memory), Self::File { name, sha256 })
            }
            (Some(SiteMode::Off) | None, _) => return Ok(Self::Off),
        };
        extractor.extractor = extractor.extractor.clone().with_sites(Arc::new(known));
        Ok(sites)
    }

    /// What tells it from every other, for the recipe of a run.
    pub(crate) fn recipe(&self) -> SiteRecipe {
        let max_bytes = DEFAULT_BYTES;
        match self {
            Self::Off => SiteRecipe::Off,
            Self::TwoPass => SiteRecipe::TwoPass { max_bytes },
            Self::Online => SiteRecipe::Online { max_bytes },
            Self::File { name, sha256 } => SiteRecipe::File {
                name: name.clone(),
                sha256: sha256.clone(),
            },
        }
    }

    /// Refuses what cannot be done: to read twice what can be read once, or to continue what depends on the pages
    /// before.
    ///
    /// # Errors
    /// `ValueError`.
    pub(crate) fn check(&self, plan: &Plan, is_object: bool, resume: bool) -> PyResult<()> {
        let is_pipe = |input: &Input| {
            matches!(input, Input::File(path)
                if std::fs::metadata(path).is_ok_and(|file| !file.is_file() && !file.is_dir()))
        };
        let message = match self {
            Self::TwoPass if plan.follow.is_some() => {
                "site_memory two-pass: needs inputs that are complete, not follow"
            }
            Self::TwoPass if is_object || plan.inputs.iter().any(is_pipe) => {
                "site_memory two-pass: a pipe or file object can be read once only"
            }
            Self::Online if resume => {
                "site_memory online: such a run cannot be resumed, as what it knew of sites is gone"
            }
            _ => return Ok(()),
        };
        Err(PyValueError::new_err(message))
    }

    /// The extractor after the first of two passes, if there are two.
    ///
    /// # Errors
    /// As for a run.
    pub(crate) fn counted(
        &self,
        extractor: Extractor,
        plan: &Plan,
        environment: Environment<'_>,
    ) -> Result<Extractor, Ended> {
        if !matches!(self, Self::TwoPass) {
            return Ok(extractor);
        }
        let counted = extractor.survey(DEFAULT_BYTES);
        let plan = Plan {
            output: nowhere(plan),
            quarantine: None,
            set_aside: Vec::new(),
            dropped: None,
            assemble: BTreeMap::new(),
            ..plan.clone()
        };
        let count = |bytes: &[u8], hints: &Hints<'_>| {
            extractor.count(bytes, hints, &counted);
            Document::default()
        };
        // What cannot be read is said by the second pass.
        tracing::subscriber::with_default(NoSubscriber::default(), || {
            run(&plan, &count, environment)
        })?;
        Ok(extractor.after(counted))
    }
}

/// Standard output, in a form that everything can be written in.
fn nowhere(plan: &Plan) -> Output {
    let chosen = FormatChoice {
        formats: vec![Format::Msgpack],
        compression: Some(Compression::None),
    };
    let output = Output::new("-", &chosen, &FormatChoice::default());
    // It cannot be refused.
    output.unwrap_or_else(|_| plan.output.clone())
}

fn read(path: &Path) -> Result<(SiteMemory, String), Box<dyn std::error::Error>> {
    let memory = SiteMemory::read(BufReader::new(File::open(path)?))?;
    let mut digest = Digested(Sha256::new());
    memory.write(&mut digest)?;
    Ok((memory, HEXLOWER.encode(&digest.0.finalize())))
}

struct Digested(Sha256);

impl io::Write for Digested {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
