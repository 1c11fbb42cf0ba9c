//! The figures that the models have to reach.

/// What part of a set a floor is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part<'a> {
    /// All pages.
    All,
    /// The pages of a type.
    Type(&'a str),
    /// The pages of a language.
    Language(&'a str),
    /// All pages, the comments of readers taken for no content.
    WithoutComments,
}

impl<'a> Part<'a> {
    /// The type or language by itself.
    pub fn name(self) -> &'a str {
        match self {
            Part::All => "",
            Part::Type(name) | Part::Language(name) => name,
            Part::WithoutComments => "without comments",
        }
    }
}

/// The least mean F1 of a part of a set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Floor {
    /// Name of the set.
    pub set: &'static str,
    pub part: Part<'static>,
    /// The model that has to reach it; every model if none is named.
    pub model: Option<&'static str>,
    /// 0..=1.
    pub f1: f64,
}

const fn floor(set: &'static str, part: Part<'static>, model: &'static str, f1: f64) -> Floor {
    Floor {
        set,
        part,
        model: Some(model),
        f1,
    }
}

const fn common(set: &'static str, part: Part<'static>, f1: f64) -> Floor {
    Floor {
        set,
        part,
        model: None,
        f1,
    }
}

/// All floors. The sets from daniel-dev on serve for tests only.
pub(super) const FLOORS: [Floor; 21] = [
    floor("wcxb-dev", Part::All, "fast", 0.870),
    floor("wcxb-dev", Part::All, "best", 0.885),
    floor("wcxb-dev", Part::Type("article"), "best", 0.95),
    floor("wcxb-dev", Part::Type("documentation"), "best", 0.94),
    floor("wcxb-dev", Part::Type("forum"), "best", 0.83),
    floor("wcxb-dev", Part::Type("service"), "best", 0.86),
    floor("wcxb-dev", Part::Type("listing"), "best", 0.74),
    floor("wcxb-dev", Part::Type("product"), "best", 0.65),
    floor("wcxb-dev", Part::Type("collection"), "best", 0.70),
    common("aed424", Part::All, 0.935),
    common("magic-articles", Part::All, 0.89),
    common("zhweb", Part::All, 0.89),
    common("daniel-dev", Part::All, 0.885),
    common("daniel-dev", Part::Language("el"), 0.80),
    common("daniel-dev", Part::Language("en"), 0.80),
    common("daniel-dev", Part::Language("pl"), 0.80),
    common("daniel-dev", Part::Language("ru"), 0.80),
    common("daniel-dev", Part::Language("zh"), 0.80),
    common("dragnet-test", Part::All, 0.85),
    common("l3s-gn1", Part::All, 0.91),
    common("cleaneval", Part::All, 0.92),
];

/// The floor of a model on a part of a set.
pub(super) fn floor_of(set: &str, part: Part, model: &str) -> Option<f64> {
    FLOORS
        .iter()
        .find(|floor| {
            floor.set == set && floor.part == part && floor.model.is_none_or(|name| name == model)
        })
        .map(|floor| floor.f1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floors_are_those_of_the_model() {
        let of = |part, model| floor_of("wcxb-dev", part, model);
        assert_eq!(of(Part::All, "fast"), Some(0.87));
        assert_eq!(of(Part::All, "best"), Some(0.885));
        assert_eq!(of(Part::Type("forum"), "best"), Some(0.83));
        assert_eq!(of(Part::Type("forum"), "fast"), None);
        assert_eq!(of(Part::WithoutComments, "best"), None);
        assert_eq!(
            floor_of("daniel-dev", Part::Language("ru"), "any"),
            Some(0.8)
        );
        assert_eq!(floor_of("cleaneval", Part::All, "fast"), Some(0.92));
    }
}
