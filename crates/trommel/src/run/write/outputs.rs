//! Output files of an archive or of a run: one for each format, parts of bounded size, or standard output. Side files
//! grow with them.
//!
//! Standard output has no hidden name and no state: what was written is gone.

use std::collections::{BTreeMap, btree_map::Entry};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::{fs::File, mem::take};

use trommel_record::{Compression, Disk, Frames, OutputHead, Shard, hidden, open_in_place, open_own};

use crate::run::state::inputs::{ArchiveState, FileState, InputStart, OutputsState, share_of};
use crate::run::{plan::output::Destination, plan::recipe_and_lanes::Prepared, work::worker::Encoder};
use crate::{Error, Result};

/// Output files that are being written for a run, or for one archive of it.
pub(crate) struct Outputs<'a> {
    plan: &'a Prepared<'a>,
    encoders: &'a [Encoder],
    /// Number of the archive, if the files are temporary and will be joined to common outputs; none for final files.
    share: Option<u64>,
    /// True if documents, and not only failed and dropped records, are written to temporary files that are joined
    /// later.
    is_shared: bool,
    beginning: InputStart,
    /// Open files, by the index of an encoding or, after those, of a side file (failed, dropped, copied records). Each
    /// file is opened with the first record for it.
    open: BTreeMap<usize, OpenFile>,
    /// Devices and pipes, by index of the encoding or side file; they are written directly and have no saved state.
    in_place: BTreeMap<usize, File>,
    /// Files that are complete but do not have their final names yet.
    pub(crate) complete: Vec<FileState>,
    /// Paths of new files that are not yet in the report on the current input.
    pub(crate) begun: Vec<String>,
}

/// File that is being written under its hidden name.
pub(crate) struct OpenFile {
    /// State of the file: its counts are current, but its length and checksum are those at its opening.
    pub(crate) state: FileState,
    shard: Shard,
}

impl OpenFile {
    /// Creates the hidden file of a new output.
    pub(crate) fn create(disk: &dyn Disk, state: FileState, compression: Compression) -> Result<Self> {
        let shard = Shard::create(disk, &state.path, compression).map_err(Error::output(&state.path))?;
        Ok(Self { state, shard })
    }

    /// Continues the hidden file that an interrupted run left.
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

    fn complete(self) -> Result<FileState> {
        let extent = self.shard.complete().map_err(Error::output(&self.state.path))?;
        Ok(FileState { extent, ..self.state })
    }

    /// Appends the temporary file that holds an archive's part of the output, unchanged, and adds its counts.
    fn join(&mut self, share: &FileState) -> Result<()> {
        let opened = hidden(&share.path, "tmp").and_then(File::open);
        let joined = opened.and_then(|from| self.shard.join(from, &share.extent));
        joined.map_err(Error::unfinished(&share.path))?;
        self.state.encoded = self.state.encoded.saturating_add(share.encoded);
        self.state.documents += share.documents;
        Ok(())
    }
}

impl<'a> Outputs<'a> {
    /// Opens the outputs of a run, and continues those in `state`. If `share` is the number of an archive, its failed,
    /// dropped and copied records go to temporary files, to be joined later. So do documents if `is_shared` is set.
    pub(crate) fn new(
        plan: &'a Prepared<'a>,
        share: Option<u64>,
        is_shared: bool,
        state: OutputsState,
    ) -> Result<Self> {
        // What is no file is written elsewhere.
        let encoders = if plan.run.output.destination.folder().is_some() { plan.encoders.as_slice() } else { &[] };
        let mut open = BTreeMap::new();
        for state in state.open {
            let encoder = encoders.get(state.slot);
            let compression = encoder.map_or(Compression::None, |encoder| encoder.compression);
            open.insert(state.slot, OpenFile::resume(plan.disk, state, compression)?);
        }
        let (beginning, in_place) = (state.beginning.unwrap_or_default(), BTreeMap::new());
        let (complete, begun) = (Vec::new(), Vec::new());
        Ok(Self { plan, encoders, share, is_shared, beginning, open, in_place, complete, begun })
    }

    /// Begins the output files of an input, unless the files of an earlier input continue.
    pub(crate) fn begin(&mut self, beginning: InputStart) -> Result<()> {
        // One output for all inputs goes on from input to input.
        if self.open.contains_key(&0) {
            return Ok(());
        }
        self.beginning = beginning;
        for slot in 0..self.encoders.len() {
            let open = self.opened(slot, 0)?;
            self.open.extend(open.map(|open| (slot, open)));
        }
        Ok(())
    }

