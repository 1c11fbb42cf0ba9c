//! Estimates the confidence of a document.

use trommel_text::long_run;

/// Bytes from which a run of ASCII without white space is data rather than a word. The first is for base64;
/// the lower one for runs with signs that words do not have: minified scripts, JSON.
// Longer than the longest words of German; addresses are exempt.
const MIN_DATA_BYTES: usize = 60;
const MIN_SIGNED_DATA_BYTES: u32 = 25;
/// Share of such runs up to which a text is a text that has some, as documentation has code.
const MAX_DATA_SHARE: f32 = 0.4;

/// The confidence in the texts of a document: the word F1 that the model expects of the choice of blocks, less the
/// share of what nobody reads. The model knows where text stands, and not whether it is prose or the
/// data that a server sent as a page. Of no text there is nothing to be confident of.
pub(crate) fn confidence<'a>(expected_f1: f32, texts: impl Iterator<Item = &'a str> + Clone) -> f32 {
    if texts.clone().all(str::is_empty) {
        return 0.0;
    }
    let data = data_share(texts);
    if data <= MAX_DATA_SHARE { expected_f1 } else { expected_f1 * (1.0 - data) }
}

/// Share of the bytes of words that are in runs of data; addresses are none.
pub(crate) fn data_share<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> f32 {
    let words = texts.clone().flat_map(|text| LongWords { text, at: 0 });
    let data: usize = words.filter(|word| is_data(word)).map(str::len).sum();
    if data == 0 {
        return 0.0;
    }
    // Only where there is data at all: most texts have none.
    let signs = |text: &str| text.bytes().filter(|byte| !byte.is_ascii_whitespace()).count();
    data as f32 / texts.map(signs).sum::<usize>().max(1) as f32
}

/// The words of a text, divided by ASCII white space, that have [`MIN_SIGNED_DATA_BYTES`] bytes at least.
struct LongWords<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for LongWords<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let bytes = self.text.as_bytes();
        let start = long_run(bytes, self.at, MIN_SIGNED_DATA_BYTES)?;
        let rest = bytes.get(start..)?;
        let len = rest.iter().position(u8::is_ascii_whitespace);
        let end = start + len.unwrap_or(rest.len());
        self.at = end;
        self.text.get(start..end)
    }
}

fn is_data(word: &str) -> bool {
    let is_address = word.contains("://") || word.starts_with("www.");
    let signs = ['{', '}', '(', ')', '[', ']', ';', '=', '"', '<', '>'];
    let is_long = word.len() >= MIN_DATA_BYTES || word.contains(signs);
    is_long && word.is_ascii() && !is_address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_words_are_those_of_the_plain_division() {
        let words = [
            "a",
            "be",
            "not-so-long-a-word-as-data",
            "{x}",
            "x".repeat(24).as_str(),
            &"y".repeat(25),
            &"z(".repeat(40),
            &"\u{e9}".repeat(13),
        ]
        .map(str::to_owned);
        for first in 0..words.len() {
            for step in 1..words.len() {
                let picked = (0..9).map(|at| words[(first + at * step) % words.len()].as_str());
                let text = picked.collect::<Vec<_>>().join(["\n", "  ", " "][step % 3]);
                let plain = text.split_ascii_whitespace();
                let plain: Vec<&str> = plain.filter(|word| word.len() >= 25).collect();
                let found = LongWords { text: &text, at: 0 };
                assert_eq!(found.collect::<Vec<_>>(), plain);
            }
        }
    }

    #[test]
    fn data_is_not_trusted_and_text_is() {
        let base64 = "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4 ".repeat(20);
        let script = "!function(e,t){\"object\"==typeof exports?module.exports=t():e.lib=t()}(this)";
        for data in [&base64, script] {
            assert!(confidence(0.9, [data].into_iter()) < 0.1, "{data}");
        }
        let prose = "The mill stands by the river, and its wheel has turned there for years. ";
        let quoting = format!("{}{script}", prose.repeat(10));
        let address = format!("https://example.org/{}", "a".repeat(80));
        let chinese = "我在湖南张家界开一个全省教学研究会议".repeat(9);
        for text in [prose, &quoting, &address, &chinese] {
            assert_eq!(confidence(0.9, [text, ""].into_iter()), 0.9, "{text}");
        }
        assert_eq!(confidence(0.9, [""].into_iter()), 0.0);
    }
}
