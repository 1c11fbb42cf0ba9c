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
