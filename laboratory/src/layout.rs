//! The layout of a page: rectangle, font and background of each of its nodes, as a file that a browser
//! writes once and that everything visual reads.

#[cfg(feature = "browser")]
mod browser;
mod file;
mod join;
mod node;
#[cfg(feature = "browser")]
mod offsets;
#[cfg(feature = "browser")]
mod overlay;
mod rect;
#[cfg(feature = "browser")]
mod resources;
mod snapshot;

#[cfg(feature = "browser")]
pub use browser::{Browser, BrowserError};
pub use file::{LayoutError, read_layouts, write_layouts};
pub use join::block_nodes;
pub use node::{LayoutNode, PageLayout, Requests};
#[cfg(feature = "browser")]
pub use overlay::OverlayColumn;
pub use rect::Rect;
#[cfg(feature = "browser")]
pub use resources::{PageSource, Resources, read_archive};
pub use snapshot::{COMPUTED_STYLES, OFFSET_ATTRIBUTE, Snapshot};
