//! Runs where something is already: other runs, outputs, finished runs, folders of others.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::{fs, thread};

use trommel::run::{Destination, Environment, Existing, HardPages, Input, Output, Plan, Summary, run};
use trommel::{OutputSettings, SiteMode};
use trommel_record::{Compression, Format, LocalDisk};

use crate::disk::Failing;
use crate::make::*;
use crate::resume::{Scene, counts, files, folder_of, go, go_over, small, written};

fn finished(plan: &Plan) -> Summary {
    go(plan, &LocalDisk, false).unwrap()
}

fn refusal(plan: &Plan, existing: Existing) -> String {
    let error = go_over(plan, &LocalDisk, existing).unwrap_err();
    assert!(error.is_refusal(), "{error}");
    error.to_string()
}

#[test]
fn a_second_run_into_one_output_is_refused_while_the_first_is_at_work() {
    let scene = Scene::new();
    let first = scene.to("out");
    let mut second = scene.to("out");
    second.files.model = "other".to_owned();
    let (begun, wait) = mpsc::channel();
    let (go_on, hold) = mpsc::channel::<()>();
    let hold = std::sync::Mutex::new(hold);
    let slow = move |bytes: &[u8], hints: &trommel_extract::Hints<'_>| {
        let _ = begun.send(());
        // Until the other has been refused; then the sender is gone.
        let _ = hold.lock().unwrap().recv();
        extract(bytes, hints)
    };
    let done = thread::scope(|scope| {
        let running = scope.spawn(move || {
            let (mut stdout, mut progress) = (std::io::sink(), ());
            run(&first, &slow, Environment::new(&mut stdout, &mut progress))
        });
        wait.recv().unwrap();
        for existing in [Existing::Refuse, Existing::Overwrite, Existing::Resume] {
            let error = refusal(&second, existing);
            assert!(error.ends_with("out: another run is writing there"), "{error}");
        }
        drop(go_on);
        running.join().unwrap().unwrap()
    });
    assert!(done.adds_up());
    let whole = scene.to("whole");
    finished(&whole);
    assert!(written(&second) == written(&whole));
    assert!(!scene.at("out/.run.lock").exists());
}

#[test]
fn outputs_are_replaced_only_when_asked() {
    let scene = Scene::new();
    let all = scene.at("all.jsonl");
    let output = Output::new(all.to_str().unwrap(), &OutputSettings::default(), &OutputSettings::default()).unwrap();
    let plans = [scene.plain("out"), Plan { output, quarantine: None, ..scene.plain("out") }];
    for (plan, output) in plans.iter().zip([scene.at("out/a.jsonl"), all]) {
        finished(plan);
        let whole = fs::read(&output).unwrap();
        fs::write(&output, "mine").unwrap();
        let error = refusal(plan, Existing::Refuse);
        assert!(error.contains(": is there already; --overwrite"), "{error}");
        assert_eq!(fs::read(&output).unwrap(), b"mine");
        go_over(plan, &LocalDisk, Existing::Overwrite).unwrap();
        assert!(fs::read(&output).unwrap() == whole);
    }
    // Without its state nobody knows what an output is.
    assert!(!plans[1].state_file().unwrap().exists());
    let error = refusal(&plans[1], Existing::Resume);
    assert!(error.contains("without the state of a run"), "{error}");
}

#[test]
fn a_finished_run_is_left_as_it_is() {
    let scene = Scene::new();
    let plan = scene.to("out");
    let first = finished(&plan);
    let before = written(&plan);
    let changed = || fs::metadata(scene.at("out/_SUCCESS")).unwrap().modified().unwrap();
    let then = changed();
    // A disk on which nothing can be changed.
    assert_eq!(counts(go(&plan, &Failing::after(0), true).unwrap()), counts(first));
    assert!(written(&plan) == before);
    assert_eq!(changed(), then);
    // An output that is gone is missed.
    fs::remove_file(scene.at("out/b.jsonl.zst")).unwrap();
    let error = refusal(&plan, Existing::Resume);
    assert!(error.contains("b.jsonl.zst: written by the run"), "{error}");
}

