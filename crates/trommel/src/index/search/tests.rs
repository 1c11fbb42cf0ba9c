use super::*;
use crate::index::{DEFAULT_MEMORY, IndexWriter};
use trommel_record::Document;

fn stored(id: &str, title: &str, text: &str) -> Document {
    Document {
        id: id.into(),
        title: Some(title.into()),
        text: text.into(),
        url: Some(format!("http://example.com/{id}")),
        source: Some(RecordSource { file: "a.warc.gz".into(), offset: 12, length: 34, inner: 0 }),
        ..Document::default()
    }
}

/// Checks that a snippet from the middle of a text marks the text left out before and after it.
#[test]
fn what_is_left_out_of_a_text_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let long = "words of no meaning here. ".repeat(40);
    let mut writer = IndexWriter::open(folder.path(), DEFAULT_MEMORY).unwrap();
    for (id, text) in [
        ("middle", format!("{long}The heron stands. {long}")),
        ("start", format!("A heron flies. {long}")),
        ("whole", "One heron.".to_owned()),
    ] {
        writer.add(&stored(id, "A title", &text)).unwrap();
    }
    writer.commit().unwrap();
    let hits = Index::open(folder.path()).unwrap().search("heron", 10).unwrap();
    assert_eq!(hits.len(), 3);
    for hit in hits {
        let Snippet { text, highlights } = &hit.snippet;
        assert_eq!(text.starts_with("… "), hit.document.id == "middle", "{text}");
        assert_eq!(text.ends_with(" …"), hit.document.id != "whole", "{text}");
        assert_eq!(&text[highlights[0].clone()], "heron");
    }
}

fn ids(index: &Index, query: &str) -> Vec<String> {
    index.search(query, 10).unwrap().into_iter().map(|hit| hit.document.id).collect()
}

#[test]
fn words_phrases_and_signs() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = IndexWriter::open(folder.path(), DEFAULT_MEMORY).unwrap();
    let mut with_heading = stored("h", "", "Nothing of note.\nWindmills");
    with_heading.headings = vec!["Windmills".into()];
    for document in [
        &stored("a", "Mill", "Its old wheel turns."),
        &stored("b", "A river", "The mill wheel is old; old is the house."),
        &stored("c", "東京の天気", "明日は雨が降るでしょう。"),
        &with_heading,
    ] {
        assert!(writer.add(document).unwrap());
    }
    assert!(!writer.add(&stored("d", "", "")).unwrap());
    assert_eq!(writer.commit().unwrap().added, 4);
    let index = Index::open(folder.path()).unwrap();
    assert_eq!(index.documents(), 4);
    // One word among few weighs more than one among many.
    assert_eq!(ids(&index, "Mills"), ["a", "b"]);
    assert_eq!(ids(&index, "\"mill wheel\""), ["b"]);
    assert_eq!(ids(&index, "wheel -river"), ["a"]);
    assert_eq!(ids(&index, "+river wheel"), ["b"]);
    assert_eq!(ids(&index, "windmill"), ["h"]);
    assert_eq!(ids(&index, "東京"), ["c"]);
    assert_eq!(ids(&index, "absent"), [""; 0]);
}

#[test]
fn single_characters_and_signs_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = IndexWriter::open(folder.path(), DEFAULT_MEMORY).unwrap();
    for document in [
        &stored("begin", "", "水曜日に泳ぐ"),
        &stored("middle", "", "香水の店"),
        &stored("end", "", "美しい水。"),
        &stored("other", "", "火曜日"),
        &stored("plus", "", "Templates in C++ are compiled."),
        &stored("plain", "", "Programs in C are compiled."),
    ] {
        writer.add(document).unwrap();
    }
    writer.commit().unwrap();
    let index = Index::open(folder.path()).unwrap();
    let mut found = ids(&index, "水");
    found.sort();
    assert_eq!(found, ["begin", "end", "middle"]);
    assert_eq!(ids(&index, "\"香水\""), ["middle"]);
    assert_eq!(ids(&index, "C++"), ["plus"]);
    assert_eq!(ids(&index, "c"), ["plain"]);
    let hit = index.search("水", 10).unwrap().remove(0);
    assert!(!hit.snippet.highlights.is_empty(), "{hit:?}");
}

