//! All filters of a run.

use trommel_extract::Document;
use trommel_text::TextStats;

use crate::filters::address::Addresses;
use crate::filters::c4::C4;
use crate::filters::gopher::Gopher;
use crate::filters::language::LanguageFilter;
use crate::filters::length::Length;
use crate::filters::minhash::{exact, near};
use crate::filters::page::{BlockPages, Confidence, PageTypes};
use crate::filters::repetition::Repetition;
use crate::filters::robots::Robots;
use crate::filters::status::{MediaTypes, Statuses};
use crate::filters::{Capture, DuplicateSettings, Duplicates, Filter, FilterSettings, Fingerprint, Reason, TextRule};

/// The filters of the settings, in a fixed order: facts before extraction, then cheap facts of the
/// document, then rules on its text, then duplicates.
#[derive(Debug, Default)]
pub struct Filters {
    stages: Vec<Box<dyn Filter>>,
    /// Stages at the front that are asked before extraction.
    early: usize,
    settings: FilterSettings,
}

impl Filters {
    /// The filters of these settings.
    pub fn new(settings: &FilterSettings) -> Self {
        let mut stages: Vec<Box<dyn Filter>> = Vec::new();
        let addresses = Addresses {
            patterns: settings.url.clone(),
            kept: settings.host.clone(),
            dropped: settings.not_host.clone(),
        };
        if addresses.is_bounded() {
            stages.push(Box::new(addresses));
        }
        if !settings.status.is_empty() {
            stages.push(Box::new(Statuses(settings.status.clone())));
        }
        if !settings.media_types.is_empty() {
            stages.push(Box::new(MediaTypes(settings.media_types.clone())));
        }
        if !settings.robots.is_empty() {
            stages.push(Box::new(Robots(settings.robots.clone())));
        }
        let early = stages.len();
        let length = Length {
            min_words: settings.min_words,
            max_words: settings.max_words,
            min_chars: settings.min_chars,
            max_chars: settings.max_chars,
        };
        if length.is_bounded() {
            stages.push(Box::new(length));
        }
        if !settings.languages.is_empty() || !settings.exclude_languages.is_empty() {
            stages.push(Box::new(LanguageFilter {
                include: settings.languages.clone(),
                exclude: settings.exclude_languages.clone(),
            }));
        }
        if !settings.page_types.is_empty() || !settings.exclude_page_types.is_empty() {
            stages.push(Box::new(PageTypes {
                include: settings.page_types.clone(),
                exclude: settings.exclude_page_types.clone(),
            }));
        }
        if let Some(least) = settings.min_confidence {
            stages.push(Box::new(Confidence(least)));
        }
        for rule in [TextRule::BlockPage, TextRule::C4, TextRule::Gopher, TextRule::GopherRepetition] {
            if settings.rules.contains(&rule) {
                stages.push(match rule {
                    TextRule::BlockPage => Box::new(BlockPages),
                    TextRule::C4 => Box::new(C4),
                    TextRule::Gopher => Box::new(Gopher),
                    TextRule::GopherRepetition => Box::new(Repetition),
                });
            }
        }
        Self { stages, early, settings: settings.clone() }
    }

    /// The settings of these filters.
    pub fn settings(&self) -> &FilterSettings {
        &self.settings
    }

    /// Reason why a record is dropped by its URL, before anything of it is read; none if it stays.
    pub fn url(&self, url: Option<&str>) -> Option<Reason> {
        self.stages.iter().find_map(|stage| stage.url(url))
    }

    /// Reason why a page is dropped before its text is taken out; none if it stays.
    pub fn capture(&self, capture: &Capture<'_>) -> Option<Reason> {
        self.stages.iter().find_map(|stage| stage.capture(capture))
    }

    /// Reason why a document is dropped by itself; none if it stays. `stats` are those of its text.
    pub fn document(&self, document: &Document, stats: &TextStats<'_>) -> Option<Reason> {
        self.stages.iter().find_map(|stage| stage.document(document, stats))
    }

    /// The parts of a text that [`Duplicates`] compare. Computing them is pure, so any thread can do it.
    pub fn fingerprint(&self, stats: &TextStats<'_>) -> Fingerprint {
        let DuplicateSettings { exact: wants_exact, near: wants_near, .. } = self.settings.duplicates;
        Fingerprint {
            exact: wants_exact.then(|| exact(stats)).flatten(),
            near: if wants_near { near(stats) } else { Vec::new() },
            page: None,
        }
    }

    /// The filters that compare documents, remembering nothing yet.
    pub fn duplicates(&self) -> Duplicates {
        Duplicates::new(&self.settings.duplicates)
    }

    /// [`Filters::describe`], divided into what is asked before extraction and what after it. Robots
    /// are asked for at both times.
    pub fn describe_both(&self) -> (Vec<String>, Vec<String>) {
        let mut early = self.describe();
        let late = early.split_off(self.early);
        (early, late)
    }

    /// The stages with their settings in the order in which they ask, a line each.
    pub fn describe(&self) -> Vec<String> {
        let stages = self.stages.iter().map(|stage| stage.describe());
        stages.chain(self.duplicates().describe()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_ask_in_a_fixed_order() {
        let settings: FilterSettings = toml::from_str(
            "rules = ['gopher', 'c4']\nmin_words = 5\nstatus = [200]\nlanguages = ['en']\n\
             robots = ['noindex']\nmin_confidence = 0.5\nduplicates = { near = true, memory = 1000000 }",
        )
        .unwrap();
        let filters = Filters::new(&settings);
        let names: Vec<String> =
            filters.describe().iter().map(|line| line.split(':').next().unwrap().to_owned()).collect();
        assert_eq!(
            names,
            ["HTTP status", "robots", "length", "language", "confidence", "C4", "Gopher quality", "near duplicates"]
        );
        let (early, late) = filters.describe_both();
        assert_eq!((early.len(), late.len()), (2, 6));
        let page = Capture { status: Some(404), robots: &["noindex"], ..Capture::default() };
        assert_eq!(filters.capture(&page), Some(Reason::HttpStatus));
        let short = Document::default();
        assert_eq!(filters.document(&short, &TextStats::new("")), Some(Reason::TooShort));
    }

    #[test]
    fn without_settings_nothing_is_dropped() {
        let filters = Filters::new(&FilterSettings::default());
        let page = Capture { status: Some(500), robots: &["none"], ..Capture::default() };
        assert_eq!(filters.capture(&page), None);
        assert_eq!(filters.document(&Document::default(), &TextStats::new("")), None);
        assert!(filters.duplicates().is_empty() && filters.describe().is_empty());
        assert_eq!(filters.fingerprint(&TextStats::new("one")), Fingerprint::default());
    }
}