#[test]
fn new_inputs_are_added_to_finished_and_to_interrupted_runs() {
    let scene = Scene::new();
    let [a, b] = &scene.inputs;
    // Before, between and behind those that are there, one of them with records that fail.
    let more: Vec<PathBuf> = ["_.warc.gz", "aa.warc", "c.warc.gz"]
        .into_iter()
        .zip([a, b, a])
        .map(|(name, like)| {
            let path = scene.at(name);
            fs::copy(like, &path).unwrap();
            path
        })
        .collect();
    let mut all = [&scene.inputs[..], &more].concat();
    all.sort();
    let whole = scene.of(&all, "whole");
    let expected = finished(&whole);
    let sorted = |mut summary: Summary| {
        summary.files.sort_by(|one, other| one.file.cmp(&other.file));
        summary.damage.sort_by(|one, other| one.file.cmp(&other.file));
        counts(summary)
    };
    let expected = sorted(expected);
    let mut added = 0;
    for operations in 0.. {
        let out = operations.to_string();
        let is_done = go(&scene.to(&out), &Failing::after(operations), false).is_ok();
        let plan = scene.of(&all, &out);
        // Interrupted once more on the way.
        let _ = go(&plan, &Failing::after(15), true);
        assert_eq!(sorted(go(&plan, &LocalDisk, true).unwrap()), expected, "{operations}");
        let (mut here, mut there) = (written(&plan), written(&whole));
        // Failed records come in the order in which they were met.
        let [here_failed, there_failed] =
            [&mut here, &mut there].map(|files| files.remove("quarantine.warc.gz").unwrap().len());
        assert_eq!(here_failed, there_failed, "{operations}");
        assert!(here == there, "{operations}");
        added += 1;
        if is_done {
            break;
        }
    }
    assert!(added > 20, "{added}");
}

#[test]
fn files_beside_the_outputs_grow_over_interruptions() {
    let scene = Scene::new();
    let [a, b] = &scene.inputs;
    // In the second nothing fails, and nothing is dropped but its last record.
    let c = scene.at("c.warc");
    let mut records: Vec<Vec<u8>> = (100..160).map(page).collect();
    records.push(response(160, "image/png", b"\x89PNG", &[]));
    fs::write(&c, records.concat()).unwrap();
    let dropping = scene.at("d.warc");
    fs::write(&dropping, response(1, "image/png", b"\x89PNG", &[])).unwrap();
    let to = |inputs: &[&PathBuf], name: &str| {
        let inputs: Vec<PathBuf> = inputs.iter().map(|&path| path.clone()).collect();
        let out = scene.at(name);
        let mut plan = scene.of(&inputs, name);
        plan.dropped = Some(out.join("dropped.jsonl"));
        plan.set_aside = vec![format!("png={}/png.warc.gz", out.display()).parse().unwrap()];
        plan.hard = Some(HardPages { path: out.join("hard.warc.gz"), below: 0.5 });
        plan
    };
    for first in [&dropping, a, b] {
        let whole = to(&[first, &c], &format!("whole-{}", first.display()).replace('/', "-"));
        go(&whole, &Failing::never(), false).unwrap();
        let expected = written(&whole);
        for operations in (0..).step_by(3) {
            let name = format!("{operations}-{}", first.display()).replace('/', "-");
            go(&to(&[first], &name), &Failing::never(), false).unwrap();
            let plan = to(&[first, &c], &name);
            let done = go(&plan, &Failing::after(operations), true).is_ok();
            go(&plan, &Failing::never(), true).unwrap();
            assert!(written(&plan) == expected, "{}: {operations}", first.display());
            if done {
                break;
            }
        }
    }
}

#[test]
fn frames_do_not_show_that_inputs_were_added_to_a_run_with_duplicate_filters() {
    let (folder, b) = archive("b.warc", (200..260).map(page).collect::<Vec<_>>().concat());
    // The filter remembers each document, so that a state is not worth saving after every input.
    for documents in 50..70 {
        let a = folder.path().join("a.warc");
        fs::write(&a, (0..documents).map(page).collect::<Vec<_>>().concat()).unwrap();
        let plan = |inputs: &[PathBuf], name: &str| {
            let mut plan = small(inputs, &folder.path().join(name), Format::Jsonl, Compression::Zstd);
            plan.settings.filters.duplicates.exact = true;
            plan
        };
        let both = [a.clone(), b.clone()];
        let (whole, added) = (format!("whole-{documents}"), format!("added-{documents}"));
        go(&plan(&both, &whole), &LocalDisk, false).unwrap();
        go(&plan(&both[..1], &added), &LocalDisk, false).unwrap();
        go(&plan(&both, &added), &LocalDisk, true).unwrap();
        assert!(files(&folder.path().join(&added)) == files(&folder.path().join(&whole)), "{documents}");
    }
}

