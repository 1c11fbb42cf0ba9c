//! Facts about the whole page, the same for all of its blocks.

use trommel_html::{Page, Tag};

use crate::features::facts::sums::Sums;
use crate::features::group::{Fact, Group, constants, owned};

use crate::features::log::log;

const NAMES: [&str; 10] = [
    "page.log_words", "page.log_blocks", "page.link_density", "page.paragraph_share", "page.log_elements",
    "page.article", "page.product", "page.list", "page.discussion", "page.headline",
];

pub(crate) const GROUP: Group = Group {
    needs: &[Fact::Sums],
    columns: |_| owned(&NAMES),
    on: |facts, _| constants(features(facts.page, &facts.whole)),
};

fn features(page: &Page, whole: &Sums) -> [f32; NAMES.len()] {
    let has_headline = page.blocks.iter().any(|block| {
        let container = page.container(block);
        container.is_some_and(|(_, element)| element.tag == Tag::H1)
    });
    // JSON-LD as well, because `og:type` has no value for lists and forums.
    let og = page.head.meta("og:type").unwrap_or_default().to_ascii_lowercase();
    let says = |og_part: &str, types: &[&str]| {
        let og = !og_part.is_empty() && og.contains(og_part);
        // A word search does: the names of schema.org types stand in no other place of JSON-LD.
        let ld = page.head.json_ld.iter().any(|script| types.iter().any(|kind| script.text.contains(kind)));
        f32::from(u8::from(og || ld))
    };
    [
        log(whole.words),
        log(whole.blocks),
        whole.link_density(),
        whole.paragraph_share(),
        log(page.elements.len() as f64),
        says("article", &["Article\"", "Posting\""]),
        says("product", &["\"Product\""]),
        says("", &["\"ItemList\"", "\"CollectionPage\""]),
        says("", &["\"DiscussionForumPosting\"", "\"QAPage\""]),
        f32::from(u8::from(has_headline)),
    ]
}
