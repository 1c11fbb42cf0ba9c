//! Keeps text that stands apart from the rest, or alone.
//!
//! Endless pages append further articles when a reader comes to the end. Pages that say when something takes place
//! have the addresses of places. Corrections and later additions belong to the text that they correct. Forms may
//! hold content: a list of products, or a whole page. If the model chose nothing, a page may be a single table,
//! piece of code or heading, and else its likeliest part is kept.

use std::ops::Range;

use rustc_hash::FxHashMap;
use trommel_html::{Block, Element, NONE, Page, Tag};

use crate::{heading_text::is_heading, kept::KeptBlocks as _};

/// Minimum kept words of an article; a shorter one is a teaser or a post.
const MIN_ARTICLE_WORDS: u32 = 40;
/// Attributes of the element around an article that state its own address.
// Attributes by which scripts of news sites change the address while a reader scrolls.
const ADDRESSES: [&str; 12] = [
    "data-url", "data-href", "data-permalink", "data-article-url", "data-page-url", "data-post-url", "data-story-url",
    "data-canonical", "data-canonical-url", "data-share-url", "data-path", "itemid",
];
/// Words in the attributes of elements that hold an article.
const ARTICLES: [&str; 6] = ["article", "story", "post", "entry", "hentry", "artikel"];
/// Articles of a page that are looked at; a page with more is a listing.
// It also bounds the work: each of them is compared with the others.
const MAX_ARTICLES: usize = 100;

/// The elements of the articles that follow the first; none if there are none. They are elements of one
/// kind side by side (at one depth) with text of their own. Each has its own headline of the first level,
/// or an address of its own that differs from the others in more than its query or fragment. Entries of a
/// live blog and posts of a forum have neither. One flag a block in `kept`.
pub(crate) fn follow_ups(page: &Page, html: &str, kept: &[bool]) -> Option<Range<u32>> {
    // Headlines first, because addresses in attributes also belong to share buttons.
    let by_headline = || side_by_side(page, kept, with_headlines(page)?);
    let by_address = || side_by_side(page, kept, with_addresses(page, html)?);
    by_headline().or_else(by_address)
}

/// For each heading of the first level, the outermost element around it that may hold an article and has no
/// other such heading.
fn with_headlines(page: &Page) -> Option<Vec<u32>> {
    let headlines = (0u32..).zip(&page.elements);
    let headlines = headlines.filter(|(_, element)| element.tag == Tag::H1 && !element.hidden);
    let headlines: Vec<u32> = headlines.map(|(at, _)| at).take(MAX_ARTICLES + 1).collect();
    if headlines.len() > MAX_ARTICLES {
        return None;
    }
    let is_alone = |at: u32, end: u32| {
        let before = headlines.partition_point(|headline| *headline < at);
        headlines.get(before + 1).is_none_or(|headline| *headline >= end)
    };
    let around = headlines.iter().filter_map(|headline| {
        let path = page.path(*headline);
        let alone = path.take_while(|(at, element)| is_alone(*at, element.end));
        alone.filter(|(_, element)| may_hold(page, element)).last()
    });
    Some(around.map(|(at, _)| at).collect())
}

/// The outermost elements that may hold an article and state an address, each another one.
fn with_addresses(page: &Page, html: &str) -> Option<Vec<u32>> {
    let mut found: Vec<(u32, String)> = Vec::new();
    let mut end = 0;
    for (at, element) in (0u32..).zip(&page.elements) {
        if at < end || !may_hold(page, element) {
            continue;
        }
        if let Some(address) = address(element, html) {
            end = element.end;
            found.push((at, address));
        }
        if found.len() > MAX_ARTICLES {
            return None;
        }
    }
    let mut addresses: Vec<&String> = found.iter().map(|(_, address)| address).collect();
    addresses.sort_unstable();
    addresses.dedup();
    let is_each_another = addresses.len() == found.len();
    is_each_another.then(|| found.iter().map(|(at, _)| *at).collect())
}

