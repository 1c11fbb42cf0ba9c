//! Finds texts in a page's JSON-LD or script data that are not among its blocks. They have features of their own,
//! because a text in a script has no place among the elements.

use rustc_hash::{FxHashMap, FxHashSet};
use trommel_html::json_ld::{Content, ContentProperty, ContentSubject};
use trommel_html::{Block, Page, hydration::payload_text};
use trommel_text::TextMasks;

use crate::features::hashes::{hashes, phrases, push_hashes};
use crate::features::log::{flag, log};
use crate::features::scratch::{Scratch, count_work};
use crate::{features::facts::shape::Shape, features::facts::terms::Sieve};

/// Number of words in a phrase; a text is taken to be repeated on the page if enough of its phrases are.
// Single words of a text occur on nearly every page; four in a row hardly do unless the text does.
const PHRASE_WORDS: usize = 4;
/// Minimum number of words of a text of JSON-LD or scripts; shorter ones are ignored, as labels that occur anywhere.
const MIN_WORDS: usize = 5;
/// Share (0 to 1) of a JSON-LD text's phrases found in the page's blocks from which it is dropped as a repetition.
// Not all of them: sites shorten or edit the text between its two copies.
const COVERED_SHARE: f32 = 0.5;
/// Share of a summary's words found in the meta descriptions (0 to 1) from which the summary is left out as metadata.
// Otherwise the description of a page, which is metadata, would come out as its text.
const DESCRIBED_SHARE: f32 = 0.9;
/// Share (0 to 1) of words in scripts without spaces, such as Chinese, above which a text counts as unspaced.
const UNSPACED_SHARE: f32 = 0.3;

/// Number of words of a page from which its script data is ignored: a page with that much text is no empty shell, and
/// its script data repeats other pages.
// A looser test (lines of eight words below 50 words) took six pages of wcxb-dev, and all six became worse.
const MAX_SHELL_WORDS: u64 = 100;

/// Names of the features of a text that was found in a page's JSON-LD or script data.
// By hand: each comment stands above what it tells of.
#[rustfmt::skip]
pub const EMBEDDED_COLUMNS: [&str; 20] = [
    // The property and what the text is about, 0 or 1.
    "candidate.article_body", "candidate.article_description", "candidate.product_description", "candidate.posting",
    "candidate.comment",
    // Logarithm of its words, and its sentence marks a word.
    "candidate.log_words", "candidate.sentence_marks",
    // Whether it ends as a sentence does, or is cut off with an ellipsis.
    "candidate.ends_sentence", "candidate.ellipsis",
    // Whether it was written with markup, and has more than one line.
    "candidate.markup", "candidate.lines",
    // Whether it is in a script without spaces.
    "candidate.unspaced",
    // Share of its phrases among the blocks, and of its words in the meta descriptions.
    "candidate.coverage", "candidate.described",
    // Logarithm of the number of embedded texts of its kind, and its rank among all from 0 on.
    "candidate.log_siblings", "candidate.log_rank",
    // Logarithm of the words of the page's blocks, of those in prose, and of the longest run of prose.
    "candidate.log_page_words", "candidate.log_page_prose", "candidate.log_longest_prose",
    // Its words against those of prose: w / (w + prose).
    "candidate.share",
];

/// A text of a page's JSON-LD or script data that no block repeats.
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddedText {
    /// Text with its JSON-LD property, type and source span.
    pub content: Content,
    /// Number of words in the text.
    pub words: u32,
    /// Share of the text's four-word phrases that occur in the page's blocks, from 0 to below 0.5.
    pub coverage: f32,
    /// Feature values, one for each name in [`EMBEDDED_COLUMNS`].
    pub features: [f32; EMBEDDED_COLUMNS.len()],
}

/// Returns the texts of a page's JSON-LD or script data that no block repeats, in document order. Takes time and memory
/// linear in the page and its JSON-LD.
pub fn embedded_texts(page: &Page) -> Vec<EmbeddedText> {
    // JSON-LD first: a page with a body in it is no shell, and the data of its scripts need not be searched.
    let mut contents = page.json_ld().contents();
    if !page.head.payloads.is_empty() && is_shell(page, &contents) {
        contents.extend(hydration(page));
    }
    if contents.is_empty() {
        return Vec::new();
    }
    among(page, contents, &vec![false; page.blocks.len()])
}

