//! Runs that are interrupted and continued end as if nothing had been.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use tempfile::TempDir;
use trommel::run::{
    Destination, DropReason, Encoding, Environment, Existing, HardPages, Outcome, Plan, Progress, ProgressState,
    StopFlag, Summary, run,
};
use trommel::{ByteSize, ErrorKind};
use trommel_record::filters::{DuplicateSettings, FilterSettings, Reason};
use trommel_record::{Assemble, Compression, Disk, Format, OutputError};

use crate::{disk::Failing, make::*};

/// Writes two archives into a folder, with pages, records that fail, other records and damage.
pub fn archives(folder: &Path) -> [PathBuf; 2] {
    let mut records: Vec<Vec<u8>> = Vec::new();
    for number in 0..36 {
        records.push(match number % 12 {
            3 => metadata(number, number - 1, "", "charset-detected: windows-1251\r\n"),
            5 => response(number, "text/html", b"<p>panic", &[]),
            7 => response(number, "image/png", b"\x89PNG", &[]),
            _ => page(number),
        });
    }
    let (a, b) = (folder.join("a.warc.gz"), folder.join("b.warc"));
    let mut stored = gzip(&records[..12]);
    stored.extend_from_slice(&[b'x'; 300]);
    // One member with several records.
    stored.extend(trommel_archive::write::gzip_member(&records[12..18].concat(), 6).unwrap());
    stored.extend(gzip(&records[18..]));
    fs::write(&a, stored).unwrap();
    fs::write(&b, records[..8].concat()).unwrap();
    [a, b]
}

pub fn small(inputs: &[PathBuf], out: &Path, format: Format, compression: Compression) -> Plan {
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    let mut plan = plan(&inputs, Destination::Folder(out.to_owned()), format);
    plan.output.encodings[0].compression = compression;
    plan.quarantine = Some(out.join("quarantine.warc.gz"));
    plan.settings.output.checkpoint = ByteSize(1000);
    plan
}

/// A folder with two archives and the outputs of runs, each under its name.
pub struct Scene {
    folder: TempDir,
    pub inputs: [PathBuf; 2],
}

impl Scene {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let inputs = archives(folder.path());
        Self { folder, inputs }
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the plan of a run of `inputs` into the folder `name`.
    pub fn of(&self, inputs: &[PathBuf], name: &str) -> Plan {
        small(inputs, &self.at(name), Format::Jsonl, Compression::Zstd)
    }

    /// Returns the plan of a run of both archives into the folder `name`.
    pub fn to(&self, name: &str) -> Plan {
        self.of(&self.inputs, name)
    }

    /// Returns the plan of a run of both archives into the folder `name`, without compression.
    pub fn plain(&self, name: &str) -> Plan {
        small(&self.inputs, &self.at(name), Format::Jsonl, Compression::None)
    }
}

/// Returns the folder of a run's outputs.
pub fn folder_of(plan: &Plan) -> &Path {
    plan.output.destination.folder().unwrap()
}

/// Returns the output files of a run by name.
pub fn written(plan: &Plan) -> BTreeMap<String, Vec<u8>> {
    files(folder_of(plan))
}

/// Lets the disk fail after each number of operations in a run, shows `seen` the outputs that are left, and continues
/// the run. It fails again after `more` operations, then succeeds. Counts and files must be those of a run without a
/// failure. Returns the number of runs that failed.
fn go_on_after_any_failure(to: impl Fn(&str) -> Plan, resume: bool, more: Option<u64>, seen: impl Fn(&Plan)) -> u64 {
    let whole = to("whole");
    let expected = counts(go(&whole, &Failing::never(), false).unwrap());
    let bytes = written(&whole);
    for operations in 0.. {
        let plan = to(&operations.to_string());
        let first = go(&plan, &Failing::after(operations), resume);
        seen(&plan);
        let is_done = first.is_ok();
        let summary = first.unwrap_or_else(|error| {
            assert_eq!(error.kind(), ErrorKind::Output, "{error}");
            if let Some(more) = more {
                let _ = go(&plan, &Failing::after(more), true);
            }
            go(&plan, &Failing::never(), true).unwrap()
        });
        assert_eq!(counts(summary), expected, "{operations}");
        assert!(written(&plan) == bytes, "{operations}");
        if is_done {
            return operations;
        }
    }
    unreachable!("there are fewer operations than numbers")
}

