//! Classes of blocks beside main text (comments, advertisements, lists, menus ...), against blocks marked by hand:
//! by the roles that the model `best` leads to, and learned.

use std::ops::AddAssign;

use rayon::prelude::*;
use trommel_extract::{ContentPolicy, Role};
use trommel_html::Page;
use trommel_learn::{LearnError, Sample, by_group, fit_trees};
use trommel_model::{Model, sigmoid};

use super::set::SegmentedPage;
use trommel_quality::markdown::{MarkdownTable, share, thousands};

/// Folds of cross-validation, by site.
const FOLDS: usize = 5;

/// A class: the kinds of marked blocks that it stands for, the roles that say the same, and the words of class and
/// id attributes that do.
struct BlockClass {
    name: &'static str,
    kinds: &'static [&'static str],
    roles: &'static [Role],
    words: &'static [&'static str],
}

const CLASSES: [BlockClass; 9] = [
    BlockClass {
        name: "comments",
        kinds: &["Comments"],
        roles: &[Role::Comment],
        words: &["comment", "comments", "respond"],
    },
    BlockClass {
        name: "advertisements",
        kinds: &["Ad"],
        roles: &[],
        words: &["ad", "ads", "advert", "advertisement", "sponsor", "sponsored"],
    },
    BlockClass { name: "lists of links", kinds: &["LinkList"], roles: &[Role::Navigation], words: &[] },
    BlockClass {
        name: "menus",
        kinds: &["Menu", "Menu Sidebar"],
        roles: &[Role::Navigation],
        words: &["nav", "navigation", "navbar", "menu"],
    },
    BlockClass {
        name: "lists of links and menus",
        kinds: &["LinkList", "Menu", "Menu Sidebar"],
        roles: &[Role::Navigation],
        words: &["nav", "navigation", "navbar", "menu"],
    },
    BlockClass { name: "header", kinds: &["Header"], roles: &[Role::Header], words: &["header", "masthead", "banner"] },
    BlockClass { name: "footer", kinds: &["Footer"], roles: &[Role::Footer], words: &["footer", "copyright"] },
    BlockClass {
        name: "sidebar",
        kinds: &["Sidebar", "Menu Sidebar"],
        roles: &[Role::Aside],
        words: &["sidebar", "aside"],
    },
    BlockClass {
        name: "articles",
        kinds: &["Article"],
        roles: &[Role::Headline, Role::Body],
        words: &["article", "post", "entry", "story", "hentry"],
    },
];

/// Words by whether they are of a class and were taken for it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct WordCounts {
    both: u64,
    found: u64,
    marked: u64,
}

impl WordCounts {
    fn of(words: impl Iterator<Item = u32>, found: &[bool], marked: &[bool]) -> Self {
        let mut counts = Self::default();
        for ((words, found), marked) in words.zip(found).zip(marked) {
            let words = u64::from(words);
            counts.both += words * u64::from(*found && *marked);
            counts.found += words * u64::from(*found);
            counts.marked += words * u64::from(*marked);
        }
        counts
    }

    /// Precision, recall and F; empty where nothing was found.
    fn cells(&self) -> [String; 3] {
        if self.found == 0 {
            return Default::default();
        }
        let ratio = |part: u64, whole: u64| share(part as f64 / whole.max(1) as f64);
        [ratio(self.both, self.found), ratio(self.both, self.marked), ratio(2 * self.both, self.found + self.marked)]
    }
}

impl AddAssign for WordCounts {
    fn add_assign(&mut self, other: Self) {
        self.both += other.both;
        self.found += other.found;
        self.marked += other.marked;
    }
}

/// Precision, recall and F of each class over the words of all pages, as Markdown: of the blocks with its roles, of
/// those inside an element that is called so, and of those that boosted trees over the features of `best` take for it, fitted on pages of other sites.
///
/// # Errors
/// If the model is not built in.
pub fn block_class_report(pages: &[SegmentedPage]) -> Result<String, LearnError> {
    let Some(model) = Model::builtin("best") else {
        return Err(LearnError::Nothing("no model"));
    };
    let policy = ContentPolicy::default();
    let roles: Vec<Vec<Role>> = pages
        .par_iter()
        .map(|segmented_page| policy.judge(&model, &segmented_page.page, segmented_page.gold.address()).roles)
        .collect();
    let rows: Vec<Vec<Vec<f32>>> = pages
        .par_iter()
        .map(|segmented_page| {
            let matrix = model.schema().rows(&segmented_page.page, segmented_page.gold.address());
            matrix.iter().map(<[f32]>::to_vec).collect()
        })
        .collect();
    let mut table = MarkdownTable::new([
        "class", "pages", "words", "roles: P", "R", "F", "names: P", "R", "F", "learned: P", "R", "F",
    ]);
    for class in &CLASSES {
        let marked: Vec<Vec<bool>> = pages.par_iter().map(|segmented_page| marked(segmented_page, class)).collect();
        let by_role: Vec<Vec<bool>> =
            roles.iter().map(|roles| roles.iter().map(|role| class.roles.contains(role)).collect()).collect();
        let by_name: Vec<Vec<bool>> =
            pages.par_iter().map(|segmented_page| named(&segmented_page.page, class.words)).collect();
        let by_name = counts(pages, &by_name, &marked);
        let learned = cross_fitted(pages, &rows, &marked);
        let by_role = counts(pages, &by_role, &marked);
        let with = marked.iter().filter(|flags| flags.contains(&true)).count();
        let names = [class.name.to_owned(), with.to_string(), thousands(by_role.marked as usize)];
        let learned = counts(pages, &learned, &marked);
        table.row(names.into_iter().chain(by_role.cells()).chain(by_name.cells()).chain(learned.cells()));
    }
    Ok(table.text())
}

