//! Tests `trommel run` where outputs exist already.

use std::fs;

use sha2::{Digest, Sha256};

use crate::program::{trommel, workspace};
use crate::sample::ARCHIVE;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(workspace().join(ARCHIVE), folder.path().join("a.warc.gz")).unwrap();
    folder
}

#[test]
fn counts_that_do_not_add_up_are_told_and_nothing_is_certified() {
    let folder = folder();
    let out = folder.path().join("out");
    let run = |more: &[&str]| {
        let all = [&["run", "a.warc.gz", "-o", "out"], more].concat();
        trommel(folder.path(), &all, b"")
    };
    run(&[]).well();
    // As if a record had been lost: one more was read than is accounted for.
    let state = out.join("_STATE");
    let bytes = fs::read(&state).unwrap();
    let mut bytes = bytes[..bytes.len() - 32].to_vec();
    let key = b"\xa7records";
    let at = bytes.windows(key.len()).rposition(|part| part == key).unwrap() + key.len();
    let records = bytes[at];
    assert!(records < 127, "{records}");
    bytes[at] += 1;
    fs::write(&state, [&bytes[..], &Sha256::digest(&bytes)[..]].concat()).unwrap();
    let told =
        format!("the counts do not add up: {} records read, but {records} documents, drops and failures", records + 1);
    fs::copy(folder.path().join("a.warc.gz"), folder.path().join("b.warc.gz")).unwrap();
    for inputs in [&[][..], &["b.warc.gz"]] {
        let ran = run(&[inputs, &["--resume"]].concat());
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        let told = match inputs {
            [] => told.clone(),
            _ => format!("do not add up: {} records read", 2 * records + 1),
        };
        ran.said(&told);
    }
    // The second began to write.
    assert!(!out.join("_SUCCESS").exists());
}
