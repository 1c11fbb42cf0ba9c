//! A selector as users write it: names, classes, ids and attributes of elements, and the hosts that it is for.

use std::borrow::Cow;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Maximum bytes of the text of a selector.
const MAX_BYTES: usize = 4 << 10;
/// Maximum number of nested elements in a selector, such as the two of `article .body`.
const MAX_STEPS: usize = 16;

/// A list of selectors, separated by commas, for the pages of some hosts or of all.
///
/// `article .body, #main, a[rel=nofollow]` selects on all pages, `example.org##.body` on those of `example.org` and of
/// hosts below it, as in lists for blockers of advertisements.
///
/// ```
/// use trommel_extract::Selector;
///
/// assert!("example.org,example.net##article .body, [data-role='text']".parse::<Selector>().is_ok());
/// let error = "article > p".parse::<Selector>().unwrap_err();
/// assert!(error.to_string().starts_with("\"article > p\": unexpected '>'"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Selector {
    text: String,
    /// Hosts in lower case to whose pages the selectors apply; empty for all pages.
    hosts: Vec<String>,
    /// Selectors of the list, each as the conditions on elements from the outermost to the selected one.
    pub(super) ways: Vec<Vec<Compound>>,
}

/// Reason why a text is not a selector.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?}: {fault}; a selector is made of tag, .class, #id, [attribute] and [attribute=value], with blanks between \
     elements inside of each other and commas between selectors"
)]
pub struct SelectorError {
    text: String,
    fault: String,
}

