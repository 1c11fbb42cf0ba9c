//! The scores of methods on a set, and what its blocks are like.

use rayon::prelude::*;
use trommel_html::Page;
use trommel_learn::{LabelledPage, PageSet, Scores, kept_text};
use trommel_model::features::{FeatureGroup, ListedWord, Schema};
use trommel_text::words::Rule;

use super::error::ResultsError;
use crate::methods::{Example, Method, SiteMethod, extract_by_host, pages_by_host, paper_blocks};

/// Counts of the blocks of a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct BlockCounts {
    /// All blocks.
    pub blocks: usize,
    /// Number of blocks if only the tags of the paper divided them.
    pub by_paper_tags: usize,
    /// Blocks with a listed token on an element around them or inside.
    pub with_token: usize,
}

/// Attribute tokens of the training pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TokenCounts {
    /// Tokens that the paper's rule lists.
    pub listed: usize,
    /// Blocks without any of them.
    pub bare: usize,
    /// Those of them that are content.
    pub bare_content: usize,
}

impl TokenCounts {
    /// Counts the blocks of `examples` by the listed tokens.
    pub fn of(examples: &[Example], listed: &[ListedWord]) -> Self {
        let mut counts = Self { listed: listed.len(), ..Self::default() };
        for example in examples {
            for (with, label) in with_token(example.page, listed).iter().zip(example.labels) {
                counts.bare += usize::from(!with);
                counts.bare_content += usize::from(!with && *label);
            }
        }
        counts
    }
}

/// Mean scores over some pages, one for each method.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PageScores {
    pub pages: usize,
    pub scores: Vec<Scores>,
}

/// The figures of a set.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Measured {
    pub name: String,
    pub all: PageScores,
    /// Share of the blocks that each method keeps, 0..=1.
    pub kept: Vec<f64>,
    pub counts: BlockCounts,
}

/// Blocks that each method keeps of each page of a set: page, method, block.
pub(super) type Verdicts = Vec<Vec<Vec<bool>>>;

/// The verdicts of the methods, then of those that compare the pages of a host.
pub(super) fn verdicts(
    set: &PageSet,
    methods: &[Box<dyn Method>],
    by_site: &[Box<dyn SiteMethod>],
) -> Result<Verdicts, ResultsError> {
    let single = |page: &LabelledPage| {
        let kept = methods.iter().map(|method| method.extract_from(&page.page, &page.html));
        kept.collect::<Result<Vec<_>, _>>()
    };
    let mut all: Verdicts = set.pages.par_iter().map(single).collect::<Result<_, _>>()?;
    let hosts = pages_by_host(set, 1);
    for method in by_site {
        let kept = extract_by_host(method.as_ref(), set, &hosts);
        for (page, kept) in all.iter_mut().zip(kept) {
            page.push(kept.unwrap_or_default());
        }
    }
    Ok(all)
}

/// Scores verdicts on a set.
pub(super) fn measure(set: &PageSet, verdicts: &Verdicts, listed: &[ListedWord]) -> Measured {
    let judged: Vec<Vec<Judged>> = set
        .pages
        .par_iter()
        .zip(verdicts)
        .map(|(page, verdicts)| {
            let gold = page.gold.text(true);
            let judge = |kept: &Vec<bool>| judge(&page.page, kept, &gold);
            verdicts.iter().map(judge).collect()
        })
        .collect();
    let methods = judged.first().map_or(0, Vec::len);
    let all: Vec<&[Judged]> = judged.iter().map(Vec::as_slice).collect();
    let counts = counts(set, listed);
    let kept = (0..methods).map(|at| {
        let kept: usize = all.iter().filter_map(|page| page.get(at)).map(|j| j.kept).sum();
        kept as f64 / counts.blocks.max(1) as f64
    });
    Measured { name: set.name.clone(), kept: kept.collect(), all: mean_scores(&all, methods), counts }
}

/// The outcome of one method on one page.
#[derive(Clone, Copy)]
struct Judged {
    scores: Scores,
    /// Blocks kept.
    kept: usize,
}

fn judge(page: &Page, verdicts: &[bool], gold: &str) -> Judged {
    Judged {
        scores: Scores::of(&kept_text(page, verdicts, &[]), gold, Rule::Characters),
        kept: verdicts.iter().filter(|kept| **kept).count(),
    }
}

fn mean_scores(pages: &[&[Judged]], methods: usize) -> PageScores {
    let mean = |at: usize| {
        let scores = pages.iter().filter_map(|page| page.get(at));
        Scores::mean(scores.map(|judged| &judged.scores))
    };
    PageScores { pages: pages.len(), scores: (0..methods).map(mean).collect() }
}

