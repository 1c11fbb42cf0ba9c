//! Runs that read archives side by side end with the bytes of those that read one after the other.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use trommel::ErrorKind;
use trommel::run::{Destination, Encoding, HardPages, Outcome, Plan, Summary};
use trommel_record::{Compression, Format};

use crate::disk::Failing;
use crate::make::*;
use crate::resume::{counts, files, go, small};

/// Writes archives of different lengths into a folder: some damaged, some with records that fail, one empty. One of the
/// returned paths is missing, and one is named twice.
fn archives(folder: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for (at, records) in [40, 3, 12, 0, 25, 1, 30, 8, 17].into_iter().enumerate() {
        let first = at * 100;
        let mut stored = gzip(
            &(first..first + records)
                .map(|number| match number % 10 {
                    4 => response(number, "image/png", b"\x89PNG", &[]),
                    6 if at % 2 == 0 => response(number, "text/html", b"<p>panic", &[]),
                    8 => metadata(number, number - 1, "", "charset-detected: windows-1251\r\n"),
                    _ => page(number),
                })
                .collect::<Vec<_>>(),
        );
        if at == 4 {
            let middle = stored.len() / 2;
            stored.splice(middle..middle, [b'x'; 200]);
        }
        let path = folder.join(format!("{}.warc.gz", (b'a' + at as u8) as char));
        fs::write(&path, stored).unwrap();
        paths.push(path);
    }
    paths.push(folder.join("gone.warc"));
    // Named twice, it is two inputs.
    paths.insert(1, paths[0].clone());
    paths
}

/// Returns the plan of a run into a folder, or into one file in it, with quarantine, dropped list and copies.
pub fn lanes(inputs: &[PathBuf], out: &Path, file: Option<&str>, encodings: &[Encoding], jobs: usize) -> Plan {
    let mut plan = small(inputs, out, encodings[0].format, encodings[0].compression);
    plan.output.encodings = encodings.to_vec();
    if let Some(name) = file {
        fs::create_dir_all(out).unwrap();
        plan.output.destination = Destination::File(out.join(name));
    }
    plan.dropped = Some(out.join("dropped.jsonl"));
    plan.set_aside = vec![format!("png={}/png.warc.gz", out.display()).parse().unwrap()];
    plan.hard = Some(HardPages { path: out.join("hard.warc.gz"), below: 0.5 });
    plan.settings.limits.jobs = NonZeroUsize::new(jobs);
    plan
}

fn encoding(format: Format, compression: Compression) -> Encoding {
    Encoding { format, compression, by_page: false }
}

/// Returns the counts without the names of files, which depend on the folder.
pub fn plain(summary: Summary) -> Summary {
    let mut summary = counts(summary);
    let set_aside = summary.set_aside.values().copied().collect::<Vec<_>>();
    summary.set_aside = BTreeMap::from([("all".to_owned(), set_aside.iter().sum())]);
    summary
}

/// Returns the destinations and encodings that tests try, by name: one file, or a folder if there is no file name.
pub fn ways() -> Vec<(&'static str, Option<&'static str>, Vec<Encoding>)> {
    use Compression::{Gzip, None as Plain, Zstd};
    vec![
        (
            "folder",
            None,
            vec![encoding(Format::Jsonl, Zstd), encoding(Format::Wet, Gzip), encoding(Format::Bulk, Plain)],
        ),
        ("zst", Some("all.jsonl.zst"), vec![encoding(Format::Jsonl, Zstd)]),
        ("gz", Some("all.jsonl.gz"), vec![encoding(Format::Jsonl, Gzip)]),
        ("wet", Some("all.warc.wet.gz"), vec![encoding(Format::Wet, Gzip)]),
        ("plain", Some("all.msgpack"), vec![encoding(Format::Msgpack, Plain)]),
    ]
}

#[test]
fn the_bytes_are_those_of_one_lane() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = archives(folder.path());
    for (name, file, encodings) in ways() {
        let mut first: Option<(BTreeMap<String, Vec<u8>>, Summary)> = None;
        for jobs in [1, 2, 3, 16, 64, 16] {
            let out = folder.path().join(format!("{name}-{jobs}"));
            let _ = fs::remove_dir_all(&out);
            let summary = go(&lanes(&inputs, &out, file, &encodings, jobs), &Failing::never(), false).unwrap();
            assert!(summary.adds_up() && summary.outcome() == Outcome::Partial);
            let done = (files(&out), plain(summary));
            match &first {
                None => {
                    assert!(done.1.documents > 80 && done.1.failures.len() == 1 && done.1.damaged == 1, "{done:?}");
                    first = Some(done);
                }
                Some(first) => {
                    let names: Vec<_> = done.0.keys().collect();
                    assert!(first.0 == done.0, "{name}, {jobs} workers: {names:?}");
                    assert_eq!(first.1, done.1, "{name}, {jobs} workers");
                }
            }
        }
    }
}

