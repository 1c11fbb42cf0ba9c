//! MessagePack: maps with the keys of the JSON lines, one after the other.

use crate::{Encode, OutputError, OutputRecord};

/// Encodes records as MessagePack maps.
#[derive(Clone, Copy, Debug)]
pub struct Msgpack;

impl Encode for Msgpack {
    fn record(&self, record: &OutputRecord, out: &mut Vec<u8>) -> Result<bool, OutputError> {
        rmp_serde::encode::write_named(out, record)?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Jsonl, record::tests::full};

    #[test]
    fn maps_equal_the_json_lines() {
        let record = full();
        let (mut packed, mut line) = (Vec::new(), Vec::new());
        Msgpack.record(&record, &mut packed).unwrap();
        Msgpack.record(&record, &mut packed).unwrap();
        Jsonl.record(&record, &mut line).unwrap();
        let expected: serde_json::Value = serde_json::from_slice(&line).unwrap();
        let mut rest = packed.as_slice();
        for _ in 0..2 {
            let value: serde_json::Value = rmp_serde::decode::from_read(&mut rest).unwrap();
            assert_eq!(value, expected);
        }
        assert!(rest.is_empty());
    }
}
