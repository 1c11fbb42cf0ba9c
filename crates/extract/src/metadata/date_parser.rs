//! Parses dates in the forms that pages use, including month names, digits and years of other calendars.

use std::{borrow::Cow, sync::LazyLock};

use jiff::{Timestamp, civil::Date, tz::Offset};
use rustc_hash::FxHashMap;

/// Range of years that can be the date of a page.
// The web has no older pages. Numbers of four digits are often prices and ids.
const YEARS: std::ops::RangeInclusive<i16> = 1990..=2100;
/// Maximum number of bytes at the start of a text that are searched for a date.
// Elements that hold a date are short; a bound keeps long texts from being cut into tokens.
const MAX_SEARCHED_BYTES: usize = 400;

/// Date read from a text, with or without a time of day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ParsedDate {
    /// Calendar day as the page writes it, not converted to UTC.
    pub date: Date,
    /// Date in ISO 8601, with the time of day and offset if the page gives them.
    pub text: String,
}

/// Returns whether a text contains a date, as pages and archives write dates.
pub(crate) fn is_date(text: &str) -> bool {
    find(text, false).is_some()
}

/// Finds the first date in a text. It may be ISO 8601 with its usual deviations, RFC 2822, or numbers as
/// year-month-day, day-month-year or (with `month_first`) month-day-year. It may also have names of months in some 35
/// languages or 年月日. A text that is only a Unix time in seconds or milliseconds is read as well.
pub(super) fn find(text: &str, month_first: bool) -> Option<ParsedDate> {
    let text = searched(text).trim();
    // Ten digits are seconds, thirteen milliseconds; eight could be a day, which is read below.
    if text.len() >= 10 && text.bytes().all(|byte| byte.is_ascii_digit()) && text.len() <= 13 {
        return unix(text);
    }
    all(text, month_first).next().map(|(_, stamp)| stamp)
}

/// Iterates over the dates in the searched part of a text, each with its byte offset. Unix times are skipped.
pub(super) fn all(text: &str, month_first: bool) -> impl Iterator<Item = (usize, ParsedDate)> {
    let text = searched(text);
    let tokens = if has_year(text) { tokens(text) } else { Vec::new() };
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(start) = tokens.get(at).map(|token| token.start) {
            let found = tokens.get(at..).and_then(|tokens| date_at(tokens, month_first));
            at += found.map_or(1, |(_, used)| used);
            if let Some((date, _)) = found {
                let rest = tokens.get(at).map_or("", |token| text.get(token.start..).unwrap_or_default());
                return Some((start, stamp(date, rest)));
            }
        }
        None
    })
}

/// Finds the first date in a text like [`find`], or else a numeric date with a two-digit year: `30.10.23`.
pub(super) fn find_with_short_year(text: &str, month_first: bool) -> Option<ParsedDate> {
    find(text, month_first).or_else(|| {
        let tokens = tokens(searched(text));
        (0..tokens.len()).find_map(|at| Some(stamp(short_date_at(tokens.get(at..)?, month_first)?, "")))
    })
}

/// Returns the start of a text, up to the maximum length that is searched for dates.
fn searched(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_SEARCHED_BYTES)).unwrap_or(text)
}

/// Returns the byte range (start, end) of the first full date in a text, with the white space after it.
pub(super) fn span(text: &str) -> Option<(usize, usize)> {
    let text = searched(text);
    if !has_year(text) {
        return None;
    }
    let tokens = tokens(text);
    (0..tokens.len()).find_map(|at| {
        let (_, used) = date_at(tokens.get(at..)?, false)?;
        let end = tokens.get(at + used).map_or(text.len(), |next| next.start);
        Some((tokens.get(at)?.start, end))
    })
}

/// Returns whether the first date with slashes in a text has its month before its day. Returns `None` if there is no
/// such date, or if both orders are possible.
pub(super) fn says_month_first(text: &str) -> Option<bool> {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit() && c != '/');
    let date = numbers.find(|part| part.split('/').count() == 3)?;
    let mut parts = date.split('/').map(|part| part.parse::<u32>().unwrap_or(0));
    match (parts.next()?, parts.next()?) {
        (1..=12, 13..=31) => Some(true),
        (13..=31, 1..=12) => Some(false),
        _ => None,
    }
}