/// Checks that an index file with changed bytes, cut or emptied, gives an error or an answer.
#[test]
fn damage_is_an_error_never_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = IndexWriter::in_order(folder.path(), DEFAULT_MEMORY).unwrap();
    for number in 0..200 {
        let text = format!("The old mill {number} of the river, 東京 の 天気 and wheels.");
        writer.add(&stored(&number.to_string(), "Mill", &text)).unwrap();
    }
    writer.commit_merged().unwrap();
    let all = || -> Result<Vec<String>> {
        let index = Index::open(folder.path())?;
        index.get("7")?;
        let hits = index.search("mill \"of the\" 京", 10)?;
        Ok(hits.into_iter().map(|hit| hit.document.id).collect())
    };
    let right = all().unwrap();
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.metadata().unwrap().len() > 0)
        .collect();
    files.sort();
    // The same places each time.
    let mut state = 7_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below
    };
    let (mut refused, mut rounds) = (0, 0);
    for file in &files {
        let whole = std::fs::read(file).unwrap();
        for round in 0..12 {
            let mut bytes = whole.clone();
            let at = random(bytes.len());
            match round {
                0 => bytes.clear(),
                1 => bytes.truncate(at),
                2 => bytes.extend([0; 9]),
                3 => bytes[at..].fill(0),
                _ => bytes[at] ^= 1 << random(8),
            }
            std::fs::write(file, &bytes).unwrap();
            rounds += 1;
            let is_list = file.extension().is_some_and(|ending| ending == "json");
            match all() {
                Err(_) => refused += 1,
                // Some bytes say nothing about documents; lists of files have no checksum.
                Ok(found) => assert!(is_list || found == right, "{}", file.display()),
            }
        }
        std::fs::write(file, whole).unwrap();
    }
    assert!(refused * 2 > rounds, "{refused} of {rounds}");
    let store = files.iter().find(|file| file.extension().is_some_and(|ending| ending == "store"));
    let mut bytes = std::fs::read(store.unwrap()).unwrap();
    bytes[9] ^= 1;
    std::fs::write(store.unwrap(), bytes).unwrap();
    let error = Index::open(folder.path()).err().unwrap().to_string();
    let what = "the index is damaged (its bytes are not those that were written); make it anew";
    assert!(error.contains(".store: ") && error.ends_with(what), "{error}");
    assert!(IndexWriter::open(folder.path(), DEFAULT_MEMORY).is_err());
}

#[test]
fn a_panic_of_the_library_is_an_error() {
    let error = guarded(Path::new("x"), || -> Result<(), IndexError> {
        let none: [u8; 0] = [];
        std::hint::black_box(none[std::hint::black_box(3)]);
        Ok(())
    });
    let error = error.unwrap_err().to_string();
    assert!(error.starts_with("x: the index is damaged (index out of"), "{error}");
}

#[test]
fn a_document_is_got_by_its_id() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = IndexWriter::open(folder.path(), DEFAULT_MEMORY).unwrap();
    writer.add(&stored("urn:a", "T", "One.\nTwo.")).unwrap();
    writer.add(&stored("urn:b", "", "Other.")).unwrap();
    writer.commit().unwrap();
    let index = Index::open(folder.path()).unwrap();
    let got = index.get("urn:a").unwrap().unwrap();
    assert_eq!((got.text.as_str(), got.title.as_deref()), ("One.\nTwo.", Some("T")));
    assert_eq!(got.source, stored("", "", "").source);
    assert_eq!(index.get("urn:b").unwrap().unwrap().title, None);
    for other in ["urn", "URN:A", "", "urn:c"] {
        assert_eq!(index.get(other).unwrap(), None, "{other}");
    }
}

#[test]
fn searches_have_pages_and_limits() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = IndexWriter::in_order(folder.path(), DEFAULT_MEMORY).unwrap();
    for number in 0..5 {
        let mut document = stored(&number.to_string(), "", "mill");
        document.lang = Some(if number < 3 { "en" } else { "de" }.into());
        document.url = Some(format!("https://{}.example.org/", number % 2));
        writer.add(&document).unwrap();
    }
    writer.commit_merged().unwrap();
    let index = Index::open(folder.path()).unwrap();
    let find = |offset, language, site| {
        let found = index.find(&Search { query: "mill", limit: 2, offset, language, site });
        let found = found.unwrap();
        let ids: Vec<String> = found.hits.into_iter().map(|hit| hit.document.id).collect();
        (found.documents, ids.join(" "))
    };
    assert_eq!(find(0, None, None), (5, "0 1".into()));
    assert_eq!(find(4, None, None), (5, "4".into()));
    assert_eq!(find(9, None, None), (5, String::new()));
    assert_eq!(find(0, Some("de"), None), (2, "3 4".into()));
    assert_eq!(find(0, None, Some("1.Example.org")), (2, "1 3".into()));
    assert_eq!(find(3, None, Some("example.org")), (5, "3 4".into()));
    assert_eq!(find(0, Some("fr"), None), (0, String::new()));
}