/// Range from the second to the last of the elements with text that are siblings, if there are at least two. The
/// elements come in order and do not overlap.
fn side_by_side(page: &Page, kept: &[bool], mut found: Vec<u32>) -> Option<Range<u32>> {
    if found.len() < 2 {
        return None;
    }
    let mut words = vec![0u32; found.len()];
    for (block, kept) in page.blocks.iter().zip(kept) {
        // A list of teasers has links for text, and must not look like articles.
        if !*kept || block.element == NONE || block.link_density() >= 0.5 {
            continue;
        }
        let next = found.partition_point(|article| *article <= block.element);
        let article = next.checked_sub(1).and_then(|at| found.get(at));
        let holds = article.and_then(|article| page.element(*article));
        if holds.is_some_and(|element| block.element < element.end)
            && let Some(words) = words.get_mut(next - 1)
        {
            *words = words.saturating_add(block.words);
        }
    }
    let mut words = words.into_iter();
    found.retain(|_| words.next().is_some_and(|words| words >= MIN_ARTICLE_WORDS));
    let first = page.element(*found.first()?)?;
    found.retain(|article| {
        let element = page.element(*article);
        // One template puts its articles at one depth; a related article deeper down is part of the first.
        element.is_some_and(|element| element.tag == first.tag && element.depth == first.depth)
    });
    let last = page.element(*found.last()?)?;
    Some(*found.get(1)?..last.end)
}

/// Leaves out the articles that follow the first.
pub(crate) fn drop_follow_ups(page: &Page, html: &str, kept: &mut [bool]) {
    let Some(range) = follow_ups(page, html, kept) else { return };
    for (block, kept) in page.blocks.iter().zip(kept) {
        *kept &= block.element == NONE || !range.contains(&block.element);
    }
}

fn may_hold(page: &Page, element: &Element) -> bool {
    element.tag == Tag::Article || matches!(element.tag, Tag::Div | Tag::Section) && page.says(element, &ARTICLES)
}

/// The address that an element states, without its query and fragment.
fn address(element: &Element, html: &str) -> Option<String> {
    // Entries of a live blog have addresses that differ by fragment, posts of a forum by query.
    let stated = ADDRESSES.iter().find_map(|name| element.attribute(html, name))?;
    let address = stated.split(['?', '#']).next().unwrap_or_default().trim();
    (!address.is_empty()).then(|| address.to_owned())
}

/// The part of an element or block in a page of which nothing was chosen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Text,
    /// Parts around texts: navigation, controls, links.
    Furniture,
    /// Text that the page does not show.
    Unseen,
}

/// Words of a paragraph for which a page is not left empty, at least.
const MIN_WORDS: u32 = 10;
/// Share of the likely words that the likeliest part holds.
const PART_SHARE: f32 = 0.8;
/// Share of the highest probability of its paragraphs below which a block of that part is left out.
const LEAST_OF_BEST: f32 = 0.25;

/// Keeps everything that a page shows if nothing of it was chosen and nothing on it is navigation, a
/// control or a link: then nothing distinguishes its text. Of other pages it keeps the likeliest part, if that has
/// paragraphs.
pub(crate) fn keep_lone_text(page: &Page, probabilities: &[f32], kept: &mut [bool]) {
    if kept.contains(&true) {
        return;
    }
    let parts = parts(page);
    // With navigation on it the page could be an empty article, and its menus would become text.
    if parts.contains(&Part::Furniture) {
        keep_likeliest(page, probabilities, &parts, kept);
    } else {
        kept.iter_mut().zip(parts).for_each(|(kept, part)| *kept = part == Part::Text);
    }
}

