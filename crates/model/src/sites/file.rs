//! The file of a site memory: MessagePack with only numbers and host names. Equal memories have equal bytes.

use std::io::{Read, Write};

use serde::{Deserialize, Serialize};
use trommel_text::{hash, mix};

use crate::sites::counts::PageCount;
use crate::sites::error::SitesError;
use crate::sites::memory::SiteMemory;
use crate::sites::print;
use crate::sites::sample::Threshold;

/// First field of every file.
const FORMAT: &str = "trommel-sites";
/// Version of the layout, and of the fingerprints.
const VERSION: u32 = print::VERSION;

#[derive(Serialize, Deserialize)]
struct Head {
    format: String,
    version: u32,
}

#[derive(Serialize, Deserialize)]
struct Contents {
    max_bytes: u64,
    threshold: Threshold,
    model: Option<String>,
    /// Sites with their counts of pages, sorted by name.
    sites: Vec<(String, PageCount)>,
    /// Counts of texts, sorted by key as all lists below.
    texts: Vec<(u64, PageCount)>,
    /// Key, pages, judged pages, sum of probabilities.
    positions: Vec<(u32, u32, u32, u64)>,
    contents: Vec<(u32, u32, u32)>,
}

impl SiteMemory {
    /// Writes the memory: a head, then its contents.
    ///
    /// # Errors
    /// If `out` takes no more.
    pub fn write(&self, mut out: impl Write) -> Result<(), SitesError> {
        let head = Head { format: FORMAT.to_owned(), version: VERSION };
        let mut contents = Contents {
            max_bytes: self.max_bytes,
            threshold: self.threshold,
            model: self.model.clone(),
            sites: self.sites.values().map(|site| (site.name.to_string(), site.count)).collect(),
            texts: self.texts.iter().map(|(key, count)| (key.get(), *count)).collect(),
            positions: self
                .positions
                .iter()
                .map(|(key, position)| (*key, position.pages, position.judged, position.probability.get()))
                .collect(),
            contents: self.contents.iter().map(|((position, text), pages)| (*position, *text, *pages)).collect(),
        };
        contents.sites.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        contents.texts.sort_unstable_by_key(|(key, _)| *key);
        contents.positions.sort_unstable();
        contents.contents.sort_unstable();
        rmp_serde::encode::write_named(&mut out, &head)?;
        rmp_serde::encode::write_named(&mut out, &contents)?;
        Ok(())
    }

    /// Reads a memory.
    ///
    /// # Errors
    /// If it is none, of another version, or damaged.
    pub fn read(mut input: impl Read) -> Result<Self, SitesError> {
        let head: Head = rmp_serde::decode::from_read(&mut input)?;
        if head.format != FORMAT {
            return Err(SitesError::NotASiteMemory(head.format));
        }
        if head.version != VERSION {
            return Err(SitesError::Version { found: head.version, known: VERSION });
        }
        let contents: Contents = rmp_serde::decode::from_read(&mut input)?;
        if !contents.threshold.is_in_row() {
            return Err(SitesError::Unsound("its threshold is none"));
        }
        let mut memory = Self::new(contents.max_bytes);
        memory.threshold = contents.threshold;
        memory.model = contents.model;
        for (name, count) in &contents.sites {
            memory.join_site(mix(hash(name.as_bytes())), name, *count);
        }
        for (key, count) in contents.texts {
            memory.join_text(key, count);
        }
        for (key, pages, judged, probability) in contents.positions {
            if memory.keeps_position(key) {
                let position = memory.positions.entry(key).or_default();
                position.join(pages, judged, probability);
            }
        }
        for (position, text, pages) in contents.contents {
            memory.join_content((position, text), pages);
        }
        memory.make_room();
        Ok(memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sites::print::PagePrint;
    use trommel_html::{Engine, Limits, ScanEngine};

    fn memory() -> SiteMemory {
        let mut memory = SiteMemory::new(2 << 20).with_model("fast 2026-11-22");
        for at in 0..20 {
            let html = format!("<nav>Menu</nav><p>Story number {}</p>", at / 2);
            let page = ScanEngine.read(&html, &Limits::default());
            let url = format!("https://site-{}.example/{at}", at % 3);
            memory.add(&url, &PagePrint::of(&page), Some(&[0.1, 0.9]));
        }
        memory
    }

    #[test]
    fn a_file_comes_back_as_it_was() {
        let memory = memory();
        let mut bytes = Vec::new();
        memory.write(&mut bytes).unwrap();
        let read = SiteMemory::read(&bytes[..]).unwrap();
        assert_eq!(read, memory);
        assert_eq!(read.model(), Some("fast 2026-11-22"));
        let mut again = Vec::new();
        read.write(&mut again).unwrap();
        assert_eq!(again, bytes);
    }

    #[test]
    fn what_is_no_memory_is_refused() {
        let mut bytes = Vec::new();
        memory().write(&mut bytes).unwrap();
        for cut in 0..bytes.len() {
            assert!(SiteMemory::read(&bytes[..cut]).is_err(), "{cut}");
        }
        let error = |bytes: &[u8]| SiteMemory::read(bytes).unwrap_err().to_string();
        assert!(error(b"no memory").contains("not a site memory"));
        let other = |format: &str, version| {
            let format = format.to_owned();
            rmp_serde::to_vec_named(&Head { format, version }).unwrap()
        };
        assert!(error(&other("trommel-model", VERSION)).contains("trommel-model"));
        assert!(error(&other(FORMAT, 99)).contains("version 99"));
        // Any byte changed is refused or read, and never ends the program.
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x55;
            let _ = SiteMemory::read(&changed[..]);
        }
    }
}
