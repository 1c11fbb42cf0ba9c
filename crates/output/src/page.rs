//! One page as it is printed, by itself and not as a record of an archive.

use trommel_extract::{Document, DocumentOptions, MarkdownOptions, TextOptions};

/// What is printed of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageForm {
    /// Its main text, and a line end.
    Text,
    /// Its main text as Markdown.
    Markdown {
        /// Whether links are written.
        links: bool,
        /// Whether images are.
        images: bool,
    },
    /// Its document, one JSON object on a line.
    Json,
}

impl PageForm {
    /// What the document must hold to be printed in this form.
    pub fn options(self) -> DocumentOptions {
        self.options_with(TextOptions::default())
    }

    /// As [`PageForm::options`], with formulas, notes and scripts given as `text` says.
    pub fn options_with(self, text: TextOptions) -> DocumentOptions {
        let options = DocumentOptions::default().with_text(text);
        match self {
            Self::Text | Self::Json => options,
            Self::Markdown { links, images } => {
                let markdown = MarkdownOptions::default().with_links(links);
                options.with_markdown(markdown.with_images(images).with_text(text))
            }
        }
    }

    /// A document made with [`PageForm::options`], in this form. JSON has `url` and, of several pages,
    /// `file`.
    ///
    /// # Errors
    /// Only if memory runs out.
    pub fn print(
        self,
        document: Document,
        url: Option<&str>,
        file: Option<&str>,
    ) -> Result<String, serde_json::Error> {
        Ok(match self {
            Self::Text => printable(document.text + "\n"),
            Self::Markdown { .. } => printable(document.text),
            Self::Json => {
                // With the digits of single precision, as in a line of JSON: a value holds double ones.
                let confidence: Option<f64> = document.confidence.to_string().parse().ok();
                let mut object = serde_json::to_value(document)?;
                if let Some(object) = object.as_object_mut() {
                    object.remove("blocks");
                    object.insert("url".to_owned(), url.into());
                    object.insert("confidence".to_owned(), confidence.into());
                    if let Some(file) = file {
                        object.insert("file".to_owned(), file.into());
                    }
                }
                format!("{object}\n")
            }
        })
    }
}

/// The text without what a terminal obeys; JSON says it in ASCII.
fn printable(text: String) -> String {
    let is_shown = |c: char| !c.is_control() || matches!(c, '\n' | '\t');
    match text.chars().all(is_shown) {
        true => text,
        false => text.chars().filter(|&c| is_shown(c)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_ends_as_it_should() {
        let document = Document {
            text: "A mill".into(),
            confidence: 0.924,
            ..Document::default()
        };
        let print = |form: PageForm, file| form.print(document.clone(), Some("http://a/"), file);
        assert_eq!(print(PageForm::Text, None).unwrap(), "A mill\n");
        let markdown = PageForm::Markdown {
            links: true,
            images: false,
        };
        assert_eq!(print(markdown, None).unwrap(), "A mill");
        assert!(
            markdown
                .options()
                .markdown
                .is_some_and(|options| options.links)
        );
        let json = print(PageForm::Json, Some("a.html")).unwrap();
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(
            (&value["url"], &value["file"]),
            (&"http://a/".into(), &"a.html".into())
        );
        assert!(json.contains("\"confidence\":0.924,"), "{json}");
        assert!(json.ends_with("}\n") && value.get("blocks").is_none());
    }
}
