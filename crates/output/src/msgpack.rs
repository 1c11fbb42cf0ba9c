//! MessagePack: maps with the keys of the JSON lines, one after the other.

use crate::{Encode, Entry, Head, SinkError, row::Row};

/// Encodes entries as MessagePack maps.
#[derive(Clone, Copy, Debug)]
pub struct Msgpack;

impl Encode for Msgpack {
    fn head(&self, _: &Head<'_>, _: &mut Vec<u8>) -> Result<(), SinkError> {
        Ok(())
    }

    fn entry(&self, entry: &Entry<'_>, out: &mut Vec<u8>) -> Result<bool, SinkError> {
        rmp_serde::encode::write_named(out, &Row::from(entry))?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Jsonl,
        jsonl::tests::{document, entry, source},
    };

    #[test]
    fn maps_equal_the_json_lines() {
        let (source, mut document) = (source(9), document());
        document.metadata.author = vec!["A".into()];
        document.metadata.site = Some("S".into());
        let entry = entry(&source, &document);
        let (mut packed, mut line) = (Vec::new(), Vec::new());
        Msgpack.entry(&entry, &mut packed).unwrap();
        Msgpack.entry(&entry, &mut packed).unwrap();
        Jsonl.entry(&entry, &mut line).unwrap();
        let expected: serde_json::Value = serde_json::from_slice(&line).unwrap();
        let mut rest = packed.as_slice();
        for _ in 0..2 {
            let value: serde_json::Value = rmp_serde::decode::from_read(&mut rest).unwrap();
            assert_eq!(value, expected);
        }
        assert!(rest.is_empty());
    }
}