/// Keeps the likely blocks of the smallest element that holds most of the likely words.
fn keep_likeliest(page: &Page, probabilities: &[f32], parts: &[Part], kept: &mut [bool]) {
    let blocks = || page.blocks.iter().zip(probabilities).zip(parts).map(|((block, p), part)| (block, *p, *part));
    let paragraphs = blocks().filter(|(block, _, part)| *part == Part::Text && block.words >= MIN_WORDS);
    let mut likely = vec![0.0f32; page.elements.len()];
    let (mut all, mut best) = (0.0, 0.0f32);
    for (block, probability, _) in paragraphs {
        let words = block.words as f32 * probability;
        // A paragraph alone is no part: what stands beside it belongs to it.
        let around = page.container(block).map(|(_, element)| element.parent);
        if let Some(around) = around.and_then(|around| likely.get_mut(around as usize)) {
            *around += words;
        }
        all += words;
        best = best.max(probability);
    }
    // Elements stand before what is in them.
    for (at, element) in page.elements.iter().enumerate().rev() {
        let inside = likely.get(at).copied().unwrap_or_default();
        if let Some(around) = likely.get_mut(element.parent as usize) {
            *around += inside;
        }
    }
    let smallest = likely.iter().rposition(|words| *words > 0.0 && *words >= PART_SHARE * all);
    let Some((at, element)) = smallest.and_then(|at| Some((at, page.elements.get(at)?))) else { return };
    let inside = at..element.end as usize;
    for ((block, probability, part), kept) in blocks().zip(kept) {
        *kept = part == Part::Text && inside.contains(&(block.element as usize)) && probability >= LEAST_OF_BEST * best;
    }
}

/// The part of each block.
fn parts(page: &Page) -> Vec<Part> {
    let mut elements: Vec<Part> = Vec::with_capacity(page.elements.len());
    let of = |elements: &[Part], at: u32| elements.get(at as usize).copied();
    for element in &page.elements {
        let around = of(&elements, element.parent).unwrap_or(Part::Text);
        elements.push(part(element).max(around));
    }
    // Descendants stand behind their element.
    for at in &page.hidden_by_sheet {
        let end = page.element(*at).map_or(0, |element| element.end);
        if let Some(inside) = elements.get_mut(*at as usize..end as usize) {
            inside.fill(Part::Unseen);
        }
    }
    let blocks = page.blocks.iter().map(|block| {
        let around = of(&elements, block.element).unwrap_or(Part::Text);
        let is_text = block.link_density() < 0.5 && block.inputs == 0;
        let part = if is_text { Part::Text } else { Part::Furniture };
        part.max(around)
    });
    blocks.collect()
}

fn part(element: &Element) -> Part {
    match element.tag {
        _ if element.hidden => Part::Unseen,
        // It says that scripts are needed, or counts visits.
        Tag::Noscript => Part::Unseen,
        Tag::Nav | Tag::Aside | Tag::Footer | Tag::Menu | Tag::Button | Tag::Label | Tag::Dialog => Part::Furniture,
        _ => Part::Text,
    }
}

/// Words of a block that states a time or a place, at most.
// Longer ones are prose, in which numbers are of other things.
const MAX_WORDS: u32 = 40;
/// Probability of an address, at least.
// From .02 to .05 no set differs by more than .0006, but agendas lose .009 at .05.
const MIN_PROBABILITY: f32 = 0.03;
/// Digits of a postal code.
// Codes of four digits look like years, those with letters like the numbers of models.
const CODE_DIGITS: usize = 5;

/// Keeps short blocks that are an address if a short kept block says a time of day: when and where belong together.
/// Addresses in the footer are those of the site. There is one entry for each block in `probabilities` and `kept`.
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
    for at in addresses {
        if let Some(kept) = kept.get_mut(at) {
            *kept = true;
        }
    }
}

/// Returns whether a block is short, in sight and not in the footer.
fn is_shown(page: &Page, block: &Block) -> bool {
    let is_hidden = page.element(block.element).is_some_and(|element| element.hidden);
    block.words <= MAX_WORDS && !is_hidden && !page.path(block.element).any(|(_, element)| element.tag == Tag::Footer)
}

/// Returns whether a text has a postal code beside a name, with the number of a house or the short name of a state
/// before it.
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

