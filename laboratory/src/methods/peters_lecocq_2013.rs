//! Peters and Lecocq's method with the paper's own blocks, token scope and number of tokens, each of which can
//! be put back to what [`PetersLecocq`](super::PetersLecocq) does, so that it shows which difference matters.

use rustc_hash::{FxHashMap, FxHashSet};
use trommel_html::{Attribute, Element, Page, Tag};
use trommel_learn::{Fit, Sample, fit_weighted};
use trommel_model::features::{tag_ratios, text_density};

use crate::methods::method::{About, Example, Method, MethodError};

/// Share of a block's words in content pieces above which it is content (the paper's, of words on the common
/// subsequence).
const LABEL_SHARE: f32 = 0.1;
/// Odds and share of a listed token, and the hosts that must use it, as in [`trommel_learn::list`].
const ODDS: f64 = 2.5;
const SHARE: f64 = 0.01;
const HOSTS: usize = 5;
const HOST_SHARE: f64 = 0.01;
/// Tokens of `id` and of `class` in the paper.
const IDS: usize = 8;
const CLASSES: usize = 24;
/// Strength of the L2 penalty: the one that cross-validation chooses for the full method.
const PENALTY: f64 = 1e-4;

/// Interpretation of the paper's blocks and tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaperChoices {
    /// Blocks are divided at h1 to h6, p, div, table and map only, not as everywhere here.
    pub blocks: bool,
    /// Tokens come from the tags in the block and from the outermost tag with nothing else in it, not from all
    /// around the block.
    pub scope: bool,
    /// 8 id and 24 class tokens are listed, not all that pass the rule.
    pub few: bool,
}

impl PaperChoices {
    /// All as in the paper.
    pub const PAPER: Self = Self { blocks: true, scope: true, few: true };

    fn blocks_of(self, page: &Page) -> Vec<PaperBlock> {
        match self.blocks {
            true => paper_blocks(page),
            false => (0..page.blocks.len()).map(|at| at..at + 1).collect(),
        }
    }
}

/// Weight of a block in learning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlockWeight {
    /// One.
    Once,
    /// Its words, as in the program that the authors published later.
    #[default]
    Words,
    /// Its words, at most 200: what that program means to do.
    WordsTo200,
}

impl BlockWeight {
    fn of(self, page: &Page, block: &PaperBlock) -> f32 {
        let parts = page.blocks.get(block.clone()).unwrap_or_default();
        let words: u32 = parts.iter().map(|part| part.words).sum();
        match self {
            BlockWeight::Once => 1.0,
            BlockWeight::Words => words as f32,
            BlockWeight::WordsTo200 => words.min(200) as f32,
        }
    }
}

/// The groups of features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PaperFeatures {
    /// Text and link density of the block and its neighbours.
    pub shallow: bool,
    /// Tokens.
    pub tokens: bool,
    /// Tag ratios.
    pub cetr: bool,
}

/// Logistic regression over the paper's features on the paper's blocks.
#[derive(Clone, Debug)]
pub struct PetersLecocq2013 {
    about: About,
    choices: PaperChoices,
    features: PaperFeatures,
    weight: BlockWeight,
    fitted: Option<(Vec<Token>, Fit)>,
}

type Token = (Attribute, String);

impl PetersLecocq2013 {
    /// Under these choices, over these features.
    pub fn new(choices: PaperChoices, features: PaperFeatures) -> Self {
        let name = match (features.shallow, features.tokens, features.cetr) {
            (true, true, true) => "peters-lecocq-2013",
            (true, true, false) => "peters-lecocq-2013-st-ic",
            (true, false, _) => "peters-lecocq-2013-st",
            (false, true, _) => "peters-lecocq-2013-ic",
            (false, false, _) => "peters-lecocq-2013-cetr",
        };
        let about = About {
            name,
            line: "logistic regression on the paper's own blocks and token scope",
            citation: "Peters and Lecocq, Content Extraction Using Diverse Feature Sets, WWW 2013; of the tokens that pass \
                       the rule the 8 and 24 with the most evidence are taken instead of those with an obvious meaning; \
                       a block counts by its words, as in the program that the authors published later; the \
                       penalty is fixed; map is not seen; tag ratios are means over the pieces of a block",
            learns: true,
        };
        Self { about, choices, features, weight: BlockWeight::Words, fitted: None }
    }

