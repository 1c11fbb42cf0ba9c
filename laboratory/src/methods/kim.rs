//! Text block context: Kim, Kim, Song and Khil, Main Content Extraction from Web Documents Using Text
//! Block Context, DEXA 2013 (title and venue from memory); with the same learner on Boilerpipe's
//! attributes, which the paper compares with.
//!
//! A C4.5 tree over 25 attributes: five of the block itself, of the two before and of the two after
//! it. Word density is words a sentence, where a sentence is 80 words as the paper states it (begun
//! ones count whole). Distance is counted in lines of HTML that hold one tag or one text each. The
//! parent is the innermost element around the text, one of 22 or "other". Beyond the ends of the page
//! the numbers are 0 and the parent is a name of its own, of which the paper does not speak.
//!
//! Confidence .70 and at least 10 objects a leaf, as in the paper. J48 takes no confidence above .5
//! for a bound: it prunes by the errors themselves then, and so does this tree.
//!
//! Difference: the paper divides blocks at every tag but `a`; here they are those of the table.

use rayon::prelude::*;
use trommel_html::{Page, Tag};
use trommel_learn::by_group;
use trommel_model::features::text_density;

use crate::methods::method::{About, Example, Method, MethodError};
use crate::methods::tree::{Kind, ObjectTable, Options, Tree};

/// The paper's: least objects a leaf and confidence.
const LEAST: usize = 10;
const CONFIDENCE: f64 = 0.70;

/// Elements that a parent is told apart by.
const PARENTS: [Tag; 22] = [
    Tag::A,
    Tag::B,
    Tag::Blockquote,
    Tag::Br,
    Tag::Dd,
    Tag::Dl,
    Tag::Dt,
    Tag::Font,
    Tag::H1,
    Tag::H2,
    Tag::H3,
    Tag::H4,
    Tag::H5,
    Tag::H6,
    Tag::Img,
    Tag::Li,
    Tag::Ol,
    Tag::P,
    Tag::Pre,
    Tag::Q,
    Tag::Table,
    Tag::Ul,
];
const OTHER: u8 = PARENTS.len() as u8;
const ABSENT: u8 = OTHER + 1;

/// Words that the paper takes a sentence to be.
const SENTENCE: u32 = 80;

/// Attributes of blocks that the tree can be fitted on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockAttributes {
    /// The 25 attributes of the paper.
    Context,
    /// Words, text density and link density of the block before, the block and the block after
    /// (Kohlschütter, Fankhauser and Nejdl, WSDM 2010).
    Boilerpipe,
}

impl BlockAttributes {
    fn name(self) -> &'static str {
        match self {
            BlockAttributes::Context => "kim",
            BlockAttributes::Boilerpipe => "kim-boilerpipe",
        }
    }

    /// Kinds of the attributes of one block.
    fn own_kinds(self) -> &'static [Kind] {
        match self {
            BlockAttributes::Context => {
                &[Kind::Number, Kind::Number, Kind::Name(ABSENT + 1), Kind::Number, Kind::Number]
            }
            BlockAttributes::Boilerpipe => &[Kind::Number; 3],
        }
    }

    /// Blocks on each side that count.
    fn reach(self) -> usize {
        match self {
            BlockAttributes::Context => 2,
            BlockAttributes::Boilerpipe => 1,
        }
    }

    fn kinds(self) -> Vec<Kind> {
        self.own_kinds().repeat(2 * self.reach() + 1)
    }

    /// The attributes of each block by itself.
    fn block_rows(self, page: &Page) -> Vec<Vec<f32>> {
        let distances: Vec<f32> = page
            .blocks
            .iter()
            .enumerate()
            .map(|(at, block)| if at == 0 { 0.0 } else { block.tags_before.saturating_add(1) as f32 })
            .collect();
        page.blocks
            .iter()
            .enumerate()
            .map(|(at, block)| match self {
                BlockAttributes::Context => {
                    let parent = page
                        .element(block.element)
                        .and_then(|element| PARENTS.iter().position(|tag| *tag == element.tag));
                    let distance = |at: usize| distances.get(at).copied().unwrap_or_default();
                    vec![
                        block.words as f32 / block.words.div_ceil(SENTENCE).max(1) as f32,
                        block.link_density(),
                        parent.map_or(f32::from(OTHER), |at| at as f32),
                        distance(at),
                        distance(at + 1),
                    ]
                }
                BlockAttributes::Boilerpipe => vec![
                    block.words as f32,
                    text_density(page.text(block), block.words, block.chars),
                    block.link_density(),
                ],
            })
            .collect()
    }

    /// All attributes of each block, those of the first of its neighbours first.
    fn rows(self, page: &Page) -> Vec<Vec<f32>> {
        let rows = self.block_rows(page);
        let absent: Vec<f32> = self
            .own_kinds()
            .iter()
            .map(|kind| match kind {
                Kind::Number => 0.0,
                Kind::Name(_) => f32::from(ABSENT),
            })
            .collect();
        (0..rows.len())
            .map(|at| {
                (0..=2 * self.reach())
                    .flat_map(|offset| {
                        let neighbour = (at + offset).checked_sub(self.reach());
                        neighbour.and_then(|at| rows.get(at)).unwrap_or(&absent)
                    })
                    .copied()
                    .collect()
            })
            .collect()
    }

    /// The blocks of all examples.
    fn table(self, examples: &[Example]) -> Result<ObjectTable, MethodError> {
        let kinds = self.kinds();
        let mut columns = vec![Vec::new(); kinds.len()];
        let mut labels = Vec::new();
        let pages: Vec<Vec<Vec<f32>>> = examples.par_iter().map(|example| self.rows(example.page)).collect();
        for (rows, example) in pages.iter().zip(examples) {
            for (row, label) in rows.iter().zip(example.labels) {
                for (column, value) in columns.iter_mut().zip(row) {
                    column.push(*value);
                }
                labels.push(*label);
            }
        }
        let content = labels.iter().filter(|label| **label).count();
        if content == 0 || content == labels.len() {
            return Err(MethodError::Nothing {
                method: self.name(),
                why: format!("{content} of {} blocks are content", labels.len()),
            });
        }
        Ok(ObjectTable { kinds, columns, labels })
    }
}

