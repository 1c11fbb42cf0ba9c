//! Lists the pages of an archive that can be labelled, and their blocks with proposed roles.

use std::{collections::HashSet, path::Path, sync::Arc};

use serde::Serialize;
use trommel::archive::{ArchiveError, MediaType, PayloadOptions, ReadOptions, Reader, RecordType, media_type, payload};
use trommel::{CommentPolicy, ContentPolicy, Hints, Model, Role, extract::Extractor, learn::Gold};
use trommel_model::features::FieldIndex;

use crate::{label::gold_file::Part, label::gold_file::part_of, viewer::path};

/// Page to be labelled, as the archive stores it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelPage {
    /// WARC-Record-ID of the page, without angle brackets.
    pub record_id: String,
    /// URL of the page; empty if the archive does not state it.
    pub url: String,
    /// Body of the page, with its HTTP codings undone.
    pub body: Vec<u8>,
    /// Charset that the HTTP header of the page names; `None` if it names none.
    pub charset: Option<String>,
}

/// Pages of an archive that can be labelled.
#[derive(Clone, Debug, Default)]
pub struct LabelPages {
    /// Pages to be labelled, in the order of the archive.
    pub pages: Vec<LabelPage>,
    /// Sentences that say which parts of the archive are not shown, and why.
    pub left_out: Vec<String>,
}

/// Block of a page, as shown to the person who labels the page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LabelBlock {
    /// Text of the block.
    pub text: String,
    /// Elements around the block, outermost first, such as `article.post › p`.
    pub path: String,
    /// Number of the block's field: the group of all blocks on the page with the same path of element names and
    /// classes.
    pub field: u32,
    /// Byte range of the block in the decoded page: its first byte, and one past its last.
    pub span: (u32, u32),
    /// True if the page hides the block.
    pub hidden: bool,
    /// True if the block's text occurs only in a script of the page.
    pub of_script: bool,
    /// Probability by the model that the block is content (0 to 1).
    pub probability: f32,
    /// Role that the program proposes: one of main text or comments if the model keeps the block, otherwise another.
    pub role: Role,
}

impl LabelPages {
    /// Reads the HTML pages of an archive. Damaged parts are skipped and noted in `left_out`.
    ///
    /// # Errors
    /// Fails if the archive cannot be read at all.
    pub fn read(archive: &Path) -> Result<Self, ArchiveError> {
        let mut list = Self::default();
        let mut ids: HashSet<String> = HashSet::new();
        let (mut without_id, mut of_known_id) = (0, 0);
        for record in Reader::open(archive, ReadOptions::default())? {
            let record = match record {
                Ok(record) => record,
                Err(error) if error.is_fatal() && list.pages.is_empty() => return Err(error),
                Err(error) => {
                    list.left_out.push(error.to_string());
                    continue;
                }
            };
            if !matches!(record.kind, RecordType::Response | RecordType::Resource) {
                continue;
            }
            let Ok(payload) = payload(&record, &PayloadOptions::default()) else { continue };
            if !matches!(media_type(&record, &payload).0, MediaType::Html | MediaType::Xhtml) {
                continue;
            }
            let Some(id) = record.id().filter(|id| !id.is_empty()) else {
                without_id += 1;
                continue;
            };
            if !ids.insert(id.to_owned()) {
                of_known_id += 1;
                continue;
            }
            list.pages.push(LabelPage {
                record_id: id.to_owned(),
                url: record.url().unwrap_or_default().to_owned(),
                charset: payload.charset().map(str::to_owned),
                body: payload.body.into_owned(),
            });
        }
        for (count, why) in [
            (without_id, "without a WARC-Record-ID gold cannot be found again"),
            (of_known_id, "a page before has the same WARC-Record-ID"),
        ] {
            match count {
                0 => {}
                1 => list.left_out.push(format!("1 page is not shown: {why}")),
                _ => list.left_out.push(format!("{count} pages are not shown: {why}")),
            }
        }
        Ok(list)
    }
}

impl LabelPage {
    /// Returns the page's title, and its blocks followed by the texts of its scripts, with the probabilities and the
    /// proposed roles that follow from `model`.
    pub fn blocks(&self, model: &Arc<Model>) -> (Option<String>, Vec<LabelBlock>) {
        let gold = Gold { url: self.url.clone(), ..Gold::default() };
        let hints = Hints { url: gold.address(), http_charset: self.charset.as_deref(), ..Hints::default() };
        let policy = ContentPolicy { comments: CommentPolicy::Separate, ..ContentPolicy::default() };
        let extraction = Extractor::new(model.clone()).with_policy(policy).extract(&self.body, &hints);
        let page = extraction.page();
        let verdicts = extraction.verdicts();
        let judgement = &verdicts.judgement;
        let parts = |kept: &[bool], separate: &[bool], at: usize| match kept.get(at) {
            Some(true) => Part::Gold,
            _ if separate.get(at) == Some(&true) => Part::Comments,
            _ => Part::Dropped,
        };
        let fields = FieldIndex::of(page).of_block;
        let others = fields.iter().copied().max().map_or(0, |most| most + 1)..;
        let embedded: Vec<bool> = judgement.embedded.iter().map(|embedded| embedded.kept).collect();
        let rows = extraction.blocks().zip(fields.into_iter().chain(others));
        let blocks = rows.enumerate().map(|(at, (row, field))| {
            let block = page.blocks.get(at);
            let (part, around) = match block {
                Some(block) => (parts(&judgement.choice.kept, &verdicts.separate, at), path(page, block.element)),
                None => {
                    let at = at - page.blocks.len();
                    (parts(&embedded, &verdicts.separate_embedded, at), format!("script {}", row.path))
                }
            };
            let element = block.and_then(|block| page.element(block.element));
            LabelBlock {
                text: row.text,
                path: around,
                field,
                span: (row.start, row.end),
                hidden: element.is_some_and(|element| element.hidden),
                of_script: block.is_none(),
                probability: row.probability,
                role: proposed(row.role.unwrap_or(Role::Other), part),
            }
        });
        let blocks = blocks.collect();
        (extraction.metadata().title, blocks)
    }
}

/// Returns the role to propose to a person for a block: `role`, or a similar role whose text goes into the gold part
/// `part`.
fn proposed(role: Role, part: Part) -> Role {
    let for_people = match role {
        Role::Header | Role::Footer => Role::Navigation,
        Role::Aside | Role::Form | Role::Hidden => Role::Other,
        role => role,
    };
    match part {
        part if part_of(for_people) == Some(part) => for_people,
        Part::Gold => Role::Body,
        Part::Comments => Role::Comment,
        // Cards of a page that is no listing lead away.
        Part::Dropped if for_people == Role::Card => Role::Navigation,
        Part::Dropped => Role::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_dropped_is_never_proposed_as_text() {
        for role in Role::ALL {
            for part in [Part::Gold, Part::Comments, Part::Dropped] {
                assert_eq!(part_of(proposed(role, part)), Some(part), "{role:?}");
            }
        }
        assert_eq!(proposed(Role::Card, Part::Gold), Role::Card);
        assert_eq!(proposed(Role::Card, Part::Dropped), Role::Navigation);
        assert_eq!(proposed(Role::Notice, Part::Dropped), Role::Notice);
    }
}
