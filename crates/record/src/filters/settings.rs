//! Combines all filters of a run, and defines their settings under the names of the configuration file.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use trommel_extract::Document;
use trommel_text::{ByteSize, TextStats, language::LanguageCode};

use crate::filters::duplicates::{exact, near};
use crate::filters::text_rules::RULES;
use crate::filters::{Capture, Duplicates, Fingerprint, Hosts, Reason, UrlPattern};

/// Filters that the settings choose, applied in a fixed order: by facts before extraction, by metadata, by the text, by
/// comparison with earlier documents.
#[derive(Debug, Default)]
pub struct Filters(FilterSettings);

impl Filters {
    /// Creates the filters that these settings choose.
    pub fn new(settings: &FilterSettings) -> Self {
        Self(settings.clone())
    }

    /// Returns the reason to drop a record by its URL, before its contents are read; `None` to keep it.
    pub fn url(&self, url: Option<&str>) -> Option<Reason> {
        self.0.judge_url(url)
    }

    /// Returns the reason to drop a captured page before its text is extracted; `None` to keep it.
    pub fn capture(&self, capture: &Capture<'_>) -> Option<Reason> {
        self.0.judge_capture(capture)
    }

    /// Returns the reason to drop a document, without comparing it with others; `None` to keep it. `stats` are the
    /// words and lines of the document's text, computed once for all filters.
    pub fn document(&self, document: &Document, stats: &TextStats<'_>) -> Option<Reason> {
        let rules = RULES.iter().filter(|(rule, ..)| self.0.rules.contains(rule));
        self.0.judge_facts(document, stats).or_else(|| rules.filter_map(|(.., judge)| judge(document, stats)).next())
    }

    /// Returns the fingerprint of a text for [`Duplicates`]. Any thread can compute it, in any order.
    pub fn fingerprint(&self, stats: &TextStats<'_>) -> Fingerprint {
        let DuplicateSettings { exact: wants_exact, near: wants_near, .. } = self.0.duplicates;
        Fingerprint {
            exact: wants_exact.then(|| exact(stats)).flatten(),
            near: if wants_near { near(stats) } else { Vec::new() },
            page: None,
        }
    }

    /// Returns the filters that compare a document with earlier ones, with an empty memory.
    pub fn duplicates(&self) -> Duplicates {
        Duplicates::new(&self.0.duplicates)
    }

    /// Describes the filters, one line for each: first those before extraction, then those after it. The robots and
    /// rights filters, which apply before and after, are described only with the first.
    pub fn describe_both(&self) -> (Vec<String>, Vec<String>) {
        let rules = RULES.iter().filter(|(rule, ..)| self.0.rules.contains(rule));
        let of_texts = rules.map(|(_, about, _)| (*about).to_owned());
        (
            self.0.describe_urls().into_iter().chain(self.0.describe_captures()).collect(),
            self.0.describe_facts().chain(of_texts).chain(self.duplicates().describe()).collect(),
        )
    }

    /// Describes the filters in the order in which they apply, one line for each.
    pub fn describe(&self) -> Vec<String> {
        let (early, late) = self.describe_both();
        [early, late].concat()
    }
}