    /// The same, learning with these weights.
    #[must_use]
    pub fn with_weight(mut self, weight: BlockWeight) -> Self {
        self.weight = weight;
        self
    }

    /// The paper's rows: IC, ST, ST + IC, and all.
    pub fn rows() -> [Self; 4] {
        let of = |shallow, tokens, cetr| {
            let features = PaperFeatures { shallow, tokens, cetr };
            Self::new(PaperChoices::PAPER, features)
        };
        [of(false, true, false), of(true, false, false), of(true, true, false), of(true, true, true)]
    }

    /// Log odds of a block without any listed token, if it was fitted.
    pub fn intercept(&self) -> Option<f64> {
        self.fitted.as_ref().map(|(_, fit)| fit.intercept)
    }

    /// Number of listed tokens, if it was fitted.
    pub fn tokens(&self) -> Option<usize> {
        self.fitted.as_ref().map(|(tokens, _)| tokens.len())
    }

    /// Share of the blocks of pages without a listed token, if it was fitted.
    pub fn bare_share<'a>(&self, pages: impl Iterator<Item = &'a Page>) -> Option<f64> {
        let (tokens, _) = self.fitted.as_ref()?;
        let (mut all, mut bare) = (0usize, 0usize);
        for page in pages {
            for block in self.choices.blocks_of(page) {
                let block_tokens = tokens_of(page, &block, self.choices.scope);
                all += 1;
                bare += usize::from(!tokens.iter().any(|token| block_tokens.contains(token)));
            }
        }
        Some(bare as f64 / all.max(1) as f64)
    }

    fn rows_of(&self, page: &Page, tokens: &[Token]) -> (Vec<PaperBlock>, Vec<Vec<f32>>) {
        let blocks = self.choices.blocks_of(page);
        let ratios = match self.features.cetr {
            true => tag_ratios(page),
            false => Vec::new(),
        };
        let densities: Vec<[f32; 2]> = match self.features.shallow {
            true => blocks.iter().map(|block| densities(page, block)).collect(),
            false => Vec::new(),
        };
        let row = |(at, block): (usize, &PaperBlock)| {
            let mut row = Vec::new();
            if self.features.shallow {
                for at in [at.checked_sub(1), Some(at), at.checked_add(1)] {
                    let density = at.and_then(|at| densities.get(at)).copied();
                    row.extend(density.unwrap_or_default());
                }
            }
            if self.features.cetr {
                let block_ratios = ratios.get(block.clone()).unwrap_or_default();
                let count = block_ratios.len().max(1) as f32;
                row.extend((0..3).map(|of| block_ratios.iter().map(|ratio| ratio[of]).sum::<f32>() / count));
            }
            if self.features.tokens {
                let block_tokens = tokens_of(page, block, self.choices.scope);
                row.extend(tokens.iter().map(|token| f32::from(u8::from(block_tokens.contains(token)))));
            }
            row
        };
        let rows = blocks.iter().enumerate().map(row).collect();
        (blocks, rows)
    }
}

/// The blocks of the table that make up one of the paper's.
type PaperBlock = std::ops::Range<usize>;

fn divides(tag: Tag) -> bool {
    use Tag::{Div, H1, H2, H3, H4, H5, H6, Map, P, Table};
    matches!(tag, H1 | H2 | H3 | H4 | H5 | H6 | P | Div | Table | Map)
}

