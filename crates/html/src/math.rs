//! Formulas: writes TeX from MathML if a page has no TeX of its own.

mod emit;
mod symbols;
mod tree;

pub(crate) use emit::tex_of_mathml;
