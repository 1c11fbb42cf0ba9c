//! The commands, each in a file of its own.

pub mod confidences;
pub mod favor;
pub mod quality;
pub mod roles;
pub mod rules;
pub mod sites;
