//! The output files of an archive, or of all: one for each format, or parts of bounded size, or standard output.
//!
//! Standard output has no hidden name and no state: what was written is gone.

use std::path::{Path, PathBuf};
use std::{fs::File, io::Write};

use trommel_record::{Compression, Disk, Frames, OutputHead, Shard, hidden};

use crate::run::state::remaining::{FileState, InputStart, OutputsState};
use crate::run::{plan::output::Destination, plan::prepared::Prepared, work::worker::Encoder};
use crate::{Error, Result};

/// The files that are being written, one for each encoding; none as long as no record came.
pub(crate) struct Outputs<'a> {
    plan: &'a Prepared<'a>,
    encoders: &'a [Encoder],
    /// The number of the archive whose share of one output this is; none for whole outputs.
    share: Option<u64>,
    beginning: InputStart,
    open: Vec<OpenFile>,
    /// Parts that are complete but not published.
    pub(crate) complete: Vec<FileState>,
    /// Names of files begun, for the report of the input.
    pub(crate) begun: Vec<String>,
}

/// A file that is being written under its hidden name.
pub(crate) struct OpenFile {
    /// Its extent is that of the last checkpoint.
    pub(crate) state: FileState,
    shard: Shard,
}

impl OpenFile {
    /// Begins a file.
    pub(crate) fn create(disk: &dyn Disk, state: FileState, compression: Compression) -> Result<Self> {
        let shard = Shard::create(disk, &state.path, compression).map_err(Error::output(&state.path))?;
        Ok(Self { state, shard })
    }

    /// Goes on with a file that an interrupted run left.
    pub(crate) fn resume(disk: &dyn Disk, state: FileState, compression: Compression) -> Result<Self> {
        let shard = Shard::resume(disk, &state.path, compression, &state.extent);
        Ok(Self { shard: shard.map_err(Error::unfinished(&state.path))?, state })
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.shard.write(bytes).map_err(Error::output(&self.state.path))
    }

    fn end_frame(&mut self) -> Result<()> {
        self.shard.end_frame().map_err(Error::output(&self.state.path))
    }

    pub(crate) fn checkpoint(&mut self) -> Result<FileState> {
        let extent = self.shard.checkpoint().map_err(Error::output(&self.state.path))?;
        Ok(FileState { extent, ..self.state.clone() })
    }

    pub(crate) fn complete(self) -> Result<FileState> {
        let extent = self.shard.complete().map_err(Error::output(&self.state.path))?;
        Ok(FileState { extent, ..self.state })
    }

