//! Fuzzes WACZ containers: every entry has its own name and bytes and lies in the file, every operation ends, and a
//! rewritten container holds the same archives.
#![no_main]

use std::{
    collections::HashSet,
    io::{self, Cursor, Read},
    sync::Arc,
};

use libfuzzer_sys::fuzz_target;
use trommel_archive::wacz::{Bytes, Container, Entry, PageList, write_texts};

/// Bytes read of one entry: deflated ones may have a thousand times their bytes.
const MAX_BYTES: u64 = 1 << 16;

fn open(bytes: Vec<u8>) -> Option<Container> {
    let bytes: Arc<[u8]> = bytes.into();
    let open = move || -> io::Result<Box<dyn Bytes>> { Ok(Box::new(Cursor::new(bytes.clone()))) };
    Container::new("x.wacz", Arc::new(open)).ok()
}

fn read(container: &Container, entry: &Entry) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = container.read(entry).ok()?.take(MAX_BYTES);
    // Damage ends it, and what came before counts.
    let _ = { read }.read_to_end(&mut bytes);
    Some(bytes)
}

fuzz_target!(|data: &[u8]| {
    let Some(container) = open(data.to_vec()) else {
        return;
    };
    let entries = container.entries();
    let names: HashSet<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names.len(), entries.len());
    let places: HashSet<u64> = entries.iter().map(|entry| entry.header).collect();
    assert_eq!(places.len(), entries.len());
    let total: usize = entries
        .iter()
        .filter_map(|entry| {
            let mut stored = Vec::new();
            let mut window = container.stored(entry).ok()?;
            window.read_to_end(&mut stored).ok()?;
            assert!(stored.len() as u64 <= entry.stored);
            let start = container.data_start(entry).expect("as just before");
            // A header may say that its bytes begin behind the end, where there are none.
            assert!(stored.is_empty() || start + stored.len() as u64 <= data.len() as u64);
            Some(stored.len())
        })
        .sum();
    // A header in the middle of another entry's bytes may be one; names and fields can lie under it.
    assert!(total <= 2 * data.len() + 70_000 * entries.len());
    let _ = container.check_hashes();
    let _ = PageList::of(&container);
    for archive in container.archives().into_iter().flatten().flatten() {
        assert!(archive.is_below_root());
        let _ = read(&container, archive);
    }
    let mut text = |url: &str, _: &str| (url.len() % 2 == 0).then(|| "text".to_owned());
    let Ok((out, written)) = write_texts(&container, Cursor::new(Vec::new()), &mut text) else {
        return;
    };
    assert!(written.texts <= written.pages);
    let again = open(out.into_inner()).expect("what was written is a container");
    for archive in container.archives().into_iter().flatten().flatten() {
        let copy = again.entry(&archive.name).expect("every archive is copied");
        assert!(read(&again, copy) == read(&container, archive));
    }
    assert_eq!(again.check_hashes().expect("it has hashes"), []);
});
