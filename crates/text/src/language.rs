//! Detects the language of a text, and reads codes of languages.
//!
//! There is one code for each language, however a page, a user or a detector writes it.

mod latin;

use std::{fmt, ops::RangeInclusive, str::FromStr, sync::LazyLock};

use isolang::Language;
use rustc_hash::FxHashMap;
use whatlang::Detector;

/// Number of characters at the start of a text from which its language is detected.
// With 2,000 as many of 4,074 pages agree with the language that they declare (3,973), and a page takes 2.4 % more
// instructions.
const SAMPLE_CHARS: usize = 1000;
/// Number of characters above which the language of a text is detected; for shorter texts it would be a guess.
const MIN_CHARS: usize = 40;

/// Scripts that whatlang does not know, each with the code of the language that nearly everywhere uses it.
const SCRIPTS: [(RangeInclusive<char>, &str); 7] = [
    ('\u{0780}'..='\u{07BF}', "dv"),
    ('\u{0E80}'..='\u{0EFF}', "lo"),
    ('\u{0F00}'..='\u{0FFF}', "bo"),
    ('\u{13A0}'..='\u{13FF}', "chr"),
    ('\u{1400}'..='\u{167F}', "iu"),
    ('\u{1800}'..='\u{18AF}', "mn"),
    ('\u{A000}'..='\u{A4CF}', "ii"),
];

/// Character ranges that cover all [`SCRIPTS`] and everything between them, except the punctuation that is in texts of
/// every script.
const SCRIPT_RANGES: [RangeInclusive<char>; 2] = ['\u{0780}'..='\u{18AF}', '\u{A000}'..='\u{A4CF}'];

/// First UTF-8 bytes of the characters in [`SCRIPT_RANGES`]; no quotation mark, dash, Han character or kana begins with
/// one of them.
const WIDE_STARTS: [u8; 5] = [0xDE, 0xDF, 0xE0, 0xE1, 0xEA];

/// Detects the language of a text, as an ISO 639-1 code (ISO 639-3 if there is no shorter one). `None` if the text is
/// too short or the detection is not reliable.
pub fn detect(text: &str) -> Option<String> {
    // A text that begins with ASCII only has a character a byte, and no letter of another script.
    let ascii = text.get(..text.len().min(SAMPLE_CHARS)).filter(|sample| sample.is_ascii());
    let end = || {
        let mut places = text.char_indices();
        places.nth(SAMPLE_CHARS).map_or(text.len(), |(at, _)| at)
    };
    let sample = match ascii {
        Some(sample) => sample,
        None => text.get(..end())?,
    };
    sample.chars().nth(MIN_CHARS)?;
    if ascii.is_none()
        && sample.bytes().any(|byte| WIDE_STARTS.contains(&byte))
        && let Some(code) = by_script(sample)
    {
        return Some(code.to_owned());
    }
    if latin::is_latin(sample) {
        return latin::detect(sample).map(short);
    }
    let info = Detector::new().detect(sample)?;
    if !info.is_reliable() {
        return None;
    }
    Some(short(info.lang().code()))
}

/// Returns whether a text is so long that more text would not change its detected language.
pub fn is_enough(text: &str) -> bool {
    text.len() > SAMPLE_CHARS && text.chars().nth(SAMPLE_CHARS).is_some()
}

/// Returns the language of a text most of whose letters are in one of the [`SCRIPTS`], otherwise `None`.
fn by_script(text: &str) -> Option<&'static str> {
    let is_of = |script: &RangeInclusive<char>, c: char| script.contains(&c) && c.is_alphabetic();
    // Most texts have none of these letters: one look at each character tells.
    let wide: String = text.chars().filter(|c| SCRIPT_RANGES.iter().any(|wide| wide.contains(c))).collect();
    let (_, code) = SCRIPTS.iter().find(|(script, _)| wide.chars().any(|c| is_of(script, c)))?;
    let is_of_language = |c: char| SCRIPTS.iter().any(|(s, k)| k == code && is_of(s, c));
    let count = wide.chars().filter(|c| is_of_language(*c)).count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    (2 * count > letters).then_some(code)
}