trommel_text::settings! {
    /// The table `[filters]`. Without any key nothing is dropped.
    pub struct FilterSettings {
        /// Patterns of URLs to keep, in which `*` stands for any characters and `?` for a single one: `*/blog/*`.
        /// Without `://` a pattern begins with the host: `example.org/*`.
        pub url: Vec<UrlPattern> as "Vec<String>",
        /// Hosts to keep, with their subdomains, or files of hosts.
        pub host: Hosts as "Vec<String>",
        /// Hosts to drop, or files of hosts.
        pub not_host: Hosts as "Vec<String>",
        /// HTTP statuses to keep: codes (200) or classes ("2xx").
        pub status: Vec<StatusRange> as "Vec<String>",
        /// Media types to keep.
        pub media_types: Vec<String>,
        /// Drop pages whose robots directives forbid this use.
        pub robots: Vec<RobotsRule>,
        /// Minimum words of the text.
        pub min_words: Option<u64>,
        /// Maximum words of the text.
        pub max_words: Option<u64>,
        /// Minimum characters of the text.
        pub min_chars: Option<u64>,
        /// Maximum characters of the text.
        pub max_chars: Option<u64>,
        /// Languages to keep, as any ISO 639 codes; all if empty. `no` includes `nb` and `nn`.
        #[serde(deserialize_with = "languages", serialize_with = "codes")]
        pub languages: Vec<LanguageCode> as "Vec<String>",
        /// Languages to drop.
        #[serde(deserialize_with = "languages", serialize_with = "codes")]
        pub exclude_languages: Vec<LanguageCode> as "Vec<String>",
        /// Page types to keep; all if empty.
        pub page_types: Vec<String>,
        /// Page types to drop.
        pub exclude_page_types: Vec<String>,
        /// Minimum confidence, 0 to 1.
        #[serde(deserialize_with = "share")]
        pub min_confidence: Option<f32> as "Option<f32>",
        /// Rules that the page must pass.
        pub rules: Vec<TextRule>,
        /// Treatment of duplicates.
        pub duplicates: DuplicateSettings,
    }

    /// The table `[filters.duplicates]`.
    pub struct DuplicateSettings {
        /// Drop documents with the same words as an earlier one.
        pub exact: bool,
        /// Drop documents with nearly the same words as an earlier one.
        pub near: bool,
        /// Maximum memory for each of the two duplicate filters.
        pub memory: ByteSize = ByteSize(256 << 20),
    }
}

impl FilterSettings {
    /// Returns whether a filter needs the language of texts.
    pub fn need_language(&self) -> bool {
        !self.languages.is_empty() || !self.exclude_languages.is_empty() || self.rules.contains(&TextRule::Gopher)
    }
}

/// Range of HTTP status codes, from the first to the last code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusRange {
    first: u16,
    last: u16,
}

impl StatusRange {
    /// Returns whether the HTTP status code is in the range.
    pub fn contains(self, status: u16) -> bool {
        (self.first..=self.last).contains(&status)
    }
}

/// Error for a text that is not an HTTP status code or class, such as `404` or `2xx`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no HTTP status, expected a code such as 200 or a class such as \"2xx\"")]
pub struct UnknownStatus(String);

impl FromStr for StatusRange {
    type Err = UnknownStatus;

    fn from_str(name: &str) -> Result<Self, UnknownStatus> {
        let class = name.strip_suffix("xx").and_then(|class| class.parse().ok());
        let range = match class {
            Some(class @ 1..=5_u16) => Some((class * 100, class * 100 + 99)),
            _ => name.parse().ok().map(|code| (code, code)),
        };
        match range {
            Some((first @ 100..=599, last)) => Ok(Self { first, last }),
            _ => Err(UnknownStatus(name.to_owned())),
        }
    }
}

impl fmt::Display for StatusRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last { write!(f, "{}", self.first) } else { write!(f, "{}xx", self.first / 100) }
    }
}

impl Serialize for StatusRange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for StatusRange {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "a status is a code or a class (\"2xx\")")]
        enum StatusValue {
            Code(u16),
            Name(String),
        }
        let name = match StatusValue::deserialize(deserializer)? {
            StatusValue::Code(code) => code.to_string(),
            StatusValue::Name(name) => name,
        };
        name.parse().map_err(D::Error::custom)
    }
}

trommel_text::named! {
    /// Directives that a page may state to robots.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "lowercase")]
    pub enum RobotsRule {
        /// Indexing is forbidden (`noindex`, `none`).
        Noindex = "noindex",
        /// Machine learning is forbidden (`noai`).
        Noai = "noai",
    }
}

/// A set of published rules on the text of a page, or a single rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TextRule {
    /// Page rules of C4.
    C4,
    /// Quality rules of Gopher.
    Gopher,
    /// Repetition rules of Gopher.
    GopherRepetition,
    /// Drops captchas, log-in forms, error pages, consent walls and parked domains.
    BlockPage,
    /// Drops pages that reserve the right to mine their text or to learn from it.
    RightsReserved,
}

