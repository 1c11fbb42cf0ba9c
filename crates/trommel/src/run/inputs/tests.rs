//! Tests names that are no text, addresses and indexes; `tests/cases/inputs.txt` has the others.

use super::*;

fn at(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).to_string_lossy().into_owned()
}

#[cfg(unix)]
#[test]
fn names_that_are_no_text_are_paths() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(OsStr::from_bytes(b"caf\xe9.warc"));
    fs::write(&path, "").unwrap();
    for argument in [path.as_os_str(), folder.path().as_os_str()] {
        let inputs = expand(&[argument], None, &NetworkOptions::default()).unwrap();
        assert_eq!(inputs, [Input::File(path.clone())]);
    }
}

#[test]
fn urls_and_manifests_of_urls() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(at(&folder, "list"), "a.warc.gz\nhttps://host/b.warc.gz\n").unwrap();
    let arguments = ["s3://bucket/x.warc".to_owned(), format!("@{}", at(&folder, "list"))];
    let base = Location::new("https://data.example.org/");
    let url = |url: &str| Input::Url(url.to_owned());
    assert_eq!(
        expand(&arguments, Some(&base), &NetworkOptions::default()).unwrap(),
        [url("s3://bucket/x.warc"), url("https://data.example.org/a.warc.gz"), url("https://host/b.warc.gz")]
    );
}

#[test]
fn an_index_stands_for_its_records() {
    let folder = tempfile::tempdir().unwrap();
    let row = r#"x 1 {"filename": "a.warc.gz", "offset": "5", "length": "7"}"#;
    fs::write(at(&folder, "i.cdxj"), row).unwrap();
    let index = at(&folder, "i.cdxj");
    let archives = |base: Option<&Location>| match select(
        Path::new(&index),
        base,
        SelectOptions::default(),
        &NetworkOptions::default(),
    ) {
        Ok(Input::Selection(selection)) => selection.archives.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(archives(None), [Location::File(folder.path().join("a.warc.gz"))]);
    let url = Location::Url("s3://bucket/a.warc.gz".into());
    assert_eq!(archives(Some(&Location::new("s3://bucket"))), [url]);
    let elsewhere = Location::new("ftp://host");
    let error = select(Path::new(&index), Some(&elsewhere), SelectOptions::default(), &NetworkOptions::default());
    assert!(error.unwrap_err().to_string().starts_with("ftp://host/a.warc.gz: only"));
}

#[test]
fn what_never_ends_is_an_error() {
    let mut bytes = Vec::new();
    copy_bounded([7; 100].as_slice(), 100, &mut bytes).unwrap();
    assert_eq!(bytes.len(), 100);
    let error = copy_bounded(io::repeat(0), 3 << 20, &mut bytes).unwrap_err();
    assert_eq!(error.to_string(), "has more than 3 MiB");
}
