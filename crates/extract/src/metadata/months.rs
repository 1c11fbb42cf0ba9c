//! Names of months.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// Names and abbreviations in lower case, a line a month: the languages of Europe, Turkish, Arabic, Hebrew, Hindi,
/// Bengali, Thai and Indonesian. A name stands once even if several languages share it.
const NAMES: &str = include_str!("months.txt");

// A table: names are asked for once for each word beside a number.
static BY_NAME: LazyLock<FxHashMap<&str, i8>> = LazyLock::new(|| {
    let named = (1..).zip(NAMES.lines());
    named.flat_map(|(number, names)| names.split(' ').map(move |name| (name, number))).collect()
});

/// Number of the month of that (lower-case) name, 1..=12.
pub(super) fn number(name: &str) -> Option<i8> {
    BY_NAME.get(name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

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
