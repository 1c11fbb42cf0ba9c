//! Computes features of words that tell the type of a page: class names such as `cart`, and words of its address.

use trommel_html::Page;
use trommel_text::word_hash;

use crate::features::facts::PageFacts;
use crate::features::groups::Fill;
use crate::features::lexicon::Lexicon;

/// Prefix of a word of an address, by which it differs from the same word in an attribute.
const ADDRESS_MARK: u8 = b'/';
/// Maximum number of words of an address that are read.
const MAX_WORDS: usize = 32;
/// Maximum number of words in a segment of the path; a longer segment repeats a title and is left out.
const MAX_SEGMENT_WORDS: usize = 2;

/// Passes each word of a page's address to `give`, in lower case behind a slash: `/forum` and `/topic`. These are the
/// words of the host, of the query, and of the short segments of the path.
pub fn address_words(url: &str, mut give: impl FnMut(&[u8])) {
    let Some((_, rest)) = url.split_once("://") else { return };
    let rest = rest.split('#').next().unwrap_or_default();
    let mut left = MAX_WORDS;
    let mut word = Vec::new();
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic();
    for (at, part) in rest.split(['/', '?']).enumerate() {
        let words = || part.as_bytes().split(|byte| !is_letter(byte)).filter(|word| !word.is_empty());
        let is_short = at == 0 || part.contains('=') || words().nth(MAX_SEGMENT_WORDS).is_none();
        for letters in words().filter(|_| is_short) {
            if left == 0 {
                return;
            }
            left -= 1;
            word.clear();
            word.push(ADDRESS_MARK);
            word.extend(letters.iter().map(u8::to_ascii_lowercase));
            give(&word);
        }
    }
}

/// Returns the log odds of each page type by the words of a page that have weights, each word once.
fn log_odds(page: &Page, url: Option<&str>, lexicon: &Lexicon) -> Vec<f32> {
    let words = &lexicon.type_words;
    let mut sums = vec![0.0; words.types.len()];
    let mut seen = vec![false; words.words.len()];
    let mut see = |hash: u64| {
        let Some(at) = lexicon.type_word(hash) else { return };
        let Some(seen) = seen.get_mut(at).filter(|seen| !**seen) else { return };
        *seen = true;
        let log_odds = words.words.get(at).map(|word| &word.log_odds);
        sums.iter_mut().zip(log_odds.into_iter().flatten()).for_each(|(sum, odds)| *sum += odds);
    };
    page.attribute_words.iter().for_each(|word| see(word.hash));
    if let Some(url) = url {
        address_words(url, |word| see(word_hash(word)));
    }
    sums
}

pub(super) fn type_words<'a>(facts: &PageFacts) -> Fill<'a> {
    let values = log_odds(facts.page, facts.url, facts.lexicon);
    Box::new(move |_, out| values.iter().for_each(|value| out.put_constant(*value)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::{FeatureGroup, Schema, TypeWord, TypeWords};
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn addresses_give_words_of_hosts_short_segments_and_queries() {
        let words = |url: &str| {
            let mut all = Vec::new();
            address_words(url, |word| all.push(String::from_utf8_lossy(word).into_owned()));
            all
        };
        assert_eq!(
            words("https://Forum.a.example/view-topic.php/the-story-of-a-day?t=12&Page=2#top"),
            ["/forum", "/a", "/example", "/t", "/page"]
        );
        assert_eq!(words("https://a.example/shop/red-shoes/12"), ["/a", "/example", "/shop", "/red", "/shoes"]);
        assert_eq!(words("no address"), [""; 0]);
        assert_eq!(words(&format!("http://a.example/{}", "b/".repeat(100))).len(), MAX_WORDS);
    }

    #[test]
    fn each_word_counts_once_whoever_has_it() {
        let word = |word: &str, log_odds: [f32; 2]| TypeWord { word: word.into(), log_odds: log_odds.into() };
        let words = TypeWords {
            types: vec!["forum".into(), "product".into()],
            words: vec![word("cart", [-1.0, 2.0]), word("post", [1.5, 0.0]), word("/forum", [4.0, -3.0])],
        };
        let schema = Schema::with_type_words(&[FeatureGroup::TypeWords], &[], &[], &[], &words);
        assert_eq!(schema.names(), ["type_words.forum", "type_words.product"]);
        let page = ScanEngine.read("<div class=cart><p class='cart forum'>a<p id=post>b</div>", &Limits::default());
        let row = |url: Option<&str>| schema.rows(&page, url).iter().next().map(<[f32]>::to_vec);
        assert_eq!(row(None), Some(vec![0.5, 2.0]));
        assert_eq!(row(Some("https://forum.example/forum/")), Some(vec![4.5, -1.0]));
    }
}
