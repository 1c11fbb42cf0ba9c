//! Describes features in words.

trommel_text::named! {
    /// The topic of a feature.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Topic {
        /// The constant that every block starts from.
        Start = "what every block starts from",
        /// Prose before, after and around the block.
        Prose = "the prose around it",
        /// Links in the block and around it.
        Links = "links",
        /// Words of `id` and `class`.
        ClassWords = "words of class and id",
        /// The words of the block itself.
        Wording = "its wording",
        /// The length and style of the text.
        Form = "length and form of its text",
        /// The elements around the block.
        Elements = "the elements around it",
        /// The containers that the block is in.
        Containers = "its containers",
        /// The blocks before and after.
        Neighbours = "the blocks next to it",
        /// The place of the block on the page.
        Place = "its place on the page",
        /// Repetition: the block is one of many similar ones.
        Repetition = "repetition",
        /// The headings above the block.
        Headings = "headings",
        /// The topic of the page according to its head.
        Subject = "the subject of the page",
        /// Comment sections.
        Comments = "comment sections",
        /// The page as a whole.
        Page = "the page as a whole",
        /// Trees, which ask about everything at once.
        Trees = "the trees together",
    }
}

impl Topic {
    /// The topic of a feature.
    pub fn of(feature: &str) -> Self {
        let (group, rest) = feature.split_once('.').unwrap_or((feature, ""));
        match group {
            "intercept" => Self::Start,
            "trees" => Self::Trees,
            _ if feature.contains("linked") || feature.contains("link") => Self::Links,
            "weights" => Self::ClassWords,
            "wording" => Self::Wording,
            "prose" => Self::Prose,
            "repeats" | "fields" | "field" => Self::Repetition,
            "outline" => Self::Headings,
            "topic" | "stated" => Self::Subject,
            "comments" => Self::Comments,
            "page" | "address" => Self::Page,
            "own" | "innermost" | "parent" | "around" | "surroundings" => Self::Elements,
            "position" if rest.contains("like") || rest.contains("repeat") || rest.contains("seen") => Self::Repetition,
            "position" if rest.contains("title") => Self::Subject,
            "position" => Self::Place,
            _ if group.starts_with("container_") && rest.starts_with("prose") => Self::Prose,
            _ if group.starts_with("container_") => Self::Containers,
            _ if group.starts_with("neighbour_") => Self::Neighbours,
            // Density of text and tags.
            _ => Self::Form,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_model::Model;

    #[test]
    fn features_have_topics() {
        for (feature, topic) in [
            ("intercept", Topic::Start),
            ("container_3.link_density", Topic::Links),
            ("container_3.prose_share", Topic::Prose),
            ("container_3.commas", Topic::Containers),
            ("position.log_like", Topic::Repetition),
            ("position.title_share", Topic::Subject),
            ("position.share", Topic::Place),
            ("fields.numbers", Topic::Repetition),
            ("field", Topic::Repetition),
            ("stated.same", Topic::Subject),
            ("neighbour_-1.heading", Topic::Neighbours),
            ("text_density.next", Topic::Form),
            ("own.p", Topic::Elements),
            ("weights.parent_min", Topic::ClassWords),
        ] {
            assert_eq!(Topic::of(feature), topic, "{feature}");
        }
    }

    /// A group of features that nobody thought of here would count as form.
    #[test]
    fn only_density_and_text_are_form() {
        let model = Model::builtin("fast").unwrap();
        for name in model.schema().names() {
            let is_form = ["text.", "text_density", "tag_ratio."].iter().any(|start| name.starts_with(start));
            assert!(is_form || Topic::of(name) != Topic::Form, "{name}");
        }
    }
}
