//! Worker threads, each of which extracts and encodes documents of a run in all output formats.

use crossbeam_channel::{Receiver, Sender};
use trommel_archive::RecordBlock;
use trommel_record::{Compression, Document, Encode, Format, encoder, filters::Fingerprint};

use crate::Result;
use crate::run::work::record_copies::RecordLabel;
use crate::run::work::task::{DocumentForms, Gate, Step, Task};
use crate::run::{plan::output::Encoding, work::extract_record::RecordExtractor};

/// Maximum number of results that a worker sends at a time. Waking the writer for each would cost as much as writing a
/// record.
// Four at a time took switches between threads from 5,060 to 1,410, CPU seconds from 1.69 to 1.60; eight gave no more.
pub(crate) const RESULTS_PER_SEND: usize = 4;

/// Number of bytes of finished records from which their results are sent at once, to free memory for other threads.
// Usual records are far smaller, so that four of them are within it.
const MAX_WAITING_BYTES: u64 = 4 << 20;

/// Function by which the caller of a run takes its documents, one by one in order.
pub(crate) type TakeDocument<'a> = dyn FnMut(Document) -> Result<()> + 'a;

/// Sender and receiver of one channel.
type Channel<T> = (Sender<T>, Receiver<T>);

/// Channels between the reader, the workers and the writer of a lane, which processes one archive at a time.
pub(crate) struct Lane {
    /// Channel for results, from the workers to the writer.
    pub(crate) results: Channel<Vec<Task>>,
    /// Channel that returns the memory of finished records from the workers to the reader, to be used again.
    pub(crate) spares: Channel<RecordBlock>,
    /// Limit on the number and bytes of records that have been read and not yet written.
    pub(crate) gate: Gate,
}

/// Worker thread of a run, which turns records into encoded documents.
pub(crate) struct Worker<'a> {
    /// Converter of records into documents.
    pub(crate) records: RecordExtractor<'a>,
    /// Encoders of documents, one for each output encoding.
    pub(crate) encoders: &'a [Encoder],
    /// True if the caller of the run takes the documents.
    pub(crate) is_taken: bool,
}

impl Worker<'_> {
    /// Extracts and encodes records until there are no more. Up to [`RESULTS_PER_SEND`] results of one archive are sent
    /// together, while further tasks are ready and the results hold little memory. Other steps of an input, such as its
    /// begin, are sent at once. The memory of finished records goes back to the archive's reader while there is room.
    pub(crate) fn run(&self, tasks: &Receiver<Task>, lanes: &[Lane]) {
        let mut done: Vec<Task> = Vec::new();
        let send = |done: &mut Vec<Task>| {
            if let Some(lane) = done.first().and_then(|task| lanes.get(task.lane)) {
                // A lane that has ended early wants no more.
                let _ = lane.results.0.send(std::mem::take(done));
            }
        };
        let lists_dropped = self.records.run.is_some_and(|run| run.dropped.is_some());
        loop {
            let mut task = match tasks.try_recv() {
                Ok(task) => task,
                Err(_) => {
                    // A worker that has to wait hands over first: the writer may need just these results.
                    send(&mut done);
                    let Ok(task) = tasks.recv() else { return };
                    task
                }
            };
            let is_record = matches!(task.step, Step::Record(_));
            let lane = task.lane;
            if done.first().is_some_and(|first| first.lane != lane) {
                send(&mut done);
            }
            if let Step::Record(captured) = task.step {
                let mut result = self.records.result(&captured, &|record, print| self.encode(record, print));
                result.label = lists_dropped.then(|| Box::new(RecordLabel::of(&captured.record)));
                if let Some(lane) = lanes.get(lane) {
                    // The reader may have blocks enough.
                    let _ = lane.spares.0.try_send(captured.record.block);
                }
                task.step = Step::Result(result);
            }
            done.push(task);
            let bytes = done.iter().map(|task| task.bytes).sum::<u64>();
            if !is_record || done.len() >= RESULTS_PER_SEND || bytes >= MAX_WAITING_BYTES {
                send(&mut done);
            }
        }
    }

    fn encode(&self, record: Document, fingerprint: Fingerprint) -> Result<Option<Box<DocumentForms>>, String> {
        let mut encoded = Vec::with_capacity(self.encoders.len());
        for encoder in self.encoders {
            // The text and a kilobyte for the rest, so that encoding seldom has to grow it.
            let mut bytes = Vec::with_capacity(record.text.len() + 1024);
            let is_taken = encoder.encode.record(&record, &mut bytes).map_err(|error| error.to_string())?;
            encoded.push(is_taken.then_some(bytes));
        }
        let is_empty = !self.is_taken && encoded.iter().all(Option::is_none);
        Ok((!is_empty).then(|| DocumentForms::of(record, fingerprint, encoded, self.is_taken)))
    }
}

