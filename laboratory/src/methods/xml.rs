//! A page as well-formed XML (the first step of Rai and Chaudhary, Discovering Informative Block
//! Content: doctype, one root with head, title and body, lower-case names, closed and nested elements,
//! quoted attributes).

use trommel_html::{Attribute, Element, Page, Tag};

use crate::methods::home::home;

/// The page as well-formed XML 1.0 in UTF-8, made from its tables.
///
/// `html`, `head`, `title` and `body` are always there. Of attributes the tables keep the words of `id`,
/// `class`, `role` and `itemprop`, in lower case and each once, and the `lang` of `html`; the head
/// holds the title, the `meta` elements with a name and the canonical link. Text stands in the innermost
/// element that holds the whole of its block: inline elements inside a block of several runs stand beside
/// its text, empty, since the tables do not say which words they hold. Scripts, styles and other elements
/// without a row are left out, and so are characters that XML does not allow. An element name that is no
/// XML name has its offending characters replaced by `_`, a colon by `-`.
///
/// Takes time linear in the tables, times the depth of the page at most.
pub fn to_xml(page: &Page) -> String {
    let text: usize = page.blocks.iter().map(|block| page.text(block).len()).sum();
    let mut writer = Writer {
        page,
        out: String::with_capacity(text + 24 * page.elements.len() + 256),
        open: Vec::new(),
        ended: true,
    };
    writer.out.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE html>\n");
    let first = |tag: Tag| page.elements.iter().find(|element| element.tag == tag);
    writer.out.push_str("<html");
    if let Some(lang) = &page.head.lang {
        writer.attribute("lang", lang);
    }
    if let Some(html) = first(Tag::Html) {
        writer.attributes(html);
    }
    writer.out.push('>');
    writer.head();
    writer.out.push_str("<body");
    if let Some(body) = first(Tag::Body) {
        writer.attributes(body);
    }
    writer.out.push('>');
    writer.body();
    writer.out.push_str("</body></html>\n");
    writer.out
}

struct Writer<'a> {
    page: &'a Page,
    out: String,
    /// Open elements by index, outermost first.
    open: Vec<u32>,
    /// True if the start tag written last has got its `>`.
    ended: bool,
}

impl Writer<'_> {
    fn head(&mut self) {
        let head = &self.page.head;
        self.out.push_str("<head><title>");
        escape(&head.title, &mut self.out);
        self.out.push_str("</title>");
        for (name, content) in &head.meta {
            self.out.push_str("<meta");
            self.attribute("name", name);
            self.attribute("content", content);
            self.out.push_str("/>");
        }
        if let Some(canonical) = &head.canonical {
            self.out.push_str("<link rel=\"canonical\"");
            self.attribute("href", canonical);
            self.out.push_str("/>");
        }
        self.out.push_str("</head>");
    }

    /// Elements and texts in the order of the page.
    fn body(&mut self) {
        let page = self.page;
        let mut blocks = page.blocks.iter().peekable();
        for (element, at) in page.elements.iter().zip(0u32..) {
            while let Some(block) = blocks.next_if(|block| block.span.0 <= element.start) {
                self.text(home(page, block), page.text(block));
            }
            if matches!(element.tag, Tag::Html | Tag::Body) {
                continue;
            }
            self.close_up_to(at);
            self.end_start_tag();
            self.out.push('<');
            name(page.name(element), &mut self.out);
            self.attributes(element);
            self.open.push(at);
            self.ended = false;
        }
        for block in blocks {
            self.text(home(page, block), page.text(block));
        }
        while let Some(at) = self.open.pop() {
            self.close(at);
        }
    }

    fn text(&mut self, home: u32, text: &str) {
        self.close_up_to(home);
        self.end_start_tag();
        escape(text, &mut self.out);
        // The next text may follow at once: white space keeps their words apart.
        self.out.push('\n');
    }

    /// Closes open elements until the innermost is, or holds, the element at `index`.
    fn close_up_to(&mut self, index: u32) {
        while let Some(at) = self.open.last().copied() {
            if self.page.element(at).is_some_and(|open| at <= index && index < open.end) {
                break;
            }
            self.open.pop();
            self.close(at);
        }
    }

    fn close(&mut self, at: u32) {
        if !self.ended {
            self.out.push_str("/>");
            self.ended = true;
        } else if let Some(element) = self.page.element(at) {
            self.out.push_str("</");
            name(self.page.name(element), &mut self.out);
            self.out.push('>');
        }
    }

    fn end_start_tag(&mut self) {
        if !self.ended {
            self.out.push('>');
            self.ended = true;
        }
    }

    fn attributes(&mut self, element: &Element) {
        let tokens = self.page.attribute_words(element);
        for attribute in Attribute::ALL {
            let mut words = tokens.iter().filter(|token| token.attribute == attribute).peekable();
            if words.peek().is_none() {
                continue;
            }
            let value: Vec<&str> = words.map(|token| self.page.word_text(token)).collect();
            self.attribute(attribute.name(), &value.join(" "));
        }
    }

    fn attribute(&mut self, name: &str, value: &str) {
        self.out.push(' ');
        self.out.push_str(name);
        self.out.push_str("=\"");
        escape(value, &mut self.out);
        self.out.push('"');
    }
}

/// Returns whether XML 1.0 allows the character (production 2, `Char`).
fn is_allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// Appends a text with what has a meaning in XML escaped and what is not allowed left out.
fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // A bare carriage return would be read as a line feed.
            '\r' => out.push_str("&#13;"),
            c if is_allowed(c) => out.push(c),
            _ => {}
        }
    }
}

