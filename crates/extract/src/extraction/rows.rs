//! The blocks of a judged page as rows, each with the decision about it.

use serde::Serialize;
use trommel_html::Block;
use trommel_html::json_ld::ContentProperty;

use super::Extraction;
use crate::choice::Decider;
use crate::document::{BlockSource, BlockVerdict};
use crate::render::embedded::role;
use crate::role::Role;

/// Most names in a block's path; of deeper ones the outermost are left out.
// A page nested 512 deep would give each of its blocks a path of kilobytes.
pub(super) const PATH: usize = 64;

/// All that is known about one block, for tools that look at pages.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BlockRow<'a> {
    /// The block's text: entities decoded, white space folded except in `pre`.
    pub text: &'a str,
    /// First and one past the last byte of the block's text in the decoded page.
    pub span: (u32, u32),
    /// Name of the innermost block-level element around the text.
    pub tag: &'a str,
    /// Names of the block-level elements around the text, outermost first, divided by `>`, without
    /// `html` and `body`; the innermost 64 if there are more.
    pub path: String,
    /// Number of words (characters for scripts that do not divide words by spaces).
    pub words: u32,
    /// Share of the words that stand in links, 0..=1.
    pub link_density: f32,
    /// Probability that the block is main content.
    pub probability: f32,
    /// Whether the block is part of the text.
    pub kept: bool,
    /// The decider of that.
    pub by: Decider,
    /// The role of the block; none from a method that is not a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// The place of the text, if it is not among the page's own text. Its span is then that of the script's
    /// contents, its tag `script`, and its path the type and property (`NewsArticle>articleBody`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<BlockSource>,
}

impl Extraction<'_> {
    /// Every block in the order of the page, and after them the texts that stand in its JSON-LD alone.
    pub fn blocks(&self) -> impl Iterator<Item = BlockRow<'_>> {
        let embedded = self.embedded().iter().map(|embedded| {
            let content = &embedded.embedded.content;
            BlockRow {
                text: &content.text,
                span: content.span,
                tag: "script",
                path: format!("{}>{}", content.type_name, content.property.name()),
                words: embedded.embedded.words,
                link_density: 0.0,
                probability: embedded.probability,
                kept: embedded.kept,
                by: Decider::MODEL,
                role: Some(role(embedded)),
                source: Some(match content.property {
                    ContentProperty::Hydration => BlockSource::Hydration,
                    _ => BlockSource::JsonLd,
                }),
            }
        });
        let roles = self.roles().into_iter().map(Some);
        self.judged()
            .zip(roles.chain(std::iter::repeat(None)))
            .zip(&self.verdicts.by)
            .map(|(((block, probability, kept, _), role), by)| BlockRow {
                text: self.page.text(block),
                span: block.span,
                tag: self.tag(block),
                path: self.path(block),
                words: block.words,
                link_density: block.link_density(),
                probability,
                kept,
                by: *by,
                role,
                source: None,
            })
            .chain(embedded)
    }

    pub(super) fn block_verdicts(&self) -> Vec<BlockVerdict> {
        let rows = self.blocks().map(|row| BlockVerdict {
            text: row.text.to_owned(),
            span: row.span,
            tag: row.tag.to_owned(),
            path: row.path,
            words: row.words,
            link_density: row.link_density,
            probability: row.probability,
            kept: row.kept,
            by: row.by,
            role: row.role,
            source: row.source,
        });
        rows.collect()
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
        let mut names: Vec<&str> = around
            .filter(|(_, element)| !element.tag.is_inline())
            .map(|(_, element)| self.page.name(element))
            .filter(|name| !matches!(*name, "html" | "body"))
            .take(PATH)
            .collect();
        names.reverse();
        names.join(">")
    }
}
