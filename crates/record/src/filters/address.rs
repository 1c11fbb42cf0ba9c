//! Filters records by their URLs and hosts, before their contents are read.
//!
//! The settings list hosts by name, or name files of hosts.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::{collections::HashMap, fs, path::Path, time::SystemTime};

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use trommel_text::{hash, host_of_authority};

use crate::filters::{FilterSettings, Reason};

/// Pattern of URLs: `*` matches any characters, `?` matches a single one. A pattern without `://` is compared with the
/// URL without its scheme.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UrlPattern(String);

impl UrlPattern {
    /// Creates a pattern from its text, such as `*/blog/*`.
    pub fn new(pattern: &str) -> Self {
        Self(pattern.to_owned())
    }

    /// Returns whether the pattern matches the whole of `url`, without its scheme if the pattern has no `://`.
    pub fn matches(&self, url: &str) -> bool {
        let compared = match self.0.contains("://") {
            true => url,
            false => url.split_once("://").map_or(url, |(_, rest)| rest),
        };
        is_match(self.0.as_bytes(), compared.as_bytes())
    }
}

/// Returns whether a pattern with `*` and `?` matches a whole text, in time of at most the product of both lengths.
fn is_match(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut seen) = (0, 0);
    // The last `*`, and the end of what it stands for.
    let mut star: Option<(usize, usize)> = None;
    while let Some(byte) = text.get(seen) {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, seen));
                at += 1;
            }
            // A whole character, not one of its bytes.
            Some(b'?') => {
                at += 1;
                seen += 1;
                while text.get(seen).is_some_and(|byte| byte & 0xC0 == 0x80) {
                    seen += 1;
                }
            }
            Some(wanted) if wanted == byte => {
                at += 1;
                seen += 1;
            }
            _ => {
                let Some((begin, end)) = star else { return false };
                star = Some((begin, end + 1));
                (at, seen) = (begin + 1, end + 1);
            }
        }
    }
    pattern.get(at..).is_some_and(|rest| rest.iter().all(|byte| *byte == b'*'))
}

impl FilterSettings {
    /// Returns the reason to drop a record by its URL or host; `None` to keep it. A record without a URL is judged like
    /// an empty URL.
    pub(super) fn judge_url(&self, url: Option<&str>) -> Option<Reason> {
        let address = url.unwrap_or_default();
        if !self.url.is_empty() && !self.url.iter().any(|pattern| pattern.matches(address)) {
            return Some(Reason::Url);
        }
        let is_wanted = (self.host.is_empty() || self.host.contain(address)) && !self.not_host.contain(address);
        (!is_wanted).then_some(Reason::Host)
    }

    /// Describes the filters of URLs and hosts in one line; `None` if there is no such filter.
    pub(super) fn describe_urls(&self) -> Option<String> {
        let patterns = self.url.iter().map(|pattern| pattern.0.clone());
        let kept = self.host.given().iter().map(|host| format!("on {host}"));
        let dropped = self.not_host.given().iter().map(|host| format!("not on {host}"));
        let all: Vec<String> = patterns.chain(kept).chain(dropped).collect();
        (!all.is_empty()).then(|| format!("URL: {}", all.join(", ")))
    }
}

/// Set of hosts. Each host includes its subdomains: `example.org` includes `www.example.org`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct Hosts {
    given: Vec<String>,
    /// Hashes of the host names; public lists have millions of them.
    names: FxHashSet<u64>,
    files: Vec<Arc<HostFile>>,
}

/// Host names in a file, and the file's checksum.
#[derive(Debug)]
struct HostFile {
    names: FxHashSet<u64>,
    sha256: String,
}

/// Files of hosts that were read, by path, size and time of modification, because settings are read many times.
static READ: LazyLock<Mutex<HashMap<FileKey, Arc<HostFile>>>> = LazyLock::new(Mutex::default);
type FileKey = (String, u64, Option<SystemTime>);

