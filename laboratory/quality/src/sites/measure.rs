//! Groups the pages of a set by site, and scores them with and without a memory of the others.

use std::collections::BTreeMap;
use std::hash::{Hash as _, Hasher as _};
use std::sync::{Mutex, PoisonError};

use super::address::address;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHasher};
use trommel_extract::{CommentPolicy, ContentPolicy};
use trommel_learn::{JudgedRow, JudgedSet, LABEL_SHARE, LabelledPage, PageSet, Scores, kept_text};
use trommel_model::sites::{Correction, DEFAULT_BYTES, PageEvidence, PagePrint, SiteMemory, site_of};
use trommel_model::{Judgement, Model};
use trommel_text::words::Rule;

/// The purpose of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The weights are learned from it.
    Learns,
    /// The constants are chosen on it and on the sets for learning.
    Chooses,
    /// It had no part in anything.
    Checks,
}

/// A labelled set with what is known of each page from the others of its site.
pub(super) struct SiteSet {
    pub set: PageSet,
    /// URL of each page, known or stated by the page.
    pub urls: Vec<String>,
    /// The purpose of the set.
    pub part: Part,
    pub comments: bool,
    /// The judgement of the model on each page; that of cross-validation where it is known.
    pub judged: Vec<Judgement>,
    pub evidence: Vec<Option<PageEvidence>>,
    /// The labels of the blocks of each page, of a set for learning.
    pub labels: Vec<Vec<bool>>,
    /// Pages of each page's site in the set; 0 for a page of no site.
    pub site_pages: Vec<u32>,
    /// Distinct blocks, and the bytes that the memory takes.
    pub memory: (usize, u64),
    /// Scores of choices of blocks that were made before, by page and choice.
    known: Mutex<FxHashMap<(usize, u64), Scores>>,
}

impl SiteSet {
    pub fn new(set: PageSet, part: Part, model: &Model, held_out: Option<&JudgedSet>) -> Self {
        let urls: Vec<String> = set.pages.par_iter().map(address).collect();
        let rows = held_out.into_iter().flat_map(|judged| &judged.pages);
        let rows: FxHashMap<&str, &JudgedRow> =
            rows.filter(|row| row.set == set.name).map(|row| (row.record_id.as_str(), row)).collect();
        let judged: Vec<Judgement> = set
            .pages
            .par_iter()
            .map(|page| {
                let mut judgement = model.judge(&page.page, page.gold.address());
                if let Some(probabilities) = rows.get(page.gold.record_id.as_str()).and_then(|row| of_blocks(row, page))
                {
                    judgement.probabilities.copy_from_slice(probabilities);
                    model.choose(&page.page, &mut judgement, false);
                }
                judgement
            })
            .collect();
        let prints: Vec<PagePrint> = set.pages.par_iter().map(|page| PagePrint::of(&page.page)).collect();
        let mut memory = SiteMemory::new(DEFAULT_BYTES).with_model(model.identity());
        let mut sizes: BTreeMap<String, u32> = BTreeMap::new();
        for ((url, print), judgement) in urls.iter().zip(&prints).zip(&judged) {
            if memory.add(url, print, Some(&judgement.probabilities))
                && let Some(site) = site_of(url)
            {
                *sizes.entry(site.into_owned()).or_default() += 1;
            }
        }
        let site_pages = urls.iter().map(|url| site_of(url).and_then(|site| sizes.get(&*site)).copied().unwrap_or(0));
        let evidence = urls
            .iter()
            .zip(&prints)
            .zip(&judged)
            .map(|((url, print), judgement)| memory.evidence(url, print, Some(&judgement.probabilities)))
            .collect();
        let comments = set.has_comments();
        let labels = match part {
            Part::Learns => set.labels(comments, LABEL_SHARE),
            _ => Vec::new(),
        };
        Self {
            part,
            labels,
            comments,
            site_pages: site_pages.collect(),
            memory: (memory.blocks(), memory.allocated_bytes()),
            judged,
            evidence,
            urls,
            set,
            known: Mutex::default(),
        }
    }

    /// Pages of which the file of judged pages has other blocks than the page today, or none.
    pub fn unjudged(&self, judged: &JudgedSet) -> usize {
        let rows: FxHashMap<&str, &JudgedRow> = judged
            .pages
            .iter()
            .filter(|row| row.set == self.set.name)
            .map(|row| (row.record_id.as_str(), row))
            .collect();
        let known = |page: &&LabelledPage| {
            let row = rows.get(page.gold.record_id.as_str());
            row.and_then(|row| of_blocks(row, page)).is_none()
        };
        self.set.pages.iter().filter(known).count()
    }

