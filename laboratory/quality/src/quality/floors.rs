//! The lowest figures that the models may have.

/// The part of a set for which a floor holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Subset<'a> {
    /// All pages.
    All,
    /// The pages of a type.
    Type(&'a str),
    /// The pages of a language.
    Language(&'a str),
    /// All pages, the comments of readers taken for no content.
    WithoutComments,
}

impl<'a> Subset<'a> {
    /// The type or language by itself.
    pub fn name(self) -> &'a str {
        match self {
            Subset::All => "",
            Subset::Type(name) | Subset::Language(name) => name,
            Subset::WithoutComments => "without comments",
        }
    }
}

/// The least mean F1 of a part of a set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Floor {
    /// Name of the set.
    pub set: &'static str,
    pub part: Subset<'static>,
    /// The model that has to reach it; every model if none is named.
    pub model: Option<&'static str>,
    /// 0..=1.
    pub f1: f64,
}

const fn floor(set: &'static str, part: Subset<'static>, model: &'static str, f1: f64) -> Floor {
    Floor { set, part, model: Some(model), f1 }
}

const fn common(set: &'static str, part: Subset<'static>, f1: f64) -> Floor {
    Floor { set, part, model: None, f1 }
}

/// All floors. The sets from daniel-dev on serve for tests only.
pub(super) const FLOORS: [Floor; 22] = [
    floor("wcxb-dev", Subset::All, "lite", 0.868),
    floor("wcxb-dev", Subset::All, "fast", 0.878),
    floor("wcxb-dev", Subset::Type("article"), "fast", 0.95),
    floor("wcxb-dev", Subset::Type("documentation"), "fast", 0.94),
    floor("wcxb-dev", Subset::Type("forum"), "fast", 0.82),
    floor("wcxb-dev", Subset::Type("service"), "fast", 0.86),
    floor("wcxb-dev", Subset::Type("listing"), "fast", 0.72),
    floor("wcxb-dev", Subset::Type("product"), "fast", 0.63),
    floor("wcxb-dev", Subset::Type("collection"), "fast", 0.72),
    common("aed424", Subset::All, 0.93),
    common("magic-articles", Subset::All, 0.89),
    common("zhweb", Subset::All, 0.89),
    common("news-world-dev", Subset::All, 0.972),
    common("daniel-dev", Subset::All, 0.905),
    common("daniel-dev", Subset::Language("el"), 0.84),
    common("daniel-dev", Subset::Language("en"), 0.84),
    common("daniel-dev", Subset::Language("pl"), 0.84),
    common("daniel-dev", Subset::Language("ru"), 0.84),
    common("daniel-dev", Subset::Language("zh"), 0.84),
    common("dragnet-test", Subset::All, 0.868),
    common("l3s-gn1", Subset::All, 0.945),
    common("cleaneval", Subset::All, 0.94),
];

/// The floor of a model on a part of a set.
pub(super) fn floor_of(set: &str, part: Subset, model: &str) -> Option<f64> {
    FLOORS
        .iter()
        .find(|floor| floor.set == set && floor.part == part && floor.model.is_none_or(|name| name == model))
        .map(|floor| floor.f1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floors_are_those_of_the_model() {
        let of = |part, model| floor_of("wcxb-dev", part, model);
        assert_eq!(of(Subset::All, "lite"), Some(0.868));
        assert_eq!(of(Subset::All, "fast"), Some(0.878));
        assert_eq!(of(Subset::Type("forum"), "fast"), Some(0.82));
        assert_eq!(of(Subset::Type("forum"), "lite"), None);
        assert_eq!(of(Subset::WithoutComments, "fast"), None);
        assert_eq!(floor_of("daniel-dev", Subset::Language("ru"), "any"), Some(0.84));
        assert_eq!(floor_of("cleaneval", Subset::All, "fast"), Some(0.94));
    }
}
