//! The queries of the retrieval experiment.

use std::collections::{HashMap, HashSet};

use tantivy::tokenizer::{TokenStream, Tokenizer};
use trommel::index::ScriptTokenizer;

use super::Item;

/// Words of a query by words of the gold.
const WORDS: usize = 5;
/// Different words that a sentence has at least.
const SENTENCE: usize = 8;

/// A query, and the one page that it is for.
pub struct Query<'a> {
    pub id: &'a str,
    pub typed: String,
}

/// The title of every page that has content and whose title has two words or more and is that of no
/// other page.
pub fn by_title(items: &[Item]) -> Vec<Query<'_>> {
    let mut count: HashMap<Vec<String>, usize> = HashMap::new();
    for item in items {
        *count.entry(terms(&item.title)).or_default() += 1;
    }
    let items = items.iter().filter(|item| !item.gold.is_empty());
    let queries = items.filter_map(|item| {
        let terms = terms(&item.title);
        let unique = terms.len() > 1 && count.get(&terms) == Some(&1);
        unique.then(|| query(&item.id, &item.title))
    });
    queries.collect()
}

/// The five rarest words of one sentence of the gold, chosen by the page's id: rare by the number of
/// golds that have them, of equals the first. Only sentences of eight different words or more count.
pub fn by_words(items: &[Item]) -> Vec<Query<'_>> {
    let mut golds: HashMap<String, usize> = HashMap::new();
    for item in items {
        for term in terms(&item.gold).into_iter().collect::<HashSet<_>>() {
            *golds.entry(term).or_default() += 1;
        }
    }
    let queries = items.iter().filter_map(|item| {
        let sentences = item.gold.split(['.', '!', '?', '。', '！', '？', '\n']);
        let sentences: Vec<Vec<(String, &str)>> =
            sentences.map(words).filter(|words| words.len() >= SENTENCE).collect();
        let number = item
            .id
            .bytes()
            .fold(0xCBF2_9CE4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3));
        let at = usize::try_from(number % (sentences.len() as u64).max(1)).ok()?;
        let mut words = sentences.get(at)?.clone();
        words.sort_by_key(|(term, _)| golds.get(term).copied().unwrap_or_default());
        let words = words.iter().take(WORDS).map(|(_, word)| *word);
        Some(query(&item.id, &words.collect::<Vec<_>>().join(" ")))
    });
    queries.collect()
}

/// The different terms of a sentence, each with the word that it stands for.
fn words(sentence: &str) -> Vec<(String, &str)> {
    let (mut tokenizer, mut seen, mut words) = (ScriptTokenizer::QUERY, HashSet::new(), Vec::new());
    tokenizer.token_stream(sentence).process(&mut |token| {
        if let Some(word) = sentence.get(token.offset_from..token.offset_to)
            && seen.insert(token.text.clone())
        {
            words.push((token.text.clone(), word));
        }
    });
    words
}

/// Signs of the query language are no words, so nothing is lost with them.
fn query<'a>(id: &'a str, text: &str) -> Query<'a> {
    let plain = |c: char| if matches!(c, '"' | '+' | '-') { ' ' } else { c };
    Query { id, typed: text.chars().map(plain).collect() }
}

/// The terms of a text.
pub fn terms(text: &str) -> Vec<String> {
    let mut tokenizer = ScriptTokenizer::QUERY;
    let mut terms = Vec::new();
    let mut stream = tokenizer.token_stream(text);
    stream.process(&mut |token| terms.push(token.text.clone()));
    terms
}
