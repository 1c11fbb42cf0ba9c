//! Maximum subsequence segmentation over the scores of a Naive Bayes classifier.
//!
//! Pasternack and Roth, Extracting article text from the web with maximum subsequence segmentation,
//! WWW 2009, the supervised variant. Each token (word or tag) has two features: the trigram of itself
//! and its two successors, stemmed, numbers generalised; and the nearest element open around it. Its
//! score is the probability of content less .5; the article is the contiguous run with the greatest
//! sum. A run starts and ends at the edges of blocks here; the tags between two blocks of a run count.
//!
//! Not from the source at hand: both likelihoods are smoothed by adding one to each count, with one
//! more kind for all that was never seen; the priors are the shares of content and other tokens in the
//! examples; in training, the tags between two blocks are content if both blocks are.

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use trommel_html::Page;

use crate::methods::method::{About, Example, Method, MethodError};
use crate::methods::span::{Unit, best_run, mark};
use crate::methods::token_stream::TokenStream;

const NAME: &str = "mss-supervised";
/// Pages that are read side by side before their tokens are counted; bounds the memory in use.
const PAGES: usize = 64;

/// The run of blocks with the greatest sum of learned token scores.
#[derive(Clone, Debug, Default)]
pub struct MssSupervised {
    model: Option<Bayes>,
}

impl Method for MssSupervised {
    fn about(&self) -> &About {
        &About {
            name: NAME,
            line: "the run of blocks with the greatest sum of Naive Bayes scores of token trigrams and parent tags",
            citation: "Pasternack and Roth, Extracting article text from the web with maximum subsequence segmentation, \
                       WWW 2009, supervised; runs start and end at blocks; add-one smoothing and priors by the share of \
                       tokens are this project's",
            learns: true,
        }
    }

    fn fit(&mut self, examples: &[Example]) -> Result<(), MethodError> {
        let mut model = Bayes::default();
        for part in examples.chunks(PAGES) {
            let events: Vec<Vec<Event>> = part.par_iter().map(events).collect();
            for event in events.iter().flatten() {
                model.count(event);
            }
        }
        if model.tokens.contains(&0) {
            return Err(MethodError::Nothing {
                method: NAME,
                why: format!("{} tokens of content and {} others", model.tokens[1], model.tokens[0]),
            });
        }
        self.model = Some(model);
        Ok(())
    }

    fn extract(&self, page: &Page) -> Result<Vec<bool>, MethodError> {
        let model = self.model.as_ref().ok_or(MethodError::NotFitted { method: NAME })?;
        let units = units(page, model);
        Ok(mark(page.blocks.len(), best_run(&units)))
    }
}

/// Scores of the blocks and of the tags between them.
fn units(page: &Page, model: &Bayes) -> Vec<Unit> {
    let stream = TokenStream::of(page);
    let score = |at: usize| {
        let parent = stream.tokens.get(at).map_or(0, |token| token.parent);
        model.probability(stream.trigram(at), parent) - 0.5
    };
    stream
        .places
        .iter()
        .map(|place| Unit {
            score: (place.words..place.end).map(score).sum(),
            gap: (place.gap..place.words).map(score).sum(),
        })
        .collect()
}

/// A token of an example.
#[derive(Clone, Copy, Debug)]
struct Event {
    trigram: u64,
    parent: u64,
    content: bool,
}

fn events(example: &Example) -> Vec<Event> {
    let stream = TokenStream::of(example.page);
    let mut events = Vec::with_capacity(stream.tokens.len());
    let mut last = false;
    for (place, label) in stream.places.iter().zip(example.labels) {
        for at in place.gap..place.end {
            events.push(Event {
                trigram: stream.trigram(at),
                parent: stream.tokens.get(at).map_or(0, |token| token.parent),
                content: *label && (last || at >= place.words),
            });
        }
        last = *label;
    }
    events
}

/// Counts of each kind of a feature: in other tokens, in content.
type Counts = FxHashMap<u64, [u32; 2]>;

/// A Naive Bayes classifier of two features.
#[derive(Clone, Debug, Default)]
struct Bayes {
    trigrams: Counts,
    parents: Counts,
    /// Tokens: others, content.
    tokens: [u32; 2],
}