/// Returns whether a script fills the page: it has next to no words and no article body in its JSON-LD.
fn is_shell(page: &Page, contents: &[Content]) -> bool {
    let is_body = |content: &Content| content.property == ContentProperty::ArticleBody;
    let words: u64 = page.blocks.iter().map(|block| u64::from(block.words)).sum();
    words < MAX_SHELL_WORDS && !contents.iter().any(is_body)
}

/// Returns the text in the data from which a script builds the page; `None` if there is none.
fn hydration(page: &Page) -> Option<Content> {
    let text = payload_text(&page.head.payloads)?;
    Some(Content {
        // No markup says what the data is about. On a shell it takes the place of the article.
        property: ContentProperty::Hydration,
        subject: ContentSubject::Article,
        type_name: text.name.to_owned(),
        text: text.text,
        has_markup: text.has_markup,
        span: text.span,
    })
}

/// Returns the JSON-LD texts that would be new if the page lacked the blocks that repeat them, as pages do that a
/// script fills. Also returns one flag per block, true if it repeats JSON-LD. `None` if no block does.
pub fn embedded_texts_if_hidden(page: &Page) -> Option<(Vec<EmbeddedText>, Vec<bool>)> {
    let contents = page.json_ld().contents();
    let mut known: FxHashSet<u64> = FxHashSet::default();
    for content in &contents {
        // Learning needs pages whose text a script writes: these are pages that show it, without the blocks that repeat
        // it.
        known.extend(phrases::<PHRASE_WORDS>(&hashes(&content.text)));
    }
    if known.is_empty() {
        return None;
    }
    let hidden: Vec<bool> = page
        .blocks
        .iter()
        .map(|block| share_met(&hashes(page.text(block)), |phrase| known.contains(phrase)) > COVERED_SHARE)
        .collect();
    hidden.contains(&true).then(|| (among(page, contents, &hidden), hidden))
}

/// Returns the share of the four-word phrases of `text` that occur in `within`, 0..=1.
pub fn phrase_share(text: &str, within: &str) -> f32 {
    let within: FxHashSet<u64> = phrases::<PHRASE_WORDS>(&hashes(within)).collect();
    share_met(&hashes(text), |phrase| within.contains(phrase))
}

/// Returns the share (0..=1) of a text's four-word phrases for which `is_met` is true, given the hashes of its words.
fn share_met(words: &[u64], is_met: impl Fn(&u64) -> bool) -> f32 {
    let all = phrases::<PHRASE_WORDS>(words);
    let number = all.len().max(1);
    all.filter(is_met).count() as f32 / number as f32
}

/// Returns whether a text only describes its page, as the description of an article does.
fn is_summary(content: &Content) -> bool {
    // The description of a product is the text of its page; that of an article only announces it.
    content.property == ContentProperty::Description && content.subject != ContentSubject::Product
}

/// Numbers of words in a page's visible blocks: all, in prose, and in the longest prose of one block.
#[derive(Default)]
struct PageWords {
    words: u32,
    prose: u32,
    longest: u32,
}

/// Returns the hashes of the words in the meta descriptions of a page's head.
fn described_words(page: &Page) -> FxHashSet<u64> {
    let texts = ["description", "og:description", "twitter:description"].map(|name| page.head.meta(name));
    texts.into_iter().flatten().flat_map(|text| hashes(text).to_vec()).collect()
}

/// Returns the share of the word hashes `words` that are among `others`, 0..=1.
fn share_among(words: &[u64], others: &FxHashSet<u64>) -> f32 {
    words.iter().filter(|word| others.contains(word)).count() as f32 / words.len().max(1) as f32
}

/// A text, the hashes of its words, and the share of its phrases that occur on the page (0 to 1).
type Covered = (Content, Scratch<u64>, f32);

