//! Writes lists of terms with weights as one text and one list of numbers, and reads them back.
//!
//! A list of some ten thousand terms, each a map with two names, took half of the time in which a program starts.

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::features::TermWeight;

/// Separator between the terms of a list. Terms are words and pairs of words, which contain no line break.
const BETWEEN: char = '\n';

/// List of terms (words and word pairs) with their weights, as stored in model files.
#[derive(serde::Serialize, serde::Deserialize)]
struct TermList {
    /// Terms, separated by line breaks.
    terms: String,
    /// Weight of each term.
    weights: Vec<f32>,
}

/// Writes a list of terms with their weights.
pub(crate) fn serialize<S: Serializer>(terms: &[TermWeight], serializer: S) -> Result<S::Ok, S::Error> {
    // Models made elsewhere may have any terms; an empty list is shorter as a list.
    if terms.is_empty() || terms.iter().any(|term| term.term.contains(BETWEEN)) {
        return terms.serialize(serializer);
    }
    let weights = terms.iter().map(|term| term.weight).collect();
    let terms: Vec<&str> = terms.iter().map(|term| term.term.as_str()).collect();
    TermList { terms: terms.join(&BETWEEN.to_string()), weights }.serialize(serializer)
}

/// Reads a list of terms with their weights, also in the form of the first files, in which each term is a map.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<TermWeight>, D::Error> {
    deserializer.deserialize_any(Terms)
}

struct Terms;

impl<'de> Visitor<'de> for Terms {
    type Value = Vec<TermWeight>;

    fn expecting(&self, form: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        form.write_str("terms with weights")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        let TermList { terms, weights } = TermList::deserialize(MapAccessDeserializer::new(map))?;
        let terms = terms.split(BETWEEN).zip(weights);
        Ok(terms.map(|(term, weight)| TermWeight { term: term.to_owned(), weight }).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::ModelFile;

    #[test]
    fn lists_come_back_from_either_form() {
        let term = |term: &str, weight: f32| TermWeight { term: term.into(), weight };
        let terms = vec![term("read", 0.5), term("read more", -2.25), term("", 1.0)];
        let written = |terms: &[TermWeight]| {
            let file = ModelFile { word_weights: terms.to_vec(), ..ModelFile::default() };
            rmp_serde::to_vec_named(&file).unwrap()
        };
        let read = |bytes: &[u8]| rmp_serde::from_slice::<ModelFile>(bytes).unwrap().word_weights;
        let bytes = written(&terms);
        assert!(bytes.windows(15).any(|part| part == b"read\nread more\n"));
        assert_eq!(read(&bytes), terms);
        // As the first files had it, and terms that cannot stand in one text.
        let strange = vec![term("a\nb", 1.0)];
        assert_eq!(read(&written(&strange)), strange);
        assert_eq!(read(&written(&[])), []);
        // A list of maps, under the name that files give a term.
        #[derive(serde::Serialize)]
        struct First<'a> {
            token: &'a str,
            weight: f32,
        }
        let first = rmp_serde::to_vec_named(&[First { token: "read", weight: 0.5 }]).unwrap();
        assert_eq!(deserialize(&mut rmp_serde::Deserializer::new(&first[..])).unwrap(), [term("read", 0.5)]);
    }
}
