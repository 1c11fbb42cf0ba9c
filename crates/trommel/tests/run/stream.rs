//! Runs whose documents go to the caller.

use std::io;

use trommel::Settings;
use trommel::run::{Destination, Environment, Input, Run, run};
use trommel_archive::write::gzip_member;
use trommel_record::Format;

use crate::make::*;

#[test]
fn documents_are_those_of_files_and_an_error_of_the_caller_ends_the_run() {
    let (_folder, path) = archive("a.warc.gz", gzip(&(0..300).map(page).collect::<Vec<_>>()));
    let mut file = Vec::new();
    run(&plan(&[&path], Destination::Stdout, Format::Jsonl), &extract, Environment::new(&mut file, &mut ())).unwrap();
    let inputs = || vec![Input::File(path.clone())];
    let mut lines = Vec::new();
    let stream = Run::new(Settings::default(), inputs(), &extract);
    let summary = stream.documents(Environment::new(&mut io::sink(), &mut ()), |record| {
        lines.extend(serde_json::to_vec(&record).unwrap());
        lines.push(b'\n');
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
fn a_caller_who_wants_no_more_ends_the_run_after_any_document() {
    let mut bytes = gzip(&[page(0)]);
    let broken = gzip_member(&page(1), 6).unwrap();
    bytes.extend(&broken[..broken.len() / 2]);
    bytes.extend(gzip(&[page(2), page(3)]));
    let (_folder, path) = archive("a.warc.gz", &bytes);
    for wanted in 1..=3 {
        let mut taken = 0;
        let stream = Run::new(Settings::default(), vec![Input::File(path.clone())], &extract);
        let summary = stream.documents(Environment::new(&mut io::sink(), &mut ()), |_| {
            taken += 1;
            if taken == wanted { Err(io::ErrorKind::BrokenPipe.into()) } else { Ok(()) }
        });
        let summary = summary.unwrap_or_else(|error| panic!("after {wanted} documents: {error}"));
        assert_eq!((taken, summary.closed), (wanted, true));
        assert_eq!(summary.damaged, u64::from(wanted > 1), "after {wanted} documents");
    }
}