/// Returns whether a text has at least four digits in a row, as the year of a date.
pub(super) fn has_year(text: &str) -> bool {
    let is_foreign = |c: char| !c.is_ascii() && digit(c).is_some();
    // Of four digits in a row, one stands at each fourth place: a quarter of the bytes tells for most texts.
    let may_be = text.as_bytes().iter().skip(3).step_by(4).any(u8::is_ascii_digit);
    let mut digits = 0;
    let is_year = |byte: &u8| {
        digits = if byte.is_ascii_digit() { digits + 1 } else { 0 };
        digits == 4
    };
    may_be && text.as_bytes().iter().any(is_year)
        || !text.is_ascii() && text.split(|c| !is_foreign(c)).any(|digits| digits.chars().nth(3).is_some())
}

fn stamp(date: Date, rest: &str) -> ParsedDate {
    let time = time(rest).unwrap_or_default();
    ParsedDate { date, text: format!("{date}{time}") }
}

fn unix(digits: &str) -> Option<ParsedDate> {
    let number: i64 = digits.parse().ok()?;
    let timestamp = match digits.len() {
        10 => Timestamp::from_second(number).ok()?,
        13 => Timestamp::from_millisecond(number).ok()?,
        _ => return None,
    };
    let civil = Offset::UTC.to_datetime(timestamp);
    let date = civil.date();
    YEARS
        .contains(&date.year())
        .then(|| ParsedDate { date, text: format!("{date}T{}Z", civil.time().strftime("%H:%M:%S")) })
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind<'t> {
    /// Number, with its value and its count of digits.
    Number(u32, usize),
    /// Word of the text, in lower case.
    Word(Cow<'t, str>),
    Mark(char),
}

#[derive(Clone, Debug)]
struct Token<'t> {
    kind: Kind<'t>,
    start: usize,
}

/// Combining marks in words of Hindi, Bengali and Thai, which are treated like letters.
const JOINING_MARKS: [char; 6] = ['\u{93c}', '\u{94d}', '\u{9bc}', '\u{9cd}', '\u{e48}', '\u{e4c}'];

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        if c.is_whitespace() {
            continue;
        }
        let is_digit = digit(c).is_some();
        // Characters of Chinese and Japanese are marks: 2024年5月18日 has no spaces.
        let is_letter =
            |c: char| (c.is_alphabetic() && !('\u{2e80}'..='\u{d7ff}').contains(&c)) || JOINING_MARKS.contains(&c);
        if !is_digit && !is_letter(c) {
            tokens.push(Token { kind: Kind::Mark(c), start });
            continue;
        }
        let mut end = start + c.len_utf8();
        while let Some((at, next)) = chars.peek().copied() {
            let same = if is_digit { digit(next).is_some() } else { is_letter(next) };
            if !same {
                break;
            }
            end = at + next.len_utf8();
            chars.next();
        }
        let run = text.get(start..end).unwrap_or_default();
        let number = || {
            let digits: String =
                run.chars().filter_map(digit).filter_map(|value| char::from_digit(value, 10)).collect();
            Some(Kind::Number(digits.parse().ok()?, digits.len()))
        };
        let kind = is_digit.then(number).flatten().unwrap_or_else(|| Kind::Word(lower(run)));
        tokens.push(Token { kind, start });
    }
    tokens
}

/// Returns a word in lower case, without a copy if it is lower-case ASCII already.
fn lower(word: &str) -> Cow<'_, str> {
    let is_lower = word.bytes().all(|byte| byte.is_ascii_lowercase());
    if is_lower { Cow::Borrowed(word) } else { Cow::Owned(word.to_lowercase()) }
}

/// Forms of dates, as parts divided by spaces. Letters stand for numbers and names: `Y` a year, `T` a year that may be
/// Thai, `S` the last two digits of a year. `D` is a day, `M` a month's name, `N` a month's number. `A` and `B` are a
/// day and a month in either order, `E` is eight digits. `[...]` is one of some marks, `=` the same mark again, `a|b`
/// one of some words, and a part with `?` is optional. `!` forbids a following year (© 2022. May 5, 2023), and `^`
/// forbids further numbers.
const FORMS: [&str; 10] = [
    // 20240518
    "E",
    // 2024. május 18., 2024 m. gegužės 18 d.
    "Y [.] m|gada? [.]? M D !",
    "Y m|gada [.]? M D !",
    // 2024. gada 18. maijā, 2024 18 May
    "Y [.] m|gada [.]? D [.]? M !",
    "Y m|gada? [.]? D [.]? M !",
    // 2024-05-18, 2024年5月18日, 2024년 5월 18일
    "Y [-/.] N = D [日일]?",
    "Y [年년] N [月월] D [日일]?",
    // 18.05.2024
    "A [-/.] B = Y",
    // 18 May 2024, 18. Mai 2024, 18th of May, 2024, 18 de mayo de 2024, 18-May-2024
    "D [.-/ºª]? st|nd|rd|th|er|º|ª? of|de|di|d? ['’]? M [.,-/،]? [,]? de|del|of|năm? T",
    // May 18, 2024, May 18th 2024, Sept. 1, 2024
    "M [.-/]? D st|nd|rd|th? [,.-/]? de|of? Y",
];