    /// Adds the share of an archive as it is.
    pub(crate) fn join(&mut self, share: &FileState) -> Result<()> {
        let opened = hidden(&share.path, "tmp").and_then(File::open);
        let joined = opened.and_then(|from| self.shard.join(from, &share.extent));
        joined.map_err(Error::unfinished(&share.path))?;
        self.state.encoded = self.state.encoded.saturating_add(share.encoded);
        self.state.documents += share.documents;
        Ok(())
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
    pub(crate) fn new(plan: &'a Prepared<'a>, share: Option<u64>, state: &OutputsState) -> Result<Self> {
        // What is no file is written elsewhere.
        let encoders = if plan.is_folder() || plan.is_one_file() { plan.encoders.as_slice() } else { &[] };
        let mut open = Vec::new();
        for state in state.open.iter().cloned() {
            let encoder = state.encoding.and_then(|encoding| encoders.get(encoding));
            let compression = encoder.map_or(Compression::None, |encoder| encoder.compression);
            open.push(OpenFile::resume(plan.disk, state, compression)?);
        }
        let beginning = state.beginning.clone().unwrap_or_default();
        Ok(Self { plan, encoders, share, beginning, open, complete: Vec::new(), begun: Vec::new() })
    }

    pub(crate) fn are_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Begins the files of an input, unless there are some that go on.
    pub(crate) fn begin(&mut self, beginning: InputStart) -> Result<()> {
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

    fn opened(&mut self, at: usize, part: u32) -> Result<Option<OpenFile>> {
        let Some(encoder) = self.encoders.get(at) else { return Ok(None) };
        let InputStart { input, stem, .. } = &self.beginning;
        let Some(path) = self.plan.run.output.path(stem, encoder.encoding, part) else { return Ok(None) };
        let head = match self.share {
            Some(_) => Vec::new(),
            // Encoded before the file exists, so an error leaves no file behind.
            None => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                head(encoder, &name, &self.beginning, self.plan.run.epoch)?
            }
        };
        let path = self.share.map_or(path.clone(), |number| share_of(&path, number));
        if self.plan.is_folder() && self.share.is_none() {
            self.begun.push(path.to_string_lossy().into_owned());
        }
        let state = FileState { path, encoding: Some(at), input: input.clone(), part, ..FileState::default() };
        let mut open = OpenFile::create(self.plan.disk, state, encoder.compression)?;
        open.write(&head)?;
        Ok(Some(open))
    }

    /// Writes the encoded forms of a document; none where a format has no place for it. Returns the bytes of the
    /// longest.
    pub(crate) fn write(&mut self, encoded: &[Option<Vec<u8>>]) -> Result<u64> {
        let mut longest = 0;
        for (at, bytes) in encoded.iter().enumerate() {
            let Some(bytes) = bytes else { continue };
            let length = bytes.len() as u64;
            if self.is_full(at, length) {
                self.next_part(at)?;
            }
            if let Some(open) = self.open.get_mut(at) {
                open.write(bytes)?;
                open.state.encoded = open.state.encoded.saturating_add(length);
                open.state.documents += 1;
            }
            longest = longest.max(length);
        }
        Ok(longest)
    }

    /// Returns whether a part has no room for `length` more bytes. A part without documents always has room.
    fn is_full(&self, at: usize, length: u64) -> bool {
        let encoding = self.encoders.get(at).map(|encoder| encoder.encoding);
        let size = encoding.and_then(|encoding| self.plan.run.output.splits(encoding));
        match (self.open.get(at), size) {
            // A document larger than a part has one of its own; an empty part would never end.
            (Some(open), Some(size)) => open.state.documents > 0 && open.state.encoded.saturating_add(length) > size,
            _ => false,
        }
    }

    fn next_part(&mut self, at: usize) -> Result<()> {
        if let Some(next) = self.opened(at, self.open.get(at).map_or(0, |open| open.state.part + 1))?
            && let Some(open) = self.open.get_mut(at)
        {
            self.complete.push(std::mem::replace(open, next).complete()?);
        }
        Ok(())
    }

    /// Adds the shares of an archive as they are; returns their names, to be removed once that is saved.
    pub(crate) fn join(&mut self, shares: &OutputsState) -> Result<Vec<PathBuf>> {
        let Some(beginning) = shares.beginning.clone().filter(|_| !shares.open.is_empty()) else {
            return Ok(Vec::new());
        };
        self.begin(beginning)?;
        for (open, share) in self.open.iter_mut().zip(&shares.open) {
            open.join(share)?;
        }
        Ok(shares.open.iter().map(|file| file.path.clone()).collect())
    }

    /// Ends the frame of each.
    pub(crate) fn end_frame(&mut self) -> Result<()> {
        self.open.iter_mut().try_for_each(OpenFile::end_frame)
    }

    /// Ends the frame of each and puts the files on disk.
    pub(crate) fn checkpoint(&mut self) -> Result<OutputsState> {
        // Only divided outputs begin further parts, and a warcinfo block in every state would cost bytes.
        let has_more = self.plan.run.output.split.is_some() || self.share.is_some();
        Ok(OutputsState {
            open: self.open.iter_mut().map(OpenFile::checkpoint).collect::<Result<_, _>>()?,
            beginning: has_more.then(|| self.beginning.clone()),
        })
    }

    /// Ends and completes all open outputs.
    pub(crate) fn complete(&mut self) -> Result<()> {
        for open in std::mem::take(&mut self.open) {
            self.complete.push(open.complete()?);
        }
        Ok(())
    }

    /// Ends them for good, unfinished; returns their names.
    pub(crate) fn abandon(&mut self) -> Vec<PathBuf> {
        // Files are closed before they are removed, which some systems ask for.
        let open = self.open.drain(..).map(|open| open.state.path);
        open.chain(self.complete.drain(..).map(|complete| complete.path)).collect()
    }
}

/// The head of an output of that name.
pub(crate) fn head(encoder: &Encoder, name: &str, beginning: &InputStart, epoch: Option<i64>) -> Result<Vec<u8>> {
    let InputStart { info, date, .. } = beginning;
    let mut bytes = Vec::new();
    encoder.encode.head(&OutputHead { name, info: info.as_deref(), date: date.as_deref(), epoch }, &mut bytes)?;
    Ok(bytes)
}

/// The documents of a run on standard output.
pub(crate) struct Stdout<'a, 'o> {
    plan: &'a Prepared<'a>,
    /// The frames; none if documents go elsewhere, and after the end.
    pub(crate) frames: Option<Frames<&'o mut dyn Write>>,
    begun: bool,
}

impl<'a, 'o> Stdout<'a, 'o> {
    /// Standard output in the one encoding of the plan, if that is the destination.
    pub(crate) fn new(plan: &'a Prepared<'a>, stdout: Option<&'o mut dyn Write>) -> Self {
        let stdout = stdout.filter(|_| plan.run.output.destination == Destination::Stdout).zip(plan.encoders.first());
        let frames = stdout.map(|(stdout, encoder)| Frames::new(stdout, encoder.compression, false));
        Self { plan, frames, begun: false }
    }

    fn on(&mut self, act: impl FnOnce(&mut Frames<&'o mut dyn Write>) -> std::io::Result<()>) -> Result<()> {
        let Some(frames) = &mut self.frames else { return Ok(()) };
        act(frames).map_err(Error::output(Path::new("standard output")))
    }

    /// Begins it with the first input of which there is a record.
    pub(crate) fn begin(&mut self, beginning: &InputStart) -> Result<()> {
        if self.frames.is_none() || std::mem::replace(&mut self.begun, true) {
            return Ok(());
        }
        let Some(encoder) = self.plan.encoders.first() else { return Ok(()) };
        // Named as in a folder.
        let name = format!("{}{}", beginning.stem, encoder.encoding.suffix());
        let head = head(encoder, &name, beginning, self.plan.run.epoch)?;
        self.on(|frames| frames.write_all(&head))
    }

    /// Writes an encoded document.
    pub(crate) fn write(&mut self, encoded: &[Option<Vec<u8>>]) -> Result<()> {
        match encoded.first() {
            Some(Some(bytes)) => self.on(|frames| frames.write_all(bytes)),
            _ => Ok(()),
        }
    }

    /// Ends the frame, so that a reader need not wait for the next document.
    pub(crate) fn end_frame(&mut self) -> Result<()> {
        self.on(|frames| frames.end_frame()?.flush())
    }

    /// Ends the output, if it was begun.
    pub(crate) fn finish(&mut self) -> Result<()> {
        let Some(frames) = self.frames.take().filter(|_| self.begun) else { return Ok(()) };
        frames.finish().map(drop).map_err(Error::output(Path::new("standard output")))
    }
}
