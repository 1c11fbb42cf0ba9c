use super::*;
use std::io::Write;

fn folder(names: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    folder
}

fn names(folder: &Path, arguments: &[String]) -> Vec<String> {
    let prefix = format!("{}/", folder.display());
    expand(arguments, None, &NetworkOptions::default())
        .unwrap()
        .iter()
        .map(|input| input.name().replace(&prefix, ""))
        .collect()
}

fn at(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).to_string_lossy().into_owned()
}

#[test]
fn folders_are_sorted_and_hold_archives_only() {
    let folder = folder(&[
        "b.warc", "a.warc.gz", "sub/c.WARC.ZST", "d.arc.gz", "e.warc.lz4", "h.wacz", "f.warc.wet.gz", "g.txt",
    ]);
    let arguments = [folder.path().to_string_lossy().into_owned()];
    assert_eq!(
        names(folder.path(), &arguments),
        ["a.warc.gz", "b.warc", "d.arc.gz", "e.warc.lz4", "h.wacz", "sub/c.WARC.ZST"]
    );
}

#[test]
fn texts_are_read_where_there_are_no_archives() {
    let folder = folder(&["f.warc.wet.gz", "sub/g.wet", "h.wat"]);
    let arguments = [folder.path().to_string_lossy().into_owned()];
    assert_eq!(names(folder.path(), &arguments), ["f.warc.wet.gz", "sub/g.wet"]);
}

#[cfg(unix)]
#[test]
fn names_that_are_no_text_are_paths() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = folder(&[]);
    let path = folder.path().join(OsStr::from_bytes(b"caf\xe9.warc"));
    fs::write(&path, "").unwrap();
    for argument in [path.as_os_str(), folder.path().as_os_str()] {
        let inputs = expand(&[argument], None, &NetworkOptions::default()).unwrap();
        assert_eq!(inputs, [Input::File(path.clone())]);
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_passed_over() {
    let folder = folder(&["a.warc", "b.txt", "_MANIFEST"]);
    let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("s.warc")).unwrap();
    std::os::unix::fs::symlink(folder.path(), folder.path().join("l.warc")).unwrap();
    assert_eq!(names(folder.path(), &[folder.path().to_string_lossy().into_owned()]), ["a.warc"]);
    let mut found = Found::default();
    archives_below(folder.path(), &mut found).unwrap();
    let others: Vec<(&str, usize)> = found.others.iter().map(|(kind, &count)| (kind.as_str(), count)).collect();
    assert_eq!(others, [(".txt", 1), ("links to folders", 1), ("pipes, sockets or devices", 1)]);
}

#[test]
fn arguments_keep_their_order() {
    let folder = folder(&["a.warc", "b.warc"]);
    let arguments = [at(&folder, "b.warc"), "-".to_owned(), at(&folder, "gone.warc"), at(&folder, "*.warc")];
    assert_eq!(names(folder.path(), &arguments), ["b.warc", "-", "gone.warc", "a.warc", "b.warc"]);
}

#[test]
fn an_existing_file_wins_over_a_glob() {
    let folder = folder(&["a[1].warc", "a1.warc"]);
    assert_eq!(names(folder.path(), &[at(&folder, "a[1].warc")]), ["a[1].warc"]);
    assert_eq!(names(folder.path(), &[at(&folder, "a[12].warc")]), ["a1.warc"]);
}

#[test]
fn manifests_are_relative_to_themselves() {
    let folder = folder(&["lists/x"]);
    let text = "# crawl\n\na.warc.gz\n  sub/b.warc.gz \n/c.warc\n";
    fs::write(at(&folder, "lists/plain.txt"), text).unwrap();
    let packed = File::create(at(&folder, "lists/warc.paths.gz")).unwrap();
    let mut packed = flate2::write::GzEncoder::new(packed, flate2::Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    packed.finish().unwrap();
    for name in ["lists/plain.txt", "lists/warc.paths.gz"] {
        let arguments = [format!("@{}", at(&folder, name))];
        assert_eq!(names(folder.path(), &arguments), ["lists/a.warc.gz", "lists/sub/b.warc.gz", "/c.warc"]);
    }
}

#[test]
fn urls_and_manifests_of_urls() {
    let folder = folder(&[]);
    fs::write(at(&folder, "list"), "a.warc.gz\nhttps://host/b.warc.gz\n").unwrap();
    let arguments = ["s3://bucket/x.warc".to_owned(), format!("@{}", at(&folder, "list"))];
    let base = Base::new("https://data.example.org/");
    let url = |url: &str| Input::Url(url.to_owned());
    assert_eq!(
        expand(&arguments, Some(&base), &NetworkOptions::default()).unwrap(),
        [url("s3://bucket/x.warc"), url("https://data.example.org/a.warc.gz"), url("https://host/b.warc.gz")]
    );
}

#[test]
fn an_index_stands_for_its_records() {
    let folder = folder(&[]);
    let row = r#"x 1 {"filename": "a.warc.gz", "offset": "5", "length": "7"}"#;
    fs::write(at(&folder, "i.cdxj"), row).unwrap();
    let index = at(&folder, "i.cdxj");
    let archives = |base: Option<&Base>| match select(
        Path::new(&index),
        base,
        SelectOptions::default(),
        &NetworkOptions::default(),
    ) {
        Ok(Input::Selection(selection)) => selection.archives().to_vec(),
        other => panic!("{other:?}"),
    };
    assert_eq!(archives(None), [Location::File(folder.path().join("a.warc.gz"))]);
    let url = Location::Url("s3://bucket/a.warc.gz".into());
    assert_eq!(archives(Some(&Base::new("s3://bucket"))), [url]);
    let elsewhere = Base::new("ftp://host");
    let error = select(Path::new(&index), Some(&elsewhere), SelectOptions::default(), &NetworkOptions::default());
    assert!(error.unwrap_err().to_string().starts_with("ftp://host/a.warc.gz: only"));
}

#[test]
fn what_stands_for_nothing_is_named() {
    let folder = folder(&["empty/x.txt"]);
    fs::write(at(&folder, "list"), "# none\n").unwrap();
    for (argument, reason) in [
        (at(&folder, "empty"), "no WARC, ARC or WACZ file in this folder (passed over: 1 .txt)"),
        (at(&folder, "*.warc"), "no file matches"),
        (format!("@{}", at(&folder, "list")), "no path in this manifest"),
    ] {
        let inputs = expand(std::slice::from_ref(&argument), None, &NetworkOptions::default()).unwrap();
        let reason = reason.to_owned();
        assert_eq!(inputs, [Input::Nothing { argument, reason }]);
    }
}

#[test]
fn what_cannot_be_run_is_an_error() {
    let error = |argument: &str| {
        expand(&["-".to_owned(), argument.to_owned()], None, &NetworkOptions::default()).unwrap_err().to_string()
    };
    assert_eq!(
        error("ftp://host/a.warc.gz"),
        "ftp://host/a.warc.gz: only http(s)://, s3://, gs://, az:// and hf:// URLs are read"
    );
    assert_eq!(error("hf://datasets/org"), "hf://datasets/org: names a server, not an archive on it");
    assert_eq!(error("-"), "-: standard input can be read only once");
    assert!(error("@/gone/list").starts_with("/gone/list: "));
    assert!(error("/x/***").starts_with("/x/***: "));
}
