//! The files that documents are written into: for each format one.

use std::{
    borrow::Cow,
    io::Write,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use trommel_sinks::{Compression, Disk, Encode, Frames, Head, Shard, discard, encoder};

use crate::{Destination, Encoding, Plan, RunError};

/// What makes bytes of documents for one output.
pub(crate) struct Sink {
    pub(crate) encoder: Box<dyn Encode>,
    encoding: Encoding,
    /// The compression that the encoder leaves to the file.
    compression: Compression,
}

impl Sink {
    /// One for each encoding of the plan, in its order.
    pub(crate) fn all(plan: &Plan) -> Result<Vec<Self>, RunError> {
        let encodings = plan.output.encodings.iter();
        encodings
            .map(|&encoding| {
                let (encoder, compression) = encoder(encoding.format, encoding.compression)?;
                Ok(Self {
                    encoder,
                    encoding,
                    compression,
                })
            })
            .collect()
    }
}

/// An unfinished file as it stands in a saved state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OpenPart {
    file: Written,
    /// Bytes of it that count; what follows is written again.
    length: u64,
}

/// A file or folder of documents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Written {
    /// Its final name.
    pub(crate) path: PathBuf,
    /// Index of its encoding.
    pub(crate) encoding: usize,
    /// Documents in it.
    pub(crate) documents: u64,
}

/// What an input begins with.
pub(crate) struct Beginning<'a> {
    /// Index of the input.
    pub(crate) input: usize,
    /// Block of the first record if it is a warcinfo.
    pub(crate) info: Option<&'a [u8]>,
    /// Date of the first record.
    pub(crate) date: Option<&'a str>,
}

/// The files that are being written, one for each encoding; none between two inputs.
pub(crate) struct Outputs<'a> {
    plan: &'a Plan,
    sinks: &'a [Sink],
    disk: &'a dyn Disk,
    stems: Vec<String>,
    stdout: Option<&'a mut dyn Write>,
    open: Vec<Open<'a>>,
}

struct Open<'a> {
    file: Written,
    target: Target<'a>,
}

enum Target<'a> {
    File(Shard),
    Stdout(Frames<&'a mut dyn Write>),
}

impl Open<'_> {
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
            Target::Stdout(frames) => frames.end_frame().map(drop),
        }
        .map_err(|source| RunError::output(&self.file.path, source))
    }

    /// Puts a file on disk; nothing of standard output is a part that can be gone on with.
    fn checkpoint(&mut self) -> Result<Option<OpenPart>, RunError> {
        match &mut self.target {
            Target::File(shard) => match shard.checkpoint() {
                Ok(length) => Ok(Some(OpenPart {
                    file: self.file.clone(),
                    length,
                })),
                Err(source) => Err(RunError::output(&self.file.path, source)),
            },
            Target::Stdout(_) => self.end_frame().map(|()| None),
        }
    }

    /// Ends the output; gives a file, which still has to be published.
    fn complete(self) -> Result<Option<Written>, RunError> {
        let file = self.file;
        match self.target {
            Target::File(shard) => shard.complete().map(|()| true),
            Target::Stdout(mut frames) => frames.finish().map(|_| false),
        }
        .map_err(|source| RunError::output(&file.path, source))
        .map(|is_file| is_file.then_some(file))
    }
}

impl<'a> Outputs<'a> {
    /// The outputs of a plan, of which `parts` are begun; `stdout` is used if its output is standard
    /// output.
    pub(crate) fn new(
        plan: &'a Plan,
        sinks: &'a [Sink],
        stdout: &'a mut dyn Write,
        disk: &'a dyn Disk,
        parts: &[OpenPart],
    ) -> Result<Self, RunError> {
        let mut open = Vec::new();
        for OpenPart { file, length } in parts {
            let compression = sinks
                .get(file.encoding)
                .map_or(Compression::None, |sink| sink.compression);
            let shard = Shard::resume(disk, &file.path, compression, *length)
                .map_err(|source| RunError::output(&file.path, source))?;
            open.push(Open {
                file: file.clone(),
                target: Target::File(shard),
            });
        }
        Ok(Self {
            plan,
            sinks,
            disk,
            stems: plan.output.stems(&plan.inputs),
            stdout: Some(stdout),
            open,
        })
    }

