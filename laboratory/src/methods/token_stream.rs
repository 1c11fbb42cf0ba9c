//! The page as a stream of tokens: stemmed words and the tags between blocks.

use rustc_hash::FxHashMap;
use snowball_stemmers_rs::{Algorithm, Stemmer};
use trommel_html::{Block, Element, Page};
use trommel_text::hash;
use trommel_text::words::{Rule, words};

/// Maximum bytes of a word that is stemmed.
const LONGEST: usize = 64;

/// A word or a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StreamToken {
    /// Hash of what it is.
    pub form: u64,
    /// Hash of the name of the nearest element that is open around it; 0 outside of all.
    pub parent: u64,
}

/// Place of the tokens of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TokenSpan {
    /// First token of the tags between the block before and this one.
    pub gap: usize,
    /// First word of the block.
    pub words: usize,
    /// One past its last word.
    pub end: usize,
}

/// The tokens of a page in order.
///
/// Words are in lower case, numbers are all one form, and words of ASCII letters are stemmed by
/// Porter's algorithm. Of the tags, the start and end tags of the element table between the end of one
/// block and the start of the next are tokens (so neither `br` nor what stands in the head); where tags
/// stand among the words of a block is not in the tables. What follows the last block is left out.
#[derive(Debug, Default)]
pub(crate) struct TokenStream {
    pub tokens: Vec<StreamToken>,
    /// Places of the tokens of each block.
    pub places: Vec<TokenSpan>,
}

impl TokenStream {
    /// Reads a page, in time linear in its text and elements.
    pub(crate) fn of(page: &Page) -> TokenStream {
        let mut builder =
            Builder { page, names: FxHashMap::default(), open: Vec::new(), last: (0, 0), tokens: Vec::new() };
        let mut stems = Stems::default();
        let mut places = Vec::with_capacity(page.blocks.len());
        let mut elements = page.elements.iter().zip(0u32..).peekable();
        for block in &page.blocks {
            let gap = builder.tokens.len();
            while let Some((element, at)) = elements.next_if(|(element, _)| element.start < block.span.0) {
                builder.start(element, at);
            }
            builder.close_up_to(block.element);
            let words = builder.tokens.len();
            builder.words(block, &mut stems);
            let end = builder.tokens.len();
            places.push(TokenSpan { gap, words, end });
            builder.last = block.span;
        }
        TokenStream { tokens: builder.tokens, places }
    }

    /// Hash of a token and its two successors; 0 stands for those beyond the end.
    pub(crate) fn trigram(&self, at: usize) -> u64 {
        let mut bytes = [0u8; 24];
        for (part, token) in bytes.chunks_exact_mut(8).zip(self.tokens.get(at..).unwrap_or_default()) {
            part.copy_from_slice(&token.form.to_le_bytes());
        }
        hash(&bytes)
    }
}

struct Builder<'a> {
    page: &'a Page,
    /// Hashes of the names of elements, by the element's index among those open.
    names: FxHashMap<&'a str, u64>,
    /// Open elements, outermost first.
    open: Vec<u32>,
    /// Span of the block before: tags inside are no tokens.
    last: (u32, u32),
    tokens: Vec<StreamToken>,
}

impl<'a> Builder<'a> {
    fn name(&mut self, element: &'a Element) -> u64 {
        let name = self.page.name(element);
        *self.names.entry(name).or_insert_with(|| hash(name.as_bytes()))
    }

    /// Hash of the name of the innermost open element.
    fn parent(&mut self) -> u64 {
        let page = self.page;
        match self.open.last().and_then(|at| page.element(*at)) {
            Some(element) => self.name(element),
            None => 0,
        }
    }

    fn start(&mut self, element: &'a Element, at: u32) {
        self.close_up_to(element.parent);
        if element.start >= self.last.1 {
            // Start tags, end tags and words must not share hashes.
            let form = self.name(element).rotate_left(1);
            let parent = self.parent();
            self.tokens.push(StreamToken { form, parent });
        }
        self.open.push(at);
    }

