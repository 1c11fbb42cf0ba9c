use proptest::prelude::*;
use trommel_html::{Engine, Limits, ScanEngine};

use super::*;

/// Returns the fingerprints of a page with these texts, made from a template.
fn print(texts: &[u16]) -> PagePrint {
    let blocks: String =
        texts.iter().map(|text| format!("<div class=c{}><p>Text {text}</p></div>", text % 7)).collect();
    PagePrint::of(&ScanEngine.read(&blocks, &Limits::default()))
}

type Capture = (u8, u8, Vec<u16>, bool);

fn filled<'a>(max_bytes: u64, pages: impl IntoIterator<Item = &'a Capture>) -> SiteMemory {
    let mut memory = SiteMemory::new(max_bytes);
    // So small a memory is not for use.
    memory.max_bytes = max_bytes;
    for (site, url, texts, judged) in pages {
        let print = print(texts);
        let probabilities: Vec<f32> = (0..print.len()).map(|at| at as f32 / 16.0).collect();
        let url = format!("http://s{site}.example/{url}");
        assert!(memory.add(&url, &print, judged.then_some(&probabilities[..])));
        assert!(memory.bytes() <= max_bytes, "{} bytes", memory.bytes());
    }
    memory
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Checks that merging is associative and commutative, and that its result equals one memory of all pages, whether
    /// there is room for all of it or not.
    #[test]
    fn parts_merge_to_the_whole(
        pages in prop::collection::vec(
            (0u8..6, 0u8..8, prop::collection::vec(0u16..200, 0..12), any::<bool>()), 0..60),
        cuts in (0usize..60, 0usize..60),
        max_bytes in prop::sample::select(vec![1_500u64, 6_000, 20_000, 1 << 20]),
    ) {
        let (low, high) = (cuts.0.min(cuts.1).min(pages.len()), cuts.0.max(cuts.1).min(pages.len()));
        let part = |range: std::ops::Range<usize>| filled(max_bytes, &pages[range]);
        let (a, b, c) = (part(0..low), part(low..high), part(high..pages.len()));
        let merged = |one: &SiteMemory, other: &SiteMemory| {
            let mut sum = one.clone();
            sum.merge(other).unwrap();
            sum
        };
        let whole = filled(max_bytes, &pages);
        prop_assert_eq!(&merged(&merged(&a, &b), &c), &whole);
        prop_assert_eq!(&merged(&a, &merged(&b, &c)), &whole);
        prop_assert_eq!(&merged(&b, &a), &merged(&a, &b));
        let backwards = filled(max_bytes, pages.iter().rev());
        prop_assert_eq!(&backwards, &whole);
        let mut bytes = Vec::new();
        whole.write(&mut bytes).unwrap();
        prop_assert!(whole.bytes() <= max_bytes);
    }
}

#[test]
fn the_bound_holds_and_what_is_kept_is_exact() {
    let mut memory = SiteMemory::new(MIN_BYTES);
    let mut most = 0;
    for page in 0..3_000u32 {
        let html: String = (0..20)
            .map(|at| match at < 4 {
                true => format!("<nav><p>Menu {at}</p></nav>"),
                false => format!("<p>Page {page} block {at}</p>"),
            })
            .collect();
        let page_print = PagePrint::of(&ScanEngine.read(&html, &Limits::default()));
        memory.add(&format!("http://a.example/{page}"), &page_print, None);
        most = most.max(memory.allocated_bytes());
        assert!(memory.bytes() <= MIN_BYTES);
    }
    // The tables as they stand, control bytes of empty tables included.
    assert!(most <= MIN_BYTES, "{most}");
    assert!(memory.is_sample());
    assert_eq!(memory.sites(), [SiteSize { name: "a.example", pages: 3_000 }]);
    let counts: Vec<u32> = memory.texts.values().map(|count| count.pages).collect();
    assert!(counts.iter().all(|pages| [1, 3_000].contains(pages)));
    assert!(counts.len() > 5_000, "{}", counts.len());
}

#[test]
fn a_block_takes_less_than_a_hundred_bytes() {
    // Right after tables have doubled, with a position for every four blocks.
    const { assert!(TEXT_BYTES + CONTENT_BYTES + POSITION_BYTES / 4 < 100) };
    let mut memory = SiteMemory::new(DEFAULT_BYTES);
    for page in 0..400u16 {
        let texts: Vec<u16> = (page * 40..page * 40 + 40).collect();
        memory.add(&format!("http://s{}.example/{page}", page % 20), &print(&texts), None);
    }
    let each = memory.allocated_bytes() as f64 / memory.blocks() as f64;
    assert!(each < 100.0, "{each}");
}

#[test]
fn memories_of_two_models_do_not_merge() {
    let mut one = SiteMemory::new(MIN_BYTES).with_model("fast");
    let error = one.merge(&SiteMemory::new(MIN_BYTES).with_model("best"));
    assert!(error.unwrap_err().to_string().contains("fast and best"));
    let mut plain = SiteMemory::new(MIN_BYTES);
    plain.merge(&one).unwrap();
    assert_eq!(plain.model(), Some("fast"));
}

#[test]
fn pages_of_no_site_are_passed_over() {
    let mut memory = SiteMemory::new(MIN_BYTES);
    assert!(!memory.add("file:///a", &print(&[1]), None));
    assert!(!memory.add("https://x.invalid/a", &print(&[1]), None));
    assert_eq!((memory.pages(), memory.blocks()), (0, 0));
}