/// Reads a list of language codes in any ISO 639 form.
fn languages<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<LanguageCode>, D::Error> {
    let names = Vec::<String>::deserialize(deserializer)?;
    names.iter().map(|name| name.parse().map_err(D::Error::custom)).collect()
}

fn codes<S: Serializer>(codes: &[LanguageCode], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(codes.iter().map(ToString::to_string))
}

fn share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f32>, D::Error> {
    let share = f32::deserialize(deserializer)?;
    if (0.0..=1.0).contains(&share) {
        Ok(Some(share))
    } else {
        Err(D::Error::custom("a confidence is between 0 and 1"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_ask_in_a_fixed_order() {
        let settings: FilterSettings = toml::from_str(
            "rules = ['gopher', 'rights-reserved', 'c4']\nmin_words = 5\nstatus = [200]\nlanguages = ['en']\n\
             robots = ['noindex']\nmin_confidence = 0.5\nduplicates = { near = true, memory = 1000000 }",
        )
        .unwrap();
        let filters = Filters::new(&settings);
        let names: Vec<String> =
            filters.describe().iter().map(|line| line.split(':').next().unwrap().to_owned()).collect();
        assert_eq!(
            names,
            [
                "HTTP status", "robots", "no reservation of rights", "length", "language", "confidence", "C4",
                "Gopher quality", "near duplicates"
            ]
        );
        let (early, late) = filters.describe_both();
        assert_eq!((early.len(), late.len()), (3, 6));
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

    fn error(text: &str) -> String {
        toml::from_str::<FilterSettings>(text).unwrap_err().message().to_owned()
    }

    #[test]
    fn every_key_is_read() {
        let settings: FilterSettings = toml::from_str(
            "url = ['*/a/*']\nhost = ['a.example']\nnot_host = ['b.example']\nstatus = [200, '3xx']\nmedia_types = ['text/html']\nrobots = ['noindex', 'noai']\n\
             min_words = 1\nmax_words = 2\nmin_chars = 3\nmax_chars = 4\n\
             languages = ['eng']\nexclude_languages = ['ru']\n\
             page_types = ['article']\nexclude_page_types = ['listing']\nmin_confidence = 0.5\n\
             rules = ['c4', 'gopher', 'gopher-repetition']\n\
             [duplicates]\nexact = true\nnear = true\nmemory = 1000\n",
        )
        .unwrap();
        let code = |code: &str| code.parse().unwrap();
        let expected = FilterSettings {
            url: vec![UrlPattern::new("*/a/*")],
            host: Hosts::of(vec!["a.example".into()]).unwrap(),
            not_host: Hosts::of(vec!["b.example".into()]).unwrap(),
            status: vec!["200".parse().unwrap(), "3xx".parse().unwrap()],
            media_types: vec!["text/html".into()],
            robots: vec![RobotsRule::Noindex, RobotsRule::Noai],
            min_words: Some(1),
            max_words: Some(2),
            min_chars: Some(3),
            max_chars: Some(4),
            languages: vec![code("en")],
            exclude_languages: vec![code("ru")],
            page_types: vec!["article".into()],
            exclude_page_types: vec!["listing".into()],
            min_confidence: Some(0.5),
            rules: vec![TextRule::C4, TextRule::Gopher, TextRule::GopherRepetition],
            duplicates: DuplicateSettings { exact: true, near: true, memory: ByteSize(1000) },
        };
        assert_eq!(settings, expected);
    }

    #[test]
    fn what_means_nothing_is_an_error() {
        assert!(error("status = ['6xx']").contains("\"6xx\" is no HTTP status"));
        assert!(error("status = [20]").contains("\"20\" is no HTTP status"));
        assert!(error("languages = ['german']").contains("\"german\" is no language"));
        assert!(error("min_confidence = 60").contains("between 0 and 1"));
        assert!(error("rules = ['c5']").contains("expected one of `c4`"));
        assert!(error("min_word = 5").contains("unknown field `min_word`"));
    }
}