impl Bayes {
    fn count(&mut self, event: &Event) {
        let class = usize::from(event.content);
        let trigram = self.trigrams.entry(event.trigram).or_default();
        let parent = self.parents.entry(event.parent).or_default();
        for counts in [trigram, parent, &mut self.tokens] {
            if let Some(count) = counts.get_mut(class) {
                *count = count.saturating_add(1);
            }
        }
    }

    /// Probability that a token is content.
    fn probability(&self, trigram: u64, parent: u64) -> f64 {
        let [others, content] = self.tokens.map(f64::from);
        let odds =
            (content / others).ln() + self.evidence(&self.trigrams, trigram) + self.evidence(&self.parents, parent);
        1.0 / (1.0 + (-odds).exp())
    }

    /// Log of the likelihood in content over that in other tokens.
    fn evidence(&self, counts: &Counts, kind: u64) -> f64 {
        let kinds = counts.len() as f64 + 1.0;
        let [in_others, in_content] = counts.get(&kind).copied().unwrap_or_default().map(f64::from);
        let [others, content] = self.tokens.map(f64::from);
        ((in_content + 1.0) / (content + kinds) * (others + kinds) / (in_others + 1.0)).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    fn read(html: &str) -> Page {
        ScanEngine.read(html, &Limits::default())
    }

    #[test]
    fn probabilities_by_hand() {
        let mut model = Bayes::default();
        for (trigram, parent, content) in [(1, 7, true), (1, 7, true), (2, 7, true), (1, 8, false)] {
            model.count(&Event { trigram, parent, content });
        }
        // Priors 3/4 and 1/4. Trigram 1: (2+1)/(3+3) in content, (1+1)/(1+3) in others. Parent 7:
        // (3+1)/(3+3) and (0+1)/(1+3). Content .75*.5*.667 = .25, others .25*.5*.25 = .03125: .8889.
        assert!((model.probability(1, 7) - 8.0 / 9.0).abs() < 1e-9);
        // Never seen: 1/6 and 1/4 for both features: .75/36 and .25/16, so 4/7.
        assert!((model.probability(99, 99) - 4.0 / 7.0).abs() < 1e-9);
    }

    #[test]
    fn learned_words_make_the_run() {
        let menu = "<ul><li>Home page</li><li>Sign in</li></ul>";
        let prose = "<p>Dogs were running in 1984.</p><p>Cats slept all day long.</p>";
        let train = read(&format!("{menu}{prose}{menu}"));
        let labels = [false, false, true, true, false, false];
        let example = Example { page: &train, labels: &labels, group: "a" };
        let mut method = MssSupervised::default();
        assert!(matches!(method.extract(&train), Err(MethodError::NotFitted { .. })));
        method.fit(&[example]).unwrap();
        // The prose again with other endings and another number, between the same menus. All trigrams of
        // the paragraphs were seen in content only, and <p> is open around them; those of the menus were
        // seen in other tokens only.
        let page = read(&format!("{menu}<p>Dog were runs in 2024.</p><p>Cat slept all days long.</p>{menu}"));
        let scores = units(&page, method.model.as_ref().unwrap());
        assert!(scores[2].score > 0.0 && scores[3].score > 0.0 && scores[3].gap > 0.0);
        assert!([0, 1, 4, 5].iter().all(|at| scores[*at].score < 0.0), "{scores:?}");
        assert_eq!(method.extract(&page).unwrap(), labels);
    }

    #[test]
    fn gaps_are_content_only_between_content() {
        let page = read("<p>a</p><p>b</p><p>c</p>");
        let of = |labels: [bool; 3]| -> Vec<bool> {
            let example = Example { page: &page, labels: &labels, group: "" };
            events(&example).iter().map(|event| event.content).collect()
        };
        // <p> a </p><p> b </p><p> c
        assert_eq!(of([true, true, false]), [false, true, true, true, true, false, false, false]);
    }

    #[test]
    fn edges() {
        let page = read("<p>one block");
        let mut method = MssSupervised::default();
        for labels in [[true], [false]] {
            let example = Example { page: &page, labels: &labels, group: "a" };
            // The start tag is an other token, so a page of content alone can be learned from.
            assert_eq!(method.fit(&[example]).is_ok(), labels[0]);
        }
        assert!(matches!(method.fit(&[]), Err(MethodError::Nothing { .. })));
        assert!(method.extract(&read("")).unwrap().is_empty());
        assert_eq!(method.extract(&page).unwrap(), [true]);
    }
}
