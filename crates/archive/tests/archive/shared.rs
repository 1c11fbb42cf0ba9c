//! Tests with real archives, if they are available: in `TROMMEL_SHARED`, or in `../shared` beside the workspace.

use std::path::{Path, PathBuf};

use trommel_archive::{PayloadOptions, ReadOptions, Reader, payload};

fn shared(folder: &str) -> Option<PathBuf> {
    let root = std::env::var_os("TROMMEL_SHARED").map_or_else(
        || PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../../shared"),
        PathBuf::from,
    );
    let path = root.join(folder);
    if path.is_dir() {
        return Some(path);
    }
    println!("skipped: no folder {}", path.display());
    None
}

/// Number of records and of errors; None if the file can't be read as an archive.
fn count(path: &Path) -> Option<(usize, usize)> {
    let reader = Reader::open(path, ReadOptions::default()).ok()?;
    let size = path.metadata().unwrap().len();
    let (mut records, mut errors) = (0, 0);
    for item in reader {
        match item {
            Ok(record) => {
                assert!(record.place.offset + record.place.length <= size, "{}", record.place);
                assert!(record.place.length > 0, "{}", record.place);
                let _ = payload(&record, &PayloadOptions::default());
                records += 1;
            }
            Err(error) => {
                assert!(!error.is_fatal(), "{error}");
                errors += 1;
            }
        }
    }
    Some((records, errors))
}

