//! Packs archives of the program as a release does, and installs from one.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use crate::program::workspace;

const TARGETS: [&str; 4] =
    ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "x86_64-apple-darwin", "aarch64-apple-darwin"];

/// Runs a command that must succeed, and returns its standard output.
fn printed(command: &mut Command) -> String {
    let ran = command.env("SOURCE_DATE_EPOCH", "1700000000").output().unwrap();
    assert!(ran.status.success(), "{command:?}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}

fn script(name: &str) -> Command {
    Command::new(workspace().join("scripts").join(name))
}

/// Writes a small script that starts the tested program, whose hundreds of megabytes would be slow to pack.
fn stand_in(folder: &Path) -> std::path::PathBuf {
    let program = folder.join("program");
    fs::write(&program, format!("#!/bin/sh\nexec '{}' \"$@\"\n", env!("CARGO_BIN_EXE_trommel"))).unwrap();
    fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    program
}

/// Returns the value of a key in the table for `cargo binstall` of the manifest.
fn binstall(key: &str) -> String {
    let manifest = fs::read_to_string(workspace().join("crates/cli/Cargo.toml")).unwrap();
    let table = manifest.split("[package.metadata.binstall]\n").nth(1).unwrap();
    let line = table.lines().find_map(|line| line.strip_prefix(&format!("{key} = "))).unwrap();
    line.trim_matches('"').to_owned()
}

#[test]
fn an_archive_of_a_release_installs_and_package_managers_find_it() {
    let folder = tempfile::tempdir().unwrap();
    let program = stand_in(folder.path());
    let version = env!("CARGO_PKG_VERSION");
    let mut sums = String::new();
    for target in TARGETS {
        sums += &printed(script("release-archive.sh").arg(&program).arg(target).arg(folder.path()));
    }
    let first = fs::read(folder.path().join(format!("trommel-{version}-{}.tar.gz", TARGETS[0]))).unwrap();
    printed(script("release-archive.sh").arg(&program).arg(TARGETS[0]).arg(folder.path()));
    let again = fs::read(folder.path().join(format!("trommel-{version}-{}.tar.gz", TARGETS[0]))).unwrap();
    assert!(first == again, "the same files give another archive");
    fs::write(folder.path().join("SHA256SUMS"), &sums).unwrap();
    let checked = printed(Command::new("sha256sum").args(["-c", "SHA256SUMS"]).current_dir(folder.path()));
    assert_eq!(checked.matches(": OK\n").count(), TARGETS.len(), "{checked}");

    let formula = printed(script("homebrew-formula.sh").arg(version).arg(folder.path().join("SHA256SUMS")));
    for line in sums.lines() {
        let (sum, file) = line.split_once("  ").unwrap();
        let address = format!("https://github.com/trommel/trommel/releases/download/v{version}/{file}");
        assert!(formula.contains(&format!("url \"{address}\"\n      sha256 \"{sum}\"\n")), "{formula}");
        let target = file.strip_prefix(&format!("trommel-{version}-")).unwrap().strip_suffix(".tar.gz").unwrap();
        let filled = |pattern: &str| {
            let values = [
                ("{ repo }", "https://github.com/trommel/trommel"),
                ("{ version }", version),
                ("{ target }", target),
                // Of its default format, a tar file under gzip.
                ("{ archive-suffix }", ".tar.gz"),
                ("{ bin }{ binary-ext }", "trommel"),
            ];
            values.iter().fold(pattern.to_owned(), |text, (name, value)| text.replace(name, value))
        };
        assert_eq!(filled(&binstall("pkg-url")), address);
        let archive = folder.path().join(file);
        let held = printed(Command::new("tar").arg("-tzf").arg(&archive));
        assert!(held.lines().any(|path| path == filled(&binstall("bin-dir"))), "{held}");
    }

    let file = format!("trommel-{version}-{}", TARGETS[0]);
    let empty = tempfile::tempdir().unwrap();
    let archive = folder.path().join(format!("{file}.tar.gz"));
    printed(Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(empty.path()));
    let place = empty.path().join(file);
    let said = printed(Command::new(place.join("trommel")).arg("--version").current_dir(empty.path()));
    assert!(said.starts_with(&format!("trommel {version}")), "{said}");
    fs::write(empty.path().join("page.html"), "<p>The mill by the river has turned for two hundred years.</p>")
        .unwrap();
    let text = printed(Command::new(place.join("trommel")).args(["extract", "page.html"]).current_dir(empty.path()));
    assert_eq!(text, "The mill by the river has turned for two hundred years.\n");
    for name in ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "NOTICE.md", "man/trommel.1", "man/trommel-run.1"] {
        assert!(place.join(name).is_file(), "{name}");
    }
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let completions = fs::read_to_string(place.join(format!("completions/trommel.{shell}"))).unwrap();
        assert!(completions.contains("--resume") || completions.contains("-l resume"), "{shell}");
    }
    // What the formula installs is there.
    for path in ["man/*.1", "completions/trommel.bash", "completions/trommel.zsh", "completions/trommel.fish"] {
        assert!(formula.contains(&format!("\"{path}\"")), "{path}");
    }
}

/// Checks that each package contains the licences, because packages are published separately.
#[test]
fn every_package_has_the_licences() {
    let root = |name: &str| fs::read(workspace().join(name)).unwrap();
    let crates = fs::read_dir(workspace().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let packages: Vec<_> = crates.chain([workspace().join("models")]).collect();
    assert!(packages.len() > 12, "{packages:?}");
    for package in packages {
        for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
            assert!(fs::read(package.join(name)).unwrap() == root(name), "{}: {name}", package.display());
        }
    }
    // Trigrams of others, in the crate that has them and in the wheel.
    for package in ["crates/text", "crates/python"] {
        assert!(fs::read(workspace().join(package).join("NOTICE")).unwrap() == root("NOTICE.md"), "{package}");
    }
}

/// Checks that the crates with optimization settings exist, because cargo would ignore the settings of a missing crate.
#[test]
fn optimized_crates_are_in_the_build_and_ours_among_them() {
    let manifest = fs::read_to_string(workspace().join("Cargo.toml")).unwrap();
    let locked = fs::read_to_string(workspace().join("Cargo.lock")).unwrap();
    let tables = manifest.lines().filter_map(|line| line.strip_prefix("[profile.")?.strip_suffix(']'));
    let packages: Vec<(&str, &str)> = tables.filter_map(|table| table.split_once(".package.")).collect();
    for (profile, package) in &packages {
        let is_there = *package == "\"*\"" || locked.contains(&format!("\nname = \"{package}\"\n"));
        assert!(is_there, "{package} in the profile {profile}");
    }
    let hot = ["trommel-text", "trommel-html", "trommel-archive", "trommel-model"].map(|package| (package, 3));
    for (package, level) in hot.into_iter().chain([("trommel-extract", 2)]) {
        assert!(packages.contains(&("release", package)), "{package}");
        let table = manifest.split(&format!("[profile.release.package.{package}]\n")).nth(1).unwrap();
        assert!(table.starts_with(&format!("opt-level = {level}\ncodegen-units = 1\n")), "{package}");
    }
}
