//! Replaces each WACZ file among the inputs by the archives in it.

use std::io::Read;
use std::sync::{Arc, Mutex};
use std::{fmt, fs::File, path::Path};

use trommel_archive::wacz::{Container, Open, WaczError, collection};
use trommel_archive::{file_name::is_wacz, signature};
use trommel_sources::{
    ArchiveBytes, Location, NetworkOptions, RecordSelection, Remote, Scheme, SourceError, Stoppable, redacted,
    split_container,
};
use url::Url;

use crate::run::inputs::Input;
use crate::run::inputs::wacz_archive::{Packed, PackedOptions, ReadContainer, place_name, place_of};

/// Maximum bytes of the description of a collection of WACZ files.
// Bounds for descriptions from strangers: a name takes some hundred bytes, so this is room for 65,536 of them.
const MAX_COLLECTION: u64 = 16 << 20;

/// Replaces each WACZ file among the inputs by the archives in it, and each multi-WACZ (a `.json` that names several)
/// by the archives in its containers. A WACZ file is recognised by its name, and a local file also by its first bytes.
/// Each unreadable container or archive becomes an [`Input::Nothing`], and the others are still read. Once the stop
/// flag of `network` is set, no more containers are opened, and the result is incomplete.
pub fn unpack(inputs: Vec<Input>, options: PackedOptions, network: &NetworkOptions) -> Vec<Input> {
    let mut unpacker = Unpacker::new(options, network);
    for input in inputs {
        // Opening containers on the network takes long, and Ctrl-C must be heard in between.
        if network.stop.is_set() {
            break;
        }
        let place = match &input {
            Input::File(path) => Location::File(path.clone()),
            Input::Url(url) => Location::Url(url.clone()),
            _ => {
                unpacker.inputs.push(input);
                continue;
            }
        };
        if is_container(&place) {
            unpacker.container(&place);
        } else if place_name(&place).to_ascii_lowercase().ends_with(".json")
            && let Some(parts) = unpacker.collection(&place)
        {
            unpacker.parts(&place, &parts);
        } else {
            unpacker.inputs.push(input);
        }
    }
    unpacker.inputs
}

/// Locates the archives inside WACZ files from which an index selects records, so that the records can be read.
pub(crate) fn locate(selection: &mut RecordSelection, network: &NetworkOptions) {
    let unpacker = Unpacker::new(PackedOptions::default(), network);
    // Archives come in the order of their names, so those of a container one after the other.
    let mut last: Option<(Location, Result<Container, WaczError>)> = None;
    selection.locate(|archive| {
        let (place, entry) = container_of(archive)?;
        if last.as_ref().is_none_or(|(opened, _)| *opened != place) {
            let opened = match network.stop.is_set() {
                true => return Some(ArchiveBytes::Missing(SourceError::Stopped)),
                false => unpacker.open(&place),
            };
            last = Some((place, opened));
        }
        let (place, opened) = last.as_ref()?;
        let found = opened.as_ref().map_err(ToString::to_string).and_then(|container| {
            let entry = container.readable_entry(&entry).map_err(|error| error.to_string())?;
            place_of(container, place, entry).map_err(|error| format!("{}: {error}", entry.name))
        });
        Some(found.unwrap_or_else(|error| ArchiveBytes::Missing(SourceError::File(error))))
    });
}

/// Splits the name `CONTAINER!ENTRY` of an archive in a WACZ file into container and entry; none for other names.
fn container_of(archive: &Location) -> Option<(Location, String)> {
    let name = match archive {
        // A file of that very name wins.
        Location::File(path) if path.exists() => return None,
        Location::File(path) => path.to_str()?,
        Location::Url(url) => url,
    };
    name.match_indices('!').find_map(|(at, _)| {
        let (container, entry) = (name.get(..at)?, name.get(at + 1..)?);
        let place = match archive {
            Location::File(_) => Location::File(container.into()),
            Location::Url(_) => Location::Url(container.to_owned()),
        };
        is_container(&place).then(|| (place, entry.to_owned()))
    })
}

fn is_container(place: &Location) -> bool {
    match place {
        Location::File(path) if path.is_file() => is_wacz(&place_name(place)) || begins_as_zip(path),
        // What is not there is reported as any file.
        Location::File(_) => false,
        Location::Url(_) => is_wacz(&place_name(place)),
    }
}

