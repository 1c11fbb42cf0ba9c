//! The content model of an element for the tokenizer (HTML standard, 13.2.5).

use crate::build::TextKind;
use crate::markup::Tag;

/// The kind of content after a start tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContentModel {
    Markup,
    /// Text in which character references are decoded, up to the end tag.
    Text,
    /// Text as it stands, up to the end tag.
    Raw,
    Script,
    /// Text as it stands, up to the end of the page.
    Plain,
}

/// The models in the order of the tags: every tag is asked for its own.
static MODELS: [ContentModel; Tag::COUNT] = {
    let mut models = [ContentModel::Markup; Tag::COUNT];
    let mut at = 0;
    while at < Tag::COUNT {
        models[at] = ContentModel::found_for(Tag::ALL[at]);
        at += 1;
    }
    models
};

/// Results of [`is_plain`], in the order of the tags.
static ARE_PLAIN: [bool; Tag::COUNT] = {
    let mut are_plain = [false; Tag::COUNT];
    let mut at = 0;
    while at < Tag::COUNT {
        let is_markup = matches!(MODELS[at], ContentModel::Markup);
        are_plain[at] = is_markup && !matches!(Tag::ALL[at], Tag::Template | Tag::Svg | Tag::Math);
        at += 1;
    }
    are_plain
};

/// Returns whether a tag begins an element that holds markup, and neither a namespace nor text that is skipped.
#[inline]
pub(super) fn is_plain(tag: Tag) -> bool {
    ARE_PLAIN[tag as usize]
}

impl ContentModel {
    #[inline]
    pub(super) fn of(tag: Tag) -> Self {
        MODELS[tag as usize]
    }

    const fn found_for(tag: Tag) -> Self {
        match tag {
            Tag::Textarea | Tag::Title => ContentModel::Text,
            Tag::Plaintext => ContentModel::Plain,
            Tag::Script => ContentModel::Script,
            Tag::Style | Tag::Iframe | Tag::Xmp | Tag::Noembed | Tag::Noframes | Tag::Noscript => ContentModel::Raw,
            _ => ContentModel::Markup,
        }
    }

    pub(super) fn kind(self) -> TextKind {
        match self {
            ContentModel::Markup | ContentModel::Text => TextKind::Decoded,
            ContentModel::Raw | ContentModel::Script | ContentModel::Plain => TextKind::Raw,
        }
    }
}
