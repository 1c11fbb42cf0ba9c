//! The documents of archives, for commands that do something else with them than `run`.

use std::{
    io::{self, BufReader, Write as _},
    num::NonZeroUsize,
    sync::Arc,
    thread,
};

use anyhow::{Context, Result, anyhow};
use trommel_extract::{DocumentOptions, Extractor};
use trommel_output::{Compression, Format, OutputRecord, RecordReader};
use trommel_pipeline::{
    Environment, FormatChoice, Input, Output, PackedOptions, Plan, Summary, unpack,
};
use trommel_sources::NetworkOptions;

use crate::{models, progress::Reporter};

/// Archives to be read, WACZ files among them.
pub struct Archives {
    plan: Plan,
    extractor: Extractor,
}

impl Archives {
    /// The archives of `inputs`, read with a model by that name.
    pub fn new(
        inputs: Vec<Input>,
        model: Option<&str>,
        jobs: Option<NonZeroUsize>,
    ) -> Result<Self> {
        let chosen = FormatChoice {
            formats: vec![Format::Msgpack],
            compression: Some(Compression::None),
        };
        let output = Output::new("-", &chosen, &FormatChoice::default())?;
        let inputs = unpack(inputs, PackedOptions::default(), &NetworkOptions::default());
        let mut plan = Plan::new(inputs, output);
        plan.jobs = jobs.unwrap_or(plan.jobs);
        Ok(Self {
            plan,
            extractor: Extractor::new(Arc::new(models::load(model)?)).with_inline_style(false),
        })
    }

    /// The same archives, whose revisits have the content of the captures that they are equal to.
    pub fn with_revisits(mut self) -> Self {
        self.plan.resolve_revisits = true;
        self
    }

    /// Gives `take` every document, in order: runs the pipeline as for standard output, at the other end of
    /// which documents are read back. What is taken is what `run` would write.
    pub fn documents(
        &self,
        mut take: impl FnMut(OutputRecord) -> Result<()> + Send,
    ) -> Result<Summary> {
        let (read, mut write) = io::pipe().context("pipe")?;
        thread::scope(|scope| {
            let taker = scope.spawn(move || {
                let reader = RecordReader::new(BufReader::with_capacity(1 << 16, read))?;
                for stored in reader {
                    take(stored?)?;
                }
                anyhow::Ok(())
            });
            let mut reporter = Reporter::new();
            let summary = trommel_pipeline::run(
                &self.plan,
                &|bytes, hints| {
                    let page = self.extractor.extract(bytes, hints);
                    page.document(&DocumentOptions::default())
                },
                Environment::new(&mut write, &mut reporter),
            );
            let flushed = write.flush();
            // The end of the pipe is the end of the documents.
            drop(write);
            let taken = taker
                .join()
                .map_err(|_| anyhow!("internal fault while reading documents"))?;
            taken?;
            flushed?;
            Ok(summary?)
        })
    }
}
