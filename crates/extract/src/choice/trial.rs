//! Tries rules on small pages. `rules.txt` has the pages and the text that each rule leaves.

use trommel_html::{Engine, Limits, ScanEngine};

use super::{ChosenPage, JudgedPage, RULES, rules::Apply};
use crate::{role::Role, rows};

/// Returns the texts of a test page that are kept after a rule. Before the rule, texts that begin with a dash are
/// dropped and all others kept. The section begins with the name of the rule. Options may follow: `none kept`, `first
/// kept`, `no article`, `no listing`, `no thread`, `no product`, `p=` (probabilities of the blocks, the last for all
/// others), `headline=`.
fn left(section: &str, html: &str) -> String {
    let name = section.split(", ").next().unwrap();
    let rule = RULES.iter().find(|rule| rule.name == name).unwrap();
    let option = |key: &str| section.split_once(key).map(|(_, rest)| rest.split(',').next().unwrap());
    let page = ScanEngine.read(html, &Limits::default());
    let texts: Vec<&str> = page.blocks.iter().map(|block| page.text(block)).collect();
    let mut kept: Vec<bool> = texts.iter().map(|text| !text.starts_with('-')).collect();
    let first = if section.contains(", none kept") {
        0
    } else if section.contains(", first kept") {
        1
    } else {
        kept.len()
    };
    kept.iter_mut().skip(first).for_each(|kept| *kept = false);
    let given = option(", p=").unwrap_or("0.5").split(' ').map(|text| text.parse().unwrap());
    let given: Vec<f32> = given.collect();
    let probabilities = &(0..kept.len()).map(|at| given[at.min(given.len() - 1)]).collect::<Vec<_>>();
    let fields = &page.fields().of_block;
    // Texts that begin with `c`, behind a dash or not, are comments.
    let is_comment = |text: &str| text.trim_start_matches('-').starts_with('c');
    let roles = texts.iter().map(|text| if is_comment(text) { Role::Comment } else { Role::Other });
    let roles = &roles.collect::<Vec<_>>();
    let headline = option(", headline=").map(|text| text.parse().unwrap());
    let judged = JudgedPage {
        page: &page,
        fields,
        headline,
        probabilities,
        in_comments: &[],
        keeps_doubtful: true,
        is_article: !section.contains(", no article"),
        is_listing: !section.contains(", no listing"),
        is_thread: !section.contains(", no thread"),
        has_facts: !section.contains(", no product"),
        has_threshold: false,
        keeps_embedded: false,
    };
    let url = Some("https://www.own.example/page");
    let chosen = ChosenPage { page: &page, html, url, fields, probabilities, roles, only_first_article: true };
    match rule.apply {
        Apply::Judged(apply) => apply(&judged, &mut kept),
        Apply::Chosen(apply) => apply(&chosen, &mut kept),
    }
    let left: Vec<&str> = texts.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(text, _)| *text).collect();
    left.join(" | ")
}

#[test]
fn rules_leave_what_the_rows_say() {
    rows::check("src/choice/rules.txt", left);
}