/// A C4.5 tree over attributes of blocks.
#[derive(Clone, Debug)]
pub struct Kim {
    attributes: BlockAttributes,
    tree: Option<Tree>,
}

impl Kim {
    /// An unfitted tree over those attributes.
    pub fn new(attributes: BlockAttributes) -> Self {
        Self { attributes, tree: None }
    }
}

impl Method for Kim {
    fn about(&self) -> &About {
        match self.attributes {
            BlockAttributes::Context => &About {
                name: "kim",
                line: "C4.5 tree over densities, parents and distances of a block and its four neighbours",
                citation: "Kim, Kim, Song and Khil, Main Content Extraction from Web Documents Using Text Block Context, DEXA 2013 (title and venue from memory)",
                learns: true,
            },
            BlockAttributes::Boilerpipe => &About {
                name: "kim-boilerpipe",
                line: "the same tree over words and densities of a block and its two neighbours",
                citation: "the comparison of Kim, Kim, Song and Khil, 2013, with Kohlschütter, Fankhauser and Nejdl, WSDM 2010",
                learns: true,
            },
        }
    }

    fn fit(&mut self, examples: &[Example]) -> Result<(), MethodError> {
        let table = self.attributes.table(examples)?;
        let options = Options { least: LEAST, confidence: CONFIDENCE };
        self.tree = Some(Tree::fit(&table, &objects(&table, |_| true), &options));
        Ok(())
    }

    fn extract(&self, page: &Page) -> Result<Vec<bool>, MethodError> {
        let tree = self.tree.as_ref().ok_or(MethodError::NotFitted { method: self.attributes.name() })?;
        Ok(self.attributes.rows(page).iter().map(|row| tree.predict(row)).collect())
    }
}

/// Numbers of the objects of a table that are asked for.
fn objects(table: &ObjectTable, wanted: impl Fn(usize) -> bool) -> Vec<u32> {
    (0u32..).zip(&table.labels).map(|(object, _)| object).filter(|object| wanted(*object as usize)).collect()
}

/// Scores of the classification, over all blocks of all pages.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BlockScores {
    /// Number of blocks.
    pub blocks: usize,
    /// Those that are content.
    pub content: usize,
    /// Share of the blocks taken for content that are, 0..=1.
    pub precision: f64,
    /// Share of the content blocks that were taken for it, 0..=1.
    pub recall: f64,
    /// Harmonic mean of the two.
    pub f1: f64,
}

/// Unit of the folds of a cross-validation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldUnit {
    /// Blocks, as in the paper: those of one page stand in different parts, so a tree is tested on pages that it
    /// has seen. Every part has the same share of content; which blocks it gets is decided by their order alone.
    Block,
    /// Whole pages.
    Page,
    /// Whole sites: the groups of the examples.
    Site,
}

/// Validation of [`block_scores`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Validation {
    /// Number of parts, at least 2 (10 in the paper).
    pub folds: usize,
    /// Unit of the folds.
    pub unit: FoldUnit,
    /// Confidence of the bound on a leaf's errors, 0..1 (.70 in the paper; .25 is the usual one of C4.5). Above .5
    /// the errors are taken as they are.
    pub confidence: f64,
}

impl Validation {
    /// The paper's.
    pub const PAPER: Self = Self { folds: 10, unit: FoldUnit::Block, confidence: CONFIDENCE };
}

