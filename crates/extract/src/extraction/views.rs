//! Views of a judged page: its blocks as rows with decisions, its text divided by authors or roles, its headline.

use std::cell::LazyCell;

use trommel_html::{Block, Tag, fold_space, json_ld::ContentProperty};

use super::Extraction;
use crate::document::{BlockSource, BlockVerdict};
use crate::heading_text::{is_too_long, shown_text, visible_text};
use crate::kept_flags::KeptBlocks as _;
use crate::metadata::{TitleWords, site::is_end_of_title};
use crate::posts::{FoundPost, Post, posts};
use crate::render::markdown::{Headline, MarkdownOptions, markdown, signature, title_heading};
use crate::render::text::{append, plain_text};
use crate::render::{TextOptions, divided};
use crate::{
    choice::Decider, content_policy::HeadlinePolicy, metadata, render::content::KeptContent, role::Role,
    role::role_of_embedded,
};

/// Maximum number of element names in the path of a block; the outermost names of deeper paths are left out.
// A page nested 512 deep would give each of its blocks a path of kilobytes.
pub(super) const PATH: usize = 64;
/// Maximum bytes of the path of a block; the outermost names of longer paths are left out.
pub(super) const PATH_BYTES: usize = 500;

impl Extraction<'_> {
    /// Iterates over the verdicts on all blocks in page order, and then on the texts that only the page's scripts have.
    pub fn blocks(&self) -> impl Iterator<Item = BlockVerdict> {
        let embedded = self.embedded().iter().map(|embedded| {
            let content = &embedded.embedded.content;
            BlockVerdict {
                text: content.text.clone(),
                start: content.span.0,
                end: content.span.1,
                tag: "script".to_owned(),
                path: format!("{}>{}", content.type_name, content.property.name()),
                words: embedded.embedded.words,
                link_density: 0.0,
                probability: embedded.probability,
                kept: embedded.kept,
                decider: Decider::MODEL,
                role: Some(role_of_embedded(embedded)),
                source: match content.property {
                    ContentProperty::Hydration => BlockSource::Hydration,
                    _ => BlockSource::JsonLd,
                },
            }
        });
        let roles = self.roles().into_iter().map(Some);
        self.judged()
            .zip(roles.chain(std::iter::repeat(None)))
            .zip(&self.verdicts.by)
            .map(|(((block, probability, kept, _), role), decider)| BlockVerdict {
                text: self.page.text(block).to_owned(),
                start: block.span.0,
                end: block.span.1,
                tag: self.tag(block).to_owned(),
                path: self.path(block),
                words: block.words,
                link_density: block.link_density(),
                probability,
                kept,
                decider: *decider,
                role,
                source: BlockSource::Page,
            })
            .chain(embedded)
    }

    pub(super) fn judged(&self) -> impl Iterator<Item = (&Block, f32, bool, Option<Role>)> {
        let judgement = &self.verdicts.judgement;
        let roles = self.verdicts.roles.iter().copied().map(Some);
        self.page
            .blocks
            .iter()
            .zip(judgement.probabilities.iter().zip(self.kept()))
            .zip(roles.chain(std::iter::repeat(None)))
            .map(|((block, (probability, kept)), role)| (block, *probability, *kept, role))
    }

    pub(super) fn tag(&self, block: &Block) -> &str {
        let container = self.page.container(block);
        container.map_or("", |(_, element)| self.page.name(element))
    }

    pub(super) fn path(&self, block: &Block) -> String {
        let around = self.page.path(block.element);
        let mut left = PATH_BYTES;
        let mut names: Vec<&str> = around
            .filter(|(_, element)| !element.tag.is_inline())
            .map(|(_, element)| self.page.name(element))
            .filter(|name| !matches!(*name, "html" | "body"))
            .take(PATH)
            .take_while(|name| {
                let rest = left.checked_sub(name.len() + 1);
                left = rest.unwrap_or_default();
                rest.is_some()
            })
            .collect();
        names.reverse();
        names.join(">")
    }
}

