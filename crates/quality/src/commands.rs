//! The commands, a file each.

pub mod quality;
pub mod roles;
pub mod rules;
pub mod sites;
