//! The output files of an archive, or of all: one for each format, or parts of bounded size, or standard output.
//!
//! Standard output has no hidden name and no state: what was written is gone.

use std::path::{Path, PathBuf};
use std::{fs::File, io::Write};

use trommel_record::{Compression, Disk, Frames, OutputHead, Shard, hidden};

use crate::run::state::remaining::{CompleteFile, InputStart, OpenPart, OutputsState, WrittenFile};
use crate::run::{error::RunError, plan::prepared::WritePlan, work::worker::Encoder};

/// The files that are being written, one for each encoding; none as long as no record came.
pub(crate) struct Outputs<'a> {
    plan: &'a WritePlan<'a>,
    encoders: &'a [Encoder],
    disk: &'a dyn Disk,
    /// The number of the archive whose share of one output this is; none for whole outputs.
    share: Option<u64>,
    beginning: InputStart,
    open: Vec<OpenFile>,
    /// Parts that are complete but not published.
    complete: Vec<CompleteFile>,
    /// Names of files begun, for the report of the input.
    begun: Vec<String>,
}

struct OpenFile {
    file: WrittenFile,
    part: u32,
    encoded: u64,
    shard: Shard,
}

impl OpenFile {
    fn write(&mut self, bytes: &[u8]) -> Result<(), RunError> {
        self.shard.write(bytes).map_err(|source| RunError::output(&self.file.path, source))
    }

    fn end_frame(&mut self) -> Result<(), RunError> {
        self.shard.end_frame().map_err(|source| RunError::output(&self.file.path, source))
    }

    /// Puts the file on disk.
    fn checkpoint(&mut self) -> Result<OpenPart, RunError> {
        let extent = self.shard.checkpoint().map_err(|source| RunError::output(&self.file.path, source))?;
        Ok(OpenPart { file: self.file.clone(), part: self.part, encoded: self.encoded, extent })
    }

    /// Ends the file, which still has to be published.
    fn complete(self) -> Result<CompleteFile, RunError> {
        let Self { file, shard, .. } = self;
        let extent = shard.complete().map_err(|source| RunError::output(&file.path, source))?;
        Ok(CompleteFile { file, extent })
    }
}

/// The name of the share of an archive in a file; as a number behind it, the hidden name tells whose it is.
pub(crate) fn share_of(path: &Path, number: u64) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    name.into()
}

impl<'a> Outputs<'a> {
    /// The outputs of a plan, some of which are begun by `state`; if `share` is the number of an archive, its share of
    /// them, to be joined with others.
    pub(crate) fn new(
        plan: &'a WritePlan<'a>,
        disk: &'a dyn Disk,
        share: Option<u64>,
        state: &OutputsState,
    ) -> Result<Self, RunError> {
        // What is no file is written elsewhere.
        let encoders = if plan.is_folder() || plan.is_one_file() { plan.encoders.as_slice() } else { &[] };
        let mut open = Vec::new();
        for OpenPart { file, part, encoded, extent } in &state.open {
            let compression = encoders.get(file.encoding).map_or(Compression::None, |encoder| encoder.compression);
            let shard = Shard::resume(disk, &file.path, compression, extent)
                .map_err(|source| RunError::unfinished(&file.path, source))?;
            open.push(OpenFile { file: file.clone(), part: *part, encoded: *encoded, shard });
        }
        let beginning = state.beginning.clone().unwrap_or_default();
        Ok(Self { plan, encoders, disk, share, beginning, open, complete: Vec::new(), begun: Vec::new() })
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
            let open = self.opened(at, 0)?;
            self.open.extend(open);
        }
        Ok(())
    }

    fn opened(&mut self, at: usize, part: u32) -> Result<Option<OpenFile>, RunError> {
        let Some(encoder) = self.encoders.get(at) else { return Ok(None) };
        let InputStart { input, stem, .. } = &self.beginning;
        let Some(path) = self.plan.output.path(stem, encoder.encoding, part) else { return Ok(None) };
        let head = match self.share {
            Some(_) => Vec::new(),
            // Encoded before the file exists, so an error leaves no file behind.
            None => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                head(encoder, &name, &self.beginning, self.plan.epoch)?
            }
        };
        let path = self.share.map_or(path.clone(), |number| share_of(&path, number));
        let shard = Shard::create(self.disk, &path, encoder.compression);
        let shard = shard.map_err(|source| RunError::output(&path, source))?;
        if self.plan.is_folder() && self.share.is_none() {
            self.begun.push(path.to_string_lossy().into_owned());
        }
        let file = WrittenFile { path, encoding: at, input: input.clone(), documents: 0 };
        let mut open = OpenFile { file, part, encoded: 0, shard };
        open.write(&head)?;
        Ok(Some(open))
    }

    /// Writes the encoded forms of a document; none where a format has no place for it. Returns the bytes of the
    /// longest.
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

    /// Returns whether a part has no room for `length` more bytes. A part without documents always has room.
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
            self.complete.push(std::mem::replace(open, next).complete()?);
        }
        Ok(())
    }

    /// Adds the shares of an archive as they are; returns their names, to be removed once that is saved.
    pub(crate) fn join(&mut self, shares: &OutputsState) -> Result<Vec<PathBuf>, RunError> {
        let Some(beginning) = shares.beginning.clone().filter(|_| !shares.open.is_empty()) else {
            return Ok(Vec::new());
        };
        self.begin(beginning)?;
        for (open, share) in self.open.iter_mut().zip(&shares.open) {
            let name = hidden(&share.file.path, "tmp");
            let joined = name.and_then(|name| open.shard.join(File::open(name)?, &share.extent));
            joined.map_err(|source| RunError::unfinished(&share.file.path, source))?;
            open.encoded = open.encoded.saturating_add(share.encoded);
            open.file.documents += share.file.documents;
        }
        Ok(shares.paths().map(Path::to_owned).collect())
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
        // Only divided outputs begin further parts, and a warcinfo block in every state would cost bytes.
        let has_more = self.plan.output.split.is_some() || self.share.is_some();
        Ok(OutputsState {
            open: self.open.iter_mut().map(OpenFile::checkpoint).collect::<Result<_, _>>()?,
            beginning: has_more.then(|| self.beginning.clone()),
        })
    }

    /// Ends and completes all open outputs.
    pub(crate) fn complete(&mut self) -> Result<(), RunError> {
        for open in std::mem::take(&mut self.open) {
            self.complete.push(open.complete()?);
        }
        Ok(())
    }

    /// Ends them for good, unfinished; returns their names.
    pub(crate) fn abandon(&mut self) -> Vec<PathBuf> {
        // Files are closed before they are removed, which some systems ask for.
        let open = self.open.drain(..).map(|open| open.file.path);
        open.chain(self.complete.drain(..).map(|complete| complete.file.path)).collect()
    }
}

