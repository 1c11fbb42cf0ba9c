//! Filters documents by simple facts about the page.
//!
//! The HTTP status and media type are judged before the text is extracted. Robots directives and reserved rights are
//! judged before and after it; length, language, page type and confidence only after it.

use trommel_extract::{Document, Rights, is_for_one_robot};
use trommel_text::TextStats;

use crate::filters::{Capture, FilterSettings, Reason, RobotsRule, TextRule};

impl FilterSettings {
    /// Returns the reason to drop a page before its text is extracted; `None` to keep it.
    pub(super) fn judge_capture(&self, capture: &Capture<'_>) -> Option<Reason> {
        // A record that holds no HTTP response has no status and stays.
        let has_status = |code| self.status.iter().any(|range| range.contains(code));
        if !self.status.is_empty() && capture.status.is_some_and(|code| !has_status(code)) {
            return Some(Reason::HttpStatus);
        }
        let is_type = |known: &String| known.eq_ignore_ascii_case(capture.media_type);
        if !self.media_types.is_empty() && !self.media_types.iter().any(is_type) {
            return Some(Reason::MediaType);
        }
        // What is asked of one robot by name is not looked at.
        let mut for_all = capture.robots.iter().filter(|value| !is_for_one_robot(value));
        for_all.find_map(|value| self.judge_robots(value)).or_else(|| self.judge_rights(capture.rights))
    }

    /// Returns the reason to drop a document by its metadata or the length of its text; `None` to keep it.
    pub(super) fn judge_facts(&self, document: &Document, stats: &TextStats<'_>) -> Option<Reason> {
        let of_head = document.robots.iter().find_map(|value| self.judge_robots(value));
        let of_head = of_head.or_else(|| self.judge_rights(Some(&document.rights)));
        let is_kind = |name: &String| Some(name.as_str()) == document.page_type.as_deref();
        of_head.or_else(|| self.judge_length(document, stats)).or_else(|| {
            if !is_wanted(&self.languages, &self.exclude_languages, |code| {
                document.lang.as_deref().is_some_and(|language| code.includes(language))
            }) {
                return Some(Reason::Language);
            }
            if !is_wanted(&self.page_types, &self.exclude_page_types, is_kind) {
                return Some(Reason::PageType);
            }
            self.min_confidence.is_some_and(|least| document.confidence < least).then_some(Reason::Confidence)
        })
    }

    /// Returns the reason to drop a page if `value`, its robots directives, forbids a use that the settings name.
    fn judge_robots(&self, value: &str) -> Option<Reason> {
        let directives = || value.split(',').map(str::trim);
        let asks = |name: &str| directives().any(|directive| directive.eq_ignore_ascii_case(name));
        self.robots.iter().find_map(|rule| match rule {
            RobotsRule::Noindex => (asks("noindex") || asks("none")).then_some(Reason::RobotsNoindex),
            RobotsRule::Noai => asks("noai").then_some(Reason::RobotsNoai),
        })
    }

    /// Returns the reason to drop a page that reserves the right to mine its text or learn from it, if settings ask for
    /// it.
    fn judge_rights(&self, rights: Option<&Rights>) -> Option<Reason> {
        let is_asked = self.rules.contains(&TextRule::RightsReserved);
        (is_asked && rights.is_some_and(Rights::are_reserved)).then_some(Reason::RightsReserved)
    }

    /// Returns the reason to drop a document if its text is shorter or longer than the settings allow (in words or
    /// characters). A word is a run of letters and digits, or a character of a script without spaces.
    fn judge_length(&self, document: &Document, stats: &TextStats<'_>) -> Option<Reason> {
        // Counted only where a bound asks for it.
        let words = || stats.words().len() as u64;
        let chars = || document.text.chars().count() as u64;
        let below = |least: Option<u64>, count: &dyn Fn() -> u64| least.is_some_and(|least| count() < least);
        let above = |most: Option<u64>, count: &dyn Fn() -> u64| most.is_some_and(|most| count() > most);
        if below(self.min_words, &words) || below(self.min_chars, &chars) {
            Some(Reason::TooShort)
        } else if above(self.max_words, &words) || above(self.max_chars, &chars) {
            Some(Reason::TooLong)
        } else {
            None
        }
    }

    /// Describes the filters that apply before extraction, one line for each, except those of URLs and hosts.
    pub(super) fn describe_captures(&self) -> impl Iterator<Item = String> {
        let robots: Vec<&str> = self.robots.iter().map(|rule| rule.name()).collect();
        let rights = "no reservation of rights: tdm-reservation=1, ai-train=no, noai".to_owned();
        let lines = [
            (!self.status.is_empty()).then(|| format!("HTTP status: {}", list(&self.status))),
            (!self.media_types.is_empty()).then(|| format!("media type: {}", list(&self.media_types))),
            (!robots.is_empty()).then(|| format!("robots: without {}", list(&robots))),
            self.rules.contains(&TextRule::RightsReserved).then_some(rights),
        ];
        lines.into_iter().flatten()
    }