    fn opened(&mut self, slot: usize, part: u32) -> Result<Option<OpenFile>> {
        let Some(encoder) = self.encoders.get(slot) else { return Ok(None) };
        let InputStart { input, stem, .. } = &self.beginning;
        let Some(path) = self.plan.run.output.path(stem, encoder.encoding, part) else { return Ok(None) };
        let share = self.share.filter(|_| self.is_shared);
        let head = match share {
            Some(_) => Vec::new(),
            // Encoded before the file exists, so an error leaves no file behind.
            None => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                head(encoder, &name, &self.beginning, self.plan.run.epoch)?
            }
        };
        if self.plan.is_folder() && share.is_none() {
            self.begun.push(path.to_string_lossy().into_owned());
        }
        let path = share_of(&path, share);
        let state = FileState { path, slot, input: input.clone(), part, ..FileState::default() };
        let mut open = OpenFile::create(self.plan.disk, state, encoder.compression)?;
        open.write(&head)?;
        Ok(Some(open))
    }

    /// Returns the open file for an encoding or a side file, by its index `slot`; none for a device or pipe. A side
    /// file is opened with its first record, so that a run without failures leaves no empty quarantine.
    fn file(&mut self, slot: usize) -> Result<Option<&mut OpenFile>> {
        let open = match self.open.entry(slot) {
            Entry::Occupied(open) => open.into_mut(),
            Entry::Vacant(empty) => {
                let side = slot.checked_sub(self.plan.encoders.len()).and_then(|number| self.plan.sides.get(number));
                let Some(Some((_, Some(path)))) = side else { return Ok(None) };
                let path = share_of(path, self.share);
                // Under the hidden name again: the final one always is a whole file.
                let state = FileState { path: path.clone(), slot, ..FileState::default() };
                let mut begun = OpenFile::create(self.plan.disk, state, Compression::None)?;
                // An existing file is of this run, because those of others were removed at its start. It is copied and not
                // appended to: if this run is killed, the finished file is still whole.
                if path.exists() {
                    let mut before = BufReader::new(open_own(&path, false).map_err(Error::output(&path))?);
                    while let piece @ [_, ..] = before.fill_buf().map_err(Error::output(&path))? {
                        let length = piece.len();
                        begun.write(piece)?;
                        before.consume(length);
                    }
                }
                empty.insert(begun)
            }
        };
        Ok(Some(open))
    }

    /// Appends bytes to the side file (failed, dropped, copied records) with this number, if it exists in the plan.
    pub(crate) fn add(&mut self, number: usize, bytes: &[u8]) -> Result<()> {
        let slot = self.plan.encoders.len() + number;
        if let Some(open) = self.file(slot)? {
            return open.write(bytes);
        }
        let Some(Some((path, _))) = self.plan.sides.get(number) else { return Ok(()) };
        let file = match self.in_place.entry(slot) {
            Entry::Occupied(file) => file.into_mut(),
            Entry::Vacant(empty) => empty.insert(open_in_place(path).map_err(Error::output(path))?),
        };
        file.write_all(bytes).map_err(Error::output(path))
    }

    /// Writes a document in each encoding; none where a format cannot store it. Returns the number of bytes of the
    /// longest form, and true if a part of an output ended before the document.
    pub(crate) fn write(&mut self, encoded: &[Option<Vec<u8>>]) -> Result<(u64, bool)> {
        let (mut longest, parts) = (0, self.complete.len());
        for (slot, bytes) in encoded.iter().enumerate() {
            let Some(bytes) = bytes else { continue };
            let length = bytes.len() as u64;
            if self.is_full(slot, length) {
                self.next_part(slot)?;
            }
            if let Some(open) = self.open.get_mut(&slot) {
                open.write(bytes)?;
                open.state.encoded = open.state.encoded.saturating_add(length);
                open.state.documents += 1;
            }
            longest = longest.max(length);
        }
        Ok((longest, self.complete.len() > parts))
    }

    /// Returns whether the present part of an output (with the index `slot`) has no room for `length` more encoded
    /// bytes. A part without documents always has room.
    fn is_full(&self, slot: usize, length: u64) -> bool {
        let encoding = self.encoders.get(slot).map(|encoder| encoder.encoding);
        let size = encoding.and_then(|encoding| self.plan.run.output.splits(encoding));
        match (self.open.get(&slot), size) {
            // A document larger than a part has one of its own; an empty part would never end.
            (Some(open), Some(size)) => open.state.documents > 0 && open.state.encoded.saturating_add(length) > size,
            _ => false,
        }
    }

    fn next_part(&mut self, slot: usize) -> Result<()> {
        let part = self.open.get(&slot).map_or(0, |open| open.state.part + 1);
        if let Some(next) = self.opened(slot, part)?
            && let Some(ended) = self.open.insert(slot, next)
        {
            self.complete.push(ended.complete()?);
        }
        Ok(())
    }

    /// Appends the temporary files of an archive to the outputs, and takes them out of the archive's state. Returns
    /// their paths, to be removed once that state is saved.
    pub(crate) fn join(&mut self, archive: &mut ArchiveState) -> Result<Vec<PathBuf>> {
        let first = if self.plan.has_own_outputs(archive) { self.encoders.len() } else { 0 };
        let shares: Vec<FileState> = archive.outputs.open.extract_if(.., |file| file.slot >= first).collect();
        if let Some(beginning) = archive.outputs.beginning.take_if(|_| shares.iter().any(|share| share.slot == 0)) {
            self.begin(beginning)?;
        }
        for share in &shares {
            if let Some(open) = self.file(share.slot)? {
                open.join(share)?;
            }
        }
        archive.report.outputs.append(&mut self.begun);
        Ok(shares.into_iter().map(|share| share.path).collect())
    }

    /// Ends the compressed frame of each open file.
    pub(crate) fn end_frame(&mut self) -> Result<()> {
        self.open.values_mut().try_for_each(OpenFile::end_frame)
    }

    /// Ends the compressed frame of each file, syncs the files to disk, and returns their state.
    pub(crate) fn checkpoint(&mut self) -> Result<OutputsState> {
        // Only divided outputs begin further parts, and a warcinfo block in every state would cost bytes.
        let has_more = self.plan.run.output.split.is_some() || self.is_shared;
        Ok(OutputsState {
            open: self.open.values_mut().map(OpenFile::checkpoint).collect::<Result<_, _>>()?,
            beginning: has_more.then(|| self.beginning.clone()),
        })
    }

    /// Completes all output files of documents and, if `ends` is set, those for failed, dropped and copied records.
    pub(crate) fn complete(&mut self, ends: bool) -> Result<()> {
        let left = if ends { BTreeMap::new() } else { self.open.split_off(&self.plan.encoders.len()) };
        for open in std::mem::replace(&mut self.open, left).into_values() {
            self.complete.push(open.complete()?);
        }
        Ok(())
    }

    /// Closes all files without completing them, and returns their paths.
    pub(crate) fn abandon(&mut self) -> Vec<PathBuf> {
        // Files are closed before they are removed, which some systems ask for.
        let open = take(&mut self.open).into_values().map(|open| open.state.path);
        open.chain(self.complete.drain(..).map(|complete| complete.path)).collect()
    }
}

