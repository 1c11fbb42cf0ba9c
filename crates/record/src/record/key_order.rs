//! Writes the keys of a record, in the order that every format has.

use std::sync::Arc;

use serde::{Serialize, Serializer, ser::SerializeStruct};
use trommel_extract::Metadata;

use super::{OutputRecord, RecordSource};

impl Serialize for RecordSource {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_struct("source", 5)?;
        map.serialize_field("name", self.name())?;
        map.serialize_field("file", &*self.file)?;
        map.serialize_field("offset", &self.offset)?;
        map.serialize_field("length", &self.length)?;
        map.serialize_field("inner", &self.inner)?;
        map.end()
    }
}

/// Keys as they are written: all of them, or those that say something.
struct Keys<M> {
    map: M,
    all: bool,
}

impl<M: SerializeStruct> Keys<M> {
    fn add<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T, is_empty: bool) -> Result<(), M::Error> {
        if self.all || !is_empty { self.map.serialize_field(key, value) } else { self.map.skip_field(key) }
    }

    fn text(&mut self, key: &'static str, value: &Option<String>) -> Result<(), M::Error> {
        let value = value.as_deref().unwrap_or_default();
        self.add(key, value, value.is_empty())
    }

    fn list<T: Serialize>(&mut self, key: &'static str, value: &[T]) -> Result<(), M::Error> {
        self.add(key, value, value.is_empty())
    }
}

impl OutputRecord {
    fn keys<S: Serializer>(&self, serializer: S, all: bool) -> Result<S::Ok, S::Error> {
        let Metadata { author, published, modified, site, description, canonical, next, lang_declared } =
            &self.metadata;
        let nowhere = RecordSource { file: Arc::from(""), offset: 0, length: 0, inner: 0 };
        let map = serializer.serialize_struct("record", 32)?;
        let mut keys = Keys { map, all };
        keys.add("id", &self.id, false)?;
        keys.text("url", &self.url)?;
        keys.text("date", &self.date)?;
        keys.add("text", &self.text, false)?;
        keys.text("title", &self.title)?;
        keys.text("lang", &self.lang)?;
        keys.add("charset", &self.charset, self.charset.is_empty())?;
        keys.add("charset_source", &self.charset_source, self.charset_source.is_empty())?;
        keys.add("confidence", &self.confidence, false)?;
        let source = self.source.as_ref();
        keys.add("source", source.unwrap_or(&nowhere), source.is_none())?;
        keys.list("author", author)?;
        keys.text("published", published)?;
        keys.text("modified", modified)?;
        keys.text("site", site)?;
        keys.text("description", description)?;
        keys.text("canonical", canonical)?;
        keys.text("next", next)?;
        keys.text("lang_declared", lang_declared)?;
        keys.list("headings", &self.headings)?;
        keys.text("page_type", &self.page_type)?;
        keys.add("blocked", &self.blocked, self.blocked.is_empty())?;
        keys.text("comments", &self.comments)?;
        let status = self.status.unwrap_or_default();
        keys.add("status", &status, status == 0)?;
        keys.text("truncated", &self.truncated)?;
        keys.add("capped", &self.capped, self.capped.is_empty())?;
        keys.add("notes", &self.notes, self.notes.is_empty())?;
        keys.add("by", &self.by, self.by.is_empty())?;
        // A search engine would make fields of them.
        match all {
            true => {
                keys.list("blocks", &self.blocks)?;
                keys.list("spans", &self.spans)?;
                keys.list("tables", &self.tables)?;
                keys.list("posts", &self.posts)?;
                keys.list("chunks", &self.chunks)?;
            }
            false => {
                for key in ["blocks", "spans", "tables", "posts", "chunks"] {
                    keys.map.skip_field(key)?;
                }
            }
        }
        keys.map.end()
    }
}

impl Serialize for OutputRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.keys(serializer, true)
    }
}

/// A record as search engines want it: keys that say nothing are left out, and so are lists of
/// objects: blocks, spans, tables, posts, chunks.
pub(crate) struct SearchedRecord<'a>(pub(crate) &'a OutputRecord);

impl Serialize for SearchedRecord<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.keys(serializer, false)
    }
}
