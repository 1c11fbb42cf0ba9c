//! Finds addresses that a text gives in angle brackets, as e-mails and references do: `<https://a.example/>`.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::runs::{Form, Run};
use crate::render::steps;

/// Places of the addresses in a text, without the brackets.
fn addresses(text: &str) -> impl Iterator<Item = Range<usize>> {
    // By one byte, which few texts have.
    let starts = memchr::memchr_iter(b'<', text.as_bytes()).map(|at| at + 1);
    starts.filter(|start| text.get(*start..).is_some_and(|rest| rest.starts_with("http"))).filter_map(|start| {
        let rest = text.get(start..)?;
        let len = rest.find(|c: char| c == '>' || c == '<' || c.is_whitespace())?;
        let address = rest.get(..len)?;
        let (scheme, host) = address.split_once("://")?;
        let is_address = matches!(scheme, "http" | "https") && !host.is_empty() && rest.get(len..)?.starts_with('>');
        is_address.then_some(start..start + len)
    })
}

/// Returns whether a text gives an address in angle brackets.
pub(super) fn has_address(text: &str) -> bool {
    addresses(text).next().is_some()
}

/// Runs in which such addresses are links, written by `write`. Markdown has no links in links: one around an address is
/// left out if `may_drop` says so.
pub(super) fn with_addresses(
    runs: &[Run],
    text: &str,
    may_drop: impl Fn(usize) -> bool,
    mut write: impl FnMut(&str) -> Option<String>,
) -> Vec<Run> {
    let places: Vec<Range<usize>> = addresses(text).collect();
    let may_link = |run: &Run| run.form == Form::Text && !run.code && run.link.is_none_or(&may_drop);
    // Both are in the order of the text.
    let within = |run: &Run| -> &[Range<usize>] {
        let first = places.partition_point(|place| place.start < run.from);
        let behind = places.partition_point(|place| place.end <= run.to);
        places.get(first..behind).filter(|_| may_link(run)).unwrap_or_default()
    };
    let around = runs.iter().filter(|run| !within(run).is_empty());
    let dropped: FxHashSet<usize> = around.filter_map(|run| run.link).collect();
    let mut linked: Vec<Run> = Vec::with_capacity(runs.len() + 2 * places.len());
    for run in runs {
        let mut rest = Run { link: run.link.filter(|link| !dropped.contains(link)), ..run.clone() };
        for place in within(run) {
            steps::take(1);
            let Some(written) = text.get(place.clone()).and_then(&mut write) else { continue };
            linked.push(Run { to: place.start, ..rest.clone() });
            linked.push(Run { from: place.start, to: place.end, form: Form::Link(written), ..rest.clone() });
            rest.from = place.end;
        }
        linked.push(rest);
    }
    linked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_stand_in_brackets() {
        let found = |text: &str| -> Vec<String> { addresses(text).map(|place| text[place].to_owned()).collect() };
        assert_eq!(
            found("see <<https://a.example/x>> and <http://b.example>."),
            ["https://a.example/x", "http://b.example"]
        );
        for text in ["<https://>", "<https://a b>", "<https://a", "https://a>", "<httpd://a>", "<https:a>"] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }
}
