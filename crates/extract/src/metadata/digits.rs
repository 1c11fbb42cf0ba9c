//! The digits that dates are written in, and years of the Thai calendar.

/// Zeros of the digits that dates are written in: ASCII, Arabic, Persian, Devanagari, Bengali, Thai.
const ZEROS: [char; 6] = ['0', '\u{660}', '\u{6f0}', '\u{966}', '\u{9e6}', '\u{e50}'];

/// The value of a digit.
pub(super) fn digit(c: char) -> Option<u32> {
    ZEROS.iter().find_map(|zero| u32::from(c).checked_sub(u32::from(*zero)).filter(|value| *value < 10))
}

/// A year of the common era; Thai years count from 543 before it.
pub(super) fn common_era(year: u32) -> u32 {
    if (2533..=2643).contains(&year) { year - 543 } else { year }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_six_scripts_have_values() {
        for seven in ['7', '٧', '۷', '७', '৭', '๗'] {
            assert_eq!(digit(seven), Some(7), "{seven}");
        }
        assert_eq!(digit('x'), None);
    }
}
