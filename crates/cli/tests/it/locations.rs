//! Tests that inputs and outputs behave in the same way on every kind of store.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{fs, slice};

use crate::program::{RunResult, trommel_under, wait, workspace};
use crate::sample::{archive_bytes, documents};
use crate::select::{index, same_documents};
use crate::stores::{Fault, Protocol, SECRET, Store};

const LISTED: [Protocol; 5] = [Protocol::S3, Protocol::Google, Protocol::Azure, Protocol::Dataset, Protocol::Bucket];
const ALL: [Protocol; 6] =
    [Protocol::S3, Protocol::Google, Protocol::Azure, Protocol::Dataset, Protocol::Bucket, Protocol::Http];
const WRITTEN: [Protocol; 3] = [Protocol::S3, Protocol::Google, Protocol::Azure];

fn run(store: &Store, folder: &Path, arguments: &[&str]) -> RunResult {
    let variables = store.variables();
    let variables: Vec<(&str, &str)> = variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    trommel_under(folder, &[&["run"], arguments].concat(), b"", &variables)
}

/// Returns the names of the inputs that a dry run lists.
fn inputs_of(ran: &RunResult, store: &Store) -> Vec<String> {
    let urls = ran.well().split_whitespace().filter_map(|word| word.strip_suffix(':'));
    urls.filter(|word| word.starts_with(store.root())).map(str::to_owned).collect()
}

#[test]
fn folders_and_globs_are_listed() {
    for protocol in LISTED {
        let store = Store::start(protocol, false);
        let body = archive_bytes();
        for key in ["a/b.warc.gz", "a/c.warc.gz", "a/sub/d.warc.gz", "ab/f.warc.gz", "z/e.warc.gz"] {
            store.put(key, &body);
        }
        store.put("a/notes.txt", b"notes");
        let folder = tempfile::tempdir().unwrap();
        let dry = |arguments: &[&str]| run(&store, folder.path(), &[arguments, &["-o", "out", "--dry-run"]].concat());
        let of_a = ["a/b.warc.gz", "a/c.warc.gz", "a/sub/d.warc.gz"].map(|key| store.url(key));
        let prefix = dry(&[&store.url("a/")]);
        assert_eq!(inputs_of(&prefix, &store), of_a, "{protocol:?}");
        prefix.said("passed over: 1 .txt");
        assert_eq!(inputs_of(&dry(&[&store.url("a/*.warc.gz")]), &store), of_a[..2], "{protocol:?}");
        assert_eq!(inputs_of(&dry(&[&store.url("*/e.warc.gz")]), &store), [store.url("z/e.warc.gz")]);
        assert_eq!(inputs_of(&dry(&[store.root()]), &store).len(), 5, "{protocol:?}");
        fs::write(folder.path().join("list"), "a/\nz/*.warc.gz\n").unwrap();
        assert_eq!(inputs_of(&dry(&["@list", "--base-url", store.root()]), &store).len(), 4);
        run(&store, folder.path(), &[&store.url("q/*"), "-o", "-"]).ended(2, "no object matches");
    }
}

#[test]
fn archives_manifests_indexes_and_configurations_are_read() {
    for protocol in ALL {
        let store = Store::start(protocol, false);
        let body = archive_bytes();
        let url = store.url("a/b.warc.gz");
        store.put("a/b.warc.gz", &body);
        store.put("a/empty.warc.gz", b"");
        let folder = tempfile::tempdir().unwrap();
        same_documents(&run(&store, folder.path(), &[&url, "-o", "-"]), &documents(&workspace()), &url);
        // Names in a manifest and an index that lie there are below their own folder.
        store.put("a/list", b"# one\nb.warc.gz\n");
        let listed = run(&store, folder.path(), &[&format!("@{}", store.url("a/list")), "-o", "-"]);
        same_documents(&listed, &documents(&workspace()), &url);
        let (lines, wanted) = index();
        store.put("a/i.cdxj", lines.replace("wcxb-sample.warc.gz", "b.warc.gz").as_bytes());
        store.seen();
        let selected = run(&store, folder.path(), &["--select", &store.url("a/i.cdxj"), "-o", "-"]);
        same_documents(&selected, &wanted, &url);
        // Ranges only, and of the parts that are wanted.
        let reads = store.seen();
        let reads = reads.iter().filter(|request| request.path.contains("b.warc.gz"));
        let ranges: Vec<_> = reads.map(|read| read.headers.get("range").or(read.headers.get("x-ms-range"))).collect();
        assert!(!ranges.is_empty() && ranges.iter().all(Option::is_some), "{protocol:?} {ranges:?}");
        store.put("a/c.toml", b"[filters]\nstatus = [404]\n");
        let none = run(&store, folder.path(), &[&url, "-o", "-", "--config", &store.url("a/c.toml")]);
        assert_eq!(none.well(), "", "{protocol:?}");
        store.put("a/c.toml", b"[filters]\nunknown = 1\n");
        let bad = run(&store, folder.path(), &[&url, "-o", "-", "--config", &store.url("a/c.toml")]);
        bad.said(&format!("{}:2: ", store.url("a/c.toml")));
        let gone = run(&store, folder.path(), &[&store.url("a/gone.warc.gz"), "-o", "-"]);
        gone.ended(2, "gone.warc.gz: not found");
        let empty = run(&store, folder.path(), &[&store.url("a/empty.warc.gz"), "-o", "-"]);
        // With the space: times have such digits as well.
        assert!(!empty.stderr.contains(" 416"), "{protocol:?} {}", empty.stderr);
    }
}