pub fn go(plan: &Plan, disk: &dyn Disk, resume: bool) -> trommel::Result<Summary> {
    let existing = if resume { Existing::Resume } else { Existing::Refuse };
    go_over(plan, disk, existing)
}

pub fn go_over(plan: &Plan, disk: &dyn Disk, existing: Existing) -> trommel::Result<Summary> {
    let (mut stdout, mut progress) = (io::sink(), ());
    let mut environment = Environment::new(&mut stdout, &mut progress);
    environment.disk = disk;
    environment.existing = existing;
    run(plan, &extract, environment)
}

pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    names(folder).into_iter().map(|name| (name.clone(), fs::read(folder.join(name)).unwrap())).collect()
}

/// Returns the counts without those that depend on time and folder.
pub fn counts(mut summary: Summary) -> Summary {
    summary.seconds = 0.0;
    summary.page_times = None;
    summary.quarantine = None;
    for file in &mut summary.files {
        for path in &mut file.outputs {
            *path = Path::new(path).file_name().unwrap().to_string_lossy().into_owned();
        }
    }
    summary
}

#[test]
fn an_error_at_any_operation_leaves_a_state_to_go_on_from() {
    let scene = Scene::new();
    for (format, compression) in
        [(Format::Jsonl, Compression::Zstd), (Format::Wet, Compression::Gzip), (Format::Msgpack, Compression::None)]
    {
        let to = |name: &str| small(&scene.inputs, &scene.at(&format!("{format}-{name}")), format, compression);
        // It fails once more a little later, then goes through.
        let failed = go_on_after_any_failure(to, true, Some(7), |_| {});
        assert!(failed > 20, "{failed}");
        let whole = to("again");
        let summary = go(&whole, &Failing::never(), false).unwrap();
        assert!(summary.adds_up() && summary.damaged == 1);
        assert_eq!(written(&whole).len(), 5, "{:?}", written(&whole).keys());
    }
}

/// Checks that side files get their names when the first inputs are done, and continue under their hidden names when
/// inputs are added.
#[test]
fn files_beside_the_outputs_go_on_with_added_inputs() {
    let scene = Scene::new();
    let to = |name: &str, inputs: usize| {
        let mut plan = scene.of(&scene.inputs[..inputs], name);
        plan.dropped = Some(scene.at(name).join("dropped.jsonl"));
        // The state is saved where inputs end.
        plan.settings.output.checkpoint = ByteSize(1 << 20);
        plan
    };
    let whole = to("whole", 2);
    go(&whole, &Failing::never(), false).unwrap();
    // The last operations are those that give the names.
    let is_done = |operations| go(&to(&format!("first-{operations}"), 1), &Failing::after(operations), false).is_ok();
    let all = (0..).find(|operations| is_done(*operations)).unwrap();
    for operations in all - 24..all {
        for more in (2..24).step_by(3) {
            let name = format!("{operations}-{more}");
            let _ = go(&to(&name, 1), &Failing::after(operations), false);
            let plan = to(&name, 2);
            let _ = go(&plan, &Failing::after(more), true);
            if let Err(error) = go(&plan, &Failing::never(), true) {
                panic!("{name}: {error}");
            }
            assert!(written(&plan) == written(&whole), "{name}");
        }
    }
}

#[test]
fn duplicates_are_remembered_over_an_interruption() {
    let scene = Scene::new();
    let settings = FilterSettings {
        duplicates: DuplicateSettings {
            exact: true,
            // Two generations of seven documents: some are forgotten on the way.
            memory: ByteSize(0),
            ..DuplicateSettings::default()
        },
        ..FilterSettings::default()
    };
    let to = |name: &str| {
        let mut plan = scene.to(name);
        plan.inputs.push(plan.inputs[1].clone());
        plan.settings.filters = settings.clone();
        plan
    };
    let whole = to("whole");
    let expected = counts(go(&whole, &Failing::never(), false).unwrap());
    let dropped = DropReason::Filtered(Reason::ExactDuplicate);
    // The second archive repeats five pages that are forgotten by then, the third those of the second.
    assert_eq!(expected.drops[&dropped], 5);
    assert!(expected.forgotten >= 14 && expected.adds_up());
    let bytes = written(&whole);
    let mut failed = 0;
    for operations in 0..200 {
        let plan = to(&format!("{operations}"));
        failed += u32::from(go(&plan, &Failing::after(operations), true).is_err());
        assert_eq!(go(&plan, &Failing::never(), true).unwrap().drops[&dropped], 5, "{operations}");
        assert!(written(&plan) == bytes, "{operations}");
    }
    assert!(failed > 20, "{failed}");
}

