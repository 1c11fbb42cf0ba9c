//! The language of a text.

mod code;
mod latin;

pub use code::{LanguageCode, UnknownLanguage};

use std::ops::RangeInclusive;

use isolang::Language;
use whatlang::Detector;

/// Characters of a text that are looked at: more change nothing.
const SAMPLE_CHARS: usize = 2000;
/// Characters below which detection is a guess.
const MIN_CHARS: usize = 40;

/// Scripts that whatlang does not know and that one language is written in nearly everywhere.
const SCRIPTS: [(RangeInclusive<char>, &str); 7] = [
    ('\u{0780}'..='\u{07BF}', "dv"),
    ('\u{0E80}'..='\u{0EFF}', "lo"),
    ('\u{0F00}'..='\u{0FFF}', "bo"),
    ('\u{13A0}'..='\u{13FF}', "chr"),
    ('\u{1400}'..='\u{167F}', "iu"),
    ('\u{1800}'..='\u{18AF}', "mn"),
    ('\u{A000}'..='\u{A4CF}', "ii"),
];

/// The ranges of all these, with everything between them except the punctuation that is in texts of every
/// script.
const SCRIPT_RANGES: [RangeInclusive<char>; 2] = ['\u{0780}'..='\u{18AF}', '\u{A000}'..='\u{A4CF}'];

/// First bytes, in UTF-8, of the characters of [`SCRIPT_RANGES`]; no quotation mark, dash or letter of East Asia
/// has one of them.
const WIDE_STARTS: [u8; 5] = [0xDE, 0xDF, 0xE0, 0xE1, 0xEA];

/// Language of a text as an ISO 639-1 code (ISO 639-3 if there is no shorter one). `None` if the text is
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

/// Returns whether a text is so long that more of it changes nothing about its language.
pub fn is_enough(text: &str) -> bool {
    text.len() > SAMPLE_CHARS && text.chars().nth(SAMPLE_CHARS).is_some()
}

/// The language of a text most letters of which are of one of [`SCRIPTS`].
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

/// The short code of the language that a tag or code names (`de-AT` and `deu` give `de`).
pub fn primary(tag: &str) -> Option<String> {
    tag.parse().ok().map(|code: LanguageCode| code.to_string())
}

/// A BCP 47 tag with its subtags in their usual case. A withdrawn or bibliographic code of its language is
/// replaced by the current one. `None` if `raw` is not a tag of a known language.
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

/// The code as all others write it.
fn short(code: &str) -> String {
    primary(code).unwrap_or_else(|| code.to_owned())
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
}
