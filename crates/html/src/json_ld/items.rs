//! Finds the items in a page's JSON-LD: ingredients, steps, questions and answers. A block with the same
//! words belongs to the subject of the page, however short it is.

use memchr::memmem;

use super::{Graph, JsonLd, Node};
use crate::markup::strip_markup;

/// Items that are kept of one page.
// More than any recipe or list of questions; a bound for hostile scripts.
const MAX_ITEMS: usize = 1024;
/// Bytes of items that are kept of one page; an item that does not fit is left out.
const MAX_BYTES: usize = 256 << 10;

/// Types of nodes, and their properties whose strings are items.
const PROPERTIES: [(&str, &[&str]); 10] = [
    ("Recipe", &["recipeIngredient", "ingredients", "recipeInstructions"]),
    ("HowTo", &["step", "steps", "supply", "tool"]),
    ("HowToSection", &["name", "itemListElement"]),
    ("HowToStep", &["name", "text", "itemListElement"]),
    ("HowToDirection", &["text"]),
    ("HowToTip", &["text"]),
    ("HowToSupply", &["name"]),
    ("HowToTool", &["name"]),
    ("Question", &["name", "text"]),
    ("Answer", &["text"]),
];

/// Returns whether one of these types is named in a script.
pub(super) fn may_hold_items(script: &str) -> bool {
    // `HowTo` is the beginning of all types of instructions; answers stand inside of questions.
    ["Recipe", "HowTo", "Question"].iter().any(|name| memmem::find(script.as_bytes(), name.as_bytes()).is_some())
}

impl JsonLd {
    /// The lines of ingredients, steps, questions and answers, in document order: plain text, none empty.
    /// Their number and bytes are capped, so the time is linear in the scripts.
    pub fn items(&self) -> Vec<String> {
        let mut items = Vec::new();
        let mut room = MAX_BYTES;
        for script in self.scripts.iter().filter(|script| script.may_hold_items) {
            let values = self.values.get(script.values.clone()).unwrap_or_default();
            for node in Graph::new(values).nodes() {
                for raw in of_node(node) {
                    if items.len() >= MAX_ITEMS || raw.len() > room {
                        continue;
                    }
                    room -= raw.len();
                    let text = strip_markup(raw);
                    // Sites put all ingredients or steps into one string, a line each.
                    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
                    items.extend(lines.map(str::to_owned));
                }
            }
        }
        items
    }
}

fn of_node<'a>(node: &Node<'a>) -> impl Iterator<Item = &'a str> {
    let node = *node;
    let known = PROPERTIES.iter().find(|(name, _)| node.is(name));
    let properties = known.map_or(&[][..], |(_, properties)| properties);
    properties.iter().flat_map(move |key| node.strings(key))
}

#[cfg(test)]
mod tests {
    use super::super::JsonLdScript;
    use super::*;

    fn of(script: &str) -> Vec<String> {
        JsonLd::parse(&[JsonLdScript { text: script.to_owned(), span: (0, 0) }]).items()
    }

    #[test]
    fn ingredients_and_steps_are_found() {
        let found = of(r#"{"@type":"Recipe","name":"no","description":"no",
            "recipeIngredient":["2 cups flour"," salt &amp; pepper ",3],
            "recipeInstructions":[{"@type":"HowToSection","name":"Dough","itemListElement":[
                {"@type":"HowToStep","name":"Mix","text":"<p>Mix all.</p><p>Rest.</p>"}]},"Bake."]}"#);
        assert_eq!(found, ["2 cups flour", "salt & pepper", "Bake.", "Dough", "Mix", "Mix all.", "Rest."]);
        let lines = of(r#"{"@type":"Recipe","recipeInstructions":"Mix.\nBake."}"#);
        assert_eq!(lines, ["Mix.", "Bake."]);
    }

    #[test]
    fn questions_stand_before_their_answers() {
        let found = of(r#"{"@type":"FAQPage","mainEntity":[{"@type":"Question","name":"Why?",
                "acceptedAnswer":{"@type":"Answer","text":"So."}}]}"#);
        assert_eq!(found, ["Why?", "So."]);
    }

    #[test]
    fn items_are_capped_and_other_types_passed() {
        let many = vec!["\"salt\""; MAX_ITEMS + 9].join(",");
        let found = of(&format!(r#"{{"@type":"Recipe","recipeIngredient":[{many}]}}"#));
        assert_eq!(found.len(), MAX_ITEMS);
        assert!(of(r#"{"@type":"Article","text":"no","name":"no"}"#).is_empty());
    }
}
