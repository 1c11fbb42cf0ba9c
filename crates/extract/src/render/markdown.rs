//! Renders the kept blocks as Markdown: CommonMark with the tables and the struck-out text (`~~`) of GFM.
//!
//! This covers headings, nested lists, quotes, code with its language, tables, strong text, emphasis and, on
//! request, links. The term of a definition list becomes an item that begins with the term in strong text and
//! holds the definitions. Captions become emphasised paragraphs. Characters that Markdown would take for
//! markup are escaped.

mod blocks;
mod containers;
mod escape;
mod images;
mod inline;
mod lists;

use trommel_html::{ElementKinds, NONE, Tag};

use crate::render::content::{KeptContent, Segment, is_item, is_list};
use crate::render::traced::{OriginSource, TracedText};
use crate::render::{AddressForm, MathForm, TextOptions};
use blocks::CodeLanguages;
use containers::{Part, SegmentWriter};
use escape::{Context, PageSigns, escape, fence, without_markup};
use images::{Images, Links};
use inline::{Inline, Mode};
use lists::word_item;

pub(crate) use blocks::Headline;
pub(crate) use lists::is_word_item;

/// Options for the Markdown of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MarkdownOptions {
    /// True to write links as `[text](address)`, and links around only an image as `[![alternative
    /// text](image)](address)`; otherwise only the text of links is written.
    pub links: bool,
    /// True to write images that are not within a line of text as `![alternative text](address)`.
    pub images: bool,
    /// Form of the addresses of links and images.
    pub addresses: AddressForm,
    /// True to write the title as a heading of the first level above the text, unless the text has the headline or the
    /// policy leaves headlines out.
    pub title: bool,
    /// True to mark sections of roles other than headline and body, with `::: ROLE` above and `:::` below.
    pub sections: bool,
    /// Forms of formulas, notes, superscripts and subscripts.
    pub text: TextOptions,
}

impl Default for MarkdownOptions {
    fn default() -> Self {
        Self {
            links: false,
            images: false,
            addresses: AddressForm::default(),
            title: true,
            sections: false,
            text: TextOptions::default(),
        }
    }
}

impl MarkdownOptions {
    trommel_text::setters! {
        /// Returns the same options, with links or without.
        with_links(links: bool);
        /// Returns the same options, with images or without.
        with_images(images: bool);
        /// Returns the same options with this form of addresses.
        with_addresses(addresses: AddressForm);
        /// Returns the same options, with marks of sections or without.
        with_sections(sections: bool);
        /// Returns the same options with these forms of formulas, notes, superscripts and subscripts.
        with_text(text: TextOptions);
        /// Returns the same options, with the title above the text or without.
        with_title(title: bool);
    }
}

/// Returns a title as a Markdown heading of the first level, followed by an empty line.
pub(crate) fn title_heading(title: &str) -> String {
    let mut heading = String::new();
    push_title(title, &mut heading);
    heading.push_str("\n\n");
    heading
}

/// Appends a title as a Markdown heading of the first level, without a line end.
fn push_title(title: &str, out: &mut String) {
    let context = Context { heading: true, line_break: " ", ..Context::default() };
    out.push_str("# ");
    escape(title, 0, title.len(), context, out);
}

/// Returns the Markdown line above a post, with its author and time, one of which may be empty.
pub(crate) fn signature(author: &str, published: &str) -> String {
    let context = Context { line_break: " ", ..Context::default() };
    let mut line = String::new();
    if !author.is_empty() {
        line.push_str("**");
        escape(author, 0, author.len(), context, &mut line);
        line.push_str("**");
    }
    if !line.is_empty() && !published.is_empty() {
        line.push_str(", ");
    }
    escape(published, 0, published.len(), context, &mut line);
    line.push_str("\n\n");
    line
}

/// Returns the Markdown of the kept content. `url` is the address of the page; a `title` is written above the text.
pub(crate) fn markdown(
    content: &KeptContent,
    url: Option<&str>,
    options: &MarkdownOptions,
    headline: Headline,
    title: Option<&str>,
) -> TracedText {
    // Before anything is written: it looks at all headings.
    let headline = headline.beside_outline(content);
    let links = options.links.then(|| Links::new(content, url, options.addresses));
    let signs = PageSigns::of(content.page.texts(), content.kept_range());
    let mut inline = Inline::new(content, &signs, links);
    let mut languages = CodeLanguages::default();
    let mut images = (options.images || options.links).then(|| Images::new(content, url, options));
    let writer = SegmentWriter::new(content, title, None);
    let mut out = flowing(content, writer, &mut inline, &mut languages, images.as_mut(), (options, headline));
    for definition in content.definitions() {
        let note = match definition.inline {
            Some(place) => inline.part(place),
            None => {
                let note_content = content.of_definition(definition);
                let writer = SegmentWriter::new(&note_content, None, Some(definition.element));
                let note = flowing(&note_content, writer, &mut inline, &mut languages, None, (options, headline));
                note.text
            }
        };
        if !out.text.is_empty() {
            out.text.push('\n');
        }
        let mut written = format!("[^{}]: ", definition.number);
        for (at, line) in note.trim().split('\n').enumerate() {
            if at > 0 {
                written.push('\n');
                if !line.is_empty() {
                    written.push_str("    ");
                }
            }
            written.push_str(line);
        }
        written.push('\n');
        let inline = definition.inline.map(|(block, ..)| block);
        let first = inline.or(definition.blocks.first().copied()).unwrap_or(NONE);
        let last = inline.or(definition.blocks.last().copied()).unwrap_or(NONE);
        out.push(&written, OriginSource::Blocks(first, last));
    }
    out
}

