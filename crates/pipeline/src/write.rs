//! Writing: writes results in order to the outputs and the files beside them.

pub(crate) mod bucket;
pub(crate) mod dropped_list;
pub(crate) mod manifest;
pub(crate) mod outputs;
pub(crate) mod quarantine;
pub(crate) mod set_aside;
pub(crate) mod side_output;
pub(crate) mod writer;
