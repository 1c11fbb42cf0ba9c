//! The site memory: counts of every site in bounded space, and its file.
//!
//! The file is MessagePack with only numbers and host names. Equal memories have equal bytes.

#[cfg(test)]
mod tests;

use std::io::{Read, Write};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use trommel_text::{hash, mix};

use crate::sites::counts::{Compact64, PageCount, PagePrint, Position, Threshold, UNIT, site_of};
use crate::sites::{SitesError, counts};

/// Default maximum size in bytes of a site memory, which counts the pages of a site on which each text occurs.
pub const DEFAULT_BYTES: u64 = 1 << 30;
/// Minimum size in bytes to which a site memory can be limited; a lower limit is raised to it.
pub const MIN_BYTES: u64 = 1 << 20;

/// Returns the maximum number of bytes per entry of a hash table: the entry and a control byte, in tables that double
/// when they are seven eighths full.
const fn entry_bytes(entry_size: usize) -> u64 {
    (entry_size as u64 + 1) * 16 / 7
}

const SITE_BYTES: u64 = entry_bytes(size_of::<(u64, Site)>());
const TEXT_BYTES: u64 = entry_bytes(size_of::<(Compact64, PageCount)>());
const POSITION_BYTES: u64 = entry_bytes(size_of::<(u32, Position)>());
const CONTENT_BYTES: u64 = entry_bytes(size_of::<((u32, u32), u32)>());
/// Number of bytes that the allocator adds to the name of a site.
const NAME_BYTES: u64 = 16;

/// Number of bits by which keys of sites are shifted right. The highest keys are dropped first, so sites go last:
/// counts of blocks are useless without the number of pages of their site.
const SITE_SHIFT: u32 = 5;

/// A site in the memory: its name and its number of pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    pub name: Box<str>,
    pub count: PageCount,
}

/// Name of a site and its number of pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteSize<'a> {
    /// Host of the site, as [`site_of`] returns it.
    pub name: &'a str,
    /// Number of pages of the site, with each capture of a URL counted.
    pub pages: u32,
}

/// A site memory: for each block the number of pages of its site on which it occurred, for any number of sites, in
/// bounded memory.
///
/// The same pages give the same memory in whatever order they come and however memories of parts of them are
/// merged. When there is no more room, an even sample of the blocks is kept, and nothing is known of the others.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteMemory {
    pub(crate) max_bytes: u64,
    pub(crate) threshold: Threshold,
    /// Name and day of the model whose probabilities the memory holds; `None` if it holds none.
    pub(crate) model: Option<String>,
    pub(crate) sites: FxHashMap<u64, Site>,
    /// Number of pages with each text, by the hash of site and text.
    pub(crate) texts: FxHashMap<Compact64, PageCount>,
    /// Statistics of each position of blocks (names and classes around them), by the hash of site and position.
    pub(crate) positions: FxHashMap<u32, Position>,
    /// Number of pages with a text at a position, by the keys of the position and of the text.
    pub(crate) contents: FxHashMap<(u32, u32), u32>,
    /// Total length in bytes of the names of sites.
    names: u64,
}

/// Keys of a page in the tables of the site memory: of its site, its URL and its blocks.
pub(crate) struct Keys {
    pub site: u64,
    pub url: u32,
    /// Keys of the distinct texts of the page, sorted.
    pub texts: Vec<u64>,
    /// Keys of each block in page order: of its text on the site, of its position, and of its text at any position.
    pub of_blocks: Vec<(u64, u32, u32)>,
}

impl Keys {
    pub fn of(site: &str, url: &str, print: &PagePrint) -> Self {
        let site = mix(hash(site.as_bytes()));
        let of_blocks: Vec<(u64, u32, u32)> = print
            .texts
            .iter()
            .zip(&print.positions)
            .map(|(text, position)| {
                let position = mix(site ^ position.rotate_left(32)) >> 32;
                (mix(site ^ text), position as u32, mix(*text) as u32)
            })
            .collect();
        let mut texts: Vec<u64> = of_blocks.iter().map(|(text, ..)| *text).collect();
        texts.sort_unstable();
        texts.dedup();
        // A fragment is a place on the page, not a page.
        let url = url.split('#').next().unwrap_or(url);
        Self { site, url: mix(hash(url.as_bytes())) as u32, texts, of_blocks }
    }

    /// Returns the distinct pairs of the keys of a position and of a text there on the page, sorted.
    pub fn contents(&self) -> Vec<(u32, u32)> {
        let mut contents: Vec<(u32, u32)> = self.of_blocks.iter().map(|(_, at, text)| (*at, *text)).collect();
        contents.sort_unstable();
        contents.dedup();
        contents
    }
}