fn among(page: &Page, contents: Vec<Content>, hidden: &[bool]) -> Vec<EmbeddedText> {
    let described = described_words(page);
    let texts: Vec<(Content, Scratch<u64>)> = contents
        .into_iter()
        .map(|content| {
            let words = hashes(&content.text);
            (content, words)
        })
        .filter(|(content, words)| {
            let repeats = is_summary(content) && share_among(words, &described) >= DESCRIBED_SHARE;
            words.len() >= MIN_WORDS && !repeats
        })
        .collect();
    if texts.is_empty() {
        return Vec::new();
    }
    let masks = TextMasks::of(page.texts());
    let shown = page.blocks.iter().zip(hidden);
    let shown = shown.filter(|(_, hidden)| !**hidden).map(|(block, _)| block);
    let met = met_phrases(page, &masks, shown.clone(), &texts);
    // The rest is computed for what is left only: on most pages all texts stand among the blocks.
    let kept: Vec<Covered> = texts
        .into_iter()
        .filter_map(|(content, words)| {
            let coverage = share_met(&words, |phrase| met.get(phrase) == Some(&true));
            (coverage < COVERED_SHARE).then_some((content, words, coverage))
        })
        .collect();
    if kept.is_empty() {
        return Vec::new();
    }
    let mut around = PageWords::default();
    for block in shown {
        let part = page.text_range(block);
        let prose = Shape::within(page.texts(), &masks, part).prose_words(block);
        around.words += block.words;
        around.prose += prose;
        around.longest = around.longest.max(prose);
    }
    with_features(kept, &described, &around)
}

/// Maps each phrase of `texts` to whether one of the `shown` blocks contains it.
fn met_phrases<'a>(
    page: &Page,
    masks: &TextMasks,
    shown: impl Iterator<Item = &'a Block>,
    texts: &[(Content, Scratch<u64>)],
) -> FxHashMap<u64, bool> {
    // Whether each phrase of the texts was met on the page.
    let mut met: FxHashMap<u64, bool> = FxHashMap::default();
    for (_, words) in texts {
        met.extend(phrases::<PHRASE_WORDS>(words).map(|phrase| (phrase, false)));
    }
    // Nearly all phrases of a page are in none of the texts: a bit tells most of them without a look into the table.
    let mut sieve = Sieve::with_capacity(met.len());
    met.keys().for_each(|phrase| sieve.put(*phrase));
    let mut block_words: Vec<u64> = Vec::new();
    for block in shown {
        let part = page.text_range(block);
        count_work(part.len());
        // Most blocks are too short for a phrase.
        if block.words as usize >= PHRASE_WORDS {
            block_words.clear();
            push_hashes(page.texts(), masks, part, &mut block_words);
            for phrase in phrases::<PHRASE_WORDS>(&block_words).filter(|phrase| sieve.may_have(*phrase)) {
                if let Some(met) = met.get_mut(&phrase) {
                    *met = true;
                }
            }
        }
    }
    met
}

