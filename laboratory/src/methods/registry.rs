//! Every method by its name.

use crate::methods::all_text::AllText;
use crate::methods::boilerpipe::Boilerpipe;
use crate::methods::bte::{Bte, BteSegments};
use crate::methods::cetd::Cetd;
use crate::methods::cetr::{Cetr, CetrThreshold};
use crate::methods::cetr_lines::{CetrLines, CetrLinesThreshold};
use crate::methods::feature_extractor::{FeatureExtractor, KFeatureExtractor};
use crate::methods::justext::JusText;
use crate::methods::kim::{BlockAttributes, Kim};
use crate::methods::largest_block::LargestBlock;
use crate::methods::method::Method;
use crate::methods::mss::Mss;
use crate::methods::mss_supervised::MssSupervised;
use crate::methods::peters_lecocq::PetersLecocq;
use crate::methods::peters_lecocq_2013::PetersLecocq2013;
use crate::methods::rai_chaudhary::RaiChaudhary;
use crate::methods::readability::Readability;
use crate::methods::string_length::StringLengthSmoothing;
use crate::methods::table_pattern::TablePattern;
use crate::methods::ttr::{TtrEm, TtrFarthestFirst, TtrKmeans, TtrThreshold};

/// A fresh instance of every method, in the order of tables.
pub fn all() -> Vec<Box<dyn Method>> {
    vec![
        Box::new(AllText),
        Box::new(Bte),
        Box::new(BteSegments),
        Box::new(TtrThreshold),
        Box::new(TtrKmeans),
        Box::new(TtrEm),
        Box::new(TtrFarthestFirst),
        Box::new(CetrThreshold),
        Box::new(Cetr),
        Box::new(CetrLinesThreshold),
        Box::<CetrLines>::default(),
        Box::new(Mss),
        Box::<MssSupervised>::default(),
        Box::new(Boilerpipe::NumWords),
        Box::new(Boilerpipe::Density),
        Box::new(Boilerpipe::Canola),
        Box::new(Boilerpipe::Article),
        Box::new(Boilerpipe::Default),
        Box::new(JusText),
        Box::new(Kim::new(BlockAttributes::Context)),
        Box::new(Kim::new(BlockAttributes::Boilerpipe)),
        Box::new(FeatureExtractor),
        Box::new(KFeatureExtractor),
        Box::new(RaiChaudhary),
        Box::new(LargestBlock),
        Box::new(StringLengthSmoothing),
        Box::new(TablePattern),
        Box::new(Cetd),
        Box::new(Readability),
        Box::new(PetersLecocq::cetr()),
        Box::new(PetersLecocq::ic()),
        Box::new(PetersLecocq::st()),
        Box::new(PetersLecocq::st_ic()),
        Box::new(PetersLecocq::all()),
    ]
}

/// A fresh instance of the method of that name.
pub fn by_name(name: &str) -> Option<Box<dyn Method>> {
    let variants = PetersLecocq2013::rows().map(|method| Box::new(method) as Box<dyn Method>);
    all().into_iter().chain(variants).find(|method| method.about().name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        let names: Vec<&str> = all().iter().map(|method| method.about().name).collect();
        for name in &names {
            assert_eq!(names.iter().filter(|other| *other == name).count(), 1, "{name}");
            assert!(by_name(name).is_some());
        }
        assert!(by_name("peters-lecocq-2013-ic").is_some());
        assert!(by_name("none").is_none());
    }
}
