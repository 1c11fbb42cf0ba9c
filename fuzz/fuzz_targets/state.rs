//! Any bytes as the saved state of a run, or as its journal: the first byte chooses, and how many bytes of the
//! rest are an archive that the run was in the middle of.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trommel_pipeline::fuzzing::{journal, state};

fuzz_target!(|data: &[u8]| {
    let Some((&choice, rest)) = data.split_first() else {
        return;
    };
    if choice == 0 {
        return journal(rest);
    }
    let archive = usize::from(choice) * 4;
    let (archive, bytes) = rest.split_at(archive.min(rest.len()));
    state(bytes, archive);
});
