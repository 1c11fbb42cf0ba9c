//! Determines the roles of blocks, and defines sets of roles. Whether a block is kept is a separate decision.

mod furniture;

use std::fmt;

use serde::{Deserialize, Serialize};
use trommel_html::{Attribute, Block, Element, Page, Tag};
use trommel_model::{JudgedEmbedded, RoleModel};

#[cfg(feature = "strum")]
use strum::{EnumString, VariantNames};

use furniture::Furniture;

trommel_text::named! {
    /// The role of a block on its page. Whether a block is main text is a verdict of the model. The
    /// [role models](trommel_model::RoleModel) determine reviews, cards, specifications, ingredients, steps and
    /// notices, kept or not. The markup around them determines captions, bylines, questions and answers. Names and
    /// repetition in the same place determine controls, counts, boxes about authors and pagers. The elements around a
    /// dropped block determine other kinds of boilerplate.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "strum", derive(EnumString, VariantNames))]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "kebab-case")]
    #[cfg_attr(feature = "strum", strum(serialize_all = "kebab-case"))]
    pub enum Role {
        /// The page's main headline, kept or not.
        Headline = "headline",
        /// Main text.
        Body = "body",
        /// A reader's comment, kept or not.
        Comment = "comment",
        /// A buyer's opinion of the subject of the page.
        Review = "review",
        /// A question about the page's subject, or its answer.
        QuestionAnswer = "question-answer",
        /// A part of a card of a listing: title, summary, price, rating.
        Card = "card",
        /// A property of the product or thing that the page describes, with its value.
        Specification = "specification",
        /// An ingredient of a recipe.
        Ingredient = "ingredient",
        /// A step of a recipe or another instruction.
        Step = "step",
        /// The caption of an image, table or film.
        Caption = "caption",
        /// The author and date beside the text.
        Byline = "byline",
        /// A text that the site repeats on its pages: shipping, cookies, terms.
        Notice = "notice",
        /// A button, a label of a form, a facet, or a link that each part of a list or thread repeats ("Compare").
        Control = "control",
        /// A number that belongs to a part of the page: votes, answers, results, stock, rating.
        Count = "count",
        /// A fact about the writer of a post or text: name, rank, place, number of posts, signature.
        AuthorBox = "author-box",
        /// A link to the previous or next page, or to another page of a list or thread.
        Pager = "pager",
        /// A menu or list of links.
        Navigation = "navigation",
        /// A part of the page header.
        Header = "header",
        /// A part of the page footer.
        Footer = "footer",
        /// A part beside the main text, such as a sidebar.
        Aside = "aside",
        /// A text of a form.
        Form = "form",
        /// A part that a browser does not show.
        Hidden = "hidden",
        /// A block that is dropped for another reason.
        Other = "other",
    }
}

/// Minimum link density (share of linked words) of a dropped block that is navigation regardless of its markup.
const MIN_NAVIGATION_DENSITY: f32 = 0.5;

/// Returns the role of each block. `body` flags the blocks kept as main text, and `in_comments` those in comment
/// sections. A comment that is main text (a post of a forum) has the role body.
pub(crate) fn roles(page: &Page, body: &[bool], in_comments: &[bool], headline: Option<usize>) -> Vec<Role> {
    // Kind of boilerplate of every element: its own, or that of the one around it.
    let mut kinds: Vec<Option<Role>> = Vec::with_capacity(page.elements.len());
    for element in &page.elements {
        let above = kinds.get(element.parent as usize).copied().flatten();
        let role = match element.tag {
            _ if element.hidden => Some(Role::Hidden),
            Tag::Nav | Tag::Menu => Some(Role::Navigation),
            Tag::Header => Some(Role::Header),
            Tag::Footer => Some(Role::Footer),
            Tag::Aside => Some(Role::Aside),
            Tag::Form | Tag::Button | Tag::Fieldset | Tag::Label => Some(Role::Form),
            _ => None,
        };
        kinds.push(if above == Some(Role::Hidden) { above } else { role.or(above) });
    }
    page.blocks
        .iter()
        .enumerate()
        .map(|(at, block)| {
            if headline == Some(at) {
                Role::Headline
            } else if body.get(at) == Some(&true) {
                Role::Body
            // After main text: posts of a forum stand in what looks like comments.
            } else if in_comments.get(at) == Some(&true) {
                Role::Comment
            } else if let Some(kind) = kinds.get(block.element as usize).copied().flatten() {
                kind
            } else if block.link_density() > MIN_NAVIGATION_DENSITY {
                Role::Navigation
            } else {
                Role::Other
            }
        })
        .collect()
}