#[test]
fn one_file_for_all_inputs_goes_on_too() {
    let scene = Scene::new();
    let to = |name: &str| {
        let out = scene.at(name);
        fs::create_dir(&out).unwrap();
        let mut plan = small(&scene.inputs, &out, Format::Jsonl, Compression::Gzip);
        plan.output.destination = Destination::File(out.join("all.jsonl.gz"));
        plan
    };
    assert!(go_on_after_any_failure(to, false, None, |_| {}) > 10);
}

#[test]
fn several_formats_go_on_together() {
    let scene = Scene::new();
    let to = |name: &str| {
        let mut plan = scene.to(name);
        for (format, compression) in [(Format::Wet, Compression::Gzip), (Format::Msgpack, Compression::None)] {
            plan.output.encodings.push(Encoding { format, compression, by_page: false });
        }
        plan
    };
    let failed = go_on_after_any_failure(to, false, Some(9), |_| {});
    assert!(failed > 40, "{failed}");
    let mut plan = to("whole");
    assert_eq!(written(&plan).len(), 9, "{:?}", written(&plan).keys());
    // What is left of one run is not taken up by another.
    go_over(&plan, &Failing::after(20), Existing::Overwrite).unwrap_err();
    plan.output.encodings.pop();
    let error = go(&plan, &Failing::never(), true).unwrap_err().to_string();
    assert!(error.contains("had format jsonl zst,wet gz,msgpack none, this one has jsonl zst,wet gz;"), "{error}");
}

#[test]
fn parts_go_on_where_they_ended() {
    let scene = Scene::new();
    let to = |name: &str| {
        let mut plan = small(&scene.inputs, &scene.at(name), Format::Jsonl, Compression::Gzip);
        plan.output.encodings.push(Encoding { format: Format::Wet, compression: Compression::Gzip, by_page: false });
        plan.output.split = Some(1500);
        plan
    };
    let mut plan = to("jobs");
    plan.settings.limits.jobs = Some(NonZeroUsize::MIN);
    let expected = counts(go(&plan, &Failing::never(), false).unwrap());
    let all = written(&plan);
    let manifest: Value = serde_json::from_slice(&all["_MANIFEST"]).unwrap();
    let listed = manifest["files"].as_array().unwrap();
    let of = |name: &'static str| listed.iter().filter(move |file| file["format"] == name);
    assert!(of("jsonl").count() > 5 && of("wet").count() > 5, "{manifest}");
    for format in ["jsonl", "wet"] {
        let documents = of(format).map(|file| file["documents"].as_u64().unwrap());
        assert_eq!(documents.sum::<u64>(), expected.documents);
    }
    for file in of("jsonl") {
        let bytes = &all[file["name"].as_str().unwrap()];
        assert_eq!(file["bytes"], bytes.len());
        let mut text = String::new();
        flate2::read::MultiGzDecoder::new(bytes.as_slice()).read_to_string(&mut text).unwrap();
        assert!(text.len() <= 1500, "{file}");
        assert_eq!(file["documents"], text.lines().count());
    }
    let outputs = &expected.files[0].outputs;
    assert_eq!(outputs[..2], ["a-00000.jsonl.gz", "a-00000.warc.wet.gz"]);
    let failed = go_on_after_any_failure(to, false, Some(9), |plan| {
        // The mark is there only if all is: at most the removal of the state is left to do.
        if folder_of(plan).join("_SUCCESS").exists() {
            let here = written(plan);
            assert!(all.iter().all(|(name, bytes)| here.get(name) == Some(bytes)), "{:?}", plan.output);
        }
    });
    assert!(failed > 60, "{failed}");
    assert!(written(&to("whole")) == all);
}

/// Receiver of progress that stops the run after a number of records.
struct Stopper {
    stop: StopFlag,
    records: u64,
}

