//! Turns the block and element tables of a page into named numbers.
