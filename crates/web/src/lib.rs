//! Extraction service over HTTP, labelling of pages by clicks in a browser, and an HTML report on a judged page.
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
pub mod service {
    //! The extraction service: takes pages and archives over HTTP and answers with text and documents.
    //!
    //! [`serve`] answers on [`Socket`]s until it is told to stop, and then finishes current requests. Its answers
    //! equal the output of `trommel extract` and `trommel run`. A request brings the bytes itself; none can name
    //! a file or a URL to read.

    mod access;
    pub(crate) mod answer;
    mod batch;
    mod body;
    mod connection;
    mod extract_and_inspect;
    mod limits;
    mod listen;
    mod memory;
    mod metrics;
    mod request_options;
    mod routes;
    #[cfg(feature = "index")]
    mod search;
    mod server;
    mod shared_state;

    pub use access::{HostGuard, Token};
    pub use limits::{ServiceLimits, ServiceSettings};
    pub use listen::{Listen, Socket, server_config};
    pub use metrics::MetricsListener;
    pub use routes::openapi;
    pub use server::{ServeError, serve, serve_router};
}
pub mod viewer {
    //! Shows the decisions about one page: every block with its probability, whether it is kept, and why.
    //!
    //! A [`View`] holds the data. [`report`] writes it as an HTML page that loads nothing, and [`fragment`] as a
    //! part of another page.

    mod reasons;
    mod report;
    mod report_data;

    pub use reasons::{Reasons, Topic};
    pub use report::{SCRIPT, STYLE, fragment, report};
    pub use report_data::{Row, View, path};
}
