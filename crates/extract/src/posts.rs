//! Finds posts: what several people wrote on one page, each with author and time, if the markup states them.
//!
//! No forum software is known by name. A part of the page is a post if it holds text and states who wrote it
//! and when, and if the page has several parts of the same template. It is also a post if a word of its
//! attributes says so and it states author or time.

mod attribution;
mod bylines;
mod candidates;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use trommel_html::{Attribute, Element, Page};
use trommel_text::keys::filled;
use url::Url;

use attribution::Signing;
use bylines::marks;
use candidates::parts;

/// Words in the attributes of elements that are about who wrote a post.
// `user` alone hid all posts of threads whose texts stand in `message-userContent`; see the next list.
const ABOUT_WRITERS: [&str; 9] =
    ["user", "userinfo", "profile", "postprofile", "signature", "sig", "avatar", "byline", "member"];
/// Attribute words that, beside those, make an element hold a user's text after all.
const CONTENTS: [&str; 9] = ["has", "content", "contents", "text", "body", "generated", "review", "comment", "reply"];

trommel_text::keyed! {
    /// A post: the text of one person on a page where several people write.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub struct Post {
        /// Its author, as the page shows the name.
        #[serde(with = "filled")]
        pub author: Option<String>,
        /// ISO 8601 date, with time and offset if the page states them.
        #[serde(with = "filled")]
        pub published: Option<String> as Date,
        /// Main text of the post.
        pub text: String,
    }
}

/// A post with the blocks that are its text.
#[derive(Debug, Default)]
pub(crate) struct FoundPost {
    pub(crate) author: Option<String>,
    pub(crate) published: Option<String>,
    /// Kept blocks, in order.
    pub(crate) blocks: Vec<u32>,
    /// Kept blocks that only say who wrote it, or when.
    pub(crate) labels: Vec<u32>,
}

/// Finds the posts of a page, in order; none if it has fewer than two.
pub(crate) fn posts(page: &Page, html: &str, url: Option<&str>, kept: &[bool], month_first: bool) -> Vec<FoundPost> {
    let url = url.and_then(|url| Url::parse(url).ok());
    let marks = marks(page, html, url.as_ref());
    let parts = parts(page, html, url.as_ref(), kept, &marks);
    let signing = Signing::new(page, &marks, &parts, month_first);
    let posts = signing.texts(kept).into_iter().enumerate();
    let posts = posts.map(|(at, [blocks, labels])| {
        let (author, published) = signing.of(at);
        FoundPost { author, published, blocks, labels }
    });
    let is_signed = |post: &FoundPost| post.author.is_some() || post.published.is_some();
    let posts: Vec<FoundPost> = posts.filter(|post| is_signed(post) && !post.blocks.is_empty()).collect();
    // A single post counts only if it says both, because one name and text is also an article.
    if let [alone] = posts.as_slice() {
        let is_signed = alone.author.is_some() && alone.published.is_some();
        return if is_signed { posts } else { Vec::new() };
    }
    // What one person wrote at one time is one text.
    let differ = |of: fn(&FoundPost) -> Option<&String>| {
        let mut all = posts.iter().filter_map(of);
        let first = all.next();
        all.any(|value| Some(value) != first)
    };
    let are_several = differ(|post| post.author.as_ref()) || differ(|post| post.published.as_ref());
    if are_several { posts } else { Vec::new() }
}

/// Returns whether an element describes the author of a post, and is not its text.
fn says_about_writer(page: &Page, element: &Element) -> bool {
    page.is_named_as(element, &ABOUT_WRITERS) && !page.is_named_as(element, &CONTENTS)
}

/// Name and first class of an element, which all parts of one template share.
fn kind<'a>(page: &'a Page, element: &Element) -> (&'a str, &'a str) {
    let words = page.attribute_words(element).iter();
    let class = words.filter(|word| word.attribute == Attribute::Class);
    // The first word of the class: further ones are states and ids (`odd`, `post-1234`).
    let first = class.map(|word| page.word_text(word)).next();
    (page.name(element), first.unwrap_or_default())
}
