//! Tests of the crate as a whole: both engines, hostile pages, spans.

mod engine;
mod hostile;
mod html5lib;
mod opinion;
mod page;
mod span;
