//! Fuzzes the saved state of a run and its journal. The first byte chooses one of them and the number of further bytes
//! that stand for an interrupted archive.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trommel::run::fuzzing::{journal, state};

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
