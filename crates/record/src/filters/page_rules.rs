//! Filters documents by simple facts about their page.
//!
//! The HTTP status and media type are judged before the text is read; robots directives, reserved rights, page type,
//! block pages, confidence, length and language after it.

use trommel_extract::{Document, Rights, is_for_one_robot};
use trommel_text::{TextStats, language::LanguageCode};

use crate::filters::{Capture, Filter, Reason, RobotsRule, StatusRange};

/// Keeps the page types of `include` (all if it is empty) without those of `exclude`. A page whose
/// type is not known is in no list: it is dropped if `include` names any.
#[derive(Debug)]
pub(crate) struct PageTypes {
    pub(crate) include: Vec<String>,
    pub(crate) exclude: Vec<String>,
}

impl Filter for PageTypes {
    fn describe(&self) -> String {
        describe_lists("page type", &self.include, &self.exclude)
    }

    fn document(&self, document: &Document, _: &TextStats<'_>) -> Option<Reason> {
        let kind = document.page_type.as_deref();
        let is = |name: &String| Some(name.as_str()) == kind;
        let wanted = self.include.is_empty() || self.include.iter().any(is);
        (!wanted || self.exclude.iter().any(is)).then_some(Reason::PageType)
    }
}

/// Drops block pages, which stand in place of the requested page.
#[derive(Debug)]
pub(crate) struct BlockPages;

impl Filter for BlockPages {
    fn describe(&self) -> String {
        "no block page: captcha, access denied, consent, log-in form, not found, parked".to_owned()
    }

    fn document(&self, document: &Document, _: &TextStats<'_>) -> Option<Reason> {
        // What the model takes the page for is no reason: it learned such pages from a few.
        document.blocked.map(|_| Reason::BlockPage)
    }
}

/// Keeps documents of at least this confidence.
#[derive(Debug)]
pub(crate) struct Confidence(pub(crate) f32);

impl Filter for Confidence {
    fn describe(&self) -> String {
        format!("confidence: {} or more", self.0)
    }

    fn document(&self, document: &Document, _: &TextStats<'_>) -> Option<Reason> {
        (document.confidence < self.0).then_some(Reason::Confidence)
    }
}

/// Keeps pages of some HTTP statuses. A record that holds no HTTP response has none and stays.
#[derive(Debug)]
pub(crate) struct Statuses(pub(crate) Vec<StatusRange>);

impl Filter for Statuses {
    fn describe(&self) -> String {
        let ranges: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        format!("HTTP status: {}", ranges.join(", "))
    }

    fn capture(&self, capture: &Capture<'_>) -> Option<Reason> {
        let status = capture.status?;
        (!self.0.iter().any(|range| range.contains(status))).then_some(Reason::HttpStatus)
    }
}

/// Keeps pages of some media types.
#[derive(Debug)]
pub(crate) struct MediaTypes(pub(crate) Vec<String>);

impl Filter for MediaTypes {
    fn describe(&self) -> String {
        format!("media type: {}", self.0.join(", "))
    }

    fn capture(&self, capture: &Capture<'_>) -> Option<Reason> {
        let wanted = self.0.iter().any(|known| known.eq_ignore_ascii_case(capture.media_type));
        (!wanted).then_some(Reason::MediaType)
    }
}

/// Drops pages that ask every robot not to do what the rules name, in `X-Robots-Tag` or
/// `<meta name="robots">`. What is asked of one robot by name is not looked at.
#[derive(Debug)]
pub(crate) struct Robots(pub(crate) Vec<RobotsRule>);

impl Robots {
    fn reason(&self, value: &str) -> Option<Reason> {
        let directives = || value.split(',').map(str::trim);
        let asks = |name: &str| directives().any(|directive| directive.eq_ignore_ascii_case(name));
        self.0.iter().find_map(|rule| match rule {
            RobotsRule::Noindex => (asks("noindex") || asks("none")).then_some(Reason::RobotsNoindex),
            RobotsRule::Noai => asks("noai").then_some(Reason::RobotsNoai),
        })
    }
}

impl Filter for Robots {
    fn describe(&self) -> String {
        let rules: Vec<&str> = self.0.iter().map(|rule| rule.name()).collect();
        format!("robots: without {}", rules.join(", "))
    }

    fn capture(&self, capture: &Capture<'_>) -> Option<Reason> {
        capture.robots.iter().filter(|value| !is_for_one_robot(value)).find_map(|value| self.reason(value))
    }

    fn document(&self, document: &Document, _: &TextStats<'_>) -> Option<Reason> {
        document.robots.iter().find_map(|value| self.reason(value))
    }
}

/// Drops pages that reserve the right to mine their text or to learn from it, in their head or in HTTP headers.
#[derive(Debug)]
pub(crate) struct RightsReserved;

