//! Tests the names of outputs, and the names that are refused.

use super::*;

fn none() -> OutputSettings {
    OutputSettings::default()
}

fn choice(formats: &[Format], compress: Option<Compression>) -> OutputSettings {
    let mut choice = OutputSettings::default();
    choice.format = formats.to_vec();
    choice.compress = compress;
    choice
}

fn in_parts(mut choice: OutputSettings) -> OutputSettings {
    choice.split_size = Some(ByteSize(9));
    choice
}

fn format(format: Format) -> OutputSettings {
    choice(&[format], None)
}

fn names(output: &str, chosen: OutputSettings, inputs: &[&str]) -> Vec<String> {
    let inputs: Vec<Input> = inputs
        .iter()
        .map(|name| match *name {
            "-" => Input::Stdin,
            url if url.contains("://") => Input::Url(url.into()),
            name => Input::File(name.into()),
        })
        .collect();
    let paths = Output::new(output, &chosen, &none()).unwrap().paths(&inputs).into_iter();
    paths.map(|path| path.strip_prefix("out").unwrap().to_string_lossy().into()).collect()
}

#[test]
fn shards_are_named_after_their_archives() {
    let inputs =
        ["x/a.warc.gz", "b.ARC.GZ", "c.warc.zst", "d", "-", "e.warc.wet.gz", "https://example.org/x/f.warc.gz?key=1/2"];
    assert_eq!(
        names("out", none(), &inputs),
        [
            "a.jsonl.zst", "b.jsonl.zst", "c.jsonl.zst", "d.jsonl.zst", "stdin.jsonl.zst", "e.warc.wet.jsonl.zst",
            "f.jsonl.zst"
        ]
    );
    assert_eq!(names("out", format(Format::Wet), &["a.warc.gz"]), ["a.warc.wet.gz"]);
    let plain = choice(&[Format::Msgpack], Some(Compression::None));
    assert_eq!(names("out", plain, &["a.warc.gz"]), ["a.msgpack"]);
}

