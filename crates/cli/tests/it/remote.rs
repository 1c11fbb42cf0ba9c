//! Tests inputs behind HTTP and S3, which give the same documents as files, even if connections break.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{fs, io, io::Write as _, net::TcpListener, num::NonZeroUsize, path::Path};

use trommel::record::{Compression, Disk, Format, LocalDisk};
use trommel::run::{Destination, Encoding, Environment, Existing, Input, Output, Plan};
use trommel::{ByteSize, Document, Hints};

use crate::program::{RunResult, trommel_under, workspace};
use crate::sample::{archive_bytes, documents};
use crate::select::{index, run, same_documents};
use crate::servers::{BreakingServer, ServerBehaviour, moto, nginx, nginx_with_a_certificate_of_its_own, serve};

#[track_caller]
fn like_the_file(ran: &RunResult, url: &str) {
    same_documents(ran, &documents(&workspace()), url);
}

#[test]
fn from_nginx() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("www")).unwrap();
    fs::write(folder.path().join("www/wcxb-sample.warc.gz"), archive_bytes()).unwrap();
    let Some(server) = nginx(folder.path()) else { return };
    let base = format!("http://127.0.0.1:{}", server.port);
    let url = format!("{base}/wcxb-sample.warc.gz");
    like_the_file(&run(folder.path(), &[&url, "-o", "-"]), &url);
    let keyed = format!("{url}?part=a%2Fb");
    like_the_file(&run(folder.path(), &[&keyed, "-o", "-"]), &keyed);
    fs::write(folder.path().join("list"), "wcxb-sample.warc.gz\n").unwrap();
    like_the_file(&run(folder.path(), &["@list", "--base-url", &base, "-o", "-"]), &url);

    // An output folder names the shard after the archive.
    run(folder.path(), &[&url, "-o", "out", "--compress", "none"]).well();
    assert!(folder.path().join("out/wcxb-sample.jsonl").exists());

    let gone = run(folder.path(), &[&format!("{base}/gone.warc.gz"), "-o", "-"]);
    gone.ended(2, "gone.warc.gz: not found");

    // Only what the index names is fetched.
    fs::remove_file(folder.path().join("access.log")).unwrap();
    drop(server);
    let Some(server) = nginx(folder.path()) else { return };
    let base = format!("http://127.0.0.1:{}", server.port);
    let (lines, wanted) = index();
    fs::write(folder.path().join("i.cdxj"), lines).unwrap();
    let ran = run(folder.path(), &["--select", "i.cdxj", "--base-url", &base, "-o", "-"]);
    same_documents(&ran, &wanted, &format!("{base}/wcxb-sample.warc.gz"));
    drop(server);
    let log = fs::read_to_string(folder.path().join("access.log")).unwrap();
    let mut bytes = 0;
    for line in log.lines() {
        let (status, sent) = line.split_once(' ').unwrap();
        assert_eq!(status, "206", "{log}");
        bytes += sent.parse::<usize>().unwrap();
    }
    assert!(bytes < archive_bytes().len(), "{log}");
}

fn from_breaking(manners: ServerBehaviour) -> (RunResult, String, Vec<String>) {
    let server = BreakingServer::start(archive_bytes(), manners);
    let folder = tempfile::tempdir().unwrap();
    let url = server.url("a.warc.gz");
    let ran = run(folder.path(), &[&url, "-o", "-"]);
    let requests = server.requests.lock().unwrap().clone();
    (ran, url, requests)
}

#[test]
fn broken_connections_go_on_at_the_byte() {
    let size = archive_bytes().len();
    for tag in [false, true] {
        let (ran, url, requests) = from_breaking(ServerBehaviour { most: size / 3, ranges: true, tag, change: 0 });
        like_the_file(&ran, &url);
        let start = |range: &String| range["bytes=".len()..].split('-').next().unwrap().parse().unwrap();
        let starts: Vec<usize> = requests.iter().map(start).collect();
        assert_eq!(starts, [0, 0, size / 3, size / 3 * 2, size / 3 * 3][..starts.len()]);
        assert!(starts.len() >= 4, "{starts:?}");
    }
}

