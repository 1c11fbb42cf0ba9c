//! The scores of methods on a set, and what its blocks are like.

use std::collections::BTreeMap;

use rayon::prelude::*;
use trommel_features::{FeatureGroup, ListedWord, Schema};
use trommel_html::{Page, Tag};
use trommel_learn::{PageSet, Scores, kept_text};
use trommel_text::words::Rule;

use super::error::ResultsError;
use crate::methods::{Example, Method};

/// How often blocks of a set are so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct BlockCounts {
    /// All blocks.
    pub blocks: usize,
    /// What these would be if only the tags of the paper divided them.
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
        let mut counts = Self {
            listed: listed.len(),
            ..Self::default()
        };
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

/// What was measured on a set.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Measured {
    pub name: String,
    pub all: PageScores,
    /// Pages by language or type, whichever the set is divided by here.
    pub parts: BTreeMap<String, PageScores>,
    /// What they are divided by; empty if they are not.
    pub divided_by: &'static str,
    /// Share of the blocks that each method keeps, 0..=1.
    pub kept: Vec<f64>,
    pub counts: BlockCounts,
}

/// What the pages of a set are divided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Division {
    None,
    Language,
    PageType,
}

/// Scores the methods on a set.
pub(super) fn measure(
    set: &PageSet,
    division: Division,
    methods: &[Box<dyn Method>],
    listed: &[ListedWord],
) -> Result<Measured, ResultsError> {
    let judged: Result<Vec<Vec<Judged>>, ResultsError> = set
        .pages
        .par_iter()
        .map(|page| {
            let gold = page.gold.text(true);
            methods
                .iter()
                .map(|method| judge(method.as_ref(), &page.page, &gold))
                .collect()
        })
        .collect();
    let judged = judged?;
    let mut parts: BTreeMap<String, Vec<&[Judged]>> = BTreeMap::new();
    for (page, judged) in set.pages.iter().zip(&judged) {
        let key = match division {
            Division::None => None,
            Division::Language => page.gold.lang.as_ref(),
            Division::PageType => page.gold.page_type.as_ref(),
        };
        if let Some(key) = key {
            parts.entry(key.clone()).or_default().push(judged);
        }
    }
    let all: Vec<&[Judged]> = judged.iter().map(Vec::as_slice).collect();
    let counts = counts(set, listed);
    let kept = (0..methods.len()).map(|at| {
        let kept: usize = all
            .iter()
            .filter_map(|page| page.get(at))
            .map(|j| j.kept)
            .sum();
        kept as f64 / counts.blocks.max(1) as f64
    });
    Ok(Measured {
        divided_by: match division {
            Division::None => "",
            Division::Language => "language",
            Division::PageType => "page type",
        },
        name: set.name.clone(),
        kept: kept.collect(),
        all: part(&all, methods.len()),
        parts: parts
            .into_iter()
            .map(|(key, pages)| (key, part(&pages, methods.len())))
            .collect(),
        counts,
    })
}

/// The outcome of one method on one page.
struct Judged {
    scores: Scores,
    /// Blocks kept.
    kept: usize,
}

fn judge(method: &dyn Method, page: &Page, gold: &str) -> Result<Judged, ResultsError> {
    let verdicts = method.extract(page)?;
    Ok(Judged {
        scores: Scores::of(&kept_text(page, &verdicts, &[]), gold, Rule::Characters),
        kept: verdicts.iter().filter(|kept| **kept).count(),
    })
}

fn part(pages: &[&[Judged]], methods: usize) -> PageScores {
    let mean = |at: usize| {
        let scores = pages.iter().filter_map(|page| page.get(at));
        Scores::mean(scores.map(|judged| &judged.scores))
    };
    PageScores {
        pages: pages.len(),
        scores: (0..methods).map(mean).collect(),
    }
}