/// Returns the mean probability of the words at each position of a page, in units of 1 / [`UNIT`], by position key.
pub(crate) fn means(keys: &Keys, words: &[u32], probabilities: &[f32]) -> FxHashMap<u32, u64> {
    let mut sums: FxHashMap<u32, (f64, f64)> = FxHashMap::default();
    for (((_, position, _), words), probability) in keys.of_blocks.iter().zip(words).zip(probabilities) {
        let (sum, weight) = sums.entry(*position).or_default();
        let words = f64::from((*words).max(1));
        *sum += words * f64::from(probability.clamp(0.0, 1.0));
        *weight += words;
    }
    let in_units = |(position, (sum, weight)): (u32, (f64, f64))| (position, (sum / weight * UNIT).round() as u64);
    sums.into_iter().map(in_units).collect()
}

fn position_key(position: u32) -> u64 {
    u64::from(position) << 32
}

impl SiteMemory {
    /// Creates an empty memory of at most `max_bytes`, which is raised to [`MIN_BYTES`]. While a table grows, its old
    /// copy takes space as well for a moment.
    pub fn new(max_bytes: u64) -> Self {
        Self {
            max_bytes: max_bytes.max(MIN_BYTES),
            threshold: Threshold::ALL,
            model: None,
            sites: FxHashMap::default(),
            texts: FxHashMap::default(),
            positions: FxHashMap::default(),
            contents: FxHashMap::default(),
            names: 0,
        }
    }

    /// Returns the memory with `model` as the model whose probabilities it holds.
    #[must_use]
    pub fn with_model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Returns the model whose probabilities the memory holds, if it holds any.
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// Counts a page, with the probability of each of its blocks if a model judged it. A page whose URL has no host
    /// belongs to no site and is ignored. Returns whether the page was counted.
    pub fn add(&mut self, url: &str, print: &PagePrint, probabilities: Option<&[f32]>) -> bool {
        let Some(site) = site_of(url) else { return false };
        let keys = Keys::of(&site, url, print);
        let count = PageCount::one(keys.url);
        self.join_site(keys.site, &site, count);
        for text in &keys.texts {
            self.join_text(*text, count);
        }
        let means = probabilities.map(|probabilities| means(&keys, &print.words, probabilities));
        let contents = keys.contents();
        let mut last = None;
        for content in contents {
            let position = content.0;
            if !self.threshold.keeps(position_key(position)) {
                continue;
            }
            if last != Some(position) {
                last = Some(position);
                let mean = means.as_ref().and_then(|means| means.get(&position));
                let judged = u32::from(mean.is_some());
                let position = self.positions.entry(position).or_default();
                position.join(1, judged, mean.copied().unwrap_or(0));
            }
            self.join_content(content, 1);
        }
        self.make_room();
        true
    }

    /// Adds the counts of another memory. The result is limited to the smaller maximum size of the two.
    ///
    /// # Errors
    /// If the memories hold probabilities of different models; nothing is added then.
    pub fn merge(&mut self, other: &Self) -> Result<(), SitesError> {
        match (&self.model, &other.model) {
            (Some(ours), Some(others)) if ours != others => {
                return Err(SitesError::Models(ours.clone(), others.clone()));
            }
            (None, Some(model)) => self.model = Some(model.clone()),
            _ => {}
        }
        self.max_bytes = self.max_bytes.min(other.max_bytes);
        self.threshold = self.threshold.min(other.threshold);
        self.drop_above();
        for (key, site) in &other.sites {
            self.join_site(*key, &site.name, site.count);
            self.make_room();
        }
        for (key, count) in &other.texts {
            self.join_text(key.get(), *count);
            self.make_room();
        }
        for (key, more) in &other.positions {
            if self.threshold.keeps(position_key(*key)) {
                let position = self.positions.entry(*key).or_default();
                position.join(more.pages, more.judged, more.probability.get());
                self.make_room();
            }
        }
        for (key, pages) in &other.contents {
            self.join_content(*key, *pages);
            self.make_room();
        }
        self.make_room();
        Ok(())
    }

    /// Returns the maximum number of bytes that the entries of the memory take.
    pub fn bytes(&self) -> u64 {
        let entries = |number: usize, bytes: u64| number as u64 * bytes;
        entries(self.sites.len(), SITE_BYTES + NAME_BYTES)
            + self.names
            + entries(self.texts.len(), TEXT_BYTES)
            + entries(self.positions.len(), POSITION_BYTES)
            + entries(self.contents.len(), CONTENT_BYTES)
    }

    /// Returns the number of bytes that the tables take at present.
    pub fn allocated_bytes(&self) -> u64 {
        // Of eight slots seven are used.
        let table = |capacity: usize, entry_size: usize| capacity as u64 * 8 / 7 * (entry_size as u64 + 1);
        table(self.sites.capacity(), size_of::<(u64, Site)>())
            + self.names
            + self.sites.len() as u64 * NAME_BYTES
            + table(self.texts.capacity(), size_of::<(Compact64, PageCount)>())
            + table(self.positions.capacity(), size_of::<(u32, Position)>())
            + table(self.contents.capacity(), size_of::<((u32, u32), u32)>())
    }