#[test]
fn a_hit_says_where_and_what() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = IndexWriter::in_order(folder.path(), 0).unwrap();
    let text = format!("{}\nThe mill grinds.", "Far away. ".repeat(100));
    writer.add(&stored("a", "T", &text)).unwrap();
    writer.add(&stored("j", "T", "明日は雨が降る")).unwrap();
    writer.commit_merged().unwrap();
    let index = Index::open(folder.path()).unwrap();
    let hit = index.search("mill", 10).unwrap().remove(0);
    assert_eq!(hit.document.url.as_deref(), Some("http://example.com/a"));
    assert_eq!(hit.document.source, stored("a", "", "").source);
    assert!(hit.snippet.text.len() < 250 && !hit.snippet.text.contains('\n'));
    let words = |hit: &Hit| -> Vec<String> {
        let ranges = hit.snippet.highlights.iter();
        ranges.map(|range| hit.snippet.text[range.clone()].to_owned()).collect()
    };
    assert_eq!(words(&hit), ["mill"]);
    assert_eq!(words(&index.search("雨が降る", 10).unwrap().remove(0)), ["雨が降る"]);
}

#[test]
fn long_texts_are_known_and_snippets_do_not_read_all_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = IndexWriter::in_order(folder.path(), 0).unwrap();
    let text = format!("The mill grinds. {} At the end is a wheel.", "Far away. ".repeat(100_000));
    writer.add(&stored("a", "", &text)).unwrap();
    writer.add(&stored("b", "", "The wheel.")).unwrap();
    writer.commit_merged().unwrap();
    let index = Index::open(folder.path()).unwrap();
    assert!(index.longest_text() > text.len() as u64 && index.longest_text() < 4 * text.len() as u64);
    let snippet = |query| index.search(query, 1).unwrap().remove(0).snippet;
    assert_eq!(snippet("mill").highlights.len(), 1);
    let late = snippet("\"end is\"");
    assert!(late.highlights.is_empty() && late.text.starts_with("The mill grinds."), "{late:?}");
    assert_eq!(index.get("a").unwrap().unwrap().text, text);
}

#[test]
fn the_same_id_replaces_and_nothing_counts_before_the_commit() {
    let folder = tempfile::tempdir().unwrap();
    for (text, expected) in [("first", "first"), ("second", "second")] {
        let mut writer = IndexWriter::open(folder.path(), 0).unwrap();
        writer.add(&stored("a", "", text)).unwrap();
        writer.commit().unwrap();
        let index = Index::open(folder.path()).unwrap();
        assert_eq!(index.documents(), 1);
        assert_eq!(ids(&index, expected), ["a"]);
    }
    let mut writer = IndexWriter::open(folder.path(), 0).unwrap();
    writer.add(&stored("b", "", "third")).unwrap();
    let error = IndexWriter::open(folder.path(), 0).err().unwrap();
    assert!(error.to_string().ends_with("is being written by another program"), "{error}");
    drop(writer);
    assert_eq!(ids(&Index::open(folder.path()).unwrap(), "third"), [""; 0]);
}

#[test]
fn other_folders_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |path: &Path| Index::open(path).err().unwrap().to_string();
    assert!(refused(&folder.path().join("gone")).ends_with("gone: no index here"));
    std::fs::write(folder.path().join("letter"), "x").unwrap();
    assert!(refused(folder.path()).ends_with(": no index here"));
    let error = IndexWriter::open(folder.path(), 0).err().unwrap();
    assert!(error.to_string().ends_with(": is neither empty nor an index"), "{error}");
}

#[test]
fn snippets_come_in_parts() {
    let snippet = Snippet { text: "Die Straße am Fluß".into(), highlights: vec![4..11, 15..20] };
    assert_eq!(snippet.parts(), [("Die ", false), ("Straße", true), (" am ", false), ("Fluß", true)]);
}
