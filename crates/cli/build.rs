//! Passes the commit and the enabled features to the program at build time, for `--version`.

use std::{env, fs, process::Command};

/// Returns the commit of the source: of the git clone, or the one that cargo recorded in the package. `None` if neither
/// is known.
fn commit() -> Option<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        (output.status.success() && !text.trim().is_empty()).then(|| text.trim().to_owned())
    };
    if let Ok(noted) = fs::read_to_string(".cargo_vcs_info.json") {
        let (_, rest) = noted.split_once("\"sha1\": \"")?;
        return rest.get(..12).map(str::to_owned);
    }
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    println!("cargo::rerun-if-changed={log}");
    git(&["rev-parse", "--short=12", "HEAD"])
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let commit = commit().unwrap_or_else(|| "unknown".to_owned());
    println!("cargo::rustc-env=TROMMEL_COMMIT={commit}");
    let mut features: Vec<String> = env::vars()
        .filter_map(|(name, _)| name.strip_prefix("CARGO_FEATURE_").map(str::to_lowercase))
        .filter(|name| name != "default")
        .collect();
    features.sort();
    if features.is_empty() {
        features.push("none".to_owned());
    }
    println!("cargo::rustc-env=TROMMEL_FEATURES={}", features.join(", "));
}