    /// Describes the filters by metadata and length of a document, one line for each.
    pub(super) fn describe_facts(&self) -> impl Iterator<Item = String> {
        let bounds = |name, least: Option<u64>, most: Option<u64>| match (least, most) {
            (Some(least), Some(most)) => Some(format!("{least} to {most} {name}")),
            (Some(least), None) => Some(format!("{least} {name} or more")),
            (None, Some(most)) => Some(format!("{most} {name} at most")),
            (None, None) => None,
        };
        let lengths =
            [bounds("words", self.min_words, self.max_words), bounds("characters", self.min_chars, self.max_chars)];
        let lengths: Vec<String> = lengths.into_iter().flatten().collect();
        let lines = [
            (!lengths.is_empty()).then(|| format!("length: {}", list(&lengths))),
            describe_lists("language", &self.languages, &self.exclude_languages),
            describe_lists("page type", &self.page_types, &self.exclude_page_types),
            self.min_confidence.map(|least| format!("confidence: {least} or more")),
        ];
        lines.into_iter().flatten()
    }
}

/// Returns whether a value passes two lists: one of `include` matches (or the list is empty), and none of `exclude`
/// does. `is` tests an item against the value. An unknown value matches no item.
fn is_wanted<T>(include: &[T], exclude: &[T], is: impl Fn(&T) -> bool) -> bool {
    (include.is_empty() || include.iter().any(&is)) && !exclude.iter().any(is)
}

