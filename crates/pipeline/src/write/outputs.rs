//! The output files: one for each format, or parts of bounded size.

use std::borrow::Cow;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use trommel_output::{Compression, Disk, Encode, Extent, Frames, OutputHead, Shard, discard, encoder};

use crate::error::RunError;
use crate::plan::Plan;
use crate::plan::output::{Destination, Encoding};

/// The encoder of documents for one output.
pub(crate) struct Encoder {
    pub(crate) encode: Box<dyn Encode>,
    encoding: Encoding,
    /// The compression that the encoder leaves to the file.
    // WET compresses each record by itself, so its file must not be compressed again.
    compression: Compression,
}

impl Encoder {
    /// One for each encoding of the plan, in its order.
    pub(crate) fn all(plan: &Plan) -> Result<Vec<Self>, RunError> {
        let encodings = plan.output.encodings.iter();
        encodings
            .map(|&encoding| {
                let (encode, compression) = encoder(encoding.format, encoding.compression)?;
                Ok(Self { encode, encoding, compression })
            })
            .collect()
    }
}

/// The outputs as they stand in a saved state.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct OutputsState {
    /// The unfinished files.
    open: Vec<OpenPart>,
    /// The head of the current input, if more parts of it may follow.
    // Each part begins with the same head, also those that are begun after a restart.
    beginning: Option<InputStart>,
}

/// An unfinished file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct OpenPart {
    file: WrittenFile,
    part: u32,
    /// Bytes of documents before the compression of the file.
    encoded: u64,
    /// The valid part of the file; the rest is written again.
    extent: Extent,
}

/// A file of documents that is complete, under its hidden name or its final one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CompleteFile {
    pub(crate) file: WrittenFile,
    /// The bytes written into it; for an assembled output, those written into its spool.
    pub(crate) extent: Extent,
}

/// A file or folder of documents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WrittenFile {
    /// Its final name.
    pub(crate) path: PathBuf,
    /// Index of its encoding.
    pub(crate) encoding: usize,
    /// Name of the input, the first if there are several.
    pub(crate) input: String,
    /// Documents in it.
    pub(crate) documents: u64,
}

/// The beginning of an input.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct InputStart {
    /// Name of the input.
    pub(crate) input: String,
    /// The name of its outputs, also for later parts if the inputs differ by then.
    pub(crate) stem: String,
    /// Block of the first record if it is a warcinfo.
    pub(crate) info: Option<Vec<u8>>,
    /// Date of the first record.
    pub(crate) date: Option<String>,
}

/// The files that are being written, one for each encoding; none between two inputs.
pub(crate) struct Outputs<'a> {
    plan: &'a Plan,
    encoders: &'a [Encoder],
    disk: &'a dyn Disk,
    stdout: Option<&'a mut dyn Write>,
    beginning: InputStart,
    open: Vec<OpenFile<'a>>,
    /// Parts that are complete but not published.
    complete: Vec<CompleteFile>,
    /// Names of files begun, for the report of the input.
    begun: Vec<String>,
}

struct OpenFile<'a> {
    file: WrittenFile,
    part: u32,
    encoded: u64,
    target: Target<'a>,
}

enum Target<'a> {
    File(Shard),
    // It has no hidden name and no state: what was written is gone.
    Stdout(Frames<&'a mut dyn Write>),
}