#[test]
fn runs_whose_pages_depend_on_all_inputs_take_no_more() {
    let scene = Scene::new();
    let revisits = |plan: &mut Plan| plan.settings.archive.resolve_revisits = true;
    let sites = |plan: &mut Plan| plan.settings.sites.memory = SiteMode::TwoPass;
    type Change = dyn Fn(&mut Plan);
    let changes: [(&str, &Change); 2] = [("resolve_revisits", &revisits), ("site_memory=two-pass", &sites)];
    for (name, change) in changes {
        let to = |inputs: &[PathBuf], out: &str| {
            let mut plan = scene.of(inputs, out);
            change(&mut plan);
            plan
        };
        let inputs = &scene.inputs;
        let whole = to(inputs, &format!("whole{name}"));
        finished(&whole);
        let mut interrupted = 0;
        for operations in [12, 20, 40, u64::MAX] {
            let out = format!("{operations}{name}");
            let few = to(&inputs[..1], &out);
            interrupted += u32::from(go(&few, &Failing::after(operations), false).is_err());
            let before = written(&few);
            let all = to(inputs, &out);
            let error = refusal(&all, Existing::Resume);
            let expected = format!("b.warc: is new, and with {name} each page depends");
            assert!(error.contains(&expected), "{error}");
            assert!(all.has_work(Existing::Resume).is_err());
            assert!(written(&all) == before);
            // Under the inputs that it had, it goes on.
            assert_eq!(few.has_work(Existing::Resume).unwrap(), operations != u64::MAX);
            go(&few, &LocalDisk, true).unwrap();
            go_over(&all, &LocalDisk, Existing::Overwrite).unwrap();
            assert!(written(&all) == written(&whole));
        }
        assert!(interrupted >= 2, "{interrupted}");
        // An input that changed between the first pass and its own turn is no better than a new one.
        let both = to(inputs, &format!("changed{name}"));
        go(&both, &Failing::after(12), false).unwrap_err();
        let bytes = fs::read(&inputs[1]).unwrap();
        fs::write(&inputs[1], [&bytes[..], &page(99)].concat()).unwrap();
        let error = refusal(&both, Existing::Resume);
        assert!(error.contains("b.warc: has changed since the run read it"), "{error}");
        fs::write(&inputs[1], &bytes).unwrap();
        go(&both, &LocalDisk, true).unwrap();
        assert!(written(&both) == written(&whole));
    }
}

#[test]
fn the_first_difference_of_the_inputs_is_named() {
    let scene = Scene::new();
    let plan = scene.plain("out");
    finished(&plan);
    let mut one = plan.clone();
    one.inputs.pop();
    let error = refusal(&one, Existing::Resume);
    assert!(error.contains("b.warc: the run to continue read this input"), "{error}");
    let b = &scene.inputs[1];
    fs::write(b, [fs::read(b).unwrap(), page(99)].concat()).unwrap();
    let error = refusal(&plan, Existing::Resume);
    assert!(error.contains("b.warc: has changed since the run read it: it had "), "{error}");
    assert!(!error.contains("continues"), "{error}");
}

#[test]
fn a_whole_file_takes_no_more_inputs() {
    let scene = Scene::new();
    let file = scene.at("all.jsonl");
    let mut all = scene.plain("");
    all.output.destination = Destination::File(file.clone());
    all.quarantine = None;
    let mut one = all.clone();
    one.inputs.pop();
    // Whoever asks to continue keeps the state; nobody else does.
    go(&one, &LocalDisk, true).unwrap();
    let before = fs::read(&file).unwrap();
    assert!(go(&one, &Failing::after(0), true).is_ok());
    let error = refusal(&all, Existing::Resume);
    assert!(error.contains("is finished, and") && error.contains("b.warc is new"), "{error}");
    assert!(fs::read(&file).unwrap() == before);
    assert_eq!(beside(&all), ["_all.jsonl.state", "a.warc.gz", "all.jsonl", "b.warc"]);
    go_over(&all, &LocalDisk, Existing::Overwrite).unwrap();
    assert_eq!(beside(&all), ["a.warc.gz", "all.jsonl", "b.warc"]);
}

