//! Divides titles at the signs that set off their parts.

use super::site::key;

/// Places of the separators in a title, as (start, end) bytes without the spaces around them.
pub(super) fn separators(title: &str) -> Vec<(usize, usize)> {
    let mut cuts = Vec::new();
    for (at, c) in title.char_indices() {
        let end = at + c.len_utf8();
        let before = title.get(..at).unwrap_or_default();
        let after = title.get(end..).unwrap_or_default();
        let spaced = || before.ends_with(' ') && after.starts_with(' ');
        let is_separator = match c {
            'a'..='z' | 'A'..='Z' | ' ' => false,
            '|' | '»' | '«' | '·' | '•' | '｜' | '–' | '—' | '-' | '/' | '~' | '>' | '<' | '‹' | '›' | '→' | '⋆'
            // A dash without spaces joins words; a bar never does.
            | '★' => matches!(c, '|' | '»' | '｜') || spaced(),
            ':' => after.starts_with(' '),
            '_' => !before.is_ascii() && !after.is_ascii() || spaced(),
            _ => false,
        };
        if is_separator {
            cuts.push((at, end));
        }
    }
    cuts
}

/// Returns whether a heading is one end of a title, apart from the name of the site.
pub(crate) fn is_end_of_title(heading: &str, title: &str) -> bool {
    let heading = key(heading);
    !heading.is_empty()
        && separators(title).iter().any(|(start, end)| {
            let ends = [title.get(..*start), title.get(*end..)];
            ends.into_iter().flatten().any(|part| key(part) == heading)
        })
}

#[cfg(test)]
mod tests {
    use super::is_end_of_title;

    #[test]
    fn a_heading_may_be_one_end_of_a_title() {
        for (heading, title, is_end) in [
            ("Membership", "Society of Millers | Membership", true),
            ("The wheel", "the wheel - Mills of the valley", true),
            ("Wheels | Parts", "Mills | Wheels | Parts", true),
            ("Wheels", "Mills | Wheels | Parts", false),
            ("Mills", "Mills", false),
            ("Mill", "Mills - Wheels", false),
            ("!", "! - Wheels", false),
        ] {
            assert_eq!(is_end_of_title(heading, title), is_end, "{heading}: {title}");
        }
    }
}