/// Writes the segments (headings, paragraphs, tables and the like) of a content as Markdown, one below the other.
fn flowing<'a>(
    content: &KeptContent,
    mut writer: SegmentWriter,
    inline: &mut Inline<'a>,
    languages: &mut CodeLanguages,
    mut images: Option<&mut Images<'_>>,
    (options, headline): (&MarkdownOptions, Headline),
) -> TracedText {
    // One buffer for all segments.
    let mut body = String::new();
    for (nth, segment) in content.segments.iter().enumerate() {
        body.clear();
        let element = content.ends(segment).0;
        let ends = segment.blocks();
        let start = ends.and_then(|(first, _)| content.block(first));
        if let Some(images) = &mut images {
            images
                .write_before(start.map_or(0, |block| block.span.0), |at, origin, text| writer.image(at, origin, text));
        }
        writer.origin = ends.map(|(first, last)| OriginSource::Blocks(first, last));
        match segment {
            Segment::Paragraph { block } => {
                let next = content.segments.get(nth + 1).map_or(NONE, |next| content.ends(next).0);
                let has_math = options.text.math == MathForm::Tex;
                paragraph((content, *block, next), has_math, &mut writer, inline, languages, &mut body);
            }
            Segment::Heading { level, blocks } => {
                let level = headline.level(*level, element, content);
                (0..level).for_each(|_| body.push('#'));
                for block in blocks {
                    body.push(' ');
                    inline.render(*block, Mode::Heading, &mut body);
                }
                // A block that was but an anchor leaves spaces.
                let text = body.get(level + 1..).unwrap_or_default();
                let (before, len) = (text.len() - text.trim_start().len(), text.trim().len());
                body.drain(level + 1..level + 1 + before);
                body.truncate(level + 1 + len);
                writer.add(element, &body);
            }
            Segment::Code { element: pre, blocks } => {
                let language = languages.of(content, *pre, blocks);
                // Lists inside of code are its lines.
                writer.add(*pre, &fence(&language, &content.code(*pre, blocks)));
            }
            Segment::Table(table) => {
                let whole = writer.origin;
                for caption in &table.captions {
                    // A table is in one section, and its rows have places of their own in chunks alone.
                    if !options.sections {
                        writer.origin = Some(OriginSource::Blocks(*caption, *caption));
                    }
                    body.clear();
                    inline.render(*caption, Mode::Caption, &mut body);
                    writer.add(element, &body);
                }
                writer.origin = whole;
                if !table.rows.is_empty() {
                    body.clear();
                    let origins = blocks::write(table, inline, &mut body);
                    if !options.sections {
                        writer.line_origins = origins;
                    }
                    writer.add(element, &body);
                }
            }
        }
    }
    if let Some(images) = &mut images {
        images.write_before(u32::MAX, |at, origin, text| writer.image(at, origin, text));
    }
    writer.finish()
}

/// Writes a paragraph as Markdown. `next` is the element of the segment that follows, and `body` an empty work buffer.
fn paragraph<'a>(
    (content, block, next): (&KeptContent, u32, u32),
    has_math: bool,
    writer: &mut SegmentWriter,
    inline: &mut Inline<'a>,
    languages: &mut CodeLanguages,
    body: &mut String,
) {
    let element = content.block(block).map_or(NONE, |block| block.element);
    let mode = mode(content, element);
    let task = task(content, block).or_else(|| drawn_task(content, block));
    if mode == Mode::Paragraph && task.is_none() {
        if let Some(item) = word_item(content, block, writer.word_item) {
            inline.render_from(block, item.sign, body);
            return writer.add_item(element, item, body);
        }
        if let Some(text) = inline.plain_paragraph(block) {
            writer.part = part(content, block);
            return writer.add(element, text);
        }
    }
    if let Some((code, at)) = inline.whole_code(block) {
        let language = at.map(|at| languages.of(content, at, &[block]));
        return writer.add(element, &fence(&language.unwrap_or_default(), &code));
    }
    if has_math && let Some(tex) = inline.whole_formula(block) {
        return writer.add(element, &format!("$$\n{}\n$$", without_markup(&tex, true)));
    }
    if writer.is_marker(element, content.text(block), next) {
        return;
    }
    inline.render(block, mode, body);
    writer.part = part(content, block);
    if let Some(task) = task {
        // A box that is drawn beside the check box says the same.
        let drawn = body.len() - body.trim_start_matches(|c| c == ' ' || DRAWN_BOXES.contains(&c)).len();
        body.replace_range(..drawn, task);
    }
    writer.add(element, body);
}

