//! Archives that are read in pieces give what they give as a whole, wherever they are cut.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use trommel::run::{Encoding, Plan, Summary};
use trommel_archive::write::gzip_member;
use trommel_record::Compression;

use crate::disk::Failing;
use crate::lanes::{go_on_after_failures, lanes, plain, ways};
use crate::make::*;
use crate::resume::{files, go};

/// Returns `length` bytes that look random and do not compress.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..length).map(next).collect()
}

/// Returns a record of a kind that depends on `number`; the kinds are those that a piece may begin or end with.
fn record_of(number: usize) -> Vec<u8> {
    match number % 11 {
        3 => response(number, "image/png", &noise(number * 7), &[]),
        5 => response(number, "text/html", b"<p>panic", &[]),
        // About the response before it, which may be in another piece.
        7 | 9 => metadata(number, number - 1, "", "charset-detected: windows-1251\r\n"),
        // An archive in a payload, whose members begin like pieces.
        10 => response(number, "application/gzip", &gzip(&[page(number), page(number + 1)]), &[]),
        _ => page(number),
    }
}

/// Returns a gzip member that stores a record uncompressed.
fn stored(record: &[u8]) -> Vec<u8> {
    gzip_member(record, 0).unwrap()
}

/// Returns an archive with damage at several places, a member that spans many pieces, and members of several records.
fn damaged() -> Vec<u8> {
    let member = |number| stored(&record_of(number));
    let mut bytes: Vec<u8> = (0..60).flat_map(member).collect();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    bytes.extend([b'x'; 300]);
    bytes.extend(stored(&response(60, "image/png", &noise(9000), &[])));
    bytes.extend(stored(&[page(61), page(62), metadata(63, 62, "", "charset-detected: koi8-r\r\n")].concat()));
    bytes.extend((64..90).flat_map(member));
    bytes.drain(bytes.len() - 3000..bytes.len() - 2400);
    bytes.extend((90..130).flat_map(member));
    bytes.truncate(bytes.len() - 33);
    bytes
}

/// Writes two small archives and three large ones into a folder: one sound, one damaged, one in zstd frames.
fn archives(folder: &Path) -> Vec<PathBuf> {
    let sound: Vec<u8> = (0..140).flat_map(|number| stored(&record_of(number))).collect();
    let frames: Vec<u8> =
        (200..330).flat_map(|number| zstd::encode_all(&*record_of(number), 1).unwrap()).collect::<Vec<u8>>();
    let small = gzip(&(400..404).map(page).collect::<Vec<_>>());
    let all = [("a.warc.gz", small.clone()), ("b.warc.gz", sound), ("c.warc.gz", damaged()), ("d.warc.zst", frames)];
    let mut paths: Vec<PathBuf> = all
        .into_iter()
        .map(|(name, bytes)| {
            let path = folder.join(name);
            fs::write(&path, bytes).unwrap();
            path
        })
        .collect();
    fs::write(folder.join("e.warc.gz"), small).unwrap();
    paths.push(folder.join("e.warc.gz"));
    // Named twice, it is two inputs.
    paths.insert(3, paths[1].clone());
    paths
}

type Way = (&'static str, Option<&'static str>, Vec<Encoding>);

fn pieces(inputs: &[PathBuf], out: &Path, (_, file, encodings): &Way, jobs: usize, bytes: u64) -> Plan {
    let mut plan = lanes(inputs, out, *file, encodings, jobs);
    plan.piece_bytes = bytes;
    plan
}

/// Returns the files in a folder by name, decompressed.
fn plain_files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let unpacked = |(name, bytes): (String, Vec<u8>)| {
        let bytes = match name.rsplit('.').next() {
            Some("zst") => zstd::decode_all(&*bytes).unwrap(),
            Some("gz") => {
                let mut plain = Vec::new();
                flate2::read::MultiGzDecoder::new(&*bytes).read_to_end(&mut plain).unwrap();
                plain
            }
            _ => bytes,
        };
        // The manifest has the lengths and checksums of files.
        let bytes = if name == "_MANIFEST" { Vec::new() } else { bytes };
        (name, bytes)
    };
    files(folder).into_iter().map(unpacked).collect()
}