/// The paper's blocks: neighbours in the same of its elements, with none of them starting between.
pub(crate) fn paper_blocks(page: &Page) -> Vec<PaperBlock> {
    let mut around: Vec<Option<usize>> = Vec::with_capacity(page.elements.len());
    for (at, element) in page.elements.iter().enumerate() {
        let outer = around.get(element.parent as usize).copied().flatten();
        around.push(if divides(element.tag) { Some(at) } else { outer });
    }
    let starts = page.elements.iter().filter(|element| divides(element.tag));
    let mut starts = starts.map(|element| element.start).peekable();
    let mut blocks: Vec<PaperBlock> = Vec::new();
    let mut last = None;
    for (at, block) in page.blocks.iter().enumerate() {
        let innermost = around.get(block.element as usize).copied().flatten();
        let mut opened = false;
        while starts.next_if(|start| *start < block.span.0).is_some() {
            opened = true;
        }
        match blocks.last_mut() {
            Some(before) if !opened && last == Some(innermost) => before.end = at + 1,
            _ => blocks.push(at..at + 1),
        }
        last = Some(innermost);
    }
    blocks
}

/// Text density and link density.
fn densities(page: &Page, block: &PaperBlock) -> [f32; 2] {
    let parts = page.blocks.get(block.clone()).unwrap_or_default();
    if let [only] = parts {
        return [text_density(page.text(only), only.words, only.chars), only.link_density()];
    }
    let texts: Vec<&str> = parts.iter().map(|part| page.text(part)).collect();
    let text = texts.join(" ");
    let words: u32 = parts.iter().map(|part| part.words).sum();
    let linked: u32 = parts.iter().map(|part| part.link_words).sum();
    let chars = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
    [text_density(&text, words, chars), linked as f32 / words.max(1) as f32]
}

/// Tokens of a block.
fn tokens_of(page: &Page, block: &PaperBlock, by_paper: bool) -> FxHashSet<Token> {
    let parts = page.blocks.get(block.clone()).unwrap_or_default();
    let mut tokens = FxHashSet::default();
    let mut take = |element: &Element| {
        for word in page.attribute_words(element) {
            if matches!(word.attribute, Attribute::Id | Attribute::Class) {
                tokens.insert((word.attribute, page.word_text(word).to_owned()));
            }
        }
    };
    for part in parts {
        page.inline(part).iter().filter_map(|at| page.element(*at)).for_each(&mut take);
        for (_, element) in page.path(part.element) {
            // The outermost that holds nothing else is the last one that is taken.
            if by_paper && !is_within(page, element, block) {
                break;
            }
            take(element);
        }
    }
    tokens
}

/// Returns whether an element holds text of this block only.
fn is_within(page: &Page, element: &Element, block: &PaperBlock) -> bool {
    let end = page.elements.get(element.end as usize).map_or(u32::MAX, |next| next.start);
    let from = page.blocks.partition_point(|block| block.span.0 < element.start);
    // The next element may start long behind the end of this one: what stands between is told by its path.
    let to = page.blocks.partition_point(|block| block.span.0 < end);
    let inside = |at: usize| {
        let index = page.blocks.get(at).map(|block| block.element);
        index.is_some_and(|index| page.path(index).any(|(_, around)| std::ptr::eq(around, element)))
    };
    from >= block.start && (to <= block.end || !inside(block.end))
}

/// Labels of the paper's blocks: more than a tenth of the words in pieces that are content.
fn labels(page: &Page, blocks: &[PaperBlock], labels: &[bool]) -> Vec<bool> {
    let label = |block: &PaperBlock| {
        let parts = page.blocks.get(block.clone()).unwrap_or_default();
        let block_labels = labels.get(block.clone()).unwrap_or_default();
        let content = parts.iter().zip(block_labels).filter(|(_, label)| **label);
        let content: u32 = content.map(|(part, _)| part.words).sum();
        let all: u32 = parts.iter().map(|part| part.words).sum();
        content as f32 > LABEL_SHARE * all as f32
    };
    blocks.iter().map(label).collect()
}

