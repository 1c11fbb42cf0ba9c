//! Writes records as JSON, with the same bytes as serde_json, but escapes strings with vector instructions.
//! It supports only the types of records and refuses others.

use serde::ser::{Error as _, Impossible, Serialize, SerializeSeq, SerializeStruct, Serializer};
use serde_json::Error;

/// Appends a value to `out` as JSON.
///
/// # Errors
/// If it holds a type that no record is made of.
pub(crate) fn write<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) -> Result<(), Error> {
    value.serialize(JsonWriter { out })
}

/// Most bytes that are escaped in one call, which asks for room for six times as many.
const PIECE: usize = 1 << 16;

struct JsonWriter<'a> {
    out: &'a mut Vec<u8>,
}

impl<'a> JsonWriter<'a> {
    /// Numbers and the like are written by serde_json.
    fn plain<T: Serialize>(self, value: T) -> Result<(), Error> {
        value.serialize(&mut serde_json::Serializer::new(self.out))
    }

    fn begin(self, open: u8, close: u8) -> Parts<'a> {
        self.out.push(open);
        Parts { out: self.out, close, is_first: true }
    }
}

/// A list or an object that is being written.
struct Parts<'a> {
    out: &'a mut Vec<u8>,
    close: u8,
    is_first: bool,
}

impl Parts<'_> {
    fn next(&mut self) {
        if !std::mem::take(&mut self.is_first) {
            self.out.push(b',');
        }
    }

    fn close(self) -> Result<(), Error> {
        self.out.push(self.close);
        Ok(())
    }
}

impl SerializeSeq for Parts<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.next();
        write(value, self.out)
    }

    fn end(self) -> Result<(), Error> {
        self.close()
    }
}

impl serde::ser::SerializeTuple for Parts<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        SerializeSeq::serialize_element(self, value)
    }

    fn end(self) -> Result<(), Error> {
        self.close()
    }
}

impl SerializeStruct for Parts<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        self.next();
        // Names of fields have nothing to escape.
        self.out.push(b'"');
        self.out.extend_from_slice(key.as_bytes());
        self.out.extend_from_slice(b"\":");
        write(value, self.out)
    }

    fn end(self) -> Result<(), Error> {
        self.close()
    }
}

fn refused<T>() -> Result<T, Error> {
    Err(Error::custom("a type that no record is made of"))
}

/// Methods for numbers, which serde_json writes.
macro_rules! plain {
    ($($method:ident: $value_type:ty),*) => {
        $(fn $method(self, value: $value_type) -> Result<(), Error> {
            self.plain(value)
        })*
    };
}

impl<'a> Serializer for JsonWriter<'a> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Parts<'a>;
    type SerializeTuple = Parts<'a>;
    type SerializeStruct = Parts<'a>;
    type SerializeTupleStruct = Impossible<(), Error>;
    type SerializeTupleVariant = Impossible<(), Error>;
    type SerializeMap = Impossible<(), Error>;
    type SerializeStructVariant = Impossible<(), Error>;

    plain! {
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64,
        serialize_f32: f32, serialize_f64: f64, serialize_char: char
    }

    fn serialize_str(self, text: &str) -> Result<(), Error> {
        if text.len() <= PIECE {
            json_escape_simd::escape_into(text, self.out);
            return Ok(());
        }
        self.out.push(b'"');
        let (mut rest, mut escaped) = (text, Vec::new());
        while !rest.is_empty() {
            let (piece, others) = rest.split_at(rest.floor_char_boundary(PIECE));
            rest = others;
            escaped.clear();
            json_escape_simd::escape_into(piece, &mut escaped);
            // Without the quotes around it.
            let within = escaped.get(1..escaped.len().saturating_sub(1));
            self.out.extend_from_slice(within.unwrap_or_default());
        }
        self.out.push(b'"');
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.out.extend_from_slice(b"null");
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Parts<'a>, Error> {
        Ok(self.begin(b'[', b']'))
    }

    fn serialize_tuple(self, _: usize) -> Result<Parts<'a>, Error> {
        Ok(self.begin(b'[', b']'))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Parts<'a>, Error> {
        Ok(self.begin(b'{', b'}'))
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, name: &'static str) -> Result<(), Error> {
        self.serialize_str(name)
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<(), Error> {
        refused()
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        refused()
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), Error> {
        refused()
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, Error> {
        refused()
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Error> {
        refused()
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Error> {
        refused()
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Error> {
        refused()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::{full, record};

    fn assert_same<T: Serialize + ?Sized>(value: &T) {
        let mut out = b"before".to_vec();
        write(value, &mut out).unwrap();
        let expected = serde_json::to_vec(value).unwrap();
        assert_eq!(out.strip_prefix(b"before"), Some(expected.as_slice()));
    }

    #[test]
    fn every_character_is_escaped_as_serde_json_does_wherever_it_stands() {
        let signs = (0..0x300).chain([0x2028, 0x2029, 0xFFFD, 0x1_F600]);
        for sign in signs.filter_map(char::from_u32) {
            for before in [0, 1, 15, 31, 40, 63, 64, 70] {
                assert_same(&format!("{}{sign}{}", "a".repeat(before), "ß".repeat(before / 3)));
            }
        }
        let all: String = (0..0x80).filter_map(char::from_u32).collect();
        for len in 0..all.len() {
            assert_same(&all[len..]);
            assert_same(&all[..len]);
        }
    }

    #[test]
    fn long_texts_take_no_more_room_than_they_need() {
        for before in 0..5 {
            assert_same(&format!("{}{}", "a".repeat(before), "\u{1_F600}\n\"x".repeat(PIECE / 3)));
        }
        let mut out = Vec::new();
        write(&"a".repeat(PIECE * 20), &mut out).unwrap();
        assert!(out.capacity() < 3 * out.len(), "{}", out.capacity());
    }

    #[test]
    fn records_and_numbers_are_those_of_serde_json() {
        assert_same(&full());
        assert_same(&record());
        assert_same(&crate::OutputRecord::default());
        for number in [0.0, -0.0, 1.0, 0.1, 1e-7, 123_456.79, f32::MAX, f32::NAN] {
            assert_same(&number);
        }
        assert_same(&[Some(u64::MAX), None]);
        assert!(write(&std::collections::BTreeMap::<u8, u8>::new(), &mut Vec::new()).is_err());
    }
}
