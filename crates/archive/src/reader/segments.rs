//! Joins the segments of a split record if they are close to each other in the file.

use super::Reader;
use crate::record::{Note, Record, RecordType};

/// Number of other records between the segments of a split record from which on no further segments are joined.
const MAX_GAP: usize = 8;
/// Maximum total bytes in the blocks of other records between the segments of a split record. After more bytes, no
/// further segments are joined.
const MAX_HELD_BYTES: usize = 16 * 1024 * 1024;

/// Maximum number of notes kept for a record joined from segments; a record may have many segments, each with notes.
const MAX_NOTES: usize = 16;

impl Reader {
    /// Returns whether the first queued record is the first segment of a split record that was not joined yet.
    pub(super) fn begins_segments(&self) -> bool {
        matches!(self.queue.front(), Some(Ok(record)) if is_first(record))
    }

    /// Appends the blocks of the following segments to the first record of the queue, and adds a note whether all were
    /// found. Records between segments stay in the queue.
    pub(super) fn join_segments(&mut self) {
        let Some(Ok(mut first)) = self.queue.pop_front() else { return };
        let most = usize::try_from(self.options.max_record).unwrap_or(usize::MAX);
        let mut length = first.block.len() as u64;
        let (mut number, mut complete, mut at, mut held) = (1, false, 0, 0);
        loop {
            while let Some(item) = self.queue.get(at) {
                let follows = matches!(item, Ok(part) if follows(&first, part, number + 1));
                let bytes = item.as_ref().map_or(0, |record| record.block.len());
                if follows && let Some(Ok(part)) = self.queue.remove(at) {
                    number += 1;
                    length += part.block.len() as u64;
                    let room = most.saturating_sub(first.block.len());
                    let kept = part.block.get(..room).unwrap_or(&part.block);
                    first.block.extend_from_slice(kept);
                    let end = first.place.offset.saturating_add(first.place.length);
                    if part.place.offset == end {
                        first.place.length = first.place.length.saturating_add(part.place.length);
                    }
                    complete = part.headers.get("WARC-Segment-Total-Length").is_some();
                    let room = MAX_NOTES.saturating_sub(first.notes.len());
                    first.notes.extend(part.notes.into_iter().take(room));
                } else {
                    held += bytes;
                    at += 1;
                }
            }
            if complete || at >= MAX_GAP || held > MAX_HELD_BYTES || self.finished {
                break;
            }
            self.step();
        }
        let kept = first.block.len() as u64;
        if kept < length {
            first.notes.push(Note::BlockTooLong { length, kept });
        }
        first.notes.push(if complete { Note::SegmentsJoined(number) } else { Note::SegmentsMissing(number) });
        self.queue.push_front(Ok(first));
    }
}

fn is_first(record: &Record) -> bool {
    record.segment_number() == Some(1)
        && record.kind != RecordType::Continuation
        && !record.notes.iter().any(|note| matches!(note, Note::SegmentsJoined(_) | Note::SegmentsMissing(_)))
}

/// Returns whether `part` is segment `number` of the split record whose first segment is `first`.
fn follows(first: &Record, part: &Record, number: u64) -> bool {
    part.kind == RecordType::Continuation
        && part.segment_number() == Some(number)
        && first.id().is_some()
        && part.segment_origin() == first.id()
}