/// Encoder of documents for one output, with the compression of the output's file.
pub(crate) struct Encoder {
    pub(crate) encode: Box<dyn Encode>,
    pub(crate) encoding: Encoding,
    /// Compression of the file as a whole; none if the encoder compresses each record itself.
    // WET compresses each record by itself, so its file must not be compressed again.
    pub(crate) compression: Compression,
}

impl Encoder {
    /// Creates the encoders of all encodings, in the same order.
    pub(crate) fn all(encodings: &[Encoding]) -> Result<Vec<Self>> {
        encodings
            .iter()
            .map(|&encoding| {
                // Until it is assembled.
                let format = if encoding.by_page { Format::Msgpack } else { encoding.format };
                let (encode, compression) = encoder(format, encoding.compression)?;
                Ok(Self { encode, encoding, compression })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use trommel_archive::PayloadOptions;
    use trommel_extract::Hints;
    use trommel_record::filters::Filters;

    use super::*;
    use crate::run::work::task::CapturedRecord;

    #[test]
    fn results_go_together_and_none_waits_for_a_task_to_come() {
        let extract = |_: &[u8], _: &Hints<'_>| Document::default();
        let filters = Filters::default();
        let records = RecordExtractor::new(&extract, &filters, PayloadOptions::default());
        let worker = Worker { records, encoders: &[], is_taken: false };
        let (task_sender, tasks) = crossbeam_channel::unbounded();
        let (results, spares) = (crossbeam_channel::unbounded(), crossbeam_channel::bounded(1));
        let lanes = [Lane { results, spares, gate: Gate::new(1, 1) }];
        let task = |number: usize, step| Task { lane: 0, number: number as u64, bytes: 1, point: None, step };
        let record = |number, bytes| {
            let archive = b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 1\r\n\r\nx\r\n\r\n";
            let options = trommel_archive::ReadOptions::default();
            let mut reader = trommel_archive::Reader::new("a", archive.as_slice(), options).unwrap();
            let captured = CapturedRecord {
                record: reader.next().unwrap().unwrap(),
                charset: None,
                title: None,
                is_left_out: false,
            };
            Task { bytes, ..task(number, Step::Record(captured)) }
        };
        task_sender.send(task(0, Step::Begin { info: None, date: None })).unwrap();
        for number in 1..=RESULTS_PER_SEND {
            task_sender.send(record(number, 1)).unwrap();
        }
        let half = MAX_WAITING_BYTES / 2;
        for (number, bytes) in [(5, half), (6, half), (7, 1)] {
            task_sender.send(record(number, bytes)).unwrap();
        }
        std::thread::scope(|scope| {
            scope.spawn(|| worker.run(&tasks, &lanes));
            let numbers = || {
                let done = lanes[0].results.1.recv_timeout(Duration::from_secs(60)).unwrap();
                done.iter().map(|task| task.number).collect::<Vec<_>>()
            };
            assert_eq!(numbers(), [0], "an output has begun");
            assert_eq!(numbers(), [1, 2, 3, 4]);
            assert_eq!(numbers(), [5, 6], "these hold much memory");
            assert_eq!(numbers(), [7]);
            task_sender.send(record(8, 1)).unwrap();
            assert_eq!(numbers(), [8]);
            drop(task_sender);
        });
    }
}
