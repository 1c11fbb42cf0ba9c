//! Filters duplicates of earlier documents of the run.

use serde::{Deserialize, Serialize};

use crate::filters::{DuplicateSettings, Fingerprint, MemoryState, OrderedFilter, PageText, Reason, memory::Memory};

/// Bytes for the keys of pages: 3.5 million of them.
const PAGES_MEMORY: u64 = 64 << 20;

/// Drops documents that have the words of an earlier one.
#[derive(Debug)]
struct Exact(Memory<u128>);

/// Drops documents that share a key with an earlier one.
#[derive(Debug)]
struct NearFilter(Memory<u64>);

impl OrderedFilter for Exact {
    fn judge(&mut self, fingerprint: &Fingerprint) -> Option<Reason> {
        let key = fingerprint.exact?;
        if self.0.recall(key) {
            return Some(Reason::ExactDuplicate);
        }
        self.0.remember(&[key]);
        None
    }
}

impl OrderedFilter for NearFilter {
    fn judge(&mut self, fingerprint: &Fingerprint) -> Option<Reason> {
        // Every key is asked for, so that all that are found stay in memory.
        let found = fingerprint.near.iter().fold(false, |found, &key| self.0.recall(key) | found);
        if found {
            return Some(Reason::NearDuplicate);
        }
        if !fingerprint.near.is_empty() {
            self.0.remember(&fingerprint.near);
        }
        None
    }
}

/// Drops copies of pages that gave a document before.
#[derive(Debug)]
struct Copies(Memory<u64>);

impl OrderedFilter for Copies {
    fn judge(&mut self, fingerprint: &Fingerprint) -> Option<Reason> {
        let (PageText::Captured(page) | PageText::Copied(page)) = fingerprint.page?;
        let is_known = self.0.recall(page);
        if !is_known {
            self.0.remember(&[page]);
        }
        // A page may be captured twice.
        matches!(fingerprint.page, Some(PageText::Copied(_)) if is_known).then_some(Reason::PageCopy)
    }
}

/// Drops documents that repeat earlier ones of the run, wholly or nearly.
#[derive(Debug, Default)]
pub struct Duplicates {
    exact: Option<Exact>,
    near: Option<NearFilter>,
    copies: Option<Copies>,
}

/// The memory of [`Duplicates`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DuplicatesState {
    exact: Option<MemoryState<u128>>,
    near: Option<MemoryState<u64>>,
    #[serde(default)]
    copies: Option<MemoryState<u64>>,
}

impl Duplicates {
    /// Filters that remember nothing yet.
    pub fn new(settings: &DuplicateSettings) -> Self {
        Self {
            exact: settings.exact.then(|| Exact(Memory::new(settings.memory.0))),
            near: settings.near.then(|| NearFilter(Memory::new(settings.memory.0))),
            copies: None,
        }
    }

    /// The same filters, and one that drops copies of pages.
    pub fn with_copies(self) -> Self {
        Self { copies: Some(Copies(Memory::new(PAGES_MEMORY))), ..self }
    }

    /// Returns whether no duplicate filter is on.
    pub fn is_empty(&self) -> bool {
        self.exact.is_none() && self.near.is_none() && self.copies.is_none()
    }

    /// Documents forgotten because memory was full: copies of them are not known any more.
    pub fn forgotten(&self) -> u64 {
        let exact = self.exact.as_ref().map_or(0, |exact| exact.0.forgotten());
        exact.max(self.near.as_ref().map_or(0, |near| near.0.forgotten()))
    }

    /// Bytes of [`Duplicates::state`], about.
    pub fn bytes(&self) -> u64 {
        let exact = self.exact.as_ref().map_or(0, |exact| exact.0.bytes());
        let near = self.near.as_ref().map_or(0, |near| near.0.bytes());
        exact + near + self.copies.as_ref().map_or(0, |copies| copies.0.bytes())
    }

    /// Returns the memory of the filters.
    pub fn state(&self) -> DuplicatesState {
        DuplicatesState {
            exact: self.exact.as_ref().map(|exact| exact.0.state()),
            near: self.near.as_ref().map(|near| near.0.state()),
            copies: self.copies.as_ref().map(|copies| copies.0.state()),
        }
    }

    /// Continues from the memory of filters with the same settings.
    pub fn restore(&mut self, state: DuplicatesState) {
        if let (Some(exact), Some(state)) = (&mut self.exact, state.exact) {
            exact.0.restore(state);
        }
        if let (Some(near), Some(state)) = (&mut self.near, state.near) {
            near.0.restore(state);
        }
        if let (Some(copies), Some(state)) = (&mut self.copies, state.copies) {
            copies.0.restore(state);
        }
    }

    /// The stages with their settings, a line each.
    pub fn describe(&self) -> Vec<String> {
        let exact = self.exact.as_ref().map(|exact| {
            let least = exact.0.capacity();
            format!("exact duplicates: the last {least} documents or more are remembered")
        });
        let near = self.near.as_ref().map(|near| {
            let least = near.0.capacity() / crate::filters::minhash::BANDS;
            format!("near duplicates: the last {least} documents or more are remembered")
        });
        exact.into_iter().chain(near).collect()
    }
}

