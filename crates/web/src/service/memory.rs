//! Limits the number of accepted requests, and the memory for their bodies, for the work on them and for answers.
//!
//! The memory for judging a page is estimated from its bytes.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use http::HeaderMap;
use http::uri::{PathAndQuery, Uri};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use trommel::IncludeSettings;

use crate::{service::ServiceLimits, service::answer::Refusal};

/// Number of bytes in one unit of memory; reserved memory is counted in these units.
const UNIT: u64 = 1 << 10;

/// Memory budget for one purpose, such as request bodies; each request reserves a part of it.
#[derive(Debug)]
pub(crate) struct Memory {
    free: Arc<Semaphore>,
    /// Number of bytes of the whole budget.
    pub(crate) all: u64,
}

/// Reserved part (share) of a memory budget, which becomes free again when this value is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    permit: OwnedSemaphorePermit,
    /// Number of bytes that are reserved.
    bytes: u64,
}

/// Bytes of a page or of an answer, with the memory that is reserved for them.
#[derive(Debug)]
pub(crate) struct HeldBytes {
    pub(crate) bytes: Vec<u8>,
    /// Reservation of memory for the bytes, held until they are dropped.
    pub(crate) _share: Share,
}

impl Memory {
    pub(crate) fn new(bytes: u64) -> Self {
        Self { free: semaphore(usize::try_from(bytes / UNIT).unwrap_or(usize::MAX)), all: bytes / UNIT * UNIT }
    }

    /// Reserves `bytes` bytes, if enough of the memory budget is free.
    ///
    /// # Errors
    /// Fails with [`Refusal::BUSY`] if less memory is free.
    pub(crate) fn share(&self, bytes: u64) -> Result<Share, Refusal> {
        let taken = self.free.clone().try_acquire_many_owned(units(bytes));
        taken.map(|permit| Share { permit, bytes }).map_err(|_| Refusal::BUSY)
    }

    /// Waits until `bytes` bytes of the memory budget are free, and reserves them. `bytes` must not exceed the budget.
    ///
    /// # Errors
    /// Fails with [`Refusal::BUSY`] if less memory is free after `time`.
    pub(crate) async fn share_within(&self, bytes: u64, time: Duration) -> Result<Share, Refusal> {
        match timeout(time, self.free.clone().acquire_many_owned(units(bytes))).await {
            Ok(Ok(permit)) => Ok(Share { permit, bytes }),
            _ => Err(Refusal::BUSY),
        }
    }

    /// Adds `bytes` bytes to a reserved part (share) of the memory budget.
    ///
    /// # Errors
    /// Fails with [`Refusal::BUSY`] if less memory is free.
    pub(crate) fn grow(&self, share: &mut Share, bytes: u64) -> Result<(), Refusal> {
        let more = (share.bytes + bytes).div_ceil(UNIT) - share.permit.num_permits() as u64;
        if more > 0 {
            share.permit.merge(self.share(more * UNIT)?.permit);
        }
        share.bytes += bytes;
        Ok(())
    }
}

/// Creates a semaphore with `permits` permits, or with the maximum number that is possible.
pub(crate) fn semaphore(permits: usize) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(permits.min(Semaphore::MAX_PERMITS)))
}

impl Share {
    /// Reduces the reservation to `bytes` bytes of memory, and frees the rest.
    pub(crate) fn shrink(&mut self, bytes: u64) {
        let spare = self.permit.num_permits().saturating_sub(units(bytes) as usize);
        drop(self.permit.split(spare));
        self.bytes = self.bytes.min(bytes);
    }

    /// Wraps bytes so that their memory stays reserved until the last of them is sent.
    pub(crate) fn around(mut self, bytes: Vec<u8>) -> Bytes {
        self.shrink(bytes.capacity() as u64);
        Bytes::from_owner(HeldBytes { bytes, _share: self })
    }
}

fn units(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX)
}

impl AsRef<[u8]> for HeldBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Estimated bytes of memory for any request until its answer is made.
const REQUEST: u64 = 4 << 10;
/// Estimated bytes of memory for each byte of a request's head, as received and as parsed.
const HEAD_BYTE: u64 = 8;
/// Estimated bytes of memory for each `,` or `%` of a URL, which may separate two items of a list.
const ITEM: u64 = 160;

