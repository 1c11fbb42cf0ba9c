//! Amounts in the form in which people write them: sizes such as `64M`, shares such as `5%`.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// A number of bytes. Written as a number, or as text with a unit, by powers of 1024: `4096`, `64K`, `10M`, `2G`
/// (or `2GB`, `2GiB`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transparent, extend("format" = "bytes")))]
pub struct ByteSize(pub u64);

/// Reason why a text is not a number of bytes ([`ByteSize`]).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ByteSizeError {
    /// The text has no number before its unit, or one that does not fit into 64 bits.
    #[error("{0:?} is not a size such as 64M")]
    NotASize(String),
    /// The text after the leading digits is no known unit.
    #[error("unknown unit {0:?}, expected K, M, G or T")]
    Unit(String),
    /// The number of bytes is 0, or does not fit into 64 bits once multiplied by the unit.
    #[error("{0:?} is out of range")]
    Range(String),
}

impl FromStr for ByteSize {
    type Err = ByteSizeError;

    fn from_str(text: &str) -> Result<Self, ByteSizeError> {
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (digits, unit) = text.split_at(end);
        let shift = match unit.trim().to_ascii_lowercase().as_str() {
            "" | "b" => 0,
            "k" | "kb" | "kib" => 10,
            "m" | "mb" | "mib" => 20,
            "g" | "gb" | "gib" => 30,
            "t" | "tb" | "tib" => 40,
            _ => return Err(ByteSizeError::Unit(unit.to_owned())),
        };
        let number: u64 = digits.parse().map_err(|_| ByteSizeError::NotASize(text.to_owned()))?;
        match number.checked_mul(1 << shift) {
            Some(bytes) if bytes > 0 => Ok(Self(bytes)),
            _ => Err(ByteSizeError::Range(text.to_owned())),
        }
    }
}

impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (shift, unit) in [(40, "T"), (30, "G"), (20, "M"), (10, "K")] {
            if self.0 != 0 && self.0.trailing_zeros() >= shift {
                return write!(f, "{}{unit}", self.0 >> shift);
            }
        }
        write!(f, "{}", self.0)
    }
}

impl Serialize for ByteSize {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

impl<'de> Deserialize<'de> for ByteSize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected a number of bytes, or a size such as \"64M\"")]
        enum SizeValue {
            Number(u64),
            Text(String),
        }
        let text = match SizeValue::deserialize(deserializer)? {
            SizeValue::Number(bytes) => bytes.to_string(),
            SizeValue::Text(text) => text,
        };
        text.parse().map_err(D::Error::custom)
    }
}

/// Number of millionths of a percent, the unit in which a [`Share`] is stored, in one percent.
const PER_PERCENT: f64 = 1e6;

/// A fraction of a whole, above 0 and at most 1. Written as a percentage: `5%`, `0.25%`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
// Whole numbers, so that equal shares are equal however they were written.
pub struct Share(u32);

/// Error for a text that is not a percentage, which is written `5%` and is above 0 and at most 100.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a share between 0% and 100%, such as 5%")]
pub struct ShareError(String);

impl Share {
    /// Creates a share from a percentage; `None` unless it is above 0 and at most 100.
    pub fn of_percent(percent: f64) -> Option<Self> {
        // A cast of a float saturates, and of no number gives 0.
        let millionths = (percent * PER_PERCENT).round() as u32;
        (millionths > 0 && percent <= 100.0).then_some(Self(millionths))
    }

    /// Returns the share as a percentage, above 0 and at most 100.
    pub fn percent(self) -> f64 {
        f64::from(self.0) / PER_PERCENT
    }
}

impl FromStr for Share {
    type Err = ShareError;

    fn from_str(text: &str) -> Result<Self, ShareError> {
        let number = text.strip_suffix('%').and_then(|number| number.trim().parse().ok());
        number.and_then(Self::of_percent).ok_or_else(|| ShareError(text.to_owned()))
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", self.percent())
    }
}

impl Serialize for Share {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected a share such as \"5%\"")]
        enum Written {
            // Whether 5 or 0.05 were meant is not guessed.
            Number(f64),
            Text(String),
        }
        let text = match Written::deserialize(deserializer)? {
            Written::Number(number) => number.to_string(),
            Written::Text(text) => text,
        };
        text.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_written() {
        for (text, bytes, back) in [
            ("7", 7, "7"),
            ("64k", 65_536, "64K"),
            ("2GiB", 2 << 30, "2G"),
            ("1 MB", 1 << 20, "1M"),
            ("1025", 1025, "1025"),
        ] {
            let size: ByteSize = text.parse().unwrap();
            assert_eq!((size, size.to_string().as_str()), (ByteSize(bytes), back));
            let json = serde_json::to_string(&size).unwrap();
            assert_eq!(serde_json::from_str::<ByteSize>(&json).unwrap(), size);
            let text = serde_json::to_string(text).unwrap();
            assert_eq!(serde_json::from_str::<ByteSize>(&text).unwrap(), size);
        }
        for text in ["", "M", "0", "1x", "-1", "99999999T"] {
            assert!(text.parse::<ByteSize>().is_err(), "{text}");
        }
    }

    #[test]
    fn shares_are_read_and_written() {
        for (text, percent, back) in
            [("5%", 5.0, "5%"), ("0.25 %", 0.25, "0.25%"), ("100%", 100.0, "100%"), ("12.50%", 12.5, "12.5%")]
        {
            let share: Share = text.parse().unwrap();
            assert_eq!((share.percent(), share.to_string().as_str()), (percent, back));
            let json = serde_json::to_string(&share).unwrap();
            assert_eq!(serde_json::from_str::<Share>(&json).unwrap(), share);
        }
        for text in ["", "5", "%", "0%", "-1%", "100.1%", "nan%", "inf%", "0.0000001%", "5%%"] {
            let error = text.parse::<Share>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("{text:?} is not a share")), "{error}");
        }
        let error = serde_json::from_str::<Share>("5").unwrap_err().to_string();
        assert_eq!(error, "\"5\" is not a share between 0% and 100%, such as 5%");
    }
}