/// Encodes the start of an output file called `name`, such as a warcinfo record, from the facts about its first input.
pub(crate) fn head(encoder: &Encoder, name: &str, beginning: &InputStart, epoch: Option<i64>) -> Result<Vec<u8>> {
    let InputStart { info, date, .. } = beginning;
    let mut bytes = Vec::new();
    encoder.encode.head(&OutputHead { name, info: info.as_deref(), date: date.as_deref(), epoch }, &mut bytes)?;
    Ok(bytes)
}

/// Writer of the documents of a run to standard output.
pub(crate) struct Stdout<'a, 'o> {
    plan: &'a Prepared<'a>,
    /// Standard output before the output begins; none if documents go elsewhere.
    unbegun: Option<&'o mut dyn Write>,
    /// Compressed frames of the output; none before the output begins and after it ends.
    pub(crate) frames: Option<Frames<&'o mut dyn Write>>,
}

impl<'a, 'o> Stdout<'a, 'o> {
    /// Creates a writer to `stdout`, which writes only if standard output is the destination of the plan.
    pub(crate) fn new(plan: &'a Prepared<'a>, stdout: Option<&'o mut dyn Write>) -> Self {
        let unbegun = stdout.filter(|_| plan.run.output.destination == Destination::Stdout);
        Self { plan, unbegun, frames: None }
    }

    fn on(&mut self, act: impl FnOnce(&mut Frames<&'o mut dyn Write>) -> std::io::Result<()>) -> Result<()> {
        let Some(frames) = &mut self.frames else { return Ok(()) };
        act(frames).map_err(Error::output(Path::new("standard output")))
    }

    /// Writes the start of the output, such as a warcinfo record, once the first input has a record.
    pub(crate) fn begin(&mut self, beginning: &InputStart) -> Result<()> {
        let begun = self.unbegun.take().zip(self.plan.encoders.first());
        let Some((stdout, encoder)) = begun else { return Ok(()) };
        self.frames = Some(Frames::new(stdout, encoder.compression, false));
        // Named as in a folder.
        let name = format!("{}{}", beginning.stem, encoder.encoding.suffix());
        let head = head(encoder, &name, beginning, self.plan.run.epoch)?;
        self.on(|frames| frames.write_all(&head))
    }

    /// Writes a document, encoded in the first encoding of the plan.
    pub(crate) fn write(&mut self, encoded: &[Option<Vec<u8>>]) -> Result<()> {
        match encoded.first() {
            Some(Some(bytes)) => self.on(|frames| frames.write_all(bytes)),
            _ => Ok(()),
        }
    }

    /// Ends the compressed frame and flushes it, so that a reader need not wait for the next document.
    pub(crate) fn end_frame(&mut self) -> Result<()> {
        self.on(|frames| frames.end_frame()?.flush())
    }

    /// Ends the output with its last compressed frame, if it was begun.
    pub(crate) fn finish(&mut self) -> Result<()> {
        let Some(frames) = self.frames.take() else { return Ok(()) };
        frames.finish().map(drop).map_err(Error::output(Path::new("standard output")))
    }
}