#[test]
fn pieces_of_any_size_give_what_the_whole_gives() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = archives(folder.path());
    for way in ways() {
        let run = |jobs, bytes| {
            let out = folder.path().join(way.0);
            let _ = fs::remove_dir_all(&out);
            let summary = go(&pieces(&inputs, &out, &way, jobs, bytes), &Failing::never(), false).unwrap();
            assert!(summary.adds_up());
            (files(&out), plain_files(&out), plain(summary))
        };
        let whole = run(1, u64::MAX / 8);
        let Summary { documents, damaged, failures, .. } = &whole.2;
        assert!(*documents > 200 && *damaged > 2 && failures.len() == 1, "{:?}", whole.2);
        let mut others = 0;
        for (bytes, jobs) in [(500, [2, 64]), (1700, [3, 16]), (2903, [1, 16])] {
            let [one, other] = jobs.map(|jobs| run(jobs, bytes));
            let names: Vec<_> = one.0.iter().filter(|(name, file)| other.0.get(*name) != Some(file)).collect();
            assert!(one.0 == other.0, "{way:?}, {bytes}: {:?}", names.iter().map(|(name, _)| name).collect::<Vec<_>>());
            assert_eq!(one.2, other.2, "{way:?}, {bytes}");
            for (name, file) in &whole.1 {
                let here = &one.1[name];
                assert!(here == file, "{way:?}, {bytes}: {name}: {} {}", here.len(), file.len());
            }
            assert_eq!(one.1.len(), whole.1.len());
            assert_eq!(one.2, whole.2, "{way:?}, {bytes}");
            others += usize::from(one.0 != whole.0);
        }
        // It was read in pieces: frames end with them.
        let is_framed = way.2.iter().any(|encoding| encoding.compression == Compression::Zstd);
        assert!(others == 3 || !is_framed, "{way:?}: {others}");
    }
}

#[test]
fn an_error_in_any_piece_leaves_a_state_to_go_on_from() {
    let folder = tempfile::tempdir().unwrap();
    let inputs: Vec<PathBuf> = archives(folder.path()).into_iter().step_by(2).collect();
    for way in ways().into_iter().take(2) {
        let name = way.0;
        let whole = folder.path().join(name);
        let expected = go(&pieces(&inputs, &whole, &way, 1, 1700), &Failing::never(), false).unwrap();
        let expected = (plain(expected), files(&whole));
        // Twice more a little later, with other lanes; then it goes through.
        let again = [(64, 31), (1, 51)];
        let run = |out: &Path, jobs, disk: Failing| go(&pieces(&inputs, out, &way, jobs, 1700), &disk, true);
        go_on_after_failures((name, folder.path()), 61, &again, &expected, run, |_| {});
    }
}

/// Checks that archives of other programs, many of them damaged, give the same output whole and in pieces.
#[test]
fn archives_of_others_are_cut_like_any() {
    let shared = std::env::var_os("TROMMEL_SHARED").map_or_else(|| "../../../shared".into(), PathBuf::from);
    let Ok(entries) = fs::read_dir(shared.join("warc")) else {
        eprintln!("skipped: {} has no archives", shared.display());
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut inputs: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    inputs.retain(|path| path.extension().is_some_and(|suffix| suffix == "gz"));
    inputs.sort();
    let all: Vec<u8> = inputs.iter().flat_map(|path| fs::read(path).unwrap()).collect();
    assert!(inputs.len() > 30 && all.len() > 10 << 20, "{inputs:?}");
    inputs.push(folder.path().join("all.warc.gz"));
    fs::write(inputs.last().unwrap(), all).unwrap();
    let mut way = ways().swap_remove(0);
    way.2.truncate(2);
    let run = |jobs, bytes| {
        let out = folder.path().join("out");
        let _ = fs::remove_dir_all(&out);
        let mut plan = pieces(&inputs, &out, &way, jobs, bytes);
        plan.settings.output.checkpoint = trommel::ByteSize(1 << 20);
        let summary = go(&plan, &Failing::never(), false).unwrap();
        (files(&out), plain_files(&out), plain(summary))
    };
    let whole = run(2, u64::MAX / 8);
    assert!(whole.2.damaged >= 10 && whole.2.documents > 800, "{}", whole.2);
    for bytes in [9000, 100_000] {
        let (one, other) = (run(1, bytes), run(16, bytes));
        assert!(one.0 == other.0 && one.0 != whole.0, "{bytes}");
        assert_eq!((&one.2, &other.2), (&whole.2, &whole.2), "{bytes}");
        for (name, file) in &whole.1 {
            assert!(one.1.get(name) == Some(file), "{bytes}: {name}");
        }
    }
}
