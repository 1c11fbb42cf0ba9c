//! Figures as published.

/// A row of table 2 of Peters and Lecocq (WWW 2013): mean word F1.
#[derive(Clone, Copy, Debug)]
pub(super) struct PaperRow {
    /// Its name in the paper.
    pub name: &'static str,
    /// The method here that it is compared with.
    pub method: &'static str,
    /// Cleaneval-EN, 2012 train, 2012 test.
    pub f1: [f64; 3],
}

impl PaperRow {
    const fn new(name: &'static str, method: &'static str, f1: [f64; 3]) -> Self {
        Self { name, method, f1 }
    }
}

/// The sets of the columns.
pub(super) const PAPER_SETS: [&str; 3] = ["cleaneval", "dragnet-train", "dragnet-test"];

/// Table 2 without the column of Big 5, a set that could not be had.
pub(super) const PAPER_ROWS: [PaperRow; 6] = [
    PaperRow::new("baseline (all text)", "all-text", [0.899, 0.621, 0.623]),
    PaperRow::new("CETR", "cetr", [0.919, 0.741, 0.735]),
    PaperRow::new("IC", "peters-lecocq-ic", [0.887, 0.709, 0.701]),
    PaperRow::new("ST", "peters-lecocq-st", [0.904, 0.817, 0.809]),
    PaperRow::new("ST + IC", "peters-lecocq-st-ic", [0.896, 0.836, 0.824]),
    PaperRow::new("ST + IC + CETR", "peters-lecocq", [0.907, 0.848, 0.836]),
];

/// A row of the table of Kim, Kim, Song and Khil (2013) on L3S-GN1, content class only.
#[derive(Clone, Copy, Debug)]
pub(super) struct KimRow {
    /// The attributes.
    pub name: &'static str,
    /// Precision, recall, F1.
    pub scores: [f64; 3],
}

/// The paper's attributes, then Boilerpipe's.
pub(super) const KIM_ROWS: [KimRow; 2] = [
    KimRow { name: "25 attributes (Kim et al.)", scores: [0.873, 0.827, 0.849] },
    KimRow { name: "Boilerpipe's attributes", scores: [0.858, 0.778, 0.816] },
];

/// Blocks of L3S-GN1 by the segmentation of Kim et al., and those that are content.
pub(super) const KIM_BLOCKS: [usize; 2] = [84_198, 13_209];
