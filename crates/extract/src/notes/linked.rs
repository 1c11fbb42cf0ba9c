//! Finds marks and notes that link to each other, and notes inside the line of their mark.
//!
//! Such are sidenotes, and notes of LaTeXML.

use percent_encoding::percent_decode_str;
use rustc_hash::FxHashMap;
use trommel_html::{Block, Element, Notation, NotationKind, Page, Tag, anchors};

use super::unlinked::{is_number, label};
use super::{MAX_NOTE, Pair, Target, blocks_of, in_notes, is_short, of_kind};
use crate::{heading_text::is_heading, kept_flags::KeptBlocks as _};

/// Maximum number of elements around a mark that are searched for an `id` or `name`.
const ANCESTORS: usize = 2;

/// Maximum number of links in a block of a note that are searched for a link back to the mark.
// A note cited in a hundred places links back to each; the first ones are enough.
const MAX_BACK_LINKS: usize = 32;

/// Link in the text that may be the mark of a note.
#[derive(Clone, Debug)]
struct Candidate {
    block: u32,
    from: u32,
    to: u32,
    label: String,
    fragment: String,
    element: u32,
}

/// Returns the marks in kept blocks that link to notes, each with its note.
pub(super) fn pairs(page: &Page, html: &str, kept: &[bool]) -> Vec<Pair> {
    let candidates = candidates(page, html);
    if candidates.is_empty() {
        return Vec::new();
    }
    let mut wanted: FxHashMap<&str, u32> =
        candidates.iter().map(|candidate| (candidate.fragment.as_str(), u32::MAX)).collect();
    for (name, element) in anchors(page, html, |name| wanted.contains_key(name)) {
        if let Some(place) = wanted.get_mut(name.as_str())
            // The first element of a name counts, as in browsers.
            && *place == u32::MAX
        {
            *place = element;
        }
    }
    // Where a page lost its anchors (as exports of Word do), a link back tells the note: the last of a name.
    let mut back: FxHashMap<String, (u32, u32)> = FxHashMap::default();
    for candidate in candidates.iter().filter(|candidate| is_back(&candidate.fragment)) {
        back.insert(root(&candidate.fragment), (candidate.block, candidate.element));
    }
    let mut found: FxHashMap<u32, Option<Target>> = FxHashMap::default();
    let mut pairs: Vec<Pair> = Vec::new();
    for candidate in &candidates {
        if !kept.has(candidate.block as usize) || heads_note(page, candidate.block) {
            continue;
        }
        let mut element = wanted.get(candidate.fragment.as_str()).copied().unwrap_or(u32::MAX);
        if element == u32::MAX && !is_back(&candidate.fragment) {
            let back = back.get(&root(&candidate.fragment));
            element = back.filter(|(block, _)| *block > candidate.block).map_or(u32::MAX, |(_, element)| *element);
        }
        if element == u32::MAX || is_back(&candidate.fragment) && !is_forward(page, candidate.block, element) {
            continue;
        }
        let target = found.entry(element).or_insert_with(|| target(page, element)).clone();
        let Some(Target::Element { element: note, blocks }) = target else { continue };
        if blocks.contains(&candidate.block) || !is_note(page, html, candidate, note, &blocks) {
            continue;
        }
        let (from, to) = bracketed(page, candidate.block, candidate.from, candidate.to);
        pairs.push(Pair {
            block: candidate.block,
            from,
            to,
            label: candidate.label.clone(),
            target: Target::Element { element: note, blocks },
        });
    }
    // A note that holds the mark of another stays one: but not two that hold each other's marks.
    let notes: Vec<u32> = pairs
        .iter()
        .flat_map(|pair| match &pair.target {
            Target::Element { blocks, .. } => blocks.clone(),
            _ => Vec::new(),
        })
        .collect();
    let notes: rustc_hash::FxHashSet<u32> = notes.into_iter().collect();
    // Tables whose rows link to each other have no mark outside of what would be the notes.
    let outside = pairs.iter().any(|pair| !notes.contains(&pair.block));
    if !outside {
        pairs.clear();
    }
    // A link at the start of a note leads back; it is no mark.
    pairs.retain(|pair| !(notes.contains(&pair.block) && pair.from == 0));
    pairs
}

