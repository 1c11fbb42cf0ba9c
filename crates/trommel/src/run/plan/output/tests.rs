//! Tests outputs that exist, in buckets or with a mapping; `tests/cases/outputs.txt` has the others.

use super::*;

fn none() -> OutputSettings {
    OutputSettings::default()
}

fn choice(formats: &[Format], compress: Option<Compression>) -> OutputSettings {
    OutputSettings { format: formats.to_vec(), compress, ..OutputSettings::default() }
}

#[test]
fn bulk_requests_have_their_mapping_beside_them() {
    let mapping = |name: &str, format: Format| {
        let output = Output::new(name, &choice(&[format], None), &none()).unwrap();
        output.mapping_path()
    };
    assert_eq!(mapping("d/x.bulk.ndjson.gz", Format::Bulk), Some("d/x.bulk.mapping.json".into()));
    assert_eq!(mapping("out", Format::Bulk), Some("out/_bulk.mapping.json".into()));
    assert_eq!(mapping("-", Format::Bulk), None);
    assert_eq!(mapping("out", Format::Jsonl), None);
}

#[test]
fn existing_files_and_folders() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    std::fs::create_dir(at("x.jsonl")).unwrap();
    std::fs::write(at("notes.txt"), "").unwrap();
    let output = Output::new(&at("x.jsonl"), &none(), &none()).unwrap();
    assert_eq!(output.destination, Destination::Folder(at("x.jsonl").into()));
    std::fs::write(at("notes.odt"), "").unwrap();
    let error = Output::new(&at("notes.odt"), &none(), &none()).unwrap_err().to_string();
    assert!(error.contains("notes.odt: is a file and its name ends in no known suffix"), "{error}");
}

#[test]
fn addresses_of_buckets_are_folders_and_no_compression_is_forced() {
    for name in ["s3://b/x", "gs://b/x", "az://c/x"] {
        assert_eq!(Output::new(name, &none(), &none()).unwrap().destination, Destination::Folder(name.into()));
    }
    assert_eq!(
        Output::new("out", &choice(&[Format::Wet], Some(Compression::Zstd)), &none()).unwrap_err().to_string(),
        "wet cannot be compressed with zst; leave the compression out (it is gz then)"
    );
}