/// The part of each block of the examples.
fn folds(examples: &[Example], labels: &[bool], validation: &Validation) -> Vec<usize> {
    let folds = validation.folds.max(2);
    let groups: Vec<String> = match validation.unit {
        FoldUnit::Block => {
            let mut seen = [0usize; 2];
            let fold = |label: &bool| {
                let seen = &mut seen[usize::from(*label)];
                *seen += 1;
                (*seen - 1) % folds
            };
            return labels.iter().map(fold).collect();
        }
        FoldUnit::Page => (0..examples.len()).map(|at| at.to_string()).collect(),
        FoldUnit::Site => examples.iter().map(|example| example.group.to_owned()).collect(),
    };
    let groups: Vec<&str> = groups.iter().map(String::as_str).collect();
    let of_page = by_group(&groups, folds).into_iter().zip(examples);
    of_page
        .flat_map(|(fold, example)| std::iter::repeat_n(fold, example.page.blocks.len().min(example.labels.len())))
        .collect()
}

/// Cross-validates the tree and scores the content class over all blocks.
///
/// # Errors
/// If the examples hold no blocks or only one class.
pub fn block_scores(
    examples: &[Example],
    attributes: BlockAttributes,
    validation: &Validation,
) -> Result<BlockScores, MethodError> {
    let table = attributes.table(examples)?;
    let fold_of = folds(examples, &table.labels, validation);
    let folds = validation.folds.max(2);
    let options = Options { least: LEAST, confidence: validation.confidence };
    let hits: Vec<[usize; 2]> = (0..folds)
        .into_par_iter()
        .map(|fold| {
            let inside = |object: usize| fold_of.get(object) == Some(&fold);
            let tree = Tree::fit(&table, &objects(&table, |object| !inside(object)), &options);
            let mut row = vec![0.0; table.columns.len()];
            let (mut taken, mut right) = (0, 0);
            for (object, label) in table.labels.iter().enumerate().filter(|(o, _)| inside(*o)) {
                for (value, column) in row.iter_mut().zip(&table.columns) {
                    *value = column.get(object).copied().unwrap_or_default();
                }
                if tree.predict(&row) {
                    taken += 1;
                    right += usize::from(*label);
                }
            }
            [taken, right]
        })
        .collect();
    let taken: usize = hits.iter().map(|hit| hit[0]).sum();
    let right: usize = hits.iter().map(|hit| hit[1]).sum();
    let content = table.labels.iter().filter(|label| **label).count();
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    Ok(BlockScores {
        blocks: table.labels.len(),
        content,
        precision: share(right, taken),
        recall: share(right, content),
        f1: share(2 * right, taken + content),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    fn read(html: &str) -> Page {
        ScanEngine.read(html, &Limits::default())
    }

    #[test]
    fn attributes_by_hand() {
        let page = read("<ul><li><a href=x>one two</a></ul><p>three <b>four</b></p><div>five</div>");
        let rows = BlockAttributes::Context.rows(&page);
        let (absent, other) = (f32::from(ABSENT), f32::from(OTHER));
        let parent = |tag| PARENTS.iter().position(|known| *known == tag).unwrap() as f32;
        // Distances: </a> </ul> <p> between the first two, </b>... the text of the second ends inside
        // b: </b> </p> <div> to the third; a line more from text to text.
        let first = [2.0, 1.0, parent(Tag::A), 0.0, 4.0];
        let second = [2.0, 0.0, parent(Tag::P), 4.0, 4.0];
        let third = [1.0, 0.0, other, 4.0, 0.0];
        let none = [0.0, 0.0, absent, 0.0, 0.0];
        let expected = |parts: [[f32; 5]; 5]| parts.concat();
        assert_eq!(rows[0], expected([none, none, first, second, third]));
        assert_eq!(rows[1], expected([none, first, second, third, none]));
        assert_eq!(rows[2], expected([first, second, third, none, none]));
        assert_eq!(BlockAttributes::Context.kinds().len(), 25);
        let rows = BlockAttributes::Boilerpipe.rows(&page);
        assert_eq!(rows[1], [2.0, 2.0, 1.0, 2.0, 2.0, 0.0, 1.0, 1.0, 0.0], "words, text density, link density");
    }

    #[test]
    fn sentences_are_eighty_words() {
        let density = |words: usize| {
            let page = read(&format!("<p>{}", vec!["w"; words].join(" ")));
            BlockAttributes::Context.rows(&page)[0][10]
        };
        assert_eq!((density(80), density(81)), (80.0, 40.5));
    }

    /// A page of eleven menu items and eleven paragraphs.
    fn example() -> (Page, Vec<bool>) {
        let menu = "<li><a href=x>go there</a></li>".repeat(11);
        let prose = "<p>some words that make a sentence</p>".repeat(11);
        let labels = (0..22).map(|at| at >= 11).collect();
        (read(&format!("<ul>{menu}</ul>{prose}")), labels)
    }

    #[test]
    fn a_fitted_tree_tells_prose_from_a_menu() {
        let (page, labels) = example();
        for attributes in [BlockAttributes::Context, BlockAttributes::Boilerpipe] {
            let mut kim = Kim::new(attributes);
            assert!(matches!(kim.extract(&page), Err(MethodError::NotFitted { .. })));
            let example = Example { page: &page, labels: &labels, group: "a" };
            kim.fit(&[example]).unwrap();
            assert_eq!(kim.extract(&page).unwrap(), labels);
            assert_eq!(kim.extract(&read("<p>other words in a new sentence")).unwrap(), [true]);
            assert!(kim.extract(&read("")).unwrap().is_empty());
        }
    }

    #[test]
    fn one_class_is_nothing_to_learn_from() {
        let (page, _) = example();
        let labels = vec![true; 22];
        let example = Example { page: &page, labels: &labels, group: "a" };
        let error = Kim::new(BlockAttributes::Context).fit(&[example]).unwrap_err();
        assert_eq!(error.to_string(), "kim has nothing to learn from: 22 of 22 blocks are content");
        assert!(block_scores(&[], BlockAttributes::Boilerpipe, &Validation::PAPER).is_err());
    }

    #[test]
    fn cross_validation_scores_the_content_class() {
        let (page, labels) = example();
        let example = Example { page: &page, labels: &labels, group: "a" };
        let pages = [example; 5];
        let scores = block_scores(&pages, BlockAttributes::Context, &Validation::PAPER).unwrap();
        assert_eq!((scores.blocks, scores.content), (110, 55));
        assert_eq!((scores.precision, scores.recall, scores.f1), (1.0, 1.0, 1.0));
        // Of five copies, two call nothing content: the tree still takes all prose, 33 of 55 rightly.
        let none = vec![false; 22];
        let mut pages = pages;
        pages[3].labels = &none;
        pages[4].labels = &none;
        let scores = block_scores(&pages, BlockAttributes::Context, &Validation::PAPER).unwrap();
        assert_eq!((scores.content, scores.recall), (33, 1.0));
        assert!((scores.precision - 0.6).abs() < 1e-9, "{scores:?}");
    }

    #[test]
    fn folds_by_page_and_site_divide_neither() {
        let (page, labels) = example();
        let of = |group| Example { page: &page, labels: &labels, group };
        let examples = [of("a"), of("b"), of("a"), of("c"), of("b"), of("d")];
        let folds = |unit| {
            let validation = Validation { folds: 3, unit, ..Validation::PAPER };
            let folds = folds(&examples, &labels.repeat(6), &validation);
            folds.chunks(22).map(<[usize]>::to_vec).collect::<Vec<_>>()
        };
        // Blocks of a page go round the folds.
        assert_eq!(folds(FoldUnit::Block)[0][..4], [0, 1, 2, 0]);
        for unit in [FoldUnit::Page, FoldUnit::Site] {
            let folds = folds(unit);
            assert!(folds.iter().all(|split| split.len() == 22 && split.iter().all(|fold| *fold == split[0])));
        }
        let sites = folds(FoldUnit::Site);
        assert_eq!((&sites[0], &sites[1]), (&sites[2], &sites[4]));
        assert_ne!(sites[0], sites[1]);
    }

    #[test]
    fn a_tree_that_has_seen_the_page_knows_what_other_pages_do_not_say() {
        // On each page, another number of words is content: folds of blocks learn it, folds of pages cannot.
        let pages: Vec<(Page, Vec<bool>)> = (0..12)
            .map(|number| {
                let paragraph = format!("<p>{}</p>", vec!["w"; 5 + 2 * number].join(" ")).repeat(40);
                let other = format!("<p>{}</p>", vec!["w"; 6 + 2 * number].join(" ")).repeat(40);
                (read(&format!("{paragraph}{other}")), (0..80).map(|at| at < 40).collect())
            })
            .collect();
        let groups: Vec<String> = (0..12).map(|number| number.to_string()).collect();
        let examples: Vec<Example> =
            pages.iter().zip(&groups).map(|((page, labels), group)| Example { page, labels, group }).collect();
        let f1 = |unit| {
            let validation = Validation { unit, ..Validation::PAPER };
            block_scores(&examples, BlockAttributes::Boilerpipe, &validation).unwrap().f1
        };
        assert!(f1(FoldUnit::Block) > 0.95, "{}", f1(FoldUnit::Block));
        assert!(f1(FoldUnit::Page) < 0.9, "{}", f1(FoldUnit::Page));
    }
}
