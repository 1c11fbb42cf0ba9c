//! Drops machine-readable data, such as JSON and ids, that a script left on the page.

use trommel_html::{Block, ElementKinds, Page};
use trommel_text::long_run;

use crate::confidence::data_share;
use crate::kept::KeptBlocks as _;

/// Bytes from which on a block may be data.
// Shorter data is an id or a token within a text.
const MIN_BYTES: usize = 200;
/// Bytes without white space at its beginning that speak for it.
const MIN_RUN_BYTES: u32 = 25;
/// Bytes of its words in the mean: those of code are shorter.
// Without it the rule took shell code, whose words are short.
const MIN_MEAN_WORD_BYTES: usize = 16;
/// Share of data from which on a block is data.
// Documentation that quotes keys and hashes has less.
const MIN_DATA_SHARE: f32 = 0.6;
/// Words of other blocks that must be left: where there is nothing else, the data is what the page is.
const MIN_OTHER_WORDS: u32 = 20;

/// Takes blocks of data out of `kept` (one entry a block). Code may be data and stays.
pub(crate) fn drop_data(page: &Page, kept: &mut [bool]) {
    let mut drop = Vec::new();
    let mut rest = 0u32;
    for (at, block) in page.blocks.iter().enumerate() {
        if !kept.has(at) {
            continue;
        }
        if is_data(page, block) {
            drop.push(at);
        } else {
            rest = rest.saturating_add(block.words);
        }
    }
    if rest < MIN_OTHER_WORDS {
        return;
    }
    kept.leave_out(drop);
}

fn is_data(page: &Page, block: &Block) -> bool {
    let text = page.text(block);
    let Some(start) = text.as_bytes().get(..MIN_BYTES) else { return false };
    let spaces = || text.bytes().filter(u8::is_ascii_whitespace).count();
    // The beginning first: most blocks fail here, before all of their bytes are counted.
    long_run(start, 0, MIN_RUN_BYTES).is_some()
        && (spaces() + 1) * MIN_MEAN_WORD_BYTES <= text.len()
        && data_share(std::iter::once(text)) >= MIN_DATA_SHARE
        && !page.kinds_around(block).contains(ElementKinds::CODE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, LolEngine};

    fn kept(html: &str) -> Vec<bool> {
        let page = LolEngine.read(html, &Limits::default());
        let mut kept = vec![true; page.blocks.len()];
        drop_data(&page, &mut kept);
        kept
    }

    #[test]
    fn data_among_text_is_dropped() {
        let data = format!("{{\"asins\":[{}\"x\"]}}", "\"B0CXGXT6W8\",".repeat(40));
        let prose = "The mill stands by the river, and its wheel has turned there for years. ".repeat(3);
        let page = |around: &str| format!("<p>{prose}</p><{around}>{data}</{around}>");
        assert_eq!(kept(&page("div")), [true, false]);
        assert_eq!(kept(&page("pre")), [true, true]);
        let code = r#"sed -i "s/version=.*/version=$V/g" src/main/version/file.txt "#.repeat(6);
        assert_eq!(kept(&format!("<p>{prose}</p><p>{code}</p>")), [true, true]);
        assert_eq!(kept(&format!("<div>{data}</div>")), [true]);
        let links = "https://example.org/a/long/path/of/a/page ".repeat(9);
        assert_eq!(kept(&format!("<p>{prose}</p><p>{links}</p>")), [true, true]);
    }
}
