//! Codes of languages: one code for each language, however a page, a user or a detector writes it.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use isolang::Language;
use rustc_hash::FxHashMap;

/// A line for each language: its ISO 639-1 code, and other codes for it. These are the standard form among
/// the members of its macrolanguage (ISO 639-3), the bibliographic code (ISO 639-2/B), and withdrawn codes.
const OTHER_CODES: &str = include_str!("codes.tsv");

/// Macrolanguages with a code, and their member languages with codes of their own (ISO 639-3), if both are in use.
const MEMBERS: [(&str, &[&str]); 4] = [
    ("ku", &["ckb", "sdh"]),
    ("no", &["nb", "nn"]),
    ("sh", &["bs", "cnr", "hr", "sr"]),
    ("zh", &["gan", "hak", "hsn", "nan", "wuu", "yue"]),
];

static BY_OTHER: LazyLock<FxHashMap<&str, &str>> = LazyLock::new(|| {
    let lines = OTHER_CODES.lines().filter_map(|line| line.split_once('\t'));
    lines.flat_map(|(code, others)| others.split(' ').map(move |other| (other, code))).collect()
});

/// A language, by its ISO 639-1 code where there is one, else by its ISO 639-3 code.
///
/// ```
/// use trommel_text::language::LanguageCode;
///
/// let code: LanguageCode = "pes".parse()?;
/// assert_eq!(code.as_str(), "fa");
/// assert_eq!("de-AT".parse::<LanguageCode>()?, "ger".parse()?);
/// assert!("no".parse::<LanguageCode>()?.includes("nb"));
/// # Ok::<(), trommel_text::language::UnknownLanguage>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LanguageCode(&'static str);

/// A word that is not the code of a language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownLanguage(String);

impl fmt::Display for UnknownLanguage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is no language, expected an ISO 639 code such as \"de\" or \"deu\"", self.0)
    }
}

impl std::error::Error for UnknownLanguage {}

impl LanguageCode {
    /// The code.
    pub fn as_str(self) -> &'static str {
        self.0
    }

    /// Returns whether a language, given by any of its codes, is this one or belongs to it (`no` includes `nb` and
    /// `nn`).
    pub fn includes(self, language: &str) -> bool {
        let Ok(other) = language.parse::<Self>() else { return false };
        let members = MEMBERS.iter().find(|(code, _)| *code == self.0);
        other == self || members.is_some_and(|(_, members)| members.contains(&other.0))
    }
}

impl FromStr for LanguageCode {
    type Err = UnknownLanguage;

    /// Reads a code of ISO 639-1, 639-2 or 639-3, or a BCP 47 tag, of which the language counts; in any
    /// case.
    fn from_str(text: &str) -> Result<Self, UnknownLanguage> {
        let primary = text.split(['-', '_', ',']).next().unwrap_or_default();
        let primary = primary.trim().to_ascii_lowercase();
        let known = BY_OTHER.get(primary.as_str()).copied();
        let language = match (known, primary.len()) {
            (Some(code), _) => Language::from_639_1(code),
            (None, 2) => Language::from_639_1(&primary),
            (None, 3) => Language::from_639_3(&primary),
            _ => None,
        };
        language
            .map(|language| Self(language.to_639_1().unwrap_or(language.to_639_3())))
            .ok_or_else(|| UnknownLanguage(text.to_owned()))
    }
}

impl fmt::Display for LanguageCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> Option<&'static str> {
        text.parse().ok().map(LanguageCode::as_str)
    }

    #[test]
    fn every_form_gives_the_short_code() {
        for (text, expected) in [
            ("de", "de"),
            ("DEU", "de"),
            ("ger", "de"),
            ("de-AT", "de"),
            ("pes", "fa"),
            ("prs", "fa"),
            ("fas", "fa"),
            ("cmn", "zh"),
            ("zho", "zh"),
            ("zh_Hant", "zh"),
            ("nob", "nb"),
            ("nor", "no"),
            ("iw", "he"),
            ("arb", "ar"),
            ("ceb", "ceb"),
            ("yue", "yue"),
        ] {
            assert_eq!(code(text), Some(expected), "{text}");
        }
        for none in ["", "german", "qq", "x-none", "d"] {
            assert_eq!(code(none), None, "{none}");
        }
    }

    #[test]
    fn every_line_of_the_table_names_a_language_with_a_short_code() {
        for line in OTHER_CODES.lines() {
            let (short, others) = line.split_once('\t').unwrap();
            assert!(Language::from_639_1(short).is_some(), "{line}");
            for other in others.split(' ') {
                assert_eq!(code(other), Some(short), "{line}");
            }
        }
    }

    #[test]
    fn members_belong_to_their_language_and_not_the_other_way() {
        let no: LanguageCode = "no".parse().unwrap();
        assert!(no.includes("nb") && no.includes("nno") && no.includes("nb-NO"));
        assert!(!no.includes("da") && !no.includes("") && !no.includes("?"));
        let nb: LanguageCode = "nb".parse().unwrap();
        assert!(nb.includes("nob") && !nb.includes("no") && !nb.includes("nn"));
    }
}