fn list<T: ToString>(of: &[T]) -> String {
    of.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Describes two lists of wanted and unwanted values, such as `language: de; not fr`; `None` if both are empty.
fn describe_lists<T: ToString>(name: &str, include: &[T], exclude: &[T]) -> Option<String> {
    match (include, exclude) {
        ([], []) => None,
        (include, []) => Some(format!("{name}: {}", list(include))),
        ([], exclude) => Some(format!("{name}: not {}", list(exclude))),
        (include, exclude) => Some(format!("{name}: {}; not {}", list(include), list(exclude))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::Filters;
    use trommel_extract::BlockReason;

    fn judge(settings: &FilterSettings, document: &Document) -> Option<Reason> {
        Filters::new(settings).document(document, &TextStats::new(&document.text))
    }

    #[test]
    fn types_and_confidence() {
        let document = |kind: Option<&str>, confidence| Document {
            page_type: kind.map(str::to_owned),
            confidence,
            ..Document::default()
        };
        let only = FilterSettings { page_types: vec!["article".into()], ..FilterSettings::default() };
        assert_eq!(judge(&only, &document(Some("article"), 0.0)), None);
        for other in [Some("forum"), None] {
            assert_eq!(judge(&only, &document(other, 0.0)), Some(Reason::PageType));
        }
        let without = FilterSettings { exclude_page_types: vec!["listing".into()], ..FilterSettings::default() };
        assert_eq!(judge(&without, &document(None, 0.0)), None);
        assert_eq!(judge(&without, &document(Some("listing"), 0.0)), Some(Reason::PageType));
        let no_block_pages = FilterSettings { rules: vec![TextRule::BlockPage], ..FilterSettings::default() };
        for kind in ["article", "block-page"] {
            let mut page = document(Some(kind), 0.9);
            assert_eq!(judge(&no_block_pages, &page), None, "{kind}");
            page.blocked = Some(BlockReason::Captcha);
            assert_eq!(judge(&no_block_pages, &page), Some(Reason::BlockPage), "{kind}");
        }
        let sure = FilterSettings { min_confidence: Some(0.5), ..FilterSettings::default() };
        assert_eq!(judge(&sure, &document(None, 0.5)), None);
        assert_eq!(judge(&sure, &document(None, 0.49)), Some(Reason::Confidence));
    }

    #[test]
    fn statuses_by_code_and_class() {
        let status = vec!["2xx".parse().unwrap(), "404".parse().unwrap()];
        let settings = FilterSettings { status, ..FilterSettings::default() };
        let judge = |status| settings.judge_capture(&Capture { status, ..Capture::default() });
        for kept in [Some(200), Some(299), Some(404), None] {
            assert_eq!(judge(kept), None, "{kept:?}");
        }
        for dropped in [199, 301, 403, 500] {
            assert_eq!(judge(Some(dropped)), Some(Reason::HttpStatus), "{dropped}");
        }
        assert_eq!(Filters::new(&settings).describe(), ["HTTP status: 2xx, 404"]);
    }

    #[test]
    fn media_types() {
        let settings = FilterSettings { media_types: vec!["Text/HTML".into()], ..FilterSettings::default() };
        let judge = |media_type| settings.judge_capture(&Capture { media_type, ..Capture::default() });
        assert_eq!(judge("text/html"), None);
        assert_eq!(judge("application/xhtml+xml"), Some(Reason::MediaType));
    }

    #[test]
    fn headers_and_meta() {
        let robots = vec![RobotsRule::Noindex, RobotsRule::Noai];
        let both = FilterSettings { robots, ..FilterSettings::default() };
        for (value, header, meta) in [
            ("NoIndex, follow", Some(Reason::RobotsNoindex), Some(Reason::RobotsNoindex)),
            ("none", Some(Reason::RobotsNoindex), Some(Reason::RobotsNoindex)),
            ("index,noai,noimageai", Some(Reason::RobotsNoai), Some(Reason::RobotsNoai)),
            ("googlebot: noindex", None, None),
            ("max-snippet: 5, noindex", Some(Reason::RobotsNoindex), Some(Reason::RobotsNoindex)),
            ("nofollow", None, None),
            ("", None, None),
        ] {
            let capture = Capture { robots: &[value], ..Capture::default() };
            assert_eq!(both.judge_capture(&capture), header, "{value}");
            let document = Document { robots: vec![value.to_owned()], ..Document::default() };
            assert_eq!(judge(&both, &document), meta, "{value}");
        }
        let one = FilterSettings { robots: vec![RobotsRule::Noai], ..FilterSettings::default() };
        assert_eq!(one.judge_robots("noindex"), None);
        assert_eq!(Filters::new(&one).describe(), ["robots: without noai"]);
    }

    #[test]
    fn reserved_rights_in_headers_and_head() {
        let settings = FilterSettings { rules: vec![TextRule::RightsReserved], ..FilterSettings::default() };
        for (statement, reason) in [
            (("tdm-reservation", "1"), Some(Reason::RightsReserved)),
            (("content-signal", "search=yes, ai-train=no"), Some(Reason::RightsReserved)),
            (("tdm-reservation", "0"), None),
            (("x-robots-tag", "noimageai, noindex"), None),
        ] {
            let rights = Rights::of_headers([statement]);
            let capture = Capture { rights: Some(&rights), ..Capture::default() };
            assert_eq!(settings.judge_capture(&capture), reason, "{statement:?}");
            let document = Document { rights, ..Document::default() };
            assert_eq!(judge(&settings, &document), reason, "{statement:?}");
        }
        assert_eq!(settings.judge_capture(&Capture::default()), None);
    }

    #[test]
    fn words_and_characters() {
        let judge = |settings: &FilterSettings, text: &str| {
            judge(settings, &Document { text: text.to_owned(), ..Document::default() })
        };
        let words = FilterSettings { min_words: Some(2), max_words: Some(3), ..FilterSettings::default() };
        assert_eq!(judge(&words, "one"), Some(Reason::TooShort));
        assert_eq!(judge(&words, "one two"), None);
        assert_eq!(judge(&words, "我用Rust"), None);
        assert_eq!(judge(&words, "one two three four"), Some(Reason::TooLong));
        let chars = FilterSettings { min_chars: Some(3), max_chars: Some(5), ..FilterSettings::default() };
        assert_eq!(judge(&chars, "äö"), Some(Reason::TooShort));
        assert_eq!(judge(&chars, "äöü"), None);
        assert_eq!(judge(&chars, "abcdef"), Some(Reason::TooLong));
        assert_eq!(Filters::new(&words).describe(), ["length: 2 to 3 words"]);
        assert_eq!(Filters::new(&chars).describe(), ["length: 3 to 5 characters"]);
    }

    fn judge_language(include: &[&str], exclude: &[&str], lang: Option<&str>) -> Option<Reason> {
        let codes = |names: &[&str]| names.iter().map(|name| name.parse().unwrap()).collect();
        let settings = FilterSettings {
            languages: codes(include),
            exclude_languages: codes(exclude),
            ..FilterSettings::default()
        };
        judge(&settings, &Document { lang: lang.map(str::to_owned), ..Document::default() })
    }

    #[test]
    fn both_standards_name_the_same_languages() {
        for (include, lang) in [
            ("deu", "de"),
            ("de", "de"),
            ("zho", "zh"),
            ("cmn", "zh"),
            ("ceb", "ceb"),
            ("pes", "fa"),
            ("fa", "fa"),
            ("no", "nb"),
            ("nor", "nn"),
            ("ger", "de"),
            ("DE-at", "de"),
        ] {
            assert_eq!(judge_language(&[include], &[], Some(lang)), None, "{include}");
            assert_eq!(judge_language(&[], &[include], Some(lang)), Some(Reason::Language), "{include}");
        }
    }

    #[test]
    fn an_unknown_language_is_in_no_list() {
        assert_eq!(judge_language(&["en"], &[], None), Some(Reason::Language));
        assert_eq!(judge_language(&[], &["en"], None), None);
        assert_eq!(judge_language(&["en", "de"], &["de"], Some("de")), Some(Reason::Language));
    }
}