#[test]
fn reading_goes_on_after_breaks_and_pauses() {
    for protocol in ALL {
        let store = Store::start(protocol, false);
        let body = archive_bytes();
        store.put("b.warc.gz", &body);
        let url = store.url("b.warc.gz");
        store.fail([Fault::Busy, Fault::Busy, Fault::Break, Fault::Break, Fault::Busy, Fault::Break]);
        let folder = tempfile::tempdir().unwrap();
        same_documents(&run(&store, folder.path(), &[&url, "-o", "-"]), &documents(&workspace()), &url);
        let seen = store.seen();
        let ranges = seen.iter().filter_map(|read| read.headers.get("range").or(read.headers.get("x-ms-range")));
        let starts = ranges.map(|range| range["bytes=".len()..].split('-').next().unwrap().parse::<usize>().unwrap());
        // Each break in the middle of what is left.
        let later = starts.filter(|start| *start > 0).max();
        assert!(later.is_some_and(|start| start >= body.len() / 2), "{protocol:?} {later:?}");
    }
}

#[test]
fn killed_runs_go_on_in_the_middle_of_an_object() {
    for protocol in ALL {
        let store = Store::start(protocol, true);
        store.put("b.warc.gz", &archive_bytes().repeat(3));
        let url = store.url_with_key("b.warc.gz");
        let folder = tempfile::tempdir().unwrap();
        let arguments =
            |name: &'static str| ["run", &url, "-o", name, "--set", "checkpoint=64K", "--resume"].map(str::to_owned);
        let whole = run(&store, folder.path(), &arguments("whole.jsonl").each_ref().map(String::as_str)[1..]);
        whole.well();
        store.fail([Fault::Stall]);
        let mut child = Command::new(env!("CARGO_BIN_EXE_trommel"))
            .args(arguments("killed.jsonl"))
            .current_dir(folder.path())
            .envs(store.variables())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let state = folder.path().join(".killed.jsonl.checkpoint");
        wait(&format!("a state: {protocol:?}"), || state.exists());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!folder.path().join("killed.jsonl").exists(), "{protocol:?}");
        run(&store, folder.path(), &arguments("killed.jsonl").each_ref().map(String::as_str)[1..]).well();
        let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
        assert!(read("killed.jsonl") == read("whole.jsonl"), "{protocol:?}");
    }
}

#[test]
fn keys_go_to_their_own_server_only_and_are_never_shown() {
    for protocol in ALL {
        let store = Store::start(protocol, true);
        store.put("b.warc.gz", &archive_bytes());
        let url = store.url("b.warc.gz");
        let folder = tempfile::tempdir().unwrap();
        let ran = run(&store, folder.path(), &[&store.url_with_key("b.warc.gz"), "-o", "-", "-vv"]);
        same_documents(&ran, &documents(&workspace()), &url);
        // Nor is the signature in the address that the hub sends on to.
        assert!(!ran.stderr.contains(SECRET) && !ran.stderr.contains("hush"), "{}", ran.stderr);
        if LISTED.contains(&protocol) {
            let listed = run(&store, folder.path(), &[&store.url("*.warc.gz"), "-o", "out", "--dry-run"]);
            assert_eq!(inputs_of(&listed, &store), slice::from_ref(&url), "{protocol:?} {}", listed.stderr);
        }
        let seen = store.seen();
        assert!(seen.iter().any(|request| request.host == "127.0.0.1"));
        for request in &seen {
            let has_key = request.headers.contains_key("authorization");
            assert_eq!(has_key, request.host == "127.0.0.1", "{protocol:?} {} {}", request.method, request.path);
        }
        // Without a key.
        let variables = store.variables();
        let names = ["KEY", "TOKEN"];
        let open = variables.iter().filter(|(name, _)| !names.iter().any(|part| name.contains(part)));
        let mut open: Vec<(&str, &str)> = open.map(|(name, value)| (*name, value.as_str())).collect();
        open.extend([("AWS_SKIP_SIGNATURE", "true"), ("GOOGLE_SKIP_SIGNATURE", "true")]);
        open.push(("AZURE_SKIP_SIGNATURE", "true"));
        let refused = trommel_under(folder.path(), &["run", &url, "-o", "-"], b"", &open);
        refused.ended(2, "access denied");
        if protocol == Protocol::Http {
            continue;
        }
        // Keys in the address are refused, and not shown.
        let (scheme, rest) = url.split_once("://").unwrap();
        let told = run(&store, folder.path(), &[&format!("{scheme}://me:hush@{rest}"), "-o", "-"]);
        assert_eq!(told.code, 2);
        assert!(!told.stderr.contains("hush"), "{}", told.stderr);
    }
}

