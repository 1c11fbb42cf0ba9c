//! Finds the entries of a ZIP file with a missing or damaged directory by the headers before them.

use std::io::{self, Read, Seek, SeekFrom};

use memchr::memmem;

use crate::directory::{MAX_ENTRIES, MAX_NAMES};
use crate::entry::{Entry, LOCAL, LOCAL_HEADER, StorageMethod};

/// The first bytes of the descriptor behind an entry whose length was not known at its start.
const DESCRIPTOR: [u8; 4] = *b"PK\x07\x08";
/// A header of the directory.
const CENTRAL: [u8; 4] = *b"PK\x01\x02";
/// Bytes searched at a time.
const BLOCK: usize = 1 << 20;
/// Most bytes of a name.
const MAX_NAME_BYTES: usize = 4096;
/// A length that stands elsewhere.
const ZIP64_LENGTH: u64 = 0xffff_ffff;

/// All entries that can be found. The last one is as long as the file says if it is cut.
///
/// # Errors
/// If the bytes cannot be read.
pub(crate) fn entries(bytes: &mut (impl Read + Seek)) -> io::Result<Vec<Entry>> {
    let end = bytes.seek(SeekFrom::End(0))?;
    let mut entries = Vec::new();
    let (mut at, mut names) = (Some(0), 0);
    while let Some(header) = at.filter(|_| entries.len() < MAX_ENTRIES && names <= MAX_NAMES) {
        let Some(found) = Header::read(bytes, header)? else {
            // Whatever is there is no entry: one may come after it.
            at = match starts_with(bytes, header, &CENTRAL)? {
                true => None,
                false => search(bytes, header + 1, end, next_header)?,
            };
            continue;
        };
        let stored = match found.stored {
            Some(stored) => stored.min(end.saturating_sub(found.data)),
            None => length_by_descriptor(bytes, found.data, end)?,
        };
        at = Some(found.data + stored).filter(|at| *at < end);
        if !found.name.ends_with('/') {
            names += found.name.len();
            entries.push(Entry { name: found.name, method: found.method, encrypted: found.encrypted, stored, header });
        }
    }
    Ok(entries)
}

/// Whether this may be a header, rather than other bytes that look like the beginning of one.
fn is_plausible(version: u64, name_length: usize) -> bool {
    version & 0xff <= 63 && (1..=MAX_NAME_BYTES).contains(&name_length)
}

/// The place of the next header in a block. It checks all parts of a header, except the fields behind the
/// name. So no block is read once for each place that only begins like a header.
fn next_header(block: &[u8], mut from: usize) -> Option<usize> {
    loop {
        let at = from + memmem::find(block.get(from..)?, &LOCAL)?;
        let name_length = number(block, at + 26, 2) as usize;
        let name = at + LOCAL_HEADER as usize;
        if is_plausible(number(block, at + 4, 2), name_length)
            && let Some(name) = block.get(name..name + name_length)
            && std::str::from_utf8(name).is_ok()
        {
            return Some(at);
        }
        from = at + 1;
    }
}

/// The header before an entry.
struct Header {
    name: String,
    method: StorageMethod,
    encrypted: bool,
    /// Place of its bytes.
    data: u64,
    /// The number of stored bytes; none if it stands behind them.
    stored: Option<u64>,
}

