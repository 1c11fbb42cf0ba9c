//! The blocks of a judged page as rows, each with the decision about it.

use trommel_html::Block;
use trommel_html::json_ld::ContentProperty;

use super::Extraction;
use crate::choice::Decider;
use crate::document::{BlockSource, BlockVerdict};
use crate::render::embedded::role;
use crate::role::Role;

/// Maximum number of names in a block's path; the outermost names of deeper paths are left out.
// A page nested 512 deep would give each of its blocks a path of kilobytes.
pub(super) const PATH: usize = 64;

impl Extraction<'_> {
    /// Every block in the order of the page, and after them the texts that stand in its JSON-LD alone.
    pub fn blocks(&self) -> impl Iterator<Item = BlockVerdict> {
        let embedded = self.embedded().iter().map(|embedded| {
            let content = &embedded.embedded.content;
            BlockVerdict {
                text: content.text.clone(),
                span: content.span,
                tag: "script".to_owned(),
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
            .map(|(((block, probability, kept, _), role), by)| BlockVerdict {
                text: self.page.text(block).to_owned(),
                span: block.span,
                tag: self.tag(block).to_owned(),
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