/// The head of an output of that name.
pub(crate) fn head(
    encoder: &Encoder,
    name: &str,
    beginning: &InputStart,
    epoch: Option<i64>,
) -> Result<Vec<u8>, RunError> {
    let InputStart { info, date, .. } = beginning;
    let mut bytes = Vec::new();
    encoder.encode.head(&OutputHead { name, info: info.as_deref(), date: date.as_deref(), epoch }, &mut bytes)?;
    Ok(bytes)
}

/// The documents of a run on standard output.
pub(crate) struct Stdout<'a, 'o> {
    plan: &'a WritePlan<'a>,
    /// The frames; none after the reader has closed the pipe.
    frames: Option<Frames<&'o mut dyn Write>>,
    begun: bool,
}

impl<'a, 'o> Stdout<'a, 'o> {
    /// Standard output in the one encoding of the plan.
    pub(crate) fn new(plan: &'a WritePlan<'a>, stdout: &'o mut dyn Write) -> Option<Self> {
        let encoder = plan.encoders.first()?;
        Some(Self { plan, frames: Some(Frames::new(stdout, encoder.compression, false)), begun: false })
    }

    fn on(&mut self, act: impl FnOnce(&mut Frames<&'o mut dyn Write>) -> std::io::Result<()>) -> Result<(), RunError> {
        let Some(frames) = &mut self.frames else { return Ok(()) };
        act(frames).map_err(|source| RunError::output(Path::new("standard output"), source))
    }

    /// Begins it with the first input of which there is a record.
    pub(crate) fn begin(&mut self, beginning: &InputStart) -> Result<(), RunError> {
        if self.begun {
            return Ok(());
        }
        self.begun = true;
        let Some(encoder) = self.plan.encoders.first() else { return Ok(()) };
        // Named as in a folder.
        let name = format!("{}{}", beginning.stem, encoder.encoding.suffix());
        let head = head(encoder, &name, beginning, self.plan.epoch)?;
        self.on(|frames| frames.write(&head))
    }

    /// Writes an encoded document.
    pub(crate) fn write(&mut self, encoded: &[Option<Vec<u8>>]) -> Result<(), RunError> {
        match encoded.first() {
            Some(Some(bytes)) => self.on(|frames| frames.write(bytes)),
            _ => Ok(()),
        }
    }

    /// Ends the frame, so that a reader need not wait for the next document.
    pub(crate) fn end_frame(&mut self) -> Result<(), RunError> {
        self.on(|frames| frames.end_frame()?.flush())
    }

    /// Ends the output, if it was begun.
    pub(crate) fn finish(&mut self) -> Result<(), RunError> {
        match self.begun {
            true => self.on(|frames| frames.finish().map(drop)),
            false => Ok(()),
        }
    }

    /// Lets go of it: its reader is gone.
    pub(crate) fn close(&mut self) {
        self.frames = None;
    }
}