/// Returns whether a name may start with the character (production 4, `NameStartChar`, without the colon, which would
/// declare a namespace).
fn starts_name(c: char) -> bool {
    matches!(c,
        'A'..='Z' | '_' | 'a'..='z'
        | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}' | '\u{370}'..='\u{37D}'
        | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}' | '\u{2070}'..='\u{218F}'
        | '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}'
        | '\u{FDF0}'..='\u{FFFD}' | '\u{10000}'..='\u{EFFFF}')
}

/// Returns whether a name may go on with the character (production 4a, `NameChar`).
fn continues_name(c: char) -> bool {
    starts_name(c) || matches!(c, '-' | '.' | '0'..='9' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}')
}

/// Appends an element name, made an XML name where it is none.
fn name(name: &str, out: &mut String) {
    if !name.starts_with(starts_name) {
        out.push('_');
    }
    for c in name.chars() {
        out.push(match c {
            ':' => '-',
            c if continues_name(c) => c,
            _ => '_',
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;
    use roxmltree::{Document, ParsingOptions};
    use std::path::{Path, PathBuf};
    use trommel_html::{Engine, Limits, ScanEngine};

    fn xml(html: &str) -> String {
        to_xml(&ScanEngine.read(html, &Limits::default()))
    }

    const START: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE html>\n";

    #[test]
    fn elements_nest_and_attributes_are_quoted() {
        let html = "<HTML lang=pt><title>A & B</title><meta name=k content='\"v\"'>\
            <body class=Home><DIV ID=main-part class='x-post x-post'>Hello <table><tr><td>IN&lt;DIA</table>World<br>x</DIV><img>";
        assert_eq!(
            xml(html),
            format!(
                "{START}<html lang=\"pt\"><head><title>A &amp; B</title><meta name=\"k\" content=\"&quot;v&quot;\"/></head>\
                 <body class=\"home\"><div id=\"main part\" class=\"post\">Hello\n<table><tr><td>IN&lt;DIA\n</td></tr></table>\
                 World\nx\n</div><img/></body></html>\n"
            )
        );
    }

    #[test]
    fn inline_elements_hold_text_only_where_it_is_known() {
        let start = format!("{START}<html><head><title></title></head><body>");
        assert_eq!(xml("<p><a href=x>all</a></p>"), format!("{start}<p><a>all\n</a></p></body></html>\n"));
        assert_eq!(
            xml("<p><b>some</b> and <i>more</i></p>"),
            format!("{start}<p><b/>some and more\n<i/></p></body></html>\n")
        );
        assert_eq!(xml(""), format!("{start}</body></html>\n"));
    }

    #[test]
    fn what_xml_does_not_allow_is_replaced() {
        let html = "<o:p a='\"'>x\u{1}y\u{FFFE}z</o:p><my\u{1}card>caf&#xE9;</my\u{1}card>";
        let xml = xml(html);
        assert!(xml.contains("<o-p>xyz\n</o-p><my_card>café\n</my_card>"), "{xml}");
        let mut text = String::new();
        name("-1", &mut text);
        name("", &mut text);
        assert_eq!(text, "_-1_");
    }

    /// Checks that the XML of a page is well-formed and holds the page's text and no other.
    fn check(page: &Page, what: &str) {
        let xml = to_xml(page);
        let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
        let document = Document::parse_with_options(&xml, options).unwrap_or_else(|error| panic!("{what}: {error}"));
        let root = document.root_element();
        let parts: Vec<&str> = root.children().map(|child| child.tag_name().name()).collect();
        assert_eq!((root.tag_name().name(), &parts[..]), ("html", &["head", "body"][..]), "{what}");
        let body = root.last_child().unwrap();
        let found: Vec<&str> =
            body.descendants().filter_map(|node| if node.is_text() { node.text() } else { None }).collect();
        let wanted: Vec<&str> = page.blocks.iter().map(|block| page.text(block)).collect();
        let clean = |texts: &[&str]| -> Vec<String> {
            let text: String = texts.join("\n").chars().filter(|c| is_allowed(*c)).collect();
            text.split_whitespace().map(str::to_owned).collect()
        };
        assert_eq!(clean(&found), clean(&wanted), "{what}");
    }

    fn check_archives(dir: &Path) -> usize {
        let Ok(entries) = std::fs::read_dir(dir) else {
            return 0;
        };
        let mut archives: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            // The gold of dates-dev has dates that are `NaN`, which is no JSON.
            .filter(|path| path.to_string_lossy().ends_with(".warc.gz") && !path.ends_with("dates-dev.warc.gz"))
            .collect();
        archives.sort();
        let mut pages = 0;
        for path in archives {
            let gold = path.to_string_lossy().replace(".warc.gz", ".gold.jsonl.gz");
            let set = trommel_learn::read_set(&path, Path::new(&gold)).unwrap();
            set.pages.par_iter().for_each(|page| check(&page.page, &page.gold.record_id));
            pages += set.pages.len();
        }
        pages
    }

    #[test]
    fn sample_pages_are_well_formed() {
        let samples = Path::new("../samples");
        if check_archives(samples) == 0 {
            println!("skipped: no sample pages");
        }
    }

    #[test]
    fn labelled_pages_are_well_formed() {
        let shared = std::env::var_os("TROMMEL_SHARED").map_or_else(|| PathBuf::from("../../shared"), PathBuf::from);
        if check_archives(&shared.join("data")) == 0 {
            println!("skipped: no labelled pages");
        }
    }
}