impl Progress for Stopper {
    fn update(&mut self, state: &ProgressState) {
        if state.records >= self.records {
            self.stop.set();
        }
    }
}

#[test]
fn a_stopped_run_goes_on() {
    let scene = Scene::new();
    let whole = scene.to("whole");
    go(&whole, &Failing::never(), false).unwrap();
    let mut plan = scene.to("out");
    plan.settings.limits.jobs = Some(NonZeroUsize::MIN);
    let stop = StopFlag::default();
    let mut stopper = Stopper { stop: stop.clone(), records: 0 };
    let mut stdout = io::sink();
    let mut host = Environment::new(&mut stdout, &mut stopper);
    host.network.stop = stop;
    let error = run(&plan, &extract, host).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Stopped, "{error}");
    assert!(!scene.at("out/a.jsonl.zst").exists());
    go(&plan, &Failing::never(), true).unwrap();
    assert!(written(&plan) == written(&whole));
}

#[test]
fn a_read_error_ends_the_run_the_first_time_only() {
    let scene = Scene::new();
    let mut plan = scene.to("out");
    // No state before the error, so that the second run meets the same disk.
    plan.settings.output.checkpoint = ByteSize(1 << 20);
    let disk = Failing::reading(2000);
    let error = go(&plan, &disk, false).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Input, "{error}");
    assert!(error.to_string().contains("input/output error"), "{error}");
    assert!(written(&plan).keys().all(|name| name.starts_with('.')));
    // The disk is well again: nothing is missing.
    let mut well = scene.to("again");
    well.settings.output = plan.settings.output.clone();
    go(&well, &disk, false).unwrap_err();
    assert!(go(&well, &Failing::never(), true).unwrap().files.iter().all(|file| file.error.is_none()));
    // It fails again: the archive is given up, with all that could be read.
    let summary = match go(&plan, &disk, true) {
        // The second archive fails as well, also for the first time.
        Err(error) if error.kind() == ErrorKind::Input => go(&plan, &disk, true).unwrap(),
        other => other.unwrap(),
    };
    assert_eq!(summary.outcome(), Outcome::Partial);
    assert!(summary.adds_up() && summary.records > 5);
    let error = summary.files[0].error.as_deref().unwrap();
    assert!(error.contains("input/output error"), "{error}");
    assert!(scene.at("out/a.jsonl.zst").exists());
}

#[test]
fn an_input_whose_first_read_fails_is_read_when_the_disk_is_well() {
    let scene = Scene::new();
    let plan = scene.to("out");
    let error = go(&plan, &Failing::reading(0), false).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Input, "{error}");
    let summary = go(&plan, &Failing::never(), true).unwrap();
    assert!(summary.files.iter().all(|file| file.error.is_none() && file.records > 0), "{summary:?}");
}

#[test]
fn another_plan_is_refused_and_a_new_run_starts_afresh() {
    let scene = Scene::new();
    let plan = scene.plain("out");
    go(&plan, &Failing::after(12), false).unwrap_err();
    assert!(plan.state_file().unwrap().exists());
    let mut other = plan.clone();
    other.files.model = "other".to_owned();
    let error = go(&other, &Failing::never(), true).unwrap_err();
    assert!(error.to_string().contains("the run to continue had model file none, this one has other"), "{error}");
    // The work of an interrupted run is not thrown away unasked.
    let error = go(&other, &Failing::never(), false).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Exists, "{error}");
    assert!(error.to_string().contains("a run was interrupted here"), "{error}");
    assert!(go_over(&other, &Failing::never(), Existing::Overwrite).unwrap().adds_up());
    let outputs = ["a.jsonl", "b.jsonl", "quarantine.warc.gz"];
    assert_eq!(names(&scene.at("out")), [&["_MANIFEST", "_SUCCESS"], &outputs[..]].concat());

    let mut pipe = plan.clone();
    pipe.output.destination = Destination::Stdout;
    assert_eq!(go(&pipe, &Failing::never(), true).unwrap_err().kind(), ErrorKind::Resume);
}

/// Assembler that makes a folder with the bytes of the spool in it.
#[derive(Debug)]
struct Foldered;

impl Assemble for Foldered {
    fn assemble(&self, spool: &Path, target: &Path) -> Result<(), OutputError> {
        fs::create_dir(target)?;
        fs::copy(spool, target.join("bytes"))?;
        Ok(())
    }

