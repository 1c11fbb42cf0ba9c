//! Writes into a page where its tags and texts stand, so that what the browser tells of them can be found again
//! in the page as we read it.

use lol_html::html_content::{ContentType, TextType};
use lol_html::{RewriteStrSettings, doc_text, element, rewrite_str};

use super::snapshot::OFFSET_ATTRIBUTE;

/// The page with the attribute [`OFFSET_ATTRIBUTE`] in every start tag and a comment before every text that is
/// not all white space; as it is if it cannot be rewritten. Neither changes how the page looks.
pub(super) fn with_offsets(html: &str) -> String {
    let mut in_text = false;
    let settings = RewriteStrSettings::new()
        .with_strict(false)
        .append_element_content_handler(element!("*", |element| {
            let at = element.source_location().bytes().start;
            element.set_attribute(OFFSET_ATTRIBUTE, &at.to_string())?;
            Ok(())
        }))
        .append_document_content_handler(doc_text!(|chunk| {
            let is_first = !in_text;
            in_text = !chunk.last_in_text_node();
            let text = chunk.as_str();
            if is_first && chunk.text_type() == TextType::Data && !text.trim().is_empty() {
                let blank = text.len() - text.trim_start().len();
                let at = chunk.source_location().bytes().start + blank;
                chunk.before(&format!("<!--{OFFSET_ATTRIBUTE}={at}-->"), ContentType::Html);
            }
            Ok(())
        }));
    rewrite_str(html, settings).unwrap_or_else(|_| html.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_and_texts_say_where_they_stand() {
        assert_eq!(
            with_offsets("<p class=a> é <b>x</b>\n</p><script>1<2</script>"),
            "<p class=a trommel-at=\"0\"><!--trommel-at=12--> é <b trommel-at=\"15\"><!--trommel-at=18-->x</b>\n\
             </p><script trommel-at=\"28\">1<2</script>"
        );
    }
}
