//! Finds posts: the texts of several people on one page, each with author and time if the markup states them.
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

/// Class and id words of elements that describe the author of a post.
// `user` alone hid all posts of threads whose texts stand in `message-userContent`; see the next list.
const ABOUT_WRITERS: [&str; 9] =
    ["user", "userinfo", "profile", "postprofile", "signature", "sig", "avatar", "byline", "member"];
/// Class and id words of elements that hold the text of a post, even if a word such as `user` occurs beside them.
const CONTENTS: [&str; 9] = ["has", "content", "contents", "text", "body", "generated", "review", "comment", "reply"];

trommel_text::keyed! {
    /// A post: the text of one person on a page where several people write.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub struct Post {
        /// Author, as the page shows the name.
        #[serde(with = "filled")]
        pub author: Option<String>,
        /// ISO 8601 date, with time and offset if the page states them.
        #[serde(with = "filled")]
        pub published: Option<String> as Date,
        /// Main text of the post.
        pub text: String,
    }
}

/// Post found on a page, with its author, time and blocks.
#[derive(Debug, Default)]
pub(crate) struct FoundPost {
    pub(crate) author: Option<String>,
    pub(crate) published: Option<String>,
    /// Indices of the kept blocks with the text of the post, in order.
    pub(crate) blocks: Vec<u32>,
    /// Indices of the kept blocks that only state the author or time of the post.
    pub(crate) labels: Vec<u32>,
}

/// Returns the posts of a page, in order. Returns none if a single post lacks author or time, or if several posts all
/// have the same author and time.
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

/// Returns whether an element describes the author of a post, and does not hold the post's text.
fn says_about_writer(page: &Page, element: &Element) -> bool {
    page.is_named_as(element, &ABOUT_WRITERS) && !page.is_named_as(element, &CONTENTS)
}

/// Returns the name and the first class of an element, which are equal for all elements of one template.
fn kind<'a>(page: &'a Page, element: &Element) -> (&'a str, &'a str) {
    let words = page.attribute_words(element).iter();
    let class = words.filter(|word| word.attribute == Attribute::Class);
    // The first word of the class: further ones are states and ids (`odd`, `post-1234`).
    let first = class.map(|word| page.word_text(word)).next();
    (page.name(element), first.unwrap_or_default())
}