/// The tokens that pass the paper's rule, those with the most evidence first.
fn listed(examples: &[Example], choices: PaperChoices) -> Vec<Token> {
    let mut counts: FxHashMap<Token, (f64, f64, FxHashSet<&str>)> = FxHashMap::default();
    let (mut content, mut other) = (0.0, 0.0);
    let mut hosts: FxHashSet<&str> = FxHashSet::default();
    for example in examples {
        hosts.insert(example.group);
        let blocks = choices.blocks_of(example.page);
        let labels = labels(example.page, &blocks, example.labels);
        for (block, label) in blocks.iter().zip(labels) {
            *(if label { &mut content } else { &mut other }) += 1.0;
            for token in tokens_of(example.page, block, choices.scope) {
                let count = counts.entry(token).or_default();
                *(if label { &mut count.0 } else { &mut count.1 }) += 1.0;
                count.2.insert(example.group);
            }
        }
    }
    let least = HOSTS.max((hosts.len() as f64 * HOST_SHARE).ceil() as usize);
    let mut told: Vec<(f64, Token)> = counts
        .into_iter()
        .filter_map(|(token, (in_content, in_other, used_by))| {
            let share = |part: f64, whole: f64| (part + 0.5) / (whole + 1.0);
            let (in_text, against) = (share(in_content, content), share(in_other, other));
            let odds = in_text / against;
            let passes =
                !(1.0 / ODDS..=ODDS).contains(&odds) && (in_text > SHARE || against > SHARE) && used_by.len() >= least;
            passes.then(|| (odds.ln().abs() * (in_content + in_other), token))
        })
        .collect();
    told.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut left = [IDS, CLASSES];
    let tokens = told.into_iter().map(|(_, token)| token);
    tokens
        .filter(|(attribute, _)| {
            if !choices.few {
                return true;
            }
            let left = &mut left[usize::from(*attribute == Attribute::Class)];
            let is_taken = *left > 0;
            *left = left.saturating_sub(1);
            is_taken
        })
        .collect()
}

impl Method for PetersLecocq2013 {
    fn about(&self) -> &About {
        &self.about
    }

    fn fit(&mut self, examples: &[Example]) -> Result<(), MethodError> {
        self.fitted = None;
        let tokens = match self.features.tokens {
            true => listed(examples, self.choices),
            false => Vec::new(),
        };
        let mut sample = Sample::default();
        let mut weights = Vec::new();
        for example in examples {
            let (blocks, rows) = self.rows_of(example.page, &tokens);
            sample.labels.extend(labels(example.page, &blocks, example.labels));
            weights.extend(blocks.iter().map(|range| self.weight.of(example.page, range)));
            for row in rows {
                sample.width = row.len();
                sample.data.extend(row);
            }
        }
        let nothing = |why: String| MethodError::Nothing { method: self.about.name, why };
        if sample.width == 0 {
            return Err(nothing("no attribute token is telling".to_owned()));
        }
        let fit = fit_weighted(&sample, &weights, PENALTY).map_err(|error| nothing(error.to_string()))?;
        self.fitted = Some((tokens, fit));
        Ok(())
    }