/// Estimates the number of bytes of memory that the head of a request takes.
pub(crate) fn of_head(uri: &Uri, headers: &HeaderMap) -> u64 {
    let uri = uri.path_and_query().map_or("", PathAndQuery::as_str);
    let headers: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    let items = count(uri.as_bytes(), |byte| matches!(byte, b',' | b'%'));
    REQUEST + (uri.len() + headers) as u64 * HEAD_BYTE + items * ITEM
}

/// Estimated bytes of memory for judging any page, whatever its length.
const FIXED_BYTES: u64 = 1 << 20;
/// Estimated bytes of memory for each byte of a page: the decoded page, its text, and copies of it in the answer.
const BYTE: u64 = 12;
/// Estimated bytes of memory for each `<` of a page, which may begin an element and a block.
const TAG: u64 = 900;
/// Maximum number of `<` that count in the estimate of a page's memory, because the parser keeps no more elements.
const TAGS: u64 = 180_000;
/// Estimated bytes of memory for each `{` or `[` of a page, which may begin a value of embedded data.
const VALUE: u64 = 420;
/// Maximum number of `{` and `[` that count in the estimate of a page's memory, because no more values are read.
const VALUES: u64 = 220_000;
/// Estimated bytes of memory for each byte of a page whose chunks are requested: their texts and headings.
const CHUNKED_BYTE: u64 = 14;
/// Estimated bytes of memory for each requested chunk of a page, besides its text.
const CHUNK: u64 = 900;
/// Minimum number of bytes of a page for each unit of a chunk's size, which limits the number of chunks that can arise.
const BYTES_OF_UNIT: u64 = 2;
/// Estimated bytes of memory for each `<` of a page whose spans are requested: a part of a text and its place.
const SPAN: u64 = 160;
/// Estimated bytes of memory for each `<` of a page whose blocks are requested: a block and its path.
const BLOCK: u64 = 1400;
/// Additional bytes of memory for the report on a page, for each byte of the page.
const VIEW_BYTES_PER_BYTE: u64 = 20;
/// Additional bytes of memory for the report on a page, for each `<` of the page.
const VIEW_BYTES_PER_TAG: u64 = 4500;
/// Maximum number of additional bytes of memory for the report on a page.
const MAX_VIEW_BYTES: u64 = 64 << 20;

/// Estimates the number of bytes of memory that judging a page takes.
pub(crate) fn of_page(page: &[u8]) -> u64 {
    of_lists(page, &IncludeSettings::default())
}

/// Estimates the number of bytes of memory that judging a page takes, with the requested lists (chunks, spans, blocks).
pub(crate) fn of_lists(page: &[u8], lists: &IncludeSettings) -> u64 {
    let bytes = page.len() as u64;
    let all_tags = count(page, |byte| byte == b'<');
    let tags = all_tags.min(TAGS);
    let values = count(page, |byte| matches!(byte, b'{' | b'[')).min(VALUES);
    let mut weight = FIXED_BYTES + bytes * BYTE + tags * TAG + values * VALUE;
    if let Some(chunks) = lists.chunks {
        // No chunk has less than a paragraph or a sentence. Of signs that end one and are not ASCII, which nothing
        // tells apart here, every second counts.
        let sentences = count(page, |byte| matches!(byte, b'.' | b'!' | b'?')) + count(page, |byte| byte >= 0xC0) / 2;
        let chunks = (all_tags + sentences).min(bytes / BYTES_OF_UNIT / u64::from(chunks.size.get()));
        weight += bytes * CHUNKED_BYTE + chunks * CHUNK;
    }
    if lists.spans {
        weight += tags * SPAN;
    }
    if lists.blocks {
        weight += tags * BLOCK;
    }
    weight
}

/// Estimates the number of bytes of memory that judging a page and the report on it take.
pub(crate) fn of_report(page: &[u8]) -> u64 {
    let shown =
        page.len() as u64 * VIEW_BYTES_PER_BYTE + count(page, |byte| byte == b'<').saturating_mul(VIEW_BYTES_PER_TAG);
    of_page(page) + shown.min(MAX_VIEW_BYTES)
}

