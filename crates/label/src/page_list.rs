//! The pages of an archive that are to be labelled, and their blocks.

use std::path::Path;

use serde::Serialize;
use trommel_archive::{
    ArchiveError, MediaType, PayloadOptions, ReadOptions, Reader, RecordType, media_type, payload,
};
use trommel_extract::{Extractor, Hints, Role};
use trommel_features::FieldIndex;
use trommel_viewer::path;

use crate::role::LabelRole;

/// A page as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelPage {
    /// WARC-Record-ID without brackets.
    pub record_id: String,
    /// Its address, empty if the archive does not say it.
    pub url: String,
    body: Vec<u8>,
    charset: Option<String>,
}

/// The pages of an archive in its order.
#[derive(Clone, Debug, Default)]
pub struct LabelPages {
    /// The pages.
    pub pages: Vec<LabelPage>,
}

/// A block as it is shown to be labelled.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LabelBlock {
    /// Its text.
    pub text: String,
    /// The elements around it.
    pub path: String,
    /// Its field: blocks of one number stand in the same template of the page.
    pub field: u32,
    /// First and one past the last byte in the decoded page.
    pub span: (u32, u32),
    /// Whether the page hides it.
    pub hidden: bool,
    /// Probability of being content, by the model.
    pub probability: f32,
    /// What the model takes it for.
    pub role: LabelRole,
}

impl LabelPages {
    /// Reads the HTML pages of an archive.
    ///
    /// # Errors
    /// If the archive cannot be read.
    pub fn read(archive: &Path) -> Result<Self, ArchiveError> {
        let mut list = Self::default();
        for record in Reader::open(archive, ReadOptions::default())? {
            let record = record?;
            let Some(id) = record.id().map(str::to_owned) else {
                continue;
            };
            if !matches!(record.kind, RecordType::Response | RecordType::Resource) {
                continue;
            }
            let Ok(payload) = payload(&record, &PayloadOptions::default()) else {
                continue;
            };
            if !matches!(
                media_type(&record, &payload).0,
                MediaType::Html | MediaType::Xhtml
            ) {
                continue;
            }
            list.pages.push(LabelPage {
                record_id: id,
                url: record.url().unwrap_or_default().to_owned(),
                charset: payload.charset().map(str::to_owned),
                body: payload.body.into_owned(),
            });
        }
        Ok(list)
    }
}

impl LabelPage {
    /// Title and blocks of the page, with what the model of the extractor takes each for.
    pub fn blocks(&self, extractor: &Extractor) -> (Option<String>, Vec<LabelBlock>) {
        let hints = Hints {
            url: (!self.url.is_empty()).then_some(self.url.as_str()),
            http_charset: self.charset.as_deref(),
            ..Hints::default()
        };
        let extraction = extractor.extract(&self.body, &hints);
        let (page, verdicts) = (extraction.page(), extraction.verdicts());
        let fields = FieldIndex::of(page).of_block;
        let probabilities = &verdicts.judgement.probabilities;
        let blocks = page
            .blocks
            .iter()
            .zip(fields)
            .zip(probabilities)
            .zip(extraction.roles())
            .map(|(((block, field), probability), role)| LabelBlock {
                text: page.text(block).to_owned(),
                path: path(page, block.element),
                field,
                span: block.span,
                hidden: page.element(block.element).is_some_and(|own| own.hidden),
                probability: *probability,
                role: proposed(role),
            });
        let blocks = blocks.collect();
        (extraction.metadata().0, blocks)
    }
}

/// What is proposed for a block of a role.
fn proposed(role: Role) -> LabelRole {
    match role {
        Role::Headline => LabelRole::Headline,
        Role::Body => LabelRole::Body,
        Role::Comment => LabelRole::Comment,
        Role::Review => LabelRole::Review,
        Role::QuestionAnswer => LabelRole::QuestionAnswer,
        Role::Card => LabelRole::Card,
        Role::Specification => LabelRole::Specification,
        Role::Ingredient => LabelRole::Ingredient,
        Role::Step => LabelRole::Step,
        Role::Caption => LabelRole::Caption,
        Role::Byline => LabelRole::Byline,
        Role::Notice => LabelRole::Notice,
        Role::Navigation | Role::Header | Role::Footer => LabelRole::Navigation,
        Role::Aside | Role::Form | Role::Hidden | Role::Other => LabelRole::Other,
    }
}
