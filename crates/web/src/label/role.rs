//! The roles that a person chooses among for a block.

use serde::{Deserialize as _, Deserializer, Serialize, de::Error as _};
use trommel::Role;

/// The part of the gold into which the text of a role goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// Into `gold`.
    Gold,
    /// Into `gold_comments`.
    Comments,
    /// Nowhere.
    Dropped,
}

/// The roles that a person may choose, those of main text first, with the part of the gold for their text.
/// `docs/labelling.md` defines them.
pub const LABEL_ROLES: [(Role, Part); 14] = [
    (Role::Body, Part::Gold),
    (Role::Headline, Part::Gold),
    (Role::Ingredient, Part::Gold),
    (Role::Step, Part::Gold),
    (Role::Caption, Part::Gold),
    (Role::QuestionAnswer, Part::Gold),
    (Role::Card, Part::Gold),
    (Role::Specification, Part::Gold),
    (Role::Comment, Part::Comments),
    (Role::Review, Part::Comments),
    (Role::Byline, Part::Dropped),
    (Role::Notice, Part::Dropped),
    (Role::Navigation, Part::Dropped),
    (Role::Other, Part::Dropped),
];

/// The part of the gold for the text of a role; none if no person may choose it.
pub(crate) fn part(role: Role) -> Option<Part> {
    LABEL_ROLES.iter().find(|(known, _)| *known == role).map(|(_, part)| *part)
}

/// Reads roles that a person chose.
pub(crate) fn chosen<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Role>, D::Error> {
    let roles: Vec<Role> = Vec::deserialize(deserializer)?;
    match roles.iter().find(|role| part(**role).is_none()) {
        None => Ok(roles),
        Some(other) => Err(D::Error::custom(format_args!("{} is not for people to choose", other.name()))),
    }
}