/// Returns the date at the start of `tokens` in one of the [`FORMS`], and the number of tokens it takes.
fn date_at(tokens: &[Token], month_first: bool) -> Option<(Date, usize)> {
    // Most tokens begin no form, and each is asked.
    let begins: &[char] = match &tokens.first()?.kind {
        Kind::Number(_, 8) => &['E'],
        Kind::Number(_, 4) => &['Y'],
        Kind::Number(_, 1 | 2) => &['A', 'D'],
        Kind::Word(_) if month_at(tokens, 0).is_some() => &['M'],
        _ => return None,
    };
    FORMS.iter().filter(|form| form.starts_with(begins)).find_map(|form| in_form(form, tokens, month_first))
}

/// Returns the numeric date with a two-digit year at the start of `tokens`.
fn short_date_at(tokens: &[Token], month_first: bool) -> Option<Date> {
    in_form("A [./] B = S ^", tokens, month_first).map(|(date, _)| date)
}

/// Returns the date at the start of `tokens` if they match `form`, and the number of tokens it takes.
fn in_form(form: &str, tokens: &[Token], month_first: bool) -> Option<(Date, usize)> {
    let kind = |at: usize| tokens.get(at).map(|token| &token.kind);
    let (mut year, mut month, mut of_month) = (0, 0, 0);
    let (mut at, mut mark) = (0, ' ');
    for part in form.split(' ') {
        let needed = part.trim_end_matches('?');
        at += match (needed, kind(at)) {
            ("E", Some(Kind::Number(value, 8))) => {
                (year, month, of_month) = (value / 10_000, value / 100 % 100, value % 100);
                1
            }
            ("Y", Some(Kind::Number(value, 4))) => {
                year = *value;
                1
            }
            ("T", Some(Kind::Number(value, 4))) => {
                year = common_era(*value);
                1
            }
            ("S", Some(Kind::Number(value, 2))) => {
                year = if *value < 70 { 2000 + value } else { 1900 + value };
                1
            }
            ("A" | "D", Some(Kind::Number(value, 1 | 2))) => {
                of_month = *value;
                1
            }
            ("N", Some(Kind::Number(value, 1 | 2))) => {
                month = *value;
                1
            }
            ("B", Some(Kind::Number(value, 1 | 2))) => {
                // A number above 12 cannot be a month, whatever the page's custom.
                let is_month_first = *value > 12 || mark == '/' && month_first && of_month <= 12;
                (month, of_month) = if is_month_first { (of_month, *value) } else { (*value, of_month) };
                1
            }
            ("M", Some(Kind::Word(word))) => {
                let (found, used) = month_at(tokens, at)?;
                // November in Polish, which writes no dot behind the day, and October in Croatian, which does.
                month = if mark == '.' && word == "listopada" { 10 } else { found };
                used
            }
            ("=", Some(Kind::Mark(again))) if *again == mark => 1,
            ("!", Some(next)) => match if *next == Kind::Mark(',') { kind(at + 1) } else { Some(next) } {
                Some(Kind::Number(_, 4)) => return None,
                _ => 0,
            },
            ("^", Some(Kind::Mark('.' | '/'))) => return None,
            ("!" | "^", _) => 0,
            (marks, Some(Kind::Mark(found))) if marks.starts_with('[') && *found != ']' && marks.contains(*found) => {
                mark = *found;
                1
            }
            (words, Some(Kind::Word(word))) if words.split('|').any(|known| known == word) => 1,
            _ if needed.len() < part.len() => 0,
            _ => return None,
        };
    }
    Some((day(year, month, of_month)?, at))
}

