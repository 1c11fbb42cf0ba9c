//! Caps that keep time and memory linear in the page, and the record of which were passed.

/// Caps on what one page may put into its tables. What lies beyond a cap is left out or merged and
/// the page is marked; it is never an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Open elements on the stack; deeper ones hang on the deepest kept.
    pub depth: usize,
    /// Rows of the element table.
    pub elements: usize,
    /// Blocks that are kept apart; the text of later ones is merged into larger blocks.
    pub blocks: usize,
    /// Bytes of text, as it stands in the page, that are read into blocks.
    pub text: usize,
    /// Attribute tokens of one element.
    pub element_tokens: usize,
    /// Attribute tokens of the page.
    pub tokens: usize,
    /// Bytes of one tag's attributes that are read.
    pub attributes: usize,
    /// Bytes of head facts (title, meta, JSON-LD) kept.
    pub head: usize,
    /// Bytes behind an element, comment or quote that is never closed which are read again as markup.
    pub recovered: usize,
    /// Steps of work ([`Page::steps`](crate::Page::steps)) from which on only the innermost few open
    /// elements are looked at for each tag.
    pub steps: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            depth: 512,
            elements: 1 << 20,
            blocks: 1 << 18,
            text: 64 << 20,
            element_tokens: 64,
            tokens: 1 << 21,
            attributes: 64 << 10,
            head: 1 << 20,
            recovered: 64 << 20,
            steps: 1 << 30,
        }
    }
}

/// The caps a page passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capped(u16);

/// A cap that a page can pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum Cap {
    /// [`Limits::depth`].
    Depth = 1,
    /// [`Limits::elements`].
    Elements = 2,
    /// [`Limits::blocks`].
    Blocks = 4,
    /// [`Limits::text`].
    Text = 8,
    /// [`Limits::element_tokens`] or [`Limits::tokens`].
    Tokens = 16,
    /// [`Limits::attributes`].
    Attributes = 32,
    /// [`Limits::head`].
    Head = 64,
    /// The page is larger than spans can address (4 GiB); the rest is not read.
    Page = 128,
    /// [`Limits::recovered`].
    Recovered = 256,
    /// [`Limits::steps`].
    Steps = 512,
}

impl Cap {
    const ALL: [(Cap, &'static str); 10] = [
        (Cap::Depth, "depth"),
        (Cap::Elements, "elements"),
        (Cap::Blocks, "blocks"),
        (Cap::Text, "text"),
        (Cap::Tokens, "tokens"),
        (Cap::Attributes, "attributes"),
        (Cap::Head, "head"),
        (Cap::Page, "page"),
        (Cap::Recovered, "recovered"),
        (Cap::Steps, "steps"),
    ];
}

impl Capped {
    /// Notes that `cap` was passed.
    pub fn set(&mut self, cap: Cap) {
        self.0 |= cap as u16;
    }

    /// Whether `cap` was passed.
    pub fn has(self, cap: Cap) -> bool {
        self.0 & cap as u16 != 0
    }

    /// Names of the caps that were passed.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Cap::ALL
            .into_iter()
            .filter(move |(cap, _)| self.has(*cap))
            .map(|(_, name)| name)
    }
}
