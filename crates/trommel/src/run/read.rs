//! Reading: the thread that passes on the records of all inputs in order, and inputs that grow.

pub(crate) mod follow;
pub(crate) mod live;
pub(crate) mod piece_end;
pub(crate) mod reader;
pub(crate) mod revisits;
pub(crate) mod selected;
