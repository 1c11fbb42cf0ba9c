//! Inputs behind HTTP and S3: the same documents as from files, whatever connections do.

use std::{fs, path::Path};

use crate::{
    program::{Ran, trommel_under, workspace},
    sample::{ARCHIVE, documents},
    select::{index, run, same_documents},
    servers::{Breaking, Manners, moto, nginx},
};

fn archive() -> Vec<u8> {
    fs::read(workspace().join(ARCHIVE)).unwrap()
}

#[track_caller]
fn like_the_file(ran: &Ran, url: &str) {
    same_documents(ran, &documents(&workspace()), url);
}

#[test]
fn from_nginx() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("www")).unwrap();
    fs::write(folder.path().join("www/wcxb-sample.warc.gz"), archive()).unwrap();
    let Some(server) = nginx(folder.path()) else {
        return;
    };
    let base = format!("http://127.0.0.1:{}", server.port);
    let url = format!("{base}/wcxb-sample.warc.gz");
    like_the_file(&run(folder.path(), &[&url, "-o", "-"]), &url);
    let keyed = format!("{url}?part=a%2Fb");
    like_the_file(&run(folder.path(), &[&keyed, "-o", "-"]), &keyed);
    fs::write(folder.path().join("list"), "wcxb-sample.warc.gz\n").unwrap();
    let ran = run(folder.path(), &["@list", "--base-url", &base, "-o", "-"]);
    like_the_file(&ran, &url);

    // An output folder names the shard after the archive.
    let ran = run(folder.path(), &[&url, "-o", "out", "--compress", "none"]);
    ran.well();
    assert!(folder.path().join("out/wcxb-sample.jsonl").exists());

    let gone = run(folder.path(), &[&format!("{base}/gone.warc.gz"), "-o", "-"]);
    assert_eq!(gone.code, 2);
    assert!(
        gone.stderr.contains("gone.warc.gz: not found"),
        "{}",
        gone.stderr
    );

    // Only what the index names is fetched.
    fs::remove_file(folder.path().join("access.log")).unwrap();
    drop(server);
    let Some(server) = nginx(folder.path()) else {
        return;
    };
    let base = format!("http://127.0.0.1:{}", server.port);
    let (lines, wanted) = index();
    fs::write(folder.path().join("i.cdxj"), lines).unwrap();
    let ran = run(
        folder.path(),
        &["--select", "i.cdxj", "--base-url", &base, "-o", "-"],
    );
    same_documents(&ran, &wanted, &format!("{base}/wcxb-sample.warc.gz"));
    drop(server);
    let log = fs::read_to_string(folder.path().join("access.log")).unwrap();
    let mut bytes = 0;
    for line in log.lines() {
        let (status, sent) = line.split_once(' ').unwrap();
        assert_eq!(status, "206", "{log}");
        bytes += sent.parse::<usize>().unwrap();
    }
    assert!(bytes < archive().len(), "{log}");
}

fn from_breaking(manners: Manners) -> (Ran, String, Vec<String>) {
    let server = Breaking::start(archive(), manners);
    let folder = tempfile::tempdir().unwrap();
    let url = format!("http://127.0.0.1:{}/a.warc.gz", server.port);
    let ran = run(folder.path(), &[&url, "-o", "-"]);
    let requests = server.requests.lock().unwrap().clone();
    (ran, url, requests)
}

#[test]
fn broken_connections_go_on_at_the_byte() {
    let size = archive().len();
    for tag in [false, true] {
        let (ran, url, requests) = from_breaking(Manners {
            most: size / 3,
            ranges: true,
            tag,
            change: 0,
        });
        like_the_file(&ran, &url);
        let starts: Vec<usize> = requests
            .iter()
            .map(|range| {
                let start = range.strip_prefix("bytes=").unwrap().split('-').next();
                start.unwrap().parse().unwrap()
            })
            .collect();
        assert_eq!(
            starts,
            [0, 0, size / 3, size / 3 * 2, size / 3 * 3][..starts.len()]
        );
        assert!(starts.len() >= 4, "{starts:?}");
    }
}

#[test]
fn servers_without_ranges_are_read_from_the_start_again() {
    let (ran, url, requests) = from_breaking(Manners {
        most: usize::MAX,
        ..Manners::default()
    });
    like_the_file(&ran, &url);
    assert!(requests.len() <= 3, "{requests:?}");
}

#[test]
fn a_changed_object_is_an_error() {
    for tag in [false, true] {
        let (ran, url, _) = from_breaking(Manners {
            most: 100_000,
            ranges: true,
            tag,
            change: 3,
        });
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        let words = format!("{url}: offset ");
        assert!(ran.stderr.contains(&words), "{}", ran.stderr);
        assert!(
            ran.stderr.contains("changed while it was read"),
            "{}",
            ran.stderr
        );
        assert!(ran.text().lines().count() < 32);
    }
}

fn under(folder: &Path, port: u16, arguments: &[&str]) -> Ran {
    let endpoint = format!("http://127.0.0.1:{port}");
    let variables = [
        ("AWS_ENDPOINT", endpoint.as_str()),
        ("AWS_ALLOW_HTTP", "true"),
        ("AWS_SKIP_SIGNATURE", "true"),
    ];
    trommel_under(folder, &[&["run"], arguments].concat(), b"", &variables)
}

#[test]
fn from_s3() {
    let Some(server) = moto(&archive()) else {
        return;
    };
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
    let ran = trommel_under(folder.path(), &["run", url, "-o", "-"], b"", &variables);
    like_the_file(&ran, url);
    let gone = under(
        folder.path(),
        server.port,
        &["s3://crawl/a/gone", "-o", "-"],
    );
    assert_eq!(gone.code, 2);
    assert!(
        gone.stderr.contains("s3://crawl/a/gone: not found"),
        "{}",
        gone.stderr
    );
    let (lines, wanted) = index();
    let lines = lines.replace("wcxb-sample.warc.gz", "a/b.warc.gz");
    fs::write(folder.path().join("i.cdxj"), lines).unwrap();
    let arguments = ["--select", "i.cdxj", "--base-url", "s3://crawl", "-o", "-"];
    same_documents(&under(folder.path(), server.port, &arguments), &wanted, url);
}