/// File, records, errors. The numbers of records agree with another reader or with the version lines
/// in the plain bytes, but for damaged ARC files, whose header lines were counted by eye.
const COUNTS: &[(&str, usize, usize)] = &[
    ("N0taN3rd__node-warc__books.toscrape.warc", 60, 0),
    ("N0taN3rd__node-warc__parseMe.warc", 30, 0),
    ("N0taN3rd__node-warc__parseMe.warc.gz", 30, 0),
    ("allenai__dolma__sample-0000.warc.gz", 48, 0),
    ("allenai__dolma__sample-0001.warc.gz", 34, 0),
    ("apache__stormcrawler__test.warc.gz", 42, 0),
    ("apache__stormcrawler__unparsable-date.warc.gz", 3, 0),
    ("archivesunleashed__aut__badexample.arc.gz", 5, 2),
    ("archivesunleashed__aut__example.arc.gz", 300, 0),
    ("archivesunleashed__aut__example.docs.warc.gz", 21, 0),
    ("archivesunleashed__aut__example.pdf.warc.gz", 76, 0),
    ("archivesunleashed__aut__example.txt.warc.gz", 6, 0),
    ("archivesunleashed__aut__example.warc.gz", 822, 0),
    ("archivesunleashed__aut__issue-493.warc", 32, 0),
    ("archivesunleashed__aut__issue-514.warc", 8, 0),
    ("cc-64-flipped-bytes.warc.gz", 50, 1),
    ("cc-truncated-mid-member.warc.gz", 30, 1),
    ("chatnoir-eu__chatnoir-resiliparse__block-sized-records.warc", 3, 0),
    ("chatnoir-eu__chatnoir-resiliparse__block-sized-records.warc.gz", 3, 0),
    ("chatnoir-eu__chatnoir-resiliparse__clipped.warc.gz", 1, 1),
    ("chatnoir-eu__chatnoir-resiliparse__clueweb-quirk.warc.gz", 30, 0),
    ("chatnoir-eu__chatnoir-resiliparse__warcfile.warc", 50, 0),
    ("chatnoir-eu__chatnoir-resiliparse__warcfile.warc.lz4", 50, 0),
    ("chatnoir-eu__chatnoir-resiliparse__block-sized-records.warc.lz4", 3, 0),
    ("chatnoir-eu__chatnoir-resiliparse__warcfile.warc.gz", 50, 0),
    ("commoncrawl__ia-web-commons__IAH-20080430204825-00000-blackbook-truncated.arc", 9, 0),
    ("commoncrawl__ia-web-commons__IAH-urls-wget.warc", 36, 0),
    ("commoncrawl__ia-web-commons__IAH-urls-wget.warc.gz", 36, 0),
    ("commoncrawl__ia-web-commons__html-lang-attribute.warc", 5, 0),
    ("commoncrawl__ia-web-commons__link-extraction-test.warc", 10, 0),
    ("commoncrawl__ia-web-commons__meta-itemprop.warc", 1, 0),
    ("commoncrawl__ia-web-commons__mutliple-headers.warc", 1, 0),
    ("commoncrawl__ia-web-commons__text-extraction-test.warc", 4, 0),
    ("commoncrawl__ia-web-commons__title-extraction-embedded-SVG.warc", 1, 0),
    ("commoncrawl__whirlwind-python__whirlwind.warc", 4, 0),
    ("commoncrawl__whirlwind-python__whirlwind.warc.gz", 4, 0),
    ("commoncrawl__whirlwind-python__whirlwind.warc.wat", 2, 0),
    ("commoncrawl__whirlwind-python__whirlwind.warc.wat.gz", 2, 0),
    ("commoncrawl__whirlwind-python__whirlwind.warc.wet", 2, 0),
    ("commoncrawl__whirlwind-python__whirlwind.warc.wet.gz", 2, 0),
    ("iipc__jwarc__cc.warc.gz", 1, 0),
    ("iipc__jwarc__gzip_extra_sl.warc.gz", 1, 0),
    ("iipc__warc-specifications__20130729-heritrix-original.warc.gz", 1, 0),
    ("iipc__warc-specifications__20130729-heritrix-revisit-with-http-headers.warc.gz", 1, 0),
    ("iipc__warc-specifications__20141124-heritrix-server-not-modified.warc.gz", 1, 0),
    ("iipc__warc-specifications__20141129-heritrix-original.warc.gz", 1, 0),
    ("iipc__warc-specifications__20141129-heritrix-revisit-with-http-headers-and-new-warc-headers.warc.gz", 1, 0),
    ("iipc__warc-specifications__hello-world.warc.gz", 6, 0),
    ("iipc__webarchive-commons__link-extraction-test.warc", 8, 0),
    ("oduwsdl__ipwb__1memento.warc", 4, 0),
    ("oduwsdl__ipwb__1memento_noContentType.warc", 2, 0),
    ("oduwsdl__ipwb__2mementos.warc", 5, 0),
    ("oduwsdl__ipwb__2mementos_htmlXhtml.warc", 3, 0),
    ("oduwsdl__ipwb__2mementos_queryString.warc", 3, 0),
    ("oduwsdl__ipwb__3mementos.warc", 6, 0),
    ("oduwsdl__ipwb__4mementos.warc", 7, 0),
    ("oduwsdl__ipwb__5mementos.warc", 8, 0),
    ("oduwsdl__ipwb__5mementosAndFroggie.warc", 9, 0),
    ("oduwsdl__ipwb__HTTP204.warc", 3, 2),
    ("oduwsdl__ipwb__HTTP404.warc", 2, 0),
    ("oduwsdl__ipwb__baconIpsum.warc.gz", 6, 0),
    ("oduwsdl__ipwb__baconIpsum_chunked.warc", 6, 0),
    ("oduwsdl__ipwb__baconIpsum_chunked_httpTrailors.warc", 6, 0),
    ("oduwsdl__ipwb__broken.warc", 6, 1),
    ("oduwsdl__ipwb__frogTest.warc", 6, 0),
    ("oduwsdl__ipwb__froggie.warc.gz", 10, 0),
    ("oduwsdl__ipwb__mkelly1.warc", 7, 0),
    ("oduwsdl__ipwb__mkelly2.warc", 7, 0),
    ("oduwsdl__ipwb__redirect.warc", 2, 1),
    ("oduwsdl__ipwb__redirectRelative.warc", 2, 0),
    ("oduwsdl__ipwb__salam-home.warc", 6, 0),
    ("oduwsdl__ipwb__sample-1.warc.gz", 231, 0),
    ("oduwsdl__ipwb__slash.warc", 2, 0),
    ("oduwsdl__ipwb__variableSizedDates.warc", 5, 0),
    ("webrecorder__pywb__dupes.warc.gz", 25, 0),
    ("webrecorder__pywb__example-extra.warc", 6, 0),
    ("webrecorder__pywb__example-url-agnostic-orig.warc.gz", 2, 0),
    ("webrecorder__pywb__example-wget-1-14.warc.gz", 6, 0),
    ("webrecorder__pywb__example-wpull.warc.gz", 4, 0),
    ("webrecorder__pywb__example.warc", 6, 1),
    ("webrecorder__pywb__example.warc.gz", 6, 0),
    ("webrecorder__pywb__example2.warc.gz", 3, 0),
    ("webrecorder__pywb__httpbin-resource.warc.gz", 1, 0),
    ("webrecorder__pywb__iana.warc.gz", 343, 0),
    ("webrecorder__pywb__missing-status-text.warc", 1, 0),
    ("webrecorder__warcio.js__example-bad-length.warc", 6, 1),
    ("webrecorder__warcio.js__example-resource.warc.gz", 1, 0),
    ("webrecorder__warcio.js__example-url-agnostic-revisit.warc.gz", 2, 0),
    ("webrecorder__warcio.js__example.warc", 7, 0),
    ("webrecorder__warcio.js__post-test-more.warc", 6, 0),
    ("webrecorder__warcio.js__redirect.warc", 2, 0),
    ("webrecorder__warcio__bad.arc", 4, 3),
    ("webrecorder__warcio__example-bad-non-chunked.warc.gz", 6, 0),
    ("webrecorder__warcio__example-bad.warc.gz.bad", 6, 0),
    ("webrecorder__warcio__example-digest.warc", 4, 0),
    ("webrecorder__warcio__example-iana.org-chunked.warc", 3, 0),
    ("webrecorder__warcio__example-resource.warc.gz", 3, 0),
    ("webrecorder__warcio__example-space-in-target-uri.warc.gz", 2, 0),
    ("webrecorder__warcio__example-space-in-url.arc", 2, 1),
    ("webrecorder__warcio__example-trunc.warc", 4, 1),
    ("webrecorder__warcio__example-wget-bad-target-uri.warc.gz", 6, 0),
    ("webrecorder__warcio__example-wrong-chunks.warc.gz", 2, 0),
    ("webrecorder__warcio__example.arc", 2, 0),
    ("webrecorder__warcio__example.arc.gz", 2, 0),
    ("webrecorder__warcio__example.warc", 6, 0),
    ("webrecorder__warcio__example.warc.gz", 6, 0),
    ("webrecorder__warcio__post-test.warc.gz", 6, 0),
];

