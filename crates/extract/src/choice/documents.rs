//! Keeps lists of links to documents: minutes, agendas, decisions, reports.

use trommel_html::{Block, Page};

/// Ends of the addresses of documents, in lower case.
const ENDS: [&str; 10] = [".pdf", ".doc", ".docx", ".xls", ".xlsx", ".ppt", ".pptx", ".odt", ".rtf", ".csv"];
/// Probability of a block, at least.
// At .2 nine tenths of the gain on courts-dev go; at .05 it is .001 higher.
const MIN_PROBABILITY: f32 = 0.1;
/// Documents of a field, at least, and their share of its blocks.
const MIN_DOCUMENTS: usize = 3;
const MIN_SHARE: f32 = 0.8;
/// Share of the words of a block that stand in links, at least.
const MIN_LINKED: f32 = 0.5;
/// Elements around a block that may be its link.
const ANCESTORS: usize = 3;

/// Keeps links to documents that stand together: in a field (the blocks whose whole path of names and classes is equal)
/// that has hardly anything else. Menus lead to pages, and who lists documents wants them to be read. There is one
/// entry for each block in `fields`, `probabilities` and `kept`.
pub(crate) fn keep_documents(page: &Page, html: &str, fields: &[u32], probabilities: &[f32], kept: &mut [bool]) {
    // Of each field whether its first doubtful link is a document: most fields need no look at their other addresses.
    let mut starts = vec![None; page.blocks.len()];
    let blocks = || page.blocks.iter().zip(fields).zip(probabilities);
    for (((block, field), probability), kept) in blocks().zip(kept.iter()) {
        if let Some(start @ None) = starts.get_mut(*field as usize)
            && !kept
            && *probability >= MIN_PROBABILITY
            && block.link_density() >= MIN_LINKED
        {
            *start = Some(is_document(page, html, block));
        }
    }
    if !starts.contains(&Some(true)) {
        return;
    }
    let starts = |field: u32| starts.get(field as usize) == Some(&Some(true));
    let documents: Vec<bool> =
        blocks().map(|((block, field), _)| starts(*field) && is_document(page, html, block)).collect();
    // Blocks and documents of each field.
    let mut counts = vec![(0usize, 0usize); page.blocks.len()];
    for (field, is_document) in fields.iter().zip(&documents) {
        if let Some((blocks, documents)) = counts.get_mut(*field as usize) {
            *blocks += 1;
            *documents += usize::from(*is_document);
        }
    }
    for (((field, probability), is_document), kept) in fields.iter().zip(probabilities).zip(&documents).zip(kept) {
        let (blocks, documents) = counts.get(*field as usize).copied().unwrap_or_default();
        *kept |= *is_document
            && *probability >= MIN_PROBABILITY
            && documents >= MIN_DOCUMENTS
            && documents as f32 >= MIN_SHARE * blocks as f32;
    }
}

/// Returns whether a block is a link to a document.
fn is_document(page: &Page, html: &str, block: &Block) -> bool {
    page.link_address(html, block, ANCESTORS).is_some_and(|href| {
        let path = href.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
        ENDS.iter().any(|end| path.ends_with(end))
    })
}