/// Returns the number (1 to 12) of the month named at token `at`, and the number of tokens the name takes.
fn month_at(tokens: &[Token], at: usize) -> Option<(u32, usize)> {
    let word = |at: usize| match tokens.get(at).map(|token| &token.kind) {
        Some(Kind::Word(word)) => Some(word.as_ref()),
        _ => None,
    };
    let named = |at: usize| word(at).and_then(number).map(|month| u32::from(month.unsigned_abs()));
    let (month, used) = match (word(at)?, tokens.get(at + 1).map(|token| &token.kind)) {
        // Vietnamese months have numbers.
        ("tháng", Some(Kind::Number(month @ 1..=12, 1 | 2))) => (*month, 2),
        // The months of the Levant whose names are of two words.
        ("كانون", Some(Kind::Word(second))) => (if second == "الثاني" { 1 } else { 12 }, 2),
        ("تشرين", Some(Kind::Word(second))) => (if second == "الثاني" { 11 } else { 10 }, 2),
        _ => (named(at)?, 1),
    };
    // A month by two names: نيسان / أبريل
    let is_named_twice = matches!(tokens.get(at + used).map(|token| &token.kind), Some(Kind::Mark('/')))
        && named(at + used + 1) == Some(month);
    Some((month, if is_named_twice { used + 2 } else { used }))
}

fn day(year: u32, month: u32, day: u32) -> Option<Date> {
    let date = Date::new(year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?);
    date.ok().filter(|date| YEARS.contains(&date.year()))
}

/// Returns the time of day at the start of `rest` as `THH:MM:SS` with its offset, if given. Missing seconds are 00,
/// fractions are dropped.
fn time(rest: &str) -> Option<String> {
    let rest = rest.trim_start_matches([',', ' ', '\u{a0}']);
    let rest = rest.strip_prefix(['T', 't']).unwrap_or(rest).trim_start();
    let (hour, rest) = two_digits(rest)?;
    let (minute, rest) = two_digits(rest.strip_prefix(':')?)?;
    let (second, mut rest) = match rest.strip_prefix(':').and_then(two_digits) {
        Some((second, rest)) => (second, rest),
        None => (0, rest),
    };
    if let Some(fraction) = rest.strip_prefix(['.', ',']) {
        rest = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
    }
    let rest = rest.trim_start();
    let (hour, rest) = half_day(hour, rest);
    // A leap second is allowed, and written as 59, because few libraries read 60.
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let offset = offset(rest).unwrap_or_default();
    Some(format!("T{hour:02}:{minute:02}:{:02}{offset}", second.min(59)))
}

/// Returns an hour on the 24-hour clock, converted if `rest` begins with `am` or `pm`, and the rest of the text.
fn half_day(hour: u32, rest: &str) -> (u32, &str) {
    let is = |name: &str| rest.get(..2).is_some_and(|start| start.eq_ignore_ascii_case(name));
    let after = rest.get(2..).unwrap_or_default().trim_start();
    match hour {
        12 if is("am") => (0, after),
        1..12 if is("pm") => (hour + 12, after),
        _ if is("am") || is("pm") => (hour, after),
        _ => (hour, rest),
    }
}

/// Reads a number of one or two digits at the start of a text, and returns it with the rest of the text.
fn two_digits(text: &str) -> Option<(u32, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let value = text.get(..digits)?.parse().ok()?;
    (digits <= 2).then_some((value, text.get(digits..)?))
}

/// Reads a UTC offset at the start of a text (`Z`, `UTC`, `GMT`, `+02:00`, `+0200`, `+02`) as `Z` or `+02:00`.
fn offset(rest: &str) -> Option<String> {
    let upper = rest.get(..3).map(str::to_ascii_uppercase);
    if rest.starts_with(['Z', 'z']) || matches!(upper.as_deref(), Some("UTC" | "GMT")) {
        return Some("Z".to_owned());
    }
    let sign = rest.chars().next().filter(|c| matches!(c, '+' | '-'))?;
    let digits: String = rest.chars().skip(1).filter(|c| *c != ':').take_while(char::is_ascii_digit).take(4).collect();
    let hours: u32 = digits.get(..2)?.parse().ok()?;
    let minutes: u32 = match digits.get(2..4) {
        Some(minutes) => minutes.parse().ok()?,
        None => 0,
    };
    // The farthest offset in use is +14:00.
    (hours <= 14 && minutes <= 59).then(|| format!("{sign}{hours:02}:{minutes:02}"))
}

/// Digit zero of each script whose digits are read in dates: ASCII, Arabic, Persian, Devanagari, Bengali, Thai.
const ZEROS: [char; 6] = ['0', '\u{660}', '\u{6f0}', '\u{966}', '\u{9e6}', '\u{e50}'];

