//! Holds the models that are built into trommel, as bytes of model files. `trommel-model` reads them; `make train`
//! writes them anew. The README describes their training and their weaknesses.

#![no_std]

/// Built-in models that score blocks: the name and the bytes of the model file of each. The first is the default.
pub const MODELS: [(&str, &[u8]); 2] =
    [("fast", include_bytes!("../fast.trommel")), ("lite", include_bytes!("../lite.trommel"))];

/// Aliases of built-in models, each with the name of its model. `best` was a separate model until `fast` got trees.
pub const OTHER_NAMES: [(&str, &str); 2] = [("best", "fast"), ("default", "fast")];

/// Bytes of the model file that predicts the roles of blocks, such as review and card.
pub const ROLES: &[u8] = include_bytes!("../roles.trommel");

/// Confidence percentiles, separated by tabs: a line for each percentage of pages, a column for each model.
pub const CONFIDENCES: &str = include_str!("../confidences.tsv");