/// Returns the maximum length in bytes of a plain-text page that may be judged in `memory` bytes.
pub(crate) fn longest(memory: u64) -> u64 {
    memory.saturating_sub(FIXED_BYTES) / BYTE
}

/// Returns the longest prefix of a page that may be judged in `memory` bytes, with the requested `lists`.
pub(crate) fn fitting<'p>(page: &'p [u8], memory: u64, lists: &IncludeSettings) -> &'p [u8] {
    if of_lists(page, lists) <= memory {
        return page;
    }
    let (mut from, mut to) = (0, page.len());
    while from < to {
        let middle = (from + to).div_ceil(2);
        if of_lists(page.get(..middle).unwrap_or_default(), lists) <= memory { from = middle } else { to = middle - 1 }
    }
    page.get(..from).unwrap_or_default()
}

fn count(page: &[u8], is_counted: impl Fn(u8) -> bool) -> u64 {
    page.iter().filter(|byte| is_counted(**byte)).count() as u64
}

/// Admission of requests: limits on waiting requests and on simultaneous work, and the memory budgets.
#[derive(Debug)]
pub(crate) struct Admission {
    workers: Arc<Semaphore>,
    /// Free places for requests. A request takes a place when its body has arrived, so slow senders keep nobody out.
    places: Arc<Semaphore>,
    most: usize,
    /// Memory for requests that have no answer yet, and for their bodies: a quarter of the service's memory.
    pub(crate) bodies: Memory,
    /// Memory for reading the archives of batches: a quarter of the service's memory.
    pub(crate) batches: Memory,
    /// Memory for work on pages, and then for the answers until they are sent: half of the service's memory. Bodies
    /// take none of it, so they cannot keep each other from being judged.
    pub(crate) work: Memory,
}

impl Admission {
    pub(crate) fn new(limits: &ServiceLimits) -> Self {
        let places = semaphore(limits.jobs.get().saturating_add(limits.queue));
        Self {
            workers: semaphore(limits.jobs.get()),
            most: places.available_permits(),
            places,
            bodies: Memory::new(limits.max_memory / 4),
            batches: Memory::new(limits.max_memory / 4),
            work: Memory::new(limits.max_memory / 2),
        }
    }

    /// Admits a request, which keeps its place until the permit is dropped.
    ///
    /// # Errors
    /// Fails with [`Refusal::BUSY`] if there is no room.
    pub(crate) fn enter(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        self.places.clone().try_acquire_owned().map_err(|_| Refusal::BUSY)
    }

    /// Returns whether there is room for another request.
    pub(crate) fn has_room(&self) -> bool {
        self.places.available_permits() > 0
    }

    /// Returns the number of requests that are admitted and not yet finished.
    pub(crate) fn inside(&self) -> usize {
        self.most - self.places.available_permits()
    }

