//! Runs whose documents go to the caller, as events.

use std::{fs, io, path::Path};

use trommel::Settings;
use trommel::run::{Destination, DropReason, Environment, Input, Run, RunEvent, RunPosition, Summary, run};
use trommel_archive::write::gzip_member;
use trommel_record::{Format, OutputRecord};

use crate::make::*;

/// An event in short.
fn shown(event: &RunEvent<String>) -> String {
    match event {
        RunEvent::Opened { input } => format!("open {}", Path::new(input).file_name().unwrap().to_string_lossy()),
        RunEvent::Document(text) => text.clone(),
        RunEvent::Dropped { record, reason } => {
            assert_eq!((record.id.as_str(), *reason), ("urn:info", DropReason::Warcinfo));
            format!("drop {} at {}", reason.name(), record.source.offset)
        }
        RunEvent::Damaged { offset, lost, .. } => format!("damage at {offset}, {lost} lost"),
        RunEvent::Ended { bytes, error: None } => format!("end after {bytes}"),
        other => format!("{other:?}"),
    }
}

fn events(inputs: &[&Path], start: Option<RunPosition>) -> (Summary, Vec<(String, Option<RunPosition>)>) {
    let inputs = inputs.iter().map(|path| Input::File(path.to_path_buf())).collect();
    let stream = Run::new(Settings::default(), inputs, &extract);
    let mut stream = stream.map(|record: OutputRecord| record.text);
    if let Some(start) = start {
        stream = stream.starting_at(start);
    }
    let (mut events, mut nowhere, mut no_progress) = (Vec::new(), io::sink(), ());
    let summary = stream.each(Environment::new(&mut nowhere, &mut no_progress), &mut |event, position| {
        events.push((shown(&event), position));
        Ok(())
    });
    (summary.unwrap(), events)
}

#[test]
fn events_come_in_order_and_a_run_continues_after_each() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (folder.path().join("a.warc.gz"), folder.path().join("b.warc"));
    let info = b"WARC/1.0\r\nWARC-Type: warcinfo\r\nWARC-Record-ID: <urn:info>\r\nContent-Length: 1\r\n\r\nx\r\n\r\n";
    let mut bytes = gzip(&[info.to_vec(), page(0), page(1)]);
    let (offset, broken) = (bytes.len(), gzip_member(&page(2), 6).unwrap());
    bytes.extend(&broken[..broken.len() / 2]);
    bytes.extend(gzip(&[page(3)]));
    fs::write(&a, &bytes).unwrap();
    fs::write(&b, [page(4), page(5)].concat()).unwrap();
    let (summary, all) = events(&[&a, &b], None);
    assert_eq!((summary.documents, summary.records, summary.damaged), (5, 6, 1));
    let shown: Vec<&str> = all.iter().map(|(event, _)| event.as_str()).collect();
    let damage = format!("damage at {offset}, {} lost", broken.len() / 2);
    let ends = [bytes.len(), page(4).len() + page(5).len()].map(|bytes| format!("end after {bytes}"));
    let expected = [
        "open a.warc.gz", "drop warcinfo at 0", "Page 0", "Page 1", &damage, "Page 3", &ends[0], "open b.warc",
        "Page 4", "Page 5", &ends[1],
    ];
    assert_eq!(shown, expected);
    let mut nowhere = Vec::new();
    for (at, (event, position)) in all.iter().enumerate() {
        let Some(position) = position else {
            nowhere.push(event.as_str());
            continue;
        };
        let (_, rest) = events(&[&a, &b], Some(*position));
        let rest: Vec<&str> = rest.iter().map(|(event, _)| event.as_str()).collect();
        // The input is opened again.
        assert_eq!(rest[usize::from(position.point.is_some())..], shown[at + 1..], "after {event}");
    }
    assert_eq!(nowhere, ["open a.warc.gz", "open b.warc"]);
}

#[test]
fn documents_are_those_of_files_and_an_error_of_the_caller_ends_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc.gz");
    fs::write(&path, gzip(&(0..300).map(page).collect::<Vec<_>>())).unwrap();
    let mut file = Vec::new();
    run(&plan(&[&path], Destination::Stdout, Format::Jsonl), &extract, Environment::new(&mut file, &mut ())).unwrap();
    let inputs = || vec![Input::File(path.clone())];
    let mut lines = Vec::new();
    let stream = Run::new(Settings::default(), inputs(), &extract).map(|record| {
        let mut line = serde_json::to_vec(&record).unwrap();
        line.push(b'\n');
        line
    });
    let summary = stream.documents(Environment::new(&mut io::sink(), &mut ()), |line| {
        lines.extend(line);
        Ok(())
    });
    assert_eq!(summary.unwrap().documents, 300);
    assert!(lines == file, "the documents of a stream differ from those of a file");
    let mut taken = 0;
    let stream = Run::new(Settings::default(), inputs(), &extract);
    let ended = stream.documents(Environment::new(&mut io::sink(), &mut ()), |_| {
        taken += 1;
        if taken == 3 { Err(io::Error::other("no more room")) } else { Ok(()) }
    });
    assert!(ended.unwrap_err().to_string().contains("no more room"));
    assert_eq!(taken, 3);
}

#[test]
fn a_caller_who_wants_no_more_ends_the_run_after_any_event() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc.gz");
    let mut bytes = gzip(&[page(0)]);
    let broken = gzip_member(&page(1), 6).unwrap();
    bytes.extend(&broken[..broken.len() / 2]);
    bytes.extend(gzip(&[page(2), page(3)]));
    fs::write(&path, &bytes).unwrap();
    let (_, all) = events(&[path.as_path()], None);
    let damaged = all.iter().position(|(event, _)| event.starts_with("damage")).unwrap();
    assert!(all.last().unwrap().0.starts_with("end") && damaged + 2 < all.len());
    for wanted in 1..=all.len() {
        let mut taken = 0;
        let stream = Run::new(Settings::default(), vec![Input::File(path.clone())], &extract);
        let summary = stream.each(Environment::new(&mut io::sink(), &mut ()), &mut |_, _| {
            taken += 1;
            if taken == wanted { Err(io::ErrorKind::BrokenPipe.into()) } else { Ok(()) }
        });
        let summary = summary.unwrap_or_else(|error| panic!("after {wanted} events: {error}"));
        assert_eq!((taken, summary.closed), (wanted, true));
        assert_eq!(summary.damaged, u64::from(wanted > damaged), "after {wanted} events");
    }
}

#[test]
fn a_run_that_drops_duplicates_has_no_positions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc");
    fs::write(&path, [page(0), page(1)].concat()).unwrap();
    let mut settings = Settings::default();
    settings.filters.duplicates.exact = true;
    let run = || Run::new(settings.clone(), vec![Input::File(path.clone())], &extract);
    let mut positions = Vec::new();
    run()
        .each(Environment::new(&mut io::sink(), &mut ()), &mut |_, position| {
            positions.push(position);
            Ok(())
        })
        .unwrap();
    assert_eq!(positions, [None; 4]);
    let start = RunPosition { input: 0, point: None };
    let refused = run().starting_at(start).each(Environment::new(&mut io::sink(), &mut ()), &mut |_, _| Ok(()));
    assert!(refused.unwrap_err().to_string().contains("drops duplicates"));
}
