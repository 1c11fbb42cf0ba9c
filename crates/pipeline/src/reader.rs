//! The thread that reads all inputs in order.

use std::{
    any::Any,
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicU64, Ordering},
};

use crossbeam_channel::Sender;
use trommel_archive::{ArchiveError, ReadOptions, Reader, Record, RecordType};

use crate::{
    Input, Plan,
    gate::Gate,
    hint,
    task::{Captured, Step, Task},
};

/// The other end is gone: nothing more is wanted.
#[derive(Debug)]
pub(crate) struct Stopped;

/// Sends the records of all inputs to the workers. It holds each response back until the next record
/// is known, as that may say in which encoding the crawler took the response to be.
#[derive(Debug)]
pub(crate) struct Feed<'a> {
    plan: &'a Plan,
    gate: &'a Gate,
    tasks: Sender<Task<Captured>>,
    position: &'a AtomicU64,
    next: u64,
    held: Option<Record>,
}

impl<'a> Feed<'a> {
    /// A feed into `tasks`, as far as `gate` lets it; `position` is kept at the stored bytes read.
    pub(crate) fn new(
        plan: &'a Plan,
        gate: &'a Gate,
        tasks: Sender<Task<Captured>>,
        position: &'a AtomicU64,
    ) -> Self {
        Self {
            plan,
            gate,
            tasks,
            position,
            next: 0,
            held: None,
        }
    }

    /// Reads every input to its end, or until nothing more is wanted.
    pub(crate) fn run(mut self) -> Result<(), Stopped> {
        let mut before = 0;
        for (index, input) in self.plan.inputs.iter().enumerate() {
            let (bytes, error) = match self.open(input) {
                Ok(mut reader) => {
                    let read =
                        catch_unwind(AssertUnwindSafe(|| self.read(index, before, &mut reader)));
                    let error = match read {
                        Ok(error) => error?,
                        Err(panic) => Some(format!(
                            "{}: offset {}: {}",
                            input.name(),
                            reader.position(),
                            panic_message(&*panic)
                        )),
                    };
                    self.release(None)?;
                    (reader.position(), error)
                }
                Err(error) => (0, Some(error)),
            };
            before += match input {
                Input::File(path) => fs::metadata(path).map_or(bytes, |file| file.len()),
                _ => bytes,
            };
            self.position.store(before, Ordering::Relaxed);
            self.send(
                0,
                Step::End {
                    input: index,
                    bytes,
                    error,
                },
            )?;
        }
        Ok(())
    }

    fn open(&self, input: &Input) -> Result<Reader, String> {
        let options = ReadOptions {
            max_record: self.plan.max_record,
            ..ReadOptions::default()
        };
        match input {
            Input::File(path) => Reader::open(path, options),
            Input::Stdin => Reader::new(input.name(), std::io::stdin(), options),
            Input::Nothing { argument, reason } => return Err(format!("{argument}: {reason}")),
        }
        .map_err(|error| error.to_string())
    }

    /// Sends the records of one input; gives the error that ended it early.
    fn read(
        &mut self,
        input: usize,
        before: u64,
        reader: &mut Reader,
    ) -> Result<Option<String>, Stopped> {
        let mut begun = false;
        while let Some(item) = reader.next() {
            self.position
                .store(before + Reader::position(reader), Ordering::Relaxed);
            match item {
                Ok(record) => {
                    if !begun {
                        begun = true;
                        let is_info = record.kind == RecordType::Warcinfo;
                        let step = Step::Begin {
                            input,
                            info: is_info.then(|| record.block.clone()),
                            date: record.date().map(str::to_owned),
                        };
                        self.send(0, step)?;
                    }
                    self.release(Some(&record))?;
                    if record.kind == RecordType::Response {
                        self.held = Some(record);
                    } else {
                        self.send_record(record, None)?;
                    }
                }
                Err(ArchiveError::Damage {
                    offset, lost, what, ..
                }) => {
                    self.release(None)?;
                    let what = what.to_string();
                    self.send(0, Step::Damage { offset, lost, what })?;
                }
                Err(error) => return Ok(Some(error.to_string())),
            }
        }
        Ok(None)
    }

    /// Sends the response held back, with what the record after it says about it.
    fn release(&mut self, next: Option<&Record>) -> Result<(), Stopped> {
        if let Some(held) = self.held.take() {
            let charset = next.and_then(|next| hint::crawl_charset(&held, next));
            self.send_record(held, charset)?;
        }
        Ok(())
    }

    fn send_record(&mut self, record: Record, charset: Option<String>) -> Result<(), Stopped> {
        let bytes = record.block.len() as u64;
        self.send(bytes, Step::Record(Captured { record, charset }))
    }

    fn send(&mut self, bytes: u64, step: Step<Captured>) -> Result<(), Stopped> {
        if !self.gate.enter(bytes) {
            return Err(Stopped);
        }
        let number = self.next;
        self.next += 1;
        self.tasks
            .send(Task {
                number,
                bytes,
                step,
            })
            .map_err(|_| Stopped)
    }
}

/// What a panic said, in one line.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> String {
    let message = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    format!("internal fault: {}", message.replace('\n', " "))
}
