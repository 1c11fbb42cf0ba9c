//! Words of the attributes that name the purpose of an element.

trommel_text::named! {
    /// Attribute a word comes from.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    #[repr(u8)]
    pub enum Attribute {
        /// `id`
        Id = "id",
        /// `class`
        Class = "class",
        /// `role`
        Role = "role",
        /// `itemprop`
        Itemprop = "itemprop",
    }
}

/// One word of an attribute's value, in lower case, two bytes or longer. Values are split at everything
/// that is not a letter (so at `-`, `_` and digits), and where lower case turns to upper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttributeWord {
    /// [`trommel_text::word_hash`] of the text.
    pub hash: u64,
    pub(crate) start: u32,
    pub(crate) len: u16,
    /// The attribute of the word.
    pub attribute: Attribute,
}
