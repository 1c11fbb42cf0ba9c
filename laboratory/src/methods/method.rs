//! The trait that all methods share.

use trommel_html::Page;
pub use trommel_learn::Example;

/// Source and description of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// Name on the command line, in kebab case.
    pub name: &'static str,
    /// Description in one line.
    pub line: &'static str,
    /// Authors, title, venue, year; and what of it is not from the source.
    pub citation: &'static str,
    /// True if it has to be fitted on labelled pages before it extracts.
    pub learns: bool,
}

/// Reason why a method cannot be fitted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MethodError {
    /// The examples hold nothing to learn from.
    #[error("{method} has nothing to learn from: {why}")]
    Nothing {
        /// The method.
        method: &'static str,
        /// The missing part.
        why: String,
    },
    /// A learning method was asked to extract before it was fitted.
    #[error("{method} learns: it has to be fitted on labelled pages first")]
    NotFitted {
        /// The method.
        method: &'static str,
    },
    /// A method over lines was given the tables of a page alone.
    #[error("{method} reads lines of the source: the tables of a page are not enough")]
    NoSource {
        /// The method.
        method: &'static str,
    },
}

/// A content-extraction method over the block and element tables of a page.
///
/// Methods whose unit in the paper is a token or a line are stated here on blocks: a run of tokens
/// starts and ends at a block's edges. Those that stay with the lines of the source override
/// [`extract_from`](Method::extract_from).
pub trait Method: Send + Sync {
    /// Description of the method.
    fn about(&self) -> &About;

    /// Learns from labelled pages. Methods that do not learn keep this default.
    ///
    /// # Errors
    /// If the examples hold nothing to learn from.
    fn fit(&mut self, examples: &[Example]) -> Result<(), MethodError> {
        let _ = examples;
        Ok(())
    }

    /// Returns whether each block of the page is content, in time linear (or n log n) in the tables.
    ///
    /// # Errors
    /// If the method learns and was not fitted, or reads lines of the source.
    fn extract(&self, page: &Page) -> Result<Vec<bool>, MethodError>;

    /// The same, given also the decoded page that the tables are of, for methods that read its lines.
    ///
    /// # Errors
    /// If the method learns and was not fitted.
    fn extract_from(&self, page: &Page, html: &str) -> Result<Vec<bool>, MethodError> {
        let _ = html;
        self.extract(page)
    }
}
