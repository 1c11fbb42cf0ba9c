//! Drops line numbers beside code.

use trommel_html::{Element, ElementKinds, Page};

use crate::kept_flags::KeptBlocks as _;
use crate::render::content::code::outermost_code;

/// Maximum number of elements around line numbers that are searched for the code they belong to.
const GUTTER_ANCESTORS: usize = 4;

/// Drops line numbers next to code: code blocks, or elements with a class such as `lineno`, that contain only
/// consecutive numbers. `kept` has one flag per block.
pub(crate) fn drop_line_numbers(page: &Page, kept: &mut [bool]) {
    if !page.kinds.contains(ElementKinds::CODE) {
        return;
    }
    let code = |at: usize| outermost_code(page, at);
    let part = |at: usize| code(at).or_else(|| gutter(page, at));
    let mut at = 0;
    while at < page.blocks.len() {
        let Some(element) = part(at) else {
            at += 1;
            continue;
        };
        let inside = (at..page.blocks.len()).take_while(|at| part(*at) == Some(element));
        let next = at + inside.count();
        let texts = page.blocks.get(at..next).unwrap_or_default().iter();
        let numbers = texts.flat_map(|block| page.text(block).split_whitespace());
        let stands_beside = || {
            // What is code and stands behind code may be its output.
            let before = at.checked_sub(1).filter(|_| code(at).is_none());
            let mut around = page.path(element).skip(1).take(GUTTER_ANCESTORS);
            let holds = |inside: Option<u32>, (around, element): (u32, &Element)| {
                inside.is_some_and(|inside| (around..element.end).contains(&inside))
            };
            around.any(|around| holds(code(next), around) || before.is_some_and(|before| holds(code(before), around)))
        };
        // Numbers that count without a gap, and code beside them: a listing of data does neither.
        if are_consecutive(numbers) && stands_beside() {
            kept.leave_out(at..next);
        }
        at = next;
    }
}

/// Returns the nearest of two elements around a block with a class or id word such as `line` or `lineno`.
fn gutter(page: &Page, at: usize) -> Option<u32> {
    let mut around = page.path(page.blocks.get(at)?.element).take(2);
    around.find(|(_, element)| page.says(element, &["line", "lines", "lineno", "linenos"])).map(|(at, _)| at)
}

fn are_consecutive<'a>(mut numbers: impl Iterator<Item = &'a str>) -> bool {
    let mut number = |expected: Option<u32>| {
        // What is no number ends the row, as no number follows the largest.
        let number: Option<u32> = numbers.next().map(|text| text.parse().unwrap_or(u32::MAX));
        number.map(|number| (number, expected.is_none_or(|expected| number == expected)))
    };
    let mut last = None;
    while let Some((value, is_next)) = number(last) {
        let Some(next) = value.checked_add(1).filter(|_| is_next) else { return false };
        last = Some(next);
    }
    last.is_some()
}
