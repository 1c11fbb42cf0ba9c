//! Semantic tokens: what the words of `id`, `class`, `role` and `itemprop` say about a block
//! (Peters and Lecocq, WWW 2013, section 3.3).
//!
//! Two uses of one source. The *listed* tokens are the paper's: one 0/1 feature each, for the tokens
//! whose odds between content and other blocks are strong and which are common. The *weights* go on:
//! every token seen on enough training pages has a log odds, summed up along the elements around a
//! block.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use trommel_html::{Attribute, Block, Page, Token};
use trommel_text::hash;

use crate::weights::Weights;
use crate::work::count_work;

/// An attribute word with a feature of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ListedWord {
    /// `id`, `class`, `role` or `itemprop`.
    pub attribute: String,
    /// The word.
    #[serde(rename = "token")]
    pub word: String,
    /// Odds of content against other blocks; below 1 for words of boilerplate.
    pub odds: f32,
    /// Share of all blocks that carry it, 0..=1.
    pub share: f32,
}

impl ListedWord {
    /// Name of its feature, such as `class:menu`.
    pub fn feature(&self) -> String {
        format!("{}:{}", self.attribute, self.word)
    }
}

/// An attribute word, or a word or word pair of the text, with a weight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TermWeight {
    /// The term in lower case; an attribute word from whichever attribute.
    #[serde(rename = "token")]
    pub term: String,
    /// Natural logarithm of the odds of content, page-normalised.
    pub weight: f32,
}

/// Tokens of a model, made ready for look-up.
#[derive(Clone, Debug, Default)]
pub struct Lexicon {
    listed: FxHashMap<(u64, Attribute), usize>,
    listed_len: usize,
    weights: Weights,
    words: Weights,
}

impl Lexicon {
    /// Readies the token lists of a model. Listed tokens of an attribute unknown here are passed over.
    pub fn new(listed: &[ListedWord], weights: &[TermWeight], words: &[TermWeight]) -> Self {
        let listed_index = listed
            .iter()
            .enumerate()
            .filter_map(|(at, own)| {
                let attribute = Attribute::ALL
                    .into_iter()
                    .find(|a| a.name() == own.attribute)?;
                Some(((hash(own.word.as_bytes()), attribute), at))
            })
            .collect();
        Self {
            listed: listed_index,
            listed_len: listed.len(),
            weights: Weights::new(weights),
            words: Weights::new(words),
        }
    }

    /// Number of listed tokens.
    pub(crate) fn listed_len(&self) -> usize {
        self.listed_len
    }

    fn listed(&self, token: &Token) -> Option<usize> {
        self.listed.get(&(token.hash, token.attribute)).copied()
    }

    /// Log odds of a term of the text.
    pub(crate) fn word(&self, hash: u64) -> Option<f32> {
        self.words.get(hash)
    }

    fn weight(&self, token: &Token) -> Option<f32> {
        self.weights.get(token.hash)
    }
}

/// Which listed tokens stand on each element or on one around it: a bit set an element.
pub(crate) struct ListedSets {
    /// 64-bit words a set.
    stride: usize,
    sets: Vec<u64>,
}

impl ListedSets {
    pub fn new(page: &Page, lexicon: &Lexicon) -> Self {
        let stride = lexicon.listed_len.div_ceil(64);
        let mut sets = vec![0u64; stride * page.elements.len()];
        for (at, element) in page.elements.iter().enumerate() {
            let (before, own) = sets.split_at_mut(at * stride);
            let Some(own) = own.get_mut(..stride) else {
                break;
            };
            let parent = element.parent as usize * stride;
            if let Some(parent) = before.get(parent..parent.saturating_add(stride)) {
                own.copy_from_slice(parent);
            }
            for listed in page
                .tokens(element)
                .iter()
                .filter_map(|token| lexicon.listed(token))
            {
                if let Some(word) = own.get_mut(listed / 64) {
                    *word |= 1 << (listed % 64);
                }
            }
        }
        Self { stride, sets }
    }

    fn set(&self, element: u32) -> &[u64] {
        let at = element as usize * self.stride;
        self.sets
            .get(at..at.saturating_add(self.stride))
            .unwrap_or_default()
    }

    /// Writes 0 or 1 for each listed token: whether it stands on an element around the block or on
    /// an inline element inside it.
    pub fn features(&self, page: &Page, block: &Block, out: &mut [f32]) {
        for element in std::iter::once(&block.element).chain(page.inline(block)) {
            let set = self.set(*element);
            for (at, slot) in out.iter_mut().enumerate() {
                if set
                    .get(at / 64)
                    .is_some_and(|word| word >> (at % 64) & 1 == 1)
                {
                    *slot = 1.0;
                }
            }
        }
    }
}

pub(crate) const WEIGHT_NAMES: [&str; 11] = [
    "weights.sum",
    "weights.min",
    "weights.max",
    "weights.own",
    "weights.parent_sum",
    "weights.parent_min",
    "weights.parent_max",
    "weights.inline_min",
    "weights.inline_max",
    "weights.previous",
    "weights.next",
];

/// How much of an element's sum its children inherit.
const DECAY: f32 = 0.8;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PathWeights {
    sum: f32,
    min: f32,
    max: f32,
    own: f32,
}

