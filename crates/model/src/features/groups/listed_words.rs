//! Listed attribute words: a 0/1 feature for each common word with strong odds between content and other
//! blocks (Peters and Lecocq, WWW 2013, section 3.3).

use trommel_html::{Block, Page};

use crate::features::group::Group;
use crate::features::lexicon::Lexicon;
use crate::features::log::flag;

/// The listed words on each element or on one around it: a bit set for each element.
pub(crate) struct ListedWords<'a> {
    page: &'a Page,
    /// The number of listed words.
    listed: usize,
    /// 64-bit words a set.
    stride: usize,
    sets: Vec<u64>,
}

impl<'a> ListedWords<'a> {
    fn of(page: &'a Page, lexicon: &Lexicon) -> Self {
        // Sets of bits are inherited by copying a few words; lists would grow with the depth.
        let stride = lexicon.listed_names().len().div_ceil(64);
        let mut sets = vec![0u64; stride * page.elements.len()];
        for (at, element) in page.elements.iter().enumerate() {
            // A parent comes before its children, so its set is complete in the first part.
            let (before, rest) = sets.split_at_mut(at * stride);
            let Some(set) = rest.get_mut(..stride) else { break };
            let parent = element.parent as usize * stride;
            if let Some(parent) = before.get(parent..parent.saturating_add(stride)) {
                set.copy_from_slice(parent);
            }
            for listed in page.attribute_words(element).iter().filter_map(|token| lexicon.listed(token)) {
                if let Some(word) = set.get_mut(listed / 64) {
                    *word |= 1 << (listed % 64);
                }
            }
        }
        Self { page, listed: lexicon.listed_names().len(), stride, sets }
    }

    fn set(&self, element: u32) -> &[u64] {
        let at = element as usize * self.stride;
        self.sets.get(at..at.saturating_add(self.stride)).unwrap_or_default()
    }

    /// Returns whether a listed word stands on an element around the block or on an inline element inside it.
    fn has(&self, block: &Block, listed: usize) -> bool {
        // The paper takes words of tags inside of a block as well as of those around it.
        let elements = std::iter::once(&block.element).chain(self.page.inline(block));
        elements
            .map(|element| self.set(*element))
            .any(|set| set.get(listed / 64).is_some_and(|word| word >> (listed % 64) & 1 == 1))
    }
}

pub(crate) const GROUP: Group = Group {
    needs: &[],
    columns: |lexicon| lexicon.listed_names().to_vec(),
    on: |facts, _| {
        let words = ListedWords::of(facts.page, facts.lexicon);
        Box::new(move |_, out| {
            for listed in 0..words.listed {
                let has = |at| words.page.blocks.get(at).is_some_and(|block| words.has(block, listed));
                out.put(|at| flag(has(at)));
            }
        })
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::lexicon::ListedWord;
    use trommel_html::{Engine, Limits, ScanEngine};

    fn listed(attribute: &str, token: &str) -> ListedWord {
        ListedWord { attribute: attribute.into(), word: token.into(), odds: 1.0, share: 0.1 }
    }

    #[test]
    fn listed_words_count_on_the_path_and_inside() {
        let mut tokens: Vec<ListedWord> = (0..70).map(|i| listed("class", &format!("none{i}"))).collect();
        tokens.push(listed("class", "menu"));
        tokens.push(listed("id", "menu"));
        tokens.push(listed("class", "icon"));
        let lexicon = Lexicon::new(&tokens, &[], &[]);
        let page =
            ScanEngine.read("<div class=top-menu><p>a <b class=icon>b</b></p></div><p>c</p>", &Limits::default());
        let sets = ListedWords::of(&page, &lexicon);
        let on = |block: usize| -> Vec<usize> {
            (0..tokens.len()).filter(|at| sets.has(&page.blocks[block], *at)).collect()
        };
        assert_eq!(on(0), [70, 72]);
        assert!(on(1).is_empty());
    }
}
