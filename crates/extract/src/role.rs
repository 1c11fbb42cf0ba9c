//! What a block is on its page, beside whether it is kept.

use serde::{Deserialize, Serialize};
use trommel_html::{Page, Tag};

/// What a block is on its page. Whether a block is main text is the model's verdict; what kind of
/// boilerplate a dropped block is, labels do not say, so it is read off the elements around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The page's main headline, kept or not.
    Headline,
    /// Main text.
    Body,
    /// A reader's comment, kept or not.
    Comment,
    /// Menus and lists of links.
    Navigation,
    /// Page header.
    Header,
    /// Page footer.
    Footer,
    /// Beside the main text.
    Aside,
    /// Labels, buttons and texts of forms.
    Form,
    /// Not shown by a browser.
    Hidden,
    /// Dropped for another reason.
    Other,
}

impl Role {
    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Role::Headline => "headline",
            Role::Body => "body",
            Role::Comment => "comment",
            Role::Navigation => "navigation",
            Role::Header => "header",
            Role::Footer => "footer",
            Role::Aside => "aside",
            Role::Form => "form",
            Role::Hidden => "hidden",
            Role::Other => "other",
        }
    }
}

/// Link density above which a dropped block is navigation wherever it stands.
const LINKED: f32 = 0.5;

/// The role of each block, given which are kept as main text, which stand in comment sections, and
/// which is the headline. A comment that is main text (a post of a forum) is body.
pub(crate) fn roles(
    page: &Page,
    body: &[bool],
    in_comments: &[bool],
    headline: Option<usize>,
) -> Vec<Role> {
    // Kind of boilerplate of every element: its own, or that of the one around it.
    let mut kinds: Vec<Option<Role>> = Vec::with_capacity(page.elements.len());
    for element in &page.elements {
        let above = kinds.get(element.parent as usize).copied().flatten();
        let own = match element.tag {
            _ if element.hidden => Some(Role::Hidden),
            Tag::Nav | Tag::Menu => Some(Role::Navigation),
            Tag::Header => Some(Role::Header),
            Tag::Footer => Some(Role::Footer),
            Tag::Aside => Some(Role::Aside),
            Tag::Form | Tag::Button | Tag::Fieldset | Tag::Label => Some(Role::Form),
            _ => None,
        };
        kinds.push(if above == Some(Role::Hidden) {
            above
        } else {
            own.or(above)
        });
    }
    page.blocks
        .iter()
        .enumerate()
        .map(|(at, block)| {
            if headline == Some(at) {
                Role::Headline
            } else if body.get(at) == Some(&true) {
                Role::Body
            } else if in_comments.get(at) == Some(&true) {
                Role::Comment
            } else if let Some(kind) = kinds.get(block.element as usize).copied().flatten() {
                kind
            } else if block.link_density() > LINKED {
                Role::Navigation
            } else {
                Role::Other
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn every_block_has_a_role() {
        let page = ScanEngine.read(
            "<header><p>Site</p><nav><a href=a>Home</a></nav></header><h1>Title</h1><p>Body of it.</p>\
             <p>I agree.</p><p><a href=b>More</a></p><aside hidden><p>Psst</p></aside>\
             <form><p>Name</p></form><footer>Ours</footer><p>Left over</p>",
            &Limits::default(),
        );
        let mut body = vec![false; page.blocks.len()];
        body[3] = true;
        let mut comments = vec![false; page.blocks.len()];
        comments[4] = true;
        let found: Vec<&str> = roles(&page, &body, &comments, Some(2))
            .into_iter()
            .map(Role::name)
            .collect();
        assert_eq!(
            found,
            [
                "header",
                "navigation",
                "headline",
                "body",
                "comment",
                "navigation",
                "hidden",
                "form",
                "footer",
                "other"
            ]
        );
    }
}
