//! The documents of archives, for commands that do something else with them than `run`.

use std::{
    io::{self, BufReader, Write as _},
    sync::Arc,
    thread,
};

use anyhow::{Context, Result, anyhow};
use trommel::{Compression, Extractor, Format, OutputSettings, Settings};
use trommel_output::{OutputRecord, RecordReader};
use trommel_pipeline::{Environment, Input, Output, PackedOptions, Plan, Summary, unpack};
use trommel_sources::NetworkOptions;

use crate::{models, progress::Reporter};

/// Archives to be read, WACZ files among them.
pub struct Archives {
    plan: Plan,
    extractor: Extractor,
}

impl Archives {
    /// The archives of `inputs`, read with the model of these settings.
    pub fn new(inputs: Vec<Input>, settings: Settings) -> Result<Self> {
        let mut output = OutputSettings::default();
        output.format = vec![Format::Msgpack];
        output.compress = Some(Compression::None);
        let output = Output::new("-", &output, &OutputSettings::default())?;
        let inputs = unpack(inputs, PackedOptions::default(), &NetworkOptions::default());
        let model = Arc::new(models::load(&settings)?);
        Ok(Self {
            extractor: Extractor::with_model(&settings, model),
            plan: Plan::new(inputs, output).with_settings(settings),
        })
    }

    /// The same archives, whose revisits have the content of the captures that they are equal to.
    pub fn with_revisits(mut self) -> Self {
        self.plan.settings.archive.resolve_revisits = true;
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
                &|bytes, hints| self.extractor.document(bytes, hints),
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
