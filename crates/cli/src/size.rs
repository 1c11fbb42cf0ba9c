//! Sizes as people write them.

use std::str::FromStr;

/// A number of bytes: `4096`, `64K`, `10M`, `2G` (or `2GB`, `2GiB`), by powers of 1024.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub u64);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let end = text
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len());
        let (digits, unit) = text.split_at(end);
        let shift = match unit.trim().to_ascii_lowercase().as_str() {
            "" | "b" => 0,
            "k" | "kb" | "kib" => 10,
            "m" | "mb" | "mib" => 20,
            "g" | "gb" | "gib" => 30,
            "t" | "tb" | "tib" => 40,
            _ => return Err(format!("unknown unit {unit:?}, expected K, M, G or T")),
        };
        let number: u64 = digits
            .parse()
            .map_err(|_| format!("{text:?} is not a size such as 64M"))?;
        match number.checked_mul(1 << shift) {
            Some(bytes) if bytes > 0 => Ok(Self(bytes)),
            _ => Err(format!("{text:?} is out of range")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (text, bytes) in [
            ("7", 7),
            ("64k", 65_536),
            ("2GiB", 2 << 30),
            ("1 MB", 1 << 20),
        ] {
            assert_eq!(text.parse(), Ok(Size(bytes)), "{text}");
        }
        for text in ["", "M", "0", "1x", "-1", "99999999T"] {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
    }
}