fn begins_as_zip(path: &Path) -> bool {
    let mut head = [0; 4];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && [signature::ZIP, signature::ZIP_EMPTY].contains(&head)
}

struct Unpacker<'a> {
    options: PackedOptions,
    network: &'a NetworkOptions,
    remote: Remote,
    inputs: Vec<Input>,
}

impl<'a> Unpacker<'a> {
    fn new(options: PackedOptions, network: &'a NetworkOptions) -> Self {
        Self { options, network, remote: Remote::new(network.clone()), inputs: Vec::new() }
    }

    fn refuse(&mut self, argument: String, reason: &dyn fmt::Display) {
        let reason = reason.to_string();
        // Errors name their file, and the argument is printed before the reason.
        let reason = reason.strip_prefix(&argument).unwrap_or(&reason);
        let reason = reason.strip_prefix(": ").unwrap_or(reason).to_owned();
        self.inputs.push(Input::Nothing { argument, reason });
    }

    /// Adds the archives in the WACZ file at `place` to the inputs, or the reason why the file cannot be read.
    fn container(&mut self, place: &Location) {
        let name = place.to_string();
        if let Err(error) = self.open(place).and_then(|container| self.archives(&name, container, place)) {
            self.refuse(name, &error);
        }
    }

    fn archives(&mut self, name: &str, container: Container, place: &Location) -> Result<(), WaczError> {
        let passed = container.entries().iter().filter(|entry| entry.is_passed_over());
        match passed.map(|entry| entry.name.as_str()).collect::<Vec<_>>()[..] {
            [] => {}
            [one] => tracing::warn!("{name}: passed over: {one}"),
            [first, ref others @ ..] => {
                tracing::warn!("{name}: passed over: {first} and {} more entries", others.len())
            }
        }
        let archives = container.archives()?;
        // Damaged archives count as well: names of outputs must not depend on damage.
        let count = archives.len();
        let mut entries = Vec::with_capacity(archives.len());
        for archive in archives {
            match archive {
                Ok(entry) => entries.push(entry.clone()),
                Err(error) => {
                    let argument = match &error {
                        WaczError::Entry { entry, .. } => format!("{name}!{entry}"),
                        _ => name.to_owned(),
                    };
                    self.refuse(argument, &error);
                }
            }
        }
        // On request only: every byte of the container is read for it, before the first record.
        let faults: Vec<String> = match self.options.check_hashes.then(|| container.check_hashes()) {
            None => Vec::new(),
            Some(Ok(found)) => found.iter().map(|fault| format!("{}: {}", fault.entry, fault.what)).collect(),
            Some(Err(error)) => vec![error.to_string()],
        };
        // Faults are reported with the first archive; without any archive nothing else would report them.
        if entries.is_empty() {
            faults.iter().for_each(|what| self.refuse(name.to_owned(), what));
        }
        let shared = Arc::new(ReadContainer {
            // Nobody asks for the rest of the directory any more.
            container: container.without_other_entries(),
            place: place.clone(),
            options: self.options,
            has_one: count == 1,
            faults,
            pages: Mutex::default(),
        });
        if self.options.pages_only && shared.lists_nothing() {
            let what = "lists no pages, and only pages that are listed are wanted (pages_only)";
            self.refuse(name.to_owned(), &what);
            return Ok(());
        }
        let packed = Packed::of(&shared, entries).into_iter();
        self.inputs.extend(packed.map(|packed| Input::Packed(Arc::new(packed))));
        Ok(())
    }

    fn open(&self, place: &Location) -> Result<Container, WaczError> {
        let (bytes, remote, stop) =
            (ArchiveBytes::Whole(place.clone()), self.remote.clone(), self.network.stop.clone());
        let open: Open =
            Arc::new(move || Ok(Box::new(Stoppable { input: bytes.open_blocks(&remote)?, stop: stop.clone() })));
        Container::new(place.to_string(), open)
    }

    /// Returns the names of the WACZ files that a collection's description lists; none if it is unreadable or
    /// malformed. An unreadable file is reported later, like any input.
    fn collection(&self, place: &Location) -> Option<Vec<String>> {
        let mut json = Vec::new();
        let bytes = ArchiveBytes::Whole(place.clone()).open(&self.remote).ok()?;
        // A longer description is cut and is then no JSON, so it is reported like any other input.
        bytes.take(MAX_COLLECTION).read_to_end(&mut json).ok()?;
        collection(&json)
    }

