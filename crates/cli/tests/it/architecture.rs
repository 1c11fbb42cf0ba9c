//! The shape of the workspace: which crates of ours each door names. That they form no circle is cargo's own rule.

use std::fs;

use crate::program::workspace;

/// What users meet: the program, the service, the Python module, the C library.
const DOORS: [&str; 4] = ["cli", "ffi", "python", "serve"];
const MOST: usize = 4;

/// The crates of ours under `[dependencies]`, optional ones as well.
fn own_dependencies(manifest: &str) -> Vec<&str> {
    manifest
        .lines()
        .skip_while(|line| *line != "[dependencies]")
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split([' ', '.', '=']).next())
        .filter(|name| *name == "trommel" || name.starts_with("trommel-"))
        .collect()
}

#[test]
fn a_door_names_at_most_four_crates_of_ours() {
    for door in DOORS {
        let path = workspace().join("crates").join(door).join("Cargo.toml");
        let manifest = fs::read_to_string(&path).unwrap();
        let own = own_dependencies(&manifest);
        assert!(own.contains(&"trommel"), "{door}: {own:?}");
        assert!(own.len() <= MOST, "{door}: {own:?}");
        // A table of its own (`[dependencies.trommel-x]`, or one by target) would not be counted.
        assert!(
            !manifest.contains("dependencies.trommel") && !manifest.contains("[target."),
            "{door}"
        );
    }
}
