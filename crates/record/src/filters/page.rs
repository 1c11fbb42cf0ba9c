//! Filters documents by page type, block pages and confidence.

use trommel_extract::Document;
use trommel_text::TextStats;

use crate::filters::{Filter, Reason, language::describe_lists};

/// Keeps the page types of `include` (all if it is empty) without those of `exclude`. A page whose
/// type is not known is in no list: it is dropped if `include` names any.
#[derive(Debug)]
pub(crate) struct PageTypes {
    pub(crate) include: Vec<String>,
    pub(crate) exclude: Vec<String>,
}

impl Filter for PageTypes {
    fn describe(&self) -> String {
        describe_lists("page type", &self.include, &self.exclude)
    }

    fn document(&self, document: &Document, _: &TextStats<'_>) -> Option<Reason> {
        let kind = document.page_type.as_deref();
        let is = |name: &String| Some(name.as_str()) == kind;
        let wanted = self.include.is_empty() || self.include.iter().any(is);
        (!wanted || self.exclude.iter().any(is)).then_some(Reason::PageType)
    }
}

/// Drops block pages, which stand in place of the requested page.
#[derive(Debug)]
pub(crate) struct BlockPages;

impl Filter for BlockPages {
    fn describe(&self) -> String {
        "no block page: captcha, access denied, consent, log-in form, not found, parked".to_owned()
    }

    fn document(&self, document: &Document, _: &TextStats<'_>) -> Option<Reason> {
        // What the model takes the page for is no reason: it learned such pages from a few.
        document.blocked.map(|_| Reason::BlockPage)
    }
}

/// Keeps documents of at least this confidence.
#[derive(Debug)]
pub(crate) struct Confidence(pub(crate) f32);

impl Filter for Confidence {
    fn describe(&self) -> String {
        format!("confidence: {} or more", self.0)
    }

    fn document(&self, document: &Document, _: &TextStats<'_>) -> Option<Reason> {
        (document.confidence < self.0).then_some(Reason::Confidence)
    }
}

#[cfg(test)]
mod tests {
    use trommel_extract::BlockReason;

    use super::*;

    #[test]
    fn types_and_confidence() {
        let document = |kind: Option<&str>, confidence| Document {
            page_type: kind.map(str::to_owned),
            confidence,
            ..Document::default()
        };
        let none = TextStats::new("");
        let only = PageTypes { include: vec!["article".into()], exclude: Vec::new() };
        assert_eq!(only.document(&document(Some("article"), 0.0), &none), None);
        for other in [Some("forum"), None] {
            assert_eq!(only.document(&document(other, 0.0), &none), Some(Reason::PageType));
        }
        let without = PageTypes { include: Vec::new(), exclude: vec!["listing".into()] };
        assert_eq!(without.document(&document(None, 0.0), &none), None);
        let listing = without.document(&document(Some("listing"), 0.0), &none);
        assert_eq!(listing, Some(Reason::PageType));
        for kind in ["article", "block-page"] {
            let mut page = document(Some(kind), 0.9);
            assert_eq!(BlockPages.document(&page, &none), None, "{kind}");
            page.blocked = Some(BlockReason::Captcha);
            assert_eq!(BlockPages.document(&page, &none), Some(Reason::BlockPage), "{kind}");
        }
        assert_eq!(Confidence(0.5).document(&document(None, 0.5), &none), None);
        let low = Confidence(0.5).document(&document(None, 0.49), &none);
        assert_eq!(low, Some(Reason::Confidence));
    }
}
