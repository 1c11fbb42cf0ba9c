//! The models that are built into trommel, as bytes of model files. `trommel-model` reads them; `make train` writes them
//! anew. The README says what they are made of, and where they fail.

#![no_std]

/// The scorers of blocks, by name. The first is the default.
pub const MODELS: [(&str, &[u8]); 2] =
    [("fast", include_bytes!("../fast.trommel")), ("lite", include_bytes!("../lite.trommel"))];

/// Other names of models. `best` was a model of its own until the trees became a part of `fast`.
pub const OTHER_NAMES: [(&str, &str); 2] = [("best", "fast"), ("default", "fast")];

/// The roles of blocks: review, card and others.
pub const ROLES: &[u8] = include_bytes!("../roles.trommel");

/// The confidence below which a percentage of the pages lies: a line for each percentage, a column for each model.
pub const CONFIDENCES: &str = include_str!("../confidences.tsv");
