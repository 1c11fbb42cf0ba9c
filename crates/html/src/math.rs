//! Formulas: TeX from MathML, where a page has no TeX of its own.

mod emit;
mod symbols;
mod tree;

pub(crate) use emit::tex_of_mathml;