impl Extraction<'_> {
    /// Returns the posts of a page on which several people write (forums, questions and answers, kept comments). Only
    /// posts whose author or time the markup states are listed; empty if it states none.
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

    /// Returns the main text with a line of author and time above each post, in place of the page's own lines. A post
    /// that others interrupt has the line only where it begins.
    pub(super) fn text_with_names(&self, options: TextOptions) -> String {
        let posts = self.found_posts();
        let mut post_of = vec![None; self.page.blocks.len()];
        let mut kept = self.kept().to_vec();
        for (number, post) in posts.iter().enumerate() {
            for block in &post.blocks {
                if let Some(known) = post_of.get_mut(*block as usize) {
                    *known = Some(number);
                }
            }
            kept.set(post.labels.iter().map(|label| *label as usize), false);
        }
        let post_of = |block: u32| post_of.get(block as usize).copied().flatten();
        let mut unsigned: Vec<Option<&FoundPost>> = posts.iter().map(Some).collect();
        let kept = (0u32..).zip(kept).filter(|(_, kept)| *kept);
        let kept: Vec<u32> = kept.map(|(block, _)| block).collect();
        let mut texts: Vec<String> = Vec::new();
        for part in kept.chunk_by(|one, next| post_of(*one) == post_of(*next)) {
            let content = KeptContent::of_part(&self.page, &self.decoded.text, part).with_options(options, None);
            let text = plain_text(&content).text;
            let post = part.first().and_then(|block| unsigned.get_mut(post_of(*block)?)?.take());
            texts.push(match post {
                Some(post) => format!("{}\n{text}", signed(post)),
                None => text,
            });
        }
        texts.retain(|text| !text.is_empty());
        append(texts.join("\n\n"), self.kept_embedded_texts())
    }

    /// Returns the main text as Markdown, divided into posts by lines of `---`, each post below a line with its author
    /// and time. Without posts returns the same as [`Extraction::markdown`].
    pub(super) fn posts_as_markdown(&self, options: &MarkdownOptions, title: Option<&str>) -> String {
        let posts = self.found_posts();
        if posts.is_empty() {
            return self.traced_markdown(options, title, None).text;
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

    /// Returns the main text as Markdown with fenced divisions, as Pandoc reads them: each part whose role is not
    /// [`Role::Headline`] or [`Role::Body`] is written between `::: ROLE` and `:::`.
    pub(super) fn sections_as_markdown(&self, options: &MarkdownOptions, title: Option<&str>) -> String {
        let roles = self.roles();
        let role = |block: u32| {
            let role = roles.get(block as usize).copied();
            role.filter(|role| !matches!(role, Role::Headline | Role::Body))
        };
        divided(&self.traced_markdown(options, title, None), role)
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

/// Returns author and time of a post in one line, separated by a comma.
fn signed(post: &FoundPost) -> String {
    let known = [&post.author, &post.published].into_iter().flatten();
    known.map(|text| fold_space(text)).collect::<Vec<_>>().join(", ")
}

/// Number of kept blocks at the start of the text among which the headline is searched.
// A kicker and a date may stand above the headline; further down its words are those of the text.
const TITLE_BLOCKS: usize = 3;
/// Minimum likeness (0 to 1) of the words of a block and of the title for the block to repeat the title.
pub(super) const MIN_TITLE_LIKENESS: f32 = 0.6;
impl Extraction<'_> {
    /// Returns the text of the page's headline, if the headline is an `h1`.
    pub(super) fn headline_text(&self) -> Option<&str> {
        let block = self.page.blocks.get(self.verdicts.judgement.headline?)?;
        let is_first = self.page.path(block.element).any(|(_, element)| element.tag == Tag::H1);
        is_first.then(|| shown_text(&self.page, &self.decoded.text, block))
    }

    /// Returns the index of the `h1` element of the headline among the kept blocks; `None` if the headline is no `h1`.
    pub(super) fn headline_element(&self) -> Option<u32> {
        let mut kept = self.judged().filter(|(_, _, kept, _)| *kept);
        let (block, ..) = kept.find(|(_, _, _, role)| *role == Some(Role::Headline))?;
        let mut path = self.page.path(block.element);
        path.find(|(_, element)| element.tag == Tag::H1).map(|(at, _)| at)
    }

    /// Returns whether the title is not to be written above the text: the text has it near its start, or the policy
    /// excludes headlines.
    pub(super) fn has_headline(&self, title: &str) -> bool {
        if self.verdicts.headline == HeadlinePolicy::Exclude {
            return true;
        }
        let first = self.judged().filter(|(_, _, kept, _)| *kept);
        let title_words = LazyCell::new(|| TitleWords::of(title));
        first.take(TITLE_BLOCKS).enumerate().any(|(at, (block, _, _, role))| {
            let text = &*visible_text(&self.page, &self.decoded.text, block);
            let is_heading = |is_level: fn(Tag) -> bool| {
                self.page.container(block).is_some_and(|(_, element)| is_level(element.tag))
                    && !is_too_long([(block.words, block.chars)].into_iter())
            };
            // A text that begins with a heading of the first level has its title already, and so has one whose
            // first heading stands in the title beside the name of the site.
            let heads = at == 0
                && (is_heading(|tag| tag == Tag::H1) || is_heading(Tag::is_heading) && is_end_of_title(text, title));
            role == Some(Role::Headline) || heads || title_words.like(&TitleWords::of(text)) >= MIN_TITLE_LIKENESS
        })
    }
}
