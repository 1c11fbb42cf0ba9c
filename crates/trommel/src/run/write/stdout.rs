//! Standard output as the output of a run. It has no hidden name and no state: what was written is gone.

use std::io::Write;
use std::path::Path;

use trommel_record::Frames;

use crate::run::error::RunError;
use crate::run::plan::prepared::WritePlan;
use crate::run::state::files::InputStart;
use crate::run::write::outputs::head;

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
