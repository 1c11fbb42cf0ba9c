//! Facts in the body of the page: microdata, `<time>`, author links.

/// The kind of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FactKind {
    /// `itemprop` of `datePublished` (or `dateCreated`, `uploadDate`).
    Published,
    /// `itemprop="dateModified"`.
    Modified,
    /// `itemprop="author"` (or `creator`).
    Author,
    /// `itemprop="headline"`.
    Headline,
    /// `itemprop="name"`.
    Name,
    /// `itemprop="publisher"`.
    Publisher,
    /// `itemprop="inLanguage"`.
    Language,
    /// An element with a `datetime` attribute that is not said to be one of the dates above.
    Time,
    /// An element with `rel="author"`, or a link to an address like `/author/name`.
    AuthorLink,
}

impl FactKind {
    const ITEMPROPS: [(&str, FactKind); 10] = [
        ("datepublished", FactKind::Published),
        ("datecreated", FactKind::Published),
        ("uploaddate", FactKind::Published),
        ("datemodified", FactKind::Modified),
        ("author", FactKind::Author),
        ("creator", FactKind::Author),
        ("headline", FactKind::Headline),
        ("name", FactKind::Name),
        ("publisher", FactKind::Publisher),
        ("inlanguage", FactKind::Language),
    ];

    /// The kind of an `itemprop` attribute: that of its first word that is known.
    pub(crate) fn of_itemprop(value: &[u8]) -> Option<Self> {
        value.split(|byte| byte.is_ascii_whitespace()).find_map(|word| {
            Self::ITEMPROPS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name.as_bytes())).map(|(_, kind)| *kind)
        })
    }
}

/// A fact that an element of the body states. A page keeps the first few hundred.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedFact {
    /// The kind of the fact.
    pub kind: FactKind,
    /// `content`, `datetime` or, for dates, `title` of the element, character references decoded;
    /// empty where the fact is the text of the element.
    pub value: String,
    /// The element; for `<meta>` the one around it ([`NONE`](crate::NONE) outside of every element).
    pub element: u32,
    /// Index of the block being read at that place: what has a lower one stands before it.
    pub block: u32,
    /// Byte of the `<` of the start tag in the decoded page.
    pub start: u32,
}
