//! The baseline: every block is content.

use trommel_html::Page;

use crate::methods::method::{About, Method, MethodError};

/// Keeps everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllText;

impl Method for AllText {
    fn about(&self) -> &About {
        &About {
            name: "all-text",
            line: "every block of the page",
            citation: "the baseline of Peters and Lecocq, Content Extraction Using Diverse Feature Sets, WWW 2013",
            learns: false,
        }
    }

    fn extract(&self, page: &Page) -> Result<Vec<bool>, MethodError> {
        Ok(vec![true; page.blocks.len()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn everything_is_kept() {
        let page = ScanEngine.read("<ul><li>a</ul><p>b", &Limits::default());
        assert_eq!(AllText.extract(&page).unwrap(), [true, true]);
    }
}