#[test]
fn real_and_broken_files() {
    let Some(folder) = shared("warc") else { return };
    let mut others = Vec::new();
    for (name, records, errors) in COUNTS {
        let path = folder.join(name);
        let found = count(&path);
        if path.exists() && found != Some((*records, *errors)) {
            others.push((name, found));
        }
    }
    assert!(others.is_empty(), "{others:?}");
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        let name = path.to_string_lossy().into_owned();
        let archive = ![".wacz", ".md"].iter().any(|suffix| name.ends_with(suffix));
        assert_eq!(count(&path).is_some(), archive, "{name}");
    }
}

#[test]
fn holes_are_counted() {
    let Some(folder) = shared("repro") else {
        return;
    };
    for (name, offset, lost) in [("hole.warc.gz", 8078, 13_502), ("tail.warc.gz", 13_482, 13_501)] {
        let reader = Reader::open(&folder.join(name), ReadOptions::default()).unwrap();
        let items: Vec<_> = reader.collect();
        let errors: Vec<String> =
            items.iter().filter_map(|item| item.as_ref().err().map(ToString::to_string)).collect();
        let path = folder.join(name).display().to_string();
        let place = format!("{path}: offset {offset}: zeros in place of data, {lost} bytes lost");
        assert_eq!(errors, [place]);
        assert_eq!(items.len() - 1, 50, "{name}");
    }
}

#[test]
fn whole_sets_without_damage() {
    let Some(folder) = shared("data") else { return };
    for (name, records) in [("zhweb", 70), ("dragnet-test", 416), ("l3s-gn1", 622)] {
        let path = folder.join(format!("{name}.warc.gz"));
        if path.exists() {
            assert_eq!(count(&path), Some((records, 0)), "{name}");
        }
    }
}