fn candidates(page: &Page, html: &str) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for (at, block) in page.blocks_with_notation(&[NotationKind::FragmentLink]) {
        for notation in of_kind(page, block, NotationKind::FragmentLink) {
            let Some(label) = label(page.noted(block, &notation)) else { continue };
            let Some(element) = page.element(notation.element) else { continue };
            let href = element.attribute(html, "href").unwrap_or_default();
            let mut fragment = href.rsplit('#').next().unwrap_or_default().to_owned();
            if fragment.is_empty() {
                let around = page.path(notation.element).take(1 + ANCESTORS);
                let named = |(_, element): (u32, &Element)| element.attribute(html, "data-definition");
                fragment = around.filter_map(named).next().unwrap_or_default();
            }
            let decoded = percent_decode_str(&fragment).decode_utf8().map(String::from);
            let fragment = decoded.unwrap_or(fragment);
            if !fragment.is_empty() {
                candidates.push(Candidate {
                    block: at as u32,
                    from: notation.text.0,
                    to: notation.text.1,
                    label: label.to_owned(),
                    fragment,
                    element: notation.element,
                });
            }
        }
    }
    candidates
}

/// Returns a URL fragment in lower case without parts such as `ref`, so that those of a mark and of its note are equal.
fn root(fragment: &str) -> String {
    let mut root = fragment.to_ascii_lowercase();
    for word in ["_ref", "-ref", "ref", "-back", "back", "-link", "-return"] {
        root = root.replace(word, "");
    }
    root
}

/// Returns whether a URL fragment names the mark of a note (`fnref1`) rather than the note itself.
fn is_back(fragment: &str) -> bool {
    let fragment = fragment.to_ascii_lowercase();
    let names_mark =
        ["fnref", "ftnref", "noteref", "footnote-ref", "footnoteref", "cite_ref", "ftnt_ref", "sdfootnote"];
    names_mark.iter().any(|name| fragment.contains(name) && (*name != "sdfootnote" || fragment.ends_with("anc")))
}

fn is_forward(page: &Page, block: u32, element: u32) -> bool {
    let (Some(block), Some(element)) = (page.blocks.get(block as usize), page.element(element)) else { return false };
    element.start > block.span.1
}

/// Returns the note at the element `at` that a mark links to: the nearest element with more than a label. For a table
/// cell it is the row, for a `dt` the definition.
fn target(page: &Page, at: u32) -> Option<Target> {
    let element = page.element(at)?;
    if element.tag.is_heading() {
        return None;
    }
    let mut around = page.path(at).take_while(|(_, element)| element.tag.is_inline() || element.tag.is_heading());
    if let Some((heading, _)) = around.find(|(_, element)| element.tag.is_heading()) {
        return headed(page, heading);
    }
    let holds = |at: u32| {
        let blocks = blocks_of(page, at);
        let said = blocks
            .iter()
            .filter_map(|at| page.blocks.get(*at as usize))
            .map(|block| page.text(block))
            .any(|text| label(text).is_none());
        (is_short(page, &blocks) && said).then_some((at, blocks))
    };
    let mut around = page.path(at).filter(|(_, element)| !element.tag.is_inline());
    let is_block = !element.tag.is_inline();
    // The element itself, or the nearest that says more than a label.
    let found = around
        .by_ref()
        .take(if is_block { 3 } else { 2 })
        .take_while(|(own_at, element)| {
            // docutils sets each note as a table.
            *own_at == at && element.tag == Tag::Table && page.says(element, &["footnote"])
                || !matches!(
                    element.tag,
                    Tag::Body | Tag::Main | Tag::Article | Tag::Ol | Tag::Ul | Tag::Table | Tag::Tbody | Tag::Dl
                )
        })
        .find_map(|(at, element)| match element.tag {
            Tag::Td | Tag::Th => holds(element.parent),
            Tag::Dt => {
                // The note is the definition behind its label.
                let next = element.end;
                let is_definition = page.element(next).is_some_and(|element| element.tag == Tag::Dd);
                if is_definition { holds(next) } else { None }
            }
            _ => holds(at),
        });
    let (element, blocks) = found?;
    Some(Target::Element { element, blocks })
}

/// Returns whether a block is a heading that is only the label (number or sign) of a note.
fn heads_note(page: &Page, block: u32) -> bool {
    let block = page.blocks.get(block as usize);
    block.is_some_and(|block| is_heading(page, block) && label(page.text(block)).is_some())
}

/// Returns the note below a heading that is only the note's label, up to the next heading, as Texinfo writes it.
fn headed(page: &Page, heading: u32) -> Option<Target> {
    let head = page.element(heading)?;
    let end = page.element(head.parent).map_or(u32::MAX, |parent| parent.end);
    let first = page.blocks.partition_point(|block| block.span.0 < head.start);
    let is_label = |block: &Block| (heading..head.end).contains(&block.element);
    let blocks = page.blocks.iter().enumerate().skip(first);
    let blocks: Vec<(u32, &Block)> = blocks
        .take_while(|(_, block)| block.element < end && (is_label(block) || !is_heading(page, block)))
        .take(MAX_NOTE.0 + 1)
        .map(|(at, block)| (at as u32, block))
        .collect();
    let mut labels = blocks.iter().filter(|(_, block)| is_label(block));
    let note = blocks.iter().filter(|(_, block)| !is_label(block)).map(|(at, _)| *at).collect::<Vec<u32>>();
    let is_headed = labels.all(|(_, block)| label(page.text(block)).is_some()) && is_short(page, &note);
    is_headed.then(|| Target::Element { element: heading, blocks: blocks.into_iter().map(|(at, _)| at).collect() })
}