    /// Score of a page under changes of its log odds.
    pub fn score(&self, at: usize, model: &Model, changes: Option<&[f32]>) -> Scores {
        let (Some(page), Some(judgement)) = (self.set.pages.get(at), self.judged.get(at)) else {
            return Scores::default();
        };
        let policy = ContentPolicy {
            comments: if self.comments { CommentPolicy::Include } else { CommentPolicy::Exclude },
            ..ContentPolicy::default()
        };
        let LabelledPage { gold, page, .. } = page;
        let verdicts = policy.verdicts(model, page, gold.address(), judgement.clone(), changes);
        let judged = &verdicts.judgement;
        let text = kept_text(page, &judged.choice.kept, &judged.embedded);
        let mut hasher = FxHasher::default();
        text.hash(&mut hasher);
        let key = (at, hasher.finish());
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let before = known().get(&key).copied();
        before.unwrap_or_else(|| {
            let scores = Scores::of(&text, &gold.text(self.comments), Rule::Characters);
            known().insert(key, scores);
            scores
        })
    }
}

/// The probabilities of a page's blocks, if these are the blocks that were judged.
fn of_blocks<'a>(row: &'a JudgedRow, page: &LabelledPage) -> Option<&'a [f32]> {
    let blocks = &page.page.blocks;
    let words = row.words.get(..blocks.len())?;
    let is_same = words.iter().zip(blocks).all(|(count, block)| *count == block.words);
    row.probabilities.get(..blocks.len()).filter(|_| is_same)
}

/// F1 of pages without a memory, by counts alone, with probabilities, and with the correction learned anew.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Gain {
    pub pages: usize,
    pub plain: f64,
    pub by_counts: f64,
    pub two_pass: f64,
    pub learned: f64,
}

impl Gain {
    fn mean(scores: &[[f64; 4]]) -> Self {
        let count = scores.len().max(1) as f64;
        let mean = |at: usize| scores.iter().map(|row| row[at]).sum::<f64>() / count;
        Self { pages: scores.len(), plain: mean(0), by_counts: mean(1), two_pass: mean(2), learned: mean(3) }
    }
}

/// The measurements of a set.
pub(super) struct SiteRow {
    pub name: String,
    pub part: Part,
    /// Sites of at least 1, 2, 5 and 10 pages, and the pages of these.
    pub sizes: [(usize, usize); 4],
    pub all: Gain,
    /// Pages of sites of 2 to 9 pages, and of 10 and more.
    pub few: Gain,
    pub many: Gain,
    pub memory: (usize, u64),
}

/// Minimum numbers of pages by which sites are grouped.
pub(super) const SIZES: [u32; 4] = [1, 2, 5, 10];

/// Scores the model on a set; `learned` is a correction to stand beside the shipped ones.
pub(super) fn measured(set: &SiteSet, model: &Model, learned: Option<&Correction>) -> SiteRow {
    let scores: Vec<[f64; 4]> = (0..set.set.pages.len())
        .into_par_iter()
        .map(|at| {
            let plain = set.score(at, model, None).f1;
            let known = set.evidence.get(at).and_then(Option::as_ref);
            let Some((evidence, judgement)) = known.zip(set.judged.get(at)) else {
                return [plain; 4];
            };
            let by = |correction: &Correction| {
                let changes = correction.changes(evidence, &judgement.probabilities);
                set.score(at, model, Some(&changes)).f1
            };
            let shipped = evidence.changes(&judgement.probabilities);
            [
                plain,
                by(&trommel_model::sites::BY_COUNTS),
                set.score(at, model, Some(&shipped)).f1,
                learned.map_or(plain, by),
            ]
        })
        .collect();
    let of = |from: u32, to: u32| {
        let pages = scores.iter().zip(&set.site_pages);
        let pages = pages.filter(|(_, pages)| (from..=to).contains(*pages));
        Gain::mean(&pages.map(|(scores, _)| *scores).collect::<Vec<_>>())
    };
    let sizes = SIZES.map(|least| {
        let pages = set.site_pages.iter().filter(|pages| **pages >= least).count();
        let hosts = set.urls.iter().zip(&set.site_pages);
        let mut hosts: Vec<String> = hosts
            .filter(|(_, pages)| **pages >= least)
            .filter_map(|(url, _)| site_of(url).map(|site| site.into_owned()))
            .collect();
        hosts.sort_unstable();
        hosts.dedup();
        (hosts.len(), pages)
    });
    SiteRow {
        name: set.set.name.clone(),
        part: set.part,
        sizes,
        all: Gain::mean(&scores),
        few: of(2, 9),
        many: of(10, u32::MAX),
        memory: set.memory,
    }
}
