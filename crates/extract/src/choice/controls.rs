//! Drops controls inside kept text: the name of a language above its code, rows of letters that are links,
//! and links in brackets beside a heading.

use trommel_html::{Block, ElementKinds, Page};

/// Letters in a row from which on they are controls (`v t e` of a wiki's boxes, an index from A to Z).
// Two linked letters in a row occur in text, as languages (`C`, `R`) do.
const MIN_LETTERS: usize = 3;
/// Words and characters of the name of a language.
const MAX_LABEL: (u32, u32) = (2, 20);
/// Characters of a control between brackets (`edit`, `edit | edit source`).
const MAX_CONTROL_CHARS: u32 = 40;
/// Elements around code whose classes name its language.
const ANCESTORS: usize = 4;

/// Takes controls out of `kept` (one entry a block).
pub(crate) fn drop_controls(page: &Page, kept: &mut [bool]) {
    let blocks: Vec<usize> = (0..page.blocks.len()).filter(|at| kept.get(*at) == Some(&true)).collect();
    let block = |at: usize| page.blocks.get(at);
    let mut drop = Vec::new();
    let mut letters: Vec<usize> = Vec::new();
    for (rank, &at) in blocks.iter().enumerate() {
        let Some(current) = block(at) else { continue };
        // Only letters that are links: single letters of a text are headings of an index or answers.
        if current.chars == 1 && current.words == 1 && current.link_density() == 1.0 {
            letters.push(at);
        } else {
            if letters.len() >= MIN_LETTERS {
                drop.append(&mut letters);
            }
            letters.clear();
        }
        if is_control_of_heading(page, at) {
            drop.push(at);
        }
        let next = blocks.get(rank + 1).and_then(|next| block(*next));
        if next.is_some_and(|next| is_label(page, current, next)) {
            drop.push(at);
        }
    }
    if letters.len() >= MIN_LETTERS {
        drop.append(&mut letters);
    }
    for at in drop {
        if let Some(kept) = kept.get_mut(at) {
            *kept = false;
        }
    }
}

/// Whether a block is a control of the heading before it: links between brackets in the element that holds the
/// heading, as wikis offer them to edit a section. Marks of notes are numbers.
fn is_control_of_heading(page: &Page, at: usize) -> bool {
    let Some(block) = page.blocks.get(at) else {
        return false;
    };
    let text = page.text(block);
    // Longer links between brackets are sources or remarks.
    if block.chars > MAX_CONTROL_CHARS
        || block.link_density() < 1.0
        || !(text.starts_with('[') && text.ends_with(']'))
        || !text.contains(char::is_alphabetic)
    {
        return false;
    }
    let before = at.checked_sub(1).and_then(|at| page.blocks.get(at));
    let heading = before.and_then(|before| page.container(before));
    let around = page.container(block).map(|(index, _)| index);
    heading.is_some_and(|(_, element)| element.tag.is_heading() && Some(element.parent) == around)
}

/// Whether a block only names the language of the code after it, as the classes of the code do.
fn is_label(page: &Page, label: &Block, code: &Block) -> bool {
    let is_code = |block: &Block| page.kinds_around(block).contains(ElementKinds::CODE);
    let is_heading = page.container(label).is_some_and(|(_, element)| element.tag.is_heading());
    if label.words == 0
        || is_heading
        || label.words > MAX_LABEL.0
        || label.chars > MAX_LABEL.1
        || is_code(label)
        || !is_code(code)
    {
        return false;
    }
    // The name must be among the classes of the code: "Example" above code is text, "python" is a label.
    let name = page.text(label).to_lowercase();
    let around = page.path(code.element).take(ANCESTORS).map(|(_, element)| element);
    let inside = page.inline(code).iter().filter_map(|index| page.element(*index));
    around.chain(inside).any(|element| {
        let mut words = page.attribute_words(element).iter();
        words.any(|word| page.word_text(word) == name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::trial;

    fn left(html: &str) -> Vec<String> {
        trial::left(html, drop_controls)
    }

    #[test]
    fn the_name_of_a_language_above_its_code_is_no_text() {
        for code in [
            "<pre><code class=language-js>let a</code></pre>",
            "<pre class='lang-js'>let a</pre>",
            "<div class='highlight js'><pre>let a</pre></div>",
        ] {
            assert_eq!(left(&format!("<p>x<div>js</div>{code}")), ["x", "let a"]);
        }
        let heading = "<h2>Synopsis</h2><pre class=synopsis>a b</pre>";
        assert_eq!(left(heading), ["Synopsis", "a b"]);
        let other = "<p>Example<pre class=language-js>let a</pre><p>js<p>y";
        assert_eq!(left(other), ["Example", "let a", "js", "y"]);
    }

    #[test]
    fn links_to_edit_a_section_are_no_text() {
        let control = "<span>[<a href=e>edit</a>]</span>";
        let wiki = format!("<div><h2>A</h2>{control}</div><p>x");
        assert_eq!(left(&wiki), ["A", "x"]);
        let both = "<div><h2>A</h2>[<a href=e>edit</a> <a href=s>edit source</a>]</div><p>x";
        assert_eq!(left(both), ["A", "x"]);
        // What is not beside a heading, a mark of a note, words that are no link.
        assert_eq!(left(&format!("<p>x<div>{control}</div>")), ["x", "[edit]"]);
        let note = "<div><h2>A</h2>[<a href=#n>1</a>]</div>";
        assert_eq!(left(note), ["A", "[1]"]);
        assert_eq!(left("<div><h2>A</h2>[sic]</div>"), ["A", "[sic]"]);
    }

    #[test]
    fn rows_of_linked_letters_are_no_text() {
        let letters = "<ul><li><a href=1>v</a><li><a href=2>t</a><li><a href=3>e</a></ul>";
        assert_eq!(left(&format!("<p>x{letters}<p>y")), ["x", "y"]);
        assert_eq!(left(&format!("<p>x{letters}")), ["x"]);
        let plain = "<ol><li>a<li>b<li>c</ol>";
        assert_eq!(left(plain), ["a", "b", "c"]);
        let two = "<p><a href=1>a</a><p><a href=2>b</a><p>text";
        assert_eq!(left(two), ["a", "b", "text"]);
    }
}
