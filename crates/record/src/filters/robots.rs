//! Filters pages by their robots directives.

use trommel_extract::Document;
use trommel_text::TextStats;

use crate::filters::{Capture, Filter, Reason, RobotsRule};

/// Directives of `X-Robots-Tag` whose own value follows a colon; another name before a colon is that
/// of the one robot addressed.
const VALUED_DIRECTIVES: [&str; 4] = ["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"];

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
        capture.robots.iter().filter(|value| !is_addressed(value)).find_map(|value| self.reason(value))
    }

    fn document(&self, document: &Document, _: &TextStats<'_>) -> Option<Reason> {
        document.robots.iter().find_map(|value| self.reason(value))
    }
}

/// Returns whether a header's value speaks to one robot only (`googlebot: noindex`).
fn is_addressed(value: &str) -> bool {
    value.split(',').next().unwrap_or_default().split_once(':').is_some_and(|(name, _)| {
        let name = name.trim();
        !VALUED_DIRECTIVES.iter().any(|known| known.eq_ignore_ascii_case(name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
