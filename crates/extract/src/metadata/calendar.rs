//! Parses dates in the forms that pages use.

use jiff::{Timestamp, civil::Date, tz::Offset};

use super::months;

/// Years that can be the date of a page.
// The web has no older pages. Numbers of four digits are often prices and ids.
const YEARS: std::ops::RangeInclusive<i16> = 1990..=2100;
/// Bytes of a text that are searched for a date.
// Elements that hold a date are short; a bound keeps long texts from being cut into tokens.
const MAX_SEARCHED_BYTES: usize = 400;

/// A date that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    /// The day, at the place of the page's own clock.
    pub date: Date,
    /// ISO 8601: the date, or date and time with the offset that was given, if any.
    pub text: String,
}

/// The first date in a text. It may be ISO 8601 with its usual deviations, RFC 2822, or numbers as
/// year-month-day, day-month-year or (with `month_first`) month-day-year. It may also have names of months
/// in nine languages or 年月日, or be Unix seconds or milliseconds alone.
pub(super) fn find(text: &str, month_first: bool) -> Option<Stamp> {
    let mut end = text.len().min(MAX_SEARCHED_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = text.get(..end)?.trim();
    // Ten digits are seconds, thirteen milliseconds; eight could be a day, which is read below.
    if text.len() >= 10 && text.bytes().all(|byte| byte.is_ascii_digit()) && text.len() <= 13 {
        return unix(text);
    }
    if !has_year(text) {
        return None;
    }
    let tokens = tokens(text);
    (0..tokens.len()).find_map(|at| {
        let (date, used) = date_at(tokens.get(at..)?, month_first)?;
        let rest = tokens.get(at + used).map_or("", |token| text.get(token.start..).unwrap_or_default());
        Some(stamp(date, rest))
    })
}

/// The place of the first date of a text with a month and a year: its first byte and one past its last.
pub(super) fn span(text: &str) -> Option<(usize, usize)> {
    let searched = text.get(..MAX_SEARCHED_BYTES).unwrap_or(text);
    if !has_year(searched) {
        return None;
    }
    let tokens = tokens(searched);
    (0..tokens.len()).find_map(|at| {
        let (_, used) = date_at(tokens.get(at..)?, false)?;
        let end = tokens.get(at + used).map_or(text.len(), |next| next.start);
        Some((tokens.get(at)?.start, end))
    })
}

/// Whether the first date in numbers with slashes of a text has its month before its day; none if it may have
/// either.
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

/// Whether as many digits stand side by side as every date has for its year.
fn has_year(text: &str) -> bool {
    let is_year = |four: &[u8]| four.iter().all(u8::is_ascii_digit);
    text.as_bytes().windows(4).any(is_year)
}

fn stamp(date: Date, rest: &str) -> Stamp {
    let time = time(rest).unwrap_or_default();
    Stamp { date, text: format!("{date}{time}") }
}

fn unix(digits: &str) -> Option<Stamp> {
    let number: i64 = digits.parse().ok()?;
    let timestamp = match digits.len() {
        10 => Timestamp::from_second(number).ok()?,
        13 => Timestamp::from_millisecond(number).ok()?,
        _ => return None,
    };
    let civil = Offset::UTC.to_datetime(timestamp);
    let date = civil.date();
    YEARS.contains(&date.year()).then(|| Stamp { date, text: format!("{date}T{}Z", civil.time().strftime("%H:%M:%S")) })
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// Value and number of digits.
    Number(u32, usize),
    /// In lower case.
    Word(String),
    Mark(char),
}

#[derive(Clone, Debug)]
struct Token {
    kind: Kind,
    start: usize,
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        if c.is_whitespace() {
            continue;
        }
        let is_digit = c.is_ascii_digit();
        // Characters of Chinese and Japanese are marks: 2024年5月18日 has no spaces.
        let is_letter = |c: char| c.is_alphabetic() && !('\u{2e80}'..='\u{d7ff}').contains(&c);
        if !is_digit && !is_letter(c) {
            tokens.push(Token { kind: Kind::Mark(c), start });
            continue;
        }
        let mut end = start + c.len_utf8();
        while let Some((at, next)) = chars.peek().copied() {
            let same = if is_digit { next.is_ascii_digit() } else { is_letter(next) };
            if !same {
                break;
            }
            end = at + next.len_utf8();
            chars.next();
        }
        let run = text.get(start..end).unwrap_or_default();
        let kind = match run.parse() {
            Ok(value) if is_digit => Kind::Number(value, run.len()),
            _ => Kind::Word(run.to_lowercase()),
        };
        tokens.push(Token { kind, start });
    }
    tokens
}