#[test]
fn names_alike_are_told_apart_by_the_paths_not_by_the_order() {
    let inputs = ["x/a.warc", "y/a.warc.gz", "b.warc", "z/a.arc"];
    let one = names("out", none(), &inputs);
    let mut reversed = inputs;
    reversed.reverse();
    let mut other = names("out", none(), &reversed);
    other.reverse();
    assert_eq!(one, other);
    assert_eq!(one[2], "b.jsonl.zst");
    for name in [&one[0], &one[1], &one[3]] {
        let digits = name.strip_prefix("a-").unwrap().strip_suffix(".jsonl.zst").unwrap();
        assert!(digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    }
    // The same input again.
    assert_eq!(names("out", none(), &["a.warc", "a.warc"]), ["a.jsonl.zst", "a-2.jsonl.zst"]);
}

#[test]
fn the_suffix_sets_the_format() {
    for (name, format, compression) in [
        ("o.jsonl", Format::Jsonl, Compression::None),
        ("o.jsonl.gz", Format::Jsonl, Compression::Gzip),
        ("o.jsonl.zst", Format::Jsonl, Compression::Zstd),
        ("o.msgpack.zst", Format::Msgpack, Compression::Zstd),
        ("o.warc.wet.gz", Format::Wet, Compression::Gzip),
        ("o.anserini.jsonl.gz", Format::Anserini, Compression::Gzip),
        ("o.trec", Format::Trec, Compression::None),
        ("o.bulk.ndjson.zst", Format::Bulk, Compression::Zstd),
    ] {
        // What the configuration file says is weaker than a name on the command line.
        let fallback = choice(&[Format::Msgpack], Some(Compression::None));
        let output = Output::new(name, &none(), &fallback).unwrap();
        let expected = Output {
            destination: Destination::File(name.into()),
            encodings: vec![Encoding { format, compression }],
            split: None,
        };
        assert_eq!(output, expected);
    }
}

#[test]
fn names_of_files_that_are_not_written_are_refused() {
    for name in ["x.csv", "d/x.JSON", "x.jsonl.xz", "x.parquet.gz", "s3://b/x.csv"] {
        assert_eq!(
            Output::new(name, &none(), &none()).unwrap_err().to_string(),
            format!(
                "{name}: no such file is written, only .jsonl[.gz|.zst], .msgpack[.gz|.zst], \
                 .wet[.gz], .anserini.jsonl[.gz], .trec[.gz], .bulk.ndjson[.gz|.zst], .parquet, \
                 .annotations.parquet, .tantivy; with a slash at its end it would be a folder"
            )
        );
    }
    let folder = |name: &str| Output::new(name, &none(), &none()).unwrap().destination;
    for name in ["out", "out.2026", "x.csv/", "crawl-1.5", "s3://b/x", "gs://b/x", "az://c/x"] {
        assert_eq!(folder(name), Destination::Folder(name.into()));
    }
    let error = Output::new("https://me:hush@host/x.jsonl?k=1", &none(), &none());
    // The name of a format does not make a URL one that is written to.
    let error = error.map(|output| output.destination).unwrap_err().to_string();
    assert!(error.contains("s3://") && !error.contains("hush"), "{error}");
    let error = Output::new("hf://buckets/o/n/x.jsonl", &none(), &none()).unwrap_err().to_string();
    assert!(error.ends_with("URLs of s3://, gs:// and az://"), "{error}");
}

#[test]
fn conflicts_are_errors() {
    let error = |name: &str, chosen: &OutputSettings| {
        let output = Output::new(name, chosen, &none());
        output.unwrap_err().to_string()
    };
    assert_eq!(error("o.jsonl", &format(Format::Wet)), "o.jsonl: the name says jsonl, the option says wet");
    assert_eq!(
        error("o.jsonl.gz", &choice(&[], Some(Compression::Zstd))),
        "o.jsonl.gz: the name says gz, the option says zst"
    );
    assert_eq!(
        error("out", &choice(&[Format::Wet], Some(Compression::Zstd))),
        "wet cannot be compressed with zst; leave the compression out (it is gz then)"
    );
}

#[test]
fn several_formats_go_into_a_folder() {
    let three = [Format::Jsonl, Format::Wet, Format::Parquet, Format::Jsonl];
    assert_eq!(
        names("out", choice(&three, None), &["a.warc.gz", "b.warc"]),
        ["a.jsonl.zst", "a.warc.wet.gz", "a.parquet", "b.jsonl.zst", "b.warc.wet.gz", "b.parquet"]
    );
    // What the file says is for want of a choice.
    let output = Output::new("out", &format(Format::Trec), &choice(&three, None)).unwrap();
    assert_eq!(output.encodings.len(), 1);
    // A compression is for those that can have it.
    let zstd = choice(&three, Some(Compression::Zstd));
    assert_eq!(names("out", zstd, &["a.warc"]), ["a.jsonl.zst", "a.warc.wet.gz", "a.parquet"]);
    let plain = choice(&three, Some(Compression::None));
    assert_eq!(names("out", plain, &["a.warc"]), ["a.jsonl", "a.warc.wet", "a.parquet"]);
    let none_can = choice(&[Format::Wet, Format::Trec], Some(Compression::Zstd));
    for (name, chosen, error) in [
        ("out", &none_can, "wet cannot be compressed with zst; leave the compression out (it is gz then)"),
        ("o.jsonl", &choice(&three, None), "o.jsonl: is one output, several formats need a folder"),
        ("-", &choice(&three, None), "standard output: is one output, several formats need a folder"),
    ] {
        assert_eq!(Output::new(name, chosen, &none()).unwrap_err().to_string(), error);
    }
}

#[test]
fn the_compression_of_the_file_is_for_formats_that_can_have_it() {
    let of_file = choice(&[Format::Jsonl], Some(Compression::Zstd));
    for (chosen, expected) in [
        (Format::Msgpack, Compression::Zstd),
        (Format::Parquet, Compression::None),
        (Format::Tantivy, Compression::None),
        (Format::Wet, Compression::Gzip),
    ] {
        let output = Output::new("out", &format(chosen), &of_file).unwrap();
        assert_eq!(output.encodings[0].compression, expected, "{chosen}");
    }
}

#[test]
fn parts_are_numbered_before_the_suffix() {
    let all = [Format::Jsonl, Format::Wet, Format::Anserini, Format::Tantivy];
    let split = |name: &str, chosen: &OutputSettings| {
        let output = Output::new(name, &in_parts(chosen.clone()), &none()).unwrap();
        output.paths(&[Input::File("a.warc.gz".into())])
    };
    assert_eq!(
        split("out", &choice(&all, None)),
        ["out/a-00000.jsonl.zst", "out/a-00000.warc.wet.gz", "out/a-00000.anserini.jsonl.gz", "out/a.tantivy"]
            .map(PathBuf::from)
    );
    for (name, expected) in [
        ("d/x.jsonl.zst", "d/x-00000.jsonl.zst"),
        ("x.WARC.wet.gz", "x-00000.WARC.wet.gz"),
        ("x.wet", "x-00000.wet"),
        ("x.tantivy", "x.tantivy"),
    ] {
        assert_eq!(split(name, &none()), [PathBuf::from(expected)]);
    }
    assert_eq!(Output::new("-", &in_parts(none()), &none()), Err(DestinationError::Split));
    assert!(Output::new("-", &none(), &in_parts(none())).is_ok());
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
fn standard_output_is_plain() {
    let fallback = choice(&[Format::Msgpack], Some(Compression::Zstd));
    let output = Output::new("-", &none(), &fallback).unwrap();
    assert_eq!(output.encodings[0].compression, Compression::None);
    assert_eq!(output.encodings[0].format, Format::Msgpack);
}

#[test]
fn assembled_formats_have_a_place() {
    for (chosen, words) in [
        (
            Format::Parquet,
            "parquet cannot be written to standard output, only to a file or folder; choose another format",
        ),
        (
            Format::Tantivy,
            "tantivy cannot be written to standard output, only to a file or folder; choose another format",
        ),
    ] {
        assert_eq!(Output::new("-", &format(chosen), &none()).unwrap_err().to_string(), words);
    }
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("x.tantivy");
    std::fs::create_dir(&name).unwrap();
    let output = Output::new(name.to_str().unwrap(), &none(), &none()).unwrap();
    assert_eq!(output.destination, Destination::File(name));
    assert_eq!(output.encodings[0].format, Format::Tantivy);
    assert_eq!(names("out", format(Format::Parquet), &["a.warc.gz"]), ["a.parquet"]);
}

#[test]
fn existing_files_and_folders() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    std::fs::create_dir(at("x.jsonl")).unwrap();
    std::fs::write(at("notes.txt"), "").unwrap();
    std::fs::write(at("in.wet.gz"), "").unwrap();
    let output = Output::new(&at("x.jsonl"), &none(), &none()).unwrap();
    assert_eq!(output.destination, Destination::Folder(at("x.jsonl").into()));
    assert_eq!(Output::new(&at("notes.txt"), &none(), &none()), Err(DestinationError::UnknownSuffix(at("notes.txt"))));
    let output = Output::new(&at("in.wet.gz"), &none(), &none()).unwrap();
    assert_eq!(
        output.check(&[Input::File(at("x.jsonl/../in.wet.gz").into())]),
        Err(DestinationError::IsInput(at("x.jsonl/../in.wet.gz")))
    );
    assert_eq!(output.check(&[Input::File(at("notes.txt").into())]), Ok(()));
}
