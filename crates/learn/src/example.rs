//! A labelled page in the form that learners read.

use trommel_html::Page;

/// A labelled page to learn from.
#[derive(Clone, Copy, Debug)]
pub struct Example<'a> {
    /// The page.
    pub page: &'a Page,
    /// For each block, true if it is content.
    pub labels: &'a [bool],
    /// Its host.
    pub group: &'a str,
}