impl Hosts {
    /// Creates a set of hosts from names, and from files with a name on each line.
    ///
    /// # Errors
    /// Fails if a file cannot be read, or if a name is not a valid host name.
    pub fn of(given: Vec<String>) -> Result<Self, String> {
        let mut hosts = Self::default();
        for name in &given {
            if Path::new(name).is_file() {
                hosts.files.push(HostFile::open(name).map_err(|error| format!("{name}: {error}"))?);
            } else if is_name(name) {
                hosts.names.insert(hash(host(name).as_bytes()));
            } else {
                return Err(format!("{name}: no such file, and no name of a host"));
            }
        }
        Ok(Self { given, ..hosts })
    }

    /// Returns the names and files from which the set was created, as the user wrote them.
    pub fn given(&self) -> &[String] {
        &self.given
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    /// Returns the SHA-256 of each file of hosts, in the given order, because the contents of a file can change.
    pub fn sha256(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| file.sha256.as_str())
    }

    /// Returns whether the set contains the host of `url` or a parent domain of it.
    pub fn contain(&self, url: &str) -> bool {
        let whole = host(url);
        let ends = whole.match_indices('.').filter_map(|(at, _)| whole.get(at + 1..));
        std::iter::once(whole.as_str()).chain(ends).any(|name| {
            let name = hash(name.as_bytes());
            self.names.contains(&name) || self.files.iter().any(|file| file.names.contains(&name))
        })
    }
}

impl PartialEq for Hosts {
    fn eq(&self, other: &Self) -> bool {
        self.given == other.given && self.sha256().eq(other.sha256())
    }
}

impl TryFrom<Vec<String>> for Hosts {
    type Error = String;

    fn try_from(given: Vec<String>) -> Result<Self, String> {
        Self::of(given)
    }
}

impl From<Hosts> for Vec<String> {
    fn from(hosts: Hosts) -> Self {
        hosts.given
    }
}

impl HostFile {
    fn open(path: &str) -> std::io::Result<Arc<Self>> {
        let found = fs::metadata(path)?;
        let key = (path.to_owned(), found.len(), found.modified().ok());
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = read.get(&key) {
            return Ok(known.clone());
        }
        let bytes = fs::read(path)?;
        let text = String::from_utf8_lossy(&bytes);
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
        // Lists for name servers have an address before the name.
        let names = lines.filter_map(|line| line.split_whitespace().next_back());
        let file = Arc::new(Self {
            names: names.map(|name| hash(host(name).as_bytes())).collect(),
            sha256: Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect(),
        });
        read.insert(key, file.clone());
        Ok(file)
    }
}

/// Returns whether a text may be the name of a host, and does not look like the name of a file.
fn is_name(text: &str) -> bool {
    let is_file = [".txt", ".csv", ".tsv", ".gz", ".list"].iter().any(|ending| text.ends_with(ending));
    let is_char = |c: char| c.is_alphanumeric() || "._-:[]".contains(c);
    !is_file && !text.is_empty() && text.chars().all(is_char)
}

