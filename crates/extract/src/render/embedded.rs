//! Adds texts that stand only in a page's JSON-LD to the text and to the blocks.

use trommel_model::JudgedEmbedded;

use crate::role::Role;

/// A text with further ones after it, each after an empty line: nothing says where on the page they
/// belong.
pub(crate) fn append<'a>(mut text: String, texts: impl Iterator<Item = &'a str>) -> String {
    for more in texts {
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(more);
    }
    text
}

/// The role of an embedded text on its page.
pub(crate) fn role(embedded: &JudgedEmbedded) -> Role {
    if embedded.is_comment() {
        Role::Comment
    } else if embedded.kept {
        Role::Body
    } else {
        Role::Other
    }
}