/// Returns the roles of the blocks, refined by the [`RoleModel`] and by markup to roles such as review, card, control
/// or count. The headline keeps its role. Refinement takes longer than judging the page, so it is done only on request.
pub(crate) fn refined(roles: &[Role], kept: &[bool], page: &Page, url: Option<&str>) -> Vec<Role> {
    let mut told = RoleModel::builtin().map(|model| model.judge(page, url)).unwrap_or_default().into_iter();
    let named = |name: &str| Role::ALL.into_iter().find(|role| role.name() == name);
    let questions = stated_questions(page);
    let furniture = Furniture::of(page, kept);
    roles
        .iter()
        .zip(&page.blocks)
        .enumerate()
        .map(|(at, (role, block))| {
            let told = told.next().flatten().and_then(named);
            let stated = questions.get(at) == Some(&true);
            let stated = stated.then_some(Role::QuestionAnswer);
            match role {
                Role::Headline => Role::Headline,
                // Furniture first, because the models take counts and buttons for cards and notices. They were trained on
                // the other roles, so markup decides where they say nothing.
                role => furniture
                    .role(at, block, *role)
                    .or(told)
                    .or_else(|| marked(page, block))
                    .or(stated)
                    .unwrap_or(*role),
            }
        })
        .collect()
}

/// Class and id words of elements that hold author names and dates of a page.
const BYLINE: [&str; 8] =
    ["byline", "bylines", "author", "authors", "dateline", "pubdate", "datepublished", "datemodified"];
const QUESTIONS: [&str; 5] = ["acceptedanswer", "suggestedanswer", "faq", "faqs", "faqpage"];
/// Words of microdata properties that state a date (`datePublished`).
const STATED_DATES: [&str; 2] = ["published", "modified"];
const STATED_ANSWER: [&str; 1] = ["answer"];
/// Maximum number of blocks before an answer that are taken for its question. More are a page about one question.
// A forum page about one question has its whole text before the answer.
const MAX_QUESTION_BLOCKS: usize = 3;
/// Number of elements around a block that are searched for markup of a byline or a caption.
const NEAR_ANCESTORS: usize = 3;
const ANCESTORS: usize = 8;
/// Maximum number of words of a block that is taken for a byline.
// Longer ones are boxes about the author.
const MAX_BYLINE_WORDS: u32 = 20;

/// Returns whether the microdata property of an element contains one of `words`.
fn states(page: &Page, element: &Element, words: &[&str]) -> bool {
    let mut attribute_words = page.attribute_words(element).iter();
    attribute_words.any(|word| word.attribute == Attribute::Itemprop && words.contains(&page.word_text(word)))
}

/// Returns, for each block, whether microdata marks it as a question: it comes before an answer in the same element.
fn stated_questions(page: &Page) -> Vec<bool> {
    let mut questions = vec![false; page.blocks.len()];
    let mut last = None;
    for (at, block) in page.blocks.iter().enumerate() {
        let mut path = page.path(block.element).take(ANCESTORS);
        let answer = path.find(|(_, element)| states(page, element, &STATED_ANSWER));
        let Some((answer, element)) = answer.filter(|(answer, _)| last != Some(*answer)) else { continue };
        last = Some(answer);
        let before = page.blocks.iter().take(at).rev();
        let before = before.take_while(|block| block.element >= element.parent);
        let count = before.take(MAX_QUESTION_BLOCKS + 1).count();
        if count <= MAX_QUESTION_BLOCKS
            && let Some(questions) = questions.get_mut(at - count..at)
        {
            questions.fill(true);
        }
    }
    questions
}

/// Returns the role of a block by the markup around it: caption, byline, or question and answer.
fn marked(page: &Page, block: &Block) -> Option<Role> {
    for (at, (_, element)) in page.path(block.element).take(ANCESTORS).enumerate() {
        if at < NEAR_ANCESTORS && matches!(page.name(element), "figcaption" | "caption") {
            return Some(Role::Caption);
        }
        let is_byline = |element| page.says(element, &BYLINE) || states(page, element, &STATED_DATES);
        if at < NEAR_ANCESTORS && block.words <= MAX_BYLINE_WORDS && is_byline(element) {
            return Some(Role::Byline);
        }
        if page.says(element, &QUESTIONS) || states(page, element, &STATED_ANSWER) {
            return Some(Role::QuestionAnswer);
        }
    }
    None
}

/// Set of roles; written as a list of their names in configuration files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "Vec<Role>", into = "Vec<Role>")]
#[cfg_attr(feature = "schema", schemars(with = "Vec<Role>"))]
pub struct RoleSet(u32);

impl RoleSet {
    /// Returns whether the set has no role.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether a role is in the set.
    pub fn contains(self, role: Role) -> bool {
        self.0 & bit(role) != 0
    }

    /// Iterates over the roles in the set, in the order of [`Role::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Role> {
        Role::ALL.into_iter().filter(move |role| self.contains(*role))
    }
}