    /// Waits for a free worker, and returns a permit that frees the worker when dropped; `None` when the service has
    /// ended.
    pub(crate) async fn worker(&self) -> Option<OwnedSemaphorePermit> {
        self.workers.clone().acquire_owned().await.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroUsize;

    fn memory(kilobytes: u64) -> Memory {
        Memory::new(kilobytes << 10)
    }

    #[test]
    fn shares_grow_shrink_and_come_back() {
        let memory = memory(100);
        let mut share = memory.share(0).unwrap();
        for _ in 0..100 {
            memory.grow(&mut share, 600).unwrap();
        }
        assert_eq!(memory.free.available_permits(), 100 - 59);
        assert_eq!(memory.grow(&mut share, 42 << 10), Err(Refusal::BUSY));
        share.shrink(10 << 10);
        assert_eq!(memory.free.available_permits(), 90);
        let mut all = memory.share(90 << 10).unwrap();
        assert!(memory.share(1).is_err());
        all.shrink(u64::MAX);
        assert!(memory.share(1).is_err());
        drop((share, all));
        assert_eq!(memory.free.available_permits(), 100);
    }

    #[test]
    fn what_is_sent_holds_its_share_until_it_is_gone() {
        let memory = memory(100);
        let sent = memory.share(80 << 10).unwrap().around(vec![b'x'; 20 << 10]);
        assert_eq!(memory.free.available_permits(), 80);
        let rest = sent.slice(19 << 10..);
        drop(sent);
        assert_eq!((rest.len(), memory.free.available_permits()), (1 << 10, 80));
        drop(rest);
        assert_eq!(memory.free.available_permits(), 100);
    }

    #[tokio::test]
    async fn a_share_is_waited_for() {
        let memory = memory(100);
        let first = memory.share(60 << 10).unwrap();
        let short = Duration::from_millis(20);
        assert!(memory.share_within(50 << 10, short).await.is_err());
        assert!(memory.share_within(1 << 60, short).await.is_err());
        let long = Duration::from_secs(20);
        let (second, ()) = tokio::join!(memory.share_within(50 << 10, long), async {
            tokio::time::sleep(short).await;
            drop(first);
        });
        drop(second.unwrap());
        assert_eq!(memory.free.available_permits(), 100);
    }

    #[test]
    fn heads_weigh_by_their_bytes_and_items() {
        let of = |query: &str| of_head(&query.parse().unwrap(), &HeaderMap::new());
        assert_eq!(of("/"), REQUEST + HEAD_BYTE);
        assert!(of(&format!("/?url={}", "x".repeat(40_000))) > 40_000 * HEAD_BYTE);
        // Each of a thousand selectors becomes a text and a rule.
        assert!(of(&format!("/?drop={}", "a,".repeat(1000))) > 160_000);
        let headers = HeaderMap::from_iter([("x-page-url".parse().unwrap(), "x".repeat(1000).parse().unwrap())]);
        assert_eq!(of_head(&Uri::default(), &headers), of("/") + 1010 * HEAD_BYTE);
    }

    #[test]
    fn markup_weighs_more_than_text() {
        let (text, markup) = (vec![b'x'; 1 << 20], b"<p>x".repeat(1 << 18));
        assert!(of_page(&markup) > 4 * of_page(&text));
        assert!(of_report(&text) > of_page(&text));
        assert!(of_report(&markup) - of_page(&markup) <= MAX_VIEW_BYTES);
        // Reports on pages of short paragraphs and cells took 36 to 43 MB for as many tags.
        assert!(of_report(&b"<p>x".repeat(9_020)) >= 43 << 20);
        assert!(of_report(&b"<tr><td>1<td>2".repeat(2_577)) >= 36 << 20);
    }

    #[test]
    fn lists_weigh_by_their_lengths() {
        let page = b"<p>word word. ".repeat(10_000);
        let weight = |lists| of_lists(&page, &serde_json::from_value(lists).unwrap());
        let of = |chunks: &str, spans: bool| {
            let chunks = Some(chunks).filter(|chunks| !chunks.is_empty());
            weight(serde_json::json!({ "chunks": chunks, "spans": spans }))
        };
        assert_eq!(of("", false), of_page(&page));
        assert!(of("", true) > of_page(&page));
        assert!(of("words=1", false) > of("words=400,overlap=200", false));
        assert!(of("words=400", false) > of_page(&page));
        // A path of 500 bytes for each block, twice.
        assert!(weight(serde_json::json!({ "blocks": true })) > of_page(&page) + 10_000 * 1000);
    }

    #[test]
    fn what_fits_is_the_longest_start() {
        let page = b"<p>word ".repeat(10_000);
        let lists = IncludeSettings::default();
        let fitting = |page: &'static [u8], memory| fitting(page, memory, &lists);
        let page: &'static [u8] = page.leak();
        assert_eq!(fitting(page, u64::MAX), page);
        let memory = of_page(page) / 2;
        let start = fitting(page, memory);
        assert!(of_page(start) <= memory && of_page(&page[..start.len() + 1]) > memory);
        assert!(fitting(page, 0).is_empty());
        let text = vec![b'x'; 1 << 20];
        let memory = of_page(&text);
        assert_eq!(longest(memory), text.len() as u64);
    }

    #[test]
    fn places_are_counted_and_given_back() {
        let limits = ServiceLimits { jobs: NonZeroUsize::MIN, queue: 1, ..ServiceLimits::default() };
        let admission = Admission::new(&limits);
        let first = admission.enter().unwrap();
        let second = admission.enter().unwrap();
        assert!(!admission.has_room() && admission.enter().is_err());
        drop(first);
        drop(admission.enter().unwrap());
        drop(second);
        assert_eq!(admission.inside(), 0);
    }
}