    pub(crate) fn are_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Begins the files of an input, unless there are some that go on; gives their names.
    pub(crate) fn begin(&mut self, beginning: &Beginning<'_>) -> Result<Vec<PathBuf>, RunError> {
        if self.are_open() {
            return Ok(Vec::new());
        }
        for at in 0..self.sinks.len() {
            if let Some(open) = self.opened(at, beginning)? {
                self.open.push(open);
            }
        }
        let files = match self.plan.output.destination {
            Destination::Folder(_) => self.open.as_slice(),
            _ => &[],
        };
        Ok(files.iter().map(|open| open.file.path.clone()).collect())
    }

    fn opened(
        &mut self,
        at: usize,
        beginning: &Beginning<'_>,
    ) -> Result<Option<Open<'a>>, RunError> {
        let Some(sink) = self.sinks.get(at) else {
            return Ok(None);
        };
        let stem = self.stems.get(beginning.input).map_or("", String::as_str);
        let path = self.plan.output.path(stem, sink.encoding);
        let name = path.as_deref().and_then(Path::file_name);
        let head = Head {
            name: &name.map_or(Cow::Borrowed(stem), |name| name.to_string_lossy()),
            info: beginning.info,
            date: beginning.date,
            epoch: self.plan.epoch,
        };
        let mut bytes = Vec::new();
        sink.encoder.head(&head, &mut bytes)?;
        let (path, target) = match path {
            Some(path) => {
                let shard = Shard::create(self.disk, &path, sink.compression)
                    .map_err(|source| RunError::output(&path, source))?;
                (path, Target::File(shard))
            }
            // Standard output is opened once: the run has one output then, and it is never ended early.
            None => match self.stdout.take() {
                Some(stdout) => (
                    PathBuf::from("standard output"),
                    Target::Stdout(Frames::new(stdout, sink.compression, false)),
                ),
                None => return Ok(None),
            },
        };
        let mut open = Open {
            file: Written {
                path,
                encoding: at,
                documents: 0,
            },
            target,
        };
        open.write(&bytes)?;
        Ok(Some(open))
    }

    /// Writes what each encoder made of a document, none where its format has no place for it. Gives the
    /// bytes of the longest.
    pub(crate) fn write(&mut self, encoded: &[Option<Vec<u8>>]) -> Result<u64, RunError> {
        let mut longest = 0;
        for (open, bytes) in self.open.iter_mut().zip(encoded) {
            if let Some(bytes) = bytes {
                open.write(bytes)?;
                open.file.documents += 1;
                longest = longest.max(bytes.len() as u64);
            }
        }
        Ok(longest)
    }

    /// Ends the frame of each.
    pub(crate) fn end_frame(&mut self) -> Result<(), RunError> {
        self.open.iter_mut().try_for_each(Open::end_frame)
    }

    /// Ends the frame of each and puts the files on disk.
    pub(crate) fn checkpoint(&mut self) -> Result<Vec<OpenPart>, RunError> {
        let parts = self.open.iter_mut().map(Open::checkpoint);
        parts.filter_map(Result::transpose).collect()
    }

    /// Ends all that are open; gives the files, which still have to be published.
    pub(crate) fn complete(&mut self) -> Result<Vec<Written>, RunError> {
        let open = std::mem::take(&mut self.open).into_iter();
        open.map(Open::complete)
            .filter_map(Result::transpose)
            .collect()
    }

    /// Lets go of standard output, whose reader is gone.
    pub(crate) fn close(&mut self) {
        self.open.clear();
    }

    /// Removes the unfinished files.
    pub(crate) fn discard(&mut self) {
        for Open { file, target } in self.open.drain(..) {
            drop(target);
            discard(self.disk, &file.path);
        }
    }
}