    fn extract(&self, page: &Page) -> Result<Vec<bool>, MethodError> {
        let (tokens, fit) = self.fitted.as_ref().ok_or(MethodError::NotFitted { method: self.about.name })?;
        let (blocks, rows) = self.rows_of(page, tokens);
        let mut kept = Vec::with_capacity(page.blocks.len());
        for (block, row) in blocks.iter().zip(rows) {
            let odds = row.iter().zip(&fit.weights).map(|(value, weight)| f64::from(*value) * weight);
            let is_content = fit.intercept + odds.sum::<f64>() >= 0.0;
            kept.extend(block.clone().map(|_| is_content));
        }
        Ok(kept)
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
    fn list_items_and_cells_are_one_block_of_the_paper() {
        let page =
            read("<div><ul><li>one</li><li>two</li></ul><p>three</p><li>four</li><li>five</li></div><div>six</div>");
        assert_eq!(paper_blocks(&page), [0..2, 2..3, 3..5, 5..6]);
        assert_eq!(PaperChoices { blocks: false, ..PaperChoices::PAPER }.blocks_of(&page).len(), 6);
    }

    #[test]
    fn tokens_come_from_inside_and_the_outermost_tag_around() {
        let page = read(
            "<div class=page><div class=outer><div class=inner><p id=own>one <b class=mark>two</b></p></div></div>\
             <div class=next>three</div></div>",
        );
        let words = |by_paper: bool| {
            let mut words: Vec<String> =
                tokens_of(&page, &(0..1), by_paper).into_iter().map(|(_, word)| word).collect();
            words.sort();
            words
        };
        assert_eq!(words(true), ["inner", "mark", "outer", "own"]);
        assert_eq!(words(false), ["inner", "mark", "outer", "own", "page"]);
    }

    #[test]
    fn labels_of_merged_blocks_go_by_words() {
        let page = read("<ul><li>one</li><li>two three four five six seven eight nine ten</li></ul>");
        assert_eq!(labels(&page, std::slice::from_ref(&(0..2)), &[true, false]), [false]);
        assert_eq!(labels(&page, std::slice::from_ref(&(0..2)), &[false, true]), [true]);
    }

    #[test]
    fn words_as_weights_turn_the_odds_of_blocks_without_tokens() {
        // Three short blocks that are no content for each long one that is; a token that says little.
        let prose = vec!["word"; 60].join(" ");
        let html = format!("<p>Home now</p><p class=teaser>News</p><p>Sport</p><p>{prose}</p><p class=sponsor>Ad</p>");
        let labels = [false, false, false, true, false];
        let pages: Vec<Page> = (0..12).map(|_| read(&html)).collect();
        let groups: Vec<String> = (0..12).map(|at| format!("h{at}")).collect();
        let examples: Vec<Example> =
            pages.iter().zip(&groups).map(|(page, group)| Example { page, labels: &labels, group }).collect();
        let bare = |weight| {
            let features = PaperFeatures { tokens: true, ..PaperFeatures::default() };
            let mut method = PetersLecocq2013::new(PaperChoices::PAPER, features).with_weight(weight);
            method.fit(&examples).unwrap();
            method.extract(&read("<p>some</p>")).unwrap()
        };
        assert_eq!(bare(BlockWeight::Once), [false]);
        assert_eq!(bare(BlockWeight::Words), [true]);
        assert_eq!(bare(BlockWeight::WordsTo200), [true]);
        let block = |words: usize| read(&format!("<p>{}</p>", vec!["word"; words].join(" ")));
        assert_eq!(BlockWeight::Words.of(&block(300), &(0..1)), 300.0);
        assert_eq!(BlockWeight::WordsTo200.of(&block(300), &(0..1)), 200.0);
    }

    #[test]
    fn every_row_learns_menus_from_stories() {
        let page = |number: usize| {
            let prose =
                format!("Page {number} has a sentence that is long enough to fill a whole line of text, really");
            read(&format!(
                "<div class=menu><a href=x>go</a> <a href=y>on</a></div><div class=story><p class=text>{prose}</p>\
                 <p class=text>{prose}</p></div><div class=menu><a href=z>end</a></div>"
            ))
        };
        let pages: Vec<Page> = (0..12).map(page).collect();
        let groups: Vec<String> = (0..12).map(|at| format!("h{at}")).collect();
        let labels = [false, true, true, false];
        let examples: Vec<Example> =
            pages.iter().zip(&groups).map(|(page, group)| Example { page, labels: &labels, group }).collect();
        for mut method in PetersLecocq2013::rows() {
            assert!(matches!(method.extract(&pages[0]), Err(MethodError::NotFitted { .. })));
            assert!(matches!(method.fit(&[]), Err(MethodError::Nothing { .. })));
            method.fit(&examples).unwrap();
            assert_eq!(method.extract(&page(77)).unwrap(), labels, "{}", method.about.name);
        }
        let mut tokens = PetersLecocq2013::rows()[0].clone();
        tokens.fit(&examples).unwrap();
        assert_eq!(tokens.tokens(), Some(2));
        let bare = read("<p>one</p><div class=menu>two</div>");
        assert_eq!(tokens.bare_share([&bare].into_iter()), Some(0.5));
    }
}