/// Condition on one element: tag name in lower case, class, or attribute (its name in lower case) with or without a
/// value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Condition<'a> {
    Name(Cow<'a, str>),
    Class(Cow<'a, str>),
    Attribute(Cow<'a, str>),
    Value(Cow<'a, str>, Cow<'a, str>),
}

/// Compound selector: the conditions on one element that must all hold, sorted and without repetition.
pub(super) type Compound = Vec<Condition<'static>>;

impl Selector {
    /// Returns whether the selectors apply to the pages of a host; `None` stands for an unknown host.
    pub(super) fn is_for(&self, host: Option<&str>) -> bool {
        let is_below = |host: &str, wanted: &str| {
            let subdomain = host.strip_suffix(wanted);
            subdomain.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        self.hosts.is_empty() || host.is_some_and(|host| self.hosts.iter().any(|wanted| is_below(host, wanted)))
    }

    /// Returns the number of selectors in the list.
    pub fn count(&self) -> usize {
        self.ways.len()
    }
}

impl FromStr for Selector {
    type Err = SelectorError;

    fn from_str(text: &str) -> Result<Self, SelectorError> {
        let failed = |fault: String| SelectorError { text: text.chars().take(200).collect(), fault };
        if text.len() > MAX_BYTES {
            return Err(failed(format!("longer than {MAX_BYTES} bytes")));
        }
        let is_of_host = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | ',' | ' ');
        let (hosts, list) = match text.split_once("##") {
            Some((hosts, list)) if hosts.chars().all(is_of_host) => (hosts, list),
            _ => ("", text),
        };
        let hosts = hosts.split(',').map(|host| host.trim().to_lowercase()).filter(|host| !host.is_empty()).collect();
        let ways = Parser(list).list().map_err(failed)?;
        Ok(Self { text: text.to_owned(), hosts, ways })
    }
}

impl TryFrom<String> for Selector {
    type Error = SelectorError;

    fn try_from(text: String) -> Result<Self, SelectorError> {
        text.parse()
    }
}

impl From<Selector> for String {
    fn from(selector: Selector) -> Self {
        selector.text
    }
}

/// Parser of a selector: the text that is not yet read. Errors are descriptions of the fault.
struct Parser<'a>(&'a str);

impl Parser<'_> {
    fn list(mut self) -> Result<Vec<Vec<Compound>>, String> {
        let mut ways = vec![self.way()?];
        while self.takes(',') {
            ways.push(self.way()?);
        }
        match self.0.chars().next() {
            None => Ok(ways),
            Some(next) => Err(format!("unexpected {next:?}")),
        }
    }

    fn way(&mut self) -> Result<Vec<Compound>, String> {
        let mut steps = Vec::new();
        self.skip_blanks();
        while let Some(step) = self.compound()? {
            steps.push(step);
            self.skip_blanks();
        }
        match (steps.len(), self.0.chars().next()) {
            (0, Some(next)) if next != ',' => Err(format!("unexpected {next:?}")),
            (0, _) => Err("nothing to select".to_owned()),
            (1..=MAX_STEPS, _) => Ok(steps),
            _ => Err(format!("more than {MAX_STEPS} elements inside of each other")),
        }
    }

    /// Parses the conditions on one element; `None` if no condition begins here.
    fn compound(&mut self) -> Result<Option<Compound>, String> {
        let mut compound = Compound::default();
        let before = self.0.len();
        if !self.takes('*') {
            compound.extend(self.word().map(|name| Condition::Name(name.to_ascii_lowercase().into())));
        }
        loop {
            if self.takes('.') {
                compound.push(Condition::Class(self.word().ok_or("no class after a point")?.into()));
            } else if self.takes('#') {
                let id = self.word().ok_or("no id after #")?;
                compound.push(Condition::Value("id".into(), id.into()));
            } else if self.takes('[') {
                compound.push(self.attribute()?);
            } else {
                compound.sort_unstable();
                compound.dedup();
                return Ok((self.0.len() < before).then_some(compound));
            }
        }
    }

    /// Parses the rest of `[name]` or `[name=value]` after the opening bracket.
    fn attribute(&mut self) -> Result<Condition<'static>, String> {
        self.skip_blanks();
        let name = self.word().ok_or("no name of an attribute after [")?.to_ascii_lowercase();
        self.skip_blanks();
        let value = if self.takes('=') {
            self.skip_blanks();
            let quote = if self.takes('"') {
                Some('"')
            } else if self.takes('\'') {
                Some('\'')
            } else {
                None
            };
            let end = self.0.find(quote.unwrap_or(']')).ok_or("an open [")?;
            let (value, rest) = self.0.split_at(end);
            self.0 = rest;
            Some(match quote {
                Some(quote) => {
                    self.takes(quote);
                    value.to_owned()
                }
                None => value.trim().to_owned(),
            })
        } else {
            None
        };
        self.skip_blanks();
        match self.takes(']') {
            true => Ok(match value {
                Some(value) => Condition::Value(name.into(), value.into()),
                None => Condition::Attribute(name.into()),
            }),
            false => Err(self.0.chars().next().map_or("an open [".to_owned(), |next| format!("unexpected {next:?}"))),
        }
    }

    /// Parses a name, in which a backslash precedes special characters (`.md\:flex`); `None` if no name begins here.
    fn word(&mut self) -> Option<String> {
        let mut word = String::new();
        while let Some(next) = self.0.chars().next() {
            let escaped = if next == '\\' { self.0.chars().nth(1) } else { None };
            let taken = match escaped {
                Some(escaped) => escaped,
                None if next.is_alphanumeric() || matches!(next, '-' | '_') => next,
                None => break,
            };
            word.push(taken);
            let bytes = taken.len_utf8() + if escaped.is_some() { 1 } else { 0 };
            self.0 = self.0.get(bytes..).unwrap_or_default();
        }
        (!word.is_empty()).then_some(word)
    }

    fn skip_blanks(&mut self) {
        self.0 = self.0.trim_start();
    }

    fn takes(&mut self, sign: char) -> bool {
        match self.0.strip_prefix(sign) {
            Some(rest) => {
                self.0 = rest;
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ways(text: &str) -> usize {
        text.parse::<Selector>().unwrap().count()
    }

    fn fault(text: &str) -> String {
        let error = text.parse::<Selector>().unwrap_err();
        assert_eq!(error.text, text);
        error.fault
    }

    #[test]
    fn texts_are_read_as_css_reads_them() {
        let selector: Selector = " DIV.b.a#c[Data-X = 'd e'].b , *[lang]\n.md\\:flex ".parse().unwrap();
        let class = |name: &'static str| Condition::Class(name.into());
        let value = |name: &'static str, value: &'static str| Condition::Value(name.into(), value.into());
        let first =
            vec![Condition::Name("div".into()), class("a"), class("b"), value("data-x", "d e"), value("id", "c")];
        let second = vec![Condition::Attribute("lang".into())];
        assert_eq!(selector.ways, [vec![first], vec![second, vec![class("md:flex")]]]);
        assert_eq!(ways("a[href=\"x, y]\"], b[c=d e ]"), 2);
        assert_eq!(ways(&vec!["a"; MAX_STEPS].join(" ")), 1);
    }

    #[test]
    fn other_texts_are_errors_with_the_fault() {
        for (text, expected) in [
            ("", "nothing to select"),
            ("a, ", "nothing to select"),
            (",a", "nothing to select"),
            ("a > b", "unexpected '>'"),
            ("a:hover", "unexpected ':'"),
            ("> a", "unexpected '>'"),
            (".", "no class after a point"),
            ("a. b", "no class after a point"),
            ("#", "no id after #"),
            ("[]", "no name of an attribute after ["),
            ("[a", "an open ["),
            ("[a=b", "an open ["),
            ("[a='b]", "an open ["),
            ("[a^=b]", "unexpected '^'"),
            ("[a='b'c]", "unexpected 'c'"),
            (&vec!["a"; MAX_STEPS + 1].join(" "), "more than 16 elements inside of each other"),
        ] {
            assert_eq!(fault(text), expected, "{text}");
        }
        let long = "a".repeat(MAX_BYTES + 1);
        assert_eq!(long.parse::<Selector>().unwrap_err().fault, "longer than 4096 bytes");
    }

    #[test]
    fn hosts_stand_before_a_selector() {
        for (text, host, expected) in [
            (".a", None, true),
            ("##.a", Some("a.example"), true),
            ("A.example, b.example##.a, .b", Some("a.example"), true),
            ("a.example##.a", Some("www.a.example"), true),
            ("a.example##.a", Some("aa.example"), false),
            ("a.example##.a", Some("example"), false),
            ("a.example##.a", None, false),
            ("[href='##']", None, true),
        ] {
            assert_eq!(text.parse::<Selector>().unwrap().is_for(host), expected, "{text} {host:?}");
        }
        assert_eq!(ways("a.example##.a, .b"), 2);
    }
}