impl OrderedFilter for Duplicates {
    fn judge(&mut self, fingerprint: &Fingerprint) -> Option<Reason> {
        self.exact
            .as_mut()
            .and_then(|exact| exact.judge(fingerprint))
            .or_else(|| self.near.as_mut().and_then(|near| near.judge(fingerprint)))
            .or_else(|| self.copies.as_mut().and_then(|copies| copies.judge(fingerprint)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::{FilterSettings, Filters};
    use trommel_text::ByteSize;
    use trommel_text::TextStats;

    fn settings(memory: u64) -> FilterSettings {
        FilterSettings {
            duplicates: DuplicateSettings { exact: true, near: true, memory: ByteSize(memory) },
            ..FilterSettings::default()
        }
    }

    fn text(number: u32) -> String {
        (0..100).map(|word| format!("w{} ", number * 100 + word)).collect()
    }

    #[test]
    fn copies_and_near_copies_are_dropped_once() {
        let filters = Filters::new(&settings(1 << 20));
        let mut duplicates = filters.duplicates();
        let mut judge = |text: &str| duplicates.judge(&filters.fingerprint(&TextStats::new(text)));
        assert_eq!(judge(&text(1)), None);
        assert_eq!(judge(&text(2)), None);
        assert_eq!(judge(&text(1).to_uppercase()), Some(Reason::ExactDuplicate));
        assert_eq!(judge(&format!("{} and one more line", text(2))), Some(Reason::NearDuplicate));
        // A text without words is no copy of another such.
        assert_eq!(judge(""), None);
        assert_eq!(judge("—"), None);
        let chinese = "我在湖南张家界开一个全省教学研究会议。按照惯例，会议安排了一天时间，让与会者去风景点游玩观赏。";
        assert_eq!(judge(chinese), None);
        assert_eq!(judge(&chinese.replace("，", " ")), Some(Reason::ExactDuplicate));
        assert_eq!(judge(&format!("{chinese}好")), Some(Reason::NearDuplicate));
    }

    #[test]
    fn a_saved_state_gives_the_verdicts_of_an_unbroken_run() {
        let filters = Filters::new(&settings(20_000));
        let fingerprints: Vec<Fingerprint> =
            (0..600).map(|step| filters.fingerprint(&TextStats::new(&text(step * step % 97)))).collect();
        let mut whole = filters.duplicates();
        let expected: Vec<_> = fingerprints.iter().map(|fingerprint| whole.judge(fingerprint)).collect();
        assert!(expected.contains(&Some(Reason::ExactDuplicate)));
        for cut in [1, 50, 333] {
            let mut first = filters.duplicates();
            let mut verdicts: Vec<_> =
                fingerprints.iter().take(cut).map(|fingerprint| first.judge(fingerprint)).collect();
            let saved = rmp_serde::to_vec(&first.state()).unwrap();
            let mut second = filters.duplicates();
            second.restore(rmp_serde::from_slice(&saved).unwrap());
            verdicts.extend(fingerprints.iter().skip(cut).map(|fingerprint| second.judge(fingerprint)));
            assert!(verdicts == expected, "{cut}");
            assert_eq!(second.state(), whole.state());
        }
    }

    #[test]
    fn copies_of_pages_are_for_those_that_gave_nothing() {
        let mut duplicates = Duplicates::new(&DuplicateSettings::default()).with_copies();
        assert!(!duplicates.is_empty());
        let of = |page| Fingerprint { page, ..Fingerprint::default() };
        for (page, reason) in [
            (None, None),
            (Some(PageText::Captured(1)), None),
            (Some(PageText::Captured(1)), None),
            (Some(PageText::Copied(1)), Some(Reason::PageCopy)),
            (Some(PageText::Copied(2)), None),
            (Some(PageText::Copied(2)), Some(Reason::PageCopy)),
        ] {
            assert_eq!(duplicates.judge(&of(page)), reason, "{page:?}");
        }
        let mut second = Duplicates::new(&DuplicateSettings::default()).with_copies();
        second.restore(duplicates.state());
        assert_eq!(second.judge(&of(Some(PageText::Copied(1)))), Some(Reason::PageCopy));
    }

    #[test]
    fn what_is_forgotten_is_counted() {
        let filters = Filters::new(&settings(5000));
        let mut duplicates = filters.duplicates();
        for number in 0..400 {
            assert_eq!(duplicates.judge(&filters.fingerprint(&TextStats::new(&text(number)))), None);
        }
        let forgotten = duplicates.forgotten();
        assert!(forgotten > 100, "{forgotten}");
        assert_eq!(duplicates.judge(&filters.fingerprint(&TextStats::new(&text(0)))), None);
        let last = duplicates.judge(&filters.fingerprint(&TextStats::new(&text(399))));
        assert_eq!(last, Some(Reason::ExactDuplicate));
    }
}
