//! Reads and extracts a page that arrives in parts.

use std::borrow::Cow;

use trommel_html::{GrowingReader, Head, charset, charset::CharsetSource};

use crate::{extraction::Extraction, extractor::Extractor, hints::Hints, page_memory};

/// Minimum number of bytes by which the buffers for the received page grow.
// Vectors that double would hold up to twice the page, for as long as a slow client takes.
const MIN_GROWTH: usize = 32 << 10;
/// The byte order mark of UTF-8.
const BYTE_ORDER_MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// A page that arrives in parts, cut at any byte. Parts in UTF-8 are read as they arrive, other pages at their end. The
/// result is always that of [`Extractor::extract`] on the whole page.
#[derive(Debug)]
pub struct PushPage {
    /// Received text in UTF-8, without a byte order mark; empty if the page is not UTF-8.
    text: String,
    /// Received bytes that `text` does not have: an incomplete character, or all of a page that is not UTF-8.
    rest: Vec<u8>,
    /// True if the page began with a byte order mark.
    has_mark: bool,
    /// Reader of the text; `None` once the page turned out not to be UTF-8.
    reader: Option<GrowingReader>,
}

impl Extractor {
    /// Begins the extraction of a page that arrives in parts.
    pub fn push(&self) -> PushPage {
        let reader = page_memory::growing(&self.limits);
        PushPage::new(if self.inline_style { reader.with_styles() } else { reader })
    }
}

impl PushPage {
    fn new(reader: GrowingReader) -> Self {
        Self { text: String::new(), rest: Vec::new(), has_mark: false, reader: Some(reader) }
    }

    /// Adds the next bytes of the page, and reads them if they are UTF-8.
    pub fn push(&mut self, part: &[u8]) {
        let Some(reader) = &mut self.reader else {
            grow(&mut self.rest, part);
            return;
        };
        let joined;
        let mut bytes = part;
        if !self.rest.is_empty() {
            self.rest.extend_from_slice(part);
            joined = std::mem::take(&mut self.rest);
            bytes = &joined;
        }
        if self.text.is_empty() && !self.has_mark {
            if let Some(after) = bytes.strip_prefix(&BYTE_ORDER_MARK) {
                (self.has_mark, bytes) = (true, after);
            } else if BYTE_ORDER_MARK.starts_with(bytes) {
                self.rest.extend_from_slice(bytes);
                return;
            }
        }
        // This form says where the valid part ends; the fast one only whether all is valid.
        let (valid, broken) = match simdutf8::compat::from_utf8(bytes) {
            Ok(valid) => (valid, false),
            Err(error) => {
                let (valid, after) = bytes.split_at(error.valid_up_to());
                self.rest.extend_from_slice(after);
                // The first part was just found to be text.
                let valid = simdutf8::basic::from_utf8(valid).unwrap_or_default();
                // Without a length the part ends inside a character, whose rest will come.
                (valid, error.error_len().is_some())
            }
        };
        let room = self.text.capacity() - self.text.len();
        if valid.len() > room {
            let more = valid.len().max(MIN_GROWTH).max(self.text.len() / 8);
            self.text.reserve_exact(more);
        }
        self.text.push_str(valid);
        if broken {
            // What was read is thrown away: only the whole page tells its encoding.
            self.reader = None;
            let rest = std::mem::take(&mut self.rest);
            self.rest = self.take_bytes();
            grow(&mut self.rest, &rest);
            return;
        }
        reader.read_on(&self.text);
    }

    /// Returns the number of bytes of the page that have arrived.
    pub fn len(&self) -> usize {
        self.text.len() + self.rest.len() + if self.has_mark { BYTE_ORDER_MARK.len() } else { 0 }
    }

    /// Returns whether no bytes of the page have arrived.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the received part of the page as text; empty if the page is not UTF-8.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the first bytes of the page without a byte order mark, at most 4096.
    pub fn first_bytes(&self) -> &[u8] {
        let bytes = if self.text.is_empty() { self.rest.as_slice() } else { self.text.as_bytes() };
        // Enough to recognise the type of data.
        bytes.get(..4096).unwrap_or(bytes)
    }

    /// Returns the metadata in the head of the page, as far as received; `None` if the page is not UTF-8.
    pub fn head(&self) -> Option<&Head> {
        self.reader.as_ref().map(GrowingReader::head)
    }

    /// Returns all bytes of the text, with a byte order mark if the page had one, and leaves the text empty.
    fn take_bytes(&mut self) -> Vec<u8> {
        let mut bytes = std::mem::take(&mut self.text).into_bytes();
        if std::mem::take(&mut self.has_mark) {
            bytes.splice(0..0, BYTE_ORDER_MARK);
        }
        bytes
    }

    /// Reads all complete parts that have arrived, including small ones, which otherwise wait for more.
    pub fn catch_up(&mut self) {
        if let Some(reader) = &mut self.reader {
            reader.read_on_now(&self.text);
        }
    }

    /// Returns the extraction of the page as if it ended with the bytes received so far; `None` if it is not UTF-8. It
    /// takes as long as a whole extraction, except for the reading.
    pub fn so_far<'a>(&'a self, extractor: &Extractor, hints: &Hints<'a>) -> Option<Extraction<'a>> {
        let page = self.reader.as_ref()?.so_far();
        let decoded = charset::Decoded { text: Cow::Borrowed(&self.text), ..charset::Decoded::of_utf8() };
        Some(extractor.judged(decoded, page, hints))
    }

    /// Reads the rest of the page and returns its extraction.
    pub fn finish<'a>(mut self, extractor: &Extractor, hints: &Hints<'a>) -> Extraction<'a> {
        // The text is the bytes: it has been read.
        if self.rest.is_empty()
            && let Some(reader) = self.reader.take()
        {
            let decoded = match self.has_mark {
                true => Some(charset::Decoded { source: CharsetSource::Bom, ..charset::Decoded::of_utf8() }),
                false => charset::decode_text(&self.text, &hints.charset()),
            };
            let read_as = decoded.map(|decoded| (decoded.encoding, decoded.source));
            if let Some((encoding, source)) = read_as {
                let page = page_memory::finish(reader, &self.text);
                let decoded = charset::Decoded { text: Cow::Owned(self.text), encoding, source };
                return extractor.judged(decoded, page, hints);
            }
        }
        let mut bytes = self.take_bytes();
        bytes.append(&mut self.rest);
        let decoded = charset::decode(&bytes, &hints.charset());
        let decoded = charset::Decoded {
            text: Cow::Owned(decoded.text.into_owned()),
            encoding: decoded.encoding,
            source: decoded.source,
        };
        let page = page_memory::read(&decoded.text, &extractor.limits, extractor.inline_style);
        extractor.judged(decoded, page, hints)
    }
}

fn grow(bytes: &mut Vec<u8>, part: &[u8]) {
    if part.len() > bytes.capacity() - bytes.len() {
        let more = part.len().max(MIN_GROWTH).max(bytes.len() / 8);
        bytes.reserve_exact(more);
    }
    bytes.extend_from_slice(part);
}
