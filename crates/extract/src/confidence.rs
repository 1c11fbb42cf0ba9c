//! How much a document can be trusted.

/// Bytes from which a run of ASCII without white space is data rather than a word: base64; and fewer
/// if there are signs in it that words do not have: minified scripts, JSON.
const DATA_RUN: usize = 60;
const SIGNED_RUN: usize = 25;
/// Share of such runs up to which a text is a text that has some, as documentation has code.
const SOME_DATA: f32 = 0.4;

/// The confidence in a text: the word F1 that the model expects of the choice of blocks, less the
/// share of what nobody reads. The model knows where text stands, and not whether it is prose or the
/// data that a server sent as a page.
pub(crate) fn confidence(expected_f1: f32, text: &str) -> f32 {
    let data = data_share(text);
    if data <= SOME_DATA {
        expected_f1
    } else {
        expected_f1 * (1.0 - data)
    }
}

/// Share of the bytes of a text's words that are in runs of data; addresses are none.
pub(crate) fn data_share(text: &str) -> f32 {
    if !has_long_word(text.as_bytes(), SIGNED_RUN) {
        return 0.0;
    }
    let (mut all, mut data) = (0usize, 0usize);
    for word in text.split_ascii_whitespace() {
        all += word.len();
        // Few words are so long that they have to be looked at.
        if word.len() >= SIGNED_RUN && is_data(word) {
            data += word.len();
        }
    }
    data as f32 / all.max(1) as f32
}

/// Whether at least so many bytes stand together without ASCII white space.
pub(crate) fn has_long_word(text: &[u8], least: usize) -> bool {
    // Looked at from the end of where the next could be: most bytes are passed over.
    let mut from = 0;
    while let Some(word) = text.get(from..from + least) {
        match word.iter().rposition(u8::is_ascii_whitespace) {
            Some(space) => from += space + 1,
            None => return true,
        }
    }
    false
}

fn is_data(word: &str) -> bool {
    let is_address = word.contains("://") || word.starts_with("www.");
    let signs = ['{', '}', '(', ')', '[', ']', ';', '=', '"', '<', '>'];
    let is_long = word.len() >= DATA_RUN || word.contains(signs);
    is_long && word.is_ascii() && !is_address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_not_trusted_and_text_is() {
        let base64 = "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4 ".repeat(20);
        let script =
            "!function(e,t){\"object\"==typeof exports?module.exports=t():e.lib=t()}(this)";
        for data in [&base64, script] {
            assert!(confidence(0.9, data) < 0.1, "{data}");
        }
        let prose = "The mill stands by the river, and its wheel has turned there for years. ";
        let quoting = format!("{}{script}", prose.repeat(10));
        let address = format!("https://example.org/{}", "a".repeat(80));
        let chinese = "我在湖南张家界开一个全省教学研究会议".repeat(9);
        for text in [prose, &quoting, &address, &chinese, ""] {
            assert_eq!(confidence(0.9, text), 0.9, "{text}");
        }
    }
}