#[test]
fn servers_without_ranges_are_read_from_the_start_again() {
    let (ran, url, requests) = from_breaking(ServerBehaviour { most: usize::MAX, ..ServerBehaviour::default() });
    like_the_file(&ran, &url);
    assert!(requests.len() <= 3, "{requests:?}");
}

#[test]
fn a_changed_object_is_an_error() {
    for tag in [false, true] {
        let (ran, url, _) = from_breaking(ServerBehaviour { most: 100_000, ranges: true, tag, change: 3 });
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        ran.said(&format!("{url}: offset "));
        ran.said("changed while it was read");
        assert!(ran.text().lines().count() < 32);
    }
}

/// Disk that fails after a number of renames, which the field counts down.
#[derive(Debug)]
struct Worn(AtomicU64);

impl Disk for Worn {
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let left = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        left.map_err(|_| io::ErrorKind::StorageFull)?;
        LocalDisk.rename(from, to)
    }
}

/// Runs over one archive in pieces of about 40 kB. Returns the text of the outputs.
fn in_pieces(input: Input, out: &Path, jobs: usize, renames: u64) -> trommel::Result<String> {
    let encodings = vec![Encoding { format: Format::Jsonl, compression: Compression::None, by_page: false }];
    let output = Output { destination: Destination::Folder(out.to_owned()), encodings, split: None };
    let mut plan = Plan::new(vec![input], output);
    plan.piece_bytes = 40_000;
    plan.settings.limits.jobs = NonZeroUsize::new(jobs);
    plan.settings.output.checkpoint = ByteSize(20_000);
    let extract = |bytes: &[u8], _: &Hints<'_>| Document {
        text: String::from_utf8_lossy(bytes).chars().take(500).collect(),
        ..Document::default()
    };
    let (disk, mut stdout) = (Worn(AtomicU64::new(renames)), io::sink());
    let mut nothing = ();
    let environment =
        Environment { disk: &disk, existing: Existing::Resume, ..Environment::new(&mut stdout, &mut nothing) };
    let summary = trommel::run::run(&plan, &extract, environment)?;
    assert!(summary.adds_up() && summary.documents > 60, "{summary}");
    Ok(fs::read_to_string(&summary.files[0].outputs[0]).unwrap())
}

#[test]
fn large_objects_are_read_in_pieces_by_ranges() {
    let archive = archive_bytes().repeat(3);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc.gz");
    fs::write(&path, &archive).unwrap();
    let at = |name: &str| folder.path().join(name);
    let local = in_pieces(Input::File(path.clone()), &at("local"), 2, u64::MAX).unwrap();
    let manners = ServerBehaviour { most: usize::MAX, ranges: true, tag: true, change: 0 };
    let server = BreakingServer::start(archive.clone(), manners);
    let url = server.url("a.warc.gz");
    let file = path.to_str().unwrap();
    for jobs in [1, 16] {
        server.requests.lock().unwrap().clear();
        let text = in_pieces(Input::Url(url.clone()), &at(&format!("jobs-{jobs}")), jobs, u64::MAX).unwrap();
        assert!(text.replace(&url, file) == local, "{jobs}");
    }
    let starts: HashSet<String> = server.requests.lock().unwrap().iter().cloned().collect();
    assert!(starts.len() > archive.len() / 40_000, "{starts:?}");
    // It goes on after a failure, by ranges.
    for renames in 1..6 {
        let out = at(&renames.to_string());
        let error = in_pieces(Input::Url(url.clone()), &out, 16, renames).unwrap_err();
        assert!(!error.is_refusal(), "{error}");
        assert!(
            in_pieces(Input::Url(url.clone()), &out, 16, u64::MAX).unwrap().replace(&url, file) == local,
            "{renames}"
        );
    }
    // A server that gives it as a whole only is asked for it once.
    let server = BreakingServer::start(archive.clone(), ServerBehaviour { ranges: false, ..manners });
    let whole = server.url("a.warc.gz");
    let text = in_pieces(Input::Url(whole.clone()), &at("whole"), 16, u64::MAX).unwrap();
    assert!(text.replace(&whole, file) == local);
    assert!(server.requests.lock().unwrap().len() <= 3);
}

