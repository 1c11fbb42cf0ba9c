//! The role that a person chooses for a block.

use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoEnumIterator as _};

/// The role of a block according to a person. `docs/labelling.md` defines the roles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter)]
#[serde(rename_all = "kebab-case")]
pub enum LabelRole {
    /// Running text, and whatever else is main text.
    Body,
    /// The main headline.
    Headline,
    /// An ingredient of a recipe, or a part of a list of materials.
    Ingredient,
    /// A step of an instruction.
    Step,
    /// The caption of an image, table or film.
    Caption,
    /// A question about the page's subject, or the answer to one.
    QuestionAnswer,
    /// A part of a card of a listing: title, summary, price, rating.
    Card,
    /// A property of the thing that the page is about, and its value.
    Specification,
    /// A reader's comment.
    Comment,
    /// A buyer's review.
    Review,
    /// Author and date beside the text.
    Byline,
    /// What a shop or site says on every page: shipping, cookies, terms.
    Notice,
    /// Menus, link lists and teasers of other pages.
    Navigation,
    /// Whatever else is no main text.
    Other,
}

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

impl LabelRole {
    /// Every role, those of main text first.
    pub fn all() -> impl Iterator<Item = LabelRole> {
        LabelRole::iter()
    }

    /// The part of the gold for its text.
    pub fn part(self) -> Part {
        match self {
            LabelRole::Body
            | LabelRole::Headline
            | LabelRole::Ingredient
            | LabelRole::Step
            | LabelRole::Caption
            | LabelRole::QuestionAnswer
            | LabelRole::Card
            | LabelRole::Specification => Part::Gold,
            LabelRole::Comment | LabelRole::Review => Part::Comments,
            LabelRole::Byline | LabelRole::Notice | LabelRole::Navigation | LabelRole::Other => Part::Dropped,
        }
    }
}
