//! Entry points for fuzzing the saved files of a run, past their checksums. A module of the run itself, whose
//! private types they need, in builds with `--cfg fuzzing`.

use std::io::Cursor;

use trommel_archive::{ReadOptions, Reader};
use trommel_record::filters::{DuplicateSettings, Duplicates};

use crate::run::state::checkpoint::Checkpoint;
use crate::run::state::inputs::{ArchiveState, JournalEntry};

/// Takes any bytes as a saved state. If they decode, the state is written and read again and its filters
/// continue. The archive in the middle of which it stopped, which may be `archive`, is read on.
///
/// # Panics
/// If a state is another after it was written.
pub fn state(bytes: &[u8], archive: &[u8]) {
    let Ok(state) = rmp_serde::from_slice::<Checkpoint>(bytes) else { return };
    let written = rmp_serde::to_vec_named(&state).unwrap_or_default();
    let again = rmp_serde::from_slice::<Checkpoint>(&written).ok();
    let again = again.and_then(|again| rmp_serde::to_vec_named(&again).ok());
    assert!(again == Some(written), "{state:?}");
    let mut duplicates = Duplicates::new(&DuplicateSettings { exact: true, near: true, memory: crate::ByteSize(4096) });
    duplicates.restore(state.duplicates);
    let kept = duplicates.state();
    duplicates.restore(kept.clone());
    assert!(duplicates.state() == kept, "{kept:?}");
    // States come from disk, so their times may hold anything.
    for share in [0.0, 0.5, 0.99, 1.0] {
        let _ = state.times.within(share);
    }
    let point = state.archives.first().and_then(|archive| archive.point);
    let options = ReadOptions::default();
    let file = Cursor::new(archive.to_vec());
    if let Some(point) = point
        && let Ok(reader) = Reader::resume("f", file, &point, options)
    {
        // Reading must end whatever the place says: at most a record and a damage for each byte.
        let most = 2 * archive.len() + 2;
        assert!(reader.take(most + 1).count() <= most, "{point:?}");
    }
}

/// Any bytes as entries of a journal.
///
/// # Panics
/// If an entry is another after it was written.
pub fn journal(mut bytes: &[u8]) {
    while let Ok(entry) = rmp_serde::decode::from_read::<_, JournalEntry>(&mut bytes) {
        let written = rmp_serde::to_vec_named(&entry).unwrap_or_default();
        let again = rmp_serde::from_slice::<JournalEntry>(&written).ok();
        assert!(again.and_then(|again| rmp_serde::to_vec_named(&again).ok()) == Some(written));
    }
}

/// States and journal entries to begin with.
pub fn seeds() -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let begun = Checkpoint::new(vec![("format".to_owned(), "jsonl".to_owned())]);
    let mut within = begun.clone();
    within.contents = Some(Vec::new());
    let point = Some(trommel_archive::ResumePoint::after(1));
    within.archives.push(ArchiveState { point, ..ArchiveState::default() });
    within.duplicates =
        Duplicates::new(&DuplicateSettings { exact: true, near: true, memory: crate::ByteSize(4096) }).state();
    within.failed.push("read error".to_owned());
    let (id, file) = ("id".to_owned(), "f".to_owned());
    within.times.add(&crate::run::PageTime { seconds: 0.003, id, file, offset: 7 });
    let states = [begun, within];
    let states = states.iter().map(|state| rmp_serde::to_vec_named(state).unwrap_or_default());
    let entries =
        [JournalEntry::Done(Box::default()), JournalEntry::Again(crate::run::inputs::listing::Identity::default())];
    let entries = entries.iter().map(|entry| rmp_serde::to_vec_named(entry).unwrap_or_default());
    (states.collect(), entries.collect())
}