/// The weights of some tokens that stand side by side.
#[derive(Clone, Copy, Debug, Default)]
struct OwnWeights {
    /// How many there are.
    tokens: usize,
    sum: f32,
    /// The lowest and the highest, 0 if none is lower or higher.
    min: f32,
    max: f32,
}

impl OwnWeights {
    fn of(tokens: &[Token], lexicon: &Lexicon) -> Self {
        let mut own = Self {
            tokens: tokens.len(),
            ..Self::default()
        };
        for weight in tokens.iter().filter_map(|token| lexicon.weight(token)) {
            own.sum += weight;
            own.min = own.min.min(weight);
            own.max = own.max.max(weight);
        }
        own
    }
}

/// Token weights of every element, gathered down the path to it.
pub(crate) fn path_weights(page: &Page, lexicon: &Lexicon) -> Vec<PathWeights> {
    let mut all: Vec<PathWeights> = Vec::with_capacity(page.elements.len());
    let mut known = vec![OwnWeights::default(); page.tokens.len()];
    for element in &page.elements {
        let above = all
            .get(element.parent as usize)
            .copied()
            .unwrap_or_default();
        let tokens = page.tokens(element);
        let own = match known.get_mut(page.first_token(element)) {
            Some(own) => {
                // Elements of one class share their tokens.
                if own.tokens != tokens.len() {
                    count_work(tokens.len());
                    *own = OwnWeights::of(tokens, lexicon);
                }
                *own
            }
            None => OwnWeights::default(),
        };
        count_work(1);
        all.push(PathWeights {
            sum: above.sum * DECAY + own.sum,
            min: above.min.min(own.min),
            max: above.max.max(own.max),
            own: own.sum,
        });
    }
    all
}

/// The weight features of block `at`.
pub(crate) fn weight_features(page: &Page, paths: &[PathWeights], at: usize) -> [f32; 11] {
    let of = |element: u32| paths.get(element as usize).copied().unwrap_or_default();
    let sum_at = |at: Option<usize>| {
        at.and_then(|at| page.blocks.get(at))
            .map_or(0.0, |block| of(block.element).sum)
    };
    let Some(block) = page.blocks.get(at) else {
        return [0.0; 11];
    };
    let own = of(block.element);
    let parent = page
        .element(block.element)
        .map(|e| of(e.parent))
        .unwrap_or_default();
    let inline = page.inline(block).iter().map(|element| of(*element).own);
    let (low, high) = inline.fold((0.0f32, 0.0f32), |(low, high), w| (low.min(w), high.max(w)));
    [
        own.sum,
        own.min,
        own.max,
        own.own,
        parent.sum,
        parent.min,
        parent.max,
        low,
        high,
        sum_at(at.checked_sub(1)),
        sum_at(Some(at + 1)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, LolEngine};

    fn listed(attribute: &str, token: &str) -> ListedWord {
        ListedWord {
            attribute: attribute.into(),
            word: token.into(),
            odds: 1.0,
            share: 0.1,
        }
    }

    fn weight(token: &str, weight: f32) -> TermWeight {
        TermWeight {
            term: token.into(),
            weight,
        }
    }

    #[test]
    fn listed_tokens_count_on_the_path_and_inside() {
        let mut tokens: Vec<ListedWord> = (0..70)
            .map(|i| listed("class", &format!("none{i}")))
            .collect();
        tokens.push(listed("class", "menu"));
        tokens.push(listed("id", "menu"));
        tokens.push(listed("class", "icon"));
        let lexicon = Lexicon::new(&tokens, &[], &[]);
        let page = LolEngine.read(
            "<div class=top-menu><p>a <b class=icon>b</b></p></div><p>c</p>",
            &Limits::default(),
        );
        let sets = ListedSets::new(&page, &lexicon);
        let mut first = vec![0.0; tokens.len()];
        sets.features(&page, &page.blocks[0], &mut first);
        assert_eq!(first[70..], [1.0, 0.0, 1.0]);
        assert!(first[..70].iter().all(|v| *v == 0.0));
        let mut second = vec![0.0; tokens.len()];
        sets.features(&page, &page.blocks[1], &mut second);
        assert!(second.iter().all(|v| *v == 0.0));
    }

    #[test]
    fn weights_decay_down_the_path_and_keep_their_extremes() {
        let lexicon = Lexicon::new(&[], &[weight("nav", -2.0), weight("post", 1.0)], &[]);
        let page = LolEngine.read(
            "<div class=nav><div class=post><p>a <i class=nav>x</i></p></div></div>",
            &Limits::default(),
        );
        let paths = path_weights(&page, &lexicon);
        let f = weight_features(&page, &paths, 0);
        let close = |a: f32, b: f32| (a - b).abs() < 1e-6;
        // nav -2 → div -2*.8+1 = -.6 → p -.48
        assert!(
            close(f[0], -0.48) && close(f[1], -2.0) && close(f[2], 1.0) && close(f[3], 0.0),
            "{f:?}"
        );
        assert!(
            close(f[4], -0.6) && close(f[7], -2.0) && close(f[8], 0.0),
            "{f:?}"
        );
        assert!(close(f[9], 0.0) && close(f[10], 0.0), "{f:?}");
    }
}
