//! The rows of the element table.

use bitflags::bitflags;

use crate::markup::Tag;

bitflags! {
    /// Kinds of elements, by the part of the page that their text belongs to.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct ElementKinds: u16 {
        /// [`Tag::keeps_space`]: `pre`, its like, and what is laid out as they are.
        const CODE = 1;
        /// `ul`, `ol`.
        const LIST = 1 << 1;
        /// `dl`, `menu`, `dir`.
        const OTHER_LIST = 1 << 2;
        /// `li`.
        const ITEM = 1 << 3;
        /// `dd`, `dt`.
        const OTHER_ITEM = 1 << 4;
        /// `table`.
        const TABLE = 1 << 5;
        /// `h1` to `h6`.
        const HEADING = 1 << 6;
        /// `blockquote`.
        const QUOTE = 1 << 7;
    }
}

impl ElementKinds {
    /// The kinds of a tag.
    #[inline]
    pub(crate) fn of(tag: Tag) -> Self {
        KINDS[tag as usize]
    }

    const fn found_for(tag: Tag) -> Self {
        match tag {
            Tag::Ul | Tag::Ol => Self::LIST,
            Tag::Dl | Tag::Menu | Tag::Dir => Self::OTHER_LIST,
            Tag::Li => Self::ITEM,
            Tag::Dd | Tag::Dt => Self::OTHER_ITEM,
            Tag::Table => Self::TABLE,
            Tag::Blockquote => Self::QUOTE,
            tag if tag.is_heading() => Self::HEADING,
            tag if tag.keeps_space() => Self::CODE,
            _ => Self::empty(),
        }
    }
}

/// The kinds in the order of the tags: every element is asked for them.
const KINDS: [ElementKinds; Tag::COUNT] = {
    let mut kinds = [ElementKinds::empty(); Tag::COUNT];
    let mut at = 0;
    while at < Tag::COUNT {
        kinds[at] = ElementKinds::found_for(Tag::ALL[at]);
        at += 1;
    }
    kinds
};

/// An element of the page's body, `html` and `body` included; head elements and what is never text
/// (script, svg ...) have no row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Its name; `pre` of any element that is laid out as code, such as the editors of CodeMirror, and `h1` to `h6`
    /// of one whose `role` is that of a heading.
    pub tag: Tag,
    pub(crate) name: u16,
    /// Index of the enclosing element, or [`NONE`](crate::NONE).
    pub parent: u32,
    /// Number of enclosing elements.
    pub depth: u16,
    /// True if the element or one around it is hidden by `hidden`, `aria-hidden="true"` or its style.
    pub hidden: bool,
    /// Kinds of the element and of all elements around it: what is not among them need not be searched for.
    pub within: ElementKinds,
    /// One past the index of its last descendant: descendants are `index + 1 .. end`.
    pub end: u32,
    /// First of its words in the table of words of attributes, and their number.
    pub(crate) words: (u32, u16),
    /// True if it may have an `id` or a `name`.
    pub(crate) is_named: bool,
    /// Hash of the name and the class attribute; equal for elements made by one template.
    pub signature: u64,
    /// Byte of the `<` of its start tag in the decoded page.
    pub start: u32,
}

#[cfg(test)]
mod tests {
    use crate::{ElementKinds, Engine, Limits, LolEngine};

    #[test]
    fn kinds_are_those_of_the_element_and_of_all_around() {
        let html =
            "<ul><li>a<pre>b</pre></ul><table><tr><td><h2>c</h2><dl><dd>d</dl></table><blockquote>e</blockquote>f";
        let page = LolEngine.read(html, &Limits::default());
        use ElementKinds as Kinds;
        let list = Kinds::LIST | Kinds::ITEM;
        let found: Vec<ElementKinds> = page.blocks.iter().map(|block| page.kinds_around(block)).collect();
        assert_eq!(
            found,
            [
                list,
                list | Kinds::CODE,
                Kinds::TABLE | Kinds::HEADING,
                Kinds::TABLE | Kinds::OTHER_LIST | Kinds::OTHER_ITEM,
                Kinds::QUOTE,
                Kinds::empty()
            ]
        );
        assert_eq!(page.kinds, Kinds::all());
    }
}