fn counts(set: &PageSet, listed: &[ListedWord]) -> BlockCounts {
    let mut counts = BlockCounts::default();
    for page in set.pages.iter().map(|page| &page.page) {
        counts.blocks += page.blocks.len();
        counts.by_paper_tags += by_paper_tags(page);
        counts.with_token += with_token(page, listed)
            .iter()
            .filter(|with| **with)
            .count();
    }
    counts
}

/// Whether each block has a listed token.
fn with_token(page: &Page, listed: &[ListedWord]) -> Vec<bool> {
    if listed.is_empty() {
        return vec![false; page.blocks.len()];
    }
    let rows = Schema::new(&[FeatureGroup::ListedWords], listed, &[], &[]).rows(page, None);
    rows.iter()
        .map(|row| row.iter().any(|value| *value != 0.0))
        .collect()
}

/// The tags that divide blocks in the authors' program.
fn divides(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 | Tag::P | Tag::Div | Tag::Table
    )
}

/// Number of blocks if only the authors' tags divided them: two neighbours stay one if they stand in
/// the same of these elements and none starts between them.
fn by_paper_tags(page: &Page) -> usize {
    let mut around: Vec<Option<usize>> = Vec::with_capacity(page.elements.len());
    for (at, element) in page.elements.iter().enumerate() {
        let outer = around.get(element.parent as usize).copied().flatten();
        around.push(if divides(element.tag) {
            Some(at)
        } else {
            outer
        });
    }
    let mut starts = page
        .elements
        .iter()
        .filter(|element| divides(element.tag))
        .map(|element| element.start)
        .peekable();
    let mut last = None;
    let mut count = 0;
    for block in &page.blocks {
        let own = around.get(block.element as usize).copied().flatten();
        let mut opened = false;
        while starts.next_if(|start| *start < block.span.0).is_some() {
            opened = true;
        }
        if count == 0 || opened || last != Some(own) {
            count += 1;
        }
        last = Some(own);
    }
    count
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::methods::AllText;
    use trommel_html::{Engine, Limits, ScanEngine};

    /// A set of two pages on which the methods have these F1, and P = R = F1.
    pub(in crate::results) fn measured(name: &str, f1: &[f64]) -> Measured {
        let of = |f1: &f64| Scores {
            precision: *f1,
            recall: *f1,
            f1: *f1,
        };
        Measured {
            name: name.to_owned(),
            all: PageScores {
                pages: 2,
                scores: f1.iter().map(of).collect(),
            },
            parts: BTreeMap::new(),
            divided_by: "",
            kept: vec![0.25; f1.len()],
            counts: BlockCounts {
                blocks: 2_000,
                by_paper_tags: 1_000,
                with_token: 500,
            },
        }
    }

    #[test]
    fn list_items_are_one_block_by_the_tags_of_the_paper() {
        let count = |html: &str| by_paper_tags(&ScanEngine.read(html, &Limits::default()));
        assert_eq!(count("<ul><li>one</li><li>two</li></ul>"), 1);
        // Dividing elements around, between and behind.
        assert_eq!(
            count("<li>one</li><p>two</p><li>three</li><li>four</li>"),
            3
        );
        assert_eq!(count("<li>one</li><div></div><li>two</li>"), 2);
        assert_eq!(count(""), 0);
    }

    #[test]
    fn blocks_without_listed_tokens_are_counted() {
        let page = ScanEngine.read(
            "<div class=menu><p>one</p></div><p>two</p><p>three</p>",
            &Limits::default(),
        );
        let example = Example {
            page: &page,
            labels: &[false, true, false],
            group: "a",
        };
        let menu = ListedWord {
            attribute: "class".to_owned(),
            word: "menu".to_owned(),
            odds: 0.1,
            share: 0.3,
        };
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
        let judged = judge(&AllText, &page, "one two three").unwrap();
        assert_eq!(judged.kept, 2);
        assert_eq!((judged.scores.precision, judged.scores.recall), (0.75, 1.0));
        let other = judge(&AllText, &page, "five").unwrap();
        let mean = part(&[&[judged], &[other]], 1);
        assert_eq!((mean.pages, mean.scores[0].precision), (2, 0.375));
    }
}