/// Returns the short code of the language that a tag or code names (`de-AT` and `deu` give `de`).
pub fn primary(tag: &str) -> Option<String> {
    tag.parse().ok().map(|code: LanguageCode| code.to_string())
}

/// Returns a BCP 47 tag with its subtags in their usual case. A withdrawn or bibliographic language code is replaced by
/// the current one. `None` if `raw` is not a tag of a known language.
pub fn well_formed(raw: &str) -> Option<String> {
    let raw = raw.split([',', ';']).next()?.trim();
    let mut tag = String::new();
    for (at, part) in raw.split(['-', '_']).enumerate() {
        let letters = part.bytes().all(|byte| byte.is_ascii_alphabetic());
        if !part.bytes().all(|byte| byte.is_ascii_alphanumeric())
            || !(1..=8).contains(&part.len())
            || at == 0 && !(letters && (2..=3).contains(&part.len()))
        {
            return None;
        }
        if at > 0 {
            tag.push('-');
        }
        match part.len() {
            2 if at > 0 => tag.push_str(&part.to_ascii_uppercase()),
            4 if at > 0 && letters => {
                tag.push_str(part.get(..1)?.to_ascii_uppercase().as_str());
                tag.push_str(&part.get(1..)?.to_ascii_lowercase());
            }
            _ => tag.push_str(&part.to_ascii_lowercase()),
        }
    }
    let code = tag.split('-').next()?;
    let in_use = match code.len() {
        2 => Language::from_639_1(code),
        _ => Language::from_639_3(code),
    };
    if in_use.is_some() {
        return Some(tag);
    }
    Some(primary(code)? + tag.get(code.len()..)?)
}

/// Returns the short form of a language code; an unknown code is returned unchanged.
fn short(code: &str) -> String {
    primary(code).unwrap_or_else(|| code.to_owned())
}

/// Table of language codes, one line per language: its ISO 639-1 code, and other codes for it. These are the standard
/// form among the members of its macrolanguage (ISO 639-3), the bibliographic code (ISO 639-2/B), and withdrawn codes.
const OTHER_CODES: &str = include_str!("language/codes.tsv");

/// Codes of macrolanguages, each with those of its member languages (ISO 639-3), where both are in use.
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

/// A language, identified by its ISO 639-1 code or, if there is none, by its ISO 639-3 code.
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

/// Error for a word that is not the code of a language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownLanguage(String);

impl fmt::Display for UnknownLanguage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is no language, expected an ISO 639 code such as \"de\" or \"deu\"", self.0)
    }
}

impl std::error::Error for UnknownLanguage {}

impl LanguageCode {
    /// Returns the ISO 639-1 code of the language or, if there is none, its ISO 639-3 code.
    pub fn as_str(self) -> &'static str {
        self.0
    }

    /// Returns whether a language, given by any of its codes, equals or belongs to this one (`no` includes `nb` and
    /// `nn`).
    pub fn includes(self, language: &str) -> bool {
        let Ok(other) = language.parse::<Self>() else { return false };
        let members = MEMBERS.iter().find(|(code, _)| *code == self.0);
        other == self || members.is_some_and(|(_, members)| members.contains(&other.0))
    }
}

impl FromStr for LanguageCode {
    type Err = UnknownLanguage;

    /// Reads a code of ISO 639-1, 639-2 or 639-3, or the language of a BCP 47 tag, in upper or lower case.
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
    use crate::rows;

    #[test]
    fn languages_are_known_in_every_script() {
        rows::check("src/language/texts.txt", |_, text| detect(text).unwrap_or_default());
        for c in SCRIPT_RANGES.into_iter().flatten() {
            let mut bytes = [0; 4];
            let text = c.encode_utf8(&mut bytes);
            assert!(WIDE_STARTS.contains(&text.as_bytes()[0]), "{c:?}");
        }
        // A quotation does not make a text Tibetan.
        let quoting = format!("{} བཀྲ་ཤིས་བདེ་ལེགས", "The mill stands by the river, and its wheel turns. ".repeat(3));
        assert_eq!(detect(&quoting).as_deref(), Some("en"));
    }

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