/// The date at the start of the tokens, and how many it takes.
fn date_at(tokens: &[Token], month_first: bool) -> Option<(Date, usize)> {
    let kind = |at: usize| tokens.get(at).map(|token| &token.kind);
    let number = |at: usize| match kind(at) {
        Some(Kind::Number(value, digits)) => Some((*value, *digits)),
        _ => None,
    };
    let mark = |at: usize| match kind(at) {
        Some(Kind::Mark(mark)) => Some(*mark),
        _ => None,
    };
    match kind(0)? {
        Kind::Number(value, 8) => {
            let date = day(value / 10_000, value / 100 % 100, value % 100)?;
            Some((date, 1))
        }
        Kind::Number(year, 4) => {
            let (month, digits) = number(2)?;
            let between = mark(1)?;
            let (last, last_digits) = number(4)?;
            let sound = digits <= 2
                && last_digits <= 2
                && (matches!(between, '-' | '/' | '.') && mark(3) == Some(between)
                    || matches!((between, mark(3)?), ('年', '月') | ('년', '월')));
            let closing = usize::from(matches!(mark(5), Some('日' | '일')));
            let date = sound.then(|| day(*year, month, last)).flatten()?;
            Some((date, 5 + closing))
        }
        Kind::Number(first, 1 | 2) => {
            if let Some(between @ ('-' | '/' | '.')) = mark(1)
                && mark(3) == Some(between)
                && let (Some((second, 1 | 2)), Some((year, 4))) = (number(2), number(4))
            {
                let us = between == '/' && month_first;
                let (month, of_month) =
                    // A number above 12 cannot be a month, whatever the page's custom.
                    if second > 12 || us && *first <= 12 { (*first, second) } else { (second, *first) };
                return Some((day(year, month, of_month)?, 5));
            }
            // 18 May 2024, 18. Mai 2024, 18th of May, 2024, 18 de mayo de 2024, 18-May-2024
            let mut at = 1;
            at += usize::from(matches!(mark(at), Some('.' | '-' | '/' | 'º' | 'ª')));
            at += filler(tokens, at, &["st", "nd", "rd", "th", "er", "º", "ª"]);
            at += filler(tokens, at, &["of", "de", "di"]);
            let month = month_at(tokens, at)?;
            at += 1;
            at += usize::from(matches!(mark(at), Some('.' | ',' | '-' | '/')));
            at += usize::from(matches!(mark(at), Some(',')));
            at += filler(tokens, at, &["de", "del", "of"]);
            let (year, 4) = number(at)? else { return None };
            Some((day(year, month, *first)?, at + 1))
        }
        Kind::Word(_) => {
            // May 18, 2024, May 18th 2024, Sept. 1, 2024
            let month = month_at(tokens, 0)?;
            let mut at = 1;
            at += usize::from(matches!(mark(at), Some('.' | '-' | '/')));
            let (of_month, 1 | 2) = number(at)? else {
                return None;
            };
            at += 1;
            at += filler(tokens, at, &["st", "nd", "rd", "th"]);
            at += usize::from(matches!(mark(at), Some(',' | '.' | '-' | '/')));
            at += filler(tokens, at, &["de", "of"]);
            let (year, 4) = number(at)? else { return None };
            Some((day(year, month, of_month)?, at + 1))
        }
        _ => None,
    }
}

/// 1 if one of the words stands there, else 0.
fn filler(tokens: &[Token], at: usize, words: &[&str]) -> usize {
    let found =
        matches!(tokens.get(at).map(|token| &token.kind), Some(Kind::Word(word)) if words.contains(&word.as_str()));
    usize::from(found)
}

fn month_at(tokens: &[Token], at: usize) -> Option<u32> {
    match &tokens.get(at)?.kind {
        Kind::Word(word) => months::number(word).map(|month| month.unsigned_abs().into()),
        _ => None,
    }
}

fn day(year: u32, month: u32, day: u32) -> Option<Date> {
    let date = Date::new(year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?);
    date.ok().filter(|date| YEARS.contains(&date.year()))
}

/// The time of day right behind a date as `THH:MM:SS` with its offset; seconds are 00 where they are
/// not given, fractions are dropped.
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

/// The hour of the day of an hour followed by `am` or `pm`.
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

/// A number of one or two digits.
fn two_digits(text: &str) -> Option<(u32, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let value = text.get(..digits)?.parse().ok()?;
    (digits <= 2).then_some((value, text.get(digits..)?))
}

/// `Z`, `UTC`, `GMT`, `+02:00`, `+0200`, `+02`.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn text(raw: &str) -> String {
        find(raw, false).map(|stamp| stamp.text).unwrap_or_default()
    }

    #[test]
    fn iso_and_its_deviations() {
        for (raw, expected) in [
            ("2024-05-18", "2024-05-18"),
            ("2024-05-18T01:58:10Z", "2024-05-18T01:58:10Z"),
            ("2024-05-18T01:58:10.123+0200", "2024-05-18T01:58:10+02:00"),
            ("2024-05-18 01:58:10 UTC", "2024-05-18T01:58:10Z"),
            ("2024-05-18T1:58-05", "2024-05-18T01:58:00-05:00"),
            ("2024-5-8 21:23", "2024-05-08T21:23:00"),
            ("2024/05/18 9:30 PM", "2024-05-18T21:30:00"),
            ("2024.05.18", "2024-05-18"),
            ("20240518", "2024-05-18"),
            ("20240518T015810Z", "2024-05-18"),
            ("2024-05-18T99:00:00Z", "2024-05-18"),
            ("1716000000", "2024-05-18T02:40:00Z"),
            ("1716000000000", "2024-05-18T02:40:00Z"),
        ] {
            assert_eq!(text(raw), expected, "{raw}");
        }
    }

    #[test]
    fn names_of_months() {
        for raw in [
            "Sat, 18 May 2024",
            "May 18, 2024",
            "Published on May 18th, 2024 by A",
            "18. Mai 2024",
            "le 18 mai 2024",
            "18 de mayo de 2024",
            "18 maggio 2024",
            "18 de maio de 2024",
            "18 mei 2024",
            "18 мая 2024 г.",
            "18 maja 2024",
            "2024年5月18日",
            "发布于 2024年05月18日 星期六",
            "2024년 5월 18일",
            "18-May-2024",
            "3 comments | MAY 18 2024",
        ] {
            assert_eq!(text(raw), "2024-05-18", "{raw}");
        }
        assert_eq!(text("Sat, 18 May 2024 01:58:10 +0200"), "2024-05-18T01:58:10+02:00");
        assert_eq!(text("Sat May 18, 2024, 1:58 am"), "2024-05-18T01:58:00");
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
}