/// Returns whether a word is a postal code: five digits, and perhaps four more behind a hyphen.
fn is_code(word: &str) -> bool {
    let (code, rest) = word.split_once('-').unwrap_or((word, ""));
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    code.len() == CODE_DIGITS && is_number(code) && is_number(rest)
}

fn is_name(word: &str) -> bool {
    word.len() > 1 && word.starts_with(char::is_uppercase)
}

/// Returns whether a text says a time of day: `10:30`, `10h30`, `10 am`, `10 a.m.`.
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

/// Words and characters before the colon of such a line.
// "Correction, May 5, 2024:" has as many with its date.
const MAX_LABEL_WORDS: usize = 6;
const MAX_LABEL_CHARS: usize = 60;
/// Words of the whole line at least.
const CORRECTION_WORDS: u32 = 6;
/// Blocks before it, of which one is to be kept beside it.
// An image or a share box may stand between the last paragraph and its correction.
const BLOCKS_BEFORE: usize = 3;
/// Labels of such lines, in lower case.
const LABELS: [&str; 22] = [
    "edit", "edited", "update", "updated", "correction", "corrected", "clarification", "erratum", "errata", "addendum",
    "nachtrag", "korrektur", "berichtigung", "ergänzung", "aktualisierung", "correctif", "rectificatif", "corrección",
    "actualización", "correzione", "rettifica", "aggiornamento",
];

/// Keeps paragraphs that say in their first words to be a correction or an addition, beside a kept paragraph directly
/// before them (one entry for each block in `kept`).
pub(crate) fn keep_corrections(page: &Page, kept: &mut [bool]) {
    for (at, block) in page.blocks.iter().enumerate() {
        if !kept.lacks(at) || block.words < CORRECTION_WORDS || block.link_density() > 0.5 {
            continue;
        }
        let Some((_, element)) = page.container(block) else { continue };
        // Only paragraphs: in lists and tables the same words label columns and changes of a wiki.
        if element.tag != Tag::P || element.hidden || !is_correction(page.text(block)) {
            continue;
        }
        let beside = (at.saturating_sub(BLOCKS_BEFORE)..at).any(|before| {
            let container = page.blocks.get(before).and_then(|block| page.container(block));
            kept.has(before) && container.is_some_and(|(_, other)| other.parent == element.parent)
        });
        if beside {
            kept.keep([at]);
        }
    }
}

/// Keeps paragraphs that the page's markup calls references to further reading (`seealso`), directly after kept text.
pub(crate) fn keep_see_also(page: &Page, kept: &mut [bool]) {
    for at in 1..page.blocks.len() {
        if !kept.lacks(at) || !kept.has(at - 1) {
            continue;
        }
        let Some((_, element)) = page.blocks.get(at).and_then(|block| page.container(block)) else { continue };
        let mut words = page.attribute_words(element).iter();
        if element.tag == Tag::P
            && !element.hidden
            // Keeping them took the links of structure pages from .795 to .812.
            && words.any(|word| page.word_text(word) == "seealso")
        {
            kept.keep([at]);
        }
    }
}

fn is_correction(text: &str) -> bool {
    let mut signs = text.char_indices().take(MAX_LABEL_CHARS);
    let colon = signs.find(|(_, sign)| matches!(sign, ':' | '：'));
    let Some(label) = colon.and_then(|(at, _)| text.get(..at)) else { return false };
    let mut words = label.split_whitespace();
    let labels = words.by_ref().take(MAX_LABEL_WORDS);
    let says = labels.fold(false, |says, word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        says || LABELS.contains(&word.as_str())
    });
    says && words.next().is_none()
}

/// Probability of a block, at least.
// At .1 seventeen pages of wcxb-dev get worse and two better.
const FORM_PROBABILITY: f32 = 0.25;
/// Headings and paragraphs of a form from which on it holds content, and words of such a paragraph.
const MIN_HEADINGS: u32 = 1;
const MIN_PARAGRAPHS: u32 = 2;
const MIN_PARAGRAPH_WORDS: u32 = 8;
/// Share of linked words from which on a block is no text.
const MAX_LINKED: f32 = 0.5;