    /// Returns the maximum number of bytes that the memory may take.
    pub fn max_bytes(&self) -> u64 {
        self.max_bytes
    }

    /// Returns the number of distinct blocks (texts of a site) in the memory.
    pub fn blocks(&self) -> usize {
        self.texts.len()
    }

    /// Returns the number of positions (combinations of names and classes around blocks) in the memory.
    pub fn positions(&self) -> usize {
        self.positions.len()
    }

    /// Returns the number of counted pages of all sites in the memory.
    pub fn pages(&self) -> u64 {
        self.sites.values().map(|site| u64::from(site.count.pages)).sum()
    }

    /// Returns whether blocks were dropped for lack of room, so that the memory is a sample.
    pub fn is_sample(&self) -> bool {
        self.threshold != Threshold::ALL
    }

    /// Returns the sites by falling number of pages, equal ones by name.
    pub fn sites(&self) -> Vec<SiteSize<'_>> {
        let mut sites: Vec<SiteSize<'_>> =
            self.sites.values().map(|site| SiteSize { name: &site.name, pages: site.count.pages }).collect();
        sites.sort_unstable_by(|a, b| b.pages.cmp(&a.pages).then(a.name.cmp(b.name)));
        sites
    }

    pub(crate) fn join_site(&mut self, key: u64, name: &str, count: PageCount) {
        if !self.threshold.keeps(key >> SITE_SHIFT) {
            return;
        }
        if let Some(known) = self.sites.get_mut(&key) {
            known.count.join(count);
            return;
        }
        self.names += name.len() as u64;
        let name = name.into();
        self.sites.insert(key, Site { name, count });
    }

    pub(crate) fn join_text(&mut self, key: u64, count: PageCount) {
        if self.threshold.keeps(key) {
            let known = self.texts.entry(key.into());
            known.and_modify(|page_count| page_count.join(count)).or_insert(count);
        }
    }

    pub(crate) fn join_content(&mut self, key: (u32, u32), pages: u32) {
        if self.threshold.keeps(position_key(key.0)) {
            let known = self.contents.entry(key).or_default();
            let before = *known;
            *known = before.saturating_add(pages);
            let after = *known;
            self.positions.entry(key.0).or_default().count_text(before, after);
        }
    }

    /// Drops entries, by lowering the threshold for their keys, until the rest fits into the maximum size.
    pub(crate) fn make_room(&mut self) {
        while self.bytes() > self.max_bytes {
            self.threshold = self.threshold.lower();
            self.drop_above();
        }
    }

    /// Drops the entries whose keys are not below the threshold.
    fn drop_above(&mut self) {
        let threshold = self.threshold;
        if threshold == Threshold::ALL {
            return;
        }
        self.sites.retain(|key, _| threshold.keeps(*key >> SITE_SHIFT));
        self.names = self.sites.values().map(|site| site.name.len() as u64).sum();
        self.texts.retain(|key, _| threshold.keeps(key.get()));
        self.positions.retain(|key, _| threshold.keeps(position_key(*key)));
        self.contents.retain(|key, _| threshold.keeps(position_key(key.0)));
        // What grew past the bound on the way here does not stay so large.
        self.sites.shrink_to_fit();
        self.texts.shrink_to_fit();
        self.positions.shrink_to_fit();
        self.contents.shrink_to_fit();
    }

    /// Returns whether the memory keeps texts with this key, rather than dropping them for lack of room.
    pub(crate) fn keeps_text(&self, key: u64) -> bool {
        self.threshold.keeps(key)
    }

    /// Returns whether the memory keeps positions with this key, rather than dropping them for lack of room.
    pub(crate) fn keeps_position(&self, key: u32) -> bool {
        self.threshold.keeps(position_key(key))
    }
}

/// Value of the first field of every site memory file, by which the file is recognised.
const FORMAT: &str = "trommel-sites";
/// Version of site memory files: of their layout and of the fingerprints in them.
const VERSION: u32 = counts::VERSION;

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
    /// Key of each text and its number of pages, sorted by key.
    texts: Vec<(u64, PageCount)>,
    /// Key, number of pages, number of judged pages and sum of probabilities of each position, sorted by key.
    positions: Vec<(u32, u32, u32, u64)>,
    contents: Vec<(u32, u32, u32)>,
}

impl SiteMemory {
    /// Writes the memory to a file: a head, then its contents.
    ///
    /// # Errors
    /// If writing to `out` fails.
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

    /// Reads a site memory from a file.
    ///
    /// # Errors
    /// If the file is not a site memory, is of another version, or is damaged.
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
mod file_tests {
    use super::*;
    use crate::sites::counts::PagePrint;
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
