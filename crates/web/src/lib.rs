//! Pages for browsers and programs over HTTP: the extraction service, labels by clicks, and a view of a judged page.
//!
//! The service ([`service`]) and the labelling ([`label`]) are features, as they need an HTTP server; the view
//! ([`viewer`]) is a string.

#[cfg(feature = "label")]
pub mod label;
#[cfg(feature = "service")]
pub mod service;
pub mod viewer;