/// Keeps headings, paragraphs and items of forms that have several of them. Fields, labels and buttons are no text.
/// There is one entry for each block in `probabilities` and `kept`.
pub(crate) fn keep_form_text(page: &Page, probabilities: &[f32], kept: &mut [bool]) {
    let blocks = page.blocks.iter().zip(probabilities).zip(kept.iter()).enumerate();
    let doubtful = blocks.filter(|(_, ((_, probability), kept))| !**kept && **probability >= FORM_PROBABILITY);
    let doubtful = doubtful.filter_map(|(at, ((block, _), _))| Some((at, form_of_text(page, block)?)));
    let doubtful: Vec<(usize, u32)> = doubtful.collect();
    // Most pages have none, and then no form need be looked through.
    if doubtful.is_empty() {
        return;
    }
    let mut forms: FxHashMap<u32, (u32, u32)> = FxHashMap::default();
    for block in &page.blocks {
        if let Some(form) = form_of_text(page, block) {
            let (headings, paragraphs) = forms.entry(form).or_default();
            let is_heading = is_heading(page, block);
            *headings += u32::from(is_heading);
            *paragraphs += u32::from(!is_heading && block.words >= MIN_PARAGRAPH_WORDS);
        }
    }
    for (at, form) in doubtful {
        let (headings, paragraphs) = forms.get(&form).copied().unwrap_or_default();
        kept.set([at], headings >= MIN_HEADINGS && paragraphs >= MIN_PARAGRAPHS);
    }
}

