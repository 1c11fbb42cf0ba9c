//! Filters documents by language.

use trommel_extract::Document;
use trommel_text::TextStats;
use trommel_text::language::LanguageCode;

use crate::filters::{Filter, Reason};

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
