//! Passes a hash of all sources to the library at build time, so that a run continues only under the same build.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

/// Names of the workspace crates left out of the build hash; a run's recipe records the choices in them that matter.
const OTHER_CRATES: [&str; 5] = ["cli", "ffi", "learn", "python", "web"];
/// Number of hexadecimal characters of the build hash that are shown and compared.
const HASH_CHARS: usize = 12;

fn main() -> io::Result<()> {
    let crate_folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let workspace = crate_folder.join("../..");
    let mut files = Vec::new();
    let is_clone = workspace.join("crates/trommel").is_dir() && workspace.join("Cargo.toml").is_file();
    if is_clone {
        for entry in fs::read_dir(workspace.join("crates"))? {
            let entry = entry?;
            let name = entry.file_name();
            if !OTHER_CRATES.iter().any(|other| name == *other) {
                sources(&entry.path(), &mut files)?;
            }
        }
        sources(&workspace.join("models"), &mut files)?;
        // Versions and features of all libraries.
        files.extend(["Cargo.toml", "Cargo.lock"].map(|name| workspace.join(name)));
    } else {
        // A package: its version and the commit that it was made of say what the other crates are.
        sources(&crate_folder, &mut files)?;
        files.push(crate_folder.join(".cargo_vcs_info.json"));
    }
    let root = if is_clone { &workspace } else { &crate_folder };
    let mut named: Vec<(String, &PathBuf)> = files.iter().map(|path| (relative(path, root), path)).collect();
    named.sort();
    let mut digest = Sha256::new();
    digest.update(env!("CARGO_PKG_VERSION"));
    digest.update(compiler());
    for (name, path) in named {
        // Each file by itself: a new one is known by what names it.
        println!("cargo::rerun-if-changed={}", path.display());
        let Ok(bytes) = fs::read(path) else { continue };
        digest.update(format!("\n{name} {}\n", bytes.len()));
        digest.update(&bytes);
    }
    let mut sum = HEXLOWER.encode(&digest.finalize());
    sum.truncate(HASH_CHARS);
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=TROMMEL_BUILD={} ({sum})", env!("CARGO_PKG_VERSION"));
    Ok(())
}

/// Adds the manifest of the crate in `folder`, its sources without tests, and its data files to `files`.
fn sources(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    files.push(folder.join("Cargo.toml"));
    for part in ["src", "data"] {
        let part = folder.join(part);
        if part.is_dir() {
            below(&part, files)?;
        }
    }
    Ok(())
}

fn below(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        if name == "tests" || name == "tests.rs" || name.starts_with('.') || name.ends_with('~') {
            continue;
        }
        match entry.file_type()?.is_dir() {
            true => below(&path, files)?,
            false => files.push(path),
        }
    }
    Ok(())
}

/// Returns a path relative to `root`, with `/` as separator on every system.
fn relative(path: &Path, root: &Path) -> String {
    let path = path.strip_prefix(root).unwrap_or(path);
    path.to_string_lossy().replace('\\', "/")
}

/// Returns the version text of the compiler, because another version may order equal items differently.
fn compiler() -> Vec<u8> {
    let program = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(program).arg("--version").output();
    output.map(|output| output.stdout).unwrap_or_default()
}