    fn foreign(&self, target: &Path) -> io::Result<Option<PathBuf>> {
        let entries = fs::read_dir(target)?.map(|entry| entry.unwrap().file_name());
        Ok(entries.map(PathBuf::from).find(|name| name != "bytes"))
    }
}

#[test]
fn assembled_outputs_survive_errors_as_well() {
    let scene = Scene::new();
    let to = |name: &str| small(&scene.inputs, &scene.at(name), Format::Msgpack, Compression::None);
    go(&to("plain"), &Failing::never(), false).unwrap();
    let expected = fs::read(scene.at("plain/a.msgpack")).unwrap();
    for operations in 0.. {
        let mut plan = to(&operations.to_string());
        let out = folder_of(&plan).to_owned();
        plan.assemble = BTreeMap::from([(Format::Msgpack, Arc::new(Foldered) as _)]);
        let done = go(&plan, &Failing::after(operations), false).is_ok();
        if !done {
            go(&plan, &Failing::never(), true).unwrap();
        }
        let outputs = ["a.msgpack", "b.msgpack", "quarantine.warc.gz"];
        assert_eq!(names(&out), [&["_MANIFEST", "_SUCCESS"], &outputs[..]].concat(), "{operations}");
        assert!(fs::read(out.join("a.msgpack/bytes")).unwrap() == expected);
        if done {
            break;
        }
    }
}

/// Returns the contents of all files in a folder, by name.
fn everything(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, fs::read(path).unwrap())
        })
        .collect()
}

#[test]
fn flipped_bits_are_refused_or_written_again() {
    let scene = Scene::new();
    let out = scene.at("out");
    let mut plan = scene.to("out");
    plan.output.encodings.push(Encoding { format: Format::Wet, compression: Compression::Gzip, by_page: false });
    plan.dropped = Some(out.join("dropped.jsonl"));
    plan.set_aside = vec![format!("png={}/png.warc.gz", out.display()).parse().unwrap()];
    plan.hard = Some(HardPages { path: out.join("hard.warc.gz"), below: 0.5 });
    let expected = counts(go(&plan, &Failing::never(), false).unwrap());
    let whole = files(&out);
    let (mut flips, mut refused, mut files_hit) = (0, 0, BTreeMap::new());
    for operations in (24..).step_by(43) {
        fs::remove_dir_all(&out).unwrap();
        if go(&plan, &Failing::after(operations), false).is_ok() {
            break;
        }
        let left = everything(&out);
        assert!(left.contains_key(".run.checkpoint"), "{operations}: {:?}", left.keys());
        for (name, bytes) in left.iter().filter(|(_, bytes)| !bytes.is_empty()) {
            for part in 0..3 {
                let at = (bytes.len() - 1) * part / 2;
                fs::remove_dir_all(&out).unwrap();
                fs::create_dir(&out).unwrap();
                for (name, bytes) in &left {
                    fs::write(out.join(name), bytes).unwrap();
                }
                let mut bytes = bytes.clone();
                bytes[at] ^= 1 << (at % 8);
                fs::write(out.join(name), bytes).unwrap();
                flips += 1;
                match go(&plan, &Failing::never(), true) {
                    Err(error) => {
                        assert!(error.is_refusal(), "{operations}: {name} at {at}: {error}");
                        refused += 1;
                        *files_hit.entry(name.clone()).or_insert(0) += 1;
                    }
                    Ok(summary) => {
                        // What is published and listed with its checksum is not read again.
                        let published = whole.contains_key(name);
                        let mut here = files(&out);
                        if published {
                            here.insert(name.clone(), whole[name].clone());
                        }
                        assert!(here == whole, "{operations}: {name} at {at}");
                        assert_eq!(counts(summary), expected, "{operations}: {name} at {at}");
                    }
                }
            }
        }
    }
    assert!(flips >= 60, "{flips}");
    assert!(refused > flips / 3, "{refused} of {flips}: {files_hit:?}");
    for name in [".run.checkpoint", ".run.journal.tmp", ".a.jsonl.zst.tmp", ".dropped.jsonl.tmp"] {
        assert!(files_hit.contains_key(name), "{name}: {files_hit:?}");
    }
}
