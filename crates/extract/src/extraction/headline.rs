//! The headline among the kept blocks.

use std::cell::LazyCell;

use trommel_html::Tag;

use super::Extraction;
use crate::heading_text::{is_too_long, shown_text, visible_text};
use crate::metadata::likeness::TitleWords;
use crate::metadata::title_parts::is_end_of_title;
use crate::policy::HeadlinePolicy;
use crate::role::Role;

/// Kept blocks among which the headline is looked for, and the likeness to the title from which a block
/// says it.
// A kicker and a date may stand above the headline; further down its words are those of the text.
const TITLE_BLOCKS: usize = 3;
pub(super) const MIN_TITLE_LIKENESS: f32 = 0.6;
impl Extraction<'_> {
    /// The text of the page's headline, if that is a heading of the first level.
    pub(super) fn headline_text(&self) -> Option<&str> {
        let block = self.page.blocks.get(self.verdicts.judgement.headline?)?;
        let is_first = self.page.path(block.element).any(|(_, element)| element.tag == Tag::H1);
        is_first.then(|| shown_text(&self.page, &self.decoded.text, block))
    }

    /// The element of the headline among the kept blocks, if it is a heading of the first level.
    pub(super) fn headline_element(&self) -> Option<u32> {
        let mut kept = self.judged().filter(|(_, _, kept, _)| *kept);
        let (block, ..) = kept.find(|(_, _, _, role)| *role == Some(Role::Headline))?;
        let mut path = self.page.path(block.element);
        path.find(|(_, element)| element.tag == Tag::H1).map(|(at, _)| at)
    }

    /// Returns whether the text says the title itself, near its start, or must not say it.
    pub(super) fn has_headline(&self, title: &str) -> bool {
        if self.verdicts.headline == HeadlinePolicy::Exclude {
            return true;
        }
        let first = self.judged().filter(|(_, _, kept, _)| *kept);
        let title_words = LazyCell::new(|| TitleWords::of(title));
        first.take(TITLE_BLOCKS).enumerate().any(|(at, (block, _, _, role))| {
            let text = &*visible_text(&self.page, &self.decoded.text, block);
            let is_heading = |is_level: fn(Tag) -> bool| {
                self.page.container(block).is_some_and(|(_, element)| is_level(element.tag))
                    && !is_too_long([(block.words, block.chars)].into_iter())
            };
            // A text that begins with a heading of the first level has its title already, and so has one whose
            // first heading stands in the title beside the name of the site.
            let heads = at == 0
                && (is_heading(|tag| tag == Tag::H1) || is_heading(Tag::is_heading) && is_end_of_title(text, title));
            role == Some(Role::Headline) || heads || title_words.like(&TitleWords::of(text)) >= MIN_TITLE_LIKENESS
        })
    }
}
