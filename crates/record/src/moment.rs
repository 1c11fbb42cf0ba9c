//! Points in time of dates in ISO 8601, with their precision.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

/// The begin of a year, month, day or second in universal time. A date without an offset counts as universal time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    /// Milliseconds since 1970.
    pub(crate) millisecond: i64,
    /// `year`, `month`, `day`, `minute` or `second`.
    pub(crate) precision: &'static str,
}

impl Moment {
    /// The moment of a date as documents have it: `2024`, `2024-05`, `2024-05-01`, `2024-05-01T12:00+02:00`.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let Some((date, time)) = text.split_once(['T', ' ']) else {
            let (whole, precision) = match text.len() {
                4 => (format!("{text}-01-01"), "year"),
                7 => (format!("{text}-01"), "month"),
                _ => (text.to_owned(), "day"),
            };
            return Self::at(whole.parse::<Date>().ok()?.to_datetime(jiff::civil::Time::midnight()), precision);
        };
        let clock = time.split(['+', '-', 'Z', 'z']).next().unwrap_or_default();
        let precision = if clock.matches(':').count() > 1 { "second" } else { "minute" };
        if clock.len() == time.len() {
            return Self::at(format!("{date}T{time}").parse::<DateTime>().ok()?, precision);
        }
        let instant = format!("{date}T{time}").parse::<Timestamp>().ok()?;
        Some(Self { millisecond: instant.as_millisecond(), precision })
    }

    fn at(time: DateTime, precision: &'static str) -> Option<Self> {
        let zoned: Zoned = time.to_zoned(TimeZone::UTC).ok()?;
        Some(Self { millisecond: zoned.timestamp().as_millisecond(), precision })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_have_the_precision_that_they_state() {
        let moment = |text: &str| Moment::of(text).map(|moment| (moment.millisecond / 1000, moment.precision));
        let day = 1_714_521_600;
        assert_eq!(moment("2024"), Some((1_704_067_200, "year")));
        assert_eq!(moment("2024-05"), Some((day, "month")));
        assert_eq!(moment("2024-05-01"), Some((day, "day")));
        assert_eq!(moment("2024-05-01T12:00"), Some((day + 43_200, "minute")));
        assert_eq!(moment("2024-05-01T12:00+02:00"), Some((day + 36_000, "minute")));
        assert_eq!(moment("2024-05-01T12:00:07Z"), Some((day + 43_207, "second")));
        assert_eq!(moment("2024-05-01T12:00:07.250-01:00"), Some((day + 46_807, "second")));
        for wrong in ["", "x", "2024-13", "2024-05-01T", "2024-05-01T25:00", "\u{e4}\u{e4}"] {
            assert_eq!(moment(wrong), None, "{wrong}");
        }
    }
}