/// Returns whether the target of a mark is a note, and not a numbered part of the text.
fn is_note(page: &Page, html: &str, mark: &Candidate, note: u32, blocks: &[u32]) -> bool {
    let fragment = mark.fragment.to_ascii_lowercase();
    let named = ["fn", "ftn", "note", "cite", "ref", "bib", "sdf"].iter().any(|name| fragment.contains(name));
    let back = || {
        blocks.iter().filter_map(|at| page.blocks.get(*at as usize)).any(|block| {
            of_kind(page, block, NotationKind::FragmentLink).take(MAX_BACK_LINKS).any(|notation| {
                page.noted(block, &notation).chars().count() <= 24
                    && page.element(notation.element).and_then(|element| element.attribute(html, "href")).is_some_and(
                        |href| {
                            let back = href.rsplit('#').next().unwrap_or_default();
                            !back.is_empty()
                                && (is_back(back)
                                    || root(back) == root(&mark.fragment)
                                    || names(page, html, mark, back))
                        },
                    )
            })
        })
    };
    let is_said = || {
        page.path(mark.element).take(1 + ANCESTORS).any(|(_, element)| {
            element.tag == Tag::Sup
                || page.says(element, &["footnote", "noteref", "fn", "fnref", "reference", "footnoteref"])
        })
    };
    let before = page
        .element(note)
        .zip(page.blocks.get(mark.block as usize))
        .is_some_and(|(note, block)| note.start < block.span.0);
    // A note before its mark is rare, so it needs both kinds of evidence.
    let strong = in_notes(page, note) || back();
    if before {
        return strong && is_said();
    }
    strong || named || is_said() && is_number(&mark.label)
}

/// Returns whether a mark, or an element directly around it, has the given `id` or `name`.
fn names(page: &Page, html: &str, mark: &Candidate, name: &str) -> bool {
    page.path(mark.element).take(1 + ANCESTORS).any(|(_, element)| {
        element.attribute(html, "id").as_deref() == Some(name)
            || element.attribute(html, "name").as_deref() == Some(name)
    })
}

/// Returns the byte range of a mark in a block, extended by square brackets around it.
fn bracketed(page: &Page, block: u32, from: u32, to: u32) -> (u32, u32) {
    let text = page.blocks.get(block as usize).map_or("", |block| page.text(block));
    let mark_text = text.get(from as usize..to as usize).unwrap_or_default();
    // White space before a mark is that of the text.
    let lead = (mark_text.len() - mark_text.trim_start().len()) as u32;
    let before = text.get(..from as usize).unwrap_or_default();
    let after = text.get(to as usize..).unwrap_or_default();
    match (before.chars().next_back(), after.chars().next()) {
        (Some('['), Some(']')) => (from - 1, to + 1),
        _ => (from + lead, to),
    }
}

/// Maximum number of bytes between a mark and a note beside it in the same line.
// A space, or a sign of one or two bytes.
const MAX_BYTES_BETWEEN: u32 = 2;

/// Adds the notes inside lines of kept blocks to `pairs`, in page order. A note that only repeats a linked note is left
/// out.
pub(super) fn add(page: &Page, kept: &[bool], pairs: &mut Vec<Pair>) {
    let mut found = Vec::new();
    for (at, block) in page.blocks_with_notation(&[NotationKind::InlineNote]) {
        if !kept.has(at) {
            continue;
        }
        let at = at as u32;
        let mut mark: Option<Notation> = None;
        for notation in page.notations(block) {
            if notation.kind == NotationKind::Superscript {
                mark = Some(notation);
            }
            if notation.kind != NotationKind::InlineNote {
                continue;
            }
            let behind = pairs.partition_point(|pair| (pair.block, pair.to) <= (at, notation.text.0));
            let linked = behind.checked_sub(1).and_then(|at| pairs.get_mut(at));
            match linked {
                // The mark takes the place of the copy.
                Some(pair) if pair.block == at && notation.text.0 - pair.to <= MAX_BYTES_BETWEEN => {
                    pair.to = notation.text.1;
                }
                _ => found.extend(note(page, block, at, notation, mark)),
            }
        }
    }
    pairs.extend(found);
}

