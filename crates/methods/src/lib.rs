//! The published content-extraction methods, each in a file of its own, behind one trait and on the
//! same tables, so that they can be compared page by page.
//!
//! ```
//! use trommel_html::{Engine, Limits, LolEngine};
//!
//! let page = LolEngine.read("<p>One</p><p>Two</p>", &Limits::default());
//! let method = trommel_methods::by_name("all-text").unwrap();
//! assert_eq!(method.extract(&page).unwrap(), [true, true]);
//! ```

mod all_text;
mod method;
mod registry;

pub use all_text::AllText;
pub use method::{About, Example, Method, MethodError};
pub use registry::{all, by_name};