/// Returns the value of a digit in any of the scripts that dates are read in.
pub(super) fn digit(c: char) -> Option<u32> {
    ZEROS.iter().find_map(|zero| u32::from(c).checked_sub(u32::from(*zero)).filter(|value| *value < 10))
}

/// Returns a year in the common era. Years from 2533 to 2643 are those of the Thai calendar, 543 ahead of it.
pub(super) fn common_era(year: u32) -> u32 {
    if (2533..=2643).contains(&year) { year - 543 } else { year }
}

/// Month names and abbreviations in lower case, one line per month: the languages of Europe, Turkish, Arabic, Hebrew,
/// Hindi, Bengali, Thai and Indonesian. A name occurs once even if several languages share it.
const NAMES: &str = include_str!("months.txt");

// A table: names are asked for once for each word beside a number.
static BY_NAME: LazyLock<FxHashMap<&str, i8>> = LazyLock::new(|| {
    let named = (1..).zip(NAMES.lines());
    named.flat_map(|(number, names)| names.split(' ').map(move |name| (name, number))).collect()
});

/// Returns the number (1 to 12) of the month with the given lower-case name.
pub(super) fn number(name: &str) -> Option<i8> {
    BY_NAME.get(name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(raw: &str) -> String {
        find(raw, false).map(|stamp| stamp.text).unwrap_or_default()
    }

    #[test]
    fn dates_are_those_of_the_rows() {
        crate::rows::check("src/metadata/calendar.txt", |_, raw| text(raw));
    }

    #[test]
    fn short_years_are_read_where_they_are_asked_for() {
        let short = |raw: &str| find_with_short_year(raw, false).map(|stamp| stamp.date.to_string());
        assert_eq!(short("Party, 30.10.23").as_deref(), Some("2023-10-30"));
        assert_eq!(short("8/5/98").as_deref(), Some("1998-05-08"));
        assert_eq!(short("1.2.3 and 10.20.30.40"), None);
        assert_eq!(text("Party, 30.10.23"), "");
    }

    #[test]
    fn all_dates_of_a_text_are_found() {
        let found: Vec<(usize, String)> =
            all("On 18 May 2024, then 2024-06-01 10:00", false).map(|(at, stamp)| (at, stamp.text)).collect();
        assert_eq!(found, [(3, "2024-05-18".to_owned()), (21, "2024-06-01T10:00:00".to_owned())]);
    }

    #[test]
    fn numbers_in_local_order() {
        assert_eq!(text("08.05.2024"), "2024-05-08");
        assert_eq!(text("8/5/2024"), "2024-05-08");
        assert_eq!(text("5/18/2024"), "2024-05-18");
        let us = |raw| find(raw, true).map(|stamp| stamp.text).unwrap_or_default();
        assert_eq!(us("8/5/2024"), "2024-08-05");
        assert_eq!(us("18/5/2024"), "2024-05-18");
        assert_eq!(us("8.5.2024"), "2024-05-08");
        assert_eq!(us("08-05-2024"), "2024-05-08");
    }

    #[test]
    fn dates_are_found_where_they_stand() {
        let text = "by A on Dec 19th, 2023 at 8";
        assert_eq!(span(text).and_then(|(start, end)| text.get(start..end)), Some("Dec 19th, 2023 "));
        assert_eq!(span("2024-05-18"), Some((0, 10)));
        assert_eq!(span("May 2024"), None);
    }

    #[test]
    fn what_is_no_date() {
        for raw in [
            "", "2024", "May 2024", "2024-13-01", "30 February 2024", "1.2.3", "1850-01-01", "12345678901234567890",
            "version 2024.5", "99999999", "9999999999999",
        ] {
            assert_eq!(find(raw, false), None, "{raw}");
        }
    }

    #[test]
    fn digits_of_six_scripts_have_values() {
        for seven in ['7', '٧', '۷', '७', '৭', '๗'] {
            assert_eq!(digit(seven), Some(7), "{seven}");
        }
        assert_eq!(digit('x'), None);
    }

    #[test]
    fn names_of_every_language_are_known() {
        for (name, month) in [("jan", 1), ("märz", 3), ("août", 8), ("мая", 5), ("grudnia", 12), ("אוגוסט", 8)]
        {
            assert_eq!(number(name), Some(month), "{name}");
        }
        assert_eq!(number("monday"), None);
    }

    #[test]
    fn no_name_stands_for_two_months() {
        assert_eq!(NAMES.lines().count(), 12);
        let mut all: Vec<&str> = NAMES.split_whitespace().collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