fn note(page: &Page, block: &Block, at: u32, notation: Notation, mark: Option<Notation>) -> Option<Pair> {
    let text = page.text(block);
    let to = notation.text.1 as usize;
    let from = notation.text.0 as usize;
    let mark = mark.filter(|mark| mark.text.1 <= notation.text.0 && notation.text.0 - mark.text.1 <= MAX_BYTES_BETWEEN);
    let shown = mark.and_then(|mark| text.get(mark.text.0 as usize..mark.text.1 as usize));
    let shown = shown.and_then(label).unwrap_or_default();
    let is_sign = |c: char| c.is_whitespace() || matches!(c, '.' | ')' | ':');
    let mut said = text.get(from..to)?.trim_start();
    if shown.is_empty() {
        // Its number alone.
        let digits = said.trim_start_matches(|c: char| c.is_ascii_digit());
        if digits.len() < said.len() && digits.starts_with(['.', ')', ':']) {
            said = digits.trim_start_matches(is_sign);
        }
    } else {
        // Its label comes once more, or twice, at its start, and LaTeXML says what it is.
        while let Some(rest) = said.strip_prefix(shown).or_else(|| said.strip_prefix("footnotetext"))
            && !rest.starts_with(|c: char| c.is_ascii_digit() && !shown.starts_with(c))
        {
            said = rest.trim_start_matches(is_sign);
        }
    }
    let is_label = said.starts_with("footnotemark") || !said.chars().any(char::is_alphabetic);
    Some(Pair {
        block: at,
        from: mark.map_or(notation.text.0, |mark| mark.text.0),
        to: notation.text.1,
        label: shown.to_owned(),
        target: if is_label { Target::Label } else { Target::Inline(at, (to - said.len()) as u32, notation.text.1) },
    })
}

#[cfg(test)]
mod tests {
    use crate::notes::Notes;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn a_heading_may_be_the_label_of_a_note() {
        let html = "<p>Sold twice.<a id=DOCF1 href=#FOOT1><sup>1</sup></a> In the valley.<a id=DOCF2 href=#FOOT2>\
             <sup>2</sup></a></p><div class=footnote><h4>Footnotes</h4><h5><a id=FOOT1 href=#DOCF1>(1)</a></h5>\
             <p>In 1824.</p><h5><a id=FOOT2 href=#DOCF2>(2)</a></h5><p>Of the brook.<p>Two mills.</div>";
        let page = ScanEngine.read(html, &Limits::default());
        let mut kept = vec![true; page.blocks.len()];
        let notes = Notes::find(&page, html, &mut kept).expect("notes");
        let text = |at: &u32| page.text(&page.blocks[*at as usize]);
        let shown = notes.definitions.iter().map(|definition| {
            let blocks: Vec<&str> = definition.blocks.iter().map(text).collect();
            format!("{} {}", definition.number, blocks.join("+"))
        });
        assert_eq!(shown.collect::<Vec<_>>(), ["1 In 1824.", "2 Of the brook.+Two mills."]);
        let left = (0..page.blocks.len() as u32).filter(|at| kept[*at as usize] && !notes.is_moved(*at));
        assert_eq!(left.map(|at| text(&at)).collect::<Vec<_>>(), ["Sold twice.1 In the valley.2"]);
    }

    #[test]
    fn a_mark_without_a_note_of_its_own_has_that_of_its_label() {
        let note = |role: &str, label: &str, text: &str| {
            format!(
                "<span class='ltx_note ltx_role_{role}'><sup class=ltx_note_mark>{label}</sup>\
                 <span class=ltx_note_outer><span class=ltx_note_content><sup>{label}</sup>\
                 <span class=ltx_note_type>{role}: </span><span class=ltx_tag>{label}</span>{text}</span></span></span>"
            )
        };
        let html = format!(
            "<p>Ada{} and Bo{} of the mill.{} Cy{} came.",
            note("footnotemark", "1", ""),
            note("footnotemark", "4", ""),
            note("footnotetext", "1", "Both turned it."),
            note("footnotemark", "1", "")
        );
        let page = ScanEngine.read(&html, &Limits::default());
        let notes = Notes::find(&page, &html, &mut [true]).expect("notes");
        let marks = notes.marks(0).iter().map(|mark| (mark.number, mark.has_note));
        assert_eq!(marks.collect::<Vec<_>>(), [(1, true), (4, false), (1, true), (1, true)]);
        let said = notes.definitions.iter().filter_map(|note| note.inline);
        let said = said.map(|(_, from, to)| &page.text(&page.blocks[0])[from as usize..to as usize]);
        assert_eq!(said.collect::<Vec<_>>(), ["Both turned it."]);
    }
}