impl Filter for RightsReserved {
    fn describe(&self) -> String {
        "no reservation of rights: tdm-reservation=1, ai-train=no, noai".to_owned()
    }

    fn capture(&self, capture: &Capture<'_>) -> Option<Reason> {
        capture.rights.is_some_and(Rights::are_reserved).then_some(Reason::RightsReserved)
    }

    fn document(&self, document: &Document, _: &TextStats<'_>) -> Option<Reason> {
        document.rights.are_reserved().then_some(Reason::RightsReserved)
    }
}

/// Bounds of the text's length, both ends kept; none is no bound. Words are those of the whole
/// program: runs of letters and digits, and each character of a script without spaces.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Length {
    pub(crate) min_words: Option<u64>,
    pub(crate) max_words: Option<u64>,
    pub(crate) min_chars: Option<u64>,
    pub(crate) max_chars: Option<u64>,
}

impl Length {
    pub(crate) fn is_bounded(&self) -> bool {
        [self.min_words, self.max_words, self.min_chars, self.max_chars].iter().any(Option::is_some)
    }
}

impl Filter for Length {
    fn describe(&self) -> String {
        let part = |name, least: Option<u64>, most: Option<u64>| match (least, most) {
            (Some(least), Some(most)) => Some(format!("{least} to {most} {name}")),
            (Some(least), None) => Some(format!("{least} {name} or more")),
            (None, Some(most)) => Some(format!("{most} {name} at most")),
            (None, None) => None,
        };
        let parts: Vec<String> =
            [part("words", self.min_words, self.max_words), part("characters", self.min_chars, self.max_chars)]
                .into_iter()
                .flatten()
                .collect();
        format!("length: {}", parts.join(", "))
    }

    fn document(&self, document: &Document, stats: &TextStats<'_>) -> Option<Reason> {
        let words = stats.words().len() as u64;
        let chars = document.text.chars().count() as u64;
        let below = |least: Option<u64>, count| least.is_some_and(|least| count < least);
        let above = |most: Option<u64>, count| most.is_some_and(|most| count > most);
        if below(self.min_words, words) || below(self.min_chars, chars) {
            Some(Reason::TooShort)
        } else if above(self.max_words, words) || above(self.max_chars, chars) {
            Some(Reason::TooLong)
        } else {
            None
        }
    }
}

/// Keeps the languages of `include` (all if it is empty) without those of `exclude`. A document whose
/// language is not known is in no list: it is dropped if `include` names any.
#[derive(Debug)]
pub(crate) struct LanguageFilter {
    pub(crate) include: Vec<LanguageCode>,
    pub(crate) exclude: Vec<LanguageCode>,
}

impl Filter for LanguageFilter {
    fn describe(&self) -> String {
        describe_lists("language", &self.include, &self.exclude)
    }

    fn document(&self, document: &Document, _: &TextStats<'_>) -> Option<Reason> {
        let language = document.lang.as_deref();
        let is = |code: &LanguageCode| language.is_some_and(|language| code.includes(language));
        let wanted = self.include.is_empty() || self.include.iter().any(is);
        (!wanted || self.exclude.iter().any(is)).then_some(Reason::Language)
    }
}