/// Returns the host of a URL or of a bare name, in lower case, without user, port and the dot at the end.
fn host(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    host_of_authority(rest).unwrap_or_default().trim_matches('.').to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stand_for_whole_urls() {
        let matches = |pattern: &str, url: &str| UrlPattern::new(pattern).matches(url);
        for (pattern, url) in [
            ("http://a.example/", "http://a.example/"),
            ("*", "http://a.example/"),
            ("*/blog/*", "http://a.example/de/blog/1?x=2"),
            ("a.example/*", "https://a.example/x"),
            ("https://a.example/*", "https://a.example/x"),
            ("http://a.example/page?id=*", "http://a.example/page?id=7"),
            ("*/m?hle", "http://a.example/mühle"),
            ("*a*b*", "http://x/aab"),
        ] {
            assert!(matches(pattern, url), "{pattern} {url}");
        }
        for (pattern, url) in [
            ("a.example", "http://a.example/"),
            ("https://a.example/*", "http://a.example/x"),
            ("*/blog/", "http://a.example/blog/1"),
            ("*/Blog/*", "http://a.example/blog/1"),
            ("", "http://a.example/"),
            ("*/m?hle", "http://a.example/mhle"),
        ] {
            assert!(!matches(pattern, url), "{pattern} {url}");
        }
        assert!(!is_match("*a".repeat(50).as_bytes(), "a".repeat(40_000).as_bytes().get(..49).unwrap()));
    }

    #[test]
    fn patterns_and_hosts_are_both_asked() {
        let hosts = |names: &[&str]| Hosts::of(names.iter().map(|&name| name.to_owned()).collect()).unwrap();
        let settings = FilterSettings {
            url: vec![UrlPattern::new("*/a/*"), UrlPattern::new("*/b/*")],
            host: hosts(&["one.example", "two.example"]),
            not_host: hosts(&["ads.one.example"]),
            ..FilterSettings::default()
        };
        assert_eq!(settings.judge_url(Some("http://www.one.example/a/1")), None);
        assert_eq!(settings.judge_url(Some("http://two.example/b/1")), None);
        assert_eq!(settings.judge_url(Some("http://one.example/c/1")), Some(Reason::Url));
        assert_eq!(settings.judge_url(Some("http://three.example/a/1")), Some(Reason::Host));
        assert_eq!(settings.judge_url(Some("http://x.ads.one.example/a/1")), Some(Reason::Host));
        assert_eq!(settings.judge_url(None), Some(Reason::Url));
        let about = settings.describe_urls();
        assert_eq!(about.unwrap(), "URL: */a/*, */b/*, on one.example, on two.example, not on ads.one.example");
        let only_dropped = FilterSettings { not_host: hosts(&["b.example"]), ..FilterSettings::default() };
        assert_eq!(only_dropped.judge_url(None), None);
        assert_eq!(only_dropped.judge_url(Some("http://b.example")), Some(Reason::Host));
    }

    #[test]
    fn names_stand_for_what_is_below_them() {
        let hosts = Hosts::of(vec!["Example.org".to_owned(), "a.b.example".to_owned()]).unwrap();
        for url in
            ["http://example.org/", "https://WWW.EXAMPLE.ORG:8080/x", "http://u@x.a.b.example./", "http://example.org"]
        {
            assert!(hosts.contain(url), "{url}");
        }
        for url in ["http://notexample.org/", "http://b.example/", "http://x.example/?example.org", "", "dns:x"] {
            assert!(!hosts.contain(url), "{url}");
        }
        assert!(Hosts::of(vec!["[::1]".to_owned()]).unwrap().contain("http://[::1]:80/"));
        for wrong in ["gone/hosts", "hosts.txt", "", "*.example"] {
            assert!(Hosts::of(vec![wrong.to_owned()]).unwrap_err().contains("no such file"), "{wrong}");
        }
    }

    #[test]
    fn files_have_a_name_on_each_line() {
        let path = std::env::temp_dir().join(format!("trommel-hosts-{}.txt", std::process::id()));
        fs::write(&path, "# adverts\n0.0.0.0 ads.example # all of them\n\nhttp://b.example/x\n").unwrap();
        let hosts = Hosts::of(vec![path.to_string_lossy().into_owned(), "c.example".to_owned()]).unwrap();
        for host in ["ads.example", "x.b.example", "c.example"] {
            assert!(hosts.contain(&format!("http://{host}/")), "{host}");
        }
        assert!(!hosts.contain("http://0.0.0.0/") && !hosts.contain("http://example/"));
        assert_eq!(hosts.sha256().map(str::len).collect::<Vec<_>>(), [64]);
        fs::write(&path, "d.example\n").unwrap();
        let other = Hosts::of(hosts.given().to_vec()).unwrap();
        assert_ne!(hosts, other);
        fs::remove_file(&path).unwrap();
    }
}
