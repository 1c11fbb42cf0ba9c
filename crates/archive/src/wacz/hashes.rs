//! Checks the hashes of the files in a WACZ file.

use std::collections::HashMap;
use std::io::{self, Read};

use data_encoding::HEXLOWER;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::wacz::{Container, Entry, WaczError};

/// Name of the entry that describes a WACZ container and lists the hashes of all entries.
pub(crate) const DESCRIPTION: &str = "datapackage.json";
pub(crate) const DIGEST: &str = "datapackage-digest.json";

/// Difference between an entry of a container and its description in `datapackage.json`, such as another hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Name of the entry that differs.
    pub entry: String,
    /// Description of the difference, for messages.
    pub what: String,
}

/// Part of `datapackage.json` that is checked: the list of entries.
#[derive(Deserialize)]
struct Description {
    resources: Option<Vec<Resource>>,
}

/// Contents of `datapackage-digest.json`: the hash of `datapackage.json`.
#[derive(Deserialize)]
struct StatedHash {
    hash: String,
}

/// Entry as `datapackage.json` lists it: with `hash` in current files, with `stats` and `hashing` in version 1.0.
#[derive(Deserialize)]
struct Resource {
    path: String,
    hash: Option<String>,
    bytes: Option<u64>,
    stats: Option<Stats>,
    hashing: Option<String>,
}

#[derive(Deserialize)]
struct Stats {
    hash: Option<String>,
    bytes: Option<u64>,
}

impl Resource {
    /// Returns the kind of the entry's hash (`sha256`) and its digits; `None` if there is no hash.
    fn hash(&self) -> Option<(&str, &str)> {
        let hash = self.hash.as_deref();
        if let Some(parts) = hash.and_then(|hash| hash.split_once(':')) {
            return Some(parts);
        }
        let old = hash.or(self.stats.as_ref()?.hash.as_deref())?;
        Some((self.hashing.as_deref().unwrap_or("sha256"), old))
    }

    fn bytes(&self) -> Option<u64> {
        self.bytes.or(self.stats.as_ref()?.bytes)
    }
}

impl Container {
    /// Reads all entries that `datapackage.json` lists and returns those that differ from their description.
    ///
    /// # Errors
    /// Fails if `datapackage.json` is missing, cannot be read or is not JSON.
    pub fn check_hashes(&self) -> Result<Vec<Fault>, WaczError> {
        let missing = || self.of_name(DESCRIPTION, &"is missing");
        let description = self.description(DESCRIPTION)?.ok_or_else(missing)?;
        let json = |source| self.json(DESCRIPTION, source);
        let stated: Description = serde_json::from_slice(&description).map_err(json)?;
        let entries = self.entries().iter();
        let mut entries: HashMap<&str, Option<&Entry>> =
            entries.map(|entry| (entry.name.as_str(), Some(entry))).collect();
        let mut faults = Vec::new();
        for resource in stated.resources.iter().flatten() {
            let what = match entries.get_mut(resource.path.as_str()).map(Option::take) {
                Some(Some(entry)) => self.fault(entry, resource),
                // Read once, however often it is named.
                Some(None) => Some(format!("named by {DESCRIPTION} more than once")),
                None => Some(format!("named by {DESCRIPTION}, but missing")),
            };
            if let Some(what) = what {
                faults.push(Fault { entry: resource.path.clone(), what });
            }
        }
        faults.extend(self.digest_fault(&description));
        Ok(faults)
    }

    fn fault(&self, entry: &Entry, resource: &Resource) -> Option<String> {
        let hashed = self
            .read(entry)
            .map_err(|error| error.to_string())
            .and_then(|bytes| hash_of(bytes).map_err(|error| error.to_string()));
        let (bytes, found) = match hashed {
            Ok(hashed) => hashed,
            Err(error) => return Some(error),
        };
        if let Some(stated) = resource.bytes().filter(|stated| *stated != bytes) {
            return Some(format!("{bytes} bytes, {DESCRIPTION} says {stated}"));
        }
        match resource.hash() {
            Some((kind, stated)) if kind.eq_ignore_ascii_case("sha256") => {
                let same = stated.eq_ignore_ascii_case(&found);
                (!same).then(|| format!("SHA-256 is {found}, {DESCRIPTION} says {stated}"))
            }
            Some((kind, _)) => Some(format!("has a hash of a kind that is not checked ({kind})")),
            None => None,
        }
    }

    /// Returns the difference between the hash of `datapackage.json` and the stated one; `None` if equal or not stated.
    fn digest_fault(&self, description: &[u8]) -> Option<Fault> {
        let digest = self.description(DIGEST).ok().flatten()?;
        let StatedHash { hash: stated } = serde_json::from_slice(&digest).ok()?;
        let found = format!("sha256:{}", HEXLOWER.encode(&Sha256::digest(description)));
        (!stated.eq_ignore_ascii_case(&found)).then(|| Fault {
            entry: DESCRIPTION.to_owned(),
            what: format!("its hash is {found}, {DIGEST} says {stated}"),
        })
    }
}

/// Returns the number of bytes of an input, and their SHA-256 in hexadecimal digits.
fn hash_of(mut bytes: impl Read) -> io::Result<(u64, String)> {
    let mut hasher = Sha256::new();
    let mut block = vec![0; 1 << 16];
    let mut length = 0;
    loop {
        let read = match bytes.read(&mut block) {
            Ok(0) => return Ok((length, HEXLOWER.encode(&hasher.finalize()))),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        hasher.update(block.get(..read).unwrap_or_default());
        length += read as u64;
    }
}