/// Appends plain texts to Markdown, each line of a text as a paragraph.
pub(crate) fn append_markdown<'a>(mut markdown: String, texts: impl Iterator<Item = &'a str>) -> String {
    let context = Context { lines: true, line_break: "\n", ..Context::default() };
    for line in texts.flat_map(str::lines) {
        if !markdown.is_empty() {
            markdown.push('\n');
        }
        escape(line, 0, line.len(), context, &mut markdown);
        markdown.push('\n');
    }
    markdown
}

/// Returns the Markdown mark of a task (`[ ] ` or `[x] `) for a list item whose block begins with a check box.
fn task(content: &KeptContent, block: u32) -> Option<&'static str> {
    let block = content.block(block).filter(|block| block.inputs > 0)?;
    let page = content.page;
    let mut around =
        page.path(block.element).take_while(|(_, element)| element.tag != Tag::Ul && element.tag != Tag::Ol);
    around.find(|(_, element)| element.tag == Tag::Li)?;
    let mut inside = page.inline(block).iter().filter_map(|at| page.element(*at));
    let input = inside.find(|element| element.tag == Tag::Input)?;
    let kind = input.attribute(content.html, "type")?;
    if !kind.eq_ignore_ascii_case("checkbox") {
        return None;
    }
    let is_done = input.attribute(content.html, "checked").is_some();
    Some(if is_done { "[x] " } else { "[ ] " })
}

/// Characters that pages draw as check boxes of tasks: first those of open tasks, then those of finished tasks.
const DRAWN_BOXES: [char; 7] = ['▢', '☐', '□', '❏', '☑', '✓', '✔'];
/// Index in `DRAWN_BOXES` of the first character for a finished task.
const DONE: usize = 4;

/// Returns the mark (`[ ] ` or `[x] `) of a task whose check box is a character or icon, in a list named `checklist`.
fn drawn_task(content: &KeptContent, block: u32) -> Option<&'static str> {
    let page = content.page;
    let block_of = content.block(block)?;
    let (_, list) = page.path_in(ElementKinds::ITEM, block_of).find(|(_, element)| is_list(element.tag))?;
    if !page.says(list, &["checklist"]) {
        return None;
    }
    let sign = content.text(block).chars().next()?;
    let icon = page.inline(block_of).iter().filter_map(|at| page.element(*at)).next();
    let is_done = match DRAWN_BOXES.iter().position(|drawn| *drawn == sign) {
        Some(at) => at >= DONE,
        None => page.says(icon.filter(|icon| page.says(icon, &["square"]))?, &["check"]),
    };
    Some(if is_done { "[x] " } else { "[ ] " })
}

/// Returns the role of a paragraph in a definition list: term, definition or neither.
fn part(content: &KeptContent, block: u32) -> Part {
    let Some(block) = content.block(block) else { return Part::Other };
    // Most blocks stand in no such list, and no path is climbed for them.
    if !content.page.kinds_around(block).contains(ElementKinds::OTHER_ITEM) {
        return Part::Other;
    }
    let is_bare = content.page.container(block).is_some_and(|(_, element)| element.tag == Tag::Dd);
    if is_bare {
        return Part::Definition;
    }
    let mut path = content.page.path(block.element);
    let item = path.find(|(_, element)| is_item(element.tag));
    match item {
        Some((at, element)) if element.tag == Tag::Dt => Part::Term(at),
        _ => Part::Other,
    }
}

/// Returns the form, such as term or caption, in which the paragraph in an element is written as Markdown.
fn mode(content: &KeptContent, element: u32) -> Mode {
    let around = content.page.path(element).find_map(|(_, e)| match e.tag {
        Tag::Dt => Some(Mode::Term),
        Tag::Figcaption | Tag::Caption => Some(Mode::Caption),
        Tag::P | Tag::Div => None,
        tag if tag.is_inline() => None,
        _ => Some(Mode::Paragraph),
    });
    around.unwrap_or(Mode::Paragraph)
}

#[cfg(test)]
mod tests;