/// Returns all names in the folder of a run's outputs.
fn beside(plan: &Plan) -> Vec<String> {
    let entries = fs::read_dir(folder_of(plan)).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Checks that a finished run has no hidden file, whether it was interrupted or not, and continues with more inputs.
#[test]
fn a_finished_run_leaves_no_hidden_file_and_goes_on_with_more_inputs() {
    let scene = Scene::new();
    let whole = scene.to("whole");
    finished(&whole);
    let all = ["_MANIFEST", "_STATE", "_SUCCESS", "a.jsonl.zst", "b.jsonl.zst", "quarantine.warc.gz"];
    assert_eq!(beside(&whole), all);
    let mut before_the_end = 0;
    for operations in (0..).step_by(7) {
        let plan = scene.to(&operations.to_string());
        let mut few = plan.clone();
        few.inputs.pop();
        finished(&few);
        let first: Vec<&str> = all.into_iter().filter(|name| !name.starts_with('b')).collect();
        assert_eq!(beside(&plan), first);
        // It goes on from its end, is interrupted at any moment, and goes on from there.
        let done = go(&plan, &Failing::after(operations), true).is_ok();
        if !done {
            before_the_end += usize::from(plan.state_file().unwrap().exists());
            // What a killed run leaves while it saves.
            fs::write(folder_of(&plan).join("..run.checkpoint.tmp"), "half").unwrap();
        }
        // Also if all was done but to remove the journal.
        go(&plan, &LocalDisk, true).unwrap();
        assert!(written(&plan) == written(&whole), "{operations}");
        assert_eq!(beside(&plan), all, "{operations}");
        assert!(!plan.has_work(Existing::Resume).unwrap());
        if done {
            break;
        }
    }
    assert!(before_the_end > 2, "{before_the_end}");
}

#[test]
fn a_missing_input_is_read_when_it_is_there() {
    let scene = Scene::new();
    let late = scene.at("late");
    fs::rename(&scene.inputs[0], &late).unwrap();
    let plan = scene.plain("out");
    finished(&plan);
    fs::rename(&late, &scene.inputs[0]).unwrap();
    for _ in 0..2 {
        let summary = go(&plan, &LocalDisk, true).unwrap();
        assert_eq!(summary.files.len(), 2);
        assert!(summary.adds_up() && summary.files.iter().all(|file| file.error.is_none()));
    }
    assert!(scene.at("out/a.jsonl").exists());
}

#[test]
fn another_size_of_parts_leaves_nothing_behind() {
    let scene = Scene::new();
    let to = |name: &str, split| {
        let mut plan = scene.plain(name);
        plan.output.split = split;
        plan
    };
    for operations in [2, 12, 30, u64::MAX] {
        let _ = go_over(&to("out", Some(1500)), &Failing::after(operations), Existing::Overwrite);
        for split in [Some(4000), None] {
            let (again, alone) = (to("out", split), to(&format!("whole-{split:?}"), split));
            go_over(&again, &LocalDisk, Existing::Overwrite).unwrap();
            let names = names(folder_of(&again));
            assert!(names.iter().all(|name| !name.starts_with('.')), "{names:?}");
            go_over(&alone, &LocalDisk, Existing::Overwrite).unwrap();
            assert!(written(&again) == written(&alone), "{operations}: {names:?}");
        }
    }
}

#[test]
fn states_are_saved_though_filters_drop_all() {
    let records: Vec<Vec<u8>> = (0..200)
        .map(|number| {
            let body = format!("<p>{number} {}", "x".repeat(2000));
            response(number, "text/html", body.as_bytes(), &[])
        })
        .collect();
    let (folder, path) = archive("a.warc", records.concat());
    let out = folder.path().join("out");
    let mut plan = small(&[path], &out, Format::Jsonl, Compression::None);
    plan.settings.filters.min_chars = Some(1 << 20);
    // A state after 64,000 bytes read, of 400,000 without a document.
    let saved = (0..60).any(|operations| {
        let _ = go_over(&plan, &Failing::after(operations), Existing::Overwrite);
        plan.state_file().unwrap().exists() && !out.join("_SUCCESS").exists()
    });
    assert!(saved);
}

#[test]
fn saving_costs_the_same_however_many_inputs_there_are() {
    let folder = tempfile::tempdir().unwrap();
    let size = |inputs: usize| {
        let folder = folder.path().join(inputs.to_string());
        fs::create_dir(&folder).unwrap();
        let paths: Vec<PathBuf> = (0..inputs)
            .map(|number| {
                let path = folder.join(format!("{number:04}.warc"));
                fs::write(&path, page(number)).unwrap();
                path
            })
            .collect();
        let plan = small(&paths, &folder.join("out"), Format::Jsonl, Compression::None);
        let disk = Failing::never();
        assert_eq!(go(&plan, &disk, false).unwrap().files.len(), inputs);
        // The last operations remove the state and the journal.
        fs::remove_dir_all(folder.join("out")).unwrap();
        go(&plan, &Failing::after(disk.spent() - 2), false).unwrap_err();
        fs::metadata(plan.state_file().unwrap()).unwrap().len()
    };
    let (few, many) = (size(10), size(400));
    assert!(many < few + 1000, "{few} and {many} bytes of state");
}

#[test]
fn inputs_of_one_name_keep_their_outputs_in_any_order() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["x", "y"].map(|name| {
        let sub = folder.path().join(name);
        fs::create_dir(&sub).unwrap();
        let path = sub.join("same.warc");
        fs::write(&path, page(usize::from(name == "y"))).unwrap();
        path
    });
    let written = |inputs: &[&Path], out: &str| {
        let out = folder.path().join(out);
        let plan = plan(inputs, Destination::Folder(out.clone()), Format::Jsonl);
        assert!(matches!(&plan.inputs[0], Input::File(_)));
        finished(&plan);
        let mut files = files(&out);
        files.remove("_MANIFEST");
        files
    };
    let one = written(&[&paths[0], &paths[1]], "one");
    assert_eq!(one.len(), 3, "{:?}", one.keys());
    assert!(one == written(&[&paths[1], &paths[0]], "other"));
}
