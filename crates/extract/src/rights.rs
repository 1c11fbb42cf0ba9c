//! Reservations of rights: statements of a page or its server about mining its text and learning from it.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use trommel_text::keys::{KeyType, Shape, Value};

/// Statements of a page and its server about the use of the text, each with a name.
///
/// ```
/// use trommel_extract::Rights;
///
/// let mut rights = Rights::of_headers([("TDM-Reservation", "1"), ("Content-Signal", "search=yes, ai-train=no")]);
/// rights.join(&Rights::of_meta([("robots", "noindex, noai")]));
/// assert_eq!(rights.to_string(), "tdm-reservation=1; search=yes; ai-train=no; noai");
/// assert!(rights.are_reserved());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rights(Vec<(String, String)>);

const RESERVATION: &str = "tdm-reservation";
const POLICY: &str = "tdm-policy";
const SIGNAL: &str = "content-signal";
const NOAI: &str = "noai";
/// Names of directives to robots about machine learning.
const DIRECTIVES: [&str; 2] = [NOAI, "noimageai"];
/// Names and values of statements that reserve the rights to a text.
const RESERVING: [(&str, &str); 3] = [(RESERVATION, "1"), ("ai-train", "no"), (NOAI, "")];

/// Maximum bytes of the address in a `tdm-policy` statement.
const MAX_POLICY: usize = 2 << 10;
/// Maximum bytes of the name of a signal in `Content-Signal`.
const MAX_SIGNAL: usize = 32;
/// Maximum number of statements that are kept; further ones are ignored.
const MAX_STATEMENTS: usize = 16;

impl Rights {
    /// Reads the statements in the headers of an HTTP response, given as names and values: `TDM-Reservation`,
    /// `TDM-Policy`, `Content-Signal` and `X-Robots-Tag`.
    pub fn of_headers<'a>(headers: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut rights = Self::default();
        for (name, value) in headers {
            if name.eq_ignore_ascii_case(SIGNAL) {
                rights.add_signals(value);
            } else if name.eq_ignore_ascii_case("x-robots-tag") {
                if !is_for_one_robot(value) {
                    rights.add_directives(value);
                }
            } else {
                rights.add_tdm(name, value);
            }
        }
        rights
    }

    /// Reads the statements in the `<meta>` elements of a page, given as names and contents: `tdm-reservation`,
    /// `tdm-policy` and `robots`.
    pub fn of_meta<'a>(meta: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut rights = Self::default();
        for (name, content) in meta {
            match name {
                "robots" => rights.add_directives(content),
                _ => rights.add_tdm(name, content),
            }
        }
        rights
    }

    /// Adds the statements of another source. If both have a statement of one name, the one that reserves more counts.
    pub fn join(&mut self, more: &Self) {
        for (name, value) in &more.0 {
            self.add(name, value);
        }
    }

    /// Returns whether there are no statements.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether mining the text or learning from it is reserved: `tdm-reservation=1`, `ai-train=no` or `noai`.
    pub fn are_reserved(&self) -> bool {
        self.0.iter().any(|(name, value)| RESERVING.contains(&(name, value)))
    }

    fn add_tdm(&mut self, name: &str, value: &str) {
        let value = value.trim();
        if name.eq_ignore_ascii_case(RESERVATION) {
            if matches!(value, "0" | "1") {
                self.add(RESERVATION, value);
            }
        } else if name.eq_ignore_ascii_case(POLICY) {
            // An address has no blanks: they would end it where statements stand side by side.
            let is_address = !value.contains(|c: char| c.is_whitespace() || c.is_control());
            if is_address && (1..=MAX_POLICY).contains(&value.len()) {
                self.add(POLICY, value);
            }
        }
    }

    /// Adds the statements in a value of `Content-Signal`, such as `search=yes, ai-train=no`.
    fn add_signals(&mut self, value: &str) {
        for signal in value.split([',', ';']) {
            let Some((name, value)) = signal.split_once('=') else { continue };
            let (name, value) = (name.trim().to_ascii_lowercase(), value.trim().to_ascii_lowercase());
            let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
            if is_name && (1..=MAX_SIGNAL).contains(&name.len()) && matches!(&*value, "yes" | "no") {
                self.add(&name, &value);
            }
        }
    }

    fn add_directives(&mut self, value: &str) {
        for directive in value.split(',').map(str::trim) {
            if let Some(known) = DIRECTIVES.iter().find(|known| known.eq_ignore_ascii_case(directive)) {
                self.add(known, "");
            }
        }
    }

    fn add(&mut self, name: &str, value: &str) {
        if let Some((_, known)) = self.0.iter_mut().find(|(known, _)| known == name) {
            if matches!(value, "1" | "no") {
                value.clone_into(known);
            }
        } else if self.0.len() < MAX_STATEMENTS {
            self.0.push((name.to_owned(), value.to_owned()));
        }
    }
}

