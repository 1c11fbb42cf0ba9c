//! Pages for browsers and programs over HTTP: the extraction service, labels by clicks, and a view of a judged page.
//!
//! The service ([`service`]) and the labelling ([`label`]) are features, as they need an HTTP server; the view
//! ([`viewer`]) is a string.

#[cfg(feature = "label")]
pub mod label {
    //! Labels pages by clicks on their blocks.
    //!
    //! [`LabelPages`] reads the pages of an archive. [`GoldFile`] holds the labels and writes every change at
    //! once. [`serve`] shows the pages in browsers.

    mod gold_file;
    mod page_list;
    mod router;

    pub use gold_file::{GoldError, GoldFile, LABEL_ROLES, PageLabels, Part};
    pub use page_list::{LabelBlock, LabelPage, LabelPages};
    pub use router::{Labelling, serve};
}
#[cfg(feature = "service")]
pub mod service;
pub mod viewer {
    //! Shows the decisions about one page: every block with its probability, whether it is kept, and why.
    //!
    //! A [`View`] holds the data. [`report`] writes it as an HTML page that loads nothing, and [`fragment`] as a
    //! part of another page.

    mod reasons;
    mod report;
    mod view;

    pub use reasons::{Reasons, Topic};
    pub use report::{SCRIPT, STYLE, fragment, report};
    pub use view::{Row, View, path};
}