/// Returns whether each block stands in a marked block of the class.
fn marked(page: &SegmentedPage, class: &BlockClass) -> Vec<bool> {
    let mut all = vec![false; page.page.blocks.len()];
    for kind in class.kinds {
        for (cell, flag) in all.iter_mut().zip(page.blocks_in(kind)) {
            *cell |= flag;
        }
    }
    all
}

/// Returns whether each block stands in an element that has one of the words in its class or id.
fn named(page: &Page, words: &[&str]) -> Vec<bool> {
    // Each element stands before those inside it.
    let mut inside: Vec<bool> = Vec::with_capacity(page.elements.len());
    for element in &page.elements {
        let around = inside.get(element.parent as usize).copied();
        let mut attribute_words = page.attribute_words(element).iter();
        let is_named = attribute_words.any(|word| words.contains(&page.word_text(word)));
        inside.push(is_named || around.unwrap_or_default());
    }
    let blocks = page.blocks.iter();
    blocks.map(|block| inside.get(block.element as usize) == Some(&true)).collect()
}

fn counts(pages: &[SegmentedPage], found: &[Vec<bool>], marked: &[Vec<bool>]) -> WordCounts {
    let mut sum = WordCounts::default();
    for ((segmented_page, found), marked) in pages.iter().zip(found).zip(marked) {
        sum += WordCounts::of(segmented_page.page.blocks.iter().map(|block| block.words), found, marked);
    }
    sum
}

/// The blocks that trees take for the class which were fitted on pages of other sites; none where these have no such
/// block.
fn cross_fitted(pages: &[SegmentedPage], rows: &[Vec<Vec<f32>>], marked: &[Vec<bool>]) -> Vec<Vec<bool>> {
    let groups: Vec<&str> = pages.iter().map(|segmented_page| segmented_page.group.as_str()).collect();
    let folds = by_group(&groups, FOLDS);
    let mut found: Vec<Vec<bool>> = rows.iter().map(|rows| vec![false; rows.len()]).collect();
    for fold in 0..FOLDS {
        let (mut sample, mut weights) = (Sample::default(), Vec::new());
        let all = pages.iter().zip(rows).zip(marked).zip(&folds);
        for (((segmented_page, rows), marked), _) in all.filter(|(_, of)| **of != fold) {
            for ((row, marked), block) in rows.iter().zip(marked).zip(&segmented_page.page.blocks) {
                sample.width = row.len();
                sample.data.extend_from_slice(row);
                sample.labels.push(*marked);
                weights.push((block.words as f32).sqrt());
            }
        }
        // One class alone: nothing is found.
        let Ok(trees) = fit_trees(&sample, &weights) else {
            continue;
        };
        let held = found.iter_mut().zip(rows).zip(&folds);
        for ((found, rows), _) in held.filter(|(_, of)| **of == fold) {
            *found = rows.par_iter().map(|row| sigmoid(trees.log_odds(row)) >= 0.5).collect();
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_hold_for_what_is_inside() {
        use trommel_html::{Engine, Limits, ScanEngine};
        let html = "<div class='page-Header wide'><div><p>Mill</p></div></div><p>Flour</p>\
                    <div id=footer><p>1823</p></div><p class=headers>End</p>";
        let page = ScanEngine.read(html, &Limits::default());
        let header = named(&page, &["header", "masthead"]);
        assert_eq!(header, [true, false, false, false]);
        assert_eq!(named(&page, &["footer"]), [false, false, true, false]);
        assert_eq!(named(&page, &[]), [false; 4]);
    }

    #[test]
    fn words_are_counted_by_hand() {
        let words = [10, 5, 3, 2];
        let counts = WordCounts::of(words.into_iter(), &[true, true, false, false], &[true, false, true, false]);
        assert_eq!((counts.both, counts.found, counts.marked), (10, 15, 13));
        assert_eq!(counts.cells(), [".667", ".769", ".714"]);
        assert_eq!(WordCounts::default().cells(), ["", "", ""]);
    }
}