impl fmt::Display for Rights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (name, value)) in self.0.iter().enumerate() {
            let before = if at == 0 { "" } else { "; " };
            let sign = if value.is_empty() { "" } else { "=" };
            write!(f, "{before}{name}{sign}{value}")?;
        }
        Ok(())
    }
}

impl Serialize for Rights {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Parses the written form of rights: statements separated by semicolons.
impl<'de> Deserialize<'de> for Rights {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = String::deserialize(deserializer)?;
        let parts = written.split("; ").filter(|part| !part.is_empty());
        let statement = |part: &str| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            (name.to_owned(), value.to_owned())
        };
        Ok(Self(parts.map(statement).collect()))
    }
}

impl KeyType for Rights {
    const SHAPE: Shape = Shape::Text;

    fn value(&self) -> Value<'_> {
        if self.is_empty() { Value::Missing } else { Value::Text(self.to_string().into()) }
    }
}

/// Directives of `X-Robots-Tag` that have a value after a colon. Any other name before a colon is that of the only
/// robot addressed.
const VALUED_DIRECTIVES: [&str; 4] = ["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"];

/// Returns whether a value of `X-Robots-Tag` is addressed to one robot only (`googlebot: noindex`).
pub fn is_for_one_robot(value: &str) -> bool {
    value.split(',').next().unwrap_or_default().split_once(':').is_some_and(|(name, _)| {
        let name = name.trim();
        !VALUED_DIRECTIVES.iter().any(|known| known.eq_ignore_ascii_case(name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_headers(headers: &[(&str, &str)]) -> (String, bool) {
        let rights = Rights::of_headers(headers.iter().copied());
        (rights.to_string(), rights.are_reserved())
    }

    #[test]
    fn headers_state_rights() {
        for (headers, written, are_reserved) in [
            (&[("tdm-reservation", "1")][..], "tdm-reservation=1", true),
            (&[("TDM-Reservation", " 0 ")], "tdm-reservation=0", false),
            (&[("tdm-reservation", "yes"), ("tdm-policy", "")], "", false),
            (&[("tdm-policy", "https://a.example/p;x.json")], "tdm-policy=https://a.example/p;x.json", false),
            (&[("tdm-policy", "no address")], "", false),
            (&[("Content-Signal", "Search=YES, ai-train = no")], "search=yes; ai-train=no", true),
            (&[("content-signal", "ai-input=no, ai-train=yes, x=maybe, =no, y")], "ai-input=no; ai-train=yes", false),
            (&[("X-Robots-Tag", "NoAI, noindex, noimageai")], "noai; noimageai", true),
            (&[("x-robots-tag", "noimageai")], "noimageai", false),
            (&[("x-robots-tag", "bot: noai"), ("x-robots-tag", "max-snippet: 5, noai")], "noai", true),
            (&[("robots", "noai"), ("x-robots", "noai")], "", false),
        ] {
            assert_eq!(of_headers(headers), (written.to_owned(), are_reserved), "{headers:?}");
        }
    }

    #[test]
    fn elements_state_rights() {
        let meta =
            [("tdm-policy", "/p"), ("robots", "noai"), ("x-robots-tag", "noimageai"), ("content-signal", "a=no")];
        assert_eq!(Rights::of_meta(meta).to_string(), "tdm-policy=/p; noai");
    }

    #[test]
    fn of_two_statements_the_one_that_reserves_more_counts() {
        let all = [("tdm-reservation", "1"), ("content-signal", "ai-train=no, search=yes"), ("tdm-policy", "/a")];
        let none = [("content-signal", "ai-train=yes"), ("tdm-reservation", "0"), ("tdm-policy", "/b")];
        let (all, none) = (Rights::of_headers(all), Rights::of_headers(none));
        let joined = |mut first: Rights, second: &Rights| {
            first.join(second);
            first.to_string()
        };
        assert_eq!(joined(all.clone(), &none), "tdm-reservation=1; ai-train=no; search=yes; tdm-policy=/a");
        assert_eq!(joined(none, &all), "ai-train=no; tdm-reservation=1; tdm-policy=/b; search=yes");
    }

    #[test]
    fn statements_are_bounded() {
        let signals: Vec<String> = (0..100).map(|number| format!("s{number}=no")).collect();
        let rights = Rights::of_headers([("content-signal", &*signals.join(","))]);
        assert_eq!(rights.to_string().split("; ").count(), MAX_STATEMENTS);
        let long = "x".repeat(MAX_POLICY + 1);
        assert!(Rights::of_headers([("tdm-policy", &*long)]).is_empty());
    }
}