fn counts(set: &PageSet, listed: &[ListedWord]) -> BlockCounts {
    let mut counts = BlockCounts::default();
    for page in set.pages.iter().map(|page| &page.page) {
        counts.blocks += page.blocks.len();
        counts.by_paper_tags += paper_blocks(page).len();
        counts.with_token += with_token(page, listed).iter().filter(|with| **with).count();
    }
    counts
}

/// Returns whether each block has a listed token.
fn with_token(page: &Page, listed: &[ListedWord]) -> Vec<bool> {
    if listed.is_empty() {
        return vec![false; page.blocks.len()];
    }
    let rows = Schema::new(&[FeatureGroup::ListedWords], listed, &[], &[]).rows(page, None);
    rows.iter().map(|row| row.iter().any(|value| *value != 0.0)).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::methods::{AllText, ContentExtractor};
    use trommel_html::{Engine, Limits, ScanEngine};
    use trommel_learn::Gold;

    /// A set of two pages on which the methods have these F1, and P = R = F1.
    pub(in crate::results) fn measured(name: &str, f1: &[f64]) -> Measured {
        let of = |f1: &f64| Scores { precision: *f1, recall: *f1, f1: *f1 };
        Measured {
            name: name.to_owned(),
            all: PageScores { pages: 2, scores: f1.iter().map(of).collect() },
            kept: vec![0.25; f1.len()],
            counts: BlockCounts { blocks: 2_000, by_paper_tags: 1_000, with_token: 500 },
        }
    }

    #[test]
    fn list_items_are_one_block_by_the_tags_of_the_paper() {
        let count = |html: &str| paper_blocks(&ScanEngine.read(html, &Limits::default())).len();
        assert_eq!(count("<ul><li>one</li><li>two</li></ul>"), 1);
        // Dividing elements around, between and behind.
        assert_eq!(count("<li>one</li><p>two</p><li>three</li><li>four</li>"), 3);
        assert_eq!(count("<li>one</li><div></div><li>two</li>"), 2);
        assert_eq!(count(""), 0);
    }

    #[test]
    fn blocks_without_listed_tokens_are_counted() {
        let page = ScanEngine.read("<div class=menu><p>one</p></div><p>two</p><p>three</p>", &Limits::default());
        let example = Example { page: &page, labels: &[false, true, false], group: "a" };
        let menu = ListedWord { attribute: "class".to_owned(), word: "menu".to_owned(), odds: 0.1, share: 0.3 };
        let counts = |listed: &[ListedWord]| {
            let counts = TokenCounts::of(&[example], listed);
            (counts.listed, counts.bare, counts.bare_content)
        };
        assert_eq!(counts(&[menu]), (1, 2, 1));
        assert_eq!(counts(&[]), (0, 3, 1));
    }

    #[test]
    fn a_page_is_scored_by_the_words_kept() {
        let page = ScanEngine.read("<p>One two</p><p>Three four</p>", &Limits::default());
        let judged = judge(&page, &[true, true], "one two three");
        assert_eq!(judged.kept, 2);
        assert_eq!((judged.scores.precision, judged.scores.recall), (0.75, 1.0));
        let other = judge(&page, &[true, true], "five");
        let mean = mean_scores(&[&[judged], &[other]], 1);
        assert_eq!((mean.pages, mean.scores[0].precision), (2, 0.375));
    }

    #[test]
    fn methods_of_sites_have_their_columns() {
        let html = "<p>Menu of the site</p><p>One two three</p>";
        let page = |at: usize| LabelledPage {
            gold: Gold {
                record_id: format!("<r{at}>"),
                url: format!("http://a.example/{at}"),
                gold: Some("One two three".into()),
                ..Gold::default()
            },
            page: ScanEngine.read(html, &Limits::default()),
            html: html.to_owned(),
        };
        let set = PageSet { name: "toy".into(), pages: (0..3).map(page).collect() };
        let verdicts = verdicts(&set, &[Box::new(AllText)], &[Box::new(ContentExtractor)]).unwrap();
        // All pages have both blocks: nothing is rare.
        assert_eq!(verdicts, vec![vec![vec![true; 2], vec![false; 2]]; 3]);
        let measured = measure(&set, &verdicts, &[]);
        assert_eq!(measured.all.scores[0].recall, 1.0);
        assert_eq!(measured.all.scores[1].f1, 0.0);
    }
}