/// Lets the disk fail after each multiple of `step` operations in a run of 16 workers, and shows `seen` the outputs.
/// Continues each run with the workers and failures of `again`, and then until it is done. Counts and files must be
/// those of `expected`.
pub fn go_on_after_failures(
    (name, folder): (&str, &Path),
    step: usize,
    again: &[(usize, u64)],
    expected: &(Summary, BTreeMap<String, Vec<u8>>),
    run: impl Fn(&Path, usize, Failing) -> trommel::Result<Summary>,
    mut seen: impl FnMut(&Path),
) {
    let mut failed = 0;
    for operations in (0..).step_by(step) {
        let out = folder.join(format!("{name}-{operations}"));
        let done = match run(&out, 16, Failing::after(operations)) {
            Ok(summary) => Some(summary),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Output, "{name}, {operations}: {error}");
                failed += 1;
                seen(&out);
                None
            }
        };
        let is_done = done.is_some();
        let summary = done.unwrap_or_else(|| {
            for (jobs, after) in again {
                let _ = run(&out, *jobs, Failing::after(after + operations % 59));
            }
            let last = run(&out, [1, 16, 2][failed % 3], Failing::never());
            assert!(last.is_ok(), "{name}, {operations}: {:?}", last.as_ref().err());
            last.unwrap()
        });
        assert_eq!(plain(summary), expected.0, "{name}, {operations}");
        let here = files(&out);
        let differ = |(name, file): &(&String, &Vec<u8>)| expected.1.get(*name) != Some(*file);
        let names: Vec<_> = here.iter().filter(differ).map(|(name, _)| name).collect();
        assert!(here == expected.1, "{name}, {operations}: {names:?}");
        fs::remove_dir_all(&out).unwrap();
        if is_done {
            break;
        }
    }
    assert!(failed > 8, "{name}: {failed}");
}

#[test]
fn an_error_in_any_lane_leaves_a_state_to_go_on_from() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = archives(folder.path());
    for (name, file, encodings) in ways() {
        let whole = folder.path().join(name);
        let expected = go(&lanes(&inputs, &whole, file, &encodings, 1), &Failing::never(), false).unwrap();
        let expected = (plain(expected), files(&whole));
        let run = |out: &Path, jobs, disk: Failing| go(&lanes(&inputs, out, file, &encodings, jobs), &disk, true);
        let mut left = 0;
        go_on_after_failures((name, folder.path()), 11, &[(64, 13)], &expected, run, |out| {
            left += usize::from(names(out).iter().any(|name| !name.starts_with('.') && expected.1.contains_key(name)));
        });
        // What other lanes had finished has its name.
        assert!(left > 0 || file.is_some(), "{name}: {left}");
    }
}

#[test]
fn a_read_error_in_one_lane_keeps_what_others_have_finished() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = archives(folder.path());
    let (name, file, encodings) = ways().swap_remove(0);
    let whole = folder.path().join(name);
    go(&lanes(&inputs, &whole, file, &encodings, 1), &Failing::never(), false).unwrap();
    let out = folder.path().join("out");
    let plan = lanes(&inputs, &out, file, &encodings, 16);
    // Only the long archives meet it.
    let error = go(&plan, &Failing::reading(4000), false).unwrap_err();
    assert!(error.to_string().contains("input/output error"), "{error}");
    let all = files(&whole);
    for name in names(&out).iter().filter(|name| !name.starts_with('.')) {
        assert!(all[name] == fs::read(out.join(name)).unwrap(), "{name}");
    }
    go(&plan, &Failing::never(), true).unwrap();
    assert!(files(&out) == all);
}

#[test]
fn inputs_are_added_to_a_run_with_lanes() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = archives(folder.path());
    let (_, file, encodings) = ways().swap_remove(0);
    let plan = |inputs: &[PathBuf], out: &Path| {
        let mut plan = lanes(inputs, out, file, &encodings, 16);
        // Their order is that in which inputs were read.
        (plan.dropped, plan.hard, plan.quarantine) = (None, None, None);
        plan.set_aside.clear();
        plan
    };
    let whole = folder.path().join("whole");
    go(&plan(&inputs, &whole), &Failing::never(), false).unwrap();
    for operations in (10..190).step_by(18) {
        let out = folder.path().join(operations.to_string());
        let some: Vec<PathBuf> = inputs.iter().step_by(2).cloned().collect();
        let _ = go(&plan(&some, &out), &Failing::after(operations), false);
        go(&plan(&inputs, &out), &Failing::never(), true).unwrap_or_else(|error| panic!("{operations}: {error}"));
        assert!(files(&out) == files(&whole), "{operations}");
    }
}
