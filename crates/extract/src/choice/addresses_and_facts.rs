//! Keeps addresses on pages that say when something takes place, and the facts about a product, an event or a job.

use trommel_html::{Block, Element, Page, Tag};

use crate::kept_flags::KeptBlocks as _;

/// Maximum number of words of a block that is taken for a time of day or an address.
// Longer ones are prose, in which numbers are of other things.
const MAX_WORDS: u32 = 40;
/// Minimum probability of a block that is kept as an address.
// From .02 to .05 no set differs by more than .0006, but agendas lose .009 at .05.
const MIN_PROBABILITY: f32 = 0.03;
/// Number of digits of a postal code.
// Codes of four digits look like years, those with letters like the numbers of models.
const CODE_DIGITS: usize = 5;

/// Keeps short blocks that hold a postal address if a short kept block states a time of day, as for an event. Addresses
/// in the footer are left out, because they are those of the site. `probabilities` and `kept` have one entry per block.
pub(crate) fn keep_addresses(page: &Page, probabilities: &[f32], kept: &mut [bool]) {
    let blocks = || page.blocks.iter().zip(probabilities).zip(kept.iter()).enumerate();
    let addresses = blocks().filter(|(_, ((block, probability), kept))| {
        !**kept && **probability >= MIN_PROBABILITY && is_address(page.text(block)) && is_shown(page, block)
    });
    let addresses: Vec<usize> = addresses.map(|(at, _)| at).collect();
    let says_time = |(_, ((block, _), kept)): (usize, ((&Block, &f32), &bool))| {
        *kept && block.words <= MAX_WORDS && says_time(page.text(block))
    };
    // Most pages have no address.
    if addresses.is_empty() || !blocks().any(says_time) {
        return;
    }
    kept.keep(addresses);
}

/// Returns whether a block is short, visible and outside of any footer.
fn is_shown(page: &Page, block: &Block) -> bool {
    let is_hidden = page.element(block.element).is_some_and(|element| element.hidden);
    block.words <= MAX_WORDS && !is_hidden && !page.path(block.element).any(|(_, element)| element.tag == Tag::Footer)
}

/// Returns whether a text has a postal code next to a capitalised name and after a house number or two-letter state.
// Labels such as `Location:` are as often those of the author of a post.
fn is_address(text: &str) -> bool {
    // Few texts have as many digits in a row, and only those are divided into words.
    let mut digits = 0;
    let may_have_code = text.bytes().any(|byte| {
        digits = if byte.is_ascii_digit() { digits + 1 } else { 0 };
        digits == CODE_DIGITS
    });
    if !may_have_code {
        return false;
    }
    let (mut before, mut seen_number) = ("", false);
    let mut words = text.split(|c: char| !(c.is_alphanumeric() || c == '-')).filter(|word| !word.is_empty()).peekable();
    while let Some(word) = words.next() {
        if is_code(word) {
            let is_beside_name = is_name(before) || words.peek().is_some_and(|word| is_name(word));
            let is_of_state = before.len() == 2 && before.bytes().all(|byte| byte.is_ascii_uppercase());
            if is_beside_name && (seen_number || is_of_state) {
                return true;
            }
        }
        seen_number |= word.len() <= CODE_DIGITS && word.starts_with(|c: char| c.is_ascii_digit());
        before = word;
    }
    false
}

/// Returns whether a word is a postal code: five digits, optionally followed by a hyphen and more digits.
fn is_code(word: &str) -> bool {
    let (code, rest) = word.split_once('-').unwrap_or((word, ""));
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    code.len() == CODE_DIGITS && is_number(code) && is_number(rest)
}

fn is_name(word: &str) -> bool {
    word.len() > 1 && word.starts_with(char::is_uppercase)
}

/// Returns whether a text contains a time of day: `10:30`, `10h30`, `10 am`, `10 a.m.`.
fn says_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digits = |at: usize| bytes.iter().skip(at).take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = 0;
    while at < bytes.len() {
        let hours = digits(at);
        if (1..=2).contains(&hours) {
            let rest = bytes.get(at + hours..).unwrap_or_default();
            if matches!(rest, [b':' | b'h', ..]) && digits(at + hours + 1) == 2 {
                return true;
            }
            let rest = rest.trim_ascii_start();
            let (half, rest) = rest.split_first().unwrap_or((&0, rest));
            let rest = rest.strip_prefix(b".").unwrap_or(rest);
            if matches!(half.to_ascii_lowercase(), b'a' | b'p')
                && matches!(rest, [b'm' | b'M', rest @ ..] if !rest.first().is_some_and(u8::is_ascii_alphabetic))
            {
                return true;
            }
        }
        at += hours.max(1);
    }
    false
}

/// Maximum number of words of a block that is kept as a fact about a product, an event or a job.
const MAX_FACT_WORDS: u32 = 30;
/// Class and id words of elements that hold the number and the categories of a product.
const FACTS: [&str; 2] = ["meta", "sku"];
/// Maximum number of ancestors of a block, one of which must be a table cell, a `dt` or an element of product facts.
const FACT_ANCESTORS: usize = 3;

/// Keeps short blocks that hold facts about a product, an event or a job: the headline, terms and definitions, table
/// rows with a header cell, product numbers and categories.
pub(crate) fn keep_facts(page: &Page, headline: Option<usize>, in_comments: &[bool], kept: &mut [bool]) {
    if !kept.contains(&true) {
        return;
    }
    let is_head = |element: &Element| matches!(element.tag, Tag::Th | Tag::Dt);
    let is_fact = |(_, element): (u32, &Element)| {
        let row = page.element(element.parent).filter(|row| row.tag == Tag::Tr);
        let has_head = || row.is_some() && page.element(element.parent + 1).is_some_and(is_head);
        is_head(element)
            || element.tag == Tag::Dd
            || element.tag == Tag::Td && has_head()
            || page.is_named_as(element, &FACTS)
    };
    let facts = page.blocks.iter().enumerate().filter(|(at, block)| {
        let is_short = block.words <= MAX_FACT_WORDS && in_comments.get(*at) != Some(&true);
        is_short && (Some(*at) == headline || page.path(block.element).take(FACT_ANCESTORS).any(is_fact))
    });
    let facts: Vec<usize> = facts.map(|(at, _)| at).collect();
    kept.set(facts, true);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_by_their_codes_and_labels() {
        let all = [
            "City Hall, 1200 Market Street, Saint Louis, MO 63103",
            "Municipal Building, Springfield, IL 62701-1234",
            "Hauptstraße 12, 10115 Berlin",
            "12 rue de la Paix 75002 Paris",
            "500 Woodward Ave., Detroit, Michigan 48226",
        ];
        for text in all {
            assert!(is_address(text), "{text}");
        }
        let none = ["Location: Ohio", "Berlin 10115", "In 2019 it had 12000 members", "Call 555-12345", "Line 3, 2024"];
        for text in none {
            assert!(!is_address(text), "{text}");
        }
    }

    #[test]
    fn times_of_day_are_found() {
        for text in ["at 10:30", "10h30", "Monday 9 am", "9 a.m. to noon", "ab 19:00 Uhr", "7PM", "7 P.M."] {
            assert!(says_time(text), "{text}");
        }
        for text in ["1:1", "10 amps", "3 apples", "2019", "a.m.", "100:00", "ratio 16:9"] {
            assert!(!says_time(text), "{text}");
        }
    }
}