/// Describes the wanted and the unwanted languages in words.
pub(crate) fn describe_lists<T: ToString>(name: &str, include: &[T], exclude: &[T]) -> String {
    let list = |of: &[T]| {
        let names: Vec<String> = of.iter().map(ToString::to_string).collect();
        names.join(", ")
    };
    match (include, exclude) {
        (include, []) => format!("{name}: {}", list(include)),
        ([], exclude) => format!("{name}: not {}", list(exclude)),
        (include, exclude) => format!("{name}: {}; not {}", list(include), list(exclude)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_extract::BlockReason;

    #[test]
    fn types_and_confidence() {
        let document = |kind: Option<&str>, confidence| Document {
            page_type: kind.map(str::to_owned),
            confidence,
            ..Document::default()
        };
        let none = TextStats::new("");
        let only = PageTypes { include: vec!["article".into()], exclude: Vec::new() };
        assert_eq!(only.document(&document(Some("article"), 0.0), &none), None);
        for other in [Some("forum"), None] {
            assert_eq!(only.document(&document(other, 0.0), &none), Some(Reason::PageType));
        }
        let without = PageTypes { include: Vec::new(), exclude: vec!["listing".into()] };
        assert_eq!(without.document(&document(None, 0.0), &none), None);
        let listing = without.document(&document(Some("listing"), 0.0), &none);
        assert_eq!(listing, Some(Reason::PageType));
        for kind in ["article", "block-page"] {
            let mut page = document(Some(kind), 0.9);
            assert_eq!(BlockPages.document(&page, &none), None, "{kind}");
            page.blocked = Some(BlockReason::Captcha);
            assert_eq!(BlockPages.document(&page, &none), Some(Reason::BlockPage), "{kind}");
        }
        assert_eq!(Confidence(0.5).document(&document(None, 0.5), &none), None);
        let low = Confidence(0.5).document(&document(None, 0.49), &none);
        assert_eq!(low, Some(Reason::Confidence));
    }

    #[test]
    fn statuses_by_code_and_class() {
        let filter = Statuses(vec!["2xx".parse().unwrap(), "404".parse().unwrap()]);
        let judge = |status| filter.capture(&Capture { status, ..Capture::default() });
        for kept in [Some(200), Some(299), Some(404), None] {
            assert_eq!(judge(kept), None, "{kept:?}");
        }
        for dropped in [199, 301, 403, 500] {
            assert_eq!(judge(Some(dropped)), Some(Reason::HttpStatus), "{dropped}");
        }
        assert_eq!(filter.describe(), "HTTP status: 2xx, 404");
    }

    #[test]
    fn media_types() {
        let filter = MediaTypes(vec!["Text/HTML".into()]);
        let judge = |media_type| filter.capture(&Capture { media_type, ..Capture::default() });
        assert_eq!(judge("text/html"), None);
        assert_eq!(judge("application/xhtml+xml"), Some(Reason::MediaType));
    }

    #[test]
    fn headers_and_meta() {
        let both = Robots(vec![RobotsRule::Noindex, RobotsRule::Noai]);
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
            assert_eq!(both.capture(&capture), header, "{value}");
            let document = Document { robots: vec![value.to_owned()], ..Document::default() };
            assert_eq!(both.document(&document, &TextStats::new("")), meta, "{value}");
        }
        let one = Robots(vec![RobotsRule::Noai]);
        assert_eq!(one.reason("noindex"), None);
        assert_eq!(one.describe(), "robots: without noai");
    }

    #[test]
    fn reserved_rights_in_headers_and_head() {
        for (statement, reason) in [
            (("tdm-reservation", "1"), Some(Reason::RightsReserved)),
            (("content-signal", "search=yes, ai-train=no"), Some(Reason::RightsReserved)),
            (("tdm-reservation", "0"), None),
            (("x-robots-tag", "noimageai, noindex"), None),
        ] {
            let rights = Rights::of_headers([statement]);
            let capture = Capture { rights: Some(&rights), ..Capture::default() };
            assert_eq!(RightsReserved.capture(&capture), reason, "{statement:?}");
            let document = Document { rights, ..Document::default() };
            assert_eq!(RightsReserved.document(&document, &TextStats::new("")), reason, "{statement:?}");
        }
        assert_eq!(RightsReserved.capture(&Capture::default()), None);
    }

    fn judge(length: Length, text: &str) -> Option<Reason> {
        let document = Document { text: text.to_owned(), ..Document::default() };
        length.document(&document, &TextStats::new(text))
    }

    #[test]
    fn words_and_characters() {
        let words = Length { min_words: Some(2), max_words: Some(3), ..Length::default() };
        assert_eq!(judge(words, "one"), Some(Reason::TooShort));
        assert_eq!(judge(words, "one two"), None);
        assert_eq!(judge(words, "我用Rust"), None);
        assert_eq!(judge(words, "one two three four"), Some(Reason::TooLong));
        let chars = Length { min_chars: Some(3), max_chars: Some(5), ..Length::default() };
        assert_eq!(judge(chars, "äö"), Some(Reason::TooShort));
        assert_eq!(judge(chars, "äöü"), None);
        assert_eq!(judge(chars, "abcdef"), Some(Reason::TooLong));
        assert_eq!(words.describe(), "length: 2 to 3 words");
        assert_eq!(chars.describe(), "length: 3 to 5 characters");
    }
}

#[cfg(test)]
mod language_tests {
    use super::*;

    fn judge(include: &[&str], exclude: &[&str], lang: Option<&str>) -> Option<Reason> {
        let codes = |names: &[&str]| names.iter().map(|name| name.parse().unwrap()).collect();
        let filter = LanguageFilter { include: codes(include), exclude: codes(exclude) };
        let document = Document { lang: lang.map(str::to_owned), ..Document::default() };
        filter.document(&document, &TextStats::new(""))
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
            assert_eq!(judge(&[include], &[], Some(lang)), None, "{include}");
            assert_eq!(judge(&[], &[include], Some(lang)), Some(Reason::Language), "{include}");
        }
    }

    #[test]
    fn an_unknown_language_is_in_no_list() {
        assert_eq!(judge(&["en"], &[], None), Some(Reason::Language));
        assert_eq!(judge(&[], &["en"], None), None);
        assert_eq!(judge(&["en", "de"], &["de"], Some("de")), Some(Reason::Language));
    }
}
