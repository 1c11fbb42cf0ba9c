//! Gives the documents of archives to other commands than `run`.

use std::{io, sync::Arc};

use anyhow::Result;
use trommel::run::{Environment, Input, NetworkOptions, Output, PackedOptions, Plan, Run, Summary, unpack};
use trommel::{Document, Extractor, Hints, Settings};

use crate::progress::Reporter;

/// Archives to be read, WACZ files among them.
pub struct Archives {
    plan: Plan,
    extractor: Extractor,
}

impl Archives {
    /// The archives of `inputs`, read with the model of these settings.
    pub fn new(inputs: Vec<Input>, settings: Settings) -> Result<Self> {
        let inputs = unpack(inputs, PackedOptions::default(), &NetworkOptions::default());
        let model = Arc::new(settings.model()?);
        Ok(Self {
            extractor: Extractor::with_model(&settings, model),
            plan: Plan::new(inputs, Output::caller()).with_settings(settings),
        })
    }

    /// Passes every document to `take`, in the order in which `run` would write them.
    pub fn documents(&self, mut take: impl FnMut(Document) -> Result<()>) -> Result<Summary> {
        let taken = |record| take(record).map_err(io::Error::other);
        let (mut nowhere, mut reporter) = (io::sink(), Reporter::new());
        let extract = |bytes: &[u8], hints: &Hints<'_>| self.extractor.document(bytes, hints);
        let environment = Environment::new(&mut nowhere, &mut reporter);
        Ok(Run::of_plan(&self.plan, &extract).documents(environment, taken)?)
    }
}
