//! Writing: writes results in order to the outputs and the files beside them.

pub(crate) mod bucket;
pub(crate) mod lane;
pub(crate) mod ledger;
pub(crate) mod manifest;
pub(crate) mod outputs;
pub(crate) mod side_output;