/// Runs the program with an S3 endpoint at a local port.
pub fn with_s3(folder: &Path, port: u16, arguments: &[&str]) -> RunResult {
    let endpoint = format!("http://127.0.0.1:{port}");
    let variables = [("AWS_ENDPOINT", endpoint.as_str()), ("AWS_ALLOW_HTTP", "true"), ("AWS_SKIP_SIGNATURE", "true")];
    trommel_under(folder, arguments, b"", &variables)
}

fn under(folder: &Path, port: u16, arguments: &[&str]) -> RunResult {
    with_s3(folder, port, &[&["run"], arguments].concat())
}

#[test]
fn from_s3() {
    let Some(server) = moto(&archive_bytes()) else { return };
    let folder = tempfile::tempdir().unwrap();
    let url = "s3://crawl/a/b.warc.gz";
    like_the_file(&under(folder.path(), server.port, &[url, "-o", "-"]), url);
    // Signed as well.
    let endpoint = format!("http://127.0.0.1:{}", server.port);
    let variables = [
        ("AWS_ENDPOINT", endpoint.as_str()),
        ("AWS_ALLOW_HTTP", "true"),
        ("AWS_ACCESS_KEY_ID", "key"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
    ];
    like_the_file(&trommel_under(folder.path(), &["run", url, "-o", "-"], b"", &variables), url);
    let gone = under(folder.path(), server.port, &["s3://crawl/a/gone", "-o", "-"]);
    gone.ended(2, "s3://crawl/a/gone: not found");
    let (lines, wanted) = index();
    fs::write(folder.path().join("i.cdxj"), lines.replace("wcxb-sample.warc.gz", "a/b.warc.gz")).unwrap();
    let arguments = ["--select", "i.cdxj", "--base-url", "s3://crawl", "-o", "-"];
    same_documents(&under(folder.path(), server.port, &arguments), &wanted, url);
}

/// Returns the names of the inputs that a dry run lists.
fn inputs_of(ran: &RunResult) -> Vec<String> {
    let urls = ran.well().split_whitespace().filter_map(|word| word.strip_suffix(":"));
    urls.filter(|word| word.starts_with("s3://crawl/")).map(str::to_owned).collect()
}

#[test]
fn s3_prefixes_and_globs_are_inputs() {
    let Some(server) = moto(&archive_bytes()) else { return };
    for name in ["a/c.warc.gz", "a/sub/d.warc.gz", "a/notes.txt", "z/e.warc.gz"] {
        server.put(&format!("/crawl/{name}"), &archive_bytes());
    }
    let folder = tempfile::tempdir().unwrap();
    let dry = |arguments: &[&str]| {
        let all = [arguments, &["-o", "out", "--dry-run"]].concat();
        under(folder.path(), server.port, &all)
    };
    let of_a = ["a/b.warc.gz", "a/c.warc.gz", "a/sub/d.warc.gz"].map(|at| format!("s3://crawl/{at}"));
    let prefix = dry(&["s3://crawl/a/"]);
    assert_eq!(inputs_of(&prefix)[..3], of_a);
    prefix.said("s3://crawl/a/: passed over: 1 .txt");
    // A star does not go over a slash.
    assert_eq!(inputs_of(&dry(&["s3://crawl/a/*.warc.gz"]))[..], of_a[..2]);
    assert_eq!(inputs_of(&dry(&["s3://crawl/*/e.warc.gz"])), ["s3://crawl/z/e.warc.gz"]);
    fs::write(folder.path().join("list"), "a/\nz/*.warc.gz\n").unwrap();
    let listed = dry(&["@list", "--base-url", "s3://crawl"]);
    assert_eq!(inputs_of(&listed).len(), 4, "{}", listed.text());
    under(folder.path(), server.port, &["s3://crawl/q/*", "-o", "-"]).ended(2, "no object matches");

    // A record from its place in a bucket.
    let document = &documents(&workspace())[3];
    let place = format!("s3://crawl/a/b.warc.gz:{}", document["source"]["offset"]);
    let text = with_s3(folder.path(), server.port, &["cat", &place, "--text"]);
    assert_eq!(text.well().trim_end(), document["text"].as_str().unwrap());
}

#[test]
fn outputs_go_to_s3_whole_or_not_at_all() {
    let Some(server) = moto(&archive_bytes()) else { return };
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.warc.gz"), archive_bytes()).unwrap();
    let out = |arguments: &[&str]| under(folder.path(), server.port, arguments);
    out(&["a.warc.gz", "-o", "s3://crawl/out", "-f", "jsonl,parquet", "--summary", "s.json"]).well();
    let summary = fs::read_to_string(folder.path().join("s.json")).unwrap();
    assert!(summary.contains("\"s3://crawl/out/a.jsonl.zst\""), "{summary}");
    let manifest = String::from_utf8(server.get("/crawl/out/_MANIFEST").unwrap()).unwrap();
    assert!(manifest.contains("a.jsonl.zst") && manifest.contains("a.parquet"));
    assert_eq!(server.get("/crawl/out/_SUCCESS").unwrap(), b"");
    out(&["a.warc.gz", "-o", "here", "-f", "jsonl,parquet"]).well();
    for name in ["a.jsonl.zst", "a.parquet"] {
        let sent = server.get(&format!("/crawl/out/{name}")).unwrap();
        assert!(sent == fs::read(folder.path().join("here").join(name)).unwrap());
    }
    out(&["a.warc.gz", "-o", "s3://crawl/out"]).ended(2, "a.jsonl.zst: is there already");
    assert!(server.get("/crawl/out/_SUCCESS").is_some());
    out(&["a.warc.gz", "-o", "s3://crawl/out", "--overwrite"]).well();
    out(&["a.warc.gz", "-o", "s3://crawl/out", "--resume"]).said("cannot be continued");

    // One object of several parts.
    let many = [&["a.warc.gz"; 24][..], &["--blocks", "-o"]].concat();
    out(&[&many[..], &["big.jsonl"]].concat()).well();
    out(&[&many[..], &["s3://crawl/d/big.jsonl"]].concat()).well();
    let big = fs::read(folder.path().join("big.jsonl")).unwrap();
    assert!(big.len() > 16 << 20, "{}", big.len());
    assert!(server.get("/crawl/d/big.jsonl").unwrap() == big);
    // Nothing of a run that cannot read anything, and nobody there to take it.
    assert_eq!(out(&["gone.warc.gz", "-o", "s3://crawl/none/x.jsonl"]).code, 2);
    assert!(server.get("/crawl/none/x.jsonl").is_none());
    let nobody = out(&["a.warc.gz", "-o", "s3://gone/x.jsonl"]);
    assert_eq!(nobody.code, 2, "{}", nobody.stderr);
}

#[test]
fn one_bad_object_fails_its_input_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.warc.gz"), archive_bytes()).unwrap();
    let head = b"HTTP/1.1 403 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    let port = serve(TcpListener::bind("127.0.0.1:0").unwrap(), move |_, stream| stream.write_all(head));
    let url = format!("http://127.0.0.1:{port}/bad.warc.gz");
    let ran = run(folder.path(), &[&url, "a.warc.gz", "-o", "-"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert_eq!(ran.text().lines().count(), documents(&workspace()).len());
    ran.said(&format!("{url}: access denied"));
}

#[test]
fn a_bad_certificate_is_asked_once() {
    let folder = tempfile::tempdir().unwrap();
    let Some(server) = nginx_with_a_certificate_of_its_own(folder.path()) else { return };
    let ran = run(folder.path(), &[&format!("https://127.0.0.1:{}/a.warc.gz", server.port), "-o", "-"]);
    ran.ended(2, "certificate");
    assert!(!ran.stderr.contains("asking again"), "{}", ran.stderr);
}