    /// Ends open elements until the one at index `at` is the innermost.
    fn close_up_to(&mut self, at: u32) {
        let page = self.page;
        while let Some(element) = self.open.pop_if(|open| *open != at) {
            let Some(element) = page.element(element) else {
                continue;
            };
            let inside = element.start >= self.last.0 && element.start < self.last.1;
            if !inside && !element.tag.is_void() {
                let form = self.name(element).rotate_left(2);
                let parent = self.parent();
                self.tokens.push(StreamToken { form, parent });
            }
        }
    }

    fn words(&mut self, block: &Block, stems: &mut Stems) {
        let parent = self.parent();
        let text = self.page.text(block);
        self.tokens.extend(words(text, Rule::Characters).map(|word| StreamToken { form: stems.form(word), parent }));
    }
}

/// Hashes of the stems of words; each word is stemmed once.
#[derive(Debug, Default)]
struct Stems {
    known: FxHashMap<u64, u64>,
}

impl Stems {
    fn form(&mut self, word: &str) -> u64 {
        *self.known.entry(hash(word.as_bytes())).or_insert_with(|| hash(normal(word).as_bytes()))
    }
}

/// `#` for a number; else the word in lower case and stemmed.
fn normal(word: &str) -> String {
    if word.chars().all(char::is_numeric) {
        return "#".to_owned();
    }
    let lower = word.to_lowercase();
    if lower.len() <= LONGEST && lower.bytes().all(|byte| byte.is_ascii_lowercase()) {
        Stemmer::create(Algorithm::Porter).stem(&lower).into_owned()
    } else {
        lower
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn words_are_stemmed_and_numbers_alike() {
        assert_eq!(normal("Running"), "run");
        // Porter's own algorithm, not its successor (which gives "general").
        assert_eq!(normal("generally"), "gener");
        assert_eq!((normal("1984"), normal("٣")), ("#".to_owned(), "#".to_owned()));
        assert_eq!((normal("h264"), normal("ÉTÉ")), ("h264".to_owned(), "été".to_owned()));
        assert_eq!(normal("我"), "我");
    }

    #[test]
    fn tags_stand_between_blocks() {
        let page =
            ScanEngine.read("<body><div><p>a <b>b</b> c</p><img><br></div><p><i>12</i></p></body>", &Limits::default());
        let stream = TokenStream::of(&page);
        let name = |name: &str| hash(name.as_bytes());
        let start = |text: &str| name(text).rotate_left(1);
        let end = |text: &str| name(text).rotate_left(2);
        let expected = [
            (start("body"), 0),
            (start("div"), name("body")),
            (start("p"), name("div")),
            // The tags of <b> are inside the block.
            (name("a"), name("p")),
            (name("b"), name("p")),
            (name("c"), name("p")),
            (end("p"), name("div")),
            (start("img"), name("div")),
            (end("div"), name("body")),
            (start("p"), name("body")),
            (start("i"), name("p")),
            (name("#"), name("i")),
        ];
        let tokens: Vec<(u64, u64)> = stream.tokens.iter().map(|t| (t.form, t.parent)).collect();
        assert_eq!(tokens, expected);
        let place = |gap, words, end| TokenSpan { gap, words, end };
        assert_eq!(stream.places, [place(0, 3, 6), place(6, 11, 12)]);
        // "c" </p> <img> and the last word, followed by nothing.
        let bytes = |forms: [u64; 3]| forms.map(u64::to_le_bytes).concat();
        assert_eq!(stream.trigram(5), hash(&bytes([name("c"), end("p"), start("img")])));
        assert_eq!(stream.trigram(11), hash(&bytes([name("#"), 0, 0])));
        assert!(TokenStream::of(&Page::default()).tokens.is_empty());
    }
}