    fn parts(&mut self, place: &Location, parts: &[String]) {
        let base = place.folder();
        if parts.is_empty() {
            self.refuse(place.to_string(), &"names no WACZ file");
        }
        for part in parts {
            if self.network.stop.is_set() {
                return;
            }
            // Containers elsewhere are named by whole URLs; a path must not lead out of its folder.
            let joined = match base.join(part) {
                Location::Url(url) if trommel_sources::is_url(part) => Some(Location::Url(url)),
                _ => base.join_below(part),
            };
            match joined {
                Some(Location::Url(url)) if Scheme::of(&url).is_none() => {
                    self.refuse(redacted(&url), &format!("only {} URLs are read", Scheme::READ));
                }
                Some(Location::Url(url)) if !self.network.follow_hosts && !is_named(&url, place) => {
                    let what = "is on a host that you did not name, which is asked only if you say so \
                                (--follow-hosts)";
                    self.refuse(redacted(&url), &what);
                }
                Some(joined) => self.container(&joined),
                None => {
                    let argument = format!("{place}: {part}");
                    self.refuse(argument, &"its name leads out of the folder of the collection");
                }
            }
        }
    }
}

/// Returns whether a URL that a collection lists is on the host, bucket or repository of the collection. Other URLs are
/// not trusted, because the user named only the collection.
fn is_named(url: &str, collection: &Location) -> bool {
    let server = |url: &str| {
        let name = match split_container(url) {
            Some((container, _)) => container.split_once("://")?.1.to_owned(),
            None => Url::parse(url).ok()?.host_str()?.to_owned(),
        };
        Some((Scheme::of(url)?, name))
    };
    match collection {
        Location::File(_) => false,
        Location::Url(named) => server(url).is_some_and(|origin| server(named) == Some(origin)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reasons(folder: &Path, json: &str, network: &NetworkOptions) -> Vec<(String, String)> {
        let path = folder.join("all.json");
        std::fs::write(&path, json).unwrap();
        let inputs = unpack(vec![Input::File(path)], PackedOptions::default(), network);
        let told = inputs.into_iter().map(|input| match input {
            Input::Nothing { argument, reason } => (argument, reason),
            other => (other.name(), String::new()),
        });
        told.collect()
    }

    #[test]
    fn a_collection_names_no_hosts() {
        let folder = tempfile::tempdir().unwrap();
        // Nobody listens there.
        let json = r#"{"profile":"multi-wacz-package","resources":[{"path":"http://127.0.0.1:9/x.wacz"}]}"#;
        let told = reasons(folder.path(), json, &NetworkOptions::default());
        assert_eq!(told[0].0, "http://127.0.0.1:9/x.wacz");
        assert!(told[0].1.contains("--follow-hosts"), "{told:?}");
        let followed =
            NetworkOptions { follow_hosts: true, retry_for: std::time::Duration::ZERO, ..NetworkOptions::default() };
        let told = reasons(folder.path(), json, &followed);
        assert!(!told[0].1.contains("--follow-hosts"), "{told:?}");
        let named = |url: &str, by: &str| is_named(url, &Location::Url(by.to_owned()));
        assert!(named("https://a.example:1/x.wacz", "http://A.example/all.json"));
        assert!(named("s3a://b/x.wacz", "s3://b/all.json"));
        assert!(named("hf://datasets/o/n/x.wacz", "hf://datasets/o/n/all.json"));
        for (url, by) in [
            ("http://127.0.0.1/x.wacz", "http://a.example/all.json"),
            ("http://a.example.org/x.wacz", "http://a.example/all.json"),
            ("s3://b/x.wacz", "https://b/all.json"),
            ("hf://datasets/o/other/x.wacz", "hf://datasets/o/n/all.json"),
            ("gs://b/x.wacz", "s3://b/all.json"),
        ] {
            assert!(!named(url, by), "{url} {by}");
        }
    }

    #[test]
    fn nothing_is_looked_into_once_the_flag_is_set() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.wacz");
        std::fs::write(&path, "PK\x03\x04").unwrap();
        let network = NetworkOptions::default();
        let inputs = vec![Input::File(path); 3];
        assert_eq!(unpack(inputs.clone(), PackedOptions::default(), &network).len(), 3);
        network.stop.set();
        assert_eq!(unpack(inputs, PackedOptions::default(), &network), []);
    }
}
