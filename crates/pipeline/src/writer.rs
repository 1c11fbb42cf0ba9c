//! Puts results in order, writes and counts them.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use trommel_sinks::{AtomicFile, Compression, Encode, Head, Stream};

use crate::{
    DamageReport, Destination, FileReport, Plan, RunError, Summary,
    task::{Made, Step, Verdict},
};

/// Writes what the workers made and keeps the counts. It must be given the steps in their order.
pub(crate) struct Writer<'a> {
    plan: &'a Plan,
    encoder: &'a dyn Encode,
    compression: Compression,
    shards: Vec<String>,
    stdout: Option<&'a mut dyn Write>,
    open: Option<Open<'a>>,
    /// Report of the input that is being read.
    report: FileReport,
    summary: Summary,
}

/// The output that is being written.
struct Open<'a> {
    name: PathBuf,
    stream: Stream<Target<'a>>,
}

enum Target<'a> {
    File(AtomicFile),
    Stdout(&'a mut dyn Write),
}

impl Write for Target<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Stdout(stdout) => stdout.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::Stdout(stdout) => stdout.flush(),
        }
    }
}

impl Open<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<(), RunError> {
        self.stream
            .write_all(bytes)
            .map_err(|source| RunError::output(&self.name, source))
    }

    fn finish(self) -> Result<(), RunError> {
        let finish = || match self.stream.finish()? {
            Target::File(file) => file.finish(),
            Target::Stdout(_) => Ok(()),
        };
        finish().map_err(|source| RunError::output(&self.name, source))
    }
}

impl<'a> Writer<'a> {
    /// A writer of what `encoder` makes; `stdout` is used if the plan's output is standard output.
    pub(crate) fn new(
        plan: &'a Plan,
        encoder: &'a dyn Encode,
        compression: Compression,
        stdout: &'a mut dyn Write,
    ) -> Self {
        Self {
            plan,
            encoder,
            compression,
            shards: plan.output.shards(&plan.inputs),
            stdout: Some(stdout),
            open: None,
            report: FileReport::default(),
            summary: Summary::default(),
        }
    }

    /// The counts so far.
    pub(crate) fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Writes and counts one step.
    pub(crate) fn step(&mut self, step: Step<Made>) -> Result<(), RunError> {
        match step {
            Step::Begin { input, info, date } => self.begin(input, info, date),
            Step::Record(made) => self.record(made),
            Step::Damage { offset, lost, what } => {
                self.report.damaged += 1;
                self.report.lost_bytes = self.report.lost_bytes.saturating_add(lost);
                let file = self.input_name();
                tracing::warn!("{file}: offset {offset}: {what}, {lost} bytes lost");
                self.summary.damage(DamageReport {
                    file,
                    offset,
                    lost,
                    what,
                });
                Ok(())
            }
            Step::End {
                input,
                bytes,
                error,
            } => self.end(input, bytes, error),
        }
    }

    /// Ends the output that all inputs share.
    pub(crate) fn finish(&mut self) -> Result<(), RunError> {
        self.open.take().map_or(Ok(()), Open::finish)
    }

    /// The counts, at the end; those of an input that was left in the middle included.
    pub(crate) fn into_summary(mut self) -> Summary {
        if self.report != FileReport::default() {
            self.report.file = self.input_name();
            self.summary.files.push(self.report);
        }
        self.summary
    }

    /// Name of the input that is being read: each ends exactly once, in order.
    fn input_name(&self) -> String {
        let index = self.summary.files.len();
        self.plan
            .inputs
            .get(index)
            .map_or_else(String::new, crate::Input::name)
    }

    fn begin(
        &mut self,
        input: usize,
        info: Option<Vec<u8>>,
        date: Option<String>,
    ) -> Result<(), RunError> {
        if self.open.is_some() {
            return Ok(());
        }
        let shard = self.shards.get(input).map_or("", String::as_str);
        let path = match &self.plan.output.destination {
            Destination::Folder(folder) => Some(folder.join(shard)),
            Destination::File(path) => Some(path.clone()),
            Destination::Stdout => None,
        };
        let name = path
            .as_deref()
            .and_then(Path::file_name)
            .map_or_else(|| shard.into(), |name| name.to_string_lossy());
        let head = Head {
            name: &name,
            info: info.as_deref(),
            date: date.as_deref(),
            epoch: self.plan.epoch,
        };
        let mut bytes = Vec::new();
        self.encoder.head(&head, &mut bytes)?;

        let (name, target) = match (path, self.stdout.take()) {
            (Some(path), stdout) => {
                self.stdout = stdout;
                let file =
                    AtomicFile::create(&path).map_err(|source| RunError::output(&path, source))?;
                (path, Target::File(file))
            }
            (None, Some(stdout)) => (PathBuf::from("standard output"), Target::Stdout(stdout)),
            // Standard output is opened once: the run has one output then, and it is never ended early.
            (None, None) => return Ok(()),
        };
        let stream = Stream::new(target, self.compression)
            .map_err(|source| RunError::output(&name, source))?;
        if let Destination::Folder(_) = self.plan.output.destination {
            self.report.output = Some(name.to_string_lossy().into_owned());
        }
        self.open.insert(Open { name, stream }).write(&bytes)
    }

    fn record(&mut self, made: Made) -> Result<(), RunError> {
        if let Verdict::Document { encoded, .. } = &made.verdict
            && let Some(open) = &mut self.open
        {
            open.write(encoded)?;
        }
        let (summary, report) = (&mut self.summary, &mut self.report);
        summary.records += 1;
        report.records += 1;
        if let Some(bytes) = made.page {
            summary.pages += 1;
            summary.page_bytes = summary.page_bytes.saturating_add(bytes);
        }
        if let Some(reason) = &made.truncated {
            summary.truncate(reason);
        }
        match made.verdict {
            Verdict::Document { text, .. } => {
                summary.documents += 1;
                summary.empty += u64::from(text == 0);
                summary.text_bytes = summary.text_bytes.saturating_add(text);
                report.documents += 1;
            }
            Verdict::Dropped(reason) => {
                summary.drop(reason);
                report.drops += 1;
            }
            Verdict::Failed { kind, message } => {
                tracing::error!("{message}");
                summary.fail(kind);
                report.failures += 1;
            }
        }
        Ok(())
    }

    fn end(&mut self, input: usize, bytes: u64, error: Option<String>) -> Result<(), RunError> {
        if let Destination::Folder(_) = self.plan.output.destination
            && let Some(open) = self.open.take()
        {
            open.finish()?;
        }
        if let Some(error) = &error {
            tracing::error!("{error}");
        }
        let mut report = std::mem::take(&mut self.report);
        report.file = self
            .plan
            .inputs
            .get(input)
            .map_or_else(String::new, crate::Input::name);
        report.stored_bytes = bytes;
        report.error = error;
        self.summary.stored_bytes = self.summary.stored_bytes.saturating_add(bytes);
        self.summary.files.push(report);
        Ok(())
    }
}
