//! Learns which words tell the type of a page: class names such as `cart`, and words of addresses such as `/forum`.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use trommel_model::features::{TypeWord, TypeWords, address_words};

use super::logistic::{Sample, fit_weighted};
use super::training_pages::Labelled;
use crate::error::LearnError;

/// Minimum number of hosts that use a word; words of fewer hosts get no weights.
// By host, the types of 79 % of the pages of wcxb-dev are found from 10 hosts on, of 76 % from 4 on, of 77 % from 25 on.
const HOSTS: usize = 12;
/// Maximum number of words with weights.
// By host, 400 to 800 words find the types of as many pages of wcxb-dev; without words, those of 70 % are found.
const WORDS: usize = 600;
/// L2 penalty for fitting the weights.
// From .02 to .1 as many types are found, with .3 fewer.
const PENALTY: f64 = 0.05;

/// Pages and hosts with a word.
#[derive(Default)]
struct Uses<'a> {
    /// Indices of the pages among those with a type.
    pages: Vec<usize>,
    hosts: FxHashSet<&'a str>,
}

/// Learns the words that tell the types of these pages; none if the pages have fewer than two types. Pages without a
/// type do not count.
///
/// # Errors
/// Fails if the solver fails.
pub(super) fn learn_type_words(pages: &[&Labelled]) -> Result<TypeWords, LearnError> {
    let typed: Vec<(&Labelled, &str)> =
        pages.iter().filter_map(|page| Some((*page, page.page.gold.page_type.as_deref()?))).collect();
    let types: Vec<&str> = typed.iter().map(|(_, page_type)| *page_type).collect();
    let counts = counts(types.iter().copied());
    let mut uses: FxHashMap<String, Uses> = FxHashMap::default();
    for (at, (page, _)) in typed.iter().enumerate() {
        for word in words_of(page) {
            let uses = uses.entry(word).or_default();
            uses.pages.push(at);
            uses.hosts.insert(page.page.gold.group());
        }
    }
    let shared = uses.into_iter().filter(|(_, uses)| uses.hosts.len() >= HOSTS);
    let mut ranked: Vec<(f64, String, Vec<usize>)> =
        shared.map(|(word, uses)| (strength(&uses.pages, &types, &counts), word, uses.pages)).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    ranked.truncate(WORDS);
    if counts.len() < 2 || ranked.is_empty() {
        return Ok(TypeWords::default());
    }
    let width = ranked.len();
    let mut data = vec![0.0; types.len() * width];
    for (column, (_, _, pages)) in ranked.iter().enumerate() {
        pages.iter().for_each(|page| data[page * width + column] = 1.0);
    }
    let weights = vec![1.0; types.len()];
    let names: Vec<&str> = counts.into_keys().collect();
    let fits = names.par_iter().map(|name| {
        let labels = types.iter().map(|page_type| page_type == name).collect();
        fit_weighted(&Sample { data: data.clone(), labels, width }, &weights, PENALTY)
    });
    let fits = fits.collect::<Result<Vec<_>, _>>()?;
    let words = ranked
        .into_iter()
        .enumerate()
        .map(|(at, (_, word, _))| TypeWord { word, log_odds: fits.iter().map(|fit| fit.weights[at] as f32).collect() });
    Ok(TypeWords { types: names.into_iter().map(str::to_owned).collect(), words: words.collect() })
}

/// Returns the words of a page that may tell its type, each once.
fn words_of(page: &Labelled) -> BTreeSet<String> {
    let html = &page.page.page;
    let mut words: BTreeSet<String> = html.attribute_words.iter().map(|word| html.word_text(word).to_owned()).collect();
    if let Some(url) = page.page.gold.address() {
        address_words(url, |word| _ = words.insert(String::from_utf8_lossy(word).into_owned()));
    }
    words
}

/// Returns the number of pages of each type.
fn counts<'a>(types: impl Iterator<Item = &'a str>) -> BTreeMap<&'a str, f64> {
    let mut counts = BTreeMap::new();
    types.for_each(|name| *counts.entry(name).or_default() += 1.0);
    counts
}

/// Returns how much a word on `pages` tells about their types: by how many standard deviations the pages of a type
/// with the word are more or fewer than by chance, for the type of which this is largest. `of_all` holds the number of
/// all pages of each type.
fn strength(pages: &[usize], types: &[&str], of_all: &BTreeMap<&str, f64>) -> f64 {
    let with_word = counts(pages.iter().filter_map(|page| types.get(*page).copied()));
    let (all, number) = (types.len() as f64, pages.len() as f64);
    let of_type = |(name, count): (&&str, &f64)| {
        let expected = number * count / all;
        let seen = with_word.get(name).copied().unwrap_or(0.0);
        (seen - expected).abs() / (expected * (1.0 - number / all) + 1.0).sqrt()
    };
    of_all.iter().map(of_type).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labelled_pages::{Gold, LabelledPage};
    use crate::test_pages;

    fn page(at: usize, class: &str, path: &str, page_type: &str) -> LabelledPage {
        test_pages::labelled(
            &format!("<div class={class}><p class=text>Some words of page {at}.</div>"),
            Gold {
                record_id: format!("r{at}"),
                url: format!("http://h{at}.example/{path}/{at}"),
                gold: Some("Some words".into()),
                page_type: Some(page_type.into()),
                ..Gold::default()
            },
        )
    }

    #[test]
    fn words_of_a_type_get_weights_and_words_of_few_hosts_none() {
        let mut pages: Vec<LabelledPage> = (0..60)
            .map(|at| match at % 2 {
                0 => page(at, "cart", "shop", "product"),
                _ => page(at, "story", "news", "article"),
            })
            .collect();
        pages.extend((60..71).map(|at| page(at, "rare", "shop", "product")));
        let labelled: Vec<Labelled> =
            pages.iter().map(|page| Labelled::new(page, 0, vec![true], String::new())).collect();
        let all: Vec<&Labelled> = labelled.iter().collect();
        let words = learn_type_words(&all).unwrap();
        assert_eq!(words.types, ["article", "product"]);
        let odds = |wanted: &str| words.words.iter().find(|word| word.word == wanted).map(|word| word.log_odds.clone());
        for (word, sign) in [("cart", -1.0), ("/shop", -1.0), ("story", 1.0), ("/news", 1.0)] {
            let odds = odds(word).unwrap();
            assert!(odds[0] * sign > 0.5 && odds[1] * sign < -0.5, "{word}: {odds:?}");
        }
        assert_eq!(odds("rare"), None);
        // Words of all pages say nothing.
        assert!(odds("text").is_none_or(|odds| odds.iter().all(|odds| odds.abs() < 1e-3)));
        let articles: Vec<&Labelled> = all.iter().copied().filter(|page| page.labels[0]).take(1).collect();
        assert!(learn_type_words(&articles).unwrap().words.is_empty());
    }
}