impl OpenFile<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<(), RunError> {
        match &mut self.target {
            Target::File(shard) => shard.write(bytes),
            Target::Stdout(frames) => frames.write(bytes),
        }
        .map_err(|source| RunError::output(&self.file.path, source))
    }

    fn end_frame(&mut self) -> Result<(), RunError> {
        match &mut self.target {
            Target::File(shard) => shard.end_frame(),
            // Whoever reads it shall not have to wait for what comes next.
            Target::Stdout(frames) => frames.end_frame().and_then(|out| out.flush()),
        }
        .map_err(|source| RunError::output(&self.file.path, source))
    }

    /// Puts a file on disk; nothing of standard output is a part that can be continued.
    fn checkpoint(&mut self) -> Result<Option<OpenPart>, RunError> {
        match &mut self.target {
            Target::File(shard) => match shard.checkpoint() {
                Ok(extent) => {
                    Ok(Some(OpenPart { file: self.file.clone(), part: self.part, encoded: self.encoded, extent }))
                }
                Err(source) => Err(RunError::output(&self.file.path, source)),
            },
            Target::Stdout(_) => self.end_frame().map(|()| None),
        }
    }

    /// Ends the output; gives a file, which still has to be published.
    fn complete(self) -> Result<Option<CompleteFile>, RunError> {
        let file = self.file;
        let extent = match self.target {
            Target::File(shard) => shard.complete().map(Some),
            Target::Stdout(mut frames) => frames.finish().map(|_| None),
        };
        let extent = extent.map_err(|source| RunError::output(&file.path, source))?;
        Ok(extent.map(|extent| CompleteFile { file, extent }))
    }
}

impl OutputsState {
    /// The final names of the unfinished files.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.open.iter().map(|part| part.file.path.as_path())
    }
}

impl<'a> Outputs<'a> {
    /// The outputs of a plan, some of which are begun by `state`; `stdout` is used if its output is standard
    /// output.
    pub(crate) fn new(
        plan: &'a Plan,
        encoders: &'a [Encoder],
        stdout: &'a mut dyn Write,
        disk: &'a dyn Disk,
        state: &OutputsState,
    ) -> Result<Self, RunError> {
        let mut open = Vec::new();
        for OpenPart { file, part, encoded, extent } in &state.open {
            let compression = encoders.get(file.encoding).map_or(Compression::None, |encoder| encoder.compression);
            let shard = Shard::resume(disk, &file.path, compression, extent)
                .map_err(|source| RunError::unfinished(&file.path, source))?;
            open.push(OpenFile { file: file.clone(), part: *part, encoded: *encoded, target: Target::File(shard) });
        }
        Ok(Self {
            plan,
            encoders,
            disk,
            stdout: Some(stdout),
            beginning: state.beginning.clone().unwrap_or_default(),
            open,
            complete: Vec::new(),
            begun: Vec::new(),
        })
    }

    pub(crate) fn are_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Begins the files of an input, unless there are some that go on.
    pub(crate) fn begin(&mut self, beginning: InputStart) -> Result<(), RunError> {
        // One output for all inputs goes on from input to input.
        if self.are_open() {
            return Ok(());
        }
        self.beginning = beginning;
        for at in 0..self.encoders.len() {
            if let Some(open) = self.opened(at, 0)? {
                self.open.push(open);
            }
        }
        Ok(())
    }

