//! The memory: counts of every site in bounded space.

use rustc_hash::FxHashMap;
use trommel_text::{hash, mix};

use crate::sites::compact::Compact64;
use crate::sites::counts::{PageCount, Position, UNIT};
use crate::sites::error::SitesError;
use crate::sites::print::PagePrint;
use crate::sites::sample::Threshold;
use crate::sites::site::site_of;

/// Bytes that a memory takes at most unless told otherwise.
pub const DEFAULT_BYTES: u64 = 1 << 30;
/// Minimum useful number of bytes.
pub const MIN_BYTES: u64 = 1 << 20;

/// Maximum bytes for each entry of a table: its own and one for control, in tables that double when they are seven
/// eighths full.
const fn entry_bytes(entry_size: usize) -> u64 {
    (entry_size as u64 + 1) * 16 / 7
}

const SITE_BYTES: u64 = entry_bytes(size_of::<(u64, Site)>());
const TEXT_BYTES: u64 = entry_bytes(size_of::<(Compact64, PageCount)>());
const POSITION_BYTES: u64 = entry_bytes(size_of::<(u32, Position)>());
const CONTENT_BYTES: u64 = entry_bytes(size_of::<((u32, u32), u32)>());
/// The bytes that the allocator adds to a name.
const NAME_BYTES: u64 = 16;

/// Bits by which the keys of sites are lowered. Counts of blocks are useless without the number of pages of their site,
/// so sites are removed last.
const SITE_SHIFT: u32 = 5;

/// A site that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    pub name: Box<str>,
    pub count: PageCount,
}

/// A site's name and number of pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteSize<'a> {
    /// Its host, as in [`site_of`].
    pub name: &'a str,
    /// Its pages, captures of one URL counted each.
    pub pages: u32,
}

/// Number of pages of its site on which each block occurred, for any number of sites, in bounded memory.
///
/// The same pages give the same memory in whatever order they come and however memories of parts of them are
/// merged. When there is no more room, an even sample of the blocks is kept, and nothing is known of the others.
#[derive(Clone, Debug)]
pub struct SiteMemory {
    pub(crate) max_bytes: u64,
    pub(crate) threshold: Threshold,
    /// The model whose probabilities are in it.
    pub(crate) model: Option<String>,
    pub(crate) sites: FxHashMap<u64, Site>,
    /// Pages with a text, by site and text.
    pub(crate) texts: FxHashMap<Compact64, PageCount>,
    /// Statistics of each position, by the hash of site and position.
    pub(crate) positions: FxHashMap<u32, Position>,
    /// Pages with a text at a position, by both.
    pub(crate) contents: FxHashMap<(u32, u32), u32>,
    /// Bytes of the names of sites.
    names: u64,
}

/// A page's place in the tables.
pub(crate) struct Keys {
    pub site: u64,
    pub url: u32,
    /// Each once, sorted.
    pub texts: Vec<u64>,
    /// Keys of the blocks, in their order.
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

    /// (position, text) pairs, each once, sorted.
    pub fn contents(&self) -> Vec<(u32, u32)> {
        let mut contents: Vec<(u32, u32)> = self.of_blocks.iter().map(|(_, at, text)| (*at, *text)).collect();
        contents.sort_unstable();
        contents.dedup();
        contents
    }
}

/// Mean probability of the words at each position of a page, in units of [`UNIT`].
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
    /// A memory that takes at most `max_bytes`, of which [`MIN_BYTES`] is the least. While a table grows, its
    /// old form stands beside it for a moment.
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

    /// The same memory, which takes probabilities of that model only.
    #[must_use]
    pub fn with_model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// The model whose probabilities it holds, if it holds any.
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// Counts a page, with the probability of each of its blocks if a model judged it. A page whose URL has no host
    /// belongs to no site and is passed over; returns whether it was counted.
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

    /// Adds the counts of another memory. The smaller bound of the two holds for the result.
    ///
    /// # Errors
    /// If they hold probabilities of different models; nothing is added then.
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
            self.make_room_sometimes();
        }
        for (key, count) in &other.texts {
            self.join_text(key.get(), *count);
            self.make_room_sometimes();
        }
        for (key, more) in &other.positions {
            if self.threshold.keeps(position_key(*key)) {
                let position = self.positions.entry(*key).or_default();
                position.join(more.pages, more.judged, more.probability.get());
                self.make_room_sometimes();
            }
        }
        for (key, pages) in &other.contents {
            self.join_content(*key, *pages);
            self.make_room_sometimes();
        }
        self.make_room();
        Ok(())
    }

    /// Bytes that its entries take at most.
    pub fn bytes(&self) -> u64 {
        let entries = |number: usize, bytes: u64| number as u64 * bytes;
        entries(self.sites.len(), SITE_BYTES + NAME_BYTES)
            + self.names
            + entries(self.texts.len(), TEXT_BYTES)
            + entries(self.positions.len(), POSITION_BYTES)
            + entries(self.contents.len(), CONTENT_BYTES)
    }

    /// Bytes that its tables take as they stand.
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

    /// Maximum bytes that it may take.
    pub fn max_bytes(&self) -> u64 {
        self.max_bytes
    }

    /// Distinct blocks that it knows: texts of a site.
    pub fn blocks(&self) -> usize {
        self.texts.len()
    }

    /// Positions that it knows.
    pub fn positions(&self) -> usize {
        self.positions.len()
    }

    /// Pages that were counted, of the sites that it knows.
    pub fn pages(&self) -> u64 {
        self.sites.values().map(|site| u64::from(site.count.pages)).sum()
    }

    /// Returns whether blocks were given up for lack of room.
    pub fn is_sample(&self) -> bool {
        self.threshold != Threshold::ALL
    }

    /// The sites, those with the most pages first, of equal ones by name.
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

    /// The same in the middle of much work: not to look after every step.
    fn make_room_sometimes(&mut self) {
        if self.bytes() > self.max_bytes {
            self.make_room();
        }
    }

    /// Lowers the threshold until the remaining entries fit.
    pub(crate) fn make_room(&mut self) {
        while self.bytes() > self.max_bytes {
            self.threshold = self.threshold.lower();
            self.drop_above();
        }
    }

    /// Drops the entries that are not below the threshold.
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

    /// Returns whether it would know a text of that key, had it seen it.
    pub(crate) fn keeps_text(&self, key: u64) -> bool {
        self.threshold.keeps(key)
    }

    /// Returns whether it would know a position of that key, had it seen it.
    pub(crate) fn keeps_position(&self, key: u32) -> bool {
        self.threshold.keeps(position_key(key))
    }
}

impl PartialEq for SiteMemory {
    /// Returns whether they know the same and have the same room.
    fn eq(&self, other: &Self) -> bool {
        (self.max_bytes, self.threshold) == (other.max_bytes, other.threshold)
            && self.model == other.model
            && self.sites == other.sites
            && self.texts == other.texts
            && self.positions == other.positions
            && self.contents == other.contents
    }
}

#[cfg(test)]
mod tests;
