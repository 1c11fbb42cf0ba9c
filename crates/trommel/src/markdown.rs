//! Markdown of a document (CommonMark): headings, list items, quotes and code by the element that
//! each kept block stands in.

use crate::document::{BlockVerdict, Document};

/// The kept blocks of a document as Markdown, ending with a line end; empty for a document without
/// text.
pub fn markdown(document: &Document) -> String {
    let mut out = String::new();
    let mut before: Option<Kind> = None;
    for block in document.blocks.iter().filter(|block| block.kept) {
        let kind = Kind::of(block);
        if let Some(before) = before {
            // Items of a list follow each other, all else stands apart.
            out.push_str(if before == Kind::Item && kind == Kind::Item {
                "\n"
            } else {
                "\n\n"
            });
        }
        kind.write(&block.text, &mut out);
        before = Some(kind);
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Heading(usize),
    Item,
    Quote,
    Code,
    Paragraph,
}

impl Kind {
    fn of(block: &BlockVerdict) -> Self {
        match block.tag.as_str() {
            "h1" => Kind::Heading(1),
            "h2" => Kind::Heading(2),
            "h3" => Kind::Heading(3),
            "h4" => Kind::Heading(4),
            "h5" => Kind::Heading(5),
            "h6" => Kind::Heading(6),
            "li" | "dd" => Kind::Item,
            "blockquote" => Kind::Quote,
            "pre" | "listing" | "xmp" | "plaintext" => Kind::Code,
            _ => Kind::Paragraph,
        }
    }

    fn write(self, text: &str, out: &mut String) {
        match self {
            Kind::Heading(level) => {
                out.push_str(&"#".repeat(level));
                out.push(' ');
                out.push_str(&text.replace('\n', " "));
            }
            Kind::Item => {
                out.push_str("- ");
                out.push_str(&lines(text, "\\\n  "));
            }
            Kind::Quote => {
                out.push_str("> ");
                out.push_str(&lines(text, "\\\n> "));
            }
            Kind::Code => {
                // A fence longer than any run of backticks inside cannot be ended by the code.
                let run = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
                let fence = "`".repeat(run.max(2) + 1);
                out.push_str(&format!("{fence}\n{text}\n{fence}"));
            }
            Kind::Paragraph => out.push_str(&lines(text, "\\\n")),
        }
    }
}

/// The lines of a text, each kept from being read as the start of something else, divided by
/// `between`.
fn lines(text: &str, between: &str) -> String {
    let escaped: Vec<String> = text
        .split('\n')
        .map(|line| {
            let digits = line.bytes().take_while(u8::is_ascii_digit).count();
            let rest = line.get(digits..).unwrap_or_default();
            if digits > 0 && rest.starts_with(['.', ')']) {
                format!("{}\\{rest}", line.get(..digits).unwrap_or_default())
            } else if line.starts_with(['#', '>', '-', '+', '*', '=', '~', '`', '|']) {
                format!("\\{line}")
            } else {
                line.to_owned()
            }
        })
        .collect();
    escaped.join(between)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(tag: &str, text: &str, kept: bool) -> BlockVerdict {
        BlockVerdict {
            text: text.into(),
            span: (0, 1),
            tag: tag.into(),
            words: 1,
            probability: 0.5,
            kept,
        }
    }

    #[test]
    fn blocks_become_what_their_elements_are() {
        let document = Document {
            blocks: vec![
                block("h2", "A\nhead", true),
                block("nav", "menu", false),
                block("p", "- no list\n1. no number\nplain", true),
                block("li", "one", true),
                block("li", "two\nlines", true),
                block("pre", "if a:\n    ```b", true),
                block("blockquote", "said\nso", true),
            ],
            ..Document::default()
        };
        assert_eq!(
            markdown(&document),
            "## A head\n\n\\- no list\\\n1\\. no number\\\nplain\n\n- one\n- two\\\n  lines\n\n\
             ````\nif a:\n    ```b\n````\n\n> said\\\n> so\n"
        );
        assert_eq!(markdown(&Document::default()), "");
    }
}