    fn opened(&mut self, at: usize, part: u32) -> Result<Option<OpenFile<'a>>, RunError> {
        let Some(encoder) = self.encoders.get(at) else { return Ok(None) };
        let InputStart { input, stem, info, date } = &self.beginning;
        let path = self.plan.output.path(stem, encoder.encoding, part);
        let name = match path.as_deref().and_then(Path::file_name) {
            Some(name) => name.to_string_lossy(),
            // As in a folder.
            None => Cow::Owned(format!("{stem}{}", encoder.encoding.suffix())),
        };
        let head = OutputHead { name: &name, info: info.as_deref(), date: date.as_deref(), epoch: self.plan.epoch };
        let mut bytes = Vec::new();
        // Encoded before the file exists, so an error leaves no file behind.
        encoder.encode.head(&head, &mut bytes)?;
        let (path, target) = match path {
            Some(path) => {
                let shard = Shard::create(self.disk, &path, encoder.compression)
                    .map_err(|source| RunError::output(&path, source))?;
                if let Destination::Folder(_) = self.plan.output.destination {
                    self.begun.push(path.to_string_lossy().into_owned());
                }
                (path, Target::File(shard))
            }
            // Standard output is opened once: the run has one output then, and it is never ended early.
            None => match self.stdout.take() {
                Some(stdout) => {
                    (PathBuf::from("standard output"), Target::Stdout(Frames::new(stdout, encoder.compression, false)))
                }
                None => return Ok(None),
            },
        };
        let mut open = OpenFile {
            file: WrittenFile { path, encoding: at, input: input.clone(), documents: 0 },
            part,
            encoded: 0,
            target,
        };
        open.write(&bytes)?;
        Ok(Some(open))
    }

    /// Writes what each encoder made of a document, none where its format has no place for it. Gives the
    /// bytes of the longest.
    pub(crate) fn write(&mut self, encoded: &[Option<Vec<u8>>]) -> Result<u64, RunError> {
        let mut longest = 0;
        for (at, bytes) in encoded.iter().enumerate() {
            let Some(bytes) = bytes else { continue };
            let length = bytes.len() as u64;
            if self.is_full(at, length) {
                self.next_part(at)?;
            }
            if let Some(open) = self.open.get_mut(at) {
                open.write(bytes)?;
                open.encoded = open.encoded.saturating_add(length);
                open.file.documents += 1;
            }
            longest = longest.max(length);
        }
        Ok(longest)
    }

    /// Whether a part has no room for so many bytes more. One without documents always has.
    fn is_full(&self, at: usize, length: u64) -> bool {
        let encoding = self.encoders.get(at).map(|encoder| encoder.encoding);
        let size = encoding.and_then(|encoding| self.plan.output.splits(encoding));
        match (self.open.get(at), size) {
            // A document larger than a part has one of its own; an empty part would never end.
            (Some(open), Some(size)) => open.file.documents > 0 && open.encoded.saturating_add(length) > size,
            _ => false,
        }
    }

    fn next_part(&mut self, at: usize) -> Result<(), RunError> {
        if let Some(next) = self.opened(at, self.open.get(at).map_or(0, |open| open.part + 1))?
            && let Some(open) = self.open.get_mut(at)
        {
            self.complete.extend(std::mem::replace(open, next).complete()?);
        }
        Ok(())
    }

    /// Names of the files in a folder that were begun since this was asked last.
    pub(crate) fn take_begun(&mut self) -> Vec<String> {
        std::mem::take(&mut self.begun)
    }

    /// Number of parts that are complete and wait for being published.
    pub(crate) fn complete_parts(&self) -> usize {
        self.complete.len()
    }

    /// The parts that are complete, to be published.
    pub(crate) fn take_complete(&mut self) -> Vec<CompleteFile> {
        std::mem::take(&mut self.complete)
    }

    /// Ends the frame of each.
    pub(crate) fn end_frame(&mut self) -> Result<(), RunError> {
        self.open.iter_mut().try_for_each(OpenFile::end_frame)
    }

    /// Ends the frame of each and puts the files on disk.
    pub(crate) fn checkpoint(&mut self) -> Result<OutputsState, RunError> {
        let parts = self.open.iter_mut().map(OpenFile::checkpoint);
        Ok(OutputsState {
            open: parts.filter_map(Result::transpose).collect::<Result<_, _>>()?,
            // Only divided outputs begin further parts, and a warcinfo block in every state would cost bytes.
            beginning: self.plan.output.split.map(|_| self.beginning.clone()),
        })
    }

    /// Ends all that are open; they are complete then.
    pub(crate) fn complete(&mut self) -> Result<(), RunError> {
        for open in std::mem::take(&mut self.open) {
            self.complete.extend(open.complete()?);
        }
        Ok(())
    }

    /// Lets go of standard output, whose reader is gone.
    pub(crate) fn close(&mut self) {
        self.open.clear();
    }

    /// Removes the unfinished files.
    pub(crate) fn discard(&mut self) {
        for OpenFile { file, target, .. } in self.open.drain(..) {
            // Closed before it is removed, which some systems ask for.
            drop(target);
            discard(self.disk, &file.path);
        }
        for CompleteFile { file, .. } in self.take_complete() {
            discard(self.disk, &file.path);
        }
    }
}
