//! Features of the surroundings of a block apart from text. They are images directly before and after it, as
//! around a caption, and headlines and articles that began before it, as before an appended story.

use trommel_html::{Page, Tag};

use crate::features::group::{Group, owned, rows};
use crate::features::log::log;
use crate::features::scratch::Scratch;
use crate::features::work::count_work;

const NAMES: [&str; 5] = [
    "surroundings.log_images_before", "surroundings.log_images_after", "surroundings.log_images_inside",
    "surroundings.log_headlines_before", "surroundings.log_articles_before",
];

/// Counts of the things before a block and in it.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    /// Images between the block before and this one.
    // In 16 bits, at most as many as these hold: only their logarithms are features.
    before: u16,
    inside: u16,
    /// `h1` and `article` from the start of the page.
    headlines: u16,
    articles: u16,
}

pub(crate) const GROUP: Group = Group {
    needs: &[],
    columns: |_| owned(&NAMES),
    on: |facts, _| {
        let seen = seen(facts.page);
        rows(move |at| {
            let counts = seen.get(at).copied().unwrap_or_default();
            let next = seen.get(at + 1).copied().unwrap_or_default();
            [counts.before, next.before, counts.inside, counts.headlines, counts.articles].map(log)
        })
    },
};

/// Kinds of elements that are counted.
const OTHER: usize = 0;
const MEDIA: usize = 1;
const HEADLINE: usize = 2;
const ARTICLE: usize = 3;

/// The kind of each tag.
// Made by the compiler: a tag is looked up for every element of every page.
const KINDS: [u8; 256] = {
    let mut kinds = [OTHER as u8; 256];
    kinds[Tag::Img as usize] = MEDIA as u8;
    kinds[Tag::Video as usize] = MEDIA as u8;
    kinds[Tag::Audio as usize] = MEDIA as u8;
    kinds[Tag::H1 as usize] = HEADLINE as u8;
    kinds[Tag::Article as usize] = ARTICLE as u8;
    kinds
};

fn seen(page: &Page) -> Scratch<Counts> {
    count_work(page.elements.len() + page.blocks.len());
    let mut all: Scratch<Counts> = Scratch::with_capacity(page.blocks.len() + 1);
    // Blocks and elements both come in the order of the page: they are merged in one walk, and nothing is searched for.
    let mut elements = page.elements.as_slice();
    let mut counts = [0u32; ARTICLE + 1];
    let mut take = |counts: &mut [u32; ARTICLE + 1], end: u32| {
        while let Some((element, rest)) = elements.split_first()
            && element.start < end
        {
            // Without a branch, as no processor foresees the kind of an element.
            counts[usize::from(KINDS[element.tag as usize]) % (ARTICLE + 1)] += 1;
            elements = rest;
        }
    };
    let narrow = |count: u32| u16::try_from(count).unwrap_or(u16::MAX);
    for block in &page.blocks {
        take(&mut counts, block.span.0);
        let before = narrow(counts[MEDIA]);
        let (headlines, articles) = (narrow(counts[HEADLINE]), narrow(counts[ARTICLE]));
        counts[MEDIA] = 0;
        take(&mut counts, block.span.1);
        all.push(Counts { before, inside: narrow(counts[MEDIA]), headlines, articles });
        counts[MEDIA] = 0;
    }
    take(&mut counts, u32::MAX);
    let [_, before, headlines, articles] = counts.map(narrow);
    all.push(Counts { before, inside: 0, headlines, articles });
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn images_headlines_and_articles_are_counted() {
        let html = "<article><h1>One</h1><img><img><p>Of a caption.<p>Text <img> and text.</article>\
                    <article><h1>Two</h1><video></video><p>More.</article><img>";
        let page = ScanEngine.read(html, &Limits::default());
        let seen: Vec<[u16; 4]> = seen(&page)
            .iter()
            .map(|counts| [counts.before, counts.inside, counts.headlines, counts.articles])
            .collect();
        assert_eq!(seen, [[0, 0, 1, 1], [2, 0, 1, 1], [0, 1, 1, 1], [0, 0, 2, 2], [1, 0, 2, 2], [1, 0, 2, 2],]);
    }
}