#[test]
fn other_servers_are_asked_only_if_the_user_says_so() {
    for protocol in [Protocol::S3, Protocol::Google, Protocol::Azure, Protocol::Http] {
        let nobody = TcpListener::bind("127.0.0.2:0").unwrap();
        let other = format!("http://{}/b.warc.gz", nobody.local_addr().unwrap());
        let store = Store::start(protocol, true);
        store.put("b.warc.gz", &archive_bytes());
        store.fail([Fault::Elsewhere(other)]);
        let folder = tempfile::tempdir().unwrap();
        let url = store.url_with_key("b.warc.gz");
        let ran = run(&store, folder.path(), &[&url, "-o", "-"]);
        assert_eq!(ran.code, 2, "{protocol:?} {}", ran.stderr);
        assert!(ran.stderr.contains("127.0.0.2") && !ran.stderr.contains(SECRET), "{protocol:?} {}", ran.stderr);
        nobody.set_nonblocking(true).unwrap();
        assert!(nobody.accept().is_err(), "{protocol:?}");
        // The other server refuses any key.
        let store = Store::start(protocol, protocol == Protocol::Http);
        store.put("b.warc.gz", &archive_bytes());
        store.fail([Fault::Elsewhere(store.elsewhere("b.warc.gz"))]);
        let ran = run(&store, folder.path(), &[&store.url_with_key("b.warc.gz"), "-o", "-", "--follow-hosts"]);
        // A bucket is on its own server, whatever the user says.
        let is_followed = protocol == Protocol::Http;
        if is_followed {
            same_documents(&ran, &documents(&workspace()), &store.url("b.warc.gz"));
        } else {
            assert_eq!(ran.code, 2, "{protocol:?} {}", ran.stderr);
            assert!(ran.stderr.contains("not followed from a bucket"), "{protocol:?} {}", ran.stderr);
        }
        let has_asked = store.seen().iter().any(|request| request.host == "127.0.0.2");
        assert_eq!(has_asked, is_followed, "{protocol:?}");
    }
}

#[test]
fn outputs_go_to_buckets_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.warc.gz"), archive_bytes()).unwrap();
    let many = [&["a.warc.gz"; 24][..], &["--blocks", "-o", "big.jsonl"]].concat();
    trommel_under(folder.path(), &[&["run"], &many[..]].concat(), b"", &[]).well();
    trommel_under(folder.path(), &["run", "a.warc.gz", "-o", "here", "-f", "jsonl,wet"], b"", &[]).well();
    let big = fs::read(folder.path().join("big.jsonl")).unwrap();
    assert!(big.len() > 16 << 20, "{}", big.len());
    for protocol in WRITTEN {
        let store = Store::start(protocol, true);
        let out = |arguments: &[&str]| run(&store, folder.path(), arguments);
        let at = store.url("out");
        out(&["a.warc.gz", "-o", &at, "-f", "jsonl,wet", "--summary", "s.json"]).well();
        let summary = fs::read_to_string(folder.path().join("s.json")).unwrap();
        assert!(summary.contains(&format!("\"{at}/a.jsonl.zst\"")), "{summary}");
        assert_eq!(store.get("out/_SUCCESS").unwrap(), b"");
        for name in ["a.jsonl.zst", "a.warc.wet.gz"] {
            let here = folder.path().join("here").join(name);
            let sent = store.get(&format!("out/{name}"));
            assert!(sent == Some(fs::read(&here).unwrap()), "{protocol:?} {name}");
        }
        out(&["a.warc.gz", "-o", &at]).ended(2, "a.jsonl.zst: is there already");
        store.seen();
        out(&["a.warc.gz", "-o", &at, "--overwrite"]).well();
        // The mark of the run before went before its outputs did.
        let requests = store.seen();
        let removed = requests.iter().position(|request| match protocol {
            Protocol::Azure => request.path.contains("comp=batch"),
            Protocol::S3 => request.path.ends_with("?delete"),
            _ => request.method == "DELETE" && request.path.ends_with("_SUCCESS"),
        });
        let written = requests.iter().position(|request| request.method == "PUT");
        assert!(removed.is_some() && removed < written, "{protocol:?} {removed:?} {written:?}");
        out(&["a.warc.gz", "-o", &at, "--resume"]).said("cannot be continued");
        out(&[&["a.warc.gz"; 24][..], &["--blocks", "-o", &store.url("d/big.jsonl")]].concat()).well();
        assert!(store.get("d/big.jsonl").unwrap() == big, "{protocol:?}");
        let nobody = out(&["a.warc.gz", "-o", &store.url("x.jsonl").replace("crawl", "gone")]);
        assert_eq!(nobody.code, 2, "{protocol:?} {}", nobody.stderr);
    }
    let hub = Store::start(Protocol::Bucket, true);
    let refused = run(&hub, folder.path(), &["a.warc.gz", "-o", &hub.url("out")]);
    refused.ended(2, "URLs of s3://, gs:// and az://");
}