fn with_features(kept: Vec<Covered>, described: &FxHashSet<u64>, around: &PageWords) -> Vec<EmbeddedText> {
    let mut siblings: FxHashMap<(ContentProperty, ContentSubject), u32> = FxHashMap::default();
    for (content, _, _) in &kept {
        *siblings.entry((content.property, content.subject)).or_default() += 1;
    }
    (0u32..)
        .zip(kept)
        .map(|(rank, (content, words, coverage))| {
            let kind = (content.property, content.subject);
            let same = siblings.get(&kind).copied().unwrap_or_default();
            let total = words.len() as f32;
            let shape = Shape::of(&content.text);
            let is = |property, subject| flag(kind == (property, subject));
            let features = [
                // What a script builds the page from is the page's own text as an article's body is.
                flag(matches!(kind.0, ContentProperty::ArticleBody | ContentProperty::Hydration)),
                is(ContentProperty::Description, ContentSubject::Article),
                is(ContentProperty::Description, ContentSubject::Product),
                flag(kind.1 == ContentSubject::Posting),
                flag(kind.1 == ContentSubject::Comment),
                log(words.len() as f64),
                shape.sentence_marks as f32 / total,
                flag(shape.ends_sentence),
                flag(content.text.ends_with('…') || content.text.ends_with("...")),
                flag(content.has_markup),
                flag(content.text.contains('\n')),
                flag(shape.unspaced as f32 > UNSPACED_SHARE * total),
                coverage,
                share_among(&words, described),
                log(same),
                log(rank),
                log(around.words),
                log(around.prose),
                log(around.longest),
                total / (total + around.prose as f32),
            ];
            EmbeddedText { words: words.len() as u32, content, coverage, features }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    const STORY: &str = "The old bridge was closed on Monday after cracks were found in its pillars.";

    fn page(body: &str) -> Page {
        let html = format!(
            "<meta name=description content='The old bridge'><script type=application/ld+json>\
             [{{\"@type\":\"NewsArticle\",\"articleBody\":\"<p>{STORY}</p>\",\"description\":\"No bridge…\"}},\
             {{\"@type\":\"Product\",\"description\":\"Planks of oak, sawn by hand...\"}}]</script>{body}"
        );
        ScanEngine.read(&html, &Limits::default())
    }

    fn value(embedded: &EmbeddedText, name: &str) -> f32 {
        let at = EMBEDDED_COLUMNS.iter().position(|column| column.ends_with(name));
        embedded.features[at.unwrap()]
    }

    #[test]
    fn what_no_block_says_is_a_candidate() {
        let found = embedded_texts(&page("<p>Menu</p>"));
        assert_eq!(found.len(), 2, "a text of two words is none");
        let body = &found[0];
        assert_eq!((body.content.text.as_str(), body.words), (STORY, 14));
        assert_eq!(
            ["article_body", "markup", "ends_sentence", "ellipsis", "share"].map(|n| value(body, n)),
            [1.0, 1.0, 1.0, 0.0, 1.0]
        );
        assert_eq!(value(body, "described"), 3.0 / 14.0);
        assert_eq!(["product_description", "ellipsis", "log_rank"].map(|n| value(&found[1], n)), [1.0, 1.0, 2f32.ln()]);
    }

    #[test]
    fn what_blocks_say_is_none() {
        let shown = page(&format!("<p>Menu</p><p>{STORY}</p>"));
        let found = embedded_texts(&shown);
        assert_eq!(found.len(), 1);
        assert!(value(&found[0], "share") < 0.5);
        let (found, hidden) = embedded_texts_if_hidden(&shown).unwrap();
        assert_eq!((found.len(), hidden), (2, vec![false, true]));
        assert_eq!(value(&found[0], "share"), 1.0);
        assert!(embedded_texts_if_hidden(&page("<p>Menu")).is_none());
    }

    #[test]
    fn data_of_scripts_counts_in_a_shell_alone() {
        let text = "The mill stands by the river and turns. ".repeat(8);
        let script = format!("<script id=__NEXT_DATA__>{{\"body\":\"{text}\"}}</script>");
        let found = |html: &str| {
            let page = ScanEngine.read(&(script.clone() + html), &Limits::default());
            embedded_texts(&page)
        };
        let texts = found("<p>Loading");
        assert_eq!((texts.len(), texts[0].words), (1, 64));
        assert_eq!(texts[0].content.property, ContentProperty::Hydration);
        assert_eq!(value(&texts[0], "article_body"), 1.0);
        assert!(found(&"<p>one <a href=x>link</a>".repeat(50)).is_empty());
        let body = "<script type=application/ld+json>{\"@type\":\"Article\",\"articleBody\":\"a b c d e f\"}</script>";
        let texts = found(body);
        assert_eq!(texts[0].content.property, ContentProperty::ArticleBody);
        assert_eq!(texts.len(), 1);
    }

    #[test]
    fn a_page_without_json_ld_has_none() {
        let page = ScanEngine.read("<p>a b c d e f", &Limits::default());
        assert!(embedded_texts(&page).is_empty() && embedded_texts_if_hidden(&page).is_none());
        assert_eq!(phrase_share("A b c d", "x a b c d"), 1.0);
        assert_eq!(phrase_share("a b", "a b"), 0.0);
    }
}
