//! Divides the main text, by authors or by roles.

use super::Extraction;
use crate::metadata;
use crate::posts::{FoundPost, Post, posts};
use crate::render::TextOptions;
use crate::render::content::KeptContent;
use crate::render::divisions::divided;
use crate::render::markdown::{Headline, MarkdownOptions, markdown, signature, title_heading};
use crate::render::text::plain_text;
use crate::role::Role;

impl Extraction<'_> {
    /// The posts of a page on which several people write (forums, questions and answers, kept comments). Only
    /// posts whose author or time the markup states are listed; empty if it states none.
    pub fn posts(&self, options: TextOptions) -> Vec<Post> {
        self.rendered(|| self.listed_posts(options))
    }

    pub(super) fn listed_posts(&self, options: TextOptions) -> Vec<Post> {
        let posts = self.found_posts().into_iter();
        posts
            .map(|post| Post {
                text: plain_text(&self.content_of(&post, options)).text,
                author: post.author,
                published: post.published,
            })
            .collect()
    }

    /// The main text as Markdown divided into posts, each below a line with its author and time and with a rule
    /// between; of a page without posts [`Extraction::markdown`].
    pub fn markdown_of_posts(&self, options: &MarkdownOptions) -> String {
        self.rendered(|| self.posts_as_markdown(options, self.title_above(options).as_deref()))
    }

    pub(super) fn posts_as_markdown(&self, options: &MarkdownOptions, title: Option<&str>) -> String {
        let posts = self.found_posts();
        if posts.is_empty() {
            return self.markdown_text(options, title);
        }
        let mut text = title.map(title_heading).unwrap_or_default();
        for (at, post) in posts.iter().enumerate() {
            if at > 0 {
                text.push_str("\n---\n\n");
            }
            let signed = [&post.author, &post.published];
            let signed = signed.map(|value| value.as_deref().unwrap_or_default());
            text.push_str(&signature(signed[0], signed[1]));
            let content = self.content_of(post, options.text);
            let body = markdown(&content, self.hints.url, options, Headline::None, None);
            text.push_str(&body.text);
        }
        text
    }

    /// The main text as Markdown with divisions. Parts with a role of their own (all except [`Role::Headline`]
    /// and [`Role::Body`]) stand between `::: review` and `:::`, as Pandoc reads them.
    pub fn markdown_of_sections(&self, options: &MarkdownOptions) -> String {
        self.rendered(|| self.sections_as_markdown(options, self.title_above(options).as_deref()))
    }

    pub(super) fn sections_as_markdown(&self, options: &MarkdownOptions, title: Option<&str>) -> String {
        let roles = self.roles();
        let role = |block: u32| {
            let role = roles.get(block as usize).copied();
            role.filter(|role| !matches!(role, Role::Headline | Role::Body))
        };
        divided(&self.traced_markdown(options, title), role)
    }

    /// The title that the options put above the text.
    fn title_above(&self, options: &MarkdownOptions) -> Option<String> {
        options.title.then(|| self.title_and_metadata().0).flatten()
    }

    fn found_posts(&self) -> Vec<FoundPost> {
        let html = &self.decoded.text;
        let month_first = metadata::month_first(html, &self.page, &self.hints);
        posts(&self.page, html, self.hints.url, self.kept(), month_first)
    }

    fn content_of(&self, post: &FoundPost, options: TextOptions) -> KeptContent<'_> {
        KeptContent::of_part(&self.page, &self.decoded.text, &post.blocks).with_options(options, None)
    }
}