/// The form around a heading, a paragraph or an item that is no control of it.
fn form_of_text(page: &Page, block: &Block) -> Option<u32> {
    let (_, container) = page.container(block)?;
    let is_text = container.tag.is_heading() || matches!(container.tag, Tag::P | Tag::Li);
    if !is_text || block.inputs > 0 || block.link_density() >= MAX_LINKED {
        return None;
    }
    let is_place = |tag: Tag| {
        matches!(tag, Tag::Form | Tag::Label | Tag::Button | Tag::Legend | Tag::Nav | Tag::Header | Tag::Footer)
    };
    let (at, element) = page.path(block.element).find(|(_, element)| is_place(element.tag))?;
    (element.tag == Tag::Form).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::{keep_lone_text, *};
    use crate::{DocumentOptions, Extractor, Hints};
    use std::sync::Arc;
    use trommel_html::{Engine, Limits, ScanEngine};
    use trommel_model::Model;

    /// Pages that are one thing, and what their text has to say.
    const PAGES: [(&str, &str); 12] = [
        ("<table><tr><th>Name<th>Age<tr><td>Ann<td>31<tr><td>Bob<td>42</table>", "Name\tAge\nAnn\t31\nBob\t42"),
        ("<title>Prices</title><table><tr><td>Flour<td>2.50<tr><td>Salt<td>1.20</table>", "Flour\t2.50\nSalt\t1.20"),
        ("<pre><code>fn main() {\n    start();\n}</code></pre>", "fn main() {\n    start();\n}"),
        ("<title>Notes</title><pre>a = 1\nb = 2</pre>", "a = 1\nb = 2"),
        ("<h1>The mill is closed</h1>", "The mill is closed"),
        ("<title>Mill</title><header><h1>Closed today</h1></header>", "Closed today"),
        ("<p>The mill is closed.</p>", "The mill is closed."),
        ("The mill is closed.", "The mill is closed."),
        ("<ul><li>flour<li>salt</ul>", "flour\nsalt"),
        ("<dl><dt>mill<dd>a house<dt>weir<dd>a dam</dl>", "mill\na house\nweir\na dam"),
        ("<svg><foreignObject><h1>Slides</h1><ul><li>One<li>Two</ul></foreignObject></svg>", "Slides\n\nOne\nTwo"),
        ("<h2>Usage</h2><pre>make install</pre>", "Usage\n\nmake install"),
    ];

    fn text(model: &str, html: &str) -> String {
        let extractor = Extractor::new(Arc::new(Model::builtin(model).unwrap()));
        let page = extractor.extract(html.as_bytes(), &Hints::default());
        page.document(&DocumentOptions::default()).text
    }

    #[test]
    fn a_page_that_is_one_thing_is_its_text() {
        // `lite` may leave out a headline above a text, as the golds of news do.
        for model in Model::builtin_names().filter(|name| *name != "lite") {
            for (html, wanted) in PAGES {
                assert_eq!(text(model, html), wanted, "{model}: {html}");
            }
        }
    }

    #[test]
    fn what_stands_around_texts_is_none() {
        for html in [
            "<ul><li><a href=/a>Alpha</a><li><a href=/b>Beta</a></ul>",
            "<p hidden>The mill is closed.</p>",
            "<div id=app></div><noscript>You need to enable scripts.</noscript>",
            "<style>.x{display:none}</style><div class=x><p>The mill is closed.</p></div>",
            "<form><label>Name</label><input><button>Send</button></form>",
            "<div>Loading</div><footer>Imprint</footer>",
        ] {
            let page = ScanEngine.read(html, &Limits::default());
            let mut kept = vec![false; page.blocks.len()];
            keep_lone_text(&page, &vec![0.1; kept.len()], &mut kept);
            assert!(!kept.contains(&true), "{html}");
        }
        // What was chosen stands as it is.
        let page = ScanEngine.read("<p>one<p>two", &Limits::default());
        let mut kept = [true, false];
        keep_lone_text(&page, &[0.1; 2], &mut kept);
        assert_eq!(kept, [true, false]);
    }

    #[test]
    fn the_likeliest_part_is_kept_of_a_page_of_which_nothing_was_chosen() {
        let said = "The mill by the weir is closed until the water has gone down.";
        let html = format!(
            "<nav><a href=/a>Alpha</a></nav><div><p>{said}<p>Open on Monday.<p>Share</div><div><p>{said}</div>\
            <footer><p>{said}</footer>"
        );
        let page = ScanEngine.read(&html, &Limits::default());
        let mut kept = vec![false; page.blocks.len()];
        keep_lone_text(&page, &[0.2, 0.3, 0.1, 0.01, 0.02, 0.3], &mut kept);
        assert_eq!(kept, [false, true, true, false, false, false]);
    }

    #[test]
    fn the_confidence_is_that_of_the_model() {
        let html = "<table><tr><td>Ann<td>31<tr><td>Bob<td>42</table>";
        for model in Model::builtin_names() {
            let extractor = Extractor::new(Arc::new(Model::builtin(model).unwrap()));
            let page = extractor.extract(html.as_bytes(), &Hints::default());
            let confidence = page.document(&DocumentOptions::default()).confidence;
            assert!(confidence > 0.0 && confidence < 0.9, "{model}: {confidence}");
        }
    }

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

    fn is_kept(line: &str) -> bool {
        let html = format!("<div><p>text of the page<p>{line}</div>");
        let page = ScanEngine.read(&html, &Limits::default());
        let mut kept = vec![true, false];
        keep_corrections(&page, &mut kept);
        kept == [true, true]
    }

    #[test]
    fn corrections_belong_to_what_they_correct() {
        assert!(is_kept("<b>2025-09-05 edit:</b> Updated instructions for the new version."));
        assert!(is_kept("Correction, 3 May: the mill was built in 1824."));
        assert!(!is_kept("Editor: somebody who lives beside the mill"));
        assert!(!is_kept("Update: none"));
        assert!(!is_kept("We update this page often and gladly, as said: every day"));
        assert!(!is_kept("<a href=/x>Update: the story of the mill goes on here</a>"));
    }
}
