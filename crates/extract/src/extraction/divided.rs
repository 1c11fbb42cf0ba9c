//! The main text in parts: by who wrote them, or by what they are.

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
    /// The posts of a page on which several people write (forums, questions and answers, comments that are
    /// kept), as far as its markup says who wrote which, or when; empty if it does not.
    pub fn posts(&self, options: TextOptions) -> Vec<Post> {
        self.rendered(|| {
            let posts = self.found_posts().into_iter();
            posts
                .map(|post| Post {
                    text: plain_text(&self.content_of(&post, options)).text,
                    author: post.author,
                    published: post.published,
                })
                .collect()
        })
    }

    /// The main text as Markdown divided into posts, each below a line with its author and time and with a rule
    /// between; of a page without posts [`Extraction::markdown`].
    pub fn markdown_of_posts(&self, options: &MarkdownOptions) -> String {
        let posts = self.rendered(|| self.found_posts());
        if posts.is_empty() {
            return self.markdown(options);
        }
        self.rendered(|| {
            let title = options.title.then(|| self.title_and_metadata().0).flatten();
            let mut text = title.as_deref().map(title_heading).unwrap_or_default();
            for (at, post) in posts.iter().enumerate() {
                if at > 0 {
                    text.push_str("\n---\n\n");
                }
                let signed = [&post.author, &post.published];
                let signed = signed.map(|own| own.as_deref().unwrap_or_default());
                text.push_str(&signature(signed[0], signed[1]));
                let content = self.content_of(post, options.text);
                let body = markdown(&content, self.hints.url, options, Headline::None);
                text.push_str(&body.text);
            }
            text
        })
    }

    /// The main text as Markdown in which what is of a role of its own (all but [`Role::Headline`] and [`Role::Body`])
    /// stands in divisions: `::: review` above it and `:::` below, as Pandoc reads them.
    pub fn markdown_of_sections(&self, options: &MarkdownOptions) -> String {
        let roles = self.roles();
        let role = |block: u32| {
            let own = roles.get(block as usize).copied();
            own.filter(|own| !matches!(own, Role::Headline | Role::Body))
        };
        self.rendered(|| {
            let title = options.title.then(|| self.title_and_metadata().0).flatten();
            divided(&self.traced_markdown(options, title.as_deref()), role)
        })
    }

    fn found_posts(&self) -> Vec<FoundPost> {
        let html = &self.decoded.text;
        let month_first = metadata::month_first(html, &self.page, &self.hints);
        posts(&self.page, html, self.hints.url, self.kept(), month_first)
    }

    fn content_of(&self, post: &FoundPost, options: TextOptions) -> KeptContent<'_> {
        KeptContent::of_blocks(&self.page, &self.decoded.text, &post.blocks)
            .with_options(options, None)
    }
}