fn bit(role: Role) -> u32 {
    1 << role as u32
}

impl FromIterator<Role> for RoleSet {
    fn from_iter<I: IntoIterator<Item = Role>>(roles: I) -> Self {
        Self(roles.into_iter().fold(0, |set, role| set | bit(role)))
    }
}

impl From<Vec<Role>> for RoleSet {
    fn from(roles: Vec<Role>) -> Self {
        roles.into_iter().collect()
    }
}

impl From<RoleSet> for Vec<Role> {
    fn from(set: RoleSet) -> Self {
        set.iter().collect()
    }
}

/// Writes the names of the roles, separated by commas.
impl fmt::Display for RoleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.iter().map(Role::name).collect();
        f.write_str(&names.join(","))
    }
}

/// Returns the role of a text from the data in the page's scripts: comment, body or other.
pub(crate) fn role_of_embedded(embedded: &JudgedEmbedded) -> Role {
    if embedded.is_comment() {
        Role::Comment
    } else if embedded.kept {
        Role::Body
    } else {
        Role::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn every_block_has_a_role() {
        let page = ScanEngine.read(
            "<header><p>Site</p><nav><a href=a>Home</a></nav></header><h1>Title</h1><p>Body of it.</p>\
             <p>I agree.</p><p><a href=b>More</a></p><aside hidden><p>Psst</p></aside>\
             <form><p>Name</p></form><footer>Ours</footer><p>Left over</p>",
            &Limits::default(),
        );
        let mut body = vec![false; page.blocks.len()];
        body[3] = true;
        let mut comments = vec![false; page.blocks.len()];
        comments[4] = true;
        let found: Vec<&str> = roles(&page, &body, &comments, Some(2)).into_iter().map(Role::name).collect();
        assert_eq!(
            found,
            ["header", "navigation", "headline", "body", "comment", "navigation", "hidden", "form", "footer", "other"]
        );
    }

    #[test]
    fn a_set_holds_what_was_put_in() {
        for role in Role::ALL {
            let set: RoleSet = [role].into_iter().collect();
            assert_eq!(set.iter().collect::<Vec<_>>(), [role]);
        }
        let set: RoleSet = [Role::Other, Role::Review].into_iter().collect();
        assert_eq!(set.to_string(), "review,other");
        assert!(!set.contains(Role::Body) && !set.is_empty() && RoleSet::default().is_empty());
        assert_eq!(RoleSet::from(Vec::from(set)), set);
    }

    #[test]
    fn markup_tells_captions_bylines_and_questions() {
        let html = "<h1>T</h1><div class=author><p>By Jane Roe</div><figure><img><figcaption>A mill.</figcaption></figure>\
                    <div class='faq-list'><p>Why?</p><p>So.</p></div><p>Body of it.";
        let page = ScanEngine.read(html, &Limits::default());
        let found: Vec<Option<Role>> = page.blocks.iter().map(|block| marked(&page, block)).collect();
        let (question, byline) = (Some(Role::QuestionAnswer), Some(Role::Byline));
        let caption = Some(Role::Caption);
        assert_eq!(found, [None, byline, caption, question, question, None]);
        let long = format!("<div class=author><p>{}", "word ".repeat(30));
        let page = ScanEngine.read(&long, &Limits::default());
        assert_eq!(marked(&page, &page.blocks[0]), None);
    }

    #[test]
    fn microdata_tells_answers_their_questions_and_dates() {
        let pair = "<div itemprop=mainEntity itemscope><h3 itemprop=name>Why?</h3>\
                    <div itemprop=acceptedAnswer itemscope><p itemprop=text>So.</p><p>And so.</p></div></div>";
        let html = format!("<p>Body of it.</p><section>{pair}{pair}</section><b itemprop=datePublished>May</b>");
        let page = ScanEngine.read(&html, &Limits::default());
        let found: Vec<Option<Role>> = page.blocks.iter().map(|block| marked(&page, block)).collect();
        let (none, answer) = (None, Some(Role::QuestionAnswer));
        let byline = Some(Role::Byline);
        assert_eq!(found, [none, none, answer, answer, none, answer, answer, byline]);
        let (yes, no) = (true, false);
        assert_eq!(
            stated_questions(&page),
            [no, yes, no, no, yes, no, no, no],
            "the page before the first question is none"
        );
        let roles = refined(&[Role::Body; 8], &[true; 8], &page, None);
        assert_eq!((roles[1], roles[2]), (Role::QuestionAnswer, Role::QuestionAnswer));
        let long = "<div><p>a<p>b<p>c<p>d<div itemprop=suggestedAnswer>So.</div></div>";
        let page = ScanEngine.read(long, &Limits::default());
        assert!(!stated_questions(&page).contains(&true), "a page about one question");
    }
}