impl Header {
    fn read(bytes: &mut (impl Read + Seek), at: u64) -> io::Result<Option<Self>> {
        let fixed = read_at(bytes, at, LOCAL_HEADER as usize)?;
        if !fixed.starts_with(&LOCAL) || fixed.len() < LOCAL_HEADER as usize {
            return Ok(None);
        }
        let short = |at: usize| number(&fixed, at, 2);
        let (version, flags, method) = (short(4), short(6), short(8));
        let (mut stored, plain) = (number(&fixed, 18, 4), number(&fixed, 22, 4));
        let (name_length, more_length) = (short(26) as usize, short(28) as usize);
        if !is_plausible(version, name_length) {
            return Ok(None);
        }
        let rest = read_at(bytes, at + LOCAL_HEADER, name_length + more_length)?;
        if rest.len() < name_length + more_length {
            return Ok(None);
        }
        let (name, more) = rest.split_at(name_length);
        let Ok(name) = std::str::from_utf8(name) else { return Ok(None) };
        let mut known = flags & 8 == 0 || stored > 0;
        if stored == ZIP64_LENGTH {
            match large(more, plain == ZIP64_LENGTH) {
                Some(large) => (stored, known) = (large, flags & 8 == 0 || large > 0),
                None => known = false,
            }
        }
        Ok(Some(Self {
            name: name.to_owned(),
            method: match method {
                0 => StorageMethod::Stored,
                8 => StorageMethod::Deflated,
                other => StorageMethod::Other(u16::try_from(other).unwrap_or(u16::MAX)),
            },
            encrypted: flags & 1 == 1,
            data: at + LOCAL_HEADER + (name_length + more_length) as u64,
            stored: known.then_some(stored),
        }))
    }
}

/// The length that the field for large entries gives.
fn large(mut more: &[u8], after_plain: bool) -> Option<u64> {
    while more.len() >= 4 {
        let (kind, length) = (number(more, 0, 2), number(more, 2, 2) as usize);
        let field = more.get(4..4 + length)?;
        if kind == 1 {
            let at = if after_plain { 8 } else { 0 };
            return (field.len() >= at + 8).then(|| number(field, at, 8));
        }
        more = more.get(4 + length..)?;
    }
    None
}

/// The length of the bytes from `data` on as the descriptor behind them says; up to the end if none does.
fn length_by_descriptor(bytes: &mut (impl Read + Seek), data: u64, end: u64) -> io::Result<u64> {
    let mut base = 0;
    let found = search(bytes, data, end, |window, mut from| {
        while let Some(at) = memmem::find(window.get(from..)?, &DESCRIPTOR).map(|at| from + at) {
            let says = |size: usize| number(window, at + 8, size);
            let length = base + at as u64;
            if says(4) == length & ZIP64_LENGTH || says(8) == length {
                return Some(at);
            }
            from = at + 1;
        }
        base += window.len().saturating_sub(OVERLAP) as u64;
        None
    })?;
    Ok(found.unwrap_or(end) - data)
}

/// Bytes of a block that are looked at again with the next, so that nothing is found by half: a header and
/// its name.
const OVERLAP: usize = 32 + MAX_NAME_BYTES;

/// The place of what `find` finds from `from` on; it is given blocks that overlap a little, and where to
/// begin in them.
fn search(
    bytes: &mut (impl Read + Seek),
    from: u64,
    end: u64,
    mut find: impl FnMut(&[u8], usize) -> Option<usize>,
) -> io::Result<Option<u64>> {
    let mut base = from;
    while base < end {
        let block = read_at(bytes, base, BLOCK)?;
        if let Some(at) = find(&block, 0) {
            return Ok(Some(base + at as u64));
        }
        if block.len() < BLOCK {
            return Ok(None);
        }
        base += (block.len() - OVERLAP) as u64;
    }
    Ok(None)
}

fn starts_with(bytes: &mut (impl Read + Seek), at: u64, what: &[u8]) -> io::Result<bool> {
    Ok(read_at(bytes, at, what.len())? == what)
}

/// Up to `length` bytes from `at` on.
fn read_at(bytes: &mut (impl Read + Seek), at: u64, length: usize) -> io::Result<Vec<u8>> {
    bytes.seek(SeekFrom::Start(at))?;
    let mut block = Vec::with_capacity(length);
    bytes.take(length as u64).read_to_end(&mut block)?;
    Ok(block)
}

/// A number of so many bytes, the last ones first; bytes that are not there count as none.
fn number(bytes: &[u8], at: usize, size: usize) -> u64 {
    bytes.iter().skip(at).take(size).rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}
