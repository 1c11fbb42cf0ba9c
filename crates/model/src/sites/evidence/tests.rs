use trommel_html::{Engine, Limits, ScanEngine};

use super::*;

fn print(html: &str) -> PagePrint {
    PagePrint::of(&ScanEngine.read(html, &Limits::default()))
}

const MENU: &str = "<nav>Home</nav>";

fn page(story: &str) -> PagePrint {
    print(&format!("{MENU}<p>{story}</p>"))
}

fn memory(stories: &[(&str, &str)]) -> SiteMemory {
    let mut memory = SiteMemory::new(1 << 20);
    for (url, story) in stories {
        memory.add(url, &page(story), Some(&[0.2, 0.8]));
    }
    memory
}

fn pages(evidence: &PageEvidence) -> Vec<Option<u32>> {
    evidence.blocks.iter().map(|block| block.pages).collect()
}

#[test]
fn a_page_is_no_evidence_about_itself() {
    let memory = memory(&[("http://a.b/1", "One"), ("http://a.b/2", "Two"), ("http://a.b/3", "Three")]);
    let inside = memory.evidence("http://a.b/1", &page("One"), Some(&[0.2, 0.8])).unwrap();
    assert_eq!((inside.pages, pages(&inside)), (2, vec![Some(2), Some(0)]));
    let outside = memory.evidence("http://www.a.b/4", &page("Four"), Some(&[0.5, 0.5])).unwrap();
    assert_eq!((outside.pages, pages(&outside)), (3, vec![Some(3), Some(0)]));
    // The menu is always the same, the story never; the positions' probabilities are those of other pages.
    let entropies = |evidence: &PageEvidence| [0, 1].map(|at: usize| evidence.blocks[at].entropy);
    assert_eq!(entropies(&inside), [Some(0.0), Some(1.0)]);
    assert_eq!(entropies(&outside), [Some(0.0), Some(1.0)]);
    for (evidence, judged) in [(&inside, 2), (&outside, 3)] {
        let (mean, number) = evidence.blocks[1].probability.unwrap();
        assert!((mean - 0.8).abs() < 1e-3);
        assert_eq!(number, judged);
    }
    // Without probabilities of its own a page is told nothing of others'.
    let plain = memory.evidence("http://a.b/1", &page("One"), None).unwrap();
    assert_eq!(plain.blocks[1].probability, None);
}

#[test]
fn captures_of_one_url_say_nothing() {
    let twice = memory(&[("http://a.b/1", "One"), ("http://a.b/1#top", "One")]);
    assert_eq!(twice.evidence("http://a.b/1", &page("One"), None), None);
    let more = memory(&[("http://a.b/1", "One"), ("http://a.b/1", "One"), ("http://a.b/2", "Two")]);
    let evidence = more.evidence("http://a.b/1", &page("One"), None).unwrap();
    assert_eq!(pages(&evidence), [Some(2), Some(0)]);
}

#[test]
fn an_unknown_site_gives_nothing() {
    let memory = memory(&[("http://a.b/1", "One"), ("http://a.b/2", "Two")]);
    assert_eq!(memory.evidence("http://c.d/1", &page("One"), None), None);
    assert_eq!(memory.evidence("no url", &page("One"), None), None);
    assert_eq!(memory.evidence("http://a.b/3", &print(""), None), None);
}

#[test]
fn what_was_given_up_is_not_known() {
    let mut memory = SiteMemory::new(1 << 20);
    for number in 0..4_000 {
        let url = format!("http://a.b/{number}");
        memory.add(&url, &page(&format!("Story {number}")), None);
        let more = print(&(0..10).map(|at| format!("<p>{number} {at}</p>")).collect::<String>());
        memory.add(&format!("{url}/more"), &more, None);
    }
    assert!(memory.is_sample());
    let (mut kept, mut gone) = (0, 0);
    for number in 0..4_000 {
        let evidence = memory.evidence("http://a.b/x", &page(&format!("Story {number}")), None);
        match evidence.and_then(|evidence| evidence.blocks[1].pages) {
            Some(pages) => {
                assert!(pages <= 1);
                kept += 1;
            }
            None => gone += 1,
        }
    }
    assert!(kept > 100 && gone > 100, "{kept} {gone}");
}
